#include "tuner/worker/measure_config.h"

#include <math.h>

#include "probes/probe.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/own_answer.h"
#include "tuner/worker/unseen_inputs.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

enum { FEW = 3 /* samples of most configurations: one of these is verified */ };

/* Ratio of a sample on poison to the median beyond which its outputs are suspected to matter. */
static const double TOO_LONG = 2;

/* ---- counters ---- */

/* Launches for probes: as many as last COUNTED_NS, long enough for a few readings of power, but
 * enough for an average of short kernels' counters, and no more than counters hold. */
enum { LEAST_COUNTED = 8, MOST_COUNTED = 10000 };
static const double COUNTED_NS = 2e8;

/* Reads counters in launches of their own, which are not timed: flushes of the caches between timed
 * ones would be most of what they count. --repeats may ask for more launches; inout tensors allow
 * only one, since a second launch would find the outputs of the first. */
static enum asc_status count(struct measurement *m, struct asc_err *e)
{
	const struct worker_probe *probes = m->race->probes; /* all of them enclose launches */
	struct worker_problem *problem = m->config->problem;
	const double n = COUNTED_NS / fmax(m->result->time.median, 1);
	int64_t wanted = (int64_t)fmax(fmin(fmax(n, LEAST_COUNTED), MOST_COUNTED),
				       (double)m->race->policy.sampling.min_samples);
	int64_t made = 0;

	if (worker_problem_has_inout(problem))
		wanted = 1;
	if (measurement_is_over(m))
		return ASC_OK;
	/* Caches, too, are those of the launch before. */
	if (worker_problem_restore(problem, e) || launch_untimed(m, 1, e) ||
	    worker_problem_restore(problem, e))
		return e->status;
	for (const struct worker_probe *p = probes; p->ops; p++)
		if (p->ops->begin(p->probe, e))
			return e->status;
	while (made < wanted && m->result->status == RESULT_OK &&
	       (made == 0 || !measurement_is_over(m))) {
		const int64_t left = wanted - made;
		const int64_t next = launch_samples_at_once(
			m, left < SAMPLING_MAX_AHEAD ? left : SAMPLING_MAX_AHEAD);

		if (launch_untimed(m, next, e))
			return e->status;
		made += next;
	}
	for (const struct worker_probe *p = probes; p->ops; p++)
		if (p->ops->end(p->probe, m->result, e) ||
		    result_add_metric(m->result, p->ops->name, "launches", (double)made, "1", e))
			return e->status;
	return ASC_OK;
}

/* Adds what is known only after launches: the sum of the kernels' times, by their share of the
 * median, and facts of calls of vendor libraries. */
static enum asc_status add_facts(const struct measurement *m, struct asc_err *e)
{
	const struct worker_config *c = m->config;
	struct result *r = m->result;
	struct vendor_kernel *calls[WORKLOAD_MAX_CALLS];

	if (m->kernels_share > 0 && result_add_metric(r, RESULT_KERNEL, "kernels_ns",
						      m->kernels_share * r->time.median, "ns", e))
		return e->status;
	for (size_t i = 0; i < c->sequence.n; i++)
		calls[i] = c->calls[i].vendor;
	return vendor_record_facts(calls, c->sequence.n, r, e);
}

/* Verifies a configuration that no finals will verify at other addresses and on the other sets of
 * inputs, and has one that is alone meet inputs that it has not seen. The first set is put back,
 * unless nothing else is measured in this process. */
static enum asc_status verify_sets(struct measurement *m, struct asc_err *e)
{
	const struct worker_problem *p = m->config->problem;
	const struct race *race = m->race;
	struct rng rng;

	/* Drawn by what no kernel knows; --repeats launches no more than to verify. */
	rng_init(&rng, race->unseen);
	if (race->unseen && launch_verify_moved(m, &rng, e))
		return e->status;
	for (size_t set = 1; set < p->n_sets && m->result->status == RESULT_OK; set++)
		if (launch_put_set(m, set, e) || launch_verify_set(m, e))
			return e->status;
	if (!m->config->harmful && launch_put_set(m, 0, e))
		return e->status;
	return m->result->status == RESULT_OK && race->unseen &&
			       (worker_problem_has_unseen(p) || worker_problem_moves(p))
		       ? unseen_inputs_test(&m, 1, race->unseen, race->until_ns, e)
		       : ASC_OK;
}

/* ---- the protocol ---- */

/* Takes the next samples: as many at once as no rule decides between, but the verified sample,
 * number `checked`, alone. *ns is the time of a launch of the first of them. */
static enum asc_status take_samples(struct measurement *m, int64_t launches, int64_t checked,
				    int64_t *ns, struct asc_err *e)
{
	struct sampling *s = &m->sampling;
	const int64_t before = checked - (int64_t)s->n_samples;
	const size_t retaken = s->retaken;
	int64_t times[SAMPLING_MAX_AHEAD], ahead = sampling_ahead(s);

	if (s->launches > 0 && before >= 0 && before < ahead)
		ahead = before > 0 ? before : 1;
	const struct device_batch batch = {.samples = launch_samples_at_once(m, ahead),
					   .launches = launches};

	if (launch_sample(m, batch, times, e))
		return e->status;
	for (int64_t i = 0; i < batch.samples && m->result->status == RESULT_OK; i++)
		if (sampling_add(s, times[i], m->note, e))
			return e->status;
	*ns = sampling_per_launch(times[0], launches);
	return s->retaken > retaken ? launch_cool(m, e) : ASC_OK;
}

