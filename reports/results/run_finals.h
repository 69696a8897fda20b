/* The finals of a run, and its configurations ranked. */
#ifndef ASCTUNE_RESULTS_RUN_FINALS_H
#define ASCTUNE_RESULTS_RUN_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/arena.h"
#include "tuner/base/err.h"

struct buf;
struct db;
struct db_run_final;
struct run_table;
struct run_trial;

struct run_finals {
	struct db_run_final *list; /* finalists: the winner, then fastest first */
	size_t n;
	struct arena texts; /* that they refer to */
};

enum asc_status run_finals_read(struct db *d, int64_t run_id, struct run_finals *out,
				struct asc_err *e);
void run_finals_fini(struct run_finals *f);

/* Number of a finalist's class of equal bits, from 0, that of the first of the list; -1: its bits
 * are not known. */
int run_finals_class(const struct run_finals *f, const struct db_run_final *x);

/* Appends what is known of bits, "the same in 812 launches; 2 classes among 9 finalists": those of
 * the winner, and how many classes there are; nothing where none are known. */
void run_finals_print_bits(const struct run_finals *f, struct buf *out);

/* Takes the time of each trial: of the finals where it was in them, so that the chosen one has the
 * time by which it was chosen. NaN: none. `f` NULL: no finals. NULL when out of memory; the
 * caller's. */
double *run_finals_take_times(const struct run_finals *f, const struct run_table *t);

struct run_place { /* a ranked configuration; borrows from table and finals */
	const char *implementation, *config_key;
	const struct run_trial *trial;    /* trial; NULL: measured in an earlier run */
	const struct db_run_final *final; /* finalist; NULL: not in the finals */
	double ns, low_ns, high_ns;       /* time in the finals, where it took part */
};

/* Ranks: the winner, its ties, finalists that may be as fast, the slower ones, then by median;
 * returns the number, `most` at most. */
size_t run_top(const struct run_table *t, const struct run_finals *f, struct run_place *out,
	       size_t most);

#endif
