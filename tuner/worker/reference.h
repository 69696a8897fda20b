/* The reference of a problem: its right outputs in double precision, computed once, by the
 * workload's own function on the CPU or by the program's configuration (own_reference.h), kept in
 * the cache folder, and mapped from there while outputs are compared: a kernel does not find it in
 * its memory.
 *
 * The caller owns the storage: a zeroed struct reference, reference_close(). */
#ifndef ASCTUNE_WORKER_REFERENCE_H
#define ASCTUNE_WORKER_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "tuner/base/err.h"
#include "tuner/worker/inputs_hard.h"
#include "tuner/workload/workload.h"

struct binding;
struct device;
struct device_ops;
struct plan;

struct reference {
	int file;     /* open where `bytes` is not 0 */
	dev_t device; /* of the file that was opened */
	ino_t number;
	size_t bytes;                                /* of the file; 0: none is open */
	void *map;                                   /* NULL: not mapped */
	bool has[WORKLOAD_MAX_TENSORS];              /* outputs that are present */
	const double *tensors[WORKLOAD_MAX_TENSORS]; /* of those while the file is mapped; else NULL
						      */
	/* Inputs that functions of the workload made, in their dtype, where the file has them and
	 * while it is mapped; else NULL. */
	const void *inputs[WORKLOAD_MAX_TENSORS];
	int64_t inputs_ns; /* time that making them took; 0: the file has none */
};

/* Outputs of a problem that are present: whether tensor i is one, and the bytes of all. */
bool reference_has(const struct binding *b, size_t i);
size_t reference_bytes(const struct binding *b);
/* Bytes of the file, with inputs that functions make, which it need not have; 0: there are no
 * outputs. */
size_t reference_file_bytes(const struct binding *b);

/* ---- elements that are left alone ---- */

/* An element that the program's launch does not write, as a masked row, has a mark in place of its
 * number: one NaN among many, which no kept number has. */
double reference_left(void);
bool reference_is_left(double x);

/* True where one of n numbers of a reference is finite, or a mark: any kernel that leaves NaN, or
 * infinities, agrees with the others. */
bool reference_is_telling(const double *numbers, size_t n);

/* Writes what is expected of n elements: the reference's numbers, and where there is a mark what
 * the element held `before` the launch, in its dtype. */
void reference_expect(enum dtype dtype, const double *reference, const void *before, size_t n,
		      double *out);

/* ---- the file ---- */

struct reference_key { /* all borrowed */
	const struct binding *binding;
	uint64_t seed;      /* of the inputs */
	size_t set;         /* of inputs, of which each has a reference */
	enum hard_set hard; /* what they are changed to */
	const char *own;    /* key of the launch that is the reference; NULL: a function is */
};

/* The key of a set of the same problem: inputs in files differ by their set, others by the seed of
 * it. `seeds` has one for each set. */
struct reference_key reference_key_of(const struct reference_key *any, const uint64_t *seeds,
				      size_t set);

/* CACHE/reference/KEY-SEED[-sSET][-HARD][-OWN].VERSION.f64, without SET for the first: the outputs
 * that are present, in the workload's order, one after another as this machine's doubles; where
 * functions of the workload took long for inputs, these in their dtype, and the time in ns; and the
 * XXH3-64 of all that at the end. In place of a SEED that is not INPUTS_SEED there is its digest:
 * kernels may list the folder. Heap string, NULL when out of memory. */
char *reference_path(const char *cache, const struct reference_key *k);

/* Checks folder and file of the reference: fails when the folder is not to be trusted (base/owner),
 * and removes another user's file, with a warning. */
enum asc_status reference_check_owner(const char *cache, const struct reference_key *k,
				      struct asc_err *e);
/* True when the cache has a file of the right size: its sum is looked at where it is opened. */
bool reference_is_kept(const char *cache, const struct reference_key *k);
/* Moves the file of a problem from one folder to another, if it is there, and not over one that is
 * whole. False: it was not moved. */
bool reference_move(const char *from, const char *to, const struct reference_key *k);
/* Writes the file: `numbers` are reference_bytes(), with room for all of the file behind them;
 * those beyond the output's type become what any kernel writes there, infinities, or NaN of f8e4m3.
 * inputs[i] are the contents of tensor i, of which the file has those that functions made where
 * these took `slow_ns` > 0. */
enum asc_status reference_keep(const char *path, const struct binding *b, double *numbers,
			       void *const *inputs, int64_t slow_ns, struct asc_err *e);

/* Opens the file and maps it; *found is false when there is none of the right size and sum.
 * (Without outputs there is nothing to map, and it is true.) */
enum asc_status reference_open(const char *path, const struct binding *b, struct reference *r,
			       bool *found, struct asc_err *e);
/* Maps it again, unless it is; ASC_INPUT where the descriptor is no longer that of the file: a
 * kernel has closed it, or has put another file in its place. */
enum asc_status reference_map(struct reference *r, const struct binding *b, struct asc_err *e);
void reference_unmap(struct reference *r);
void reference_close(struct reference *r);

/* Plans the reference's launch: on the CPU of this machine, whatever the problem is bound to. */
enum asc_status reference_plan(const struct binding *b, struct plan *out, struct asc_err *e);

/* Runs the workload's reference (`artifact`, made by its builder) in this process and writes the
 * file. inputs[i] holds tensor i in its dtype: the reference sees the values that kernels see.
 * `slow_ns` is that of reference_keep(). */
enum asc_status reference_compute(const char *path, const struct binding *b, const char *artifact,
				  void *const *inputs, int64_t slow_ns, struct asc_err *e);

/* A few calls of the C function, made in another thread. The arguments are borrowed until
 * reference_sample_free(), which waits for that thread. */
struct reference_sample;
enum asc_status reference_sample_new(const struct binding *b, const char *artifact,
				     void *const *inputs, struct reference_sample **out,
				     struct asc_err *e);
void reference_sample_free(struct reference_sample *s); /* NULL: nothing */

struct reference_site { /* all borrowed */
	const struct device_ops *ops;
	struct device *device;
	const char *artifact; /* of the device's own reference */
};

/* Computes the reference by the device that `b` is bound to, and checks it against the sample of
 * the C function: ASC_INPUT where an element differs by more than a hundredth of its tolerance.
 * (Tensors that are changed in place are not compared.) */
enum asc_status reference_compute_on(const char *path, const struct binding *b,
				     const struct reference_site *site,
				     struct reference_sample *sample, void *const *inputs,
				     int64_t slow_ns, struct asc_err *e);

#endif
