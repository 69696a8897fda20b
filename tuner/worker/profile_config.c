#include "tuner/worker/profile_config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/metric_book.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/result/profile.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/sampling.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

/* Undisturbed rounds of the times: a median of nine leaves out four that something disturbed
 * unseen; of slow kernels as many as last ROUNDS_NS, three at least, which leave out one. */
enum { ROUNDS = 9, FEWEST_ROUNDS = 3, MOST_ROUNDS = 2 * ROUNDS };
static const int64_t ROUNDS_NS = INT64_C(100000000);

/* States in which a launch is timed, in turns: what changes from one to the next shows what it
 * waits for. `other` is the state of the caches that the policy does not ask for. */
enum state { BY_POLICY, OTHER_CACHES, HALF, STATES };

struct times {
	int64_t ns[STATES][MOST_ROUNDS], notes[STATES][MOST_ROUNDS];
	/* Threads on processors, and with those that wait for one, BY_POLICY; 0: too short to tell.
	 */
	double busy[MOST_ROUNDS], working[MOST_ROUNDS];
	int64_t faults, switches; /* of all launches of that state */
	size_t n, n_clean;        /* rounds; those without a mark in any state */
	bool has[STATES];
};

/* ---- times ---- */

static enum asc_status take_one(struct measurement *m, enum state state, int64_t launches,
				int64_t *ns, struct asc_err *e)
{
	const struct device_batch batch = {.samples = 1, .launches = launches};
	struct worker_problem *p = m->config->problem;
	struct policy *policy = &m->race->policy;
	const enum cache_policy caches = policy->cache;
	const bool hot = state == OTHER_CACHES ? caches == CACHE_COLD : caches == CACHE_HOT;
	enum asc_status s = ASC_OK;

	policy->cache = hot ? CACHE_HOT : CACHE_COLD;
	if (state == HALF)
		s = p->ops->halve(p->device, &m->config->sequence, true, e);
	/* Hot is what the launch before has left there, and the state before may have been cold. */
	if (!s && hot)
		s = launch_untimed(m, 1, e);
	if (!s && m->result->status == RESULT_OK)
		s = launch_sample(m, batch, ns, e);
	if (state == HALF) {
		struct asc_err second;
		const enum asc_status whole =
			p->ops->halve(p->device, &m->config->sequence, false, s ? &second : e);

		s = s ? s : whole;
	}
	policy->cache = caches;
	return s;
}

/* False where the device cannot run less of the sequence at a time; the reason becomes the
 * reading. */
static enum asc_status try_half(struct measurement *m, bool *can, struct asc_err *e)
{
	struct worker_problem *p = m->config->problem;
	const struct device_sequence *s = &m->config->sequence;
	struct asc_err why;

	(void)asc_err_set(&why, ASC_ABSENT, "the device cannot run with less occupancy");
	*can = p->ops->halve && p->ops->halve(p->device, s, true, &why) == ASC_OK;
	if (*can)
		return p->ops->halve(p->device, s, false, e);
	return result_add_missing(m->result, PROFILE_TIMES, "half_ns", "ns", why.text, e);
}

/* Adds the time of a launch in a state: the median of the samples without marks. On a machine so
 * busy that hardly any are, the least of all: a disturbance only makes a launch longer, and states
 * are compared with each other. */
static enum asc_status add_time(struct measurement *m, const char *name, const struct times *t,
				enum state state, int64_t launches, struct asc_err *e)
{
	double clean[MOST_ROUNDS], least = INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		const double ns = (double)t->ns[state][i] / (double)launches;

		least = fmin(least, ns);
		if (result_is_clean(t->notes[state], i))
			clean[n++] = ns;
	}
	const double ns = n >= FEWEST_ROUNDS ? stats_select_median(clean, n) : least;

	return result_add_metric(m->result, PROFILE_TIMES, name, ns, "ns", e);
}

/* Shortest sample whose busy threads are told: setting the processor of the thread that launches,
 * and reading clocks, was 7 us of a launch of 20 us, outside of its time; it is below a tenth of
 * this. */
static const double LEAST_BUSY_NS = 1e5;

/* Adds what a kernel that runs in this process does beside its work. */
static enum asc_status add_use(struct measurement *m, struct times *t, int64_t launches,
			       struct asc_err *e)
{
	const struct worker_problem *p = m->config->problem;
	const double all = (double)t->n * (double)launches;
	struct result *r = m->result;

	if (!p->ops->use)
		return ASC_OK;
	const double busy = stats_select_median(t->busy, t->n);
	const double working = stats_select_median(t->working, t->n);

	if ((busy > 0 && result_add_metric(r, PROFILE_TIMES, "busy_threads", busy, "1", e)) ||
	    (busy > 0 && result_add_metric(r, PROFILE_TIMES, "working_threads", working, "1", e)) ||
	    result_add_metric(r, PROFILE_TIMES, "faults", (double)t->faults / all, "1", e))
		return e->status;
	return result_add_metric(r, PROFILE_TIMES, "switches", (double)t->switches / all, "1", e);
}

