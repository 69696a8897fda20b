/* What is written about series, with names that mean something to a format.
 * covers: track_write.c ci_text.c track_lines.c track_transitions.c track_runs.c */
#include "reports/track/track_write.h"

#include <stdio.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/ci_text.h"
#include "reports/track/track_history.h"
#include "reports/track/track_runs.h"
#include "reports/track/track_transitions.h"
#include "tests/tap.h"
#include "tests/unit/track/groups.h"
#include "tuner/base/buf.h"
#include "tuner/result/tracked_metric.h"

static struct asc_err e;

/* Names that mean something to a format are shown as text. */
static void test_writers(void)
{
	double values[60];
	struct track_series s = {.name = "a|b `c` <script>\n]]> \"&'@x", .n = 60, .values = values};
	struct buf out = {0};

	for (size_t i = 0; i < 60; i++)
		values[i] = (i < 56 ? 100 : 120) + (double)(i * 7 % 5) / 10;
	track_series_judge(&s, &track_rule_default, &e);
	struct track_groups g = groups_of(&s, 1);

	track_write_markdown(&g, &out);
	tap_has(buf_str(&out),
		"| slower (new) | a\\|b \\`c\\` &lt;script&gt; \\]\\]&gt; \"&amp;'&#64;x |",
		"Markdown");
	buf_clear(&out);
	track_write_junit(&g, &out);
	tap_has(buf_str(&out), "name=\"a|b `c` &lt;script&gt;&#10;]]&gt; &quot;&amp;&apos;@x\"",
		"JUnit");
	buf_clear(&out);
	track_write_annotations(&g, &out);
	tap_has(buf_str(&out), "::error title=slower::a|b `c` <script>%0A]]> \"&'@x: +", "GitHub");
	track_groups_fini(&g);
	buf_fini(&out);
	track_series_fini(&s);
}

/* Counts of zero are left out; what is unchanged or has too few points has no row of its own. */
static void test_counts(void)
{
	struct track_series list[] = {{.name = "calm", .verdict = TRACK_UNCHANGED, .n = 9},
				      {.name = "young", .verdict = TRACK_UNDECIDED, .n = 2},
				      {.name = "lost", .verdict = TRACK_BROKEN, .n = 9}};
	struct track_groups g = groups_of(list, 3), none = groups_of(list, 0);
	struct buf out = {0};

	track_write_markdown(&g, &out);
	tap_has(buf_str(&out),
		"## asctune track: 1 broken, 1 unchanged; 1 kernel has fewer than the 7 runs "
		"needed to judge\n\n",
		"counts");
	tap_has(buf_str(&out), "| broken | lost |", "a row");
	tap_ok(!strstr(buf_str(&out), "calm") && !strstr(buf_str(&out), "young"), "one row");
	buf_clear(&out);
	track_write_lines(&g, true, &out);
	tap_has(buf_str(&out), "undecided  young  2 points\n", "all have lines where asked for");
	buf_clear(&out);
	track_write_lines(&none, false, &out);
	tap_str(buf_str(&out), "no history\n", "none");
	track_groups_fini(&g);
	track_groups_fini(&none);
	buf_fini(&out);
}

/* The counts say how far undecided series are off, the farthest first, and what would not be seen
 * of the unchanged ones; rows say which is better. */
