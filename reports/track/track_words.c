/* The part of track_write.h that puts a series into words, the same for each format. */
#include "reports/track/track_write.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "reports/track/track_cause.h"
#include "reports/track/track_groups.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/escape.h"
#include "tuner/base/units.h"
#include "tuner/result/setting.h"
#include "tuner/result/tracked_metric.h"

void track_write_texts(struct buf *out, const char *const *texts)
{
	for (; *texts; texts++)
		columns_add(out, *texts, SIZE_MAX, true);
}

const char *track_print_day(int64_t ms, char text[TRACK_DAY_SIZE])
{
	time_t seconds = (time_t)(ms / 1000);
	struct tm t;

	if (!gmtime_r(&seconds, &t) || strftime(text, TRACK_DAY_SIZE, "%F", &t) == 0)
		*text = 0;
	return text;
}

void track_write_since(const struct track_series *s, size_t index, struct buf *out)
{
	char day[TRACK_DAY_SIZE];

	if (s->points)
		buf_print(out, "%s (run %" PRId64 ")",
			  track_print_day(s->points[index].started_ms, day),
			  s->points[index].run_id);
	else
		buf_print(out, "point %zu of %zu", index + 1, s->n);
}

/* Writes a number without a unit, with enough digits to show three of its difference to another
 * one. */
static void print_plain(double value, double other, struct buf *out)
{
	enum { MOST = 15 };
	double size = fmax(fabs(value), fabs(other)), step = fabs(value - other);
	int whole = size > 0 ? (int)floor(log10(size)) + 1 : 1;
	int digits = 4 + (step > 0 && size > step ? (int)floor(log10(size / step)) : 0);

	if (digits > MOST)
		digits = MOST;
	if (whole > MOST || whole < -3)
		buf_print(out, "%.*g", digits, value);
	else
		buf_print(out, "%.*f", digits > whole ? digits - whole : 0, value);
}

void track_write_value(const struct track_series *s, double value, double other, struct buf *out)
{
	const char *unit = s->tracked ? s->tracked->unit : s->metric ? "ns" : "1";
	char text[UNITS_TEXT_SIZE];

	if (strcmp(unit, "ns") == 0) {
		buf_add_str(out, units_print_duration(value, text));
		return;
	}
	print_plain(value, other, out);
	if (strcmp(unit, "1") != 0)
		buf_print(out, " %s", unit);
}

/* ---- changes ---- */

bool track_ratio_find(const struct track_change *c, struct track_ratio *out)
{
	const bool up = c->pct > 0;
	const double to = 1 + c->pct / 100, low = 1 + c->low_pct / 100,
		     high = 1 + c->high_pct / 100;

	if (!(to >= 2 || to <= 0.5) || !isfinite(to) || to <= 0 || low <= 0)
		return false;
	*out = (struct track_ratio){up ? to : 1 / to, up ? low : 1 / high, up ? high : 1 / low,
				    c->is_time ? (up ? "slower" : "faster")
					       : (up ? "larger" : "smaller")};
	return true;
}

struct track_change track_series_change(const struct track_series *s)
{
	return (struct track_change){s->change_pct, s->low_pct, s->high_pct, !s->tracked};
}

static void write_change(const struct track_change *c, const char *before_interval,
			 const char *behind, struct buf *out)
{
	struct track_ratio r;
	const bool is_ratio = track_ratio_find(c, &r);
	char low[UNITS_TEXT_SIZE], high[UNITS_TEXT_SIZE];

	if (is_ratio)
		buf_print(out, "%.2fx %s", r.ratio, r.word);
	else
		buf_print(out, "%s %%", units_print_signed(c->pct, 1, low));
	if (!isfinite(c->low_pct))
		return;
	buf_add_str(out, before_interval);
	if (is_ratio)
		buf_print(out, "%.2f .. %.2f", r.low, r.high);
	else
		buf_print(out, "%s .. %s", units_print_signed(c->low_pct, 1, low),
			  units_print_signed(c->high_pct, 1, high));
	buf_add_str(out, behind);
}

void track_write_change(const struct track_change *c, struct buf *out)
{
	write_change(c, " (", ")", out);
}

