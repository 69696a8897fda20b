/* Expressions, by files of cases (data/expr) that Python has answered, and by calls.
 * covers: expr_compile.c expr_lex.c expr_parse.c expr_build.c expr_apply.c expr_graph.c
 * expr_table.c */
#include "tuner/workload/expr/expr.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { X, Y, Z, W, R, B, BIG, VARIABLES };
static const char *const variables[VARIABLES + 2] = {"X", "Y", "Z",   "W",
						     "R", "B", "BIG", "device.l9"};

static struct value values[VARIABLES];

static const char *const *list_colours(void)
{
	static const char *const colours[] = {"red", "green", "blue", NULL};

	return colours;
}

static const char *colour_of(const char *other)
{
	return strcmp(other, "rouge") == 0 ? "red" : NULL;
}

/* device.l9 is unknown here; SIXTEEN and sizeof(Q) are constants, and so is COLOUR, the text red,
 * all of which names() does not list. */
static bool scope_resolve(const void *user, const char *call, const char *name,
			  struct expr_binding *out)
{
	bool constants = *(const bool *)user;
	*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(16)};
	if (call)
		return strcmp(call, "sizeof") == 0 && strcmp(name, "Q") == 0;
	if (strcmp(name, "SIXTEEN") == 0)
		return true;
	if (strcmp(name, "COLOUR") == 0) {
		static const struct expr_texts colours = {"colour", list_colours, colour_of};

		out->texts = &colours;
		return value_text_add("red", 3, &out->constant);
	}
	for (size_t i = 0; i < VARIABLES; i++)
		if (strcmp(name, variables[i]) == 0) {
			out->kind = constants ? EXPR_CONSTANT : EXPR_SLOT;
			out->slot = i;
			out->constant = values[i];
			return true;
		}
	out->kind = EXPR_UNKNOWN;
	return strcmp(name, "device.l9") == 0;
}

static const char *const *scope_names(const void *user)
{
	(void)user;
	return variables;
}

static const bool yes = true, no = false;
static const struct expr_scope scope = {scope_resolve, scope_names, &no};
static const struct expr_scope constant_scope = {scope_resolve, scope_names, &yes};

static void set_values(void)
{
	values[X] = value_int(7);
	values[Y] = value_int(-3);
	values[Z] = value_int(0);
	values[W] = value_int(64);
	values[R] = value_real(2.5);
	values[B] = value_bool(true);
	values[BIG] = value_int(INT64_C(1) << 62);
}

/* ---- expressions as data ---- */

/* What an expression gives, as the files write it: a value, or "error: " and why not. */
static void evaluate(const char *text, const struct expr_scope *s, char *out, size_t size)
{
	struct expr *x;
	struct value v;
	struct asc_err e;
	if (expr_compile(text, s, &x, &e)) {
		(void)snprintf(out, size, "error: %s", e.text);
		return;
	}
	enum expr_error error = expr_eval(x, values, &v);
	if (error)
		(void)snprintf(out, size, "error: %s", expr_error_text(error));
	else
		value_print(v, out, size);
	expr_free(x);
}

/* Same kind and same number, however it is written (1e300, 1e+300). */
static bool same(const char *have, const char *want)
{
	struct value a, b;
	if (strcmp(have, want) == 0)
		return true;
	return value_parse(have, strlen(have), &a) && value_parse(want, strlen(want), &b) &&
	       a.kind == VALUE_REAL && b.kind == VALUE_REAL && a.r == b.r;
}

static char *next_line(char **rest)
{
	char *line = *rest;
	char *end = strchr(line, '\n');
	if (end)
		*end = '\0';
	*rest = end ? end + 1 : line + strlen(line);
	return line;
}

static void check_case(const char *text, const char *want, size_t *bad)
{
	char slots[1100], folded[1100];
	evaluate(text, &scope, slots, sizeof slots);
	evaluate(text, &constant_scope, folded, sizeof folded);
	if (same(slots, want) && same(folded, want))
		return;
	tap_note("%s: %s with variables, %s with constants, expected %s", text, slots, folded,
		 want);
	++*bad;
}

