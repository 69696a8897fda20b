#include "tuner/run/worker_config.h"

#include <stdlib.h>

#include "probes/probe.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/run/measure.h"
#include "tuner/run/verify.h"
#include "tuner/run/worker_problem.h"

/* A sign of life before a launch when the last one is this old: no launch is held to account for
 * those before it. */
static const int64_t SIGN_NS = 10000000;

/* A configuration on its way through one request. */
struct passage {
	struct worker_config *config;
	const struct worker_watch *watch;
	struct result *result;
	int64_t told_ns; /* when the watch heard of us last */
};

static enum asc_status enter(struct passage *p, enum phase phase, struct asc_err *e)
{
	p->result->phase = phase;
	p->told_ns = clock_now_ns();
	return p->watch->phase(p->watch->user, p->config->id, phase, e);
}

static enum asc_status show_life(struct passage *p, struct asc_err *e)
{
	if (clock_now_ns() - p->told_ns < SIGN_NS)
		return ASC_OK;
	return enter(p, p->result->phase, e);
}

/* What the device refused is the configuration's result, lack of its memory too. */
static enum asc_status refuse(struct result *r, enum result_status status, enum phase phase,
			      const struct asc_err *e)
{
	result_set(r, e->status == ASC_ABSENT ? RESULT_UNSUPPORTED : status, phase, "%s", e->text);
	return ASC_OK;
}

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
static enum asc_status load(struct worker_config *c, const struct worker_config_request *request,
			    struct result *result, bool *loaded, struct asc_err *e)
{
	struct worker_problem *p = c->problem;
	const struct implementation *i = NULL;

	*loaded = false;
	if (plan_config(c, request, &i, e))
		return e->status == ASC_INPUT ? refuse(result, RESULT_LAUNCH_FAILED, PHASE_LOAD, e)
					      : e->status;
	const char *entry = callable_entry(&i->call, p->ops->name);
	if (p->ops->load(p->device, request->artifact, entry, &c->kernel, e))
		return refuse(result, RESULT_LOAD_FAILED, PHASE_LOAD, e);
	if (bind_config(c, e))
		return refuse(result, RESULT_LAUNCH_FAILED, PHASE_LOAD, e);
	*loaded = true;
	return ASC_OK;
}

enum asc_status worker_config_load(struct worker_problem *p,
				   const struct worker_config_request *request,
				   const struct worker_watch *watch, struct worker_config **out,
				   struct result *result, struct asc_err *e)
{
	struct worker_config *c = calloc(1, sizeof *c);
	struct passage passage = {c, watch, result, 0};
	int64_t start = clock_now_ns();
	bool loaded = false;

	*out = NULL;
	if (!c)
		return asc_err_nomem(e);
	c->id = (uint64_t)request->id;
	c->problem = p;
	enum asc_status s = enter(&passage, PHASE_LOAD, e);
	if (!s)
		s = load(c, request, result, &loaded, e);
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

/* ---- verifying ---- */

static bool scratch_intact(const struct worker_config *c)
{
	const struct worker_problem *p = c->problem;

	for (size_t i = 0; i < c->plan.n_arguments; i++)
		if (c->scratch[i] && !p->ops->intact(p->device, c->scratch[i]))
			return false;
	return true;
}

/* Writes outside of a buffer make the result wrong, whatever the output is. */
static bool check_bounds(struct worker_config *c, enum phase phase, struct result *r)
{
	const char *damaged = worker_problem_damaged(c->problem);

	c->harmful = damaged || !scratch_intact(c);
	if (damaged)
		result_set(r, RESULT_WRONG, phase, "wrote outside of tensor %s", damaged);
	else if (c->harmful)
		result_set(r, RESULT_WRONG, phase, "wrote outside of a scratch buffer");
	return !c->harmful;
}

static enum asc_status compare_outputs(struct worker_problem *p, struct verify_report *report,
				       struct asc_err *e)
{
	for (size_t i = 0; i < p->workload->n_tensors; i++) {
		const struct bound_tensor *t = &p->binding.tensors[i];
		const double *reference = p->reference.tensors[i];
		if (!reference)
			continue;
		if (p->ops->read(p->device, p->buffers[i], p->staging, (size_t)t->bytes, e) ||
		    verify_tensor(report, &p->workload->tensors[i], t, p->staging, reference, e))
			return e->status;
	}
	return ASC_OK;
}

/* Looks at what the launches so far have left; the result's status stays ok when it passes. */
static enum asc_status check_outputs(struct passage *p, struct asc_err *e)
{
	struct verify_report report;
	struct result *r = p->result;

