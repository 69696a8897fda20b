/* The evaluator that builds configurations in the pool and measures them in a worker process. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/units.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/run/ask_peaks.h"
#include "tuner/run/crew.h"
#include "tuner/run/evaluators.h"
#include "tuner/run/job_queue.h"
#include "tuner/run/preparation.h"

enum {
	MIN_CAPACITY = 10,
	MAX_CAPACITY = 256,
	SPARE_PLACES = 8, /* for second results */
	MAX_FDS = 1024,
	FIRST_PREPARATION =
		MAX_CAPACITY + SPARE_PLACES /* identifiers in the pool: jobs come first */
};

#define SECOND INT64_C(1000000000)
static const int64_t BUILD_LIMIT_NS = 300 * SECOND;
static const int64_t TICK_NS = SECOND / 20; /* for time limits of builds */

struct evaluator {
	struct evaluator_options options;
	struct pool *pool;
	struct preparation preparation;
	struct job_queue queue;
	struct crew crew;
	size_t capacity;
	bool measuring;    /* on a device that shares the host: no builds now */
	int64_t turned_ns; /* when that changed */
	enum evaluator_stage said;
	size_t built, of; /* builds, as they were said last */
};

/* ---- builds ---- */

static enum asc_status take_builds(struct evaluator *v, struct asc_err *e)
{
	struct pool_done done;
	enum asc_status s = ASC_OK;

	while (!s && pool_pending(v->pool) > 0 && pool_take(v->pool, 0, &done)) {
		if (done.id >= FIRST_PREPARATION)
			s = preparation_take(&v->preparation, done.id - FIRST_PREPARATION, &done,
					     e);
		else
			s = job_queue_take_build(&v->queue, done.id, &done, e);
		pool_done_fini(&done);
	}
	return s;
}

/* Finals, which measure all together, have to wait for all. */
static bool is_built(const struct evaluator *v)
{
	const int64_t patience = v->crew.finals ? 0 : v->options.patience_ns;

	if (v->queue.count[JOB_BUILT] == 0)
		return false;
	return (v->queue.count[JOB_WAITING] == 0 && pool_pending(v->pool) == 0) ||
	       (patience > 0 && v->crew.worker.ready && clock_now_ns() - v->turned_ns >= patience);
}

/* Where kernels and compilers compete for the same cores, a batch is built, then measured; the
 * compilers of one that takes too long stand still meanwhile. */
static void choose_stage(struct evaluator *v)
{
	const size_t *count = v->queue.count;
	bool measuring = true;

	if (v->options.device->shares_host)
		measuring = v->measuring ? count[JOB_SENT] + count[JOB_BUILT] > 0 : is_built(v);
	if (measuring == v->measuring)
		return;
	v->measuring = measuring;
	v->turned_ns = clock_now_ns();
	if (v->options.device->shares_host)
		pool_pause(v->pool, measuring);
}

static enum asc_status start_builds(struct evaluator *v, struct asc_err *e)
{
	struct job *j;

	if (v->measuring && v->options.device->shares_host)
		return ASC_OK;
	while ((j = job_queue_first(&v->queue, JOB_WAITING)) != NULL)
		if (job_queue_build(&v->queue, j, v->pool, e))
			return e->status;
	return ASC_OK;
}

static void say_built(struct evaluator *v, bool building)
{
	const size_t *count = v->queue.count, built = count[JOB_BUILT] + count[JOB_DONE];
	const size_t of = built + count[JOB_WAITING] + count[JOB_BUILDING];

	if (!building || (built == v->built && of == v->of) || !v->options.built)
		return;
	v->built = built;
	v->of = of;
	v->options.built(v->options.user, (int64_t)built, (int64_t)of);
}

/* Inputs and reference are made beside the builds; what is built waits for them. */
static enum evaluator_stage find_stage(const struct evaluator *v)
{
	const size_t *count = v->queue.count;
	bool measuring = v->measuring && count[JOB_BUILT] + count[JOB_SENT] > 0;
	bool building = count[JOB_WAITING] + count[JOB_BUILDING] > 0;
	bool unready = v->crew.worker.asked && !v->crew.worker.ready;

	if (unready && (measuring || !building))
		return EVALUATOR_REFERENCE;
	return measuring ? EVALUATOR_MEASURING : EVALUATOR_BUILDING;
}

static void say_stage(struct evaluator *v)
{
	const enum evaluator_stage stage = find_stage(v);

	if (stage != v->said && v->options.stage)
		v->options.stage(v->options.user, stage);
	v->said = stage;
	say_built(v, stage == EVALUATOR_BUILDING);
}

/* ---- operations ---- */

/* Of what is to be built before a worker can set the problem up. */
static enum asc_status check_time(const struct evaluator *v, struct asc_err *e)
{
	const int64_t until = v->options.setup_until_ns;

	if (v->preparation.pending == 0 || until == 0 || clock_now_ns() < until)
		return ASC_OK;
	return asc_err_set(e, ASC_TIMEOUT,
			   "%s: compiling the reference took longer than the whole time budget",
			   v->options.binding->workload->path);
}

