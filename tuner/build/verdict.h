/* The verdict of a memory planner on one variant of a kernel: whether it fits the memories of an
 * NPU. A plan is no artifact: registers, code size, deadlocks and speed are not judged.
 *
 * The caller owns the storage: zeroed, verdict_take(), verdict_fini(). */
#ifndef ASCTUNE_BUILD_VERDICT_H
#define ASCTUNE_BUILD_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/hash.h"

struct json_writer;
struct pool_done;

/* id, name */
#define VERDICT_LIST(X)                                                                            \
	X(NONE, "none")               /* no answer yet, or trouble of the machine */               \
	X(FITS, "fits")               /* the compiler plans it */                                  \
	X(REFUSED, "refused")         /* a memory space is too small */                            \
	X(UNSUPPORTED, "unsupported") /* an element type or an option that it does not know */     \
	X(FAILED, "failed")           /* the compiler found the source at fault */

enum verdict_kind {
#define X(id, name) VERDICT_##id,
	VERDICT_LIST(X)
#undef X
		VERDICT_COUNT
};

/* Memory spaces that a planner plans; id, name in `memory` of workloads. */
#define VERDICT_SPACE_LIST(X)                                                                      \
	X(UB, "ub")                                                                                \
	X(L1, "l1")                                                                                \
	X(L0C, "l0c")

enum verdict_space {
#define X(id, name) VERDICT_##id,
	VERDICT_SPACE_LIST(X)
#undef X
		VERDICT_SPACES
};

struct verdict {
	enum verdict_kind kind;
	enum verdict_space space; /* REFUSED: the one that is too small; VERDICT_SPACES: not said */
	int64_t planned_bytes[VERDICT_SPACES]; /* FITS: end of the highest buffer; -1: not said */
	int64_t retries;              /* FITS: times that the compiler fell back to other options */
	bool cached;                  /* no compiler was started for it */
	char key[HASH_TEXT_SIZE];     /* content key of the question */
	char program[HASH_TEXT_SIZE]; /* FITS: digest of the planned module: equal ones are one
					 program */
	char *metadata;               /* FITS: what the builder says of the plan, JSON; heap */
	char *reason;                 /* one line: why not, or trouble; heap, NULL where it fits */
	char *log;                    /* words of the compiler; heap, NULL: none */
};

/* Takes the pool's answer to a request of a builder that plans; a plan that says less than is
 * wanted leaves -1 and "". Takes texts out of `done`. */
void verdict_take(struct pool_done *done, struct verdict *out);
void verdict_fini(struct verdict *v);

/* Writes members of an object, of a verdict that FITS: planned bytes by memory space, retries. */
void verdict_write_plan(const struct verdict *v, struct json_writer *w);

const char *verdict_name(enum verdict_kind k);
const char *verdict_space_name(enum verdict_space s); /* "" for VERDICT_SPACES */

#endif
