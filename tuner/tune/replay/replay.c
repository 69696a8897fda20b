/* Searches on recorded results, many of a strategy, to rate it:
 *
 * 1. The recorded space gives the axis: the budget in time, and what random search is expected to
 *    find at each point of it (score.h).
 * 2. Each run is a search like that of a loop (search_trials.h), with a seed of its own, over an
 *    evaluator that gives recorded results and counts the time that they took (evaluator_replay).
 *    It notes when each evaluation ended, and how good the best so far was.
 * 3. Runs share nothing, so threads take them in order; equal seeds give equal figures, however
 *    many threads there are.
 * 4. The curves of all runs are one score, and their figures are averaged. */
#include "tuner/tune/replay/replay.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reports/exchange/formats/recorded.h"
#include "tuner/base/stats/stats.h"
#include "tuner/process/thread.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search_trials.h"
#include "tuner/worker/policy.h"
#include "tuner/workload/space/space.h"

enum { MAX_THREADS = 256 };
static const double NS_PER_S = 1e9;

/* ---- recorded results as the history of a search in another space ---- */

struct replay_history {
	struct strategy_known *list; /* refers to `from`; heap */
	size_t n;
};

static bool find_param(const struct space *s, const char *name, size_t *at)
{
	for (*at = 0; *at < space_params(s); ++*at)
		if (strcmp(space_names(s)[*at], name) == 0)
			return true;
	return false;
}

/* Finds for each parameter of `space` the one of that name in `from`. */
static enum asc_status match_params(const struct recorded *from, const struct space *space,
				    size_t *places, struct asc_err *e)
{
	size_t other;

	for (size_t i = 0; i < space_params(space); i++)
		if (!find_param(from->space, space_names(space)[i], &places[i]))
			return asc_err_set(e, ASC_INPUT, "the history %s has no parameter %s",
					   from->name, space_names(space)[i]);
	for (size_t i = 0; i < space_params(from->space); i++)
		if (!find_param(space, space_names(from->space)[i], &other))
			return asc_err_set(
				e, ASC_INPUT,
				"the history %s has a parameter %s, which the space does "
				"not have",
				from->name, space_names(from->space)[i]);
	return ASC_OK;
}

/* Fills the history with the results of `from` that count in `space` (strategy_known_find()), in
 * the order of its parameters. ASC_INPUT when the two do not have the same parameters; values may
 * differ. *h is initialised, whatever comes of it. */
static enum asc_status find_history(struct replay_history *h, const struct recorded *from,
				    const struct space *space, struct asc_err *e)
{
	size_t places[CONFIG_MAX_PARAMETERS] = {0};

	*h = (struct replay_history){0};
	if (match_params(from, space, places, e))
		return e->status;
	h->list = calloc(from->n, sizeof *h->list);
	if (!h->list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < from->n; i++) {
		struct strategy_known *known = &h->list[h->n];
		struct config c;
		uint64_t index;

		space_get(from->space, i, &c);
		known->config.n = c.n;
		for (size_t k = 0; k < c.n; k++)
			known->config.values[k] = c.values[places[k]];
		known->score = from->time_ns[i];
		known->source = from->name;
		h->n += strategy_known_find(known, space, &index);
	}
	return ASC_OK;
}

/* ---- one run ---- */

/* Figures of a run beside its curve. */
struct run_figures {
	double cpu_s;
	double within; /* number of evaluations to a configuration `within`; 0: not found */
	uint64_t of[REPLAY_MAX_ARMS]; /* number of evaluations of each arm */
};

/* Runs of one strategy on one subject; threads take them in order. */
struct run_list {
	const struct replay_subject *subject;
	const struct score_space *space;
	const struct replay_options *o;
	struct replay_history history;
	struct score_run *runs;
	struct run_figures *figures; /* of each run */
	atomic_size_t next;
};

struct run {
	const struct run_list *list;
	int64_t until_ns; /* end of its budget */
	struct impl_search arms[REPLAY_MAX_ARMS];
	struct impl_searches searches;
	struct search_trials trials;
	uint64_t evaluated;
	struct score_run *out; /* has room for every configuration */
	struct run_figures *figures;
};

/* Searches, one result after the other, and notes each. */
static enum asc_status search(struct run *r, struct asc_err *e)
{
	const struct replay_options *o = r->list->o;
	const struct score_space *space = r->list->space;
	const double within_ns = space->optimum_ns * (1 + o->within);
	struct search_trials *s = &r->trials;
	struct score_run *out = r->out;
	struct run_figures *f = r->figures;

	for (;;) {
		struct trial *list[TRIALS_MAX_ALL], *t;
		size_t n = 1;

		while (n > 0)
			if (search_trials_ask(s, list, &n, e) ||
			    s->ops->submit(s->evaluator, list, n, e))
				return e->status;
		/* A run that has to come `within` goes on behind its budget until it has. */
		const bool past = search_trials_past(s, r->until_ns);

		if (s->n == 0 || (f->within > 0 && o->until_found) ||
		    ((f->within > 0 || o->within == 0) && past))
			return ASC_OK;
		if (s->ops->poll(s->evaluator, INT64_MAX, &t, e))
			return e->status;
		const bool passed = t->result.status == RESULT_OK;
		const double median_ns = t->result.time.median;

		/* An evaluation counts if it began within the budget, even if it ends behind it. */
		if (!past) {
			const uint32_t before = out->n ? out->best[out->n - 1] : SCORE_NO_RANK;
			const uint32_t rank = passed ? score_rank(space, median_ns) : SCORE_NO_RANK;

			out->end_s[out->n] = (double)s->ops->now_ns(s->evaluator) / NS_PER_S;
			out->best[out->n++] = rank < before ? rank : before;
			f->of[t->search]++;
		}
		r->evaluated++;
		if (f->within == 0 && passed && median_ns <= within_ns)
			f->within = (double)r->evaluated;
		const double score = policy_score(&policy_default, &t->result);
		const enum asc_status status = search_trials_tell(s, t, score, e);

		search_trials_release(s, t);
		if (status)
			return status;
	}
}

