#include "tuner/tune/search/population.h"

#include <math.h>

static size_t find_slowest(const struct population *p)
{
	size_t slowest = 0;

	for (size_t i = 1; i < p->n; i++)
		if (p->members[i].score > p->members[slowest].score)
			slowest = i;
	return slowest;
}

void population_add(struct population *p, const struct space *space, uint64_t index, double score)
{
	const size_t slowest = find_slowest(p);
	struct member *place = &p->members[slowest];

	if (isinf(score) || (p->n == POPULATION_MAX && score >= place->score))
		return;
	if (p->n < POPULATION_MAX)
		place = &p->members[p->n++];
	place->index = index;
	place->score = score;
	space_get_picks(space, index, place->picks);
}

const struct member *population_draw(const struct population *p, struct rng *r)
{
	return &p->members[rng_below(r, p->n)];
}

enum asc_status population_next(struct strategy *s, const struct population *p,
				population_cross_fn *cross, uint64_t *index, bool *found,
				struct asc_err *e)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	*found = false;
	for (int i = 0; p->n == POPULATION_MAX && !*found && i < POPULATION_TRIES; i++) {
		cross(s, picks);
		*found = space_find_picks(s->space, picks, index) &&
			 !visits_find(&s->visits, *index);
	}
	return *found ? ASC_OK : strategy_draw(s, index, found, e);
}
