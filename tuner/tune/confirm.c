/* Measures two configurations against each other, to say whether one is slower, in order:
 *
 * 1. Bind both sides to the problem as it is now. A side that is gone (the implementation, the
 *    configuration, the problem itself) is a reason, not an error: there is nothing to measure.
 * 2. Hold a few sessions, each in a process of its own, since rounds within a process do not
 *    average out the noise of its place in memory.
 * 3. In a session both sides are measured in the same rounds, so that a drift of the machine is in
 *    both; the ratios of rounds are kept by session, and of all sessions together. */
#include "tuner/tune/confirm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"

/* Two sides in interleaved rounds, three times:
 *
 * 1. bind(): the problem is the recorded one, and each side's configuration is in its space; what
 *    is not is a reason for no comparison.
 * 2. hold_session(), once for each process: both sides are submitted as one trial list, whose
 *    rounds the worker interleaves; what was measured (the recorded artifact, or another build) is
 *    noted before any time is looked at.
 * 3. Ratios: of each process, and of the rounds of all of them as one series. */

static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */

struct confirm {
	const struct loop_options *o;
	struct confirmation *out;
	struct binding binding;
	const struct confirm_side *sides;
	const struct implementation *implementations[CONFIRMATION_SIDES];
	struct space *spaces[CONFIRMATION_SIDES];
	struct trial trials[CONFIRMATION_SIDES];
	struct loop_steadiness steady;
	int64_t *samples[CONFIRMATION_SIDES]; /* of the rounds of all sessions */
	size_t n_rounds;
};

static bool stopped(const struct confirm *c)
{
	return c->o->stop && *c->o->stop;
}

/* ---- what is to be measured ---- */

static enum asc_status bind_side(struct confirm *c, int side, struct asc_err *e)
{
	const char *name = c->sides[side].implementation ? c->sides[side].implementation
							 : c->o->implementation;
	const struct implementation *i = c->implementations[side] =
		workload_find_implementation(c->o->workload, name);
	struct config *config = &c->trials[side].config;
	struct confirmation *out = c->out;
	bool covers = false;
	struct asc_err why;
	uint64_t index;

	if (!i)
		snprintf(out->reason, sizeof out->reason, "there is no implementation %s any more",
			 name);
	else if (binding_covers(&c->binding, i, &covers, out->reason, sizeof out->reason, e))
		return e->status;
	if (*out->reason)
		return ASC_OK;
	if (binding_space(&c->binding, i, &c->spaces[side], e))
		return e->status;
	const struct space *space = c->spaces[side];

	/* A key that the space cannot read has parameters of another time: no error of today. */
	if (config_parse(c->sides[side].config_key, space_names(space), space_params(space), config,
			 &why)) {
		snprintf(out->reason, sizeof out->reason, "%s", why.text);
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	}
	if (!space_find(space, config, &index))
		snprintf(out->reason, sizeof out->reason, "%s is no configuration any more",
			 c->sides[side].config_key);
	return ASC_OK;
}

static enum asc_status bind(struct confirm *c, const char *problem_key, struct asc_err *e)
{
	struct confirmation *out = c->out;
	enum asc_status s = loop_bind(c->o, true, &c->binding, e);

	if (s == ASC_OK && problem_key && strcmp(c->binding.key, problem_key) != 0)
		snprintf(out->reason, sizeof out->reason, "the problem is another one now");
	for (int side = 0; s == ASC_OK && !*out->reason && side < CONFIRMATION_SIDES; side++)
		s = bind_side(c, side, e);
	return s;
}

/* ---- one process ---- */

/* Submits both sides and waits for their results; *all: both came, rather than a stop. */
static enum asc_status measure(struct confirm *c, bool *all, struct asc_err *e)
{
	const struct session *s = c->o->session;
	struct trial *list[CONFIRMATION_SIDES];
	size_t done = 0;

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		struct trial *t = list[i] = &c->trials[i];

		t->id = i;
		t->purpose = TRIAL_ROUNDS;
		t->implementation = c->implementations[i];
		t->names = space_names(c->spaces[i]);
		t->full = true; /* no early stopping: the slower side is a result, too */
		t->recorded = c->sides[i].artifact;
		t->seed = c->o->seed + c->out->n; /* another order of rounds in each process */
	}
	if (s->ops->submit(s->evaluator, list, CONFIRMATION_SIDES, e))
		return e->status;
	while (done < CONFIRMATION_SIDES && !stopped(c)) {
		struct trial *t;

		if (s->ops->poll(s->evaluator, POLL_NS, &t, e))
			return e->status;
		done += t && !t->late;
	}
	*all = done == CONFIRMATION_SIDES;
	return ASC_OK;
}

/* True when both passed; else the first that failed gives the reason, since the other may not have
 * been measured then. A build without a key failed for a reason of the machine, of what is
 * installed, or of the sandbox: that is no failure of the configuration. */
