/* Acknowledgements and re-measurements of a history. Each is about one change of one series, known
 * within a few points.
 *
 * An acknowledgement holds until it expires. A confirmed regression stays confirmed; "not
 * reproduced" and "undecided" hold until the next run. */
#ifndef ASCTUNE_TRACK_TRACK_KNOWN_H
#define ASCTUNE_TRACK_TRACK_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct track_history;
struct track_rule;

/* Puts the newest change of a series where rounds have confirmed a slow-down beside what was
 * before, even if its points do not show one yet; unless later rounds have shown that it is gone.
 */
enum asc_status track_known_place(struct track_history *h, struct db *d,
				  const struct track_rule *rule, struct asc_err *e);

/* Reads acknowledgements and verdicts and applies them to the series of `h`. */
enum asc_status track_known_apply(struct track_history *h, struct db *d, struct asc_err *e);

/* Finds the whole name of a series: `name` where that is one, or where nothing has it; else that of
 * the only series of times, or of a metric where there is none, that fails, is acknowledged or is
 * not, and begins so behind its device ("conv/large"). ASC_INPUT where there are several. */
enum asc_status track_known_find_name(const struct track_history *h, const char *name,
				      bool acknowledged, const char **out, struct asc_err *e);

/* Acknowledges the new regression of the series with that name for so many milliseconds; `reason`
 * and `who`, which may be NULL, are text for people. ASC_NOTFOUND when the series has none, with a
 * list of those that have. */
enum asc_status track_known_acknowledge(const struct track_history *h, struct db *d,
					const char *name, const char *reason, const char *who,
					int64_t for_ms, struct asc_err *e);

/* Finds the commits between which the change of a series lies, as far as its place is known, as
 * struct track_point has them. False: there is none, or both sides are of one commit. */
bool track_known_find_commits(const struct track_history *h, size_t series, const char **before,
			      const char **behind);

/* Writes a line for each acknowledgement that has not expired: series, until when, who, why. */
enum asc_status track_known_list(struct db *d, struct buf *out, struct asc_err *e);

int64_t track_known_now_ms(void); /* since 1970 */

#endif
