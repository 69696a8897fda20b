/* Parts that threads share: each is run once, whatever happens between begin and end; a failure
 * ends the work and is told.
 * covers: parts.c */
#include "tuner/process/parts.h"

#include <stdatomic.h>

#include "tests/tap.h"

enum { PARTS = 1000, BAD = 137 };

static atomic_int times[PARTS];
static bool fails;

static enum asc_status count(void *user, size_t part, struct asc_err *e)
{
	atomic_fetch_add(&times[part], 1);
	return fails && part == *(const size_t *)user
		       ? asc_err_set(e, ASC_LIMIT, "part %zu fails", part)
		       : ASC_OK;
}

static int most(void)
{
	int found = 0;

	for (size_t i = 0; i < PARTS; i++)
		found = times[i] > found ? times[i] : found;
	return found;
}

static int run(void)
{
	int found = 0;

	for (size_t i = 0; i < PARTS; i++)
		found += times[i] > 0;
	return found;
}

enum { ELEMENTS = (1 << 19) + 3 };

static unsigned char passed[ELEMENTS];

static void pass(void *user, size_t begin, size_t end)
{
	(void)user;
	for (size_t i = begin; i < end; i++)
		passed[i]++;
}

static size_t passed_once(void)
{
	size_t n = 0;

	for (size_t i = 0; i < ELEMENTS; i++)
		n += passed[i] == 1;
	return n;
}

int main(void)
{
	size_t bad = BAD;
	struct parts parts;
	struct asc_err e;

	tap_int(parts_run(PARTS, count, &bad, &e), ASC_OK, "parts are run");
	tap_ok(run() == PARTS && most() == 1, "each of them once");
	tap_int(parts_run(0, count, &bad, &e), ASC_OK, "none are none");
	tap_ok(run() == PARTS && most() == 1, "and nothing is run");
	fails = true;
	tap_int(parts_run(PARTS, count, &bad, &e), ASC_LIMIT, "a part fails");
	tap_str(e.text, "part 137 fails", "which is told");
	tap_ok(most() == 2, "none is run twice then");
	bad = PARTS - 1;
	parts_begin(&parts, PARTS, count, &bad);
	tap_int(parts_end(&parts, &e), ASC_LIMIT, "the last one fails");
	parts_pass(ELEMENTS, pass, NULL);
	tap_int(passed_once(), ELEMENTS, "elements are passed over once each");
	parts_pass(0, pass, NULL);
	return tap_done();
}
