#include "tuner/model/roofline.h"

#include <string.h>

struct peaks peaks_choose(const struct peaks *p, bool halves)
{
	struct peaks chosen = *p;

	if (halves && p->matrix_flops > 0)
		chosen.flops = p->matrix_flops;
	return chosen;
}

bool roofline_place(const struct peaks *p, double flops, double bytes, double ns,
		    struct roofline *out)
{
	*out = (struct roofline){0};
	/* Written so that a NaN is not known either. */
	if (!(p->flops > 0 && p->bandwidth > 0 && flops > 0 && bytes > 0 && ns > 0))
		return false;
	out->intensity = flops / bytes;
	double by_memory = out->intensity * p->bandwidth;
	bool memory = by_memory < p->flops;

	out->bound = memory ? "memory" : "compute";
	out->attainable = memory ? by_memory : p->flops;
	out->part = 1e9 * flops / ns / out->attainable;
	return true;
}

bool roofline_is_cached(const struct roofline *r)
{
	return r->bound && strcmp(r->bound, "memory") == 0 && r->part > 1;
}
