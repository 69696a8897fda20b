/* Few configurations for all problems: tables whose answers are known by the way they are made, and
 * random ones beside what the nearest problem's best configuration loses.
 * covers: cover.c cover_costs.c cover_tree.c */
#include "reports/tables/cover.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { MOST_PROBLEMS = 64, MOST_CONFIGS = 40, AXES = 2 };

static const struct cover_limits exact = {1, 16, 0};

/* ---- tables ---- */

struct made { /* a table that a test fills in */
	int64_t sizes[MOST_PROBLEMS][AXES];
	double times_ns[MOST_PROBLEMS * MOST_CONFIGS];
	struct cover_table table;
};

typedef double time_fn(const int64_t *sizes, size_t config);

/* Sizes 1, 2, 4, ... below 2^side in both axes, where `part` of 2 takes every second one: 0 the
 * even, 1 the odd ones; 2 takes all. */
static void make(struct made *m, int side, int part, size_t n_configs, time_fn *time)
{
	struct cover_table *t = &m->table;

	*t = (struct cover_table){.n_configs = n_configs,
				  .n_axes = AXES,
				  .sizes = m->sizes[0],
				  .times_ns = m->times_ns};
	for (int i = 0; i < side * side; i++) {
		const int x = i / side, y = i % side;

		if (part != 2 && (x + y) % 2 != part)
			continue;
		m->sizes[t->n_problems][0] = INT64_C(1) << x;
		m->sizes[t->n_problems][1] = INT64_C(1) << y;
		for (size_t k = 0; k < n_configs; k++)
			m->times_ns[t->n_problems * n_configs + k] =
				time(m->sizes[t->n_problems], k);
		t->n_problems++;
	}
}

static bool choose(const struct cover_table *t, struct cover_limits limits, struct cover *out)
{
	struct asc_err e = {ASC_OK, ""};

	return tap_int(cover_choose(t, limits, out, &e), ASC_OK, "a cover is chosen%s", e.text);
}

static uint32_t find(const struct cover *c, int64_t x, int64_t y)
{
	const int64_t sizes[AXES] = {x, y};

	return cover_find(c, sizes);
}

/* ---- what is split by ---- */

static double by_size(const int64_t *sizes, size_t config)
{
	return config == (sizes[0] > 8) ? 100 : 200;
}

static double by_quotient(const int64_t *sizes, size_t config)
{
	return config == (sizes[0] > sizes[1]) ? 100 : 150;
}

static double by_product(const int64_t *sizes, size_t config)
{
	return config == (sizes[0] * sizes[1] > 256) ? 100 : 150;
}

static void test_splits(void)
{
	static const struct {
		const char *name;
		time_fn *time;
		enum cover_measure measure;
		double least, most; /* bounds of where the split is */
	} kinds[] = {{"a size", by_size, COVER_SIZE, 8, 15},
		     {"a quotient", by_quotient, COVER_QUOTIENT, 1, 2},
		     {"a product", by_product, COVER_PRODUCT, 256, 511}};
	static struct made m;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct cover c = {0};

		make(&m, 8, 2, 2, kinds[i].time);
		if (!choose(&m.table, exact, &c))
			continue;
		tap_int((long)c.n_nodes, 3, "%s: one split", kinds[i].name);
		tap_int(c.nodes[0].split.measure, kinds[i].measure, "%s is what it splits by",
			kinds[i].name);
		tap_ok(c.nodes[0].split.at >= kinds[i].least &&
			       c.nodes[0].split.at <= kinds[i].most,
		       "%s: the split is between the two (%g)", kinds[i].name, c.nodes[0].split.at);
		tap_int((long)c.n_configs, 2, "%s: two configurations", kinds[i].name);
		tap_real(c.loss, 0, 1e-12, "%s: nothing is lost", kinds[i].name);
		tap_int(find(&c, 1, 2), 0, "%s: one serves below", kinds[i].name);
		tap_int(find(&c, 1 << 20, 1), 1, "%s: the other above", kinds[i].name);
		cover_fini(&c);
	}
}

/* Two of eight sizes, in the middle, have a configuration of their own, which is bad elsewhere: no
 * single split gains anything. */
static double in_the_middle(const int64_t *sizes, size_t config)
{
	const bool middle = sizes[0] == 8 || sizes[0] == 16;

	return config == 0 ? (middle ? 300 : 100) : middle ? 100 : 0;
}