	if (!check_bounds(p->config, r->phase, r))
		return ASC_OK;
	if (show_life(p, e))
		return e->status;
	verify_begin(&report);
	enum asc_status s = compare_outputs(p->config->problem, &report, e);
	verify_end(&report);
	if (report.wrong || r->phase == PHASE_VERIFY)
		r->errors = report.norms;
	if (report.wrong)
		result_set(r, RESULT_WRONG, r->phase, "%s%s",
			   r->phase == PHASE_VERIFY ? "" : "in a later launch: ", report.reason);
	return s;
}

/* One launch on poisoned outputs. */
static enum asc_status launch_first(struct passage *p, int64_t *ns, struct asc_err *e)
{
	struct worker_config *c = p->config;

	if (worker_problem_poison(c->problem, e))
		return e->status;
	if (c->problem->ops->run(c->problem->device, c->kernel, 1, ns, e))
		return refuse(p->result, RESULT_LAUNCH_FAILED, PHASE_VERIFY, e);
	return ASC_OK;
}

static enum asc_status verify(struct passage *p, int64_t *ns, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status s = enter(p, PHASE_VERIFY, e);

	if (!s)
		s = launch_first(p, ns, e);
	if (!s && p->result->status == RESULT_OK)
		s = check_outputs(p, e);
	p->result->spent_ns[PHASE_VERIFY] = clock_now_ns() - start;
	return s;
}

/* A kernel that keeps something from launch to launch may be right once and wrong, or idle, from
 * then on. */
static enum asc_status verify_again(struct passage *p, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status s = check_outputs(p, e);

	p->result->spent_ns[PHASE_VERIFY] += clock_now_ns() - start;
	return s;
}

/* ---- measuring ---- */

static enum asc_status take_samples(struct passage *p, struct measure *m, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	int64_t launches, ns;

	while ((launches = measure_next(m)) > 0) {
		if (show_life(p, e) || worker_problem_restore(problem, e))
			return e->status;
		if (problem->ops->run(problem->device, p->config->kernel, launches, &ns, e))
			return refuse(p->result, RESULT_LAUNCH_FAILED, PHASE_MEASURE, e);
		if (measure_add(m, ns, e))
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

static enum asc_status measure(struct passage *p, const struct rule *rule,
			       const struct worker_probe *probes, int64_t first_ns,
			       struct asc_err *e)
{
	struct rule own = *rule;
	struct measure m;
	int64_t start = clock_now_ns();

	/* A second launch would find what the first one left. */
	if (worker_problem_has_inout(p->config->problem))
		own.sample_ns = 0;
	measure_begin(&m, &own, first_ns);
	enum asc_status s = enter(p, PHASE_MEASURE, e);
	if (!s)
		s = worker_problem_poison(p->config->problem, e);
	if (!s)
		s = begin_probes(probes, e);
	if (!s)
		s = take_samples(p, &m, e);
	if (!s)
		s = end_probes(probes, p->result, e);
	if (!s)
		s = measure_end(&m, p->result, e);
	measure_fini(&m);
	p->result->spent_ns[PHASE_MEASURE] = clock_now_ns() - start;
	return s;
}

enum asc_status worker_config_measure(struct worker_config *c, const struct rule *rule,
				      const struct worker_probe *probes,
				      const struct worker_watch *watch, struct result *result,
				      struct asc_err *e)
{
	struct passage p = {c, watch, result, 0};
	int64_t first_ns = 0;

	result->status = RESULT_OK;
	result->spent_ns[PHASE_LOAD] = c->load_ns;
	enum asc_status s = verify(&p, &first_ns, e);

	if (!s && result->status == RESULT_OK)
		s = measure(&p, rule, probes, first_ns, e);
	if (!s && result->status == RESULT_OK)
		s = verify_again(&p, e);
	return s;
}
