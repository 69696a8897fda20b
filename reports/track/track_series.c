#include "reports/track/track_series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/track/changepoint/changepoint_outlier.h"
#include "tuner/base/buf.h"
#include "tuner/base/names.h"
#include "tuner/result/tracked_metric.h"

const struct track_rule track_rule_default = {.least_pct = 1, .fresh = 7, .false_share = 0.05};

enum {
	SAME_PLACE = 5, /* points: the place of a change moves a little as points come */
	ENOUGH = 500    /* points on either side of a change, beyond which none decides about it:
			   finding it again costs as much for any length of a series */
};

/* Standard deviations of single points. With normal noise one of 500 series has a newest point so
 * far off in one night of 30. */
static const double far_out = 4;
/* p of a change that stands among any number of series: no earlier end needs to be tried. */
static const double surely_said = 1e-6;

static const char *const verdict_names[] = {TRACK_VERDICT_LIST(NAME_OF_THREE)};
static const char *const verdict_words[] = {TRACK_VERDICT_LIST(MEANING_OF_THREE)};

const char *track_verdict_name(enum track_verdict v)
{
	return verdict_names[v];
}

const char *track_verdict_words(enum track_verdict v)
{
	return verdict_words[v];
}

bool track_verdict_fails(enum track_verdict v)
{
	return v == TRACK_BROKEN || v == TRACK_REGRESSION;
}

static const char *const cause_names[] = {TRACK_CAUSE_LIST(NAME_OF)};

const char *track_cause_name(enum track_cause c)
{
	return cause_names[c];
}

static const char *const state_names[] = {TRACK_STATE_LIST(NAME_OF)};

const char *track_state_name(enum track_state s)
{
	return state_names[s];
}

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

bool track_series_is_of_machine(const struct track_series *s)
{
	return s->by_machine && (s->verdict == TRACK_REGRESSION ||
				 s->verdict == TRACK_IMPROVEMENT || s->verdict == TRACK_DRIFTING);
}

enum track_state track_series_state(const struct track_series *s)
{
	if (s->again.not_reproduced)
		return TRACK_STATE_NOT_REPRODUCED;
	if (track_verdict_fails(s->verdict) && s->ack.reason)
		return TRACK_STATE_ACKNOWLEDGED;
	if (track_series_is_of_machine(s))
		return TRACK_STATE_MACHINE;
	if (s->verdict != TRACK_REGRESSION)
		return TRACK_STATE_NONE;
	return s->again.confirmed ? TRACK_STATE_CONFIRMED : TRACK_STATE_NEW;
}

static double pct_of(double part, double whole)
{
	return whole != 0 ? 100 * (part / fabs(whole)) : NAN;
}

enum asc_status track_series_add_doubt(struct track_series *s, const char *words, struct asc_err *e)
{
	char *doubt = str_print("%s%s%s", s->doubt ? s->doubt : "", s->doubt ? "; " : "", words);

	if (!doubt)
		return asc_err_nomem(e);
	free(s->doubt);
	s->doubt = doubt;
	return ASC_OK;
}

static enum asc_status leave_undecided(struct track_series *s, const char *why, struct asc_err *e)
{
	s->verdict = TRACK_UNDECIDED;
	return track_series_add_doubt(s, why, e);
}

const char *track_print_off(double pct, char text[TRACK_OFF_SIZE])
{
	const double ratio = pct < 0 ? 1 / (1 + pct / 100) : 1 + pct / 100;

	/* Percent are hard to read from a half on. Not of a level below 0, nor of a point at 0. */
	if (ratio >= 1.5 && isfinite(ratio))
		snprintf(text, TRACK_OFF_SIZE, "%.1fx", ratio);
	else
		snprintf(text, TRACK_OFF_SIZE, "%.3g %%", fabs(pct));
	return text;
}

/* Finds the newest change of the least size or more; a level that was 0 has no percentage and
 * counts. */
static const struct changepoint *find_change(const struct track_series *s,
					     const struct track_rule *rule)
{
	for (size_t k = s->found.n; k-- > 0;) {
		const struct changepoint *c = &s->found.list[k];

		if (!(fabs(pct_of(c->after - c->before, c->before)) < rule->least_pct))
			return c;
	}
	return NULL;
}

/* Finds the p of a change in the series that ends after `n` points, as far as it lies around the
 * change; 1: it is not among its changes. */
