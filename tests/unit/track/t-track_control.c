/* The baseline as a control: whether a kernel's change is the machine's. Series are made here, so
 * what is expected is arithmetic.
 * covers: track_control.c */
#include "reports/track/track_control.h"

#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { NIGHTS = 40, CHANGE = 36 };

static struct asc_err e;

struct pair {
	double values[2][NIGHTS];
	struct track_point points[2][NIGHTS];
	struct track_series kernel, baseline;
};

/* Kernel and baseline of 1000 and 2000 ns with common noise of 1 % and own noise of 0.2 %, which
 * change by these factors. */
static void init(struct pair *p, double kernel, double baseline)
{
	const double factors[2] = {kernel, baseline};
	struct rng rng;

	rng_init(&rng, 5);
	for (size_t i = 0; i < NIGHTS; i++) {
		const double common = 1 + 0.01 * rng_normal(&rng);

		for (size_t k = 0; k < 2; k++) {
			p->values[k][i] = 1000 * (double)(k + 1) * common *
					  (1 + 0.002 * rng_normal(&rng)) *
					  (i < CHANGE ? 1 : factors[k]);
			p->points[k][i] = (struct track_point){.run_id = (int64_t)i + 1,
							       .started_ms = (int64_t)i * 86400000};
		}
	}
	p->kernel = (struct track_series){.values = p->values[0],
					  .points = p->points[0],
					  .n = NIGHTS,
					  .changed = true,
					  .index = CHANGE,
					  .before = 1000,
					  .after = 1000 * kernel};
	p->baseline =
		(struct track_series){.values = p->values[1], .points = p->points[1], .n = NIGHTS};
}

static struct track_control find(struct pair *p)
{
	struct track_control c;

	tap_int(track_control_find(&p->kernel, &p->baseline, &c, &e), ASC_OK, "a control");
	return c;
}

static void test_shared(void)
{
	struct pair p;

	init(&p, 1.12, 1.12);
	struct track_control c = find(&p);

	tap_ok(c.known && c.shared, "both 12 %% slower: the machine");
	tap_real(c.baseline_pct, 12, 1.5, "the baseline's change");
	tap_real(c.ratio_pct, 0, 0.5, "their ratio did not change");
	tap_ok(c.ratio_low_pct < 0 && c.ratio_high_pct > 0, "nor does its interval exclude that");
	init(&p, 0.9, 0.9);
	tap_ok(find(&p).shared, "both faster: the machine");
}

static void test_own(void)
{
	struct pair p;

	init(&p, 1.12, 1);
	struct track_control c = find(&p);

	tap_ok(c.known && !c.shared, "the kernel alone is slower");
	tap_real(c.ratio_pct, 12, 0.5, "so is their ratio");
	init(&p, 1.12, 1.04);
	tap_ok(!find(&p).shared, "a third of the change is the baseline's: not the machine alone");
	init(&p, 1.12, 0.9);
	tap_ok(!find(&p).shared, "the other way round: not the machine");
}

/* A night a hundred times as slow, of either, long ago, neither widens the interval until it holds
 * everything nor hides what both did. */
static void test_bad_night(void)
{
	for (size_t k = 0; k < 2; k++) {
		struct pair p;

		init(&p, 1.12, 1.07);
		p.values[k][20] *= 100;
		struct track_control c = find(&p);

		tap_ok(c.known && !c.shared, "%s: the kernel's own part is seen",
		       k ? "a bad night of the baseline" : "a bad night of the kernel");
		tap_real(c.ratio_pct, 4.7, 0.5, "as large as it is");
		tap_real(c.baseline_pct, 7, 1.5, "and the baseline's");
		init(&p, 1.12, 1.12);
		p.values[k][20] *= 100;
		tap_ok(find(&p).shared, "nor is what both did hidden");
	}
}

/* Kernel and baseline that drift by these parts over all nights. */
static struct track_control find_drift(struct pair *p, double kernel, double baseline)
{
	init(p, 1, 1);
	for (size_t i = 0; i < NIGHTS; i++) {
		p->values[0][i] *= 1 + kernel * (double)i / (NIGHTS - 1);
		p->values[1][i] *= 1 + baseline * (double)i / (NIGHTS - 1);
	}
	p->kernel.changed = false;
	p->kernel.verdict = TRACK_DRIFTING;
	return find(p);
}

static void test_drift(void)
{
	struct pair p;
	struct track_control c = find_drift(&p, 0.06, 0.06);

	tap_ok(c.known && c.shared, "both drift by 6 %%: the machine");
	tap_real(c.baseline_pct, 6, 1.5, "the baseline's drift over all nights");
	tap_real(c.ratio_pct, 0, 0.3, "their ratio does not drift");
	c = find_drift(&p, 0.06, 0);
	tap_ok(c.known && !c.shared, "the kernel alone drifts");
	tap_real(c.ratio_pct, 6, 0.5, "so does their ratio");
	tap_ok(c.ratio_low_pct < 6 && 6 < c.ratio_high_pct, "within its interval");
	tap_ok(!find_drift(&p, 0.06, 0.02).shared, "a third of the drift is the baseline's");
	tap_ok(!find_drift(&p, 0.06, -0.06).shared, "the other way round");
}

