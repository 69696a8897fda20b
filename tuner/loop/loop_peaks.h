/* The peaks of a run's device: looked up, or measured when they are first wanted. */
#ifndef ASCTUNE_LOOP_LOOP_PEAKS_H
#define ASCTUNE_LOOP_LOOP_PEAKS_H

#include <stdint.h>

struct db;
struct loop_summary;
struct session;

/* Fills sum->peaks when the best configuration can be placed by them: the session, which must have
 * nothing to do, is asked for what is not known yet of the problem's element type, or known of few
 * moments only: the machine may have been busy in all of them. The higher rate is kept. Where the
 * best configuration exceeds the peak it is asked too; and where it exceeds what was measured then,
 * the peak of the type is not known and forgotten. Failing is told and nothing else.
 *
 * Where less than seconds are left until `until_ns` (0: no limit), the next run measures them. */
void loop_peaks_find(struct session *s, struct db *db, int64_t until_ns, struct loop_summary *sum);

#endif
