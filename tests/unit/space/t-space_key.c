/* Keys of spaces: equal for what is equal, different wherever a configuration differs.
 * covers: space_key.c */
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/workload/space/space.h"

enum { WIDE = 100 };

/* A space of a, b and c under one condition, where N is known, or not. */
struct draft {
	const char *condition;
	int64_t n;
	size_t n_values;        /* of each parameter: 1, 2, 3 .. */
	int64_t first, initial; /* first value and default of a */
	const char *origin;
	bool unknown;
	bool first_is_true; /* the first value of a is true */
};

static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	const struct draft *d = user;

	if (call || strcmp(name, "N") != 0)
		return false;
	*out = (struct expr_binding){.kind = d->unknown ? EXPR_UNKNOWN : EXPR_CONSTANT,
				     .constant = value_int(d->n)};
	return true;
}

static void make_key(const struct draft *d, char key[HASH_TEXT_SIZE])
{
	struct value values[WIDE], of_a[WIDE];
	const struct space_condition condition = {d->condition,
						  d->origin ? d->origin : "constraints[0]"};
	struct asc_err e;

	for (size_t i = 0; i < d->n_values; i++)
		of_a[i] = values[i] = value_int((int64_t)i + 1);
	of_a[0] = d->first ? value_int(d->first) : of_a[0];
	if (d->first_is_true)
		of_a[0] = value_bool(true);
	const struct space_param params[] = {
		{"a", d->n_values, of_a, d->initial ? value_int(d->initial) : of_a[0]},
		{"b", d->n_values, values, values[0]},
		{"c", d->n_values, values, values[0]}};
	const struct space_spec spec = {.params = params,
					.n_params = 3,
					.conditions = &condition,
					.n_conditions = 1,
					.outer = {resolve, NULL, d}};

	strcpy(key, "none");
	if (!tap_ok(space_key(&spec, key, &e) == ASC_OK, "the key of %s with N=%lld", d->condition,
		    (long long)d->n))
		tap_note("%s", e.text);
}

static void compare(const struct draft *x, const struct draft *y, bool want_equal, const char *what)
{
	char one[HASH_TEXT_SIZE], other[HASH_TEXT_SIZE];

	make_key(x, one);
	make_key(y, other);
	tap_int(strcmp(one, other) == 0, want_equal, "%s", what);
}

static void test_narrow(void)
{
	const struct draft d = {.condition = "ceil_div(N, a) >= 2", .n = 8, .n_values = 4};
	struct draft o = d;

	compare(&d, &o, true, "the same space");
	o.n = 1000;
	compare(&d, &o, true, "another size that allows the same");
	o.n = 3;
	compare(&d, &o, false, "another size that allows less");
	o.n = 0;
	o.condition = "6 // (a - N) >= 0 or True";
	struct draft fails = o;
	fails.n = 2;
	compare(&o, &fails, false, "another size with which a value cannot be evaluated");
	o = d;
	o.unknown = true;
	compare(&d, &o, false, "a size that is unknown");
	o = d;
	o.first = 9;
	compare(&d, &o, false, "another value");
	o = d;
	o.initial = 2;
	compare(&d, &o, false, "another default");
	o = d;
	o.condition = "ceil_div(N, b) >= 2";
	compare(&d, &o, false, "another parameter");
	o = d;
	o.origin = "constraints[1]";
	compare(&d, &o, false, "another origin, which messages name");
	o = d;
	o.n_values = 5;
	compare(&d, &o, false, "more values");
	o = d;
	o.first_is_true = true;
	compare(&d, &o, false, "a truth value in place of the number 1");
	o = d;
	o.condition = "(a if N > 5 else b) > 1";
	o.n = 1;
	struct draft reads_a = o;
	reads_a.n = 10;
	compare(&o, &reads_a, false, "another size with which another parameter is read");
}

/* Rules over more combinations than are tried. */
static void test_wide(void)
{
	const struct draft d = {.condition = "a * b + c < N", .n = 99, .n_values = WIDE};
	struct draft o = d;

	compare(&d, &o, true, "the same wide space");
	o.n = 100;
	compare(&d, &o, false, "another constant");
	o.n = 99;
	o.condition = "a * b - c < N";
	compare(&d, &o, false, "another operation");
	o.condition = "a * b + c < 2 * N - N";
	struct draft as_computed = o;
	as_computed.n = 100;
	compare(&o, &as_computed, false, "another constant that is computed");
}

int main(void)
{
	test_narrow();
	test_wide();
	return tap_done();
}
