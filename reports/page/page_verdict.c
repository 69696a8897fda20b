/* The head of the page: one sentence with the verdicts, devices and counts, and the command that
 * makes the page again. */
#include <inttypes.h>
#include <string.h>

#include "db/overview.h"
#include "reports/page/html.h"
#include "reports/page/page.h"
#include "reports/page/page_best.h"
#include "reports/page/page_number.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"

/* ---- the sentence ---- */

/* Counts implementations without a result, but for broken ones, which have a count of their own. */
static enum asc_status count_silent(void *user, const struct db_silent *s, struct asc_err *e)
{
	size_t *n = user;

	(void)e;
	*n += !s->broken;
	return ASC_OK;
}

static void add_count(struct buf *out, size_t n, const char *one, const char *many,
		      const char *class)
{
	buf_print(out, "<span class=\"%s\">%zu %s</span>, ", n ? class : "mut", n,
		  n == 1 ? one : many);
}

/* Counts histories that are too short for a verdict. */
static size_t count_short(const struct track_history *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->list[i].verdict == TRACK_UNDECIDED && h->list[i].n < CHANGEPOINT_POINTS;
	return n;
}

static void write_counts(const struct track_history *h, size_t silent, struct buf *out)
{
	struct track_counts c = track_series_count(h->list, h->n);
	size_t n_short = count_short(h);

	buf_add_str(out, "<p class=\"verdict\">");
	if (c.of[TRACK_BROKEN])
		add_count(out, c.of[TRACK_BROKEN], "broken", "broken", "bad");
	add_count(out, c.of[TRACK_REGRESSION], "regression", "regressions", "bad");
	add_count(out, c.of[TRACK_IMPROVEMENT], "improvement", "improvements", "good");
	add_count(out, c.of[TRACK_UNDECIDED], "undecided", "undecided", "");
	for (size_t v = TRACK_SLOWER; v < TRACK_UNCHANGED; v++)
		if (c.of[v])
			buf_print(out, "%zu %s%s, ", c.of[v],
				  track_verdict_count_name((enum track_verdict)v, c.of[v]),
				  v == TRACK_DRIFTING ? "" : " since earlier");
	buf_print(out, "%zu unchanged.", c.of[TRACK_UNCHANGED]);
	if (c.acknowledged)
		buf_print(out, " %zu acknowledged.", c.acknowledged);
	if (silent)
		buf_print(out, " The newest run of %zu kernel%s measured nothing.", silent,
			  silent == 1 ? "" : "s");
	buf_add_str(out, "</p>\n");
	if (n_short)
		buf_print(
			out,
			"<p class=\"mut\">%zu of the undecided: a history tells something from %d "
			"runs on.</p>\n",
			n_short, CHANGEPOINT_POINTS);
}

static void write_nothing(const struct db_overview *o, struct buf *out)
{
	if (o->runs == 0)
		buf_add_str(out,
			    "<p class=\"verdict\">Nothing was measured yet: the database holds "
			    "no measured run.</p>\n");
	else if (o->ok_trials > 0)
		buf_print(
			out,
			"<p class=\"verdict\">Nothing to compare yet: no run has come to its end; "
			"%" PRId64 " of %" PRId64 " trial%s passed.</p>\n",
			o->ok_trials, o->trials, o->trials == 1 ? "" : "s");
	else
		buf_print(out,
			  "<p class=\"verdict bad\">No run measured anything: of %" PRId64
			  " trial%s in %" PRId64 " run%s none passed.</p>\n",
			  o->trials, o->trials == 1 ? "" : "s", o->runs, o->runs == 1 ? "" : "s");
}

/* ---- what was measured on what ---- */

static void add_fact(struct buf *out, const char *name, const char *text)
{
	buf_print(out, "<dt>%s</dt><dd>", name);
	html_name(out, text && *text ? text : "not recorded", 200);
	buf_add_str(out, "</dd>\n");
}

struct environments {
	struct buf *out;
	size_t n;
};

