#include "tuner/workload/limits/placement.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/workload/limits/limits.h"

/* Offsets for tiles that live at some steps only, so that tiles of different steps share bytes.
 *
 * 1. No arrangement can help where the tiles of one step need more than there is (placement_peak).
 * 2. One after another, without sharing (stack): enough for most kernels, and easiest to read.
 * 3. First fit in four orders (fit_first): each tile at the lowest offset at which it meets no
 *    other. Which order works depends on the lifetimes; each costs next to nothing.
 * 4. Every arrangement, with a bound on time (arrange_all): only this proves that there is none.
 *
 * A wrong "does not fit" would take configurations from a space, so a failure without a proof has a
 * status of its own (ASC_LIMIT). */

enum { MAX_NAMED = 32 }; /* tiles in a message; more are counted */

static bool lives_at(const struct placement_tile *t, int64_t step)
{
	return t->first <= step && step <= t->last;
}

static int64_t add_bounded(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int64_t live_bytes(const struct memory_space *s, const struct placement_tile *tiles,
			  size_t n, int64_t step)
{
	int64_t sum = 0;

	/* Saturated: sizes come from formulas, and a sum that wraps would fit. */
	for (size_t i = 0; i < n; i++)
		if (lives_at(&tiles[i], step))
			sum = add_bounded(sum, memory_space_round(s, tiles[i].bytes));
	return sum;
}

/* Looks only at steps where a tile begins: the sum grows nowhere else. */
int64_t placement_peak(const struct memory_space *s, const struct placement_tile *tiles, size_t n,
		       int64_t *step)
{
	int64_t peak = 0;

	*step = 0;
	for (size_t i = 0; i < n; i++) {
		const int64_t sum = live_bytes(s, tiles, n, tiles[i].first);
		/* The first of equal steps: a message should not depend on the order of
		 * tiles. */
		if (sum < peak || (sum == peak && (peak == 0 || tiles[i].first >= *step)))
			continue;
		peak = sum;
		*step = tiles[i].first;
	}
	return peak;
}

/* ---- the search: first fit, then every arrangement ---- */

struct search {
	const struct memory_space *space;
	struct placement_tile *tiles;
	size_t n;
	int64_t *size;           /* size of each tile, rounded up */
	bool *placed;            /* whether each tile has its offset */
	size_t *order;           /* order in which first fit takes the tiles */
	size_t tries, max_tries; /* of the search for arrangements: tiles put somewhere */
};

/* Bound of the exact search, in comparisons of two tiles: half a second. */
static const size_t max_comparisons = (size_t)1 << 28;
enum { MAX_TRIES = 1000000 }; /* of few tiles, which max_comparisons hardly bounds */

static bool meet(const struct placement_tile *a, const struct placement_tile *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* ---- first fit ---- */

/* Lowest offset at which tile `t` meets no placed one. */
static int64_t lowest_offset(const struct search *q, size_t t)
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
			/* Above the tile that is in the way. Then all tiles are compared again: an
			 * earlier one may be in the way now. */
			offset = high;
			moved = true;
		}
	}
	return offset;
}

static bool first_fit(struct search *q)
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

static int64_t by_size(const struct search *q, size_t t)
{
	return -q->size[t];
}

static int64_t by_life(const struct search *q, size_t t)
{
	return q->tiles[t].first - q->tiles[t].last;
}

static int64_t by_start(const struct search *q, size_t t)
{
	return q->tiles[t].first;
}

static int64_t by_end(const struct search *q, size_t t)
{
	return -q->tiles[t].last;
}