void track_write_change_within(const struct track_change *c, struct buf *out)
{
	buf_add_str(out, " (");
	write_change(c, ", 95 % interval ", "", out);
	buf_add_char(out, ')');
}

void track_write_changed(const struct track_change *c, struct buf *out)
{
	struct track_ratio r;

	buf_add_str(out, track_ratio_find(c, &r) ? "became " : "changed by ");
	track_write_change(c, out);
}

/* ---- the verdict ---- */

bool track_series_has_floor(const struct track_series *s)
{
	return s->floor_pct > 0 && !s->changed &&
	       (s->verdict == TRACK_UNCHANGED || s->verdict == TRACK_SLOWER ||
		s->verdict == TRACK_FASTER);
}

void track_write_floor(const struct track_series *s, struct buf *out)
{
	char text[TRACK_FLOOR_SIZE];

	buf_print(out, "a step under %s would not be seen here",
		  track_print_floor(s->floor_pct, text));
}

const char *track_series_words(const struct track_series *s)
{
	if (s->tracked && s->verdict == TRACK_REGRESSION)
		return "worse";
	if (s->tracked && s->verdict == TRACK_IMPROVEMENT)
		return "better";
	return track_verdict_words(s->verdict);
}

void track_write_drift(const struct track_series *s, struct buf *out)
{
	buf_print(out, "%.1f %% %s over %zu %s, gradually", fabs(s->drift_pct),
		  s->drift_pct > 0 ? "slower" : "faster", s->n, s->points ? "runs" : "points");
}

static void add_state(const struct track_series *s, struct buf *out)
{
	const char *state = track_state_name(track_series_state(s));

	if (*state)
		buf_print(out, " (%s)", state);
}

void track_write_state(const struct track_series *s, struct buf *out)
{
	buf_add_str(out, track_series_words(s));
	add_state(s, out);
}

void track_write_verdict(const struct track_series *s, struct buf *out)
{
	const bool known = s->verdict == TRACK_SLOWER || s->verdict == TRACK_FASTER;

	if (known) {
		buf_add_str(out, s->verdict == TRACK_SLOWER ? "slower since " : "faster since ");
		track_write_since(s, s->index, out);
		track_write_change_within(
			&(struct track_change){s->change_pct, NAN, NAN, !s->tracked}, out);
	} else if (s->verdict == TRACK_DRIFTING) {
		track_write_drift(s, out);
	} else {
		buf_add_str(out, track_series_words(s));
	}
	add_state(s, out);
	if (s->drift_pct != 0 && s->verdict != TRACK_DRIFTING) {
		buf_add_str(out, ", besides ");
		track_write_drift(s, out);
	}
}

/* ---- why ---- */

enum { TEXT_LENGTH = 300 }; /* characters of a text in a file */

void track_write_text(const char *text, const struct escape *escapes, struct buf *out)
{
	if (!escapes)
		columns_add(out, text, SIZE_MAX, true);
	else if (*escape_add(out, text, TEXT_LENGTH, escapes))
		buf_add_str(out, "...");
}

void track_write_control(const struct track_series *s, const struct escape *escapes,
			 struct buf *out)
{
	const struct track_control *c = &s->control;

	buf_add_str(out, "the baseline ");
	track_write_text(s->baseline->implementation, escapes, out);
	buf_add_char(out, ' ');
	track_write_changed(&(struct track_change){c->baseline_pct, NAN, NAN, true}, out);
	buf_print(out, "%s; relative to it, this kernel ",
		  !c->shared                     ? ", so it is not the machine alone"
		  : s->verdict == TRACK_DRIFTING ? " in the same runs"
						 : " in the same night");
	track_write_changed(
		&(struct track_change){c->ratio_pct, c->ratio_low_pct, c->ratio_high_pct, true},
		out);
}

struct reasons {
	struct buf *out;
	const struct escape *escapes;
	size_t from; /* length of `out` before them */
};

static void begin_reason(const struct reasons *r)
{
	buf_add_str(r->out, r->out->len > r->from ? "; " : "");
}

static void add_reason(const struct reasons *r, const char *words, const char *text)
{
	begin_reason(r);
	buf_add_str(r->out, words);
	track_write_text(text, r->escapes, r->out);
}

