/* A library to preload: a launch takes as long as its kernel says, to the nanosecond, however late
 * the machine wakes it. The kernel calls time_passes(), which sleeps; the next reading of the
 * monotonic clock is the one before the call plus what it said, and the readings after that are the
 * machine's again: no process is ahead of another. Nor is a process said to have been interrupted.
 * For cases of the command line whose answers follow from times (reproduce). */
#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void time_passes(long us);

/* A kernel runs in the thread that measures it; other threads read the clock as they like. */
static _Thread_local int64_t last_ns;   /* last reading of this thread */
static _Thread_local int64_t passed_ns; /* said since then */

static int64_t read_clock(void)
{
	struct timespec t;

	(void)syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	const struct timespec end = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

void time_passes(long us)
{
	passed_ns += (int64_t)us * 1000;
	sleep_until(last_ns + passed_ns);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_MONOTONIC)
		return (int)syscall(SYS_clock_gettime, clock, t);

	const int64_t now = read_clock();
	last_ns = passed_ns > 0 && last_ns + passed_ns < now ? last_ns + passed_ns : now;
	passed_ns = 0;
	t->tv_sec = (time_t)(last_ns / 1000000000);
	t->tv_nsec = (long)(last_ns % 1000000000);
	return 0;
}

/* glibc declares the first parameter as an enum in C. */
int getrusage(__rusage_who_t who, struct rusage *usage)
{
	const int status = (int)syscall(SYS_getrusage, who, usage);

	usage->ru_nivcsw = 0;
	return status;
}
