/* Sides of `report --base ... --against ...`: a word is a run's number, a date, a database or a
 * device. */
#ifndef ASCTUNE_CMD_REPORT_SIDE_H
#define ASCTUNE_CMD_REPORT_SIDE_H

#include "reports/track/track_compare.h"
#include "tuner/base/err.h"

struct db;

struct report_sides {
	const char *path; /* the own database, which runs, dates and devices are of; borrowed */
	struct db *own;   /* NULL: no side has needed it yet */
	struct track_side list[TRACK_SIDES];
	char *names[TRACK_SIDES];
};

/* Opens both sides; `words`: as given, NULL: the newest runs of the own database. One database is
 * opened once. ASC_INPUT or ASC_NOTFOUND for words that stand for nothing. To be closed also after
 * a failure. */
enum asc_status report_sides_open(struct report_sides *s, const char *path,
				  const char *const words[TRACK_SIDES], struct asc_err *e);
void report_sides_close(struct report_sides *s);

#endif
