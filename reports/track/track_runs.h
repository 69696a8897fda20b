/* State of the problems that were to be measured: how far the run of each came, written for people,
 * programs and pull requests.
 *
 * The state is judged by what is recorded: a process that is killed after its run has ended has
 * done its work, one that is killed before has not, whatever its exit status. Strings are borrowed.
 */
#ifndef ASCTUNE_TRACK_TRACK_RUNS_H
#define ASCTUNE_TRACK_TRACK_RUNS_H

#include <stddef.h>

#include "db/history.h"
#include "tuner/base/err.h"

struct buf;

/* code, name, meaning */
#define TRACK_REACHED_LIST(X)                                                                      \
	X(COMPLETE, "complete", "measured to the end")                                             \
	X(STOPPED, "stopped", "ended before its budget was spent")                                 \
	X(CUT_SHORT, "cut short", "no end was recorded: it was killed, or goes on")                \
	X(MISSING, "missing", "not begun")                                                         \
	X(UNCOVERED, "uncovered", "no implementation can run it here")                             \
	X(UNREADABLE, "unreadable", "the workload cannot be read")

enum track_reached {
#define X(code, name, meaning) TRACK_##code,
	TRACK_REACHED_LIST(X)
#undef X
};

struct track_run {
	const char *workload, *problem; /* unreadable: the file, and "" */
	const char *device;             /* class of the device */
	bool simulated;                 /* it is a stand-in, a model gives the times */
	enum track_reached reached;
	const char *reason; /* why a workload is unreadable, else NULL */
	struct db_run_state state;
};

/* Looks for the run of `out`'s workload, problem and device; d NULL: nothing is recorded. */
enum asc_status track_run_find(struct db *d, struct track_run *out, struct asc_err *e);

void track_run_write(const struct track_run *r, struct buf *out); /* writes a line for people */
void track_run_write_json(const struct track_run *r, struct buf *out); /* writes one JSON object */

/* Writes row number `n`, from 0, of a table of problems that are not complete; nothing after 50
 * rows. */
void track_run_write_markdown(const struct track_run *r, size_t n, struct buf *out);

#endif
