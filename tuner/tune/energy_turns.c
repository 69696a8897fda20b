#include "tuner/tune/energy_turns.h"

#include <math.h>
#include <stdlib.h>

#include "probes/probe.h"
#include "tuner/base/stats/stats.h"
#include "tuner/result/profile.h"

void energy_turns_take(struct energy_turns *t, const struct metric *readings, size_t n)
{
	const size_t turn = t->n;

	for (size_t k = 0; k < ENERGY_METRICS && turn < ENERGY_TURNS; k++) {
		const size_t i =
			metrics_find(readings, n, probe_energy.name, energy_metrics[k].name);

		t->values[k][turn] = i < n ? readings[i].value : NAN; /* NaN with a reason */
	}
	if (turn < ENERGY_TURNS && t->values[ENERGY_J][turn] > 0)
		t->n++;
	else
		t->left = true;
}

/* Median over the turns in which the figure is known, with its interval; NaN: in none. */
static double find_median(const struct energy_turns *t, enum energy_metric k,
			  struct stats_interval *interval)
{
	double known[ENERGY_TURNS];
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (!isnan(t->values[k][i]))
			known[n++] = t->values[k][i];
	*interval = (struct stats_interval){false, NAN, NAN};
	return n > 0 ? stats_median(known, n, interval) : NAN;
}

void energy_turns_leave(struct energy_turns *list, size_t n)
{
	struct stats_interval interval;
	double least = INFINITY, most = INFINITY; /* the leader's median, and its worst turn */

	for (size_t i = 0; i < n; i++) {
		const double median = find_median(&list[i], ENERGY_J, &interval);

		if (list[i].n < ENERGY_FEWEST_TURNS || !(median < least))
			continue;
		least = median;
		most = 0;
		for (size_t k = 0; k < list[i].n; k++)
			most = fmax(most, list[i].values[ENERGY_J][k]);
	}
	for (size_t i = 0; i < n; i++) {
		bool more = list[i].n >= ENERGY_FEWEST_TURNS;

		for (size_t k = 0; k < list[i].n; k++)
			more &= list[i].values[ENERGY_J][k] > most;
		list[i].left |= more;
	}
}

/* Replaces the reading of that name, or adds one. */
static enum asc_status put(struct result *r, const char *name, const char *unit, double value,
			   struct asc_err *e)
{
	const size_t i = metrics_find(r->metrics, r->n_metrics, probe_energy.name, name);

	if (i == r->n_metrics)
		return result_add_metric(r, probe_energy.name, name, value, unit, e);
	r->metrics[i].value = value;
	/* The first turn may have had none. */
	free(r->metrics[i].reason);
	r->metrics[i].reason = NULL;
	return ASC_OK;
}

enum asc_status energy_turns_give(const struct energy_turns *t, struct profile *p,
				  struct asc_err *e)
{
	struct result r = {.metrics = p->readings, .n_metrics = p->n_readings};
	struct stats_interval interval, joules = {false, NAN, NAN};
	enum asc_status s = ASC_OK;

	for (enum energy_metric k = 0; k < ENERGY_METRICS && s == ASC_OK && t->n > 0; k++) {
		const bool adds = k == ENERGY_LAUNCHES || k == ENERGY_SECONDS;
		double value = find_median(t, k, &interval);

		if (isnan(value))
			continue;
		for (size_t i = 0; i < t->n && adds; i++)
			value = i == 0 ? t->values[k][0] : value + t->values[k][i];
		if (k == ENERGY_J)
			joules = interval;
		s = put(&r, energy_metrics[k].name, energy_metrics[k].unit, value, e);
	}
	/* One turn has no interval, and its range is no statement on others. */
	if (s == ASC_OK && t->n > 1)
		s = put(&r, "energy_low_j", "J", joules.low, e);
	if (s == ASC_OK && t->n > 1)
		s = put(&r, "energy_high_j", "J", joules.high, e);
	p->readings = r.metrics;
	p->n_readings = r.n_metrics;
	return s;
}
