/* How often one kernel is launched and what counts as a sample, by the rule. Knows no device: the
 * caller asks how many launches come next, makes them, and reports how long they took.
 *
 * The caller owns the storage: measure_begin(), measure_fini(); the rule is borrowed. */
#ifndef ASCTUNE_RUN_MEASURE_H
#define ASCTUNE_RUN_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/run/rule.h"

struct result;

enum { MEASURE_MAX_LAUNCHES = 16 }; /* in one sample */

struct measure {
	const struct rule *rule;
	int64_t estimate_ns; /* of one launch: the latest before the first sample */
	int64_t warmups;     /* done */
	int64_t launches;    /* per sample; 0 before the first */
	int64_t spent_ns;    /* in samples */
	int64_t *samples;    /* ns a launch, heap */
	size_t n_samples, capacity;
};

/* `first_ns`: how long an earlier launch took (that of the verification). */
void measure_begin(struct measure *m, const struct rule *rule, int64_t first_ns);
void measure_fini(struct measure *m);

/* How many launches to make and time together next; 0: enough. */
int64_t measure_next(struct measure *m);

/* The launches that measure_next() asked for took `ns` together. */
enum asc_status measure_add(struct measure *m, int64_t ns, struct asc_err *e);

/* Moves the samples into `out` and summarises them. */
enum asc_status measure_end(struct measure *m, struct result *out, struct asc_err *e);

#endif
