/* The strategy `exhaustive`: every configuration once, in the order of the space. */
#include <stdlib.h>

#include "tuner/search/index_set.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space.h"

struct strategy {
	const struct space *space;
	uint64_t last; /* last index asked, or SPACE_BEGIN */
	struct index_set skipped;
};

static enum asc_status exhaustive_new(const struct strategy_options *o, struct strategy **out,
				      struct asc_err *e)
{
	struct strategy *s = calloc(1, sizeof *s);

	if (!s)
		return asc_err_nomem(e);
	s->space = o->space;
	s->last = SPACE_BEGIN;
	index_set_init(&s->skipped);
	*out = s;
	return ASC_OK;
}

static void exhaustive_free(struct strategy *s)
{
	if (s)
		index_set_fini(&s->skipped);
	free(s);
}

static enum asc_status exhaustive_ask(struct strategy *s, uint64_t *list, size_t *n,
				      struct asc_err *e)
{
	const size_t most = *n;

	(void)e;
	for (*n = 0; *n < most && space_next(s->space, &s->last);)
		if (!index_set_has(&s->skipped, s->last))
			list[(*n)++] = s->last;
	return ASC_OK;
}

static enum asc_status exhaustive_skip(struct strategy *s, uint64_t index, struct asc_err *e)
{
	return index_set_add(&s->skipped, index, e);
}

const struct strategy_ops strategy_exhaustive = {
	.name = "exhaustive",
	.summary = "every valid configuration, in order",
	.new = exhaustive_new,
	.free = exhaustive_free,
	.ask = exhaustive_ask,
	.skip = exhaustive_skip,
};
