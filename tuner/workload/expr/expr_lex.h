/* Tokens of expressions. Private to its folder. */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_LEX_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_LEX_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

enum token_kind {
	TOKEN_END,
	TOKEN_NUMBER, /* also True and False */
	TOKEN_NAME,   /* dotted names are one token */
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_LIST_OPEN,
	TOKEN_LIST_CLOSE,
	TOKEN_COMMA,
	TOKEN_ADD,
	TOKEN_SUB,
	TOKEN_MUL,
	TOKEN_DIV,
	TOKEN_FLOOR_DIV,
	TOKEN_MOD,
	TOKEN_POW,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_IF,
	TOKEN_ELSE,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_IN
};

struct token {
	enum token_kind kind;
	size_t start, end; /* bytes of the text */
	struct value value;
};

/* Reads the token at or after `at`. */
enum asc_status expr_lex(const char *text, size_t at, struct token *out, struct asc_err *e);

/* Prints the place where something is missing, for messages: " before '<'" or " at the end";
 * returns `place`. */
enum { TOKEN_PLACE_SIZE = 64 };
const char *expr_place(const char *text, const struct token *t, char place[TOKEN_PLACE_SIZE]);

#endif
