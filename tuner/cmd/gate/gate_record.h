/* Record of a gate, as two sides in a database: a run for each problem of the base, then one
 * for each of the head, so that `show`, `compare` and `report --base 1-3 --against 4-6` have them.
 *
 * Such runs are of strategy `gate`: points of no history, and they say nothing of what is current
 * (struct loop_aside). All of them are recorded in one transaction. The caller owns the storage. */
#ifndef ASCTUNE_CMD_GATE_GATE_RECORD_H
#define ASCTUNE_CMD_GATE_GATE_RECORD_H

#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/cmd/gate/gate.h"

struct buf;

struct gate_record { /* zeroed at first */
	struct db *db;
	const char *path; /* as it was named */
	char *scratch;    /* folder of one that nobody named, gone with this process */
	char *file;       /* of that one */
	int64_t first[GATE_TREES], last[GATE_TREES]; /* numbers of the runs; 0: none */
};

/* Opens the database for writing; `path` NULL: one in a scratch folder. */
enum asc_status gate_record_open(struct gate_record *r, const char *path, struct asc_err *e);
void gate_record_close(struct gate_record *r);

/* Records what was measured. Sources that were edited since they were measured are a warning, and
 * nothing is recorded. */
enum asc_status gate_record_write(const struct gate *g, struct gate_record *r, struct asc_err *e);

/* Says which runs they are, on stderr; nothing where there are none, or they go with this process.
 */
void gate_record_say(const struct gate_record *r);

/* Writes the page of both sides (reports/page). `file`: where it goes to, and `paths` the gate's,
 * for the command that makes it again. ASC_ABSENT: nothing was measured on both sides. */
struct gate_paths { /* borrowed */
	const char *const *list;
	size_t n;
	const char *file;
};
enum asc_status gate_record_page(const struct gate *g, const struct gate_record *r,
				 const struct gate_paths *paths, struct buf *out,
				 struct asc_err *e);

#endif
