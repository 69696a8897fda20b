/* Builds both sides of kernels whose keys differ, to see whether what runs differs, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/build/artifact.h"
#include "tuner/cmd/gate/gate.h"
#include "tuner/tune/builds.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/launch_record.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/workload.h"

struct side_build {
	struct gate_kernel *kernel;
	struct gate_side *side;
};

static void begin(void *user, const struct binding *b, uint64_t planned)
{
	(void)user;
	(void)b;
	(void)planned;
}

static void wait_on(void *user)
{
	(void)user;
}

/* Keys what is launched, as a trial's launch is keyed (evaluate/trial). */
static enum asc_status key_launch(struct gate_side *s, const struct build_event *event,
				  struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	for (size_t i = 0; i < event->n_kernels; i++) {
		const struct kernel_build *k = &event->kernels[i];

		launch_add(&h, &k->artifact, callable_entry(k->source.call, k->source.device),
			   &k->plan);
	}
	return hash_end(&h, s->launch, e);
}

static enum asc_status take(void *user, const struct build_event *event, struct asc_err *e)
{
	struct side_build *b = user;

	b->kernel->built |= !event->cached;
	if (!event->search) /* a function: who measures says what is wrong with it */
		return ASC_OK;
	if (build_event_is_built(event))
		return key_launch(b->side, event, e);
	b->side->failed = true;
	snprintf(b->side->reason, sizeof b->side->reason, "%s",
		 event->reason ? event->reason : "it does not build");
	return ASC_OK;
}

static enum asc_status build_side(struct gate *g, struct builds *builds, struct gate_kernel *k,
				  struct gate_side *s, struct asc_err *e)
{
	struct side_build b = {k, s};
	const struct builds_watch watch = {begin, take, wait_on, &b};
	struct loop_options lo = {.workload = s->workload,
				  .problem = workload_find_problem(s->workload, k->problem),
				  .implementation = k->implementation,
				  .session = &g->on->session,
				  .strategy = &strategy_exhaustive,
				  .budget = {.trials = 1},
				  .config = s->config,
				  .seed = 1,
				  .quiet = true,
				  .noted = &g->noted,
				  .stop = g->stop};

	if (builds_make(builds, &lo, &watch, e) == ASC_OK)
		return ASC_OK;
	/* Trouble of the machine ends the gate; a kernel that cannot be stated is its own. */
	if (e->status == ASC_NOMEM || e->status == ASC_FULL || e->status == ASC_IO)
		return e->status;
	s->failed = true;
	snprintf(s->reason, sizeof s->reason, "%s", e->text);
	return ASC_OK;
}

/* Judges by the builds alone, as far as they decide. */
static void judge_builds(const struct gate *g, struct gate_kernel *k)
{
	const struct gate_side *base = &k->sides[GATE_BASE], *head = &k->sides[GATE_HEAD];

	k->base_fails = base->failed;
	k->equal |= *head->launch && strcmp(head->launch, base->launch) == 0 &&
		    strcmp(head->inputs, base->inputs) == 0;
	if (head->failed)
		k->verdict = base->failed ? GATE_FAILING : GATE_BROKEN;
	else if (k->equal && !g->all)
		k->verdict = GATE_UNCHANGED;
}

enum asc_status gate_builds_make(struct gate *g, struct asc_err *e)
{
	struct builds builds = {0};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && !*g->stop && i < g->n; i++) {
		struct gate_kernel *k = &g->list[i];

		if (k->verdict != GATE_CHANGED)
			continue;
		if (!builds.pool)
			status = builds_open(&builds, &g->on->session.target, e);
		for (size_t t = 0; status == ASC_OK && !*g->stop && t < GATE_TREES; t++)
			status = build_side(g, &builds, k, &k->sides[t], e);
		if (status == ASC_OK && !*g->stop)
			judge_builds(g, k);
		g->builds += k->built;
	}
	if (builds.pool)
		builds_close(&builds);
	return status;
}
