/* How often verdicts on two sides are wrong, by an evaluator that is a model of a machine: samples
 * scatter within a process, and ratios from process to process. Limits are those of a gate on a
 * machine of its own, and beside busy loops (docs/gate.md).
 * covers: measure_again.c confirmation.c */
#include "tuner/tune/measure_again.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/device/device.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

enum { ROUNDS = 64, GATES = 200 };
static const double LAUNCH_NS = 1e5;

/* Scatter, as parts of a time: normal, but for one in so many that is `far`. */
struct scatter {
	double part, far;
	uint64_t one_in; /* 0: none */
};

struct machine {
	const char *name;
	struct scatter rounds, processes;
};

struct evaluator {
	struct trial *done[CONFIRMATION_SIDES];
	size_t n;
};

static struct evaluator one;
static struct rng rng;
static const struct machine *machine;
static double slower; /* time of the second side beside the first */

/* ---- the machine ---- */

static double draw(const struct scatter *s)
{
	const bool far = s->one_in > 0 && rng_below(&rng, s->one_in) == 0;

	return exp((far ? s->far : s->part) * rng_normal(&rng));
}

static enum asc_status open_one(const struct evaluator_target *t, struct evaluator **out,
				struct asc_err *e)
{
	(void)t, (void)e;
	*out = &one;
	return ASC_OK;
}

static enum asc_status begin(struct evaluator *v, const struct evaluator_problem *p,
			     struct asc_err *e)
{
	(void)p, (void)e;
	v->n = 0;
	return ASC_OK;
}

static void end(struct evaluator *v)
{
	v->n = 0;
}

static enum asc_status submit(struct evaluator *v, struct trial *const *list, size_t n,
			      struct asc_err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct result *r = &list[i]->result;
		const double place_ns =
			LAUNCH_NS * (list[i]->id == 1 ? slower : 1) * draw(&machine->processes);

		result_init(r);
		r->status = RESULT_OK;
		r->launches_per_sample = 1;
		r->samples = calloc(ROUNDS, sizeof *r->samples);
		r->notes = calloc(ROUNDS, sizeof *r->notes);
		if (!r->samples || !r->notes)
			return asc_err_nomem(e);
		for (; r->n_samples < ROUNDS; r->n_samples++)
			r->samples[r->n_samples] = (int64_t)(place_ns * draw(&machine->rounds));
		if (result_summarize(r, e))
			return e->status;
		v->done[v->n++] = list[i];
	}
	return ASC_OK;
}

static enum asc_status poll_one(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				struct asc_err *e)
{
	(void)timeout_ns, (void)e;
	*out = v->n > 0 ? v->done[--v->n] : NULL;
	return ASC_OK;
}

static const struct evaluator_ops ops = {.name = "machine",
					 .open = open_one,
					 .begin = begin,
					 .end = end,
					 .close = end,
					 .submit = submit,
					 .poll = poll_one};

/* ---- gates ---- */

struct counts {
	int of[CONFIRMATION_BROKEN + 1];
	size_t processes; /* of all */
};

static struct counts count(const struct machine *m, double plus, struct workload *w,
			   const struct device_info *info)
{
	const struct evaluator_target target = {
		.device = device_find("cpu"), .place = "", .info = info};
	struct counts c = {0};
	struct session s;
	struct asc_err e;

	machine = m;
	slower = 1 + plus;
	session_init(&s, &ops, &target, &policy_default);
	for (int i = 0; i < GATES; i++) {
		struct again_pair p = {.workload = w, .problem = "small"};

		for (size_t k = 0; k < CONFIRMATION_SIDES; k++)
			p.sides[k] =
				(struct again_side){.what = "",
						    .implementation = "loop",
						    .config_key = "BLOCK=64,THREADS=1,UNROLL=1"};
		if (measure_again_one(&(struct again_options){.session = &s,
							      .most = CONFIRMATION_MOST,
							      .margin = TIE_MARGIN,
							      .early = true},
				      &p, &e) ||
		    *p.found.reason) {
			tap_ok(false, "%s: %s%s", m->name, e.text, p.found.reason);
			break;
		}
		const struct confirmation_ratio r = confirmation_find_all(&p.found);

		c.of[confirmation_judge(&p.found, &r, TIE_MARGIN, CONFIRMATION_SAME_BELOW)]++;
		c.processes += p.found.n;
	}
	session_fini(&s);
	tap_note("%s, %+.1f %%: %d slower, %d same, %d faster, %d undecided, %.2f processes",
		 m->name, 100 * plus, c.of[CONFIRMATION_SLOWER], c.of[CONFIRMATION_SAME],
		 c.of[CONFIRMATION_FASTER], c.of[CONFIRMATION_UNDECIDED],
		 (double)c.processes / GATES);
	return c;
}

