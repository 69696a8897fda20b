/* Launches and their results: equal ones are found, once they were measured and while they stand.
 */
#include "tuner/run/launch_record.h"

#include <malloc.h>

#include "tests/tap.h"

static const char key_a[HASH_TEXT_SIZE] = "a", key_b[HASH_TEXT_SIZE] = "b";
static const char key_c[HASH_TEXT_SIZE] = "c";

static const struct result *make_result(double median)
{
	static struct result r;

	result_init(&r);
	r.status = RESULT_OK;
	r.time = (struct stats_summary){.n = 1, .median = median};
	return &r;
}

static void test_find(void)
{
	struct launch_record r = {0};

	tap_ok(!launch_record_find(&r, key_a), "nothing is found in an empty record");
	launch_record_add(&r, 1, key_a, make_result(10));
	launch_record_add(&r, 2, key_b, make_result(20));
	const struct launch_entry *found = launch_record_find(&r, key_b);

	tap_ok(found && found->id == 2 && found->result.time.median == 20,
	       "a launch is found with the result that was measured for it");
	tap_ok(!launch_record_find(&r, key_c), "another launch is not found");
	launch_record_clear(&r);
	tap_ok(!r.list && !r.n, "nothing is left");
}

/* Memory is filled, so that a member that is not set shows. */
static void test_taken(void)
{
	struct launch_record r = {0};

	mallopt(M_PERTURB, 0x41);
	launch_record_add(&r, 1, key_a, NULL);
	tap_ok(!launch_record_find(&r, key_a),
	       "a trial that took another one's result is not found");
	mallopt(M_PERTURB, 0);
	launch_record_clear(&r);
}

static void test_equal(void)
{
	struct launch_record r = {0};
	uint64_t other = 0;
	size_t at = 0;

	launch_record_add(&r, 1, key_a, make_result(10));
	launch_record_add(&r, 2, key_b, make_result(20));
	launch_record_add(&r, 3, key_a, NULL);
	launch_record_add(&r, 4, key_a, NULL);
	tap_ok(launch_record_next_equal(&r, 3, &at, &other) && other == 1,
	       "the first trial with an equal launch");
	tap_ok(launch_record_next_equal(&r, 3, &at, &other) && other == 4,
	       "the next one, but for the trial itself");
	tap_ok(!launch_record_next_equal(&r, 3, &at, &other), "no further one");
	tap_ok(!launch_record_find(&r, key_a), "results of these launches stand no more");
	tap_ok(launch_record_find(&r, key_b), "results of other launches do");
	launch_record_clear(&r);
}

int main(void)
{
	test_find();
	test_taken();
	test_equal();
	return tap_done();
}
