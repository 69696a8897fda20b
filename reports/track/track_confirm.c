#include "reports/track/track_confirm.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_series.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/result/tie.h"

/* ---- suspects ---- */

enum track_suspicion track_confirm_why(const struct track_series *s)
{
	if (!track_series_is_counted(s) || !s->metric || strcmp(s->metric, TRACK_TIME) != 0)
		return TRACK_SUSPECT_NONE;
	/* In this order: a change of the source is compared with the night before, which shows more
	 * than levels whose points are of several sources. */
	if (s->newest.source_changed && !s->again.measured && s->verdict != TRACK_BROKEN)
		return TRACK_SUSPECT_SOURCE;
	if (s->verdict == TRACK_REGRESSION && !s->ack.reason && !s->again.confirmed)
		return TRACK_SUSPECT_CHANGE;
	return s->verdict == TRACK_UNDECIDED && s->newest.off_pct > 0 && !s->again.measured
		       ? TRACK_SUSPECT_FAR
		       : TRACK_SUSPECT_NONE;
}

bool track_confirm_fails(const struct track_series *s, enum track_finding f)
{
	return f == TRACK_FINDING_CONFIRMED || (f == TRACK_FINDING_DEVICE && !s->by_machine);
}

/* Finds what the sides of a suspect were: configurations and artifacts of two points. */
static enum asc_status find_sides(const struct track_point *const sides[CONFIRMATION_SIDES],
				  struct db *d, struct track_suspect *out, struct asc_err *e)
{
	const struct track_series *s = out->series;

	out->commit = sides[CONFIRMATION_BEFORE]->commit;
	out->trial_id = sides[CONFIRMATION_BEFORE]->trial_id;
	out->as_recorded =
		strcmp(sides[CONFIRMATION_BEFORE]->code, sides[CONFIRMATION_AFTER]->code) != 0;
	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		struct db_tried tried;

		/* What the search found in that run is on record from the next one on. */
		const bool found = out->why == TRACK_SUSPECT_SOURCE && i == CONFIRMATION_BEFORE &&
				   sides[i]->won;

		out->configs[i] = found ? sides[i]->won : sides[i]->config;
		if (db_find_tried(d, sides[i]->run_id, s->implementation, out->configs[i], &tried,
				  e))
			return e->status;
		memcpy(out->artifacts[i], tried.artifact, sizeof tried.artifact);
	}
	return ASC_OK;
}

enum asc_status track_confirm_find(const struct track_history *h, size_t series, struct db *d,
				   struct track_suspect *out, struct asc_err *e)
{
	const struct track_point *points = track_history_points(h, series);
	const struct track_series *s = &h->list[series];
	const enum track_suspicion why = track_confirm_why(s);
	const size_t last = s->n - 1, from = s->found.n ? s->found.list[s->found.n - 1].index : 0;
	const struct track_point *sides[CONFIRMATION_SIDES] = {&points[last], &points[last]};

	*out = (struct track_suspect){.series = s, .why = why, .run_id = points[last].run_id};
	if (why == TRACK_SUSPECT_SOURCE) {
		sides[CONFIRMATION_BEFORE] = &points[last - 1];
	} else if (why == TRACK_SUSPECT_FAR) {
		sides[CONFIRMATION_BEFORE] = track_cause_usual(points, from, last);
	} else {
		sides[CONFIRMATION_BEFORE] =
			track_cause_usual(points, track_cause_before(s), s->index);
		sides[CONFIRMATION_AFTER] = track_cause_usual(points, s->index, s->n);
		out->run_id = points[s->index].run_id;
	}
	const double newest = points[last].value;

	/* A point far off is so many percent above its level, which no single point is. */
	out->before_ns = why == TRACK_SUSPECT_SOURCE ? points[last - 1].value
			 : why == TRACK_SUSPECT_FAR  ? newest / (1 + s->newest.off_pct / 100)
						     : s->before;
	out->after_ns = why == TRACK_SUSPECT_CHANGE ? s->after : newest;
	return find_sides(sides, d, out, e);
}

