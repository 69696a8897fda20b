/* Launches for a problem and their results, so that equal code in an equal launch is
 * measured once: the second configuration has the first one's result.
 *
 * The caller owns the storage: a zeroed struct launch_record is empty; launch_record_clear(). */
#ifndef ASCTUNE_RUN_LAUNCH_RECORD_H
#define ASCTUNE_RUN_LAUNCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/hash.h"
#include "tuner/results/result.h"

struct artifact;
struct plan;

struct launch_entry {
	uint64_t id;              /* identifier of the trial */
	char key[HASH_TEXT_SIZE]; /* of launch_add() for each call */
	bool measured;            /* `result` was measured for this trial, and still stands */
	struct result result;
};

struct launch_record {
	struct launch_entry *list; /* oldest first */
	size_t n, room;
};

/* Adds the artifact's content (its name, where nothing was built) and its launch to a key. */
void launch_add(struct hash *h, const struct artifact *a, const char *entry,
		const struct plan *plan);

/* Notes a result (NULL: another one's was taken) under a key, unless there is no memory. */
void launch_record_add(struct launch_record *r, uint64_t id, const char *key,
		       const struct result *result);

/* Finds an equal launch that was measured; NULL: there is none. */
const struct launch_entry *launch_record_find(const struct launch_record *r, const char *key);

/* Finds another trial with the launch of `id`, after *at entries, which is advanced; false: none.
 * The results of these launches are not found any more. */
bool launch_record_next_equal(struct launch_record *r, uint64_t id, size_t *at, uint64_t *other);

void launch_record_clear(struct launch_record *r);

#endif
