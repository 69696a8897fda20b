/* Hard inputs of one tensor, made here: which values they may have by its fill and its domain.
 * covers: inputs_hard.c */
#include "tuner/worker/inputs_hard.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding.h"

enum { ROWS = 4, COLUMNS = 64, N = ROWS * COLUMNS };

static struct tensor tensor;
static struct bound_tensor bound;
static struct workload workload = {.tensors = &tensor, .n_tensors = 1};
static const struct binding binding = {.workload = &workload, .tensors = &bound};
static float x[N];

/* A tensor whose elements rise evenly from `low` to `high`. */
static void fill(enum fill_kind kind, enum tensor_domain domain, float low, float high)
{
	tensor = (struct tensor){.name = "x",
				 .role = ROLE_IN,
				 .rank = 2,
				 .fill = {.kind = kind},
				 .domain = {.kind = domain}};
	bound = (struct bound_tensor){.present = true,
				      .dtype = DTYPE_F32,
				      .shape = {ROWS, COLUMNS},
				      .rank = 2,
				      .count = N,
				      .bytes = sizeof x};
	for (int i = 0; i < N; i++)
		x[i] = low + (high - low) * (float)i / (float)(N - 1);
}

static int count(float wanted)
{
	int n = 0;

	for (int i = 0; i < N; i++)
		n += x[i] == wanted;
	return n;
}

static void make(enum hard_set s)
{
	hard_set_make(s, &binding, 0, x);
}

static void test_within(void)
{
	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	make(HARD_ZEROS);
	tap_int(count(0), N, "zeros");
	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	make(HARD_ONES);
	tap_int(count(1), N, "ones");
	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	make(HARD_SINGLE);
	tap_ok(count(0) == N - ROWS && count(4) == ROWS && x[COLUMNS - 1] == 4,
	       "zeros but for the largest number, in the first row's last column");
	fill(FILL_NORMAL, DOMAIN_FILL, -5, 4);
	make(HARD_SINGLE);
	tap_int(count(-5), ROWS, "which may be below 0");
	fill(FILL_NORMAL, DOMAIN_FINITE, -3, 4);
	make(HARD_SINGLE);
	tap_int(count(1000), ROWS, "and is large where every finite number is allowed");
	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	make(HARD_ROWS);
	tap_int(memcmp(x, x + (size_t)(ROWS - 1) * COLUMNS, COLUMNS * sizeof *x), 0, "equal rows");
	tap_int(count(-3), ROWS, "all as the first");
}

/* A variance is never negative, nor zero where its fill makes none. */
static void test_outside(void)
{
	for (int s = HARD_ZEROS; s < HARD_COUNT; s++) {
		fill(FILL_UNIFORM, DOMAIN_FILL, 2, 3);
		make((enum hard_set)s);
		int within = 0;

		for (int i = 0; i < N; i++)
			within += x[i] >= 2 && x[i] <= 3;
		tap_int(within, N, "%s: within what the fill makes",
			hard_set_name((enum hard_set)s));
	}
}

