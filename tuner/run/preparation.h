/* What has to be built before anything is measured: the workload's reference and fill functions.
 *
 * The caller owns the storage: preparation_begin(), preparation_fini(); the pool must not outlive
 * it, since builds borrow from it. */
#ifndef ASCTUNE_RUN_PREPARATION_H
#define ASCTUNE_RUN_PREPARATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/build/builder.h"
#include "tuner/device/device.h"

struct evaluator_options;
struct pool;
struct pool_done;

enum {
	PREPARATION_REFERENCE = WORKLOAD_MAX_TENSORS,
	PREPARATION_DEVICE_REFERENCE,
	PREPARATION_PARTS
};

struct preparation {
	const struct workload *workload;
	struct device_info host; /* where all of it runs */
	size_t pending;
	struct callable calls[WORKLOAD_MAX_TENSORS]; /* of fill functions */
	struct plan plans[PREPARATION_PARTS];
	char *artifacts[PREPARATION_PARTS]; /* of tensor i's fill function; of the references; NULL
					       where there is none */
};

/* Submits the builds, with identifiers from `first_id` on. */
enum asc_status preparation_begin(struct preparation *p, const struct evaluator_options *o,
				  struct pool *pool, uint64_t first_id, struct asc_err *e);

/* One of them is done: `i` is its identifier less first_id. Fails with the compiler's words when it
 * was refused. */
enum asc_status preparation_take(struct preparation *p, size_t i, struct pool_done *done,
				 struct asc_err *e);
void preparation_fini(struct preparation *p);

#endif
