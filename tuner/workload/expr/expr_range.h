/* Bounds of the outcome of an operation whose operands are not known but bounded: interval
 * arithmetic over the values of expressions.
 *
 * Sound, not sharp: every outcome of expr_apply() on operands inside the ranges lies inside the
 * result, and a range that is not ANY stands for operands on which nothing fails. Ranges of one
 * value are worked out exactly. Plain data. */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_RANGE_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/workload/expr/expr_tree.h"

enum range_kind {
	RANGE_INT,  /* integers and truth values within lo.i .. hi.i */
	RANGE_REAL, /* reals within lo.r .. hi.r; a NaN only when it is the one value */
	RANGE_TEXT, /* the text lo.i, which is hi.i */
	RANGE_ANY,  /* any value, or an error */
	RANGE_FAIL  /* surely an error */
};

struct range {
	enum range_kind kind;
	union range_end {
		int64_t i;
		double r;
	} lo, hi; /* of ANY and FAIL: 0 */
};

/* Truth of a condition whose value lies in a range; an error is not true. */
enum range_truth { RANGE_NEVER, RANGE_ALWAYS, RANGE_OPEN };

struct range range_of(struct value v);
struct range range_ints(int64_t lo, int64_t hi);
struct range range_join(const struct range *a, const struct range *b); /* both, and between */

struct value range_value(const struct range *r); /* of a range that is one value */

/* One value, or one error, which is what exact evaluation would give. */
bool range_is_known(const struct range *r);

enum range_truth range_truth(const struct range *r);
struct range range_apply(enum expr_op op, const struct range *a, const struct range *b);
struct range range_and(const struct range *a, const struct range *b);
struct range range_or(const struct range *a, const struct range *b);
struct range range_if(const struct range *condition, const struct range *then,
		      const struct range *otherwise);

#endif
