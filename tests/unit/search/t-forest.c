/* What a model learns with: rows of configurations, results, trees, candidates.
 * covers: forest.c candidate_pool.c encoding.c training_set.c */
#include "tuner/tune/search/forest.h"

#include <math.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/tune/search/candidate_pool.h"
#include "tuner/tune/search/encoding.h"
#include "tuner/tune/search/training_set.h"
#include "tuner/workload/space/space.h"

enum { SIDE = 8 };

static struct asc_err e;

/* Parameters of powers of two, of one value, and from 0 on. */
static struct space *make_space(void)
{
	static struct value powers[SIDE], steps[SIDE];
	struct space_param params[] = {
		{"A", SIDE, powers, {0}}, {"B", 1, powers, {0}}, {"C", SIDE, steps, {0}}};
	struct space *space = NULL;

	for (int i = 0; i < SIDE; i++) {
		powers[i] = value_int(INT64_C(1) << i);
		steps[i] = value_int(10 * i);
	}
	params[0].default_value = params[1].default_value = powers[0];
	params[2].default_value = steps[0];
	tap_int(space_new(&(struct space_spec){params, 3, NULL, 0, {0}}, &space, &e), ASC_OK,
		"a space of 64");
	return space;
}

static void check_encoding(const struct space *space)
{
	struct encoding c;
	const uint16_t picks[] = {5, 0, 3};
	const float origin[] = {0, 0};
	float row[2] = {0};
	uint64_t index = 0;

	tap_ok(encoding_init(&c, space, &(struct strategy_features){0}, &e) == ASC_OK && c.n == 2,
	       "a parameter of one value is left out");
	(void)space_find_picks(space, picks, &index);
	encoding_get(&c, index, row);
	tap_ok(row[0] == 5 && row[1] == 3, "logarithm of values above 0, position of others");
	tap_ok(encoding_distance(&c, row, row) == 0 &&
		       fabsf(encoding_distance(&c, row, origin) - (25.0F + 9.0F) / 49) < 1e-6F,
	       "distances are in parts of the span");
	encoding_fini(&c);
}

/* Tells a constant, a multiple of A, a product and a sum of A and the position of C, and what has
 * no logarithm. */
static void tell(const void *user, const struct config *c, double *out)
{
	const double a = (double)c->values[0].i, b = (double)c->values[2].i / 10;

	(void)user;
	out[0] = 7;
	out[1] = 8 * a;
	out[2] = a * (b + 1);
	out[3] = a + 64 * b;
	out[4] = -b;
}

/* Features that a workload tells: those are kept that are neither constant nor a sum or difference
 * of others. */
static void check_told(const struct space *space)
{
	const struct strategy_features told = {5, tell, NULL};
	const uint16_t picks[] = {5, 0, 3};
	const float origin[] = {0, 0, 0, 0};
	struct encoding c;
	float row[ENCODING_MAX] = {0};
	uint64_t index = 0;

	tap_int(encoding_init(&c, space, &told, &e), ASC_OK, "an encoding");
	tap_ok(c.n_params == 2 && c.n == 4, "two of five features are kept");
	(void)space_find_picks(space, picks, &index);
	encoding_get(&c, index, row);
	tap_ok(row[0] == 5 && row[1] == 3, "behind those of the parameters");
	tap_real((double)row[2], 7, 1e-6, "logarithm of 32 times 4");
	tap_real((double)row[3], log2(32 + 64 * 3), 1e-6, "logarithm of 32 + 64 times 3");
	tap_ok(c.features[2].span > 9 && c.features[2].span <= 10, "span of the logarithm, %g",
	       (double)c.features[2].span);
	tap_ok(fabsf(encoding_distance(&c, row, origin) - (25.0F + 9.0F) / 49) < 1e-6F,
	       "distances are those of the parameters");
	encoding_fini(&c);
}

/* Against logarithms from tables: of 3, 10 and 1/7. */
static void check_log2(void)
{
	tap_ok(encoding_log2(1) == 0 && encoding_log2(1024) == 10 && encoding_log2(0.125) == -3,
	       "the logarithm of a power of two is exact");
	tap_ok(fabs(encoding_log2(3) - 1.584962500721156) < 2e-9 &&
		       fabs(encoding_log2(10) - 3.321928094887362) < 2e-9 &&
		       fabs(encoding_log2(1.0 / 7) + 2.807354922057604) < 2e-9,
	       "logarithms are right to nine digits");
}

/* Times that are 2^|a + b - 8|: the sum decides, as a product of parameters does. */
static double score_of(const float *row)
{
	return ldexp(1, abs((int)row[0] + (int)row[1] - 8));
}

static float bound_of(const struct forest *f, const float *row, float deviations)
{
	const struct forest_view all = {0, 1, deviations};
	float bound = NAN;

	forest_bound(f, &all, row, 1, &bound);
	return bound;
}

static double learn(struct forest *f, struct training_set *l, enum training_target target)
{
	struct rng rng;
	double error = 0;

	rng_init(&rng, 3);
	for (size_t t = 0; t < FOREST_TREES; t++) {
		struct forest_rows rows;
		size_t tree = FOREST_TREES;

		training_set_draw(l, target, &rng, &rows);
		if (forest_grow(f, &rows, &tree, &e) || tree != t)
			return INFINITY;
	}
	for (size_t i = 0; i < l->n; i++) {
		const float want = l->logs[i];

		error = fmax(error, fabsf(bound_of(f, &l->rows[2 * i], 0) - want));
	}
	return error;
}

