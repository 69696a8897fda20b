/* The runs of a growing database as `best --watch` shows them, kept up to date by reading new
 * trials.
 *
 * The caller owns a board, zeroed at first, and watch_board_fini()s it. */
#ifndef ASCTUNE_CMD_ANSWERS_WATCH_BOARD_H
#define ASCTUNE_CMD_ANSWERS_WATCH_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/terminal/live_lines.h"

struct buf;
struct canvas;

enum { WATCH_MAX_RUNS = 32 /* shown */ };

struct watch_run {                                     /* texts on the heap, or NULL */
	int64_t run_id, started_ms, ended_ms, last_ms; /* 0: unknown, not ended, no result yet */
	char *workload, *problem, *device, *budget, *outcome;
	uint64_t trials, by_status[RESULT_STATUS_COUNT];
	double best_ns; /* best median, in the finals where they were held; 0: none yet */
	char *implementation, *config;
	char *said; /* last line printed */
};

struct watch_board {
	struct watch_run *runs; /* runs with trials, and those that are listed */
	size_t n;
	size_t list[WATCH_MAX_RUNS]; /* indices, newest first */
	size_t n_list;
	int64_t after; /* identifier of the last trial that is counted */
	bool foreign;  /* the last reading found another database than the one before */
};

void watch_board_fini(struct watch_board *b); /* empties the board */

/* Reads new trials of `workload` (NULL: of all) from the database at `path`. A board of another
 * database begins anew. */
enum asc_status watch_board_read(struct watch_board *b, const char *path, const char *workload,
				 struct asc_err *e);

/* Draws the listed runs as of `now_ms` (ms since 1970). */
void watch_board_draw(const struct watch_board *b, int64_t now_ms, struct canvas *c);

/* Prints the run as one line for people, or as a JSON object; without ages, so that only news
 * change the line. */
void watch_run_print(const struct watch_run *r, int64_t now_ms, struct buf *out);
void watch_run_write_json(const struct watch_run *r, struct buf *out);

#endif
