#include "tuner/worker/launch_context.h"

#include <assert.h>
#include <string.h>
#include <time.h>

#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/verify.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

/* Age of the last heartbeat beyond which another one precedes a launch, so that no launch's time
 * limit counts earlier ones. */
static const int64_t SIGN_NS = 10000000;

enum { SUMMED = 5 }; /* launches of which the kernels are timed */

static enum asc_status show_life(struct launch_context *p, struct asc_err *e)
{
	if (clock_now_ns() - p->beat_ns < SIGN_NS)
		return ASC_OK;
	return launch_enter(p, p->result->phase, e);
}

/* Sets a failure; a kernel that breaks the device's context counts as crashed. */
static enum asc_status refuse_launch(struct launch_context *p, struct asc_err *e)
{
	const struct worker_problem *problem = p->config->problem;
	bool lost = problem->ops->lost(problem->device);

	if (p->step)
		(void)call_wrap(p->config->implementation, p->step - 1, e);
	return launch_refuse(p, lost ? RESULT_CRASHED : RESULT_LAUNCH_FAILED, e);
}

/* ---- verifying ---- */

bool launch_check_bounds(struct launch_context *p, enum phase phase)
{
	struct worker_config *c = p->config;
	struct device_buffer *own[WORKER_CONFIG_OWN];
	struct worker_problem_harm harm;
	struct asc_err e;

	static_assert((int)WORKER_CONFIG_OWN <= (int)WORKER_PROBLEM_MAX_OWN, "all are looked at");
	c->harmful = true;
	if (worker_problem_find_harm(c->problem, own, worker_config_list_own(c, own), &harm, &e)) {
		(void)refuse_launch(p, &e);
		return false;
	}
	c->harmful = harm.damaged || harm.changed || harm.falsified || harm.scratch >= 0;
	launch_set_harm(p, &harm, phase);
	return !c->harmful;
}

static enum asc_status compare_here(struct worker_problem *p, size_t i,
				    struct verify_report *report, struct asc_err *e)
{
	const struct bound_tensor *t = &p->binding.tensors[i];

	if (reference_map(&p->reference, &p->binding, e) ||
	    p->ops->read(p->device, p->buffers[i], p->staging, (size_t)t->bytes, e))
		return e->status;
	enum asc_status s = verify_tensor(report, &p->workload->tensors[i], t, p->staging,
					  p->reference.tensors[i], e);
	memset(p->staging, 0, (size_t)t->bytes); /* right outputs are not for the next kernel */
	return s;
}

/* Compares on the device; where that is unsupported, on the host from then on. */
static enum asc_status compare_there(struct worker_problem *p, size_t i,
				     struct verify_report *report, struct asc_err *e)
{
	const struct bound_tensor *t = &p->binding.tensors[i];
	const struct device_tolerance how = {.type = t->dtype,
					     .count = t->count,
					     .atol = t->atol,
					     .rtol = t->rtol,
					     .exact = p->workload->tensors[i].verify.kind ==
						      VERIFY_EXACT};
	struct device_difference found;
	enum asc_status s =
		p->ops->compare(p->device, p->buffers[i], p->expected[i], &how, &found, e);

	if (s == ASC_OK)
		verify_found(report, &p->workload->tensors[i], t, &found);
	if (s != ASC_ABSENT)
		return s;
	worker_problem_drop_expected(p);
	return compare_here(p, i, report, e);
}

static enum asc_status compare_outputs(struct worker_problem *p, struct verify_report *report,
				       struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; !s && i < p->workload->n_tensors; i++)
		if (p->reference.has[i])
			s = p->expected[i] ? compare_there(p, i, report, e)
					   : compare_here(p, i, report, e);
	reference_unmap(&p->reference);
	return s;
}

/* Joins notes of several launches: all marks count, and the last clock. */
static void add_note(struct launch_context *p, const struct device_state *before,
		     const struct device_state *after, int64_t ns)
{
	int64_t note = steady_note(&p->config->problem->steady, p->policy, before, after, ns);

	p->note = note | (p->note & RESULT_MARKS);
}

/* Counts up the metric of launches that the clock had lost. */
static enum asc_status note_lost(struct launch_context *p, int64_t lost, struct asc_err *e)
{
	static const char name[] = "lost_launches";
	struct result *r = p->result;

	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].probe, RESULT_KERNEL) == 0 &&
		    strcmp(r->metrics[i].name, name) == 0) {
			r->metrics[i].value += (double)lost;
			return ASC_OK;
		}
	return result_add_metric(r, RESULT_KERNEL, name, (double)lost, "1", e);
}

