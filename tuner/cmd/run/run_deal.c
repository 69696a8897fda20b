#include "tuner/cmd/run/run_deal.h"

#include <stdbool.h>

void run_deal_begin(struct run_deal *d)
{
	double took = 0, work = 0, all = 0;
	size_t known = 0;

	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].took > 0 && d->items[i].work > 0) {
			took += d->items[i].took;
			work += d->items[i].work;
		}
	const double rate = work > 0 ? took / work : 1;
	bool mixed = false; /* times without a rate do not compare with work */

	for (size_t i = 0; work <= 0 && i < d->n; i++)
		mixed |= d->items[i].took > 0;
	for (size_t i = 0; i < d->n; i++) {
		struct deal_item *x = &d->items[i];

		x->expected = x->took > 0 ? x->took : mixed ? 0 : x->work * rate;
		all += x->expected;
		known += x->expected > 0;
	}
	for (size_t i = 0; known > 0 && i < d->n; i++)
		if (!(d->items[i].expected > 0))
			d->items[i].expected = all / (double)known;
}

/* Order of what a device takes; more comes first. */
static int rank(const struct deal_item *x, size_t device)
{
	return x->begun == device ? 2 : x->begun == DEAL_NONE ? 1 : 0;
}

size_t run_deal_find(const struct run_deal *d, size_t device)
{
	size_t best = DEAL_NONE;

	for (size_t i = 0; i < d->n; i++) {
		const struct deal_item *x = &d->items[i];

		if (x->state != DEAL_OPEN)
			continue;
		if (best == DEAL_NONE) {
			best = i;
			continue;
		}
		const int more = rank(x, device) - rank(&d->items[best], device);

		if (more > 0 || (more == 0 && x->expected > d->items[best].expected))
			best = i;
	}
	return best;
}

size_t run_deal_count(const struct run_deal *d, enum deal_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += d->items[i].state == state;
	return n;
}
