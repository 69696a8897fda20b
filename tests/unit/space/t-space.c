/* Spaces: built, counted, listed, sampled, explained, beside a list of every combination.
 * covers: space.c space_new.c space_build.c space_cursor.c space_near.c space_default.c
 * space_explain.c space_listed.c */
#include "tuner/workload/space/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/space/sketch.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

/* ---- against every combination, each condition evaluated whole and in the file's order ---- */

struct oracle {
	const struct space *space;
	struct expr *conditions[8];
	size_t n;
};

static bool oracle_resolve(const void *user, const char *call, const char *name,
			   struct expr_binding *out)
{
	const struct space *s = user;

	for (size_t i = 0; i < space_params(s); i++) {
		if (strcmp(space_names(s)[i], name) == 0) {
			*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = i};
			return true;
		}
	}
	return sketch_resolve(NULL, call, name, out);
}

static bool oracle_valid(const struct oracle *o, const struct config *c)
{
	struct value v;

	for (size_t i = 0; i < o->n; i++) {
		if (expr_is_unknown(o->conditions[i]))
			continue;
		if (expr_eval(o->conditions[i], c->values, &v) != EXPR_E_OK || !value_truth(v))
			return false;
	}
	return true;
}

/* The combination number `rank`, first parameter slowest. */
static void oracle_config(const struct space *s, uint64_t rank, struct config *c)
{
	c->n = space_params(s);
	for (size_t i = c->n; i-- > 0;) {
		const struct space_param *p = space_param(s, i);
		c->values[i] = p->values[rank % p->n];
		rank /= p->n;
	}
}

static bool configs_equal(const struct config *a, const struct config *b)
{
	bool equal = a->n == b->n;

	for (size_t i = 0; equal && i < a->n; i++)
		equal = value_equal(a->values[i], b->values[i]);
	return equal;
}

static void cursor_config(const struct space *s, const uint16_t *picks, struct config *c)
{
	c->n = space_params(s);
	for (size_t i = 0; i < c->n; i++)
		c->values[i] = space_param(s, i)->values[picks[i]];
}

/* The cursor comes to `want`, and what it says has changed is all that has. */
static bool cursor_comes_to(const struct oracle *o, struct space_cursor *cursor,
			    const struct config *want, struct config *have)
{
	const struct config last = *have;
	size_t changed;
	const uint16_t *picks = space_cursor_next(cursor, &changed);

	if (!picks)
		return false;
	cursor_config(o->space, picks, have);
	for (size_t i = 0; i < changed; i++) {
		if (!value_equal(last.values[i], have->values[i]))
			return false;
	}
	return configs_equal(want, have);
}

static void compare_all(const struct oracle *o)
{
	const uint64_t all = (uint64_t)space_cartesian(o->space);
	uint64_t found, wrong = 0, valid = 0;
	struct config want, listed = {0}, have;
	struct space_cursor *cursor = NULL;
	struct asc_err e;
	size_t changed;

	tap_ok(space_cursor_new(o->space, &cursor, &e) == ASC_OK, "a cursor");
	for (uint64_t rank = 0; cursor && rank < all; rank++) {
		oracle_config(o->space, rank, &want);
		if (!oracle_valid(o, &want)) {
			wrong += space_find(o->space, &want, &found);
			continue;
		}
		valid++;
		wrong += !cursor_comes_to(o, cursor, &want, &listed);
		if (!space_find(o->space, &want, &found) || found >= space_count(o->space)) {
			wrong++;
			continue;
		}
		space_get(o->space, found, &have);
		wrong += !configs_equal(&want, &have);
	}
	tap_int(wrong, 0, "every combination listed in order, found or refused");
	tap_int(space_count(o->space), valid, "as many as there are");
	tap_ok(!space_cursor_next(cursor, &changed) && !space_cursor_next(cursor, &changed),
	       "the list comes to its end, and stays there");
	space_cursor_free(cursor);
}

