/* The strategies `genetic` and `evolve`: evolutionary searches. Both keep a population, the fastest
 * configurations so far as the positions of their values, and combine members of it.
 *
 * `genetic`: a genetic algorithm of the steady state. Each new configuration has each value from
 * one of two parents, which won a tournament (crossover), and about one at random (mutation).
 *
 * `evolve`: differential evolution. A new configuration is the fastest one, or any, plus half the
 * difference of two others, in about half of its parameters; the rest is a third one's. */
#include <math.h>

#include "tuner/tune/search/strategy_core.h"

enum {
	MEMBERS = 20,  /* small, since budgets are: every member is a measured configuration */
	TRIES = 30,    /* new configurations that are made until one is valid and not visited */
	TOURNAMENT = 3 /* members of which the fastest is a parent */
};

struct member {
	uint64_t index;
	double score;
	uint16_t picks[CONFIG_MAX_PARAMETERS];
};

struct evolution {
	struct strategy base;
	struct member members[MEMBERS];
	size_t n;
};

static const struct member *draw(struct evolution *s)
{
	return &s->members[rng_below(&s->base.rng, s->n)];
}

/* Makes the next configuration with `cross`, which writes the picks of one. Draws at random while
 * there are too few members, and where nothing new comes of many tries. */
static enum asc_status find_next(struct evolution *s,
				 void (*cross)(struct evolution *s, uint16_t *picks),
				 uint64_t *index, bool *found, struct asc_err *e)
{
	const size_t tries = strategy_draws(&s->base, TRIES);
	uint16_t picks[CONFIG_MAX_PARAMETERS];

	*found = false;
	for (size_t i = 0; s->n == MEMBERS && !*found && i < tries; i++) {
		cross(s, picks);
		*found = space_find_picks(s->base.space, picks, index) &&
			 strategy_is_free(&s->base, *index);
	}
	return *found ? ASC_OK : strategy_draw(&s->base, index, found, e);
}

/* Takes a result: it replaces the slowest member where that is slower. A failure is no member: what
 * failed has nothing to pass on. */
static enum asc_status learn(struct strategy *base, uint64_t index, const struct result *r,
			     double score, struct asc_err *e)
{
	struct evolution *s = (struct evolution *)base;
	struct member *place = &s->members[0];

	(void)r;
	(void)e;
	for (size_t i = 1; i < s->n; i++)
		if (s->members[i].score > place->score)
			place = &s->members[i];
	if (isinf(score) || (s->n == MEMBERS && score >= place->score))
		return ASC_OK;
	if (s->n < MEMBERS)
		place = &s->members[s->n++];
	place->index = index;
	place->score = score;
	space_get_picks(base->space, index, place->picks);
	return ASC_OK;
}

/* ---- genetic ---- */

static const struct member *choose_parent(struct evolution *s)
{
	const struct member *best = draw(s);

	for (int i = 1; i < TOURNAMENT; i++) {
		const struct member *other = draw(s);

		best = other->score < best->score ? other : best;
	}
	return best;
}

/* Crosses two parents uniformly, and mutates one parameter on average. */
static void cross_parents(struct evolution *s, uint16_t *picks)
{
	struct rng *rng = &s->base.rng;
	const struct member *a = choose_parent(s), *b = choose_parent(s);
	const size_t n = space_params(s->base.space);

	for (size_t i = 0; i < n; i++) {
		picks[i] = (rng_below(rng, 2) ? a : b)->picks[i];
		if (rng_below(rng, n) == 0)
			picks[i] = (uint16_t)rng_below(rng, space_param(s->base.space, i)->n);
	}
}

static enum asc_status genetic_next(struct strategy *base, uint64_t *index, bool *found,
				    struct asc_err *e)
{
	return find_next((struct evolution *)base, cross_parents, index, found, e);
}

const struct strategy_ops strategy_genetic = {
	.name = "genetic",
	.summary = "genetic algorithm: crossing and mutation of the fastest",
	.size = sizeof(struct evolution),
	.next = genetic_next,
	.learn = learn,
};

/* ---- evolve ---- */

/* Adds half the difference of two members to a third, in about half of the parameters. */
static void add_difference(struct evolution *s, uint16_t *picks)
{
	struct rng *rng = &s->base.rng;
	const struct member *from = NULL;

	/* Half of the time from the fastest, which converges; else from any, which explores. */
	if (rng_below(rng, 2)) {
		from = &s->members[0];
		for (size_t i = 1; i < s->n; i++)
			from = s->members[i].score < from->score ? &s->members[i] : from;
	} else {
		from = draw(s);
	}
	const struct member *target = draw(s), *a = draw(s), *b = draw(s);

	for (size_t i = 0; i < space_params(s->base.space); i++) {
		picks[i] = target->picks[i];
		if (rng_below(rng, 2) == 0)
			continue;
		/* An odd difference is halved up or down with equal chances: always down, steps of
		 * 1 would be none. */
		const int step = a->picks[i] - b->picks[i];
		const int half = (step + (step < 0 ? -1 : 1) * (int)rng_below(rng, 2)) / 2;
		const int moved = from->picks[i] + half;
		const int last = (int)space_param(s->base.space, i)->n - 1;

		picks[i] = (uint16_t)(moved < 0 ? 0 : moved > last ? last : moved);
	}
}

static enum asc_status evolve_next(struct strategy *base, uint64_t *index, bool *found,
				   struct asc_err *e)
{
	return find_next((struct evolution *)base, add_difference, index, found, e);
}

const struct strategy_ops strategy_evolve = {
	.name = "evolve",
	.summary = "differential evolution over positions of values",
	.size = sizeof(struct evolution),
	.next = evolve_next,
	.learn = learn,
};