static void test_doubts(void)
{
	struct track_series list[] = {
		{.name = "a", .verdict = TRACK_UNDECIDED, .n = 9, .newest.off_pct = 70},
		{.name = "b", .verdict = TRACK_UNDECIDED, .n = 9, .newest.off_pct = 130},
		{.name = "c", .verdict = TRACK_UNCHANGED, .n = 9, .floor_pct = 11.2},
		{.name = "d", .verdict = TRACK_UNCHANGED, .n = 9, .floor_pct = 0.44},
		{.name = "e", .verdict = TRACK_UNDECIDED, .n = 9, .newest.off_pct = -40},
		{.name = "f", .verdict = TRACK_UNDECIDED, .n = 9, .newest.off_pct = 30},
		{.name = "g", .verdict = TRACK_UNDECIDED, .n = 9, .newest.off_pct = 20}};
	struct track_groups two = groups_of(list, 3), all = groups_of(list, 7);
	struct buf out = {0};

	track_write_counts(&two.counts, &out);
	tap_str(buf_str(&out),
		"2 undecided (newest 2.3x and 1.7x above their level), 1 unchanged (a step under "
		"\xC2\xB1"
		"11 % would not be seen)",
		"two above, one floor");
	buf_clear(&out);
	track_write_counts(&all.counts, &out);
	tap_str(buf_str(&out),
		"5 undecided (newest 2.3x, 1.7x, 30 % and 1 more above their level, 1.7x below its "
		"level), 2 unchanged (a step under \xC2\xB1"
		"0.4 % to \xC2\xB1"
		"11 % would not be "
		"seen)",
		"on both sides, several floors");
	buf_clear(&out);
	track_write_markdown(&all, &out);
	tap_has(buf_str(&out), "| undecided | a | newest 1.7x slower |", "a row of a slower one");
	tap_has(buf_str(&out), "| undecided | e | newest 1.7x faster |", "a row of a faster one");
	buf_clear(&out);
	track_write_line(&list[2], &out);
	tap_str(buf_str(&out),
		"unchanged  c  9 points\n           a step under \xC2\xB1"
		"11 % would not be seen "
		"here\n",
		"a line");
	buf_clear(&out);
	track_write_junit(&two, &out);
	tap_has(buf_str(&out),
		"name=\"c\"><system-out>unchanged: a step under \xC2\xB1"
		"11 % would not be seen "
		"here</system-out></testcase>",
		"JUnit");
	buf_clear(&out);
	track_write_json(&two.list[2], &out);
	tap_has(buf_str(&out), "\"floor_pct\":11.2", "JSON");
	buf_fini(&out);
	track_groups_fini(&two);
	track_groups_fini(&all);
}

/* What failed as a whole is no configuration, though it turned alike. */
static void test_whole(void)
{
	struct track_transition turn = {.device_kind = "cpu",
					.device_model = "M",
					.workload = "w",
					.problem = "p",
					.cache_policy = "hot",
					.implementation = "a",
					.config_key = "B=1",
					.was = "measured",
					.is = "failed"};
	struct track_transitions turns = {0};

	track_transitions_add(&turns, &turn, &e);
	turn.config_key = "B=2";
	track_transitions_add(&turns, &turn, &e);
	tap_int((long long)turns.n, 1, "two configurations that turned alike are a group");
	turn.config_key = NULL;
	track_transitions_add(&turns, &turn, &e);
	tap_int((long long)turns.n, 2, "their implementation is none of them");
	turn.config_key = "B=3";
	track_transitions_add(&turns, &turn, &e);
	tap_int((long long)turns.n, 2, "and a further one joins them");
	track_transitions_fini(&turns);
}

