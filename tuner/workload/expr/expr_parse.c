#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr_lex.h"
#include "tuner/workload/expr/expr_tree.h"

struct parser {
	struct expr_tree *tree;
	struct token token; /* the one not yet taken */
	size_t names_used;  /* bytes of tree->names */
	unsigned depth;
	struct asc_err *e;
};

/* Functions that read a part of the expression give its node, or NULL with the error set. */
static struct expr_node *parse_conditional(struct parser *p);
static struct expr_node *parse_not(struct parser *p);
static struct expr_node *parse_compare(struct parser *p);
static struct expr_node *parse_unary(struct parser *p);

/* ---- tokens and nodes ---- */

static bool advance(struct parser *p)
{
	return expr_lex(p->tree->text, p->token.end, &p->token, p->e) == ASC_OK;
}

static struct expr_node *fail_expected(struct parser *p, const char *what)
{
	char place[TOKEN_PLACE_SIZE];
	expr_fail(p->e, p->token.start, "expected %s%s", what,
		  expr_place(p->tree->text, &p->token, place));
	return NULL;
}

static bool expect(struct parser *p, enum token_kind kind, const char *what)
{
	if (p->token.kind == kind)
		return advance(p);
	fail_expected(p, what);
	return false;
}

/* Every node has at least one byte of the text to itself, so there is always room for one more. */
static struct expr_node *add_node(struct parser *p, enum expr_node_kind kind, size_t start)
{
	struct expr_node *n = &p->tree->nodes[p->tree->n++];
	n->kind = kind;
	n->at = (uint32_t)p->token.start;
	n->start = (uint32_t)start;
	n->end = (uint32_t)p->token.end;
	return n;
}

static void add_child(struct expr_node *parent, struct expr_node *child, enum expr_op link)
{
	child->link = link;
	*(parent->n++ ? &parent->last->next : &parent->first) = child;
	parent->last = child;
	/* A list or a call ends behind its children already. */
	if (parent->end < child->end)
		parent->end = child->end;
}

static bool enter(struct parser *p)
{
	if (p->depth++ < EXPR_MAX_DEPTH)
		return true;
	expr_fail(p->e, p->token.start, "nested deeper than %d levels", EXPR_MAX_DEPTH);
	return false;
}

/* A new parent in place of its first child. */
static struct expr_node *wrap(struct parser *p, enum expr_node_kind kind, struct expr_node *first)
{
	struct expr_node *n = add_node(p, kind, first->start);
	n->end = first->end;
	add_child(n, first, EXPR_OP_POS);
	return n;
}

/* ---- numbers, names, calls, groups ---- */

/* Values separated by commas up to `close`, which is taken, as children of `parent`. */
static struct expr_node *parse_items(struct parser *p, struct expr_node *parent,
				     enum token_kind close, const char *what)
{
	/* An empty list ends at once; after a comma there has to be an item. */
	while (p->token.kind != close || parent->n) {
		struct expr_node *item = parse_conditional(p);
		if (!item)
			return NULL;
		add_child(parent, item, EXPR_OP_POS);
		if (p->token.kind != TOKEN_COMMA)
			break;
		if (!advance(p))
			return NULL;
	}
	parent->end = (uint32_t)p->token.end;
	return expect(p, close, what) ? parent : NULL;
}

static const struct function {
	const char *name;
	enum expr_op op;
	size_t min, max; /* arguments */
} functions[] = {
	{"min", EXPR_OP_MIN, 1, SIZE_MAX},    {"max", EXPR_OP_MAX, 1, SIZE_MAX},
	{"ceil_div", EXPR_OP_CEIL_DIV, 2, 2}, {"align", EXPR_OP_ALIGN, 2, 2},
	{"log2", EXPR_OP_LOG2, 1, 1},         {"is_pow2", EXPR_OP_IS_POW2, 1, 1},
	{"abs", EXPR_OP_ABS, 1, 1},           {"int", EXPR_OP_INT, 1, 1},
	{"float", EXPR_OP_FLOAT, 1, 1},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const struct function *find_function(struct parser *p, const char *name, size_t at)
{
	const char *names[FUNCTIONS + 2] = {"sizeof"};
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
		/* Collected on the way, for the suggestion where none fits. */
		names[i + 1] = functions[i].name;
	}
	const char *near = str_nearest(name, names);
	if (near)
		expr_fail(p->e, at, "unknown function \"%s\" (did you mean \"%s\"?)", name, near);
	else
		expr_fail(p->e, at, "unknown function \"%s\"", name);
	return NULL;
}

