/* The peaks of a run's device: looked up, or measured when they are first wanted. */
#ifndef ASCTUNE_TUNE_LOOP_PEAKS_H
#define ASCTUNE_TUNE_LOOP_PEAKS_H

#include <stdint.h>

struct db;
struct loop_summary;
struct session;

/* Fills sum->peaks when the best configuration can be placed by them, with the best that the user's
 * cache (result/peaks_file) and the database have of the device, and records them in the database.
 * The session, which must have nothing to do, measures them before that while the cache has them of
 * few quiet moments only, and where the best configuration exceeds them. Failing is told and
 * nothing else.
 *
 * Where less than seconds are left until `until_ns` (0: no limit), the next run measures them. */
void loop_peaks_find(struct session *s, struct db *db, int64_t until_ns, struct loop_summary *sum);

#endif
