#include "reports/track/track_known.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/history.h"
#include "reports/track/track_confirm.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"

/* Points within which the place of a change is known: it moves as the points behind it come, and
 * what was said of it on one night holds on the next. */
enum { MARGIN = 3 };

int64_t track_known_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Range of points in which the series' change may lie. */
static void find_points(const struct track_series *s, size_t *low, size_t *high)
{
	*low = s->index > MARGIN ? s->index - MARGIN : 0;
	*high = s->index + MARGIN < s->n ? s->index + MARGIN : s->n - 1;
}

/* The same, where what lies beside an exact place is of another change. */
static void find_place(const struct track_series *s, size_t *low, size_t *high)
{
	find_points(s, low, high);
	if (s->step.in_rounds)
		*low = *high = s->index;
}

bool track_known_find_commits(const struct track_history *h, size_t series, const char **before,
			      const char **behind)
{
	const struct track_series *s = &h->list[series];
	const struct track_point *points = track_history_points(h, series);
	size_t low, high;

	if (!s->changed || s->index == 0)
		return false;
	find_place(s, &low, &high);
	*before = points[low > 0 ? low - 1 : 0].commit;
	*behind = points[high].commit;
	return **before && **behind && strcmp(*before, *behind) != 0;
}

static enum asc_status keep(char **to, const char *text, struct asc_err *e)
{
	free(*to);
	*to = str_dup(text ? text : "");
	return *to ? ASC_OK : asc_err_nomem(e);
}

/* ---- acknowledgements ---- */

static bool is_acknowledged(const struct db_acknowledgement *a, const struct track_series *s,
			    const struct track_point *points)
{
	size_t low, high;

	if (!track_verdict_fails(s->verdict) || strcmp(a->series, s->name) != 0)
		return false;
	if (s->verdict == TRACK_BROKEN) /* acknowledged until it passes */
		return s->n == 0 || a->since_ms > points[s->n - 1].started_ms;
	find_place(s, &low, &high);
	return a->since_ms >= points[low].started_ms && a->since_ms <= points[high].started_ms;
}

static enum asc_status apply_acknowledgement(void *user, const struct db_acknowledgement *a,
					     struct asc_err *e)
{
	struct track_history *h = user;
	enum asc_status status = ASC_OK;

	if (a->until_ms < track_known_now_ms()) /* expired */
		return ASC_OK;
	for (size_t k = 0; status == ASC_OK && k < h->n_all; k++) {
		struct track_ack *ack = &h->list[k].ack;

		if (!is_acknowledged(a, &h->list[k], track_history_points(h, k)))
			continue;
		ack->until_ms = a->until_ms;
		status = keep(&ack->reason, a->reason, e);
		if (status == ASC_OK)
			status = keep(&ack->by, a->who, e);
	}
	return status;
}

/* True where a name without the device begins the series' own: "conv/large", "conv/large loop". */
static bool has_short_name(const struct track_series *s, const char *name)
{
	const size_t device = s->device ? strlen(s->device) : 0, n = strlen(name);

	if (device == 0 || strncmp(s->name, s->device, device) != 0 || s->name[device] != ' ')
		return false;
	const char *rest = s->name + device + 1;

	return n > 0 && strncmp(rest, name, n) == 0 && (rest[n] == 0 || rest[n] == ' ');
}

enum asc_status track_known_find_name(const struct track_history *h, const char *name,
				      bool acknowledged, const char **out, struct asc_err *e)
{
	const struct track_series *found = NULL;
	size_t first = 0, n = 0;

	*out = name;
	for (size_t k = 0; k < h->n_all; k++)
		if (strcmp(h->list[k].name, name) == 0)
			return ASC_OK;
	for (size_t k = 0; k < h->n_all; k++) {
		const struct track_series *s = &h->list[k];

		if (!has_short_name(s, name) || !track_verdict_fails(s->verdict) ||
		    !s->ack.reason == acknowledged || (found && !found->tracked && s->tracked))
			continue;
		/* A series of times counts before those of its metrics, which often change with it.
		 */
		n = found && !found->tracked == !s->tracked ? n + 1 : 1;
		first = n == 1 ? k : first;
		found = s;
	}
	if (n > 1)
		return asc_err_set(e, ASC_INPUT, "%s may be \"%s\" or \"%s\"%s: which one?", name,
				   h->list[first].name, found->name,
				   n > 2 ? ", and there are more" : "");
	if (n == 1)
		*out = found->name;
	return ASC_OK;
}