/* The name before the '(' is known to be one: `n` stands for it and becomes the call. */
static struct expr_node *parse_call(struct parser *p, struct expr_node *n)
{
	const struct function *f = find_function(p, n->name, n->at);
	if (!f || !advance(p) || !parse_items(p, n, TOKEN_CLOSE, "',' or ')'"))
		return NULL;
	if (n->n < f->min || n->n > f->max) {
		expr_fail(p->e, n->at, "%s takes %s%zu argument%s, not %u", f->name,
			  f->max > f->min ? "at least " : "", f->min, f->min == 1 ? "" : "s", n->n);
		return NULL;
	}
	/* A function of several arguments is a chain, as a sum is: min(a, b, c) applies it
	 * twice. */
	n->kind = f->max == 1 ? EXPR_NODE_UNARY : EXPR_NODE_CHAIN;
	n->op = f->op;
	for (struct expr_node *child = n->first; child; child = child->next)
		child->link = f->op;
	return n;
}

static const char *keep_name(struct parser *p, const struct token *t)
{
	char *name = p->tree->names + p->names_used;
	size_t len = t->end - t->start;
	memcpy(name, p->tree->text + t->start, len);
	p->names_used += len + 1; /* the storage is zero */
	return name;
}

static struct expr_node *parse_sizeof(struct parser *p, struct expr_node *n)
{
	n->kind = EXPR_NODE_SIZEOF;
	if (!advance(p))
		return NULL;
	struct token name = p->token;
	if (!expect(p, TOKEN_NAME, "the name of a tensor"))
		return NULL;
	n->name = keep_name(p, &name);
	n->end = (uint32_t)p->token.end;
	return expect(p, TOKEN_CLOSE, "')'") ? n : NULL;
}

static struct expr_node *parse_name(struct parser *p)
{
	struct expr_node *n = add_node(p, EXPR_NODE_NAME, p->token.start);
	n->name = keep_name(p, &p->token);
	if (!advance(p))
		return NULL;
	if (p->token.kind != TOKEN_OPEN)
		return n;
	return strcmp(n->name, "sizeof") == 0 ? parse_sizeof(p, n) : parse_call(p, n);
}

static struct expr_node *parse_group(struct parser *p)
{
	size_t start = p->token.start;
	struct expr_node *n = advance(p) ? parse_conditional(p) : NULL;
	size_t end = p->token.end;
	if (!n || !expect(p, TOKEN_CLOSE, "')'"))
		return NULL;
	/* The node includes its parentheses, so that a copied part of the text keeps them. */
	n->start = (uint32_t)start;
	n->end = (uint32_t)end;
	return n;
}

static struct expr_node *parse_operand(struct parser *p)
{
	struct expr_node *n;

	switch (p->token.kind) {
	case TOKEN_NUMBER:
		n = add_node(p, EXPR_NODE_NUMBER, p->token.start);
		n->value = p->token.value;
		return advance(p) ? n : NULL;
	case TOKEN_NAME: return parse_name(p);
	case TOKEN_OPEN: return parse_group(p);
	case TOKEN_LIST_OPEN:
		expr_fail(p->e, p->token.start, "a list can only stand after 'in'");
		return NULL;
	default: return fail_expected(p, "a value");
	}
}

/* ---- operators of two sides, from the weakest to the strongest ---- */

struct level {
	enum expr_node_kind kind;
	struct expr_node *(*next)(struct parser *p);
	struct {
		enum token_kind token;
		enum expr_op link;
	} ops[5]; /* ended by TOKEN_END */
};

static bool level_has(const struct level *l, enum token_kind token, enum expr_op *link)
{
	for (size_t i = 0; l->ops[i].token != TOKEN_END; i++)
		if (l->ops[i].token == token) {
			*link = l->ops[i].link;
			return true;
		}
	return false;
}