static void check_oracle(const struct sketch *k)
{
	struct space *s = sketch_make(k);
	struct oracle o = {.space = s};
	const struct expr_scope scope = {oracle_resolve, NULL, s};
	struct asc_err e;

	for (; o.n < 8 && k->conditions[o.n]; o.n++) {
		if (expr_compile(k->conditions[o.n], &scope, &o.conditions[o.n], &e))
			break;
	}
	compare_all(&o);
	for (size_t i = 0; i < o.n; i++)
		expr_free(o.conditions[i]);
	space_free(s);
}

static void test_oracle(void)
{
	static const struct sketch sketches[] = {
		{{{"a", {1, 2, 3, 4}, 0}, {"b", {4, 2, 1}, 0}}, {NULL}},
		/* order of the conditions is not the file's, values are not ascending */
		{{{"a", {8, 4, 2, 1}, 0},
		  {"b", {1, 2, 3, 4, 5, 6, 7, 8, 9}, 0},
		  {"c", {5, 1, 3}, 0},
		  {"d", {16, 32, 64}, 0},
		  {"e", {2, 1}, 0}},
		 {"d % (b * e) == 0", "a * c <= 12 and c != 3", "b < 9", "a < b or e == 2",
		  "1 <= c <= 4"}},
		/* constants, unknown facts, division by zero, overflow */
		{{{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3, 4}, 0}, {"c", {1, 2}, 0}},
		 {"N % 2 == 0 and device.threads > 4", "a * b < device.ub_bytes", "a != c",
		  "4 % (a - b) == 0", "9223372036854775800 + 2 * b > 0"}},
	};

	for (size_t i = 0; i < sizeof sketches / sizeof *sketches; i++)
		check_oracle(&sketches[i]);
}

/* ---- single points ---- */

static const struct sketch triangle = {{{"a", {1, 2, 3, 4, 5, 6}, 0}, {"b", {1, 2, 3, 4, 5, 6}, 0}},
				       {"a + b <= 6"}};

/* 15 valid configurations, 15000 draws: chi-square with 14 degrees of freedom is below 36.12 in 999
 * of 1000 cases (any table of the distribution); the seed is fixed. */
static void test_sample(void)
{
	struct space *s = sketch_make(&triangle);
	double chi = 0;
	int hits[15] = {0};
	struct rng r, again;

	rng_init(&r, 20240607);
	rng_init(&again, 20240607);
	tap_int(space_count(s), 15, "a triangle of 15");
	bool same = true;
	for (int i = 0; i < 15000; i++) {
		const uint64_t index = space_sample(s, &r);
		same = same && index == space_sample(s, &again);
		hits[index < 15 ? index : 0]++;
	}
	for (int i = 0; i < 15; i++)
		chi += (hits[i] - 1000.0) * (hits[i] - 1000.0) / 1000.0;
	tap_ok(chi < 36.12 && chi > 0, "uniform: chi-square is %.2f", chi);
	tap_ok(same, "the same seed draws the same");
	space_free(s);
}

static size_t differences(const struct config *a, const struct config *b, bool *one_step)
{
	size_t n = 0;

	*one_step = true;
	for (size_t i = 0; i < a->n; i++) {
		if (value_equal(a->values[i], b->values[i]))
			continue;
		n++; /* the values below are 1, 2, 3, ..., so a step of the list is a step of 1 */
		*one_step = *one_step && llabs(a->values[i].i - b->values[i].i) == 1;
	}
	return n;
}

static bool neighbours_right(const struct space *s, uint64_t index, enum space_nearness nearness)
{
	struct config own, other;
	struct asc_err e;
	uint64_t *found = NULL;
	size_t n = 0, at = 0;
	bool right = space_neighbours(s, index, nearness, &found, &n, &e) == ASC_OK, one_step;

	space_get(s, index, &own);
	for (uint64_t i = 0; i < space_count(s); i++) {
		space_get(s, i, &other);
		if (differences(&own, &other, &one_step) != 1 ||
		    (nearness == SPACE_ADJACENT && !one_step))
			continue;
		right = right && at < n && found[at] == i;
		at++;
	}
	free(found);
	return right && at == n;
}

