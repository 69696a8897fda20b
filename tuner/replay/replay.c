#include "tuner/replay/replay.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/thread.h"
#include "tuner/replay/recorded.h"
#include "tuner/search/strategy.h"

enum { MAX_THREADS = 256 };
static const double NS_PER_S = 1e9;

/* ---- one run ---- */

struct run {
	const struct score_space *space;
	const struct replay_options *o;
	struct strategy *strategy;
	struct score_run *out; /* has room for every configuration */
	double spent_s;
	uint64_t *pending; /* asked and not yet evaluated: o->ahead at most, oldest first */
	size_t n_pending;
};

/* Asks for as many as are missing, of those that a run can still begin. */
static enum asc_status ask(struct run *r, struct asc_err *e)
{
	size_t n = r->o->ahead - r->n_pending;

	if (n == 0)
		return ASC_OK;
	if (strategy_ask(r->strategy, r->pending + r->n_pending, &n, e))
		return e->status;
	r->n_pending += n;
	return ASC_OK;
}

static enum asc_status tell(struct run *r, uint64_t index, struct asc_err *e)
{
	const struct recorded *from = r->space->recorded;
	const double time_ns = from->time_ns[index];
	struct result result;

	result_init(&result);
	result.status = from->status[index];
	result.time.median = isnan(time_ns) ? 0 : time_ns;
	result.spent_ns[PHASE_MEASURE] = llround(from->spent_ns[index]);
	enum asc_status status =
		strategy_tell(r->strategy, index, &result, isnan(time_ns) ? INFINITY : time_ns, e);

	result_fini(&result);
	return status;
}

/* Evaluates the oldest: its recorded time passes. */
static enum asc_status evaluate(struct run *r, struct asc_err *e)
{
	const struct recorded *from = r->space->recorded;
	struct score_run *out = r->out;
	const uint64_t index = r->pending[0];
	const uint32_t before = out->n ? out->best[out->n - 1] : SCORE_NO_RANK;
	uint32_t rank = SCORE_NO_RANK;

	for (size_t i = 1; i < r->n_pending; i++)
		r->pending[i - 1] = r->pending[i];
	r->n_pending--;
	if (!isnan(from->time_ns[index]))
		rank = score_rank(r->space, from->time_ns[index]);
	r->spent_s += from->spent_ns[index] / NS_PER_S;
	out->end_s[out->n] = r->spent_s;
	out->best[out->n++] = rank < before ? rank : before;
	return tell(r, index, e);
}

static enum asc_status search(struct run *r, struct asc_err *e)
{
	enum asc_status status = ask(r, e);

	while (!status && r->n_pending > 0 && r->spent_s < r->space->budget_s) {
		status = evaluate(r, e);
		if (!status)
			status = ask(r, e);
	}
	return status;
}

static enum asc_status run(const struct score_space *s, const struct replay_options *o,
			   uint64_t seed, struct score_run *out, struct asc_err *e)
{
	const struct strategy_options so = {
		.space = s->recorded->space,
		.seed = seed,
		.ns = llround(s->budget_s * NS_PER_S),
		.default_index = s->recorded->default_index,
	};
	struct run r = {.space = s, .o = o, .out = out};

	out->end_s = malloc(s->recorded->n * sizeof *out->end_s);
	out->best = malloc(s->recorded->n * sizeof *out->best);
	r.pending = malloc(o->ahead * sizeof *r.pending);
	enum asc_status status = out->end_s && out->best && r.pending ? ASC_OK : asc_err_nomem(e);

	if (!status)
		status = strategy_new(o->strategy, &so, &r.strategy, e);
	if (!status)
		status = search(&r, e);
	strategy_free(r.strategy);
	free(r.pending);
	return status;
}

/* ---- runs side by side ---- */

struct crew {
	const struct score_space *space;
	const struct replay_options *o;
	struct score_run *runs;
	double *cpu_s; /* of each run */
	atomic_size_t next;
};

struct member {
	struct crew *crew;
	pthread_t thread;
	enum asc_status status;
	struct asc_err e;
};

static double cpu_now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / NS_PER_S;
}

static void *work(void *user)
{
	struct member *m = user;
	struct crew *c = m->crew;
	size_t i;

	while (!m->status && (i = atomic_fetch_add(&c->next, 1)) < c->o->runs) {
		const double start_s = cpu_now_s();

		m->status = run(c->space, c->o, c->o->seed + i, &c->runs[i], &m->e);
		c->cpu_s[i] = cpu_now_s() - start_s;
	}
	return NULL;
}

/* Starts a thread for each processor but one: this one works, too. */
static enum asc_status run_all(struct crew *c, struct asc_err *e)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct member *members = calloc(MAX_THREADS, sizeof *members);
	size_t n = 1;

	if (!members)
		return asc_err_nomem(e);
	members[0].crew = c;
	for (; n < MAX_THREADS && n < c->o->runs && (long)n < processors; n++) {
		members[n].crew = c;
		if (thread_start(&members[n].thread, NULL, work, &members[n]))
			break;
	}
	work(&members[0]);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pthread_join(members[i].thread, NULL);
		if (members[i].status)
			*e = members[i].e;
	}
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < n; i++)
		if (members[i].status)
			status = members[i].status;
	free(members);
	return status;
}

static void sum_up(const struct crew *c, struct replay_summary *out)
{
	const double n = (double)c->o->runs;

	for (size_t i = 0; i < c->o->runs; i++) {
		const struct score_run *r = &c->runs[i];
		const uint32_t rank = r->n ? r->best[r->n - 1] : SCORE_NO_RANK;

		out->evals += (double)r->n / n;
		out->worst_rank = rank > out->worst_rank ? rank : out->worst_rank;
		out->cpu_s += c->cpu_s[i] / n;
		out->most_cpu_s = fmax(out->most_cpu_s, c->cpu_s[i]);
	}
}

enum asc_status replay(const struct recorded *r, const struct replay_options *o,
		       struct replay_summary *out, struct asc_err *e)
{
	struct crew c = {.space = &out->space, .o = o};

	*out = (struct replay_summary){0};
	if (score_space_init(&out->space, r, e))
		return e->status;
	c.runs = calloc(o->runs, sizeof *c.runs);
	c.cpu_s = calloc(o->runs, sizeof *c.cpu_s);
	enum asc_status status = c.runs && c.cpu_s ? run_all(&c, e) : asc_err_nomem(e);

	if (!status)
		status = score_runs(&out->space, c.runs, o->runs, &out->score, e);
	if (!status)
		sum_up(&c, out);
	for (size_t i = 0; c.runs && i < o->runs; i++) {
		free(c.runs[i].end_s);
		free(c.runs[i].best);
	}
	free(c.runs);
	free(c.cpu_s);
	return status;
}
