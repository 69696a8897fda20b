/* Classes of ties among finalists, on rounds that are written down here. */
#include "tuner/run/tie.h"

#include "tests/tap.h"

static const int64_t fast[] = {1000, 1010, 990, 1005, 2000, 1000, 995, 1003};
static const int64_t same[] = {1001, 1011, 991, 1006, 2002, 1001, 996, 1004};
static const int64_t slow[] = {1030, 1040, 1020, 1035, 2060, 1030, 1025, 1033};

static struct finalist make(const int64_t *samples, const char *key, double threads, double bytes)
{
	return (struct finalist){.samples = samples,
				 .rounds = 8,
				 .key = key,
				 .threads = threads,
				 .memory_bytes = bytes};
}

static void test_class(void)
{
	struct finalist f[] = {make(slow, "a", 1, 0), make(fast, "b", 2, 0), make(same, "c", 1, 0)};
	struct asc_err e;

	tap_int(tie_find(f, 3, 0.005, &e), ASC_OK, "found");
	tap_ok(f[1].leader && !f[0].leader && !f[2].leader, "the lowest median leads");
	tap_ok(!f[0].tied, "3 %% slower in every round: no tie");
	tap_real(f[0].ratio, 1.03, 0.0005, "its ratio, outlier or not");
	tap_ok(f[0].interval.known && f[0].interval.low > 1.025, "with an interval");
	tap_ok(f[1].tied && f[2].tied, "0.1 %% slower: a tie");
	tap_ok(f[2].winner && !f[1].winner, "which the one with fewer threads wins");
}

static void test_resources(void)
{
	struct finalist f[] = {make(fast, "c", 2, 64), make(fast, "b", 2, 32),
			       make(fast, "a", 2, 32)};
	struct asc_err e;

	tap_int(tie_find(f, 3, 0.005, &e), ASC_OK, "found");
	tap_ok(f[2].winner && !f[0].winner && !f[1].winner, "less memory, then the smaller key");
}

/* 5 % slower in most rounds, yet tied for the scatter of the others. */
static void test_doubtful(void)
{
	static const int64_t scattered[] = {1050, 990, 1051, 985, 1052, 1049, 980, 1050};
	struct finalist f[] = {make(fast, "b", 2, 64), make(scattered, "a", 1, 0)};
	struct asc_err e;

	tap_int(tie_find(f, 2, 0.005, &e), ASC_OK, "found");
	tap_ok(f[1].tied && f[1].ratio > 1.01, "a ratio of %.3f that may be 1", f[1].ratio);
	tap_ok(f[0].winner, "what probably is slower does not win for using less");
}

static void test_few(void)
{
	struct finalist f[] = {make(fast, "a", 1, 0), make(slow, "b", 1, 0)};
	struct asc_err e;

	f[0].rounds = f[1].rounds = 3;
	tap_int(tie_find(f, 2, 0.005, &e), ASC_OK, "three rounds");
	tap_ok(!f[1].interval.known && !f[1].tied, "are judged by their range");
	tap_int(tie_find(f, 1, 0.005, &e), ASC_OK, "one finalist");
	tap_ok(f[0].winner && f[0].tied && f[0].ratio == 1, "wins");
}

/* One that left early was clearly slower than another, whatever its few rounds say. */
static void test_left_early(void)
{
	struct finalist f[] = {make(fast, "a", 1, 0), make(same, "b", 2, 0)};
	struct asc_err e;

	f[0].rounds = 7;
	tap_int(tie_find(f, 2, 0.005, &e), ASC_OK, "one left after seven rounds of eight");
	tap_ok(f[1].leader && f[1].winner, "another leads, although its median is higher");
	tap_ok(!f[0].tied && f[0].time.n == 7, "no tie, known by seven rounds");
	tap_real(f[0].ratio, 0.999, 0.0002, "its ratio in them");
}

int main(void)
{
	test_left_early();
	test_class();
	test_resources();
	test_doubtful();
	test_few();
	return tap_done();
}