/* All neighbours of the kind are as near as the nearest there are by a full comparison. */
static bool adaptive_right(const struct space *s, uint64_t index)
{
	struct config own, other;
	struct asc_err e;
	uint64_t *found = NULL;
	size_t n = 0, fewest = SIZE_MAX, in_fewest = 0;
	bool one_step, any_step = false;

	space_get(s, index, &own);
	for (uint64_t i = 0; i < space_count(s); i++) {
		space_get(s, i, &other);
		const size_t differ = differences(&own, &other, &one_step);
		any_step = any_step || (differ == 1 && one_step);
		in_fewest = differ > 0 && differ < fewest ? 0 : in_fewest;
		fewest = differ > 0 && differ < fewest ? differ : fewest;
		in_fewest += differ == fewest;
	}
	bool right = space_neighbours(s, index, SPACE_ADAPTIVE, &found, &n, &e) == ASC_OK;
	for (size_t k = 0; right && k < n; k++) {
		space_get(s, found[k], &other);
		right = differences(&own, &other, &one_step) == fewest && one_step >= any_step &&
			(k == 0 || found[k - 1] < found[k]);
	}
	free(found);
	return right && (n > 0) == (in_fewest > 0) && (fewest == 1 || n == in_fewest);
}

static void check_neighbours(const struct sketch *k)
{
	struct space *s = sketch_make(k);
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < space_count(s); i++)
		wrong += !neighbours_right(s, i, SPACE_HAMMING) +
			 !neighbours_right(s, i, SPACE_ADJACENT) + !adaptive_right(s, i);
	tap_int(wrong, 0, "neighbours of all %d are those of a full comparison",
		(int)space_count(s));
	space_free(s);
}

static void test_neighbours(void)
{
	/* with neighbours in steps; with gaps; with two parameters that have to change together; of
	 * which one configuration is alone */
	static const struct sketch sketches[] = {
		{{{"a", {1, 2, 3, 4, 5}, 0}, {"b", {1, 2, 3, 4}, 0}, {"c", {1, 2, 3, 4, 5, 6}, 0}},
		 {"a * b % c != 1", "c <= a + 2"}},
		{{{"a", {1, 2, 3, 4, 5, 6, 7, 8}, 0}, {"b", {1, 2, 3, 4, 5, 6, 7, 8}, 0}},
		 {"a % 3 == 1", "b in [1, 4, 8]"}},
		{{{"a", {1, 2, 3, 4, 5}, 0}, {"b", {1, 2, 3, 4, 5}, 0}, {"c", {1, 2}, 0}},
		 {"a == b", "c == 1 or a > 4"}},
		{{{"a", {1, 2, 3}, 0}, {"b", {1, 2, 3}, 0}, {"c", {1, 2, 3}, 0}},
		 {"a == b and b == c"}},
		{{{"a", {1, 2, 3}, 0}}, {"a == 2"}},
	};

	for (size_t i = 0; i < sizeof sketches / sizeof *sketches; i++)
		check_neighbours(&sketches[i]);
}

/* 20^2 configurations differ from each other in at least two parameters: more than are given. */
static void test_far(void)
{
	struct space *s;
	struct asc_err e;
	uint64_t *found = NULL;
	size_t n = 0;

	if (!tap_ok(sketch_wide(4, 20, "a == b and c == d", &s, &e) == ASC_OK, "pairs"))
		return;
	tap_ok(space_neighbours(s, 0, SPACE_ADAPTIVE, &found, &n, &e) == ASC_OK, "neighbours");
	tap_int(n, 2 * 19, "that differ in two parameters");
	free(found);
	space_free(s);
	if (!tap_ok(sketch_wide(3, 300, "a == b and b == c", &s, &e) == ASC_OK, "triples"))
		return;
	tap_ok(space_neighbours(s, 7, SPACE_ADAPTIVE, &found, &n, &e) == ASC_OK, "neighbours");
	tap_int(n, SPACE_MAX_FAR, "not more than are promised");
	free(found);
	space_free(s);
}

