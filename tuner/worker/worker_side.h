/* Other copies of a problem's workload in a worker: each has kernels of its own, which run on the
 * problem's tensors and are held to its reference (workload/binding/binding_side).
 *
 * Owned by the problem: worker_side_free() of its list, after the configurations. */
#ifndef ASCTUNE_WORKER_WORKER_SIDE_H
#define ASCTUNE_WORKER_WORKER_SIDE_H

#include "tuner/base/err.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_side.h"

struct worker_problem;

struct worker_side_request { /* borrowed from the message; workload NULL: the problem's own */
	const char *workload, *hash, *problem;
};

struct worker_side {
	struct workload *workload;
	struct binding binding;
	struct binding_side side; /* of that on the problem's */
	struct worker_side *next;
};

/* Finds the copy among p->sides, or opens it. ASC_INPUT where the file was changed, or its tensors
 * are not those of the problem. */
enum asc_status worker_side_find(struct worker_problem *p, const struct worker_side_request *r,
				 const struct worker_side **out, struct asc_err *e);
void worker_side_free(struct worker_side *list);

#endif