static void run_file(const char *folder, const char *name)
{
	struct buf text = {0};
	struct asc_err e;
	size_t cases = 0, bad = 0;
	char *path = path_join(folder, name);
	if (!tap_ok(!file_read(path, 0, &text, &e), "%s is there", name))
		return;
	for (char *rest = text.data; *rest;) {
		char *line = next_line(&rest);
		if (*line == '#' || !*line)
			continue;
		check_case(line, next_line(&rest), &bad);
		cases++;
	}
	tap_ok(cases > 20 && bad == 0, "%s: %zu of %zu cases fail", name, bad, cases);
	buf_fini(&text);
	free(path);
}

static void test_files(void)
{
	static const char folder[] = TEST_DATA "/data/expr";
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entries[i]->d_name);
		if (len > 5 && strcmp(entries[i]->d_name + len - 5, ".test") == 0)
			run_file(folder, entries[i]->d_name);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	tap_ok(n > 3, "the folder of expressions was read");
}

/* ---- bounds ---- */

static char *repeat(const char *before, const char *part, size_t n, const char *after)
{
	struct buf b = {0};
	buf_add_str(&b, before);
	for (size_t i = 0; i < n; i++)
		buf_add_str(&b, part);
	buf_add_str(&b, after);
	return buf_take(&b);
}

static void check_long(char *text, const char *want, const char *name)
{
	char have[1100];
	evaluate(text, &scope, have, sizeof have);
	tap_str(have, want, "%s", name);
	free(text);
}

static void test_bounds(void)
{
	static const char deep[] = "error: column 101: nested deeper than 100 levels";
	check_long(repeat("X", " + 1", 4000, ""), "4007", "a sum of 4001 terms");
	check_long(repeat("0", "<X<8", 4000, ""), "false", "a chain of 8000 comparisons");
	check_long(repeat("1", "<X", 1, ""), "true", "a comparison");
	check_long(repeat("X", "<=X", 5000, ""), "true", "a chain of 5000 comparisons that hold");
	check_long(repeat("Z", " or Z", 3000, " or Y"), "-3", "an `or` of 3002 operands");
	check_long(repeat("Y in [X", ",X", 8000, ",Y]"), "true", "a list of 8002 values");
	check_long(repeat("min(X", ",X", 8000, ",Y)"), "-3", "a minimum of 8002 values");
	check_long(repeat("(", "(", 200, ""), deep, "200 parentheses");
	check_long(repeat("-", "-", 200, "1"), "error: column 100: nested deeper than 100 levels",
		   "200 signs");
	check_long(repeat("2", "**2", 200, ""), "error: column 299: nested deeper than 100 levels",
		   "200 powers");
	check_long(repeat("X", "+1", 8192, ""), "error: longer than 16384 bytes", "a long text");
}

/* Each level keeps as many values waiting as one can. */
static void test_deepest(void)
{
	struct buf b = {0};
	for (int i = 0; i < 49; i++)
		buf_add_str(&b, "Y < X < X + X * X ** min(Z, ");
	buf_add_str(&b, "X");
	for (int i = 0; i < 49; i++)
		buf_add_str(&b, ")");
	check_long(buf_take(&b), "true", "49 levels of everything");
	for (int i = 0; i < 99; i++)
		buf_add_str(&b, "Y < X not in [Z, X + W - ");
	buf_add_str(&b, "W");
	for (int i = 0; i < 99; i++)
		buf_add_str(&b, "]");
	check_long(buf_take(&b), "true", "99 levels of lists");
}

/* ---- what compiling tells ---- */

static struct expr *compile(const char *text)
{
	struct expr *x = NULL;
	struct asc_err e;
	tap_ok(!expr_compile(text, &scope, &x, &e), "compiles: %s", text);
	return x;
}

