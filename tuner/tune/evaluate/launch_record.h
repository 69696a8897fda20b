/* Launches for a problem, so that equal code in an equal launch is measured once: the second
 * configuration has the first one's result, which its owner has recorded. 32 bytes of each.
 *
 * The caller owns the storage: a zeroed struct launch_record is empty; launch_record_clear(). */
#ifndef ASCTUNE_TUNE_EVALUATE_LAUNCH_RECORD_H
#define ASCTUNE_TUNE_EVALUATE_LAUNCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/hash.h"

struct artifact;
struct plan;
struct trial;

struct launch_entry {
	uint64_t key[2];  /* trial.launch */
	uint64_t index;   /* as in struct trial, and so are the next two */
	uint64_t id : 48; /* 0: a free place */
	uint64_t search : 15;
	uint64_t measured : 1; /* its result was measured for it, and still stands */
};

struct launch_record {
	struct launch_entry *places; /* hash table by `key`, equal keys in any order */
	size_t n, capacity;          /* capacity: a power of two, or 0 */
};

/* Adds what runs of the artifact (its name, where nothing was built) and its launch to a key. */
void launch_add(struct hash *h, const struct artifact *a, const char *entry,
		const struct plan *plan);

/* Notes the launch of a trial, whose identifier is not 0, unless there is no memory; `measured`:
 * with a result of its own. */
void launch_record_add(struct launch_record *r, const struct trial *t, bool measured);

/* Finds a trial that was measured with that launch; NULL: there is none. Valid until the next
 * launch_record_add(). */
const struct launch_entry *launch_record_find(const struct launch_record *r, const char *launch);

/* Finds the trials with the launch of `id`, that one among them, behind *at places, which is
 * advanced; NULL: no further one. The results of these launches are not found any more. */
const struct launch_entry *launch_record_next_equal(struct launch_record *r, uint64_t id,
						    size_t *at);

void launch_record_clear(struct launch_record *r);

#endif
