#include "tuner/worker/incumbent_check.h"

#include <math.h>

#include "tuner/worker/launch.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

bool incumbent_check_scores(const struct policy *r, int64_t least_ns, const struct result *result,
			    double *score)
{
	if (!policy_races(r) || r->race.doubt_ratio <= 0 || result->status != RESULT_OK ||
	    result->n_samples == 0 || result->time.median < (double)least_ns)
		return false;
	*score = policy_score(r, result);
	return true;
}

bool incumbent_check_take(struct race *race, struct worker_config *config,
			  const struct result *result)
{
	struct incumbent_check *i = &race->incumbent;
	double score;

	if (!incumbent_check_scores(&race->policy, race->least_ns, result, &score) ||
	    (i->config && score >= i->score))
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

/* Takes one sample of `launches`, announced, and checks its writes: a stray write of one side is
 * found before the other side's next launch. With hot caches the first launch after another
 * kernel's is dropped. */
static enum asc_status sample(struct measurement *m, int64_t launches, int64_t *ns,
			      struct asc_err *e)
{
	const struct device_batch first = {.samples = 1, .launches = 1};
	const struct device_batch batch = {.samples = 1, .launches = launches};

	if (measurement_enter(m, PHASE_MEASURE, e) ||
	    (m->race->policy.cache == CACHE_HOT && launch_sample(m, first, ns, e)) ||
	    launch_sample(m, batch, ns, e))
		return e->status;
	*ns = sampling_per_launch(*ns, launches);
	return ASC_OK;
}

/* Samples pairs, the incumbent first. The first pair is enough when the machine is as it was and
 * the candidate slower. */
static enum asc_status sample_pairs(struct measurement *own, struct measurement *candidate,
				    struct asc_err *e)
{
	struct incumbent_check *i = &own->race->incumbent;
	struct sampling *s = &candidate->sampling;
	const double near = own->race->policy.tests.near;
	const int64_t launches = worker_problem_has_inout(own->config->problem)
					 ? 1
					 : sampling_group(s->policy, (int64_t)i->median_ns);
	int64_t own_ns = 0, ns = 0, n_slower = 0;

	for (int64_t k = 0; k < POLICY_PAIRS; k++) {
		if (sample(own, launches, &own_ns, e))
			return e->status;
		if (own->result->status != RESULT_OK || !launch_check_bounds(own, PHASE_MEASURE))
			return ASC_OK;
		if (sample(candidate, s->launches, &ns, e))
			return e->status;
		const bool slower = (double)ns > near * (double)own_ns;

		if (candidate->result->status != RESULT_OK ||
		    !launch_check_bounds(candidate, PHASE_MEASURE))
			return ASC_OK;
		if (sampling_keep(s, ns, candidate->note, e))
			return e->status;
		/* The incumbent is as fast as it was: no machine has changed. Its clock now is one
		 * at which nothing needs to be sampled again. */
		if (k == 0 && slower && (double)own_ns <= near * i->median_ns) {
			i->same_mhz = result_note_mhz(own->note);
			return ASC_OK;
		}
		n_slower += slower;
	}
	/* One pair may disagree with the others: a disturbance of one sample is not rare. */
	if (n_slower <= 1)
		s->decision.verdict = STOP_ENOUGH;
	else if (n_slower < POLICY_PAIRS - 1)
		sampling_leave(s, "pairs of samples with the best one do not agree");
	return ASC_OK;
}

enum asc_status incumbent_check_recheck(struct measurement *candidate, struct asc_err *e)
{
	struct incumbent_check *i = &candidate->race->incumbent;
	const double allowed = candidate->race->policy.race.doubt_clock;
	const int64_t mhz = result_note_mhz(candidate->note);

	/* An unchanged clock shows an unchanged machine, where times scale with the clock. */
	if (!i->config || (allowed > 0 && mhz > 0 && i->same_mhz > 0 &&
			   fabs((double)(mhz - i->same_mhz)) <= allowed * (double)i->same_mhz))
		return ASC_OK;
	struct measurement own = {
		.race = candidate->race, .config = i->config, .result = &i->failure};

	result_init(&i->failure);
	i->failure.phase = PHASE_MEASURE;
	enum asc_status s = sample_pairs(&own, candidate, e);
	if (i->failure.status == RESULT_OK)
		return s;
	/* The incumbent's failure is a second result of its own; the candidate is not to blame. */
	i->failed_id = i->config->id;
	i->harmful = i->config->harmful;
	worker_config_free(i->config);
	i->config = NULL;
	sampling_leave(&candidate->sampling, "the best could not be launched again");
	return s;
}
