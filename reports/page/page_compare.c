/* The sections of a comparison: what changed, the worst first; folded, what is within noise; what
 * only one side has; and how it was compared. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "db/history.h"
#include "reports/page/page.h"
#include "reports/page/page_findings.h"
#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/parts/page_number.h"
#include "reports/page/parts/page_series.h"
#include "reports/page/plot/ratio_marks.h"
#include "reports/track/track_compare.h"
#include "tuner/base/buf.h"
#include "tuner/base/shell.h"

enum { NAME = 60 };

struct table {
	struct page *p;
	struct html_table html;
	struct ratio_axis axis; /* common to all rows */
};

static bool is_change(const struct track_pair *x)
{
	return x->change.verdict != TRACK_UNCHANGED && x->change.verdict != TRACK_UNDECIDED;
}

static size_t count_changes(const struct track_comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += is_change(&c->pairs[i]);
	return n;
}

bool page_has_no_noise(const struct page *p)
{
	return count_changes(p->request->comparison) == p->request->comparison->n;
}

bool page_has_no_uncompared(const struct page *p)
{
	return p->request->comparison->n_others == 0;
}

/* ---- a row ---- */

static void cell_kernel(struct html_table *t, const struct track_series *s, bool baseline,
			bool device)
{
	html_cell_begin(t);
	page_kernel_write_name(s->workload, s->problem, t->out);
	buf_add_str(t->out, "<small>");
	html_name(t->out, s->implementation, NAME);
	buf_add_str(t->out, baseline ? ", baseline" : "");
	if (*s->cache && strcmp(s->cache, "cold") != 0) {
		buf_add_str(t->out, ", ");
		html_name(t->out, s->cache, 20);
		buf_add_str(t->out, " cache");
	}
	if (device) {
		buf_add_str(t->out, ", ");
		html_name(t->out, s->device, NAME);
	}
	buf_add_str(t->out, "</small>");
	html_cell_end(t);
}

static void cell_change(struct html_table *t, const struct track_series *s)
{
	const struct page_verdict_look *look = &page_verdict_looks[s->verdict];
	/* Colour for what is beyond noise alone. */
	const bool told =
		s->broken || s->verdict == TRACK_REGRESSION || s->verdict == TRACK_IMPROVEMENT;
	char text[NUMBER_TEXT_SIZE];

	html_cell_begin_number(t, s->broken ? INFINITY : s->change_pct);
	if (told)
		buf_print(t->out, "<span class=\"%s\">%s ", look->class, look->mark);
	buf_add_str(t->out,
		    s->broken ? track_verdict_words(s->verdict) : number_print_change(s, text));
	buf_add_str(t->out, told ? "</span>" : "");
	if (s->verdict == TRACK_UNDECIDED)
		buf_add_str(t->out, "<small>may be chance</small>");
	html_cell_end(t);
}

static void cell_picture(struct table *t, const struct track_series *s)
{
	char from[NUMBER_TEXT_SIZE], to[NUMBER_TEXT_SIZE], text[NUMBER_TEXT_SIZE];

	html_cell_begin(&t->html);
	if (!s->broken)
		ratio_row_print(&t->axis,
				&(struct ratio_row){
					.ratio = s->after / s->before,
					.low = 1 + s->low_pct / 100,
					.high = 1 + s->high_pct / 100,
					.good = s->verdict == TRACK_IMPROVEMENT,
					.label = page_print(t->p, "%.100s/%.100s: %s, then %s: %s",
							    s->workload, s->problem,
							    number_print_time(s->before, from),
							    number_print_time(s->after, to),
							    number_print_change(s, text))},
				t->p->out);
	html_cell_end(&t->html);
}

/* Writes how the baseline changed in the same runs, where the kernel did. */
static void write_baseline(const struct track_pair *x, struct buf *out)
{
	const struct track_series *s = &x->change;
	const char *machine = track_state_name(TRACK_STATE_MACHINE);
	char text[NUMBER_TEXT_SIZE];

	/* Between two devices the baseline changes, too: that says nothing of the machine. */
	if (!s->baseline || !is_change(x) || s->broken || x->other_device)
		return;
	if (s->by_machine)
		buf_print(out, "%c%s: the baseline ", toupper((unsigned char)*machine),
			  machine + 1);
	else
		buf_add_str(out, "The baseline ");
	html_name(out, s->baseline->implementation, NAME);
	buf_print(out, " changed: %s%s. ", number_print_time_change(s->baseline->change_pct, text),
		  s->by_machine ? ", too" : "");
}

