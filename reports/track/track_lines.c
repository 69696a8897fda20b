/* The part of track_write.h that writes lines and JSON. */
#include "reports/track/track_write.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "reports/track/track_groups.h"
#include "tuner/base/buf.h"
#include "tuner/base/escape.h"
#include "tuner/base/json/json.h"
#include "tuner/result/setting.h"
#include "tuner/result/tracked_metric.h"

static void write_point(struct json_writer *w, const struct changepoint *c)
{
	double base = fabs(c->before);

	json_write_begin(w, NULL, '{');
	json_write_int(w, "index", (int64_t)c->index);
	json_write_real(w, "before", c->before);
	json_write_real(w, "after", c->after);
	json_write_real(w, "change_pct", 100 * (c->after / base - c->before / base));
	json_write_real(w, "low_pct", 100 * (c->low / base));
	json_write_real(w, "high_pct", 100 * (c->high / base));
	json_write_real(w, "p", c->p);
	json_write_end(w, '}');
}

/* ---- lines ---- */

static void print_subject(const char *name, struct buf *out)
{
	const char *quote = escape_line_quote(name);

	track_write_texts(out, (const char *const[]){quote, name, quote, NULL});
}

static void print_point(const struct track_series *s, const struct changepoint *c, int indent,
			struct buf *out)
{
	double base = fabs(c->before);

	buf_print(out, "%*s%s", indent, "", s->points ? "since " : "from ");
	track_write_since(s, c->index, out);
	buf_add_str(out, ": ");
	track_write_value(s, c->after, c->before, out);
	buf_add_str(out, ", was ");
	track_write_value(s, c->before, c->after, out);
	if (base > 0)
		track_write_change_within(
			&(struct track_change){100 * (c->after / base - c->before / base),
					       100 * (c->low / base), 100 * (c->high / base),
					       !s->tracked},
			out);
	if (isnan(c->p))
		buf_add_str(out, ", in the same rounds\n");
	else
		buf_print(out, ", p = %.2g\n", c->p);
}

/* Writes why a series has its verdict, without a `cause` that was written before. */
static void print_reasons(const struct track_series *s, const char *cause, int indent,
			  struct buf *out)
{
	struct buf why = {0}, drift = {0};
	const bool drifting = s->verdict == TRACK_DRIFTING;
	const struct buf *first = drifting ? &drift : &why, *second = drifting ? &why : &drift;

	track_write_reasons(s, cause, NULL, &why);
	if (s->drift_pct != 0)
		track_write_drift(s, &drift);
	if (why.len > 0 || drift.len > 0)
		buf_print(out, "%*s%s%s%s\n", indent, "", buf_str(first),
			  why.len > 0 && drift.len > 0 ? "; " : "", buf_str(second));
	out->failed |= why.failed || drift.failed;
	buf_fini(&why);
	buf_fini(&drift);
}

static void print_series(const struct track_series *s, const char *cause, int indent,
			 struct buf *out)
{
	const enum track_state state = track_series_state(s);
	const bool explained = state == TRACK_STATE_ACKNOWLEDGED || state == TRACK_STATE_MACHINE;
	const bool again = state == TRACK_STATE_CONFIRMED || state == TRACK_STATE_NOT_REPRODUCED;

	print_subject(s->name, out);
	buf_print(out, "  %zu %s%s%s%s%s\n", s->n, s->points ? "run" : "point",
		  s->n == 1 ? "" : "s", explained || state == TRACK_STATE_NONE ? "" : ", ",
		  explained ? "" : track_state_name(state), again ? " when measured again" : "");
	print_reasons(s, cause, indent, out);
	for (size_t i = 0; i < s->found.n && s->verdict != TRACK_BROKEN; i++)
		print_point(s, &s->found.list[i], indent, out);
}

void track_write_line(const struct track_series *s, struct buf *out)
{
	buf_print(out, "%-*s  ", TRACK_HANG - 2, track_series_words(s));
	print_series(s, NULL, TRACK_HANG, out);
}

static void write_group(const struct track_entry *list, size_t n, struct buf *out)
{
	buf_print(out, "%-*s  ", TRACK_HANG - 2, track_series_words(list->series));
	track_write_finding(list, n, NULL, out);
	buf_add_char(out, '\n');
	for (size_t i = 0; i < n; i++) {
		buf_print(out, "%*s", TRACK_HANG, "");
		print_series(list[i].series, list->cause, TRACK_HANG + 2, out);
	}
}

