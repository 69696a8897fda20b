/* The evaluator that builds configurations in the pool and measures them in a worker process.
 *
 * worker_poll() does all of the work, in turns of advance() and waiting. A turn, in order:
 *
 * 1. Take what the worker has said: it frees it for the next trial.
 * 2. Start builds of waiting trials, take builds that ended, and have the worker set the problem
 *    up once its functions are built.
 * 3. On a device that shares the host, choose between building and measuring (choose_stage): a
 * compiler beside a kernel takes processors and caches from it, and its times would be of both.
 * 4. While it measures, send built trials to the worker.
 *
 * A trial goes WAITING, BUILDING, BUILT, SENT, DONE (trial.h); trials.h keeps them in their order,
 * workers.h has the two processes. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/process/fiber.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/trials.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/tune/evaluate/workers.h"

enum { MAX_FDS = 1024 };

#define SECOND INT64_C(1000000000)
static const int64_t TICK_NS = SECOND / 20; /* interval at which the pool checks that limit */

struct evaluator {
	struct evaluator_target target;
	struct evaluator_problem problem;
	struct evaluator_problem waiting; /* while another is beside it (worker_beside) */
	struct reference_holds waits_for; /* references of that one */
	struct pool *pool;
	struct prerequisites prerequisites;
	struct trials queue;
	struct workers workers;
	bool measuring;    /* on a device that shares the host: no builds now */
	int64_t turned_ns; /* time of that change */
	enum evaluator_stage reported;
	char doing[160]; /* as reported last */
	bool planner_sought;
	struct asc_err no_planner; /* why none is asked; status ASC_OK: there is nothing to ask */
	size_t built, of;          /* numbers of builds, as reported last */
};

static size_t count(const struct evaluator *v, enum trial_state state)
{
	return trials_count(&v->queue, state);
}

/* ---- builds ---- */

/* A pool_is_mine_fn. */
static bool is_mine(const void *user, uint64_t id)
{
	const struct evaluator *v = user;
	const struct kernel_build *k = id > 0 ? kernel_build_of(id) : NULL;
	size_t i = 0;

	if (!k || prerequisites_has(&v->prerequisites, k))
		return k != NULL;
	while (i < v->queue.n && v->queue.list[i] != k->trial)
		i++;
	return i < v->queue.n;
}

static enum asc_status take_builds(struct evaluator *v, struct asc_err *e)
{
	struct pool_done done;
	enum asc_status s = ASC_OK;

	while (!s && pool_take_mine(v->pool, v->target.pool ? is_mine : NULL, v, &done)) {
		struct kernel_build *k = kernel_build_of(done.id);
		const bool is_own = prerequisites_has(&v->prerequisites, k);

		s = is_own ? prerequisites_take(&v->prerequisites, k, &done, v->pool, e)
			   : trial_take_build(k, &done, v->pool, e);
		if (!s && !is_own && k->trial->state == TRIAL_BUILT)
			s = trials_take_built(&v->queue, &v->problem, k->trial, e);
		pool_done_fini(&done);
	}
	return s;
}

/* True when enough is built to measure; rounds need all of their trials. */
static bool is_built(const struct evaluator *v)
{
	const int64_t patience = trials_in_rounds(&v->queue) ? 0 : v->problem.patience_ns;

	if (count(v, TRIAL_BUILT) == 0)
		return false;
	return (count(v, TRIAL_WAITING) == 0 && pool_pending(v->pool) == 0) ||
	       (patience > 0 && v->workers.worker.ready &&
		clock_now_ns() - v->turned_ns >= patience);
}

/* Takes turns where kernels and compilers compete for the same cores: a batch is built, then
 * measured; compilers of a batch that takes too long are stopped meanwhile. True: the stage has
 * changed. */
static bool choose_stage(struct evaluator *v)
{
	const size_t sent = count(v, TRIAL_SENT);
	bool measuring = true;

	if (v->target.info->shares_host) {
		/* Rounds of which an artifact was lost cannot begin before it is built again. */
		const bool lacks_builds = trials_in_rounds(&v->queue) && sent == 0 &&
					  count(v, TRIAL_WAITING) + count(v, TRIAL_BUILDING) > 0;

		/* Built trials are measured to the last before the next batch is built, since each
		 * turn costs the compilers a stop. */
		measuring = v->prerequisites.pending == 0 &&
			    (v->measuring && !lacks_builds ? sent + count(v, TRIAL_BUILT) > 0
							   : is_built(v));
	}
	if (measuring == v->measuring)
		return false;
	v->measuring = measuring;
	v->turned_ns = clock_now_ns();
	if (v->target.info->shares_host)
		pool_pause(v->pool, measuring);
	return true;
}

static enum asc_status start_builds(struct evaluator *v, struct asc_err *e)
{
	struct trial *t;

