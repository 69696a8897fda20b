/* The stopping rules one by one, on samples that are written down here.
 * covers: sampling.c */
#include "tuner/worker/sampling.h"

#include <string.h>

#include "tests/tap.h"
#include "tuner/result/result.h"

static int64_t tight[] = {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007};
static int64_t far[] = {1200, 1210, 1220};
static int64_t loose[] = {1000, 1030, 1060, 1090, 1120, 1150, 1180, 1210};

static const struct stop_ops *find(const char *name)
{
	size_t i = 0;

	while (stop_list[i] && strcmp(stop_list[i]->name, name) != 0)
		i++;
	return stop_list[i];
}

static enum stop_verdict ask(const char *name, int64_t *samples, size_t n, int64_t spent_ns,
			     const struct incumbent *best)
{
	const struct sampling s = {.policy = &policy_default,
				   .samples = samples,
				   .n_samples = n,
				   .spent_ns = spent_ns,
				   .best = best};
	struct stop_decision d = {.verdict = STOP_NOT_YET};
	struct asc_err e;

	tap_int(find(name)->check(&s, &d, &e), ASC_OK, "%s after %zu", name, n);
	return d.verdict;
}

static void test_limit(void)
{
	const struct incumbent nobody = {0};
	int64_t many[32] = {0};

	tap_int(ask("limit", many, 31, 1000, &nobody), STOP_NOT_YET, "31 samples: not yet");
	tap_int(ask("limit", many, 32, 1000, &nobody), STOP_ENOUGH, "32: enough");
	tap_int(ask("limit", many, 3, 250000000, &nobody), STOP_ENOUGH, "a quarter of a second");
	tap_int(ask("limit", many, 2, 900000000, &nobody), STOP_NOT_YET, "but for at least 3");
}

static void test_interval(void)
{
	const struct incumbent nobody = {0};

	tap_int(ask("interval", tight, 8, 0, &nobody), STOP_ENOUGH, "0.35 %% to each side");
	tap_int(ask("interval", loose, 8, 0, &nobody), STOP_NOT_YET, "10 %%");
	tap_int(ask("interval", tight, 5, 0, &nobody), STOP_NOT_YET, "fewer than 8 samples");
	tap_int(ask("interval", tight, 7, 0, &nobody), STOP_NOT_YET, "not at a check");
}

static void test_race(void)
{
	struct incumbent nobody = {0}, best = {0};
	struct stop_decision d;
	struct asc_err e;

	tap_int(incumbent_set(&best, tight, 8, &e), ASC_OK, "a best one");
	tap_real(best.median_ns, 1003.5, 0, "its median");
	tap_int(ask("race", far, 3, 0, &best), STOP_SLOW, "3 above 8 and 20 %%: slow");
	tap_int(ask("race", loose + 2, 3, 0, &best), STOP_ENOUGH, "9 %%: left to the finals");
	/* 2 above all 8: p = 1 / (10 choose 2) = 0.022, between p_slow and p_near. */
	tap_int(ask("race", loose + 2, 2, 0, &best), STOP_ENOUGH,
		"6 %%, p = 0.022: near ones go by p_near");
	tap_int(ask("race", far, 2, 0, &best), STOP_NOT_YET, "20 %%, p = 0.022: others by p_slow");
	tap_int(ask("race", loose + 2, 3, 0, &nobody), STOP_NOT_YET, "nobody to race against");
	tap_int(ask("race", loose + 2, 4, 0, &best), STOP_NOT_YET, "not at a check");
	tap_int(ask("race", tight, 8, 0, &best), STOP_NOT_YET, "the same: not slow");
	stop_check_first(&policy_default, &best, 200000, &d);
	tap_int(d.verdict, STOP_SLOW, "a first launch beyond twice the best and 100 us");
	tap_str(d.reason, "the first launch: 199 x the best", "says how far");
	stop_check_first(&policy_default, &best, 102000, &d);
	tap_int(d.verdict, STOP_NOT_YET, "within them");
	stop_check_first(&policy_default, &nobody, 200000, &d);
	tap_int(d.verdict, STOP_NOT_YET, "nobody to compare with");
	incumbent_fini(&best);
	tap_ok(best.n == 0 && !best.samples, "nobody again");
}

/* What other load has slowed down says nothing of the configuration. */
static void test_marked(void)
{
	int64_t notes[] = {0, RESULT_MARK_LOAD, 0, RESULT_MARK_LOAD, RESULT_MARK_LOAD};
	int64_t samples[] = {1208, 5000, 1209, 6000, 7000};
	struct incumbent best = {0};
	struct stop_decision d;
	struct asc_err e;

	tap_int(incumbent_set(&best, tight, 8, &e), ASC_OK, "a best one");
	struct sampling s = {.policy = &policy_default,
			     .samples = samples,
			     .notes = notes,
			     .n_samples = 5,
			     .best = &best};
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_NOT_YET, "marked samples do not decide the race");
	s.notes = NULL;
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_SLOW, "without marks they do");
	incumbent_fini(&best);
}

