/* The measuring loop, on a device that is not there.
 * covers: sampling.c */
#include "tuner/worker/sampling.h"

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/result/result.h"

static const struct incumbent nobody;

static void begin(struct sampling *m, const struct policy *policy, int64_t first_ns)
{
	struct asc_err e;

	tap_int(sampling_begin(m, policy, &nobody, first_ns, 0, &e), ASC_OK, "begins");
}

/* The default without the stopping rule that makes equal samples enough at 8. */
static struct policy patient(void)
{
	struct policy r = policy_default;

	r.sampling.half_width = 0;
	return r;
}

/* Follows the policy with launches that take `launch_ns` each; returns how many were made. */
static int64_t follow(struct sampling *m, int64_t launch_ns)
{
	int64_t made = 0, n;
	struct asc_err e;

	while ((n = sampling_next(m)) > 0 && made < 100000) {
		if (sampling_add(m, n * launch_ns, 0, &e))
			return -1;
		made += n;
	}
	return made;
}

static void test_fast(void)
{
	const struct policy policy = patient();
	struct sampling m;
	struct result r;
	struct asc_err e;

	result_init(&r);
	begin(&m, &policy, 90000);
	tap_int(follow(&m, 1000), 2 + 32 * 4, "1 us: 2 warm-ups, 32 samples of ceil(3.2) launches");
	tap_int(sampling_end(&m, &r, &e), ASC_OK, "ends");
	tap_int(r.n_samples, 32, "32 samples");
	tap_int(r.launches_per_sample, 4,
		"of 4 launches: the warm-up's time counts, not the first");
	tap_int(r.samples[0], 1000, "a sample is the time of one launch");
	tap_real(r.time.median, 1000, 0, "median");
	tap_ok(m.samples == NULL, "the samples have moved");
	sampling_fini(&m);
	result_fini(&r);
}

static void test_groups(void)
{
	const struct policy policy = patient();
	static const struct {
		int64_t launch_ns, launches;
	} cases[] = {{1, 16},   {0, 16},   {200, 16}, {213, 16},   {214, 15},
		     {1600, 2}, {3199, 2}, {3200, 1}, {1000000, 1}};
	struct sampling m;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		begin(&m, &policy, 0);
		follow(&m, cases[i].launch_ns);
		tap_int(m.launches, cases[i].launches, "%lld ns a launch",
			(long long)cases[i].launch_ns);
		sampling_fini(&m);
	}
}

static void test_slow(void)
{
	const struct policy policy = patient();
	struct sampling m;

	begin(&m, &policy, 0);
	tap_int(follow(&m, 1000000000), 1 + 3, "1 s: one warm-up, no more than the least samples");
	sampling_fini(&m);
	begin(&m, &policy, 0);
	tap_int(follow(&m, 50000000), 1 + 5, "50 ms: one warm-up, until 250 ms are spent");
	sampling_fini(&m);
}

/* Batches are decided as single samples are: the same number of them. */
static int64_t follow_batches(struct sampling *m, int64_t launch_ns, int64_t *longest)
{
	int64_t samples = 0, launches;
	struct asc_err e;

	while ((launches = sampling_next(m)) > 0 && samples < 100000) {
		int64_t n = sampling_ahead(m);
		*longest = n > *longest ? n : *longest;
		for (int64_t i = 0; i < n; i++)
			if (sampling_add(m, launches * launch_ns, 0, &e))
				return -1;
		samples += n;
	}
	return samples;
}

static void test_ahead(void)
{
	const struct policy policy = patient();
	struct policy fixed = policy_default;
	static const struct {
		int64_t launch_ns, warmups, samples, longest;
	} cases[] = {{1000, 2, 32, 7},
		     {600000, 1, 32, 7}, /* its verification lasted as long, and both are enough */
		     {10000000, 0, 25, 7},
		     {50000000, 0, 5, 2},
		     {1000000000, 0, 3, 1}};
	struct sampling m;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t longest = 0;
		begin(&m, &policy, cases[i].launch_ns);
		tap_int(follow_batches(&m, cases[i].launch_ns, &longest),
			cases[i].warmups + cases[i].samples,
			"%lld ns a launch: as many as one by one", (long long)cases[i].launch_ns);
		tap_int(longest, cases[i].longest, "at most so many at once");
		tap_int(m.n_samples, cases[i].samples, "all of them count");
		sampling_fini(&m);
	}
	policy_fix_repeats(&fixed, 0, 200);
	begin(&m, &fixed, 1000);
	tap_int(sampling_next(&m), 1, "fixed repeats");
	tap_int(sampling_ahead(&m), SAMPLING_MAX_AHEAD,
		"are taken as many at once as there is room");
	sampling_fini(&m);
}

