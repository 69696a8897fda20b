#include "tuner/model/space.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/rng.h"

enum { MAX_VALUES = 16 };

/* What conditions may name beside parameters: N is 64, device.threads is 8, device.ub_bytes is not
 * known. */
static bool outer_resolve(const void *user, const char *call, const char *name,
			  struct expr_binding *out)
{
	(void)user;
	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(64)};
	if (call)
		return false;
	if (strcmp(name, "device.threads") == 0)
		out->constant = value_int(8);
	else if (strcmp(name, "device.ub_bytes") == 0)
		out->kind = EXPR_UNKNOWN;
	else
		return strcmp(name, "N") == 0;
	return true;
}

static const char *const *outer_names(const void *user)
{
	static const char *const names[] = {"N", "device.threads", "device.ub_bytes", NULL};

	(void)user;
	return names;
}

/* A space written as text: values of each parameter end with a 0, which is not one of them. */
struct sketch {
	struct {
		const char *name;
		int values[MAX_VALUES];
		int preset; /* 0: the first */
	} params[8];
	const char *conditions[8];
};

static enum asc_status sketch_space(const struct sketch *k, struct space **out, struct asc_err *e)
{
	struct value values[8][MAX_VALUES];
	struct space_param params[8];
	struct space_condition conditions[8];
	char origins[8][32];
	struct space_spec spec = {.params = params,
				  .conditions = conditions,
				  .outer = {outer_resolve, outer_names, NULL}};

	for (size_t i = 0; i < 8 && k->params[i].name; i++) {
		const int *v = k->params[i].values, preset = k->params[i].preset;
		size_t n = 0;
		for (; v[n]; n++)
			values[i][n] = value_int(v[n]);
		params[i] = (struct space_param){k->params[i].name, n, values[i],
						 value_int(preset ? preset : v[0])};
		spec.n_params++;
	}
	for (size_t i = 0; i < 8 && k->conditions[i]; i++) {
		snprintf(origins[i], sizeof origins[i], "constraints[%zu]", i);
		conditions[i] = (struct space_condition){k->conditions[i], origins[i]};
		spec.n_conditions++;
	}
	return space_new(&spec, out, e);
}

static struct space *make(const struct sketch *k)
{
	struct space *s = NULL;
	struct asc_err e;

	if (!tap_ok(sketch_space(k, &s, &e) == ASC_OK, "the space is made"))
		tap_note("%s", e.text);
	return s;
}

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
	return outer_resolve(NULL, call, name, out);
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

static void compare_all(const struct oracle *o)
{
	const uint64_t all = (uint64_t)space_cartesian(o->space);
	uint64_t index = SPACE_BEGIN, found, wrong = 0, valid = 0;
	struct config want, have;

	for (uint64_t rank = 0; rank < all; rank++) {
		oracle_config(o->space, rank, &want);
		if (!oracle_valid(o, &want)) {
			wrong += space_find(o->space, &want, &found);
			continue;
		}
		valid++;
		if (!space_next(o->space, &index)) {
			wrong++;
			continue;
		}
		space_get(o->space, index, &have);
		wrong += !configs_equal(&want, &have);
		wrong += !space_find(o->space, &want, &found) || found != index;
	}
	tap_int(wrong, 0, "every combination in order, found or refused");
	tap_int(space_count(o->space), valid, "as many as there are");
	tap_ok(!space_next(o->space, &index), "next comes to the end");
}

