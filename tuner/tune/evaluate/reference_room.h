/* Room on disk for the references of a cache: together they take so many bytes at most, and those
 * that were used least recently go first. A reference that a run uses stays: the run's process has
 * a lock on its file, which ends with the process, however that ends.
 *
 * A file's time of modification is when it was used last. */
#ifndef ASCTUNE_TUNE_EVALUATE_REFERENCE_ROOM_H
#define ASCTUNE_TUNE_EVALUATE_REFERENCE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct reference_key;

#define REFERENCE_ROOM_VARIABLE "ASCTUNE_REFERENCES_MB"

/* Reads the bound, $ASCTUNE_REFERENCES_MB in 10^6 bytes, default 10000; ASC_USAGE where that is no
 * number from 1 to 10^9. */
enum asc_status reference_room_read(int64_t *most_bytes, struct asc_err *e);

/* References that this process uses, of the sets of one problem. The caller owns the storage:
 * zeroed, reference_room_release(). */
struct reference_holds {
	int files[WORKLOAD_MAX_SETS];
	size_t n;
};

/* Marks a reference as used now, and keeps it from being removed; nothing where there is none. */
void reference_room_hold(struct reference_holds *h, const char *cache,
			 const struct reference_key *k);
void reference_room_release(struct reference_holds *h);

/* Removes references that nobody uses until `needed` more bytes fit, under the bound and on the
 * disk; returns the bytes that there are, at least 0: fewer than needed where others are in use. */
int64_t reference_room_make(const char *cache, int64_t most_bytes, int64_t needed);

/* Counts the references in the cache. */
void reference_room_count(const char *cache, size_t *n, int64_t *bytes);

#endif
