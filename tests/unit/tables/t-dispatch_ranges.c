/* Ranges in the rules of covers: on a ladder by arithmetic; on random problems each size that was
 * measured is served by its own configuration, and no size by two.
 * covers: dispatch_ranges.c */
#include "reports/tables/dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

enum { MOST = 64 };

static struct asc_err e;

/* Adds a result of M x N as a cover does that gave it configuration `config`. */
static void add(struct dispatch *t, int64_t m, int64_t n, const char *implementation, int config)
{
	char problem[64], dims[128], key[32];

	snprintf(problem, sizeof problem, "p%lld-%lld", (long long)m, (long long)n);
	snprintf(dims, sizeof dims,
		 "{\"dims\":{\"M\":%lld,\"N\":%lld,\"flag\":true},\"dtypes\":{}}", (long long)m,
		 (long long)n);
	snprintf(key, sizeof key, "A=%d", config);
	const struct best_row r = {.workload = "gemm",
				   .operator_name = "gemm",
				   .problem = problem,
				   .dims_json = dims,
				   .kinds_json =
					   "{\"M\":\"size\",\"N\":\"size\",\"flag\":\"truth\"}",
				   .device_kind = "cuda",
				   .device_model = "H200",
				   .cache_policy = "cold",
				   .implementation = implementation,
				   .implementation_index = strlen(implementation) % 7,
				   .config_key = key,
				   .recorded_at = "2026-01-01T00:00:00Z",
				   .median_ns = 1000};

	tap_int(dispatch_add(t, &r, false, &e), ASC_OK, "%s of %s is added", key, problem);
	if (!t->covers)
		t->covers = calloc(1, sizeof *t->covers);
	t->n_covers = t->covers != NULL;
	t->rows[t->n_rows - 1].cover = 1;
}

/* Checks the rules, a line for each: its ranges, configuration and number of rows. */
static void check(struct dispatch *t, const char *wanted, const char *what)
{
	struct buf have = {0};

	tap_int(dispatch_add_rules(t, &(struct dispatch_terms){0}, &e), ASC_OK, "%s: rules", what);
	for (size_t i = 0; i < t->n_rules; i++) {
		char sizes[128];

		rule_print_sizes(&t->rules[i], sizes, sizeof sizes);
		buf_print(&have, "%s: %s, %zu\n", sizes, t->rows[t->rules[i].row].result.config_key,
			  t->rules[i].n_rows);
	}
	tap_str(buf_str(&have), wanted, "%s", what);
	buf_fini(&have);
	dispatch_fini(t);
}

static void test_ladder(void)
{
	struct dispatch t = {0};

	add(&t, 256, 8, "a", 2);
	add(&t, 64, 8, "a", 1);
	add(&t, 128, 8, "a", 1);
	add(&t, 1024, 8, "a", 1);
	check(&t,
	      "M=182..512, N=8, flag=1: A=2, 1\n"
	      "M=64..181, N=8, flag=1: A=1, 2\n"
	      "M=513..1024, N=8, flag=1: A=1, 1\n",
	      "sizes serve up to the geometric middle; those of one configuration beside each "
	      "other are one rule");
	add(&t, 0, 8, "a", 1);
	add(&t, 1, 8, "a", 2);
	add(&t, 2, 8, "a", 1);
	check(&t, "M=0, N=8, flag=1: A=1, 1\nM=1, N=8, flag=1: A=2, 1\nM=2, N=8, flag=1: A=1, 1\n",
	      "between neighbours there is nothing");
}

static void test_layers(void)
{
	struct dispatch t = {0};

	for (int64_t m = 1; m <= 16; m *= 4) {
		add(&t, m, 100, "a", m < 16 ? 1 : 2);
		add(&t, 2 * m, 400, "a", m < 16 ? 1 : 2);
	}
	check(&t,
	      "M=1..8, N=100..200, flag=1: A=1, 2\n"
	      "M=2..16, N=201..400, flag=1: A=1, 2\n"
	      "M=9..16, N=100..200, flag=1: A=2, 1\n"
	      "M=17..32, N=201..400, flag=1: A=2, 1\n",
	      "the axis of few sizes is divided first, the ladder within each part");
}

/* Checks a split by the product of two sizes: within each layer it is at another size. `beside`:
 * results of another implementation that are left out. */
static void check_split(bool beside)
{
	static const int64_t sizes[][3] = {/* M, N, flag */
					   {1, 10, 1},  {64, 10, 1},  {256, 10, 1},
					   {1, 100, 1}, {64, 100, 1}, {256, 100, 1}};
	struct dispatch t = {0};

	for (size_t i = 0; i < 6; i++)
		add(&t, sizes[i][0], sizes[i][1], "a", sizes[i][0] * sizes[i][1] <= 1000 ? 1 : 2);
	struct dispatch_cover *c = t.covers;

	c->choice = calloc(1, sizeof *c->choice);
	c->choice->nodes = calloc(3, sizeof *c->choice->nodes);
	c->choice->n_nodes = 3;
	c->choice->nodes[0] = (struct cover_node){.below = 1, .split = {COVER_PRODUCT, 0, 1, 1000}};
	c->choice->nodes[1].config = 7;
	c->choice->nodes[2].config = 8;
	c->n_axes = 3;
	c->sizes = calloc(6, sizeof sizes[0]);
	memcpy(c->sizes, sizes, sizeof sizes);
	for (size_t i = 0; i < 6; i++)
		t.rows[i].place = i;
	for (size_t i = 0; beside && i < 6; i++) {
		add(&t, sizes[i][0], sizes[i][1], "foreign", 3);
		t.rows[6 + i].left_out = "foreign";
		t.rows[6 + i].said = true;
	}
	check(&t,
	      "M=1..100, N=10..31, flag=1: A=1, 2\n"
	      "M=101..256, N=10..31, flag=1: A=2, 1\n"
	      "M=1..10, N=32..100, flag=1: A=1, 1\n"
	      "M=11..256, N=32..100, flag=1: A=2, 2\n",
	      beside ? "so it does beside what is left out"
		     : "a range ends where the cover splits");
}

