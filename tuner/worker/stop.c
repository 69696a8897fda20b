#include "tuner/worker/stop.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/stats.h"
#include "tuner/result/result.h"

enum { FEW_CLEAN = 3 };

/* ---- the incumbent ---- */

void incumbent_fini(struct incumbent *r)
{
	free(r->samples);
	*r = (struct incumbent){0};
}

enum asc_status incumbent_set(struct incumbent *r, const int64_t *samples, size_t n,
			      struct asc_err *e)
{
	struct stats_summary summary;

	incumbent_fini(r);
	if (n == 0)
		return ASC_OK;
	r->samples = malloc(n * sizeof *samples);
	if (!r->samples)
		return asc_err_nomem(e);
	memcpy(r->samples, samples, n * sizeof *samples);
	stats_summarize(r->samples, n, &summary);
	r->n = n;
	r->median_ns = summary.median;
	return ASC_OK;
}

enum asc_status incumbent_set_result(struct incumbent *r, const struct result *result,
				     struct asc_err *e)
{
	int64_t *clean = malloc((result->n_samples + 1) * sizeof *clean);

	if (!clean)
		return asc_err_nomem(e);
	size_t n = result_copy_clean(result->samples, result->notes, result->n_samples, clean);
	enum asc_status s = n >= FEW_CLEAN
				    ? incumbent_set(r, clean, n, e)
				    : incumbent_set(r, result->samples, result->n_samples, e);
	free(clean);
	return s;
}

/* ---- the rules ---- */

static enum asc_status summarize(const struct stop_state *s, struct stats_summary *out,
				 struct asc_err *e)
{
	int64_t *sorted = malloc(s->n * sizeof *sorted);

	if (!sorted)
		return asc_err_nomem(e);
	memcpy(sorted, s->samples, s->n * sizeof *sorted);
	stats_summarize(sorted, s->n, out);
	free(sorted);
	return ASC_OK;
}

/* Time `ns` at the incumbent's clock, where the power limit held the own one below that: a
 * difference in time that is none in cycles is one of clocks, which the finals, where both run in
 * the same moments, are to judge. */
static double at_incumbent_clock(const struct stop_state *s, double ns)
{
	int64_t marks;
	double mhz = result_clock_mhz(s->notes, s->n, &marks);

	if (!(marks & RESULT_POWER_CAPPED) || mhz <= 0 || mhz >= s->best->mhz)
		return ns;
	return ns * mhz / s->best->mhz;
}

/* Judges by the rank test, only where the medians differ that way too: ranks alone may call a
 * faster one slow when the distributions have different shapes. */
static void judge_race(const struct stop_state *s, int64_t *clean, size_t n,
		       struct stop_decision *out)
{
	const struct policy *r = s->policy;
	const struct incumbent *best = s->best;
	struct stats_summary own;

	if (n == 0)
		return;
	stats_summarize(clean, n, &own);
	bool near = at_incumbent_clock(s, own.median) <= r->tests.near * best->median_ns;

	if (own.median <= best->median_ns || rank_test_longer(clean, n, best->samples, best->n) >=
						     (near ? r->tests.p_near : r->tests.p_slow))
		return;
	out->verdict = near ? STOP_ENOUGH : STOP_SLOW;
	out->ratio = own.median / best->median_ns;
	(void)snprintf(out->reason, sizeof out->reason, "p < %g after %zu samples: %.3g x the best",
		       r->tests.p_slow, s->n, out->ratio);
}

static enum asc_status check_race(const struct stop_state *s, struct stop_decision *out,
				  struct asc_err *e)
{
	if (s->best->n == 0 || !policy_is_check(s->policy, (int64_t)s->n))
		return ASC_OK;
	int64_t *clean = malloc(s->n * sizeof *clean);
	if (!clean)
		return asc_err_nomem(e);
	judge_race(s, clean, result_copy_clean(s->samples, s->notes, s->n, clean), out);
	free(clean);
	return ASC_OK;
}

static size_t count_marked(const struct stop_state *s)
{
	size_t n = 0;

	for (size_t i = 0; s->notes && i < s->n; i++)
		n += (s->notes[i] & RESULT_MARKS) != 0;
	return n;
}

/* Ends sampling at a limit. A configuration that is mostly marked and not faster all the same is
 * undecided. */
static enum asc_status check_limit(const struct stop_state *s, struct stop_decision *out,
				   struct asc_err *e)
{
	const struct policy *r = s->policy;
	const int64_t n = (int64_t)s->n;
	const size_t marked = count_marked(s);
	struct stats_summary own = {0};

