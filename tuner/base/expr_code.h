/* The compiled form of an expression: three-address steps over slots, constants and temporaries.
 * Private to base/expr.
 *
 * An operand is 16 bits: two that say where and the index. Steps write temporaries only. */
#ifndef ASCTUNE_BASE_EXPR_CODE_H
#define ASCTUNE_BASE_EXPR_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/expr_tree.h"

/* Temporaries: what can wait for its other side is at most a call's first arguments, two sides of a
 * comparison, a term, a factor and a base per level of nesting. */
enum { EXPR_MAX_TEMPS = 6 * (EXPR_MAX_DEPTH + 2), EXPR_MAX_INDEX = 1 << 14 };

enum expr_place { EXPR_IN_SLOT, EXPR_IN_CONSTANT, EXPR_IN_TEMP };

/* Below EXPR_OP_COUNT a step's op is an enum expr_op: d = a op b. */
enum expr_step_op {
	EXPR_STEP_RETURN = EXPR_OP_COUNT, /* a */
	EXPR_STEP_MOVE,                   /* d = a */
	EXPR_STEP_AND,                    /* d = a; to step b unless it is true */
	EXPR_STEP_OR,                     /* d = a; to step b if it is true */
	EXPR_STEP_UNLESS,                 /* to step b unless a is true */
	EXPR_STEP_JUMP,                   /* to step b */
	EXPR_STEP_UNKNOWN                 /* EXPR_E_UNKNOWN */
};

struct expr_step {
	uint16_t op, d, a, b;
};

struct expr {
	struct expr_step *steps;
	size_t n_steps;
	struct value *constants;
	size_t n_constants;
	size_t *slots; /* ascending */
	size_t n_slots;
	char *text;
	char *unknown; /* name, or NULL */
};

/* No part takes more than two steps for each byte of its text: `a<b<c` has an operator and a side
 * for a comparison and its jump. The same holds for constants. */
#define EXPR_STEPS_FOR(len) (2 * (size_t)(len) + 2)

/* Makes the steps of one part of a tree; x has room for them and its `unknown` is set. bindings[i]
 * is what the name in node i means. */
void expr_emit(const struct expr_tree *t, const struct expr_binding *bindings,
	       const struct expr_node *n, struct expr *x);

#endif
