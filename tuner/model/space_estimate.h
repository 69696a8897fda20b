/* How much the values of a space's rules can vary, roughly, before any parameter is fixed: what the
 * order of the parameters is chosen by. Private to tuner/model/space*.c.
 *
 * The caller owns the storage: space_estimate_init(), space_estimate_fini(). */
#ifndef ASCTUNE_MODEL_SPACE_ESTIMATE_H
#define ASCTUNE_MODEL_SPACE_ESTIMATE_H

#include "tuner/model/space_graph.h"

struct space_estimate {
	double *bits; /* of each node: log2 of how many values it takes */
	bool *used;   /* of each node: by a root */
	double *kept; /* of each root: log2 of the part of all combinations on which it holds */
	double choices[CONFIG_MAX_PARAMETERS]; /* of each parameter: log2 of its values */
};

enum asc_status space_estimate_init(struct space_estimate *x, const struct space_graph *g,
				    struct asc_err *e);
void space_estimate_fini(struct space_estimate *x);

#endif