static bool fit_first(struct search *q)
{
	static int64_t (*const keys[])(const struct search *, size_t) = {by_start, by_size, by_life,
									 by_end};

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
		for (size_t i = 0; i < q->n; i++) {
			size_t at = i;
			/* By insertion, which keeps equal tiles in the order of the file: the same
			 * answer every time. */
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
static int64_t height(const struct search *q, size_t t)
{
	int64_t top = 0;

	for (size_t i = 0; i < q->n; i++)
		if (q->placed[i] && meet(&q->tiles[i], &q->tiles[t]) &&
		    q->tiles[i].offset + q->size[i] > top)
			top = q->tiles[i].offset + q->size[i];
	return top;
}

/* True when, at the step where tile `t` begins, the tiles that are left fit above the placed ones.
 */
static bool has_room(const struct search *q, size_t t)
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

/* True when an equal earlier tile is still to be placed: trying both would repeat the same. */
static bool has_twin(const struct search *q, size_t t)
{
	for (size_t i = 0; i < t; i++)
		if (!q->placed[i] && q->size[i] == q->size[t] &&
		    q->tiles[i].first == q->tiles[t].first && q->tiles[i].last == q->tiles[t].last)
			return true;
	return false;
}

static bool arrange(struct search *q, size_t n_placed, int64_t floor)
{
	if (n_placed == q->n)
		return true;
	/* Cut off as soon as any step has no room for the tiles that are left: this is what makes
	 * the search end in time. */
	for (size_t i = 0; i < q->n; i++)
		if (!has_room(q, i))
			return false;
	for (size_t t = 0; t < q->n && q->tries < q->max_tries; t++) {
		const int64_t offset = q->placed[t] ? -1 : height(q, t);

		/* Offsets never fall: each arrangement is built in one order only. Placed tiles
		 * have -1 and fail this too. */
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

/* Having found none, it has tried all arrangements if tries < max_tries. */
static bool arrange_all(struct search *q)
{
	/* Cost of one try: each tile is compared with all tiles. */
	const size_t most = max_comparisons / q->n / q->n + 1;

	q->tries = 0;
	q->max_tries = most < MAX_TRIES ? most : MAX_TRIES;
	for (size_t i = 0; i < q->n; i++)
		q->placed[i] = false;
	return arrange(q, 0, 0);
}

/* ---- the whole ---- */

static void print_tiles(const struct placement_tile *tiles, size_t n, int64_t step, struct buf *out)
{
	size_t named = 0;

	for (size_t i = 0; i < n; i++)
		if (lives_at(&tiles[i], step) && named++ < MAX_NAMED)
			buf_print(out, "%s%s", named > 1 ? ", " : "", tiles[i].name);
	if (named > MAX_NAMED)
		buf_print(out, ", ... (%zu in all)", named);
}

static void print_need(const struct memory_space *s, int64_t bytes, struct buf *out)
{
	if (s->unit_bytes > 1)
		buf_print(out, "%lld blocks of %lld B", (long long)(bytes / s->unit_bytes),
			  (long long)s->unit_bytes);
	else
		buf_print(out, "%lld B", (long long)bytes);
}

static enum asc_status fail_full(const struct memory_space *s, const char *device,
				 const struct placement_tile *tiles, size_t n, struct asc_err *e)
{
	struct buf who = {0}, need = {0}, limit = {0};
	int64_t step;
	const int64_t peak = placement_peak(s, tiles, n, &step);

	print_tiles(tiles, n, step, &who);
	print_need(s, peak, &need);
	print_need(s, s->bytes, &limit);
	asc_err_set(e, ASC_FULL,
		    "%s of %s: the tiles alive at step %lld need %s%s, there are %s: %s", s->name,
		    device, (long long)step, buf_str(&need),
		    peak <= s->bytes ? " and cannot be arranged without overlapping" : "",
		    buf_str(&limit), buf_str(&who));
	buf_fini(&who);
	buf_fini(&need);
	buf_fini(&limit);
	return ASC_FULL;
}

static bool stack(struct search *q)
{
	int64_t top = 0;

	for (size_t i = 0; i < q->n; i++) {
		q->tiles[i].offset = top;
		/* The offsets are used only where the sum fits, which a saturated one does not. */
		top = add_bounded(top, q->size[i]);
	}
	return top <= q->space->bytes;
}

static enum asc_status find_offsets(struct search *q, const char *device, struct asc_err *e)
{
	int64_t step;

	for (size_t i = 0; i < q->n; i++)
		q->size[i] = memory_space_round(q->space, q->tiles[i].bytes);
	if (placement_peak(q->space, q->tiles, q->n, &step) > q->space->bytes)
		return fail_full(q->space, device, q->tiles, q->n, e);
	if (stack(q) || fit_first(q) || arrange_all(q))
		return ASC_OK;
	/* All arrangements have been tried: it is proved that none fits. */
	if (q->tries < q->max_tries)
		return fail_full(q->space, device, q->tiles, q->n, e);
	return asc_err_set(e, ASC_LIMIT,
			   "%s of %s: no arrangement of its %zu tiles was found among the first "
			   "%zu tried",
			   q->space->name, device, q->n, q->max_tries);
}

enum asc_status placement_find(const struct memory_space *s, const char *device,
			       struct placement_tile *tiles, size_t n, struct asc_err *e)
{
	struct search q = {.space = s,
			   .tiles = tiles,
			   .n = n,
			   .size = calloc(n + 1, sizeof *q.size),
			   .placed = calloc(n + 1, sizeof *q.placed),
			   .order = calloc(n + 1, sizeof *q.order)};
	const enum asc_status status =
		q.size && q.placed && q.order ? find_offsets(&q, device, e) : asc_err_nomem(e);

	free(q.size);
	free(q.placed);
	free(q.order);
	return status;
}