/* Of 1, 4 and 7 each has the nearest below and above, not those beyond. */
static void test_nearest(void)
{
	static const size_t wanted[] = {1, 2, 1};
	struct space *s =
		sketch_make(&(struct sketch){{{"a", {1, 2, 3, 4, 5, 6, 7, 8}, 0}}, {"a % 3 == 1"}});
	struct asc_err e;

	for (uint64_t i = 0; i < 3; i++) {
		uint64_t *found = NULL;
		size_t n = 0;

		tap_ok(space_neighbours(s, i, SPACE_ADAPTIVE, &found, &n, &e) == ASC_OK, "asked");
		tap_int(n, wanted[i], "nearest of number %d", (int)i);
		free(found);
	}
	space_free(s);
}

static void check_default(const struct sketch *k, const char *want)
{
	struct space *s = sketch_make(k);
	struct buf text = {0};
	struct config c;
	uint64_t index;

	if (tap_ok(space_default(s, &index), "there is a default")) {
		space_get(s, index, &c);
		config_print(&c, space_names(s), &text);
		tap_str(buf_str(&text), want, "the default");
	}
	buf_fini(&text);
	space_free(s);
}

static void check_nearest(const struct sketch *k, const char *text, const char *want)
{
	struct space *s = sketch_make(k);
	struct config config;
	struct buf found = {0};
	struct asc_err e;
	uint64_t index = SPACE_NONE;

	tap_int(space_find_nearest(s, text, &index, &e), ASC_OK, "the nearest is looked for");
	if (tap_ok(index != SPACE_NONE, "there is one")) {
		space_get(s, index, &config);
		config_print(&config, space_names(s), &found);
		tap_str(buf_str(&found), want, "nearest to %s", text);
	}
	buf_fini(&found);
	space_free(s);
}

static void test_found_nearest(void)
{
	const struct sketch free_ones = {{{"a", {16, 64, 512}, 64}, {"b", {1, 2, 3}, 3}}, {NULL}};
	const struct sketch bound = {{{"a", {1, 2, 3, 4}, 1}, {"b", {1, 2, 3, 4}, 1}},
				     {"a * b <= 6"}};
	struct space *s = sketch_make(&(struct sketch){{{"a", {1}, 1}}, {"a > 1"}});
	struct asc_err e;
	uint64_t index = 0;

	check_nearest(&free_ones, "a=16,b=2", "a=16,b=2");
	check_nearest(&free_ones, "b=2", "a=64,b=2");
	check_nearest(&free_ones, "a=128,b=1,gone=7", "a=64,b=1");
	check_nearest(&free_ones, "a=256, b=9", "a=512,b=3");
	check_nearest(&free_ones, "a=word,b=2", "a=64,b=2");
	/* 4 x 4 is too much: one of both keeps its value, the other one takes the fewest steps. */
	check_nearest(&bound, "a=4,b=2", "a=3,b=2");
	check_nearest(&bound, "a=4,b=4", "a=1,b=4");
	tap_ok(space_find_nearest(s, "a=1", &index, &e) == ASC_OK && index == SPACE_NONE,
	       "an empty one has none");
	space_free(s);
}

