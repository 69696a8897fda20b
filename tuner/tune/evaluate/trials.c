#include "tuner/tune/evaluate/trials.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/tune/evaluate/evaluator.h"

/* Trials wanted beside those that are built: two with the worker, so that it never waits for the
 * next one, and two behind them, since builds end in any order. */
enum { QUEUED = 4 };

bool trials_in_rounds(const struct trials *q)
{
	return q->purpose == TRIAL_ROUNDS;
}

struct trial *trials_first(const struct trials *q, enum trial_state state)
{
	struct trial *first = NULL;

	for (size_t i = 0; i < q->n; i++)
		if (q->list[i]->state == state && (!first || q->list[i]->order < first->order))
			first = q->list[i];
	return first;
}

struct trial *trials_find(const struct trials *q, enum trial_state state, uint64_t id)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->list[i]->state == state && q->list[i]->id == id)
			return q->list[i];
	return NULL;
}

size_t trials_count(const struct trials *q, enum trial_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < q->n; i++)
		n += q->list[i]->state == state;
	return n;
}

static enum asc_status add(struct trials *q, struct trial *t, struct asc_err *e)
{
	if (q->n == TRIALS_MAX && !t->late)
		return asc_err_set(e, ASC_LIMIT, "more than %d trials at once", TRIALS_MAX);
	q->list[q->n++] = t;
	t->order = ++q->orders;
	return ASC_OK;
}

static void leave(struct trials *q, const struct trial *t)
{
	size_t i = 0;

	while (q->list[i] != t)
		i++;
	q->list[i] = q->list[--q->n];
}

enum asc_status trials_add(struct trials *q, const struct evaluator_problem *p, struct trial *t,
			   struct asc_err *e)
{
	t->sent = t->alone = 0;
	t->again = t->late = false;
	t->equal = NULL;
	/* Results before rounds are forgotten: rounds compare times of one moment only. */
	if (t->purpose == TRIAL_ROUNDS || q->purpose == TRIAL_ROUNDS)
		launch_record_clear(&q->record);
	trial_build_again(t, p);
	q->purpose = t->purpose;
	return add(q, t, e);
}

/* ---- equal launches ---- */

static void note_launch(struct trials *q, const struct trial *t, bool measured)
{
	if (t->purpose == TRIAL_SEARCH)
		launch_record_add(&q->record, t, measured);
}

static void name_result(const struct trial *of, struct result *copy)
{
	trial_name_same(copy, of->implementation, &of->config, of->names, of->search, of->index);
}

/* Gives `t` the result of an equal launch, r->same: the times are of both, no time was spent. Takes
 * its contents. */
static void share(struct trials *q, struct trial *t, struct result *r)
{
	char *reason = r->reason;

	for (int i = 0; i < PHASE_COUNT; i++)
		r->spent_ns[i] = 0;
	r->begin_ns = r->flush_ns = r->retaken = 0;
	if (result_status_timed(r->status) && r->n_samples > 0) {
		r->reason = NULL;
		result_set(r, r->status, r->phase, "%s%ssame code as %s, launched alike",
			   reason ? reason : "", reason ? ": " : "",
			   r->same.as ? r->same.as : "another configuration");
		free(reason);
	}
	note_launch(q, t, false);
	trials_finish(q, t, r);
}

/* Finds a launch that is yet to be measured, to the end where `t` is to be; or NULL. */
static struct trial *find_equal(const struct trials *q, const struct trial *t)
{
	for (size_t i = 0; i < q->n; i++) {
		struct trial *o = q->list[i];
		bool waits = o->state == TRIAL_BUILT && o->sent == 0;

		if (o == t || (!waits && o->state != TRIAL_SENT) ||
		    strcmp(o->launch, t->launch) != 0)
			continue;
		if (waits)
			o->full |= t->full;
		if (o->full || !t->full)
			return o;
	}
	return NULL;
}

/* Finds the result that was measured with an equal launch: of a trial that waits to be taken, or
 * one that the owner has recorded. *out is initialised, whatever comes of it. */
static enum asc_status find_known(const struct trials *q, const struct evaluator_problem *p,
				  const struct trial *t, struct result *out, bool *found,
				  struct asc_err *e)
{
	const struct launch_entry *known = launch_record_find(&q->record, t->launch);
	const struct trial *done = known ? trials_find(q, TRIAL_DONE, known->id) : NULL;

	result_init(out);
	*found = done != NULL;
	if (done) {
		const enum asc_status s = result_copy(&done->result, out, e);

		if (s == ASC_OK)
			name_result(done, out);
		return s;
	}
	return known && p->recall ? p->recall(p->user, known->search, known->index, out, found, e)
				  : ASC_OK;
}

/* Two configurations may be one kernel: a parameter that changes nothing of the code. Trials with
 * equal code that are launched alike are measured once, in this order: completed plans say
 * how it is launched; the launch key says whether one that is pending is the same (EQUAL); the
 * record says whether one was measured (its result is shared). A profile is made of each, and those
 * that are measured apart, too. */
enum asc_status trials_take_built(struct trials *q, const struct evaluator_problem *p,
				  struct trial *t, struct asc_err *e)
{
	struct result known;
	bool found;

