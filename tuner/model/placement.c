#include "tuner/model/placement.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/model/limits.h"
#include "tuner/model/placement_search.h"

enum { MAX_NAMED = 32 };

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

	for (size_t i = 0; i < n; i++)
		if (lives_at(&tiles[i], step))
			sum = add_bounded(sum, memory_space_round(s, tiles[i].bytes));
	return sum;
}

/* The sum only grows where a tile begins. */
int64_t placement_peak(const struct memory_space *s, const struct placement_tile *tiles, size_t n,
		       int64_t *step)
{
	int64_t peak = 0;

	*step = 0;
	for (size_t i = 0; i < n; i++) {
		const int64_t sum = live_bytes(s, tiles, n, tiles[i].first);
		if (sum < peak || (sum == peak && (peak == 0 || tiles[i].first >= *step)))
			continue;
		peak = sum;
		*step = tiles[i].first;
	}
	return peak;
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

static bool stack(struct placement_search *q)
{
	int64_t top = 0;

	for (size_t i = 0; i < q->n; i++) {
		q->tiles[i].offset = top;
		top = add_bounded(top, q->size[i]);
	}
	return top <= q->space->bytes;
}

static enum asc_status find_offsets(struct placement_search *q, const char *device,
				    struct asc_err *e)
{
	int64_t step;

	for (size_t i = 0; i < q->n; i++)
		q->size[i] = memory_space_round(q->space, q->tiles[i].bytes);
	if (placement_peak(q->space, q->tiles, q->n, &step) > q->space->bytes)
		return fail_full(q->space, device, q->tiles, q->n, e);
	if (stack(q) || placement_fit_first(q) || placement_arrange(q))
		return ASC_OK;
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
	struct placement_search q = {.space = s,
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