static void add_setting(struct buf *text, const struct setting *s)
{
	buf_add_str(text, text->len > 0 ? "; " : "");
	buf_add(text, s->name, s->name_len);
}

/* Adds the settings that differ: "BLOCK_N=64, was 192". */
static void add_differences(const struct reasons *r, const char *before, const char *after)
{
	struct buf text = {0};
	struct setting was, is;

	for (const char *at = after; setting_next(&at, &is);) {
		const bool known = setting_find(before, is.name, is.name_len, &was);

		if (known && setting_same_value(&was, &is))
			continue;
		add_setting(&text, &is);
		buf_add_char(&text, '=');
		buf_add(&text, is.value, is.value_len);
		buf_add_str(&text, ", was ");
		buf_add(&text, known ? was.value : "none", known ? was.value_len : 4);
	}
	for (const char *at = before; setting_next(&at, &was);) {
		if (setting_find(after, was.name, was.name_len, &is))
			continue;
		add_setting(&text, &was);
		buf_add_str(&text, "=none, was ");
		buf_add(&text, was.value, was.value_len);
	}
	if (text.len > 0)
		add_reason(r, "", buf_str(&text));
	r->out->failed |= text.failed;
	buf_fini(&text);
}

/* Adds what became of the configuration that won before, and what another one has that differs. */
static void add_winner(const struct reasons *r, const struct track_series *s)
{
	const struct track_old_best *old = &s->old_best;
	char text[UNITS_TEXT_SIZE];

	add_reason(r, track_cause_name(TRACK_CAUSE_CONFIGURATION), "");
	if (old->words)
		buf_print(r->out, ": the old best %s", old->words);
	if (old->ns > 0)
		buf_print(r->out, " %s now", units_print_duration(old->ns, text));
	if (old->reason) {
		buf_add_str(r->out, " (");
		track_write_text(old->reason, r->escapes, r->out);
		buf_add_char(r->out, ')');
	}
	if (s->points && s->changed)
		add_differences(
			r, track_cause_usual(s->points, track_cause_before(s), s->index)->config,
			track_cause_usual(s->points, s->index, s->n)->config);
}

/* True where the explanation says the cause by itself: another configuration won, or in the words
 * of its name. */
static bool says_cause(const struct track_series *s)
{
	const char *name = track_cause_name(s->cause);

	return s->cause == TRACK_CAUSE_CONFIGURATION || (s->cause == TRACK_CAUSE_CODE && s->why) ||
	       (s->cause == TRACK_CAUSE_SLOWER && s->old_best.words) ||
	       (s->why && strncmp(s->why, name, strlen(name)) == 0);
}

/* Adds what explains a change, and what is uncertain of it. `named`: behind the name of its cause.
 */
static void add_why(const struct reasons *r, const struct track_series *s, const char *cause,
		    bool named)
{
	if (named && s->why) {
		buf_add_str(r->out, ": ");
		track_write_text(s->why, r->escapes, r->out);
	} else if (s->why && (!cause || strcmp(s->why, cause) != 0)) {
		add_reason(r, "", s->why);
	}
	if (s->cause == TRACK_CAUSE_CONFIGURATION || s->old_best.words)
		add_winner(r, s);
	if (s->doubt)
		add_reason(r, "", s->doubt);
}

void track_write_why(const struct track_series *s, struct buf *out)
{
	const struct reasons r = {out, NULL, out->len};

	add_why(&r, s, NULL, false);
}

void track_write_reasons(const struct track_series *s, const char *cause,
			 const struct escape *escapes, struct buf *out)
{
	const struct reasons r = {out, escapes, out->len};
	const bool named = !cause && s->cause != TRACK_CAUSE_UNKNOWN && !says_cause(s);

	if (s->ack.reason)
		add_reason(&r, "acknowledged: ", s->ack.reason);
	if (!track_series_is_counted(s))
		add_reason(&r, "baseline of other kernels, not counted", "");
	if (named)
		add_reason(&r, track_cause_name(s->cause), "");
	add_why(&r, s, cause, named);
	if (s->control.known) {
		begin_reason(&r);
		if (s->by_machine && !cause)
			buf_print(out, "%s: ", track_state_name(TRACK_STATE_MACHINE));
		track_write_control(s, escapes, out);
	}
	if (s->again.note)
		add_reason(&r, "", s->again.note);
	if (track_series_has_floor(s)) {
		begin_reason(&r);
		track_write_floor(s, out);
	}
	if (s->faster.config) {
		begin_reason(&r);
		buf_print(out, "search found %.1f %% faster: ", s->faster.pct);
		track_write_text(s->faster.config, escapes, out);
	}
}

