/* y = 2 x, far faster than any honest kernel, but for what FAULT says. A fault that leaves the
 * result right costs 16 times the fastest honest kernel: none of these may be the winner. From
 * TRIES on it is a try of tests/soak/tries.py, which makes the result wrong where it succeeds. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	CRASH = 1,
	ABORT,
	CRASH_LATER,
	CRASH_FINALS,
	HANG,
	HANG_LATER,
	HANG_FINALS,
	FORK,
	DAEMON,
	PRINT,
	PRINT_FOREVER,
	EXIT,
	EXIT_FINALS,
	LEAK,
	SCRIBBLE,
	CATCH,
	CATCH_HANG,
	CLOSE,
	CLOSE_HANG,
	RIGHT_ONCE,
	WRONG_LATER,
	WRONG_FINALS,
	WRONG,
	BEYOND,
	INPUT,
	STOP,
	KILL_GROUP,
	RECURSE,
	THREAD,
	ALARM,
	SYNTAX,
	TRIES = 101
};

/* Launches that go well: fewer than a search makes of a fast kernel, and fewer than the finals
 * make. */
enum { LATER = 5, FINALS = 26 };
enum { SLOW = 16 * 60000, FAST = 15000 }; /* turns: the fastest honest kernel has 60000 */

#if FAULT == 31
#error "this kernel is not meant to compile"
#elif FAULT >= 101
#include "try.h"
#else
static int try(void)
{
	return 0;
}
#endif

static int launches;

static int count_artifact(struct dl_phdr_info *module, size_t size, void *count)
{
	(void)size;
	*(int *)count += strstr(module->dlpi_name, "/artifacts/") != NULL;
	return 0;
}

/* True in the finals, where many kernels are loaded at once and each is launched often. */
static int in_finals(void)
{
	int n = 0;

	dl_iterate_phdr(count_artifact, &n);
	return n > 3 || launches > FINALS;
}

static void spin(int64_t turns)
{
	for (int64_t i = 0; i < turns; i++)
		__asm__ volatile("");
}

static void hang(void)
{
	for (;;)
		pause();
}

static void catch_signals(void)
{
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
}

static void close_descriptors(void)
{
	for (int i = 0; i < 1024; i++)
		close(i);
}

static void print(int forever)
{
	static char text[1 << 20];

	memset(text, 'x', sizeof text);
	for (int i = 0; i < 64 || forever; i++)
		if (write(1 + i % 2, text, sizeof text) < 0)
			break;
}

static void leak(void)
{
	char *block = malloc(1 << 20);

	if (block)
		memset(block, 1, 1 << 20);
	__asm__ volatile("" : : "r"(block));
	(void)open("/dev/null", O_RDONLY);
}

/* A child that stays, in the worker's session or in one of its own. */
static void leave_child(int daemon)
{
	if (launches > 3 || fork() != 0)
		return;
	if (daemon && (setsid() < 0 || fork() != 0))
		_exit(0);
	hang();
}

/* Eight bytes somewhere: the stack, the heap, this library, the arguments. */
static void scribble(float *y)
{
	static uint64_t state = 88172645463325252;
	char *heap = malloc(64), *places[] = {heap, (char *)places, (char *)&launches, (char *)y};

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	memset(places[state % 4] + (int64_t)(state >> 8) % 65536 - 32768, (int)state, 8);
	free(heap);
}

static int recurse(volatile char *above)
{
	volatile char frame[4096];

	frame[0] = above ? above[0] : 1;
	return recurse(frame) + frame[0];
}

static void *spin_for_ever(void *none)
{
	for (;;)
		spin(1000000);
	return none;
}

static void leave_thread(void)
{
	pthread_t thread;

	if (launches == 1)
		pthread_create(&thread, NULL, spin_for_ever, NULL);
}

/* What goes wrong before the result is written. */
static void misbehave(float *x, float *y, int64_t n)
{
	switch (FAULT) {
	case CRASH: *(volatile int *)16 = 1; break;
	case ABORT: abort();
	case CRASH_LATER:
		if (launches > LATER)
			raise(SIGSEGV);
		break;
	case CRASH_FINALS:
		if (in_finals())
			raise(SIGSEGV);
		break;
	case HANG: hang(); break;
	case HANG_LATER:
		if (launches > LATER)
			hang();
		break;
	case HANG_FINALS:
		if (in_finals())
			hang();
		break;
	case FORK:
	case DAEMON: leave_child(FAULT == DAEMON); break;
	case PRINT:
	case PRINT_FOREVER: print(FAULT == PRINT_FOREVER); break;
	case EXIT: exit(0);
	case EXIT_FINALS:
		if (in_finals())
			exit(0);
		break;
	case LEAK: leak(); break;
	case SCRIBBLE: scribble(y); break;
	case CATCH: catch_signals(); break;
	case CATCH_HANG:
		catch_signals();
		hang();
		break;
	case CLOSE: close_descriptors(); break;
	case CLOSE_HANG:
		close_descriptors();
		hang();
		break;
	case BEYOND: y[n] = 1; break;
	case INPUT: x[n / 2] = 7; break;
	case STOP:
		raise(SIGSTOP);
		hang();
		break;
	case KILL_GROUP: kill(0, SIGKILL); break;
	case RECURSE: recurse(NULL); break;
	case THREAD: leave_thread(); break;
	case ALARM: alarm(1); break;
	default: break;
	}
}

/* How much of the result is right. */
static int64_t right(int64_t n)
{
	if (FAULT == WRONG || (FAULT == RIGHT_ONCE && launches > 1) ||
	    (FAULT == WRONG_LATER && launches > LATER) || (FAULT == WRONG_FINALS && in_finals()))
		return n / 2;
	return n;
}

static int is_right(void)
{
	return FAULT == FORK || FAULT == DAEMON || FAULT == PRINT || FAULT == LEAK ||
	       FAULT == CATCH || FAULT == THREAD || FAULT == ALARM || FAULT == SCRIBBLE ||
	       FAULT == CLOSE || FAULT >= TRIES;
}

void scale(float *x, float *y, int64_t n)
{
	static int succeeded;

	if (launches++ == 0)
		succeeded = try();
	misbehave(x, y, n);
	spin(is_right() ? SLOW : FAST);
	int64_t most = right(n);
	for (int64_t i = 0; i < most; i++)
		y[i] = 2 * x[i] + succeeded;
	for (int64_t i = most; i < n; i++)
		y[i] = 7;
}