enum asc_status track_known_acknowledge(const struct track_history *h, struct db *d,
					const char *name, const char *reason, const char *who,
					int64_t for_ms, struct asc_err *e)
{
	for (size_t k = 0; k < h->n_all; k++) {
		const struct track_series *s = &h->list[k];
		int64_t now = track_known_now_ms();

		if (strcmp(s->name, name) != 0)
			continue;
		if (!track_verdict_fails(s->verdict))
			return asc_err_set(e, ASC_NOTFOUND, "%s: %s, nothing to acknowledge", name,
					   track_series_words(s));
		int64_t since_ms = s->verdict == TRACK_BROKEN
					   ? s->newest_ms
					   : track_history_points(h, k)[s->index].started_ms;

		return db_acknowledge(d,
				      &(struct db_acknowledgement){.series = name,
								   .reason = reason,
								   .who = who,
								   .since_ms = since_ms,
								   .made_ms = now,
								   .until_ms = now + for_ms},
				      e);
	}
	return asc_err_set(e, ASC_NOTFOUND, "no series \"%s\"; `asctune track` names them", name);
}

static enum asc_status list_one(void *user, const struct db_acknowledgement *a, struct asc_err *e)
{
	char until[TRACK_DAY_SIZE];
	const char *who = a->who ? a->who : "";

	if (a->until_ms < track_known_now_ms())
		return ASC_OK;
	track_write_texts(user,
			  (const char *const[]){a->series, ": acknowledged until ",
						track_print_day(a->until_ms, until),
						*who ? " by " : "", who, ": ", a->reason, NULL});
	buf_add_char(user, '\n');
	return buf_check(user, e);
}

enum asc_status track_known_list(struct db *d, struct buf *out, struct asc_err *e)
{
	return db_each_acknowledgement(d, list_one, out, e);
}

/* ---- changes that rounds have shown ---- */

struct place { /* verdicts on the newest points of all series */
	struct track_history *h;
	size_t fresh; /* so many points are new */
	struct measured *list;
	size_t n, room;
};

struct measured {
	size_t series;
	int64_t run_id, started_ms, made_ms;
	double ratio;
	enum track_finding finding;
};

static enum asc_status take_measured(void *user, const struct db_verdict *v, struct asc_err *e)
{
	struct place *p = user;
	enum track_finding f;

	for (size_t k = 0; track_finding_parse(v->kind, &f) && k < p->h->n; k++) {
		const struct track_series *s = &p->h->list[k];
		/* An older one is a known change, which the points show by themselves. */
		size_t i = s->n > p->fresh ? s->n - p->fresh : 0;
		bool here = false;

		/* The times are compared first: there are as many verdicts as changes of sources.
		 */
		if (s->n == 0 || v->started_ms < s->points[i].started_ms ||
		    strcmp(v->figure, s->metric) != 0 ||
		    strcmp(v->implementation, s->implementation) != 0)
			continue;
		p->h->list[k].again.measured |= v->run_id == s->newest_run;
		for (; i < s->n && !here; i++)
			here = s->points[i].run_id == v->run_id;
		if (!here || !(v->ratio > 0))
			continue;
		if (!array_room(&p->list, p->n, &p->room, sizeof *p->list))
			return asc_err_nomem(e);
		p->list[p->n++] =
			(struct measured){k, v->run_id, v->started_ms, v->made_ms, v->ratio, f};
	}
	return ASC_OK;
}

static int newest_first(const void *a, const void *b)
{
	const struct measured *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->started_ms != y->started_ms)
		return x->started_ms > y->started_ms ? -1 : 1;
	return (x->run_id < y->run_id) - (x->run_id > y->run_id);
}

