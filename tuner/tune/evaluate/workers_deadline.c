/* The part of workers.h that decides how long a worker may take: to set up its problem, to load,
 * for a launch, and for a turn with all its signs of life. */
#include <stdio.h>

#include "tuner/base/units.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/workers.h"
#include "tuner/worker/measure.h"

/* Limits of a launch that a trial may take in all, whatever its signs of life. */
enum { MAX_TURN = 20 };

#define SECOND INT64_C(1000000000)
static const int64_t SETUP_LIMIT_NS = 600 * SECOND; /* for inputs and reference */
static const int64_t FIRST_EXTRA_NS = 15 * SECOND;  /* for what drivers compile and load at first */
static const int64_t TURN_EXTRA_NS = 10 * SECOND;   /* for what a trial does beside its launches */

static int64_t launch_limit_ns(const struct workers *c)
{
	return policy_limit_ns(&c->problem->policy, c->best.median_ns, MEASURE_MAX_LAUNCHES);
}

/* True while the worker loads what is its first to be launched. */
static bool is_first_load(const struct workers *c)
{
	return c->worker.ready && !c->launched && c->phase < PHASE_VERIFY;
}

static int64_t limit_ns(const struct workers *c)
{
	if (!c->worker.ready)
		return SETUP_LIMIT_NS;
	return launch_limit_ns(c) + (is_first_load(c) ? FIRST_EXTRA_NS : 0);
}

/* Time at which the trials that were sent have to be done, whatever the worker says meanwhile: a
 * kernel may send signs of life without end. None begins a launch after its own time is up. */
static int64_t turn_deadline_ns(const struct workers *c)
{
	const struct trial *t = trials_first(c->queue, TRIAL_SENT);
	const int64_t begin = t->sent_ns > c->turn_ns ? t->sent_ns : c->turn_ns;
	const int64_t sent =
		trials_in_rounds(c->queue) ? (int64_t)trials_count(c->queue, TRIAL_SENT) : 1;
	const int64_t end = begin + TURN_EXTRA_NS + sent * MAX_TURN * limit_ns(c);
	const int64_t until =
		(t->until_ns > begin ? t->until_ns : begin) + TURN_EXTRA_NS + sent * limit_ns(c);

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

static void print_late_setup(const struct workers *c, const char *limit, char *text, size_t size)
{
	const bool all = clock_now_ns() >= c->worker.heard_ns + SETUP_LIMIT_NS;

	(void)snprintf(text, size, "%s took longer than %s",
		       c->worker.doing[0] ? c->worker.doing : "setting up the inputs",
		       all ? limit : "the whole time budget");
}

void workers_print_late(const struct workers *c, char *text, size_t size)
{
	char limit[UNITS_TEXT_SIZE], launch[UNITS_TEXT_SIZE], extra[UNITS_TEXT_SIZE];

	units_print_duration((double)limit_ns(c), limit);
	if (!c->worker.ready)
		print_late_setup(c, limit, text, size);
	else if (is_first_load(c))
		(void)snprintf(text, size,
			       "did not load in %s: %s, the limit of a launch, and %s more for "
			       "what loads first",
			       limit, units_print_duration((double)launch_limit_ns(c), launch),
			       units_print_duration((double)FIRST_EXTRA_NS, extra));
	else
		(void)snprintf(text, size, "ran past its limit of %s", limit);
}
