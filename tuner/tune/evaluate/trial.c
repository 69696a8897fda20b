#include "tuner/tune/evaluate/trial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/build/outcome.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/launch_record.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/binding_side.h"
#include "tuner/workload/binding/plan_metadata.h"

void trial_end_calls(struct trial *t, struct pool *pool)
{
	for (size_t i = 0; i < t->n_calls; i++)
		kernel_build_fini(&t->calls[i], pool);
}

void trial_fini(struct trial *t)
{
	trial_end_calls(t, NULL);
	free(t->calls);
	t->calls = NULL;
	t->n_calls = 0;
	result_fini(&t->result);
}

bool trial_is_undecided(const struct trial *t)
{
	return t->result.status == RESULT_OK && t->result.n_samples == 0 && !t->result.reason;
}

/* ---- stating what is built ---- */

/* States the kernel of one call. False: it cannot be built, and the trial has its result. Out of
 * memory is a failure without an artifact's key, which says nothing of the configuration. */
static bool describe_call(struct trial *t, size_t index, const struct evaluator_problem *p)
{
	const struct callable *call = &t->implementation->calls[index];
	const char *device = p->target->device->name;
	const struct binding *binding = t->side ? t->side->binding : p->binding;
	struct kernel_build *k = &t->calls[index];
	struct asc_err e;

	k->trial = t;
	k->builder = builder_find(call->builder, device);
	k->source = (struct kernel_source){.binding = binding,
					   .call = call,
					   .implementation = t->implementation,
					   .config = &t->config,
					   .names = t->names,
					   .plan = &k->plan,
					   .device = device,
					   .arch = p->target->info->arch,
					   .program = p->target->program};
	if (!k->builder)
		result_set(&t->result, RESULT_UNSUPPORTED, PHASE_BUILD, "no builder \"%s\"",
			   call->builder);
	else if (!callable_entry(call, device))
		result_set(&t->result, RESULT_UNSUPPORTED, PHASE_BUILD, "no entry for %s", device);
	else if (binding_plan(binding, t->implementation, index, &t->config, &k->plan, &e))
		result_set(&t->result,
			   e.status == ASC_NOMEM    ? RESULT_BUILD_FAILED
			   : e.status == ASC_ABSENT ? RESULT_UNSUPPORTED
						    : RESULT_LAUNCH_FAILED,
			   PHASE_BUILD, "%s", e.text);
	/* Where a twin runs, the kernel that it stands for is planned before. */
	if (p->target->planner && call->stood_for.source && planned_call(call, &k->planned))
		k->planner = builder_find(k->planned.builder, device);
	return t->result.status == RESULT_OK;
}

void trial_build_again(struct trial *t, const struct evaluator_problem *p)
{
	trial_fini(t);
	t->calls = calloc(t->implementation->n_calls, sizeof *t->calls);
	if (t->calls)
		t->n_calls = t->implementation->n_calls;
	else
		result_set(&t->result, RESULT_BUILD_FAILED, PHASE_BUILD, "out of memory");
	for (size_t i = 0; i < t->n_calls; i++)
		if (!describe_call(t, i, p))
			break;
	t->state = t->result.status == RESULT_OK ? TRIAL_WAITING : TRIAL_DONE;
}

/* ---- building ---- */

static void note_artifact(struct result *r, const struct artifact *a)
{
	static_assert(sizeof r->artifact == sizeof a->key && sizeof r->digest == sizeof a->digest,
		      "a result names its artifact");
	memcpy(r->artifact, a->key, sizeof r->artifact);
	memcpy(r->digest, a->digest, sizeof r->digest);
}

/* Makes one artifact's key and digest of several: a key of their names, and the number of their
 * bytes with a hash of their digests. */
static enum asc_status join_artifacts(const struct trial *t, const struct buf *names,
				      struct artifact *out, struct asc_err *e)
{
	struct buf digests = {0};
	size_t bytes = 0;
	struct hash h;

	hash_init(&h);
	hash_add(&h, buf_str(names), names->len);
	for (size_t i = 0; i < t->n_calls; i++) {
		const char *digest = t->calls[i].artifact.digest;

		buf_print(&digests, "%s\n", digest);
		bytes += strtoull(digest, NULL, 10); /* a digest begins with its number of bytes */
	}
	artifact_digest_print(bytes, hash_bytes(buf_str(&digests), digests.len), out->digest);
	enum asc_status s = hash_end(&h, out->key, e);

	if (s == ASC_OK)
		s = buf_check(&digests, e);
	buf_fini(&digests);
	return s;
}

/* Notes the artifacts of all calls; the names of several are kept, so that they are found again. */
static enum asc_status note_artifacts(struct trial *t, struct pool *pool, struct asc_err *e)
{
	struct artifact all = {0};
	struct buf names = {0};

