#include "tuner/run/worker_config.h"

#include <stdlib.h>

#include "probes/probe.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/run/measure.h"
#include "tuner/run/pacer.h"
#include "tuner/run/stop.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_problem.h"

/* ---- loading ---- */

static enum asc_status plan_config(struct worker_config *c,
				   const struct worker_config_request *request,
				   const struct implementation **i, struct asc_err *e)
{
	const char *const *names;
	struct config config;

	if (worker_problem_find(c->problem, request->implementation, i, &names, e) ||
	    config_parse(request->config, names, (*i)->n_parameters, &config, e))
		return e->status;
	return binding_plan(&c->problem->binding, *i, &config, &c->plan, e);
}

static enum asc_status alloc_scratch(struct worker_config *c, struct asc_err *e)
{
	const struct worker_problem *p = c->problem;

	for (size_t i = 0; i < c->plan.n_arguments; i++)
		if (c->plan.arguments[i].kind == ARG_SCRATCH &&
		    p->ops->alloc(p->device, (size_t)c->plan.arguments[i].bytes, &c->scratch[i], e))
			return e->status;
	return ASC_OK;
}

static enum asc_status bind_config(struct worker_config *c, struct asc_err *e)
{
	struct worker_problem *p = c->problem;

	if (alloc_scratch(c, e))
		return e->status;
	return p->ops->bind(p->device, c->kernel, &c->plan, p->buffers, c->scratch, e);
}

/* Sets the result when that is where it ends; else leaves it alone. */
static enum asc_status load(struct passage *at, const struct worker_config_request *request,
			    bool *loaded, struct asc_err *e)
{
	struct worker_config *c = at->config;
	struct worker_problem *p = c->problem;
	const struct implementation *i = NULL;

	*loaded = false;
	if (plan_config(c, request, &i, e))
		return e->status == ASC_INPUT ? passage_refuse(at, RESULT_LAUNCH_FAILED, e)
					      : e->status;
	const char *entry = callable_entry(&i->call, p->ops->name);
	if (p->ops->load(p->device, request->artifact, entry, &c->kernel, e))
		return passage_refuse(at, RESULT_LOAD_FAILED, e);
	if (bind_config(c, e))
		return passage_refuse(at, RESULT_LAUNCH_FAILED, e);
	*loaded = true;
	return ASC_OK;
}

enum asc_status worker_config_load(struct worker_problem *p,
				   const struct worker_config_request *request,
				   const struct worker_watch *watch, struct worker_config **out,
				   struct result *result, struct asc_err *e)
{
	struct worker_config *c = calloc(1, sizeof *c);
	struct passage passage = {.config = c, .watch = watch, .result = result};
	int64_t start = clock_now_ns();
	bool loaded = false;

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->id = (uint64_t)request->id;
	c->unraced = request->unraced;
	c->problem = p;
	enum asc_status s = passage_enter(&passage, PHASE_LOAD, e);
	if (!s)
		s = load(&passage, request, &loaded, e);
	c->load_ns = result->spent_ns[PHASE_LOAD] = clock_now_ns() - start;
	if (loaded)
		*out = c;
	else
		worker_config_free(c);
	return s;
}

void worker_config_free(struct worker_config *c)
{
	if (!c)
		return;
	const struct worker_problem *p = c->problem;
	p->ops->unload(p->device, c->kernel);
	for (size_t i = 0; i < c->plan.n_arguments; i++)
		p->ops->release(p->device, c->scratch[i]);
	free(c);
}

/* ---- measuring ---- */

/* As many samples at once as nothing is decided between. */
static enum asc_status take_batch(struct passage *p, struct measure *m, int64_t launches,
				  struct asc_err *e)
{
	int64_t ns[MEASURE_MAX_AHEAD], note = 0;
	const size_t retaken = m->retaken;
	const struct device_batch batch = {.samples = passage_samples_at_once(p, measure_ahead(m)),
					   .launches = launches};

	if (passage_sample(p, batch, ns, &note, e))
		return e->status;
	for (int64_t i = 0; i < batch.samples && p->result->status == RESULT_OK; i++)
		if (measure_add(m, ns[i], note, e))
			return e->status;
	return m->retaken > retaken ? passage_cool(p, note, e) : ASC_OK;
}

