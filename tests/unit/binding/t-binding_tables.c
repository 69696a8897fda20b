/* Values by table: a workload whose grid, constants and condition are tables, made from arithmetic
 * that the test repeats: every combination has the verdict and the values of its rows.
 * covers: workload_table.c binding_tables.c expr_table.c */
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/workload_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/space/space.h"

/* Values of A, B and C are their numbers; texts of D are d0, d1. */
enum { A = 5, B = 4, C = 6, D = 2, COMBINATIONS = A * B * C * D };

static const struct facts no_facts;

/* Whether the list has a combination, in an irregular way. */
static bool is_listed(int problem, int a, int b, int c, int d)
{
	return (7 * a * a + 3 * b * c + 5 * d + problem) % 11 < 6;
}

/* The grid of B and D; 0: no row. */
static int grid_of(int problem, int b, int d)
{
	return (b + 2 * d + problem) % 4 == 0 ? 0 : 10 * b + d + 1 + 100 * problem;
}

/* Prints the workload; rows of the tables in an order of their own. `extra`: rows of a third
 * problem. */
static void print_workload(struct buf *out, bool extra)
{
	const char *comma = "";

	buf_add_str(out,
		    "{\"asctune\": 1, \"name\": \"t\", \"problems\": [{\"name\": \"p0\", \"dims\": "
		    "{\"N\": 8}}, {\"name\": \"1\", \"dims\": {\"N\": 9}}, {\"name\": \"p2\", "
		    "\"dims\": {\"N\": 10}}], \"tensors\": {\"x\": {\"shape\": [\"N\"], \"dtype\": "
		    "\"f32\", \"role\": \"out\", \"verify\": {\"kind\": \"exact\"}}}, "
		    "\"reference\": {\"source\": \"full/reference.c\", \"entry\": \"f\", "
		    "\"arguments\": [{\"tensor\": \"x\"}]}, \"implementations\": [{\"name\": "
		    "\"k\", \"source\": \"full/kernel.c\", \"entry\": \"k\", \"parameters\": "
		    "{\"A\": [0, 1, 2, 3, 4], \"B\": [3, 2, 1, 0], \"C\": [0, 1, 2, 3, 4, 5], "
		    "\"D\": [\"d1\", \"d0\"]}, \"constraints\": [\"listed\", \"A != 3\"], "
		    "\"launch\": {\"grid\": [\"grid\"]}, \"constants\": {\"ACT\": {\"table\": "
		    "\"act\"}, \"N2\": \"2 * twice\"}, \"arguments\": [{\"tensor\": \"x\"}, "
		    "{\"scalar\": \"twice + 1\", \"type\": \"i32\"}, {\"scalar\": \"part\", "
		    "\"type\": \"i32\"}], \"tables\": {\"part\": {\"by\": [\"C\"], "
		    "\"rows\": [[0, 5], [1, 4], [2, 3], [3, 2], [4, 1]]}, \"twice\": "
		    "{\"by\": [\"N\"], \"rows\": [[9, 18], [8, 16], [10, 20]]}, \"act\": {\"by\": "
		    "[\"D\", "
		    "\"problem\"], \"rows\": [[\"d0\", \"p0\", null], [\"d1\", \"p0\", {\"dtype\": "
		    "\"bf16\"}], [\"d1\", \"1\", \"relu\"]], \"otherwise\": true}, \"grid\": "
		    "{\"by\": [\"D\", \"problem\", \"B\"], \"rows\": [");
	for (int d = D; d-- > 0;)
		for (int b = 0; b < B; b++)
			for (int p = 0; p < 2 + extra; p++)
				if (p == 2 || grid_of(p, b, d)) {
					buf_print(out, "%s[\"d%d\", \"%s\", %d, %d]", comma, d,
						  p == 0   ? "p0"
						  : p == 1 ? "1"
							   : "p2",
						  b, p == 2 ? 5 : grid_of(p, b, d));
					comma = ", ";
				}
	buf_add_str(out, "]}, \"listed\": {\"by\": [\"C\", \"A\", \"D\", \"B\", \"problem\"], "
			 "\"otherwise\": false, \"rows\": [[9, 0, \"d0\", 0, \"p0\", true]");
	for (int c = 0; c < C; c++)
		for (int a = A; a-- > 0;)
			for (int d = 0; d < D; d++)
				for (int b = 0; b < B; b++)
					for (int p = 0; p < 2; p++)
						if (is_listed(p, a, b, c, d))
							buf_print(out,
								  ", [%d.0, %d, \"d%d\", %d, "
								  "\"%s\", true]",
								  c, a, d, b, p ? "1" : "p0");
	buf_add_str(out, "]}}}]}");
}

static struct workload *open_workload(bool extra)
{
	struct buf text = {0};
	struct workload *w = NULL;
	struct asc_err e;

