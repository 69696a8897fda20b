#include "tuner/run/job_queue.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"

enum asc_status job_queue_init(struct job_queue *q, size_t n, struct asc_err *e)
{
	*q = (struct job_queue){.n = n, .jobs = calloc(n, sizeof *q->jobs)};
	q->count[JOB_FREE] = n;
	return q->jobs ? ASC_OK : asc_err_nomem(e);
}

static void job_clear(struct job *j)
{
	free(j->artifact);
	j->artifact = NULL;
	result_fini(&j->result);
}

void job_queue_fini(struct job_queue *q)
{
	for (size_t i = 0; q->jobs && i < q->n; i++)
		job_clear(&q->jobs[i]);
	free(q->jobs);
	*q = (struct job_queue){0};
}

struct job *job_queue_first(struct job_queue *q, enum job_state state)
{
	struct job *first = NULL;

	if (q->count[state] == 0)
		return NULL;
	for (size_t i = 0; i < q->n; i++)
		if (q->jobs[i].state == state && (!first || q->jobs[i].order < first->order))
			first = &q->jobs[i];
	return first;
}

struct job *job_queue_find(struct job_queue *q, enum job_state state, uint64_t id)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->jobs[i].state == state && q->jobs[i].given.id == id)
			return &q->jobs[i];
	return NULL;
}

void job_queue_move(struct job_queue *q, struct job *j, enum job_state state)
{
	q->count[j->state]--;
	q->count[state]++;
	j->state = state;
}

/* ---- building ---- */

static void describe_build(struct job *j, const struct evaluator_options *o)
{
	const struct implementation *i = j->given.implementation;

	j->builder = builder_find(i->call.builder);
	j->build = (struct build_job){.workload = o->binding->workload,
				      .call = &i->call,
				      .implementation = i,
				      .config = &j->given.config,
				      .names = j->given.names,
				      .binding = o->binding,
				      .plan = &j->plan,
				      .device = o->device->name,
				      .arch = o->info->arch,
				      .entry = callable_entry(&i->call, o->device->name),
				      .program = o->program};
}

/* Sets the result when the job ends here. */
static void check_build(struct job *j, const struct evaluator_options *o)
{
	struct asc_err e;

	if (!j->builder)
		result_set(&j->result, RESULT_UNSUPPORTED, PHASE_BUILD, "no builder \"%s\"",
			   j->given.implementation->call.builder);
	else if (!j->build.entry)
		result_set(&j->result, RESULT_UNSUPPORTED, PHASE_BUILD, "no entry for %s",
			   o->device->name);
	else if (binding_plan(o->binding, j->given.implementation, &j->given.config, &j->plan, &e))
		result_set(&j->result, RESULT_LAUNCH_FAILED, PHASE_BUILD, "%s", e.text);
}

enum asc_status job_queue_add(struct job_queue *q, const struct evaluator_options *o,
			      const struct evaluator_job *given, struct asc_err *e)
{
	struct job *j = job_queue_first(q, JOB_FREE);

	if (!j)
		return asc_err_set(e, ASC_LIMIT, "more than %zu configurations at once", q->n);
	j->given = *given;
	j->order = ++q->orders;
	j->sent = j->alone = 0;
	j->again = j->late = false;
	result_init(&j->result);
	describe_build(j, o);
	check_build(j, o);
	job_queue_move(q, j, j->result.status == RESULT_OK ? JOB_WAITING : JOB_DONE);
	return ASC_OK;
}

/* A key that comes from a database names a file: it must be one. */
static bool is_key(const char *text)
{
	return strlen(text) == HASH_TEXT_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == HASH_TEXT_SIZE - 1;
}

/* What an earlier run built, where it is still there. */
static bool recall(struct job *j, const struct pool *pool)
{
	const char *key = j->given.artifact;

	if (!key || !is_key(key))
		return false;
	j->artifact = pool_recall(pool, j->builder, key);
	if (!j->artifact)
		return false;
	memcpy(j->result.artifact, key, sizeof j->result.artifact);
	j->result.cached = true;
	return true;
}

