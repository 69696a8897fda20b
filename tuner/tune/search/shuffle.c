#include "tuner/tune/search/shuffle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void shuffle_init(struct shuffle *s, uint64_t n, uint64_t seed)
{
	*s = (struct shuffle){.left = n};
	rng_init(&s->rng, seed);
}

void shuffle_fini(struct shuffle *s)
{
	free(s->moves);
	s->moves = NULL;
}

/* Finds the entry of a place, or the free one for it. */
static struct shuffle_move *find_move(const struct shuffle *s, uint64_t place)
{
	const size_t mask = s->capacity - 1;
	size_t at = (size_t)((place * 0x9E3779B97F4A7C15U) >> 20) & mask;

	while (s->moves[at].place != UINT64_MAX && s->moves[at].place != place)
		at = (at + 1) & mask;
	return &s->moves[at];
}

static enum asc_status grow(struct shuffle *s, struct asc_err *e)
{
	const struct shuffle old = *s;

	s->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
	s->moves = malloc(s->capacity * sizeof *s->moves);
	if (!s->moves) {
		*s = old;
		return asc_err_nomem(e);
	}
	memset(s->moves, 0xFF, s->capacity * sizeof *s->moves);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.moves[i].place != UINT64_MAX)
			*find_move(s, old.moves[i].place) = old.moves[i];
	}
	free(old.moves);
	return ASC_OK;
}

static uint64_t number_at(const struct shuffle *s, uint64_t place)
{
	const struct shuffle_move *m = find_move(s, place);

	return m->place == place ? m->number : place;
}

/* Draws by Fisher and Yates' shuffle of an array that exists only where it was touched: the last
 * number takes the place of the drawn one. */
enum asc_status shuffle_draw(struct shuffle *s, uint64_t *number, struct asc_err *e)
{
	assert(s->left > 0);
	/* Three quarters full: beyond that, runs of taken places get long. */
	if (4 * (s->n_moves + 1) > 3 * s->capacity && grow(s, e))
		return e->status;
	const uint64_t place = rng_below(&s->rng, s->left);
	const uint64_t last = number_at(s, --s->left);
	struct shuffle_move *m = find_move(s, place);

	*number = m->place == place ? m->number : place;
	s->n_moves += m->place != place;
	*m = (struct shuffle_move){place, last};
	return ASC_OK;
}
