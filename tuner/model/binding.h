/* A problem of a workload bound to a device: every shape, size and formula that needs no parameter
 * worked out, names resolved.
 *
 * Borrows the workload. Names in expressions mean, in this order: a parameter of the
 * implementation, a dimension of the problem, device.FACT, sizeof(tensor) in bytes. */
#ifndef ASCTUNE_MODEL_BINDING_H
#define ASCTUNE_MODEL_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/config.h"
#include "tuner/model/facts.h"
#include "tuner/model/workload.h"

struct limits;
struct space;
struct space_spec;

struct bound_tensor {
	bool present;
	enum dtype dtype;
	int64_t shape[WORKLOAD_MAX_RANK];
	size_t rank;
	int64_t count; /* elements */
	int64_t bytes;
	double atol, rtol; /* for this dtype; 0 when there are none */
};

struct binding {
	const struct workload *workload;
	const struct problem *problem;
	const char *device; /* class: cpu, cuda, npu; borrowed static */
	struct facts facts;
	unsigned rewrites_off; /* rewrite_bit()s of those that the user has switched off; set by the
				  caller after binding_init() */
	const struct limits *limits;  /* set after binding_init(), borrowed; NULL: none are known */
	struct bound_tensor *tensors; /* as workload->tensors */
	double flops, bytes;          /* of one run; 0: not stated */
	char key[33]; /* of everything that decides inputs and reference: dims, dtypes, tensors,
			 fills, the reference's source and what it includes */
};

enum asc_status binding_init(struct binding *b, const struct workload *w, const struct problem *p,
			     const char *device, const struct facts *facts, struct asc_err *e);
void binding_fini(struct binding *b);

/* The type that the problem computes in: of the tensors that there are the narrowest floating one,
 * else the narrowest. False: none. */
bool binding_element(const struct binding *b, enum dtype *out);

/* A formula that needs no parameter, as an integer / real. */
enum asc_status binding_int(const struct binding *b, const struct formula *f, int64_t *out,
			    struct asc_err *e);
enum asc_status binding_real(const struct binding *b, const struct formula *f, double *out,
			     struct asc_err *e);

/* Does the implementation run here: devices, entry, `when`, and what the device refuses whatever
 * the configuration. If not, `reason` says why. */
enum asc_status binding_covers(const struct binding *b, const struct implementation *i,
			       bool *covers, char *reason, size_t size, struct asc_err *e);

/* The space of an implementation for this problem and device. */
enum asc_status binding_space(const struct binding *b, const struct implementation *i,
			      struct space **out, struct asc_err *e);

/* What that space is made of; borrowed during the visit. */
typedef enum asc_status binding_spec_fn(void *user, const struct space_spec *spec,
					struct asc_err *e);
enum asc_status binding_visit_spec(const struct binding *b, const struct implementation *i,
				   binding_spec_fn *visit, void *user, struct asc_err *e);

struct bound_argument {
	enum argument_kind kind;
	size_t tensor;
	enum dtype type;     /* SCALAR; TENSOR, TENSOR_MAP: of the elements */
	struct value scalar; /* SCALAR */
	int64_t bytes;       /* SCRATCH */
	enum builtin builtin;
	/* TENSOR_MAP: the tensor as it is bound, its innermost dimension last as in `box`. */
	int64_t shape[WORKLOAD_MAX_RANK], box[WORKLOAD_MAX_RANK];
	size_t rank;
	const char *swizzle; /* none, 32B, 64B, 128B; borrowed static */
};

/* How one configuration is launched; the grid as rewrites leave it. */
struct plan {
	int64_t grid[3], block[3], shared_bytes, threads;
	int64_t cluster[3], cooperative;
	int64_t sampled; /* CPU: so many of the grid's calls are made, evenly spread from the first
			    to the last; 0: all */
	struct bound_argument arguments[WORKLOAD_MAX_ARGUMENTS];
	size_t n_arguments;
};

/* `i` NULL and `c` NULL: the workload's reference for the device. Fails
 * (ASC_INPUT) when a formula cannot be worked out or a grid is not positive. */
enum asc_status binding_plan(const struct binding *b, const struct implementation *i,
			     const struct config *c, struct plan *out, struct asc_err *e);

#endif