void track_write_lines(const struct track_groups *g, bool all, struct buf *out)
{
	struct buf lines = {0};
	size_t left = 0;

	for (size_t i = 0, n; i < g->n; i += n) {
		const struct track_entry *x = &g->list[i];

		n = track_groups_size(g, i);
		if (n > 1)
			write_group(x, n, &lines);
		else if (all || x->listed || track_series_has_news(x->series))
			track_write_line(x->series, &lines);
		else
			left++;
	}
	track_write_counts(&g->counts, out);
	buf_print(out, "%s\n%s", left ? " (--all lists them)" : "", buf_str(&lines));
	out->failed |= lines.failed;
	buf_fini(&lines);
}

/* ---- JSON ---- */

static void write_control(struct json_writer *w, const struct track_series *s)
{
	const struct track_control *c = &s->control;

	if (s->baseline)
		json_write_string(w, "baseline", s->baseline->implementation);
	if (s->is_baseline)
		json_write_bool(w, "is_baseline", true);
	if (!c->known)
		return;
	json_write_begin(w, "control", '{');
	json_write_real(w, "baseline_pct", c->baseline_pct);
	json_write_real(w, "ratio_pct", c->ratio_pct);
	json_write_real(w, "low_pct", c->ratio_low_pct);
	json_write_real(w, "high_pct", c->ratio_high_pct);
	json_write_bool(w, "shared", c->shared);
	json_write_end(w, '}');
}

/* Writes what explains a verdict, and what is uncertain of it. */
static void write_why(struct json_writer *w, const struct track_series *s)
{
	struct buf why = {0};

	track_write_why(s, &why);
	if (why.len > 0)
		json_write_string(w, "why", buf_str(&why));
	w->out->failed |= why.failed;
	buf_fini(&why);
}

void track_write_json(const struct track_entry *x, struct buf *out)
{
	const struct track_series *s = x->series;
	const struct {
		const char *key, *value;
	} who[] = {{"device", s->device},   {"workload", s->workload},
		   {"problem", s->problem}, {"implementation", s->implementation},
		   {"cache", s->cache},     {"metric", s->metric}};
	const char *state = track_state_name(track_series_state(s));
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "series", s->name);
	for (size_t i = 0; i < sizeof who / sizeof *who; i++)
		if (who[i].value)
			json_write_string(&w, who[i].key, who[i].value);
	if (s->tracked)
		json_write_string(&w, "unit", s->tracked->unit);
	json_write_int(&w, "points", (int64_t)s->n);
	json_write_string(&w, "verdict", track_verdict_name(s->verdict));
	if (*state)
		json_write_string(&w, "state", state);
	json_write_bool(&w, "fails", track_series_fails(s));
	if (x->finding)
		json_write_int(&w, "finding", (int64_t)x->finding);
	if (s->changed)
		json_write_string(&w, "cause", track_cause_name(s->cause));
	write_why(&w, s);
	if (s->again.note)
		json_write_string(&w, "remeasured", s->again.note);
	if (s->faster.config) {
		json_write_begin(&w, "search_found", '{');
		setting_write_config(s->faster.config, &w);
		json_write_real(&w, "faster_pct", s->faster.pct);
		json_write_end(&w, '}');
	}
	if (s->ack.reason)
		json_write_string(&w, "acknowledged", s->ack.reason);
	write_control(&w, s);
	json_write_begin(&w, "change_points", '[');
	for (size_t i = 0; i < s->found.n; i++)
		write_point(&w, &s->found.list[i]);
	json_write_end(&w, ']');
	json_write_real(&w, "drift", s->found.drift);
	if (s->drift_pct != 0)
		json_write_real(&w, "drift_pct", s->drift_pct);
	json_write_real(&w, "spread", s->found.spread);
	if (s->floor_pct > 0)
		json_write_real(&w, "floor_pct", s->floor_pct);
	if (s->newest.off_pct != 0)
		json_write_real(&w, "newest_off_pct", s->newest.off_pct);
	json_write_end(&w, '}');
}
