#include "tuner/workload/space/space_odometer.h"

void odometer_init(struct odometer *o, const struct space *s, const struct expr *x)
{
	*o = (struct odometer){.space = s};
	o->n = expr_slots(x, &o->used);
	for (size_t i = 0; i < o->n; i++)
		o->slots[o->used[i]] = s->params[o->used[i]].values[0];
}

size_t odometer_count(const struct odometer *o, size_t most)
{
	size_t count = 1;

	for (size_t i = 0; i < o->n; i++) {
		const size_t n = o->space->params[o->used[i]].n;

		if (count > most / n)
			return most;
		count *= n;
	}
	return count;
}

bool odometer_next(struct odometer *o)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct space_param *p = &o->space->params[o->used[i]];

		o->picks[i] = (o->picks[i] + 1) % p->n;
		o->slots[o->used[i]] = p->values[o->picks[i]];
		if (o->picks[i] != 0)
			return true;
	}
	return false;
}