static void test_middle(void)
{
	static struct made m;
	struct cover c = {0};

	make(&m, 8, 2, 2, in_the_middle);
	if (!choose(&m.table, exact, &c))
		return;
	tap_int((long)c.n_nodes, 5, "sizes in the middle are parted from those on both sides");
	tap_int(find(&c, 4, 1), 0, "one configuration serves below");
	tap_int(find(&c, 8, 1), 1, "another one there");
	tap_int(find(&c, 32, 1), 0, "the first one above");
	tap_real(c.loss, 0, 1e-12, "nothing is lost");
	cover_fini(&c);
}

/* ---- how many ---- */

/* Three parts by the first size, with one configuration each that is 10 % faster than configuration
 * 3; all further ones are slow. */
static double in_parts(const int64_t *sizes, size_t config)
{
	const size_t part = sizes[0] < 8 ? 0 : sizes[0] < 64 ? 1 : 2;

	if (config < 3)
		return config == part ? 100 : 180;
	return config == 3 ? 110 : 300 + (double)config;
}

static void test_fewest(void)
{
	static struct made m;
	static const struct {
		struct cover_limits limits;
		long configs;
		double loss;
	} cases[] = {{{1, 16, 0}, 3, 0},
		     {{1, 16, 0.10}, 1, 0.10},
		     {{1, 16, 0.05}, 3, 0},
		     {{1, 1, 0}, 1, 0.10},
		     {{3, 3, 0.05}, 3, 0}};

	make(&m, 8, 2, 12, in_parts);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct cover c = {0};

		if (!choose(&m.table, cases[i].limits, &c))
			continue;
		tap_int((long)c.n_configs, cases[i].configs, "case %zu: as few as can be", i);
		tap_real(c.loss, cases[i].loss, 1e-9, "case %zu: the loss", i);
		tap_real(c.worst_loss, cases[i].loss, 1e-9, "case %zu: the worst one", i);
		cover_fini(&c);
	}
}

/* Configuration 0 is by far the best where it runs, which is not everywhere. */
static double with_failures(const int64_t *sizes, size_t config)
{
	if (config == 0)
		return sizes[1] == 32 ? 0 : 10;
	return config == 1 ? 100 : sizes[1] == 32 ? NAN : INFINITY;
}

static void test_failures(void)
{
	static struct made m;
	struct cover c = {0};

	make(&m, 8, 2, 3, with_failures);
	if (choose(&m.table, (struct cover_limits){1, 1, 0}, &c))
		tap_int(find(&c, 1, 1), 1, "one alone must run on all problems");
	cover_fini(&c);
	if (choose(&m.table, exact, &c)) {
		tap_int(find(&c, 4, 32), 1, "none serves where it failed");
		tap_int(find(&c, 4, 4), 0, "but elsewhere");
		tap_real(c.loss, 0, 1e-9, "nothing is lost");
	}
	cover_fini(&c);
}

/* ---- what is refused ---- */

static double never(const int64_t *sizes, size_t config)
{
	(void)config;
	return sizes[0] == 4 ? 0 : 1;
}

/* Each runs on one half. */
static double on_halves(const int64_t *sizes, size_t config)
{
	return config == (sizes[0] > 4) ? 1 : 0;
}

static void test_refused(void)
{
	static struct made m;
	struct cover c = {0};
	struct asc_err e;

	make(&m, 4, 2, 2, never);
	tap_int(cover_choose(&m.table, exact, &c, &e), ASC_NOTFOUND, "a problem without a time");
	tap_str(e.text, "no configuration ran on problem 8", "which is named");
	make(&m, 4, 2, 2, on_halves);
	tap_int(cover_choose(&m.table, (struct cover_limits){1, 1, 1}, &c, &e), ASC_NOTFOUND,
		"one for two halves");
	tap_str(e.text, "no 1 configurations ran on every problem that they serve", "says so");
	m.table.n_problems = 0;
	tap_int(cover_choose(&m.table, exact, &c, &e), ASC_INPUT, "no problems");
	tap_ok(!c.nodes && !c.configs, "leave nothing");
}

/* ---- beside the nearest ---- */