static void test_fixed(void)
{
	struct policy r = policy_default;
	struct sampling m;

	policy_fix_repeats(&r, 0, 5);
	begin(&m, &r, 100);
	tap_int(follow(&m, 100), 5, "no warm-up, 5 repeats: 5 launches");
	sampling_fini(&m);
	begin(&m, &r, 100);
	tap_int(follow(&m, 1000000000), 5, "however long they take");
	sampling_fini(&m);
	policy_fix_repeats(&r, 3, 200);
	begin(&m, &r, 100);
	tap_int(follow(&m, 100), 203, "3 warm-ups and 200 repeats");
	tap_int(m.n_samples, 200, "are 200 samples");
	sampling_fini(&m);
}

static void test_rounding(void)
{
	const struct policy r = {
		.sampling = {.min_samples = 1, .max_samples = 1, .sample_ns = 300}};
	struct sampling m;
	struct asc_err e;

	begin(&m, &r, 100);
	tap_int(sampling_next(&m), 3, "3 launches without a warm-up: the first time counts");
	tap_int(sampling_add(&m, 302, 0, &e), ASC_OK, "added");
	tap_int(m.samples[0], 101, "302 / 3 is rounded");
	tap_int(sampling_next(&m), 0, "enough");
	sampling_fini(&m);
}

/* Where times scatter little, two launches far beyond the best decide. */
static void test_second(const struct incumbent *incumbent)
{
	struct policy r = policy_default;
	struct sampling m;
	struct result out;
	struct asc_err e;

	policy_adapt_to_queue(&r);
	result_init(&out);
	tap_int(sampling_begin(&m, &r, incumbent, 1400000, 0, &e), ASC_OK, "1.4 times the best");
	tap_ok(sampling_next(&m) == 1 && sampling_ahead(&m) == 1, "one sample is looked at alone");
	tap_int(follow(&m, 1260000), 1, "and ends the race");
	tap_int(sampling_end(&m, &out, &e), ASC_OK, "ends");
	tap_str(out.reason, "the first two launches: 1.26 x the best", "says why");
	sampling_fini(&m);
	result_fini(&out);
	tap_int(sampling_begin(&m, &r, incumbent, 1400000, 0, &e), ASC_OK, "1.4 times the best");
	tap_int(follow(&m, 1000001), 8, "a first launch that was disturbed alone does not");
	sampling_fini(&m);
	tap_int(sampling_begin(&m, &r, incumbent, 1400000, RESULT_MARK_LOAD, &e), ASC_OK, "marked");
	tap_int(follow(&m, 1260000), 3, "nor does one known to be disturbed: the tests decide");
	sampling_fini(&m);
}

/* Without a race each has its samples: as many as alone. */
static void test_no_race(const struct incumbent *incumbent)
{
	struct policy policies[] = {policy_default, policy_default, policy_default};
	struct sampling m;
	struct result r;
	struct asc_err e;

	policy_adapt_to_queue(&policies[1]);
	policy_fix_repeats(&policies[2], -1, 8);
	for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
		policy_stop_racing(&policies[i]);
		result_init(&r);
		tap_int(sampling_begin(&m, &policies[i], incumbent, 9000000, 0, &e), ASC_OK,
			"9 times the best");
		(void)follow(&m, 9000000);
		tap_int(sampling_end(&m, &r, &e), ASC_OK, "without a race");
		tap_str(result_status_name(r.status), "ok", "is not slow");
		tap_int(r.n_samples, 8, "and has the samples that its interval takes");
		sampling_fini(&m);
		result_fini(&r);
	}
}

static void test_race(void)
{
	int64_t best[] = {1000000, 1000010, 999990, 1000020, 1000000, 1000005, 999995, 1000001};
	struct incumbent incumbent = {.samples = best, .n = 8, .median_ns = 1000000};
	struct sampling m;
	struct result r;
	struct asc_err e;

	test_second(&incumbent);
	test_no_race(&incumbent);
	result_init(&r);
	tap_int(sampling_begin(&m, &policy_default, &incumbent, 2200000, 0, &e), ASC_OK, "begins");
	tap_int(sampling_next(&m), 0, "a first launch far beyond the best ends the race");
	tap_int(sampling_end(&m, &r, &e), ASC_OK, "ends");
	tap_str(result_status_name(r.status), "slow", "as slow");
	tap_str(r.reason, "the first launch: 2.2 x the best", "says why");
	tap_int(r.n_samples, 1, "and keeps that launch");
	sampling_fini(&m);
	result_fini(&r);
	tap_int(sampling_begin(&m, &policy_default, &incumbent, 2050000, 0, &e), ASC_OK,
		"a first launch that may just have paid for being first");
	tap_int(follow(&m, 1300000), 3, "three samples above all of the best");
	tap_int(sampling_end(&m, &r, &e), ASC_OK, "ends");
	tap_str(r.reason, "p < 0.01 after 3 samples: 1.3 x the best", "decide the race");
	sampling_fini(&m);
	result_fini(&r);
	tap_int(sampling_begin(&m, &policy_default, &incumbent, 1000000, 0, &e), ASC_OK,
		"an equal");
	tap_int(follow(&m, 1000001), 8, "is sampled until the interval is narrow");
	sampling_fini(&m);
}