	if (n < r->sampling.min_samples ||
	    (n < r->sampling.max_samples && s->spent_ns < r->sampling.max_ns))
		return ASC_OK;
	out->verdict = STOP_ENOUGH;
	if (s->best->n == 0 || r->tests.checks[0] == 0 || 2 * marked <= s->n)
		return ASC_OK;
	if (summarize(s, &own, e))
		return e->status;
	if (own.median <= s->best->median_ns)
		return ASC_OK;
	out->verdict = STOP_UNDECIDED;
	(void)snprintf(out->reason, sizeof out->reason,
		       "%zu of %zu samples were disturbed: %.3g x the best", marked, s->n,
		       own.median / s->best->median_ns);
	return ASC_OK;
}

static enum asc_status check_interval(const struct stop_state *s, struct stop_decision *out,
				      struct asc_err *e)
{
	const struct policy *r = s->policy;
	struct stats_summary own = {0};

	if (r->sampling.half_width <= 0 || (int64_t)s->n < POLICY_HALF_WIDTH_FROM ||
	    (int64_t)s->n < r->sampling.min_samples || !policy_is_check(r, (int64_t)s->n))
		return ASC_OK;
	if (summarize(s, &own, e))
		return e->status;
	if (own.interval.known &&
	    own.interval.high - own.interval.low <= 2 * r->sampling.half_width * own.median)
		out->verdict = STOP_ENOUGH;
	return ASC_OK;
}

bool stop_wants_second(const struct policy *r, const struct incumbent *best, int64_t first_ns)
{
	return r->race.second_cut > 0 && best->n > 0 &&
	       (double)first_ns >
		       r->race.second_cut * best->median_ns + (double)r->race.first_extra_ns;
}

/* Judges by the first two launches, since one alone may have been disturbed. */
static enum asc_status check_second(const struct stop_state *s, struct stop_decision *out,
				    struct asc_err *e)
{
	(void)e;
	if (s->n != 1 || (s->notes && (s->notes[0] & RESULT_MARKS)) ||
	    !stop_wants_second(s->policy, s->best, s->first_ns))
		return ASC_OK;
	double ratio = at_incumbent_clock(s, (double)s->samples[0]) / s->best->median_ns;
	if (ratio <= s->policy->race.second_cut)
		return ASC_OK;
	out->verdict = STOP_SLOW;
	out->ratio = ratio;
	(void)snprintf(out->reason, sizeof out->reason, "the first two launches: %.3g x the best",
		       ratio);
	return ASC_OK;
}

void stop_check_fastest(const struct stop_state *s, struct stop_decision *out)
{
	const double cut = s->taken >= 4 * POLICY_DISTURBED ? s->policy->tests.near : 2;

	if (s->best->n == 0 || s->taken < POLICY_DISTURBED)
		return;
	double ratio = at_incumbent_clock(s, (double)s->fastest_ns) / s->best->median_ns;
	if (ratio <= cut)
		return;
	out->verdict = STOP_SLOW;
	out->ratio = ratio;
	(void)snprintf(out->reason, sizeof out->reason,
		       "the fastest of %lld samples: %.3g x the best", (long long)s->taken, ratio);
}

static enum asc_status check_fastest(const struct stop_state *s, struct stop_decision *out,
				     struct asc_err *e)
{
	(void)e;
	stop_check_fastest(s, out);
	return ASC_OK;
}

static const struct stop_ops second = {"second", "the first two launches are far beyond the best",
				       check_second};
static const struct stop_ops race = {"race", "slower than the best so far", check_race};
static const struct stop_ops fastest = {"fastest", "even the fastest sample is far beyond the best",
					check_fastest};
static const struct stop_ops limit = {"limit", "enough samples or kernel time", check_limit};
static const struct stop_ops interval = {"interval", "the interval of the median is narrow enough",
					 check_interval};

/* Rules in order, early stopping first: a slow configuration is called so, however many samples it
 * has. */
const struct stop_ops *const stop_list[] = {&second, &race, &fastest, &limit, &interval, NULL};

/* ---- all together ---- */

enum asc_status stop_check(const struct stop_state *s, struct stop_decision *out, struct asc_err *e)
{
	*out = (struct stop_decision){.verdict = STOP_NOT_YET};
	for (size_t i = 0; stop_list[i] && out->verdict == STOP_NOT_YET; i++)
		if (stop_list[i]->check(s, out, e))
			return e->status;
	return ASC_OK;
}

void stop_check_first(const struct policy *r, const struct incumbent *best, int64_t first_ns,
		      struct stop_decision *out)
{
	double ns = (double)first_ns;

	*out = (struct stop_decision){.verdict = STOP_NOT_YET};
	if (r->race.first_cut <= 0 || best->n == 0 ||
	    ns <= r->race.first_cut * best->median_ns + (double)r->race.first_extra_ns)
		return;
	out->verdict = STOP_SLOW;
	out->ratio = ns / best->median_ns;
	(void)snprintf(out->reason, sizeof out->reason, "the first launch: %.3g x the best",
		       out->ratio);
}
