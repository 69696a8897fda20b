#include "tuner/cmd/profile/profile_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/units.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/terminal/prose.h"

enum {
	LINES = 16,
	COLUMNS = 78, /* of a row: no terminal of 80 breaks it */
	NAME = 11,    /* columns before the figures of a row */
	PAIRS = 512   /* figures that two profiles may have */
};

/* Part of disturbed launches from which times are to be read with care: medians leave out less. */
static const double DISTURBED = 0.2;

/* ---- the label ---- */

/* Ink of a label: good for a launch that uses what the device has, a warning for one that could be
 * faster. */
static enum ink find_ink(enum label label)
{
	switch (label) {
	case LABEL_MEMORY:
	case LABEL_CACHE:
	case LABEL_TENSOR:
	case LABEL_ARITHMETIC: return INK_GOOD;
	case LABEL_UNKNOWN: return INK_PLAIN;
	default: return INK_WARN;
	}
}

void profile_text_add_label(const struct profile *p, struct buf *out)
{
	buf_add_str(out, label_name(p->label));
	if (p->basis == LABEL_BASIS_TIME && p->label != LABEL_UNKNOWN)
		buf_add_str(out, " (without counters)");
	buf_add_str(out, ": ");
	profile_add_sentence(p, out);
	if (p->left >= 1.005)
		buf_print(out, "; %.2fx is left at most", p->left);
}

/* ---- rows ---- */

/* Rows on their way, a line each. */
struct rows {
	struct buf lines[LINES];
	size_t n;
};

/* Begins a row; beyond the last one there is none, and what is added goes with the last. */
static struct buf *begin_row(struct rows *r, const char *name)
{
	struct buf *out = &r->lines[r->n < LINES ? r->n++ : LINES - 1];

	buf_clear(out);
	buf_print(out, "  %-*s", NAME - 2, name);
	return out;
}

static void fini_rows(struct rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		buf_fini(&r->lines[i]);
}

static bool is_shown(const struct profile_share *s)
{
	return s->value >= 0.5; /* it rounds to 1 % at least */
}

/* Adds a row of the shares in percent that are shown, as many as it has room for; `others`: and
 * what is left of all. */
static void add_shares(const struct profile_shares *s, const char *name, bool others,
		       struct rows *r)
{
	const size_t end = others ? COLUMNS - sizeof "others 100 %" : COLUMNS;
	const char *separator = "";
	double left = 100;
	size_t shown = 0;

	for (size_t i = 0; i < s->n; i++)
		shown += is_shown(&s->list[i]);
	if (shown == 0)
		return;
	struct buf *out = begin_row(r, name);

	for (size_t i = 0; i < s->n; i++) {
		char *entry =
			str_print("%s%s %.0f %%", separator, s->list[i].name, s->list[i].value);

		out->failed |= !entry;
		if (entry && is_shown(&s->list[i]) &&
		    columns_count(buf_str(out)) + columns_count(entry) <= end) {
			buf_add_str(out, entry);
			left -= s->list[i].value;
			separator = "  ";
		}
		free(entry);
	}
	if (others && left >= 0.5)
		buf_print(out, "%sothers %.0f %%", separator, left);
}

/* The bytes of each level: what the next one holds is not asked for farther away. */
static void add_levels(const struct profile_view *v, struct rows *r)
{
	char bytes[UNITS_TEXT_SIZE], rate[UNITS_TEXT_SIZE], peak[UNITS_TEXT_SIZE];

	if (v->n_levels == 0)
		return;
	buf_print(begin_row(r, ""), "%9s %11s  %-18s %5s", "bytes", "rate", "of the peak", "hit");
	for (size_t i = 0; i < v->n_levels; i++) {
		const struct profile_level *l = &v->levels[i];
		struct buf *out = begin_row(r, l->name);

		buf_print(out, "%9s %11s",
			  isfinite(l->bytes) ? units_print(l->bytes, "B", 3, bytes) : "",
			  isfinite(l->rate) ? units_print(l->rate, "B/s", 3, rate) : "");
		if (isfinite(l->part))
			buf_print(out, " %3.0f %% of %-11s", 100 * l->part,
				  units_print(l->peak, "B/s", 3, peak));
		else
			buf_print(out, " %20s", "");
		if (isfinite(l->hit_pct))
			buf_print(out, " %3.0f %%", l->hit_pct);
		if (l->label == LABEL_MEMORY && isfinite(v->bytes_needed))
			buf_print(out, "%*s%.2fx the need", isfinite(l->hit_pct) ? 2 : 8, "",
				  v->bytes_needed);
	}
}

