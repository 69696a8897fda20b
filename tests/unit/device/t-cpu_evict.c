/* Lines that were dropped from the caches are slow to read, and hold what they held.
 * covers: cpu_flush.c */
#include "tuner/device/cpu/cpu_flush.h"

#include <stdint.h>
#include <stdlib.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"

enum { LINE = 64, LINES = 4096, TRIES = 9 };

/* Every line names the next one, in an order that no processor can guess. */
struct line {
	_Alignas(LINE) uint32_t next;
	unsigned char rest[LINE - sizeof(uint32_t)];
};

static void link_lines(struct line *lines)
{
	size_t order[LINES];
	struct rng rng;

	for (size_t i = 0; i < LINES; i++)
		order[i] = i;
	rng_init(&rng, 1);
	rng_shuffle(&rng, order, LINES);
	for (size_t i = 0; i < LINES; i++) {
		struct line *l = &lines[order[i]];

		l->next = (uint32_t)order[(i + 1) % LINES];
		for (size_t k = 0; k < sizeof l->rest; k++)
			l->rest[k] = (unsigned char)(i + k);
	}
}

static bool is_whole(const struct line *lines)
{
	uint32_t at = 0;

	for (size_t i = 0; i < LINES; i++, at = lines[at].next)
		for (size_t k = 0; k + 1 < sizeof lines->rest; k++)
			if (lines[at].rest[k + 1] != (unsigned char)(lines[at].rest[k] + 1))
				return false;
	return at == 0;
}

static int64_t walk_ns(const struct line *lines)
{
	const int64_t start = clock_now_ns();
	volatile uint32_t at = 0;

	for (size_t i = 0; i < LINES; i++)
		at = lines[at].next;
	return clock_now_ns() - start;
}

/* The least of several. */
static int64_t time_walk(const struct line *lines, bool cold)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		if (cold)
			cpu_evict(lines, LINES * sizeof *lines);
		int64_t ns = walk_ns(lines);
		least = ns < least ? ns : least;
	}
	return least;
}

static void test_parts(struct line *lines)
{
	cpu_evict(NULL, 0);
	cpu_evict((const char *)lines + 3, 1);
	cpu_evict((const char *)lines + LINE - 1, 2);
	tap_ok(is_whole(lines), "parts of lines are dropped and nothing is lost");
}

int main(void)
{
	if (!cpu_evict_works()) {
		tap_skip("this processor cannot drop lines");
		return tap_done();
	}
	struct line *lines = aligned_alloc(LINE, LINES * sizeof *lines);
	if (!lines)
		return 1;
	link_lines(lines);
	const int64_t warm = time_walk(lines, false), cold = time_walk(lines, true);
	if (!tap_skip_emulated("it drops no lines"))
		tap_ok(cold > 2 * warm,
		       "reading dropped lines takes over twice as long: %lld ns, cached %lld",
		       (long long)cold, (long long)warm);
	tap_ok(is_whole(lines), "dropped lines hold what they held");
	test_parts(lines);
	free(lines);
	return tap_done();
}