/* Writes what was recorded to differ: facts, and the configuration; or how a kernel broke. */
static enum asc_status cell_differences(struct table *t, const struct track_pair *x,
					struct asc_err *e)
{
	const struct track_series *s = &x->change;
	const struct track_point *a = &x->points[TRACK_BASE], *b = &x->points[TRACK_AGAINST];
	struct buf *out = t->p->out;
	enum asc_status status = ASC_OK;

	html_cell_begin(&t->html);
	if (x->other_device) {
		buf_add_str(out, "<strong>Device</strong> ");
		html_name(out, s->device, NAME);
		buf_add_str(out, ", base ");
		html_name(out, x->base_device, NAME);
		buf_add_str(out, ".");
	}
	write_baseline(x, out);
	if (s->broken)
		status = db_each_failure(t->p->request->sides[TRACK_AGAINST].db, s->newest_run,
					 s->implementation, page_failure_write, out, e);
	/* Between two devices facts differ all over: the line above says what matters. */
	else if (!x->other_device && !page_facts_write(s, x->points, out) && !s->by_machine &&
		 strcmp(a->config, b->config) == 0)
		buf_add_str(out, "Nothing recorded: same configuration, source, compiler, driver "
				 "and clock.");
	if (!s->broken && strcmp(a->config, b->config) != 0)
		page_chips_write(a->config, b->config, NULL, out);
	html_cell_end(&t->html);
	return status;
}

static enum asc_status write_row(struct table *t, const struct track_pair *x, struct asc_err *e)
{
	const struct track_series *s = &x->change;

	cell_kernel(&t->html, s, s->is_baseline,
		    t->p->request->comparison->several_devices && !x->other_device);
	cell_change(&t->html, s);
	html_cell_time(&t->html, s->before);
	html_cell_time(&t->html, s->after);
	cell_picture(t, s);
	return cell_differences(t, x, e);
}

static enum asc_status write_table(struct page *p, const char *id, const char *caption,
				   bool changes, struct asc_err *e)
{
	static const struct html_column columns[] = {{"kernel", NULL, false},
						     {"change [95 %]", NULL, true},
						     {"base", NULL, true},
						     {"against", NULL, true},
						     {"← faster · slower →", NULL, false},
						     {"what differs", NULL, false},
						     {NULL, NULL, false}};
	const struct track_comparison *c = p->request->comparison;
	struct table t = {
		.p = p, .html = {.out = p->out, .id = id, .caption = caption, .columns = columns}};
	enum asc_status status = ASC_OK;

	/* One axis for all rows, wide enough for each interval. */
	for (size_t i = 0; i < c->n; i++) {
		if (is_change(&c->pairs[i]) != changes)
			continue;
		ratio_axis_add(&t.axis, 1 + c->pairs[i].change.low_pct / 100);
		ratio_axis_add(&t.axis, 1 + c->pairs[i].change.high_pct / 100);
	}
	buf_add_str(p->out, "<div class=\"sides\">\n");
	html_table_begin(&t.html);
	for (size_t i = 0; i < c->n && status == ASC_OK; i++)
		if (is_change(&c->pairs[i]) == changes && html_table_row(&t.html))
			status = write_row(&t, &c->pairs[i], e);
	html_table_end(&t.html);
	buf_add_str(p->out, "</div>\n");
	return status;
}

/* ---- sections ---- */

enum asc_status page_write_compared_changes(struct page *p, struct asc_err *e)
{
	if (count_changes(p->request->comparison) == 0) {
		buf_add_str(p->out, "<p id=\"compared\">Nothing changed beyond noise.</p>\n");
		return ASC_OK;
	}
	return write_table(p, "compared",
			   "Changes from the base, the worst first; times of the best "
			   "configuration of either side",
			   true, e);
}

enum asc_status page_write_compared_noise(struct page *p, struct asc_err *e)
{
	const struct track_comparison *c = p->request->comparison;

