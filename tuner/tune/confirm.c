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

static enum asc_status find_config(struct confirm *c, int side, struct asc_err *e)
{
	const struct space *space = c->spaces[side];
	struct confirmation *out = c->out;
	struct asc_err why;
	uint64_t index;

	if (config_parse(c->sides[side].config_key, space_names(space), space_params(space),
			 &c->trials[side].config, &why)) {
		snprintf(out->reason, sizeof out->reason, "%s", why.text);
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	}
	if (!space_find(space, &c->trials[side].config, &index))
		snprintf(out->reason, sizeof out->reason, "%s is no configuration any more",
			 c->sides[side].config_key);
	return ASC_OK;
}

static enum asc_status bind_side(struct confirm *c, int side, struct asc_err *e)
{
	const char *name = c->sides[side].implementation;
	struct confirmation *out = c->out;
	bool covers = false;

	if (!name)
		name = c->o->implementation;
	const struct implementation *i = c->implementations[side] =
		workload_find_implementation(c->o->workload, name);

	if (!i)
		snprintf(out->reason, sizeof out->reason, "there is no implementation %s any more",
			 name);
	else if (binding_covers(&c->binding, i, &covers, out->reason, sizeof out->reason, e))
		return e->status;
	if (*out->reason)
		return ASC_OK;
	return binding_space(&c->binding, i, &c->spaces[side], e) ? e->status
								  : find_config(c, side, e);
}

static enum asc_status bind(struct confirm *c, const char *problem_key, struct asc_err *e)
{
	struct confirmation *out = c->out;
	enum asc_status s = loop_bind(c->o, &c->binding, e);

	if (s == ASC_OK && strcmp(c->binding.key, problem_key) != 0)
		snprintf(out->reason, sizeof out->reason, "the problem is another one now");
	for (int side = 0; s == ASC_OK && !*out->reason && side < CONFIRMATION_SIDES; side++)
		s = bind_side(c, side, e);
	return s;
}

/* ---- one process ---- */

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

static enum asc_status add_rounds(struct confirm *c, size_t n, struct asc_err *e)
{
	struct confirmation_ratio *r = &c->out->rounds;
	struct stats_interval within;

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
	return ASC_OK;
}

static enum asc_status judge(struct confirm *c, struct asc_err *e)
{
	const struct result *before = &c->trials[CONFIRMATION_BEFORE].result,
			    *after = &c->trials[CONFIRMATION_AFTER].result;
	struct confirmation_session *s = &c->out->sessions[c->out->n++];
	size_t rounds = before->n_samples < after->n_samples ? before->n_samples : after->n_samples;

	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		s->time[i] = c->trials[i].result.time;
		loop_steadiness_add(&c->steady, &c->trials[i].result);
	}
	if (add_rounds(c, rounds, e))
		return e->status;
	return tie_ratio(after->samples, before->samples, rounds, &s->ratio, &s->interval, e);
}

/* Holds a session: a problem begins, and with it a process. */
static enum asc_status hold_session(struct confirm *c, struct asc_err *e)
{
	const struct evaluator_problem problem = loop_problem(c->o, &c->binding);
	struct session *session = c->o->session;
	struct trial *list[CONFIRMATION_SIDES];
	size_t done = 0;
	enum asc_status s = session_begin(session, &problem, e);

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		struct trial *t = list[i] = &c->trials[i];

		t->id = i;
		t->purpose = TRIAL_ROUNDS;
		t->implementation = c->implementations[i];
		t->names = space_names(c->spaces[i]);
		t->full = true; /* neither side leaves the rounds, however slow */
		t->recorded = c->sides[i].artifact;
		t->seed = c->o->seed + c->out->n; /* another order in each session */
	}
	if (s == ASC_OK)
		s = session->ops->submit(session->evaluator, list, CONFIRMATION_SIDES, e);
	while (s == ASC_OK && done < CONFIRMATION_SIDES && !stopped(c)) {
		struct trial *t;

		s = session->ops->poll(session->evaluator, POLL_NS, &t, e);
		done += !s && t && !t->late;
	}
	if (s == ASC_OK && done == CONFIRMATION_SIDES) {
		note_artifacts(c);
		if (!*c->out->reason && both_passed(c))
			s = judge(c, e);
	}
	session_end(session);
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
