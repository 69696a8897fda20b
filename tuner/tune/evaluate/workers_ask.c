/* Requests to the worker: the problem that it sets up, and the trials that it measures. */
#include "tuner/tune/evaluate/workers.h"

#include "tuner/base/units.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/worker/policy.h"

enum { AHEAD = 2 }; /* trials with the worker: the one that runs and the one behind it */

static enum asc_status send(struct workers *c, struct trial *const *list, size_t n,
			    struct asc_err *e)
{
	if (trials_count(c->queue, TRIAL_SENT) == 0) {
		c->worker.heard_ns = clock_now_ns();
		c->phase = PHASE_LOAD;
		c->step = 0;
		c->timed = false;
	}
	for (size_t i = 0; i < n; i++) {
		list[i]->sent++;
		list[i]->sent_ns = clock_now_ns();
		list[i]->order = ++c->queue->orders; /* of the answers; builds end in any order */
		list[i]->state = TRIAL_SENT;
	}
	return link_ask_trials(&c->worker, list, n, e);
}

static enum asc_status send_one(struct workers *c, struct trial *t, struct asc_err *e)
{
	bool known = c->worker.best == c->best_number || !policy_races(&c->problem->policy);

	c->worker.best = c->best_number;
	if (!known && link_ask_incumbent(&c->worker, &c->best, e))
		return e->status;
	return send(c, &t, 1, e);
}

/* Sends all trials of the rounds at once, when none is still to be built. */
static enum asc_status send_rounds(struct workers *c, struct asc_err *e)
{
	const struct trials *q = c->queue;
	struct trial *list[TRIALS_MAX];
	size_t n = 0;

	if (trials_count(q, TRIAL_WAITING) + trials_count(q, TRIAL_BUILDING) +
		    trials_count(q, TRIAL_SENT) >
	    0)
		return ASC_OK;
	for (size_t i = 0; i < q->n; i++)
		if (q->list[i]->state == TRIAL_BUILT && (!c->suspect || c->suspect == q->list[i]))
			list[n++] = q->list[i];
	c->company = n;
	return n == 0 ? ASC_OK : send(c, list, n, e);
}

/* Ignores that the worker is gone: its exit is handled on receive, after its last result. */
static enum asc_status ignore_closed(enum asc_status s)
{
	return s == ASC_IO ? ASC_OK : s;
}

enum asc_status workers_set_best(struct workers *c, const struct result *r, struct asc_err *e)
{
	c->best_number++;
	return incumbent_set_result(&c->best, r, e);
}

enum asc_status workers_prepare(struct workers *c, const struct prerequisites *p, struct asc_err *e)
{
	return ignore_closed(link_ask_problem(&c->worker, c->problem, p, e));
}

enum asc_status workers_feed(struct workers *c, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	struct trial *t;

	if (trials_in_rounds(c->queue))
		return c->worker.ready ? ignore_closed(send_rounds(c, e)) : ASC_OK;
	while (!s && c->worker.ready && trials_count(c->queue, TRIAL_SENT) < AHEAD &&
	       (t = trials_first(c->queue, TRIAL_BUILT)) != NULL)
		s = send_one(c, t, e);
	return ignore_closed(s);
}