/* A metric that got worse with a time that is the machine's is the machine's, unless something
 * recorded explains it. */
static void test_metrics(void)
{
	struct pair p;
	struct track_series list[4];
	struct track_history h = {.list = list, .n = 2, .n_all = 4};

	init(&p, 1.12, 1.12);
	list[0] = p.kernel;
	list[1] = p.baseline;
	for (size_t k = 0; k < 2; k++) {
		list[k].device = list[k].workload = list[k].problem = list[k].cache = "";
		list[k].implementation = k ? "library" : "kernel";
		list[k].baseline_names = "library";
		list[k].verdict = k ? TRACK_UNCHANGED : TRACK_REGRESSION;
		list[2 + k] = (struct track_series){.times = 0};
	}
	list[0].cause = list[2].cause = TRACK_CAUSE_SLOWER;
	list[3].cause = TRACK_CAUSE_CODE;
	tap_int(track_control_find_all(&h, &e), ASC_OK, "controls");
	tap_ok(list[0].by_machine && list[1].is_baseline && list[0].baseline == &list[1], "a time");
	tap_ok(list[2].by_machine, "its metric");
	tap_ok(!list[3].by_machine, "a metric with a cause of its own");
	h = (struct track_history){.list = &list[1], .n = 1, .n_all = 1};
	tap_int(track_control_find_all(&h, &e), ASC_OK, "a baseline alone");
	tap_ok(!list[1].is_baseline, "is one of nothing, and counted");
}

/* Two baselines: the first is the control, the second is no more counted than it; without the first
 * the second takes its place. */
static void test_several(void)
{
	static const char *const names[] = {"compiled", "eager", "kernel"};
	struct pair p;
	struct track_series list[3];
	struct track_history h = {.list = list, .n = 3, .n_all = 3};

	init(&p, 1.12, 1.12);
	for (size_t k = 0; k < 3; k++) {
		list[k] = k < 2 ? p.baseline : p.kernel;
		list[k].device = list[k].workload = list[k].problem = list[k].cache = "";
		list[k].implementation = names[k];
		list[k].baseline_names = "eager,compiled";
		list[k].verdict = k < 2 ? TRACK_UNCHANGED : TRACK_REGRESSION;
	}
	tap_int(track_control_find_all(&h, &e), ASC_OK, "two baselines");
	tap_ok(list[2].baseline == &list[1], "the first that is named is the control");
	tap_ok(list[0].is_baseline && list[1].is_baseline && !list[2].is_baseline, "both are one");
	tap_ok(!list[0].baseline && !list[1].baseline, "and have none");
	list[1] = list[2];
	list[1].baseline = NULL;
	h.n = h.n_all = 2;
	tap_int(track_control_find_all(&h, &e), ASC_OK, "the second alone");
	tap_ok(list[1].baseline == &list[0] && list[0].is_baseline, "is the control");
	h.n = h.n_all = 1;
	tap_int(track_control_find_all(&h, &e), ASC_OK, "without a kernel");
	tap_ok(!list[0].is_baseline, "it is counted");
}

static void test_unknown(void)
{
	struct pair p;

	init(&p, 1.12, 1.12);
	p.baseline.n = CHANGE;
	tap_ok(!find(&p).known, "a baseline that was not measured behind the change is no control");
	init(&p, 1.12, 1.12);
	for (size_t i = 2; i < CHANGE; i++)
		p.points[1][i].run_id += 1000;
	tap_ok(!find(&p).known, "nor is one of two nights before it");
}

/* Changes of logarithms: kernel, baseline, bounds of their ratio. */
static void test_rule(void)
{
	static const struct {
		double kernel, baseline, low, high;
		bool shared;
		const char *what;
	} cases[] = {
		{0.1, 0.1, -0.01, 0.01, true, "both alike"},
		{-0.1, -0.1, -0.01, 0.01, true, "both faster"},
		{0.1, 0.051, -0.01, 0.1, true, "half of the change, a wide interval"},
		{0.1, 0.049, -0.01, 0.1, false, "less than half of the change"},
		{0.1, -0.1, -0.5, 0.5, false, "the other way round"},
		{0.1, 0.08, 0.015, 0.025, false, "a ratio that changed"},
		{0.1, 0.12, -0.025, -0.015, false, "a ratio that changed downwards"},
		{0.1, 0.092, 0.007, 0.009, true, "a ratio that changed by less than 1 %"},
		{0.1, 0.108, -0.009, -0.007, true, "the same downwards"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		tap_int(track_control_is_shared(cases[i].kernel, cases[i].baseline, cases[i].low,
						cases[i].high),
			cases[i].shared, "%s", cases[i].what);
}

int main(void)
{
	test_rule();
	test_shared();
	test_own();
	test_bad_night();
	test_drift();
	test_metrics();
	test_several();
	test_unknown();
	return tap_done();
}
