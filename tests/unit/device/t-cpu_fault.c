/* What is said of an access that ends a process: each is made in a process of its own, whose stderr
 * is read.
 * covers: cpu_fault.c cpu_buffer.c cpu_threads.c */
#include "tuner/device/cpu/cpu_fault.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/device/cpu/cpu_buffer.h"
#include "tuner/device/cpu/cpu_threads.h"

enum { BYTES = 4096, MIB = 1 << 20 };

static struct device_buffer *buffer;
static char *data;

/* Compilers refuse addresses that they can see, and sanitizers those that are NULL. */
#define UNCHECKED __attribute__((noinline, no_sanitize("undefined")))

UNCHECKED static void write_at(volatile uintptr_t at)
{
	*(volatile char *)at = 1;
}

UNCHECKED static void read_at(volatile uintptr_t at)
{
	(void)*(volatile const char *)at;
}

static void call_at(uintptr_t at)
{
	void (*fn)(void);

	memcpy(&fn, &at, sizeof fn);
	fn();
}

static uintptr_t from_data(intptr_t offset)
{
	return (uintptr_t)data + (uintptr_t)offset;
}

static void write_end(void)
{
	write_at(from_data(BYTES));
}

static void write_past(void)
{
	write_at(from_data(BYTES + 24));
}

static void read_past(void)
{
	read_at(from_data(BYTES + 15 * MIB));
}

static void write_before(void)
{
	write_at(from_data(-1));
}

static void read_before(void)
{
	read_at(from_data(-4));
}

static void write_input(void)
{
	struct asc_err e;

	if (device_buffer_protect(NULL, buffer, true, &e) == ASC_OK)
		write_at(from_data(8));
}

static void write_null(void)
{
	write_at(0);
}

static void read_member(void)
{
	read_at(24);
}

static void read_number(void)
{
	read_at(1049344);
}

static void call_null(void)
{
	call_at(0);
}

static void read_huge(void)
{
	read_at(UINT64_C(0x3ff0000000000000)); /* 1.0 as a double */
}

