/* Who leaves the finals early, on rounds that are written down here.
 * covers: elimination.c */
#include "tuner/worker/elimination.h"

#include <stddef.h>

#include "tests/tap.h"
#include "tuner/worker/policy.h"

static const int64_t fast[] = {1000, 1010, 990, 1005, 2000, 1000, 995, 1003};
static const int64_t near[] = {1004, 1014, 994, 1009, 2009, 1004, 999, 1007}; /* + 0.4 % */
static const int64_t slow[] = {1030, 1040, 1020, 1035, 2060, 1030, 1025, 1033};
static const int64_t far[] = {4100, 4200, 4100};
static const int64_t mixed[] = {1030, 1040, 980, 1035, 2060, 990, 1025, 990}; /* 5 of 8 slower */

static size_t drop(const struct finals_rounds *list, size_t rounds, size_t *order, size_t n)
{
	struct asc_err e;

	tap_int(finals_drop(&policy_default, list, rounds, order, &n, &e), ASC_OK, "%zu rounds",
		rounds);
	return n;
}

/* A disturbed sample tells nothing while there are clean ones. */
static void test_marks(void)
{
	static const int64_t marked[] = {1, 1, 0, 0, 0, 0, 0, 0}, all[] = {1, 1, 1, 1, 1, 1, 1, 1};
	const struct finals_rounds list[] = {{far, marked, false},
					     {fast, NULL, false},
					     {slow, marked, false},
					     {slow, all, false}};
	size_t two[] = {0, 1}, three[] = {2, 3, 1};

	tap_int((int64_t)drop(list, 2, two, 2), 2, "far away in two disturbed rounds: stays");
	tap_int((int64_t)drop(list, 3, two, 2), 1, "in three of which two are disturbed: leaves");
	tap_int((int64_t)drop(list, 8, three, 3), 2,
		"slower in six clean rounds stays; slower in eight, none of them clean, leaves");
	tap_ok(three[0] == 2, "the one with clean rounds is left");
}

int main(void)
{
	const struct finals_rounds list[] = {{slow, NULL, false},
					     {fast, NULL, false},
					     {near, NULL, false},
					     {mixed, NULL, false},
					     {slow, NULL, true}};
	size_t order[] = {4, 0, 2, 3, 1};

	tap_int((int64_t)drop(list, 6, order, 5), 5,
		"six rounds tell nothing: 1/64 is above p_slow");
	tap_int((int64_t)drop(list, 7, order, 5), 4, "seven do: 1/128");
	tap_ok(order[0] == 4 && order[1] == 2 && order[2] == 3 && order[3] == 1,
	       "what is within the margin stays, and what is not always slower, and what must");
	const struct finals_rounds two[] = {
		{far, NULL, false}, {fast, NULL, false}, {slow, NULL, false}, {far, NULL, true}};
	size_t few[] = {0, 1, 2, 3};

	tap_int((int64_t)drop(two, 1, few, 4), 4, "over 4 times as long, once, is not");
	tap_int((int64_t)drop(two, 2, few, 4), 3, "over 4 times as long, twice, is enough");
	tap_ok(few[0] == 1 && few[1] == 2 && few[2] == 3, "but for what must stay");
	tap_int((int64_t)drop(list, 8, order, 1), 1, "one alone leads itself");
	test_marks();
	return tap_done();
}
