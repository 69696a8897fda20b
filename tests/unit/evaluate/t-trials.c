/* Number of trials to have pending, by the times of those that came back.
 * covers: trials.c */
#include "tuner/tune/evaluate/trials.h"

#include "tests/tap.h"

#define MS INT64_C(1000000)

static struct trials queue;

/* A trial of these times comes back. */
static void take(int64_t build_ns, int64_t load_ns, int64_t measure_ns)
{
	static struct trial t;

	t = (struct trial){.id = 1, .state = TRIAL_DONE};
	result_init(&t.result);
	t.result.spent_ns[PHASE_BUILD] = build_ns;
	t.result.spent_ns[PHASE_LOAD] = load_ns;
	t.result.spent_ns[PHASE_MEASURE] = measure_ns;
	queue.list[queue.n++] = &t;
	tap_ok(trials_take(&queue) == &t && queue.n == 0, "a trial comes back");
}

static void test_beside(void)
{
	trials_clear(&queue, NULL);
	tap_int(trials_wanted(&queue, 16, false), 20, "at first each compiler has one to build");
	take(300 * MS, 1 * MS, 99 * MS);
	tap_int(trials_wanted(&queue, 16, false), 8, "a build of 3 results: 4 are built");
	take(9700 * MS, 0, 0);
	tap_int(trials_wanted(&queue, 16, false), 20, "one of 100: as many as there are compilers");
	trials_clear(&queue, NULL);
	take(0, 10 * MS, 10 * MS);
	tap_int(trials_wanted(&queue, 16, false), 5, "from the cache: what the worker is to have");
	trials_clear(&queue, NULL);
	tap_int(trials_wanted(&queue, 16, false), 20, "another problem begins anew");
	tap_int(trials_wanted(&queue, 1000, false), TRIALS_MAX, "never more than there are places");
}

static void test_by_turns(void)
{
	trials_clear(&queue, NULL);
	tap_int(trials_wanted(&queue, 2, true), 8, "a batch has two for each compiler");
	take(0, 10 * MS, 10 * MS);
	tap_int(trials_wanted(&queue, 2, true), 8, "whatever the times");
}

int main(void)
{
	test_beside();
	test_by_turns();
	return tap_done();
}