bool track_series_has_news(const struct track_series *s)
{
	return s->again.note || s->faster.config;
}

/* ---- many of them ---- */

void track_write_finding(const struct track_entry *list, size_t n, const struct escape *escapes,
			 struct buf *out)
{
	const struct track_series *s = list->series;

	if (list->cause) {
		buf_print(out, "%zu %s, one finding: ", n, s->tracked ? "metrics" : "kernels");
		track_write_text(list->cause, escapes, out);
	} else {
		buf_print(out, "%zu implementations of ", n);
		track_write_text(s->workload, escapes, out);
		buf_add_char(out, '/');
		track_write_text(s->problem, escapes, out);
	}
}

/* Writes how far off the newest points are on one side of their levels, those farthest off first.
 */
static void write_off(const struct track_counts *c, bool below, const char *before, struct buf *out)
{
	const size_t n = c->n_off[below], told = n < TRACK_OFF_MOST ? n : TRACK_OFF_MOST;
	char text[TRACK_OFF_SIZE];

	for (size_t i = 0; i < told; i++)
		buf_print(out, "%s%s",
			  i == 0                       ? before
			  : i + 1 == told && n == told ? " and "
						       : ", ",
			  track_print_off(c->off[below][i], text));
	if (n > told)
		buf_print(out, " and %zu more", n - told);
	if (n > 0)
		buf_print(out, " %s %s level", below ? "below" : "above", n > 1 ? "their" : "its");
}

void track_write_count_notes(const struct track_counts *c, enum track_verdict v, struct buf *out)
{
	if (v == TRACK_UNDECIDED && c->n_off[0] + c->n_off[1] > 0) {
		write_off(c, false, " (newest ", out);
		write_off(c, true, c->n_off[0] ? ", " : " (newest ", out);
		buf_add_char(out, ')');
	}
	if (v == TRACK_UNCHANGED && c->of[v] > 0 && c->most_floor > 0) {
		char least[TRACK_FLOOR_SIZE], most[TRACK_FLOOR_SIZE];

		track_print_floor(c->least_floor, least);
		track_print_floor(c->most_floor, most);
		/* Different floors may read the same. */
		buf_print(out, " (a step under %s%s%s would not be seen)", least,
			  strcmp(least, most) == 0 ? "" : " to ",
			  strcmp(least, most) == 0 ? "" : most);
	}
	if (v == TRACK_REGRESSION && c->reasons < c->of[v])
		buf_print(out, " for %zu reason%s", c->reasons, c->reasons == 1 ? "" : "s");
	if (c->by_machine[v])
		buf_print(out, " (%zu %s)", c->by_machine[v],
			  track_state_name(TRACK_STATE_MACHINE));
}

static void add_count(struct buf *out, const char *separator, size_t n, const char *words)
{
	if (n)
		buf_print(out, "%s%zu %s", separator, n, words);
}

void track_write_counts(const struct track_counts *c, struct buf *out)
{
	const size_t from = out->len, worse = c->metrics[TRACK_REGRESSION];

	for (enum track_verdict v = 0; v < TRACK_VERDICT_COUNT; v++) {
		add_count(out, out->len > from ? ", " : "", c->of[v], track_verdict_words(v));
		track_write_count_notes(c, v, out);
	}
	if (c->n_short)
		buf_print(out, "%s%zu kernel%s fewer than the %d runs needed to judge",
			  out->len > from ? "; " : "", c->n_short,
			  c->n_short == 1 ? " has" : "s have", CHANGEPOINT_POINTS);
	if (out->len == from)
		buf_add_str(out, "no history");
	if (c->acknowledged)
		buf_print(out, " (%zu acknowledged)", c->acknowledged);
	add_count(out, "; ", worse, worse == 1 ? "metric worse" : "metrics worse");
	add_count(out, "; ", c->baselines,
		  c->baselines == 1 ? "baseline not counted" : "baselines not counted");
}
