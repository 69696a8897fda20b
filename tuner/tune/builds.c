/* The builds of one problem, in order:
 *
 * 1. Open: bind the problem, make the spaces, find the compilers, as a run does.
 * 2. Submit the reference and the functions that fill tensors: a run builds them too.
 * 3. Ask the searches by turns, so that every implementation begins with its default, and submit
 *    to the pool as many configurations as there are slots; the pool begins with the longest.
 * 4. Take one build after another. A configuration of several kernels ends with the last, or with
 *    the first that is refused.
 *
 * Equal requests are one build: the pool joins those under way and finds the others in the cache.
 */
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

enum { NAME_SIZE = 128 };
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

enum asc_status builds_open(struct builds *b, const struct evaluator_target *t, struct asc_err *e)
{
	b->slots = calloc(TRIALS_MAX, sizeof *b->slots);
	if (!b->slots)
		return asc_err_nomem(e);
	return pool_open(t->cache, t->build_jobs, KERNEL_BUILD_LIMIT_NS, &b->pool, e);
}

void builds_close(struct builds *b)
{
	pool_close(b->pool);
	free(b->slots);
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
	const struct build_event event = {.binding = &m->binding,
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
	struct build_event event = {.binding = &m->binding,
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
	struct kernel_build *k = kernel_build_of(done);
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
		const struct build_event event = {.binding = &m->binding,
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

static struct trial *find_slot(const struct making *m)
{
	for (size_t i = 0; i < TRIALS_MAX; i++)
		if (m->builds->slots[i].state == TRIAL_IDLE)
			return &m->builds->slots[i];
	return NULL;
}

static enum asc_status submit_all(struct making *m, struct asc_err *e)
{
	struct trial *t;

	while ((t = find_slot(m)) != NULL && !stopped(m)) {
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

static enum asc_status make(struct making *m, struct asc_err *e)
{
	struct pool *pool = m->builds->pool;
	struct pool_done done;

	m->watch->begin(m->watch->user, &m->binding, count_planned(m));
	if (prerequisites_begin(&m->functions, &m->problem, pool, e))
		return e->status;
	while (!stopped(m)) {
		if (submit_all(m, e))
			return e->status;
		if (m->pending == 0 && m->functions.pending == 0)
			break;
		if (!pool_take(pool, POLL_NS, &done)) {
			m->watch->waiting(m->watch->user);
			continue;
		}
		const enum asc_status s = take(m, &done, e);

		pool_done_fini(&done);
		if (s)
			return s;
	}
	return ASC_OK;
}

enum asc_status builds_make(struct builds *b, const struct loop_options *o,
			    const struct builds_watch *watch, struct asc_err *e)
{
	struct making *m = calloc(1, sizeof *m);

	if (!m)
		return asc_err_nomem(e);
	m->builds = b;
	m->o = o;
	m->watch = watch;
	sources_watch();
	enum asc_status s = loop_bind(o, false, &m->binding, e);

	if (s == ASC_OK)
		s = impl_searches_open(o, &m->binding, &m->searches, e);
	const bool nothing = s == ASC_ABSENT && m->searches.n_broken > 0;

	if ((s == ASC_OK || nothing) && report_broken(m, e))
		s = e->status;
	else if (nothing)
		s = ASC_OK;
	if (s == ASC_OK && !nothing)
		s = impl_searches_start(&m->searches, o, NULL, e);
	if (s == ASC_OK && !nothing) {
		m->problem = loop_problem(o, &m->binding);
		m->problem.target = &o->session->target;
		s = make(m, e);
	}
	/* What is still on its way is cancelled; what was built is in the cache. */
	for (size_t i = 0; i < TRIALS_MAX; i++)
		if (b->slots[i].state != TRIAL_IDLE)
			trial_cancel(&b->slots[i], b->pool);
	prerequisites_cancel(&m->functions, b->pool);
	impl_searches_close(&m->searches);
	binding_fini(&m->binding);
	free(m);
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