/* Takes the times in rounds, so that all states share the moments in which the machine is slow. */
/* NOLINTNEXTLINE(readability-function-size): one path, told in one place */
static enum asc_status take_times(struct measurement *m, int64_t first_ns, bool experiments,
				  struct asc_err *e)
{
	const struct policy *policy = &m->race->policy;
	const bool inout = worker_problem_has_inout(m->config->problem);
	const int64_t launches = inout ? 1 : sampling_group(policy, first_ns);
	struct times t = {.has = {[BY_POLICY] = true, [OTHER_CACHES] = experiments}};
	struct result *r = m->result;
	int64_t spent_ns = 0;

	if (experiments && try_half(m, &t.has[HALF], e))
		return e->status;
	r->samples = malloc(MOST_ROUNDS * sizeof *r->samples);
	r->notes = malloc(MOST_ROUNDS * sizeof *r->notes);
	if (!r->samples || !r->notes)
		return asc_err_nomem(e);
	if (launch_untimed(m, 1, e))
		return e->status;
	/* Disturbed rounds are held again, as many as there are to be at most. */
	while (t.n < MOST_ROUNDS && t.n_clean < ROUNDS && r->status == RESULT_OK &&
	       (t.n == 0 ||
		(!measurement_is_over(m) && (t.n < FEWEST_ROUNDS || spent_ns < ROUNDS_NS ||
					     (t.n_clean < FEWEST_ROUNDS && t.n < ROUNDS))))) {
		bool clean = true;

		for (enum state s = BY_POLICY; s < STATES && r->status == RESULT_OK; s++) {
			if (!t.has[s])
				continue;
			if (take_one(m, s, launches, &t.ns[s][t.n], e))
				return e->status;
			spent_ns += t.ns[s][t.n];
			t.notes[s][t.n] = m->note;
			clean &= result_is_clean(t.notes[s], t.n);
			if (s != BY_POLICY)
				continue;
			r->notes[t.n] = m->note;
			const double ns = (double)t.ns[s][t.n];
			const bool tells = ns >= LEAST_BUSY_NS;

			t.busy[t.n] = tells ? (double)m->use.busy_ns / ns : 0;
			t.working[t.n] = tells ? (double)(m->use.busy_ns + m->waited_ns) / ns : 0;
			t.faults += m->use.faults;
			t.switches += m->use.switches;
		}
		t.n += r->status == RESULT_OK;
		t.n_clean += clean && r->status == RESULT_OK;
	}
	for (size_t i = 0; i < t.n; i++)
		r->samples[i] = sampling_per_launch(t.ns[BY_POLICY][i], launches);
	r->n_samples = t.n;
	if (r->status != RESULT_OK)
		return ASC_OK;
	const bool cold = policy->cache == CACHE_COLD;
	size_t marked = 0, taken = 0;

	for (enum state s = BY_POLICY; s < STATES; s++)
		for (size_t i = 0; t.has[s] && i < t.n; i++, taken++)
			marked += !result_is_clean(t.notes[s], i);
	if (result_add_metric(r, PROFILE_TIMES, "disturbed", (double)marked / (double)taken, "1",
			      e) ||
	    add_time(m, "time_ns", &t, BY_POLICY, launches, e) ||
	    add_time(m, cold ? "cold_ns" : "hot_ns", &t, BY_POLICY, launches, e) ||
	    (t.has[OTHER_CACHES] &&
	     add_time(m, cold ? "hot_ns" : "cold_ns", &t, OTHER_CACHES, launches, e)) ||
	    (t.has[HALF] && add_time(m, "half_ns", &t, HALF, launches, e)) ||
	    add_use(m, &t, launches, e))
		return e->status;
	return result_summarize(r, e);
}

/* ---- launches for probes ---- */

static enum asc_status announce_pass(void *user, size_t pass, size_t of, struct asc_err *e)
{
	struct measurement *m = user;

	(void)of;
	m->pass = pass;
	return measurement_enter(m, PHASE_MEASURE, e);
}

static enum asc_status restore(void *user, struct asc_err *e)
{
	return worker_problem_restore(((struct measurement *)user)->config->problem, e);
}

/* A launch that the device refuses is an error for the probe, which may find that its counters are
 * the reason: it is the measurement's result only where the probe passes it on. Any other failure
 * of the kernel is the result at once. */
static enum asc_status launch_for_probe(void *user, int64_t n, struct asc_err *e)
{
	struct measurement *m = user;
	struct result *r = m->result;
	const enum asc_status s = launch_untimed(m, n, e);

