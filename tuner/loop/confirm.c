#include "tuner/loop/confirm.h"

#include <stdio.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/loop/loop.h"
#include "tuner/loop/tally.h"
#include "tuner/model/binding.h"
#include "tuner/model/limits.h"
#include "tuner/model/space.h"
#include "tuner/model/tie.h"

static const int64_t POLL_NS = INT64_C(100000000); /* how soon a stop is noticed */

struct confirm {
	const struct loop_options *o;
	struct confirmation *out;
	const struct implementation *implementation;
	struct binding binding;
	struct limits limits;
	struct space *space;
	struct config configs[CONFIRMATION_SIDES];
	const struct confirm_side *sides;
	struct result results[CONFIRMATION_SIDES];
	struct loop_steadiness steady;
};

static bool stopped(const struct confirm *c)
{
	return c->o->stop && *c->o->stop;
}

/* ---- what is to be measured ---- */

static enum asc_status find_config(struct confirm *c, int side, struct asc_err *e)
{
	struct confirmation *out = c->out;
	struct asc_err why;
	uint64_t index;

	if (config_parse(c->sides[side].config_key, space_names(c->space), space_params(c->space),
			 &c->configs[side], &why)) {
		snprintf(out->reason, sizeof out->reason, "%s", why.text);
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	}
	if (!space_find(c->space, &c->configs[side], &index))
		snprintf(out->reason, sizeof out->reason, "%s is no configuration any more",
			 c->sides[side].config_key);
	return ASC_OK;
}

static enum asc_status bind(struct confirm *c, const char *problem_key, struct asc_err *e)
{
	const struct loop_options *o = c->o;
	struct confirmation *out = c->out;
	bool covers = false;

	if (binding_init(&c->binding, o->workload, o->problem, o->device->name, &o->info->facts, e))
		return e->status;
	c->binding.rewrites_off = o->rewrites_off;
	if (limits_find(o->info->arch, &c->limits))
		c->binding.limits = &c->limits;
	c->implementation = workload_find_implementation(o->workload, o->implementation);
	if (strcmp(c->binding.key, problem_key) != 0)
		snprintf(out->reason, sizeof out->reason, "the problem is another one now");
	else if (!c->implementation)
		snprintf(out->reason, sizeof out->reason, "there is no implementation %s any more",
			 o->implementation);
	else if (binding_covers(&c->binding, c->implementation, &covers, out->reason,
				sizeof out->reason, e))
		return e->status;
	if (*out->reason)
		return ASC_OK;
	if (binding_space(&c->binding, c->implementation, &c->space, e) ||
	    find_config(c, CONFIRMATION_BEFORE, e))
		return e->status;
	return *out->reason ? ASC_OK : find_config(c, CONFIRMATION_AFTER, e);
}

/* ---- one session ---- */

static enum asc_status open_evaluator(const struct confirm *c, struct evaluator **out,
				      struct asc_err *e)
{
	const struct loop_options *o = c->o;
	struct evaluator_options eo = {.device = o->device,
				       .ordinal = o->ordinal,
				       .info = o->info,
				       .binding = &c->binding,
				       .cache = o->cache,
				       .program = o->program,
				       .seed = LOOP_INPUT_SEED,
				       .build_jobs = o->build_jobs,
				       .rule = o->rule};

	eo.rule.finals_wall_ns = o->budget.ns / 4; /* as in a run */
	return o->evaluator->open(&eo, out, e);
}

static enum asc_status submit(const struct confirm *c, struct evaluator *v, uint64_t seed,
			      struct asc_err *e)
{
	const struct evaluator_finals how = {.seed = seed};
	struct evaluator_job jobs[CONFIRMATION_SIDES];

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++)
		jobs[i] = (struct evaluator_job){.id = i,
						 .implementation = c->implementation,
						 .names = space_names(c->space),
						 .config = c->configs[i],
						 .unraced = true,
						 .artifact = c->sides[i].artifact};
	return c->o->evaluator->finals(v, jobs, CONFIRMATION_SIDES, &how, e);
}

static enum asc_status collect(struct confirm *c, struct evaluator *v, bool *all, struct asc_err *e)
{
	size_t done = 0;

	while (done < CONFIRMATION_SIDES && !stopped(c)) {
		struct evaluator_done d;
		bool taken = false;

		if (c->o->evaluator->poll(v, POLL_NS, &d, &taken, e))
			return e->status;
		if (!taken)
			continue;
		result_fini(&c->results[d.id]);
		c->results[d.id] = d.result;
		done++;
	}
	*all = done == CONFIRMATION_SIDES;
	return ASC_OK;
}

/* The first of the two that failed gives the reason; the other may not have been measured then. */
static bool both_passed(const struct confirm *c)
{
	static const char *const names[] = {"before", "after"};
	struct confirmation *out = c->out;

	for (int i = 0; i < CONFIRMATION_SIDES && !*out->reason; i++)
		if (c->results[i].status != RESULT_OK)
			snprintf(out->reason, sizeof out->reason, "what won %s is now %s: %s",
				 names[i], result_status_name(c->results[i].status),
				 result_reason(&c->results[i]));
	return !*out->reason;
}

static enum asc_status judge(struct confirm *c, struct asc_err *e)
{
	const struct result *before = &c->results[CONFIRMATION_BEFORE],
			    *after = &c->results[CONFIRMATION_AFTER];
	struct confirmation *out = c->out;
	size_t rounds = before->n_samples < after->n_samples ? before->n_samples : after->n_samples,
	       at = out->n++;

	out->same = strcmp(before->artifact, after->artifact) == 0 &&
		    strcmp(c->sides[0].config_key, c->sides[1].config_key) == 0;
	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		const char *wanted = c->sides[i].artifact;

		out->stored[i] = *wanted && strcmp(c->results[i].artifact, wanted) == 0;
		out->sessions[at].ns[i] = c->results[i].time.median;
		tally_steadiness(&c->steady, &c->results[i]);
	}
	return tie_ratio(after->samples, before->samples, rounds, &out->sessions[at].ratio,
			 &out->sessions[at].interval, e);
}

static enum asc_status hold_session(struct confirm *c, struct asc_err *e)
{
	struct evaluator *v = NULL;
	bool all = false;

	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		result_init(&c->results[i]);
	enum asc_status s = open_evaluator(c, &v, e);

	if (s == ASC_OK)
		s = submit(c, v, c->o->seed + c->out->n, e);
	if (s == ASC_OK)
		s = collect(c, v, &all, e);
	if (s == ASC_OK && all && both_passed(c))
		s = judge(c, e);
	if (v)
		c->o->evaluator->close(v);
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		result_fini(&c->results[i]);
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
	space_free(c.space);
	binding_fini(&c.binding);
	return status;
}
