/* Slices of a run: the best time that each value of a parameter reached, in the finals where it was
 * in them, what it costs to take another value than the fastest configuration's, and whether the
 * run has tried enough to say so. Owns its lists: run_slices_fini(). */
#ifndef ASCTUNE_RESULTS_RUN_SLICES_H
#define ASCTUNE_RESULTS_RUN_SLICES_H

#include <stddef.h>

#include "tuner/base/err.h"

struct run_finals;
struct run_table;
struct run_trial;

/* What a slice says of its parameter. Only SLICE_TELLS blames the parameter alone.
 *
 * The test is Rosenbaum's ("Tables for a nonparametric test of location", 1954): were values given
 * to configurations at random, would as many of those with the fastest's value lead all others? */
enum run_slice_verdict {
	SLICE_TELLS,     /* at most one time in twenty */
	SLICE_TOGETHER,  /* the configuration with the next best value has that of another parameter
			    too: either may be the cause */
	SLICE_UNDECIDED, /* more often: the parameter may matter or not */
	SLICE_TOO_FEW    /* more often whatever their order, there are so few */
};

struct run_slice {
	size_t parameter;  /* parameter of the implementation, one with several values */
	double *best_ns;   /* best time of each value; NaN: nothing passed with it */
	size_t *tried;     /* configurations tried with each value */
	size_t *timed;     /* of them, those with a time, dropped ones too */
	double fastest_ns; /* best time of all */
	double cost_pct;   /* best time of all other values than the fastest's, above fastest_ns;
			      infinite: nothing passed with them */
	const struct run_trial *next; /* configuration with that time; NULL: none */
	enum run_slice_verdict verdict;
};

struct run_slices {
	struct run_slice *list; /* by verdict, those first that cost most, then as in the file */
	size_t n;
};

/* Finds the slices of an implementation; none where nothing passed. `finals` NULL: none. */
enum asc_status run_slices_find(const struct run_table *t, const struct run_finals *finals,
				size_t implementation, struct run_slices *out, struct asc_err *e);
void run_slices_fini(struct run_slices *s);

#endif
