/* Expressions as text of other languages.
 * covers: expr_plain.c expr_table.c */
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr.h"

static struct asc_err e;

static struct expr_table *tables[2]; /* "table" and "holes", by A and B */

/* Variables A and B, the tables, constants N = 37 and M = -3, `device.threads` untold, sizeof(q) =
 * 4736. */
static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	(void)user;
	if (call) {
		*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(4736)};
		return strcmp(name, "q") == 0;
	}
	if (strcmp(name, "table") == 0 || strcmp(name, "holes") == 0) {
		*out = (struct expr_binding){.kind = EXPR_TABLE, .table = tables[*name == 'h']};
		return true;
	}
	*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = strcmp(name, "B") == 0};
	if (strcmp(name, "A") == 0 || strcmp(name, "B") == 0)
		return true;
	out->kind = EXPR_CONSTANT;
	out->constant = value_int(strcmp(name, "N") == 0 ? 37 : -3);
	if (strcmp(name, "N") == 0 || strcmp(name, "M") == 0)
		return true;
	out->kind = EXPR_UNKNOWN;
	return strcmp(name, "device.threads") == 0;
}

static const struct expr_scope scope = {.resolve = resolve};

static const struct {
	const char *text, *plain;
} cases[] = {
	{"A % 4 == 0", "A % 4 == 0"},
	{"(A + B) * 2 <= N", "(A + B) * 2 <= 37"},
	{"A ** M", "A ** (-3)"},
	{"A < sizeof(q) // 4", "A < 1184"},
	{"A <= (12 if N <= 32 else 24)", "A <= (24)"},
	{"A <= (A if N <= 32 else B + 1)", "A <= (B + 1)"},
	{"A if B else N", "A if B else 37"},
	{"ceil_div(N, A * B) >= 1", "(-(-(37) // (A * B))) >= 1"},
	{"align(A, 8)", "(-(-(A) // (8)) * (8))"},
	{"ceil_div(ceil_div(A, 2), B)", "(-(-((-(-(A) // (2)))) // (B)))"},
	{"min(A, N) in [1, N, B]", "min(A, 37) in [1, 37, B]"},
	{"not A == 1 or is_pow2(N)", "not A == 1 or False"},
	{"1.5 * N / 2 < A", "27.75 < A"},
	{"table + N",
	 "((10 if B == 1 else 20 if B == 2 else (-5)) if A in [1, 3] else (30 if B == 1 "
	 "else (-5)) if A == 2 else (-5)) + 37"},
};

static struct value eval(const char *text, const struct value *slots)
{
	struct value v = value_int(-999);
	struct expr *x = NULL;

	if (expr_compile(text, &scope, &x, &e) || expr_eval(x, slots, &v) != EXPR_E_OK)
		tap_ok(false, "%s has a value", text);
	expr_free(x);
	return v;
}

/* What was printed means the same as what it was printed from. */
static void check_meaning(const char *text, const char *plain)
{
	int different = 0;

	for (int64_t a = 1; a <= 40; a++)
		for (int64_t b = 1; b <= 9; b++) {
			const struct value slots[] = {value_int(a), value_int(b)};

			different += !value_equal(eval(text, slots), eval(plain, slots));
		}
	tap_int(different, 0, "%s: the same for all values", text);
}

static void test_cases(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = {0};

		tap_int(expr_print_plain(cases[i].text, &scope, &out, &e), ASC_OK, "%s",
			cases[i].text);
		tap_str(buf_str(&out), cases[i].plain, "in plain Python");
		check_meaning(cases[i].text, buf_str(&out));
		buf_fini(&out);
	}
}

static void test_is_pow2(void)
{
	struct buf out = {0};

	tap_int(expr_print_plain("is_pow2(A)", &scope, &out, &e), ASC_OK, "is_pow2");
	tap_has(buf_str(&out), "((A) in [1, 2, 4, 8,", "is a list");
	check_meaning("is_pow2(A)", buf_str(&out));
	buf_fini(&out);
}

static void test_failures(void)
{
	static const struct {
		const char *text, *message;
	} bad[] = {
		{"log2(A) < 3", "plain Python has no \"log2\""},
		{"A < device.threads", "nothing tells the value of \"device.threads\""},
		{"A < X", "unknown name \"X\""},
		{"A < holes", "combinations without a row have no value in plain Python: table "
			      "\"holes\""},
		{"A <", "column 4"},
	};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct buf out = {0};

		tap_int(expr_print_plain(bad[i].text, &scope, &out, &e), ASC_INPUT, "%s",
			bad[i].text);
		tap_has(e.text, bad[i].message, "is refused");
		buf_fini(&out);
	}
}

int main(void)
{
	static const int64_t numbers[] = {1, 1, 10, 1, 2, 20, 2, 1, 30, 3, 1, 10, 3, 2, 20};
	static const struct value otherwise = {.kind = VALUE_INT, .i = -5};
	struct value rows[15];
	const struct expr_table_spec spec = {.name = "table",
					     .slots = (const size_t[]){0, 1},
					     .names = (const char *const[]){"A", "B"},
					     .n_slots = 2,
					     .n_rows = 5,
					     .stride = 3,
					     .rows = rows};
	struct expr_table_spec full = spec;

	full.otherwise = &otherwise;
	for (size_t i = 0; i < 15; i++)
		rows[i] = value_int(numbers[i]);
	tap_int(expr_table_new(&full, &tables[0], &e), ASC_OK, "a table");
	tap_int(expr_table_new(&spec, &tables[1], &e), ASC_OK, "one with holes");
	test_cases();
	test_is_pow2();
	test_failures();
	expr_table_free(tables[0]);
	expr_table_free(tables[1]);
	return tap_done();
}