	print_workload(&text, extra);
	const enum asc_status s = workload_open_text(TEST_DATA "/data/workload/full.json",
						     buf_str(&text), text.len, &w, &e);

	tap_int(s, ASC_OK, "a workload of tables: %s", s ? e.text : "opens");
	buf_fini(&text);
	return w;
}

static struct config config_of(int a, int b, int c, int d)
{
	struct config out = {.n = 4};

	out.values[0] = value_int(a);
	out.values[1] = value_int(b);
	out.values[2] = value_int(c);
	(void)value_text_add(d ? "d1" : "d0", 2, &out.values[3]);
	return out;
}

/* Holds the space and the launches of one problem to the arithmetic. */
static void check_problem(const struct workload *w, int p)
{
	const struct implementation *i = w->implementations;
	struct binding b;
	struct space *s = NULL;
	struct asc_err e;
	int wrong = 0, grids = 0, valid = 0;

	if (!tap_int(binding_init(&b, w, &w->problems[p], "cpu", &no_facts, &e), ASC_OK, "binds"))
		return;
	if (tap_int(binding_space(&b, i, &s, &e), ASC_OK, "a space"))
		for (int k = 0; k < COMBINATIONS; k++) {
			const int a = k % A, bb = k / A % B, c = k / A / B % C, d = k / A / B / C;
			const struct config config = config_of(a, bb, c, d);
			/* No row says what is passed for the last value of C. */
			const bool want = is_listed(p, a, bb, c, d) && grid_of(p, bb, d) &&
					  a != 3 && c != C - 1;
			struct plan plan;
			uint64_t index;

			valid += want;
			wrong += space_find(s, &config, &index) != want;
			if (!want)
				continue;
			grids += binding_plan(&b, i, 0, &config, &plan, &e) == ASC_OK &&
				 plan.grid[0] == grid_of(p, bb, d) &&
				 plan.arguments[1].scalar.i == 2 * (8 + p) + 1 &&
				 plan.arguments[2].scalar.i == 5 - c;
		}
	tap_int(wrong, 0, "every combination has its verdict");
	tap_int(grids, valid, "every valid one has its grid and scalar");
	tap_int(s ? space_count(s) : 0, valid, "as many are valid");
	space_free(s);
	binding_fini(&b);
}

static void check_constant(const struct binding *b, int d, enum constant_kind kind,
			   const char *text, const char *what)
{
	const struct implementation *i = b->workload->implementations;
	const struct config config = config_of(0, 0, 0, d);
	struct bound_constant c;
	struct asc_err e;
	char have[64] = "";

	tap_int(binding_constant(b, i, &config, &i->calls[0].constants[0], &c, &e), ASC_OK,
		"%s: is bound", what);
	tap_int(c.kind, kind, "%s: kind", what);
	if (kind == CONSTANT_DTYPE)
		(void)snprintf(have, sizeof have, "%s", dtype_name(c.dtype));
	else if (kind != CONSTANT_NULL)
		(void)value_print(c.value, have, sizeof have);
	tap_str(have, text, "%s: value", what);
}

static void test_constants(const struct workload *w)
{
	const struct implementation *i = w->implementations;
	const struct config config = config_of(0, 0, 0, 0);
	struct bound_constant c;
	struct binding b;
	struct asc_err e;

	if (!tap_int(binding_init(&b, w, &w->problems[0], "cpu", &no_facts, &e), ASC_OK, "binds"))
		return;
	check_constant(&b, 0, CONSTANT_NULL, "", "null");
	check_constant(&b, 1, CONSTANT_DTYPE, "bf16", "a dtype");
	tap_ok(!binding_constant(&b, i, &config, &i->calls[0].constants[1], &c, &e) &&
		       c.value.i == 32,
	       "a table in a formula");
	binding_fini(&b);
	if (!tap_int(binding_init(&b, w, &w->problems[1], "cpu", &no_facts, &e), ASC_OK, "binds"))
		return;
	check_constant(&b, 0, CONSTANT_TRUTH, "true", "what has no row");
	check_constant(&b, 1, CONSTANT_FORMULA, "relu", "a text");
	binding_fini(&b);
}

