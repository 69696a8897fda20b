/* The rule of what stands: a configuration passed on a device and problem, and has not failed there
 * since, whatever the cache policy. It is decided here and nowhere else. */
#ifndef ASCTUNE_RESULTS_STANDS_H
#define ASCTUNE_RESULTS_STANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/result/result.h"

struct stands_trial {
	int64_t recorded_ms, id;
	bool found;
};

/* The trials of one configuration: the newest that passed, and the newest failure that counts. */
struct stands {
	struct stands_trial passed, failed;
};

/* True for a failure that withdraws what passed before: the kernel computes something wrong, or
 * does not end in order. A kernel that can no longer be built may still be right. */
bool stands_fails(enum result_status status);

/* True for the later of two trials: times can be equal, numbers run on. */
bool stands_is_later(int64_t recorded_ms, int64_t id, int64_t than_ms, int64_t than_id);

/* Adds a trial of the configuration, in any order; zeroed at first. */
void stands_add(struct stands *s, enum result_status status, int64_t recorded_ms, int64_t id);

/* True for a configuration that passed and has not failed since. */
bool stands_holds(const struct stands *s);

/* True for a configuration that failed and has not passed since. */
bool stands_is_withdrawn(const struct stands *s);

#endif
