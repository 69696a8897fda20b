#include "reports/track/track_compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "db/run_view.h"
#include "reports/results/today.h"
#include "reports/track/track_cause.h"
#include "reports/track/track_control.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/stats.h"
#include "tuner/result/baselines.h"
#include "tuner/result/tie.h"

static const double normal_95 = 1.96; /* half of a 95 % interval, in standard deviations */

struct comparing {
	const struct track_side *sides;
	struct track_comparison *out;
	struct track_history *judged[TRACK_SIDES]; /* whole histories; NULL: none */
	size_t same;                               /* kernels whose run is the same on both sides */
};

/* ---- which go together ---- */

/* Whatever the device. */
static bool is_kernel(const struct track_series *a, const struct track_series *b)
{
	return track_identity_compare(
		       (const char *const[]){a->workload, a->problem, a->cache, a->implementation},
		       (const char *const[]){b->workload, b->problem, b->cache, b->implementation},
		       4) == 0;
}

/* Finds the series of a kernel in times of a history, on its device or, where `device` is false, on
 * the only one; NULL: none, or several. */
static const struct track_series *find_kernel(const struct track_history *h,
					      const struct track_series *s, bool device)
{
	const struct track_series *found = NULL;
	size_t n = 0;

	for (size_t i = 0; h && i < h->n; i++)
		if (is_kernel(&h->list[i], s) &&
		    (!device || strcmp(h->list[i].device, s->device) == 0)) {
			found = &h->list[i];
			n++;
		}
	return n == 1 ? found : NULL;
}

/* Finds what a series of one side goes with on the other. */
static const struct track_series *
find_partner(const struct comparing *c, const struct track_series *s, enum track_side_index side)
{
	const struct track_history *own = c->out->sides[side];
	const struct track_history *other = c->out->sides[TRACK_AGAINST - side];
	const struct track_series *found = find_kernel(other, s, true);

	/* Across devices only where neither side has several: which one would be meant? */
	if (!found && find_kernel(own, s, false))
		found = find_kernel(other, s, false);
	return found;
}

static const struct track_point *newest_of(const struct track_series *s,
					   const struct track_history *h)
{
	return s->n && !s->broken ? &track_history_points(h, (size_t)(s - h->list))[s->n - 1]
				  : NULL;
}

static bool is_same_run(const struct comparing *c, const struct track_series *a,
			const struct track_series *b)
{
	return c->sides[TRACK_BASE].db == c->sides[TRACK_AGAINST].db &&
	       a->newest_run == b->newest_run;
}

/* Says why a series of one side is not compared; NULL: it is. */
static const char *find_obstacle(const struct comparing *c, const struct track_series *s,
				 enum track_side_index side)
{
	const struct track_series *other = find_partner(c, s, side);
	const struct track_series *base = side == TRACK_BASE ? s : other;

	if (!other)
		return "not measured on the other side";
	if (strcmp(s->problem_key, other->problem_key) != 0)
		return "another problem under the same name";
	if (is_same_run(c, s, other))
		return "the same run on both sides";
	return newest_of(base, c->out->sides[TRACK_BASE]) ? NULL : "nothing passed in the base";
}

/* ---- how much it changed ---- */

struct wanted {
	const char *implementation, *config;
	struct stats_summary *out;
};

static struct stats_summary summarize(int64_t n, double median, const double range[2], double low,
				      double high)
{
	return (struct stats_summary){.n = n > 0 ? (size_t)n : 1,
				      .median = median,
				      .min = isfinite(range[0]) ? range[0] : median,
				      .max = isfinite(range[1]) ? range[1] : median,
				      .interval = {isfinite(low) && isfinite(high), low, high}};
}

static enum asc_status take_record(void *user, const struct db_record *r, struct asc_err *e)
{
	(void)e;
	*(struct stats_summary *)user =
		summarize(r->n_samples, r->median_ns, (const double[]){r->min_ns, r->max_ns},
			  r->low_ns, r->high_ns);
	return ASC_OK;
}

static enum asc_status take_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	const struct wanted *w = user;

	(void)e;
	if (strcmp(f->implementation, w->implementation) == 0 &&
	    strcmp(f->config_key, w->config) == 0)
		*w->out = summarize(f->n_samples, f->median_ns,
				    (const double[]){f->min_ns, f->max_ns}, f->low_ns, f->high_ns);
	return ASC_OK;
}

