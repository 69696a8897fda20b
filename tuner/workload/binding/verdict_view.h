/* Verdicts of the tables in use on the configurations of an implementation, as names of
 * formulas: `planner.verdict` is 'fits', 'falls back' (it fits without multibuffer, which was asked
 * for), the name of the memory space that is exceeded, 'unsupported', or 'unknown' where the table
 * has no row. Private to its folder. */
#ifndef ASCTUNE_WORKLOAD_BINDING_VERDICT_VIEW_H
#define ASCTUNE_WORKLOAD_BINDING_VERDICT_VIEW_H

#include <stdbool.h>

#include "tuner/workload/expr/expr.h"
#include "tuner/workload/space/config.h"
#include "tuner/workload/workload.h"

struct binding;

struct verdict_view { /* of one call */
	char name[CALL_MEMBER_SIZE];
	const char *file;
	struct expr_table *table; /* over the parameters that have columns */
	size_t slots[CONFIG_MAX_PARAMETERS];
	const char *names[CONFIG_MAX_PARAMETERS];
	size_t n_slots;
	struct value *rows;
	size_t n_rows, row_capacity;
};

struct verdict_views {
	struct verdict_view list[WORKLOAD_MAX_CALLS];
	size_t n;
	bool whole; /* there is one for each kernel: they can say that a configuration fits */
};

/* Opens the views of the tables in use, none without any. The caller owns the storage, which must
 * not be moved, and ends it with verdict_views_fini() in any case. */
enum asc_status verdict_views_init(struct verdict_views *v, const struct binding *b,
				   const struct implementation *i, struct asc_err *e);
void verdict_views_fini(struct verdict_views *v);

/* Words of verdicts that are no memory space. */
#define VERDICT_FALLS_BACK  "falls back"
#define VERDICT_UNSUPPORTED "unsupported"

/* True where some configuration has that word. */
bool verdict_view_has(const struct verdict_view *v, const char *word);

/* Makes the text of a condition that holds where all kernels fit, in one way or the other, and else
 * where the limit `text` does, which it takes; NULL: out of memory. */
char *verdict_views_relax(const struct verdict_views *v, char *text);

#endif
