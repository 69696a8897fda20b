/* The builds of one problem, in order:
 *
 * 1. Open: bind the problem, make the spaces, find the compilers, as a run does.
 * 2. Submit the reference and the functions that fill tensors: a run builds them too.
 * 3. Ask the searches by turns, so that every implementation begins with its default, and submit
 *    to the pool as many configurations as there are slots; the pool begins with the longest.
 * 4. Take one build after another. A configuration of several kernels ends with the last, or with
 *    the first that is refused.
 *
 * The next problem begins while places of the pool are free, so that many problems of one
 * configuration are built as fast as one problem of many. Equal requests are one build: the pool
 * joins those under way and finds the others in the cache. */
#include "tuner/tune/builds.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/build/pool.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/space/space.h"

enum {
	NAME_SIZE = 128,
	OPEN_MOST = 64 /* problems at once: more have no compiler, and hold spaces all the same */
};
static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */

/* One problem, while it is built. */
struct making {
	struct builds *builds;
	const struct loop_options *o;
	const struct builds_watch *watch;
	struct binding binding;
	struct evaluator_problem problem;
	struct impl_searches searches;
	struct prerequisites functions;
	uint64_t asked[WORKLOAD_MAX_IMPLEMENTATIONS]; /* of each search */
	size_t turn;                                  /* search that is asked next */
	size_t pending;                               /* configurations on their way */
};

/* All problems, while they are built. */
struct all_making {
	struct builds *builds;
	const struct loop_options *list;
	size_t n, next; /* next: the first that has not begun */
	const struct builds_watch *watch;
	struct making *open[OPEN_MOST]; /* n_open of them */
	size_t n_open, open_most;
};

enum asc_status builds_open(struct builds *b, const struct evaluator_target *t, struct asc_err *e)
{
	b->slots = calloc(TRIALS_MAX, sizeof *b->slots);
	b->of = calloc(TRIALS_MAX, sizeof(struct making *));
	b->jobs = t->build_jobs;
	if (!b->slots || !b->of)
		return asc_err_nomem(e);
	return pool_open(t->cache, t->build_jobs, KERNEL_BUILD_LIMIT_NS, &b->pool, e);
}

void builds_close(struct builds *b)
{
	pool_close(b->pool);
	free(b->slots);
	free(b->of);
	*b = (struct builds){0};
}

static bool stopped(const struct making *m)
{
	return m->o->stop && *m->o->stop;
}

/* ---- what has ended ---- */

bool build_event_is_built(const struct build_event *event)
{
	return event->status == RESULT_OK || event->status == RESULT_PLANNED;
}

static enum asc_status end_trial(struct making *m, struct trial *t, bool timeout, struct asc_err *e)
{
	const struct impl_search *search = &m->searches.list[t->search];
	const struct result *r = &t->result;
	const bool late = timeout && r->status == RESULT_BUILD_FAILED;
	const struct build_event event = {.of = m->o,
					  .binding = &m->binding,
					  .search = search,
					  .trial = t,
					  .first = search->chosen ||
						   t->index == search->default_index,
					  .status = late ? RESULT_TIMEOUT : r->status,
					  .reason = r->reason,
					  .cached = r->cached && r->spent_ns[PHASE_BUILD] == 0,
					  .spent_ns = r->spent_ns[PHASE_BUILD],
					  .kernels = t->calls,
					  .n_kernels = t->n_calls};
	const enum asc_status s = m->watch->built(m->watch->user, &event, e);

	trial_end_calls(t, m->builds->pool);
	trial_fini(t);
	t->state = TRIAL_IDLE;
	m->pending--;
	return s;
}

/* Takes the build of a function. One that cannot be built fails a run; here the kernels are built
 * all the same, since they do not need it. */
static enum asc_status end_function(struct making *m, struct kernel_build *k,
				    struct pool_done *done, struct asc_err *e)
{
	const bool timeout = done->timeout, hopeless = done->hopeless;
	char name[NAME_SIZE];
	struct build_event event = {.of = m->o,
				    .binding = &m->binding,
				    .first = true,
				    .function = name,
				    .cached = done->cached,
				    .spent_ns = done->spent_ns,
				    .kernels = k,
				    .n_kernels = 1};
	struct asc_err why;

	prerequisites_name(&m->functions, k, name, sizeof name);
	if (prerequisites_take(&m->functions, k, done, m->builds->pool, &why)) {
		if (hopeless) {
			*e = why;
			return e->status;
		}
		event.status = timeout ? RESULT_TIMEOUT : RESULT_BUILD_FAILED;
		event.reason = done->reason;
	}
	return m->watch->built(m->watch->user, &event, e);
}

static enum asc_status take(struct making *m, struct pool_done *done, struct asc_err *e)
{
	struct pool *pool = m->builds->pool;
	struct kernel_build *k = kernel_build_of(done->id);
	struct trial *t = k->trial;
	const bool timeout = done->timeout;

