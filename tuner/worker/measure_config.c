#include "tuner/worker/measure_config.h"

#include <math.h>

#include "probes/probe.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/launch_context.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/stop.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

enum { FEW = 3 };                 /* samples of most configurations */
static const double TOO_LONG = 2; /* times the median */

struct attempt {
	struct launch_context *launch;  /* borrowed */
	const struct worker_race *race; /* borrowed */
	struct policy policy;
	struct incumbent best;
	struct measure measure;
	int64_t first_ns, first_note; /* time of the verification launch */
	int64_t checked; /* number of the sample that starts on poison and is verified; -1: done */
	int64_t checked_ns; /* time of a launch of that sample */
	int64_t last_ns;    /* time of a launch of the last sample */
};

/* Number of samples to take at once: as many as no rule decides between; the verified one alone. */
static int64_t count_ahead(const struct attempt *a)
{
	const struct measure *m = &a->measure;
	const int64_t n = measure_ahead(m), before = a->checked - (int64_t)m->n_samples;

	if (m->launches == 0 || before < 0)
		return n;
	return before == 0 ? 1 : before < n ? before : n;
}

static enum asc_status take_batch(struct attempt *a, int64_t launches, struct asc_err *e)
{
	struct launch_context *p = a->launch;
	struct measure *m = &a->measure;
	int64_t ns[MEASURE_MAX_AHEAD], note = 0;
	const size_t retaken = m->retaken;
	const struct device_batch batch = {.samples = launch_samples_at_once(p, count_ahead(a)),
					   .launches = launches};

	if (launch_sample(p, batch, ns, &note, e))
		return e->status;
	for (int64_t i = 0; i < batch.samples && p->result->status == RESULT_OK; i++)
		if (measure_add(m, ns[i], note, e))
			return e->status;
	a->last_ns = measure_per_launch(ns[0], launches);
	return m->retaken > retaken ? launch_cool(p, note, e) : ASC_OK;
}

/* Takes the verified sample, since a kernel may be right in its first launches only. */
static enum asc_status take_checked(struct attempt *a, int64_t launches, struct asc_err *e)
{
	if (worker_config_poison(a->launch->config, e) || take_batch(a, launches, e))
		return e->status;
	a->checked = -1;
	a->checked_ns = a->last_ns;
	return a->launch->result->status == RESULT_OK ? launch_verify_again(a->launch, e) : ASC_OK;
}

static enum asc_status take_samples(struct attempt *a, struct asc_err *e)
{
	struct launch_context *p = a->launch;
	struct measure *m = &a->measure;
	int64_t launches;

	while (p->result->status == RESULT_OK && (launches = measure_next(m)) > 0) {
		if (launch_is_over(p) && (m->n_samples > 0 || !a->race->needed)) {
			if (m->n_samples > 0 && !a->race->needed)
				measure_leave(m, "time was up");
			break;
		}
		const bool checked = m->launches > 0 && (int64_t)m->n_samples == a->checked;

		if (!p->again && worker_config_poison(p->config, e))
			return e->status;
		p->again = true;
		if (checked ? take_checked(a, launches, e) : take_batch(a, launches, e))
			return e->status;
	}
	return ASC_OK;
}

/* Verifies a configuration that may win on poison after its last launch; in the finals, where there
 * are any. */
static enum asc_status verify_last(struct attempt *a, struct asc_err *e)
{
	const bool as_left = a->measure.decision.verdict == STOP_SLOW || a->policy.finals.ratio > 0;

	return as_left ? launch_verify_again(a->launch, e) : launch_verify_later(a->launch, e);
}

static enum asc_status sample(struct attempt *a, struct asc_err *e)
{
	struct launch_context *p = a->launch;

	if (launch_enter(p, PHASE_MEASURE, e) || take_samples(a, e))
		return e->status;
	if (!p->again || p->result->status != RESULT_OK)
		return ASC_OK;
	if (a->measure.decision.verdict != STOP_SLOW && launch_sum_kernels(p, e))
		return e->status;
	return p->result->status == RESULT_OK ? verify_last(a, e) : ASC_OK;
}