/* How many run at a time, and how evenly. */
static void add_warps(const struct profile_view *v, struct rows *r)
{
	if (isfinite(v->warps)) {
		struct buf *out = begin_row(r, "warps");

		buf_print(out, "%.0f", v->warps);
		if (isfinite(v->most_warps))
			buf_print(out, " of %.0f", v->most_warps);
		if (isfinite(v->uneven))
			buf_print(out, "; multiprocessors uneven by %.0f %%",
				  100 * (v->uneven - 1));
	}
	if (isfinite(v->threads) || v->counts.n > 0) {
		struct buf *out = begin_row(r, "threads");
		const char *separator = "";

		if (isfinite(v->threads)) {
			buf_print(out, "%.0f", v->threads);
			separator = ", ";
		}
		if (v->threads > 1 && isfinite(v->uneven)) {
			buf_print(out, "%suneven by %.0f %%", separator, 100 * (v->uneven - 1));
			separator = ", ";
		}
		for (size_t i = 0; i < v->counts.n && columns_count(buf_str(out)) < COLUMNS - 20;
		     i++) {
			const double value = v->counts.list[i].value;

			/* Three digits, and large ones in full but below what counters reach. */
			if (value >= 1000 && value < 1e6)
				buf_print(out, "%s%s %.0f", separator, v->counts.list[i].name,
					  value);
			else
				buf_print(out, "%s%s %.3g", separator, v->counts.list[i].name,
					  value);
			separator = ", ";
		}
	}
}

static void add_code(const struct profile_view *v, struct rows *r)
{
	const char *separator = "";

	if (!isfinite(v->registers) && v->loop.n == 0)
		return;
	struct buf *out = begin_row(r, "code");

	if (isfinite(v->registers)) {
		buf_print(out, "%.0f registers", v->registers);
		separator = "; ";
		if (isfinite(v->spills))
			buf_print(out, ", %.0f spills", v->spills);
	}
	if (v->width_bits > 0) {
		buf_print(out, "%sloops %.0f bits wide", separator, v->width_bits);
		separator = "; ";
	}
	if (v->loop.n > 0)
		buf_print(out, "%sinner loop %.0f:", separator, v->loop_instructions);
	for (size_t i = 0; i < v->loop.n; i++) {
		char *entry = str_print(" %.0f %s", v->loop.list[i].value, v->loop.list[i].name);

		out->failed |= !entry;
		if (entry && columns_count(buf_str(out)) + columns_count(entry) <= COLUMNS)
			buf_add_str(out, entry);
		free(entry);
	}
}

static void add_energy(const struct profile_view *v, struct rows *r)
{
	char text[UNITS_TEXT_SIZE];

	if (!isfinite(v->energy_j))
		return;
	struct buf *out = begin_row(r, "energy");

	buf_add_str(out, units_print(v->energy_j, "J", 3, text));
	if (isfinite(v->low_j) && isfinite(v->high_j) && v->energy_j > 0)
		buf_print(out, " ±%.1f %%", 50 * (v->high_j - v->low_j) / v->energy_j);
	if (isfinite(v->above_idle_j))
		buf_print(out, ", %s above idle", units_print(v->above_idle_j, "J", 3, text));
	if (isfinite(v->watts))
		buf_print(out, "; %.0f W", v->watts);
}

/* The experiments, which a label rests on where there are no counters. */
static void add_tried(const struct profile *p, const struct profile_view *v, struct rows *r)
{
	if (p->basis == LABEL_BASIS_COUNTERS || (!isfinite(v->hot) && !isfinite(v->half)))
		return;
	struct buf *out = begin_row(r, "tried");

	if (isfinite(v->hot))
		buf_print(out, "hot caches take %.2fx the time", 1 / v->hot);
	if (isfinite(v->half))
		buf_print(out, "%shalf the %s at a time %.2fx", isfinite(v->hot) ? ", " : "",
			  isfinite(v->threads) ? "threads" : "warps", v->half);
}