/* Opens a search with a strategy of its own on the results of each arm. */
static enum asc_status open_searches(struct run *r, uint64_t seed, struct asc_err *e)
{
	const struct run_list *l = r->list;

	r->searches.list = r->arms;
	for (; r->searches.n < l->subject->n; r->searches.n++) {
		const struct recorded *recorded = l->subject->arms[r->searches.n];
		struct impl_search *arm = &r->arms[r->searches.n];
		const struct strategy_options so = {.space = recorded->space,
						    .seed = seed,
						    .ns = r->until_ns,
						    .default_index = recorded->default_index,
						    .history = l->history.list,
						    .n_history = l->history.n,
						    .history_first = STRATEGY_HISTORY_FIRST,
						    .features = l->o->features};

		*arm = (struct impl_search){.space = recorded->space,
					    .ops = l->o->strategy ? l->o->strategy
								  : strategy_auto(&so),
					    .default_index = recorded->default_index,
					    .default_asked = !recorded->has_default};
		if (strategy_new(arm->ops, &so, &arm->strategy, e))
			return e->status;
	}
	return ASC_OK;
}

/* Opens an evaluator and searches of its own, and searches. */
static enum asc_status open_and_search(struct run *r, uint64_t seed, struct asc_err *e)
{
	const struct replay_options *o = r->list->o;
	const struct evaluator_target target = {.recorded = r->list->subject->arms,
						.ahead = o->ahead};
	const struct evaluator_problem problem = {.target = &target};
	struct search_trials *s = &r->trials;

	*s = (struct search_trials){.searches = &r->searches,
				    .ops = &evaluator_replay,
				    .until_ns = o->within > 0 ? 0 : r->until_ns,
				    .patience.wanted = o->patience};
	enum asc_status status = open_searches(r, seed, e);

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
	for (size_t i = 0; i < r->searches.n; i++)
		strategy_free(r->arms[i].strategy);
	return status;
}

static enum asc_status run_one(struct run_list *l, size_t i, struct asc_err *e)
{
	const struct score_space *s = l->space;
	struct score_run *out = &l->runs[i];
	struct run *r = calloc(1, sizeof *r);
	enum asc_status status;

	out->end_s = malloc(s->recorded->n * sizeof *out->end_s);
	out->best = malloc(s->recorded->n * sizeof *out->best);
	if (r && out->end_s && out->best) {
		r->list = l;
		r->until_ns = llround(s->budget_s * NS_PER_S);
		r->out = out;
		r->figures = &l->figures[i];
		status = open_and_search(r, l->o->seed + i, e);
	} else
		status = asc_err_nomem(e);
	free(r);
	return status;
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
		const double start_s = cpu_now_s(); /* of this thread: what a strategy costs */

		t->status = run_one(c, i, &t->e);
		c->figures[i].cpu_s = cpu_now_s() - start_s;
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
			break; /* those that run do the work of all */
	}
	work(&threads[0]);
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			pthread_join(threads[i].thread, NULL);
		if (threads[i].status) {
			status = threads[i].status;
			*e = threads[i].e;
		}
	}
	free(threads);
	return status;
}

static enum asc_status sum_up(const struct run_list *c, struct replay_summary *out,
			      struct asc_err *e)
{
	const double n = (double)c->o->runs;

	for (size_t i = 0; i < c->o->runs; i++) {
		const struct score_run *r = &c->runs[i];
		const struct run_figures *f = &c->figures[i];
		const uint32_t rank = r->n ? r->best[r->n - 1] : SCORE_NO_RANK;

		out->evals += (double)r->n / n;
		out->worst_rank = rank > out->worst_rank ? rank : out->worst_rank;
		out->ratio += rank == SCORE_NO_RANK ? INFINITY
						    : c->space->recorded->sorted_ns[rank] /
							      c->space->optimum_ns / n;
		out->cpu_s += f->cpu_s / n;
		out->most_cpu_s = fmax(out->most_cpu_s, f->cpu_s);
		for (size_t k = 0; k < c->subject->n; k++)
			out->evals_of[k] += (double)f->of[k] / n;
	}
	if (c->o->within == 0)
		return ASC_OK;
	/* The median, since a run that finds it by chance, or late, says little of the others. */
	double *list = calloc(c->o->runs + 1, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->o->runs; i++)
		list[i] = c->figures[i].within;
	out->evals_within = stats_select_median(list, c->o->runs);
	free(list);
	return ASC_OK;
}

enum asc_status replay(const struct replay_subject *subject, const struct replay_options *o,
		       struct replay_summary *out, struct asc_err *e)
{
	struct run_list c = {.subject = subject, .space = &out->space, .o = o};

	*out = (struct replay_summary){0};
	if (score_space_init(&out->space, subject->joined, e) ||
	    (o->history && find_history(&c.history, o->history, subject->arms[0]->space, e)))
		return e->status;
	c.runs = calloc(o->runs, sizeof *c.runs);
	c.figures = calloc(o->runs, sizeof *c.figures);
	enum asc_status status = c.runs && c.figures ? run_all(&c, e) : asc_err_nomem(e);

	if (!status)
		status = score_runs(&out->space, c.runs, o->runs, &out->score, e);
	if (!status)
		status = sum_up(&c, out, e);
	for (size_t i = 0; c.runs && i < o->runs; i++) {
		free(c.runs[i].end_s);
		free(c.runs[i].best);
	}
	free(c.runs);
	free(c.figures);
	free(c.history.list);
	return status;
}
