/* Expressions as text of other languages.
 * covers: expr_plain.c */
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr.h"

static struct asc_err e;

/* Variables A and B, constants N = 37 and M = -3, `device.threads` untold, sizeof(q) = 4736. */
static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	(void)user;
	if (call) {
		*out = (struct expr_binding){.kind = EXPR_CONSTANT, .constant = value_int(4736)};
		return strcmp(name, "q") == 0;
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
	test_cases();
	test_is_pow2();
	test_failures();
	return tap_done();
}
