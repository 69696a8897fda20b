#include "tuner/run/incumbent.h"

#include <math.h>

#include "tuner/device/device.h"
#include "tuner/run/measure.h"
#include "tuner/run/rule.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_problem.h"

static int64_t last_mhz(const struct result *r)
{
	return r->n_samples > 0 && r->notes ? result_note_mhz(r->notes[r->n_samples - 1]) : 0;
}

bool incumbent_take(struct incumbent *i, const struct rule *r, struct worker_config *config,
		    const struct result *result)
{
	if (r->doubt_ratio <= 0 || result->status != RESULT_OK || result->n_samples == 0)
		return false;
	if (i->config && result->time.median >= i->median_ns)
		return false;
	incumbent_fini(i);
	*i = (struct incumbent){.config = config,
				.median_ns = result->time.median,
				.mhz = result_clock_mhz(result->notes, result->n_samples, NULL),
				.same_mhz = last_mhz(result)};
	return true;
}

void incumbent_fini(struct incumbent *i)
{
	worker_config_free(i->config);
	result_fini(&i->failure);
	*i = (struct incumbent){0};
}

/* One sample of `launches`. With hot caches the first launch after another kernel's is not one of
 * many. */
static enum asc_status sample(struct passage *p, int64_t launches, int64_t *ns, struct asc_err *e)
{
	const struct device_batch first = {.samples = 1, .launches = 1};
	const struct device_batch batch = {.samples = 1, .launches = launches};
	int64_t note;

	if ((p->rule->cache == CACHE_HOT && passage_sample(p, first, ns, &note, e)) ||
	    passage_sample(p, batch, ns, &note, e))
		return e->status;
	*ns = measure_per_launch(*ns, launches);
	return ASC_OK;
}

/* One sample, announced in its own name, and whether it wrote only where it may. */
static enum asc_status sample_incumbent(const struct incumbent *i, struct passage *own, int64_t *ns,
					struct asc_err *e)
{
	int64_t launches = measure_group(own->rule, (int64_t)i->median_ns);

	if (worker_problem_has_inout(own->config->problem))
		launches = 1;
	if (passage_enter(own, PHASE_MEASURE, e) || sample(own, launches, ns, e))
		return e->status;
	if (own->result->status == RESULT_OK)
		(void)passage_check_bounds(own, PHASE_MEASURE);
	return ASC_OK;
}

/* The incumbent's sample, then the candidate's, which is added to `m`. Whoever wrote where it must
 * not is known before the other's next turn. */
static enum asc_status sample_pair(const struct incumbent *i, struct passage *own,
				   struct passage *candidate, struct measure *m, int64_t *own_ns,
				   bool *slower, struct asc_err *e)
{
	int64_t ns = 0;

	if (sample_incumbent(i, own, own_ns, e))
		return e->status;
	if (own->result->status != RESULT_OK)
		return ASC_OK;
	if (passage_enter(candidate, PHASE_MEASURE, e) || sample(candidate, m->launches, &ns, e))
		return e->status;
	*slower = (double)ns > own->rule->near * (double)*own_ns;
	if (candidate->result->status != RESULT_OK ||
	    !passage_check_bounds(candidate, PHASE_MEASURE))
		return ASC_OK;
	return measure_keep(m, ns, candidate->note, e);
}

/* By the clock at the last launch of `candidate`. */
static bool is_unchanged(const struct incumbent *i, const struct passage *candidate)
{
	const double allowed = candidate->rule->doubt_clock;
	int64_t mhz = result_note_mhz(candidate->note);

	return allowed > 0 && mhz > 0 && i->same_mhz > 0 &&
	       fabs((double)(mhz - i->same_mhz)) <= allowed * (double)i->same_mhz;
}

/* The first pair is enough where it finds the machine as it was and the candidate slower. */
static enum asc_status recheck(struct incumbent *i, struct passage *own, struct passage *candidate,
			       struct measure *m, struct asc_err *e)
{
	const struct rule *r = own->rule;
	int64_t ns = 0, all_slower = 0;
	bool slower = false;

	for (int64_t k = 0; k < r->pairs; k++, all_slower += slower) {
		if (sample_pair(i, own, candidate, m, &ns, &slower, e))
			return e->status;
		if (own->result->status != RESULT_OK || candidate->result->status != RESULT_OK)
			return ASC_OK;
		if (k == 0 && slower && (double)ns <= r->near * i->median_ns) {
			i->same_mhz = result_note_mhz(own->note);
			return ASC_OK;
		}
	}
	if (all_slower <= 1)
		m->decision.verdict = STOP_ENOUGH;
	else if (all_slower < r->pairs - 1)
		measure_leave(m, "pairs of samples with the best one do not agree");
	return ASC_OK;
}

enum asc_status incumbent_recheck(struct incumbent *i, struct passage *candidate, struct measure *m,
				  struct asc_err *e)
{
	struct passage own = *candidate;

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
