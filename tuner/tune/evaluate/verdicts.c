#include "tuner/tune/evaluate/verdicts.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"
#include "tuner/base/units.h"
#include "tuner/build/build_request.h"
#include "tuner/build/builder.h"
#include "tuner/build/pool.h"
#include "tuner/build/pool_build.h"
#include "tuner/build/triton_python.h"
#include "tuner/process/fiber.h"
#include "tuner/tune/evaluate/kernel_request.h"
#include "tuner/workload/binding/binding.h"

/* Time limit of one question: the slowest kernel known takes two seconds. */
#define QUESTION_LIMIT_NS INT64_C(120000000000)
#define STOP_NS           INT64_C(100000000) /* interval at which a stop is noticed */
#define LOOK_NS           INT64_C(20000000)  /* the same of the end of a compiler */

enum { MAX_FDS = 64 };

struct verdicts {
	struct pool *pool;
	char *model, *program;
	const char *planner;
	struct verdict **answers; /* in the order of the questions; their keys are known at once */
	size_t n, capacity;
	struct intern known; /* numbers of answers by key */
	size_t open, started;
};

enum asc_status planned_bind(const struct planned_target *t, const struct workload *w,
			     const struct problem *p, struct binding *out, struct asc_err *e)
{
	const enum asc_status s = binding_init(out, w, p, t->device, t->facts, e);

	out->limits = t->limits;
	out->rewrites_off = t->rewrites_off;
	return s;
}

/* ---- who plans ---- */

/* A pool_is_mine_fn: kernels of trials have other numbers. */
static bool is_probe(const void *user, uint64_t id)
{
	(void)user;
	return id == 0;
}

/* Has the planner of a model plan the probe kernel: what lowers and plans it can be used, whatever
 * its version is. */
static enum asc_status plan_probe(struct pool *pool, const char *model, const char *program,
				  const volatile sig_atomic_t *stop, struct asc_err *e)
{
	static const struct build_argument tensor = {.kind = BUILD_TENSOR, .type = DTYPE_F32},
					   number = {.kind = BUILD_SCALAR,
						     .type = DTYPE_I32,
						     .number = 1000};
	struct pollfd fds[MAX_FDS];
	struct build_request r;
	struct pool_done done;

	build_request_init(&r, TRITON_PROBE, "add", model, program);
	build_request_define(&r, "BLOCK", "1024");
	build_request_define(&r, "multibuffer", "false");
	for (int i = 0; i < 3; i++)
		build_request_add(&r, &tensor);
	build_request_add(&r, &number);
	if (pool_submit(pool, 0, &builder_triton_npu, &r, e))
		return e->status;
	while (!pool_take_mine(pool, is_probe, NULL, &done)) {
		if (stop && *stop) {
			pool_cancel(pool, 0);
			return asc_err_set(e, ASC_INTERRUPTED, "stopped");
		}
		(void)fiber_poll(fds, pool_pollfds(pool, fds, MAX_FDS), LOOK_NS);
	}
	const enum asc_status trouble = done.trouble;

	if (done.artifact.outcome != ARTIFACT_PLANNED)
		(void)asc_err_set(
			e, trouble == ASC_FULL || trouble == ASC_NOMEM ? trouble : ASC_ABSENT,
			"it does not plan a probe kernel: %s",
			done.reason ? done.reason : "no answer in time");
	const bool planned = done.artifact.outcome == ARTIFACT_PLANNED;

	pool_done_fini(&done);
	return planned ? ASC_OK : e->status;
}

enum asc_status planner_find(struct pool *pool, const char *model, const char *program,
			     const volatile sig_atomic_t *stop, const char **name,
			     struct asc_err *e)
{
	const struct triton_python *python;

	*name = NULL;
	if (triton_python_get(TRITON_NPU, &python, e))
		return e->status;
	const struct planner *planner = triton_python_planner(python, model);

	if (!planner)
		return asc_err_set(e, ASC_ABSENT, "%s: no compiler there plans for %s",
				   python->interpreter.executable, model);
	if (plan_probe(pool, model, program, stop, e))
		return asc_err_wrap(e, "%s of %s", planner->name, python->interpreter.executable);
	*name = planner->name;
	return ASC_OK;
}

const struct callable *planned_call(const struct callable *c, struct callable *storage)
{
	const struct stood_for *kernel = &c->stood_for;

	if (kernel->source) {
		*storage = *c;
		storage->source = kernel->source;
		storage->builder = kernel->builder;
		storage->entry = kernel->entry;
		storage->flags = kernel->flags;
		c = storage;
	}
	return strcmp(c->builder, builder_triton_npu.name) == 0 ? c : NULL;
}

bool planned_any(const struct implementation *i)
{
	struct callable storage;
	size_t k = 0;

	while (k < i->n_calls && !planned_call(&i->calls[k], &storage))
		k++;
	return k < i->n_calls;
}

enum asc_status verdicts_open(const char *cache, const char *model, const char *program,
			      size_t jobs, const volatile sig_atomic_t *stop, struct verdicts **out,
			      struct asc_err *e)
{
	struct verdicts *v = calloc(1, sizeof *v);

