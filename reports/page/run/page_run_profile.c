/* The card's second row: what limits a launch of the answer. Its label, how near each limit is,
 * what warps wait for, what its innermost loops are made of, beside the default and other finalists
 * that were profiled; and folded, all figures of these. */
#include <math.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/html_table.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/plot/part_bars.h"
#include "reports/page/run/page_view.h"
#include "reports/results/profile_view.h"
#include "tuner/base/buf.h"
#include "tuner/result/setting.h"

enum {
	SIDES = 6, /* configurations side by side: columns of a table on a screen */
	NAMED = STACK_COLORS - 1,
	NAME = 40,
	PAIRS = 512 /* figures that two profiles may have */
};

/* Part of disturbed launches from which times are to be read with care: medians leave out less. */
static const double DISTURBED = 0.2;

/* A configuration that was profiled. */
struct side {
	const char *name; /* "chosen", "default", or what differs from the chosen one */
	double ns;
	struct profile profile;
	struct profile_view view;
};

struct sides {
	struct page_run *run;
	struct side list[SIDES]; /* the chosen one, the default where that was profiled, others */
	size_t n;
};

/* ---- which ---- */

/* Names a finalist by the settings that the chosen one does not have. */
static const char *name_of(const struct sides *s, const char *implementation, const char *key)
{
	const struct page_best *b = s->run->kernel->best;
	struct buf text = {0};
	struct setting set;

	if (strcmp(implementation, b->implementation) != 0)
		return page_print(s->run->p, "%s", implementation);
	if (strcmp(key, b->default_key) == 0)
		return "default";
	while (setting_next(&key, &set))
		if (!setting_is_in(&set, b->config_key))
			buf_print(&text, "%s%.*s=%.*s", text.len ? " " : "", (int)set.name_len,
				  set.name, (int)set.value_len, set.value);
	const char *name = page_print(s->run->p, "%s", buf_str(&text));

	s->run->p->out->failed |= text.failed;
	buf_fini(&text);
	return name;
}

/* Adds a finalist, if a profile of it is on record. */
static enum asc_status add_finalist(struct sides *s, const struct db_run_final *f,
				    struct asc_err *e)
{
	const struct page_best *b = s->run->kernel->best;
	struct side *to = &s->list[s->n];
	bool found;

	if (db_find_profile(s->run->p->db, b->run_id, f->implementation_id, f->config_key,
			    &to->profile, &found, e))
		return e->status;
	if (!found)
		return ASC_OK;
	to->name = name_of(s, f->implementation, f->config_key);
	to->ns = f->median_ns;
	profile_view_of(&to->profile, &to->view);
	s->n++;
	return ASC_OK;
}

/* The answer, whose profile the page has; the default; then finalists in their order. */
static enum asc_status find_sides(struct sides *s, struct asc_err *e)
{
	const struct page_best *b = s->run->kernel->best;
	const struct run_finals *f = page_run_decided(s->run);
	enum asc_status status = ASC_OK;

	s->list[0] = (struct side){.name = b->is_default ? "chosen, the default" : "chosen",
				   .ns = b->median_ns};
	profile_view_of(b->profile, &s->list[0].view);
	s->n = 1;
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < f->n && s->n < SIDES && status == ASC_OK; i++) {
			const struct db_run_final *x = &f->list[i];
			const bool own = strcmp(x->implementation, b->implementation) == 0;
			const bool preset = own && strcmp(x->config_key, b->default_key) == 0;

			if (!(own && strcmp(x->config_key, b->config_key) == 0) &&
			    preset == (others == 0))
				status = add_finalist(s, x, e);
		}
	return status;
}

static const struct profile *profile_of(const struct sides *s, size_t i)
{
	return i == 0 ? s->run->kernel->best->profile : &s->list[i].profile;
}

/* ---- in words ---- */