static void check_oracle(const struct sketch *k)
{
	struct space *s = make(k);
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
		/* constants, unknown facts, numbers as truth, division by zero, overflow */
		{{{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3, 4}, 0}, {"c", {1, 2}, 0}},
		 {"N % 2 == 0 and device.threads > 4", "a * b < device.ub_bytes", "a - c",
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
	struct space *s = make(&triangle);
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

static void test_neighbours(void)
{
	static const struct sketch k = {
		{{"a", {1, 2, 3, 4, 5}, 0}, {"b", {1, 2, 3, 4}, 0}, {"c", {1, 2, 3, 4, 5, 6}, 0}},
		{"a * b % c != 1", "c <= a + 2"}};
	struct space *s = make(&k);
	uint64_t wrong = 0;

	for (uint64_t i = 0; i < space_count(s); i++)
		wrong += !neighbours_right(s, i, SPACE_HAMMING) +
			 !neighbours_right(s, i, SPACE_ADJACENT);
	tap_int(wrong, 0, "neighbours of all %d are those of a full comparison",
		(int)space_count(s));
	space_free(s);
}

static void check_default(const struct sketch *k, const char *want)
{
	struct space *s = make(k);
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

static void test_default(void)
{
	check_default(&(struct sketch){{{"a", {1, 2, 3}, 2}, {"b", {1, 2, 3}, 3}}, {"a < b"}},
		      "a=2,b=3");
	/* b stays 3: a=1 comes before a=2 */
	check_default(&(struct sketch){{{"a", {1, 2, 3}, 3}, {"b", {1, 2, 3}, 3}}, {"a < b"}},
		      "a=1,b=3");
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
	uint64_t index = SPACE_BEGIN;

	for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
		struct space *s = make(&never[i]);
		const struct config c = {1, {value_int(1)}};
		index = SPACE_BEGIN;
		tap_ok(space_count(s) == 0 && !space_default(s, &index) && !space_next(s, &index) &&
			       !space_find(s, &c, &index),
		       "%s: empty", never[i].conditions[0]);
		space_free(s);
	}
	struct space *s = make(&(struct sketch){0});
	const struct config none = {0};
	tap_ok(space_count(s) == 1 && space_find(s, &none, &index) && index == 0 &&
		       space_default(s, &index),
	       "without parameters there is one configuration");
	space_free(s);
}

static void test_values(void)
{
	struct space *s = make(&triangle);
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

/* ---- explain ---- */

static void check_explain(const struct space *s, const char *config, bool want_valid,
			  const char *want)
{
	struct buf out = {0};
	struct config c = {0};
	struct asc_err e;
	bool valid = !want_valid;

	tap_ok(config_parse(config, space_names(s), space_params(s), &c, &e) == ASC_OK, "%s",
	       config);
	tap_ok(space_explain(s, &c, &valid, &out, &e) == ASC_OK, "is explained");
	tap_int(valid, want_valid, "with its verdict");
	tap_str(buf_str(&out), want, "in words");
	buf_fini(&out);
}

static void test_explain(void)
{
	struct space *s =
		make(&(struct sketch){{{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3, 4}, 0}},
				      {"a <= b and a * b < device.ub_bytes", "4 // (b - a) > 1"}});

	check_explain(s, "a=1,b=2", true,
		      "constraints[0]: a <= b: holds\n"
		      "constraints[0]: a * b < device.ub_bytes: does not prune: device.ub_bytes "
		      "is not known on this device\n"
		      "constraints[1]: 4 // (b - a) > 1: holds\n");
	check_explain(s, "a=2,b=2", false,
		      "constraints[0]: a <= b: holds\n"
		      "constraints[0]: a * b < device.ub_bytes: does not prune: device.ub_bytes "
		      "is not known on this device\n"
		      "constraints[1]: 4 // (b - a) > 1: cannot be evaluated: divides by zero\n");
	check_explain(s, "a=5,b=1", false,
		      "a=5: not one of its values 1, 2, 3, 4\n"
		      "constraints[0]: a <= b: does not hold\n"
		      "constraints[0]: a * b < device.ub_bytes: does not prune: device.ub_bytes "
		      "is not known on this device\n"
		      "constraints[1]: 4 // (b - a) > 1: does not hold\n");
	struct buf out = {0};
	struct asc_err e;
	bool valid;
	tap_int(space_explain(s, &(struct config){0}, &valid, &out, &e), ASC_INPUT,
		"a configuration of another space is refused");
	space_free(s);
}

/* ---- errors ---- */

/* ---- what is worth saying of a whole space ---- */

static void check_remark(const struct sketch *k, const char *want)
{
	struct space *s = make(k);
	struct buf out = {0};
	struct asc_err e;

	(void)(space_count(s) ? space_print_doubts(s, &out, &e) : space_print_empty(s, &out, &e));
	tap_str(buf_str(&out), want, "%s", k->conditions[0]);
	buf_fini(&out);
	space_free(s);
}

static void test_remarks(void)
{
	check_remark(
		&(struct sketch){{{"a", {1, 2, 3}, 0}, {"b", {1, 2}, 0}}, {"6 // (a - b) < 9"}},
		"constraints[0]: \"6 // (a - b) < 9\" cannot be evaluated on 2 of 6 combinations "
		"of "
		"its parameters (divides by zero); they are left out");
	check_remark(&(struct sketch){{{"a", {1, 2, 3}, 0}}, {"6 // (a - 2) < 9", "a != 2"}}, "");
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}, {"b", {1, 2}, 0}}, {"a + b < 9", "a > 2"}},
		"its conditions leave no configuration (constraints[1]: \"a > 2\" holds for none)");
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}, {"b", {1, 2}, 0}}, {"a > b", "b > 1"}},
		"its conditions leave no configuration (none is left from constraints[1] on: \"b > "
		"1\")");
}