/* Finds the time of a point with its interval: that of its trial, or of finals alone. */
static enum asc_status find_time(struct db *d, const struct track_point *t,
				 const char *implementation, struct stats_summary *out,
				 struct asc_err *e)
{
	struct wanted w = {implementation, t->config, out};

	*out = summarize(1, t->ns, (const double[]){t->ns, t->ns}, NAN, NAN);
	return t->trial_id ? db_find_record(d, t->trial_id, take_record, out, e)
			   : today_each_run_final(d, t->run_id, take_final, &w, e);
}

/* Standard deviation of single points of a history as a part of the newest one; 0: unknown. */
static double find_scatter(const struct comparing *c, const struct track_series *s,
			   enum track_side_index side)
{
	const struct track_series *h = find_kernel(c->judged[side], s, true);

	return h && h->n >= CHANGEPOINT_POINTS ? h->found.spread / h->values[h->n - 1] : 0;
}

static void set_change(struct track_series *s, double ratio, const struct stats_interval *i,
		       double scatter, const struct track_rule *rule)
{
	/* Both sides are single points of their histories, and scatter as these do: sqrt(2) for the
	 * difference of two. */
	const double half = normal_95 * sqrt(2) * scatter;
	const double low = fmin(i->low, ratio / (1 + half)),
		     high = fmax(i->high, ratio * (1 + half));
	const double error = log(high / low) / (2 * normal_95); /* of the logarithm */
	const bool clear = low > 1 || high < 1;

	s->change_pct = 100 * (ratio - 1);
	s->low_pct = 100 * (low - 1);
	s->high_pct = 100 * (high - 1);
	s->p = clear ? erfc(fabs(log(ratio)) / (error * sqrt(2))) : 1;
	s->changed = clear && fabs(s->change_pct) >= rule->least_pct;
	s->verdict = !s->changed ? TRACK_UNCHANGED
		     : ratio > 1 ? TRACK_REGRESSION
				 : TRACK_IMPROVEMENT;
}

static enum asc_status judge(const struct comparing *c, struct track_pair *p,
			     const struct track_series *base, const struct track_rule *rule,
			     struct asc_err *e)
{
	struct track_series *s = &p->change;
	struct stats_summary times[TRACK_SIDES];
	struct stats_interval interval;

	for (int k = TRACK_BASE; k < TRACK_SIDES; k++)
		if (find_time(c->sides[k].db, &p->points[k], s->implementation, &times[k], e))
			return e->status;
	const double ratio =
		tie_ratio_of_medians(&times[TRACK_AGAINST], &times[TRACK_BASE], &interval);
	const bool together = p->points[TRACK_BASE].of_gate && p->points[TRACK_AGAINST].of_gate;
	/* How far nights scatter says nothing of what was measured in the same rounds. */
	const double scatter = together ? 0
					: fmax(find_scatter(c, base, TRACK_BASE),
					       find_scatter(c, s, TRACK_AGAINST));

	set_change(s, ratio, &interval, scatter, rule);
	return ASC_OK;
}

/* ---- pairs ---- */

/* Fills a pair; `behind` NULL: nothing passed on that side. */
static void fill_pair(struct track_pair *p, const struct track_series *base,
		      const struct track_series *against, const struct track_point *before,
		      const struct track_point *behind)
{
	p->points[TRACK_BASE] = *before;
	p->values[TRACK_BASE] = before->ns;
	if (behind) {
		p->points[TRACK_AGAINST] = *behind;
		p->values[TRACK_AGAINST] = behind->ns;
	}
	p->base_device = base->device;
	p->other_device = strcmp(base->device, against->device) != 0;
	p->change =
		(struct track_series){.name = against->name,
				      .device = against->device,
				      .machine = against->machine,
				      .workload = against->workload,
				      .problem = against->problem,
				      .implementation = against->implementation,
				      .metric = against->metric,
				      .cache = against->cache,
				      .problem_key = against->problem_key,
				      .values = p->values,
				      .points = p->points,
				      .n = behind ? TRACK_SIDES : 1,
				      .verdict = TRACK_BROKEN,
				      .p = 1,
				      .index = TRACK_AGAINST,
				      .before = before->ns,
				      .after = behind ? behind->ns : NAN,
				      .newest_run = against->newest_run,
				      .newest_ms = against->newest_ms,
				      .newest_ns = before->ns,
				      .baseline_names = against->baseline_names,
				      .is_baseline = baselines_find(against->baseline_names,
								    against->implementation) >= 0,
				      .broken = !behind};
}