static enum asc_status find_p_then(const struct track_series *s, size_t n,
				   const struct changepoint *c, double *p, struct asc_err *e)
{
	const size_t from = c->index > ENOUGH ? c->index - ENOUGH : 0, at = c->index - from;
	struct changepoints found;
	const enum asc_status status = changepoints_find(s->values + from, n - from, &found, e);

	*p = 1;
	for (size_t k = 0; k < found.n; k++) {
		const struct changepoint *f = &found.list[k];
		const size_t off = f->index > at ? f->index - at : at - f->index;

		/* A place and a direction make it the same one: its size settles with the points.
		 */
		if (off <= SAME_PLACE && (f->after > f->before) == (c->after > c->before))
			*p = fmin(*p, f->p);
	}
	changepoints_fini(&found);
	return status;
}

/* Finds with which p a change was found before the newest `fresh` points. As many ends are tried:
 * a weak change may come and go from night to night. */
static enum asc_status find_said(struct track_series *s, const struct changepoint *c,
				 const struct track_rule *rule, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	const size_t newest = s->n - rule->fresh, most = c->index + ENOUGH;
	size_t n = newest < most ? newest : most;

	s->said_p = 1;
	for (size_t k = 0; k < rule->fresh && n > c->index && status == ASC_OK; k++, n--) {
		double p = 1;

		status = find_p_then(s, n, c, &p, e);
		s->said_p = fmin(s->said_p, p);
		if (s->said_p <= surely_said)
			break;
	}
	return status;
}

/* Decides the verdict of a change: one that was said before the newest `fresh` points is known; of
 * metrics only changes within these are reported. */
static enum asc_status judge_change(struct track_series *s, const struct track_rule *rule,
				    struct asc_err *e)
{
	const struct changepoint *c = find_change(s, rule);

	if (!c)
		return ASC_OK;
	/* Less is better, of times and of most metrics. */
	const bool higher_is_better = s->tracked && s->tracked->higher_is_better;
	const bool better = (c->after > c->before) == higher_is_better;

	s->changed = s->n - c->index <= rule->fresh;
	if (!s->changed && s->tracked)
		return ASC_OK;
	if (!s->changed && find_said(s, c, rule, e))
		return e->status;
	/* An old change that was not found before is new: it takes the points since to show it. */
	s->changed |= s->said_p >= 1;
	if (s->changed)
		s->verdict = better ? TRACK_IMPROVEMENT : TRACK_REGRESSION;
	else
		s->verdict = better ? TRACK_FASTER : TRACK_SLOWER;
	s->p = c->p;
	s->index = c->index;
	s->before = c->before;
	s->after = c->after;
	s->change_pct = pct_of(c->after - c->before, c->before);
	s->low_pct = pct_of(c->low, c->before);
	s->high_pct = pct_of(c->high, c->before);
	return ASC_OK;
}

/* Judges the drift; `values` are those without outliers. */
static void judge_drift(struct track_series *s, const double *values, const struct track_rule *rule)
{
	double sum = 0, whole = s->found.drift * (double)(s->n - 1);

	for (size_t i = 0; i < s->n; i++)
		sum += values[i] / (double)s->n;
	double pct = pct_of(whole, sum);

	if (!s->found.drift_is_clear || !(fabs(pct) >= rule->least_pct))
		return;
	s->drift_pct = pct;
	/* A change counts before a drift, which is then said beside it. */
	if (s->verdict == TRACK_UNCHANGED)
		s->verdict = TRACK_DRIFTING;
}

/* Judges how far the newest point is from the level of the others, which is that of `values`, those
 * without outliers. */
static enum asc_status judge_last(struct track_series *s, const double *values,
				  const struct track_rule *rule, struct asc_err *e)
{
	size_t from = s->found.n ? s->found.list[s->found.n - 1].index : 0;
	double level = 0, last = s->values[s->n - 1], points = (double)(s->n - 1 - from);
	char text[TRACK_OFF_SIZE];

	/* The level that a drift would have brought the others to by now. */
	for (size_t i = from; i + 1 < s->n; i++)
		level += (values[i] + s->found.drift * (double)(s->n - 1 - i)) / points;
	double off = last - level;

	if (!(fabs(off) > far_out * s->found.spread) ||
	    !(fabs(pct_of(off, level)) >= rule->least_pct))
		return ASC_OK;
	s->newest.off_pct = pct_of(off, level);
	/* One point is a bad night or a new level; the next one decides (changepoint, step 6). */
	char *words =
		str_print("the newest %s is %s %s than its level; one more will tell",
			  s->points ? "run" : "point", track_print_off(s->newest.off_pct, text),
			  s->newest.off_pct > 0 ? "slower" : "faster");
	const enum asc_status status = words ? leave_undecided(s, words, e) : asc_err_nomem(e);

	free(words);
	return status;
}