	if (prerequisites_has(&m->functions, k))
		return end_function(m, k, done, e);
	if (trial_take_build(k, done, pool, e) ||
	    (t->state == TRIAL_BUILT && trial_complete_plans(t, e)))
		return e->status;
	return t->state == TRIAL_BUILDING ? ASC_OK : end_trial(m, t, timeout, e);
}

/* Reports kernels that are not what the workload says. A run leaves them out and goes on with the
 * others; here they are what does not build. */
static enum asc_status report_broken(const struct making *m, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < m->searches.n_broken && s == ASC_OK; i++) {
		const struct broken_kernel *k = &m->searches.broken[i];
		char name[300];

		(void)snprintf(name, sizeof name, "implementation %s", k->implementation->name);
		const struct build_event event = {.of = m->o,
						  .binding = &m->binding,
						  .function = name,
						  .first = true,
						  .status = RESULT_BUILD_FAILED,
						  .reason = k->reason};

		s = m->watch->built(m->watch->user, &event, e);
	}
	return s;
}

/* ---- what is begun ---- */

/* Asks the next search by turns for one configuration; *found false: none has one left. */
static enum asc_status ask(struct making *m, size_t *search, uint64_t *index, bool *found,
			   struct asc_err *e)
{
	const uint64_t most = m->o->budget.trials;

	*found = false;
	for (size_t i = 0; i < m->searches.n && !*found; i++) {
		const size_t at = (m->turn + i) % m->searches.n;
		size_t n = 1;

		if (most > 0 && m->asked[at] == most)
			continue;
		if (impl_search_ask(&m->searches.list[at], index, &n, e))
			return e->status;
		*found = n > 0;
		*search = at;
	}
	if (*found) {
		m->asked[*search]++;
		m->turn = (*search + 1) % m->searches.n;
	}
	return ASC_OK;
}

static struct trial *find_slot(const struct builds *b)
{
	for (size_t i = 0; i < TRIALS_MAX; i++)
		if (b->slots[i].state == TRIAL_IDLE)
			return &b->slots[i];
	return NULL;
}

static enum asc_status submit_all(struct making *m, struct asc_err *e)
{
	struct trial *t;