static enum asc_status add_pair(struct comparing *c, const struct track_series *base,
				const struct track_rule *rule, struct asc_err *e)
{
	struct track_comparison *out = c->out;
	const struct track_series *against = find_partner(c, base, TRACK_BASE);
	struct track_pair *p = &out->pairs[out->n++];

	fill_pair(p, base, against, newest_of(base, out->sides[TRACK_BASE]),
		  newest_of(against, out->sides[TRACK_AGAINST]));
	out->several_devices |=
		p->other_device || strcmp(p->base_device, out->pairs[0].base_device) != 0;
	return p->change.broken ? ASC_OK : judge(c, p, base, rule, e);
}

static enum asc_status add_all(struct comparing *c, const struct track_rule *rule,
			       struct asc_err *e)
{
	struct track_comparison *out = c->out;
	enum asc_status status = ASC_OK;

	for (int k = TRACK_BASE; k < TRACK_SIDES; k++)
		for (size_t i = 0; i < out->sides[k]->n && status == ASC_OK; i++) {
			const struct track_series *s = &out->sides[k]->list[i];
			const char *why = find_obstacle(c, s, k);

			if (why) {
				const struct track_series *other = find_partner(c, s, k);

				c->same += k == TRACK_BASE && other && is_same_run(c, s, other);
				out->others[out->n_others++] = (struct track_unpaired){s, k, why};
			} else if (k == TRACK_BASE)
				status = add_pair(c, s, rule, e);
		}
	return status;
}

/* The worst first, equal ones in natural order of names. */
static int compare(const void *a, const void *b)
{
	const struct track_series *x = &((const struct track_pair *)a)->change;
	const struct track_series *y = &((const struct track_pair *)b)->change;
	int order = 0;

	if (x->verdict == y->verdict && !(fabs(x->change_pct) > fabs(y->change_pct)) &&
	    !(fabs(y->change_pct) > fabs(x->change_pct))) {
		order = str_compare_natural(x->workload, y->workload);
		order = order ? order : str_compare_natural(x->problem, y->problem);
	}
	return order ? order : track_series_compare(x, y);
}

/* Keeps verdicts that may be chance among so many from being called changes, and sorts. */
static enum asc_status arrange(struct track_comparison *out, const struct track_rule *rule,
			       struct asc_err *e)
{
	struct track_series *list = calloc(out->n + 1, sizeof *list);

	if (!list)
		return asc_err_nomem(e);
	/* The control takes series in one array. What it adds to them moves back with them. */
	for (size_t i = 0; i < out->n; i++)
		list[i] = out->pairs[i].change;
	const enum asc_status status = track_series_control(list, out->n, rule, e);

	for (size_t i = 0; i < out->n; i++)
		out->pairs[i].change = list[i];
	free(list);
	qsort(out->pairs, out->n, sizeof *out->pairs, compare);
	/* Sorting has moved the pairs, into which their series point. */
	for (size_t i = 0; i < out->n; i++) {
		out->pairs[i].change.values = out->pairs[i].values;
		out->pairs[i].change.points = out->pairs[i].points;
	}
	return status;
}

/* ---- the baseline as a control ---- */

/* The interval of their ratio is not narrower than the quotient of both intervals. */
static bool is_shared(const struct track_series *kernel, const struct track_series *base)
{
	return track_control_is_shared(
		log(kernel->after / kernel->before), log(base->after / base->before),
		log((1 + kernel->low_pct / 100) / (1 + base->high_pct / 100)),
		log((1 + kernel->high_pct / 100) / (1 + base->low_pct / 100)));
}

static const struct track_series *find_baseline(const struct track_comparison *c,
						const struct track_series *s)
{
	const struct track_series *first = NULL;
	int least = BASELINES_MAX;

	for (size_t k = 0; k < c->n && !s->is_baseline; k++) {
		const struct track_series *b = &c->pairs[k].change;
		const int place = baselines_find(s->baseline_names, b->implementation);

		if (place >= 0 && place < least && !b->broken && b->newest_run == s->newest_run) {
			least = place;
			first = b;
		}
	}
	return first;
}

/* Finds the cause and the baseline of each pair, and whether both changed alike and nothing
 * recorded explains it; the pairs stay where they are. */
static enum asc_status explain(const struct comparing *c, struct asc_err *e)
{
	for (size_t i = 0; i < c->out->n; i++) {
		const struct track_pair *p = &c->out->pairs[i];
		struct track_series *s = &c->out->pairs[i].change;

		s->baseline = find_baseline(c->out, s);
		if (!s->changed || p->other_device) /* another device is the explanation */
			continue;
		if (track_cause_find_between(s, p->points, c->sides[TRACK_AGAINST].db, e))
			return e->status;
		s->by_machine =
			s->baseline && s->cause == TRACK_CAUSE_SLOWER && is_shared(s, s->baseline);
	}
	return ASC_OK;
}

