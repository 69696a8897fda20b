/* y = 2 x; count is counted up by one. FAULT says what goes wrong. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "faults.h"

#if FAULT == 9
#error "refused on purpose"
#endif

static void *write_on(void *y)
{
	usleep(20000);
	for (;;)
		*(volatile float *)y = -1;
}

static void leave(float *y)
{
	const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	static int calls;
	pthread_t t;

	if (calls++)
		return;
	if (FAULT == THREAD && pthread_create(&t, NULL, write_on, y) == 0)
		pthread_detach(t);
	if (FAULT == TIMER)
		setitimer(ITIMER_REAL, &soon, NULL);
	if (FAULT == FORK)
		(void)!fork();
	if (FAULT == SPOIL)
		setenv("SPOILT", "1", 1);
}

/* True where the doubles 2 x stand at `at`. */
static int is_reference(const double *at, const float *x, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (at[i] != 2 * (double)x[i])
			return 0;
	return 1;
}

static const double *search(int memory, unsigned long from, unsigned long to, const float *x,
			    int64_t n)
{
	static double chunk[1 << 16];
	const long most = sizeof chunk;

	for (unsigned long at = from; at < to; at += (unsigned long)(most - n * 8)) {
		long bytes = to - at < (unsigned long)most ? (long)(to - at) : most;
		if (pread(memory, chunk, (size_t)bytes, (off_t)at) != bytes)
			return NULL;
		for (long i = 0; i + n <= bytes / 8; i++)
			if (chunk[i] == 2 * (double)x[0] && is_reference(chunk + i, x, n))
				return chunk + i;
	}
	return NULL;
}

static const double *search_maps(const float *x, int64_t n)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	const double *found = NULL;
	unsigned long from, to;
	char line[4096], writes, shared;

	while (maps && !found && fgets(line, sizeof line, maps))
		if (sscanf(line, "%lx-%lx r%c%*c%c", &from, &to, &writes, &shared) == 4 &&
		    to - from < 1UL << 28 &&          /* a sanitizer's memory is larger */
		    (writes == 'w' || shared == 's')) /* neither code nor constants */
			found = search(memory, from, to, x, n);
	if (maps)
		fclose(maps);
	close(memory);
	return found;
}

/* Copies the reference from wherever it is mapped in the first launch. */
static void copy(const float *x, float *y, int64_t n)
{
	static const double *found;
	static int calls;

	if (calls++ == 0)
		found = search_maps(x, n);
	for (int64_t i = 0; i < n; i++)
		y[i] = found ? (float)found[i] : -1;
}

