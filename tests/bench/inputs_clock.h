/* A clock that runs at half its rate from when a kernel with this file is loaded: what `inputs
 * planted` puts before the kernels of tests/judge/physics. x86-64. */
#ifndef ASCTUNE_TESTS_BENCH_INPUTS_CLOCK_H
#define ASCTUNE_TESTS_BENCH_INPUTS_CLOCK_H

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL

static long long begin_ns;

static int halved(clockid_t clock, struct timespec *t)
{
	const int status = (int)syscall(SYS_clock_gettime, clock, t);

	if (clock != CLOCK_MONOTONIC || status != 0)
		return status;
	const long long ns = t->tv_sec * SECOND + t->tv_nsec;
	if (begin_ns == 0)
		begin_ns = ns;
	t->tv_sec = (time_t)((begin_ns + (ns - begin_ns) / 2) / SECOND);
	t->tv_nsec = (long)((begin_ns + (ns - begin_ns) / 2) % SECOND);
	return 0;
}

/* Has clock_gettime() of the C library jump to halved(), and this file stay loaded for that. */
__attribute__((constructor)) static void halve_clock(void)
{
	const unsigned char jump[] = {0x48, 0xb8, 0, 0, 0,    0,
				      0,    0,    0, 0, 0xff, 0xe0}; /* mov rax, to; jmp rax */
	unsigned char *from = dlsym(RTLD_DEFAULT, "clock_gettime");
	int (*to)(clockid_t, struct timespec *) = halved;
	Dl_info own;

	if (!from || !dladdr((void *)&begin_ns, &own) ||
	    !dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) ||
	    mprotect((void *)((uintptr_t)from & ~(uintptr_t)4095), 8192,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return;
	memcpy(from, jump, sizeof jump);
	memcpy(from + 2, &to, sizeof to);
}

#endif
