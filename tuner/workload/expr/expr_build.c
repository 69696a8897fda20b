#include <stdlib.h>

#include "tuner/workload/expr/expr_graph.h"

struct builder {
	struct expr_graph *graph;
	const struct expr_tree *tree;
	const struct expr_binding *bindings;
	uint32_t *row; /* operands of the rows that are open, those of the innermost last */
	size_t n_row;
};

/* A part that was built. Constants and slots become nodes where they are used, so that what was
 * folded away leaves nothing behind, and nodes stand in the order of their use. */
struct part {
	enum expr_graph_kind kind; /* CONSTANT, SLOT; any other: `node` is there */
	uint32_t node;
	size_t slot;
	struct value constant;
};

static struct part build(struct builder *b, const struct expr_node *n);

static struct part constant_part(struct value v)
{
	return (struct part){.kind = EXPR_GRAPH_CONSTANT, .constant = v};
}

static struct part node_part(uint32_t node)
{
	return (struct part){.kind = EXPR_GRAPH_APPLY, .node = node};
}

static uint32_t use(struct builder *b, const struct part *p)
{
	/* Equal constants and slots are one node: making them again is finding them. */
	if (p->kind == EXPR_GRAPH_CONSTANT)
		return expr_graph_constant(b->graph, (struct expr_outcome){.value = p->constant});
	return p->kind == EXPR_GRAPH_SLOT ? expr_graph_slot(b->graph, p->slot) : p->node;
}

static struct part apply(struct builder *b, enum expr_op op, struct part left, struct part right)
{
	struct value v;

	/* Folded unless it fails: an error stays an operation, which counts only where it is
	 * evaluated. */
	if (left.kind == EXPR_GRAPH_CONSTANT && right.kind == EXPR_GRAPH_CONSTANT &&
	    expr_apply(op, left.constant, right.constant, &v) == EXPR_E_OK)
		return constant_part(v);
	const uint32_t first = use(b, &left), second = use(b, &right);
	return node_part(expr_graph_join(b->graph, EXPR_GRAPH_APPLY, op,
					 (uint32_t[]){first, second, first}));
}

/* ---- alternatives in a row: and, or, the links of a comparison, the items of a list ---- */

struct row {
	enum expr_graph_kind kind; /* AND or OR */
	size_t first;              /* operand in builder->row */
	bool settled;              /* by a constant: what follows does not matter; or complete */
	struct part only;          /* what settled it, when there is no other operand */
};

static struct row row_begin(const struct builder *b, enum expr_graph_kind kind)
{
	return (struct row){.kind = kind, .first = b->n_row};
}

static void row_add(struct builder *b, struct row *r, struct part operand, bool last)
{
	const bool constant = operand.kind == EXPR_GRAPH_CONSTANT;

	r->settled =
		last || (constant && value_truth(operand.constant) == (r->kind == EXPR_GRAPH_OR));
	/* No operand stands before this one: it decides alone. */
	if (r->settled && b->n_row == r->first)
		r->only = operand;
	else if (r->settled || !constant)
		b->row[b->n_row++] = use(b, &operand);
}

static struct part row_end(struct builder *b, const struct row *r)
{
	if (b->n_row == r->first)
		return r->only;
	/* From the last operand to the first: `a and b and c` is a, then b and c, as Python
	 * evaluates it. */
	uint32_t last = b->row[--b->n_row];
	while (b->n_row > r->first) {
		const uint32_t a = b->row[--b->n_row];
		last = expr_graph_join(b->graph, r->kind, EXPR_OP_POS, (uint32_t[]){a, last, last});
	}
	return node_part(last);
}

static struct part build_and_or(struct builder *b, const struct expr_node *n)
{
	struct row r = row_begin(b, n->kind == EXPR_NODE_AND ? EXPR_GRAPH_AND : EXPR_GRAPH_OR);

	/* An operand behind a constant that settles the row is not even built: its variables do not
	 * matter. */
	for (const struct expr_node *child = n->first; child && !r.settled; child = child->next)
		row_add(b, &r, build(b, child), !child->next);
	return row_end(b, &r);
}

static bool is_plain_list(const struct expr_node *list)
{
	/* The first one is worked out in any case. */
	const struct expr_node *item = list->first->next;

	while (item && (item->kind == EXPR_NODE_NUMBER || item->kind == EXPR_NODE_NAME ||
			item->kind == EXPR_NODE_SIZEOF))
		item = item->next;
	return !item;
}

/* All items are worked out, as in Python, where an error in any is one of the whole: the largest of
 * the comparisons' results. */
static struct part build_in_all(struct builder *b, struct part a, const struct expr_node *list)
{
	const struct part no = constant_part(value_bool(false));
	struct part found = no;

	for (const struct expr_node *item = list->first; item; item = item->next)
		found = apply(b, EXPR_OP_MAX, found, apply(b, EXPR_OP_EQ, a, build(b, item)));
	/* A maximum is a number. */
	return apply(b, EXPR_OP_NE, found, no);
}