static void test_constants(void)
{
	struct value v;
	struct expr *x = compile("SIXTEEN * 4 if sizeof(Q) == 16 else X");
	tap_ok(expr_is_constant(x, &v) && v.i == 64, "folded to 64");
	tap_int(expr_slots(x, &(const size_t *){NULL}), 0, "a branch not taken reads nothing");
	expr_free(x);
	x = compile("X + 1");
	tap_ok(!expr_is_constant(x, &v), "a variable is not constant");
	expr_free(x);
	x = compile("1 // 0");
	tap_ok(!expr_is_constant(x, &v) && expr_eval(x, values, &v) == EXPR_E_ZERO,
	       "an error is left to evaluation");
	expr_free(x);
}

static void test_slots(void)
{
	const size_t *slots;
	struct expr *x = compile("W % X == 0 or BIG in [X, W]");
	tap_ok(expr_slots(x, &slots) == 3 && slots[0] == X && slots[1] == W && slots[2] == BIG,
	       "slots are distinct and ascending");
	expr_free(x);
}

static void test_unknown(void)
{
	struct value v;
	struct expr *x = compile("  X if X > 0 else device.l9 * 2 ");
	tap_ok(expr_is_unknown(x), "unknown even in a branch");
	tap_str(expr_unknown_name(x), "device.l9", "the unknown name");
	tap_str(expr_text(x), "X if X > 0 else device.l9 * 2", "the text without blanks around");
	tap_int(expr_eval(x, values, &v), EXPR_E_UNKNOWN, "evaluating says unknown");
	tap_ok(!expr_is_constant(x, &v), "unknown is not constant");
	expr_free(x);
	x = compile("X");
	tap_ok(!expr_is_unknown(x) && !expr_unknown_name(x), "X is known");
	expr_free(x);
}

/* A list over X and W; rows of X=3 say what no row says. */
static const size_t listed_slots[] = {X, W};
static const struct value listed_rows[][3] = {
	{{.i = 1}, {.i = 64}, {.i = 10}}, {{.i = 1}, {.i = 65}, {.i = 20}},
	{{.i = 2}, {.i = 65}, {.i = 20}}, {{.i = 2}, {.i = 66}, {.i = 30}},
	{{.i = 3}, {.i = 64}, {.i = -1}}, {{.i = 3}, {.i = 66}, {.i = -1}},
};
enum { LISTED_ROWS = sizeof listed_rows / sizeof *listed_rows };
static const char *const listed_names[] = {"X", "W"};
static struct expr_table *listed;

static bool resolve_listed(const void *user, const char *call, const char *name,
			   struct expr_binding *out)
{
	*out = (struct expr_binding){.kind = EXPR_TABLE, .table = listed};
	return strcmp(name, "table.listed") == 0 || scope_resolve(user, call, name, out);
}