static void add_passes(const struct profile *p, const struct profile_view *v, struct rows *r)
{
	char time[UNITS_TEXT_SIZE];

	if (p->passes == 0)
		return;
	struct buf *out = begin_row(r, "counted");

	if (*p->set)
		buf_print(out, "set %s ", p->set);
	buf_print(out, "in %" PRId64 " pass%s", p->passes, p->passes == 1 ? "" : "es");
	if (p->spent_ns > 0)
		buf_print(out, ", %s", units_print_duration((double)p->spent_ns, time));
	if (p->clock_mhz > 0)
		buf_print(out, " at %.0f MHz", p->clock_mhz);
	if (*p->cache)
		buf_print(out, ", caches %s", p->cache);
	if (v->kernels > 1)
		buf_print(out, "; sums over %d kernels", v->kernels);
}

/* The name of a figure in a sentence. */
static const char *name_of(const char *reading)
{
	static const struct {
		const char *reading, *name;
	} names[] = {{"half_ns", "half the threads or warps at a time"}, {"hot_ns", "hot caches"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i].reading, reading) == 0)
			return names[i].name;
	return reading;
}

/* Metrics that could not be read, each reason once. */
static void add_missing(const struct profile *p, const struct profile_view *v, struct buf *out)
{
	const char *separator = "  ";

	if (p->failure) {
		buf_print(out, "%scounting ended: %s", separator, p->failure);
		separator = "; ";
	}
	for (size_t i = 0; i < v->n_reasons; i++) {
		const struct profile_reason *r = &v->reasons[i];

		if (r->n > 1)
			buf_print(out, "%s%s (%zu metrics)", separator, r->reason, r->n);
		else
			buf_print(out, "%s%s: %s", separator, name_of(r->first), r->reason);
		separator = "; ";
	}
}

static const char *print_figure(const struct metric *m, char text[UNITS_TEXT_SIZE])
{
	if (strcmp(m->unit, "ns") == 0)
		return units_print_duration(m->value, text);
	if (strcmp(m->unit, "1") != 0)
		return units_print(m->value, m->unit, 3, text);
	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g", m->value);
	return text;
}

/* Metrics that have no row of their own, such as those of a user's file. */
static void add_figures(const struct profile_view *v, struct rows *r)
{
	char text[UNITS_TEXT_SIZE];
	struct buf *out = NULL;

	for (size_t i = 0; i < v->n_figures; i++) {
		char *entry =
			str_print("%s %s", v->figures[i]->name, print_figure(v->figures[i], text));
		const bool fits = out && entry &&
				  columns_count(buf_str(out)) + columns_count(entry) + 2 <= COLUMNS;

		if (!fits && r->n == LINES) {
			free(entry);
			return;
		}
		if (fits)
			buf_add_str(out, ", ");
		else
			out = begin_row(r, out ? "" : "figures");
		buf_add_str(out, entry ? entry : "");
		out->failed |= !entry;
		free(entry);
	}
}

/* ---- one profile ---- */

static void print_heading(struct prose *to, const struct profile_heading *h)
{
	const double pct = answer_row_width_pct(h->time_ns, h->low_ns, h->high_ns, NAN, NAN);
	char text[UNITS_TEXT_SIZE];

	prose_put(to, INK_STRONG, "%s/%s", h->workload, h->problem);
	if (h->time_ns > 0) {
		prose_put(to, INK_PLAIN, "  %s", units_print_duration(h->time_ns, text));
		if (isfinite(pct))
			prose_put(to, INK_PLAIN, " ±%.*f %%", pct < 9.95, pct);
	}
	if (h->vs_default > 0)
		prose_put(to, INK_PLAIN, "  %.2fx default", h->vs_default);
	prose_end(to, 2);
	prose_put(to, INK_PLAIN, "  %s  ", h->implementation);
	prose_put_config(to, h->config, NULL);
	prose_end(to, 4);
}

static void print_label(struct prose *to, const struct profile *p)
{
	struct buf text = {0};

	profile_text_add_label(p, &text);
	prose_put(to, find_ink(p->label), "  %s", buf_str(&text));
	to->text.failed |= text.failed;
	prose_end(to, 4);
	buf_fini(&text);
}

static void print_next(struct prose *to, const char *command)
{
	prose_put(to, INK_PLAIN, "next: ");
	prose_put(to, INK_COMMAND, "%s", command);
	prose_end_command(to, 2);
}

/* Most lines of a paragraph that is broken at words of up to 20 columns. */
static size_t lines_of(const char *text)
{
	return columns_count(text) > COLUMNS ? columns_count(text) / (COLUMNS - 20) + 1
					     : *text != 0;
}