static enum asc_status advance(struct evaluator *v, struct asc_err *e)
{
	if (take_builds(v, e) || check_time(v, e) || crew_attend(&v->crew, e))
		return e->status;
	if (v->preparation.pending == 0 && crew_prepare(&v->crew, v->preparation.artifacts, e))
		return e->status;
	choose_stage(v);
	if (start_builds(v, e) || take_builds(v, e))
		return e->status;
	choose_stage(v);
	say_stage(v);
	return v->measuring ? crew_feed(&v->crew, e) : ASC_OK;
}

/* Until a build or the worker has something to say, or the time has come to look. */
static enum asc_status wait_for_news(const struct evaluator *v, int64_t until_ns, struct asc_err *e)
{
	struct pollfd fds[MAX_FDS];
	size_t n = pool_pollfds(v->pool, fds, MAX_FDS - CREW_MAX_FDS);
	int64_t now = clock_now_ns(), deadline = crew_deadline_ns(&v->crew);

	n += crew_pollfds(&v->crew, fds + n);
	if (until_ns > deadline)
		until_ns = deadline;
	if (pool_running(v->pool) > 0 && until_ns > now + TICK_NS)
		until_ns = now + TICK_NS;
	int64_t wait = until_ns > now ? until_ns - now : 0;
	struct timespec time = {wait / SECOND, wait % SECOND};
	if (ppoll(fds, n, &time, NULL) < 0 && errno != EINTR)
		return asc_err_set(e, ASC_IO, "cannot wait for the worker: %s", strerror(errno));
	return ASC_OK;
}

static enum asc_status worker_poll(struct evaluator *v, int64_t timeout_ns,
				   struct evaluator_done *out, bool *taken, struct asc_err *e)
{
	int64_t until = clock_now_ns() + timeout_ns;

	for (*taken = false;;) {
		if (advance(v, e))
			return e->status;
		*taken = job_queue_take(&v->queue, out);
		if (*taken || clock_now_ns() >= until)
			return ASC_OK;
		if (wait_for_news(v, until, e))
			return e->status;
	}
}

static size_t worker_capacity(const struct evaluator *v)
{
	return v->capacity;
}

static enum asc_status worker_submit(struct evaluator *v, const struct evaluator_job *job,
				     struct asc_err *e)
{
	v->crew.finals = false;
	return job_queue_add(&v->queue, &v->options, job, e);
}

static enum asc_status worker_finals(struct evaluator *v, const struct evaluator_job *jobs,
				     size_t n, const struct evaluator_finals *how,
				     struct asc_err *e)
{
	v->crew.finals = true;
	v->crew.finals_how = *how;
	for (size_t i = 0; i < n; i++)
		if (job_queue_add(&v->queue, &v->options, &jobs[i], e))
			return e->status;
	return ASC_OK;
}

static bool worker_cancel(struct evaluator *v, uint64_t id)
{
	return job_queue_cancel(&v->queue, id, v->pool);
}

static enum asc_status worker_best(struct evaluator *v, const struct result *r, struct asc_err *e)
{
	return crew_set_best(&v->crew, r, e);
}

/* The spare worker has the device open and waits. */
static enum asc_status worker_peaks(struct evaluator *v, enum dtype type, struct peaks *out,
				    int64_t until_ns, struct asc_err *e)
{
	return ask_peaks(&v->crew.spare, type, out, until_ns, e);
}

static void worker_close(struct evaluator *v)
{
	if (!v)
		return;
	crew_close(&v->crew);
	pool_close(v->pool);
	preparation_fini(&v->preparation);
	job_queue_fini(&v->queue);
	free(v);
}

static enum asc_status open_parts(struct evaluator *v, struct asc_err *e)
{
	const struct evaluator_options *o = &v->options;
	size_t capacity = 4 * o->build_jobs;

	if (capacity < MIN_CAPACITY)
		capacity = MIN_CAPACITY;
	if (capacity > MAX_CAPACITY)
		capacity = MAX_CAPACITY;
	v->capacity = capacity;
	if (capacity < EVALUATOR_MAX_FINALISTS)
		capacity = EVALUATOR_MAX_FINALISTS;
	if (job_queue_init(&v->queue, capacity + SPARE_PLACES, e) ||
	    pool_open(o->cache, o->build_jobs, BUILD_LIMIT_NS, &v->pool, e) ||
	    preparation_begin(&v->preparation, o, v->pool, FIRST_PREPARATION, e))
		return e->status;
	return crew_open(&v->crew, o, &v->queue, e);
}

static enum asc_status worker_open(const struct evaluator_options *o, struct evaluator **out,
				   struct asc_err *e)
{
	struct evaluator *v = calloc(1, sizeof *v);

	*out = NULL;
	if (!v)
		return asc_err_nomem(e);
	v->options = *o;
	v->turned_ns = clock_now_ns();
	if (open_parts(v, e)) {
		worker_close(v);
		return e->status;
	}
	*out = v;
	return ASC_OK;
}

const struct evaluator_ops evaluator_worker = {
	.version = EVALUATOR_OPS_VERSION,
	.name = "worker",
	.summary = "builds configurations and measures them in a worker process",
	.open = worker_open,
	.close = worker_close,
	.capacity = worker_capacity,
	.submit = worker_submit,
	.finals = worker_finals,
	.cancel = worker_cancel,
	.poll = worker_poll,
	.best = worker_best,
	.peaks = worker_peaks,
};
