#include "reports/track/track_write.h"

#include <math.h>

#include "reports/track/track_groups.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"

/* Characters of a text in a summary, which has 50 series of six texts (track_write_text()), 50
 * transitions of ten cells and 50 runs of three: with these it is below 1,024 kB whatever they are.
 */
enum { ROWS = 50, WORST = 9, CELL_LENGTH = 160 };

/* ---- what the others share ---- */

static void print_change(const struct track_series *s, struct buf *out)
{
	const struct track_change c = track_series_change(s);

	char off[TRACK_OFF_SIZE];

	if (s->verdict == TRACK_UNDECIDED && s->newest.off_pct != 0)
		buf_print(out, "newest %s %s", track_print_off(s->newest.off_pct, off),
			  s->newest.off_pct > 0 ? "slower" : "faster");
	if (!s->changed)
		return;
	if (isfinite(c.pct))
		track_write_change(&c, out);
	else
		buf_print(out, "from 0 to %.4g", s->after);
}

/* ---- Markdown ---- */

static const struct escape markdown[] = {
	{'|', "\\|"},   {'`', "\\`"},  {'*', "\\*"},  {'_', "\\_"},   {'[', "\\["},   {']', "\\]"},
	{'\\', "\\\\"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'@', "&#64;"}, {'#', "\\#"},
	{'$', "\\$"},   {'~', "\\~"},  {'\n', " "},   {'\r', " "},    {'\t', " "},    {0, NULL}};

void track_write_markdown_text(const char *text, struct buf *out)
{
	if (*escape_add(out, text, CELL_LENGTH, markdown))
		buf_add_str(out, "...");
}

/* Writes why a series has its verdict: for the first of a group what explains them all. */
static void write_why(const struct track_entry *list, size_t n, size_t index, struct buf *out)
{
	const char *cause = n > 1 ? list->cause : NULL;
	struct buf why = {0};

	track_write_reasons(list[index].series, cause, markdown, &why);
	if (cause && index == 0)
		track_write_finding(list, n, markdown, out);
	else if (cause)
		buf_add_str(out, "the same");
	buf_print(out, "%s%s", cause && why.len > 0 ? "; " : "", buf_str(&why));
	out->failed |= why.failed;
	buf_fini(&why);
}

static void write_row(const struct track_entry *list, size_t n, size_t index, struct buf *out)
{
	const struct track_series *s = list[index].series;

	buf_add_str(out, "| ");
	track_write_verdict(s, out);
	buf_add_str(out, " | ");
	track_write_markdown_text(s->name, out);
	buf_add_str(out, " | ");
	print_change(s, out);
	buf_add_str(out, " | ");
	if (s->changed)
		track_write_since(s, s->index, out);
	buf_add_str(out, " | ");
	write_why(list, n, index, out);
	buf_add_str(out, " |\n");
}

void track_write_markdown(const struct track_groups *g, struct buf *out)
{
	size_t rows = 0;

	buf_add_str(out, "## " TRACK_WRITE_MARK ": ");
	track_write_counts(&g->counts, out);
	buf_add_str(out, "\n\n");
	for (size_t i = 0, n; i < g->n; i += n) {
		n = track_groups_size(g, i);
		if (!g->list[i].listed && !track_series_has_news(g->list[i].series))
			continue;
		if (rows == 0)
			buf_add_str(out,
				    "| verdict | series | change (95 % interval) | since | why |\n"
				    "|---|---|--:|--:|---|\n");
		for (size_t k = 0; k < n; k++)
			if (rows++ < ROWS)
				write_row(&g->list[i], n, k, out);
	}
	if (rows > ROWS)
		buf_print(out, "\nand %zu more\n", rows - ROWS);
}

/* ---- annotations ---- */

static const struct escape command[] = {
	{'%', "%25"}, {'\t', " "}, {'\r', "%0D"}, {'\n', "%0A"}, {0, NULL}};

