#include "reports/track/track_cause.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/statement.h"
#include "reports/results/stands.h"
#include "reports/track/track_history.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/result/provenance.h"

static const double moved_pct = 5;     /* metrics that moved by less are not named */
static const double clock_part = 0.02; /* clocks vary by less without a cause */

enum {
	METRICS = 4,     /* that are named in a line; the page has all */
	CLOCK_POINTS = 9 /* newest points of a level, whose median is its clock */
};

struct reasons {
	struct buf text;
	size_t metrics;
};

static void begin(struct reasons *r)
{
	if (r->text.len > 0)
		buf_add_str(&r->text, "; ");
}

/* Adds what changed in the device; false: nothing. */
static bool add_device(struct reasons *r, const struct track_point *a, const struct track_point *b)
{
	const struct {
		const char *what, *before, *after;
	} facts[] = {{"driver", a->driver, b->driver},
		     {"architecture", a->arch, b->arch},
		     {"clock", a->clock, b->clock}};
	bool named = false;

	if (strcmp(a->fingerprint, b->fingerprint) == 0)
		return false;
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (strcmp(facts[i].before, facts[i].after) == 0)
			continue;
		begin(r);
		buf_print(&r->text, "%s %s, was %s", facts[i].what, facts[i].after,
			  facts[i].before);
		named = true;
	}
	if (!named) {
		begin(r);
		buf_add_str(&r->text, "limits or clocks of the device changed");
	}
	return true;
}

/* Median clock over the newest points of a level; 0 where most of them have none. */
static double clock_of(const struct track_point *points, size_t from, size_t to)
{
	double clocks[CLOCK_POINTS];
	size_t n = 0;

	if (to - from > CLOCK_POINTS)
		from = to - CLOCK_POINTS;
	for (size_t i = from; i < to; i++)
		if (points[i].clock_mhz > 0)
			clocks[n++] = points[i].clock_mhz;
	/* A clock that few runs recorded is not that of the level. */
	return 2 * n > to - from ? stats_select_median(clocks, n) : 0;
}

bool track_cause_clocks(const struct track_series *s, const struct track_point *points,
			struct track_clocks *out)
{
	out->before = clock_of(points, track_cause_before(s), s->index);
	out->after = clock_of(points, s->index, s->n);
	return out->before > 0 && out->after > 0 &&
	       fabs(out->after / out->before - 1) >= clock_part;
}

/* Adds a move of the clock; true when its direction explains that of the times. */
static bool add_clock(struct reasons *r, const struct track_series *s,
		      const struct track_point *points)
{
	struct track_clocks mhz;

	if (!track_cause_clocks(s, points, &mhz))
		return false;
	begin(r);
	buf_print(&r->text, "clock %.0f MHz, was %.0f", mhz.after, mhz.before);
	return (mhz.after < mhz.before) == (s->after > s->before);
}

static bool add_code(struct reasons *r, const struct track_point *a, const struct track_point *b)
{
	if (strcmp(a->version, b->version) != 0) {
		begin(r);
		buf_print(&r->text, "asctune %s, was %s", b->version, a->version);
	}
	if (strcmp(a->code, b->code) == 0)
		return false;
	begin(r);
	if (!*a->toolchain || !*b->toolchain)
		buf_add_str(&r->text, "source or toolchain changed");
	else if (strcmp(a->toolchain, b->toolchain) == 0)
		buf_add_str(&r->text, "the source changed; the compiler is the same");
	else if (!provenance_write_libraries(b->toolchain, a->toolchain, "; ", &r->text))
		buf_print(&r->text, "built by %s, was %s", b->toolchain, a->toolchain);
	if (*a->commit && *b->commit && strcmp(a->commit, b->commit) != 0)
		buf_print(&r->text, "; commit %s, was %s", b->commit, a->commit);
	return true;
}

const struct track_point *track_cause_usual(const struct track_point *points, size_t from,
					    size_t to)
{
	const struct track_point *best = NULL;
	size_t most = 0;

	if (to - from > 9) /* the newest: a level of a year has seen other winners */
		from = to - 9;
	for (size_t i = from; i < to; i++) {
		size_t n = 0;

		for (size_t k = from; k < to; k++)
			n += strcmp(points[i].config, points[k].config) == 0;
		if (n >= most) {
			most = n;
			best = &points[i];
		}
	}
	return best;
}

size_t track_cause_before(const struct track_series *s)
{
	return s->found.n > 1 ? s->found.list[s->found.n - 2].index : 0;
}

