#include "tuner/base/expr_code.h"

#include <assert.h>
#include <string.h>

struct compiler {
	const struct expr_tree *tree;
	const struct expr_binding *bindings;
	struct expr *x;
};

/* Where a compiled part has its value. */
struct operand {
	enum expr_place place;
	size_t index;
	struct value constant;
};

static struct operand compile(struct compiler *c, const struct expr_node *n, size_t temp);

static struct operand constant_operand(struct value v)
{
	return (struct operand){.place = EXPR_IN_CONSTANT, .constant = v};
}

static struct operand temp_operand(size_t temp)
{
	assert(temp < EXPR_MAX_TEMPS);
	return (struct operand){.place = EXPR_IN_TEMP, .index = temp};
}

static void note_slot(struct expr *x, size_t slot)
{
	size_t i = x->n_slots;
	while (i > 0 && x->slots[i - 1] > slot)
		i--;
	if (i > 0 && x->slots[i - 1] == slot)
		return;
	memmove(x->slots + i + 1, x->slots + i, (x->n_slots - i) * sizeof *x->slots);
	x->slots[i] = slot;
	x->n_slots++;
}

/* Constants and slots enter the code only when a step uses them, so that what was folded away
 * leaves nothing behind. */
static uint16_t encode(struct compiler *c, struct operand o)
{
	struct expr *x = c->x;
	if (o.place == EXPR_IN_SLOT)
		note_slot(x, o.index);
	if (o.place == EXPR_IN_CONSTANT) {
		o.index = x->n_constants;
		x->constants[x->n_constants++] = o.constant;
	}
	assert(o.index < EXPR_MAX_INDEX);
	return (uint16_t)((size_t)o.place * EXPR_MAX_INDEX + o.index);
}

static struct expr_step *emit(struct compiler *c, unsigned op, size_t d, struct operand a)
{
	assert(c->x->n_steps < EXPR_STEPS_FOR(EXPR_MAX_TEXT));
	struct expr_step *s = &c->x->steps[c->x->n_steps++];
	*s = (struct expr_step){.op = (uint16_t)op, .d = (uint16_t)d, .a = encode(c, a)};
	return s;
}

static void land(struct compiler *c, struct expr_step *jump)
{
	jump->b = (uint16_t)c->x->n_steps;
}

static struct operand emit_apply(struct compiler *c, enum expr_op op, struct operand a,
				 struct operand b, size_t temp)
{
	struct value v;
	if (a.place == EXPR_IN_CONSTANT && b.place == EXPR_IN_CONSTANT &&
	    expr_apply(op, a.constant, b.constant, &v) == EXPR_E_OK)
		return constant_operand(v);
	struct expr_step *s = emit(c, op, temp, a);
	s->b = encode(c, b);
	return temp_operand(temp);
}

static struct operand emit_unary(struct compiler *c, enum expr_op op, struct operand a, size_t temp)
{
	struct value v;
	if (a.place == EXPR_IN_CONSTANT && expr_apply(op, a.constant, a.constant, &v) == EXPR_E_OK)
		return constant_operand(v);
	struct expr_step *s = emit(c, op, temp, a);
	s->b = s->a; /* any operand that exists */
	return temp_operand(temp);
}

static void emit_move(struct compiler *c, struct operand a, size_t temp)
{
	if (a.place != EXPR_IN_TEMP || a.index != temp)
		emit(c, EXPR_STEP_MOVE, temp, a);
}

/* ---- alternatives in a row: and, or, the links of a comparison, the items of a list ---- */

/* One result in `temp`: of the first operand that settles it (false for AND, true for OR), else of
 * the last one. */
struct row {
	enum expr_step_op op; /* EXPR_STEP_AND or EXPR_STEP_OR */
	size_t temp;
	size_t first_jump; /* jumps to the end lie between here and the end */
	bool jumps;
	bool settled; /* by a constant: what follows does not matter */
	struct operand result;
};

