/* The strategy `climb`: hill climbing with restarts. It moves to the first neighbour that is
 * faster; where none is, it begins again somewhere else. */
#include <math.h>
#include <stdlib.h>

#include "tuner/tune/search/strategy_core.h"

struct climb {
	struct strategy base;
	bool placed;    /* it stands at a configuration; else it waits for the one it starts from */
	uint64_t start; /* where it will stand */
	bool started;   /* `start` was asked */
	double score;   /* score where it stands */
	struct neighbourhood near; /* neighbours of where it stands */
};

static enum asc_status move(struct climb *s, uint64_t index, double score, struct asc_err *e)
{
	s->placed = true;
	s->started = false;
	s->score = score;
	return neighbourhood_find(&s->base, index, &s->near, e);
}

/* Looks through the neighbours for one to ask, and moves to any that is known to be faster. */
static enum asc_status look_around(struct climb *s, uint64_t *index, bool *found, struct asc_err *e)
{
	*found = false;
	while (s->near.next < s->near.n) {
		*index = s->near.list[s->near.next++];
		const struct visit *known = visits_find(&s->base.visits, *index);

		*found = strategy_is_free(&s->base, *index);
		if (*found)
			break;
		if (known && known->score < s->score && move(s, *index, known->score, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status climb_next(struct strategy *base, uint64_t *index, bool *found,
				  struct asc_err *e)
{
	struct climb *s = (struct climb *)base;

	*found = false;
	if (s->placed && look_around(s, index, found, e))
		return e->status;
	if (*found || base->pending > 0)
		return ASC_OK;
	/* No neighbour is faster: a local optimum, so it starts anew. */
	s->placed = false;
	if (strategy_draw(base, index, found, e))
		return e->status;
	s->start = *index;
	s->started = *found;
	return ASC_OK;
}

static enum asc_status climb_learn(struct strategy *base, uint64_t index, const struct result *r,
				   double score, struct asc_err *e)
{
	struct climb *s = (struct climb *)base;
	const bool better = !s->started && score < (s->placed ? s->score : INFINITY);

	(void)r;
	/* Results come in any order: while the start of a new climb is awaited, those of the climb
	 * before are not gone to. */
	if (s->started && index == s->start && isinf(score))
		s->started = false;
	else if (better || (s->started && index == s->start))
		return move(s, index, score, e);
	return ASC_OK;
}

static void climb_end(struct strategy *base)
{
	free(((struct climb *)base)->near.list);
}

const struct strategy_ops strategy_climb = {
	.name = "climb",
	.summary = "hill climbing with restarts, one parameter at a time",
	.size = sizeof(struct climb),
	.end = climb_end,
	.next = climb_next,
	.learn = climb_learn,
};
