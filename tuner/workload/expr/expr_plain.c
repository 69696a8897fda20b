#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr_table.h"
#include "tuner/workload/expr/expr_tree.h"

/* An expression in plain Python, for tools that know nothing of a workload. The text is kept, with
 * its blanks and parentheses, and only what other tools cannot work out is printed anew: from the
 * root down, a part without variables becomes its value, a name its meaning, ceil_div, align and
 * is_pow2 become operators; around them the text is copied. So people recognise their condition,
 * and a part that is the same in both languages cannot be spoilt on the way. */

enum { POWERS_OF_TWO = 63 }; /* 2**0 .. 2**62: all that 64-bit integers hold */

struct plain {
	const struct expr_tree *tree;
	const struct expr_scope *scope;
	struct buf *out;
	struct asc_err *e; /* of the first failure */
	enum asc_status status;
};

static void print_node(struct plain *p, const struct expr_node *n);

static void copy(struct plain *p, size_t from, size_t to)
{
	buf_add(p->out, p->tree->text + from, to - from);
}

static void fail(struct plain *p, const struct expr_node *n, const char *text, const char *name)
{
	/* Printing goes on, and its text is dropped: so printers need no returns. */
	if (p->status == ASC_OK)
		p->status = expr_fail(p->e, n->at, "%s \"%s\"", text, name);
}

static void print_constant(struct plain *p, struct value v)
{
	char text[64];

	value_print(v, text, sizeof text);
	/* Truth values as Python writes them; negative numbers in parentheses, so that a power of
	 * one and a difference stay what they are. */
	if (v.kind == VALUE_BOOL)
		buf_add_str(p->out, v.i ? "True" : "False");
	else if (v.kind == VALUE_TEXT)
		buf_print(p->out, "'%s'", text);
	else
		buf_print(p->out, *text == '-' ? "(%s)" : "%s", text);
}

/* The value of a part of the text, if it has one without any variable. */
static bool find_value(const struct plain *p, const struct expr_node *n, struct value *out)
{
	/* Compiled anew: the compiler knows when a value does not depend on a variable. */
	char *text = strndup(p->tree->text + n->start, n->end - n->start);
	struct expr *x = NULL;
	struct asc_err e;
	bool found =
		text && expr_compile(text, p->scope, &x, &e) == ASC_OK && expr_is_constant(x, out);

	expr_free(x);
	free(text);
	return found;
}

static void print_name(struct plain *p, const struct expr_node *n)
{
	const char *call = n->kind == EXPR_NODE_SIZEOF ? "sizeof" : NULL;
	struct expr_binding b;

	if (!p->scope->resolve(p->scope->user, call, n->name, &b))
		fail(p, n, "unknown name", n->name);
	else if (b.kind == EXPR_SLOT)
		copy(p, n->start, n->end);
	else if (b.kind == EXPR_CONSTANT)
		print_constant(p, b.constant);
	else if (b.kind == EXPR_TABLE && !expr_table_print_plain(b.table, p->out))
		fail(p, n, "combinations without a row have no value in plain Python: table",
		     n->name);
	else if (b.kind != EXPR_TABLE)
		fail(p, n, "nothing tells the value of", n->name);
}

/* The text of the node with that of its children printed in its place. */
static void print_around(struct plain *p, const struct expr_node *n)
{
	size_t at = n->start;

	for (const struct expr_node *c = n->first; c; c = c->next) {
		copy(p, at, c->start);
		print_node(p, c);
		at = c->end;
	}
	copy(p, at, n->end);
}

/* -(-a // b) is the quotient rounded up. */
static void print_rounded_up(struct plain *p, const struct expr_node *n, const char *times)
{
	const struct expr_node *a = n->first, *b = a->next;

	buf_add_str(p->out, "(-(-(");
	print_node(p, a);
	buf_add_str(p->out, ") // (");
	print_node(p, b);
	buf_add_str(p->out, "))");
	if (*times) {
		buf_print(p->out, " %s (", times);
		print_node(p, b);
		buf_add_char(p->out, ')');
	}
	buf_add_char(p->out, ')');
}

static void print_is_pow2(struct plain *p, const struct expr_node *n)
{
	buf_add_str(p->out, "((");
	print_node(p, n->first);
	buf_add_str(p->out, ") in [");
	for (int i = 0; i < POWERS_OF_TWO; i++)
		buf_print(p->out, "%s%lld", i ? ", " : "", 1LL << i);
	buf_add_str(p->out, "])");
}

/* Prints the alternative that is taken where the condition is settled, else all three operands. */
static void print_if(struct plain *p, const struct expr_node *n)
{
	const struct expr_node *then = n->first, *condition = then->next;
	struct value v;

	if (!find_value(p, condition, &v)) {
		print_around(p, n);
		return;
	}
	buf_add_char(p->out, '(');
	print_node(p, value_truth(v) ? then : condition->next);
	buf_add_char(p->out, ')');
}

static enum expr_op operation(const struct expr_node *n)
{
	if (n->kind == EXPR_NODE_UNARY)
		return n->op;
	return n->kind == EXPR_NODE_CHAIN && n->first->next ? n->first->next->link : EXPR_OP_COUNT;
}

static void print_node(struct plain *p, const struct expr_node *n)
{
	struct value v;

	if (n->kind == EXPR_NODE_NAME || n->kind == EXPR_NODE_SIZEOF) {
		print_name(p, n);
		return;
	}
	if (n->kind == EXPR_NODE_IF) {
		print_if(p, n);
		return;
	}
	/* Before operators: log2 of a constant has a value, log2 of a variable has no text. */
	if (n->kind != EXPR_NODE_LIST && find_value(p, n, &v)) {
		print_constant(p, v);
		return;
	}
	switch (operation(n)) {
	case EXPR_OP_CEIL_DIV: print_rounded_up(p, n, ""); break;
	case EXPR_OP_ALIGN: print_rounded_up(p, n, "*"); break;
	case EXPR_OP_IS_POW2: print_is_pow2(p, n); break;
	case EXPR_OP_LOG2: fail(p, n, "plain Python has no", "log2"); break;
	default: print_around(p, n);
	}
}

enum asc_status expr_print_plain(const char *text, const struct expr_scope *scope, struct buf *out,
				 struct asc_err *e)
{
	struct expr_tree *tree = NULL;

	if (expr_parse(text, &tree, e))
		return e->status;
	struct plain p = {tree, scope, out, e, ASC_OK};

	print_node(&p, tree->root);
	expr_tree_free(tree);
	return p.status ? p.status : buf_check(out, e);
}
