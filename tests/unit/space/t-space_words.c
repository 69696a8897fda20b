/* What is said of a space: of one configuration, of conditions that leave nothing or cannot be
 * evaluated, of a space that is refused, and what each condition takes away.
 * covers: space_empty.c space_explain.c space_removal.c space_unevaluable.c */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/space/sketch.h"
#include "tuner/base/buf.h"
#include "tuner/workload/space/space.h"

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
	struct space *s = sketch_make(
		&(struct sketch){{{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3, 4}, 0}},
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

static void check_remark(const struct sketch *k, const char *want)
{
	struct space *s = sketch_make(k);
	struct buf out = {0};
	struct asc_err e;

	(void)(space_count(s) ? space_print_unevaluable(s, &out, &e)
			      : space_print_empty(s, &out, &e));
	tap_str(buf_str(&out), want, "%s", k->conditions[0]);
	buf_fini(&out);
	space_free(s);
}

/* Of many combinations only the first are tried, and the remark says how many: a remark must not
 * cost what a search does. */
static void test_many(void)
{
	enum { WIDE = 600 };
	struct value values[WIDE];
	const struct space_condition condition = {"6 // (a - b) < 9", "constraints[0]"};
	const struct space_param params[] = {{"a", WIDE, values, value_int(1)},
					     {"b", WIDE, values, value_int(1)}};
	const struct space_spec spec = {
		.params = params, .n_params = 2, .conditions = &condition, .n_conditions = 1};
	struct space *s = NULL;
	struct buf out = {0};
	struct asc_err e;

	for (size_t i = 0; i < WIDE; i++)
		values[i] = value_int((int64_t)i + 1);
	tap_int(space_new(&spec, &s, &e), ASC_OK, "a space of 360,000 combinations");
	/* a changes last: 333 of its values with all 600 of b, one of which it equals, and 334 with
	 * the first 200. */
	tap_int(space_print_unevaluable(s, &out, &e), ASC_OK, "a remark about it");
	tap_has(buf_str(&out), " on 333 of 200000 combinations ", "the first 200,000 are tried");
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
	test_many();
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}, {"b", {1, 2}, 0}}, {"a + b < 9", "a > 2"}},
		"its conditions leave no configuration (constraints[1]: \"a > 2\" holds for none); "
		"the largest set of conditions that leaves any is all but constraints[1] \"a > "
		"2\": 4 "
		"configurations");
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}, {"b", {1, 2}, 0}}, {"a > b", "b > 1"}},
		"its conditions leave no configuration (none is left from constraints[1] on: \"b > "
		"1\"); the largest set of conditions that leaves any is all but constraints[0] \"a "
		"> "
		"b\": 2 configurations");
	check_remark(
		&(struct sketch){{{"a", {1, 2, 3}, 0}, {"b", {1, 2, 3}, 0}},
				 {"a < b", "a > b", "a == b", "a + b < 5"}},
		"its conditions leave no configuration (none is left from constraints[1] on: \"a > "
		"b\"); the largest set of conditions that leaves any is all but constraints[0] \"a "
		"< "
		"b\", constraints[1] \"a > b\": 2 configurations");
}

static void test_long_remark(void)
{
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}},
				 {"a > 2 and a > 3 and a > 4 and a > 5 and a > 6 and a > 7"}},
		"its conditions leave no configuration (constraints[0]: \"a > 2\" holds for none; "
		"constraints[0]: \"a > 3\" holds for none; constraints[0]: \"a > 4\" holds for "
		"none; constraints[0]: \"a > 5\" holds for none; 2 more); the largest set of "
		"conditions that leaves any is all but constraints[0] \"a > 2\", constraints[0] "
		"\"a > 3\", constraints[0] \"a > 4\", constraints[0] \"a > 5\" and 2 more: 2 "
		"configurations");
	check_remark(
		&(struct sketch){{{"a", {1, 2}, 0}},
				 {"a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + "
				  "a + a + a + a + a + a + a + a + a + a + a + a + a + a > 99"}},
		"its conditions leave no configuration (constraints[0]: \"a + a + a + a + a + a + "
		"a "
		"+ a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + ...\" "
		"holds for none); the largest set of conditions that leaves any is all but "
		"constraints[0] \"a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + a + "
		"a "
		"+ a + a + a + a + a + a + a + a + ...\": 2 configurations");
}

/* What is too much to count is said, not a number made up. */
static void test_remark_without_count(void)
{
	static const char hard[] = "(a*b*3 + c*d*5 + e*f*7 + a*d*11 + b*f*13 + c*e*17) % 10007 == "
				   "a*f*19 % 9973";
	struct sketch k = {.conditions = {hard, "a < 0"}};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f"};

	for (int i = 0; i < 6; i++) {
		k.params[i].name = names[i];
		for (int v = 0; v < SKETCH_VALUES - 1; v++)
			k.params[i].values[v] = 1 + v * (7919 + 31 * i);
	}
	check_remark(&k, "its conditions leave no configuration (constraints[1]: \"a < 0\" holds "
			 "for none); without constraints[1] \"a < 0\" there are too many "
			 "combinations to count");
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
		{{{{"a", {1, 2, 3}, 0}}, {"a > 0", "a - 1"}},
		 {"constraints[1]: \"a - 1\" is no truth value", "true or false"}},
		{{{{"a", {1, 2}, 0}}, {"(a if a > 1 else a < 1) or a == 2"}},
		 {"is no truth value", ""}},
		{{{{"a", {1, 2}, 3}}, {NULL}}, {"a: the default 3 is none of its values", ""}},
	};
	struct space *s = NULL;
	struct asc_err e;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(sketch_open(&cases[i].sketch, &s, &e), ASC_INPUT, "case %zu is refused", i);
		tap_has(e.text, cases[i].message[0], "case %zu says why", i);
		tap_has(e.text, cases[i].message[1], "case %zu names it", i);
	}
}

struct removals {
	char text[256];
};

static enum asc_status see_removal(void *user, const char *origin, const char *text, double removed,
				   struct asc_err *err)
{
	struct removals *r = user;
	const size_t n = strlen(r->text);

	(void)err;
	snprintf(r->text + n, sizeof r->text - n, "%s(%s)=%g;", origin, text ? text : "-", removed);
	return ASC_OK;
}

/* Counted by hand: 16 pairs of 1..4; 6 have a > b; of the other 10, a * b <= 4 keeps 5; of these 2
 * are odd in a and in b. */
static void test_removals(void)
{
	struct space *s = sketch_make(&(struct sketch){
		{{"a", {1, 2, 3, 4}, 0}, {"b", {1, 2, 3, 4}, 0}},
		{"a <= b", "a * b <= 4", "a % 2 == 1 and b % 2 == 1 and N == 64"}});
	struct space *free_space = sketch_make(&(struct sketch){{{"a", {1, 2}, 0}}, {NULL}});
	struct removals r = {""}, none = {""};
	struct asc_err e;

	tap_int(space_each_removal(s, see_removal, &r, &e), ASC_OK, "asked what goes where");
	tap_str(r.text,
		"constraints[0](a <= b)=6;constraints[1](a * b <= 4)=5;constraints[2](-)=3;",
		"each condition by what it takes from the rest");
	tap_int((long long)space_count(s), 2, "the rest is what is valid");
	tap_int(space_each_removal(free_space, see_removal, &none, &e), ASC_OK, "no conditions");
	tap_str(none.text, "", "take nothing");
	space_free(s);
	space_free(free_space);
}

int main(void)
{
	test_explain();
	test_remarks();
	test_long_remark();
	test_remark_without_count();
	test_errors();
	test_removals();
	return tap_done();
}
