/* The strategy `anneal`: simulated annealing. From where it stands it moves to a neighbour that is
 * faster, and with a chance that falls with temperature and loss to one that is slower. */
#include <math.h>
#include <stdlib.h>

#include "tuner/tune/search/strategy_core.h"

/* Temperature at first, in parts of the time where it stands: a neighbour that is half as slow
 * again is taken in one of e cases. */
static const double HOTTEST = 0.5;
enum {
	COOLING = 400, /* results in a cooling, where the budget is no number of trials */
	MAX_KNOWN = 64 /* moves over known neighbours until it goes somewhere else: they cost no
			  trial, and could go round for ever */
};

struct anneal {
	struct strategy base;
	bool placed;
	double score; /* score where it stands */
	struct neighbourhood near;
};

/* e to the minus x for x >= 0, by multiplications alone: (1 + x/256)^-256. */
static double decay(double x)
{
	double y = 1 / (1 + x / 256);

	for (int i = 0; i < 8; i++)
		y *= y;
	return y;
}

/* Temperature: falls with the fourth power of the rest of the budget. */
static double temperature(const struct strategy *base)
{
	const uint64_t length = base->options.trials ? base->options.trials : COOLING;
	const double left = 1 - (double)(base->told % length) / (double)length;

	return HOTTEST * left * left * left * left;
}

static bool accepts(struct anneal *s, double score)
{
	if (!s->placed || score <= s->score)
		return !isinf(score); /* nobody can stand at a failure: it has no time to compare */
	const double loss = (score - s->score) / s->score;

	return rng_uniform(&s->base.rng) < decay(loss / temperature(&s->base));
}

static enum asc_status judge(struct anneal *s, uint64_t index, double score, struct asc_err *e)
{
	if (!accepts(s, score))
		return ASC_OK;
	s->placed = true;
	s->score = score;
	return neighbourhood_find(&s->base, index, &s->near, e);
}

static enum asc_status anneal_next(struct strategy *base, uint64_t *index, bool *found,
				   struct asc_err *e)
{
	struct anneal *s = (struct anneal *)base;

	*found = false;
	for (int known = 0; known < MAX_KNOWN && s->near.next < s->near.n; known++) {
		*index = s->near.list[s->near.next++];
		const struct visit *visit = visits_find(&base->visits, *index);

		*found = strategy_is_free(base, *index);
		if (*found)
			return ASC_OK;
		if (visit && !isnan(visit->score) && judge(s, *index, visit->score, e))
			return e->status;
	}
	if (base->pending > 0) /* its result may be the next place */
		return ASC_OK;
	s->placed = false;
	return strategy_draw(base, index, found, e);
}

static enum asc_status anneal_learn(struct strategy *base, uint64_t index, const struct result *r,
				    double score, struct asc_err *e)
{
	(void)r;
	return judge((struct anneal *)base, index, score, e);
}

static void anneal_end(struct strategy *base)
{
	free(((struct anneal *)base)->near.list);
}

const struct strategy_ops strategy_anneal = {
	.name = "anneal",
	.summary = "simulated annealing, cooled down over the budget",
	.size = sizeof(struct anneal),
	.end = anneal_end,
	.next = anneal_next,
	.learn = anneal_learn,
};
