/* Effects in a run: the importance of every parameter of an implementation and of pairs of them,
 * and the best time for each pair of values. */
#ifndef ASCTUNE_RESULTS_RUN_EFFECTS_H
#define ASCTUNE_RESULTS_RUN_EFFECTS_H

#include <stddef.h>

#include "tuner/base/err.h"

struct run_table;

struct run_effect {
	size_t parameter; /* parameter of the implementation */
	double share;     /* struct importance: of what those before it leave */
};

struct run_pair_effect {
	size_t first, second; /* parameters, as in the file */
	double joint, extra;  /* struct importance_of_pair */
};

struct run_effects {
	size_t n; /* number of configurations that passed, from which all is computed */
	struct run_effect *singles; /* parameters with several values, in the order of struct
				       importance */
	size_t n_singles;
	struct run_pair_effect *pairs; /* of the first eight, largest joint share first */
	size_t n_pairs;
};

enum asc_status run_effects_find(const struct run_table *t, size_t implementation,
				 struct run_effects *out, struct asc_err *e);
void run_effects_fini(struct run_effects *f);

/* Finds the best time for each pair of values, by the `times` of the trials (NaN: none):
 * cells[value of second * values of first + value of first], ns; NaN where nothing passed. tried[]
 * gets the number of configurations tried. Both have room for all. */
void run_effects_fill_cells(const struct run_table *t, const double *times, size_t implementation,
			    size_t first, size_t second, double *cells, size_t *tried);

#endif