	if (trial_key_launch(t, e))
		return e->status;
	if (t->state == TRIAL_DONE || t->purpose == TRIAL_PROFILE || t->apart)
		return ASC_OK;
	t->equal = find_equal(q, t);
	if (t->equal) {
		t->state = TRIAL_EQUAL;
		return ASC_OK;
	}
	enum asc_status s = find_known(q, p, t, &known, &found, e);

	/* A result that was stopped early says too little for a trial measured to the end. */
	if (!s && found &&
	    (!t->full || (known.status != RESULT_SLOW && known.status != RESULT_UNDECIDED)))
		share(q, t, &known);
	result_fini(&known);
	return s;
}

/* Gives the result of `t` to the trials that wait for it. */
static void share_result(struct trials *q, const struct trial *t)
{
	for (size_t i = 0; i < q->n; i++) {
		struct trial *o = q->list[i];
		struct result copy;
		struct asc_err e;

		if (o->state != TRIAL_EQUAL || o->equal != t)
			continue;
		if (result_copy(&t->result, &copy, &e) == ASC_OK) {
			name_result(t, &copy);
			share(q, o, &copy);
		} else {
			o->state = TRIAL_BUILT;
		}
		result_fini(&copy);
	}
}

/* ---- ending ---- */

bool trials_cancel(struct trials *q, struct trial *t, struct pool *pool)
{
	if (t->state != TRIAL_WAITING && t->state != TRIAL_BUILDING && t->state != TRIAL_BUILT &&
	    t->state != TRIAL_EQUAL)
		return false;
	leave(q, t);
	trial_cancel(t, pool);
	/* Trials that wait for its result are measured themselves. */
	for (size_t i = 0; i < q->n; i++)
		if (q->list[i]->state == TRIAL_EQUAL && q->list[i]->equal == t)
			q->list[i]->state = TRIAL_BUILT;
	return true;
}

void trials_clear(struct trials *q, struct pool *pool)
{
	while (q->n > 0)
		trial_cancel(q->list[--q->n], pool);
	for (size_t i = 0; i < TRIALS_MAX_LATE; i++)
		trial_fini(&q->late[i]);
	launch_record_clear(&q->record);
	q->build_ns = q->worker_ns = 0;
}

void trials_finish(struct trials *q, struct trial *t, struct result *result)
{
	struct result *r = &t->result;

	memcpy(result->artifact, r->artifact, sizeof r->artifact);
	memcpy(result->digest, r->digest, sizeof r->digest);
	result->cached = r->cached;
	result->spent_ns[PHASE_BUILD] += r->spent_ns[PHASE_BUILD];
	result->builds = r->builds;
	trial_note_plans(t, result);
	*r = *result;
	result_init(result);
	t->order = ++q->orders;
	if (t->state == TRIAL_SENT)
		note_launch(q, t, !trial_is_undecided(t));
	t->state = TRIAL_DONE;
	share_result(q, t);
}

static void add_late(struct trials *q, const struct launch_entry *of, const struct result *result)
{
	struct asc_err e;
	size_t i = 0;

	while (i < TRIALS_MAX_LATE && q->late[i].state != TRIAL_IDLE)
		i++;
	if (i == TRIALS_MAX_LATE)
		return;
	struct trial *t = &q->late[i];

	trial_fini(t);
	*t = (struct trial){.id = of->id,
			    .search = of->search,
			    .index = of->index,
			    .late = true,
			    .state = TRIAL_DONE};
	if (result_copy(result, &t->result, &e) || add(q, t, &e))
		t->state = TRIAL_IDLE;
}

void trials_add_late(struct trials *q, uint64_t id, struct result *result)
{
	const struct launch_entry *equal;

	for (size_t at = 0; (equal = launch_record_next_equal(&q->record, id, &at)) != NULL;)
		add_late(q, equal, result);
	result_fini(result);
}

/* A build that takes as long as b results of the worker needs b - 1 others on their way; before the
 * first result every compiler is to have one. */
size_t trials_wanted(const struct trials *q, size_t jobs, bool by_turns)
{
	size_t builds = jobs;

	if (by_turns) /* a batch of two builds for each compiler: few results are asked for ahead */
		builds = 2 * jobs;
	else if (q->worker_ns > 0 && q->build_ns / q->worker_ns < (int64_t)jobs)
		builds = (size_t)(q->build_ns / q->worker_ns) + 1;
	return builds + QUEUED < TRIALS_MAX ? builds + QUEUED : TRIALS_MAX;
}

struct trial *trials_take(struct trials *q)
{
	struct trial *t = trials_first(q, TRIAL_DONE);

	if (!t)
		return NULL;
	q->build_ns += t->result.spent_ns[PHASE_BUILD];
	for (size_t i = 0; i < PHASE_COUNT; i++)
		q->worker_ns += i == PHASE_BUILD ? 0 : t->result.spent_ns[i];
	leave(q, t);
	t->state = TRIAL_IDLE;
	/* A profile is to tell of the launch and its code, until its owner ends it. */
	if (t->purpose != TRIAL_PROFILE)
		trial_end_calls(t, NULL);
	return t;
}
