#include "tuner/base/expr_parser.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

static struct expr_node *parse_not(struct expr_parser *p);
static struct expr_node *parse_compare(struct expr_parser *p);
static struct expr_node *parse_unary(struct expr_parser *p);

static bool enter(struct expr_parser *p)
{
	if (p->depth++ < EXPR_MAX_DEPTH)
		return true;
	expr_fail(p->e, p->token.start, "nested deeper than %d levels", EXPR_MAX_DEPTH);
	return false;
}

/* A new parent in place of its first child. */
static struct expr_node *wrap(struct expr_parser *p, enum expr_node_kind kind,
			      struct expr_node *first)
{
	struct expr_node *n = parser_add_node(p, kind, first->start);
	n->end = first->end;
	parser_add_child(n, first, EXPR_OP_POS);
	return n;
}

/* ---- operators of two sides, from the weakest to the strongest ---- */

struct level {
	enum expr_node_kind kind;
	struct expr_node *(*next)(struct expr_parser *p);
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

static struct expr_node *parse_level(struct expr_parser *p, const struct level *l)
{
	enum expr_op link;
	struct expr_node *n = l->next(p);
	if (!n || !level_has(l, p->token.kind, &link))
		return n;
	n = wrap(p, l->kind, n);
	while (level_has(l, p->token.kind, &link)) {
		struct expr_node *child = parser_advance(p) ? l->next(p) : NULL;
		if (!child)
			return NULL;
		parser_add_child(n, child, link);
	}
	return n;
}

static struct expr_node *parse_product(struct expr_parser *p)
{
	static const struct level product = {EXPR_NODE_CHAIN,
					     parse_unary,
					     {{TOKEN_MUL, EXPR_OP_MUL},
					      {TOKEN_DIV, EXPR_OP_DIV},
					      {TOKEN_FLOOR_DIV, EXPR_OP_FLOOR_DIV},
					      {TOKEN_MOD, EXPR_OP_MOD}}};
	return parse_level(p, &product);
}

static struct expr_node *parse_sum(struct expr_parser *p)
{
	static const struct level sum = {EXPR_NODE_CHAIN,
					 parse_product,
					 {{TOKEN_ADD, EXPR_OP_ADD}, {TOKEN_SUB, EXPR_OP_SUB}}};
	return parse_level(p, &sum);
}

static struct expr_node *parse_and(struct expr_parser *p)
{
	static const struct level and = {EXPR_NODE_AND, parse_not, {{TOKEN_AND, EXPR_OP_POS}}};
	return parse_level(p, &and);
}

static struct expr_node *parse_or(struct expr_parser *p)
{
	static const struct level or = {EXPR_NODE_OR, parse_and, {{TOKEN_OR, EXPR_OP_POS}}};
	return parse_level(p, & or);
}

/* ---- comparisons ---- */

static struct expr_node *parse_list(struct expr_parser *p)
{
	struct expr_node *list = parser_add_node(p, EXPR_NODE_LIST, p->token.start);
	return parser_expect(p, TOKEN_LIST_OPEN, "'[' after 'in'")
		       ? expr_parse_items(p, list, TOKEN_LIST_CLOSE, "',' or ']'")
		       : NULL;
}

/* Takes a comparing operator; *found is false, and nothing taken, when there is none. */
static bool take_comparison(struct expr_parser *p, bool *found, enum expr_op *link)
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
	if (!parser_advance(p))
		return false;
	return *link != EXPR_OP_NOT_IN || parser_expect(p, TOKEN_IN, "'in' after 'not'");
}

static bool parse_link(struct expr_parser *p, struct expr_node *compare, enum expr_op link)
{
	bool listed = link == EXPR_OP_IN || link == EXPR_OP_NOT_IN;
	if (compare->last->kind == EXPR_NODE_LIST) {
		expr_fail(p->e, compare->last->start, "a list cannot be compared");
		return false;
	}
	struct expr_node *child = listed ? parse_list(p) : parse_sum(p);
	if (child)
		parser_add_child(compare, child, link);
	return child != NULL;
}

