/* The configurations that an evaluator was given, each on its way from submission to result, oldest
 * first.
 *
 * The caller owns a struct job_queue: job_queue_init(), job_queue_fini(). Jobs keep their place in
 * memory, so that builds may borrow from them. */
#ifndef ASCTUNE_RUN_JOB_QUEUE_H
#define ASCTUNE_RUN_JOB_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/build/builder.h"
#include "tuner/model/result.h"
#include "tuner/run/evaluator.h"

struct pool;
struct pool_done;

enum job_state {
	JOB_FREE,
	JOB_WAITING,  /* to be built */
	JOB_BUILDING, /* given to the pool */
	JOB_BUILT,    /* to be measured */
	JOB_SENT,     /* given to the worker */
	JOB_DONE,     /* result to be taken */
	JOB_STATES
};

struct job {
	enum job_state state;
	uint64_t order; /* of submission, then of sending, then of the worker's result */
	struct evaluator_job given;
	struct plan plan;
	const struct builder_ops *builder;
	struct build_job build;
	char *artifact;
	struct result result;
	int sent;   /* how often it was given to a worker */
	bool again; /* it is its second chance: the first worker had run others before */
	int alone;  /* how often it was measured alone after it had failed in finals */
	enum result_status failure; /* that time */
	bool late;                  /* DONE is a second result, `late` of struct evaluator_done */
};

struct job_queue {
	struct job *jobs;
	size_t n;
	uint64_t orders;
	size_t count[JOB_STATES];
};

enum asc_status job_queue_init(struct job_queue *q, size_t n, struct asc_err *e);
void job_queue_fini(struct job_queue *q);

/* The oldest in that state, or NULL. */
struct job *job_queue_first(struct job_queue *q, enum job_state state);
struct job *job_queue_find(struct job_queue *q, enum job_state state, uint64_t id); /* NULL: none */
void job_queue_move(struct job_queue *q, struct job *j, enum job_state state);

/* Takes a job on: WAITING, or DONE when it cannot be built. ASC_LIMIT when the queue is full. */
enum asc_status job_queue_add(struct job_queue *q, const struct evaluator_options *o,
			      const struct evaluator_job *given, struct asc_err *e);

/* Gives a waiting job to the pool, under its place in the queue as identifier. */
enum asc_status job_queue_build(struct job_queue *q, struct job *j, struct pool *pool,
				struct asc_err *e);

/* The build of job `i` is done: BUILT, or DONE when it was refused. Fails for trouble that is not
 * the job's: a full disk. */
enum asc_status job_queue_take_build(struct job_queue *q, size_t i, struct pool_done *done,
				     struct asc_err *e);

/* Forgets a job that is not with a worker, and its build: true when there was one with that
 * identifier of its giver. */
bool job_queue_cancel(struct job_queue *q, uint64_t id, struct pool *pool);

/* Takes the oldest result; false when there is none. */
bool job_queue_take(struct job_queue *q, struct evaluator_done *out);

/* A second result of what was taken long ago; takes its contents. Is lost when the queue is full.
 */
void job_queue_add_late(struct job_queue *q, uint64_t id, struct result *result);

/* DONE with `result`, of which the build's part is filled in; takes its contents. */
void job_queue_finish(struct job_queue *q, struct job *j, struct result *result);

#endif