static void test_domain(void)
{
	int nan = 0;

	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	tap_ok(!hard_set_has(HARD_LIMITS, &binding, 0) && !hard_set_has(HARD_SPECIAL, &binding, 0),
	       "without a domain neither limits nor NaN");
	fill(FILL_FUNCTION, DOMAIN_FINITE, 2, 3);
	tap_ok(!hard_set_has(HARD_SPECIAL, &binding, 0), "finite: no NaN");
	make(HARD_LIMITS);
	tap_ok(count(0x1.fffffep127f) > 0 && count(-0x1.fffffep127f) > 0,
	       "but the largest numbers of f32");
	make(HARD_ZEROS);
	tap_int(count(0), N, "and zeros, whatever its fill makes");
	fill(FILL_CONSTANT, DOMAIN_RANGE, 1, 1);
	tensor.domain.low = 2;
	tensor.domain.high = 1e4;
	make(HARD_ZEROS);
	tap_int(count(1), N, "a range without 0: no zeros");
	tap_ok(!hard_set_has(HARD_LIMITS, &binding, 0), "and no limits");
	make(HARD_RANGE);
	float least = INFINITY, largest = 0;

	for (int i = 0; i < N; i++) {
		least = fminf(least, x[i]);
		largest = fmaxf(largest, x[i]);
	}
	tap_ok(least >= 2 && least < 1000 && largest <= 1e4F && largest > 9e3F,
	       "but numbers from all of it, from %g to %g", least, largest);
	fill(FILL_NORMAL, DOMAIN_ANY, -3, 4);
	make(HARD_SPECIAL);
	for (int i = 0; i < N; i++)
		nan += isnan(x[i]);
	tap_ok(nan == 1 && count(INFINITY) == 1 && count(-INFINITY) == 1,
	       "any: NaN and both infinities, each in a row of its own");
	tap_ok(count(-3) == 1, "between numbers as they were filled");
}

static void test_left_alone(void)
{
	static const struct json_node *const rule = (const struct json_node *)&workload;

	fill(FILL_FUNCTION, DOMAIN_FILL, -3, 4);
	tap_ok(!hard_set_has(HARD_ZEROS, &binding, 0), "what a function makes");
	fill(FILL_NORMAL, DOMAIN_FILL, -3, 4);
	tensor.contents.node = rule;
	tap_ok(!hard_set_has(HARD_ZEROS, &binding, 0), "what has rules for its contents");
	fill(FILL_SLOTS, DOMAIN_FILL, 0, 4);
	bound.dtype = DTYPE_I32;
	tap_ok(!hard_set_has(HARD_ROWS, &binding, 0), "indices");
	fill(FILL_NORMAL, DOMAIN_ANY, -3, 4);
	bound.count = 0;
	tap_ok(!hard_set_has(HARD_ROWS, &binding, 0), "a tensor without elements");
	fill(FILL_NORMAL, DOMAIN_ANY, -3, 4);
	bound.count = 1;
	bound.shape[0] = bound.shape[1] = 1;
	make(HARD_SPECIAL);
	tap_ok(isnan(x[0]), "one of a single element is changed, too");
}

/* The problem's own key says nothing of domains, which change the numbers. */
static void test_key(void)
{
	char any[HARD_KEY_SIZE], finite[HARD_KEY_SIZE], ones[HARD_KEY_SIZE], first[HARD_KEY_SIZE];
	const double unversioned[] = {0, DOMAIN_ANY, 0, 0};

	fill(FILL_NORMAL, DOMAIN_ANY, -3, 4);
	hard_set_print_key(HARD_ZEROS, &binding, any);
	(void)snprintf(first, sizeof first, "-zeros-%016" PRIx64,
		       hash_bytes(unversioned, sizeof unversioned));
	tap_ok(strcmp(any, first) != 0, "the version of the numbers is part of the key");
	hard_set_print_key(HARD_ONES, &binding, ones);
	fill(FILL_NORMAL, DOMAIN_FINITE, -3, 4);
	hard_set_print_key(HARD_ZEROS, &binding, finite);
	tap_ok(strncmp(any, "-zeros-", 7) == 0 && strcmp(any, finite) != 0,
	       "another domain has another key");
	tap_ok(strcmp(any, ones) != 0, "another set, too");
	hard_set_print_key(HARD_NONE, &binding, any);
	tap_str(any, "", "inputs as they were filled have none");
}

static void test_names(void)
{
	enum hard_set s;

	for (int i = 0; i < HARD_COUNT; i++)
		tap_ok(hard_set_parse(hard_set_name((enum hard_set)i), &s) && (int)s == i,
		       "the name of set %d is read", i);
	tap_ok(!hard_set_parse("easy", &s), "another one is not");
}

int main(void)
{
	test_within();
	test_outside();
	test_domain();
	test_left_alone();
	test_key();
	test_names();
	return tap_done();
}
