/* The strategy `genetic`: a genetic algorithm of the steady state. Each new configuration has each
 * value from one of two parents, which won a tournament, and a few values at random. */
#include "tuner/tune/search/population.h"

enum { TOURNAMENT = 3 };

struct genetic {
	struct strategy base;
	struct population population;
};

static const struct member *choose_parent(struct genetic *s)
{
	const struct member *best = population_draw(&s->population, &s->base.rng);

	for (int i = 1; i < TOURNAMENT; i++) {
		const struct member *other = population_draw(&s->population, &s->base.rng);

		best = other->score < best->score ? other : best;
	}
	return best;
}

/* Crosses two parents uniformly, and mutates one parameter on average. */
static void cross(struct strategy *base, uint16_t *picks)
{
	struct genetic *s = (struct genetic *)base;
	const struct member *a = choose_parent(s), *b = choose_parent(s);
	const size_t n = space_params(base->space);

	for (size_t i = 0; i < n; i++) {
		picks[i] = (rng_below(&base->rng, 2) ? a : b)->picks[i];
		if (rng_below(&base->rng, n) == 0)
			picks[i] = (uint16_t)rng_below(&base->rng, space_param(base->space, i)->n);
	}
}

static enum asc_status genetic_next(struct strategy *base, uint64_t *index, bool *found,
				    struct asc_err *e)
{
	return population_next(base, &((struct genetic *)base)->population, cross, index, found, e);
}

static enum asc_status genetic_learn(struct strategy *base, uint64_t index, const struct result *r,
				     double score, struct asc_err *e)
{
	(void)r;
	(void)e;
	population_add(&((struct genetic *)base)->population, base->space, index, score);
	return ASC_OK;
}

const struct strategy_ops strategy_genetic = {
	.name = "genetic",
	.summary = "genetic algorithm: crossing and mutation of the fastest",
	.size = sizeof(struct genetic),
	.next = genetic_next,
	.learn = genetic_learn,
};
