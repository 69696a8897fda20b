/* What is written about series, with names that mean something to a format. */
#include "reports/track/track_write.h"

#include <stdio.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_runs.h"
#include "reports/track/track_series.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"

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
	track_write_markdown(&s, 1, &out);
	tap_has(buf_str(&out),
		"| regression (new) | a\\|b \\`c\\` &lt;script&gt; \\]\\]&gt; \"&amp;'&#64;x |",
		"Markdown");
	buf_clear(&out);
	track_write_junit(&s, 1, &out);
	tap_has(buf_str(&out), "name=\"a|b `c` &lt;script&gt;&#10;]]&gt; &quot;&amp;&apos;@x\"",
		"JUnit");
	buf_clear(&out);
	track_write_annotations(&s, 1, &out);
	tap_has(buf_str(&out), "::error title=regression::a|b `c` <script>%0A]]> \"&'@x: +",
		"GitHub");
	buf_fini(&out);
	track_series_fini(&s);
}

/* What is no text in names leaves JUnit well-formed, and long names a summary short. */
static void test_bytes(void)
{
	static char name[4097];
	struct track_series s = {.name = "\x1b[31m \xff \xEF\xBF\xBE", .verdict = TRACK_UNDECIDED};
	struct buf out = {0};

	track_write_junit(&s, 1, &out);
	tap_has(buf_str(&out), "name=\"\xEF\xBF\xBD[31m \xEF\xBF\xBD \xEF\xBF\xBD\"", "JUnit");
	buf_clear(&out);
	memset(name, '&', sizeof name - 1);
	track_write_markdown_text(name, &out);
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
	tap_str(buf_str(&out), "missing: w/p on cpu: not begun", "and one for a problem");
	buf_clear(&out);
	track_write_line(&command, &out);
	tap_str(buf_str(&out), "\"::error::$x?\": undecided, 8 points, 0 changes\n",
		"a line is no command");
	buf_fini(&out);
}

static int count_of(const char *text, const char *word)
{
	int n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static void test_turns(void)
{
	const struct db_turn turn = {"cpu", "#",   "a|b", "p`q",     "hot",
				     "<i>", "B=1", "ok",  "crashed", "no *reason*"};
	struct buf out = {0};

	for (size_t i = 0; i < 60; i++)
		track_write_turn_markdown(&turn, i, &out);
	tap_has(buf_str(&out),
		"|---|\n| fails | a\\|b/p\\`q | &lt;i&gt; | B=1 | cpu: \\# | crashed | ok | no "
		"\\*reason\\* |\n| fails |",
		"turns in Markdown");
	tap_int(count_of(buf_str(&out), "fails"), 50, "not more than anybody reads");
	buf_fini(&out);
}

int main(void)
{
	test_writers();
	test_bytes();
	test_lines();
	test_turns();
	return tap_done();
}