static struct expr_node *parse_level(struct parser *p, const struct level *l)
{
	enum expr_op link;
	struct expr_node *n = l->next(p);
	if (!n || !level_has(l, p->token.kind, &link))
		return n;
	/* Only where an operator follows: a single operand keeps its own node. */
	n = wrap(p, l->kind, n);
	while (level_has(l, p->token.kind, &link)) {
		struct expr_node *child = advance(p) ? l->next(p) : NULL;
		if (!child)
			return NULL;
		add_child(n, child, link);
	}
	return n;
}

static struct expr_node *parse_product(struct parser *p)
{
	static const struct level product = {EXPR_NODE_CHAIN,
					     parse_unary,
					     {{TOKEN_MUL, EXPR_OP_MUL},
					      {TOKEN_DIV, EXPR_OP_DIV},
					      {TOKEN_FLOOR_DIV, EXPR_OP_FLOOR_DIV},
					      {TOKEN_MOD, EXPR_OP_MOD}}};
	return parse_level(p, &product);
}

static struct expr_node *parse_sum(struct parser *p)
{
	static const struct level sum = {EXPR_NODE_CHAIN,
					 parse_product,
					 {{TOKEN_ADD, EXPR_OP_ADD}, {TOKEN_SUB, EXPR_OP_SUB}}};
	return parse_level(p, &sum);
}

static struct expr_node *parse_and(struct parser *p)
{
	static const struct level and = {EXPR_NODE_AND, parse_not, {{TOKEN_AND, EXPR_OP_POS}}};
	return parse_level(p, &and);
}

static struct expr_node *parse_or(struct parser *p)
{
	static const struct level or = {EXPR_NODE_OR, parse_and, {{TOKEN_OR, EXPR_OP_POS}}};
	return parse_level(p, & or);
}

/* ---- comparisons ---- */

static struct expr_node *parse_list(struct parser *p)
{
	struct expr_node *list = add_node(p, EXPR_NODE_LIST, p->token.start);
	return expect(p, TOKEN_LIST_OPEN, "'[' after 'in'")
		       ? parse_items(p, list, TOKEN_LIST_CLOSE, "',' or ']'")
		       : NULL;
}

/* Takes a comparing operator; *found is false, and nothing taken, when there is none. */
static bool take_comparison(struct parser *p, bool *found, enum expr_op *link)
{
	static const struct level comparison = {.ops = {{TOKEN_EQ, EXPR_OP_EQ},
							{TOKEN_NE, EXPR_OP_NE},
							{TOKEN_IN, EXPR_OP_IN},
							{TOKEN_NOT, EXPR_OP_NOT_IN}}};
	static const struct level order = {.ops = {{TOKEN_LT, EXPR_OP_LT},
						   {TOKEN_LE, EXPR_OP_LE},
						   {TOKEN_GT, EXPR_OP_GT},
						   {TOKEN_GE, EXPR_OP_GE}}};
	*found = level_has(&comparison, p->token.kind, link) ||
		 level_has(&order, p->token.kind, link);
	if (!*found)
		return true;
	if (!advance(p))
		return false;
	return *link != EXPR_OP_NOT_IN || expect(p, TOKEN_IN, "'in' after 'not'");
}

static bool parse_link(struct parser *p, struct expr_node *compare, enum expr_op link)
{
	bool listed = link == EXPR_OP_IN || link == EXPR_OP_NOT_IN;
	if (compare->last->kind == EXPR_NODE_LIST) {
		expr_fail(p->e, compare->last->start, "a list cannot be compared");
		return false;
	}
	struct expr_node *child = listed ? parse_list(p) : parse_sum(p);
	if (child)
		add_child(compare, child, link);
	return child != NULL;
}

static struct expr_node *parse_compare(struct parser *p)
{
	enum expr_op link;
	bool found;
	struct expr_node *n = parse_sum(p);
	if (!n || !take_comparison(p, &found, &link))
		return NULL;
	if (found)
		n = wrap(p, EXPR_NODE_COMPARE, n);
	/* One node for the whole chain: a < b < c compares b once with each side. */
	while (found)
		if (!parse_link(p, n, link) || !take_comparison(p, &found, &link))
			return NULL;
	return n;
}

/* ---- operators of one side ---- */