enum asc_status job_queue_build(struct job_queue *q, struct job *j, struct pool *pool,
				struct asc_err *e)
{
	if (!j->builder->command) {
		j->artifact = str_dup(j->build.call->source);
		job_queue_move(q, j, JOB_BUILT);
		return j->artifact ? ASC_OK : asc_err_nomem(e);
	}
	if (recall(j, pool)) {
		job_queue_move(q, j, JOB_BUILT);
		return ASC_OK;
	}
	job_queue_move(q, j, JOB_BUILDING);
	return pool_submit(pool, (uint64_t)(j - q->jobs), j->builder, &j->build, e);
}

enum asc_status job_queue_take_build(struct job_queue *q, size_t i, struct pool_done *done,
				     struct asc_err *e)
{
	struct job *j = &q->jobs[i];
	struct result *r = &j->result;

	if (done->hopeless)
		return asc_err_set(e, done->trouble, "%s", done->reason ? done->reason : "");
	r->phase = PHASE_BUILD;
	r->cached = done->cached;
	r->spent_ns[PHASE_BUILD] = done->spent_ns;
	/* Without a key, what says nothing of the source is asked again by --resume. */
	if (!done->trouble)
		memcpy(r->artifact, done->key, sizeof r->artifact);
	j->artifact = done->artifact;
	done->artifact = NULL;
	if (done->ok) {
		job_queue_move(q, j, JOB_BUILT);
		return ASC_OK;
	}
	result_set(r, RESULT_BUILD_FAILED, PHASE_BUILD, "%s", done->reason ? done->reason : "");
	r->log = done->log;
	done->log = NULL;
	job_queue_move(q, j, JOB_DONE);
	return ASC_OK;
}

void job_queue_finish(struct job_queue *q, struct job *j, struct result *result)
{
	struct result *r = &j->result;

	memcpy(result->artifact, r->artifact, sizeof r->artifact);
	result->cached = r->cached;
	result->spent_ns[PHASE_BUILD] = r->spent_ns[PHASE_BUILD];
	*r = *result;
	result_init(result);
	j->order = ++q->orders;
	job_queue_move(q, j, JOB_DONE);
}

void job_queue_add_late(struct job_queue *q, uint64_t id, struct result *result)
{
	struct job *j = job_queue_first(q, JOB_FREE);

	if (!j) {
		result_fini(result);
		return;
	}
	j->given = (struct evaluator_job){.id = id};
	j->order = ++q->orders;
	j->late = true;
	j->result = *result;
	result_init(result);
	job_queue_move(q, j, JOB_DONE);
}

bool job_queue_cancel(struct job_queue *q, uint64_t id, struct pool *pool)
{
	static const bool can[JOB_STATES] = {
		[JOB_WAITING] = true, [JOB_BUILDING] = true, [JOB_BUILT] = true};

	for (size_t i = 0; i < q->n; i++) {
		struct job *j = &q->jobs[i];

		if (!can[j->state] || j->given.id != id)
			continue;
		if (j->state == JOB_BUILDING)
			pool_cancel(pool, i);
		job_clear(j);
		job_queue_move(q, j, JOB_FREE);
		return true;
	}
	return false;
}

bool job_queue_take(struct job_queue *q, struct evaluator_done *out)
{
	struct job *j = job_queue_first(q, JOB_DONE);

	if (!j)
		return false;
	*out = (struct evaluator_done){.id = j->given.id,
				       .again = j->result.status == RESULT_OK &&
						j->result.n_samples == 0 && !j->result.reason,
				       .late = j->late,
				       .result = j->result};
	result_init(&j->result);
	job_clear(j);
	job_queue_move(q, j, JOB_FREE);
	return true;
}
