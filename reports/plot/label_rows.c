#include "reports/plot/label_rows.h"

enum { GAP = 6 };

size_t label_rows_place(struct label_rows *r, double start, double end)
{
	for (size_t row = 0; row < LABEL_ROWS; row++) {
		if (row < r->used && start < r->ends[row] + GAP)
			continue;
		r->ends[row] = end;
		if (row >= r->used)
			r->used = row + 1;
		return row;
	}
	return LABEL_ROWS;
}
