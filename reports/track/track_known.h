/* What is known of a history beside its numbers: which changes somebody has acknowledged, and what
 * measuring them again said. Both are about one change of one series, known within a few nights.
 *
 * An acknowledgement holds until it expires. A confirmed regression stays confirmed; that a change
 * was not reproduced, or that this could not be decided, holds until the next night. */
#ifndef ASCTUNE_TRACK_TRACK_KNOWN_H
#define ASCTUNE_TRACK_TRACK_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct buf;
struct db;
struct track_history;

/* Reads it and applies it to the series of `h`. */
enum asc_status track_known_apply(struct track_history *h, struct db *d, struct asc_err *e);

/* Acknowledges the new regression of the series with that name for so many milliseconds; `reason`
 * is text for people. ASC_NOTFOUND when it has none, with what there is. */
enum asc_status track_known_acknowledge(const struct track_history *h, struct db *d,
					const char *name, const char *reason, int64_t for_ms,
					struct asc_err *e);

/* A line for each acknowledgement that has not expired: series, until when, who, why. */
enum asc_status track_known_list(struct db *d, struct buf *out, struct asc_err *e);

int64_t track_known_now_ms(void); /* since 1970 */

#endif
