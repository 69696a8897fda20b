#include "reports/track/track_confirm.h"

#include <math.h>
#include <string.h>

#include "db/history.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_history.h"
#include "reports/track/track_known.h"
#include "reports/track/track_series.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"
#include "tuner/base/names.h"
#include "tuner/base/units.h"

static const char *const finding_names[] = {TRACK_FINDING_LIST(NAME_OF_THREE)};
static const char *const finding_meanings[] = {TRACK_FINDING_LIST(MEANING_OF_THREE)};

const char *track_finding_name(enum track_finding f)
{
	return finding_names[f];
}

const char *track_finding_meaning(enum track_finding f)
{
	return finding_meanings[f];
}

bool track_finding_parse(const char *name, enum track_finding *out)
{
	size_t value;

	if (!name_find(finding_names, sizeof finding_names / sizeof *finding_names, name, &value))
		return false;
	*out = (enum track_finding)value;
	return true;
}

/* ---- suspects ---- */

bool track_confirm_wants(const struct track_series *s)
{
	return s->verdict == TRACK_REGRESSION && track_series_is_counted(s) && !s->acknowledged &&
	       !s->confirmed && s->metric && strcmp(s->metric, TRACK_TIME) == 0;
}

bool track_confirm_fails(const struct track_series *s, enum track_finding f)
{
	return f == TRACK_FINDING_CONFIRMED || (f == TRACK_FINDING_DEVICE && !s->by_machine);
}

enum asc_status track_confirm_find(const struct track_history *h, size_t series, struct db *d,
				   struct track_suspect *out, struct asc_err *e)
{
	const struct track_point *points = track_history_points(h, series);
	const struct track_series *s = &h->list[series];
	const struct track_point *sides[CONFIRMATION_SIDES] = {
		track_cause_usual(points, track_cause_before(s), s->index),
		track_cause_usual(points, s->index, s->n)};

	*out = (struct track_suspect){.series = s, .run_id = points[s->index].run_id};
	for (int i = 0; i < CONFIRMATION_SIDES; i++) {
		struct db_tried tried;

		out->configs[i] = sides[i]->config;
		if (db_find_tried(d, sides[i]->run_id, s->implementation, sides[i]->config, &tried,
				  e))
			return e->status;
		memcpy(out->artifacts[i], tried.artifact, sizeof tried.artifact);
	}
	return ASC_OK;
}

enum asc_status track_confirm_record(const struct track_suspect *s, enum track_finding f,
				     double ratio, const char *text, struct db *d,
				     struct asc_err *e)
{
	return db_put_verdict(d,
			      &(struct db_verdict){.implementation = s->series->implementation,
						   .figure = s->series->metric,
						   .kind = track_finding_name(f),
						   .note = text,
						   .run_id = s->run_id,
						   .made_ms = track_known_now_ms(),
						   .ratio = ratio},
			      e);
}

/* ---- judging ---- */

struct time_ratio { /* medians over the sessions */
	double ns[CONFIRMATION_SIDES];
	double ratio, low, high; /* the widest interval */
};

static struct time_ratio summarize(const struct confirmation *c)
{
	double ns[CONFIRMATION_SIDES][CONFIRMATION_SESSIONS], ratios[CONFIRMATION_SESSIONS];
	struct time_ratio f = {.low = INFINITY, .high = -INFINITY};

	for (size_t k = 0; k < c->n; k++) {
		const struct confirmation_session *s = &c->sessions[k];

		for (int i = 0; i < CONFIRMATION_SIDES; i++)
			ns[i][k] = s->time[i].median;
		ratios[k] = s->ratio;
		f.low = fmin(f.low, s->interval.low);
		f.high = fmax(f.high, s->interval.high);
	}
	f.ratio = stats_select_median(ratios, c->n);
	for (int i = 0; i < CONFIRMATION_SIDES; i++)
		f.ns[i] = stats_select_median(ns[i], c->n);
	return f;
}

double track_confirm_ratio(const struct confirmation *c)
{
	return c->n > 0 ? summarize(c).ratio : NAN;
}

static double pct(double ratio)
{
	return 100 * (ratio - 1);
}

static void say_ratio(const struct time_ratio *f, struct buf *text)
{
	buf_add_str(text, "re-measured: ");
	track_write_change(&(struct track_change){pct(f->ratio), pct(f->low), pct(f->high), true},
			   text);
}

static void say_old(const struct track_series *s, const struct time_ratio *f, struct buf *text)
{
	char now[UNITS_TEXT_SIZE], before[UNITS_TEXT_SIZE];

	buf_print(text, "re-measured: what won before takes %s now, was %s",
		  units_print_duration(f->ns[CONFIRMATION_BEFORE], now),
		  units_print_duration(s->before, before));
}

/* Adds that a rebuilt artifact shows what today's sources do, not what was measured then. */
static void say_rebuilt(const struct confirmation *c, struct buf *text)
{
	if (!c->stored[CONFIRMATION_BEFORE])
		buf_add_str(text, "; the artifact of before is gone: it was rebuilt from today's "
				  "sources, which tells only part");
}

/* True when the old artifact's time is beyond half of the change: nearer to the new level than to
 * the old one. */
static bool is_slow_too(const struct track_series *s, const struct time_ratio *f)
{
	return f->ns[CONFIRMATION_BEFORE] > s->before + (s->after - s->before) / 2;
}

/* Judges one artifact measured twice: by its time against the history's levels, if the machine was
 * calm. */
static enum track_finding judge_same(const struct track_series *s, const struct confirmation *c,
				     const struct time_ratio *f, struct buf *text)
{
	say_old(s, f, text);
	if (!c->stored[CONFIRMATION_BEFORE]) {
		say_rebuilt(c, text);
		return TRACK_FINDING_UNDECIDED;
	}
	if (c->unsteady) {
		buf_add_str(text, "; the machine was not steady");
		return TRACK_FINDING_UNDECIDED;
	}
	buf_add_str(text, "; it is the same artifact");
	return is_slow_too(s, f) ? TRACK_FINDING_DEVICE : TRACK_FINDING_EQUAL;
}

static enum track_finding judge_equal(const struct track_series *s, const struct confirmation *c,
				      const struct time_ratio *f, struct buf *text)
{
	if (c->stored[CONFIRMATION_BEFORE] && !c->unsteady && is_slow_too(s, f)) {
		say_old(s, f, text);
		return TRACK_FINDING_DEVICE;
	}
	buf_print(text, "re-measured: equal within %.1f %%",
		  fmax(fabs(pct(f->low)), fabs(pct(f->high))));
	say_rebuilt(c, text);
	return c->stored[CONFIRMATION_BEFORE] ? TRACK_FINDING_EQUAL : TRACK_FINDING_UNDECIDED;
}

enum track_finding track_confirm_judge(const struct track_series *s, const struct confirmation *c,
				       const struct track_rule *rule, struct buf *text)
{
	if (*c->reason || c->n == 0) {
		buf_print(text, "cannot be measured again: %s", c->reason);
		return TRACK_FINDING_UNDECIDED;
	}
	struct time_ratio f = summarize(c);

	if (c->same)
		return judge_same(s, c, &f, text);
	if (f.low > 1 && pct(f.ratio) >= rule->least_pct) {
		say_ratio(&f, text);
		say_rebuilt(c, text);
		return TRACK_FINDING_CONFIRMED;
	}
	if (f.high < 1 + (s->after / s->before - 1) / 2)
		return judge_equal(s, c, &f, text);
	say_ratio(&f, text);
	buf_add_str(text, ", which does not tell");
	say_rebuilt(c, text);
	return TRACK_FINDING_UNDECIDED;
}
