#include "tuner/model/placement_search.h"

#include "tuner/model/limits.h"
#include "tuner/model/placement.h"

/* The exact search may take so many comparisons of two tiles: half a second. */
static const size_t max_comparisons = (size_t)1 << 28;
enum { MAX_TRIES = 1000000 };

static bool meet(const struct placement_tile *a, const struct placement_tile *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* ---- first fit ---- */

/* The lowest offset at which tile `t` meets none of the placed ones. */
static int64_t lowest_offset(const struct placement_search *q, size_t t)
{
	int64_t offset = 0;
	bool moved = true;

	while (moved) {
		moved = false;
		for (size_t i = 0; i < q->n; i++) {
			const int64_t low = q->tiles[i].offset, high = low + q->size[i];

			if (!q->placed[i] || !meet(&q->tiles[i], &q->tiles[t]) || high <= offset ||
			    offset + q->size[t] <= low)
				continue;
			offset = high;
			moved = true;
		}
	}
	return offset;
}

static bool first_fit(struct placement_search *q)
{
	for (size_t i = 0; i < q->n; i++)
		q->placed[i] = false;
	for (size_t i = 0; i < q->n; i++) {
		const size_t t = q->order[i];

		q->tiles[t].offset = lowest_offset(q, t);
		q->placed[t] = true;
		if (q->tiles[t].offset + q->size[t] > q->space->bytes)
			return false;
	}
	return true;
}

static int64_t by_size(const struct placement_search *q, size_t t)
{
	return -q->size[t];
}

static int64_t by_life(const struct placement_search *q, size_t t)
{
	return q->tiles[t].first - q->tiles[t].last;
}

static int64_t by_start(const struct placement_search *q, size_t t)
{
	return q->tiles[t].first;
}

static int64_t by_end(const struct placement_search *q, size_t t)
{
	return -q->tiles[t].last;
}

bool placement_fit_first(struct placement_search *q)
{
	static int64_t (*const keys[])(const struct placement_search *,
				       size_t) = {by_start, by_size, by_life, by_end};

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		for (size_t i = 0; i < q->n; i++) {
			size_t at = i;
			for (; at > 0 && keys[k](q, q->order[at - 1]) > keys[k](q, i); at--)
				q->order[at] = q->order[at - 1];
			q->order[at] = i;
		}
		if (first_fit(q))
			return true;
	}
	return false;
}

/* ---- every arrangement ---- */

/* Any arrangement can be pushed down until each tile lies at 0 or on one that lives with it, and
 * then be built from the lowest offset upwards. So it is enough to put, again and again, any of the
 * remaining tiles on top of the placed ones that it meets, never below the one put last. */
static int64_t height(const struct placement_search *q, size_t t)
{
	int64_t top = 0;

	for (size_t i = 0; i < q->n; i++)
		if (q->placed[i] && meet(&q->tiles[i], &q->tiles[t]) &&
		    q->tiles[i].offset + q->size[i] > top)
			top = q->tiles[i].offset + q->size[i];
	return top;
}

/* At the step where tile `t` begins: what is left has to go above what is placed. */
static bool has_room(const struct placement_search *q, size_t t)
{
	const int64_t step = q->tiles[t].first;
	int64_t top = 0, left = 0;

	for (size_t i = 0; i < q->n; i++) {
		if (q->tiles[i].first > step || step > q->tiles[i].last)
			continue;
		if (!q->placed[i])
			left += q->size[i];
		else if (q->tiles[i].offset + q->size[i] > top)
			top = q->tiles[i].offset + q->size[i];
	}
	return top + left <= q->space->bytes;
}

static bool is_hopeless(const struct placement_search *q)
{
	for (size_t i = 0; i < q->n; i++)
		if (!has_room(q, i))
			return true;
	return false;
}

/* An earlier tile like this one that is still to be placed: trying both would be twice the same. */
static bool has_twin(const struct placement_search *q, size_t t)
{
	for (size_t i = 0; i < t; i++)
		if (!q->placed[i] && q->size[i] == q->size[t] &&
		    q->tiles[i].first == q->tiles[t].first && q->tiles[i].last == q->tiles[t].last)
			return true;
	return false;
}

static bool arrange(struct placement_search *q, size_t n_placed, int64_t floor)
{
	if (n_placed == q->n)
		return true;
	if (is_hopeless(q))
		return false;
	for (size_t t = 0; t < q->n && q->tries < q->max_tries; t++) {
		const int64_t offset = q->placed[t] ? -1 : height(q, t);

		if (offset < floor || has_twin(q, t))
			continue;
		q->tries++;
		q->placed[t] = true;
		q->tiles[t].offset = offset;
		if (arrange(q, n_placed + 1, offset))
			return true;
		q->placed[t] = false;
	}
	return false;
}

bool placement_arrange(struct placement_search *q)
{
	/* Each looks at all tiles for each of them. */
	const size_t most = max_comparisons / q->n / q->n + 1;

	q->tries = 0;
	q->max_tries = most < MAX_TRIES ? most : MAX_TRIES;
	for (size_t i = 0; i < q->n; i++)
		q->placed[i] = false;
	return arrange(q, 0, 0);
}
