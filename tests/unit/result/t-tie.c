/* Who is chosen among finalists, who is tied with it and how sure that is, on rounds that are
 * written down here; ratios are by arithmetic.
 * covers: tie.c */
#include "tuner/result/tie.h"

#include <math.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/result/result.h"

static struct asc_err e;
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

static const char *judge(struct finalist *f, size_t n)
{
	static char text[SURE_TEXT_SIZE];
	struct sureness s = {0};
	const struct finalist *chosen = f;

	tap_int(tie_find(f, n, 0.005, &e), ASC_OK, "judged");
	for (size_t i = 0; i < n; i++)
		if (f[i].chosen)
			chosen = &f[i];
	tap_int(sure_find(f, n, chosen, 0.005, &s, &e), ASC_OK, "and how sure");
	return sure_print(&s, text);
}

static void test_class(void)
{
	struct finalist f[] = {make(slow, "a", 1, 0), make(fast, "b", 2, 0), make(same, "c", 1, 0)};

	tap_str(judge(f, 3), "tie of 2", "two of three");
	tap_ok(f[2].chosen && !f[0].chosen && !f[1].chosen, "the one with fewer threads is chosen");
	tap_ok(f[2].ratio == 1 && f[2].interval.low == 1 && f[2].interval.high == 1,
	       "its ratio is 1");
	tap_real(f[1].ratio, 0.999, 0.0001, "that of the leader to it, outlier or not");
	tap_int(f[1].standing, STANDING_TIED, "tied");
	tap_real(f[0].ratio, 1.029, 0.0005, "that of another");
	tap_int(f[0].standing, STANDING_SLOWER, "slower in every round");
}

static void test_facts(void)
{
	struct finalist f = make(fast, "a", 7, 5);
	struct result r;

	result_init(&r);
	tie_apply_facts(&f, &r, 128);
	tap_ok(f.threads == 7 && f.memory_bytes == 5, "without facts the launch's figures stand");
	tap_ok(!result_add_metric(&r, RESULT_KERNEL, "shared_bytes", 4096, "B", &e) &&
		       !result_add_metric(&r, RESULT_KERNEL, "registers", 40, "1", &e) &&
		       !result_add_metric(&r, RESULT_KERNEL, "local_bytes", 16, "B", &e) &&
		       !result_add_metric(&r, "nvml", "registers", 3, "1", &e),
	       "facts of a kernel, and a probe's metric of the same name");
	tie_apply_facts(&f, &r, 128);
	tap_real(f.threads, 40 * 128, 0, "registers of all threads of a block");
	tap_real(f.memory_bytes, 4096, 0, "shared memory of a block");
	result_fini(&r);
}

static void test_resources(void)
{
	struct finalist f[] = {make(fast, "c", 2, 64), make(fast, "b", 2, 32),
			       make(fast, "a", 2, 32)};

	judge(f, 3);
	tap_ok(f[2].chosen, "less memory, then the smaller key");
	f[0].recorded = true;
	judge(f, 3);
	tap_ok(f[0].chosen && !f[2].chosen, "but the best on record stays");
	f[0].samples = slow;
	judge(f, 3);
	tap_ok(f[2].chosen && !f[0].chosen, "unless it is slower");
}

/* Round by round hardly slower, in the median 1.0 %: what is printed as time decides too. */
static void test_printed(void)
{
	static const int64_t a[] = {1000, 1000, 1000, 1000, 1000, 1010, 1010, 1010, 1010},
			     b[] = {1001, 1001, 1001, 1001, 1011, 1011, 1011, 1011, 1011};
	struct finalist f[] = {make(a, "b", 2, 0), make(b, "a", 1, 0)};

	f[0].rounds = f[1].rounds = 9;
	tap_str(judge(f, 2), "tie of 2", "a tie");
	tap_real(f[1].ratio, 1.001, 0.0001, "of 0.1 %%");
	tap_ok(f[0].chosen, "but the median of what uses less is 1.1 %% higher");
}

/* The leader's median is lowest, and another is 5 % faster in the median of rounds: no tie, and no
 * ranking. */
static void test_contradiction(void)
{
	static const int64_t leader[] = {1000, 1000, 1000, 1000, 1000, 1000, 1000, 1100, 1100},
			     other[] = {950, 950, 950, 950, 1003, 1003, 1003, 1003, 1003};
	struct finalist f[] = {make(leader, "b", 2, 0), make(other, "a", 1, 0)};

	f[0].rounds = f[1].rounds = 9;
	tap_str(judge(f, 2), "undecided (ratios ±4.6 %)", "(0.912 .. 1.003)");
	tap_ok(f[0].chosen, "the lowest median is chosen");
}

