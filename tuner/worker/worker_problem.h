/* One problem in a worker: its tensors on the device, filled, and the reference of its outputs.
 *
 * Owned by the worker; lives until the device is closed. */
#ifndef ASCTUNE_WORKER_WORKER_PROBLEM_H
#define ASCTUNE_WORKER_WORKER_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/base/hash.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/inputs_hard.h"
#include "tuner/worker/reference.h"
#include "tuner/worker/views.h"
#include "tuner/workload/binding/binding.h"

struct json_node;
struct rng;
struct verify_traces;
struct worker_problem;
struct worker_side;

/* Was the machine steady while samples were taken (steady_note() of launch.h)? */
struct steady {              /* zeroed at first; lives as long as the device is open */
	int64_t highest_mhz; /* seen so far */
	int64_t pause_ns;    /* the last one; 0: the device was cool since */
	int64_t paused_ns;   /* all together */
};

/* A set of inputs that is kept on the device beside the one that is in the tensors' memories
 * (worker_sets_keep()): its inputs, and, while it is not there, what its outputs are compared
 * with. */
struct kept_set {
	struct device_buffer *inputs[WORKLOAD_MAX_TENSORS]; /* NULL: no other than in other sets */
	struct device_buffer *expected[WORKLOAD_MAX_TENSORS]; /* as those of the problem below */
	struct device_mask masks[WORKLOAD_MAX_TENSORS];
	void *poison[WORKLOAD_MAX_TENSORS];
};

struct worker_problem {
	const struct device_ops *ops;
	struct device *device;
	struct workload *workload;
	struct binding binding;
	struct device_buffer *buffers[WORKLOAD_MAX_TENSORS]; /* memory that the tensor lies in, one
								for all that share it; NULL: the
								tensor is absent */
	void *host[WORKLOAD_MAX_TENSORS]; /* of inout tensors: initial contents, restored before
					     launches, unless the set is kept */
	/* Memories that hold views, by their owners: content before a launch, else NULL;
	 * and what launches do to it. */
	void *images[WORKLOAD_MAX_TENSORS];
	struct view_use uses[WORKLOAD_MAX_TENSORS];
	void *const *inputs; /* contents of what is read, while the problem is set up */
	void *now, *spare;   /* as large as the largest image; NULL: there is none */
	struct steady steady;
	struct device_state state;         /* of the device when the last launch ended */
	bool observed;                     /* nothing but launches happened since then */
	void *staging;                     /* as large as the largest output */
	struct {                           /* digests of the outputs whose bits were found last */
		uint64_t digest;           /* the device's */
		char text[HASH_TEXT_SIZE]; /* by the one formula; "": none were */
	} bits;
	struct { /* memory of own_answer.c, kept for the next finalist, as large as the output;
		    NULL: not allocated yet */
		void *answer, *poison;
	} spares[WORKLOAD_MAX_TENSORS];
	uint64_t seeds[WORKLOAD_MAX_SETS]; /* of the inputs of each set */
	size_t n_sets;
	char *fills[WORKLOAD_MAX_TENSORS]; /* artifacts of fill functions; else NULL */
	bool slow_fills;                   /* functions take long to fill: they do it once */
	enum hard_set hard;                /* what they are changed to */
	size_t set;                        /* of inputs, which are on the device */
	bool unseen;                       /* others are there: worker_problem_put_unseen() */
	uint64_t moves; /* number of times that tensors have moved: 0 while they lie where they
			   were allocated */
	size_t places[WORKLOAD_MAX_TENSORS]; /* of memories: steps that they are away from there */
	struct reference reference;          /* of that set */
	struct reference references[WORKLOAD_MAX_SETS];       /* of the others */
	struct kept_set *kept[WORKLOAD_MAX_SETS];             /* heap; NULL: not kept */
	struct device_buffer *expected[WORKLOAD_MAX_TENSORS]; /* the reference's tensors where the
								 device compares; else NULL */
	struct device_mask masks[WORKLOAD_MAX_TENSORS];       /* over these */
	void *poison[WORKLOAD_MAX_TENSORS]; /* contents of poisoned outputs, no element of which is
					       right but those that are to be left alone; NULL
					       where NaN everywhere is poison enough */
	int64_t n_left[WORKLOAD_MAX_TENSORS]; /* elements that the reference marks: to be left alone
					       */
	enum verified_by verified_by;
	struct worker_side *sides; /* other copies of the workload that have launches here */
	struct {
		const struct implementation *implementation;
		const char *names[CONFIG_MAX_PARAMETERS + 1]; /* names of its parameters */
	} last;                                               /* implementation asked for last */
};

