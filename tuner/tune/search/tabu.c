/* The strategy `tabu`: tabu search. It asks a few neighbours of where it stands and moves to the
 * fastest of them, even where that is slower; what was visited is tabu. */
#include <math.h>
#include <stdlib.h>

#include "tuner/tune/search/strategy_core.h"

enum { ROUND = 8 /* neighbours that are asked before a move */ };

struct tabu {
	struct strategy base;
	size_t asked;  /* number asked in this round */
	uint64_t best; /* fastest of this round */
	double score;  /* its score; infinite: none */
	struct neighbourhood near;
};

static enum asc_status tabu_begin(struct strategy *base, struct asc_err *e)
{
	(void)e;
	((struct tabu *)base)->score = INFINITY;
	return ASC_OK;
}

static bool find_free(struct tabu *s, uint64_t *index)
{
	while (s->near.next < s->near.n) {
		*index = s->near.list[s->near.next++];
		if (strategy_is_free(&s->base, *index))
			return true;
	}
	return false;
}

/* Moves to the fastest of the round, or nowhere when all failed. */
static enum asc_status move(struct tabu *s, struct asc_err *e)
{
	s->asked = 0;
	if (isinf(s->score))
		return ASC_OK;
	s->score = INFINITY;
	return neighbourhood_find(&s->base, s->best, &s->near, e);
}

static enum asc_status tabu_next(struct strategy *base, uint64_t *index, bool *found,
				 struct asc_err *e)
{
	struct tabu *s = (struct tabu *)base;

	*found = s->asked < ROUND && find_free(s, index);
	/* A round ends when all of its results are there, so that the fastest of them is known. */
	if (!*found && base->pending > 0)
		return ASC_OK;
	if (!*found) {
		if (move(s, e))
			return e->status;
		*found = find_free(s, index);
	}
	s->asked++;
	return *found ? ASC_OK : strategy_draw(base, index, found, e);
}

static enum asc_status tabu_learn(struct strategy *base, uint64_t index, const struct result *r,
				  double score, struct asc_err *e)
{
	struct tabu *s = (struct tabu *)base;

	(void)r;
	(void)e;
	if (score < s->score) {
		s->score = score;
		s->best = index;
	}
	return ASC_OK;
}

static void tabu_end(struct strategy *base)
{
	free(((struct tabu *)base)->near.list);
}

const struct strategy_ops strategy_tabu = {
	.name = "tabu",
	.summary = "tabu search: to the fastest of a few neighbours, never back",
	.size = sizeof(struct tabu),
	.begin = tabu_begin,
	.end = tabu_end,
	.next = tabu_next,
	.learn = tabu_learn,
};