static void test_two_implementations(void)
{
	struct dispatch t = {0};

	for (int64_t m = 1; m <= 16; m *= 4) {
		add(&t, m, 8, "a", 1);
		if (m > 1)
			add(&t, m, 8, "other", 3);
	}
	check(&t,
	      "M=1..2, N=8, flag=1: A=1, 1\n"
	      "M=3..8, N=8, flag=1: A=1, 1\n"
	      "M=3..8, N=8, flag=1: A=3, 1\n"
	      "M=9..16, N=8, flag=1: A=1, 1\n"
	      "M=9..16, N=8, flag=1: A=3, 1\n",
	      "where two implementations serve, each size has its own range, the same in both");
}

static void test_exact(void)
{
	struct dispatch t = {0};

	add(&t, 4, 8, "a", 1);
	add(&t, 16, 8, "a", 1);
	t.rows[0].cover = 0;
	t.rows[0].result.config_key = "A=2";
	check(&t, "M=4..8, N=8, flag=1: A=2, 1\nM=9..16, N=8, flag=1: A=1, 1\n",
	      "what no cover serves keeps its own, beside which the others have theirs");
	add(&t, 4, 8, "a", 1);
	add(&t, 16, 8, "a", 1);
	t.rows[0].of_shape[0] = t.rows[1].of_shape[0] = false;
	check(&t, "M=4, N=8, flag=1: A=1, 1\nM=16, N=8, flag=1: A=1, 1\n",
	      "a number that is no size of a tensor has no range");
	add(&t, 4, 8, "a", 1);
	add(&t, 8, 8, "a", 1);
	add(&t, 16, 8, "a", 1);
	t.rows[1].left_out = "of another problem";
	check(&t, "M=4..16, N=8, flag=1: A=1, 2\n", "what is left out is not there");
}

/* Sizes at which something was tried and nothing is to be served stay free. */
static void test_holes(void)
{
	struct dispatch t = {0}, *holes = calloc(1, sizeof *holes);

	add(&t, 4, 8, "a", 1);
	add(&t, 8, 8, "a", 1);
	add(&t, 16, 8, "a", 1);
	t.rows[1].left_out = "slower than the default";
	t.rows[1].said = true;
	check(&t, "M=4..5, N=8, flag=1: A=1, 1\nM=12..16, N=8, flag=1: A=1, 1\n",
	      "around a problem that is slower than the default");
	add(&t, 4, 8, "a", 1);
	add(&t, 16, 8, "a", 1);
	add(holes, 8, 8, "a", 0);
	add(holes, 8, 9, "a", 0);
	t.holes = holes;
	check(&t, "M=4..5, N=8, flag=1: A=1, 1\nM=12..16, N=8, flag=1: A=1, 1\n",
	      "around one on which nothing passed");
}

/* ---- at random ---- */

static bool serves(const struct rule *rule, int64_t m, int64_t n)
{
	const struct rule_size *s = rule->sizes;

	return s[0].low <= m && m <= s[0].high && s[1].low <= n && n <= s[1].high;
}

/* Number of the sizes that two rules serve, or that another configuration serves than the one that
 * was measured there. */
static int count_wrong(const struct dispatch *t)
{
	int wrong = 0;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct dispatch_row *row = &t->rows[i];

		for (size_t k = 0; k < t->n_rules; k++)
			if (serves(&t->rules[k], row->sizes[0].low, row->sizes[1].low))
				wrong += row->rule != k + 1 ||
					 strcmp(t->rows[t->rules[k].row].result.config_key,
						row->result.config_key) != 0;
	}
	for (int64_t m = 0; m < MOST; m++)
		for (int64_t n = 0; n < MOST; n++) {
			int found = 0;

			for (size_t k = 0; k < t->n_rules; k++)
				found += serves(&t->rules[k], m, n);
			wrong += found > 1;
		}
	return wrong;
}

static void test_random(void)
{
	struct rng rng;

	rng_init(&rng, 5);
	for (int round = 0; round < 30; round++) {
		struct dispatch t = {0};
		bool taken[MOST][MOST] = {{false}};
		const size_t wanted = 2 + (size_t)rng_below(&rng, 24);

		while (t.n_rows < wanted) {
			const int64_t m = (int64_t)rng_below(&rng, MOST),
				      n = (int64_t)(rng_below(&rng, 5) * rng_below(&rng, 12));

			if (!taken[m][n])
				add(&t, m, n, "a", (int)rng_below(&rng, 2));
			taken[m][n] = true;
		}
		tap_int(dispatch_add_rules(&t, &(struct dispatch_terms){0}, &e), ASC_OK,
			"%zu problems", wanted);
		tap_int(count_wrong(&t), 0,
			"each size is served by one rule, measured ones by theirs");
		dispatch_fini(&t);
	}
}

int main(void)
{
	test_ladder();
	test_layers();
	check_split(false);
	check_split(true);
	test_two_implementations();
	test_exact();
	test_holes();
	test_random();
	return tap_done();
}
