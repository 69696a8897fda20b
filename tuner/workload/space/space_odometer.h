/* The combinations of the parameters that one rule reads. Private to tuner/workload/space/space*.c.
 *
 * The caller owns the storage; space and rule are borrowed. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_ODOMETER_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_ODOMETER_H

#include "tuner/workload/space/space_core.h"

struct odometer {
	const struct space *space;
	const size_t *used;
	size_t n;
	size_t picks[CONFIG_MAX_PARAMETERS];
	struct value slots[CONFIG_MAX_PARAMETERS]; /* the combination, for expr_eval() */
};

/* Starts at the first combination. */
void odometer_init(struct odometer *o, const struct space *s, const struct expr *x);

/* Number of combinations; `most` where there are more. */
size_t odometer_count(const struct odometer *o, size_t most);

/* Goes to the next combination; false after the last one. */
bool odometer_next(struct odometer *o);

#endif
