/* Where the threads of a team go, on machines that are written down here; and this thread, on this
 * machine.
 * covers: cpu_threads.c cpu_threads.c */

#include <stdatomic.h>
#include <time.h>

#include "tests/tap.h"
#include "tuner/device/cpu/cpu_threads.h"

static int share_after_4(int cpu) /* cores 0-4, 1-5, 2-6, 3-7 */
{
	return cpu % 4;
}

static int share_pairs(int cpu) /* cores 0-1, 2-3, ... */
{
	return cpu / 2 * 2;
}

static void expect(int (*core_of)(int cpu), const int *allowed, const int *order, size_t n,
		   const char *name)
{
	struct cpu_places p;
	cpu_set_t set;
	bool same = true;

	CPU_ZERO(&set);
	for (size_t i = 0; i < n; i++)
		CPU_SET(allowed[i], &set);
	cpu_places_choose(&p, &set, core_of);
	for (size_t i = 0; i < n && i < p.n; i++)
		same &= p.order[i] == order[i];
	tap_ok(same && p.n == n, "%s", name);
}

static void test_order(void)
{
	static const int all[] = {0, 1, 2, 3, 4, 5, 6, 7}, pairs[] = {0, 2, 4, 6, 1, 3, 5, 7};
	static const int seconds[] = {4, 5, 6, 7}, some[] = {0, 1, 4, 6}, spread[] = {0, 1, 6, 4};

	expect(share_after_4, all, all, 8, "cores first where siblings come last");
	expect(share_pairs, all, pairs, 8, "and where they come in pairs");
	expect(share_after_4, seconds, seconds, 4, "the second threads of four cores");
	expect(share_after_4, some, spread, 4,
	       "a core whose first thread is not allowed comes before a sibling");
	expect(share_after_4, NULL, NULL, 0, "nothing is allowed");
}

static cpu_set_t allowed_now(void)
{
	cpu_set_t now;

	CPU_ZERO(&now);
	(void)sched_getaffinity(0, sizeof now, &now);
	return now;
}

static void test_pin(void)
{
	const cpu_set_t all = allowed_now();
	struct cpu_places p;
	cpu_set_t now, before;

	cpu_places_read(&p);
	if (!tap_int(p.n, CPU_COUNT(&all), "all that we may run on"))
		return;
	for (size_t i = 0; i <= p.n; i++) {
		cpu_places_pin(&p, i, &before);
		now = allowed_now();
		tap_ok(CPU_COUNT(&now) == 1 && CPU_ISSET(p.order[i % p.n], &now),
		       "thread %zu is kept on processor %d", i, p.order[i % p.n]);
		cpu_places_unpin(&before);
		now = allowed_now();
		tap_ok(CPU_EQUAL(&now, &all), "and let go");
	}
	p.n = 0;
	cpu_places_pin(&p, 1, &before);
	now = allowed_now();
	tap_ok(CPU_EQUAL(&now, &all), "without places nobody is kept");
	cpu_places_unpin(&before);
}

/* What we may run on becomes less after the team was made. */
static void test_shrunk(void)
{
	const cpu_set_t all = allowed_now();
	struct cpu_threads *team;
	struct cpu_places p;
	struct asc_err e;
	cpu_set_t one, now;

	cpu_places_read(&p);
	if (p.n < 2) {
		tap_skip("one processor");
		return;
	}
	if (!tap_int(cpu_threads_new(&team, &e), ASC_OK, "a team"))
		return;
	CPU_ZERO(&one);
	CPU_SET(p.order[1], &one);
	(void)sched_setaffinity(0, sizeof one, &one);
	cpu_threads_pin(team);
	now = allowed_now();
	tap_ok(CPU_EQUAL(&now, &one), "its first thread does not leave what is left");
	cpu_threads_unpin(team);
	now = allowed_now();
	tap_ok(CPU_EQUAL(&now, &one), "neither when it is let go");
	(void)sched_setaffinity(0, sizeof all, &all);
	cpu_threads_pin(team);
	cpu_threads_pin(team);
	cpu_threads_unpin(team);
	now = allowed_now();
	tap_int(CPU_COUNT(&now), 1, "pinned twice, it stays when it is let go once");
	cpu_threads_unpin(team);
	now = allowed_now();
	tap_ok(CPU_EQUAL(&now, &all), "and has all its processors when it is let go again");
	cpu_threads_free(team);
}

static void count_in(void *user, size_t index)
{
	__atomic_fetch_add(&((int *)user)[index], 1, __ATOMIC_RELAXED);
}

/* More threads than processors. */
static void test_crowded(void)
{
	struct cpu_threads *team;
	struct cpu_places p;
	struct asc_err e;
	int calls[CPU_THREADS_MAX] = {0}, right = 0;

	cpu_places_read(&p);
	size_t n = 2 * p.n + 1 < CPU_THREADS_MAX ? 2 * p.n + 1 : CPU_THREADS_MAX;
	if (!tap_int(cpu_threads_new(&team, &e), ASC_OK, "a team"))
		return;
	tap_int(cpu_threads_reserve(team, n, &e), ASC_OK, "of %zu on %zu processors", n, p.n);
	cpu_threads_pin(team);
	for (int i = 0; i < 10; i++)
		cpu_threads_run(team, n, count_in, calls);
	cpu_threads_unpin(team);
	for (size_t i = 0; i < n; i++)
		right += calls[i] == 10;
	tap_int(right, n, "each runs every time");
	cpu_threads_free(team);
}

static void count_run(void *user, size_t index)
{
	(void)atomic_fetch_add((atomic_int *)user, 1 + (int)index);
}

/* Threads that rest, or have waited for longer than they look out, are there for the next run. */
static void test_rest(void)
{
	enum { RUNS = 300 };
	static const struct timespec long_wait = {0, 1000000};
	atomic_int sum = 0;
	struct cpu_threads *team;
	struct asc_err e;

	if (!tap_int(cpu_threads_new(&team, &e), ASC_OK, "a team"))
		return;
	tap_int(cpu_threads_reserve(team, 2, &e), ASC_OK, "of two");
	for (int i = 0; i < RUNS; i++) {
		if (i % 3 == 0)
			cpu_threads_rest(team);
		if (i % 7 == 0)
			(void)nanosleep(&long_wait, NULL);
		cpu_threads_run(team, i % 5 == 0 ? 1 : 2, count_run, &sum);
	}
	tap_int(sum, 3 * RUNS - 2 * RUNS / 5, "each run has its threads, whatever they did before");
	cpu_threads_free(team);
}

int main(void)
{
	test_order();
	test_pin();
	test_shrunk();
	test_crowded();
	test_rest();
	return tap_done();
}
