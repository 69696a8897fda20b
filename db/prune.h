/* Makes a database smaller: drops the samples and logs of old losers, removes those that a later
 * search has tried again, and writes the file anew.
 *
 * All stays that answers, histories and pages are made of, and how many trials a run had: no answer
 * changes. Nothing is dropped of defaults, answers, finalists, failures that withdraw a
 * configuration, and of nights that `track` compares with (db/sql/prune). Runs follow one another
 * in transactions of some thousand trials: a process that is killed, or a disk that is full, leaves
 * a database that is as sound as before and pruned in part; others record between them. */
#ifndef ASCTUNE_DB_PRUNE_H
#define ASCTUNE_DB_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct db;

struct db_prune_rule {     /* runs that lose nothing */
	int64_t before_ms; /* those that started then, ms since 1970, or later */
	int64_t newest;    /* so many of each problem on each device, by cache policy; 0: none */
};

struct db_pruned {
	int64_t runs, trials;            /* from which something was dropped */
	int64_t removed;                 /* those of the trials whose rows are gone */
	int64_t sample_bytes, log_bytes; /* that was dropped */
	int64_t kept;                    /* old runs that lost nothing since `track` needs them */
	int64_t busy; /* the same of problems with results that no kept answer counts yet */
	int64_t bytes_before, bytes_after; /* of the file, once its log is folded in */
};

/* Prunes, or with `dry_run` only counts. The kept answers are current (best_keep()); problems
 * whose answers have become stale since are left alone. *out has what was dropped even on failure:
 * ASC_FULL where the file cannot be written anew, for which its disk needs room for a second one.
 */
enum asc_status db_prune(struct db *d, const struct db_prune_rule *rule, bool dry_run,
			 struct db_pruned *out, struct asc_err *e);

#endif
