/* Fewer points that look the same: of each column of pixels the least and the greatest. */
#ifndef ASCTUNE_PAGE_PLOT_REDUCE_H
#define ASCTUNE_PAGE_PLOT_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct reduction {
	bool *keep; /* of each point; owned */
	size_t kept;
};

/* `places` are 0 to 1 on the axis, `values` what is compared; points that are not finite are not
 * kept. All others are when they are at most `most`. */
enum asc_status reduce_columns(const double *places, const double *values, size_t n, size_t most,
			       struct reduction *out, struct asc_err *e);
void reduction_fini(struct reduction *r);

/* Keeps a point that must be seen, whatever its column. */
void reduction_keep(struct reduction *r, size_t index);

#endif