/* First point of the last segment that begins before point `k`. */
static size_t find_segment(const struct track_series *s, size_t k)
{
	size_t from = 0;

	for (size_t i = 0; i < s->found.n && s->found.list[i].index < k; i++)
		from = s->found.list[i].index;
	return from;
}

/* Puts a change at point `k`, and drops the changes that were found from there on. The level before
 * it is that of the points; the level behind it follows from the ratio of the rounds. */
static enum asc_status place_change(struct track_series *s, size_t k, double ratio,
				    struct asc_err *e)
{
	size_t from = find_segment(s, k), kept = 0;
	double values[9]; /* the newest before the change: their median outlives four bad nights */

	if (k - from > sizeof values / sizeof *values)
		from = k - sizeof values / sizeof *values;
	memcpy(values, s->values + from, (k - from) * sizeof *values);
	while (kept < s->found.n && s->found.list[kept].index < k)
		kept++;
	struct changepoint *list = realloc(s->found.list, (kept + 1) * sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	s->found.list = list;
	s->found.n = kept + 1;
	s->before = stats_select_median(values, k - from);
	s->after = s->before * ratio;
	list[kept] = (struct changepoint){k, s->before, s->after, NAN, NAN, NAN};
	s->step.in_rounds = s->changed = true;
	s->index = k;
	s->verdict = TRACK_REGRESSION;
	s->change_pct = 100 * (ratio - 1);
	s->low_pct = s->high_pct = NAN;
	s->p = NAN;
	free(s->doubt); /* that of too few points, or of a newest one far off */
	s->doubt = NULL;
	return ASC_OK;
}

/* True where a change is to be put at point `k`: the points do not show it, or show another one
 * near it while the source changed here. */
static bool is_missed(const struct track_series *s, size_t k)
{
	const bool source = k > 0 && strcmp(s->points[k].code, s->points[k - 1].code) != 0;
	const bool shown =
		s->verdict == TRACK_REGRESSION && s->index + MARGIN >= k && s->index <= k + MARGIN;

	/* Nothing to place: it is broken, the change is there already, or was mended behind it. */
	if (s->verdict == TRACK_BROKEN || (s->changed && s->index == k) ||
	    (s->verdict == TRACK_IMPROVEMENT && s->index > k))
		return false;
	return !shown || source;
}

static bool has_source(const struct track_series *s, size_t a, size_t b)
{
	return strcmp(s->points[a].code, s->points[b].code) == 0;
}

static size_t find_point(const struct track_series *s, int64_t run_id)
{
	size_t k = 0;

	while (k < s->n && s->points[k].run_id != run_id)
		k++;
	return k;
}

/* True where the newest source is that of before the slow-down of list[i], or of before one that
 * led to the source of before it. `list` has the newest first. */
static bool is_reverted(const struct track_series *s, const struct measured *list, size_t n,
			size_t i)
{
	size_t k = find_point(s, list[i].run_id);

	for (size_t j = i; j < n; j++) {
		const size_t at = find_point(s, list[j].run_id);

		/* Back in time along a chain of slow-downs, list[i] first: the source that an older
		 * one began with is the one that the newer one replaced. */
		if (at == 0 || at >= s->n || has_source(s, at - 1, at) ||
		    (j > i && (list[j].finding != TRACK_FINDING_CONFIRMED || at >= k ||
			       !has_source(s, at, k - 1))))
			continue;
		if (has_source(s, at - 1, s->n - 1))
			return true;
		k = at;
	}
	return false;
}

/* True where the slow-down of a verdict stands: the source is not that of before again, and later
 * rounds have not taken more than half of it back. Rounds from before the verdict was made are in
 * its ratio: it compares with what is now. */
static bool stands(const struct track_series *s, const struct measured *list, size_t n, size_t i)
{
	const size_t k = find_point(s, list[i].run_id);
	const double half = 1 + (list[i].ratio - 1) / 2;
	double later = 1;

	if (list[i].finding != TRACK_FINDING_CONFIRMED || k == 0 || k >= s->n)
		return false;
	if (is_reverted(s, list, n, i))
		return false;
	/* Ratios of rounds multiply: each compares a source with the one before it. */
	for (size_t j = 0; j < i && !has_source(s, k, s->n - 1); j++)
		later *= list[j].made_ms > list[i].made_ms ? list[j].ratio : 1;
	return later * list[i].ratio > half;
}

/* Applies the newest of the verdicts on a series that confirms a slow-down which stands, and notes
 * the oldest one. */
static enum asc_status place_one(struct track_series *s, const struct measured *list, size_t n,
				 struct asc_err *e)
{
	size_t newest = n;

