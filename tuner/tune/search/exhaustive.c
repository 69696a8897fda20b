/* The strategies that learn nothing. `exhaustive`: every configuration once, in the order of the
 * space; configurations that a history knows come first, the best before the others. `random`:
 * uniformly, without replacement, which is what other strategies are compared with. */
#include "tuner/tune/search/strategy_core.h"

struct exhaustive {
	struct strategy base;
	uint64_t at; /* the next index to look at */
};

static enum asc_status exhaustive_next(struct strategy *base, uint64_t *index, bool *found,
				       struct asc_err *e)
{
	struct exhaustive *s = (struct exhaustive *)base;

	(void)e;
	while (s->at < space_count(base->space) && !strategy_is_free(base, s->at))
		s->at++;
	*index = s->at;
	*found = s->at < space_count(base->space);
	return ASC_OK;
}

const struct strategy_ops strategy_exhaustive = {
	.name = "exhaustive",
	.summary = "every valid configuration, in order",
	.size = sizeof(struct exhaustive),
	.whole = true,
	.next = exhaustive_next,
};

const struct strategy_ops strategy_random = {
	.name = "random",
	.summary = "uniformly random, without replacement",
	.size = sizeof(struct strategy),
	.next = strategy_draw,
};