static void test_table(void)
{
	const struct expr_scope s = {resolve_listed, scope_names, &no};
	const struct value otherwise = {.i = -1};
	struct expr_table_spec spec = {.name = "listed",
				       .given = "M=3",
				       .slots = listed_slots,
				       .names = listed_names,
				       .n_slots = 2,
				       .n_rows = LISTED_ROWS,
				       .stride = 3,
				       .rows = listed_rows[0],
				       .otherwise = &otherwise};
	struct value own[VARIABLES] = {{.i = 0}}, v;
	struct buf why = {0};
	struct expr *x = NULL;
	struct asc_err e;
	const size_t *slots;
	int wrong = 0;

	if (!tap_ok(!expr_table_new(&spec, &listed, &e), "a table is made") ||
	    !tap_ok(!expr_compile("Y if Y else table.listed * 2", &s, &x, &e), "compiles"))
		return;
	expr_table_free(listed);
	tap_ok(expr_slots(x, &slots) == 3 && slots[0] == X && slots[1] == Y && slots[2] == W,
	       "it reads the variables of the list");
	for (int64_t a = 0; a < 5; a++)
		for (int64_t b = 63; b < 68; b++) {
			int64_t want = -1;

			for (size_t i = 0; i < LISTED_ROWS; i++)
				if (listed_rows[i][0].i == a && listed_rows[i][1].i == b)
					want = listed_rows[i][2].i;
			own[X] = value_real((double)a); /* numbers are compared, not their kinds */
			own[W] = value_int(b);
			wrong += expr_eval(x, own, &v) != EXPR_E_OK || v.i != 2 * want;
		}
	tap_int(wrong, 0, "every combination has its value");
	expr_free(x);

	spec.otherwise = NULL;
	if (!tap_ok(!expr_table_new(&spec, &listed, &e), "one without a value for all others") ||
	    !tap_ok(!expr_compile("table.listed + 1 if Y else 7", &s, &x, &e), "compiles"))
		return;
	expr_table_free(listed);
	own[X] = value_int(2);
	own[W] = value_int(64);
	own[Y] = value_bool(false);
	tap_ok(expr_eval(x, own, &v) == EXPR_E_OK && v.i == 7, "a row that is not needed may lack");
	own[Y] = value_bool(true);
	tap_int(expr_eval(x, own, &v), EXPR_E_ROW, "a row that is needed may not");
	expr_print_error(x, EXPR_E_ROW, own, &why);
	tap_str(buf_str(&why), "needs table listed, which has no row for M=3, X=2, W=64",
		"the table and the values are named");
	own[W] = value_int(65);
	tap_ok(expr_eval(x, own, &v) == EXPR_E_OK && v.i == 21, "its neighbour has a row");
	buf_fini(&why);
	expr_free(x);

	spec.n_slots = 0;
	spec.n_rows = 0;
	if (!tap_ok(!expr_table_new(&spec, &listed, &e), "one without variables and rows") ||
	    !tap_ok(!expr_compile("table.listed", &s, &x, &e), "compiles"))
		return;
	expr_table_free(listed);
	tap_int(expr_eval(x, own, &v), EXPR_E_ROW, "it has no value");
	expr_print_error(x, EXPR_E_ROW, own, &why);
	tap_str(buf_str(&why), "needs table listed, which has no row for M=3",
		"what was given is named");
	buf_fini(&why);
	expr_free(x);
}

static void test_conjuncts(void)
{
	static const char *const want[] = {"X > 1", "(Y < 0 or Z)", "device.l9 > 3", "0 < X < 9",
					   "W"};
	struct expr **all;
	size_t n, unknown = 0;
	struct asc_err e;
	if (!tap_ok(!expr_compile_conjuncts("X > 1 and (Y < 0 or Z) and (device.l9 > 3 and "
					    "0 < X < 9) and W",
					    &scope, &all, &n, &e),
		    "conjuncts compile"))
		return;
	tap_int(n, 5, "as many as there are");
	for (size_t i = 0; i < n; i++) {
		tap_str(expr_text(all[i]), i < 5 ? want[i] : "", "conjunct %zu", i);
		unknown += expr_is_unknown(all[i]);
		expr_free(all[i]);
	}
	tap_int(unknown, 1, "only one of them is unknown");
	free(all);
	tap_int(expr_compile_conjuncts("X and BIGG", &scope, &all, &n, &e), ASC_INPUT, "a bad one");
	tap_str(e.text, "column 7: unknown name \"BIGG\" (did you mean \"BIG\"?)", "says which");
}

static void test_replace(void)
{
	char *text = NULL;
	struct asc_err e;

	if (tap_ok(!expr_replace("(X *2 if X_Y else a.X)+ X", "X", "False", &text, &e), "replaces"))
		tap_str(text, "(False *2 if X_Y else a.X)+ False", "a name, and not parts of one");
	free(text);
	if (tap_ok(!expr_replace("", "X", "1", &text, &e), "nothing"))
		tap_str(text, "", "stays nothing");
	free(text);
	if (tap_ok(!expr_replace("min(min, 2) + min (1, min)", "min", "(N)", &text, &e),
		   "of a function"))
		tap_str(text, "min((N), 2) + min (1, (N))", "a name, and not the function");
	free(text);
	tap_int(expr_replace("X @ 1", "X", "1", &text, &e), ASC_INPUT, "what is no expression");
	tap_has(e.text, "column 3", "is refused with its place");
}

int main(void)
{
	set_values();
	test_files();
	test_bounds();
	test_deepest();
	test_constants();
	test_slots();
	test_unknown();
	test_table();
	test_conjuncts();
	test_replace();
	return tap_done();
}
