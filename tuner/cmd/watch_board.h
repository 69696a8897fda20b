/* What `best --watch` knows of the runs in a database that grows: brought up to date by reading
 * what is new.
 *
 * The caller owns a board, zeroed at first, and watch_board_fini()s it. */
#ifndef ASCTUNE_CMD_WATCH_BOARD_H
#define ASCTUNE_CMD_WATCH_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/live_lines.h"

struct buf;
struct canvas;

enum { WATCH_MAX_RUNS = 32 /* shown */ };

struct watch_run {                                     /* texts on the heap, or NULL */
	int64_t run_id, started_ms, ended_ms, last_ms; /* 0: not known, not ended, no result yet */
	char *workload, *problem, *device, *budget, *outcome;
	uint64_t trials, by_status[RESULT_STATUS_COUNT];
	double best_ns; /* 0: none yet; in the finals, where they were held */
	char *implementation, *config;
	char *said; /* the line that was printed last */
};

struct watch_board {
	struct watch_run *runs; /* all that have trials, and those that are listed */
	size_t n;
	size_t list[WATCH_MAX_RUNS]; /* indices, newest first */
	size_t n_list;
	int64_t after; /* the trials up to this one are counted */
	bool foreign;  /* what was read is of another database than what was read before */
};

void watch_board_fini(struct watch_board *b); /* empty afterwards */

/* Reads what is new in the database at `path` of `workload` (NULL: of all). A board that turns out
 * to be of another database begins anew. */
enum asc_status watch_board_read(struct watch_board *b, const char *path, const char *workload,
				 struct asc_err *e);

/* The listed runs as they stand at `now_ms` (since 1970). */
void watch_board_draw(const struct watch_board *b, int64_t now_ms, struct canvas *c);

/* The run as one line for people, or as a JSON object; without ages, so that a line that is not
 * new says nothing new. */
void watch_run_print(const struct watch_run *r, int64_t now_ms, struct buf *out);
void watch_run_write_json(const struct watch_run *r, struct buf *out);

#endif
