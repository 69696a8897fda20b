#include "reports/track/track_write.h"

#include <math.h>

#include "reports/track/ci_text.h"
#include "reports/track/track_groups.h"
#include "tuner/base/buf.h"

/* Characters of a text in a summary, which has 50 series of six texts (track_write_text()), 50
 * transitions of ten cells and 50 runs of three: with these it is below 1,024 kB whatever they are.
 */
enum { ROWS = 50, WORST = 9 };

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

/* Writes why a series has its verdict: for the first of a group what explains them all. */
static void write_why(const struct track_entry *list, size_t n, size_t index, struct buf *out)
{
	const char *cause = n > 1 ? list->cause : NULL;
	struct buf why = {0};

	track_write_reasons(list[index].series, cause, ci_markdown, &why);
	if (cause && index == 0)
		track_write_finding(list, n, ci_markdown, out);
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
	ci_write_markdown(s->name, CI_CELL, out);
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
	ci_begin_error(track_series_words(s), NULL, 0, out);
	track_write_text(s->name, ci_command, out);
	if (more)
		buf_print(out, " and %zu more", more);
	buf_add_str(out, ": ");
	print_change(s, out);
	struct buf why = {0};

	track_write_reasons(s, NULL, ci_command, &why);
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
	ci_begin_error(TRACK_WRITE_MARK, NULL, 0, out);
	track_write_counts(&g->counts, out);
	buf_add_str(out, "\n");
	for (size_t i = 0, n; i < g->n && left > 0; i += n) {
		n = track_groups_size(g, i);
		left -= annotate(&g->list[i], n, out);
	}
}

/* ---- JUnit ---- */

static void write_failure(const struct track_series *s, struct buf *out)
{
	struct buf message = {0}, text = {0}, why = {0};

	track_write_reasons(s, NULL, ci_xml, &why);
	if (s->verdict == TRACK_BROKEN) {
		buf_print(&text, "broken: %s", buf_str(&why));
		ci_add_failure("broken", "no configuration passed", buf_str(&text), out);
	} else {
		print_change(s, &message);
		track_write_verdict(s, &text);
		buf_print(&text, ": %s %s ", buf_str(&message), s->points ? "since" : "from");
		track_write_since(s, s->index, &text);
		buf_add_str(&text, ": ");
		track_write_value(s, s->after, s->before, &text);
		buf_add_str(&text, ", was ");
		track_write_value(s, s->before, s->after, &text);
		buf_print(&text, "%s%s", why.len > 0 ? "; " : "", buf_str(&why));
		ci_add_failure(track_state_name(track_series_state(s)), buf_str(&message),
			       buf_str(&text), out);
	}
	out->failed |= message.failed || text.failed || why.failed;
	buf_fini(&message);
	buf_fini(&text);
	buf_fini(&why);
}

static void write_case(const struct track_series *s, struct buf *out)
{
	struct buf text = {0};

	ci_begin_case(s->device ? s->device : "file", s->workload, s->name, out);
	if (track_series_fails(s)) {
		write_failure(s, out);
	} else if (track_series_is_skipped(s)) {
		track_write_reasons(s, NULL, ci_xml, &text);
		ci_add_skipped(buf_str(&text), out);
	} else if (track_series_has_floor(s)) {
		track_write_verdict(s, &text);
		buf_add_str(&text, ": ");
		track_write_reasons(s, NULL, ci_xml, &text);
		ci_add_output(buf_str(&text), out);
	}
	out->failed |= text.failed;
	buf_fini(&text);
	ci_end_case(out);
}

void track_write_junit(const struct track_groups *g, struct buf *out)
{
	ci_begin_junit(TRACK_WRITE_MARK,
		       &(struct ci_counts){g->n, g->counts.failing, g->counts.skipped}, out);
	for (size_t i = 0; i < g->n; i++)
		write_case(g->list[i].series, out);
	ci_end_junit(out);
}
