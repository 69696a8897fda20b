#include "reports/track/track_write.h"

#include <math.h>
#include <stdlib.h>

#include "reports/track/track_series.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"

/* Bytes of a text in a summary, which has 50 series of five texts, 50 transitions of ten cells and
 * 50 runs of three: with these it is below 1,024 kB whatever they are. */
enum { ROWS = 50, WORST = 9, TEXT_LENGTH = 300, CELL_LENGTH = 160 };

/* ---- what the others share ---- */

static void print_change(const struct track_series *s, struct buf *out)
{
	if (!s->changed)
		return;
	if (isfinite(s->change_pct))
		buf_print(out, "%+.1f %% (%+.1f .. %+.1f)", s->change_pct, s->low_pct, s->high_pct);
	else
		buf_print(out, "from 0 to %.4g", s->after);
}

struct entry {
	const struct track_series *series;
};

static int compare_worst(const void *a, const void *b)
{
	return track_series_compare(((const struct entry *)a)->series,
				    ((const struct entry *)b)->series);
}

/* NULL when out of memory, which `out` then says. */
static struct entry *sort_worst(const struct track_series *list, size_t n, struct buf *out)
{
	struct entry *sorted = calloc(n + 1, sizeof *sorted);

	if (!sorted) {
		out->failed = true;
		return NULL;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i].series = &list[i];
	qsort(sorted, n, sizeof *sorted, compare_worst);
	return sorted;
}

static void print_escaped(const char *text, size_t most, const struct escape *escapes,
			  struct buf *out)
{
	if (*escape_add(out, text, most, escapes))
		buf_add_str(out, "...");
}

static void print_reason(const struct track_series *s, const struct escape *escapes,
			 struct buf *out)
{
	const char *parts[4] = {0};
	size_t n = 0;

	if (s->acknowledged)
		parts[n++] = s->acknowledged;
	if (s->cause != TRACK_CAUSE_UNKNOWN)
		parts[n++] = track_cause_name(s->cause);
	if (s->why)
		parts[n++] = s->why;
	if (s->remeasured)
		parts[n++] = s->remeasured;
	for (size_t i = 0; i < n; i++) {
		buf_add_str(out, i ? "; " : s->acknowledged ? "acknowledged: " : "");
		print_escaped(parts[i], TEXT_LENGTH, escapes, out);
	}
}

/* Writes the counts of verdicts that are not zero: "1 broken, 2 slower, ...". */
static void track_write_counts(const struct track_series *list, size_t n, struct buf *out)
{
	struct track_counts c = track_series_count(list, n);
	const char *comma = "";

	c.of[TRACK_UNDECIDED] -= c.n_short;
	for (size_t v = 0; v < TRACK_VERDICT_COUNT; v++) {
		if (c.of[v] == 0)
			continue;
		buf_print(out, "%s%zu %s", comma, c.of[v],
			  track_verdict_words((enum track_verdict)v));
		comma = ", ";
	}
	if (c.n_short)
		buf_print(out, "%s%zu with too few points to judge, of %d that are needed", comma,
			  c.n_short, CHANGEPOINT_POINTS);
	if (n == 0)
		buf_add_str(out, "no history");
	if (c.acknowledged)
		buf_print(out, " (%zu acknowledged)", c.acknowledged);
}

/* True for a series that is told of by itself; others are counted. */
static bool is_told(const struct track_series *s)
{
	return s->remeasured || (s->verdict != TRACK_UNCHANGED && !track_series_is_short(s));
}

void track_write_lines(const struct track_series *list, size_t n, bool all, struct buf *out)
{
	struct entry *sorted = sort_worst(list, n, out);
	const struct track_counts c = track_series_count(list, n);

	track_write_counts(list, n, out);
	buf_add_str(out,
		    c.of[TRACK_UNCHANGED] + c.n_short && !all ? " (--all lists them)\n" : "\n");
	for (size_t i = 0; sorted && i < n; i++)
		if (all || is_told(sorted[i].series))
			track_write_line(sorted[i].series, out);
	free(sorted);
}

/* ---- Markdown ---- */

static const struct escape markdown[] = {
	{'|', "\\|"},   {'`', "\\`"},  {'*', "\\*"},  {'_', "\\_"},   {'[', "\\["},   {']', "\\]"},
	{'\\', "\\\\"}, {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'@', "&#64;"}, {'#', "\\#"},
	{'$', "\\$"},   {'~', "\\~"},  {'\n', " "},   {'\r', " "},    {'\t', " "},    {0, NULL}};