static void read_elsewhere(void)
{
	void *gone = mmap(NULL, 64 * MIB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	read_at((uintptr_t)gone + 32 * MIB);
}

static void write_in_team(void *user, size_t index)
{
	(void)user;
	if (index == 1)
		write_past();
}

static void write_by_thread(void)
{
	struct cpu_threads *team;
	struct asc_err e;

	if (cpu_threads_new(&team, &e) == ASC_OK && cpu_threads_reserve(team, 2, &e) == ASC_OK)
		cpu_threads_run(team, 2, write_in_team, NULL);
}

static void write_in_both(void *user, size_t index)
{
	(void)user, (void)index;
	write_past();
}

static void write_by_all(void)
{
	struct cpu_threads *team;
	struct asc_err e;

	if (cpu_threads_new(&team, &e) == ASC_OK && cpu_threads_reserve(team, 4, &e) == ASC_OK)
		cpu_threads_run(team, 4, write_in_both, NULL);
}

static int grow(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = *above;
	return above ? grow(frame) + frame[0] : 0;
}

static void overflow(void)
{
	volatile char first = 0;

	(void)grow(&first);
}

static void overflow_in_team(void *user, size_t index)
{
	(void)user;
	if (index == 1)
		overflow();
}

static void overflow_by_thread(void)
{
	struct cpu_threads *team;
	struct asc_err e;

	if (cpu_threads_new(&team, &e) == ASC_OK && cpu_threads_reserve(team, 2, &e) == ASC_OK)
		cpu_threads_run(team, 2, overflow_in_team, NULL);
}

static void write_released(void)
{
	struct asc_err e;
	struct device_buffer *other;

	if (cpu_buffer_alloc(NULL, BYTES, &other, &e) != ASC_OK)
		return;
	cpu_buffer_label(other, "other");
	device_buffer_release(NULL, buffer);
	write_at((uintptr_t)cpu_buffer_data(other) + BYTES + 1);
}

static void raise_itself(void)
{
	raise(SIGSEGV);
}

static void write_by_child(void)
{
	if (fork() == 0)
		write_null();
	(void)wait(NULL);
	raise(SIGSEGV);
}

static struct device_buffer *hidden;

static void show_page(int signal)
{
	const uintptr_t page = (uintptr_t)cpu_buffer_data(hidden) & ~(uintptr_t)(BYTES - 1);

	(void)signal;
	(void)mprotect((void *)page, BYTES, PROT_READ | PROT_WRITE);
}

/* What a kernel with a handler of its own does that puts its output there when that is looked at:
 * its handler is not the one that is called. */
static void look_for_stray(void)
{
	struct asc_err e;

	if (cpu_buffer_alloc(NULL, 100, &hidden, &e) != ASC_OK)
		return;
	cpu_buffer_label(hidden, "hidden");
	(void)signal(SIGSEGV, show_page);
	(void)mprotect((void *)((uintptr_t)cpu_buffer_data(hidden) & ~(uintptr_t)(BYTES - 1)),
		       BYTES, PROT_NONE);
	(void)cpu_buffer_find_stray(hidden);
}

static const struct death {
	void (*die)(void);
	const char *said; /* "": nothing */
} deaths[] = {
	{write_end, "write just past the end of y (f32[8, 128])\n"},
	{write_past, "write 24 bytes past the end of y (f32[8, 128])\n"},
	{read_past, "read 15728640 bytes past the end of y (f32[8, 128])\n"},
	{write_before, "write 1 byte before the start of y (f32[8, 128])\n"},
	{read_before, "read 4 bytes before the start of y (f32[8, 128])\n"},
	{write_input, "write at byte 8 of y (f32[8, 128]), which is an input\n"},
	{write_null, "write at address 0: a null pointer\n"},
	{read_member, "read at address 24: a null pointer\n"},
	{read_number, "read at address 1049344: a number that is taken for a pointer?\n"},
	{call_null, "call at address 0: a null pointer\n"},
	{read_elsewhere, "read outside of all tensors and 16 MiB around them\n"},
	{write_by_thread, "write 24 bytes past the end of y (f32[8, 128])\n"},
	{write_by_all, "write 24 bytes past the end of y (f32[8, 128])\n"},
	{overflow, "stack overflow\n"},
	{overflow_by_thread, "stack overflow\n"},
	{write_released, "write 1 byte past the end of other\n"},
	{look_for_stray, "read just past the end of hidden\n"},
	{raise_itself, ""},
	{write_by_child, ""},
#if defined(__x86_64__)
	{read_huge, "access to an address that no memory can have: a number that is taken for a "
		    "pointer?\n"},
#endif
};

static void die(const struct death *d, int fd)
{
	struct asc_err e;

	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	signal(SIGSEGV, SIG_DFL); /* the sanitizer's */
	(void)dup2(fd, STDERR_FILENO);
	cpu_fault_begin();
	if (cpu_buffer_alloc(NULL, BYTES, &buffer, &e) != ASC_OK)
		_exit(2);
	cpu_buffer_label(buffer, "y (f32[8, 128])");
	data = cpu_buffer_data(buffer);
	d->die();
	_exit(0);
}

static void check(const struct death *d)
{
	char text[1000] = "";
	size_t len = 0;
	ssize_t n;
	int ends[2], status = 0;

	if (pipe(ends) != 0)
		abort();
	const pid_t child = fork();
	if (child == 0)
		die(d, ends[1]);
	close(ends[1]);
	while ((n = read(ends[0], text + len, sizeof text - 1 - len)) > 0)
		len += (size_t)n;
	close(ends[0]);
	tap_str(text, d->said, "what is said");
	tap_ok(waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
		       WTERMSIG(status) == SIGSEGV,
	       "the signal ends the process: %s", *d->said ? d->said : "nothing is said");
}

int main(void)
{
	if (tap_skip_emulated("the emulator's signals have no error code"))
		return tap_done();
	for (size_t i = 0; i < sizeof deaths / sizeof *deaths; i++)
		check(&deaths[i]);
	return tap_done();
}