static void test_retaken(void)
{
	struct policy policy = patient();
	struct sampling m;
	struct result r;
	struct asc_err e;
	int64_t n, made = 0;

	policy.sampling.warmup = 0;
	result_init(&r);
	begin(&m, &policy, 0);
	for (; (n = sampling_next(&m)) > 0 && made < 1000; made++)
		sampling_add(&m, 5000, RESULT_MARK_LOAD | 2400 << RESULT_MHZ_SHIFT, &e);
	tap_int(made, 32 + 8, "all are marked: a quarter more is taken");
	tap_int(sampling_end(&m, &r, &e), ASC_OK, "ends");
	tap_int(r.retaken, 8, "said");
	tap_int(result_marked(&r), 32, "and the rest kept and marked");
	tap_int(r.notes[31] >> RESULT_MHZ_SHIFT, 2400, "with the clock");
	sampling_fini(&m);
	result_fini(&r);
}

/* A machine that disturbs `part` of the samples, each by up to 3 times its time. Returns samples
 * taken. */
static int64_t measure_disturbed(struct rng *rng, double part, int64_t truth_ns,
				 const struct incumbent *best, enum result_status *status)
{
	struct policy policy = policy_default;
	struct sampling m;
	struct result r;
	struct asc_err e;
	int64_t n, made = 0;

	policy.sampling.warmup = 0;
	result_init(&r);
	sampling_begin(&m, &policy, best, 3 * truth_ns, RESULT_MARK_LOAD, &e);
	for (; (n = sampling_next(&m)) > 0 && made < 1000; made++) {
		bool marked = rng_uniform(rng) < part;
		double ns = (double)truth_ns * (1 + 0.01 * rng_normal(rng));

		if (marked)
			ns *= 1 + 2 * rng_uniform(rng);
		sampling_add(&m, (int64_t)ns * n, marked ? RESULT_MARK_LOAD : 0, &e);
	}
	sampling_end(&m, &r, &e);
	*status = r.status;
	sampling_fini(&m);
	result_fini(&r);
	return made;
}

static void test_disturbed(void)
{
	enum { SEEDS = 200 };
	static const double parts[] = {0.5, 0.8};
	int64_t samples[32];
	struct incumbent best = {0};
	struct rng rng;
	struct asc_err e;

	rng_init(&rng, 1);
	for (int i = 0; i < 32; i++)
		samples[i] = (int64_t)(1e6 * (1 + 0.01 * rng_normal(&rng)));
	incumbent_set(&best, samples, 32, &e);
	for (size_t p = 0; p < 2; p++) {
		int64_t most = 0, slow = 0, good = 0, worse = 0;

		for (int i = 0; i < SEEDS; i++) {
			enum result_status status;
			int64_t made = measure_disturbed(&rng, parts[p], 3000000, &best, &status);

			most = made > most ? made : most;
			slow += status == RESULT_SLOW;
			measure_disturbed(&rng, parts[p], 1000000, &best, &status);
			good += status != RESULT_SLOW;
			measure_disturbed(&rng, parts[p], 1400000, &best, &status);
			worse += status == RESULT_OK;
		}
		tap_int(slow, SEEDS, "%g disturbed: one that takes 3 times as long is dropped",
			parts[p]);
		tap_ok(most <= 8, "after at most %lld samples", (long long)most);
		tap_ok(good >= 0.97 * SEEDS, "an equal one is not: %lld of %d", (long long)good,
		       SEEDS);
		tap_ok(worse <= 0.02 * SEEDS, "one that takes 1.4 times as long is not ok: %lld",
		       (long long)worse);
	}
	incumbent_fini(&best);
}

int main(void)
{
	test_disturbed();
	test_race();
	test_retaken();
	test_fast();
	test_groups();
	test_slow();
	test_ahead();
	test_fixed();
	test_rounding();
	return tap_done();
}
