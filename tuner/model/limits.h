/* What a device has for kernels to use, as data: its memory spaces, what a launch may ask for, and
 * its facts, for devices that are here and for those that are only planned for.
 *
 * A struct limits is plain data in the caller's storage; names point to static text. */
#ifndef ASCTUNE_MODEL_LIMITS_H
#define ASCTUNE_MODEL_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/facts.h"

struct memory_space {
	const char *name;   /* ub, l1, l0a, l0b, l0c, bt, shared, treg, ddr */
	int64_t bytes;      /* 0: managed outside, no limit */
	int64_t unit_bytes; /* what an address counts; 1: bytes */
	int64_t align;      /* a buffer starts at a multiple of, and takes whole multiples of, bytes
			     */
	int64_t max_units;  /* bytes / unit_bytes */
};

enum { LIMITS_MAX_SPACES = 6 };

struct limits {
	const char *name;   /* Ascend910B3, sm_90, SuperscalarNPU */
	const char *device; /* class: cuda, npu */
	const char *kind;   /* what it is a model of, in a word or two for listings */
	struct memory_space spaces[LIMITS_MAX_SPACES];
	size_t n_spaces;
	const char *onchip;            /* the space that workloads mean by `onchip`, or NULL */
	int64_t grid[3], grid_product; /* blocks at most, along each axis and in all */
	int64_t block[3];              /* threads of a block along each axis at most; 0: it has
					  no threads */
	bool drops_multibuffer;        /* its compiler drops multibuffer where it does not fit,
					  instead of refusing the kernel */
	bool refuses_f64;              /* Triton's front end for it knows no f64 */
	const struct occupancy_sm *sm; /* of CUDA, else NULL */
	struct facts facts;
};

/* The model called `name`: an entry, or a common name for one (limits_canonical()). False when
 * there is none. */
bool limits_find(const char *name, struct limits *out);

/* What a common name like 910B stands for; NULL when `name` is none of those. */
const char *limits_canonical(const char *name);

/* Model number `i`; false after the last. Models that no name leads to are left out. */
bool limits_at(size_t i, struct limits *out);

/* "did you mean": the nearest model, or NULL. */
const char *limits_nearest(const char *name);

/* A memory space by its name in workloads, where `onchip` is one of the others; NULL: not here. */
const struct memory_space *limits_space(const struct limits *l, const char *name);

/* `bytes` rounded up to what a buffer of the space takes. Overflow saturates at INT64_MAX. */
int64_t memory_space_round(const struct memory_space *s, int64_t bytes);

/* The address as the space counts it. A byte address between two units is an internal error
 * (ASC_INTERNAL), never rounded. */
enum asc_status memory_space_index(const struct memory_space *s, int64_t byte_address,
				   int64_t *index, struct asc_err *e);

#endif
