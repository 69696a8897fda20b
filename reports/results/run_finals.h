/* The finals of a run, and its configurations ranked. */
#ifndef ASCTUNE_RESULTS_RUN_FINALS_H
#define ASCTUNE_RESULTS_RUN_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/result/tie.h"

struct db;
struct run_table;
struct run_trial;

struct run_final {
	char *implementation, *config_key;
	enum standing standing;
	bool winner;
	double ratio, ratio_low, ratio_high; /* as in struct db_run_final */
	int64_t rounds;
	double median_ns, low_ns, high_ns;
};

struct run_finals {
	struct run_final *list; /* finalists: the winner, then fastest first */
	size_t n;
};

enum asc_status run_finals_read(struct db *d, int64_t run_id, struct run_finals *out,
				struct asc_err *e);
void run_finals_fini(struct run_finals *f);

/* Takes the time of each trial: of the finals where it was in them, so that the chosen one has the
 * time by which it was chosen. NaN: none. `f` NULL: no finals. NULL when out of memory; the
 * caller's. */
double *run_finals_take_times(const struct run_finals *f, const struct run_table *t);

struct run_place { /* a ranked configuration; borrows from table and finals */
	const char *implementation, *config_key;
	const struct run_trial *trial; /* trial; NULL: measured in an earlier run */
	const struct run_final *final; /* finalist; NULL: not in the finals */
	double ns, low_ns, high_ns;    /* time in the finals, where it took part */
};

/* Ranks: the winner, its ties, finalists that may be as fast, the slower ones, then by median;
 * returns the number, `most` at most. */
size_t run_top(const struct run_table *t, const struct run_finals *f, struct run_place *out,
	       size_t most);

#endif
