#include "tuner/cmd/answers/answer_row.h"

#include <math.h>
#include <stdio.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/result/baselines.h"

static const double WIDE_PCT = 10; /* a wider interval ranks nothing */

double answer_row_width_pct(double median, double low, double high, double q1, double q3)
{
	const double width = isnan(low) || isnan(high) ? q3 - q1 : high - low;

	return median > 0 ? 50 * width / median : 0;
}

enum ink answer_row_ink(enum sure sure)
{
	if (sure == SURE_UNUSABLE)
		return INK_BAD;
	return sure == SURE_UNDECIDED || sure == SURE_UNRANKED ? INK_WARN : INK_GOOD;
}

void answer_row_set_baselines(struct answer_row *r, const struct baselines *b)
{
	size_t len = 0;

	*r->to_baselines = '\0';
	r->slower = false;
	for (size_t i = 0; i < b->n; i++) {
		const struct baseline_time *t = &b->list[i];

		if (!(t->ratio > 0) || len >= sizeof r->to_baselines)
			continue;
		/* Names are as short as the workload's checks have them. */
		len += (size_t)snprintf(r->to_baselines + len, sizeof r->to_baselines - len,
					"%s%.2fx%s%.64s", len ? "  " : "", t->ratio,
					b->n > 1 ? " " : "", b->n > 1 ? t->name : "");
		r->slower |= t->ratio < 0.995;
	}
}

struct answer_row answer_row_of(const struct best_row *b)
{
	struct answer_row r = {.median_ns = b->median_ns,
			       .width_pct = answer_row_width_pct(b->median_ns, b->low_ns,
								 b->high_ns, b->q1_ns, b->q3_ns),
			       .to_default = b->vs_default,
			       .part_pct = 100 * b->attainable_part,
			       .part_note = b->attainable_note,
			       .sure = {sure_parse(b->sure), (size_t)b->n_ties, b->noise_pct}};

	answer_row_set_baselines(&r, &b->baselines);
	return r;
}

void answer_row_begin(struct table *t)
{
	table_init(t, "KERNEL|>MEDIAN|>±|>DEFAULT|>BASELINE|>ATTAINS|HOW SURE");
}

static void add_ratio(struct table *t, double ratio)
{
	if (ratio > 0)
		table_add_inked(t, ratio < 0.995 ? INK_BAD : INK_PLAIN, "%.2fx", ratio);
	else
		table_add(t, "%s", "");
}

static void add_time(struct table *t, const struct answer_row *r)
{
	char text[UNITS_TEXT_SIZE];

	if (!(r->median_ns > 0)) {
		table_add(t, "%s", "");
		table_add(t, "%s", "");
		return;
	}
	table_add(t, "%s", units_print_duration(r->median_ns, text));
	if (isnan(r->width_pct)) {
		table_add(t, "%s", "");
		return;
	}
	table_add_inked(t, r->width_pct > WIDE_PCT ? INK_WARN : INK_PLAIN, "%.*f %%",
			r->width_pct < 9.95, r->width_pct);
}

void answer_row_add(struct table *t, const char *title, const struct answer_row *r)
{
	const enum ink ink = answer_row_ink(r->sure.sure);
	char text[SURE_TEXT_SIZE];

	table_add_inked(t, INK_STRONG, "%s", title);
	add_time(t, r);
	add_ratio(t, r->to_default);
	table_add_inked(t, r->slower ? INK_BAD : INK_PLAIN, "%s", r->to_baselines);
	if (r->part_pct > 0)
		table_add(t, r->part_note ? "%.0f %% (%s)" : "%.0f %%", r->part_pct, r->part_note);
	else
		table_add(t, "%s", "");
	table_add_inked(t, ink == INK_GOOD ? INK_PLAIN : ink, "%s",
			sure_print_short(&r->sure, text));
}

void answer_row_add_energy(const struct objective_answer *a, struct buf *text)
{
	const struct objective_figure *j = &a->joules;
	char joules[UNITS_TEXT_SIZE];

	buf_add_str(text, units_print(j->value, "J", 3, joules));
	if (j->high > j->low)
		buf_print(text, " ±%.1f %%", 50 * (j->high - j->low) / j->value);
	buf_print(text, ", of %zu measured", a->measured);
}

void answer_row_write_energy(const struct objective_answer *a, struct json_writer *w)
{
	if (a->objective == OBJECTIVE_TIME)
		return;
	json_write_string(w, "objective", objective_name(a->objective));
	json_write_real(w, "energy_j", a->joules.value);
	json_write_real(w, "energy_low_j", a->joules.low);
	json_write_real(w, "energy_high_j", a->joules.high);
	json_write_int(w, "energies", (int64_t)a->measured);
}
