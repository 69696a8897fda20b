/* Builds the sides of kernels whose keys differ, to see whether what runs differs, too. */
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

/* Sides of kernels that are built, as three lists of equal length. */
struct gate_builds {
	struct gate *gate;
	struct gate_kernel **kernels;
	struct gate_side **sides;
	struct loop_options *list;
	size_t n;
};

static struct gate_side *side_of(const struct gate_builds *b, const struct loop_options *o)
{
	return b->sides[o - b->list];
}

static void begin(void *user, const struct binding *b, uint64_t planned)
{
	(void)user;
	(void)b;
	(void)planned;
}

static void draw(void *user)
{
	gate_progress_draw(((struct gate_builds *)user)->gate);
}

/* Keeps what is launched, as a trial's launch is keyed (evaluate/trial). */
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
	struct gate_builds *b = user;
	struct gate_side *s = side_of(b, event->of);

	b->kernels[event->of - b->list]->built |= !event->cached;
	if (!event->search) /* a function: who measures says what is wrong with it */
		return ASC_OK;
	gate_progress_step(b->gate);
	if (build_event_is_built(event))
		return code_side_take(&s->code, event, e) ? e->status : key_launch(s, event, e);
	s->failed = true;
	snprintf(s->reason, sizeof s->reason, "%s",
		 event->reason ? event->reason : "it does not build");
	return ASC_OK;
}

/* Trouble of the machine ends the gate; a kernel that cannot be stated is its own. */
static enum asc_status take_failure(void *user, const struct loop_options *o, struct asc_err *e)
{
	struct gate_builds *b = user;
	struct gate_side *s = side_of(b, o);

	if (asc_status_is_machine(e->status))
		return e->status;
	s->failed = true;
	snprintf(s->reason, sizeof s->reason, "%s", e->text);
	return ASC_OK;
}

/* Judges by the builds alone, as far as they decide. */
static void judge_builds(const struct gate *g, struct gate_kernel *k)
{
	struct gate_side *base = &k->sides[GATE_BASE];
	const struct gate_side *head = &k->sides[GATE_HEAD];
	const bool alike = strcmp(head->rules, base->rules) == 0;

	k->equal |= *head->launch && strcmp(head->launch, base->launch) == 0 &&
		    strcmp(head->inputs, base->inputs) == 0;
	if (head->failed)
		k->verdict = base->failed ? GATE_FAILING : GATE_BROKEN;
	else if (k->equal && !g->all && alike)
		k->verdict = GATE_UNCHANGED;
	if (k->equal && !alike)
		snprintf(base->reason, sizeof base->reason, "outputs are verified by other rules");
}

static void add_side(struct gate_builds *b, struct gate_kernel *k, struct gate_side *s)
{
	struct gate *g = b->gate;

	b->kernels[b->n] = k;
	b->sides[b->n] = s;
	b->list[b->n++] =
		(struct loop_options){.workload = s->workload,
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
}

enum asc_status gate_builds_make(struct gate *g, struct asc_err *e)
{
	const size_t room = GATE_TREES * g->n + 1;
	struct gate_builds b = {.gate = g,
				.kernels = calloc(room, sizeof(struct gate_kernel *)),
				.sides = calloc(room, sizeof(struct gate_side *)),
				.list = calloc(room, sizeof *b.list)};
	const struct builds_watch watch = {begin, take, draw, take_failure, &b};
	struct builds builds = {0};
	enum asc_status status = b.kernels && b.sides && b.list ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; status == ASC_OK && i < g->n; i++)
		for (size_t t = 0; t < GATE_TREES; t++)
			if (g->list[i].verdict == GATE_CHANGED && g->list[i].sides[t].config &&
			    !g->list[i].sides[t].failed)
				add_side(&b, &g->list[i], &g->list[i].sides[t]);
	if (status == ASC_OK && b.n > 0) {
		gate_progress_begin(g, "building", b.n);
		status = builds_open(&builds, &g->on->session.target, e);
		if (status == ASC_OK)
			status = builds_make(&builds, b.list, b.n, &watch, e);
		builds_close(&builds);
		gate_progress_end(g);
	}
	for (size_t i = 0; status == ASC_OK && !*g->stop && i < g->n; i++)
		if (g->list[i].verdict == GATE_CHANGED) {
			judge_builds(g, &g->list[i]);
			g->builds += g->list[i].built;
		}
	free(b.list);
	free(b.sides);
	free(b.kernels);
	return status;
}
