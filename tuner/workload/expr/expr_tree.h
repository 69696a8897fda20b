/* The parsed form of an expression: a plain tree over the text that it was read from. Private to
 * its folder.
 *
 * A tree owns its text, its names and its nodes; nodes stand in one array, children before their
 * parents, so that a pass over all of them needs no recursion. Depth is bounded by EXPR_MAX_DEPTH
 * however long a sum or a comparison is: what is written side by side is one node. */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_TREE_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/workload/expr/expr.h"

/* id, function. Binary, comparing, unary: what expr_apply() knows. */
#define EXPR_OP_LIST(X)                                                                            \
	X(ADD, add)                                                                                \
	X(SUB, sub)                                                                                \
	X(MUL, mul)                                                                                \
	X(DIV, div)                                                                                \
	X(FLOOR_DIV, floor_div)                                                                    \
	X(MOD, mod)                                                                                \
	X(POW, pow)                                                                                \
	X(MIN, min)                                                                                \
	X(MAX, max)                                                                                \
	X(CEIL_DIV, ceil_div)                                                                      \
	X(ALIGN, align)                                                                            \
	X(EQ, eq)                                                                                  \
	X(NE, ne)                                                                                  \
	X(LT, lt)                                                                                  \
	X(LE, le)                                                                                  \
	X(GT, gt)                                                                                  \
	X(GE, ge)                                                                                  \
	X(NEG, neg)                                                                                \
	X(POS, pos)                                                                                \
	X(NOT, not )                                                                               \
	X(LOG2, log2)                                                                              \
	X(IS_POW2, is_pow2)                                                                        \
	X(ABS, abs)                                                                                \
	X(INT, int)                                                                                \
	X(FLOAT, float)

enum expr_op {
#define X(id, function) EXPR_OP_##id,
	EXPR_OP_LIST(X)
#undef X
		EXPR_OP_COUNT,
	EXPR_OP_IN = EXPR_OP_COUNT, /* links of a comparison whose right side is a list */
	EXPR_OP_NOT_IN
};

enum expr_node_kind {
	EXPR_NODE_NUMBER,  /* value */
	EXPR_NODE_NAME,    /* name */
	EXPR_NODE_SIZEOF,  /* name: the tensor */
	EXPR_NODE_UNARY,   /* op; one child */
	EXPR_NODE_CHAIN,   /* first, then each next child joined to what came before by its link:
			      a - b + c, min(a, b, c), a ** b */
	EXPR_NODE_COMPARE, /* each child but the first is compared with its elder sibling by its
			      link; all must hold */
	EXPR_NODE_AND,
	EXPR_NODE_OR,
	EXPR_NODE_IF,  /* three children in the order of the text: then, condition, else */
	EXPR_NODE_LIST /* only below EXPR_NODE_COMPARE, with link IN or NOT_IN */
};

struct expr_node {
	enum expr_node_kind kind;
	enum expr_op op;         /* UNARY */
	enum expr_op link;       /* below CHAIN and COMPARE, except in the first child */
	uint32_t at;             /* byte of the text: its name, number or operator */
	uint32_t start, end;     /* bytes of the text: all of it, with parentheses around it */
	uint32_t n;              /* children */
	struct expr_node *first; /* children are a list */
	struct expr_node *last;
	struct expr_node *next;
	struct value value;
	const char *name; /* owned by the tree */
};

/* Value of a part, or why it has none. */
struct expr_outcome {
	struct value value; /* unless there is an error */
	enum expr_error error;
};

struct expr_tree {
	char *text;
	char *names; /* storage of all names, each ended by a NUL */
	struct expr_node *nodes;
	size_t n;
	const struct expr_node *root;
};

/* One operation on values; unary ones do not look at b. An error leaves *out alone. */
enum expr_error expr_apply(enum expr_op op, struct value a, struct value b, struct value *out);

/* "column N: " and the text, as ASC_INPUT; `at` is the byte offset. */
enum asc_status expr_fail(struct asc_err *e, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
