#include "tuner/worker/launch.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/worker/harm.h"
#include "tuner/worker/verify.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_expected.h"

/* Age of the last heartbeat beyond which another one precedes a launch, so that no launch's time
 * limit counts earlier ones. */
static const int64_t SIGN_NS = 10000000;

enum { MUCH_BYTES = 64 << 20 /* takes some ten milliseconds to move */ };
enum {
	SUMMED = 5, /* launches whose kernels are timed: a median that one disturbance leaves */
	ROWS = 10,  /* of launches, whose time on the host counts */
	ROWS_NS = 100 * 1000 * 1000, /* no row begins after this time but the first */
	IN_A_ROW = 200,
	IN_A_ROW_NS = 100 * 1000 * 1000, /* if each took as long as one alone; 3 at least */
	IN_A_ROW_PIECES = 512,           /* of work: behind a full queue a launch waits */
	UNKNOWN_PIECES = 10              /* of a launch, where the clock has no records of them */
};

static enum asc_status show_life(struct measurement *m, struct asc_err *e)
{
	if (clock_now_ns() - m->beat_ns < SIGN_NS)
		return ASC_OK;
	return measurement_enter(m, m->result->phase, e);
}

/* A kernel that breaks the device's context counts as crashed. */
enum asc_status launch_refuse(struct measurement *m, struct asc_err *e)
{
	const struct worker_problem *problem = m->config->problem;
	bool lost = problem->ops->lost(problem->device);

	if (m->step)
		(void)call_wrap(m->config->implementation, m->step - 1, e);
	return measurement_refuse(m, lost ? RESULT_CRASHED : RESULT_LAUNCH_FAILED, e);
}

/* ---- the machine ---- */