static void test_default(void)
{
	check_default(&(struct sketch){{{"a", {1, 2, 3}, 2}, {"b", {1, 2, 3}, 3}}, {"a < b"}},
		      "a=2,b=3");
	/* b stays 3: a=1 comes before a=2 */
	check_default(&(struct sketch){{{"a", {1, 2, 3}, 3}, {"b", {1, 2, 3}, 3}}, {"a < b"}},
		      "a=1,b=3");
	/* of two with one difference each, the first as listed */
	check_default(&(struct sketch){{{"a", {3, 2, 1}, 2}, {"b", {3, 2, 1}, 2}}, {"a + b != 4"}},
		      "a=3,b=2");
	/* nothing with one difference */
	check_default(
		&(struct sketch){{{"a", {1, 2, 3}, 3}, {"b", {1, 2, 3}, 1}}, {"a < b", "b == 2"}},
		"a=1,b=2");
}

static void test_empty(void)
{
	static const struct sketch never[] = {
		{{{"a", {1, 2}, 0}, {"b", {1, 2}, 0}}, {"a + b > 9"}},
		{{{"a", {1, 2}, 0}}, {"a > 2"}},
		{{{"a", {1, 2}, 0}}, {"N == 65"}},
		{{{"a", {1, 2}, 0}}, {"1 / 0 > 0"}},
	};
	uint64_t index;

	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		struct space *s = sketch_make(&never[i]);
		const struct config c = {1, {value_int(1)}};
		tap_ok(space_count(s) == 0 && !space_default(s, &index) &&
			       !space_find(s, &c, &index),
		       "%s: empty", never[i].conditions[0]);
		space_free(s);
	}
	struct space *s = sketch_make(&(struct sketch){0});
	const struct config none = {0};
	tap_ok(space_count(s) == 1 && space_find(s, &none, &index) && index == 0 &&
		       space_default(s, &index),
	       "without parameters there is one configuration");
	space_free(s);
}

static void test_values(void)
{
	struct space *s = sketch_make(&triangle);
	uint64_t index;

	tap_ok(space_find(s, &(struct config){2, {value_real(2), value_int(3)}}, &index),
	       "values are found as numbers, 2.0 is 2");
	tap_ok(!space_find(s, &(struct config){2, {value_real(2.5), value_int(3)}}, &index),
	       "2.5 is none of them");
	tap_ok(!space_find(s, &(struct config){1, {value_int(1)}}, &index), "too few values");
	tap_str(space_names(s)[1], "b", "names");
	tap_ok(space_names(s)[2] == NULL, "names end");
	tap_real(space_cartesian(s), 36, 0, "all combinations");
	space_free(s);
}

/* ---- texts ---- */

/* 3 types, 2 layouts and 4 vectors: 3 * 2 * 4 = 24; half is not without vectors (2), float goes
 * only by rows (4): 18. */
static void test_texts(void)
{
	static const char *const types[] = {"half", "float", "double"};
	static const char *const layouts[] = {"row major", "column major"};
	static const struct space_condition conditions[] = {
		{"TYPE != 'half' or VECTOR > 1", "constraints[0]"},
		{"LAYOUT == \"row major\" if TYPE == 'float' else True", "constraints[1]"}};
	struct value values[3][4];
	const struct space_param params[] = {{"TYPE", 3, values[0], {0}},
					     {"LAYOUT", 2, values[1], {0}},
					     {"VECTOR", 4, values[2], {0}}};
	struct space_param with[3];
	struct space *s = NULL;
	struct buf out = {0};
	struct config c;
	struct asc_err e;
	uint64_t index;
	bool found;

	for (int i = 0; i < 4; i++) {
		values[2][i] = value_int(1 << i);
		if (i < 3)
			(void)value_text_add(types[i], strlen(types[i]), &values[0][i]);
		if (i < 2)
			(void)value_text_add(layouts[i], strlen(layouts[i]), &values[1][i]);
	}
	for (int i = 0; i < 3; i++) {
		with[i] = params[i];
		with[i].default_value = values[i][0];
	}
	const struct space_spec spec = {
		.params = with, .n_params = 3, .conditions = conditions, .n_conditions = 2};

	if (!tap_ok(!space_new(&spec, &s, &e), "a space of texts"))
		return;
	tap_int(space_count(s), 18, "conditions compare texts");
	tap_int(config_parse("TYPE=float,LAYOUT=row major,VECTOR=1", space_names(s), 3, &c, &e),
		ASC_OK, "a configuration");
	found = space_find(s, &c, &index);
	tap_ok(found, "is in the space");
	if (found)
		space_get(s, index, &c);
	config_print(&c, space_names(s), &out);
	tap_str(buf_str(&out), "TYPE=float,LAYOUT=row major,VECTOR=1", "and comes back");
	buf_fini(&out);
	(void)config_parse("TYPE=float,LAYOUT=column major,VECTOR=1", space_names(s), 3, &c, &e);
	tap_ok(!space_find(s, &c, &index), "another is not");
	tap_int(config_parse("TYPE=octuple,LAYOUT=row major,VECTOR=1", space_names(s), 3, &c, &e),
		ASC_INPUT, "a text that no parameter has");
	tap_str(e.text,
		"TYPE: expected a number, a truth value or a text of the space, found \"octuple\"",
		"is refused");
	space_free(s);
}

