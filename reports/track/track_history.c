#include "reports/track/track_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/result/tracked_metric.h"

/* ---- reading ---- */

struct reader {
	const struct track_choice *which;
	struct track_history *h;
	size_t nights_room, series_room, texts_room;
};

/* Copy of a text that the history owns, or `known` when that is equal; NULL when out of memory. */
static const char *keep(struct reader *r, const char *known, const char *text)
{
	struct track_history *h = r->h;

	text = text ? text : "";
	if (known && strcmp(known, text) == 0)
		return known;
	if (!array_room(&h->texts, h->n_texts, &r->texts_room, sizeof *h->texts))
		return NULL;
	char *copy = str_dup(text);

	if (copy)
		h->texts[h->n_texts++] = copy;
	return copy;
}

static bool same(const char *a, const char *b)
{
	return strcmp(a, b ? b : "") == 0;
}

static bool belongs(const struct reader *r, const struct db_point *n, const char *device)
{
	const struct track_series *s = r->h->n ? &r->h->list[r->h->n - 1] : NULL;

	return s && same(s->device, device) && same(s->workload, n->workload) &&
	       same(s->problem, n->problem) && same(s->cache, n->cache_policy) &&
	       same(s->implementation, n->implementation);
}

static enum asc_status begin_series(struct reader *r, const struct db_point *n, const char *device,
				    struct asc_err *e)
{
	struct track_history *h = r->h;
	size_t room = r->series_room;

	if (!array_room(&h->list, h->n, &room, sizeof *h->list) ||
	    !array_room(&h->first, h->n, &r->series_room, sizeof *h->first))
		return asc_err_nomem(e);
	struct track_series *s = &h->list[h->n];
	const struct track_series *last = h->n ? s - 1 : &(struct track_series){0};
	char *name = str_print("%s %s/%s %s %s", device, n->workload, n->problem, n->implementation,
			       n->cache_policy ? n->cache_policy : "");

	if (!name)
		return asc_err_nomem(e);
	*s = (struct track_series){.device = keep(r, last->device, device),
				   .machine = keep(r, last->machine, n->machine),
				   .workload = keep(r, last->workload, n->workload),
				   .problem = keep(r, last->problem, n->problem),
				   .cache = keep(r, last->cache, n->cache_policy),
				   .implementation =
					   keep(r, last->implementation, n->implementation),
				   .metric = TRACK_TIME,
				   .problem_key = keep(r, last->problem_key, n->problem_key),
				   .baseline_name = last->baseline_name,
				   .name = keep(r, NULL, name)};
	free(name);
	if (!s->device || !s->machine || !s->workload || !s->problem || !s->cache ||
	    !s->implementation || !s->name || !s->problem_key)
		return asc_err_nomem(e);
	h->first[h->n++] = h->n_points;
	return ASC_OK;
}

/* Another problem under the old name begins a new history. */
static enum asc_status check_problem(struct reader *r, const struct db_point *n, struct asc_err *e)
{
	struct track_series *s = &r->h->list[r->h->n - 1];

	if (same(s->problem_key, n->problem_key))
		return ASC_OK;
	s->problem_key = keep(r, NULL, n->problem_key);
	r->h->n_points -= s->n;
	s->n = 0;
	s->newest_ns = 0;
	return s->problem_key ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status add_night(struct reader *r, const struct db_point *n, struct asc_err *e)
{
	struct track_history *h = r->h;
	struct track_series *s = &h->list[h->n - 1];

	if (!array_room(&h->points, h->n_points, &r->nights_room, sizeof *h->points))
		return asc_err_nomem(e);
	struct track_point *t = &h->points[h->n_points];
	const struct track_point *last = s->n ? t - 1 : &(struct track_point){0};

	*t = (struct track_point){.config = keep(r, last->config, n->config_key),
				  .fingerprint = keep(r, last->fingerprint, n->fingerprint),
				  .driver = keep(r, last->driver, n->driver),
				  .arch = keep(r, last->arch, n->arch),
				  .clock = keep(r, last->clock, n->clock),
				  .code = keep(r, last->code, n->implementation_key),
				  .toolchain = keep(r, last->toolchain, n->toolchain),
				  .version = keep(r, last->version, n->version),
				  .commit = keep(r, last->commit, n->commit),
				  .run_id = n->run_id,
				  .trial_id = n->trial_id,
				  .started_ms = n->started_ms,
				  .ns = n->median_ns,
				  .value = n->median_ns,
				  .clock_mhz = n->clock_mhz,
				  .unsteady = n->unsteady};
	if (!t->config || !t->fingerprint || !t->driver || !t->arch || !t->clock || !t->code ||
	    !t->toolchain || !t->version || !t->commit)
		return asc_err_nomem(e);
	h->n_points++;
	s->n++;
	s->newest_ns = n->median_ns;
	return ASC_OK;
}

char *track_history_device(const char *kind, const char *model, const char *machine)
{
	return str_print("%s: %s%s%s", kind, model ? model : "", machine && *machine ? " " : "",
			 machine ? machine : "");
}

static bool is_chosen(const struct track_choice *c, const struct db_point *n)
{
	return (!c->run_id || c->run_id == n->run_id) &&
	       (!c->until_ms || (c->from_ms <= n->started_ms && n->started_ms < c->until_ms)) &&
	       (!c->device || same(c->device, n->device_model));
}

static enum asc_status take_point(struct reader *r, const struct db_point *n, struct asc_err *e)
{
	char *device = track_history_device(n->device_kind, n->device_model, n->machine);
	const bool measured = isfinite(n->median_ns), broken = n->failed > 0 && n->passed == 0;
	enum asc_status status = device ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && !belongs(r, n, device)) {
		if (!measured && !broken) {
			free(device);
			return ASC_OK;
		}
		status = begin_series(r, n, device, e);
	}
	free(device);
	if (status == ASC_OK)
		status = check_problem(r, n, e);
	if (status == ASC_OK && measured)
		status = add_night(r, n, e);
	if (status != ASC_OK)
		return status;
	struct track_series *s = &r->h->list[r->h->n - 1];

