/* The part of track_write.h that writes lines: one for each series, one for each turn. */
#include "reports/track/track_write.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_series.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json.h"
#include "tuner/model/figure.h"

static void write_point(struct json_writer *w, const struct changepoint *c)
{
	double base = fabs(c->before) / 100;

	json_write_begin(w, NULL, '{');
	json_write_int(w, "index", (int64_t)c->index);
	json_write_real(w, "before", c->before);
	json_write_real(w, "after", c->after);
	json_write_real(w, "change_pct", (c->after - c->before) / base);
	json_write_real(w, "low_pct", c->low / base);
	json_write_real(w, "high_pct", c->high / base);
	json_write_real(w, "p", c->p);
	json_write_end(w, '}');
}

/* ---- lines ---- */

void track_write_texts(struct buf *out, const char *const *texts)
{
	for (; *texts; texts++)
		columns_add(out, *texts, SIZE_MAX, true);
}

/* What stands at the beginning of a line is in quotes unless it begins as a name does: runners of
 * CI systems take "::" there, with or without space before it, for a command. */
static void print_subject(const char *name, struct buf *out)
{
	const char *quote = isalnum((unsigned char)*name) || strchr("/._~", *name) ? "" : "\"";

	track_write_texts(out, (const char *const[]){quote, name, quote, NULL});
}

static void print_point(const struct changepoint *c, struct buf *out)
{
	double base = c->before < 0 ? -c->before / 100 : c->before / 100;

	buf_print(out, "  from point %zu: %.6g, was %.6g", c->index, c->after, c->before);
	if (base > 0)
		buf_print(out, " (%+.1f %%, 95 %% interval %+.1f .. %+.1f)",
			  (c->after - c->before) / base, c->low / base, c->high / base);
	buf_print(out, ", p = %.2g\n", c->p);
}

void track_write_line(const struct track_series *s, struct buf *out)
{
	const char *state = track_state_name(track_series_state(s));

	print_subject(s->name, out);
	buf_print(out, ": %s", track_verdict_name(s->verdict));
	if (*state)
		buf_print(out, " (%s)", state);
	buf_print(out, ", %zu point%s, %zu change%s", s->n, s->n == 1 ? "" : "s", s->found.n,
		  s->found.n == 1 ? "" : "s");
	if (s->acknowledged)
		track_write_texts(out,
				  (const char *const[]){"; acknowledged: ", s->acknowledged, NULL});
	if (s->changed && s->cause != TRACK_CAUSE_UNKNOWN)
		buf_print(out, "; %s", track_cause_name(s->cause));
	if (s->why)
		track_write_texts(out, (const char *const[]){": ", s->why, NULL});
	if (s->remeasured)
		track_write_texts(out, (const char *const[]){"; ", s->remeasured, NULL});
	buf_add_char(out, '\n');
	for (size_t i = 0; i < s->found.n; i++)
		print_point(&s->found.list[i], out);
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
	if (s->figure)
		json_write_string(&w, "unit", s->figure->unit);
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
	json_write_real(&w, "spread", s->found.spread);
	json_write_end(&w, '}');
}

static bool passes(const struct db_turn *t)
{
	static const char *const good[] = {"ok", "slow", "undecided", "measured"};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		if (strcmp(t->is, good[i]) == 0)
			return true;
	return false;
}

void track_write_turn_json(const struct db_turn *t, struct buf *out)
{
	const struct {
		const char *key, *value;
	} fields[] = {{"turned", passes(t) ? "passes" : "fails"},
		      {"device_kind", t->device_kind},
		      {"device_model", t->device_model},
		      {"workload", t->workload},
		      {"problem", t->problem},
		      {"cache", t->cache_policy},
		      {"implementation", t->implementation},
		      {"config_key", t->config_key},
		      {"was", t->was},
		      {"is", t->is},
		      {"reason", t->reason}};
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		json_write_string(&w, fields[i].key, fields[i].value);
	json_write_end(&w, '}');
}

void track_write_turn(const struct db_turn *t, struct buf *out)
{
	const bool pass = passes(t), why = t->reason && !pass;
	const char *key = t->config_key, *model = t->device_model;

	track_write_texts(out, (const char *const[]){pass ? "passes" : "fails",
						     ": ",
						     t->workload,
						     "/",
						     t->problem,
						     " ",
						     t->implementation,
						     key ? " " : "",
						     key ? key : "",
						     " on ",
						     t->device_kind,
						     ": ",
						     model ? model : "",
						     ": ",
						     t->is,
						     ", was ",
						     t->was,
						     why ? ": " : "",
						     why ? t->reason : "",
						     NULL});
}

void track_write_turn_markdown(const struct db_turn *t, size_t n, struct buf *out)
{
	enum { ROWS = 50 };
	const char *const cells[] = {passes(t) ? "passes" : "fails",
				     t->workload,
				     t->problem,
				     t->implementation,
				     t->config_key,
				     t->device_kind,
				     t->device_model,
				     t->is,
				     t->was,
				     t->reason};
	static const char *const before[] = {"| ",  " | ", "/",   " | ", " | ",
					     " | ", ": ",  " | ", " | ", " | "};

	if (n == 0)
		buf_add_str(out, "\n| now | problem | implementation | configuration | device | is "
				 "| was | why |\n|---|---|---|---|---|---|---|---|\n");
	if (n >= ROWS)
		return;
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
		buf_add_str(out, before[i]);
		track_write_markdown_text(cells[i] ? cells[i] : "", out);
	}
	buf_add_str(out, " |\n");
}
