/* One problem as a worker keeps it: its tensors on the device, filled, and what the outputs must
 * be.
 *
 * Owned by the worker; lives until another problem is asked for or the device is closed. */
#ifndef ASCTUNE_RUN_WORKER_PROBLEM_H
#define ASCTUNE_RUN_WORKER_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/model/binding.h"
#include "tuner/run/reference.h"
#include "tuner/run/steady.h"

struct json_node;

struct worker_problem {
	const struct device_ops *ops;
	struct device *device;
	struct workload *workload;
	struct binding binding;
	struct device_buffer *buffers[WORKLOAD_MAX_TENSORS]; /* NULL: absent */
	void *host[WORKLOAD_MAX_TENSORS]; /* of inout tensors: what launches must find */
	struct steady steady;
	struct device_state state; /* of the device when the last launch ended */
	bool observed;             /* nothing but launches since then */
	void *staging;             /* as large as the largest output */
	struct reference reference;
	struct device_buffer *expected[WORKLOAD_MAX_TENSORS]; /* the reference's tensors where the
								 device compares; else NULL */
	void *poison[WORKLOAD_MAX_TENSORS]; /* of outputs: no element is the reference's; NULL where
					       NaN everywhere is poison enough */
	struct {
		const struct implementation *implementation;
		const char *names[CONFIG_MAX_PARAMETERS + 1]; /* its parameters */
	} last;                                               /* the one asked for last */
};

struct worker_problem_request { /* borrowed from the message */
	const char *workload, *hash, *problem, *cache;
	const char *reference;         /* artifact, or NULL */
	const char *device_reference;  /* of the same for the device, or NULL */
	const struct json_node *fills; /* TENSOR: artifact */
	uint64_t seed;
	unsigned rewrites_off; /* of the binding */
	int ordinal;
	/* Told before code of the workload runs. */
	enum asc_status (*doing)(void *user, const char *what, struct asc_err *e);
	void *user;
};

enum asc_status worker_problem_new(const struct device_ops *ops, struct device *d,
				   const struct worker_problem_request *request,
				   struct worker_problem **out, struct asc_err *e);
void worker_problem_free(struct worker_problem *p);

/* Makes outputs poison, which the reference has nowhere, and inout tensors what they were. */
enum asc_status worker_problem_poison(struct worker_problem *p, struct asc_err *e);
enum asc_status worker_problem_restore(struct worker_problem *p, struct asc_err *e);

/* Whether element `at` of tensor `i`, which is read into `staging`, is still poison. */
bool worker_problem_is_poison(struct worker_problem *p, size_t i, int64_t at);

/* Has a tensor that launches change and read. */
bool worker_problem_has_inout(const struct worker_problem *p);

/* The tensor that something was written outside of, or NULL. */
const char *worker_problem_damaged(const struct worker_problem *p);

/* The input that something was written into, or NULL. */
const char *worker_problem_changed(const struct worker_problem *p);

/* The tensor whose reference, where the device compares with its own copy, was written to or
 * beside; or NULL. */
const char *worker_problem_falsified(const struct worker_problem *p);

void worker_problem_drop_expected(struct worker_problem *p); /* the device does not compare */

/* Finds an implementation and its parameters' names, NULL-terminated. */
enum asc_status worker_problem_find(struct worker_problem *p, const char *name,
				    const struct implementation **out, const char *const **names,
				    struct asc_err *e);

#endif
