/* Columns and cells of a kernel's verdict table: what a variant is told apart by. Private to its
 * folder. */
#ifndef ASCTUNE_WORKLOAD_BINDING_VERDICT_CELLS_H
#define ASCTUNE_WORKLOAD_BINDING_VERDICT_CELLS_H

#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/limits/verdict_table.h"

struct verdict_column {
	enum verdict_column_kind {
		COLUMN_TARGET,
		COLUMN_TYPE, /* a dtype variable of the problems */
		COLUMN_ARGUMENTS,
		COLUMN_PARAMETER,
		COLUMN_CONSTANT
	} kind;
	const char *name;
	size_t at; /* of the implementation's parameters, the call's constants */
};

struct verdict_columns {
	struct verdict_column list[VERDICT_TABLE_MAX_COLUMNS];
	const char *names[VERDICT_TABLE_MAX_COLUMNS];
	size_t n;
};

/* Finds the columns of a kernel's key: all that it is compiled with, and what it is compiled for.
 */
void verdict_columns_find(const struct workload *w, const struct implementation *i, size_t call,
			  struct verdict_columns *out);

/* Puts them into the order of a table's columns. ASC_INPUT where the table has others, or lacks
 * one. */
enum asc_status verdict_columns_order(struct verdict_columns *c, const struct verdict_table *t,
				      struct asc_err *e);

/* The formulas of a kernel for one problem, compiled once for all of its configurations. The caller
 * owns the storage, which must not be moved: verdict_variant_init(), and verdict_variant_fini() in
 * any case. */
struct verdict_variant {
	const struct binding *binding;
	const struct implementation *implementation;
	const struct callable *call;
	struct binding_scope scope;
	struct expr *constants[WORKLOAD_MAX_CONSTANTS]; /* NULL: no formula */
	struct expr *numbers[WORKLOAD_MAX_ARGUMENTS];   /* integers that are passed */
	struct expr *grid[3];                           /* NULL: 1 */
};

enum asc_status verdict_variant_init(struct verdict_variant *v, const struct binding *b,
				     const struct implementation *i, size_t call,
				     struct asc_err *e);
void verdict_variant_fini(struct verdict_variant *v);

/* Appends the cell of a column for the values of the implementation's parameters. */
enum asc_status verdict_variant_print(const struct verdict_variant *v,
				      const struct verdict_column *c, const struct value *slots,
				      struct buf *out, struct asc_err *e);

#endif