/* 1720 MHz instead of 1980: what takes 1.2 times as long takes 1.04 times as many cycles. */
static void test_clock(void)
{
	const int64_t capped = 1720 << RESULT_MHZ_SHIFT | RESULT_POWER_CAPPED;
	const int64_t low = 1720 << RESULT_MHZ_SHIFT;
	int64_t notes[] = {capped, capped, capped};
	struct incumbent best = {0};
	struct stop_decision d = {.verdict = STOP_NOT_YET};
	struct asc_err e;

	tap_int(incumbent_set(&best, tight, 8, &e), ASC_OK, "a best one");
	struct sampling s = {.policy = &policy_default,
			     .samples = far,
			     .notes = notes,
			     .n_samples = 3,
			     .best = &best,
			     .best_mhz = 1980};
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_ENOUGH, "slower by its clock: left to the finals");
	s.best_mhz = 0;
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_SLOW, "where the incumbent's is not known, time counts");
	s.best_mhz = 1720;
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_SLOW, "at the same clock as well");
	s.best_mhz = 1980;
	notes[0] = notes[1] = notes[2] = low;
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_SLOW, "and when power did not set it");
	incumbent_fini(&best);
}

/* What is disturbed is only longer: the fastest says something all the same. */
static void test_fastest(void)
{
	struct incumbent best = {0};
	struct stop_decision d;
	struct asc_err e;

	tap_int(incumbent_set(&best, tight, 8, &e), ASC_OK, "a best one");
	struct sampling s = {.policy = &policy_default, .best = &best};
	const struct {
		int64_t taken, fastest_ns;
		enum stop_verdict verdict;
	} cases[] = {
		{4, 3000, STOP_NOT_YET},  {5, 2100, STOP_SLOW},  {5, 1900, STOP_NOT_YET},
		{19, 1200, STOP_NOT_YET}, {20, 1200, STOP_SLOW}, {20, 1100, STOP_NOT_YET},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		d = (struct stop_decision){.verdict = STOP_NOT_YET};
		s.retaken = (size_t)cases[i].taken;
		s.fastest_ns = cases[i].fastest_ns;
		stop_check_fastest(&s, &d);
		tap_int(d.verdict, cases[i].verdict, "the fastest of %lld takes %lld",
			(long long)cases[i].taken, (long long)s.fastest_ns);
	}
	incumbent_fini(&best);
}

static void test_undecided(void)
{
	int64_t samples[32], notes[32];
	struct incumbent best = {0};
	struct stop_decision d;
	struct asc_err e;

	tap_int(incumbent_set(&best, tight, 8, &e), ASC_OK, "a best one");
	for (int i = 0; i < 32; i++) {
		samples[i] = 1050 + i;
		notes[i] = i % 4 ? RESULT_MARK_LOAD : 0;
	}
	struct sampling s = {.policy = &policy_default,
			     .samples = samples,
			     .notes = notes,
			     .n_samples = 32,
			     .best = &best};
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_UNDECIDED, "24 of 32 disturbed, and not faster: %s", d.reason);
	for (int i = 0; i < 32; i++)
		samples[i] -= 100;
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_ENOUGH, "faster in spite of that");
	for (int i = 0; i < 32; i++) {
		samples[i] += 100;
		notes[i] = i % 2 ? RESULT_MARK_LOAD : 0;
	}
	tap_int(stop_check(&s, &d, &e), ASC_OK, "checked");
	tap_int(d.verdict, STOP_ENOUGH, "half of them is what it was measured by");
	incumbent_fini(&best);
}

/* Others race against what was not disturbed, where that is known. */
static void test_incumbent(void)
{
	int64_t samples[] = {1000, 4000, 1010, 3000, 1020, 5000},
		notes[] = {0, RESULT_MARK_LOAD, 0, RESULT_MARK_LOAD, 0, RESULT_MARK_LOAD};
	const struct result r = {.samples = samples, .notes = notes, .n_samples = 6};
	struct incumbent best = {0};
	struct asc_err e;

	tap_int(incumbent_set_result(&best, &r, &e), ASC_OK, "a best one");
	tap_ok(best.n == 3 && best.median_ns == 1010, "three samples without marks");
	notes[0] = RESULT_MARK_LOAD;
	tap_int(incumbent_set_result(&best, &r, &e), ASC_OK, "two of them");
	tap_ok(best.n == 6, "are too few: all count");
	incumbent_fini(&best);
}

int main(void)
{
	test_fastest();
	test_undecided();
	test_incumbent();
	test_clock();
	test_marked();
	test_limit();
	test_interval();
	test_race();
	return tap_done();
}