/* Makes launches with nothing between them, and reads the state of the device before and after. */
static enum asc_status launch_watched(struct launch_context *p, const struct device_batch *batch,
				      int64_t *ns, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	struct device_batch counted = *batch;
	int64_t all = 0, lost = 0;

	counted.lost = &lost;
	if (!problem->observed)
		problem->ops->observe(problem->device, &problem->state);
	const struct device_state before = problem->state;
	if (problem->ops->run(problem->device, &p->config->sequence, &counted, ns, e))
		return refuse_launch(p, e);
	problem->ops->observe(problem->device, &problem->state);
	problem->observed = true;
	for (int64_t i = 0; i < batch->samples; i++)
		all += ns[i];
	add_note(p, &before, &problem->state, all);
	return lost > 0 ? note_lost(p, lost, e) : ASC_OK;
}

static enum asc_status flush_caches(struct launch_context *p, struct asc_err *e)
{
	const struct worker_problem *problem = p->config->problem;
	const int64_t start = clock_now_ns();
	enum asc_status s = problem->ops->flush(problem->device, &p->config->sequence, e);

	p->result->flush_ns += clock_now_ns() - start;
	return s;
}

/* Makes the launches of a sample one by one where they are not queued, flushing the caches before
 * each. */
static enum asc_status launch_singly(struct launch_context *p, const struct device_batch *all,
				     int64_t *ns, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	bool cold = p->policy->cache == CACHE_COLD;
	int64_t one = 0, sum = 0, kernels_ns = 0;
	const struct device_batch batch = {.samples = 1,
					   .launches = cold ? 1 : all->launches,
					   .kernels_ns = all->kernels_ns ? &kernels_ns : NULL};

	*ns = 0;
	for (int64_t made = 0; made < all->launches && p->result->status == RESULT_OK;
	     made += batch.launches, *ns += one, sum += kernels_ns) {
		if (cold && flush_caches(p, e))
			return e->status;
		problem->observed &= !cold;
		if (show_life(p, e) || launch_watched(p, &batch, &one, e))
			return e->status;
	}
	if (all->kernels_ns)
		*all->kernels_ns = sum;
	return ASC_OK;
}

static bool queues(const struct worker_problem *p)
{
	return p->ops->info(p->device)->queues;
}

/* Launches as the batch says, ns[i] long in sample i. Every launch finds the caches as the policy
 * says. A refusal becomes the result. */
static enum asc_status launch_batch(struct launch_context *p, struct device_batch batch,
				    int64_t *ns, struct asc_err *e)
{
	if (!queues(p->config->problem))
		return launch_singly(p, &batch, ns, e);
	batch.cold = p->policy->cache == CACHE_COLD;
	return show_life(p, e) ? e->status : launch_watched(p, &batch, ns, e);
}

static struct device_sequence kernels_of(const struct launch_context *p)
{
	const struct device_sequence *all = &p->config->sequence;

	return p->step ? (struct device_sequence){&all->kernels[p->step - 1], 1} : *all;
}

enum asc_status launch_untimed(struct launch_context *p, int64_t n, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	const struct device_ops *ops = problem->ops;
	const struct device_sequence kernels = kernels_of(p);

	if (show_life(p, e))
		return e->status;
	problem->observed = false;
	if (ops->launch(problem->device, &kernels, n, e) || ops->wait(problem->device, e))
		return refuse_launch(p, e);
	return ASC_OK;
}

int64_t launch_samples_at_once(const struct launch_context *p, int64_t wanted)
{
	const struct worker_problem *problem = p->config->problem;

	return queues(problem) && !worker_problem_has_inout(problem) ? wanted : 1;
}

enum asc_status launch_sample(struct launch_context *p, struct device_batch batch, int64_t *ns,
			      int64_t *note, struct asc_err *e)
{
	p->note = 0;
	p->config->problem->observed &= !worker_problem_has_inout(p->config->problem);
	if (worker_problem_restore(p->config->problem, e) || launch_batch(p, batch, ns, e))
		return e->status;
	*note = p->note;
	return ASC_OK;
}

enum asc_status launch_sum_kernels(struct launch_context *p, struct asc_err *e)
{
	double sums[SUMMED];
	int64_t ns, note, sum = 0;