static enum asc_status take_samples(struct passage *p, struct measure *m, struct asc_err *e)
{
	int64_t launches;

	while ((launches = measure_next(m)) > 0 && p->result->status == RESULT_OK) {
		if (!p->again && worker_problem_poison(p->config->problem, e))
			return e->status;
		p->again = true;
		if (take_batch(p, m, launches, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status begin_probes(const struct worker_probe *probes, struct asc_err *e)
{
	for (; probes->ops; probes++)
		if (probes->ops->begin(probes->probe, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status end_probes(const struct worker_probe *probes, struct result *r,
				  struct asc_err *e)
{
	for (; probes->ops; probes++)
		if (probes->ops->end(probes->probe, r, e))
			return e->status;
	return ASC_OK;
}

struct attempt {
	struct passage *passage;        /* borrowed */
	const struct worker_race *race; /* borrowed */
	struct rule rule;
	int64_t first_ns, first_note; /* of the verification launch */
};

/* What a changed machine may have made of it: slower than the best, by no more than machines
 * change, or faster. */
static bool is_doubtful(const struct rule *rule, const struct result *r, const struct rival *best)
{
	if (rule->doubt_ratio <= 0 || best->n == 0 || !result_status_timed(r->status))
		return false;
	return r->status == RESULT_SLOW ? r->time.median <= rule->doubt_ratio * best->median_ns
					: r->time.median < best->median_ns;
}

static enum asc_status sample(struct attempt *a, struct measure *m, struct asc_err *e)
{
	struct passage *p = a->passage;

	if (passage_enter(p, PHASE_MEASURE, e) || begin_probes(a->race->probes, e) ||
	    take_samples(p, m, e) || end_probes(a->race->probes, p->result, e))
		return e->status;
	return measure_end(m, p->result, e);
}

/* Races against what the best would take now. */
static enum asc_status try_once(struct attempt *a, bool *doubtful, struct asc_err *e)
{
	struct passage *p = a->passage;
	struct result *r = p->result;
	struct rival now = {0};
	struct measure m = {0};

	p->again = false;
	result_clear_verdict(r);
	r->pace = pacer_pace(a->race->pacer);
	enum asc_status s = rival_scale(a->race->best, r->pace, &now, e);
	now.mhz = a->race->pacer->now_mhz;
	if (!s)
		s = measure_begin(&m, &a->rule, &now, a->first_ns, a->first_note, e);
	if (!s)
		s = sample(a, &m, e);
	if (!s && p->again && result_status_timed(r->status))
		s = passage_verify_again(p, e);
	*doubtful = !s && is_doubtful(&a->rule, r, &now);
	measure_fini(&m);
	rival_fini(&now);
	return s;
}

/* Once more when the machine has changed meanwhile: then what the first launch took ends no race.
 */
static enum asc_status measure(struct attempt *a, struct asc_err *e)
{
	int64_t *spent_ns = a->passage->result->spent_ns;
	int64_t start = clock_now_ns() - spent_ns[PHASE_VERIFY];
	bool again = true;

	for (int64_t i = 0; i < a->rule.attempts && again; i++) {
		if (try_once(a, &again, e) ||
		    (again && pacer_look(a->race->pacer, a->passage, &again, e)))
			return e->status;
		a->first_note |= RESULT_MARK_CLOCK;
	}
	spent_ns[PHASE_MEASURE] = clock_now_ns() - start - spent_ns[PHASE_VERIFY];
	return ASC_OK;
}

enum asc_status worker_config_measure(struct worker_config *c, const struct worker_race *race,
				      struct result *result, struct asc_err *e)
{
	struct passage p = {
		.config = c, .watch = race->watch, .result = result, .rule = race->rule};
	struct attempt a = {.passage = &p, .race = race, .rule = *race->rule};

	/* A second launch would find what the first one left. */
	if (worker_problem_has_inout(c->problem))
		a.rule.sample_ns = 0;
	result->status = RESULT_OK;
	result->spent_ns[PHASE_LOAD] = c->load_ns;
	enum asc_status s = passage_verify(&p, &a.first_ns, e);

	a.first_note = p.note;
	if (!s && result->status == RESULT_OK)
		s = measure(&a, e);
	return s;
}