	if (t->n_calls == 1) {
		note_artifact(&t->result, &t->calls[0].artifact);
		return ASC_OK;
	}
	for (size_t i = 0; i < t->n_calls; i++) { /* what is not built has the name of its source */
		const struct artifact *a = &t->calls[i].artifact;

		buf_print(&names, "%s\n", *a->key ? a->key : a->path);
	}
	enum asc_status s = buf_check(&names, e);

	if (s == ASC_OK)
		s = join_artifacts(t, &names, &all, e);
	if (s == ASC_OK)
		s = pool_keep_list(pool, all.key, &names, e);
	if (s == ASC_OK)
		note_artifact(&t->result, &all);
	buf_fini(&names);
	return s;
}

/* True for a content key: one from a database names a file. */
static bool is_key(const char *text)
{
	return strlen(text) == HASH_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == HASH_TEXT_SIZE - 1;
}

/* Finds the artifact of a call by its name, which takes `n` characters of a line. */
static bool recall_call(struct kernel_build *k, struct pool *pool, const char *line, size_t n)
{
	char name[HASH_TEXT_SIZE] = "";
	struct asc_err e;

	if (!k->builder->command)
		return kernel_build_start(k, pool, &e) == ASC_OK && strlen(k->artifact.path) == n &&
		       strncmp(k->artifact.path, line, n) == 0;
	if (n >= sizeof name)
		return false;
	memcpy(name, line, n);
	if (!is_key(name) || !pool_recall(pool, k->builder, name, &k->artifact))
		return false;
	k->state = KERNEL_BUILT;
	return true;
}

/* Finds what an earlier run built, where all of it is still there. */
static bool recall(struct trial *t, struct pool *pool)
{
	struct buf names = {0};
	struct asc_err e;
	bool found = t->recorded && is_key(t->recorded);

	if (found && t->n_calls == 1)
		buf_print(&names, "%s\n", t->recorded);
	else if (found)
		found = pool_recall_list(pool, t->recorded, &names);
	const char *line = buf_str(&names);

	for (size_t i = 0; i < t->n_calls && found; i++) {
		const size_t n = strcspn(line, "\n");

		found = recall_call(&t->calls[i], pool, line, n);
		line += n + (line[n] != '\0');
	}
	found = found && note_artifacts(t, pool, &e) == ASC_OK;
	buf_fini(&names);
	if (!found)
		trial_end_calls(t, pool);
	t->result.cached = found;
	return found;
}

static bool is_building(const struct trial *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n_calls; i++)
		any |= kernel_build_is_open(&t->calls[i]);
	return any;
}

enum asc_status trial_build(struct trial *t, struct pool *pool, struct asc_err *e)
{
	t->state = TRIAL_BUILT;
	if (recall(t, pool))
		return ASC_OK;
	for (size_t i = 0; i < t->n_calls; i++)
		if (kernel_build_start(&t->calls[i], pool, e))
			return e->status;
	if (!is_building(t))
		return ASC_OK;
	t->result.cached = true; /* unless one of them is not */
	t->state = TRIAL_BUILDING;
	return ASC_OK;
}

enum asc_status trial_complete_plans(struct trial *t, struct asc_err *e)
{
	for (size_t i = 0; i < t->n_calls; i++) {
		struct kernel_build *k = &t->calls[i];

		if (!k->artifact.metadata || !plan_complete(k->artifact.metadata, &k->plan, e))
			continue;
		(void)call_wrap(t->implementation, i, e);
		if (e->status == ASC_NOMEM)
			return e->status;
		result_set(&t->result, RESULT_LAUNCH_FAILED, PHASE_BUILD, "%s", e->text);
		t->state = TRIAL_DONE;
		break;
	}
	return ASC_OK;
}

enum asc_status trial_key_launch(struct trial *t, struct asc_err *e)
{
	struct hash h;

	if (trial_complete_plans(t, e))
		return e->status;
	if (t->state == TRIAL_DONE)
		return ASC_OK;
	hash_init(&h);
	for (size_t i = 0; i < t->n_calls; i++) {
		const struct kernel_build *k = &t->calls[i];
		struct plan plan = k->plan;

		if (t->side)
			binding_side_take(t->side, &plan);
		launch_add(&h, &k->artifact, callable_entry(k->source.call, k->source.device),
			   &plan);
	}
	return hash_end(&h, t->launch, e);
}

void trial_name_same(struct result *r, const struct implementation *implementation,
		     const struct config *config, const char *const *names, size_t search,
		     uint64_t index)
{
	struct buf as = {0};

	buf_print(&as, "%s ", implementation->name);
	config_key(config, names, &as);
	free(r->same.as);
	r->same = (struct result_same){buf_take(&as), search, index};
}

void trial_cancel(struct trial *t, struct pool *pool)
{
	trial_end_calls(t, pool);
	t->state = TRIAL_IDLE;
	trial_fini(t);
}

void trial_leave(struct trial *t, struct pool *pool)
{
	for (size_t i = 0; i < t->n_calls; i++)
		kernel_build_leave(&t->calls[i], pool);
	t->state = TRIAL_IDLE;
	trial_fini(t);
}