/* Writes the newest environment in full; the others are in the section on method. */
static enum asc_status write_environment(void *user, const struct db_environment *v,
					 struct asc_err *e)
{
	struct environments *o = user;

	(void)e;
	if (o->n++ > 0)
		return ASC_OK;
	buf_add_str(o->out, "<dt>device</dt><dd>");
	html_name(o->out, v->device_kind, 40);
	buf_add_str(o->out, ": ");
	html_name(o->out, v->device_model, 200);
	if (v->arch && *v->arch) {
		buf_add_str(o->out, ", ");
		html_name(o->out, v->arch, 100);
	}
	buf_add_str(o->out, "</dd>\n");
	add_fact(o->out, "driver", v->driver);
	add_fact(o->out, "clock", v->clock);
	add_fact(o->out, "asctune", v->version);
	return ASC_OK;
}

static void write_span(const struct db_overview *o, struct buf *out)
{
	char first[NUMBER_TEXT_SIZE], last[NUMBER_TEXT_SIZE];

	buf_print(out, "<dt>runs</dt><dd>%" PRId64, o->runs);
	number_print_moment(o->first_ms, first);
	number_print_moment(o->last_ms, last);
	if (o->runs > 0 && strcmp(first, last) != 0)
		buf_print(out, " from %s to %s", first, last);
	else if (o->runs > 0)
		buf_print(out, " on %s", last);
	if (o->runs > 0)
		buf_print(out, "; %" PRId64 " of %" PRId64 " trials passed", o->ok_trials,
			  o->trials);
	if (o->imported_runs > 0)
		buf_print(out, "; %" PRId64 " imported, which count for nothing here",
			  o->imported_runs);
	if (o->standin_runs > 0)
		buf_print(out, "; %" PRId64 " simulated, which count for nothing here",
			  o->standin_runs);
	buf_add_str(out, "</dd>\n");
}

/* Writes a word for a shell: quoted where it is not plain. */
static void add_word(struct buf *out, const char *word)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-+:,@%";
	struct buf text = {0};

	if (*word && strspn(word, plain) == strlen(word)) {
		buf_add_str(&text, word);
	} else {
		buf_add_char(&text, '\'');
		for (; *word; word++)
			buf_add(&text, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
		buf_add_char(&text, '\'');
	}
	html_text(out, buf_str(&text));
	out->failed |= text.failed;
	buf_fini(&text);
}

static void write_command(const struct page_request *r, struct buf *out)
{
	buf_add_str(out, "<dt>made by</dt><dd>asctune ");
	html_text(out, r->version);
	buf_add_str(out, ": <code>asctune report --db ");
	add_word(out, r->path);
	buf_add_str(out, " -o ");
	add_word(out, r->file);
	buf_add_str(out, "</code></dd>\n");
}

static enum asc_status write_facts(struct page *p, const struct db_overview *o, struct asc_err *e)
{
	struct environments all = {.out = p->out};

	buf_add_str(p->out, "<dl>\n");
	enum asc_status status = db_each_environment(p->db, write_environment, &all, e);

	if (all.n > 1)
		buf_print(
			p->out,
			"<dt>and</dt><dd><a href=\"#environments\">%zu more device%s, driver%s or "
			"version%s</a></dd>\n",
			all.n - 1, all.n == 2 ? "" : "s", all.n == 2 ? "" : "s",
			all.n == 2 ? "" : "s");
	write_span(o, p->out);
	add_fact(p->out, "database", p->request->path);
	write_command(p->request, p->out);
	buf_add_str(p->out, "</dl>\n");
	return status;
}

enum asc_status page_write_verdict(struct page *p, struct asc_err *e)
{
	struct db_overview o;
	size_t silent = 0;
	enum asc_status status = db_find_overview(p->db, &o, e);

	if (status == ASC_OK)
		status = db_each_silent(p->db, count_silent, &silent, e);
	if (status != ASC_OK)
		return status;
	if (p->history)
		write_counts(p->history, silent, p->out);
	else
		write_nothing(&o, p->out);
	page_best_write(p);
	return write_facts(p, &o, e);
}
