/* The card's left half: how sure the answer is, what all that tie with it have in common, the
 * finalists as a forest plot: time as a multiple of the chosen one's, with default and baseline;
 * and the samples of the first two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html.h"
#include "reports/page/parts/page_best.h"
#include "reports/page/parts/page_config.h"
#include "reports/page/parts/page_core.h"
#include "reports/page/parts/page_kernels.h"
#include "reports/page/plot/ratio_marks.h"
#include "reports/page/plot/sample_bars.h"
#include "reports/page/run/page_view.h"
#include "tuner/base/buf.h"

enum { ROWS = 10 /* a card fits on one screen */, LABEL = 40, HEADING = 160 };

struct forest {
	struct page_run *run;
	const struct page_best *best;
	const struct run_finals *finals;
	const struct run_implementation
		*order;                        /* parameters in the workload's order; may be NULL */
	const struct db_run_final *rows[ROWS]; /* shown; default and baseline are among them */
	size_t n;
	const char **ties; /* keys of all finalists that may be the fastest, shown or not */
	size_t n_ties;
	struct ratio_axis axis;
};

static bool is_default(const struct forest *f, const struct db_run_final *x)
{
	return strcmp(x->config_key, f->best->default_key) == 0 &&
	       strcmp(x->implementation, f->best->implementation) == 0;
}

/* Place of a row's implementation among the baselines; BASELINES_MAX: it is none, or what was
 * tuned. */
static size_t find_baseline(const struct forest *f, const struct db_run_final *x)
{
	const struct baselines *b = &f->best->baselines;

	for (size_t i = 0; i < b->n; i++)
		if (strcmp(x->implementation, b->list[i].name) == 0 &&
		    strcmp(x->implementation, f->best->implementation) != 0)
			return i;
	return BASELINES_MAX;
}

/* Chooses the rows: the fastest, of each baseline only its fastest, and room for the default. */
static void choose_rows(struct forest *f)
{
	const struct db_run_final *bases[BASELINES_MAX] = {NULL}, *preset = NULL;
	const size_t n_bases = f->best->baselines.n;
	/* Default and baselines always have a row. */
	const size_t others = ROWS - 1 - (n_bases > 1 ? n_bases : 1);

	for (size_t i = 0; i < f->finals->n; i++) {
		const struct db_run_final *x = &f->finals->list[i];

		const size_t place = find_baseline(f, x);

		if (place < BASELINES_MAX) {
			const struct db_run_final **base = &bases[place];

			if (!*base || x->median_ns < (*base)->median_ns)
				*base = x;
		} else if (is_default(f, x) && !x->winner)
			preset = x;
		else if (f->n < others)
			f->rows[f->n++] = x;
	}
	if (preset)
		f->rows[f->n++] = preset;
	for (size_t i = 0; i < n_bases; i++)
		if (bases[i])
			f->rows[f->n++] = bases[i];
	for (size_t i = 0; i < f->n; i++) {
		ratio_axis_add(&f->axis, f->rows[i]->ratio);
		ratio_axis_add(&f->axis, f->rows[i]->ratio_high);
		ratio_axis_add(&f->axis, f->rows[i]->ratio_low);
	}
}

/* ---- which parameters differ ---- */

/* True where a row has another value of the parameter than the chosen one. A baseline has
 * parameters of its own. */
static bool differs(const struct forest *f, const struct setting *of)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct db_run_final *x = f->rows[i];

		if (find_baseline(f, x) < BASELINES_MAX)
			continue;
		if (!setting_is_in(of, x->config_key))
			return true;
	}
	return false;
}

/* Takes the next parameter of the chosen configuration, in the workload's order where it is known.
 */
static bool next_parameter(const struct forest *f, size_t *at, const char **key,
			   struct setting *out)
{
	while (f->order && *at < f->order->n_parameters) {
		const char *name = f->order->parameters[(*at)++].name;

		if (setting_find(f->best->config_key, name, strlen(name), out))
			return true;
	}
	return !f->order && setting_next(key, out);
}

