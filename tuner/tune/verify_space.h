/* The limits of an NPU's memory beside its planner: do the spaces of Triton kernels leave out what
 * the planner refuses, and nothing else?
 *
 * A variant is a question to the planner: the configurations, of whatever problem, that ask it and
 * that the limits all keep, or all leave out. The caller owns a struct verify_space:
 * verify_space_new(), verify_space_free(); the desk is the caller's, and outlives it. */
#ifndef ASCTUNE_TUNE_VERIFY_SPACE_H
#define ASCTUNE_TUNE_VERIFY_SPACE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct binding;
struct buf;
struct planned_target;
struct space;
struct verdict;
struct verdicts;
struct verify_space;

/* id, name */
#define VERIFIED_LIST(X)                                                                           \
	X(ACCEPTED, "accepted")       /* kept, and fits */                                         \
	X(LOST, "lost")               /* left out, and fits */                                     \
	X(REFUSED, "refused")         /* kept, and does not fit */                                 \
	X(FORESEEN, "foreseen")       /* left out, and does not fit */                             \
	X(UNSUPPORTED, "unsupported") /* a type or an option that the compilers do not know */     \
	X(FAILED, "failed")           /* the compilers found the source at fault */                \
	X(UNANSWERED, "unanswered")   /* trouble of the machine, or out of time */

enum verified {
#define X(id, name) VERIFIED_##id,
	VERIFIED_LIST(X)
#undef X
		VERIFIED_COUNT
};

const char *verified_name(enum verified v);

struct verify_variant {
	const struct binding *binding; /* the problem of its first configuration */
	const struct implementation *implementation;
	const struct space *space, *kept_space; /* without the limits of memory, and with them */
	uint64_t index;                         /* of the first configuration, in `space` */
	uint64_t configurations;                /* that ask the same */
	bool kept;                              /* by the limits */
	const struct verdict *answers[WORKLOAD_MAX_CALLS]; /* of each call; NULL: no Triton kernel
							    */
};

enum asc_status verify_space_new(struct verify_space **out, struct asc_err *e);
void verify_space_free(struct verify_space *v);

/* Adds the spaces of a problem: of each of its implementations with a Triton kernel, or of the one
 * that is named. The target is borrowed as long as the verification lives. */
enum asc_status verify_space_add(struct verify_space *v, const struct workload *w,
				 const struct problem *p, const struct planned_target *t,
				 const char *implementation, struct asc_err *e);

uint64_t verify_space_configurations(const struct verify_space *v);

struct verify_choice {
	uint64_t sample; /* configurations that are drawn, beside those at the edge; 0: all */
	uint64_t seed;
	const volatile sig_atomic_t *stop;
	void (*progress)(void *user, size_t answered, size_t variants); /* so far */
	void *user;
};

/* Asks about the chosen configurations, side by side, until all are answered. At the edge is a
 * configuration of which the next value of one parameter leads to the other side of the limits.
 * ASC_INTERRUPTED where the stop was asked for. */
enum asc_status verify_space_ask(struct verify_space *v, struct verdicts *desk,
				 const struct verify_choice *c, struct asc_err *e);

/* Variants in the order in which they were asked. */
size_t verify_space_variants(const struct verify_space *v);
const struct verify_variant *verify_space_get(const struct verify_space *v, size_t i);

/* The answer that decides, and its call: the first that does not fit, else the first. */
const struct verdict *verify_variant_answer(const struct verify_variant *v, size_t *call);
enum verified verify_variant_judge(const struct verify_variant *v);

/* Appends the limits that the variant does not meet; nothing where it is kept. */
enum asc_status verify_variant_print_limits(const struct verify_variant *v, struct buf *out,
					    struct asc_err *e);

#endif