	for (size_t i = 0; i < n; i++) {
		if (!stands(s, list, n, i))
			continue;
		newest = newest < n ? newest : i;
		s->step.at = find_point(s, list[i].run_id);
		s->step.ratio = list[i].ratio;
	}
	if (newest == n)
		return ASC_OK;
	const size_t k = find_point(s, list[newest].run_id);

	return is_missed(s, k) ? place_change(s, k, list[newest].ratio, e) : ASC_OK;
}

/* First point of the newest source. */
static size_t find_source(const struct track_series *s)
{
	size_t k = s->n - 1;

	while (k > 0 && has_source(s, k - 1, k))
		k--;
	return k;
}

/* True where the source of before a change near point `at` is back, or where rounds found the
 * newest source equal to it. */
static bool is_back(const struct track_series *s, const struct measured *list, size_t n)
{
	const size_t newest = find_source(s), last = s->n - 1;
	const size_t low = s->index > MARGIN ? s->index - MARGIN : 0;
	const size_t high = s->index + MARGIN < newest ? s->index + MARGIN : newest;

	for (size_t k = low ? low : 1; k < high; k++)
		if (!has_source(s, k - 1, k) && has_source(s, k - 1, last))
			return true;
	for (size_t i = 0; i < n; i++) {
		const size_t k = find_point(s, list[i].run_id);

		if (list[i].finding == TRACK_FINDING_EQUAL && k >= low && k < high &&
		    list[i].made_ms >= s->points[newest].started_ms)
			return true;
	}
	return false;
}

/* Takes a slow-down back that the points still show, by those of a source that is gone. */
static void take_back(struct track_series *s, const struct measured *list, size_t n)
{
	size_t kept = 0;

	/* The newest point has to be nearer to the level before, too: a source alone is no time. */
	if (s->verdict != TRACK_REGRESSION || !s->changed || s->step.in_rounds || s->n == 0 ||
	    s->values[s->n - 1] > (s->before + s->after) / 2 || !is_back(s, list, n))
		return;
	while (kept < s->found.n && s->found.list[kept].index < s->index)
		kept++;
	s->found.n = kept;
	s->changed = false;
	s->verdict = TRACK_UNCHANGED;
	s->index = 0;
	s->change_pct = s->low_pct = s->high_pct = 0;
	s->p = 1;
}

enum asc_status track_known_place(struct track_history *h, struct db *d,
				  const struct track_rule *rule, struct asc_err *e)
{
	struct place p = {.h = h, .fresh = rule->fresh};
	enum asc_status status = db_each_verdict(d, take_measured, &p, e);

	/* By series, so that each gets its own part of the list. */
	if (p.n > 0)
		qsort(p.list, p.n, sizeof *p.list, newest_first);
	for (size_t k = 0, i = 0, n; status == ASC_OK && k < h->n; k++, i += n) {
		for (n = 0; i + n < p.n && p.list[i + n].series == k; n++)
			;
		const struct measured *own = n > 0 ? p.list + i : NULL;

		status = place_one(&h->list[k], own, n, e);
		if (status == ASC_OK)
			take_back(&h->list[k], own, n);
	}
	free(p.list);
	return status;
}

/* ---- what measuring again said ---- */

static bool is_of(const struct db_verdict *v, const struct track_series *s,
		  const struct track_point *points)
{
	size_t low, high;

	if (strcmp(v->figure, s->metric) != 0 || strcmp(v->implementation, s->implementation) != 0)
		return false;
	if (v->run_id == s->newest_run && s->verdict != TRACK_BROKEN)
		return true;
	if (s->verdict != TRACK_REGRESSION && !s->again.note)
		return false;
	find_points(s, &low, &high);
	for (size_t i = low; i <= high; i++)
		if (points[i].run_id == v->run_id)
			return true;
	return false;
}

/* Adds what the rounds of the newest run say beside a change that stands all the same. */
static enum asc_status add_newest(struct track_series *s, const struct db_verdict *v,
				  struct asc_err *e)
{
	if (v->run_id != s->newest_run || !s->again.note || !v->note)
		return ASC_OK;
	char *text = str_print("%s; run %" PRId64 ": %s", s->again.note, v->run_id, v->note);

