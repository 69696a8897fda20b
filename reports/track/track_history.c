#include "reports/track/track_history.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/overview.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_control.h"
#include "reports/track/track_known.h"
#include "tuner/result/tracked_metric.h"

/* ---- the configuration on record ---- */

/* Follows the configuration on record from night to night. A search that finds a faster
 * configuration makes the answer better, and the kernel no faster: what won last night would take
 * the same time today. So a night whose finals have both shows the time of the one on record, and
 * what won is on record from the next night on; the points before are then scaled to it by the
 * least that it gained, so that the line has no step there. Without such finals both cannot be
 * compared, and the winner takes over as it is. */
static enum asc_status follow(struct track_series *s, struct track_point *points, struct db *d,
			      struct asc_err *e)
{
	const char *record = s->n ? points[0].config : NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct track_point *p = &points[i];
		struct db_beside on_record;
		const char *fails = NULL;
		double unit = 1;

		if (strcmp(p->config, record) == 0)
			continue;
		if (db_find_beside(d, p->run_id, s->implementation, record, p->config, &on_record,
				   e))
			return e->status;
		if (!on_record.found) { /* no finals, or the one on record failed there */
			record = p->config;
			continue;
		}
		if (on_record.slower && track_cause_find_withdrawal(d, p->run_id, s->implementation,
								    p->config, &fails, e))
			return e->status;
		/* A winner that has failed in a later run is never on record. */
		if (on_record.slower && !fails) {
			p->won = p->config;
			p->gain = on_record.gain;
			unit = on_record.least_gain;
		}
		p->config = record;
		p->trial_id = on_record.trial_id;
		p->clock_mhz = on_record.clock_mhz;
		p->ns = p->value = on_record.median_ns;
		for (size_t k = 0; p->won && k <= i; k++)
			points[k].value *= unit;
		record = p->won ? p->won : record;
	}
	const struct track_point *newest = s->n ? &points[s->n - 1] : NULL;

	if (newest && newest->won && newest->run_id == s->newest_run) {
		s->faster.config = newest->won;
		s->faster.pct = 100 * (1 - newest->gain);
	}
	if (newest)
		s->newest_ns = newest->value;
	return ASC_OK;
}

enum asc_status track_history_follow(struct track_history *h, struct db *d, struct asc_err *e)
{
	for (size_t k = 0; k < h->n; k++)
		if (follow(&h->list[k], h->points + h->first[k], d, e))
			return e->status;
	return ASC_OK;
}

/* ---- judging ---- */

static bool is_of_another_source(const struct track_point *points, size_t i)
{
	return i > 0 && strcmp(points[i].code, points[i - 1].code) != 0;
}

/* Leaves out noisy runs where most are not. The newest one may be among them; the first of another
 * source is not, nor is the one before the newest of another: both are measured beside each other,
 * whatever their noise. */
static void drop_unsteady(struct track_series *s, struct track_point *points)
{
	size_t unsteady = 0, kept = 0;

	s->newest.source_changed = s->n > 0 && points[s->n - 1].run_id == s->newest_run &&
				   is_of_another_source(points, s->n - 1);
	for (size_t i = 0; i < s->n; i++)
		unsteady += points[i].unsteady;
	/* A machine that is noisy most nights has no better ones: that is its noise. */
	if (unsteady == 0 || 2 * unsteady > s->n)
		return;
	s->newest.disturbed = points[s->n - 1].unsteady && !s->newest.source_changed;
	for (size_t i = 0; i < s->n; i++)
		if (!points[i].unsteady || is_of_another_source(points, i) ||
		    (s->newest.source_changed && i + 2 == s->n))
			points[kept++] = points[i];
	s->left_out = s->n - kept;
	s->n = kept;
}

/* Keeps a metric that was not recorded in every run from being called changed because its last
 * points are few. */
static void forget_old(const struct track_history *h, size_t series, const struct track_rule *rule)
{
	struct track_series *s = &h->list[series];
	const struct track_series *times = &h->list[s->times];

	if (!s->tracked || !s->changed || times->n <= rule->fresh)
		return;
	const struct track_point *fresh =
		track_history_points(h, s->times) + (times->n - rule->fresh);

	if (track_history_points(h, series)[s->index].started_ms >= fresh->started_ms)
		return;
	s->changed = false;
	s->verdict = TRACK_UNCHANGED;
	s->p = 1;
}

enum asc_status track_history_judge_kept(struct track_history *h, const struct track_rule *rule,
					 struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	h->values = calloc(h->n_points + 1, sizeof *h->values);
	if (!h->values)
		return asc_err_nomem(e);
	for (size_t k = 0; k < h->n_all && status == ASC_OK; k++) {
		struct track_series *s = &h->list[k];
		struct track_rule own = *rule;

		/* Each metric has a least change of its own. */
		if (s->tracked)
			own.least_pct = s->tracked->least_pct;
		for (size_t i = 0; i < s->n; i++)
			h->values[h->first[k] + i] = h->points[h->first[k] + i].value;
		s->values = h->values + h->first[k];
		s->points = track_history_points(h, k);
		status = track_series_judge(s, &own, e);
		forget_old(h, k, rule);
	}
	return status == ASC_OK ? track_series_control(h->list, h->n_all, rule, e) : status;
}

