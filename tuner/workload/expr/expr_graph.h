/* Expressions as a graph of operations: one expression to be evaluated, or several whose parts
 * become known one after another.
 *
 * Equal parts are there once, in whichever expressions they stand; operands come before what uses
 * them, so that a pass from the first node to the last meets no unknown operand. The caller owns
 * the storage: `struct expr_graph g = {0}`, then expr_graph_fini(). */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_GRAPH_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/intern.h"
#include "tuner/workload/expr/expr_range.h"
#include "tuner/workload/expr/expr_table.h"

enum expr_graph_kind {
	EXPR_GRAPH_CONSTANT,
	EXPR_GRAPH_SLOT,
	EXPR_GRAPH_APPLY, /* a op b; of a unary operation b is a */
	EXPR_GRAPH_AND,   /* a, unless it is true; then b */
	EXPR_GRAPH_OR,    /* a, if it is true; else b */
	EXPR_GRAPH_IF,    /* if a then b else c */
	EXPR_GRAPH_STEP   /* of a table: state a, of the first column none, and the variable b give
			     the next state; of the last column the table's value */
};

struct expr_graph_node {
	uint32_t kind; /* enum expr_graph_kind */
	uint32_t op;   /* APPLY: enum expr_op; STEP: number of the table */
	uint32_t a, b, c;
	uint32_t slot; /* SLOT; STEP: column */
	struct expr_outcome constant;
};

struct expr_graph {
	struct expr_graph_node *nodes;
	size_t n, capacity;
	struct intern table;
	struct expr_table **tables; /* held */
	size_t n_tables;
};

void expr_graph_fini(struct expr_graph *g);

/* Numbers of nodes; INTERN_NONE when out of memory, and where an operand is that. An operation on
 * constants is a constant, be it an error; so is a choice that a constant decides its operand. A
 * unary operation has b = a, and what is no IF has c = a. */
uint32_t expr_graph_constant(struct expr_graph *g, struct expr_outcome constant);
uint32_t expr_graph_slot(struct expr_graph *g, size_t slot);
uint32_t expr_graph_join(struct expr_graph *g, enum expr_graph_kind kind, enum expr_op op,
			 const uint32_t operands[3]);

/* Adds a look-up in a table by the nodes of its variables. */
uint32_t expr_graph_look_up(struct expr_graph *g, struct expr_table *t, const uint32_t *operands);

/* Adds one part of a tree. bindings[i] is what the name in node i means; none is EXPR_UNKNOWN.
 * A variable that does not matter is
 * not among its nodes. INTERN_NONE when out of memory. */
uint32_t expr_graph_build(struct expr_graph *g, const struct expr_tree *t,
			  const struct expr_binding *bindings, const struct expr_node *n);

/* Adds what node `root` of another graph needs; *copy is the node that is `root` here. A slot for
 * which constants[slot] is not NULL is that constant; `constants` may be NULL. */
enum asc_status expr_graph_copy(struct expr_graph *g, const struct expr_graph *from, uint32_t root,
				const struct value *const *constants, uint32_t *copy,
				struct asc_err *e);

/* Adds a compiled expression that is not unknown; *root is the node of its value. `constants` as
 * above. */
enum asc_status expr_graph_add(struct expr_graph *g, const struct expr *x,
			       const struct value *const *constants, uint32_t *root,
			       struct asc_err *e);

size_t expr_graph_operands(const struct expr_graph_node *n, uint32_t operands[3]);

/* True for the last step of a table, which gives a value; the others give states. */
bool expr_graph_is_look_up(const struct expr_graph *g, const struct expr_graph_node *n);

/* Outcome of a step by the outcomes of all nodes before it. */
struct expr_outcome expr_graph_step(const struct expr_graph *g, const struct expr_graph_node *n,
				    const struct expr_outcome *outcomes);

/* The operand whose outcome is that of an AND, OR or IF, by the outcome of its first one. */
uint32_t expr_graph_choose(const struct expr_graph_node *n, const struct expr_outcome *a);

/* One operation; an error of an operand is its own. */
struct expr_outcome expr_outcome_apply(uint32_t op, const struct expr_outcome *a,
				       const struct expr_outcome *b);
struct range range_of_outcome(const struct expr_outcome *o);

/* Works out the `n` nodes listed, operands first: ranges[] holds what slots and operands give that
 * are not listed, and gets what the nodes give. */
void expr_graph_apply(const struct expr_graph *g, const uint32_t *list, size_t n,
		      struct range *ranges);

#endif