int main(void)
{
	/* A GPU of one's own: medians of processes within 0.1 or 0.2 %. */
	static const struct machine gpu = {"a quiet machine", {0.004, 0.02, 50}, {0.001, 0, 0}};
	static const struct machine other = {
		"a machine less quiet", {0.006, 0.02, 20}, {0.0014, 0, 0}};
	/* Two processors beside two busy loops: most processes agree within a percent, some are far
	 * off. */
	static const struct machine busy = {"a busy machine", {0.03, 0.3, 8}, {0.004, 0.03, 20}};
	/* One that scatters so far that nothing is found. */
	static const struct machine wild = {"a wild machine", {0.1, 0.5, 4}, {0.03, 0.1, 10}};
	/* A GPU's kernels of 2 us: where their code lies changes a process by some percent. */
	static const struct machine placed = {
		"kernels of 2 us", {0.01, 0.03, 20}, {0.004, 0.05, 3}};
	const char *path = TEST_DATA "/cli/workloads/axpy.json";
	struct device_info info;
	struct workload *w;
	struct asc_err e;
	struct counts c;

	rng_init(&rng, 1);
	if (device_find("cpu")->inspect("", &info, &e) || workload_open(path, &w, &e)) {
		tap_ok(false, "%s", e.text);
		return tap_done();
	}
	c = count(&gpu, 0, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] == 0 && c.of[CONFIRMATION_SAME] == GATES, "equal code");
	tap_ok(c.processes <= 3 * GATES + GATES / 50, "by three processes");
	c = count(&gpu, 0.01, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] >= 80 * GATES / 100, "+1 %% in 80 of 100");
	c = count(&gpu, 0.02, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] >= 99 * GATES / 100, "+2 %% in 99 of 100");
	c = count(&gpu, TIE_MARGIN + 0.001, w, &info);
	tap_ok(c.processes <= 11 * GATES / 2, "of a ratio about the margin, by five processes");
	c = count(&other, 0, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] <= GATES / 200, "equal code");
	c = count(&other, 0.01, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] >= 80 * GATES / 100, "+1 %% in 80 of 100");
	c = count(&other, 0.02, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] >= 99 * GATES / 100, "+2 %% in 99 of 100");
	c = count(&busy, 0, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] <= GATES / 100, "equal code");
	c = count(&busy, 0.05, w, &info);
	tap_ok(c.of[CONFIRMATION_UNDECIDED] <= GATES / 5 && c.of[CONFIRMATION_SAME] == 0 &&
		       c.of[CONFIRMATION_FASTER] == 0,
	       "+5 %% is found or undecided");
	c = count(&wild, 0, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] <= GATES / 100, "equal code");
	c = count(&wild, 0.05, w, &info);
	tap_ok(c.of[CONFIRMATION_SAME] + c.of[CONFIRMATION_FASTER] <= GATES / 100,
	       "+5 %% is not called the same");
	c = count(&placed, 0, w, &info);
	tap_ok(c.of[CONFIRMATION_SLOWER] <= GATES / 100, "equal code");
	tap_ok(c.processes <= 5 * GATES, "by no more than five processes");
	c = count(&placed, 0.05, w, &info);
	tap_ok(c.of[CONFIRMATION_SAME] + c.of[CONFIRMATION_FASTER] <= GATES / 100,
	       "+5 %% is not called the same");
	workload_close(w);
	return tap_done();
}