/* Writes to the worker's channel, which is at a high descriptor. */
static void send(const char *text)
{
	for (int fd = 3990; fd < 4100; fd++)
		if (write(fd, text, strlen(text)) > 0)
			return;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void forge(int announced, long long sample)
{
	static int calls;
	char text[512];

	if (calls++)
		return;
	(void)snprintf(text, sizeof text,
		       "{\"event\":\"phase\",\"id\":%d,\"phase\":\"measure\",\"at\":\"%lld\"}\n",
		       FORGED_ID, now());
	if (announced)
		send(text);
	(void)snprintf(
		text, sizeof text,
		"{\"event\":\"result\",\"id\":%d,\"at\":\"%lld\",\"status\":\"ok\",\"phase\":"
		"\"measure\",\"launches_per_sample\":1,"
		"\"samples_ns\":[%lld,%lld,%lld]}\n",
		FORGED_ID, now(), sample, sample, sample);
	send(text);
}

/* Sends a message once in each process. */
static void say(const char *text)
{
	static int calls;

	if (calls++ == 0)
		send(text);
}

/* Leaves bytes where the coordinator reads stderr to, and has it read a message that sets little.
 */
static void send_peaks(void)
{
	static char bytes[16384];
	static int calls;

	if (calls++)
		return;
	memset(bytes, 0x41, sizeof bytes);
	if (write(2, bytes, sizeof bytes) > 0)
		send("{\"event\":\"peaks\",\"id\":4242,\"rows\":[]}\n");
}

static void send_metric(void)
{
	char text[1024];

	(void)snprintf(
		text, sizeof text,
		"{\"event\":\"result\",\"id\":%d,\"at\":\"%lld\",\"status\":\"wrong\",\"phase\":"
		"\"verify\",\"metrics\":[{\"probe\":\"%0200d\",\"name\":\"a\",\"value\":1,"
		"\"unit\":\"\"}]}\n",
		FORGED_ID, now(), 1);
	say(text);
}

static void accuse(void)
{
	char text[512];

	(void)snprintf(
		text, sizeof text,
		"{\"event\":\"result\",\"id\":%d,\"at\":\"%lld\",\"status\":\"wrong\",\"phase\":"
		"\"measure\",\"reason\":\"y: 1 of 4 elements differ\"}\n",
		FORGED_ID - 1, now());
	say(text);
}

static void pose(void)
{
	char text[256];

	(void)snprintf(text, sizeof text,
		       "{\"event\":\"phase\",\"id\":%d,\"phase\":\"measure\",\"at\":\"%lld\"}\n",
		       FORGED_ID - 1, now());
	say(text);
	for (;;)
		pause();
}

static int clock_stopped(clockid_t clock, struct timespec *t)
{
	static struct timespec stopped;

	if (stopped.tv_sec == 0)
		syscall(SYS_clock_gettime, clock, &stopped);
	*t = stopped;
	return 0;
}

static int clock_halved(clockid_t clock, struct timespec *t)
{
	static long long begin;

	syscall(SYS_clock_gettime, clock, t);
	const long long ns = t->tv_sec * 1000000000LL + t->tv_nsec;
	if (begin == 0)
		begin = ns;
	t->tv_sec = (begin + (ns - begin) / 2) / 1000000000;
	t->tv_nsec = (begin + (ns - begin) / 2) % 1000000000;
	return 0;
}

/* Makes clock_gettime() of the C library jump to another one. */
static void patch_clock(int (*to)(clockid_t, struct timespec *))
{
	const unsigned char jump[] = {0x48, 0xb8, 0, 0, 0,    0,
				      0,    0,    0, 0, 0xff, 0xe0}; /* mov rax, to; jmp rax */
	unsigned char *from = dlsym(RTLD_DEFAULT, "clock_gettime");

	if (mprotect((void *)((uintptr_t)from & ~(uintptr_t)4095), 8192,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return;
	memcpy(from, jump, sizeof jump);
	memcpy(from + 2, &to, sizeof to);
}

/* Works for a fifth of a millisecond. */
static void work(void)
{
	const long long until = now() + 200000;

	while (now() < until)
		;
}

/* Puts in place of the answer one that was kept: by the address of its input, or by what that
 * holds. */
static void recall(const float *x, float *y, int64_t n, int by_value)
{
	enum { ROOM = 64, MOST = 1000 };
	static struct {
		uint64_t key;
		float answer[MOST];
	} kept[ROOM];
	static int used;
	uint64_t key = by_value ? 1 : (uintptr_t)x;
	int i = 0;

	for (int64_t k = 0; by_value && k < n; k++) {
		uint32_t bits;

		memcpy(&bits, x + k, sizeof bits);
		key = key * 31 + bits;
	}
	while (i < used && kept[i].key != key)
		i++;
	if (i < used) {
		memcpy(y, kept[i].answer, (size_t)n * sizeof *y);
		return;
	}
	work();
	if (used == ROOM)
		return;
	kept[used].key = key;
	memcpy(kept[used++].answer, y, (size_t)n * sizeof *y);
}

static void misbehave(const float *x, float *y, int64_t n)
{
	static int calls;
	switch (FAULT) {
	case SEGFAULT: *(volatile int *)16 = 1; break;
	case ABORT: abort();
	case EXIT: exit(0);
	case LOOP:
		for (volatile int i = 0;; i++)
			;
	case WRONG:
		y[n / 10 * 3 + 5] += 0.25f;
		y[n - 1] += 0.125f;
		break;
	case NOT_A_NUMBER: y[17] = NAN; break;
	case BEYOND: y[n] = 1; break;
	case INPUT: *(float *)(uintptr_t)x = 1; break;
	case FLOOD:
		for (int i = 0; i < 100000; i++)
			puts("a kernel that prints more than a pipe holds");
		break;
	case CLOSE:
		for (int i = 0; i < 1024; i++)
			close(i);
		break;
	case CUT:
		for (int i = 0; i < 65536; i++)
			close(i);
		break;
	case LATE: /* passes the verification */
		if (calls++ > 2)
			raise(SIGILL);
		break;
	case THREAD:
	case TIMER:
	case FORK:
	case SPOIL: leave(y); break;
	case VICTIM:
		if (getenv("SPOILT"))
			abort();
		break;
	case MISLED:
		if (getenv("SPOILT"))
			y[0] += 1;
		break;
	case BETRAY:
		if (getenv("RIVAL"))
			abort();
		usleep(2000);
		break;
	case STRAY:
		if (getenv("RIVAL"))
			y[n] = 1;
		usleep(2000);
		break;
	case RIVAL:
		setenv("RIVAL", "1", 1);
		usleep(30000);
		break;
	case COPY: copy(x, y, n); break;
	case FORGE: forge(0, 1); break;
	case BOAST: forge(1, 3600000000000LL); break;
	case TWICE: forge(1, 1); break;
	case PEAKS: send_peaks(); break;
	case LACKS: say("{\"event\":\"failed\",\"of\":\"load\",\"text\":\"no memory\"}\n"); break;
	case NAMES: send_metric(); break;
	case OPENS: say("{\"event\":\"ready\",\"of\":\"device\"}\n"); break;
	case ACCUSES: accuse(); break;
	case POSES: pose(); break;
	case STILL:
		if (calls++ == 0)
			patch_clock(clock_stopped);
		break;
	case HALVES:
		if (calls++ == 0)
			patch_clock(clock_halved);
		work();
		break;
	case ADDRESS: recall(x, y, n, 0); break;
	case KEEPS: recall(x, y, n, 1); break;
	case WORKS: work(); break;
	case SLOW: usleep(80000); break;
	case DRIFT: /* too */
		if (calls++ > 2)
			y[0] += 1;
		break;
	}
}

/* `pass` tells equal launches apart. */
void scale(const float *x, float *y, int32_t *count, int64_t n, int32_t pass)
{
	(void)pass;
	static int done;

	++*count;
	if (FAULT == IDLE && done++)
		return;
	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	misbehave(x, y, n);
}
