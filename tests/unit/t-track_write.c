/* What is written about series, with names that mean something to a format. */
#include "reports/track/track_write.h"

#include <stdio.h>
#include <string.h>

#include "db/history.h"
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

/* Bytes that are no text, and what runners of CI systems or GitHub would act on. */
static void test_bytes(void)
{
	struct track_series s = {.name = "::error::$x\xFF\xC2\x80\xEF\xBF\xBE\xE2\x80\xAE",
				 .n = 8,
				 .verdict = TRACK_UNDECIDED};
	struct buf out = {0};

	track_write_markdown(&s, 1, &out);
	tap_has(buf_str(&out), "| ::error::\\$x???? |", "no text, in Markdown");
	buf_clear(&out);
	track_write_junit(&s, 1, &out);
	tap_has(buf_str(&out), "name=\"::error::$x????\"", "no text, in JUnit");
	buf_clear(&out);
	track_write_line(&s, &out);
	tap_str(buf_str(&out), "\"::error::$x????\": undecided, 8 points, 0 changes\n",
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
	test_turns();
	return tap_done();
}