static struct row row_begin(struct compiler *c, enum expr_step_op op, size_t temp)
{
	return (struct row){.op = op, .temp = temp, .first_jump = c->x->n_steps};
}

/* A result in another temporary would be overwritten by the next step. */
static struct operand settle(struct compiler *c, struct operand a, size_t temp)
{
	if (a.place != EXPR_IN_TEMP)
		return a;
	emit_move(c, a, temp);
	return temp_operand(temp);
}

static void row_add(struct compiler *c, struct row *r, struct operand a, bool last)
{
	bool constant = a.place == EXPR_IN_CONSTANT;
	r->settled = last || (constant && value_truth(a.constant) == (r->op == EXPR_STEP_OR));
	if (r->settled && r->jumps)
		emit_move(c, a, r->temp);
	else if (r->settled)
		r->result = settle(c, a, r->temp);
	else if (!constant) {
		emit(c, r->op, r->temp, a)->b = UINT16_MAX;
		r->jumps = true;
	}
}

/* Steps of inner rows have landed already: only ours still point nowhere. */
static struct operand row_end(struct compiler *c, struct row *r)
{
	for (size_t i = r->first_jump; r->jumps && i < c->x->n_steps; i++) {
		struct expr_step *s = &c->x->steps[i];
		if (s->op == r->op && s->b == UINT16_MAX)
			land(c, s);
	}
	return r->jumps ? temp_operand(r->temp) : r->result;
}

static struct operand compile_and_or(struct compiler *c, const struct expr_node *n, size_t temp)
{
	struct row r = row_begin(c, n->kind == EXPR_NODE_AND ? EXPR_STEP_AND : EXPR_STEP_OR, temp);
	for (const struct expr_node *child = n->first; child && !r.settled; child = child->next)
		row_add(c, &r, compile(c, child, temp), !child->next);
	return row_end(c, &r);
}

static bool cannot_fail(const struct expr_node *item)
{
	return item->kind == EXPR_NODE_NUMBER || item->kind == EXPR_NODE_NAME ||
	       item->kind == EXPR_NODE_SIZEOF;
}

static bool is_plain_list(const struct expr_node *list)
{
	const struct expr_node *item = list->first;

	/* The first one is worked out in any case. */
	for (item = item ? item->next : NULL; item && cannot_fail(item); item = item->next)
		;
	return !item;
}

/* All items are worked out, as in Python, where an error in any is one of the whole: the largest of
 * the comparisons' results, without a jump. */
static struct operand compile_in_all(struct compiler *c, struct operand a,
				     const struct expr_node *list, size_t temp)
{
	struct operand found = constant_operand(value_bool(false));

	for (const struct expr_node *item = list->first; item; item = item->next) {
		struct operand b = compile(c, item, temp + 1);
		b = emit_apply(c, EXPR_OP_EQ, a, b, temp + 1);
		found = emit_apply(c, EXPR_OP_MAX, found, b, temp);
	}
	/* A maximum is a number. */
	return emit_apply(c, EXPR_OP_NE, found, constant_operand(value_bool(false)), temp);
}

/* Is `a` one of the list's values? `a` stands below `temp`, if in a temporary. */
static struct operand compile_in(struct compiler *c, struct operand a, const struct expr_node *list,
				 size_t temp)
{
	struct row r = row_begin(c, EXPR_STEP_OR, temp);
	if (!list->n)
		return constant_operand(value_bool(false));
	if (!is_plain_list(list))
		return compile_in_all(c, a, list, temp);
	for (const struct expr_node *item = list->first; item && !r.settled; item = item->next) {
		struct operand b = compile(c, item, temp + 1);
		row_add(c, &r, emit_apply(c, EXPR_OP_EQ, a, b, temp), !item->next);
	}
	return row_end(c, &r);
}