/* The README's example of old: 1.0000 for the leader, 0.9492 (0.8875 .. 0.9913) for another. */
static void test_example(void)
{
	const struct finalist f[] = {
		{.ratio = 1, .interval = {true, 1, 1}, .standing = STANDING_TIED},
		{.ratio = 0.9492,
		 .interval = {true, 0.8875, 0.9913},
		 .standing = standing_find(&(struct stats_interval){true, 0.8875, 0.9913}, true,
					   0.005)}};
	char text[SURE_TEXT_SIZE];
	struct sureness s;

	tap_int(f[1].standing, STANDING_UNDECIDED, "an interval that reaches below 0.95 is no tie");
	tap_int(sure_find(f, 2, f, 0.005, &s, &e), ASC_OK, "asked");
	tap_str(sure_print(&s, text), "undecided (ratios ±5.2 %)", "so nothing is ranked");
	s.noise_pct = 4.5e9;
	tap_str(sure_print(&s, text), "undecided (ratios over ±1000 %)", "noise without bounds");
}

/* 5 % slower in most rounds, yet not shown to be. */
static void test_doubtful(void)
{
	static const int64_t scattered[] = {1050, 990, 1051, 985, 1052, 1049, 980, 1050};
	struct finalist f[] = {make(fast, "b", 2, 64), make(scattered, "a", 1, 0)};

	tap_str(judge(f, 2), "undecided (ratios ±27 %)", "an interval of (0.526 .. 1.062)");
	tap_ok(f[0].chosen, "what probably is slower does not win for using less");
	tap_int(f[1].standing, STANDING_UNDECIDED, "it is not told apart");
}

static void test_few(void)
{
	struct finalist f[] = {make(fast, "a", 1, 0), make(slow, "b", 1, 0)};

	f[0].rounds = f[1].rounds = 3;
	tap_str(judge(f, 2), "clear winner", "three rounds");
	tap_ok(!f[1].interval.known && f[1].standing == STANDING_SLOWER,
	       "are judged by their range");
	tap_str(judge(f, 1), "not compared", "one finalist alone is compared with nothing");
	tap_ok(f[0].chosen && f[0].ratio == 1, "one finalist alone is chosen");
}

/* One that left early was clearly slower than another, whatever its few rounds say. */
static void test_left_early(void)
{
	struct finalist f[] = {make(fast, "a", 1, 0), make(same, "b", 2, 0)};

	f[0].rounds = 7;
	tap_str(judge(f, 2), "clear winner", "one left after seven rounds of eight");
	tap_ok(f[1].chosen, "another leads, although its median is higher");
	tap_ok(f[0].standing == STANDING_SLOWER && f[0].time.n == 7, "no tie, known by seven");
	tap_real(f[0].ratio, 0.999, 0.0002, "its ratio in them");
	tap_ok(!f[0].interval.known && isnan(f[0].interval.low) && isnan(f[0].interval.high),
	       "no interval says that it may be as fast");
}

/* One round of eight is disturbed, of the leader alone. What left then was slower in the seven
 * others, all ratios of which are 1.1: this is its interval, too. */
static void test_left_by_clean_rounds(void)
{
	static const int64_t notes[] = {0, 0, 0, RESULT_MARK_LOAD, 0, 0, 0, 0, 0},
			     leader[] = {1000, 1010, 990, 9000, 1000, 1000, 990, 1010, 1000},
			     left[] = {1100, 1111, 1089, 1100, 1100, 1100, 1089, 1111};
	struct finalist f[] = {make(leader, "a", 1, 0), make(left, "b", 1, 0)};

	f[0].notes = notes;
	f[0].rounds = 9;
	tap_str(judge(f, 2), "clear winner", "a disturbed round");
	tap_ok(f[1].standing == STANDING_SLOWER && f[1].interval.known, "slower, shown to be");
	tap_real(f[1].interval.low, 1.1, 1e-9, "by the clean rounds alone");
	tap_real(f[1].interval.high, 1.1, 1e-9, "at both ends");
}

/* Slower than its own default in every round, although its median is lowest. */
static void test_unusable(void)
{
	const struct finalist chosen = {.ratio = 1, .interval = {true, 1, 1}, .implementation = 1};
	struct finalist f[] = {chosen, chosen};
	struct sureness s;

	f[1] = (struct finalist){.ratio = 0.96,
				 .interval = {true, 0.955, 0.97},
				 .implementation = 1,
				 .is_default = true};
	sure_find(f, 2, f, 0.005, &s, &e);
	tap_str(sure_name(s.sure), "no usable result", "the default is 4 %% faster");
	f[1].implementation = 0;
	sure_find(f, 2, f, 0.005, &s, &e);
	tap_str(sure_name(s.sure), "tie", "another implementation's default is a rival like any");
	f[1].implementation = 1;
	f[1].interval.high = 0.999;
	sure_find(f, 2, f, 0.005, &s, &e);
	tap_str(sure_name(s.sure), "tie", "0.1 %% is within the margin");
}