/* Writes the parameters in which rows differ, or their values in one configuration. */
static void write_different(const struct forest *f, const char *values_of, struct buf *out)
{
	const char *key = f->best->config_key;
	struct setting s, value;
	size_t at = 0, n = 0;

	while (next_parameter(f, &at, &key, &s)) {
		if (!differs(f, &s))
			continue;
		buf_add_str(out, n++ ? values_of ? "/" : ", " : "");
		if (!values_of)
			buf_add(out, s.name, s.name_len);
		else if (setting_find(values_of, s.name, s.name_len, &value))
			buf_add(out, value.value, value.value_len);
		else
			buf_add_str(out, "–");
	}
}

static void write_names(const struct forest *f, bool same, struct buf *out)
{
	const char *key = f->best->config_key;
	struct setting s;
	size_t at = 0, n = 0;

	while (next_parameter(f, &at, &key, &s)) {
		if (setting_is_common(&s, f->ties, f->n_ties) != same)
			continue;
		buf_add_str(out, n++ ? ", " : "");
		page_setting_write(s.name, s.name_len, 40, out);
		if (same) {
			buf_add_char(out, '=');
			page_setting_write(s.value, s.value_len, 30, out);
		}
	}
}

/* ---- words ---- */

/* Writes what the ties have in common; `equal`: they are as fast as each other. */
static void write_common(const struct forest *f, bool equal, struct buf *out)
{
	struct buf same = {0}, free_ones = {0};

	if (f->n_ties < 2)
		return;
	write_names(f, true, &same);
	write_names(f, false, &free_ones);
	if (same.len)
		buf_print(out, " All of them have <strong>%s</strong>", buf_str(&same));
	if (free_ones.len)
		buf_print(out, "%s %s%s", same.len ? "; they differ in" : " They differ in",
			  buf_str(&free_ones), equal ? ": no matter which" : "");
	buf_add_str(out, same.len || free_ones.len ? "." : "");
	out->failed |= same.failed || free_ones.failed;
	buf_fini(&same);
	buf_fini(&free_ones);
}

/* True for a row with other bits than the chosen one, which is the first finalist. */
static bool has_other_bits(const struct forest *f, const struct db_run_final *x)
{
	return f->finals->list[0].winner && run_finals_class(f->finals, f->finals->list) == 0 &&
	       run_finals_class(f->finals, x) > 0;
}

static void write_bits(const struct forest *f, struct buf *out)
{
	struct buf text = {0};
	bool other = false;

	run_finals_print_bits(f->finals, &text);
	for (size_t i = 0; i < f->n; i++)
		other |= has_other_bits(f, f->rows[i]);
	if (text.len > 0)
		buf_print(out, " <strong>Bits of its outputs:</strong> %s%s.", buf_str(&text),
			  other ? " (≠: other bits than the chosen one's)" : "");
	out->failed |= text.failed;
	buf_fini(&text);
}

static void write_sentence(const struct forest *f, struct buf *out)
{
	const struct sureness *s = &f->best->sure;
	const size_t n = f->finals->n;
	char text[SURE_TEXT_SIZE];

	buf_add_str(out, "<p><strong>How sure:</strong> ");
	/* Without finals the same words mean less. */
	if (n == 0 && (s->sure == SURE_CLEAR || s->sure == SURE_TIE || s->sure == SURE_UNDECIDED)) {
		buf_print(out, "%s, by the times of the search: no finals were held.</p>\n",
			  sure_print(s, text));
		return;
	}
	switch (s->sure) {
	case SURE_UNKNOWN:
		buf_add_str(out, n > 0 ? "it was the only finalist that passed, and is compared "
					 "with none."
				       : "no finals were held; times of a search are of different "
					 "moments.");
		break;
	case SURE_CLEAR: buf_add_str(out, "all other finalists are slower."); break;
	case SURE_TIE:
		buf_print(out, "%zu of %zu finalists may be the fastest.", s->ties, n);
		write_common(f, true, out);
		break;
	case SURE_UNDECIDED:
		buf_print(out,
			  "%s: %zu of %zu finalists may be the fastest, and another one than the "
			  "chosen by more than 5 %%.",
			  sure_print(s, text), s->ties, n);
		write_common(f, false, out);
		break;
	case SURE_UNRANKED:
		buf_print(out, "%s; times of a search are of different moments.",
			  sure_print(s, text));
		break;
	case SURE_UNUSABLE: buf_add_str(out, "it is slower than its own default; use that."); break;
	}
	if (n > 0)
		write_bits(f, out);
	buf_add_str(out, "</p>\n");
}

