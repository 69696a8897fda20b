#include "tuner/results/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ERROR = 0.05; /* relative error of a peak */

const struct peak *peaks_find(const struct peaks *p, const char *unit, const char *type)
{
	static const struct peak unknown;

	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->rows[i].unit, unit) == 0 && strcmp(p->rows[i].type, type) == 0)
			return &p->rows[i];
	return &unknown;
}

struct peak *peaks_row(struct peaks *p, const char *unit, const char *type)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->rows[i].unit, unit) == 0 && strcmp(p->rows[i].type, type) == 0)
			return &p->rows[i];
	if (p->n == PEAKS_MAX)
		return NULL;
	struct peak *row = &p->rows[p->n++];
	*row = (struct peak){0};
	(void)snprintf(row->unit, sizeof row->unit, "%s", unit);
	(void)snprintf(row->type, sizeof row->type, "%s", type);
	return row;
}

void peaks_add(struct peaks *p, const char *unit, const char *type, double rate)
{
	struct peak *row = peaks_row(p, unit, type);

	if (!row || !(rate > 0))
		return;
	row->rate = fmax(row->rate, rate);
	row->low = row->moments == 0 ? rate : fmin(row->low, rate);
	row->moments++;
}

void peaks_join(struct peaks *p, const struct peaks *later)
{
	for (size_t i = 0; i < later->n; i++) {
		const struct peak *from = &later->rows[i];
		struct peak *row = peaks_row(p, from->unit, from->type);

		if (!row || !(from->rate > 0))
			continue;
		row->rate = row->moments == 0 ? from->rate : fmax(row->rate, from->rate);
		row->low = row->moments == 0 ? from->low : fmin(row->low, from->low);
		row->moments += from->moments;
	}
}

struct roof peaks_roof(const struct peaks *p, enum dtype type)
{
	return (struct roof){peaks_find(p, PEAK_ARITHMETIC, dtype_name(type))->rate,
			     peaks_find(p, PEAK_MEMORY, "")->rate};
}

bool roofline_is_exceeded(const struct roof *r, double flops, double ns)
{
	return r->flops > 0 && flops > 0 && ns > 0 && 1e9 * flops / ns > (1 + ERROR) * r->flops;
}

bool roofline_place(const struct roof *r, double flops, double bytes, double ns,
		    struct roofline *out)
{
	const double peak = r->flops, bandwidth = r->bandwidth;

	*out = (struct roofline){0};
	/* A NaN fails these comparisons and so counts as unknown. */
	if (!(peak > 0 && bandwidth > 0 && flops > 0 && bytes > 0 && ns > 0) ||
	    roofline_is_exceeded(r, flops, ns))
		return false;
	out->intensity = flops / bytes;
	double by_memory = out->intensity * bandwidth;
	bool memory = by_memory < peak;

	out->bound = memory ? "memory" : "compute";
	out->attainable = memory ? by_memory : peak;
	out->part = 1e9 * flops / ns / out->attainable;
	if (!memory && out->part > 1)
		out->part = 1;
	return true;
}

bool roofline_is_cached(const struct roofline *r)
{
	return r->bound && strcmp(r->bound, "memory") == 0 && r->part > 1;
}

double roofline_part_pct(const struct roofline *r)
{
	return r->bound && !roofline_is_cached(r) ? 100 * r->part : 0;
}
