/* A problem of a workload bound to a device: names resolved, and every shape, size and formula that
 * needs no parameter evaluated.
 *
 * Borrows the workload. Names in expressions mean, in this order: a parameter of the
 * implementation, a dimension of the problem, device.FACT, a table of the implementation,
 * sizeof(tensor) in bytes. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/limits/facts.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

struct expr_table;
struct hash;
struct json_writer;
struct limits;
struct space;
struct space_spec;

struct bound_tensor {
	bool present;
	bool hidden;    /* a fault hides its size: only while all faults of a file are gathered */
	bool scattered; /* its elements do not follow each other in the order of their indices */
	enum dtype dtype;
	int64_t shape[WORKLOAD_MAX_RANK];
	size_t rank;
	int64_t count; /* elements */
	int64_t bytes; /* of the elements, wherever they lie */
	/* Place of the elements: a tensor is a view of a memory, which other tensors may lie in,
	 * too. */
	int64_t strides[WORKLOAD_MAX_RANK]; /* elements from one to the next */
	int64_t offset_bytes;               /* from where the memory begins to the first element */
	int64_t span_bytes;                 /* from there to the end of the last one */
	size_t owner;                       /* index of the tensor whose memory it is, or its own */
	int64_t memory_bytes; /* of its own memory, to the end of all that lies in it; 0: it has
				 none */
	double atol, rtol;    /* tolerances for this dtype; 0 when there are none */
};

struct binding {
	const struct workload *workload;
	const struct problem *problem;
	const char *device; /* class: cpu, cuda, npu; borrowed static */
	struct facts facts;
	unsigned rewrites_off; /* rewrite_bit()s of rewrites that are switched off; set by the
				  caller after binding_init() */
	bool build_only; /* set after binding_init(): the device need not be here, and a part of a
		       launch that needs a fact of it stays 0 in a plan */
	const struct limits *limits;  /* limits of the device, set after binding_init(), borrowed;
					 NULL: unknown */
	struct bound_tensor *tensors; /* in the order of workload->tensors */
	struct expr_table **tables;   /* values of each table, by its number; NULL behind a fault */
	double flops, bytes;          /* operations and bytes of one launch; 0: not stated */
	double least_bytes, least_flops; /* as the workload states them; 0: nothing, or not stated
					  */
	char (*digests)[33]; /* of contents in files (binding_digests.h); NULL: not known */
	char key[33];        /* content key of all that decides inputs and reference: dims, dtypes,
				tensors, fills, the reference's source and its included files. "" where
				inputs are in files that were not read yet */
};

enum asc_status binding_init(struct binding *b, const struct workload *w, const struct problem *p,
			     const char *device, const struct facts *facts, struct asc_err *e);
void binding_fini(struct binding *b);

/* Appends how `a` and `b`, of such names, compute different things: "A has N=1024, B has N=512";
 * what follows from an earlier difference is left out. Nothing where they compute the same, in
 * whatever order their files name tensors and sizes, or where the text of the reference alone is
 * another one, its file and call being the same: then *text is that file's name in the workload of
 * `b`, borrowed, else NULL. */
enum asc_status binding_print_difference(const struct binding *a, const struct binding *b,
					 const char *const names[2], struct buf *out,
					 const char **text, struct asc_err *e);

/* Appends a tensor as it is in the problem: "input f32[8, 4096]", and of a view "at strides [4104,
 * 1] from element 4 of w". */
void binding_print_tensor(const struct binding *b, size_t i, struct buf *out);

/* Finds the type that the problem computes in: the narrowest floating one of its tensors, else the
 * narrowest. False: none. */
bool binding_element(const struct binding *b, enum dtype *out);

/* Writes the kind of each dimension of the problem, {"NAME": "size", ...}: `size`, an integer that
 * the shape of a tensor names; `integer`, one that none does; `real`; `truth`. */
enum asc_status binding_write_kinds(const struct binding *b, struct json_writer *w,
				    struct asc_err *e);

/* Evaluates a formula that needs no parameter, as an integer / real. */
enum asc_status binding_int(const struct binding *b, const struct formula *f, int64_t *out,
			    struct asc_err *e);
enum asc_status binding_real(const struct binding *b, const struct formula *f, double *out,
			     struct asc_err *e);

/* Counts the elements of a tensor that its fill makes -1: slots that name nothing. */
enum asc_status binding_padding(const struct binding *b, size_t tensor, int64_t *out,
				struct asc_err *e);

/* Sets *covers when the implementation can run here: devices, entry, `when`, and limits that no
 * configuration changes. If not, `reason` says why. */
enum asc_status binding_covers(const struct binding *b, const struct implementation *i,
			       bool *covers, char *reason, size_t size, struct asc_err *e);

/* Makes the space of an implementation for this problem and device. */
enum asc_status binding_space(const struct binding *b, const struct implementation *i,
			      struct space **out, struct asc_err *e);

/* Makes that space with the configurations that the limits of a device's memory leave out of it. */
enum asc_status binding_space_unpruned(const struct binding *b, const struct implementation *i,
				       struct space **out, struct asc_err *e);

/* Makes the space of those of its configurations that are tried before all others; *out is NULL
 * where the implementation names no table of them. */
enum asc_status binding_space_first(const struct binding *b, const struct implementation *i,
				    struct space **out, struct asc_err *e);