/* ---- reading ---- */

static enum asc_status refuse_empty(const struct track_side *s, struct asc_err *e)
{
	const struct track_choice *c = &s->choice;

	if (c->last_run)
		return asc_err_set(e, ASC_INPUT,
				   "%s: %s is no search that ended with a measurement", s->path,
				   s->name);
	return asc_err_set(e, ASC_INPUT, "%s: no search%s%s ended with a measurement", s->path,
			   c->until_ms ? " that began on "
			   : c->device ? " on "
				       : "",
			   c->until_ms || c->device ? s->name : "");
}

/* Reads `n` sides of one database, and its whole histories. */
static enum asc_status read_sides(struct comparing *c, size_t first, size_t n,
				  const struct track_rule *rule, struct asc_err *e)
{
	struct track_choice which[TRACK_SIDES + 1] = {0};
	struct track_history *read[TRACK_SIDES + 1];

	/* The whole history is the last of them: its points show how far single ones scatter. */
	for (size_t k = 0; k < n; k++)
		which[k] = c->sides[first + k].choice;
	const enum asc_status status =
		track_history_read(c->sides[first].db, which, n + 1, read, e);

	if (status != ASC_OK)
		return status;
	for (size_t k = 0; k < n; k++) {
		c->out->sides[first + k] = read[k];
		c->judged[first + k] = read[n];
	}
	for (size_t k = 0; k < n; k++)
		if (read[k]->n == 0)
			return refuse_empty(&c->sides[first + k], e);
	return track_history_judge(read[n], rule, e);
}

static enum asc_status compare_sides(struct comparing *c, const struct track_rule *rule,
				     struct asc_err *e)
{
	struct track_comparison *out = c->out;

	/* Both sides of one database are read in one pass over its trials. */
	const bool one = c->sides[TRACK_BASE].db == c->sides[TRACK_AGAINST].db;

	if (read_sides(c, TRACK_BASE, one ? TRACK_SIDES : 1, rule, e) ||
	    (!one && read_sides(c, TRACK_AGAINST, 1, rule, e)))
		return e->status;
	out->pairs = calloc(out->sides[TRACK_BASE]->n, sizeof *out->pairs);
	out->others = calloc(out->sides[TRACK_BASE]->n + out->sides[TRACK_AGAINST]->n,
			     sizeof *out->others);
	if (!out->pairs || !out->others)
		return asc_err_nomem(e);
	if (add_all(c, rule, e))
		return e->status;
	if (out->n == 0 && c->same)
		return asc_err_set(e, ASC_INPUT, "%s and %s are the same runs of %s",
				   c->sides[TRACK_BASE].name, c->sides[TRACK_AGAINST].name,
				   c->sides[TRACK_BASE].path);
	if (out->n == 0)
		return asc_err_set(
			e, ASC_INPUT,
			"%s and %s have no kernel in common that can be compared: %s/%s: "
			"%s",
			c->sides[TRACK_BASE].name, c->sides[TRACK_AGAINST].name,
			out->others->series->workload, out->others->series->problem,
			out->others->why);
	return arrange(out, rule, e) ? e->status : explain(c, e);
}

enum asc_status track_compare(const struct track_side sides[TRACK_SIDES],
			      const struct track_rule *rule, struct track_comparison **out,
			      struct asc_err *e)
{
	struct comparing c = {.sides = sides, .out = calloc(1, sizeof *c.out)};

	*out = NULL;
	if (!c.out)
		return asc_err_nomem(e);
	c.out->rule = *rule;
	const enum asc_status status = compare_sides(&c, rule, e);

	if (c.judged[TRACK_AGAINST] != c.judged[TRACK_BASE])
		track_history_free(c.judged[TRACK_AGAINST]);
	track_history_free(c.judged[TRACK_BASE]);
	if (status == ASC_OK)
		*out = c.out;
	else
		track_comparison_free(c.out);
	return status;
}

void track_comparison_free(struct track_comparison *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n; i++)
		track_series_fini(&c->pairs[i].change);
	for (int k = TRACK_BASE; k < TRACK_SIDES; k++)
		track_history_free(c->sides[k]);
	free(c->pairs);
	free(c->others);
	free(c);
}
