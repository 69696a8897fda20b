#include "tuner/model/roofline.h"

#include <string.h>

static const double ERROR = 0.05; /* of a peak, relative */

void peak_add(struct peak *p, double rate)
{
	if (!(rate > 0))
		return;
	p->rate = rate > p->rate ? rate : p->rate;
	p->low = p->moments == 0 || rate < p->low ? rate : p->low;
	p->moments++;
}

void peak_join(struct peak *p, const struct peak *later)
{
	if (!(later->rate > 0))
		return;
	if (p->moments == 0) {
		*p = *later;
		return;
	}
	p->rate = later->rate > p->rate ? later->rate : p->rate;
	p->low = later->low < p->low ? later->low : p->low;
	p->moments += later->moments;
}

bool roofline_is_exceeded(const struct peaks *p, double flops, double ns)
{
	return p->arithmetic.rate > 0 && flops > 0 && ns > 0 &&
	       1e9 * flops / ns > (1 + ERROR) * p->arithmetic.rate;
}

bool roofline_place(const struct peaks *p, double flops, double bytes, double ns,
		    struct roofline *out)
{
	const double peak = p->arithmetic.rate, bandwidth = p->memory.rate;

	*out = (struct roofline){0};
	/* Written so that a NaN is not known either. */
	if (!(peak > 0 && bandwidth > 0 && flops > 0 && bytes > 0 && ns > 0) ||
	    roofline_is_exceeded(p, flops, ns))
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
