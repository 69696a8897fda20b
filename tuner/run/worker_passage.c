#include "tuner/run/worker_passage.h"

#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/run/rule.h"
#include "tuner/run/verify.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_problem.h"

/* A sign of life before a launch when the last one is this old: no launch is held to account for
 * those before it. */
static const int64_t SIGN_NS = 10000000;

enum asc_status passage_enter(struct passage *p, enum phase phase, struct asc_err *e)
{
	p->result->phase = phase;
	p->config->problem->observed = false;
	p->told_ns = clock_now_ns();
	return p->watch->phase(p->watch->user, p->config->id, phase, e);
}

static enum asc_status show_life(struct passage *p, struct asc_err *e)
{
	if (clock_now_ns() - p->told_ns < SIGN_NS)
		return ASC_OK;
	return passage_enter(p, p->result->phase, e);
}

enum asc_status passage_refuse(struct passage *p, enum result_status status,
			       const struct asc_err *e)
{
	result_set(p->result, e->status == ASC_ABSENT ? RESULT_UNSUPPORTED : status,
		   p->result->phase, "%s", e->text);
	return ASC_OK;
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

bool passage_check_bounds(struct passage *p, enum phase phase)
{
	struct worker_config *c = p->config;
	struct result *r = p->result;
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

/* Of several launches all marks count, and the last one's clock. */
static void add_note(struct passage *p, const struct device_state *before,
		     const struct device_state *after, int64_t ns)
{
	int64_t note = steady_note(&p->config->problem->steady, p->rule, before, after, ns);

	p->note = note | (p->note & RESULT_MARKS);
}

enum asc_status passage_launch(struct passage *p, int64_t launches, int64_t *ns, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	struct device_state before;
	int64_t step = p->rule->cache == CACHE_COLD ? 1 : launches, one = 0;

	*ns = 0;
	for (int64_t made = 0; made < launches; made += step, *ns += one) {
		if ((p->rule->cache == CACHE_COLD && problem->ops->flush(problem->device, e)) ||
		    show_life(p, e))
			return e->status;
		if (!problem->observed || p->rule->cache == CACHE_COLD)
			problem->ops->observe(problem->device, &problem->state);
		before = problem->state;
		if (problem->ops->run(problem->device, p->config->kernel, step, &one, e))
			return passage_refuse(p, RESULT_LAUNCH_FAILED, e);
		problem->ops->observe(problem->device, &problem->state);
		problem->observed = true;
		add_note(p, &before, &problem->state, one);
	}
	return ASC_OK;
}

enum asc_status passage_sample(struct passage *p, int64_t launches, int64_t *ns, int64_t *note,
			       struct asc_err *e)
{
	p->note = 0;
	p->config->problem->observed &= !worker_problem_has_inout(p->config->problem);
	if (worker_problem_restore(p->config->problem, e) || passage_launch(p, launches, ns, e))
		return e->status;
	*note = p->note;
	return ASC_OK;
}

/* One launch on poisoned outputs. */
static enum asc_status launch_first(struct passage *p, int64_t *ns, struct asc_err *e)
{
	struct worker_config *c = p->config;

	if (worker_problem_poison(c->problem, e))
		return e->status;
	return passage_launch(p, 1, ns, e);
}

/* Looks at what the launches so far have left; the result's status stays when it passes. */
static enum asc_status check_outputs(struct passage *p, struct asc_err *e)
{
	struct verify_report report;
	struct result *r = p->result;

	if (!passage_check_bounds(p, r->phase))
		return ASC_OK;
	if (show_life(p, e)) /* comparing takes its own time */
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

enum asc_status passage_verify(struct passage *p, int64_t *ns, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status s = passage_enter(p, PHASE_VERIFY, e);

	if (!s)
		s = launch_first(p, ns, e);
	if (!s && p->result->status == RESULT_OK)
		s = check_outputs(p, e);
	p->result->spent_ns[PHASE_VERIFY] = clock_now_ns() - start;
	return s;
}

enum asc_status passage_verify_again(struct passage *p, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status s = check_outputs(p, e);

	p->result->spent_ns[PHASE_VERIFY] += clock_now_ns() - start;
	return s;
}
