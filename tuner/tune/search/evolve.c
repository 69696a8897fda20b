/* The strategy `evolve`: differential evolution over the positions of values in their lists. A new
 * configuration is the fastest one plus half the difference of two others, in about half of its
 * parameters; the rest is a third one's. */
#include "tuner/tune/search/population.h"

struct evolve {
	struct strategy base;
	struct population population;
};

static const struct member *find_best(const struct population *p)
{
	const struct member *best = &p->members[0];

	for (size_t i = 1; i < p->n; i++)
		best = p->members[i].score < best->score ? &p->members[i] : best;
	return best;
}

/* Position `at` moved by half of `step`, rounded either way with equal chances, within 0 .. n-1. */
static uint16_t shift(struct rng *r, int at, int step, size_t n)
{
	const int half = (step + (step < 0 ? -1 : 1) * (int)rng_below(r, 2)) / 2;
	const int moved = at + half, last = (int)n - 1;

	return (uint16_t)(moved < 0 ? 0 : moved > last ? last : moved);
}

static void cross(struct strategy *base, uint16_t *picks)
{
	const struct population *p = &((struct evolve *)base)->population;
	const struct member *from =
		rng_below(&base->rng, 2) ? find_best(p) : population_draw(p, &base->rng);
	const struct member *target = population_draw(p, &base->rng);
	const struct member *a = population_draw(p, &base->rng);
	const struct member *b = population_draw(p, &base->rng);

	for (size_t i = 0; i < space_params(base->space); i++) {
		picks[i] = target->picks[i];
		if (rng_below(&base->rng, 2))
			picks[i] = shift(&base->rng, from->picks[i], a->picks[i] - b->picks[i],
					 space_param(base->space, i)->n);
	}
}

static enum asc_status evolve_next(struct strategy *base, uint64_t *index, bool *found,
				   struct asc_err *e)
{
	return population_next(base, &((struct evolve *)base)->population, cross, index, found, e);
}

static enum asc_status evolve_learn(struct strategy *base, uint64_t index, const struct result *r,
				    double score, struct asc_err *e)
{
	(void)r;
	(void)e;
	population_add(&((struct evolve *)base)->population, base->space, index, score);
	return ASC_OK;
}

const struct strategy_ops strategy_evolve = {
	.name = "evolve",
	.summary = "differential evolution over positions of values",
	.size = sizeof(struct evolve),
	.next = evolve_next,
	.learn = evolve_learn,
};
