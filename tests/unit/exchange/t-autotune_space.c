/* Lists of configurations as parameters and a condition: texts worked out by hand, and for a list
 * drawn at random that the condition holds for its configurations and for no other.
 * covers: autotune_space.c */
#include "reports/exchange/autotune_space.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/rewrite.h"

static struct asc_err e;
static const char *const names[] = {"A", "B", "num_warps"};

enum { MAX_LIST = 40 };

/* A list of rows of three values. */
static size_t make(struct autotune_entry *list, const int64_t (*rows)[3], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		list[i] = (struct autotune_entry){.names = names, .config.n = 3};
		for (size_t k = 0; k < 3; k++)
			list[i].config.values[k] = value_int(rows[i][k]);
	}
	return n;
}

static void check(const char *what, const struct autotune_entry *list, size_t n, const char *want)
{
	struct autotune_space s;
	struct buf text = {0};
	if (!tap_int(autotune_space_init(&s, list, n, &e), ASC_OK, "%s", what))
		return;
	autotune_space_print(&s, &text);
	tap_str(buf_str(&text), want, "its condition");
	buf_fini(&text);
	autotune_space_fini(&s);
}

static void test_conditions(void)
{
	static const int64_t product[][3] = {{1, 2, 4}, {1, 2, 8}, {3, 2, 4}, {3, 2, 8}};
	static const int64_t corner[][3] = {{1, 2, 4}, {1, 5, 4}, {3, 2, 4}};
	static const int64_t diagonal[][3] = {{1, 1, 4}, {2, 2, 4}, {1, 1, 4}};
	struct autotune_entry list[4];
	check("a product", list, make(list, product, 4), "");
	check("all but a corner", list, make(list, corner, 3), "A == 1 or A == 3 and B == 2");
	check("a diagonal, one twice", list, make(list, diagonal, 3),
	      "A == 1 and B == 1 or A == 2 and B == 2");
	check("one", list, make(list, product, 1), "");
}

/* Truth values and texts as formulas compare them. */
static void test_kinds(void)
{
	static const int64_t rows[][3] = {{1, 0, 4}, {0, 0, 4}, {1, 0, 8}};
	struct autotune_entry list[3];
	struct value text;
	if (!tap_ok(value_text_add("row", 3, &text), "a text"))
		return;
	make(list, rows, 3);
	for (int i = 0; i < 3; i++) {
		list[i].config.values[0] = value_bool(rows[i][0]);
		list[i].config.values[1] = i == 1 ? value_int(7) : text;
	}
	check("values of each kind", list, 3,
	      "A == 1 and B == 'row' or A == 0 and B == 7 and num_warps == 4");
}

static void test_options(void)
{
	static const int64_t rows[][3] = {{1, 2, 8}, {2, 2, 4}};
	struct autotune_entry list[2];
	struct autotune_space s;
	make(list, rows, 2);
	list[1].config.n = 2;
	if (tap_int(autotune_space_init(&s, list, 2, &e), ASC_OK, "an option is left out")) {
		const struct autotune_dimension *d = autotune_space_find(&s, "num_warps");
		tap_ok(d && d->n == 2 && value_equal(d->values[0], value_int(8)) &&
			       value_equal(d->values[1], value_int(4)),
		       "there it is Triton's default, 4");
		tap_ok(!autotune_space_find(&s, "num_stages"), "one that none has is no parameter");
		autotune_space_fini(&s);
	}
	list[1].config.n = 1;
	tap_int(autotune_space_init(&s, list, 2, &e), ASC_INPUT, "a block size is left out");
	tap_str(e.text, "configuration 2 lacks B, which others have", "it is named");
}

static void test_limit(void)
{
	struct autotune_entry list[AUTOTUNE_MAX_VALUES + 1];
	struct autotune_space s;
	for (int i = 0; i <= AUTOTUNE_MAX_VALUES; i++) {
		list[i] = (struct autotune_entry){.names = names, .config.n = 1};
		list[i].config.values[0] = value_int(i);
	}
	check("as many values as there may be", list, AUTOTUNE_MAX_VALUES, "");
	tap_int(autotune_space_init(&s, list, AUTOTUNE_MAX_VALUES + 1, &e), ASC_LIMIT, "one more");
}

/* True when the configuration is in one of the blocks. */
static bool is_in(const struct autotune_space *s, const int64_t row[3])
{
	for (size_t i = 0; i < s->n_sets; i++) {
		bool in = true;
		for (size_t k = 0; k < 3; k++) {
			const struct autotune_dimension *d = &s->dimensions[k];
			const uint64_t set = s->sets[i * CONFIG_MAX_PARAMETERS + k];
			bool has = false;
			for (size_t v = 0; v < d->n; v++)
				has |= (set >> v & 1) &&
				       value_equal(d->values[v], value_int(row[k]));
			in &= has;
		}
		if (in)
			return true;
	}
	return false;
}

static void test_blocks(void)
{
	bool listed[4][4][4] = {{{false}}};
	struct autotune_entry list[MAX_LIST];
	struct autotune_space s;
	struct buf text = {0};
	struct rng r;
	int wrong = 0;

	rng_init(&r, 11);
	for (int i = 0; i < MAX_LIST; i++) {
		const uint64_t row[3] = {rng_below(&r, 4), rng_below(&r, 4), rng_below(&r, 4)};
		list[i] = (struct autotune_entry){.names = names, .config.n = 3};
		for (int k = 0; k < 3; k++)
			list[i].config.values[k] = value_int((int64_t)row[k]);
		listed[row[0]][row[1]][row[2]] = true;
	}
	if (!tap_int(autotune_space_init(&s, list, MAX_LIST, &e), ASC_OK, "configurations"))
		return;
	autotune_space_print(&s, &text);
	for (int i = 0; i < 64; i++) {
		const int64_t row[3] = {i / 16, i / 4 % 4, i % 4};
		wrong += is_in(&s, row) != listed[row[0]][row[1]][row[2]];
	}
	tap_int(wrong, 0, "the blocks have each of them and no other");
	tap_ok(s.n_sets < MAX_LIST / 2, "joined to %zu blocks", s.n_sets);
	buf_fini(&text);
	autotune_space_fini(&s);
}

int main(void)
{
	test_conditions();
	test_kinds();
	test_options();
	test_limit();
	test_blocks();
	return tap_done();
}