/* Tiles of 2^i x 2^j, i and j from 2 to 6: whole tiles are paid for, larger ones are more
 * efficient, and 64 of them run side by side; some noise. */
static double tiled(const int64_t *sizes, size_t config)
{
	const double x = exp2(2 + (double)(config / 5)), y = exp2(2 + (double)(config % 5));
	const double tiles = ceil((double)sizes[0] / x) * ceil((double)sizes[1] / y);
	struct rng r;

	rng_init(&r, (uint64_t)sizes[0] * 1000003 + (uint64_t)sizes[1] * 101 + config);
	return (ceil(tiles / 64) * pow(x * y, 0.7) + 20) * (1 + 0.01 * rng_normal(&r));
}

static double sum_log(const struct cover_table *t, size_t problem, size_t config)
{
	return log1p(cover_loss(t, problem, config));
}

/* The best configuration of the problem with the nearest first size among those with the same
 * second one. */
static size_t nearest_best(const struct cover_table *used, const int64_t *sizes)
{
	size_t near = 0, best = 0;
	int64_t apart = INT64_MAX;

	for (size_t p = 0; p < used->n_problems; p++) {
		const int64_t *own = used->sizes + p * AXES;

		if (own[1] == sizes[1] && llabs(own[0] - sizes[0]) < apart) {
			apart = llabs(own[0] - sizes[0]);
			near = p;
		}
	}
	for (size_t i = 1; i < used->n_configs; i++)
		if (cover_loss(used, near, i) < cover_loss(used, near, best))
			best = i;
	return best;
}

static void test_held_out(void)
{
	static struct made used, held;
	struct cover c = {0};
	double own = 0, nearest = 0;

	make(&used, 11, 0, 25, tiled);
	make(&held, 11, 1, 25, tiled);
	if (!choose(&used.table, (struct cover_limits){8, 8, 0.03}, &c))
		return;
	tap_ok(c.loss <= 0.03, "eight of 25 configurations lose %.2f %%", 100 * c.loss);
	for (size_t p = 0; p < held.table.n_problems; p++) {
		own += sum_log(&held.table, p, cover_find(&c, held.sizes[p]));
		nearest += sum_log(&held.table, p, nearest_best(&used.table, held.sizes[p]));
	}
	own = 100 * expm1(own / (double)held.table.n_problems);
	nearest = 100 * expm1(nearest / (double)held.table.n_problems);
	tap_ok(own <= nearest,
	       "on problems that were held out they lose %.2f %%, the nearest ones' best %.2f %%",
	       own, nearest);
	cover_fini(&c);
}

/* ---- estimates ---- */

static void test_estimates(void)
{
	enum { N = 2 };
	static struct made m;
	bool open[MOST_PROBLEMS * MOST_CONFIGS] = {false};
	double have[MOST_PROBLEMS * MOST_CONFIGS];

	make(&m, 8, 2, N, by_size);
	for (size_t p = 0; p < m.table.n_problems; p++) /* sizes[0] is 2^(p / 8) */
		if (p != 0 && p != 63)
			m.times_ns[p * N + 1] = 0;
	open[8 * N + 1] = open[55 * N + 1] = true;
	tap_ok(cover_estimate(&m.table, open, have), "times are estimated");
	tap_real(have[8 * N], 100, 0, "what was measured stays");
	tap_ok(have[16 * N + 1] <= 0, "and so does what is not asked for");
	tap_ok(have[8 * N + 1] / 100 > have[55 * N + 1] / 200,
	       "a configuration is estimated by the problem nearest to it (%g, %g)",
	       have[8 * N + 1], have[55 * N + 1]);
	tap_ok(have[8 * N + 1] > 100 && have[8 * N + 1] < 200,
	       "the mean of all losses has its part");
	tap_ok(have[55 * N + 1] >= 200, "nothing is faster than the fastest");
}

/* ---- memory ---- */

static enum asc_status job(struct asc_err *e)
{
	static struct made m;
	struct cover c = {0};

	make(&m, 4, 2, 6, in_parts);
	const enum asc_status status = cover_choose(&m.table, exact, &c, e);

	cover_fini(&c);
	return status;
}

int main(void)
{
	test_splits();
	test_middle();
	test_fewest();
	test_failures();
	test_refused();
	test_held_out();
	test_estimates();
	nomem_exhaust("a cover", job);
	return tap_done();
}
