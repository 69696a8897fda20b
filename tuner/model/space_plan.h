/* In which order to fix a space's parameters, and which rules can be checked after each.
 *
 * Private to tuner/model/space*.c. The order follows how the rules connect the parameters, not the
 * file: next comes what completes a rule with the fewest combinations. The caller owns the storage:
 * space_plan_init(), space_plan_fini(). The rules and parameters are borrowed. */
#ifndef ASCTUNE_MODEL_SPACE_PLAN_H
#define ASCTUNE_MODEL_SPACE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/model/space_core.h"

struct space_step {
	size_t param;    /* what is fixed here */
	uint16_t *picks; /* its values that meet the rules on it alone, ascending */
	size_t n_picks;
	size_t first_due, end_due; /* rules of `due` whose last parameter this is */
};

struct space_plan {
	struct space_step steps[CONFIG_MAX_PARAMETERS];
	size_t n;
	const struct expr **due;
	bool empty; /* nothing can be valid */
};

enum asc_status space_plan_init(struct space_plan *p, const struct space *s, struct asc_err *e);
void space_plan_fini(struct space_plan *p);

#endif