	if (v->measuring && v->target.info->shares_host)
		return ASC_OK;
	while ((t = trials_first(&v->queue, TRIAL_WAITING)) != NULL)
		if (trial_build(t, v->pool, e) ||
		    (t->state == TRIAL_BUILT && trials_take_built(&v->queue, &v->problem, t, e)))
			return e->status;
	return ASC_OK;
}

static void report_builds(struct evaluator *v, bool building)
{
	const size_t built = count(v, TRIAL_BUILT) + count(v, TRIAL_DONE);
	const size_t of = built + count(v, TRIAL_WAITING) + count(v, TRIAL_BUILDING);

	if (!building || (built == v->built && of == v->of) || !v->problem.built)
		return;
	v->built = built;
	v->of = of;
	v->problem.built(v->problem.user, (int64_t)built, (int64_t)of);
}

/* Stage of the evaluator: inputs and reference are made beside the builds, and built trials wait
 * for them. */
static enum evaluator_stage find_stage(const struct evaluator *v)
{
	bool measuring = v->measuring && count(v, TRIAL_BUILT) + count(v, TRIAL_SENT) > 0;
	bool building = count(v, TRIAL_WAITING) + count(v, TRIAL_BUILDING) > 0;
	bool unready = v->workers.worker.asked && !v->workers.worker.ready;

	if (unready && (measuring || !building))
		return EVALUATOR_REFERENCE;
	return measuring ? EVALUATOR_MEASURING : EVALUATOR_BUILDING;
}

static void report_stage(struct evaluator *v)
{
	const enum evaluator_stage stage = find_stage(v);
	const char *doing = stage == EVALUATOR_REFERENCE ? workers_doing(&v->workers) : "";

	if ((stage != v->reported || strcmp(doing, v->doing) != 0) && v->problem.stage)
		v->problem.stage(v->problem.user, stage, doing);
	v->reported = stage;
	(void)snprintf(v->doing, sizeof v->doing, "%s", doing);
	report_builds(v, stage == EVALUATOR_BUILDING);
}

/* ---- operations ---- */

/* Asks a worker that waits to set the problem up. What was removed from the cache since it was
 * built is built again before. */
static enum asc_status prepare(struct evaluator *v, struct asc_err *e)
{
	if (v->prerequisites.pending > 0 || v->workers.worker.asked)
		return ASC_OK;
	if (!prerequisites_lost(&v->prerequisites)) {
		if (workers_lack_reference(&v->workers, &v->prerequisites) &&
		    workers_restart(&v->workers, e))
			return e->status;
		return workers_prepare(&v->workers, &v->prerequisites, e);
	}
	prerequisites_cancel(&v->prerequisites, v->pool);
	return prerequisites_begin(&v->prerequisites, &v->problem, v->pool, e);
}

/* Does all that can be done without waiting. */
static enum asc_status advance(struct evaluator *v, struct asc_err *e)
{
	const int64_t until = v->problem.setup_until_ns;
	enum asc_status s = workers_attend(&v->workers, e);

	/* A worker that failed because something was removed from the cache, or because its sandbox
	 * has no access to a cache that was made again, has another try. */
	if ((s == ASC_CHILD || s == ASC_INPUT) && !v->workers.worker.ready &&
	    (prerequisites_lost(&v->prerequisites) ||
	     link_is_shut_out(&v->workers.worker, &v->target)))
		s = workers_restart(&v->workers, e);
	if (s)
		return s;
	/* The worker is asked for the problem as soon as the last build for it is taken: no event
	 * may follow that one. */
	do {
		if (start_builds(v, e) || take_builds(v, e) || prepare(v, e))
			return e->status;
	} while (choose_stage(v));
	if (v->prerequisites.pending > 0 && !v->workers.was_ready && until > 0 &&
	    clock_now_ns() >= until)
		return asc_err_set(
			e, ASC_TIMEOUT,
			"%s: compiling the reference took longer than the whole time budget",
			v->problem.binding->workload->path);
	report_stage(v);
	return v->measuring && !workers_spare_opens(&v->workers) ? workers_feed(&v->workers, e)
								 : ASC_OK;
}

static int64_t worker_next_ns(const struct evaluator *v, struct evaluator_fds *fds)
{
	const int64_t tick = clock_now_ns() + TICK_NS, deadline = workers_deadline_ns(&v->workers);
	bool builds = false;

	if (!fds->shares_pool || !v->target.pool) {
		const size_t n = pool_pollfds(v->pool, fds->list + fds->n,
					      fds->room - fds->n - WORKERS_MAX_FDS);

		/* Builds that were left have time limits too. */
		builds = n > 0 || pool_pending(v->pool) > 0;
		fds->n += n;
		fds->shares_pool = v->target.pool != NULL;
	}
	fds->n += workers_pollfds(&v->workers, fds->list + fds->n);
	return builds && tick < deadline ? tick : deadline;
}

