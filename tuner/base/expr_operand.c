#include "tuner/base/expr_parser.h"

#include <string.h>

#include "tuner/base/buf.h"

bool parser_advance(struct expr_parser *p)
{
	return expr_lex(p->tree->text, p->token.end, &p->token, p->e) == ASC_OK;
}

struct expr_node *parser_fail_expected(struct expr_parser *p, const char *what)
{
	char place[TOKEN_PLACE_SIZE];
	expr_fail(p->e, p->token.start, "expected %s%s", what,
		  expr_place(p->tree->text, &p->token, place));
	return NULL;
}

bool parser_expect(struct expr_parser *p, enum token_kind kind, const char *what)
{
	if (p->token.kind == kind)
		return parser_advance(p);
	parser_fail_expected(p, what);
	return false;
}

/* Every node has at least one byte of the text to itself, so there is always room for one more. */
struct expr_node *parser_add_node(struct expr_parser *p, enum expr_node_kind kind, size_t start)
{
	struct expr_node *n = &p->tree->nodes[p->tree->n++];
	n->kind = kind;
	n->at = (uint32_t)p->token.start;
	n->start = (uint32_t)start;
	n->end = (uint32_t)p->token.end;
	return n;
}

void parser_add_child(struct expr_node *parent, struct expr_node *child, enum expr_op link)
{
	child->link = link;
	*(parent->n++ ? &parent->last->next : &parent->first) = child;
	parent->last = child;
	if (parent->end < child->end)
		parent->end = child->end;
}

struct expr_node *expr_parse_items(struct expr_parser *p, struct expr_node *parent,
				   enum token_kind close, const char *what)
{
	while (p->token.kind != close || parent->n) {
		struct expr_node *item = expr_parse_conditional(p);
		if (!item)
			return NULL;
		parser_add_child(parent, item, EXPR_OP_POS);
		if (p->token.kind != TOKEN_COMMA)
			break;
		if (!parser_advance(p))
			return NULL;
	}
	parent->end = (uint32_t)p->token.end;
	return parser_expect(p, close, what) ? parent : NULL;
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

static const struct function *find_function(struct expr_parser *p, const char *name, size_t at)
{
	const char *names[FUNCTIONS + 2] = {"sizeof"};
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
		names[i + 1] = functions[i].name;
	}
	const char *near = str_nearest(name, names);
	if (near)
		expr_fail(p->e, at, "unknown function \"%s\" (did you mean \"%s\"?)", name, near);
	else
		expr_fail(p->e, at, "unknown function \"%s\"", name);
	return NULL;
}

static bool check_arguments(struct expr_parser *p, const struct function *f,
			    const struct expr_node *n)
{
	if (n->n >= f->min && n->n <= f->max)
		return true;
	expr_fail(p->e, n->at, "%s takes %s%zu argument%s, not %u", f->name,
		  f->max > f->min ? "at least " : "", f->min, f->min == 1 ? "" : "s", n->n);
	return false;
}

/* The name before the '(' is known to be one: `n` stands for it and becomes the call. */
static struct expr_node *parse_call(struct expr_parser *p, struct expr_node *n)
{
	const struct function *f = find_function(p, n->name, n->at);
	if (!f || !parser_advance(p) || !expr_parse_items(p, n, TOKEN_CLOSE, "',' or ')'") ||
	    !check_arguments(p, f, n))
		return NULL;
	n->kind = f->max == 1 ? EXPR_NODE_UNARY : EXPR_NODE_CHAIN;
	n->op = f->op;
	for (struct expr_node *child = n->first; child; child = child->next)
		child->link = f->op;
	return n;
}

static const char *keep_name(struct expr_parser *p, const struct token *t)
{
	char *name = p->tree->names + p->names_used;
	size_t len = t->end - t->start;
	memcpy(name, p->tree->text + t->start, len);
	p->names_used += len + 1; /* the storage is zero */
	return name;
}

static struct expr_node *parse_sizeof(struct expr_parser *p, struct expr_node *n)
{
	n->kind = EXPR_NODE_SIZEOF;
	if (!parser_advance(p))
		return NULL;
	struct token name = p->token;
	if (!parser_expect(p, TOKEN_NAME, "the name of a tensor"))
		return NULL;
	n->name = keep_name(p, &name);
	n->end = (uint32_t)p->token.end;
	return parser_expect(p, TOKEN_CLOSE, "')'") ? n : NULL;
}

static struct expr_node *parse_name(struct expr_parser *p)
{
	struct expr_node *n = parser_add_node(p, EXPR_NODE_NAME, p->token.start);
	n->name = keep_name(p, &p->token);
	if (!parser_advance(p))
		return NULL;
	if (p->token.kind != TOKEN_OPEN)
		return n;
	return strcmp(n->name, "sizeof") == 0 ? parse_sizeof(p, n) : parse_call(p, n);
}

static struct expr_node *parse_number(struct expr_parser *p)
{
	struct expr_node *n = parser_add_node(p, EXPR_NODE_NUMBER, p->token.start);
	n->value = p->token.value;
	return parser_advance(p) ? n : NULL;
}

static struct expr_node *parse_group(struct expr_parser *p)
{
	size_t start = p->token.start;
	struct expr_node *n = parser_advance(p) ? expr_parse_conditional(p) : NULL;
	size_t end = p->token.end;
	if (!n || !parser_expect(p, TOKEN_CLOSE, "')'"))
		return NULL;
	n->start = (uint32_t)start;
	n->end = (uint32_t)end;
	return n;
}

struct expr_node *expr_parse_operand(struct expr_parser *p)
{
	switch (p->token.kind) {
	case TOKEN_NUMBER: return parse_number(p);
	case TOKEN_NAME: return parse_name(p);
	case TOKEN_OPEN: return parse_group(p);
	case TOKEN_LIST_OPEN:
		expr_fail(p->e, p->token.start, "a list can only stand after 'in'");
		return NULL;
	default: return parser_fail_expected(p, "a value");
	}
}