	s->baseline_name = keep(r, s->baseline_name, n->baseline);
	if (!s->baseline_name)
		return asc_err_nomem(e);
	s->broken = broken && !measured;
	s->wanted_pct = n->threshold_pct;
	s->newest_run = n->run_id;
	s->newest_ms = n->started_ms;
	if (s->newest_ms > r->h->newest_ms)
		r->h->newest_ms = s->newest_ms;
	return ASC_OK;
}

struct readers {
	struct reader *list;
	size_t n;
};

static enum asc_status read_point(void *user, const struct db_point *n, struct asc_err *e)
{
	const struct readers *all = user;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < all->n && status == ASC_OK; i++)
		if (is_chosen(all->list[i].which, n))
			status = take_point(&all->list[i], n, e);
	return status;
}

/* ---- the configuration on record ---- */

static enum asc_status follow(struct track_series *s, struct track_point *points, struct db *d,
			      struct asc_err *e)
{
	const char *record = s->n ? points[0].config : NULL;

	for (size_t i = 0; i < s->n; i++) {
		struct track_point *p = &points[i];
		struct db_beside on_record;
		const char *fails = NULL;
		double unit = 1;
		bool found;

		if (strcmp(p->config, record) == 0)
			continue;
		if (db_find_beside(d, p->run_id, s->implementation, record, p->config, &on_record,
				   &found, e))
			return e->status;
		if (!found) {
			record = p->config;
			continue;
		}
		if (on_record.slower &&
		    db_find_withdrawal(d, p->run_id, s->implementation, p->config, &fails, e))
			return e->status;
		if (on_record.slower && !fails) { /* nor has it failed in a later run */
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
		s->found_config = newest->won;
		s->found_pct = 100 * (1 - newest->gain);
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

	s->source_changed = s->n > 0 && points[s->n - 1].run_id == s->newest_run &&
			    is_of_another_source(points, s->n - 1);
	for (size_t i = 0; i < s->n; i++)
		unsteady += points[i].unsteady;
	if (unsteady == 0 || 2 * unsteady > s->n)
		return;
	s->newest_disturbed = points[s->n - 1].unsteady && !s->source_changed;
	for (size_t i = 0; i < s->n; i++)
		if (!points[i].unsteady || is_of_another_source(points, i) ||
		    (s->source_changed && i + 2 == s->n))
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

enum asc_status track_history_read(struct db *d, const struct track_choice *which, size_t n,
				   struct track_history **out, struct asc_err *e)
{
	struct readers all = {calloc(n, sizeof *all.list), n};
	bool complete = all.list != NULL;

	for (size_t i = 0; i < n; i++) {
		out[i] = calloc(1, sizeof *out[i]);
		complete &= out[i] != NULL;
		if (all.list)
			all.list[i] = (struct reader){.which = &which[i], .h = out[i]};
	}
	const enum asc_status status =
		complete ? db_each_point(d, read_point, &all, e) : asc_err_nomem(e);

	free(all.list);
	for (size_t i = 0; i < n; i++)
		if (status == ASC_OK) {
			out[i]->n_all = out[i]->n;
		} else {
			track_history_free(out[i]);
			out[i] = NULL;
		}
	return status;
}

void track_history_free(struct track_history *h)
{
	if (!h)
		return;
	for (size_t k = 0; k < h->n_all; k++)
		track_series_fini(&h->list[k]);
	for (size_t k = 0; k < h->n_texts; k++)
		free(h->texts[k]);
	free(h->texts);
	free(h->list);
	free(h->first);
	free(h->points);
	free(h->values);
	free(h);
}

const struct track_point *track_history_points(const struct track_history *h, size_t series)
{
	return h->points + h->first[series];
}

/* The device of a series is "KIND: MODEL", with its machine where there are several of them. */
bool track_kernel_has(const struct track_kernel *k, const struct track_series *s)
{
	const char *kind = k->device_kind ? k->device_kind : "", *device = s->device;
	const char *model = k->device_model ? k->device_model : "";

	if (s->tracked || !same(s->workload, k->workload) || !same(s->problem, k->problem) ||
	    !same(s->cache, k->cache) || strncmp(device, kind, strlen(kind)) != 0)
		return false;
	device += strlen(kind);
	if (strncmp(device, ": ", 2) != 0 || strncmp(device + 2, model, strlen(model)) != 0)
		return false;
	device += 2 + strlen(model);
	return !*device || !k->machine || same(s->machine, k->machine);
}

const struct track_series *track_history_find_failing(const struct track_history *h,
						      const struct track_kernel *k)
{
	const struct track_series *found = NULL;

	for (size_t i = 0; i < h->n; i++) {
		const struct track_series *s = &h->list[i];

		if (!track_verdict_fails(s->verdict) || !track_kernel_has(k, s))
			continue;
		if (k->implementation && same(s->implementation, k->implementation))
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