	buf_print(p->out,
		  "<details><summary>%zu of %zu compared did not change beyond noise"
		  "</summary>\n",
		  c->n - count_changes(c), c->n);
	const enum asc_status status =
		write_table(p, "unchanged", "Within noise, the largest difference first", false, e);

	buf_add_str(p->out, "</details>\n");
	return status;
}

enum asc_status page_write_uncompared(struct page *p, struct asc_err *e)
{
	static const struct html_column columns[] = {{"kernel", NULL, false},
						     {"measured in", NULL, false},
						     {"newest run", NULL, true},
						     {"why it is not compared", NULL, false},
						     {NULL, NULL, false}};
	const struct track_comparison *c = p->request->comparison;
	struct html_table t = {.out = p->out,
			       .id = "unpaired",
			       .caption = "What is not compared",
			       .columns = columns};
	char day[NUMBER_TEXT_SIZE];

	(void)e;
	html_table_begin(&t);
	for (size_t i = 0; i < c->n_others; i++) {
		const struct track_unpaired *x = &c->others[i];

		if (!html_table_row(&t))
			continue;
		cell_kernel(&t, x->series, false, true);
		html_cell_name(&t, p->request->sides[x->side].name, NAME);
		html_cell_begin_number(&t, (double)x->series->newest_ms);
		buf_print(p->out, "run %" PRId64 ", %s", x->series->newest_run,
			  number_print_day(x->series->newest_ms, day));
		html_cell_end(&t);
		html_cell_text(&t, x->why);
	}
	html_table_end(&t);
	return ASC_OK;
}

/* ---- method ---- */

static void write_side(const struct page *p, const char *name, const struct track_side *s)
{
	buf_print(p->out, "<dt>%s</dt><dd>", name);
	html_name(p->out, s->name, 200);
	if (s->path) {
		buf_add_str(p->out, ", database ");
		html_name(p->out, s->path, 200);
	}
	buf_add_str(p->out, "</dd>\n");
}

static void write_command(const struct page_request *r, struct buf *out)
{
	struct buf words = {0};

	if (r->command) {
		buf_add_str(&words, r->command);
	} else {
		shell_add_program(&words);
		shell_add_argument(&words, "report");
		shell_add_option(&words, "--db", r->path);
		shell_add_option(&words, "--base", r->sides[TRACK_BASE].word);
		shell_add_option(&words, "--against", r->sides[TRACK_AGAINST].word);
		shell_add_option(&words, "-o", r->file);
	}
	page_write_command(&words, out);
	buf_fini(&words);
}

enum asc_status page_write_comparison_method(struct page *p, struct asc_err *e)
{
	const struct track_rule *r = &p->request->comparison->rule;

	(void)e;
	buf_add_str(p->out, "<dl>\n");
	write_side(p, "base", &p->request->sides[TRACK_BASE]);
	write_side(p, "against", &p->request->sides[TRACK_AGAINST]);
	buf_add_str(p->out, "<dt>made by</dt><dd>asctune ");
	html_text(p->out, p->request->version);
	buf_add_str(p->out, ": ");
	write_command(p->request, p->out);
	buf_print(
		p->out,
		"</dd>\n"
		"<dt>kernel</dt><dd>A problem of a workload under a cache policy, with one "
		"implementation; of each the newest of the chosen runs that is a search, or a "
		"side of a gate, and ended.</dd>\n"
		"<dt>time</dt><dd>The median of the fastest configuration, in the finals where "
		"it took part.</dd>\n"
		"<dt>change</dt><dd>Of the time in the base, with a 95 %% interval: the quotient "
		"of "
		"the intervals of both medians and, where a side has a history of %d runs or more, "
		"not narrower than single runs of it scatter by.</dd>\n"
		"<dt>within noise</dt><dd>The interval holds 0, or the change is smaller than %g "
		"%%; or it may be chance: of all that are called slower or faster at most %g %% "
		"are "
		"expected to be (Benjamini and Hochberg).</dd>\n</dl>\n",
		(int)CHANGEPOINT_POINTS, r->least_pct, 100 * r->false_share);
	return ASC_OK;
}