static struct expr_node *parse_prefix(struct parser *p, enum expr_op op,
				      struct expr_node *(*operand)(struct parser *p))
{
	struct expr_node *n = add_node(p, EXPR_NODE_UNARY, p->token.start);
	n->op = op;
	/* Counted as a level: `- - - x` recurses without parentheses. */
	struct expr_node *child = enter(p) && advance(p) ? operand(p) : NULL;
	if (!child)
		return NULL;
	p->depth--;
	add_child(n, child, EXPR_OP_POS);
	return n;
}

static struct expr_node *parse_not(struct parser *p)
{
	if (p->token.kind == TOKEN_NOT)
		return parse_prefix(p, EXPR_OP_NOT, parse_not);
	return parse_compare(p);
}

/* ** binds its left side tighter than a sign, its right side looser. */
static struct expr_node *parse_power(struct parser *p)
{
	struct expr_node *n = parse_operand(p);
	if (!n || p->token.kind != TOKEN_POW)
		return n;
	n = wrap(p, EXPR_NODE_CHAIN, n);
	struct expr_node *exponent = enter(p) && advance(p) ? parse_unary(p) : NULL;
	if (!exponent)
		return NULL;
	p->depth--;
	add_child(n, exponent, EXPR_OP_POW);
	return n;
}

static struct expr_node *parse_unary(struct parser *p)
{
	if (p->token.kind == TOKEN_SUB)
		return parse_prefix(p, EXPR_OP_NEG, parse_unary);
	if (p->token.kind == TOKEN_ADD)
		return parse_prefix(p, EXPR_OP_POS, parse_unary);
	return parse_power(p);
}

/* ---- a if c else b ---- */

static struct expr_node *parse_if(struct parser *p, struct expr_node *then)
{
	struct expr_node *n = wrap(p, EXPR_NODE_IF, then);
	struct expr_node *condition = advance(p) ? parse_or(p) : NULL;
	if (!condition || !expect(p, TOKEN_ELSE, "'else'"))
		return NULL;
	struct expr_node *otherwise = parse_conditional(p);
	if (!otherwise)
		return NULL;
	/* In the order of the text, then, condition, else: a printer walks children from left to
	 * right. */
	add_child(n, condition, EXPR_OP_POS);
	add_child(n, otherwise, EXPR_OP_POS);
	return n;
}

static struct expr_node *parse_conditional(struct parser *p)
{
	/* Every group, call and list comes through here, so their depth is bounded here. */
	struct expr_node *n = enter(p) ? parse_or(p) : NULL;
	if (n && p->token.kind == TOKEN_IF)
		n = parse_if(p, n);
	p->depth--;
	return n;
}

static struct expr_tree *new_tree(const char *text, size_t len)
{
	struct expr_tree *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->text = str_dup(text);
	/* Names never take more than the text: between two of them there is a sign or a blank for
	 * the NUL. */
	t->names = calloc(len + 2, 1);
	t->nodes = calloc(len + 1, sizeof *t->nodes);
	if (t->text && t->names && t->nodes)
		return t;
	expr_tree_free(t);
	return NULL;
}

enum asc_status expr_parse(const char *text, struct expr_tree **out, struct asc_err *e)
{
	size_t len = strlen(text);
	/* Bounds the time of whatever is quadratic in the names of one text. */
	if (len > EXPR_MAX_TEXT)
		return asc_err_set(e, ASC_INPUT, "longer than %d bytes", EXPR_MAX_TEXT);
	if (strspn(text, " \t\r\n") == len)
		return asc_err_set(e, ASC_INPUT, "the expression is empty");
	struct parser p = {.tree = new_tree(text, len), .e = e};
	if (!p.tree)
		return asc_err_nomem(e);
	p.tree->root = advance(&p) ? parse_conditional(&p) : NULL;
	/* The rest of the text begins where an operator could stand. */
	if (p.tree->root && p.token.kind != TOKEN_END)
		p.tree->root =
			fail_expected(&p, p.token.kind == TOKEN_CLOSE ? "'('" : "an operator");
	if (!p.tree->root) {
		expr_tree_free(p.tree);
		return e->status;
	}
	*out = p.tree;
	return ASC_OK;
}

void expr_tree_free(struct expr_tree *t)
{
	if (!t)
		return;
	free(t->text);
	free(t->names);
	free(t->nodes);
	free(t);
}
