#include "tuner/worker/incumbent_check.h"

#include <math.h>

#include "tuner/device/device.h"
#include "tuner/worker/launch_context.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

bool incumbent_check_scores(const struct policy *r, const struct result *result, double *score)
{
	if (!policy_races(r) || r->race.doubt_ratio <= 0 || result->status != RESULT_OK ||
	    result->n_samples == 0)
		return false;
	*score = policy_score(r, result);
	return true;
}

bool incumbent_check_take(struct incumbent_check *i, const struct policy *r,
			  struct worker_config *config, const struct result *result)
{
	double score;

	if (!incumbent_check_scores(r, result, &score) || (i->config && score >= i->score))
		return false;
	incumbent_check_fini(i);
	*i = (struct incumbent_check){
		.config = config,
		.score = score,
		.median_ns = result->time.median,
		.mhz = result_clock_mhz(result->notes, result->n_samples, NULL),
		.same_mhz = result->n_samples > 0 && result->notes
				    ? result_note_mhz(result->notes[result->n_samples - 1])
				    : 0};
	return true;
}

void incumbent_check_fini(struct incumbent_check *i)
{
	worker_config_free(i->config);
	result_fini(&i->failure);
	*i = (struct incumbent_check){0};
}

/* Takes one sample of `launches`. With hot caches the first launch after another kernel's is
 * dropped. */
static enum asc_status sample(struct launch_context *p, int64_t launches, int64_t *ns,
			      struct asc_err *e)
{
	const struct device_batch first = {.samples = 1, .launches = 1};
	const struct device_batch batch = {.samples = 1, .launches = launches};
	int64_t note;

	if ((p->policy->cache == CACHE_HOT && launch_sample(p, first, ns, &note, e)) ||
	    launch_sample(p, batch, ns, &note, e))
		return e->status;
	*ns = measure_per_launch(*ns, launches);
	return ASC_OK;
}

/* Takes one sample of the incumbent, announced as its own, and checks its writes. */
static enum asc_status sample_incumbent(const struct incumbent_check *i, struct launch_context *own,
					int64_t *ns, struct asc_err *e)
{
	int64_t launches = measure_group(own->policy, (int64_t)i->median_ns);

	if (worker_problem_has_inout(own->config->problem))
		launches = 1;
	if (launch_enter(own, PHASE_MEASURE, e) || sample(own, launches, ns, e))
		return e->status;
	if (own->result->status == RESULT_OK)
		(void)launch_check_bounds(own, PHASE_MEASURE);
	return ASC_OK;
}

/* Takes a sample of the incumbent, then one of the candidate, which is added to `m`. A stray write
 * of either is found before the other's next launch. */
static enum asc_status sample_pair(const struct incumbent_check *i, struct launch_context *own,
				   struct launch_context *candidate, struct measure *m,
				   int64_t *own_ns, bool *slower, struct asc_err *e)
{
	int64_t ns = 0;

	if (sample_incumbent(i, own, own_ns, e))
		return e->status;
	if (own->result->status != RESULT_OK)
		return ASC_OK;
	if (launch_enter(candidate, PHASE_MEASURE, e) || sample(candidate, m->launches, &ns, e))
		return e->status;
	*slower = (double)ns > own->policy->tests.near * (double)*own_ns;
	if (candidate->result->status != RESULT_OK ||
	    !launch_check_bounds(candidate, PHASE_MEASURE))
		return ASC_OK;
	return measure_keep(m, ns, candidate->note, e);
}

/* True when the clock at the last launch of `candidate` shows an unchanged machine. */
static bool is_unchanged(const struct incumbent_check *i, const struct launch_context *candidate)
{
	const double allowed = candidate->policy->race.doubt_clock;
	int64_t mhz = result_note_mhz(candidate->note);

	return allowed > 0 && mhz > 0 && i->same_mhz > 0 &&
	       fabs((double)(mhz - i->same_mhz)) <= allowed * (double)i->same_mhz;
}

/* Samples pairs; the first is enough when the machine is as it was and the candidate slower. */
static enum asc_status recheck(struct incumbent_check *i, struct launch_context *own,
			       struct launch_context *candidate, struct measure *m,
			       struct asc_err *e)
{
	int64_t ns = 0, all_slower = 0;
	bool slower = false;

	for (int64_t k = 0; k < POLICY_PAIRS; k++, all_slower += slower) {
		if (sample_pair(i, own, candidate, m, &ns, &slower, e))
			return e->status;
		if (own->result->status != RESULT_OK || candidate->result->status != RESULT_OK)
			return ASC_OK;
		if (k == 0 && slower && (double)ns <= own->policy->tests.near * i->median_ns) {
			i->same_mhz = result_note_mhz(own->note);
			return ASC_OK;
		}
	}
	if (all_slower <= 1)
		m->decision.verdict = STOP_ENOUGH;
	else if (all_slower < POLICY_PAIRS - 1)
		measure_leave(m, "pairs of samples with the best one do not agree");
	return ASC_OK;
}

enum asc_status incumbent_check_recheck(struct incumbent_check *i, struct launch_context *candidate,
					struct measure *m, struct asc_err *e)
{
	struct launch_context own = *candidate;

	if (!i->config || is_unchanged(i, candidate))
		return ASC_OK;
	result_init(&i->failure);
	i->failure.phase = PHASE_MEASURE;
	own.config = i->config;
	own.result = &i->failure;
	enum asc_status s = recheck(i, &own, candidate, m, e);
	if (i->failure.status == RESULT_OK)
		return s;
	i->failed_id = i->config->id;
	i->harmful = i->config->harmful;
	worker_config_free(i->config);
	i->config = NULL;
	measure_leave(m, "the best could not be launched again");
	return s;
}
