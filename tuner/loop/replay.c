#include "tuner/loop/replay.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tuner/base/thread.h"
#include "tuner/loop/impl_search.h"
#include "tuner/loop/replay_history.h"
#include "tuner/loop/search_trials.h"
#include "tuner/replay/recorded.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/policy.h"
#include "tuner/run/trial.h"
#include "tuner/search/strategy.h"

enum { MAX_THREADS = 256 };
static const double NS_PER_S = 1e9;

/* ---- one run ---- */

struct run {
	const struct score_space *space;
	struct impl_search search;
	struct search_trials trials;
	struct score_run *out; /* has room for every configuration */
};

static enum asc_status submit_all(struct run *r, struct asc_err *e)
{
	struct search_trials *s = &r->trials;
	struct trial *list[TRIALS_MAX];
	size_t n = 0;

	if (search_trials_ask(s, list, &n, e))
		return e->status;
	return s->ops->submit(s->evaluator, list, n, e);
}

/* Appends the trial to the run: its end, and the rank of the best so far. */
static void note(struct run *r, const struct trial *t)
{
	const struct search_trials *s = &r->trials;
	struct score_run *out = r->out;
	const uint32_t before = out->n ? out->best[out->n - 1] : SCORE_NO_RANK;
	uint32_t rank = SCORE_NO_RANK;

	if (t->result.status == RESULT_OK)
		rank = score_rank(r->space, t->result.time.median);
	out->end_s[out->n] = (double)s->ops->now_ns(s->evaluator) / NS_PER_S;
	out->best[out->n++] = rank < before ? rank : before;
}

static enum asc_status take_one(struct run *r, struct asc_err *e)
{
	struct search_trials *s = &r->trials;
	struct trial *t;

	if (s->ops->poll(s->evaluator, 0, &t, e))
		return e->status;
	note(r, t);
	enum asc_status status =
		search_trials_tell(s, t, policy_score(&policy_default, &t->result), e);

	search_trials_release(s, t);
	return status;
}

static enum asc_status search(struct run *r, struct asc_err *e)
{
	enum asc_status status = submit_all(r, e);

	while (!status && r->trials.n > 0 && !search_trials_past(&r->trials, r->trials.until_ns)) {
		status = take_one(r, e);
		if (!status)
			status = submit_all(r, e);
	}
	return status;
}

/* Opens an evaluator and a strategy of its own, and searches. */
static enum asc_status open_and_search(struct run *r, const struct replay_options *o,
				       const struct strategy_options *so, struct asc_err *e)
{
	const struct strategy_ops *ops = o->strategy ? o->strategy : strategy_auto(so);
	const struct recorded *recorded = r->space->recorded;
	const struct evaluator_target target = {.recorded = recorded, .ahead = o->ahead};
	const struct evaluator_problem problem = {.target = &target};
	struct impl_searches searches = {.list = &r->search, .n = 1};
	struct search_trials *s = &r->trials;

	*s = (struct search_trials){
		.searches = &searches, .ops = &evaluator_replay, .until_ns = so->ns};
	r->search = (struct impl_search){.space = recorded->space,
					 .ops = ops,
					 .default_index = recorded->default_index,
					 .first_asked = !recorded->has_default};
	enum asc_status status = strategy_new(ops, so, &r->search.strategy, e);

	if (!status)
		status = s->ops->open(&target, &s->evaluator, e);
	if (!status)
		status = s->ops->begin(s->evaluator, &problem, e);
	if (!status)
		status = search_trials_init(s, e);
	if (!status)
		status = search(r, e);
	search_trials_fini(s);
	s->ops->close(s->evaluator);
	strategy_free(r->search.strategy);
	return status;
}

/* Runs of one strategy on one space; threads take them in order. */
struct run_list {
	const struct score_space *space;
	const struct replay_options *o;
	struct replay_history history;
	struct score_run *runs;
	double *cpu_s; /* of each run */
	atomic_size_t next;
};

static enum asc_status run_one(const struct run_list *c, uint64_t seed, struct score_run *out,
			       struct asc_err *e)
{
	const struct score_space *s = c->space;
	const struct strategy_options so = {
		.space = s->recorded->space,
		.seed = seed,
		.ns = llround(s->budget_s * NS_PER_S),
		.default_index = s->recorded->default_index,
		.history = c->history.list,
		.n_history = c->history.n,
	};
	struct run r = {.space = s, .out = out};

	out->end_s = malloc(s->recorded->n * sizeof *out->end_s);
	out->best = malloc(s->recorded->n * sizeof *out->best);
	if (!out->end_s || !out->best)
		return asc_err_nomem(e);
	return open_and_search(&r, c->o, &so, e);
}

/* ---- runs side by side ---- */

struct run_thread {
	struct run_list *list;
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
	struct run_thread *t = user;
	struct run_list *c = t->list;
	size_t i;

	while (!t->status && (i = atomic_fetch_add(&c->next, 1)) < c->o->runs) {
		const double start_s = cpu_now_s();

		t->status = run_one(c, c->o->seed + i, &c->runs[i], &t->e);
		c->cpu_s[i] = cpu_now_s() - start_s;
	}
	return NULL;
}

/* Starts a thread for each processor but one; the calling thread works, too. */
static enum asc_status run_all(struct run_list *c, struct asc_err *e)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	struct run_thread *threads = calloc(MAX_THREADS, sizeof *threads);
	size_t n = 1;

	if (!threads)
		return asc_err_nomem(e);
	threads[0].list = c;
	for (; n < MAX_THREADS && n < c->o->runs && (long)n < processors; n++) {
		threads[n].list = c;
		if (thread_start(&threads[n].thread, NULL, work, &threads[n]))
			break;
	}
	work(&threads[0]);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pthread_join(threads[i].thread, NULL);
		if (threads[i].status)
			*e = threads[i].e;
	}
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < n; i++)
		if (threads[i].status)
			status = threads[i].status;
	free(threads);
	return status;
}

static void sum_up(const struct run_list *c, struct replay_summary *out)
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
	struct run_list c = {.space = &out->space, .o = o};

	*out = (struct replay_summary){0};
	if (score_space_init(&out->space, r, e) ||
	    (o->history && replay_history_init(&c.history, o->history, r->space, e)))
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
	replay_history_fini(&c.history);
	return status;
}