	if (s || r->status == RESULT_OK)
		return s;
	(void)asc_err_set(e, ASC_CHILD, "%s", result_reason(r));
	if (r->status == RESULT_LAUNCH_FAILED) {
		free(r->reason);
		r->reason = NULL;
		r->status = RESULT_OK;
	}
	return e->status;
}

static enum asc_status flush(void *user, struct asc_err *e)
{
	struct measurement *m = user;
	struct worker_problem *p = m->config->problem;

	return p->ops->empty ? p->ops->empty(p->device, e)
			     : p->ops->flush(p->device, &m->config->sequence, e);
}

/* Adds to each metric of a probe that cannot be opened why that is. */
static enum asc_status add_reasons(struct result *r, const struct profile_probe *p,
				   const struct metric_set *set, struct asc_err *e)
{
	for (const struct probe_metric *m = p->ops->metrics; m && m->name; m++)
		if (result_add_missing(r, p->ops->name, m->name, m->unit, p->reason, e))
			return e->status;
	for (size_t i = 0; !p->ops->metrics && set && set->metrics[i]; i++) {
		const struct metric_def *d = set->metrics[i];

		if (strcmp(d->probe, p->ops->name) == 0 &&
		    result_add_missing(r, p->ops->name, d->name, d->unit, p->reason, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status replay_all(struct measurement *m, const struct profile_asked *asked,
				  struct asc_err *e)
{
	const struct worker_problem *problem = m->config->problem;
	const bool queues = problem->ops->info(problem->device)->queues;
	const struct probe_launches launches = {
		.pass = announce_pass,
		.restore = restore,
		.flush = queues || m->race->policy.cache == CACHE_COLD ? flush : NULL,
		.launch = launch_for_probe,
		.user = m,
		.time_ns = m->result->time.median,
		.kernels = m->config->sequence.n,
		.vendor = worker_config_has_vendor(m->config),
		.inout = worker_problem_has_inout(problem)};

	enum asc_status status = ASC_OK;

	for (const struct profile_probe *const *at = asked->probes;
	     !status && *at && m->result->status == RESULT_OK && !measurement_is_over(m); at++) {
		const struct profile_probe *p = *at;
		const enum asc_status s =
			p->probe
				? p->ops->replay(p->probe, &asked->request, &launches, m->result, e)
				: add_reasons(m->result, p, asked->request.set, e);

		/* A failure of the kernel in a pass is its result; all else is the worker's
		 * trouble. */
		if (s == ASC_CHILD && m->result->status == RESULT_OK)
			result_set(m->result, RESULT_LAUNCH_FAILED, PHASE_MEASURE, "%s", e->text);
		if (s && m->result->status == RESULT_OK)
			status = asc_err_wrap(e, "probe %s", p->ops->name);
	}
	return status;
}

/* Adds whether launches of what may work anywhere may be recorded into a graph: of others it is
 * known. Time that is up does not matter for one launch. Whatever fails is an answer: nothing else
 * is asked of this process. */
static enum asc_status add_capturable(struct measurement *m, struct asc_err *e)
{
	bool passes = false;

	if (!m->config->problem->ops->capture || !launch_is_anywhere(m->config))
		return ASC_OK;
	(void)launch_try_graph(m, &passes, e);
	return result_add_metric(m->result, RESULT_KERNEL, "capturable", passes, "1", e);
}

/* The order, and why:
 *  1. Verification: nothing is counted of a kernel that is wrong.
 *  2. Times, before anything is counted: a profiler may change clocks and power management.
 *  3. Launches for each probe that replays.
 *  4. Verification of one more launch: a kernel that went wrong in a pass has wrong readings.
 *  5. A launch as a graph, last: a try that fails may spoil the process, which ends. */
enum asc_status worker_config_profile(struct worker_config *c, struct race *race,
				      const struct profile_asked *asked, struct result *r,
				      struct asc_err *e)
{
	struct measurement m = {.race = race, .config = c, .result = r, .wants_use = true};
	const int64_t start = clock_now_ns();
	int64_t first_ns = 0;

	r->status = RESULT_OK;
	r->spent_ns[PHASE_BUILD] = c->warm_ns;
	r->spent_ns[PHASE_LOAD] = c->load_ns;
	if (launch_verify(&m, &first_ns, e))
		return e->status;
	if (r->status == RESULT_OK && (measurement_enter(&m, PHASE_MEASURE, e) ||
				       take_times(&m, first_ns, asked->experiments, e)))
		return e->status;
	if (r->status == RESULT_OK && asked->probes[0] && replay_all(&m, asked, e))
		return e->status;
	m.pass = 0;
	if (r->status == RESULT_OK && launch_verify_anew(&m, e))
		return e->status;
	if (r->status == RESULT_OK && asked->captures && add_capturable(&m, e))
		return e->status;
	r->spent_ns[PHASE_MEASURE] = clock_now_ns() - start - r->spent_ns[PHASE_VERIFY];
	return ASC_OK;
}