static void write_sentence(const struct sides *s)
{
	const struct profile *p = profile_of(s, 0);
	const struct profile_view *v = &s->list[0].view;
	struct buf *out = s->run->p->out;
	char text[NUMBER_TEXT_SIZE];
	struct buf sentence = {0};

	buf_print(out, "<p><strong>Limited by: %s.</strong> ", label_name(p->label));
	profile_add_sentence(p, &sentence);
	html_text(out, buf_str(&sentence));
	out->failed |= sentence.failed;
	buf_fini(&sentence);
	if (p->left >= 1.005)
		buf_print(out, "; %s× is left at most", number_print(p->left, 2, text));
	buf_add_str(out, p->basis == LABEL_BASIS_TIME ? ". Found without counters" : "");
	if (p->basis != LABEL_BASIS_COUNTERS && isfinite(v->hot))
		buf_print(out, "; hot caches: %s× the time", number_print(1 / v->hot, 2, text));
	if (p->basis != LABEL_BASIS_COUNTERS && isfinite(v->half))
		buf_print(out, "; half the %s at a time: %s× the time",
			  isfinite(v->threads) ? "threads" : "warps",
			  number_print(v->half, 2, text));
	buf_add_str(out, ".");
	if (v->disturbed > DISTURBED)
		buf_print(out, " Other work disturbed %.0f %% of its launches.",
			  100 * v->disturbed);
	if (v->kernels > 1)
		buf_print(out, " Figures are sums over %d kernels.", v->kernels);
	buf_add_str(out, "</p>\n");
}

/* Writes what could not be read, each reason once. */
static void write_missing(const struct sides *s)
{
	const struct profile *p = profile_of(s, 0);
	const struct profile_view *v = &s->list[0].view;
	struct buf *out = s->run->p->out;

	if (!p->failure && v->n_reasons == 0)
		return;
	buf_add_str(out, "<p class=\"note\">");
	if (p->failure) {
		buf_add_str(out, "Counting ended early: ");
		html_text(out, p->failure);
		buf_add_str(out, ". ");
	}
	for (size_t i = 0; i < v->n_reasons; i++) {
		buf_add_str(out, i ? "; " : "Not read: ");
		html_text(out, v->reasons[i].reason);
		buf_add_str(out, " (");
		html_text(out, v->reasons[i].first);
		if (v->reasons[i].n > 1)
			buf_print(out, " and %zu more", v->reasons[i].n - 1);
		buf_add_char(out, ')');
	}
	buf_add_str(out, v->n_reasons ? ".</p>\n" : "</p>\n");
}

/* Writes the command that tells more: counters where none were read, else the code beside that of
 * the default. Paper leaves it out. */
static void write_more(const struct sides *s)
{
	const bool counted = profile_of(s, 0)->basis != LABEL_BASIS_TIME;
	const struct page_best *b = s->run->kernel->best;
	struct buf *out = s->run->p->out;

	if (counted && b->is_default)
		return;
	buf_add_str(out,
		    counted ? "<p class=\"do more\">What its code has that the default's has not: "
			    : "<p class=\"do more\">Count it: ");
	page_kernel_write_inquiry(s->run->p, s->run->kernel, counted ? "code" : "profile",
				  counted ? "default" : NULL, out);
	buf_add_str(out, "</p>\n");
}

/* ---- limits ---- */

static void write_limit(struct page *p, const char *name, double part, double most, bool on,
			const char *rate)
{
	struct buf *out = p->out;

	buf_print(out, "<tr%s><th scope=\"row\">%s</th><td>", on ? " class=\"on\"" : "", name);
	part_bar_print(part, most, on,
		       page_print(p, "%s: %.0f %%%s%s%s", name, 100 * part, *rate ? " (" : "", rate,
				  *rate ? ")" : ""),
		       out);
	buf_print(out, "</td><td class=\"n\">%.0f %%</td></tr>\n", 100 * part);
}

/* True where a launch with that label is limited by this bar. */
static bool is_limit(const struct profile *p, enum label of, double part, double highest)
{
	return p->label == of && !(part < highest);
}

/* Highest part of what has that label: of two caches the busier one limits. */
static double find_highest(const struct profile_view *v, enum label of)
{
	double highest = 0;

	for (size_t i = 0; i < v->n_levels; i++)
		if (v->levels[i].label == of)
			highest = fmax(highest, v->levels[i].part);
	for (size_t i = 0; i < v->units.n; i++)
		if (v->units.list[i].label == of)
			highest = fmax(highest, v->units.list[i].value / 100);
	return highest;
}