void profile_text_print(struct prose *to, const struct profile_heading *h, const struct profile *p)
{
	struct rows rows = {.n = 0};
	struct buf missing = {0}, cut = {0};
	const size_t begin = to->lines;
	struct profile_view v;

	profile_view_of(p, &v);
	if (h)
		print_heading(to, h);
	print_label(to, p);
	if (v.disturbed > DISTURBED) {
		prose_put(to, INK_WARN, "  ! other work disturbed %.0f %% of these launches",
			  100 * v.disturbed);
		prose_end(to, 4);
	}
	add_tried(p, &v, &rows);
	add_levels(&v, &rows);
	add_shares(&v.units, "units", false, &rows);
	add_warps(&v, &rows);
	add_shares(&v.stalls, "stalls", true, &rows);
	add_code(&v, &rows);
	add_energy(&v, &rows);
	add_passes(p, &v, &rows);
	add_missing(p, &v, &missing);
	const size_t next = h && h->next ? lines_of(h->next) : 0;
	const size_t left = LINES - (to->lines - begin) - next;
	/* What is said of figures that are not there has two lines, more where rows leave them;
	 * rows have the rest, those that are read first before the others. Words may leave a
	 * quarter of a line empty. */
	const size_t lines = left > rows.n + 2 ? left - rows.n : 2;

	columns_add(&cut, buf_str(&missing), lines * (COLUMNS - 20), true);
	/* What these sets have that tells most has a row. */
	if (strcmp(p->set, "levels") != 0 && strcmp(p->set, "default") != 0)
		add_figures(&v, &rows);
	const size_t used = to->lines - begin + next + lines_of(buf_str(&cut));

	for (size_t i = 0; i < rows.n && used + i < LINES; i++) {
		to->text.failed |= rows.lines[i].failed;
		prose_put(to, INK_PLAIN, "%s", buf_str(&rows.lines[i]));
		prose_end(to, NAME);
	}
	to->text.failed |= missing.failed || cut.failed;
	if (cut.len > 0) {
		prose_put(to, INK_DIM, "%s", buf_str(&cut));
		prose_end(to, 4);
	}
	if (next > 0)
		print_next(to, h->next);
	buf_fini(&missing);
	buf_fini(&cut);
	fini_rows(&rows);
}

/* ---- two profiles ---- */

/* One row of the table: a name, two figures and their ratio. */
static void print_pair(struct prose *to, enum ink ink, const char *name, const char *own,
		       const char *other, double ratio, const char *word)
{
	prose_put(to, ink, "  %-26.26s %12.12s %12.12s %8.2fx%s%s", name, own, other, ratio,
		  *word ? "  " : "", word);
	prose_end(to, 4);
}

static void print_side(struct prose *to, const char *side, const struct profile_heading *h,
		       const struct profile *p, const struct profile_heading *other)
{
	prose_put(to, INK_PLAIN, "  %s  %s  ", side, h->implementation);
	prose_put_config(to, h->config, other->config);
	prose_end(to, 4);
	print_label(to, p);
}

void profile_text_print_beside(struct prose *to, const struct profile_heading *h,
			       const struct profile *p, const struct profile_heading *other_h,
			       const struct profile *other)
{
	const double ratio = other_h->time_ns / h->time_ns;
	struct profile_pair pairs[PAIRS];
	const size_t begin = to->lines;
	char own[UNITS_TEXT_SIZE], others[UNITS_TEXT_SIZE];
	size_t equal, shown = 0;
	const size_t n = profile_compare(other, p, ratio, pairs, PAIRS, &equal);

	prose_put(to, INK_STRONG, "%s/%s", h->workload, h->problem);
	prose_end(to, 2);
	print_side(to, "this ", h, p, other_h);
	print_side(to, "other", other_h, other, h);
	prose_put(to, INK_DIM, "  %-26s %12s %12s %9s", "", "this", "other", "ratio");
	prose_end(to, 4);
	print_pair(to, INK_PLAIN, "time", units_print_duration(h->time_ns, own),
		   units_print_duration(other_h->time_ns, others), ratio, "");
	const size_t next = h->next ? lines_of(h->next) : 0;

	for (; shown < n && to->lines - begin + next + 1 < LINES; shown++) {
		const struct profile_pair *i = &pairs[shown];

		print_pair(to, i->explains ? INK_STRONG : INK_PLAIN, i->of->name,
			   print_figure(i->than, own), print_figure(i->of, others), i->ratio,
			   i->explains ? "with the time" : "");
	}
	prose_put(to, INK_DIM, "  %zu more differ, %zu are equal within 1 %%", n - shown, equal);
	prose_end(to, 4);
	if (next > 0)
		print_next(to, h->next);
}