bool trial_artifacts_hold(const struct trial *t)
{
	bool hold = true;

	for (size_t i = 0; i < t->n_calls && hold; i++)
		hold = !kernel_build_is_lost(&t->calls[i]);
	return hold;
}

/* Metrics of plans, the most of any call: bytes in each memory space, and how often the compiler
 * fell back to other options. Out of memory they are left out. */
void trial_note_plans(const struct trial *t, struct result *r)
{
	static const char *const names[] = {[VERDICT_UB] = "planned_ub_bytes",
					    [VERDICT_L1] = "planned_l1_bytes",
					    [VERDICT_L0C] = "planned_l0c_bytes"};
	int64_t most[VERDICT_SPACES] = {-1, -1, -1}, retries = 0;
	struct asc_err e;

	for (size_t i = 0; i < t->n_calls; i++) {
		const struct verdict *v = &t->calls[i].verdict;

		for (int s = 0; s < VERDICT_SPACES && v->kind == VERDICT_FITS; s++)
			if (v->planned_bytes[s] > most[s])
				most[s] = v->planned_bytes[s];
		retries += v->kind == VERDICT_FITS ? v->retries : 0;
	}
	for (int s = 0; s < VERDICT_SPACES; s++)
		if (most[s] >= 0)
			(void)result_add_metric(r, RESULT_KERNEL, names[s], (double)most[s], "B",
						&e);
	if (retries > 0)
		(void)result_add_metric(r, RESULT_KERNEL, "planner_retries", (double)retries, "1",
					&e);
}

/* Makes the pool's refusal of one call the trial's result. */
static void refuse_build(struct trial *t, struct kernel_build *call, struct pool_done *done)
{
	struct result *r = &t->result;
	struct asc_err why;

	/* A failure of the machine, of what is installed, or of the sandbox says nothing of the
	 * source: the result keeps no key, so that --resume asks it again. */
	const bool refused = call->artifact.outcome == ARTIFACT_REFUSED;
	struct verdict *v = &call->verdict;
	/* The words are where they were taken: with a verdict, be it that there is none for
	 * trouble; what fits may still be refused by the compiler of its twin. */
	const bool judged = v->kind != VERDICT_FITS && v->reason;
	char **log = judged ? &v->log : &done->log;
	const char *reason = judged ? v->reason : done->reason;

	t->state = TRIAL_DONE;
	/* Nor does a planner's refusal of a kernel whose twin is tuned: the search's key is the
	 * twin's, and knows no other planner and no change of the kernel. */
	const bool of_twin = call->planner && call->artifact.outcome == ARTIFACT_REFUSED &&
			     v->kind != VERDICT_FITS && v->kind != VERDICT_NONE;
	if (!done->trouble && !of_twin && (!refused || !*log || outcome_lasts(*log)))
		note_artifact(r, &call->artifact);
	const enum result_status status = v->kind == VERDICT_REFUSED       ? RESULT_PRUNED
					  : v->kind == VERDICT_UNSUPPORTED ? RESULT_UNSUPPORTED
									   : RESULT_BUILD_FAILED;
	const char *space =
		verdict_space_name(v->kind == VERDICT_REFUSED ? v->space : VERDICT_SPACES);

	asc_err_set(&why, ASC_INPUT, "%s", reason ? reason : "");
	(void)call_wrap(t->implementation, (size_t)(call - t->calls), &why);
	result_set(r, status, PHASE_BUILD, "%s%s%s", space, *space ? ": " : "", why.text);
	r->log = *log;
	*log = NULL;
}

static bool is_planned(const struct trial *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n_calls; i++)
		any |= t->calls[i].state == KERNEL_PLANNED;
	return any;
}

enum asc_status trial_take_build(struct kernel_build *call, struct pool_done *done,
				 struct pool *pool, struct asc_err *e)
{
	struct trial *t = call->trial;
	struct result *r = &t->result;

	static_assert((int)RESULT_MAX_BUILDS >= 2 * (int)WORKLOAD_MAX_CALLS,
		      "a plan and a build for each call");
	if (kernel_build_take(call, done, pool, e))
		return e->status;
	r->phase = PHASE_BUILD;
	r->cached &= done->cached;
	if (done->spent_ns > 0) { /* this trial has waited for the command of this call */
		struct result_builds *b = &r->builds;

		r->spent_ns[PHASE_BUILD] += done->spent_ns;
		b->list[b->n].begin_ns = done->begin_ns;
		b->list[b->n++].end_ns = done->begin_ns + done->spent_ns;
	}
	if (call->state == KERNEL_FAILED) {
		refuse_build(t, call, done);
		trial_end_calls(t, pool); /* the other calls are of no use without this one */
		return ASC_OK;
	}
	if (is_building(t))
		return ASC_OK;
	t->state = TRIAL_BUILT;
	if (is_planned(t)) { /* there is nothing to run */
		t->state = TRIAL_DONE;
		r->status = RESULT_PLANNED;
		trial_note_plans(t, r);
	}
	return note_artifacts(t, pool, e);
}
