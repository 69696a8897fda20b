/* Limits of a device as data: its memory spaces, bounds of a launch, and its facts, for devices
 * that are here and for models that are only planned for.
 *
 * A struct limits is plain data in the caller's storage; names point to static text. */
#ifndef ASCTUNE_WORKLOAD_LIMITS_LIMITS_H
#define ASCTUNE_WORKLOAD_LIMITS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/dtype.h"
#include "tuner/base/err.h"
#include "tuner/workload/limits/facts.h"

struct memory_space {
	const char *name;   /* ub, l1, l0a, l0b, l0c, bt, shared, treg, ddr */
	int64_t bytes;      /* 0: managed outside, no limit */
	int64_t unit_bytes; /* bytes of one address unit; 1: byte-addressed */
	int64_t align; /* bytes; a buffer starts at a multiple of it and takes whole multiples */
	int64_t max_units; /* bytes / unit_bytes */
};

enum { LIMITS_MAX_SPACES = 6 };

struct limits {
	const char *name;   /* Ascend910B3, sm_90, SuperscalarNPU */
	const char *device; /* class: cuda, npu */
	const char *kind;   /* short description for listings */
	struct memory_space spaces[LIMITS_MAX_SPACES];
	size_t n_spaces;
	const char *onchip;            /* memory space that `onchip` stands for, or NULL */
	int64_t grid[3], grid_product; /* blocks at most, along each axis and in all */
	int64_t block[3];       /* threads of a block along each axis at most; 0: no threads */
	bool drops_multibuffer; /* the compiler drops multibuffer where it does not fit, instead of
				   refusing the kernel */
	bool has_standin;       /* `--device npu:sim:NAME` stands in for it */
	unsigned refused_types; /* bits, 1 << type: types that Triton's front end for this device
				   has not */
	const struct occupancy_sm *sm; /* multiprocessor of a CUDA device, else NULL */
	struct facts facts;
};

/* Finds the model called `name`: an entry, or a common name for one (limits_canonical()). False
 * when there is none. */
bool limits_find(const char *name, struct limits *out);

/* Model that a common name like 910B stands for; NULL when `name` is no such name. */
const char *limits_canonical(const char *name);

/* Gets model number `i`; false after the last. Models that no name leads to are left out. */
bool limits_at(size_t i, struct limits *out);

/* Prints the architecture that compilers build for on a GPU of that compute capability: "sm_80", or
 * with the instructions of that architecture alone, which exist from 9.0 on, "sm_90a". */
enum { LIMITS_ARCH_SIZE = 24 };
void limits_print_cuda_arch(int64_t capability, char text[LIMITS_ARCH_SIZE]);

/* Nearest model, for "did you mean"; or NULL. */
const char *limits_nearest(const char *name);

/* Finds a memory space by its name in workloads, where `onchip` stands for one of the others; NULL:
 * the device has none. */
const struct memory_space *limits_space(const struct limits *l, const char *name);

/* Rounds `bytes` up to the size of a buffer in the space. Overflow saturates at INT64_MAX. */
int64_t memory_space_round(const struct memory_space *s, int64_t bytes);

/* Converts a byte address to the space's units. A byte address between two units is an internal
 * error (ASC_INTERNAL), never rounded. */
enum asc_status memory_space_index(const struct memory_space *s, int64_t byte_address,
				   int64_t *index, struct asc_err *e);

#endif
