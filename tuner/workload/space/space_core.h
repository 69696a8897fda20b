/* The members of a space, and the combinations of one of its rules; private to
 * tuner/workload/space/space*.c.
 *
 * space.c owns all of it. A configuration inside the space is a pick per parameter: the position
 * of its value in the parameter's list. The diagram's levels are the parameters in an order of its
 * own. */
#ifndef ASCTUNE_WORKLOAD_SPACE_SPACE_CORE_H
#define ASCTUNE_WORKLOAD_SPACE_SPACE_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/workload/space/diagram.h"
#include "tuner/workload/space/space.h"

struct space_rule { /* an operand of the outermost `and`s of a condition: one that has to hold */
	struct expr *expr;
	char *origin;
};

struct space_memory { /* storage of a parameter's name and values */
	char *name;
	struct value *values;
};

struct space {
	struct space_param *params;
	struct space_memory *memory; /* storage of each parameter */
	size_t n;
	const char **names; /* names of the parameters, NULL-terminated */
	struct space_rule *rules;
	size_t n_rules;
	struct diagram diagram;
	size_t order[CONFIG_MAX_PARAMETERS]; /* the parameter of each level of the diagram */
	uint64_t default_index; /* the default configuration, or SPACE_NONE when there is none */
};

/* The combinations of the parameters that one rule reads, one after another. The caller owns the
 * storage; space and rule are borrowed. */
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