int64_t steady_note(struct steady *s, const struct policy *r, const struct device_state *before,
		    const struct device_state *after, int64_t ns)
{
	double waited = (double)(after->waited_ns - before->waited_ns);
	int64_t marks = 0;

	if (after->mhz > s->highest_mhz)
		s->highest_mhz = after->mhz;
	if (after->interrupts > before->interrupts || waited > r->noise.wait * (double)ns)
		marks |= RESULT_MARK_LOAD;
	if (after->throttles > before->throttles)
		marks |= RESULT_MARK_CLOCK | RESULT_MARK_HOT;
	/* A clock that the power limit keeps low is no disturbance: it is the configuration's own.
	 */
	if (after->mhz > 0 && !after->power_capped &&
	    (double)after->mhz < r->noise.clock * (double)s->highest_mhz)
		marks |= RESULT_MARK_CLOCK;
	if (after->power_capped)
		marks |= RESULT_POWER_CAPPED;
	return marks | (after->mhz & RESULT_MHZ_MASK) << RESULT_MHZ_SHIFT;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t steady_pause(struct steady *s, const struct policy *r, int64_t note)
{
	/* Shorter than a launch may last: the coordinator would take the silence for a launch that
	 * hangs. */
	const int64_t most = least(r->noise.pause_most_ns, r->limit_ns / 4);

	if (!(note & RESULT_MARK_HOT)) {
		s->pause_ns = 0;
		return 0;
	}
	/* Half as long again each time: how long a device takes to cool is not known. */
	s->pause_ns = s->pause_ns > 0 ? s->pause_ns + s->pause_ns / 2 : r->noise.pause_ns;
	s->pause_ns = least(s->pause_ns, most);
	const int64_t pause = least(s->pause_ns, POLICY_PAUSE_ALL_NS - s->paused_ns);

	s->paused_ns += pause > 0 ? pause : 0;
	return pause > 0 ? pause : 0;
}

enum asc_status launch_cool(struct measurement *m, struct asc_err *e)
{
	const int64_t ns = steady_pause(&m->config->problem->steady, &m->race->policy, m->note);
	const struct timespec pause = {ns / 1000000000, ns % 1000000000};

	if (ns == 0)
		return ASC_OK;
	if (measurement_enter(m, m->result->phase, e))
		return e->status;
	(void)nanosleep(&pause, NULL);
	return ASC_OK;
}

/* ---- samples ---- */

enum asc_status launch_follow(struct measurement *m, struct asc_err *e)
{
	struct worker_config *c = m->config;

	if (c->moves == c->problem->moves)
		return ASC_OK;
	c->problem->observed = false;
	return worker_config_follow(m, e) ? launch_refuse(m, e) : ASC_OK;
}

static bool queues(const struct worker_problem *p)
{
	return p->ops->info(p->device)->queues;
}

/* Counts up the metric of launches that the clock had lost. */
static enum asc_status note_lost(struct measurement *m, int64_t lost, struct asc_err *e)
{
	static const char name[] = "lost_launches";
	struct result *r = m->result;

	const size_t i = metrics_find(r->metrics, r->n_metrics, RESULT_KERNEL, name);

	if (i == r->n_metrics)
		return result_add_metric(r, RESULT_KERNEL, name, (double)lost, "1", e);
	r->metrics[i].value += (double)lost;
	return ASC_OK;
}

/* Adds what this process has done so far to the sample's, before (-1) and after (1) its launches.
 */
static void take_use(struct measurement *m, int64_t sign)
{
	const struct worker_problem *p = m->config->problem;
	struct device_use now;

	if (!m->wants_use || !p->ops->use)
		return;
	p->ops->use(p->device, &now);
	m->use.busy_ns += sign * now.busy_ns;
	m->use.faults += sign * now.faults;
	m->use.switches += sign * now.switches;
}

/* Makes the launches of a batch, ns[i] for those of sample i together.
 *
 * A device that queues launches takes the whole batch in one call and flushes its caches itself,
 * between launches that follow each other without a gap. Other devices have batches of one sample,
 * and where caches are cold each launch is made alone after a flush, which is not timed. The state
 * of the device is read on both sides of each call; while nothing else happens between two calls,
 * the reading after one is that before the next. */
static enum asc_status launch_batch(struct measurement *m, const struct device_batch *all,
				    int64_t *ns, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	const bool cold = m->race->policy.cache == CACHE_COLD, flushes = cold && !queues(p);
	struct device_batch part = *all;
	int64_t kernels_ns = 0, part_kernels_ns = 0, lost;

	part.cold = cold && !flushes;
	part.launches = flushes ? 1 : all->launches;
	part.kernels_ns = all->kernels_ns ? &part_kernels_ns : NULL;
	part.lost = &lost;
	ns[0] = 0;
	if (launch_follow(m, e))
		return e->status;
	for (int64_t made = 0; made < all->launches && m->result->status == RESULT_OK;
	     made += part.launches) {
		const int64_t earlier_ns = ns[0];
		int64_t part_ns = 0;

		if (flushes) {
			const int64_t start = clock_now_ns();
			enum asc_status s = p->ops->flush(p->device, &m->config->sequence, e);

			m->result->flush_ns += clock_now_ns() - start;
			p->observed = false;
			if (s)
				return s;
		}
		if (show_life(m, e))
			return e->status;
		if (!p->observed)
			p->ops->observe(p->device, &p->state);
		const struct device_state before = p->state;
		lost = 0;
		take_use(m, -1);
		if (p->ops->run(p->device, &m->config->sequence, &part, ns, e))
			return launch_refuse(m, e);
		take_use(m, 1);
		p->ops->observe(p->device, &p->state);
		p->observed = true;
		for (int64_t i = 0; i < part.samples; i++)
			part_ns += ns[i];
		/* All marks of several parts count, and the last clock. */
		m->note = steady_note(&p->steady, &m->race->policy, &before, &p->state, part_ns) |
			  (m->note & RESULT_MARKS);
		m->waited_ns += p->state.waited_ns - before.waited_ns;
		ns[0] += earlier_ns;
		kernels_ns += part_kernels_ns;
		if (lost > 0 && note_lost(m, lost, e))
			return e->status;
	}
	if (all->kernels_ns)
		*all->kernels_ns = kernels_ns;
	return ASC_OK;
}

static enum asc_status restore(void *problem, struct asc_err *e)
{
	return worker_problem_restore(problem, e);
}

enum asc_status launch_sample(struct measurement *m, struct device_batch batch, int64_t *ns,
			      struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;

	m->note = m->waited_ns = 0;
	m->use = (struct device_use){0};
	/* Writing tensors anew takes time in which the machine may change unseen. */
	p->observed &= !worker_problem_has_inout(p);
	batch.restore = restore;
	batch.user = p;
	return worker_problem_restore(p, e) ? e->status : launch_batch(m, &batch, ns, e);
}

int64_t launch_samples_at_once(const struct measurement *m, int64_t wanted)
{
	const struct worker_problem *problem = m->config->problem;

	return queues(problem) && !worker_problem_has_inout(problem) ? wanted : 1;
}

enum asc_status launch_untimed(struct measurement *m, int64_t n, struct asc_err *e)
{
	struct worker_problem *problem = m->config->problem;
	const struct device_ops *ops = problem->ops;
	const struct device_sequence *all = &m->config->sequence;
	const struct device_sequence kernels =
		m->step ? (struct device_sequence){&all->kernels[m->step - 1], 1} : *all;

	if (show_life(m, e) || launch_follow(m, e))
		return e->status;
	problem->observed = false;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	if (ops->launch(problem->device, &kernels, n, e) || ops->wait(problem->device, e))
		return launch_refuse(m, e);
	return ASC_OK;
}

enum asc_status launch_queue(struct measurement *m, bool flushed, int64_t n, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	const struct device_sequence *all = &m->config->sequence;

	p->observed = false;
	if (show_life(m, e) || launch_follow(m, e))
		return e->status;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	if (flushed && p->ops->flush(p->device, all, e))
		return e->status;
	return p->ops->launch(p->device, all, n, e) ? launch_refuse(m, e) : ASC_OK;
}

enum asc_status launch_await(struct measurement *m, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;

	return p->ops->wait(p->device, e) ? launch_refuse(m, e) : ASC_OK;
}

bool launch_is_anywhere(const struct worker_config *c)
{
	bool any = false;

	for (size_t i = 0; i < c->sequence.n; i++)
		any |= c->calls[i].vendor && vendor_is_anywhere(c->calls[i].vendor);
	return any;
}

/* Begins, or ends, launches whose times on the host count. */
static void time_host(const struct worker_config *c, bool begins)
{
	for (size_t i = 0; i < c->sequence.n; i++)
		if (c->calls[i].vendor)
			vendor_kernel_time_host(c->calls[i].vendor, begins);
}

/* Makes rows of `n` launches each. The first row is slower where a profiler has just left, and
 * others are where the processor is busy: several show what a launch takes without either. */
static enum asc_status launch_rows(struct measurement *m, int64_t n, struct asc_err *e)
{
	const struct worker_problem *p = m->config->problem;
	enum asc_status s = ASC_OK;

	if (p->ops->undisturbed)
		p->ops->undisturbed(p->device, true);
	const int64_t end_ns = clock_now_ns() + ROWS_NS;

	for (int k = 0; k < ROWS && !s && m->result->status == RESULT_OK &&
			(k == 0 || clock_now_ns() < end_ns);
	     k++) {
		time_host(m->config, true);
		s = launch_untimed(m, n, e);
		time_host(m->config, false);
	}
	if (p->ops->undisturbed)
		p->ops->undisturbed(p->device, false);
	return s;
}

/* A launch that is timed alone, behind a wait, takes the host up to nine times as long as one
 * behind another (PyTorch's rms_norm at 16 tokens: 244 us instead of 27), and the latter is what a
 * program has: some in a row let the host's time be seen. */
static enum asc_status launch_in_a_row(struct measurement *m, int64_t alone_ns, size_t pieces,
				       struct asc_err *e)
{
	const int64_t room = IN_A_ROW_PIECES / (int64_t)(pieces > 0 ? pieces : UNKNOWN_PIECES);
	const int64_t fit = least(IN_A_ROW_NS / (alone_ns > 0 ? alone_ns : 1), room);

	if (!worker_problem_has_inout(m->config->problem))
		return launch_rows(m, fit < 3 ? 3 : least(fit, IN_A_ROW), e);
	/* inout tensors would hold what the launch before left: no time on the host is known. */
	time_host(m->config, true);
	time_host(m->config, false);
	return ASC_OK;
}

/* Adds what was seen of a launch that may work anywhere. */
static enum asc_status add_work(struct measurement *m, const struct device_work *work,
				struct asc_err *e)
{
	if (work->pieces > 0 &&
	    result_add_metric(m->result, RESULT_KERNEL, "launches", (double)work->pieces, "1", e))
		return e->status;
	return work->held
		       ? result_add_metric(m->result, RESULT_KERNEL, "waits", work->waits, "1", e)
		       : ASC_OK;
}

enum asc_status launch_sum_kernels(struct measurement *m, struct asc_err *e)
{
	const bool anywhere = queues(m->config->problem) && launch_is_anywhere(m->config);
	struct device_work work = {0};
	double shares[SUMMED];
	int64_t ns = 0, alone_ns = INT64_MAX, sum = 0;

	if ((m->config->sequence.n < 2 && !anywhere) || measurement_is_over(m))
		return ASC_OK;
	for (size_t i = 0; i < SUMMED && m->result->status == RESULT_OK; i++) {
		const struct device_batch one = {
			.samples = 1, .launches = 1, .kernels_ns = &sum, .work = &work};
		const int64_t start_ns = clock_now_ns();

		if (launch_sample(m, one, &ns, e))
			return e->status;
		const int64_t took_ns = clock_now_ns() - start_ns;

		alone_ns = took_ns < alone_ns ? took_ns : alone_ns;
		shares[i] = ns > 0 ? (double)sum / (double)ns : 0;
	}
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	if (anywhere && (add_work(m, &work, e) || launch_in_a_row(m, alone_ns, work.pieces, e)))
		return e->status;
	m->kernels_share = stats_select_median(shares, SUMMED);
	return ASC_OK;
}

/* ---- verification ---- */

enum asc_status launch_collect(struct measurement *m, struct asc_err *e)
{
	const struct worker_config *c = m->config;

	for (size_t i = 0; i < c->sequence.n && m->result->status == RESULT_OK; i++) {
		if (!c->calls[i].vendor || !vendor_collect(c->calls[i].vendor, e))
			continue;
		if (e->status == ASC_NOMEM)
			return e->status;
		if (e->status != ASC_INPUT)
			return launch_refuse(m, e);
		(void)call_wrap(c->implementation, i, e);
		(void)measurement_refuse(m, RESULT_WRONG, e);
	}
	return ASC_OK;
}

bool launch_check_bounds(struct measurement *m, enum phase phase)
{
	struct worker_config *c = m->config;
	struct device_buffer *own[WORKER_CONFIG_OWN];
	struct harm harm;
	struct asc_err e;

	static_assert((int)WORKER_CONFIG_OWN <= (int)HARM_MAX_OWN, "all are looked at");
	c->harmful = true;
	if (harm_find(c->problem, own, worker_config_list_own(c, own), &harm, &e)) {
		(void)launch_refuse(m, &e);
		return false;
	}
	c->harmful = harm.damaged || harm.between || harm.changed || harm.falsified ||
		     harm.variables || harm.scratch >= 0;
	measurement_set_harm(m, &harm, phase);
	return !c->harmful;
}

/* Compares output i with the reference: on the device where that can, else here. */
static enum asc_status compare_output(struct worker_problem *p, size_t i,
				      struct verify_report *report, struct asc_err *e)
{
	const struct tensor *stated = &p->workload->tensors[i];
	const struct bound_tensor *t = &p->binding.tensors[i];

	if (p->expected[i]) {
		const struct device_tolerance how = {.type = t->dtype,
						     .count = t->count,
						     .atol = t->atol,
						     .rtol = t->rtol,
						     .exact = stated->verify.kind == VERIFY_EXACT,
						     .mask = p->masks[i]};
		struct device_difference found;
		enum asc_status s =
			p->ops->compare(p->device, p->buffers[i], p->expected[i], &how, &found, e);

		if (s == ASC_OK)
			verify_found(report, stated, t, &found);
		if (s != ASC_ABSENT)
			return s;
		/* The device has no such comparison: all outputs are compared here from now on. */
		worker_expected_drop(p);
	}
	if (reference_map(&p->reference, &p->binding, e) || worker_problem_read(p, i, e))
		return e->status;
	enum asc_status s = verify_tensor(report, stated, t, p->staging, p->reference.tensors[i],
					  p->n_left[i] > 0 ? p->poison[i] : NULL, e);
	memset(p->staging, 0, (size_t)t->bytes); /* right outputs are not for the next kernel */
	return s;
}

static void find_traces(void *user, const struct tensor *t, struct verify_traces *out)
{
	struct worker_problem *p = user;

	worker_problem_find_traces(p, (size_t)(t - p->workload->tensors), out);
}

/* Verifies the outputs as they are. Bounds come first: a stray write makes everything else that is
 * found doubtful. */
static enum asc_status check_outputs(struct measurement *m, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	struct verify_report report;
	struct result *r = m->result;
	enum asc_status s = ASC_OK;

	if (launch_collect(m, e))
		return e->status;
	if (r->status != RESULT_OK || !launch_check_bounds(m, r->phase))
		return ASC_OK;
	if (show_life(m, e)) /* comparing takes time of its own */
		return e->status;
	verify_begin(&report);
	report.find_traces = find_traces;
	report.user = p;
	r->verified_by = p->verified_by;
	for (size_t i = 0; !s && i < p->workload->n_tensors; i++)
		if (p->reference.has[i])
			s = compare_output(p, i, &report, e);
	reference_unmap(&p->reference); /* no kernel is to find it in memory */
	verify_end(&report);
	if (report.wrong || r->phase == PHASE_VERIFY)
		r->errors = report.norms;
	if (report.wrong)
		result_set(r, RESULT_WRONG, r->phase, "%s%s",
			   r->phase == PHASE_VERIFY ? "" : "in a later launch: ", report.reason);
	if (s != ASC_INPUT)
		return s;
	m->config->harmful = true; /* this process has no reference any more */
	return measurement_refuse(m, RESULT_WRONG, e);
}

static enum asc_status poison(void *config, struct asc_err *e)
{
	return worker_config_poison(config, e);
}

enum asc_status launch_verify(struct measurement *m, int64_t *ns, struct asc_err *e)
{
	struct worker_config *c = m->config;
	const struct device_batch one = {.samples = 1, .launches = 1, .restore = poison, .user = c};
	const struct device_ops *ops = c->problem->ops;
	const int64_t start = clock_now_ns();
	enum asc_status s = measurement_enter(m, PHASE_VERIFY, e);

	if (!s && ops->facts)
		s = ops->facts(&c->sequence, m->result, e);
	if (!s)
		s = worker_config_poison(c, e);
	/* Each of several calls alone first, announced by its number: which of them crashed or hung
	 * is known then. Their outputs are not right without each other: poison once more. */
	if (c->sequence.n > 1) {
		for (m->step = 1; !s && m->step <= c->sequence.n && m->result->status == RESULT_OK;
		     m->step++)
			s = measurement_enter(m, PHASE_VERIFY, e) ? e->status
								  : launch_untimed(m, 1, e);
		m->step = 0;
		if (!s && m->result->status == RESULT_OK)
			s = measurement_enter(m, PHASE_VERIFY, e) ? e->status
								  : worker_config_poison(c, e);
	}
	if (!s && m->result->status == RESULT_OK)
		s = launch_batch(m, &one, ns, e);
	if (!s && m->result->status == RESULT_OK)
		s = check_outputs(m, e);
	m->result->spent_ns[PHASE_VERIFY] = clock_now_ns() - start;
	return s;
}

enum asc_status launch_verify_anew(struct measurement *m, struct asc_err *e)
{
	if (measurement_enter(m, m->result->phase, e) || worker_config_poison(m->config, e) ||
	    launch_untimed(m, 1, e))
		return e->status;
	return m->result->status == RESULT_OK ? check_outputs(m, e) : ASC_OK;
}

enum asc_status launch_try_graph(struct measurement *m, bool *passes, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	struct measurement own = *m;
	struct result r;

	result_init(&r);
	r.status = RESULT_OK;
	r.phase = m->result->phase;
	own.result = &r;
	p->observed = false;
	enum asc_status s = measurement_enter(&own, r.phase, e);

	/* Poison comes between: what was not recorded, but done at once, is not taken for the
	 * graph's. */
	if (!s && (p->ops->capture(p->device, &m->config->sequence, e) ||
		   worker_config_poison(m->config, e) || p->ops->replay(p->device, e) ||
		   p->ops->wait(p->device, e)))
		s = launch_refuse(&own, e);
	else if (!s)
		s = check_outputs(&own, e);
	*passes = !s && r.status == RESULT_OK;
	m->config->harmful = true;
	result_fini(&r);
	return s;
}

enum asc_status launch_put_set(struct measurement *m, size_t set, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	const struct worker_watch *watch = &m->race->watch;
	char what[160];

	p->observed = false;
	if ((set == p->set && !p->unseen) || p->kept[set])
		return worker_problem_put_set(p, set, e);
	if (set < p->binding.problem->n_sets)
		(void)snprintf(what, sizeof what, "reading %s", p->binding.problem->sets[set].file);
	else
		(void)snprintf(what, sizeof what, "making other inputs");
	if (watch->doing && watch->doing(watch->user, what, e))
		return e->status;
	return worker_problem_put_set(p, set, e);
}

static bool is_much(const struct worker_problem *p)
{
	int64_t bytes = 0;

	for (size_t i = 0; i < p->workload->n_tensors; i++)
		bytes += p->binding.tensors[i].owner == i ? p->binding.tensors[i].memory_bytes : 0;
	return bytes > MUCH_BYTES;
}

enum asc_status launch_move(struct measurement *m, struct rng *rng, size_t set, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	const struct worker_watch *watch = &m->race->watch;

	/* What is not kept is announced, and made, at the place where it lay before. */
	if (set != p->set && !p->kept[set] && launch_put_set(m, set, e))
		return e->status;
	if (!worker_problem_moves(p))
		return set != p->set ? launch_put_set(m, set, e) : ASC_OK;
	p->observed = false;
	if (is_much(p) && watch->doing && watch->doing(watch->user, "moving tensors", e))
		return e->status;
	return worker_problem_move(p, rng, set, e);
}

/* Names the inputs that a failure was found on, where these are not the first set's. */
static void name_inputs(struct measurement *m)
{
	const struct worker_problem *p = m->config->problem;
	struct result *r = m->result;

	if (r->status == RESULT_OK || p->set == 0)
		return;
	if (p->set < p->binding.problem->n_sets)
		result_set(r, r->status, r->phase, "with the inputs of %s: %s",
			   p->binding.problem->sets[p->set].file, result_reason(r));
	else
		result_set(r, r->status, r->phase, "with the inputs of seed %" PRIu64 ": %s",
			   p->seeds[p->set], result_reason(r));
}

enum asc_status launch_verify_set(struct measurement *m, struct asc_err *e)
{
	const int64_t start = clock_now_ns();
	struct result *r = m->result;
	const struct error_norms errors = r->errors;
	const enum phase phase = r->phase;

	r->phase = PHASE_VERIFY;
	const enum asc_status s = launch_verify_anew(m, e);

	r->spent_ns[PHASE_VERIFY] += clock_now_ns() - start;
	if (r->status == RESULT_OK) {
		r->errors = errors;
		r->phase = phase;
		return s;
	}
	name_inputs(m);
	return s;
}

enum asc_status launch_verify_moved(struct measurement *m, struct rng *rng, struct asc_err *e)
{
	struct result *r = m->result;
	const struct worker_problem *p = m->config->problem;

	if (!worker_problem_moves(p))
		return ASC_OK;
	if (launch_move(m, rng, p->set, e) || launch_verify_set(m, e))
		return e->status;
	if (r->status != RESULT_OK)
		result_set(r, r->status, r->phase, "with its tensors at other addresses: %s",
			   result_reason(r));
	return ASC_OK;
}

enum asc_status launch_verify_last(struct measurement *m, struct asc_err *e)
{
	const int64_t start = clock_now_ns();
	enum asc_status s = check_outputs(m, e);

	m->result->spent_ns[PHASE_VERIFY] += clock_now_ns() - start;
	name_inputs(m);
	return s;
}