	if (p->config->sequence.n < 2 || launch_is_over(p))
		return ASC_OK;
	for (size_t i = 0; i < SUMMED && p->result->status == RESULT_OK; i++) {
		const struct device_batch one = {.samples = 1, .launches = 1, .kernels_ns = &sum};

		if (launch_sample(p, one, &ns, &note, e))
			return e->status;
		sums[i] = (double)sum;
	}
	if (p->result->status != RESULT_OK || sum == 0)
		return ASC_OK;
	return result_add_metric(p->result, RESULT_KERNEL, "kernels_ns",
				 stats_select_median(sums, SUMMED), "ns", e);
}

enum asc_status launch_cool(struct launch_context *p, int64_t note, struct asc_err *e)
{
	const int64_t ns = steady_pause(&p->config->problem->steady, p->policy, note);
	const struct timespec pause = {ns / 1000000000, ns % 1000000000};

	if (ns == 0)
		return ASC_OK;
	if (launch_enter(p, p->result->phase, e))
		return e->status;
	(void)nanosleep(&pause, NULL);
	return ASC_OK;
}

static int64_t count_unwritten(void *user, const struct tensor *t)
{
	struct worker_problem *p = user;

	return worker_problem_count_poison(p, (size_t)(t - p->workload->tensors));
}

/* Verifies the outputs as they are; the result's status stays when they pass. */
static enum asc_status check_outputs(struct launch_context *p, struct asc_err *e)
{
	struct verify_report report;
	struct result *r = p->result;

	if (!launch_check_bounds(p, r->phase))
		return ASC_OK;
	if (show_life(p, e)) /* comparing takes time of its own */
		return e->status;
	verify_begin(&report);
	report.count_unwritten = count_unwritten;
	report.user = p->config->problem;
	enum asc_status s = compare_outputs(p->config->problem, &report, e);
	verify_end(&report);
	if (report.wrong || r->phase == PHASE_VERIFY)
		r->errors = report.norms;
	if (report.wrong)
		result_set(r, RESULT_WRONG, r->phase, "%s%s",
			   r->phase == PHASE_VERIFY ? "" : "in a later launch: ", report.reason);
	if (s != ASC_INPUT)
		return s;
	p->config->harmful = true; /* this process has no reference any more */
	return launch_refuse(p, RESULT_WRONG, e);
}

/* Launches each of several calls alone, so that one that crashes or hangs is known; then all is as
 * before. */
static enum asc_status launch_each(struct launch_context *p, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 1; !s && i <= p->config->sequence.n && p->result->status == RESULT_OK;
	     i++) {
		p->step = i;
		s = launch_enter(p, PHASE_VERIFY, e) ? e->status : launch_untimed(p, 1, e);
	}
	p->step = 0;
	if (s || p->result->status != RESULT_OK)
		return s;
	return launch_enter(p, PHASE_VERIFY, e) ? e->status : worker_config_poison(p->config, e);
}

enum asc_status launch_verify(struct launch_context *p, int64_t *ns, struct asc_err *e)
{
	struct worker_problem *problem = p->config->problem;
	int64_t start = clock_now_ns();
	enum asc_status s = launch_enter(p, PHASE_VERIFY, e);

	if (!s && problem->ops->facts)
		s = problem->ops->facts(&p->config->sequence, p->result, e);
	if (!s)
		s = worker_config_poison(p->config, e);
	if (!s && p->config->sequence.n > 1)
		s = launch_each(p, e);
	if (!s && p->result->status == RESULT_OK)
		s = launch_batch(p, (struct device_batch){.samples = 1, .launches = 1}, ns, e);
	if (!s && p->result->status == RESULT_OK)
		s = check_outputs(p, e);
	p->result->spent_ns[PHASE_VERIFY] = clock_now_ns() - start;
	return s;
}

enum asc_status launch_verify_later(struct launch_context *p, struct asc_err *e)
{
	if (launch_enter(p, p->result->phase, e) || worker_config_poison(p->config, e) ||
	    launch_untimed(p, 1, e))
		return e->status;
	return p->result->status == RESULT_OK ? check_outputs(p, e) : ASC_OK;
}

enum asc_status launch_verify_again(struct launch_context *p, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status s = check_outputs(p, e);

	p->result->spent_ns[PHASE_VERIFY] += clock_now_ns() - start;
	return s;
}