/* Names what became of a configuration that won, by the status of its trial; NULL: it was not
 * tried.
 */
static const char *name_fate(const char *status)
{
	static const struct {
		const char *status, *words;
	} list[] = {{"ok", "takes"},
		    {"build_failed", "no longer builds"},
		    {"load_failed", "can no longer be loaded"},
		    {"launch_failed", "is refused by the device now"},
		    {"crashed", "crashes now"},
		    {"timeout", "does not end in time now"},
		    {"wrong", "computes wrong results now"},
		    {"impossible", "takes less time now than its work can take"},
		    {"slow", "was dropped early as slower"},
		    {"undecided", "was left undecided"}};

	if (!status)
		return "was not tried again";
	for (size_t i = 0; i < sizeof list / sizeof *list; i++)
		if (strcmp(status, list[i].status) == 0)
			return list[i].words;
	return "cannot run on this device now";
}

/* Another configuration won: finds whether the previous winner got slower, fails, or neither. */
static enum asc_status find_old_best(struct track_series *s, const struct track_point *a,
				     const struct track_point *b, struct db *d, struct asc_err *e)
{
	struct db_tried old;

	if (db_find_tried(d, b->run_id, s->implementation, a->config, &old, e))
		return e->status;
	bool passed = old.status && strcmp(old.status, "ok") == 0;

	s->cause = passed && s->verdict == TRACK_REGRESSION ? TRACK_CAUSE_SLOWER
							    : TRACK_CAUSE_CONFIGURATION;
	s->old_best.words = name_fate(old.status);
	s->old_best.ns = passed ? old.median_ns : 0;
	if (passed || !old.status || !*old.reason)
		return ASC_OK;
	s->old_best.reason = str_dup(old.reason);
	return s->old_best.reason ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status add_metric(void *user, const struct db_metric_change *f, struct asc_err *e)
{
	struct reasons *r = user;
	double moved = f->before != 0 ? 100 * (f->after - f->before) / fabs(f->before)
				      : (f->after != 0 ? INFINITY : 0);

	(void)e;
	if (fabs(moved) < moved_pct || r->metrics >= METRICS)
		return ASC_OK;
	begin(r);
	bool counted = strcmp(f->unit, "1") == 0;

	buf_print(&r->text, "%s %.4g%s%s, was %.4g", f->name, f->after, counted ? "" : " ",
		  counted ? "" : f->unit, f->before);
	r->metrics++;
	return ASC_OK;
}

/* ---- readings of profiles ---- */

struct moved { /* a reading that moved */
	char name[40], unit[16];
	double before, after, ratio; /* ratio: the larger / the smaller; infinite if one is 0 */
};

struct readings {
	struct moved list[METRICS]; /* those that moved most, the most first */
	size_t n;
};

/* True for a reading that says the time again, as an energy does, or how counting went. */
static bool is_of_time(const struct db_metric_change *f)
{
	static const char *const ends[] = {"passes", "launches", "seconds"};

	if (strcmp(f->unit, "ns") == 0 || strcmp(f->unit, "J") == 0 || strstr(f->unit, "/s"))
		return true;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (str_ends_with(f->name, ends[i]))
			return true;
	return false;
}

/* Keeps a reading that moved by as much as metrics have to; a share in percent by two points as
 * well, within which counters of one kernel agree. */
static enum asc_status add_reading(void *user, const struct db_metric_change *f, struct asc_err *e)
{
	struct readings *r = user;
	const double a = fabs(f->before), b = fabs(f->after);
	struct moved m = {.before = f->before, .after = f->after};
	size_t at = r->n;

	(void)e;
	if (a == b || is_of_time(f) ||
	    (strcmp(f->unit, "%") == 0 && fabs(f->after - f->before) < 2))
		return ASC_OK;
	m.ratio = fmin(a, b) > 0 ? fmax(a, b) / fmin(a, b) : INFINITY;
	if (m.ratio < 1 + moved_pct / 100)
		return ASC_OK;
	(void)snprintf(m.name, sizeof m.name, "%s", f->name);
	(void)snprintf(m.unit, sizeof m.unit, "%s", f->unit);
	while (at > 0 && r->list[at - 1].ratio < m.ratio)
		at--;
	if (at == METRICS)
		return ASC_OK;
	r->n += r->n < METRICS;
	memmove(&r->list[at + 1], &r->list[at], (r->n - at - 1) * sizeof m);
	r->list[at] = m;
	return ASC_OK;
}

static const char *print_reading(double value, const char *unit, char text[UNITS_TEXT_SIZE])
{
	if (strcmp(unit, "B") == 0)
		return units_print_rate(value, unit, text);
	const bool counted = strcmp(unit, "1") == 0;

	(void)snprintf(text, UNITS_TEXT_SIZE, "%.4g%s%s", value, counted ? "" : " ",
		       counted ? "" : unit);
	return text;
}

/* Names what moved between the profiles of two points, where both runs have one: "dram bytes +31 %
 * (268 MB to 351 MB)". */
static enum asc_status name_readings(const struct track_series *s, const struct track_point *a,
				     const struct track_point *b, struct reasons *to, struct db *d,
				     struct asc_err *e)
{
	const struct db_profiled before = {a->run_id, a->config}, after = {b->run_id, b->config};
	struct readings r = {.n = 0};

	if (db_each_reading_change(d, s->implementation, &before, &after, add_reading, &r, e))
		return e->status;
	for (size_t i = 0; i < r.n; i++) {
		struct moved *m = &r.list[i];
		char from[UNITS_TEXT_SIZE], then[UNITS_TEXT_SIZE], pct[UNITS_TEXT_SIZE] = "";

		for (char *c = m->name; *c; c++)
			if (*c == '_')
				*c = ' ';
		if (m->before != 0)
			(void)snprintf(pct, sizeof pct, "%+.0f %% ",
				       100 * (m->after - m->before) / fabs(m->before));
		begin(to);
		buf_print(&to->text, "%s %s(%s to %s)", m->name, pct,
			  print_reading(m->before, m->unit, from),
			  print_reading(m->after, m->unit, then));
	}
	return ASC_OK;
}

static enum asc_status explain_change(struct track_series *s, struct reasons *r,
				      const struct track_point *points, struct db *d,
				      struct asc_err *e)
{
	const struct track_point *last = &points[s->index - 1], *first = &points[s->index];
	const struct track_point *a = track_cause_usual(points, track_cause_before(s), s->index);
	const struct track_point *b = track_cause_usual(points, s->index, s->n);
	/* Sources and devices differ between two neighbouring points; winners and clocks vary from
	 * point to point, so that their usual ones are compared. */
	bool code = add_code(r, last, first), device = add_device(r, last, first);
	bool clock = add_clock(r, s, points);
	enum asc_status status = ASC_OK;

	s->cause = TRACK_CAUSE_SLOWER;
	/* Only for one and the same configuration is a higher metric worse: a faster one may use
	 * more of everything else. */
	if (s->tracked && strcmp(a->config, b->config) != 0) {
		s->cause = TRACK_CAUSE_CONFIGURATION;
		s->verdict = TRACK_UNCHANGED;
		return ASC_OK;
	}
	if (strcmp(a->config, b->config) != 0)
		status = find_old_best(s, a, b, d, e);
	/* A new source explains why another configuration won, and a new device why either did. A
	 * clock alone explains only what is the same otherwise: other code may draw more power. */
	if (code)
		s->cause = TRACK_CAUSE_CODE;
	if (device || (clock && s->cause == TRACK_CAUSE_SLOWER))
		s->cause = TRACK_CAUSE_DEVICE;
	return status;
}

struct failures {
	struct buf *text;
	int64_t configurations;
	char *reason; /* reason of the most frequent failure */
};

static enum asc_status add_failure(void *user, const struct db_failure *f, struct asc_err *e)
{
	struct failures *all = user;

	buf_print(all->text, "%s%" PRId64 " %s", all->configurations ? ", " : "", f->configurations,
		  f->status);
	if (all->configurations == 0 && f->reason) {
		all->reason = str_dup(f->reason);
		if (!all->reason)
			return asc_err_nomem(e);
	}
	all->configurations += f->configurations;
	return buf_check(all->text, e);
}

static enum asc_status explain_broken(const struct track_series *s, struct reasons *r, struct db *d,
				      struct asc_err *e)
{
	struct buf how = {0};
	struct failures all = {.text = &how};
	enum asc_status status =
		db_each_failure(d, s->newest_run, s->implementation, add_failure, &all, e);
	char text[UNITS_TEXT_SIZE];

	buf_print(&r->text, "none of %" PRId64 " configuration%s passed: %s%s%s",
		  all.configurations, all.configurations == 1 ? "" : "s", buf_str(&how),
		  all.reason ? ": " : "", all.reason ? all.reason : "");
	if (s->newest_ns > 0)
		buf_print(&r->text, "; the last that did took %s",
			  units_print_duration(s->newest_ns, text));
	free(all.reason);
	buf_fini(&how);
	return status;
}

enum asc_status track_cause_find_withdrawal(struct db *d, int64_t run_id,
					    const char *implementation, const char *config_key,
					    const char **fails, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;
	int64_t judged = 0;

	*fails = NULL;
	history_load_failures(&s, d, run_id, implementation, config_key);
	while (!*fails && statement_next(&s, &status, e)) {
		const int64_t id = statement_take_int(&s);
		struct stands trials = {.failed = {.id = statement_take_int(&s), .found = true}};
		enum result_status failed;
		struct statement pass;
		bool found = false;

		if (id == judged) /* its newest failure was no withdrawal, so none is */
			continue;
		judged = id;
		trials.failed.recorded_ms = statement_take_int(&s);
		history_load_newest_pass(&pass, d, run_id, id, config_key);
		status = statement_step(&pass, &found, e);
		if (found) {
			trials.passed.id = statement_take_int(&pass);
			trials.passed.recorded_ms = statement_take_int(&pass);
			trials.passed.found = true;
		}
		statement_end(&pass);
		if (status == ASC_OK && stands_is_withdrawn(&trials) &&
		    result_status_parse(statement_take_text(&s), &failed))
			*fails = result_status_name(failed);
	}
	statement_end(&s);
	return status;
}

/* Makes a series undecided whose newest winner failed since, in a run outside of the history: its
 * time does not count. */
static enum asc_status doubt_withdrawn(struct track_series *s, const struct track_point *newest,
				       struct db *d, struct asc_err *e)
{
	const char *is;

	if (track_cause_find_withdrawal(d, newest->run_id, s->implementation, newest->config, &is,
					e))
		return e->status;
	if (!is)
		return ASC_OK;
	free(s->doubt); /* that of a newest point far off */
	s->doubt = str_print("%s, which won in the newest run, was %s since", newest->config, is);
	if (!track_verdict_fails(s->verdict))
		s->verdict = TRACK_UNDECIDED;
	return s->doubt ? ASC_OK : asc_err_nomem(e);
}

/* Gives the series the reasons, if there are any, and frees what is left of them. */
static enum asc_status take_reasons(struct track_series *s, struct reasons *r,
				    enum asc_status status, struct asc_err *e)
{
	if (status == ASC_OK)
		status = buf_check(&r->text, e);
	if (status == ASC_OK && r->text.len > 0)
		s->why = buf_take(&r->text);
	buf_fini(&r->text);
	return status;
}

enum asc_status track_cause_find(struct track_series *s, const struct track_point *points,
				 struct db *d, struct asc_err *e)
{
	struct reasons r = {{0}, 0};
	enum asc_status status = ASC_OK;

	if (s->changed)
		status = explain_change(s, &r, points, d, e);
	/* Metrics and readings that differ between the usual winners on either side; one that is of
	 * another configuration than before is no change. */
	if (status == ASC_OK && s->changed &&
	    !(s->tracked && s->cause == TRACK_CAUSE_CONFIGURATION)) {
		const struct track_point *a =
			track_cause_usual(points, track_cause_before(s), s->index);
		const struct track_point *b = track_cause_usual(points, s->index, s->n);

		status = db_each_metric_change(d, a->trial_id, b->trial_id, add_metric, &r, e);
		if (status == ASC_OK && !s->tracked)
			status = name_readings(s, a, b, &r, d, e);
	}
	if (status == ASC_OK && s->verdict == TRACK_BROKEN && !s->tracked)
		status = explain_broken(s, &r, d, e);
	else if (status == ASC_OK && !s->tracked && s->n > 0)
		status = doubt_withdrawn(s, &points[s->n - 1], d, e);
	if (status == ASC_OK && s->newest.disturbed && s->verdict != TRACK_BROKEN &&
	    !track_series_is_short(s)) {
		/* A change that earlier runs show stands; that nothing changed does not. */
		if (!track_verdict_fails(s->verdict) && s->verdict != TRACK_IMPROVEMENT)
			s->verdict = TRACK_UNDECIDED;
		status = track_series_add_doubt(
			s, "the machine was not steady in the newest run, which is left out", e);
	}
	return take_reasons(s, &r, status, e);
}

enum asc_status track_cause_find_between(struct track_series *s, const struct track_point *points,
					 struct db *d, struct asc_err *e)
{
	struct reasons r = {{0}, 0};
	const enum asc_status status = explain_change(s, &r, points, d, e);

	return take_reasons(s, &r, status, e);
}