	*out = NULL;
	if (!v)
		return asc_err_nomem(e);
	v->model = str_dup(model);
	v->program = str_dup(program);
	enum asc_status s = v->model && v->program ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK)
		s = pool_open(cache, jobs, QUESTION_LIMIT_NS, &v->pool, e);
	if (s == ASC_OK)
		s = planner_find(v->pool, model, program, stop, &v->planner, e);
	if (s) {
		verdicts_close(v);
		return s;
	}
	*out = v;
	return ASC_OK;
}

void verdicts_close(struct verdicts *v)
{
	if (!v)
		return;
	pool_close(v->pool);
	for (size_t i = 0; i < v->n; i++) {
		verdict_fini(v->answers[i]);
		free(v->answers[i]);
	}
	free(v->answers);
	intern_fini(&v->known);
	free(v->model);
	free(v->program);
	free(v);
}

const char *verdicts_planner(const struct verdicts *v)
{
	return v->planner;
}

/* ---- asking ---- */

struct wanted {
	const struct verdicts *of;
	const char *key;
};

/* An intern's test: number `id` is the answer to a question with that key. */
static bool has_key(const void *user, uint32_t id)
{
	const struct wanted *w = user;

	return strcmp(w->of->answers[id]->key, w->key) == 0;
}

/* States the request that is the question. */
static enum asc_status make_request(const struct verdicts *v, const struct verdict_question *q,
				    struct build_request *r, struct asc_err *e)
{
	struct callable storage;
	const struct callable *call = planned_call(&q->implementation->calls[q->call], &storage);
	struct plan plan;

	if (!call)
		return asc_err_set(e, ASC_INPUT, "%s is no Triton kernel",
				   q->implementation->calls[q->call].source);
	if (binding_plan(q->binding, q->implementation, q->call, q->config, &plan, e))
		return e->status;
	const struct kernel_source kernel = {.binding = q->binding,
					     .call = call,
					     .implementation = q->implementation,
					     .config = q->config,
					     .names = q->names,
					     .plan = &plan,
					     .device = "npu",
					     .arch = v->model,
					     .program = v->program};

	kernel_request(&builder_triton_npu, &kernel, r);
	return ASC_OK;
}

enum asc_status verdicts_ask(struct verdicts *v, const struct verdict_question *q,
			     const struct verdict **out, struct asc_err *e)
{
	struct build_request r;
	char key[HASH_TEXT_SIZE];

	*out = NULL;
	if (make_request(v, q, &r, e))
		return e->status;
	if (build_key(&builder_triton_npu, &r, key, e)) {
		build_request_fini(&r);
		return e->status;
	}
	const uint64_t hash = hash_bytes(key, strlen(key));
	const uint32_t known = intern_find(&v->known, hash, has_key, &(struct wanted){v, key});

	if (known != INTERN_NONE) {
		build_request_fini(&r);
		*out = v->answers[known];
		return ASC_OK;
	}
	struct verdict *a = calloc(1, sizeof *a);

	if (!a || !array_room(&v->answers, v->n, &v->capacity, sizeof(struct verdict *)) ||
	    !intern_add(&v->known, hash, (uint32_t)v->n)) {
		free(a);
		build_request_fini(&r);
		return asc_err_nomem(e);
	}
	memcpy(a->key, key, sizeof key);
	v->answers[v->n] = a; /* freed with the desk, whatever comes of the question */
	if (pool_submit(v->pool, v->n++, &builder_triton_npu, &r, e))
		return e->status;
	v->open++;
	*out = a;
	return ASC_OK;
}

/* Takes one answer of the pool. */
static enum asc_status take(struct verdicts *v, struct pool_done *done, struct asc_err *e)
{
	struct verdict *a = v->answers[done->id];
	char key[HASH_TEXT_SIZE];

	v->open--;
	v->started += !done->cached;
	if (done->hopeless)
		return asc_err_set(e, done->trouble, "%s", done->reason ? done->reason : "");
	memcpy(key, a->key, sizeof key);
	verdict_take(done, a);
	memcpy(a->key, key, sizeof key); /* an answer without an outcome has none */
	return ASC_OK;
}

enum asc_status verdicts_await(struct verdicts *v, size_t most, int64_t timeout_ns,
			       struct asc_err *e)
{
	const int64_t until_ns = timeout_ns < 0 ? -1 : clock_now_ns() + timeout_ns;
	struct pool_done done;

	while (v->open > most) {
		const int64_t left_ns = until_ns < 0 ? -1 : until_ns - clock_now_ns();

		if (until_ns >= 0 && left_ns <= 0)
			break;
		if (!pool_take(v->pool, left_ns, &done))
			continue;
		const enum asc_status s = take(v, &done, e);

		pool_done_fini(&done);
		if (s)
			return s;
	}
	return ASC_OK;
}

size_t verdicts_open_questions(const struct verdicts *v)
{
	return v->open;
}

size_t verdicts_asked(const struct verdicts *v)
{
	return v->n;
}

size_t verdicts_started(const struct verdicts *v)
{
	return v->started;
}