/* The two sides stand above the result; the right one of a chain becomes the left one. */
static struct operand compile_compare(struct compiler *c, const struct expr_node *n, size_t temp)
{
	struct row r = row_begin(c, EXPR_STEP_AND, temp);
	struct operand side = compile(c, n->first, temp + 1);
	for (const struct expr_node *child = n->first->next; child && !r.settled;
	     child = child->next) {
		struct operand left = side, holds;
		if (child->kind == EXPR_NODE_LIST) {
			holds = compile_in(c, left, child, temp + 2);
		} else {
			side = compile(c, child, temp + 2);
			holds = emit_apply(c, child->link, left, side, temp);
		}
		if (child->link == EXPR_OP_NOT_IN)
			holds = emit_unary(c, EXPR_OP_NOT, holds, temp);
		row_add(c, &r, holds, !child->next);
		if (child->next && !r.settled)
			side = settle(c, side, temp + 1);
	}
	return row_end(c, &r);
}

/* ---- the other kinds ---- */

static struct operand compile_number(struct compiler *c, const struct expr_node *n, size_t temp)
{
	(void)c;
	(void)temp;
	return constant_operand(n->value);
}

static struct operand compile_name(struct compiler *c, const struct expr_node *n, size_t temp)
{
	const struct expr_binding *b = &c->bindings[n - c->tree->nodes];
	(void)temp;
	if (b->kind == EXPR_CONSTANT)
		return constant_operand(b->constant);
	return (struct operand){.place = EXPR_IN_SLOT, .index = b->slot};
}

static struct operand compile_unary(struct compiler *c, const struct expr_node *n, size_t temp)
{
	return emit_unary(c, n->op, compile(c, n->first, temp), temp);
}

static struct operand compile_chain(struct compiler *c, const struct expr_node *n, size_t temp)
{
	struct operand a = compile(c, n->first, temp);
	for (const struct expr_node *child = n->first->next; child; child = child->next)
		a = emit_apply(c, child->link, a, compile(c, child, temp + 1), temp);
	return a;
}

static struct operand compile_if(struct compiler *c, const struct expr_node *n, size_t temp)
{
	const struct expr_node *then = n->first, *condition = then->next, *otherwise = n->last;
	struct operand test = compile(c, condition, temp);
	if (test.place == EXPR_IN_CONSTANT)
		return compile(c, value_truth(test.constant) ? then : otherwise, temp);
	struct expr_step *unless = emit(c, EXPR_STEP_UNLESS, temp, test);
	emit_move(c, compile(c, then, temp), temp);
	struct expr_step *jump = emit(c, EXPR_STEP_JUMP, temp, temp_operand(temp));
	land(c, unless);
	emit_move(c, compile(c, otherwise, temp), temp);
	land(c, jump);
	return temp_operand(temp);
}

/* Steps that end in `temp` may use any temporary from there on. */
static struct operand compile(struct compiler *c, const struct expr_node *n, size_t temp)
{
	static struct operand (*const kinds[])(struct compiler *, const struct expr_node *,
					       size_t) = {
		[EXPR_NODE_NUMBER] = compile_number, [EXPR_NODE_NAME] = compile_name,
		[EXPR_NODE_SIZEOF] = compile_name,   [EXPR_NODE_UNARY] = compile_unary,
		[EXPR_NODE_CHAIN] = compile_chain,   [EXPR_NODE_COMPARE] = compile_compare,
		[EXPR_NODE_AND] = compile_and_or,    [EXPR_NODE_OR] = compile_and_or,
		[EXPR_NODE_IF] = compile_if,
	};
	return kinds[n->kind](c, n, temp);
}

void expr_emit(const struct expr_tree *t, const struct expr_binding *bindings,
	       const struct expr_node *n, struct expr *x)
{
	struct compiler c = {.tree = t, .bindings = bindings, .x = x};
	if (x->unknown)
		emit(&c, EXPR_STEP_UNKNOWN, 0, temp_operand(0));
	else
		emit(&c, EXPR_STEP_RETURN, 0, compile(&c, n, 0));
}