/* The order, and why:
 *  1. Verification, before anything is timed: one launch on poisoned outputs, so that elements
 *     that the kernel does not write are found; bounds first, then values. The launch's time is the
 *     first that early stopping sees: most of what is far too slow costs one launch.
 *  2. Sampling: warm-ups, then samples against the incumbent until a rule decides (sampling.h).
 *     Outputs are poisoned before the first of these launches: a kernel that does less when it
 *     finds the right values has none to find. One of the first samples, drawn by lot, starts on
 *     poison as well and is verified: a kernel may be right in its first launch only.
 *  3. The share of a launch that its kernels take by themselves, of a configuration that is not
 *     dropped.
 *  4. Verification of the last launch. A configuration that may win is launched once more on poison
 *     for that, with the other sets of inputs, and with some that it has not seen, unless the
 *     finals do so; of a slow one the outputs are verified as they are.
 *  5. The incumbent's check: is the candidate slow, or has the machine changed? Where the
 *     verdict is given up, the candidate is verified by a launch of its own, since the incumbent's
 *     launches have left right outputs.
 *  6. The summary of the samples; only now there is a median, which step 7 needs.
 *  7. The check for a time that depends on what the outputs hold, of one that is suspect, or alone.
 *  8. Counters, in launches of their own, of a configuration that is ok.
 * A failure ends the order where it is; the samples taken so far are recorded. */
/* NOLINTNEXTLINE(readability-function-size): one path, told in one place */
enum asc_status worker_config_measure(struct worker_config *c, struct race *race, struct result *r,
				      struct asc_err *e)
{
	static const struct incumbent nobody;
	const struct policy *policy = &race->policy;
	const int64_t few = policy->sampling.max_samples < FEW ? policy->sampling.max_samples : FEW;
	struct measurement m = {.race = race, .config = c, .result = r};
	struct sampling *s = &m.sampling;
	int64_t first_ns = 0, checked_ns = 0, last_ns = 0, launches;
	struct rng rng;

	/* Number of the sample that is verified; -1: done. Drawn by the configuration's number: no
	 * kernel knows it, and it is the same in every run. */
	rng_init(&rng, c->id);
	int64_t checked = (int64_t)rng_below(&rng, (uint64_t)few);

	r->status = RESULT_OK;
	r->spent_ns[PHASE_BUILD] = c->warm_ns;
	r->spent_ns[PHASE_LOAD] = c->load_ns;
	if (measurement_is_over(&m) && !race->needed)
		return ASC_OK;

	/* 1 */
	if (launch_verify(&m, &first_ns, e))
		return e->status;
	if (r->status != RESULT_OK)
		return ASC_OK;
	const int64_t start = clock_now_ns() - r->spent_ns[PHASE_VERIFY];
	/* A trial with all of its samples (`full`) races against nobody. */
	enum asc_status status =
		sampling_begin(s, policy, c->full ? &nobody : &race->best, first_ns, m.note, e);
	s->best_mhz = race->incumbent.mhz;
	/* A second launch of a sample would find the outputs of the first. */
	s->single = worker_problem_has_inout(c->problem);

	/* 2 */
	if (!status)
		status = measurement_enter(&m, PHASE_MEASURE, e);
	while (!status && r->status == RESULT_OK && (launches = sampling_next(s)) > 0) {
		/* A trial that is needed has one sample even when time is up. */
		if (measurement_is_over(&m) && (s->n_samples > 0 || !race->needed)) {
			if (s->n_samples > 0 && !race->needed)
				sampling_leave(s, "time was up");
			break;
		}
		const bool is_checked = s->launches > 0 && (int64_t)s->n_samples == checked;

		if (!m.again || is_checked)
			status = worker_config_poison(c, e);
		m.again = true;
		if (!status)
			status = take_samples(&m, launches, checked, &last_ns, e);
		if (!is_checked || status)
			continue;
		checked = -1;
		checked_ns = last_ns;
		if (r->status == RESULT_OK)
			status = launch_verify_last(&m, e);
	}

	/* 3 and 4: of one that was launched again */
	if (!status && m.again && r->status == RESULT_OK && s->decision.verdict != STOP_SLOW)
		status = launch_sum_kernels(&m, e);
	if (!status && m.again && r->status == RESULT_OK)
		status = s->decision.verdict == STOP_SLOW || policy->finals.ratio > 0
				 ? launch_verify_last(&m, e)
				 : launch_verify_anew(&m, e);
	if (!status && r->status == RESULT_OK && s->decision.verdict != STOP_SLOW &&
	    policy->finals.ratio <= 0)
		status = verify_sets(&m, e);

	/* 5: no machine changes by more than doubt_ratio */
	if (!status && r->status == RESULT_OK && s->decision.verdict == STOP_SLOW &&
	    s->decision.ratio <= policy->race.doubt_ratio) {
		const size_t n = s->n_samples;

		status = incumbent_check_recheck(&m, e);
		if (!status && s->n_samples > n && r->status == RESULT_OK)
			status = s->decision.verdict == STOP_SLOW ? launch_verify_last(&m, e)
								  : launch_verify_anew(&m, e);
	}

	/* 6 */
	if (!status)
		status = sampling_end(s, r, e);

	/* 7: with hot caches poison itself may make a launch longer */
	const bool suspect = r->n_samples >= FEW && policy->cache == CACHE_COLD &&
			     (double)checked_ns > TOO_LONG * r->time.median;
	const bool alone = policy->finals.ratio <= 0 && race->unseen && r->n_samples > 0;

	if (!status && r->status == RESULT_OK && (suspect || alone))
		status = own_answer_test(&m, &rng, e);
	own_answer_forget(c->problem);

	/* 8 */
	if (!status && r->status == RESULT_OK && race->probes[0].ops)
		status = count(&m, e);
	sampling_fini(s);
	r->spent_ns[PHASE_MEASURE] = clock_now_ns() - start - r->spent_ns[PHASE_VERIFY];
	return status || r->n_samples == 0 ? status : add_facts(&m, e);
}
