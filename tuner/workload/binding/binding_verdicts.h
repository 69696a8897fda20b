/* Verdict tables of a workload's kernels (limits/verdict_table): the columns of a kernel's table
 * and the cells of a configuration, for those who write one. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_VERDICTS_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_VERDICTS_H

#include <stddef.h>

#include "tuner/base/err.h"

struct binding;
struct config;
struct implementation;
struct verdict_row;
struct verdict_table;
struct workload;

/* The compilers that are asked, by the lines of their versions. */
struct verdict_compilers {
	const char *triton, *planner;
};

/* Makes the table of the kernel of one call, to be filled and written: with the rows of the file at
 * `path` if that is a table of the same kernel, text, versions and columns, else without any; NULL:
 * there is no file. A table of several SoCs comes about by one command for each. *kept is the
 * number of these rows. */
enum asc_status binding_verdicts_begin(const struct workload *w, const struct implementation *i,
				       size_t call, const struct verdict_compilers *compilers,
				       const char *path, struct verdict_table **out, size_t *kept,
				       struct asc_err *e);

/* Adds the answer to a configuration, whose problem is bound with the limits of an SoC, as
 * verdict_table_add(). ASC_INPUT where a constant or an argument has no value. */
enum asc_status binding_verdicts_add(struct verdict_table *t, const struct binding *b,
				     const struct implementation *i, size_t call,
				     const struct config *c, const struct verdict_row *row,
				     struct asc_err *e);

#endif
