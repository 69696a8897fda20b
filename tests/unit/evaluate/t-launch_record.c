/* Launches: equal ones are found, once they were measured and while they stand.
 * covers: launch_record.c */
#include "tuner/tune/evaluate/launch_record.h"

#include <stdio.h>

#include "tests/tap.h"
#include "tuner/tune/evaluate/trial.h"

static struct launch_record record;

/* A launch as launch_add() makes its key: the first half says where it lies in the table. */
static const char *launch(unsigned place, unsigned which)
{
	static char text[HASH_TEXT_SIZE];

	(void)snprintf(text, sizeof text, "%016x%016x", place, which);
	return text;
}

static void add(uint64_t id, const char *key, bool measured)
{
	struct trial t = {.id = id, .search = id % 3, .index = 10 * id};

	(void)snprintf(t.launch, sizeof t.launch, "%s", key);
	launch_record_add(&record, &t, measured);
}

static uint64_t find(const char *key)
{
	const struct launch_entry *found = launch_record_find(&record, key);

	return found ? found->id : 0;
}

static void test_find(void)
{
	tap_int((long)find(launch(1, 0)), 0, "nothing is found in an empty record");
	add(1, launch(1, 0), true);
	add(5, launch(1, 1), true);
	const struct launch_entry *found = launch_record_find(&record, launch(1, 1));

	tap_ok(found && found->id == 5 && found->search == 2 && found->index == 50,
	       "a launch is found with the trial that was measured");
	tap_int((long)find(launch(1, 2)), 0, "a launch beside it in the table is another one");
	tap_int((long)find(launch(2, 1)), 0, "and so is one of an equal half");
	launch_record_clear(&record);
	tap_ok(!record.places && !record.n, "nothing is left");
}

static void test_taken(void)
{
	add(1, launch(1, 0), false);
	tap_int((long)find(launch(1, 0)), 0, "a trial that took another one's result is not found");
	add(2, launch(1, 0), true);
	tap_int((long)find(launch(1, 0)), 2, "one behind it that was measured is");
	launch_record_clear(&record);
}

/* Ids of the trials with the launch of `id`, as a sum: they come in any order. */
static uint64_t sum_equal(uint64_t id)
{
	const struct launch_entry *entry;
	uint64_t sum = 0;
	size_t at = 0;

	while ((entry = launch_record_next_equal(&record, id, &at)) != NULL)
		sum += entry->id;
	return sum;
}

static void test_equal(void)
{
	add(1, launch(7, 0), true);
	add(20, launch(7, 1), true);
	add(300, launch(7, 0), false);
	add(4000, launch(7, 0), false);
	tap_int((long)sum_equal(99), 0, "a trial that is not there has no equals");
	tap_int((long)sum_equal(0), 0, "nor has a free place");
	tap_int((long)sum_equal(300), 4301, "the trials with an equal launch, with itself");
	tap_int((long)find(launch(7, 0)), 0, "results of these launches stand no more");
	tap_int((long)find(launch(7, 1)), 20, "results of other launches do");
	launch_record_clear(&record);
}

static void test_many(void)
{
	enum { MANY = 10000 };
	long lost = 0;

	for (unsigned i = 1; i <= MANY; i++)
		add(i, launch(i % 4096, i), true);
	for (unsigned i = 1; i <= MANY; i++)
		lost += find(launch(i % 4096, i)) != i;
	tap_int(lost, 0, "each of many launches is found");
	tap_ok(record.capacity * sizeof *record.places <= MANY * 96, "they take %zu bytes each",
	       record.capacity * sizeof *record.places / MANY);
	launch_record_clear(&record);
}

int main(void)
{
	test_find();
	test_taken();
	test_equal();
	test_many();
	return tap_done();
}
