#include "reports/track/track_known.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "db/history.h"
#include "reports/track/track_confirm.h"
#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tuner/base/buf.h"

enum { MARGIN = 3 }; /* points within which the place of a change is known */

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
	find_points(s, &low, &high);
	return a->since_ms >= points[low].started_ms && a->since_ms <= points[high].started_ms;
}

static enum asc_status take_acknowledgement(struct track_series *s,
					    const struct db_acknowledgement *a, struct asc_err *e)
{
	s->acknowledged_until_ms = a->until_ms;
	enum asc_status status = keep(&s->acknowledged, a->reason, e);

	return status == ASC_OK ? keep(&s->acknowledged_by, a->who, e) : status;
}

static enum asc_status apply_acknowledgement(void *user, const struct db_acknowledgement *a,
					     struct asc_err *e)
{
	struct track_history *h = user;
	enum asc_status status = ASC_OK;

	if (a->until_ms < track_known_now_ms())
		return ASC_OK;
	for (size_t k = 0; status == ASC_OK && k < h->n_all; k++)
		if (is_acknowledged(a, &h->list[k], track_history_points(h, k)))
			status = take_acknowledgement(&h->list[k], a, e);
	return status;
}

enum asc_status track_known_acknowledge(const struct track_history *h, struct db *d,
					const char *name, const char *reason, int64_t for_ms,
					struct asc_err *e)
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
								   .who = getenv("USER"),
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

/* ---- what measuring again said ---- */

static bool is_of(const struct db_verdict *v, const struct track_series *s,
		  const struct track_point *points)
{
	size_t low, high;

	if ((s->verdict != TRACK_REGRESSION && !s->remeasured) ||
	    strcmp(v->figure, s->metric) != 0 || strcmp(v->implementation, s->implementation) != 0)
		return false;
	find_points(s, &low, &high);
	for (size_t i = low; i <= high; i++)
		if (points[i].run_id == v->run_id)
			return true;
	return false;
}

static enum asc_status take_finding(struct track_series *s, const struct db_verdict *v,
				    enum track_finding f, int64_t newest_ms, struct asc_err *e)
{
	bool lasts = f == TRACK_FINDING_CONFIRMED || f == TRACK_FINDING_DEVICE;

	s->confirmed = lasts;
	s->by_machine &= f != TRACK_FINDING_CONFIRMED;
	if (!lasts && v->made_ms < newest_ms)
		return ASC_OK;
	if (f == TRACK_FINDING_DEVICE)
		s->cause = TRACK_CAUSE_DEVICE;
	s->verdict = TRACK_REGRESSION;
	if (f == TRACK_FINDING_EQUAL)
		s->verdict = TRACK_UNCHANGED;
	if (f == TRACK_FINDING_UNDECIDED)
		s->verdict = TRACK_UNDECIDED;
	s->not_reproduced = f == TRACK_FINDING_EQUAL;
	return keep(&s->remeasured, v->note, e);
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
