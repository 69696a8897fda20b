/* The part of workers.h that asks: requests to the worker (the problem that it sets up, the trials
 * that it measures), and how long it may take to set up its problem, to load, for a launch, and for
 * a turn with all its signs of life. */
#include <stdio.h>

#include "tuner/base/units.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/workers.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/reference.h"
#include "tuner/worker/sampling.h"

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
		list[i]->warmed_ns = 0; /* another process may have it */
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

bool workers_lack_reference(const struct workers *c, const struct prerequisites *p)
{
	const bool has = p->parts[PREREQUISITES_REFERENCE].artifact.path || prerequisites_own(p);

	return c->problem->shared && c->worker.used && has &&
	       !reference_is_kept(c->target->cache, &p->key);
}

enum asc_status workers_prepare(struct workers *c, struct prerequisites *p, struct asc_err *e)
{
	c->prerequisites = p;
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

/* ---- how long an answer may take ---- */

/* Limits of a launch that a trial may take in all, whatever its signs of life. */
enum { MAX_TURN = 20 };

#define SECOND INT64_C(1000000000)
static const int64_t SETUP_LIMIT_NS = 600 * SECOND; /* for inputs and reference */
static const int64_t FIRST_EXTRA_NS = 15 * SECOND;  /* for what drivers compile and load at first */
static const int64_t TURN_EXTRA_NS = 10 * SECOND;   /* for what a trial does beside its launches */

static int64_t launch_limit_ns(const struct workers *c)
{
	return policy_limit_ns(&c->problem->policy, c->best.median_ns, SAMPLING_MAX_LAUNCHES);
}

/* True while the worker loads what is its first to be launched. */
static bool is_first_load(const struct workers *c)
{
	return c->worker.ready && !c->launched && c->phase < PHASE_VERIFY;
}

/* Time that functions of a trial may still take to get warm, when they are loaded and whenever
 * tensors have moved: all together no more than compilers of its calls. No kernel may lengthen its
 * turn without end. */
static int64_t warming_left_ns(const struct trial *t)
{
	return (int64_t)t->implementation->n_calls * KERNEL_BUILD_LIMIT_NS - t->warmed_ns;
}

/* True while a function of a library is called until it is warm. */
static bool is_warming(const struct workers *c)
{
	const struct trial *t = trials_find(c->queue, TRIAL_SENT, c->worker.at);

	return c->worker.ready && c->worker.announced && c->phase == PHASE_BUILD && t &&
	       warming_left_ns(t) > 0;
}

/* Time that a function may take until it is warm, since the worker was heard last: a compiler's,
 * and no more than is left of the run's, but for a trial that is needed; a launch's at least. */
static int64_t warm_limit_ns(const struct workers *c)
{
	const struct trial *t = trials_find(c->queue, TRIAL_SENT, c->worker.at);
	const int64_t least = launch_limit_ns(c), left = t->until_ns - c->worker.heard_ns;

	if (t->needed || t->until_ns == 0 || left > KERNEL_BUILD_LIMIT_NS)
		return KERNEL_BUILD_LIMIT_NS;
	return left > least ? left : least;
}

/* Time that compiling takes at most beside launches: a function that gets warm may do so. */
static int64_t warming_ns(const struct workers *c)
{
	return is_warming(c) ? warming_left_ns(trials_find(c->queue, TRIAL_SENT, c->worker.at)) : 0;
}

/* Limit of a launch, and of what is loaded before it. */
static int64_t step_limit_ns(const struct workers *c)
{
	return launch_limit_ns(c) + (is_first_load(c) ? FIRST_EXTRA_NS : 0);
}

static bool sets_up(const struct workers *c)
{
	return !c->worker.ready || c->worker.doing[0];
}

/* Time that the worker may be silent. */
static int64_t limit_ns(const struct workers *c)
{
	if (sets_up(c))
		return SETUP_LIMIT_NS;
	return is_warming(c) ? warm_limit_ns(c) : step_limit_ns(c);
}

/* Time at which the turn of the trials that were sent has begun, without what got warm. */
static int64_t turn_begin_ns(const struct workers *c)
{
	const struct trial *t = trials_first(c->queue, TRIAL_SENT);

	return t->sent_ns > c->turn_ns ? t->sent_ns : c->turn_ns;
}

void workers_note_warming(struct workers *c, struct trial *t)
{
	const int64_t took = c->worker.heard_ns - c->phase_ns, left = warming_left_ns(t);
	const int64_t counts = took < left ? took : left;

	t->warmed_ns += counts;
	c->turn_ns = turn_begin_ns(c) + counts;
}

/* Time at which the trials that were sent have to be done, whatever the worker says meanwhile: a
 * kernel may send signs of life without end. None begins a launch after its own time is up. */
static int64_t turn_deadline_ns(const struct workers *c)
{
	const struct trial *t = trials_first(c->queue, TRIAL_SENT);
	const int64_t begin = turn_begin_ns(c);
	const int64_t sent =
		trials_in_rounds(c->queue) ? (int64_t)trials_count(c->queue, TRIAL_SENT) : 1;
	const int64_t end =
		begin + TURN_EXTRA_NS + warming_ns(c) + sent * MAX_TURN * step_limit_ns(c);
	const int64_t until = (t->until_ns > begin ? t->until_ns : begin) + TURN_EXTRA_NS +
			      warming_ns(c) + sent * step_limit_ns(c);

	return t->until_ns > 0 && until < end ? until : end;
}

int64_t workers_deadline_ns(const struct workers *c)
{
	const int64_t until = c->problem->setup_until_ns;
	const bool sent = c->worker.ready && trials_count(c->queue, TRIAL_SENT) > 0;
	bool busy = c->worker.ready ? sent : c->worker.asked;
	int64_t deadline = busy ? c->worker.heard_ns + limit_ns(c) : INT64_MAX;

	if (sent && turn_deadline_ns(c) < deadline)
		return turn_deadline_ns(c);
	return !c->worker.ready && !c->was_ready && until > 0 && until < deadline ? until
										  : deadline;
}

bool workers_lack_time(const struct workers *c)
{
	return is_warming(c) && limit_ns(c) < KERNEL_BUILD_LIMIT_NS;
}

const char *workers_doing(const struct workers *c)
{
	/* A Python imports before it opens its device. */
	return c->worker.places && *c->worker.places && !c->worker.open
		       ? "the import of Python functions"
		       : c->worker.doing;
}

static void print_late_setup(const struct workers *c, const char *limit, char *text, size_t size)
{
	const bool all = clock_now_ns() >= c->worker.heard_ns + SETUP_LIMIT_NS;

	const char *doing = workers_doing(c);

	(void)snprintf(text, size, "%s took longer than %s",
		       *doing ? doing : "setting up the inputs",
		       all ? limit : "the whole time budget");
}

void workers_print_late(const struct workers *c, char *text, size_t size)
{
	char limit[UNITS_TEXT_SIZE], launch[UNITS_TEXT_SIZE], extra[UNITS_TEXT_SIZE];

	units_print_duration((double)limit_ns(c), limit);
	if (sets_up(c))
		print_late_setup(c, limit, text, size);
	else if (is_warming(c))
		(void)snprintf(text, size, "was not warm in %s, %s", limit,
			       workers_lack_time(c) ? "when time was up"
						    : "the limit of a compiler");
	else if (is_first_load(c))
		(void)snprintf(text, size,
			       "did not load in %s: %s, the limit of a launch, and %s more for "
			       "what loads first",
			       limit, units_print_duration((double)launch_limit_ns(c), launch),
			       units_print_duration((double)FIRST_EXTRA_NS, extra));
	else
		(void)snprintf(text, size, "ran past its limit of %s", limit);
}
