/* Every configuration once, in the order of the space. */
#include <stdlib.h>

#include "tuner/model/space.h"
#include "tuner/search/index_set.h"
#include "tuner/search/strategies.h"

struct strategy {
	const struct space *space;
	uint64_t last;          /* asked before, or SPACE_BEGIN */
	struct index_set known; /* told without being asked */
};

static enum asc_status exhaustive_new(const struct space *space, uint64_t seed,
				      struct strategy **out, struct asc_err *e)
{
	struct strategy *s = calloc(1, sizeof *s);

	(void)seed;
	if (!s)
		return asc_err_nomem(e);
	s->space = space;
	s->last = SPACE_BEGIN;
	index_set_init(&s->known);
	*out = s;
	return ASC_OK;
}

static void exhaustive_free(struct strategy *s)
{
	if (s)
		index_set_fini(&s->known);
	free(s);
}

static bool exhaustive_ask(struct strategy *s, uint64_t *index)
{
	while (space_next(s->space, &s->last)) {
		if (index_set_has(&s->known, s->last))
			continue;
		*index = s->last;
		return true;
	}
	return false;
}

static void exhaustive_tell(struct strategy *s, uint64_t index, enum result_status status,
			    double ns)
{
	(void)status, (void)ns;
	if (s->last == SPACE_BEGIN || index > s->last)
		index_set_add(&s->known, index);
}

const struct strategy_ops strategy_exhaustive = {
	.version = STRATEGY_OPS_VERSION,
	.name = "exhaustive",
	.summary = "every valid configuration, in order",
	.new = exhaustive_new,
	.free = exhaustive_free,
	.ask = exhaustive_ask,
	.tell = exhaustive_tell,
};