/* True when slower than the best by no more than machines change. */
static bool needs_recheck(const struct attempt *a)
{
	const struct stop_decision *d = &a->measure.decision;

	return a->launch->result->status == RESULT_OK && d->verdict == STOP_SLOW &&
	       d->ratio <= a->policy.race.doubt_ratio;
}

/* Verifies a configuration that is kept after the check alone, since right outputs may be the
 * incumbent's. */
static enum asc_status recheck(struct attempt *a, struct asc_err *e)
{
	const size_t n = a->measure.n_samples;

	if (incumbent_check_recheck(a->race->incumbent, a->launch, &a->measure, e))
		return e->status;
	if (a->measure.n_samples == n || a->launch->result->status != RESULT_OK)
		return ASC_OK;
	return a->measure.decision.verdict == STOP_SLOW ? launch_verify_again(a->launch, e)
							: launch_verify_later(a->launch, e);
}

/* True when it took longer where its outputs were not there yet; with hot caches poison itself may
 * cause that. */
static bool depends_on_outputs(const struct attempt *a)
{
	const struct result *r = a->launch->result;

	return r->status == RESULT_OK && r->n_samples >= FEW && a->policy.cache == CACHE_COLD &&
	       (double)a->checked_ns > TOO_LONG * r->time.median;
}

/* Measures the ratio of a sample on poison to the next one. */
static enum asc_status compare_on_poison(struct launch_context *p, double *ratio, struct asc_err *e)
{
	const struct device_batch batch = {.samples = 1,
					   .launches = p->result->launches_per_sample};
	int64_t first, second, note, other;

	*ratio = 0;
	if (worker_config_poison(p->config, e) || launch_sample(p, batch, &first, &note, e))
		return e->status;
	if (p->result->status != RESULT_OK)
		return ASC_OK;
	if (launch_sample(p, batch, &second, &other, e))
		return e->status;
	if (p->result->status == RESULT_OK && second > 0)
		*ratio = (double)first / (double)second;
	return ASC_OK;
}

/* Checks a suspicious ratio by more pairs: other load hardly disturbs the first of each of eight.
 */
static enum asc_status check_dependence(struct attempt *a, struct asc_err *e)
{
	struct launch_context *p = a->launch;
	double ratio = 0, least = INFINITY;

	for (int i = 0; i < 8 && least > TOO_LONG && p->result->status == RESULT_OK; i++) {
		if (compare_on_poison(p, &ratio, e))
			return e->status;
		least = fmin(least, ratio);
	}
	if (least > TOO_LONG && p->result->status == RESULT_OK)
		result_set(p->result, RESULT_WRONG, PHASE_MEASURE,
			   "takes %.3g x as long when its outputs do not hold the right values yet",
			   least);
	return ASC_OK;
}

/* ---- counting ---- */

enum { LEAST_COUNTED = 8, MOST_COUNTED = 10000 };
static const double COUNTED_NS = 2e8;

/* Number of launches for probes: as many as last long enough for readings of power; --repeats may
 * ask for more. One only, where a second launch would find the outputs of the first. */
static int64_t count_launches(const struct attempt *a)
{
	const struct result *r = a->launch->result;
	double n = COUNTED_NS / fmax(r->time.median, 1);

	if (worker_problem_has_inout(a->launch->config->problem))
		return 1;
	n = fmin(fmax(n, LEAST_COUNTED), MOST_COUNTED);
	return (int64_t)fmax(n, (double)a->policy.sampling.min_samples);
}

/* Makes *launches launches, or as many as there is time for. */
static enum asc_status launch_counted(struct launch_context *p, int64_t *launches,
				      struct asc_err *e)
{
	int64_t made = 0, n;

	for (; made < *launches && p->result->status == RESULT_OK &&
	       (made == 0 || !launch_is_over(p));
	     made += n) {
		const int64_t left = *launches - made;

		n = launch_samples_at_once(p, left < MEASURE_MAX_AHEAD ? left : MEASURE_MAX_AHEAD);
		if (launch_untimed(p, n, e))
			return e->status;
	}
	*launches = made;
	return ASC_OK;
}