/* Waits until a build or the worker has a message, or a time limit is due. */
static enum asc_status wait_for_any(const struct evaluator *v, int64_t until_ns, struct asc_err *e)
{
	struct pollfd list[MAX_FDS];
	struct evaluator_fds fds = {.list = list, .room = MAX_FDS};
	const int64_t next = worker_next_ns(v, &fds), now = clock_now_ns();
	const int64_t until = next < until_ns ? next : until_ns;

	if (fiber_poll(fds.list, fds.n, until > now ? until - now : 0) < 0 && errno != EINTR)
		return asc_err_set(e, ASC_IO, "cannot wait for the worker: %s", strerror(errno));
	return ASC_OK;
}

static enum asc_status worker_poll(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				   struct asc_err *e)
{
	int64_t until = clock_now_ns() + timeout_ns;

	for (*out = NULL;;) {
		if (advance(v, e))
			return e->status;
		*out = trials_take(&v->queue);
		if (*out || clock_now_ns() >= until)
			return ASC_OK;
		if (wait_for_any(v, until, e))
			return e->status;
	}
}

/* Compilers of a device of its own have all trials at once: the longest builds come first. */
static size_t worker_capacity(const struct evaluator *v, bool all)
{
	if (all && !v->target.info->shares_host)
		return TRIALS_MAX;
	return trials_wanted(&v->queue, v->target.build_jobs, v->target.info->shares_host);
}

static enum asc_status worker_submit(struct evaluator *v, struct trial *const *list, size_t n,
				     struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (trials_add(&v->queue, &v->problem, list[i], e))
			return e->status;
	return ASC_OK;
}

static bool worker_cancel(struct evaluator *v, struct trial *t)
{
	if (v->workers.suspect == t)
		v->workers.suspect = NULL;
	return trials_cancel(&v->queue, t, v->pool);
}

static int64_t worker_now_ns(const struct evaluator *v)
{
	(void)v;
	return clock_now_ns();
}

static enum asc_status worker_incumbent(struct evaluator *v, const struct result *r,
					struct asc_err *e)
{
	return workers_set_best(&v->workers, r, e);
}

static enum asc_status worker_peaks(struct evaluator *v, enum dtype type, struct peaks *out,
				    int64_t until_ns, struct asc_err *e)
{
	return workers_find_peaks(&v->workers, type, out, until_ns, e);
}

/* True when the implementation, or any (NULL) that the device can run, has compile servers of the
 * builder. */
static bool has_servers(const struct evaluator *v, const struct builder_ops *b,
			const struct workload *w, const char *implementation)
{
	if (!b->server)
		return false;
	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct implementation *one = &w->implementations[i];
		const bool wanted = !implementation || strcmp(one->name, implementation) == 0;

		if (!wanted || !name_list_has(&one->devices, v->target.device->name))
			continue;
		for (size_t k = 0; k < one->n_calls; k++) {
			const struct callable *c = &one->calls[k];
			const struct stood_for *kernel = &c->stood_for;

			if (builder_find(c->builder, v->target.device->name) == b ||
			    (kernel->source &&
			     builder_find(kernel->builder, v->target.device->name) == b))
				return true;
		}
	}
	return false;
}

/* Builders share the places. */
static void worker_warm(struct evaluator *v, const struct workload *w, const char *implementation)
{
	size_t n = 0;

	for (size_t i = 0; builder_list[i]; i++)
		n += has_servers(v, builder_list[i], w, implementation);
	for (size_t i = 0; n > 0 && builder_list[i]; i++)
		if (has_servers(v, builder_list[i], w, implementation))
			pool_warm(v->pool, builder_list[i], v->target.program,
				  (v->target.build_jobs + n - 1) / n);
}

static enum asc_status worker_build_ahead(struct evaluator *v, const struct evaluator_problem *p,
					  struct trial *t, struct asc_err *e)
{
	struct evaluator_problem problem = *p;
	enum asc_status s = ASC_OK;

	problem.target = &v->target;
	trial_build_again(t, &problem);
	if (t->state == TRIAL_WAITING)
		s = trial_build(t, v->pool, e);
	trial_leave(t, v->pool);
	return s;
}

/* True for a workload with a kernel on the device that a memory planner can be asked about. */
static bool has_plans(const struct evaluator *v, const struct workload *w)
{
	bool any = false;

	for (size_t i = 0; i < w->n_implementations; i++)
		any |= name_list_has(&w->implementations[i].devices, v->target.device->name) &&
		       planned_any(&w->implementations[i]);
	return any;
}

/* Looks once for the planner of an NPU, when the first kernel comes that it can be asked about.
 * Where there is none, nothing is asked. */
