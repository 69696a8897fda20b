/* Expressions of workloads: Python's arithmetic over 64-bit integers, reals and truth values,
 * compiled to a graph of operations; texts can be compared for equality.
 *
 * Grammar: `a if c else b`, `or`, `and`, `not`, chained comparisons, `in [..]`, `not in [..]`, `+ -
 * * / // % **`, unary `+ -`, calls `min max ceil_div align log2 is_pow2 abs int float`,
 * `sizeof(tensor)`, names (`BLOCK_M`, `device.threads`), numbers, True, False, `'texts'`.
 * Precedence and the sign rules of // and % are Python's; / is true division; and/or give one of
 * their operands, as in Python; the items of a list are compared one after another until one is
 * equal. Integer overflow and division by zero are errors of evaluation. Text is bounded to
 * EXPR_MAX_TEXT bytes, nesting to EXPR_MAX_DEPTH.
 *
 * A tree (struct expr_tree) is what parsing gives; a compiled expression (struct expr) is the graph
 * of a tree whose names were resolved. Both are heap objects. */
#ifndef ASCTUNE_WORKLOAD_EXPR_EXPR_H
#define ASCTUNE_WORKLOAD_EXPR_EXPR_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/base/value.h"

enum { EXPR_MAX_TEXT = 16384, EXPR_MAX_DEPTH = 100 };

struct buf;
struct expr_table;
struct expr_tree;
struct expr;

/* Errors: "column 7: expected ')' before '<'" (columns count bytes from 1). */
enum asc_status expr_parse(const char *text, struct expr_tree **out, struct asc_err *e);
void expr_tree_free(struct expr_tree *t);

/* Kinds of names. */
enum expr_binding_kind {
	EXPR_SLOT,     /* a variable: position in the array given to expr_eval */
	EXPR_CONSTANT, /* known now */
	EXPR_UNKNOWN,  /* a legal name whose value is unknown on this machine */
	EXPR_TABLE     /* looked up by the values of variables */
};

/* A value for each combination of a few variables that is listed, and perhaps another one for all
 * others. */
struct expr_table_spec {
	const char *name;    /* in messages */
	const char *given;   /* what was fixed before, in messages: `M=64`; NULL: nothing */
	const size_t *slots; /* of the variables */
	const char *const *names;
	const size_t *counts; /* number of values of each variable, which hold all those in rows;
				 NULL: unknown */
	size_t n_slots, n_rows;
	size_t stride;            /* values from one row to the next */
	const struct value *rows; /* n_slots + 1 each: of the variables, then the value; equal ones
				     of a variable stand together within equal ones of those before
				     it, in ascending order, and no combination is there twice */
	const struct value *otherwise; /* NULL: without a row there is no value (EXPR_E_ROW) */
};

/* Makes a table, which never changes and has a count of its holders: expressions that look it up
 * are holders. Copies all. */
enum asc_status expr_table_new(const struct expr_table_spec *spec, struct expr_table **out,
			       struct asc_err *e);
struct expr_table *expr_table_hold(struct expr_table *t);
void expr_table_free(struct expr_table *t); /* of one holder */

/* All texts that names of one kind can have. */
struct expr_texts {
	const char *kind;                        /* in messages: "type" */
	const char *const *(*list)(void);        /* NULL-terminated */
	const char *(*means)(const char *other); /* one of them by another system's word; NULL:
						    none */
};

struct expr_binding {
	enum expr_binding_kind kind;
	size_t slot;
	struct value constant;
	struct expr_table *table;       /* borrowed */
	const struct expr_texts *texts; /* NULL: the value is any; else to compare the name with
					   another text is a fault; borrowed */
};

/* Resolves names. `call` is NULL for a plain name (dotted names come whole), or "sizeof" with
 * `name` the tensor. Returns false for a name that does not exist; names() then lists candidates
 * for "did you mean" (may be NULL). */
struct expr_scope {
	bool (*resolve)(const void *user, const char *call, const char *name,
			struct expr_binding *out);
	const char *const *(*names)(const void *user); /* NULL-terminated; borrowed */
	const void *user;
};

/* Compiles; constants are folded. Errors name the column and the unknown name or text. */
enum asc_status expr_compile(const char *text, const struct expr_scope *scope, struct expr **out,
			     struct asc_err *e);

/* Compiles each operand of the outermost `and`s on its own (they hold together exactly when the
 * whole holds): *out is a heap array of *n expressions, each to be freed. A chained comparison
 * stays whole. */
enum asc_status expr_compile_conjuncts(const char *text, const struct expr_scope *scope,
				       struct expr ***out, size_t *n, struct asc_err *e);
void expr_free(struct expr *x);

/* Appends the same expression in plain Python over the variables alone: constants by their values,
 * ceil_div, align and is_pow2 by operators. ASC_INPUT where plain Python has no word for it: log2,
 * a name whose value is unknown. */
enum asc_status expr_print_plain(const char *text, const struct expr_scope *scope, struct buf *out,
				 struct asc_err *e);

const char *expr_text(const struct expr *x); /* the source text of this expression, borrowed */
bool expr_is_unknown(const struct expr *x);  /* depends on a name bound as EXPR_UNKNOWN; evaluating
						gives EXPR_E_UNKNOWN */
const char *expr_unknown_name(const struct expr *x); /* that name, or NULL */
bool expr_is_constant(const struct expr *x, struct value *out);
size_t expr_slots(const struct expr *x,
		  const size_t **slots); /* the distinct slots read, ascending; borrowed */

enum expr_error {
	EXPR_E_OK,
	EXPR_E_ZERO,
	EXPR_E_OVERFLOW,
	EXPR_E_DOMAIN,
	EXPR_E_POWER,
	EXPR_E_TEXT,
	EXPR_E_UNKNOWN,
	EXPR_E_ROW
};

/* Evaluates without allocating, in storage of the expression: one evaluation of it at a time.
 * `slots` holds the variables. On an error *out is undefined. */
enum expr_error expr_eval(const struct expr *x, const struct value *slots, struct value *out);

/* Text of an error of evaluation, to follow the expression's text: "divides by zero", "exceeds
 * 64-bit integers or reals", "takes log2 of a number that is not positive", "takes a fractional
 * power of a negative number", "computes with a text", "needs a value that is unknown here"
 * (expr_unknown_name() says which), "needs a table that has no row for these values". */
const char *expr_error_text(enum expr_error error);

/* Appends that text of an error that evaluating `x` with `slots` gave; of a table without a row
 * which one it is, and for which values. */
void expr_print_error(const struct expr *x, enum expr_error error, const struct value *slots,
		      struct buf *out);

/* *out is a heap copy of `text` in which `with` stands for the name `name`, but for a function's.
 */
enum asc_status expr_replace(const char *text, const char *name, const char *with, char **out,
			     struct asc_err *e);

#endif
