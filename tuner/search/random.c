/* Uniformly random, without replacement: draws are rejected when known, until half of the space is
 * known; then what is left is listed and shuffled, so that every order of the space is equally
 * likely and no ask takes long. */
#include <stdlib.h>

#include "tuner/base/rng.h"
#include "tuner/model/space.h"
#include "tuner/search/index_set.h"
#include "tuner/search/strategies.h"

struct strategy {
	const struct space *space;
	struct rng rng;
	struct index_set known; /* asked or told */
	uint64_t *rest;         /* listed when half is known */
	uint64_t n_rest;
};

static enum asc_status random_new(const struct space *space, uint64_t seed, struct strategy **out,
				  struct asc_err *e)
{
	struct strategy *s = calloc(1, sizeof *s);

	if (!s)
		return asc_err_nomem(e);
	s->space = space;
	rng_init(&s->rng, seed);
	index_set_init(&s->known);
	*out = s;
	return ASC_OK;
}

static void random_free(struct strategy *s)
{
	if (!s)
		return;
	index_set_fini(&s->known);
	free(s->rest);
	free(s);
}

/* False when out of memory: the search then ends early rather than repeat a configuration. */
static bool list_rest(struct strategy *s)
{
	uint64_t index = SPACE_BEGIN;

	s->rest = malloc((space_count(s->space) - s->known.count + 1) * sizeof *s->rest);
	if (!s->rest)
		return false;
	while (space_next(s->space, &index))
		if (!index_set_has(&s->known, index))
			s->rest[s->n_rest++] = index;
	return true;
}

static bool take_from_rest(struct strategy *s, uint64_t *index)
{
	while (s->n_rest > 0) {
		uint64_t at = rng_below(&s->rng, s->n_rest);

		*index = s->rest[at];
		s->rest[at] = s->rest[--s->n_rest];
		if (!index_set_has(&s->known, *index))
			return true;
	}
	return false;
}

static bool random_ask(struct strategy *s, uint64_t *index)
{
	if (!s->rest && 2 * s->known.count < space_count(s->space)) {
		do
			*index = space_sample(s->space, &s->rng);
		while (index_set_has(&s->known, *index));
		return index_set_add(&s->known, *index);
	}
	if (!s->rest && !list_rest(s))
		return false;
	return take_from_rest(s, index) && index_set_add(&s->known, *index);
}

static void random_tell(struct strategy *s, uint64_t index, enum result_status status, double ns)
{
	(void)status, (void)ns;
	index_set_add(&s->known, index);
}

const struct strategy_ops strategy_random = {
	.version = STRATEGY_OPS_VERSION,
	.name = "random",
	.summary = "uniformly random, without replacement",
	.new = random_new,
	.free = random_free,
	.ask = random_ask,
	.tell = random_tell,
};