static enum asc_status seek_planner(struct evaluator *v, const struct workload *w,
				    struct asc_err *e)
{
	if (v->planner_sought || strcmp(v->target.device->name, "npu") != 0 || !has_plans(v, w))
		return ASC_OK;
	v->planner_sought = true;
	if (planner_find(v->pool, v->target.info->arch, v->target.program, v->problem.stop,
			 &v->target.planner, &v->no_planner) == ASC_OK ||
	    v->no_planner.status == ASC_ABSENT || v->no_planner.status == ASC_INTERRUPTED)
		return ASC_OK;
	*e = v->no_planner;
	return e->status;
}

static const char *worker_planner(const struct evaluator *v, const char **why)
{
	*why = v->no_planner.status ? v->no_planner.text : NULL;
	return v->target.planner;
}

static void worker_end(struct evaluator *v)
{
	workers_end(&v->workers);
	trials_clear(&v->queue, v->pool);
	prerequisites_cancel(&v->prerequisites, v->pool);
	pool_pause(v->pool, false);
}

static enum asc_status worker_begin(struct evaluator *v, const struct evaluator_problem *p,
				    struct asc_err *e)
{
	v->problem = *p;
	v->problem.target = &v->target;
	v->measuring = false;
	v->turned_ns = clock_now_ns();
	v->reported = EVALUATOR_BUILDING;
	v->doing[0] = '\0';
	v->built = v->of = 0;
	if (seek_planner(v, p->binding->workload, e))
		return e->status;
	if (workers_begin(&v->workers, &v->problem, e))
		return e->status;
	return prerequisites_begin(&v->prerequisites, &v->problem, v->pool, e);
}

static enum asc_status worker_beside(struct evaluator *v, const struct evaluator_problem *p,
				     struct asc_err *e)
{
	if (!v->workers.beside) {
		v->waits_for = v->prerequisites.holds;
		v->prerequisites.holds = (struct reference_holds){0};
	}
	worker_end(v);
	if (!v->workers.beside) {
		v->waiting = v->problem;
		if (workers_set_aside(&v->workers, e))
			return e->status;
	}
	return worker_begin(v, p, e);
}

static enum asc_status worker_go_back(struct evaluator *v, struct asc_err *e)
{
	if (!v->workers.beside)
		return ASC_OK;
	worker_end(v);
	v->problem = v->waiting;
	workers_take_back(&v->workers, &v->problem);
	/* A worker that was not ready yet ended when it was to be set aside. */
	enum asc_status s =
		v->workers.worker.alive ? ASC_OK : workers_begin(&v->workers, &v->problem, e);

	if (!s)
		s = prerequisites_begin(&v->prerequisites, &v->problem, v->pool, e);

	reference_room_release(&v->waits_for); /* which are held again now */
	return s;
}

static void worker_close(struct evaluator *v)
{
	if (!v)
		return;
	workers_close(&v->workers);
	if (!v->target.pool)
		pool_close(v->pool);
	reference_room_release(&v->prerequisites.holds);
	reference_room_release(&v->waits_for);
	/* What was in use while the last one was made. */
	if (v->target.references_bytes > 0)
		(void)reference_room_make(v->target.cache, v->target.references_bytes, 0);
	free(v);
}

static enum asc_status worker_open(const struct evaluator_target *t, struct evaluator **out,
				   struct asc_err *e)
{
	struct evaluator *v = calloc(1, sizeof *v);

	*out = NULL;
	if (!v)
		return asc_err_nomem(e);
	v->target = *t;
	v->pool = t->pool;
	if (reference_room_read(&v->target.references_bytes, e) ||
	    (!v->pool && pool_open(t->cache, t->build_jobs, KERNEL_BUILD_LIMIT_NS, &v->pool, e)) ||
	    (t->rebuild && pool_rebuild(v->pool, e)) ||
	    workers_open(&v->workers, &v->target, &v->queue, v->pool, e)) {
		worker_close(v);
		return e->status;
	}
	*out = v;
	return ASC_OK;
}

const struct evaluator_ops evaluator_worker = {
	.name = "worker",
	.summary = "builds configurations and measures them in a worker process",
	.open = worker_open,
	.warm = worker_warm,
	.build_ahead = worker_build_ahead,
	.begin = worker_begin,
	.beside = worker_beside,
	.go_back = worker_go_back,
	.end = worker_end,
	.close = worker_close,
	.planner = worker_planner,
	.capacity = worker_capacity,
	.now_ns = worker_now_ns,
	.submit = worker_submit,
	.cancel = worker_cancel,
	.poll = worker_poll,
	.next_ns = worker_next_ns,
	.incumbent = worker_incumbent,
	.peaks = worker_peaks,
};