static struct expr_node *parse_compare(struct expr_parser *p)
{
	enum expr_op link;
	bool found;
	struct expr_node *n = parse_sum(p);
	if (!n || !take_comparison(p, &found, &link))
		return NULL;
	if (found)
		n = wrap(p, EXPR_NODE_COMPARE, n);
	while (found)
		if (!parse_link(p, n, link) || !take_comparison(p, &found, &link))
			return NULL;
	return n;
}

/* ---- operators of one side ---- */

static struct expr_node *parse_prefix(struct expr_parser *p, enum expr_op op,
				      struct expr_node *(*operand)(struct expr_parser *p))
{
	struct expr_node *n = parser_add_node(p, EXPR_NODE_UNARY, p->token.start);
	n->op = op;
	struct expr_node *child = enter(p) && parser_advance(p) ? operand(p) : NULL;
	if (!child)
		return NULL;
	p->depth--;
	parser_add_child(n, child, EXPR_OP_POS);
	return n;
}

static struct expr_node *parse_not(struct expr_parser *p)
{
	if (p->token.kind == TOKEN_NOT)
		return parse_prefix(p, EXPR_OP_NOT, parse_not);
	return parse_compare(p);
}

/* ** binds its left side tighter than a sign, its right side looser. */
static struct expr_node *parse_power(struct expr_parser *p)
{
	struct expr_node *n = expr_parse_operand(p);
	if (!n || p->token.kind != TOKEN_POW)
		return n;
	n = wrap(p, EXPR_NODE_CHAIN, n);
	struct expr_node *exponent = enter(p) && parser_advance(p) ? parse_unary(p) : NULL;
	if (!exponent)
		return NULL;
	p->depth--;
	parser_add_child(n, exponent, EXPR_OP_POW);
	return n;
}

static struct expr_node *parse_unary(struct expr_parser *p)
{
	if (p->token.kind == TOKEN_SUB)
		return parse_prefix(p, EXPR_OP_NEG, parse_unary);
	if (p->token.kind == TOKEN_ADD)
		return parse_prefix(p, EXPR_OP_POS, parse_unary);
	return parse_power(p);
}

/* ---- a if c else b ---- */

static struct expr_node *parse_if(struct expr_parser *p, struct expr_node *then)
{
	struct expr_node *n = wrap(p, EXPR_NODE_IF, then);
	struct expr_node *condition = parser_advance(p) ? parse_or(p) : NULL;
	if (!condition || !parser_expect(p, TOKEN_ELSE, "'else'"))
		return NULL;
	struct expr_node *otherwise = expr_parse_conditional(p);
	if (!otherwise)
		return NULL;
	parser_add_child(n, condition, EXPR_OP_POS);
	parser_add_child(n, otherwise, EXPR_OP_POS);
	return n;
}

struct expr_node *expr_parse_conditional(struct expr_parser *p)
{
	struct expr_node *n = enter(p) ? parse_or(p) : NULL;
	if (n && p->token.kind == TOKEN_IF)
		n = parse_if(p, n);
	p->depth--;
	return n;
}

static struct expr_node *parse_whole(struct expr_parser *p)
{
	struct expr_node *n = parser_advance(p) ? expr_parse_conditional(p) : NULL;
	if (n && p->token.kind != TOKEN_END)
		return parser_fail_expected(p,
					    p->token.kind == TOKEN_CLOSE ? "'('" : "an operator");
	return n;
}

static struct expr_tree *new_tree(const char *text, size_t len)
{
	struct expr_tree *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->text = str_dup(text);
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
	if (len > EXPR_MAX_TEXT)
		return asc_err_set(e, ASC_INPUT, "longer than %d bytes", EXPR_MAX_TEXT);
	if (strspn(text, " \t\r\n") == len)
		return asc_err_set(e, ASC_INPUT, "the expression is empty");
	struct expr_parser p = {.tree = new_tree(text, len), .e = e};
	if (!p.tree)
		return asc_err_nomem(e);
	p.tree->root = parse_whole(&p);
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