/* Says that the oldest points are apart from the others, too few to be called a level. One alone,
 * or some that are slower, are outliers once there are enough behind them. */
static enum asc_status judge_first(struct track_series *s, const struct track_rule *rule,
				   struct asc_err *e)
{
	const size_t n = s->found.first;
	const size_t to = s->n;
	char off[TRACK_OFF_SIZE], count[32] = "";
	double level = 0;

	if (n == 0 || s->verdict != TRACK_UNCHANGED || s->found.n > 0)
		return ASC_OK;
	for (size_t i = n; i < to; i++)
		level += s->values[i] / (double)(to - n);
	const double pct = pct_of(s->found.first_at - level, level);

	if (!(fabs(pct) >= rule->least_pct) || ((n == 1 || pct > 0) && s->n > n + rule->fresh))
		return ASC_OK;
	if (n > 1)
		snprintf(count, sizeof count, "%zu ", n);
	char *words = str_print("the first %s%s%s %s %s %s than the %zu behind %s; more will tell",
				count, s->points ? "run" : "point", n > 1 ? "s" : "",
				n > 1 ? "are" : "is", track_print_off(pct, off),
				pct > 0 ? "slower" : "faster", to - n, n > 1 ? "them" : "it");

	s->first_apart = true;
	const enum asc_status status = words ? leave_undecided(s, words, e) : asc_err_nomem(e);

	free(words);
	return status;
}

static enum asc_status judge_rest(struct track_series *s, const struct track_rule *rule,
				  struct asc_err *e)
{
	double *values = calloc(2 * s->n, sizeof *values);
	enum asc_status status = ASC_OK;

	if (!values)
		return asc_err_nomem(e);
	/* Bad nights are no part of a level that the newest point is compared with. */
	outliers_replace(s->values, s->n, values + s->n, values);
	judge_drift(s, values, rule);
	status = judge_first(s, rule, e);
	if (!s->changed && status == ASC_OK)
		status = judge_last(s, values, rule, e);
	free(values);
	return status;
}

/* From the strongest word to the weakest: a kernel that is broken has no newest time; too few
 * points say nothing; a change is new or known; then a drift, oldest points that are apart, and a
 * newest point far off. Metrics have changes only: what else a night has shows in its times. */
enum asc_status track_series_judge(struct track_series *s, const struct track_rule *rule,
				   struct asc_err *e)
{
	enum asc_status status = changepoints_find(s->values, s->n, &s->found, e);

	s->p = 1;
	s->verdict = s->broken ? TRACK_BROKEN : TRACK_UNCHANGED;
	if (status != ASC_OK || s->verdict == TRACK_BROKEN)
		return status;
	if (s->n < CHANGEPOINT_POINTS)
		return leave_undecided(s, "too few points to tell", e);
	status = judge_change(s, rule, e);
	return s->tracked || status != ASC_OK ? status : judge_rest(s, rule, e);
}