/* ---- the plot ---- */

static const char *name_row(const struct forest *f, const struct db_run_final *x)
{
	struct buf text = {0};

	if (find_baseline(f, x) < BASELINES_MAX) {
		buf_add_str(&text, x->implementation);
	} else if (is_default(f, x)) {
		buf_add_str(&text, x->winner ? "default, chosen" : "default");
	} else {
		if (strcmp(x->implementation, f->best->implementation) != 0)
			buf_print(&text, "%s ", x->implementation);
		write_different(f, x->config_key, &text);
	}
	const char *name = page_print(f->run->p, "%s", text.len ? buf_str(&text) : "chosen");

	f->run->p->out->failed |= text.failed;
	buf_fini(&text);
	return name;
}

static const char *describe_row(const struct forest *f, const struct db_run_final *x)
{
	struct page *p = f->run->p;
	char time[NUMBER_TEXT_SIZE], ratio[NUMBER_TEXT_SIZE], low[NUMBER_TEXT_SIZE],
		high[NUMBER_TEXT_SIZE], standing[STANDING_TEXT_SIZE];
	const char *interval =
		isfinite(x->ratio_low) && isfinite(x->ratio_high)
			? page_print(p, " [%s, %s]", number_print(x->ratio_low, 2, low),
				     number_print(x->ratio_high, 2, high))
			: "";

	return page_print(p, "%.300s: %s, %s×%s the chosen one's%s%s", x->config_key,
			  number_print_time(x->median_ns, time), number_print(x->ratio, 2, ratio),
			  interval,
			  x->winner                      ? ", chosen"
			  : x->standing == STANDING_TIED ? ", ties"
			  : x->standing == STANDING_UNDECIDED
				  ? ", undecided"
				  : page_print(p, ", %s",
					       standing_print(x->standing, isfinite(x->ratio_low),
							      x->n_samples, standing)),
			  has_other_bits(f, x) ? ", other bits" : "");
}

static void write_row(const struct forest *f, const struct db_run_final *x)
{
	struct buf *out = f->run->p->out;
	const bool good = x->standing != STANDING_SLOWER && find_baseline(f, x) == BASELINES_MAX;
	char time[NUMBER_TEXT_SIZE];

	buf_print(out, "<tr%s><th scope=\"row\">", good ? " class=\"on\"" : "");
	html_name(out, name_row(f, x), LABEL);
	if (has_other_bits(f, x))
		buf_add_str(out, " <span class=\"mut\">≠</span>");
	buf_add_str(out, "</th><td>");
	ratio_row_print(&f->axis,
			/* All are compared with the winner: its own interval would be a point. */
			&(struct ratio_row){.ratio = x->winner ? 1 : x->ratio,
					    .low = x->winner ? NAN : x->ratio_low,
					    .high = x->winner ? NAN : x->ratio_high,
					    .good = good,
					    .label = describe_row(f, x)},
			out);
	buf_print(out, "</td><td class=\"n\">%s</td></tr>\n",
		  number_print_time(x->median_ns, time));
}

