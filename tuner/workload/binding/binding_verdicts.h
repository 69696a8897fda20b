/* Verdict tables of a workload's kernels (limits/verdict_table): which of them are used for a
 * target, and what goes into one. */
#ifndef ASCTUNE_WORKLOAD_BINDING_BINDING_VERDICTS_H
#define ASCTUNE_WORKLOAD_BINDING_BINDING_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct binding;
struct buf;
struct config;
struct implementation;
struct limits;
struct verdict_row;
struct verdict_table;
struct verdict_target;
struct workload;

/* Reads the tables that a workload names, for an SoC with its `limits` (NULL, or another device:
 * none is used): from here on its spaces are pruned by them. A table that is bad, of another kernel
 * or text of it, of other compilers than `planner`, the versions of those that are at hand (NULL:
 * there are none), or without the SoC is not used, and one warning says why. Fails for want of
 * memory alone. */
enum asc_status workload_use_verdicts(struct workload *w, const struct limits *limits,
				      const char *planner, struct asc_err *e);

/* True where a kernel has a table. */
bool workload_has_verdicts(const struct workload *w);

/* Reads and checks the table of a call that has one, whatever the target and the text of its kernel
 * are: ASC_INPUT with its key in the workload. */
enum asc_status workload_check_verdicts(const struct workload *w, const struct implementation *i,
					size_t call, struct asc_err *e);

/* Finds the row of a configuration in the table of a call that is in use; NULL: there is none.
 * ASC_INPUT where a constant or an argument has no value. */
enum asc_status binding_verdicts_find(const struct binding *b, const struct implementation *i,
				      size_t call, const struct config *c,
				      const struct verdict_row **out, struct asc_err *e);

/* True for an NPU and an implementation with a Triton kernel: a planner can judge it. */
bool binding_is_judged(const struct binding *b, const struct implementation *i);

/* Appends a line for each kernel that a planner can judge: whether a table or the expressions of
 * `memory` decided that the configuration fits, and what the table says. */
enum asc_status binding_explain_verdicts(const struct binding *b, const struct implementation *i,
					 const struct config *c, struct buf *out,
					 struct asc_err *e);

/* Makes the table of the kernel of one call, to be filled for a target and written: with the rows
 * of the file at `path` if that is a table of the same kernel, text and columns, but for those of
 * this target by another planner; NULL: there is no file. So a table of several SoCs comes about by
 * one command for each. */
enum asc_status binding_verdicts_begin(const struct workload *w, const struct implementation *i,
				       size_t call, const struct verdict_target *target,
				       const char *path, struct verdict_table **out,
				       struct asc_err *e);

/* Adds the answer to a configuration, whose problem is bound with the limits of an SoC, as
 * verdict_table_add(). ASC_INPUT where a constant or an argument has no value. */
enum asc_status binding_verdicts_add(struct verdict_table *t, const struct binding *b,
				     const struct implementation *i, size_t call,
				     const struct config *c, const struct verdict_row *row,
				     struct asc_err *e);

#endif
