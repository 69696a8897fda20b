/* The section of old best against new best: the parameters that changed, if the configuration did.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "reports/page/html.h"
#include "reports/page/html_table.h"
#include "reports/page/page.h"
#include "reports/page/page_number.h"
#include "reports/page/page_series.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

/* ---- the difference of two configurations, as their keys tell: NAME=VALUE,... ---- */

struct setting { /* name and value, borrowed from a key */
	const char *name, *value;
	size_t name_len, value_len;
};

static bool next_setting(const char **key, struct setting *out)
{
	size_t len = strcspn(*key, ","), name = strcspn(*key, "=,");

	if (!**key)
		return false;
	*out = (struct setting){.name = *key,
				.name_len = name,
				.value = *key + name + (name < len),
				.value_len = len - name - (name < len)};
	*key += len + ((*key)[len] == ',');
	return true;
}

static bool find_setting(const char *key, const struct setting *wanted, struct setting *out)
{
	while (next_setting(&key, out))
		if (out->name_len == wanted->name_len &&
		    memcmp(out->name, wanted->name, out->name_len) == 0)
			return true;
	return false;
}

static void add_part(struct buf *out, const char *text, size_t len, size_t most)
{
	struct buf part = {0};

	buf_add(&part, text, len);
	html_name(out, buf_str(&part), most);
	out->failed |= part.failed;
	buf_fini(&part);
}

static void add_setting(struct buf *out, const struct setting *name, const struct setting *before,
			const struct setting *after)
{
	enum { NAME = 40, VALUE = 30 };

	buf_add_str(out, "<li>");
	add_part(out, name->name, name->name_len, NAME);
	buf_add_str(out, ": ");
	if (before)
		add_part(out, before->value, before->value_len, VALUE);
	buf_add_str(out, before ? " → " : "new, ");
	if (after)
		add_part(out, after->value, after->value_len, VALUE);
	else
		buf_add_str(out, "gone");
	buf_add_str(out, "</li>");
}

static void write_difference(struct buf *out, const char *before, const char *after)
{
	struct setting a, b;
	const char *at = before;
	size_t same = 0;

	buf_add_str(out, "<ul>");
	while (next_setting(&at, &a)) {
		bool there = find_setting(after, &a, &b);

		if (there && a.value_len == b.value_len &&
		    memcmp(a.value, b.value, a.value_len) == 0)
			same++;
		else
			add_setting(out, &a, &a, there ? &b : NULL);
	}
	for (at = after; next_setting(&at, &b);)
		if (!find_setting(before, &b, &a))
			add_setting(out, &b, NULL, &b);
	buf_print(out, "</ul><small>%zu as before</small>", same);
}

/* ---- one row for each history ---- */

struct pair {
	const struct track_point *before, *after;
	bool same; /* configuration */
};

/* Chooses the points on either side of the change; without one, the newest run and the one before.
 */
static bool find_pair(const struct page *p, const struct page_series *s, struct pair *out)
{
	const struct track_series *k = s->series;
	const struct track_point *points = track_history_points(p->history, s->number);

	if (k->n < 2)
		return false;
	out->before = k->changed ? track_cause_usual(points, track_cause_before(k), k->index)
				 : &points[k->n - 2];
	out->after = k->changed ? track_cause_usual(points, k->index, k->n) : &points[k->n - 1];
	if (!out->before || !out->after)
		return false;
	out->same = strcmp(out->before->config, out->after->config) == 0;
	return k->changed || !out->same;
}

static const char *say(const struct track_series *s, const struct pair *pair)
{
	bool slower = s->after > s->before;

	if (!s->changed)
		return "Another configuration was the fastest in the newest run; the level has not "
		       "changed.";
	if (pair->same)
		return slower ? "The same configuration is slower."
			      : "The same configuration is faster.";
	if (s->cause == TRACK_CAUSE_SLOWER)
		return "The old best is slower, so another configuration won.";
	return "Another configuration won.";
}

static const struct html_column columns[] = {{"kernel", NULL, false},
					     {"what happened", NULL, false},
					     {"parameters that changed", NULL, false},
					     {"old best", NULL, true},
					     {"new best", NULL, true},
					     {NULL, NULL, false}};

static void cell_time(struct html_table *t, const struct track_point *point)
{
	char time[NUMBER_TEXT_SIZE], day[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, point->ns);
	buf_print(t->out, "%s<small>%s</small>", number_print_time(point->ns, time),
		  number_print_day(point->started_ms, day));
	html_cell_end(t);
}

static void write_row(struct html_table *t, const struct page_series *s, const struct pair *pair)
{
	enum { CONFIG = 200 };

	html_cell_begin(t);
	page_series_link(s, t->out);
	html_cell_end(t);
	html_cell_text(t, say(s->series, pair));
	html_cell_begin(t);
	if (pair->same)
		html_name(t->out, pair->after->config, CONFIG);
	else
		write_difference(t->out, pair->before->config, pair->after->config);
	html_cell_end(t);
	cell_time(t, pair->before);
	cell_time(t, pair->after);
}

enum asc_status page_write_parameters(struct page *p, struct asc_err *e)
{
	struct html_table t = {.out = p->out,
			       .id = "winners",
			       .caption =
				       "The configuration that was usual before a change, and the "
				       "one after it; without a change, the newest two runs",
			       .columns = columns,
			       .rest = "`asctune track` names them"};
	struct pair pair;

	(void)e;
	for (const struct page_series *s = p->series; s && s->series; s++) {
		if (!find_pair(p, s, &pair))
			continue;
		if (t.rows == 0)
			html_table_begin(&t);
		if (html_table_row(&t))
			write_row(&t, s, &pair);
	}
	if (t.rows > 0)
		html_table_end(&t);
	else
		buf_add_str(p->out, "<p>No level changed, and no other configuration was the "
				    "fastest in the newest run than in the one before.</p>\n");
	return ASC_OK;
}