static void write_plot(const struct forest *f)
{
	struct buf *out = f->run->p->out, names = {0};

	buf_add_str(out,
		    "<table class=\"forest\"><caption>Finalists: time as a multiple of the "
		    "chosen one's, with 95 % intervals</caption>\n<thead><tr><th scope=\"col\">");
	write_different(f, NULL, &names);
	html_name(out, names.len ? buf_str(&names) : "configuration", HEADING);
	buf_add_str(out,
		    "</th><th scope=\"col\">multiple</th><th scope=\"col\" class=\"n\">time</th>"
		    "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < f->n; i++)
		write_row(f, f->rows[i]);
	buf_add_str(out, "</tbody>\n<tfoot><tr><td></td><td>");
	ratio_axis_print(&f->axis, out);
	buf_add_str(out, "</td><td></td></tr></tfoot></table>\n");
	if (f->n < f->finals->n)
		buf_print(out, "<p class=\"note\">%zu more finalist%s in the run below.</p>\n",
			  f->finals->n - f->n, f->finals->n - f->n == 1 ? " is" : "s are");
	out->failed |= names.failed;
	buf_fini(&names);
}

/* ---- the samples of the first two ---- */

static void write_key(const struct sample_set sets[2], const char *other, struct buf *out)
{
	buf_print(out,
		  "<p class=\"mut\">Samples, one a round: <span class=\"good\">▲ chosen</span> "
		  "(%zu), "
		  "<span class=\"s1\">▼ ",
		  sets[0].n);
	html_name(out, other, LABEL);
	buf_print(out, "</span> (%zu)</p>", sets[1].n);
}

static void write_ends(const struct sample_range *r, struct buf *out)
{
	char text[NUMBER_TEXT_SIZE];

	buf_print(out, "<p class=\"ends\"><span>%s</span>", number_print_time(r->low, text));
	if (r->beyond)
		buf_print(out, "<span>%zu beyond, up to %s</span>", r->beyond,
			  number_print_time(r->most, text));
	buf_print(out, "<span>%s</span></p>\n", number_print_time(r->high, text));
}

static void write_bars(struct page *p, struct sample_set sets[2], const char *other)
{
	struct sample_range r;
	char low[NUMBER_TEXT_SIZE], high[NUMBER_TEXT_SIZE];

	if (!sample_bars_find(sets, &r))
		return;
	buf_add_str(p->out, "<div class=\"spread\">");
	write_key(sets, other, p->out);
	sample_bars_print(sets, &r,
			  page_print(p, "Samples of the chosen one and of %.60s from %s to %s",
				     other, number_print_time(r.low, low),
				     number_print_time(r.high, high)),
			  p->out);
	write_ends(&r, p->out);
	buf_add_str(p->out, "</div>\n");
}

static enum asc_status write_samples_of(struct page_run *r,
					const struct db_run_final *const pair[2], const char *other,
					struct asc_err *e)
{
	/* The finals that gave the answer, whose rounds both were in. */
	const int64_t run = r->decided.n ? r->kernel->best->final_run_id : r->row->range.run_id;
	struct sample_set sets[2] = {{0}};
	enum asc_status status = ASC_OK;

	for (int k = 0; k < 2 && status == ASC_OK; k++)
		status = db_get_final_samples(r->p->db, run, pair[k]->implementation,
					      pair[k]->config_key, &sets[k].list, &sets[k].n, e);
	if (status == ASC_OK)
		write_bars(r->p, sets, other);
	free(sets[0].list);
	free(sets[1].list);
	return status;
}

enum asc_status page_run_forest(struct page_run *r, struct asc_err *e)
{
	struct forest f = {.run = r, .best = r->kernel->best, .finals = page_run_decided(r)};

	f.ties = page_alloc(r->p, (f.finals->n + 1) * sizeof *f.ties);
	if (!f.ties)
		return asc_err_nomem(e);
	for (size_t i = 0; i < f.finals->n; i++)
		if (standing_may_lead(f.finals->list[i].standing, f.finals->list[i].winner))
			f.ties[f.n_ties++] = f.finals->list[i].config_key;
	for (size_t i = 0; i < r->table.n_implementations; i++)
		if (strcmp(r->table.implementations[i].name, f.best->implementation) == 0)
			f.order = &r->table.implementations[i];
	choose_rows(&f);
	buf_add_str(r->p->out, "<div>");
	if (!f.best->failed) /* its finals chose what no longer passes */
		write_sentence(&f, r->p->out);
	enum asc_status status = ASC_OK;
	if (f.n > 1) {
		write_plot(&f);
		status = write_samples_of(r, f.rows, name_row(&f, f.rows[1]), e);
		status = page_run_forgive(r->p, status, e);
	}
	buf_add_str(r->p->out, "</div>\n");
	return status;
}