	while ((t = find_slot(m->builds)) != NULL && !stopped(m)) {
		size_t search = 0;
		uint64_t index = 0;
		bool found;

		if (ask(m, &search, &index, &found, e))
			return e->status;
		if (!found)
			return ASC_OK;
		const struct impl_search *of = &m->searches.list[search];

		*t = (struct trial){.implementation = of->implementation,
				    .names = space_names(of->space),
				    .search = search,
				    .index = index,
				    .recorded = m->o->recorded};
		space_get(of->space, index, &t->config);
		m->builds->of[t - m->builds->slots] = m;
		m->pending++;
		trial_build_again(t, &m->problem);
		if (t->state == TRIAL_WAITING && trial_build(t, m->builds->pool, e)) {
			/* A kernel may be compiled for a fact that only the device tells. */
			if (e->status != ASC_ABSENT)
				return e->status;
			result_set(&t->result, RESULT_UNSUPPORTED, PHASE_BUILD, "%s", e->text);
			t->state = TRIAL_DONE;
		}
		if (t->state == TRIAL_BUILT && trial_complete_plans(t, e)) /* recorded, and there */
			return e->status;
		/* What cannot be stated ends at once: a launch that no formula allows. */
		if (t->state != TRIAL_BUILDING && end_trial(m, t, false, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- one problem ---- */

static uint64_t count_planned(const struct making *m)
{
	const uint64_t most = m->o->budget.trials;
	uint64_t sum = 0;

	for (size_t i = 0; i < m->searches.n; i++) {
		const struct impl_search *s = &m->searches.list[i];
		const uint64_t all = s->chosen ? s->n_choices : space_count(s->space);

		sum += most > 0 && most < all ? most : all;
	}
	return sum;
}

/* Cancels what is still on its way; what was built is in the cache. */
static void end_making(struct making *m)
{
	struct builds *b = m->builds;

	for (size_t i = 0; i < TRIALS_MAX; i++)
		if (b->slots[i].state != TRIAL_IDLE && b->of[i] == m)
			trial_cancel(&b->slots[i], b->pool);
	prerequisites_cancel(&m->functions, b->pool);
	impl_searches_close(&m->searches);
	binding_fini(&m->binding);
	free(m);
}

static enum asc_status begin_making(struct making *m, struct asc_err *e)
{
	enum asc_status s = loop_bind(m->o, false, &m->binding, e);

	if (s == ASC_OK)
		s = impl_searches_open(m->o, &m->binding, &m->searches, e);
	const bool nothing = s == ASC_ABSENT && m->searches.n_broken > 0;

	if ((s == ASC_OK || nothing) && report_broken(m, e))
		return e->status;
	if (s || nothing)
		return nothing ? ASC_OK : s;
	if (impl_searches_start(&m->searches, m->o, NULL, e))
		return e->status;
	m->problem = loop_problem(m->o, &m->binding);
	m->problem.target = &m->o->session->target;
	m->watch->begin(m->watch->user, &m->binding, count_planned(m));
	if (prerequisites_begin(&m->functions, &m->problem, m->builds->pool, e))
		return e->status;
	return submit_all(m, e);
}

/* ---- all of them ---- */

static bool is_over(const struct making *m)
{
	return m->pending == 0 && m->functions.pending == 0;
}

/* Ends the open problem in a place; `s`: what came of it. */
static enum asc_status close_place(struct all_making *all, size_t place, enum asc_status s,
				   struct asc_err *e)
{
	struct making *m = all->open[place];
	const struct builds_watch *watch = all->watch;

	if (s && watch->failed && !stopped(m))
		s = watch->failed(watch->user, m->o, e);
	end_making(m);
	all->open[place] = all->open[--all->n_open];
	return s;
}

/* Goes on with the open problem in a place, which is over when nothing of it is left. */
static enum asc_status go_on(struct all_making *all, size_t place, enum asc_status s,
			     struct asc_err *e)
{
	struct making *m = all->open[place];

	if (s == ASC_OK)
		s = submit_all(m, e);
	return s || is_over(m) ? close_place(all, place, s, e) : ASC_OK;
}

/* Begins problems while there is room for more builds. */
static enum asc_status begin_some(struct all_making *all, struct asc_err *e)
{
	while (all->next < all->n && all->n_open < all->open_most && find_slot(all->builds)) {
		const struct loop_options *o = &all->list[all->next++];
		struct making *m = calloc(1, sizeof *m);

		if (!m)
			return asc_err_nomem(e);
		*m = (struct making){.builds = all->builds, .o = o, .watch = all->watch};
		all->open[all->n_open++] = m;
		if (go_on(all, all->n_open - 1, begin_making(m, e), e))
			return e->status;
	}
	return ASC_OK;
}

/* True for a build of a problem: of a function, or of a configuration in one of its slots. */
static bool is_of(const struct making *m, const struct kernel_build *k)
{
	const struct builds *b = m->builds;
	bool of = prerequisites_has(&m->functions, k);

	for (size_t i = 0; !of && i < TRIALS_MAX; i++)
		of = k->trial == &b->slots[i] && b->of[i] == m;
	return of;
}

/* Finds the open problem that a build is of: one that is over has none on its way. */
static size_t find_making(const struct all_making *all, const struct kernel_build *k)
{
	size_t i = 0;

	while (i + 1 < all->n_open && !is_of(all->open[i], k))
		i++;
	return i;
}

enum asc_status builds_make(struct builds *b, const struct loop_options *list, size_t n,
			    const struct builds_watch *watch, struct asc_err *e)
{
	/* Twice as many as there are compilers: none waits for the next problem to be opened. */
	struct all_making all = {.builds = b,
				 .list = list,
				 .n = n,
				 .watch = watch,
				 .open_most = 2 * b->jobs < OPEN_MOST ? 2 * b->jobs : OPEN_MOST};
	const volatile sig_atomic_t *stop = n > 0 ? list->stop : NULL;
	enum asc_status s = ASC_OK;
	struct pool_done done;

	sources_watch();
	while (!(stop && *stop)) {
		s = begin_some(&all, e);
		if (s || all.n_open == 0)
			break;
		if (!pool_take(b->pool, POLL_NS, &done)) {
			watch->waiting(watch->user);
			continue;
		}
		const size_t place = find_making(&all, kernel_build_of(done.id));

		s = go_on(&all, place, take(all.open[place], &done, e), e);
		pool_done_fini(&done);
		if (s)
			break;
	}
	while (all.n_open > 0)
		end_making(all.open[--all.n_open]);
	return s;
}

/* ---- ahead of a loop ---- */

enum asc_status builds_ahead(const struct loop_options *o, struct db *db, struct asc_err *e)
{
	enum { MOST = 64 };
	const struct session *session = o->session;
	const uint64_t trials = o->budget.trials;
	struct impl_searches searches = {0};
	struct binding binding;
	uint64_t list[MOST];
	/* Two builds for each compiler: when these are done, the loop itself asks for others. */
	size_t left = 2 * session->target.build_jobs, n = 1;

	left = left < MOST ? left : MOST;
	left = trials > 0 && trials < left ? (size_t)trials : left;
	if (loop_bind(o, false, &binding, e))
		return e->status;
	enum asc_status s = impl_searches_open(o, &binding, &searches, e);

	if (s == ASC_OK)
		s = impl_searches_start(&searches, o, db, e);
	const struct evaluator_problem problem = loop_problem(o, &binding);

	for (; s == ASC_OK && left > 0 && n > 0; left -= n) {
		size_t at = 0;

		n = left;
		s = impl_searches_ask(&searches, &at, list, &n, e);
		for (size_t i = 0; i < n && s == ASC_OK; i++) {
			const struct impl_search *of = &searches.list[at];
			struct trial t = {.implementation = of->implementation,
					  .names = space_names(of->space)};

			space_get(of->space, list[i], &t.config);
			s = session->ops->build_ahead(session->evaluator, &problem, &t, e);
		}
	}
	impl_searches_close(&searches);
	binding_fini(&binding);
	return s;
}