static enum asc_status end_probes(const struct worker_probe *probes, int64_t launches,
				  struct result *r, struct asc_err *e)
{
	for (; probes->ops; probes++)
		if (probes->ops->end(probes->probe, r, e) ||
		    result_add_metric(r, probes->ops->name, "launches", (double)launches, "1", e))
			return e->status;
	return ASC_OK;
}

/* Reads counters in launches of their own, which are not timed: flushes of the caches between timed
 * ones would be most of what they count. */
static enum asc_status count(struct attempt *a, struct asc_err *e)
{
	const struct worker_probe *probes = a->race->probes;
	struct launch_context *p = a->launch;
	int64_t launches = count_launches(a);

	if (launch_is_over(p))
		return ASC_OK;
	if (worker_problem_restore(p->config->problem, e) || launch_untimed(p, 1, e) ||
	    worker_problem_restore(p->config->problem, e))
		return e->status;
	for (const struct worker_probe *probe = probes; probe->ops; probe++)
		if (probe->ops->begin(probe->probe, e))
			return e->status;
	if (launch_counted(p, &launches, e))
		return e->status;
	return end_probes(probes, launches, p->result, e);
}

static enum asc_status measure(struct attempt *a, struct asc_err *e)
{
	struct measure *m = &a->measure;
	struct result *r = a->launch->result;
	int64_t start = clock_now_ns() - r->spent_ns[PHASE_VERIFY];

	a->best = *a->race->best;
	a->best.mhz = a->race->incumbent->mhz;
	enum asc_status s = measure_begin(m, &a->policy, &a->best, a->first_ns, a->first_note, e);
	if (!s)
		s = sample(a, e);
	if (!s && needs_recheck(a))
		s = recheck(a, e);
	if (!s)
		s = measure_end(m, r, e);
	if (!s && depends_on_outputs(a))
		s = check_dependence(a, e);
	if (!s && a->race->probes->ops && r->status == RESULT_OK)
		s = count(a, e);
	measure_fini(m);
	r->spent_ns[PHASE_MEASURE] = clock_now_ns() - start - r->spent_ns[PHASE_VERIFY];
	return s;
}

/* Adds facts of calls of vendor libraries, which launches have told by now. */
static enum asc_status add_vendor_facts(const struct worker_config *c, struct result *r,
					struct asc_err *e)
{
	struct vendor_kernel *calls[WORKLOAD_MAX_CALLS];

	for (size_t i = 0; i < c->sequence.n; i++)
		calls[i] = c->calls[i].vendor;
	return vendor_record_facts(calls, c->sequence.n, r, e);
}

enum asc_status worker_config_measure(struct worker_config *c, const struct worker_race *race,
				      struct result *result, struct asc_err *e)
{
	struct launch_context p = {.config = c,
				   .watch = race->watch,
				   .result = result,
				   .policy = race->policy,
				   .until_ns = race->until_ns};
	struct attempt a = {.launch = &p, .race = race, .policy = *race->policy};
	struct rng rng;

	rng_init(&rng, c->id); /* the same in every run */
	a.checked = (int64_t)rng_below(&rng, (uint64_t)(a.policy.sampling.max_samples < FEW
								? a.policy.sampling.max_samples
								: FEW));
	/* Takes samples of one launch, since a second one would find the outputs of the first. */
	if (worker_problem_has_inout(c->problem))
		a.policy.sampling.sample_ns = 0;
	result->status = RESULT_OK;
	result->spent_ns[PHASE_LOAD] = c->load_ns;
	if (launch_is_over(&p) && !race->needed)
		return ASC_OK;
	enum asc_status s = launch_verify(&p, &a.first_ns, e);

	a.first_note = p.note;
	if (!s && result->status == RESULT_OK)
		s = measure(&a, e);
	return s || result->n_samples == 0 ? s : add_vendor_facts(c, result, e);
}
