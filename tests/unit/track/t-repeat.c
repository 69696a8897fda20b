/* Commands that repeat a trial, a run or a series.
 * covers: repeat.c shell.c */
#include "reports/track/repeat.h"

#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"
#include "tuner/base/units.h"
#include "tuner/workload/rewrite.h"

static void test_words(void)
{
	static const struct {
		const char *word, *text;
	} cases[] = {
		{"plain-1.json", "plain-1.json"},
		{"A=1,B=-2", "A=1,B=-2"},
		{"", "''"},
		{"two words", "'two words'"},
		{"it's", "'it'\\''s'"},
		{"$(rm x)", "'$(rm x)'"},
		{"a\nb", "'a\nb'"},
		{"gr\xc3\xb6\xc3\x9f"
		 "e",
		 "'gr\xc3\xb6\xc3\x9f"
		 "e'"},
		{"~", "'~'"},
		{"a;b", "'a;b'"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct buf out = {0};

		shell_add_argument(&out, cases[i].word);
		tap_str(buf_str(&out), cases[i].text, "word %zu", i);
		buf_fini(&out);
	}
}

static void check_run(const struct repeat_run *r, const char *want, const char *what)
{
	struct buf out = {0};

	repeat_add_run(&out, r);
	tap_str(buf_str(&out), want, "%s", what);
	buf_fini(&out);
}

static void test_run(void)
{
	struct repeat_run r = {
		.file = "w.json", .problem = "p", .implementation = "i", .config = "A=1,B=2"};
	struct buf want = {0};

	check_run(&r, "asctune run w.json -p p --impl i --config A=1,B=2",
		  "what is not said is left out");
	r = (struct repeat_run){.file = "my w.json",
				.device = "cpu",
				.problem = "p",
				.implementation = "i",
				.config = "",
				.cache = "hot",
				.limit_ns = 2500000,
				.rewrites_off = rewrite_bit(rewrite_list[0]),
				.db = "my r.db"};
	buf_print(&want,
		  "asctune run 'my w.json' -D cpu -p p --impl i --config '' --cache hot"
		  " --limit 2500us --no-rewrite %s --db 'my r.db'",
		  rewrite_list[0]->name);
	check_run(&r, buf_str(&want), "all that is said");
	check_run(&(struct repeat_run){.problem = "p"}, "asctune run FILE -p p",
		  "a workload whose file is not known");
	buf_fini(&want);
}

static void check_series(const struct track_series *s, const char *words, const char *want)
{
	struct repeat_run r = {.file = "w.json"};

	tap_str(repeat_choose(s, &r), words, "%s: what it is for", words);
	check_run(&r, want, words);
}

/* The most telling search of a broken kernel has one configuration; of a new slow-down, old and new
 * in the same rounds. */
static void test_series(void)
{
	struct track_series s = {
		.name = "cpu: A b/c d", .implementation = "d", .metric = TRACK_TIME};
	struct buf out = {0};

	s.verdict = TRACK_BROKEN;
	check_series(&s, "see it", "asctune run w.json --impl d -b 1");
	s.verdict = TRACK_REGRESSION;
	check_series(&s, "measure old and new side by side", "asctune run w.json --confirm");
	s.again.confirmed = true;
	check_series(&s, "measure it again", "asctune run w.json");
	s.again.confirmed = false;
	s.metric = "nvcc.registers";
	check_series(&s, "measure it again", "asctune run w.json");
	repeat_add_acknowledgement(&out, &s, NULL);
	tap_str(buf_str(&out), "asctune track ack 'cpu: A b/c d' --reason TEXT", "acknowledgement");
	buf_clear(&out);
	repeat_add_acknowledgement(&out, &s, "r.db");
	tap_str(buf_str(&out), "asctune track ack 'cpu: A b/c d' --reason TEXT --db r.db",
		"acknowledgement in another database");
	buf_fini(&out);
}

/* A run whose time ran out before the finals is repeated with twice the time, in words that
 * --budget takes, and never with more than it takes. */
static void test_twice(void)
{
	static const struct {
		const char *budget, *twice;
	} cases[] = {
		{"30 s", "60s"},
		{"200 ms", "1s"},
		{"200 trials, 1 min 30 s", "180s"},
		{"500000 s", "1000000s"},
		{"1000000 s", "2000000s"},
		{"1300 h", "9007199s"}, /* 2^53 ns */
		{"2501 h", "9007199s"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct repeat_ending ending = {.budget = cases[i].budget, .unranked = true};
		struct repeat_run r = {.file = "w.json"};
		int64_t ns;

		repeat_go_on(&ending, &r);
		tap_str(r.budget, cases[i].twice, "twice %s", cases[i].budget);
		tap_ok(units_parse_duration(r.budget, &ns), "%s is a duration", r.budget);
	}
}

/* An undecided run is repeated with its own budget, in words that --budget takes; with the default
 * one without. */
static void test_once_more(void)
{
	static const struct {
		const char *budget, *option;
	} cases[] = {
		{"all", " -b all"},     {"1 trial", " -b 1"},     {"40 trials", " -b 40"},
		{"30 s", " -b '30 s'"}, {"200 trials, 60 s", ""},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct repeat_ending ending = {
			.outcome = "done", .budget = cases[i].budget, .undecided = true};
		struct repeat_run r = {.file = "w.json"};
		struct buf want = {0};

		repeat_go_on(&ending, &r);
		buf_print(&want, "asctune run w.json%s", cases[i].option);
		check_run(&r, buf_str(&want), cases[i].budget);
		buf_fini(&want);
	}
}

/* A source that changed between two commits: git shows how. */
static void test_diff(void)
{
	struct track_point points[] = {{.code = "k1", .commit = "aaaaaaaaaaaa"},
				       {.code = "k2", .commit = "bbbbbbbbbbbb with changes"}};
	const struct track_series s = {.changed = true, .points = points, .index = 1, .n = 2};
	struct buf out = {0};

	tap_ok(repeat_add_diff(&out, &s, "/my work/axpy.json"), "another commit");
	tap_str(buf_str(&out), "git -C '/my work' diff aaaaaaaaaaaa bbbbbbbbbbbb -- .", "git");
	buf_clear(&out);
	points[1].commit = "aaaaaaaaaaaa with changes";
	tap_ok(!repeat_add_diff(&out, &s, "/w/axpy.json"), "not of one commit");
	points[1].commit = "bbbbbbbbbbbb";
	points[1].code = "k1";
	tap_ok(!repeat_add_diff(&out, &s, "/w/axpy.json"), "nor where the kernel is the same");
	points[1].code = "k2";
	points[0].commit = "";
	tap_ok(!repeat_add_diff(&out, &s, "/w/axpy.json") && !repeat_add_diff(&out, &s, NULL),
	       "nor of what was not recorded");
	tap_int((long long)out.len, 0, "nothing is written");
	buf_fini(&out);
}

int main(void)
{
	test_words();
	test_run();
	test_series();
	test_twice();
	test_once_more();
	test_diff();
	return tap_done();
}
