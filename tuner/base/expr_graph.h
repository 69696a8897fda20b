/* Several expressions as one graph of operations, for who works them out piece by piece.
 *
 * Equal parts are there once, in whichever expressions they stand; operands come before what uses
 * them, so that a pass from the first node to the last meets no unknown operand. The caller owns
 * the storage: `struct expr_graph g = {0}`, then expr_graph_fini(). */
#ifndef ASCTUNE_BASE_EXPR_GRAPH_H
#define ASCTUNE_BASE_EXPR_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/expr_range.h"
#include "tuner/base/intern.h"

enum expr_graph_kind {
	EXPR_GRAPH_CONSTANT,
	EXPR_GRAPH_SLOT,
	EXPR_GRAPH_APPLY, /* a op b; of a unary operation b is a */
	EXPR_GRAPH_AND,   /* a, unless it is true; then b */
	EXPR_GRAPH_OR,    /* a, if it is true; else b */
	EXPR_GRAPH_IF     /* if a then b else c */
};

struct expr_graph_node {
	uint32_t kind; /* enum expr_graph_kind */
	uint32_t op;   /* APPLY: enum expr_op */
	uint32_t a, b, c;
	uint32_t slot;         /* SLOT */
	struct range constant; /* CONSTANT */
};

struct expr_graph {
	struct expr_graph_node *nodes;
	size_t n, capacity;
	struct intern table;
};

void expr_graph_fini(struct expr_graph *g);

/* Adds a compiled expression that is not unknown; *root is the node of its value. A slot for which
 * constants[slot] is not NULL is that constant. */
enum asc_status expr_graph_add(struct expr_graph *g, const struct expr *x,
			       const struct value *const *constants, uint32_t *root,
			       struct asc_err *e);

size_t expr_graph_operands(const struct expr_graph_node *n, uint32_t operands[3]);

/* Works out the `n` nodes listed, operands first: ranges[] holds what slots and operands give that
 * are not listed, and gets what the nodes give. */
void expr_graph_apply(const struct expr_graph *g, const uint32_t *list, size_t n,
		      struct range *ranges);

#endif