/* Visits the specification of that space; borrowed during the visit. */
typedef enum asc_status binding_spec_fn(void *user, const struct space_spec *spec,
					struct asc_err *e);
enum asc_status binding_visit_spec(const struct binding *b, const struct implementation *i,
				   binding_spec_fn *visit, void *user, struct asc_err *e);

/* Finds the program's own configuration: the default one of the first implementation that covers
 * the problem here and has any. ASC_INPUT where there is none. */
enum asc_status binding_find_own(const struct binding *b, const struct implementation **i,
				 struct config *out, struct asc_err *e);

struct bound_constant {
	enum constant_kind kind; /* any but CONSTANT_TABLE */
	struct value value;      /* FORMULA, TRUTH */
	enum dtype dtype;        /* DTYPE */
};

/* Binds a constant of an implementation, for one of its configurations. ASC_INPUT when its formula
 * cannot be evaluated. */
enum asc_status binding_constant(const struct binding *b, const struct implementation *i,
				 const struct config *c, const struct constant *constant,
				 struct bound_constant *out, struct asc_err *e);

struct bound_argument {
	enum argument_kind kind;
	enum dtype type;     /* SCALAR; TENSOR, TENSOR_MAP: of the elements */
	struct value scalar; /* SCALAR */
	int64_t bytes;       /* SCRATCH; TENSOR, TENSOR_MAP: of a scratch tensor */
	enum builtin builtin;
	/* TENSOR, TENSOR_MAP: the tensor, or a view of it, as it is bound, its innermost dimension
	 * last. Of an absent tensor, whose buffer is NULL, the rank is 0. The implementation's
	 * scratch tensors come after those of the workload. LIST: `rank` integers in `shape`. */
	size_t tensor, rank;
	int64_t shape[WORKLOAD_MAX_RANK];
	int64_t strides[WORKLOAD_MAX_RANK]; /* in elements */
	int64_t offset_bytes;               /* of the first element in the tensor's memory */
	bool scattered;                     /* as of struct bound_tensor */
	bool on_host;                       /* its place is the host */
	const char *text;                   /* TEXT; borrowed from the workload, or static */
	const char *name; /* keyword that it is passed by, borrowed from the workload; NULL: by its
			     place */
	bool returned;    /* TENSOR: no argument of the call but where what it gives back is copied
			     to, behind all others, in order; `name` is the tensor's */
	/* TENSOR_MAP */
	int64_t box[WORKLOAD_MAX_RANK]; /* in the order of `shape` */
	const char *swizzle;            /* none, 32B, 64B, 128B; borrowed static */
};

enum {
	PLAN_ENTRY_SIZE = 256,
	PLAN_MAX_ARGUMENTS = 128 /* parts of descriptors count: more than a workload passes */
};

/* The launch of one call of a configuration; the grid as rewrites leave it. */
struct plan {
	char entry[PLAN_ENTRY_SIZE]; /* kernel in the artifact; "": the callable's entry */
	int64_t grid[3], block[3], shared_bytes, threads;
	int64_t cluster[3], cooperative;
	bool spread;         /* blocks of a cluster are spread over processors */
	bool programmatic;   /* may begin before the launch in front of it has ended */
	bool prefers_shared; /* a processor's first-level cache gives all it can to shared memory */
	int64_t sampled; /* CPU: number of the grid's calls that are made, evenly spread from the
			    first to the last; 0: all */
	struct bound_argument arguments[PLAN_MAX_ARGUMENTS];
	size_t n_arguments;
	const struct python_use *python; /* borrowed from the workload; NULL: no Python function.
					    Of one, constants and parameters follow the file's
					    arguments, by their names: SCALAR with a value of its
					    own kind, TEXT (of a dtype its name) or NULL */
};

/* Plans a launch of one of the implementation's calls. `i` NULL, `call` 0 and `c` NULL: that of the
 * workload's reference for the device. ASC_INPUT when a formula cannot be evaluated or a grid is
 * not positive; ASC_ABSENT when one needs a fact that the device does not tell. */
enum asc_status binding_plan(const struct binding *b, const struct implementation *i, size_t call,
			     const struct config *c, struct plan *out, struct asc_err *e);

/* Resources of a configuration's launch. Its calls run one after the other: the most of any counts,
 * but scratch tensors, which live from one to the next, count together, and a tensor once. */
struct plan_use {
	double threads;       /* that find work: no more than the grid has blocks */
	double block_threads; /* of a block */
	double shared_bytes, scratch_bytes;
	bool seen[WORKLOAD_MAX_TENSORS + WORKLOAD_MAX_SCRATCH]; /* scratch tensors that count */
};

/* Adds a call to what was found of those before it; *use begins as zeros. */
void plan_add_use(const struct plan *p, struct plan_use *use);

/* Finds the grid of one of the calls of a configuration before any rewrite. */
enum asc_status binding_grid(const struct binding *b, const struct implementation *i, size_t call,
			     const struct config *c, int64_t grid[3], struct asc_err *e);

/* Adds what a table gives for the problem: rows for other ones do not count. */
void binding_table_hash(const struct binding *b, const struct value_table *t, struct hash *h);

/* Adds all of the plan: equal plans launch equal code equally. */
void plan_hash(const struct plan *p, struct hash *h);

#endif