	if (!text)
		return asc_err_nomem(e);
	free(s->again.note);
	s->again.note = text;
	return ASC_OK;
}

/* Applies what rounds have found, in the order of time. Rounds beside what was before are surer
 * than points of different nights: "confirmed" and "device" make a regression, "not reproduced"
 * ends it, "undecided" leaves open what was not confirmed already. Only the first two outlast the
 * next run.
 */
static enum asc_status take_finding(struct track_series *s, const struct db_verdict *v,
				    enum track_finding f, int64_t newest_ms, struct asc_err *e)
{
	bool lasts = f == TRACK_FINDING_CONFIRMED || f == TRACK_FINDING_DEVICE;

	/* Rounds about another change neither take this one back nor give it a ratio; nor do rounds
	 * without an answer. */
	if (s->again.confirmed && s->step.in_rounds && v->run_id != s->points[s->index].run_id)
		return add_newest(s, v, e);
	if (s->step.in_rounds && v->run_id != s->points[s->index].run_id)
		return ASC_OK;
	if (f == TRACK_FINDING_UNDECIDED && s->again.confirmed)
		return add_newest(s, v, e);
	s->again.confirmed = lasts;
	s->by_machine &= f != TRACK_FINDING_CONFIRMED;
	if (!lasts && v->made_ms < newest_ms) /* a newer night has points of its own */
		return ASC_OK;
	if (f == TRACK_FINDING_DEVICE)
		s->cause = TRACK_CAUSE_DEVICE;
	const bool suspect =
		s->verdict == TRACK_REGRESSION || s->newest.off_pct > 0 || s->again.note;

	if (lasts)
		s->verdict = TRACK_REGRESSION;
	else if (f == TRACK_FINDING_UNDECIDED &&
		 (suspect || s->verdict == TRACK_UNCHANGED || s->verdict == TRACK_DRIFTING))
		s->verdict = TRACK_UNDECIDED;
	/* A night that is slow for both sources says nothing of the level: one more does. */
	const bool slow_night = f == TRACK_FINDING_EQUAL && s->newest.off_pct > 0 &&
				s->newest.source_changed && s->verdict == TRACK_UNDECIDED;

	s->again.not_reproduced =
		f == TRACK_FINDING_EQUAL && suspect && !slow_night && !s->first_apart;
	if (slow_night && track_series_add_doubt(s, "equal beside the old artifact", e))
		return e->status;
	if (s->again.not_reproduced) {
		s->verdict = TRACK_UNCHANGED;
		if (s->newest.off_pct > 0) { /* it was this night's, and explained */
			free(s->doubt);
			s->doubt = NULL;
		}
	}
	return keep(&s->again.note, v->note, e);
}

/* Applies one verdict. Verdicts come oldest first: the place of a change may have moved since an
 * earlier one was made. */
static enum asc_status apply_verdict(void *user, const struct db_verdict *v, struct asc_err *e)
{
	struct track_history *h = user;
	enum asc_status status = ASC_OK;
	enum track_finding f;

	if (!track_finding_parse(v->kind, &f))
		return ASC_OK;
	for (size_t k = 0; status == ASC_OK && k < h->n_all; k++) {
		struct track_series *s = &h->list[k];
		const struct track_point *points = track_history_points(h, k);

		if (is_of(v, s, points))
			status = take_finding(s, v, f, points[s->n - 1].started_ms, e);
	}
	return status;
}

enum asc_status track_known_apply(struct track_history *h, struct db *d, struct asc_err *e)
{
	enum asc_status status = db_each_verdict(d, apply_verdict, h, e);

	return status == ASC_OK ? db_each_acknowledgement(d, apply_acknowledgement, h, e) : status;
}