void track_write_markdown_text(const char *text, struct buf *out)
{
	print_escaped(text, CELL_LENGTH, markdown, out);
}

static void write_row(const struct track_series *s, struct buf *out)
{
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
	print_reason(s, markdown, out);
	buf_add_str(out, " |\n");
}

void track_write_markdown(const struct track_series *list, size_t n, struct buf *out)
{
	struct entry *sorted = sort_worst(list, n, out);
	size_t rows = 0;

	if (!sorted)
		return;
	buf_add_str(out, "## " TRACK_WRITE_MARK ": ");
	track_write_counts(list, n, out);
	buf_add_str(out, "\n\n");
	for (size_t i = 0; i < n; i++) {
		if (!is_told(sorted[i].series))
			continue;
		if (rows == 0)
			buf_add_str(out,
				    "| verdict | series | change (95 % interval) | since | why |\n"
				    "|---|---|--:|--:|---|\n");
		if (rows++ < ROWS)
			write_row(sorted[i].series, out);
	}
	if (rows > ROWS)
		buf_print(out, "\nand %zu more\n", rows - ROWS);
	free(sorted);
}

/* ---- annotations ---- */

static const struct escape command[] = {
	{'%', "%25"}, {'\t', " "}, {'\r', "%0D"}, {'\n', "%0A"}, {0, NULL}};

void track_write_annotations(const struct track_series *list, size_t n, struct buf *out)
{
	struct entry *sorted = sort_worst(list, n, out);
	struct track_counts c = track_series_count(list, n);
	size_t left = WORST;

	if (sorted && c.failing > 0) {
		buf_add_str(out, "::error title=asctune track::");
		track_write_counts(list, n, out);
		buf_add_str(out, "\n");
	}
	for (size_t i = 0; sorted && i < n && left > 0; i++) {
		const struct track_series *s = sorted[i].series;

		if (!track_verdict_fails(s->verdict) || s->acknowledged)
			continue;
		left--;
		buf_print(out, "::error title=%s::", track_verdict_words(s->verdict));
		print_escaped(s->name, TEXT_LENGTH, command, out);
		buf_add_str(out, ": ");
		print_change(s, out);
		if (s->verdict == TRACK_BROKEN)
			print_reason(s, command, out);
		buf_add_str(out, "\n");
	}
	free(sorted);
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
		print_reason(s, xml, out);
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
	if (s->cause != TRACK_CAUSE_UNKNOWN || s->why || s->remeasured)
		buf_add_str(out, "; ");
	print_reason(s, xml, out);
	buf_add_str(out, "</failure>");
}

static void write_case(const struct track_series *s, struct buf *out)
{
	buf_add_str(out, "<testcase classname=\"asctune.");
	print_escaped(s->device ? s->device : "file", TEXT_LENGTH, xml, out);
	if (s->workload) {
		buf_add_char(out, '.');
		print_escaped(s->workload, TEXT_LENGTH, xml, out);
	}
	buf_add_str(out, "\" name=\"");
	print_escaped(s->name, TEXT_LENGTH, xml, out);
	buf_add_str(out, "\">");
	if (track_verdict_fails(s->verdict) && !s->acknowledged)
		write_failure(s, out);
	else if (s->verdict == TRACK_UNDECIDED || s->acknowledged) {
		buf_add_str(out, "<skipped>");
		print_reason(s, xml, out);
		buf_add_str(out, "</skipped>");
	}
	buf_add_str(out, "</testcase>\n");
}

void track_write_junit(const struct track_series *list, size_t n, struct buf *out)
{
	struct track_counts c = track_series_count(list, n);
	struct entry *sorted = sort_worst(list, n, out);

	buf_print(out,
		  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<testsuites><testsuite name=\"" TRACK_WRITE_MARK
		  "\" tests=\"%zu\" failures=\"%zu\" "
		  "skipped=\"%zu\">\n",
		  n, c.failing, c.of[TRACK_UNDECIDED] + c.acknowledged);
	for (size_t i = 0; sorted && i < n; i++)
		write_case(sorted[i].series, out);
	buf_add_str(out, "</testsuite></testsuites>\n");
	free(sorted);
}
