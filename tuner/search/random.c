/* The strategy `random`: uniformly random, without replacement, by the space's indices in a random
 * order, without those that others ask. */
#include <stdlib.h>

#include "tuner/search/index_set.h"
#include "tuner/search/shuffle.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

struct strategy {
	struct shuffle order;
	struct index_set skipped;
};

static enum asc_status random_new(const struct strategy_options *o, struct strategy **out,
				  struct asc_err *e)
{
	struct strategy *s = calloc(1, sizeof *s);

	if (!s)
		return asc_err_nomem(e);
	shuffle_init(&s->order, space_count(o->space), o->seed);
	index_set_init(&s->skipped);
	*out = s;
	return ASC_OK;
}

static void random_free(struct strategy *s)
{
	if (!s)
		return;
	index_set_fini(&s->skipped);
	shuffle_fini(&s->order);
	free(s);
}

static enum asc_status random_ask(struct strategy *s, uint64_t *list, size_t *n, struct asc_err *e)
{
	const size_t most = *n;

	for (*n = 0; *n < most && s->order.left > 0;) {
		if (shuffle_draw(&s->order, &list[*n], e))
			return e->status;
		*n += !index_set_has(&s->skipped, list[*n]);
	}
	return ASC_OK;
}

static enum asc_status random_skip(struct strategy *s, uint64_t index, struct asc_err *e)
{
	return index_set_add(&s->skipped, index, e);
}

const struct strategy_ops strategy_random = {
	.name = "random",
	.summary = "uniformly random, without replacement",
	.new = random_new,
	.free = random_free,
	.ask = random_ask,
	.skip = random_skip,
};