static void write_limits(const struct sides *s)
{
	const struct profile *p = profile_of(s, 0);
	const struct profile_view *v = &s->list[0].view;
	const double highest = find_highest(v, p->label);
	struct page *page = s->run->p;
	char rate[UNITS_TEXT_SIZE];
	double most = 1;
	bool any = v->units.n > 0 || isfinite(v->warps / v->most_warps);

	for (size_t i = 0; i < v->n_levels; i++) {
		any |= isfinite(v->levels[i].part);
		/* What a cache gives beyond its measured peak is seen, up to a quarter. */
		if (v->levels[i].part > most)
			most = fmin(v->levels[i].part, 1.25);
	}
	if (!any)
		return;
	buf_add_str(page->out,
		    "<div><table class=\"forest\"><caption>Limits: part of the measured peak, of "
		    "the time, of the warps that fit</caption>\n<tbody>\n");
	for (size_t i = 0; i < v->n_levels; i++) {
		const struct profile_level *l = &v->levels[i];

		if (isfinite(l->part))
			write_limit(page, l->name, l->part, most,
				    is_limit(p, l->label, l->part, highest),
				    units_print(l->rate, "B/s", 3, rate));
	}
	for (size_t i = 0; i < v->units.n; i++) {
		const struct profile_share *u = &v->units.list[i];

		write_limit(page, u->name, u->value / 100, most,
			    is_limit(p, u->label, u->value / 100, highest), "");
	}
	if (isfinite(v->warps / v->most_warps))
		write_limit(page, "warps", v->warps / v->most_warps, most,
			    p->label == LABEL_OCCUPANCY, "");
	buf_add_str(page->out, "</tbody></table></div>\n");
}

/* ---- stalls, and code ---- */

/* The list of a view that is stacked. */
static const struct profile_shares *shares_of(const struct side *s, bool code)
{
	return code ? &s->view.loop : &s->view.stalls;
}

static double value_of(const struct profile_shares *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->list[i].name, name) == 0)
			return list->list[i].value;
	return 0;
}

/* The whole of which shares of a side are parts: of stalls 100 %, since a warp that does not wait
 * is among the others; of code its instructions. */
static double whole_of(const struct side *s, bool code)
{
	double sum = 0;

	if (!code)
		return 100;
	for (size_t i = 0; i < s->view.loop.n; i++)
		sum += s->view.loop.list[i].value;
	return sum;
}

static void write_key(const struct profile_shares *first, size_t named, struct buf *out)
{
	buf_add_str(out, "<p class=\"stack\">");
	for (size_t i = 0; i < named; i++) {
		buf_add_str(out, "<span>");
		stack_key_print(i, out);
		buf_add_char(out, ' ');
		html_name(out, first->list[i].name, NAME);
		buf_add_str(out, "</span> ");
	}
	buf_add_str(out, "<span>");
	stack_key_print(STACK_COLORS - 1, out);
	buf_add_str(out, " others</span></p>\n");
}

/* Writes a row: what the chosen one has most of, in its order and colours, then the others. */
static void write_stack(const struct sides *s, const struct side *of, bool code, size_t named,
			double whole)
{
	const struct profile_shares *first = shares_of(&s->list[0], code);
	struct page *p = s->run->p;
	double values[STACK_COLORS] = {0}, left = whole_of(of, code);
	struct buf label = {0};
	char text[NUMBER_TEXT_SIZE];

	buf_print(&label, "%s:", of->name);
	for (size_t i = 0; i < named; i++) {
		values[i] = value_of(shares_of(of, code), first->list[i].name);
		left -= values[i];
		buf_print(&label, " %s %.0f%s,", first->list[i].name, values[i], code ? "" : " %");
	}
	values[STACK_COLORS - 1] = fmax(left, 0);
	buf_print(&label, " others %.0f%s", values[STACK_COLORS - 1], code ? "" : " %");
	buf_print(p->out, "<tr%s><th scope=\"row\">", of == s->list ? " class=\"on\"" : "");
	html_name(p->out, of->name, NAME);
	buf_add_str(p->out, "</th><td>");
	stack_bar_print(values, STACK_COLORS, whole, buf_str(&label), p->out);
	if (code)
		buf_print(p->out, "</td><td class=\"n\">%.0f</td></tr>\n", whole_of(of, true));
	else
		buf_print(p->out, "</td><td class=\"n\">%s</td></tr>\n",
			  number_print_time(of->ns, text));
	p->out->failed |= label.failed;
	buf_fini(&label);
}