void track_series_fini(struct track_series *s)
{
	changepoints_fini(&s->found);
	free(s->ack.reason);
	free(s->ack.by);
	free(s->again.note);
	free(s->why);
	free(s->old_best.reason);
	free(s->doubt);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

const char *track_print_floor(double pct, char text[TRACK_FLOOR_SIZE])
{
	snprintf(text, TRACK_FLOOR_SIZE, "±%.*f %%", pct < 9.95, pct);
	return text;
}

static bool is_known(const struct track_series *s)
{
	return s->verdict == TRACK_SLOWER || s->verdict == TRACK_FASTER;
}

/* Applies the greatest p that is a change among all series. A known change that was found before,
 * but with a p that may have been too great then, is new. */
static enum asc_status apply_limit(struct track_series *s, double limit, double strictest,
				   struct asc_err *e)
{
	if (s->changed && s->p > limit)
		return leave_undecided(s, "among so many series such a change may be chance", e);
	if (is_known(s) && s->said_p > strictest && s->p <= limit) {
		s->changed = true;
		s->verdict = s->verdict == TRACK_SLOWER ? TRACK_REGRESSION : TRACK_IMPROVEMENT;
	}
	return ASC_OK;
}

/* Finds the floor of a series; one that is too high leaves a series undecided that has no new
 * change. */
static enum asc_status apply_floor(struct track_series *s, const struct track_rule *rule,
				   double strictest, struct asc_err *e)
{
	const bool quiet =
		s->verdict == TRACK_UNCHANGED || s->verdict == TRACK_DRIFTING || is_known(s);
	char words[160], floor[TRACK_FLOOR_SIZE];

	if (s->tracked || !s->values || s->n < CHANGEPOINT_POINTS)
		return ASC_OK;
	const double least = changepoints_floor(&s->found, s->n, rule->fresh, strictest);

	s->floor_pct = fabs(pct_of(least, s->found.level));
	if (!isfinite(s->floor_pct))
		s->floor_pct = 0;
	if (s->floor_pct > 0) /* smaller changes are none, however quiet the series is */
		s->floor_pct = fmax(s->floor_pct, rule->least_pct);
	const double wanted = s->wanted_pct > 0 ? s->wanted_pct : rule->wanted_pct;

	if (!quiet || !(wanted > 0) || s->floor_pct <= wanted)
		return ASC_OK;
	snprintf(words, sizeof words,
		 "a step under %s would not be seen here; %s asks for one of %g %%",
		 track_print_floor(s->floor_pct, floor),
		 s->wanted_pct > 0 ? "the workload" : "--threshold", wanted);
	return leave_undecided(s, words, e);
}

enum asc_status track_series_control(struct track_series *list, size_t n,
				     const struct track_rule *rule, struct asc_err *e)
{
	const double strictest = rule->false_share / (double)n;
	double *p = calloc(n + 1, sizeof *p), limit = 0;
	enum asc_status status = ASC_OK;

	if (!p)
		return asc_err_nomem(e);
	/* A change that was said on an earlier night is no discovery of this one. */
	for (size_t i = 0; i < n; i++)
		p[i] = is_known(&list[i]) && list[i].said_p <= strictest ? 1 : list[i].p;
	qsort(p, n, sizeof *p, compare);
	/* Benjamini and Hochberg: the greatest p_(i) <= i q / n, and all that are less. */
	for (size_t i = 0; i < n; i++)
		if (p[i] <= (double)(i + 1) * strictest)
			limit = p[i];
	free(p);
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = apply_limit(&list[i], limit, strictest, e)
				 ? e->status
				 : apply_floor(&list[i], rule, strictest, e);
	return status;
}

int track_series_compare(const struct track_series *a, const struct track_series *b)
{
	double by = fabs(b->change_pct) - fabs(a->change_pct);

	if (!a->ack.reason != !b->ack.reason && a->verdict == b->verdict)
		return a->ack.reason ? 1 : -1;
	if (a->verdict != b->verdict)
		return (int)a->verdict - (int)b->verdict;
	if (by > 0 || by < 0)
		return by > 0 ? 1 : -1;
	return (a > b) - (a < b); /* addresses in one list: the order in which they were read */
}

int track_identity_compare(const char *const *a, const char *const *b, size_t n)
{
	int order = 0;

	for (size_t i = 0; i < n && order == 0; i++)
		order = strcmp(a[i] ? a[i] : "", b[i] ? b[i] : "");
	return order;
}

int track_series_compare_kernels(const struct track_series *a, const struct track_series *b)
{
	return track_identity_compare(
		(const char *const[]){a->device, a->workload, a->problem, a->cache},
		(const char *const[]){b->device, b->workload, b->problem, b->cache}, 4);
}

bool track_series_is_short(const struct track_series *s)
{
	return s->verdict == TRACK_UNDECIDED && !s->changed && s->n < CHANGEPOINT_POINTS;
}

bool track_series_is_counted(const struct track_series *s)
{
	return !s->is_baseline || s->verdict == TRACK_BROKEN;
}

bool track_series_fails(const struct track_series *s)
{
	return track_verdict_fails(s->verdict) && track_series_is_counted(s) && !s->ack.reason &&
	       !s->by_machine;
}

bool track_series_is_skipped(const struct track_series *s)
{
	return !track_series_fails(s) &&
	       (track_verdict_fails(s->verdict) || s->verdict == TRACK_UNDECIDED);
}