/* Writes the first series of a group that fails, and how many more there are. */
static bool annotate(const struct track_entry *list, size_t n, struct buf *out)
{
	const struct track_series *s = NULL;
	size_t more = 0;

	for (size_t i = n; i-- > 0;)
		if (track_series_fails(list[i].series)) {
			more += s != NULL;
			s = list[i].series;
		}
	if (!s)
		return false;
	buf_print(out, "::error title=%s::", track_series_words(s));
	track_write_text(s->name, command, out);
	if (more)
		buf_print(out, " and %zu more", more);
	buf_add_str(out, ": ");
	print_change(s, out);
	struct buf why = {0};

	track_write_reasons(s, NULL, command, &why);
	buf_print(out, "%s%s\n", s->changed && why.len > 0 ? ": " : "", buf_str(&why));
	out->failed |= why.failed;
	buf_fini(&why);
	return true;
}

void track_write_annotations(const struct track_groups *g, struct buf *out)
{
	size_t left = WORST;

	if (g->counts.failing == 0)
		return;
	buf_add_str(out, "::error title=asctune track::");
	track_write_counts(&g->counts, out);
	buf_add_str(out, "\n");
	for (size_t i = 0, n; i < g->n && left > 0; i += n) {
		n = track_groups_size(g, i);
		left -= annotate(&g->list[i], n, out);
	}
}

/* ---- JUnit ---- */

static const struct escape xml[] = {{'&', "&amp;"},  {'<', "&lt;"},    {'>', "&gt;"},
				    {'"', "&quot;"}, {'\'', "&apos;"}, {'\n', "&#10;"},
				    {'\r', "&#13;"}, {'\t', "&#9;"},   {0, NULL}};

static void write_failure(const struct track_series *s, struct buf *out)
{
	if (s->verdict == TRACK_BROKEN) {
		buf_add_str(out, "<failure type=\"broken\" message=\"no configuration passed\">"
				 "broken: ");
		track_write_reasons(s, NULL, xml, out);
		buf_add_str(out, "</failure>");
		return;
	}
	buf_print(out, "<failure type=\"%s\" message=\"", track_state_name(track_series_state(s)));
	print_change(s, out);
	buf_add_str(out, "\">");
	track_write_verdict(s, out);
	buf_add_str(out, ": ");
	print_change(s, out);
	buf_add_str(out, s->points ? " since " : " from ");
	track_write_since(s, s->index, out);
	buf_add_str(out, ": ");
	track_write_value(s, s->after, s->before, out);
	buf_add_str(out, ", was ");
	track_write_value(s, s->before, s->after, out);
	struct buf why = {0};

	track_write_reasons(s, NULL, xml, &why);
	buf_print(out, "%s%s", why.len > 0 ? "; " : "", buf_str(&why));
	out->failed |= why.failed;
	buf_fini(&why);
	buf_add_str(out, "</failure>");
}

static void write_case(const struct track_series *s, struct buf *out)
{
	buf_add_str(out, "<testcase classname=\"asctune.");
	track_write_text(s->device ? s->device : "file", xml, out);
	if (s->workload) {
		buf_add_char(out, '.');
		track_write_text(s->workload, xml, out);
	}
	buf_add_str(out, "\" name=\"");
	track_write_text(s->name, xml, out);
	buf_add_str(out, "\">");
	if (track_series_fails(s)) {
		write_failure(s, out);
	} else if (track_series_is_skipped(s)) {
		buf_add_str(out, "<skipped>");
		track_write_reasons(s, NULL, xml, out);
		buf_add_str(out, "</skipped>");
	} else if (track_series_has_floor(s)) {
		buf_add_str(out, "<system-out>");
		track_write_verdict(s, out);
		buf_add_str(out, ": ");
		track_write_reasons(s, NULL, xml, out);
		buf_add_str(out, "</system-out>");
	}
	buf_add_str(out, "</testcase>\n");
}

void track_write_junit(const struct track_groups *g, struct buf *out)
{
	buf_print(out,
		  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<testsuites><testsuite name=\"" TRACK_WRITE_MARK
		  "\" tests=\"%zu\" failures=\"%zu\" "
		  "skipped=\"%zu\">\n",
		  g->n, g->counts.failing, g->counts.skipped);
	for (size_t i = 0; i < g->n; i++)
		write_case(g->list[i].series, out);
	buf_add_str(out, "</testsuite></testsuites>\n");
}