void track_history_drop_unsteady(struct track_history *h)
{
	for (size_t k = 0; k < h->n; k++)
		drop_unsteady(&h->list[k], h->points + h->first[k]);
}

enum asc_status track_history_judge(struct track_history *h, const struct track_rule *rule,
				    struct asc_err *e)
{
	track_history_drop_unsteady(h);
	return track_history_judge_kept(h, rule, e);
}

/* ---- the whole ---- */

/* Fails with what the database holds instead of a history. */
static enum asc_status refuse_empty(struct db *d, const char *path, struct asc_err *e)
{
	struct db_overview o;

	if (db_find_overview(d, &o, e))
		return e->status;
	if (o.ok_trials == 0)
		return asc_err_set(e, ASC_ABSENT, "%s: nothing was measured", path);
	return asc_err_set(e, ASC_ABSENT,
			   "%s: no history: of %" PRId64 " run%s none is a search that ended with "
			   "a measurement (run --config is no search)",
			   path, o.runs, o.runs == 1 ? "" : "s");
}

/* The way from nights to verdicts, in this order:
 * 1. Rows become series, a point for each night, of the configuration on record.
 * 2. Noisy nights go; what is left has points of the tracked metrics as well.
 * 3. Each series is judged by itself: levels, drift, newest point (track_series_judge()); then all
 *    together, for among many some change by chance (track_series_control()).
 * 4. Changes that rounds of an earlier night have shown are put where they began: they are surer
 *    than what points of different nights show, and the causes are sought there.
 * 5. Causes: what was recorded on either side of a change. Then the baselines, which explain only
 *    what no record does.
 * 6. What people and measuring again have said since comes last, over any verdict above.
 * Order, groups and words follow (track_groups.h, track_write.h). */
enum asc_status track_history_open(struct db *d, const char *path, const struct track_rule *rule,
				   struct track_history **out, struct asc_err *e)
{
	struct track_history *h;

	*out = NULL;
	if (track_history_read(d, &(struct track_choice){0}, 1, &h, e))
		return e->status;
	enum asc_status status =
		h->n == 0 ? refuse_empty(d, path, e) : track_history_follow(h, d, e);

	track_history_drop_unsteady(h);
	if (status == ASC_OK)
		status = track_metrics_add(h, d, e);
	if (status == ASC_OK)
		status = track_history_judge_kept(h, rule, e);
	if (status == ASC_OK)
		status = track_known_place(h, d, rule, e);
	for (size_t k = 0; status == ASC_OK && k < h->n_all; k++)
		status = track_cause_find(&h->list[k], track_history_points(h, k), d, e);
	if (status == ASC_OK)
		status = track_control_find_all(h, e);
	if (status == ASC_OK)
		status = track_known_apply(h, d, e);
	if (status == ASC_OK)
		*out = h;
	else
		track_history_free(h);
	return status;
}

/* ---- asking ---- */

/* The device of a series is "KIND: MODEL", with its machine where there are several of them. */
bool track_kernel_has(const struct track_kernel *k, const struct track_series *s)
{
	const char *kind = k->device_kind ? k->device_kind : "", *device = s->device;
	const char *model = k->device_model ? k->device_model : "";

	if (s->tracked ||
	    track_identity_compare((const char *const[]){s->workload, s->problem, s->cache},
				   (const char *const[]){k->workload, k->problem, k->cache}, 3) ||
	    strncmp(device, kind, strlen(kind)) != 0)
		return false;
	device += strlen(kind);
	if (strncmp(device, ": ", 2) != 0 || strncmp(device + 2, model, strlen(model)) != 0)
		return false;
	device += 2 + strlen(model);
	return !*device || !k->machine || strcmp(s->machine, k->machine) == 0;
}

const struct track_series *track_history_find_failing(const struct track_history *h,
						      const struct track_kernel *k)
{
	const struct track_series *found = NULL;

	for (size_t i = 0; i < h->n; i++) {
		const struct track_series *s = &h->list[i];

		if (!track_verdict_fails(s->verdict) || !track_kernel_has(k, s))
			continue;
		if (k->implementation && strcmp(s->implementation, k->implementation) == 0)
			return s;
		if (!found && track_series_is_counted(s))
			found = s;
	}
	return found;
}

size_t track_history_count_broken(const struct track_history *h, const struct track_kernel *k,
				  int64_t run)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n; i++)
		n += h->list[i].verdict == TRACK_BROKEN && h->list[i].newest_run == run &&
		     track_kernel_has(k, &h->list[i]);
	return n;
}