/* A configuration without a row is none of the space, and the reason names the table. */
static void test_reasons(const struct workload *w)
{
	const struct config config = config_of(0, 0, 0, 0);
	struct buf out = {0};
	struct binding b;
	struct space *s = NULL;
	struct asc_err e;
	struct plan plan;
	bool valid = true;

	if (!tap_int(binding_init(&b, w, &w->problems[0], "cpu", &no_facts, &e), ASC_OK, "binds") ||
	    !tap_int(binding_space(&b, w->implementations, &s, &e), ASC_OK, "a space"))
		return;
	tap_int(grid_of(0, 0, 0), 0, "the combination has no row");
	tap_int(space_explain(s, &config, &valid, &out, &e), ASC_OK, "is explained");
	tap_ok(!valid, "it is not valid");
	tap_has(buf_str(&out),
		"launch.grid[0]: (grid) >= 1: cannot be evaluated: needs table grid, which has no "
		"row for B=0, D=d0\n",
		"the table and the values are named");
	buf_clear(&out);
	tap_int(space_print_unevaluable(s, &out, &e), ASC_OK, "conditions without a value");
	tap_has(buf_str(&out), "launch.grid[0]: \"(grid) >= 1\" cannot be evaluated on",
		"the table counts as one");
	tap_int(binding_plan(&b, w->implementations, 0, &config, &plan, &e), ASC_INPUT,
		"it cannot be launched");
	tap_has(e.text, "\"grid\" needs table grid, which has no row for B=0, D=d0 in problem p0",
		"for the same reason");
	buf_fini(&out);
	space_free(s);
	binding_fini(&b);
}

static enum asc_status take_key(void *user, const struct space_spec *spec, struct asc_err *e)
{
	return space_key(spec, user, e);
}

/* What is known of a problem does not change with rows for another one. */
static void test_keys(const struct workload *w)
{
	char keys[2][HASH_TEXT_SIZE], problems[2][HASH_TEXT_SIZE];
	struct workload *more = open_workload(true);
	struct asc_err e;

	for (int k = 0; k < 2; k++) {
		const struct workload *of = k ? more : w;
		struct binding b;

		if (!of || binding_init(&b, of, &of->problems[0], "cpu", &no_facts, &e))
			continue;
		tap_int(binding_visit_spec(&b, of->implementations, take_key, keys[k], &e), ASC_OK,
			"the key of a space");
		memcpy(problems[k], b.key, sizeof b.key);
		binding_fini(&b);
	}
	tap_str(keys[1], keys[0], "the space is the same");
	tap_str(problems[1], problems[0], "the problem is the same");
	workload_close(more);
}

/* A small workload of tables from its text to its space. */
static enum asc_status read_and_count(struct asc_err *e)
{
	static const char text[] =
		"{\"asctune\": 1, \"name\": \"t\", \"problems\": [{\"name\": \"p\", \"dims\": "
		"{\"N\": 8}}], "
		"\"tensors\": {\"x\": {\"shape\": [\"N\"], \"dtype\": \"f32\", \"role\": \"out\", "
		"\"verify\": "
		"{\"kind\": \"exact\"}}}, \"reference\": {\"source\": \"full/reference.c\", "
		"\"entry\": \"f\", "
		"\"arguments\": [{\"tensor\": \"x\"}]}, \"implementations\": [{\"name\": \"k\", "
		"\"source\": "
		"\"full/kernel.c\", \"entry\": \"k\", \"parameters\": {\"A\": [1, 2, 3], \"B\": "
		"[\"b\", \"c\"]}, "
		"\"constraints\": [\"listed\"], \"launch\": {\"grid\": [\"grid\"]}, \"arguments\": "
		"[{\"tensor\": "
		"\"x\"}], \"tables\": {\"grid\": {\"by\": [\"A\", \"problem\"], \"rows\": [[1, "
		"\"p\", 4], [2, \"p\", "
		"5]]}, \"listed\": {\"by\": [\"B\", \"N\", \"A\"], \"rows\": [[\"b\", 8, 1, true], "
		"[\"c\", 8, 3, "
		"true], [\"c\", 8, 2, true], [\"c\", 9, 1, true]], \"otherwise\": false}}}]}";
	struct workload *w = NULL;
	struct binding b = {0};
	struct space *s = NULL;
	char count[24];
	enum asc_status status = workload_open_text(TEST_DATA "/data/workload/full.json", text,
						    sizeof text - 1, &w, e);

	if (status == ASC_OK)
		status = binding_init(&b, w, w->problems, "cpu", &no_facts, e);
	if (status == ASC_OK)
		status = binding_space(&b, w->implementations, &s, e);
	if (status == ASC_OK) {
		/* b with 1 and c with 2: c with 3 has no grid, and 9 is no size. */
		(void)snprintf(count, sizeof count, "%d", (int)space_count(s));
		nomem_give(count);
	}
	space_free(s);
	binding_fini(&b);
	workload_close(w);
	return status;
}

int main(void)
{
	struct workload *w = open_workload(false);

	if (w) {
		tap_int(w->implementations[0].tables[4].n_ignored, 1, "a row is ignored");
		check_problem(w, 0);
		check_problem(w, 1);
		test_constants(w);
		test_reasons(w);
		test_keys(w);
	}
	workload_close(w);
	nomem_exhaust("a space by tables", read_and_count);
	return tap_done();
}