enum asc_status track_confirm_find_step(const struct track_history *h, size_t series, struct db *d,
					struct track_suspect *out, bool *found, struct asc_err *e)
{
	const struct track_point *points = track_history_points(h, series);
	const struct track_series *s = &h->list[series];

	/* Where the step is the newest run's, the rounds beside the night before were about it. */
	*found = s->step.at > 0 && s->newest.source_changed && s->step.at + 1 < s->n;
	if (!*found)
		return ASC_OK;
	*out = (struct track_suspect){.series = s,
				      .why = TRACK_SUSPECT_STEP,
				      .before_ns = points[s->step.at - 1].value,
				      .after_ns = points[s->step.at - 1].value * s->step.ratio,
				      .run_id = points[s->step.at].run_id};
	return find_sides(
		(const struct track_point *const[]){&points[s->step.at - 1], &points[s->n - 1]}, d,
		out, e);
}

enum asc_status track_confirm_record(const struct track_suspect *s, enum track_finding f,
				     double ratio, const char *text, struct db *d,
				     struct asc_err *e)
{
	return db_put_verdict(
		d,
		&(struct db_verdict){.implementation = s->series->implementation,
				     .figure = s->series->metric,
				     .kind = track_finding_name(f),
				     .note = text,
				     .run_id = s->run_id,
				     .made_ms = track_known_now_ms(),
				     .ratio = ratio,
				     .yields_to =
					     f == TRACK_FINDING_UNDECIDED
						     ? track_finding_name(TRACK_FINDING_CONFIRMED)
						     : NULL},
		e);
}

/* ---- judging ---- */

double track_confirm_ratio(const struct confirmation *c)
{
	return c->n > 0 ? confirmation_find_ratio(c).ratio : NAN;
}

static double pct(double ratio)
{
	return 100 * (ratio - 1);
}

static void say_ratio(const struct confirmation_ratio *f, const char *words, struct buf *text)
{
	buf_add_str(text, words);
	track_write_change(&(struct track_change){pct(f->ratio), pct(f->low), pct(f->high), true},
			   text);
}

static void say_old(const struct track_suspect *x, const struct confirmation *c, struct buf *text)
{
	char now[UNITS_TEXT_SIZE], before[UNITS_TEXT_SIZE];

	buf_print(text, "re-measured: the previous winner takes %s now, %s before",
		  units_print_duration(confirmation_find_time(c, CONFIRMATION_BEFORE), now),
		  units_print_duration(x->before_ns, before));
}

/* Adds that a rebuilt artifact shows what today's sources do, not what was measured then. */
static void say_rebuilt(const struct confirmation *c, struct buf *text)
{
	if (!c->stored[CONFIRMATION_BEFORE])
		buf_add_str(text, "; the old artifact is gone: it was rebuilt from today's "
				  "sources, so a change of the source does not show");
}

/* True when the old artifact's time is beyond half of the change: nearer to the new level than to
 * the old one. */
static bool is_slow_too(const struct track_suspect *x, const struct confirmation *c)
{
	return confirmation_find_time(c, CONFIRMATION_BEFORE) >
	       x->before_ns + (x->after_ns - x->before_ns) / 2;
}

/* True for a clear slow-down: beyond the margin of a tie in each session. On a busy machine, where
 * the intervals of sessions are wide, the rounds of all sessions decide: their ratio has to be
 * twice the least change that counts, and each session has to show that least change. */
static bool is_clear(const struct confirmation *c, const struct track_rule *rule,
		     struct confirmation_ratio *f)
{
	const struct confirmation_ratio *all = &c->rounds;

