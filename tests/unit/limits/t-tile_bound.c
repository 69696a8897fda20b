/* Bounds that are fitted to verdicts: sums that separate, the fewest terms, round figures, several
 * sums where one does not do, and what follows without asking.
 * covers: tile_bound.c */
#include "tuner/workload/limits/tile_bound.h"

#include "tests/tap.h"
#include "tuner/base/buf.h"

static const tile_product products[] = {1, 2, 3};
static const char *const names[] = {"M", "N"};

static struct tile_points points(const struct tile_point *list, size_t n)
{
	return (struct tile_points){
		.list = list, .n = n, .capacity = 1000, .products = products, .n_products = 3};
}

/* Fits and checks that the bound separates all points. */
static struct tile_bound fit(const struct tile_points *p)
{
	struct tile_bound b;
	struct buf out = {0};

	tile_bound_fit(p, &b);
	tile_bound_print(&b, names, 2, "9999", &out);
	for (size_t i = 0; i < p->n; i++)
		tap_int(tile_bound_bytes(&b, p->list[i].sizes) <= p->capacity, p->list[i].fits,
			"%s: point %zu of %zu", buf_str(&out), i, p->n);
	buf_fini(&out);
	return b;
}

static void test_fit(void)
{
	/* 4 M N: 250 elements of 4 bytes fit. */
	static const struct tile_point tile[] = {
		{{10, 25}, true}, {{25, 10}, true}, {{10, 26}, false}, {{26, 10}, false}};
	/* 2 M N + 30 N */
	static const struct tile_point vector[] = {
		{{10, 20}, true}, {{35, 10}, true}, {{10, 21}, false}, {{36, 10}, false}};
	/* 5 M N or 20 N */
	static const struct tile_point two[] = {
		{{10, 20}, true}, {{20, 10}, true},  {{200, 1}, true},  {{4, 50}, true},
		{{1, 50}, true},  {{10, 21}, false}, {{21, 10}, false}, {{201, 1}, false},
		{{1, 51}, false}, {{2, 51}, false},  {{3, 51}, false}};
	struct tile_points p = points(tile, 4);
	struct tile_bound b = fit(&p);
	struct buf out = {0};

	tile_bound_print(&b, names, 2, "9999", &out);
	tap_str(buf_str(&out), "4 * M * N", "a round figure of one term");
	buf_clear(&out);
	p = points(vector, 4);
	b = fit(&p);
	tap_int(b.n, 1, "one sum");
	tap_int(b.sums[0].n, 2, "of two terms");
	p = points(two, 11);
	b = fit(&p);
	tap_int(b.n, 2, "two sums");
	p = points(two, 5);
	b = fit(&p);
	tile_bound_print(&b, names, 2, "9999", &out);
	tap_str(buf_str(&out), "0", "what is never refused has no bound");
	buf_fini(&out);
}

/* The lowest quarter of a wide gap, for the need lies anywhere in it. */
static void test_wide_gap(void)
{
	static const struct tile_point wide[] = {{{1, 50}, true}, {{1, 100}, false}};
	struct tile_points p = points(wide, 2);
	struct tile_bound b;

	p.products = products + 1;
	p.n_products = 1;
	tile_bound_fit(&p, &b);
	tap_ok(tile_bound_bytes(&b, wide[1].sizes) > 1000, "what is refused is left out");
	tap_ok(tile_bound_bytes(&b, wide[1].sizes) < 1200, "by little");
}

static void test_exceptions(void)
{
	/* The planner refuses (10, 10) and takes all that is larger: no sum can say so. */
	static const struct tile_point odd[] = {
		{{10, 10}, false}, {{10, 20}, true}, {{20, 10}, true}, {{20, 20}, false}};
	struct tile_points p = points(odd, 4);
	struct tile_bound b;

	tile_bound_fit(&p, &b);
	tap_ok(tile_bound_bytes(&b, odd[3].sizes) > 1000, "what can be foreseen is");
	tap_ok(tile_bound_bytes(&b, odd[0].sizes) <= 1000, "an exception is not");
	const int64_t beside[TILE_MAX_SIZES] = {15, 11};
	tap_ok(tile_bound_bytes(&b, beside) <= 1000, "nor is what lies beside it");
	struct buf out = {0};
	b = (struct tile_bound){.n_exceptions = 2, .exceptions = {{10, 10}, {3, 4}}};
	tile_bound_print(&b, names, 2, "9999", &out);
	tap_str(buf_str(&out), "9999 * (M == 10 and N == 10 or M == 3 and N == 4)",
		"unless it is named");
	tap_ok(tile_bound_bytes(&b, odd[0].sizes) > 1000, "which leaves it out");
	tap_ok(tile_bound_bytes(&b, beside) == 0, "and nothing beside it");
	b.n = 1;
	b.sums[0] = (struct bound_sum){.n = 1, .products = {3}, .bytes = {2.5}};
	buf_clear(&out);
	tile_bound_print(&b, names, 2, "9999", &out);
	tap_has(buf_str(&out), "max(2.5 * M * N, 9999 * (M == 10", "beside the sums");
	buf_fini(&out);
}

static void test_implied(void)
{
	static const struct tile_point some[] = {
		{{10, 20}, true}, {{20, 10}, true}, {{40, 10}, false}, {{10, 40}, false}};
	const struct tile_points p = points(some, 4), none = points(some, 0);
	const int64_t inside[TILE_MAX_SIZES] = {14, 14}, above[TILE_MAX_SIZES] = {40, 11},
		      open[TILE_MAX_SIZES] = {16, 16};

	tap_ok(tile_bound_implies_fit(&p, inside), "less than a mixture of what fits");
	tap_ok(!tile_bound_implies_fit(&p, open), "more than that");
	tap_ok(tile_bound_implies_refusal(&p, above), "more than what is refused");
	tap_ok(!tile_bound_implies_refusal(&p, open), "less than that");
	tap_ok(!tile_bound_implies_refusal(&p, inside), "nor what fits");
	tap_ok(!tile_bound_implies_fit(&none, inside), "nothing follows from nothing");
	tap_ok(!tile_bound_implies_refusal(&none, above), "neither way");
}

int main(void)
{
	test_fit();
	test_wide_gap();
	test_exceptions();
	test_implied();
	return tap_done();
}
