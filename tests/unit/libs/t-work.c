/* Records of a device's work: the time of a launch, and what differs between two. Sums and spans
 * are worked out by hand.
 * covers: work.c */
#include "tuner/device/libs/work.h"

#include <string.h>

#include "tests/tap.h"

static struct asc_err e;

static struct work kernel(const char *name, uint32_t grid, uint64_t start, uint64_t end)
{
	struct work w = {.kind = WORK_KERNEL, .start = start, .end = end, .grid = {grid, 1, 1}};

	work_set_name(&w, name);
	return w;
}

static struct work copy(uint64_t bytes, uint64_t start, uint64_t end)
{
	return (struct work){.kind = WORK_COPY, .start = start, .end = end, .bytes = bytes};
}

static void test_sum(void)
{
	struct work list[] = {kernel("second", 1, 150, 250), copy(64, 90, 120),
			      kernel("first", 1, 100, 200)};
	struct work_sum sum = {0};

	tap_int(work_add_up(list, 3, WORK_ALL, &sum, &e), ASC_OK,
		"kernels that overlap, behind a copy");
	tap_int(sum.span_ns, 160, "from the first start to the last end");
	tap_int(sum.sum_ns, 230, "the sum counts what overlaps twice");
	tap_int((int64_t)sum.n, 3, "a copy counts");
	tap_int(work_add_up(list, 1, WORK_ALL, &sum, &e), ASC_OK, "one");
	tap_ok(sum.span_ns == 100 && sum.sum_ns == 100, "is its own span");
	tap_int(work_add_up(list, 3, 1, &sum, &e), ASC_OK, "all but the copy");
	tap_ok(sum.n == 2 && sum.start == 100 && sum.span_ns == 150, "begin with the first kernel");
	list[2].start = list[2].end = 0;
	tap_int(work_add_up(list, 3, WORK_ALL, &sum, &e), ASC_IO, "one that was not timed");
	tap_str(e.text, "the profiler did not time first", "is named");
	list[1].end = 80;
	tap_int(work_add_up(list, 3, WORK_ALL, &sum, &e), ASC_IO, "one that ends before it starts");
	tap_str(e.text, "the profiler timed a copy from 90 ns to 80 ns", "is named, too");
	tap_int(work_add_up(list, 0, WORK_ALL, &sum, &e), ASC_IO, "no work has no time");
	tap_int(work_add_up(list, 1, 0, &sum, &e), ASC_IO, "nor has none but what is left out");
}

static void test_first_fill(void)
{
	const struct work list[] = {{.kind = WORK_FILL, .correlation = 7},
				    {.kind = WORK_COPY, .correlation = 1},
				    {.kind = WORK_FILL, .correlation = 3},
				    {.kind = WORK_KERNEL, .correlation = 2}};

	tap_int(work_find_first_fill(list, 4), 2, "the fill that was asked for first");
	tap_int(work_find_first_fill(list + 3, 1), WORK_ALL, "no fill");
}

/* Checks what differs between two launches of two records each, and the other way round. */
static void check(struct work a, struct work b, struct work c, struct work d, const char *text)
{
	struct work now[] = {a, b}, before[] = {c, d};
	char words[240] = "";

	tap_int(work_differs(now, 2, before, 2, words, sizeof words), text != NULL, "%s",
		text ? text : "the same work");
	tap_str(words, text ? text : "", "in words");
	tap_int(work_differs(before, 2, now, 2, NULL, 0), text != NULL, "seen from the other one");
}

static void test_differs(void)
{
	const struct work a = kernel("a", 4, 10, 20), b = kernel("b", 4, 30, 40);
	const struct work a_later = kernel("a", 4, 50, 70);
	struct work none[1], one[] = {a};
	char words[240] = "", long_name[400], longer[400];

	check(a, b, b, a_later, NULL);
	check(a, a_later, a_later, a, NULL);
	check(a, copy(8, 1, 2), a, copy(16, 1, 2), "copies of 8 bytes: 1 instead of 0");
	tap_int(work_differs(one, 1, none, 0, words, sizeof words), true, "work against none");
	tap_str(words, "kernel a (grid 4x1x1): 1 instead of 0", "is named");
	tap_int(work_differs(none, 0, one, 1, words, sizeof words), true, "none against work");
	tap_str(words, "kernel a (grid 4x1x1): 0 instead of 1", "as well");
	tap_int(work_differs(none, 0, none, 0, words, sizeof words), false, "none against none");
	check(a, a, a, kernel("a", 5, 1, 2), "kernel a (grid 4x1x1): 2 instead of 1");
	check(kernel("c", 0, 1, 2), a, a, kernel("c", 0, 1, 2), NULL);
	/* Names of templates differ behind what is kept of them. */
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	memcpy(longer, long_name, sizeof longer);
	longer[sizeof longer - 2] = 'y';
	struct work x = kernel(long_name, 0, 1, 2), y = kernel(longer, 0, 1, 2);

	tap_int(work_differs(&x, 1, &y, 1, NULL, 0), true, "long names that end differently");
}

/* Warm is when three launches in a row were alike. */
static void test_history(void)
{
	const struct work first = kernel("k", 1, 1, 2), later = kernel("k", 2, 3, 4);
	const struct work *const launches[] = {&first, &first, &later, &later, &later};
	struct work_history h = {0};
	bool warm = true;

	for (size_t i = 0; i < 5; i++) {
		tap_int(work_history_add(&h, launches[i], 1, &warm, &e), ASC_OK, "launch %zu", i);
		tap_int(warm, i == 4, i == 4 ? "is the third of its kind" : "is not warm");
	}
	tap_str(h.differs, "kernel k (grid 1x1x1): 0 instead of 1", "what was different last");
	tap_int(work_history_add(&h, NULL, 0, &warm, &e), ASC_OK, "one without work");
	tap_ok(!warm && h.alike == 1 && h.launches == 6, "begins anew");
	work_history_fini(&h);
	tap_ok(!h.last && h.launches == 0, "nothing is left");
}

static void test_print(void)
{
	const struct work a = kernel("a", 4, 10, 20), b = kernel("b", 0, 30, 40);
	const struct work list[] = {a, a, copy(8, 1, 2), b, a, a};
	char words[110];

	work_print(list, 6, words, sizeof words);
	tap_str(words, "kernel a (grid 4x1x1) 2 times; copies of 8 bytes; kernel b; 2 more",
		"in the order of the records, until no more fits");
	work_print(list, 3, words, sizeof words);
	tap_str(words, "kernel a (grid 4x1x1) 2 times; copies of 8 bytes", "all that fits");
	work_print(list, 6, words, 40);
	tap_str(words, "6 more", "without room for one");
	work_print(NULL, 0, words, sizeof words);
	tap_str(words, "", "without work");
}

int main(void)
{
	test_print();
	test_sum();
	test_first_fill();
	test_differs();
	test_history();
	return tap_done();
}