static bool both_passed(const struct confirm *c)
{
	struct confirmation *out = c->out;

	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		const struct result *r = &c->trials[i].result;

		/* Alone it passes: something is wrong beside the other. */
		if (r->status == RESULT_OK && r->n_samples > 0)
			continue;
		out->failed = r->status != RESULT_BUILD_FAILED || *r->artifact;
		out->wrong[i] = r->status == RESULT_WRONG;
		snprintf(out->reason, sizeof out->reason, "%s is %s: %s", c->sides[i].what,
			 result_status_name(r->status), result_reason(r));
		return false;
	}
	return true;
}

/* Notes what was measured: the recorded artifact or another one. */
static void note_artifacts(struct confirm *c)
{
	struct confirmation *out = c->out;
	const struct result *r[CONFIRMATION_SIDES] = {&c->trials[CONFIRMATION_BEFORE].result,
						      &c->trials[CONFIRMATION_AFTER].result};

	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		const char *wanted = c->sides[i].artifact;

		out->stored[i] = *wanted && strcmp(r[i]->artifact, wanted) == 0;
		out->gone |= c->sides[i].as_recorded && !out->stored[i];
		if (c->sides[i].as_recorded && !out->stored[i])
			snprintf(out->reason, sizeof out->reason,
				 "the artifact of %s is not in the cache any more",
				 c->sides[i].what);
		memcpy(out->digest[i], r[i]->digest, sizeof out->digest[i]);
	}
	/* The bytes and how they are launched decide, not what they were made of: the evaluator
	 * measures equal launches once. */
	out->same_code =
		*c->trials[0].launch && strcmp(c->trials[0].launch, c->trials[1].launch) == 0;
	out->same = strcmp(r[0]->artifact, r[1]->artifact) == 0 &&
		    strcmp(r[0]->digest, r[1]->digest) == 0 &&
		    strcmp(c->sides[0].config_key, c->sides[1].config_key) == 0;
}

/* Adds a process that both sides passed: its ratio, and its rounds to the series of all rounds. */
static enum asc_status add_session(struct confirm *c, struct asc_err *e)
{
	const struct result *before = &c->trials[CONFIRMATION_BEFORE].result,
			    *after = &c->trials[CONFIRMATION_AFTER].result;
	struct confirmation_session *s = &c->out->sessions[c->out->n++];
	struct confirmation_ratio *r = &c->out->rounds;
	struct stats_interval within;
	/* A round that only one side has is no pair. */
	const size_t n =
		before->n_samples < after->n_samples ? before->n_samples : after->n_samples;

	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		s->time[i] = c->trials[i].result.time;
		loop_steadiness_add(&c->steady, &c->trials[i].result);
	}
	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		int64_t *all = realloc(c->samples[i], (c->n_rounds + n) * sizeof *all);

		if (!all)
			return asc_err_nomem(e);
		memcpy(all + c->n_rounds, c->trials[i].result.samples, n * sizeof *all);
		c->samples[i] = all;
	}
	c->n_rounds += n;
	if (tie_ratio(c->samples[CONFIRMATION_AFTER], c->samples[CONFIRMATION_BEFORE], c->n_rounds,
		      &r->ratio, &within, e))
		return e->status;
	r->low = within.low;
	r->high = within.high;
	return tie_ratio(after->samples, before->samples, n, &s->ratio, &s->interval, e);
}

/* Begins a problem, and so a process, for each session: rounds do not average out the noise of its
 * place in memory. */
static enum asc_status hold_session(struct confirm *c, struct asc_err *e)
{
	const struct evaluator_problem p = loop_problem(c->o, &c->binding);
	enum asc_status s = session_begin(c->o->session, &p, e);
	bool all = false;

	if (s == ASC_OK)
		s = measure(c, &all, e);
	if (s == ASC_OK && all)
		note_artifacts(c);
	/* Times of another artifact than the recorded one are none of this comparison. */
	if (s == ASC_OK && all && !*c->out->reason && both_passed(c))
		s = add_session(c, e);
	session_end(c->o->session);
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		trial_fini(&c->trials[i]);
	return s;
}

enum asc_status confirm_run(const struct loop_options *o, const char *problem_key,
			    const struct confirm_side sides[CONFIRMATION_SIDES],
			    struct confirmation *out, struct asc_err *e)
{
	struct confirm c = {.o = o, .out = out, .sides = sides};

	*out = (struct confirmation){0};
	enum asc_status status = bind(&c, problem_key, e);

	for (int k = 0; k < CONFIRMATION_SESSIONS; k++)
		if (status == ASC_OK && !*out->reason && !stopped(&c))
			status = hold_session(&c, e);
	out->unsteady = loop_was_unsteady(&c.steady);
	if (stopped(&c) && !*out->reason)
		snprintf(out->reason, sizeof out->reason, "it was interrupted");
	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		space_free(c.spaces[i]);
		free(c.samples[i]);
	}
	binding_fini(&c.binding);
	return status;
}