/* ---- from a list ---- */

static void test_list(void)
{
	const struct value values[] = {value_int(8), value_int(4), value_int(2)};
	const struct space_param params[] = {{"a", 3, values, values[0]},
					     {"b", 3, values, values[1]}};
	const uint16_t rows[] = {2, 0, 0, 1, 2, 0, 0, 2, 1, 1}, stray[] = {0, 3};
	struct buf text = {0}, why = {0};
	struct space_cursor *cursor = NULL;
	struct space *s = NULL;
	struct config c;
	struct asc_err e;
	uint64_t index;
	size_t changed;
	bool valid = true;

	if (!tap_ok(space_new_list(params, 2, rows, 5, &s, &e) == ASC_OK, "a space of a list"))
		return;
	tap_int(space_count(s), 4, "what is there twice counts once");
	tap_ok(space_cursor_new(s, &cursor, &e) == ASC_OK, "a cursor");
	for (const uint16_t *p; (p = space_cursor_next(cursor, &changed));) {
		cursor_config(s, p, &c);
		config_print(&c, space_names(s), &text);
		buf_add_char(&text, ' ');
	}
	tap_str(buf_str(&text), "a=8,b=4 a=8,b=2 a=4,b=4 a=2,b=8 ", "sorted");
	tap_ok(!space_find(s, &(struct config){2, {values[0], values[0]}}, &index),
	       "others are not in it");
	tap_ok(space_default(s, &index), "the space has a default");
	space_get(s, index, &c);
	tap_ok(value_equal(c.values[0], values[0]) && value_equal(c.values[1], values[1]),
	       "which is that of the parameters");
	tap_ok(space_explain(s, &(struct config){2, {values[0], values[0]}}, &valid, &why, &e) ==
			       ASC_OK &&
		       !valid,
	       "what is not listed is not valid");
	tap_str(buf_str(&why), "not one of the 4 configurations listed\n", "in words");
	space_cursor_free(cursor);
	space_free(s);
	tap_int(space_new_list(params, 2, stray, 1, &s, &e), ASC_INPUT, "a position too far");
	tap_str(e.text, "configuration 0: b has 3 values, found position 3", "is named");
	if (tap_ok(space_new_list(params, 2, NULL, 0, &s, &e) == ASC_OK, "an empty list"))
		tap_int(space_count(s), 0, "is an empty space");
	space_free(s);
	buf_fini(&text);
	buf_fini(&why);
}

int main(void)
{
	test_oracle();
	test_sample();
	test_neighbours();
	test_far();
	test_nearest();
	test_default();
	test_found_nearest();
	test_empty();
	test_values();
	test_texts();
	test_list();
	return tap_done();
}
