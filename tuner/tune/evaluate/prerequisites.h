/* Builds that measuring needs: the workload's fill functions and its reference, which may be the
 * program's own configuration.
 *
 * The caller owns the storage: prerequisites_begin(), prerequisites_cancel(); the pool must not
 * outlive it, since builds borrow from it. */
#ifndef ASCTUNE_TUNE_EVALUATE_PREREQUISITES_H
#define ASCTUNE_TUNE_EVALUATE_PREREQUISITES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/kernel_build.h"
#include "tuner/tune/evaluate/reference_room.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/worker/reference.h"

struct evaluator_problem;
struct pool;
struct pool_done;

enum {
	PREREQUISITES_REFERENCE = WORKLOAD_MAX_TENSORS,
	PREREQUISITES_DEVICE_REFERENCE,
	PREREQUISITES_PARTS
};

struct prerequisites {
	const struct workload *workload;
	const struct evaluator_problem *problem; /* borrowed from the evaluator */
	struct device_info host;                 /* where all of it runs */
	size_t pending;
	struct callable calls[WORKLOAD_MAX_TENSORS];    /* of fill functions */
	struct kernel_build parts[PREREQUISITES_PARTS]; /* of tensor i's fill function, of the
							   references; artifact.path is NULL where
							   there is none */
	struct trial own; /* the program's own configuration; without calls: there is none */
	const char *own_names[CONFIG_MAX_PARAMETERS + 1]; /* of its parameters */
	struct reference_key key;                         /* of the first set's reference */
	const char *cache;                                /* borrowed from the evaluator's target */
	struct reference_holds holds;                     /* of the references that the cache has */
	size_t lacking;                                   /* number of those that it lacks */
	int64_t room_bytes; /* of disk for those that it lacks; 0: not limited */
};

/* Submits the builds to the pool. */
enum asc_status prerequisites_begin(struct prerequisites *p, const struct evaluator_problem *o,
				    struct pool *pool, struct asc_err *e);

/* Prints the name of one in messages: "the reference", "the fill function of tensor x". */
void prerequisites_name(const struct prerequisites *p, const struct kernel_build *part, char *text,
			size_t size);

/* True for a build of these, and not of another problem's. */
bool prerequisites_has(const struct prerequisites *p, const struct kernel_build *part);

/* Finds the program's own configuration, built, where it is the reference; else NULL. */
const struct trial *prerequisites_own(const struct prerequisites *p);

/* Takes one that is done. Fails with the compiler's words when it was refused. */
enum asc_status prerequisites_take(struct prerequisites *p, struct kernel_build *part,
				   struct pool_done *done, struct pool *pool, struct asc_err *e);

/* Moves the references that a worker has made in its folder into the cache, and removes others of
 * nobody there that were used least recently, where they are too many. */
void prerequisites_keep_references(struct prerequisites *p, const char *folder);

/* True when an artifact that was built is no longer in the cache. */
bool prerequisites_lost(const struct prerequisites *p);

/* Forgets what was built and cancels what is still to be. */
void prerequisites_cancel(struct prerequisites *p, struct pool *pool);

#endif
