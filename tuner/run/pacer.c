#include "tuner/run/pacer.h"

#include "tuner/model/result.h"
#include "tuner/run/measure.h"
#include "tuner/run/rule.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_problem.h"

enum { VOTES = 3 };

bool pacer_take(struct pacer *p, struct worker_config *config, const struct result *result)
{
	if (result->status != RESULT_OK ||
	    !result_is_faster(result, p->median_ns, p->pace.normal_ns))
		return false;
	worker_config_free(p->config);
	p->config = config;
	p->median_ns = result->time.median;
	pace_set(&p->pace, result->samples, result->n_samples, result_normal_ns(result));
	return true;
}

void pacer_fini(struct pacer *p)
{
	worker_config_free(p->config);
	*p = (struct pacer){0};
}

/* With hot caches the first launch after another kernel's is not one of many. */
static enum asc_status launch(struct pacer *p, struct passage *own, int64_t *ns, struct asc_err *e)
{
	const struct rule *r = own->rule;
	int64_t launches = measure_group(r, (int64_t)p->pace.normal_ns), note;

	if (worker_problem_has_inout(own->config->problem))
		launches = 1;
	if ((r->cache == CACHE_HOT && passage_sample(own, 1, ns, &note, e)) ||
	    passage_sample(own, launches, ns, &note, e))
		return e->status;
	*ns /= launches;
	return ASC_OK;
}

/* One sample, and more where it differs; the votes of a changed machine are its pace. */
static enum asc_status vote(struct pacer *p, struct passage *own, bool *changed, struct asc_err *e)
{
	double by = own->rule->near - 1;
	struct pace now = {.normal_ns = p->pace.normal_ns};
	int differ = 0, votes = 1;
	int64_t ns = 0;

	for (int i = 0; i < votes; i++) {
		if (launch(p, own, &ns, e))
			return e->status;
		pace_add(&now, ns);
		differ += pace_differs(&p->pace, ns, by);
		votes = differ ? VOTES : 1;
	}
	*changed = 2 * differ > VOTES;
	if (*changed)
		p->pace = now;
	else
		pace_add(&p->pace, ns);
	return ASC_OK;
}

enum asc_status pacer_look(struct pacer *p, const struct passage *other, bool *changed,
			   struct asc_err *e)
{
	struct passage own = *other;
	struct result result;

	*changed = false;
	if (!p->config)
		return ASC_OK;
	result_init(&result);
	result.phase = PHASE_MEASURE;
	p->config->id = other->config->id; /* in whose turn it runs */
	own.config = p->config;
	own.result = &result;
	enum asc_status s = vote(p, &own, changed, e);
	if (result.status != RESULT_OK) /* it does not launch any more: nothing is known */
		*changed = false;
	result_fini(&result);
	return s;
}
