/* Labels that would lie over each other go to rows of their own. */
#ifndef ASCTUNE_PLOT_LABEL_ROWS_H
#define ASCTUNE_PLOT_LABEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>

enum { LABEL_ROWS = 4, LABEL_ROW_HEIGHT = 16 };

struct label_rows {
	double ends[LABEL_ROWS]; /* pixels where the last label of each row ends */
	size_t used;             /* rows */
};

/* Labels come from left to right. The row of one from `start` to `end` pixels, or LABEL_ROWS when
 * there is none left. */
size_t label_rows_place(struct label_rows *r, double start, double end);

#endif
