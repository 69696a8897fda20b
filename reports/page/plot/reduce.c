#include "reports/page/plot/reduce.h"

#include <math.h>
#include <stdlib.h>

struct column {
	size_t low, high; /* indices + 1 */
};

static enum asc_status keep_extremes(const double *places, const double *values, size_t n,
				     size_t columns, struct reduction *out, struct asc_err *e)
{
	struct column *list = calloc(columns, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const double at = places[i] * (double)columns;
		/* A place outside the axis belongs to the column at its edge. */
		const size_t number = !(at > 0)              ? 0
				      : at < (double)columns ? (size_t)at
							     : columns - 1;
		struct column *c = &list[number];

		if (!isfinite(values[i]) || !isfinite(places[i]))
			continue;
		if (!c->low || values[i] < values[c->low - 1])
			c->low = i + 1;
		if (!c->high || values[i] > values[c->high - 1])
			c->high = i + 1;
	}
	for (size_t c = 0; c < columns; c++)
		if (list[c].low) {
			reduction_keep(out, list[c].low - 1);
			reduction_keep(out, list[c].high - 1);
		}
	free(list);
	return ASC_OK;
}

enum asc_status reduce_columns(const double *places, const double *values, size_t n, size_t most,
			       struct reduction *out, struct asc_err *e)
{
	size_t finite = 0;

	*out = (struct reduction){.keep = calloc(n + 1, sizeof *out->keep)};
	if (!out->keep)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		finite += isfinite(values[i]) && isfinite(places[i]);
	/* Two of each column: as many columns as half the points that are wanted. */
	if (finite > most)
		return keep_extremes(places, values, n, most / 2 + 1, out, e);
	for (size_t i = 0; i < n; i++)
		if (isfinite(values[i]) && isfinite(places[i]))
			reduction_keep(out, i);
	return ASC_OK;
}

void reduction_keep(struct reduction *r, size_t index)
{
	r->kept += !r->keep[index];
	r->keep[index] = true;
}

void reduction_fini(struct reduction *r)
{
	free(r->keep);
	*r = (struct reduction){0};
}
