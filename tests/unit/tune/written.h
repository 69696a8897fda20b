/* Whole searches with results that are written down here: nothing is built or run. The workload has
 * 60 configurations; every seventh is wrong, times repeat. Needs rows_enter(). */
#ifndef ASCTUNE_TESTS_UNIT_LOOP_WRITTEN_H
#define ASCTUNE_TESTS_UNIT_LOOP_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;

enum { WRITTEN_CONFIGS = 60 };

struct written_search {
	const char *strategy;
	uint64_t seed, trials;
	unsigned factor; /* of the written times: another one, other results */
	uint64_t late;   /* after so many results the fastest so far crashes, launched beside
			    others, which is told twice; 0: none does */
};

enum asc_status written_open(struct asc_err *e);
void written_close(void);

/* Searches, with a database, and appends a line for each trial that is submitted, and for an
 * incumbent that is set; *trials: how many were made. */
enum asc_status written_run(const struct written_search *a, const char *db_path, struct buf *out,
			    uint64_t *trials, struct asc_err *e);

/* True when the last search has told the evaluator that it asks for the whole space. */
bool written_was_whole(void);

#endif