/* Builds the test that `a` is one of the list's values. */
static struct part build_in(struct builder *b, struct part a, const struct expr_node *list)
{
	const bool empty = !list->n;
	struct row r = row_begin(b, empty ? EXPR_GRAPH_AND : EXPR_GRAPH_OR);

	if (empty) { /* false, unless `a` is an error */
		row_add(b, &r, apply(b, EXPR_OP_EQ, a, a), false);
		row_add(b, &r, constant_part(value_bool(false)), true);
		return row_end(b, &r);
	}
	if (!is_plain_list(list))
		return build_in_all(b, a, list);
	for (const struct expr_node *item = list->first; item && !r.settled; item = item->next)
		row_add(b, &r, apply(b, EXPR_OP_EQ, a, build(b, item)), !item->next);
	return row_end(b, &r);
}

/* The right side of a link is the left one of the next; nothing follows a list. */
static struct part build_compare(struct builder *b, const struct expr_node *n)
{
	struct row r = row_begin(b, EXPR_GRAPH_AND);
	/* Each side is built once, however many links it stands in. */
	struct part left = build(b, n->first), right = left, holds;

	for (const struct expr_node *child = n->first->next; child && !r.settled;
	     child = child->next) {
		if (child->kind == EXPR_NODE_LIST) {
			holds = build_in(b, left, child);
		} else {
			right = build(b, child);
			holds = apply(b, child->link, left, right);
		}
		if (child->link == EXPR_OP_NOT_IN)
			holds = apply(b, EXPR_OP_NOT, holds, holds);
		row_add(b, &r, holds, !child->next);
		left = right;
	}
	return row_end(b, &r);
}

/* ---- the other kinds ---- */

static struct part build_table(struct builder *b, struct expr_table *t)
{
	const size_t *slots;
	const size_t n = expr_table_slots(t, &slots);
	uint32_t *operands = calloc(n + 1, sizeof *operands);
	uint32_t node = INTERN_NONE;

	/* All variables before the first step: operands come first. */
	for (size_t i = 0; operands && i < n; i++)
		operands[i] = expr_graph_slot(b->graph, slots[i]);
	if (operands)
		node = expr_graph_look_up(b->graph, t, operands);
	free(operands);
	return node_part(node);
}

static struct part build_name(struct builder *b, const struct expr_node *n)
{
	const struct expr_binding *meaning = &b->bindings[n - b->tree->nodes];

	if (meaning->kind == EXPR_TABLE)
		return build_table(b, meaning->table);
	return meaning->kind == EXPR_CONSTANT
		       ? constant_part(meaning->constant)
		       : (struct part){.kind = EXPR_GRAPH_SLOT, .slot = meaning->slot};
}

static struct part build_chain(struct builder *b, const struct expr_node *n)
{
	struct part a = build(b, n->first);

	for (const struct expr_node *child = n->first->next; child; child = child->next)
		a = apply(b, child->link, a, build(b, child));
	return a;
}

static struct part build_if(struct builder *b, const struct expr_node *n)
{
	const struct expr_node *then = n->first, *otherwise = n->last;
	/* The test first, although it stands second: a constant one leaves one alternative
	 * alone. */
	const struct part test = build(b, then->next);

	if (test.kind == EXPR_GRAPH_CONSTANT)
		return build(b, value_truth(test.constant) ? then : otherwise);
	uint32_t operands[3] = {use(b, &test)};
	const struct part first = build(b, then);
	operands[1] = use(b, &first);
	const struct part second = build(b, otherwise);
	operands[2] = use(b, &second);
	return node_part(expr_graph_join(b->graph, EXPR_GRAPH_IF, EXPR_OP_POS, operands));
}

static struct part build(struct builder *b, const struct expr_node *n)
{
	switch (n->kind) {
	case EXPR_NODE_NUMBER: return constant_part(n->value);
	case EXPR_NODE_UNARY: {
		const struct part a = build(b, n->first);
		return apply(b, n->op, a, a);
	}
	case EXPR_NODE_CHAIN: return build_chain(b, n);
	case EXPR_NODE_COMPARE: return build_compare(b, n);
	case EXPR_NODE_AND:
	case EXPR_NODE_OR: return build_and_or(b, n);
	case EXPR_NODE_IF: return build_if(b, n);
	default: return build_name(b, n);
	}
}

uint32_t expr_graph_build(struct expr_graph *g, const struct expr_tree *t,
			  const struct expr_binding *bindings, const struct expr_node *n)
{
	struct builder b = {.graph = g, .tree = t, .bindings = bindings};
	uint32_t root = INTERN_NONE;

	/* An operand of a row is a node of the tree, but for the two of an empty list. */
	b.row = calloc(t->n + 2, sizeof *b.row);
	if (b.row) {
		const struct part whole = build(&b, n);
		root = use(&b, &whole);
	}
	free(b.row);
	return root;
}
