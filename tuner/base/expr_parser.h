/* The state of the parser and what its two files share: expr_parse.c has the operators,
 * expr_operand.c numbers, names, calls and groups. Private to base/expr.
 *
 * Functions that read a part of the expression give its node, or NULL with the error set. */
#ifndef ASCTUNE_BASE_EXPR_PARSER_H
#define ASCTUNE_BASE_EXPR_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/expr_lex.h"
#include "tuner/base/expr_tree.h"

struct expr_parser {
	struct expr_tree *tree;
	struct token token; /* the one not yet taken */
	size_t names_used;  /* bytes of tree->names */
	unsigned depth;
	struct asc_err *e;
};

/* Reads the next token. */
bool parser_advance(struct expr_parser *p);

/* Takes a token of that kind; `what` names it in "expected WHAT before ...". */
bool parser_expect(struct expr_parser *p, enum token_kind kind, const char *what);
struct expr_node *parser_fail_expected(struct expr_parser *p, const char *what); /* gives NULL */

/* A node that begins at byte `start` and so far ends with the current token. */
struct expr_node *parser_add_node(struct expr_parser *p, enum expr_node_kind kind, size_t start);
void parser_add_child(struct expr_node *parent, struct expr_node *child, enum expr_op link);

struct expr_node *expr_parse_conditional(struct expr_parser *p); /* a whole expression */
struct expr_node *expr_parse_operand(struct expr_parser *p);

/* Values separated by commas up to `close`, which is taken, as children of `parent`. */
struct expr_node *expr_parse_items(struct expr_parser *p, struct expr_node *parent,
				   enum token_kind close, const char *what);

#endif
