/* The part of track_write.h that writes lines and JSON: one for each series. */
#include "reports/track/track_write.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "reports/track/track_history.h"
#include "reports/track/track_series.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json.h"
#include "tuner/base/units.h"
#include "tuner/results/tracked_metric.h"

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

void track_write_texts(struct buf *out, const char *const *texts)
{
	for (; *texts; texts++)
		columns_add(out, *texts, SIZE_MAX, true);
}

/* Quotes the text at the beginning of a line unless it begins as a name does: runners of CI systems
 * take "::" there, with or without space before it, for a command. */
static void print_subject(const char *name, struct buf *out)
{
	const char *quote = isalnum((unsigned char)*name) || strchr("/._~", *name) ? "" : "\"";

	track_write_texts(out, (const char *const[]){quote, name, quote, NULL});
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

static void print_point(const struct track_series *s, const struct changepoint *c, struct buf *out)
{
	double base = fabs(c->before);

	buf_print(out, "%*s%s", TRACK_HANG, "", s->points ? "since " : "from ");
	track_write_since(s, c->index, out);
	buf_add_str(out, ": ");
	track_write_value(s, c->after, c->before, out);
	buf_add_str(out, ", was ");
	track_write_value(s, c->before, c->after, out);
	if (base > 0)
		buf_print(out, " (%+.1f %%, 95 %% interval %+.1f .. %+.1f)",
			  100 * (c->after / base - c->before / base), 100 * (c->low / base),
			  100 * (c->high / base));
	buf_print(out, ", p = %.2g\n", c->p);
}

void track_write_verdict(const struct track_series *s, struct buf *out)
{
	const char *state = track_state_name(track_series_state(s));

	const bool known = s->verdict == TRACK_SLOWER || s->verdict == TRACK_FASTER;

	if (known) {
		buf_add_str(out, s->verdict == TRACK_SLOWER ? "slower since " : "faster since ");
		track_write_since(s, s->index, out);
		buf_print(out, " (%+.1f %%)", s->change_pct);
	} else if (s->verdict != TRACK_DRIFTING) {
		buf_add_str(out, track_verdict_words(s->verdict));
	}
	if (*state)
		buf_print(out, " (%s)", state);
	if (s->drift_pct != 0)
		buf_print(out, "%sdrifts %+.1f %% in %zu %s%s",
			  s->verdict == TRACK_DRIFTING ? "" : ", ", s->drift_pct, s->n,
			  s->points ? "nights" : "points", s->found.n == 0 ? ", no step" : "");
}

/* Adds a clause to the explanation of a series. */
static void add_clause(struct buf *out, const char *a, const char *b)
{
	track_write_texts(out, (const char *const[]){out->len ? "; " : "", a, b, NULL});
}

static void print_explanation(const struct track_series *s, struct buf *out)
{
	const char *state = track_state_name(track_series_state(s));
	const bool known = s->changed && s->cause != TRACK_CAUSE_UNKNOWN;

	if (s->acknowledged)
		add_clause(out, "acknowledged: ", s->acknowledged);
	else if (*state)
		add_clause(out, state, "");
	if (known)
		add_clause(out, track_cause_name(s->cause), "");
	if (known && s->why)
		track_write_texts(out, (const char *const[]){": ", s->why, NULL});
	else if (s->why)
		add_clause(out, s->why, "");
	if (s->remeasured)
		add_clause(out, s->remeasured, "");
	if (s->drift_pct != 0)
		buf_print(out, "%sdrifts %+.1f %% in %zu %s%s", out->len ? "; " : "", s->drift_pct,
			  s->n, s->points ? "nights" : "points",
			  s->found.n == 0 ? ", no step" : "");
}

void track_write_line(const struct track_series *s, struct buf *out)
{
	struct buf why = {0};

	buf_print(out, "%-*s  ", TRACK_HANG - 2, track_verdict_words(s->verdict));
	print_subject(s->name, out);
	buf_print(out, "  %zu %s%s\n", s->n, s->points ? "night" : "point", s->n == 1 ? "" : "s");
	print_explanation(s, &why);
	if (why.len > 0)
		buf_print(out, "%*s%s\n", TRACK_HANG, "", buf_str(&why));
	out->failed |= why.failed;
	buf_fini(&why);
	for (size_t i = 0; i < s->found.n; i++)
		print_point(s, &s->found.list[i], out);
}

/* ---- JSON ---- */

void track_write_json(const struct track_series *s, struct buf *out)
{
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
	if (s->changed)
		json_write_string(&w, "cause", track_cause_name(s->cause));
	if (s->why)
		json_write_string(&w, "why", s->why);
	if (s->remeasured)
		json_write_string(&w, "remeasured", s->remeasured);
	if (s->acknowledged)
		json_write_string(&w, "acknowledged", s->acknowledged);
	json_write_begin(&w, "change_points", '[');
	for (size_t i = 0; i < s->found.n; i++)
		write_point(&w, &s->found.list[i]);
	json_write_end(&w, ']');
	json_write_real(&w, "drift", s->found.drift);
	if (s->drift_pct != 0)
		json_write_real(&w, "drift_pct", s->drift_pct);
	json_write_real(&w, "spread", s->found.spread);
	json_write_end(&w, '}');
}