static void test_errors(void)
{
	static const struct {
		struct sketch sketch;
		const char *message[2];
	} cases[] = {
		{{{{"BLOCK_M", {1}, 0}}, {"True", "1 < BLOCK_N"}},
		 {"constraints[1]: column 5: unknown name", "BLOCK_M"}},
		{{{{"a", {1}, 0}}, {"device.thread > 1"}}, {"constraints[0]", "device.threads"}},
		{{{{"a", {1}, 0}}, {"a +"}}, {"constraints[0]: column ", ""}},
		{{{{"a", {1}, 0}, {"a", {2}, 0}}, {NULL}}, {"two parameters are called \"a\"", ""}},
		{{{{"a", {1, 2, 3, 2}, 0}}, {NULL}}, {"a: the value 2 is listed twice", ""}},
		{{{{"a", {0}, 0}}, {NULL}}, {"a: expected 1 to 65535 values, found 0", ""}},
		{{{{"a", {1, 2}, 3}}, {NULL}}, {"a: the default 3 is none of its values", ""}},
	};
	struct space *s = NULL;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(sketch_space(&cases[i].sketch, &s, &e), ASC_INPUT, "case %zu is refused",
			i);
		tap_has(e.text, cases[i].message[0], "case %zu says why", i);
		tap_has(e.text, cases[i].message[1], "case %zu names it", i);
	}
}

/* `n` parameters of `size` values each, without conditions. */
static enum asc_status make_wide(size_t n, size_t size, struct asc_err *e)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	struct value *values = calloc(size, sizeof *values);
	struct space_param params[5];
	struct space *s = NULL;

	for (size_t i = 0; values && i < size; i++)
		values[i] = value_int((int64_t)i);
	for (size_t i = 0; i < n; i++)
		params[i] = (struct space_param){names[i], size, values, value_int(0)};
	const struct space_spec spec = {.params = params, .n_params = n};
	const enum asc_status st = values ? space_new(&spec, &s, e) : ASC_NOMEM;
	space_free(s);
	free(values);
	return st;
}

static void test_limits(void)
{
	struct space_param many[CONFIG_MAX_PARAMETERS + 1] = {{0}};
	const struct space_spec spec = {.params = many, .n_params = CONFIG_MAX_PARAMETERS + 1};
	struct space *s = NULL;
	struct asc_err e;

	tap_int(make_wide(3, 200, &e), ASC_LIMIT, "8 million are too many to hold");
	tap_has(e.text, "more than 4000000 valid configurations", "which is said");
	tap_int(make_wide(5, 65535, &e), ASC_LIMIT, "2^80 combinations are too many to number");
	tap_has(e.text, "1.21e+24 combinations", "which is said");
	tap_int(make_wide(1, 65536, &e), ASC_INPUT, "65536 values are too many");
	tap_int(make_wide(1, 65535, &e), ASC_OK, "65535 are not");
	tap_int(space_new(&spec, &s, &e), ASC_LIMIT, "65 parameters are too many");
}

int main(void)
{
	test_oracle();
	test_sample();
	test_neighbours();
	test_default();
	test_empty();
	test_values();
	test_explain();
	test_remarks();
	test_errors();
	test_limits();
	return tap_done();
}