static void test_words(void)
{
	for (int i = 0; i <= SURE_UNUSABLE; i++)
		tap_int(sure_parse(sure_name((enum sure)i)), i, "\"%s\" is known by its name",
			sure_name((enum sure)i));
	tap_int(sure_parse(NULL), SURE_UNKNOWN, "none is unknown");
	tap_int(sure_parse("surely"), SURE_UNKNOWN, "so is another word");
	char text[STANDING_TEXT_SIZE];

	tap_str(standing_name(STANDING_UNDECIDED), "undecided", "standings have names");
	tap_str(standing_recorded_name(STANDING_UNDECIDED), "unsure",
		"a standing has the name that databases know");
	tap_int(standing_parse("unsure"), STANDING_UNDECIDED, "a recorded standing is read");
	tap_int(standing_parse("slower"), STANDING_SLOWER, "a standing is read by its name");
	tap_int(standing_parse("tied"), STANDING_TIED, "another one, too");
	tap_int(standing_parse("undecided"), STANDING_UNDECIDED,
		"a standing is read that databases know by another name");
	tap_int(standing_parse("fastest"), STANDING_UNDECIDED, "an unknown standing is undecided");
	tap_str(standing_print(STANDING_SLOWER, true, 8, text), "slower", "shown by its interval");
	tap_str(standing_print(STANDING_SLOWER, false, 8, text), "slower, left after 8 rounds",
		"without one");
	tap_str(standing_print(STANDING_TIED, false, 8, text), "tied", "nothing else leaves");
}

/* Two of three samples are marked, and take up to ten times as long: the clean ones tell. */
static void test_disturbed(void)
{
	enum { ROUNDS = 30 };
	int64_t quick[ROUNDS], late[ROUNDS], notes[2][ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		notes[0][i] = i % 3 != 0 ? RESULT_MARK_LOAD : 0;
		notes[1][i] = i % 3 != 1 ? RESULT_MARK_LOAD : 0;
		quick[i] = 1000 + i % 5 + (notes[0][i] ? 300 * i : 0);
		late[i] = 1100 + i % 5 + (notes[1][i] ? 300 * (ROUNDS - i) : 0);
	}
	struct finalist f[] = {make(quick, "b", 1, 0), make(late, "a", 1, 0)};

	f[0].rounds = f[1].rounds = ROUNDS;
	tap_has(judge(f, 2), "undecided", "two thirds are disturbed");
	tap_ok(f[1].standing != STANDING_SLOWER, "by all samples nothing is told");
	f[0].notes = notes[0];
	f[1].notes = notes[1];
	tap_str(judge(f, 2), "clear winner", "by the clean ones it is told");
	tap_ok(f[0].time.median == 1002 && f[0].time.n == 10, "whose time it is");
	tap_ok(f[1].standing == STANDING_SLOWER && f[1].interval.low > 1.09 &&
		       f[1].interval.high < 1.11,
	       "and the other is slower: %g .. %g", f[1].interval.low, f[1].interval.high);
}

/* Of two clocks of a busy machine: five rounds of nine are quick, and in each the second is faster;
 * but its median is of a slow one. */
static void test_faster_in_rounds(void)
{
	static const int64_t first[] = {640, 640, 640, 640, 640, 760, 760, 760, 760};
	static const int64_t second[] = {630, 630, 630, 630, 680, 750, 750, 750, 750};
	struct finalist f[] = {make(first, "a", 1, 0), make(second, "b", 1, 0)};
	struct sureness s;

	f[0].rounds = f[1].rounds = 9;
	f[1].is_default = true;
	f[0].implementation = f[1].implementation = 1;
	tap_int(tie_find(f, 2, 0.005, &e), ASC_OK, "judged");
	tap_ok(f[0].time.median < f[1].time.median, "the first has the lower median");
	tap_ok(f[1].chosen && !f[0].chosen, "the one that is faster in the rounds is chosen");
	sure_find(f, 2, &f[1], 0.005, &s, &e);
	tap_ok(s.sure != SURE_UNUSABLE, "no answer is slower than its own default");
}

/* A simulated device takes as many rounds in a moment; their square has no room anywhere. */
static void test_many_rounds(void)
{
	enum { ROUNDS = 300000 };
	static int64_t quick[ROUNDS], late[ROUNDS], notes[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		notes[i] = i % 3 != 0 ? RESULT_MARK_LOAD : 0;
		quick[i] = 1000 + i % 7 + (notes[i] ? 300 : 0);
		late[i] = 1100 + i % 7 + (notes[i] ? 900 : 0);
	}
	struct finalist f[] = {make(quick, "b", 1, 0), make(late, "a", 1, 0)};

	f[0].rounds = f[1].rounds = ROUNDS;
	f[0].notes = f[1].notes = notes;
	tap_str(judge(f, 2), "clear winner", "of many rounds, some are paired");
	tap_ok(f[1].ratio > 1.095 && f[1].ratio < 1.105 && f[1].interval.low > 1.095 &&
		       f[1].interval.high < 1.105,
	       "their ratio is that of all: %g, %g .. %g", f[1].ratio, f[1].interval.low,
	       f[1].interval.high);
}

int main(void)
{
	test_left_early();
	test_left_by_clean_rounds();
	test_class();
	test_facts();
	test_resources();
	test_printed();
	test_contradiction();
	test_example();
	test_doubtful();
	test_few();
	test_unusable();
	test_words();
	test_disturbed();
	test_faster_in_rounds();
	test_many_rounds();
	return tap_done();
}