static void write_stacks(const struct sides *s, bool code, const char *caption)
{
	const struct profile_shares *first = shares_of(&s->list[0], code);
	const size_t named = first->n < NAMED ? first->n : NAMED;
	struct buf *out = s->run->p->out;
	double whole = 0;

	if (first->n == 0)
		return;
	for (size_t i = 0; i < s->n; i++)
		whole = fmax(whole, whole_of(&s->list[i], code));
	buf_print(out, "<table class=\"forest\"><caption>%s</caption>\n<tbody>\n", caption);
	for (size_t i = 0; i < s->n; i++)
		if (shares_of(&s->list[i], code)->n > 0)
			write_stack(s, &s->list[i], code, named, whole);
	buf_add_str(out, "</tbody></table>\n");
	write_key(first, named, out);
}

/* ---- all figures ---- */

static const char *print_figure(const struct metric *m, char text[UNITS_TEXT_SIZE])
{
	if (strcmp(m->unit, "ns") == 0)
		return units_print(m->value * 1e-9, "s", 3, text);
	return units_print(m->value, strcmp(m->unit, "1") == 0 ? "" : m->unit, 3, text);
}

/* True where a figure of a side follows its time. */
static bool explains(const struct profile_pair *pairs, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(pairs[i].of->name, name) == 0)
			return pairs[i].explains;
	return false;
}

static enum asc_status write_figures(const struct sides *s, struct asc_err *e)
{
	struct html_column columns[SIDES + 2] = {{"figure of one launch", NULL, false}};
	struct page *p = s->run->p;
	struct profile_pair *pairs = page_alloc(p, (size_t)SIDES * PAIRS * sizeof *pairs);
	size_t n[SIDES] = {0}, equal;
	const struct profile *first = profile_of(s, 0);
	struct html_table t = {.out = p->out,
			       .id = page_print(p, "%s_figures", s->run->id),
			       .caption = "Bold: it changes by the factor of the time",
			       .columns = columns,
			       .data = true};
	char text[UNITS_TEXT_SIZE];

	if (!pairs)
		return asc_err_nomem(e);
	for (size_t i = 0; i < s->n; i++) {
		columns[1 + i] = (struct html_column){s->list[i].name, NULL, true};
		if (i > 0)
			n[i] = profile_compare(profile_of(s, i), first,
					       s->list[i].ns / s->list[0].ns, &pairs[i * PAIRS],
					       PAIRS, &equal);
	}
	buf_add_str(p->out, "<details class=\"data\"><summary>the figures as a table</summary>\n");
	html_table_begin(&t);
	for (size_t k = 0; k < first->n_readings; k++) {
		const struct metric *m = &first->readings[k];

		if (m->call != 0 || !isfinite(m->value) || !html_table_row(&t))
			continue;
		html_cell_name(&t, m->name, NAME);
		for (size_t i = 0; i < s->n; i++) {
			const struct metric *of = profile_find(profile_of(s, i), m->name);
			const bool bold = explains(&pairs[i * PAIRS], n[i], m->name);

			html_cell_begin_number(&t, of ? of->value : NAN);
			buf_add_str(p->out, bold ? "<strong>" : "");
			html_text(p->out, of && isfinite(of->value) ? print_figure(of, text) : "–");
			buf_add_str(p->out, bold ? "</strong>" : "");
			html_cell_end(&t);
		}
	}
	html_table_end(&t);
	buf_add_str(p->out, "</details>\n");
	return ASC_OK;
}

/* ---- all together ---- */

enum asc_status page_run_profile(struct page_run *r, struct asc_err *e)
{
	struct sides s = {.run = r};
	struct buf *out = r->p->out;

	if (!r->kernel->best->profile)
		return ASC_OK;
	enum asc_status status = find_sides(&s, e);

	if (status == ASC_OK) {
		write_sentence(&s);
		buf_add_str(out, "<div class=\"row\">\n");
		write_limits(&s);
		buf_add_str(out, "<div>");
		write_stacks(&s, false, "Stalls: what warps wait for, of all that are there");
		write_stacks(&s, true, "Code: instructions of the innermost loops");
		buf_add_str(out, "</div></div>\n");
		write_missing(&s);
		write_more(&s);
		status = write_figures(&s, e);
	}
	for (size_t i = 1; i < s.n; i++)
		profile_fini(&s.list[i].profile);
	return status;
}
