#include "tuner/run/pacer.h"

#include <math.h>

#include "tuner/base/stats.h"
#include "tuner/device/device.h"
#include "tuner/model/result.h"
#include "tuner/run/measure.h"
#include "tuner/run/rule.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_problem.h"

enum { VOTES = 5 };

static int64_t last_mhz(const struct result *r)
{
	return r->n_samples > 0 && r->notes ? result_note_mhz(r->notes[r->n_samples - 1]) : 0;
}

bool pacer_take(struct pacer *p, const struct rule *r, struct worker_config *config,
		const struct result *result)
{
	if (r->doubt_ratio <= 0 || result->status != RESULT_OK)
		return false;
	if (p->config && !result_is_faster(result, p->median_ns, p->normal_ns))
		return false;
	worker_config_free(p->config);
	*p = (struct pacer){.config = config,
			    .median_ns = result->time.median,
			    .normal_ns = result_normal_ns(result),
			    .now_ns = result->time.median,
			    .now_mhz = result_clock_mhz(result->notes, result->n_samples, NULL),
			    .mhz = last_mhz(result)};
	return true;
}

void pacer_fini(struct pacer *p)
{
	worker_config_free(p->config);
	*p = (struct pacer){0};
}

double pacer_pace(const struct pacer *p)
{
	if (p->normal_ns > 0 && p->now_ns > 0)
		return p->now_ns / p->normal_ns;
	return p->inherited > 0 ? p->inherited : 1;
}

/* With hot caches the first launch after another kernel's is not one of many. */
static enum asc_status launch(struct pacer *p, struct passage *own, int64_t *ns, struct asc_err *e)
{
	const struct device_batch first = {.samples = 1, .launches = 1};
	const struct rule *r = own->rule;
	int64_t launches = measure_group(r, (int64_t)p->normal_ns), note;

	if (worker_problem_has_inout(own->config->problem))
		launches = 1;
	const struct device_batch one = {.samples = 1, .launches = launches};

	if ((r->cache == CACHE_HOT && passage_sample(own, first, ns, &note, e)) ||
	    passage_sample(own, one, ns, &note, e))
		return e->status;
	*ns = measure_per_launch(*ns, launches);
	p->mhz = result_note_mhz(note);
	return ASC_OK;
}

/* One sample, and more where it differs. A launch that is refused ends it. */
static enum asc_status vote(struct pacer *p, struct passage *own, bool *changed, struct asc_err *e)
{
	double by = (own->rule->near - 1) * p->now_ns;
	struct stats_summary now;
	int64_t ns[VOTES];
	size_t differ = 0, n = 0;

	do {
		if (launch(p, own, &ns[n], e))
			return e->status;
		if (own->result->status != RESULT_OK)
			return ASC_OK;
		differ += fabs((double)ns[n++] - p->now_ns) > by;
	} while (differ > 0 && n < VOTES);
	*changed = 2 * differ > VOTES;
	if (!*changed)
		return ASC_OK;
	stats_summarize(ns, n, &now);
	p->now_ns = now.median;
	p->now_mhz = (double)result_note_mhz(own->note);
	return ASC_OK;
}

/* By the clock at the last launch of `other`. */
static bool is_unchanged(const struct pacer *p, const struct passage *other)
{
	int64_t mhz = result_note_mhz(other->note);

	return other->rule->doubt_clock > 0 && mhz > 0 && p->mhz > 0 &&
	       fabs((double)(mhz - p->mhz)) <= other->rule->doubt_clock * (double)p->mhz;
}

enum asc_status pacer_look(struct pacer *p, const struct passage *other, bool *changed,
			   struct asc_err *e)
{
	struct passage own = *other;
	struct result result;

	*changed = false;
	if (!p->config || is_unchanged(p, other))
		return ASC_OK;
	result_init(&result);
	result.phase = PHASE_MEASURE;
	p->config->id = other->config->id; /* in whose turn it runs */
	own.config = p->config;
	own.result = &result;
	enum asc_status s = vote(p, &own, changed, e);
	if (result.status != RESULT_OK) {
		worker_config_free(p->config);
		p->config = NULL;
	}
	result_fini(&result);
	return s;
}
