/* Slices of a run: the best time that each value of a parameter reached, in the finals where it was
 * in them, and what it costs to take another value than the fastest configuration's. Owns its
 * lists: run_slices_fini(). */
#ifndef ASCTUNE_RUNS_RUN_SLICES_H
#define ASCTUNE_RUNS_RUN_SLICES_H

#include <stddef.h>

#include "tuner/base/err.h"

struct run_finals;
struct run_table;

struct run_slice {
	size_t parameter;  /* parameter of the implementation, one with several values */
	double *best_ns;   /* best time of each value; NaN: nothing passed with it */
	size_t *tried;     /* configurations tried with each value */
	double fastest_ns; /* best time of all */
	double cost_pct;   /* best time of all other values than the fastest's, above fastest_ns;
			      infinite: nothing passed with them */
};

struct run_slices {
	struct run_slice *list; /* those first that cost most, then as in the file */
	size_t n;
};

/* Finds the slices of an implementation; none where nothing passed. `finals` NULL: none. */
enum asc_status run_slices_find(const struct run_table *t, const struct run_finals *finals,
				size_t implementation, struct run_slices *out, struct asc_err *e);
void run_slices_fini(struct run_slices *s);

#endif
