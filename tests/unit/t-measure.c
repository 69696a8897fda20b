#include "tuner/run/measure.h"

#include "tests/tap.h"
#include "tuner/model/result.h"

/* Follows the rule with launches that take `launch_ns` each; returns how many were made. */
static int64_t follow(struct measure *m, int64_t launch_ns)
{
	int64_t made = 0, n;
	struct asc_err e;

	while ((n = measure_next(m)) > 0 && made < 100000) {
		if (measure_add(m, n * launch_ns, &e))
			return -1;
		made += n;
	}
	return made;
}

static void test_fast(void)
{
	struct measure m;
	struct result r;
	struct asc_err e;

	result_init(&r);
	measure_begin(&m, &rule_default, 90000);
	tap_int(follow(&m, 1000), 2 + 32 * 4, "1 us: 2 warm-ups, 32 samples of ceil(3.2) launches");
	tap_int(measure_end(&m, &r, &e), ASC_OK, "ends");
	tap_int(r.n_samples, 32, "32 samples");
	tap_int(r.launches_per_sample, 4,
		"of 4 launches: the warm-up's time counts, not the first");
	tap_int(r.samples[0], 1000, "a sample is the time of one launch");
	tap_real(r.time.median, 1000, 0, "median");
	tap_ok(m.samples == NULL, "the samples have moved");
	measure_fini(&m);
	result_fini(&r);
}

static void test_groups(void)
{
	static const struct {
		int64_t launch_ns, launches;
	} cases[] = {{1, 16},   {0, 16},   {200, 16}, {213, 16},   {214, 15},
		     {1600, 2}, {3199, 2}, {3200, 1}, {1000000, 1}};
	struct measure m;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		measure_begin(&m, &rule_default, 0);
		follow(&m, cases[i].launch_ns);
		tap_int(m.launches, cases[i].launches, "%lld ns a launch",
			(long long)cases[i].launch_ns);
		measure_fini(&m);
	}
}

static void test_slow(void)
{
	struct measure m;

	measure_begin(&m, &rule_default, 0);
	tap_int(follow(&m, 1000000000), 2 + 3, "1 s: no more than the least samples");
	measure_fini(&m);
	measure_begin(&m, &rule_default, 0);
	tap_int(follow(&m, 50000000), 2 + 5, "50 ms: until 250 ms are spent");
	measure_fini(&m);
}

static void test_fixed(void)
{
	struct rule r = rule_default;
	struct measure m;

	rule_fix_repeats(&r, 0, 5);
	measure_begin(&m, &r, 100);
	tap_int(follow(&m, 100), 5, "no warm-up, 5 repeats: 5 launches");
	measure_fini(&m);
	measure_begin(&m, &r, 100);
	tap_int(follow(&m, 1000000000), 5, "however long they take");
	measure_fini(&m);
	rule_fix_repeats(&r, 3, 200);
	measure_begin(&m, &r, 100);
	tap_int(follow(&m, 100), 203, "3 warm-ups and 200 repeats");
	tap_int(m.n_samples, 200, "are 200 samples");
	measure_fini(&m);
}

static void test_rounding(void)
{
	const struct rule r = {0, 1, 1, 0, 300, 1};
	struct measure m;
	struct asc_err e;

	measure_begin(&m, &r, 100);
	tap_int(measure_next(&m), 3, "3 launches without a warm-up: the first time counts");
	tap_int(measure_add(&m, 302, &e), ASC_OK, "added");
	tap_int(m.samples[0], 101, "302 / 3 is rounded");
	tap_int(measure_next(&m), 0, "enough");
	measure_fini(&m);
}

int main(void)
{
	test_fast();
	test_groups();
	test_slow();
	test_fixed();
	test_rounding();
	return tap_done();
}
