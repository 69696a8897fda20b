/* Tiles with lifetimes in memory spaces: what fits is placed without overlap, what does not is said
 * to be so. Whether small random cases fit is checked against every arrangement, found naively.
 * covers: placement.c */
#include "tuner/workload/limits/placement.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/limits/limits.h"

enum { MAX_TILES = 300, NAME_SIZE = 24 };

static struct memory_space small(int64_t units)
{
	return (struct memory_space){"treg", units * 4096, 4096, 4096, units};
}

/* Placed inside the space, at multiples of its alignment, without overlap? */
static bool is_sound(const struct memory_space *s, const struct placement_tile *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int64_t end = t[i].offset + memory_space_round(s, t[i].bytes);

		if (t[i].offset < 0 || end > s->bytes || t[i].offset % s->align)
			return false;
		for (size_t k = 0; k < i; k++)
			if (t[i].first <= t[k].last && t[k].first <= t[i].last &&
			    t[k].offset < end &&
			    t[i].offset < t[k].offset + memory_space_round(s, t[k].bytes))
				return false;
	}
	return true;
}

static void fill_live(struct placement_tile *t, char (*names)[NAME_SIZE], size_t n, int64_t bytes)
{
	for (size_t i = 0; i < n; i++) {
		snprintf(names[i], sizeof names[i], "t%zu", i);
		t[i] = (struct placement_tile){names[i], bytes, 0, 0, -1};
	}
}

static void test_treg(void)
{
	static char names[MAX_TILES][NAME_SIZE];
	struct placement_tile t[MAX_TILES];
	struct limits l;
	struct asc_err e;
	const int64_t tile = 128 * 128 * 4;

	limits_find("SuperscalarNPU", &l);
	const struct memory_space *treg = limits_space(&l, "treg");
	fill_live(t, names, 16, tile);
	tap_int(placement_find(treg, l.name, t, 16, &e), ASC_OK, "16 tiles of 128 x 128 f32");
	tap_ok(is_sound(treg, t, 16), "lie side by side");
	fill_live(t, names, 17, tile);
	tap_int(placement_find(treg, l.name, t, 17, &e), ASC_FULL, "the 17th does not fit");
	tap_str(e.text,
		"treg of SuperscalarNPU: the tiles alive at step 0 need 272 blocks of 4096 B, "
		"there "
		"are 256 blocks of 4096 B: t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, "
		"t13, t14, t15, t16",
		"space, need, limit and tiles are named");
	fill_live(t, names, 257, 1);
	tap_int(placement_find(treg, l.name, t, 256, &e), ASC_OK, "256 tiles of a byte");
	tap_int(placement_find(treg, l.name, t, 257, &e), ASC_FULL, "257 are too many");
	tap_has(e.text, "need 257 blocks", "their number is said");
	t[0].last = 0;
	t[256].first = t[256].last = 1;
	for (size_t i = 1; i < 256; i++)
		t[i].last = 1;
	tap_int(placement_find(treg, l.name, t, 257, &e), ASC_OK,
		"but not when one dies before another");
	tap_int(t[256].offset, t[0].offset, "whose place it takes");
}

static void test_reuse(void)
{
	struct memory_space s = small(3);
	struct placement_tile t[] = {{"a", 4096, 0, 1, -1},
				     {"b", 4096, 1, 2, -1},
				     {"c", 8192, 3, 4, -1},
				     {"d", 4096, 0, 4, -1}};
	struct asc_err e;

	tap_int(placement_find(&s, "x", t, 4, &e), ASC_OK, "reuse of what has died");
	tap_ok(is_sound(&s, t, 4), "is sound");
	struct placement_tile big = {"big", INT64_MAX, 0, 0, -1};
	tap_int(placement_find(&s, "x", &big, 1, &e), ASC_FULL, "more than any memory");
	tap_int(placement_find(&s, "x", NULL, 0, &e), ASC_OK, "no tiles at all");
}

/* Every tile at every block, one tile after another. */
static bool exists(const struct memory_space *s, struct placement_tile *t, size_t n, size_t at)
{
	if (at == n)
		return true;
	for (t[at].offset = 0; t[at].offset + memory_space_round(s, t[at].bytes) <= s->bytes;
	     t[at].offset += s->align)
		if (is_sound(s, t, at + 1) && exists(s, t, n, at + 1))
			return true;
	return false;
}

static void test_exact(void)
{
	struct rng r;
	int wrong = 0, unsound = 0;

	rng_init(&r, 7);
	for (int round = 0; round < 3000; round++) {
		struct placement_tile t[8], naive[8];
		const size_t n = 4 + rng_below(&r, 4);
		struct memory_space s = small(6);
		struct asc_err e;

		for (size_t i = 0; i < n; i++) {
			t[i] = (struct placement_tile){"t", (int64_t)(1 + rng_below(&r, 4)) * 4096,
						       (int64_t)rng_below(&r, 6), 0, -1};
			t[i].last = t[i].first + (int64_t)rng_below(&r, 4);
		}
		memcpy(naive, t, sizeof naive);
		const bool fits = exists(&s, naive, n, 0);
		const enum asc_status status = placement_find(&s, "x", t, n, &e);
		wrong += (status == ASC_OK) != fits;
		unsound += status == ASC_OK && !is_sound(&s, t, n);
	}
	tap_int(wrong, 0, "what fits is placed, what does not is refused");
	tap_int(unsound, 0, "every placement is sound");
}

/* No step needs more than there is, and yet nothing fits. */
static void test_fragments(void)
{
	struct memory_space s = small(5);
	struct placement_tile t[] = {{"a", 2 * 4096, 3, 6, -1}, {"b", 3 * 4096, 7, 9, -1},
				     {"c", 1 * 4096, 2, 3, -1}, {"d", 3 * 4096, 0, 2, -1},
				     {"e", 2 * 4096, 6, 7, -1}, {"f", 2 * 4096, 0, 0, -1},
				     {"g", 1 * 4096, 2, 6, -1}};
	const size_t n = sizeof t / sizeof *t;
	struct asc_err e;
	int64_t step;

	tap_int(placement_peak(&s, t, n, &step), 5 * 4096, "the peak is what there is");
	tap_int(step, 0, "at this step first");
	tap_ok(!exists(&s, t, n, 0), "no arrangement exists");
	tap_int(placement_find(&s, "x", t, n, &e), ASC_FULL, "that is found out");
	tap_has(e.text, "cannot be arranged without overlapping", "the message says it");
}

/* The more tiles, the fewer arrangements are tried: each costs as many comparisons as there are
 * pairs. */
static void test_many(void)
{
	struct memory_space s = {"ub", 0, 1, 1, 0};
	struct placement_tile t[64];
	const size_t n = sizeof t / sizeof *t;
	struct asc_err e;
	struct rng r;
	int64_t step;

	rng_init(&r, 3);
	for (size_t i = 0; i < n; i++) {
		const int64_t first = (int64_t)rng_below(&r, 40);
		t[i] = (struct placement_tile){"t", 1000 + (int64_t)rng_below(&r, 9000) * 7, first,
					       first + 1 + (int64_t)rng_below(&r, 12), -1};
	}
	s.bytes = placement_peak(&s, t, n, &step);
	tap_int(placement_find(&s, "x", t, n, &e), ASC_LIMIT, "64 tiles: too many arrangements");
	tap_has(e.text, "no arrangement of its 64 tiles was found among the first 65537 tried",
		"the message says it");
}

int main(void)
{
	test_treg();
	test_reuse();
	test_exact();
	test_fragments();
	test_many();
	return tap_done();
}