struct worker_problem_request { /* borrowed from the message */
	const char *workload, *hash, *problem, *cache;
	const char *folder;           /* folder for a computed reference; NULL: the cache */
	const char *reference;        /* artifact of the workload's reference, or NULL */
	const char *device_reference; /* artifact of the device's own reference, or NULL */
	const char *own_key; /* key of the launch of the program's own configuration, where that is
				the reference (reference_key); else NULL */
	const struct json_node *fills;     /* artifacts of fill functions: {TENSOR: ARTIFACT} */
	char *const *artifacts;            /* the same by tensor, in place of `fills`; else NULL */
	const struct json_node *digests;   /* of contents in files (binding_write_digests) */
	uint64_t seeds[WORKLOAD_MAX_SETS]; /* of each set of inputs; the same for all where they
					      are in files */
	size_t n_sets;
	int64_t references_ns;    /* time for references of sets behind the first whose inputs are
				     made: what would take longer is left out */
	int64_t references_bytes; /* disk for references that are made; what would take more is left
				     out; 0: not limited */
	enum hard_set hard;       /* of the inputs; HARD_NONE: they stay as they are filled */
	bool kept_only;           /* fails rather than that a reference is computed */
	unsigned rewrites_off;    /* of the binding */
	const char *place;        /* of the device, as in device_ops.open */
	/* Waits until the device is open; everything that needs no device is made before. */
	enum asc_status (*device)(void *user, struct device **out, struct asc_err *e);
	/* Announces code of the workload before it runs: whose fault it is when it crashes. */
	enum asc_status (*doing)(void *user, const char *what, struct asc_err *e);
	/* Has that configuration make the reference of a set, whose inputs are on the device, and
	 * write its file. */
	enum asc_status (*own)(void *user, struct worker_problem *p, size_t set, const char *path,
			       struct asc_err *e);
	/* Says what the user is to know. */
	enum asc_status (*note)(void *user, const char *text, struct asc_err *e);
	void *user;
};

enum asc_status worker_problem_new(const struct device_ops *ops,
				   const struct worker_problem_request *request,
				   struct worker_problem **out, struct asc_err *e);
void worker_problem_free(struct worker_problem *p);

/* Prints the problem's name with that of a set of inputs, "p0" or "p0, set 2". */
void worker_problem_print_set(const struct worker_problem *p, size_t set, char *text, size_t size);

/* Puts another set of inputs on the device, with its reference and its poison. After a failure the
 * problem has to be set up anew. */
enum asc_status worker_problem_put_set(struct worker_problem *p, size_t set, struct asc_err *e);

/* Puts inputs of a seed that no set has on the device, without a reference: nothing is verified
 * until a set is put again. How much work there is stays as it is: lengths and counts are those of
 * the set before. worker_problem_has_unseen(): an input is another one for another seed; not where
 * inputs are in files, or functions alone fill them, of which nobody knows what they make of a
 * seed. */
bool worker_problem_has_unseen(const struct worker_problem *p);
enum asc_status worker_problem_put_unseen(struct worker_problem *p, uint64_t seed,
					  struct asc_err *e);

/* Moves the data of all tensors to other addresses, which are drawn (device_ops.move), puts a set
 * of inputs there if it is another one, and poisons outputs. Inputs that are there go along, unseen
 * ones too, unless the set takes their place. Places keep the alignment that allocations have.
 * Kernels follow with their next launch (worker_config_follow()): one that remembers an address, or
 * finds by one what it keeps, has another one there. worker_problem_moves(): the device can move
 * them. */
bool worker_problem_moves(const struct worker_problem *p);
enum asc_status worker_problem_move(struct worker_problem *p, struct rng *rng, size_t set,
				    struct asc_err *e);

/* Fills outputs with poison, which the reference has nowhere, and restores inout tensors; the
 * second one, only while the problem is set up, fills them with `byte`. */
enum asc_status worker_problem_poison(struct worker_problem *p, struct asc_err *e);
enum asc_status worker_problem_fill(struct worker_problem *p, int byte, struct asc_err *e);
enum asc_status worker_problem_restore(struct worker_problem *p, struct asc_err *e);

/* Poisons lines of the outputs that are drawn, few or half of them, and leaves the others as they
 * are: a kernel that looks at some elements, to learn what is there already, errs about others. Of
 * a large output those of a megabyte are drawn, at a place that is drawn as well.
 * Outputs in memories that hold views stay. */
enum asc_status worker_problem_poison_lines(struct worker_problem *p, struct rng *rng,
					    struct asc_err *e);

/* Reads the elements of tensor `i`, in the order of their indices, into `staging`. */
enum asc_status worker_problem_read(struct worker_problem *p, size_t i, struct asc_err *e);

/* Finds the elements of output `i` that are still poison, and those that were to be; reads the
 * tensor into `staging`. Of booleans all are unwritten or none: a wrong one and a poisoned one are
 * the same. */
void worker_problem_find_traces(struct worker_problem *p, size_t i, struct verify_traces *out);

/* True when a tensor is both read and changed by launches. */
bool worker_problem_has_inout(const struct worker_problem *p);

/* Finds an implementation of the workload, or of another copy of it (`w`), and its parameters'
 * names, NULL-terminated, which stand until the next one is found. */
enum asc_status worker_problem_find(struct worker_problem *p, const struct workload *w,
				    const char *name, const struct implementation **out,
				    const char *const **names, struct asc_err *e);

#endif