static int count_of(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

/* A summary has 50 rows and annotations are 10: no more are shown, or read. */
static void test_many(void)
{
	enum { MANY = 51 };
	static struct track_series list[MANY];
	struct buf out = {0};

	for (size_t i = 0; i < MANY; i++)
		list[i] = (struct track_series){
			.name = "s", .verdict = TRACK_REGRESSION, .changed = true};
	struct track_groups g = groups_of(list, MANY);

	track_write_markdown(&g, &out);
	tap_int(count_of(buf_str(&out), "\n| slower (new) | s |"), 50, "rows");
	tap_has(buf_str(&out), "\nand 1 more\n", "how many more");
	buf_clear(&out);
	track_write_annotations(&g, &out);
	tap_int(count_of(buf_str(&out), "::error title="), 10, "annotations");
	track_groups_fini(&g);
	buf_fini(&out);
}

/* A metric is worse or better, not slower or faster. */
static void test_metrics(void)
{
	struct track_series list[] = {
		{.name = "times", .verdict = TRACK_REGRESSION, .changed = true},
		{.name = "registers",
		 .tracked = tracked_metrics,
		 .verdict = TRACK_REGRESSION,
		 .changed = true},
		{.name = "spills",
		 .tracked = tracked_metrics,
		 .verdict = TRACK_IMPROVEMENT,
		 .changed = true}};
	struct track_groups g = groups_of(list, 3);
	struct buf out = {0};

	track_write_lines(&g, false, &out);
	tap_str(buf_str(&out),
		"1 slower; 1 metric worse\n"
		"slower     times  0 points, new\n"
		"worse      registers  0 points, new\n"
		"better     spills  0 points\n",
		"lines");
	track_groups_fini(&g);
	buf_fini(&out);
}

static struct track_series make_broken(const char *name, const char *why)
{
	return (struct track_series){.name = name,
				     .device = "cpu: M",
				     .workload = "w",
				     .problem = "p",
				     .cache = "hot",
				     .implementation = name,
				     .verdict = TRACK_BROKEN,
				     .why = str_dup(why)};
}

/* The failures of a broken kernel's configurations are told once, by its finding. */
static void check_told_once(const struct track_groups *g)
{
	const struct track_transition of_broken = {"cpu", "M",   "w",  "p",     "hot",
						   "a",   "B=1", "ok", "wrong", NULL},
				      of_other = {"cpu",   "M",   "w",  "p",     "hot",
						  "other", "B=1", "ok", "wrong", NULL},
				      elsewhere = {"cpu", "N",   "w",  "p",     "hot",
						   "a",   "B=1", "ok", "wrong", NULL};
	struct track_transitions turns = {0};
	struct buf out = {0};

	track_transitions_add(&turns, &of_broken, &e);
	track_transitions_add(&turns, &of_other, &e);
	track_transitions_add(&turns, &elsewhere, &e);
	track_transitions_drop_broken(&turns, g);
	track_transitions_write(&turns, &out);
	tap_str(buf_str(&out),
		"fails      w/p other B=1 on cpu: M: wrong, was ok\n"
		"fails      w/p a B=1 on cpu: N: wrong, was ok\n",
		"transitions of kernels that are not broken");
	track_transitions_fini(&turns);
	buf_fini(&out);
}

/* Broken implementations of one problem are one paragraph, and one annotation. */
static void test_broken(void)
{
	struct track_series list[] = {make_broken("a", "no room"), make_broken("b", "no air")};
	struct track_groups g = groups_of(list, 2);
	struct buf out = {0};

	track_write_lines(&g, false, &out);
	tap_str(buf_str(&out),
		"2 broken\n"
		"broken     2 implementations of w/p\n"
		"           a  0 points\n"
		"             no room\n"
		"           b  0 points\n"
		"             no air\n",
		"lines");
	buf_clear(&out);
	track_write_markdown(&g, &out);
	tap_has(buf_str(&out), "| broken | a |  |  | no room |\n| broken | b |  |  | no air |\n",
		"Markdown");
	buf_clear(&out);
	track_write_annotations(&g, &out);
	tap_str(buf_str(&out),
		"::error title=asctune track::2 broken\n"
		"::error title=broken::a and 1 more: no room\n",
		"annotations");
	check_told_once(&g);
	/* That it was slower before says nothing of how it broke. */
	struct changepoint before = {.before = 1, .after = 2};

	list[0].found = (struct changepoints){.list = &before, .n = 1};
	buf_clear(&out);
	track_write_line(&list[0], &out);
	tap_str(buf_str(&out), "broken     a  0 points\n           no room\n", "no older change");
	list[0].found = (struct changepoints){0};
	track_groups_fini(&g);
	for (size_t i = 0; i < 2; i++)
		track_series_fini(&list[i]);
	buf_fini(&out);
}

/* The cause of a change and the doubt about it stand side by side. */
static void test_doubt(void)
{
	struct track_series s = {.name = "k",
				 .verdict = TRACK_UNDECIDED,
				 .changed = true,
				 .cause = TRACK_CAUSE_DEVICE,
				 .why = str_dup("driver 2, was 1")};
	struct buf out = {0};

	tap_int(track_series_add_doubt(&s, "it may be chance", &e), ASC_OK, "a doubt");
	tap_int(track_series_add_doubt(&s, "the machine was busy", &e), ASC_OK, "another");
	track_write_line(&s, &out);
	tap_str(buf_str(&out),
		"undecided  k  0 points\n"
		"           device or driver changed: driver 2, was 1; it may be chance; the "
		"machine "
		"was busy\n",
		"a line");
	buf_clear(&out);
	track_write_json(&(struct track_entry){.series = &s}, &out);
	tap_has(buf_str(&out),
		"\"why\":\"driver 2, was 1; it may be chance; the machine was busy\"", "JSON");
	track_series_fini(&s);
	buf_fini(&out);
}

/* Another winner stands for the name of a cause, but for a recorded one. */
static void test_winner(void)
{
	static const struct track_point points[] = {{.config = "A=1,B=2,C=3"},
						    {.config = "A=1,B=4,D=5"}};
	struct track_series s = {.name = "k",
				 .verdict = TRACK_REGRESSION,
				 .changed = true,
				 .cause = TRACK_CAUSE_SLOWER,
				 .points = points,
				 .index = 1,
				 .n = 2,
				 .old_best = {.words = "takes", .ns = 2000}};
	struct buf out = {0};

	track_write_reasons(&s, NULL, NULL, &out);
	tap_str(buf_str(&out),
		"another configuration won: the old best takes 2 us now; B=4, was 2; D=5, was "
		"none; "
		"C=none, was 3",
		"what differs alone");
	buf_clear(&out);
	s.cause = TRACK_CAUSE_CODE;
	s.why = str_dup("the source changed");
	s.old_best = (struct track_old_best){.words = "no longer builds", .reason = str_dup("a|b")};
	track_write_reasons(&s, NULL, NULL, &out);
	tap_has(buf_str(&out),
		"the source changed; another configuration won: the "
		"old "
		"best no longer builds (a|b); B=4",
		"behind a recorded cause");
	track_series_fini(&s);
	buf_fini(&out);
}

/* A kernel that drifts says how its baseline did. */
static void test_drift(void)
{
	struct track_series list[] = {{.name = "kernel",
				       .verdict = TRACK_DRIFTING,
				       .drift_pct = 3,
				       .by_machine = true,
				       .control = {.known = true,
						   .baseline_pct = 2.9,
						   .ratio_pct = 0.1,
						   .ratio_low_pct = -0.2,
						   .ratio_high_pct = 0.4,
						   .shared = true}},
				      {.implementation = "library"}};
	struct track_groups g;
	struct buf out = {0};

	list[0].baseline = &list[1];
	g = groups_of(list, 1);
	track_write_lines(&g, false, &out);
	tap_str(buf_str(&out),
		"1 drifting (1 probably the machine)\n"
		"drifting   kernel  0 points\n"
		"           3.0 % slower over 0 points, gradually; probably the machine: the "
		"baseline "
		"library changed by +2.9 % in the same runs; relative to it, this kernel changed "
		"by "
		"+0.1 % (-0.2 .. +0.4)\n",
		"both drift");
	buf_clear(&out);
	track_write_markdown(&g, &out);
	tap_has(buf_str(&out), "| 3.0 % slower over 0 points, gradually (probably the machine) |",
		"Markdown");
	tap_int((long long)g.counts.uncertain, 0, "it is not uncertain");
	track_groups_fini(&g);
	buf_clear(&out);
	list[0].by_machine = list[0].control.shared = false;
	track_write_line(&list[0], &out);
	tap_has(buf_str(&out), "the baseline library changed by +2.9 %, so it is not the machine",
		"a drift of its own");
	buf_clear(&out);
	list[0].control.known = false;
	list[0].verdict = TRACK_REGRESSION;
	list[0].cause = TRACK_CAUSE_SLOWER;
	track_write_line(&list[0], &out);
	tap_has(buf_str(&out), "same configuration; 3.0 % slower over",
		"of a change the cause is first");
	buf_fini(&out);
}

/* What is no text in names leaves JUnit well-formed, and long names a summary short. */
static void test_bytes(void)
{
	static char name[4097];
	struct track_series s = {.name = "\x1b[31m \xff \xEF\xBF\xBE", .verdict = TRACK_UNDECIDED};
	struct track_groups g = groups_of(&s, 1);
	struct buf out = {0};

	track_write_junit(&g, &out);
	tap_has(buf_str(&out), "name=\"\xEF\xBF\xBD[31m \xEF\xBF\xBD \xEF\xBF\xBD\"", "JUnit");
	buf_clear(&out);
	struct track_series two[] = {{.name = "calm", .verdict = TRACK_UNCHANGED},
				     {.name = "lost", .verdict = TRACK_BROKEN}};

	track_groups_fini(&g);
	g = groups_of(two, 2);
	track_write_junit(&g, &out);
	tap_ok(strstr(buf_str(&out), "lost") < strstr(buf_str(&out), "calm"),
	       "JUnit has the worst first");
	track_groups_fini(&g);
	buf_clear(&out);
	memset(name, '&', sizeof name - 1);
	ci_write_markdown(name, CI_CELL, &out);
	tap_int(out.len, 160 * 5 + 3, "a cell of 4 kB of signs");
	buf_fini(&out);
}

/* Nor do names end a line for people, or speak to the terminal. */
static void test_lines(void)
{
	const struct track_run bad = {.workload = "a\nb\x1b[31m.json",
				      .problem = "",
				      .device = "cpu",
				      .reached = TRACK_UNREADABLE,
				      .reason = "no\rJSON"};
	const struct track_run missing = {
		.workload = "w", .problem = "p", .device = "cpu", .reached = TRACK_MISSING};
	const struct track_series command = {
		.name = "::error::$x\xFF", .n = 8, .verdict = TRACK_UNDECIDED};
	struct buf out = {0};

	track_run_write(&bad, &out);
	tap_str(buf_str(&out), "unreadable: a?b?[31m.json on cpu: no?JSON",
		"a line for a workload");
	buf_clear(&out);
	track_run_write(&missing, &out);
	tap_str(buf_str(&out), "missing: w/p on cpu: not begun", "one for a problem");
	buf_clear(&out);
	track_write_line(&command, &out);
	tap_str(buf_str(&out), "undecided  \"::error::$x?\"  8 points\n", "a line is no command");
	buf_fini(&out);
}

static void test_turns(void)
{
	const struct track_transition transition = {"cpu", "#",   "a|b", "p`q",     "hot",
						    "<i>", "B=1", "ok",  "crashed", "no *reason*"};
	struct track_transitions transitions = {0};
	struct buf out = {0};

	for (size_t i = 0; i < 60; i++) {
		char word[8] = "crashed";
		struct track_transition one = transition;

		word[0] = (char)('A' + i);
		one.was = word;
		track_transitions_add(&transitions, &one, &e);
	}
	track_transitions_write_markdown(&transitions, &out);
	tap_has(buf_str(&out),
		"|---|\n| fails | a\\|b/p\\`q | &lt;i&gt; | B=1 | cpu: \\# | crashed | "
		"Arashed | no \\*reason\\* |\n| fails |",
		"turns in Markdown");
	tap_int(count_of(buf_str(&out), "fails"), 50, "not more than anybody reads");
	tap_has(buf_str(&out), "and 10 more", "the text says so");
	track_transitions_fini(&transitions);
	buf_clear(&out);
	for (size_t i = 0; i < 40; i++) {
		char reason[32];
		struct track_transition one = transition;

		snprintf(reason, sizeof reason, "out: %zu of 64 differ", i);
		one.reason = reason;
		track_transitions_add(&transitions, &one, &e);
	}
	track_transitions_write(&transitions, &out);
	tap_str(buf_str(&out),
		"fails      a|b/p`q <i>, 40 configurations, the first B=1 on cpu: #: crashed, "
		"was ok: "
		"out: 0 of 64 differ\n",
		"those that turned alike are one line");
	track_transitions_fini(&transitions);
	buf_fini(&out);
}

int main(void)
{
	test_writers();
	test_counts();
	test_doubts();
	test_whole();
	test_many();
	test_metrics();
	test_broken();
	test_doubt();
	test_winner();
	test_drift();
	test_bytes();
	test_lines();
	test_turns();
	return tap_done();
}