	if (confirmation_judge(c, f, TIE_MARGIN, INFINITY) == CONFIRMATION_SLOWER)
		return pct(f->ratio) >= rule->least_pct;
	/* All rounds as one series ignore what differs between processes: twice the least change,
	 * and the least one in each process, make up for that. */
	if (c->n < CONFIRMATION_SESSIONS ||
	    confirmation_judge(c, all, TIE_MARGIN, INFINITY) != CONFIRMATION_SLOWER ||
	    pct(all->ratio) < 2 * rule->least_pct)
		return false;
	for (size_t k = 0; k < c->n; k++)
		if (pct(c->sessions[k].ratio) < rule->least_pct)
			return false;
	*f = *all;
	return true;
}

/* True where two sources are compared, rather than two moments of one. */
static bool is_of_source(const struct track_suspect *x)
{
	return x->why == TRACK_SUSPECT_SOURCE || x->why == TRACK_SUSPECT_STEP;
}

/* 1. Without a session there is no verdict.
 * 2. One artifact on both sides (the source is the same): its time now is compared with the levels
 * of the history. At the new level, it is the machine.
 * 3. Two artifacts: a clear slow-down in the rounds is one of the code.
 * 4. No clear slow-down: either the rounds are sure to be below the change, which then was no
 *    regression of the code, or they leave it open. */
enum track_finding track_confirm_judge(const struct track_suspect *x, const struct confirmation *c,
				       const struct track_rule *rule, struct buf *text)
{
	const bool stored = c->stored[CONFIRMATION_BEFORE]; /* else today's sources, built again */
	/* Half of the change that the history shows: below it, most of that is not of the code. */
	const double half = 1 + (x->after_ns / x->before_ns - 1) / 2;
	enum track_finding finding = TRACK_FINDING_UNDECIDED;

	if (*c->reason || c->n == 0) {
		buf_print(text, "cannot be measured again: %s", c->reason);
		return TRACK_FINDING_UNDECIDED;
	}
	struct confirmation_ratio f = confirmation_find_ratio(c);

	if (c->same && !is_of_source(x)) {
		say_old(x, c, text);
		/* Today's sources built twice say nothing of what was measured then. */
		if (!stored)
			say_rebuilt(c, text);
		else
			buf_add_str(text, c->unsteady ? "; the machine was not steady"
						      : "; it is the same artifact");
		if (stored && !c->unsteady)
			finding = is_slow_too(x, c) ? TRACK_FINDING_DEVICE : TRACK_FINDING_EQUAL;
	} else if (is_clear(c, rule, &f)) {
		say_ratio(&f, "re-measured: ", text);
		say_rebuilt(c, text);
		finding = TRACK_FINDING_CONFIRMED;
	} else if (!is_of_source(x) && f.high < half) {
		/* Equal. If both are slow, the old artifact has the new level's time here, now. */
		if (stored && !c->unsteady && is_slow_too(x, c)) {
			say_old(x, c, text);
			finding = TRACK_FINDING_DEVICE;
		} else {
			buf_print(text, "re-measured: equal within %.1f %%",
				  fmax(fabs(pct(f.low)), fabs(pct(f.high))));
			say_rebuilt(c, text);
			if (stored)
				finding = TRACK_FINDING_EQUAL;
		}
	} else if (is_of_source(x) && f.high < fmax(CONFIRMATION_SAME_BELOW,
						    x->why == TRACK_SUSPECT_STEP ? half : 0)) {
		say_ratio(&f, "re-measured: ", text);
		finding = TRACK_FINDING_EQUAL;
	} else {
		say_ratio(&f, "measured again ", text);
		say_rebuilt(c, text);
	}
	if (x->why == TRACK_SUSPECT_STEP)
		buf_print(text, "; beside what was before run %" PRId64, x->run_id);
	/* One slow night of the same artifact may be that night's; the next one decides. */
	return x->why == TRACK_SUSPECT_FAR && finding == TRACK_FINDING_DEVICE
		       ? TRACK_FINDING_UNDECIDED
		       : finding;
}