static void check_forest(void)
{
	struct training_set l = {.features = 2};
	struct forest f;
	float row[2];

	for (int a = 0; a < SIDE; a++) {
		for (int b = 0; b < SIDE; b++) {
			row[0] = (float)a, row[1] = (float)b;
			if ((a + b) % 2 == 0)
				(void)training_set_add(&l, row, score_of(row), &e);
		}
	}
	forest_init(&f, 2, 1);
	tap_ok(learn(&f, &l, TRAINING_LOG) < 1e-6, "trees repeat what they were grown from");
	row[0] = 4, row[1] = 5; /* was not learned; its sum is near the best */
	const float near = bound_of(&f, row, 0);

	row[0] = 7, row[1] = 6;
	tap_ok(near + 2 < bound_of(&f, row, 0), "and expect more where the sum is right");
	tap_ok(bound_of(&f, row, 2) < bound_of(&f, row, 0),
	       "a bound is below the mean where trees differ");
	forest_fini(&f);
	training_set_fini(&l);
}

/* The first number decides, and trees may split on the second alone. */
static void check_split_on(void)
{
	struct training_set l = {.features = 2};
	struct forest f;
	float rows[2 * FOREST_BLOCK], bounds[FOREST_BLOCK];
	const struct forest_view all = {.step = 1};
	bool same = true;

	for (int i = 0; i < FOREST_BLOCK; i++) {
		rows[2 * i] = (float)(i % SIDE), rows[2 * i + 1] = (float)(i / SIDE);
		(void)training_set_add(&l, &rows[2 * i], ldexp(1, i % SIDE), &e);
	}
	forest_init(&f, 2, 1);
	f.split_on = (struct forest_features){1, {1}};
	(void)learn(&f, &l, TRAINING_LOG);
	forest_bound(&f, &all, rows, FOREST_BLOCK, bounds);
	for (int i = 0; i < FOREST_BLOCK; i++) {
		same &= bounds[i] == bounds[i - i % SIDE];
		same &= bounds[i] == bound_of(&f, &rows[2 * i], 0);
	}
	tap_ok(same, "trees split on what they may, and expect the same of one row and of many");
	forest_fini(&f);
	training_set_fini(&l);
}

static void check_training_set(void)
{
	struct training_set l = {.features = 1};
	struct forest_rows rows;
	struct rng rng;
	size_t best = 0;

	rng_init(&rng, 1);
	for (int i = 0; i < 2000; i++) {
		const float row = (float)(i * 7 % 2000);

		(void)training_set_add(&l, &row, i % 10 == 0 ? INFINITY : 1 + row, &e);
	}
	training_set_draw(&l, TRAINING_LOG, &rng, &rows);
	for (size_t i = 0; i < rows.n; i++)
		best += rows.features[i] < 100 &&
			fabs(rows.targets[i] - encoding_log2(1 + (double)rows.features[i])) < 1e-5;
	tap_ok(l.n == 2000 && l.n_passed == 1800 && best == 90,
	       "of many results a tree is grown from the best");
	tap_ok(rows.n > 250 && rows.n < 350, "and from as many of the others: %zu", rows.n);
	training_set_fini(&l);
}

static void check_pool(void)
{
	struct training_set l = {.features = 2};
	struct forest f;
	struct candidate_pool p;
	size_t least;

	forest_init(&f, 2, 1);
	for (int i = 0; i < SIDE * SIDE; i++) {
		const float row[] = {(float)(i % SIDE), (float)(i / SIDE)};

		(void)training_set_add(&l, row, score_of(row), &e);
	}
	(void)learn(&f, &l, TRAINING_LOG);
	tap_int(candidate_pool_init(&p, 2, &e), ASC_OK, "a pool");
	for (size_t i = 0; i < l.n; i++)
		candidate_pool_add(&p, i, &l.rows[2 * i]);
	for (size_t t = 0; t < FOREST_TREES; t++)
		candidate_pool_expect(&p, &f, t);
	least = candidate_pool_find_least(&p, 0, 0);
	tap_ok(least < p.n && score_of(&p.rows[2 * least]) == 1, "its least is one of the best");
	for (size_t i = 0; i < l.n; i++)
		if (score_of(&l.rows[2 * i]) == 1)
			candidate_pool_remove(&p, i);
	least = candidate_pool_find_least(&p, 1, 0);
	tap_ok(p.n == l.n - 7 && score_of(&p.rows[2 * least]) == 2,
	       "without those it is one of the next");
	while (p.n > 0)
		candidate_pool_remove(&p, p.indices[0]);
	tap_int(candidate_pool_find_least(&p, 0, 0), 0, "an empty pool has none");
	candidate_pool_fini(&p);
	forest_fini(&f);
	training_set_fini(&l);
}

int main(void)
{
	struct space *space = make_space();

	check_encoding(space);
	check_told(space);
	check_log2();
	check_forest();
	check_split_on();
	check_training_set();
	check_pool();
	space_free(space);
	return tap_done();
}
