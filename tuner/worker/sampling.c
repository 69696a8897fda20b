#include "tuner/worker/sampling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/stats/stats.h"
#include "tuner/result/result.h"

enum {
	FEW_CLEAN = 3,         /* clean samples that make an incumbent: as min_samples */
	LONGEST_NS = 100000000 /* kernel time of samples taken at once: progress and time limits are
				  looked at between them */
};

/* Ratio to the incumbent's median beyond which the fastest of a few samples decides: disturbances
 * hardly ever double all of them. */
static const double FAR = 2;

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

static enum asc_status summarize(const struct sampling *s, struct stats_summary *out,
				 struct asc_err *e)
{
	int64_t *sorted = malloc(s->n_samples * sizeof *sorted);

	if (!sorted)
		return asc_err_nomem(e);
	memcpy(sorted, s->samples, s->n_samples * sizeof *sorted);
	stats_summarize(sorted, s->n_samples, out);
	free(sorted);
	return ASC_OK;
}

/* Time `ns` at the incumbent's clock, where the power limit held the own one below that: a
 * difference in time that is none in cycles is one of clocks, which the finals, where both run in
 * the same moments, are to judge. */
static double at_incumbent_clock(const struct sampling *s, double ns)
{
	int64_t marks;
	double mhz = result_clock_mhz(s->notes, s->n_samples, &marks);

	if (!(marks & RESULT_POWER_CAPPED) || mhz <= 0 || mhz >= s->best_mhz)
		return ns;
	return ns * mhz / s->best_mhz;
}

/* Rank test of the clean samples against the incumbent's. It decides only where the medians differ
 * that way too: ranks alone may call a faster one slow when the distributions have different
 * shapes. A configuration within `near` is not slow, since it was measured in another moment than
 * the incumbent: it has enough samples, and the finals decide. */
static enum asc_status check_race(const struct sampling *s, struct stop_decision *out,
				  struct asc_err *e)
{
	const struct policy *r = s->policy;
	const struct incumbent *best = s->best;
	struct stats_summary own;

	if (best->n == 0 || !policy_is_check(r, (int64_t)s->n_samples))
		return ASC_OK;
	int64_t *clean = malloc(s->n_samples * sizeof *clean);
	if (!clean)
		return asc_err_nomem(e);
	const size_t n = result_copy_clean(s->samples, s->notes, s->n_samples, clean);

	if (n > 0) {
		stats_summarize(clean, n, &own);
		const bool near =
			at_incumbent_clock(s, own.median) <= r->tests.near * best->median_ns;
		const double p = near ? r->tests.p_near : r->tests.p_slow;

		if (own.median > best->median_ns &&
		    rank_test_longer(clean, n, best->samples, best->n) < p) {
			out->verdict = near ? STOP_ENOUGH : STOP_SLOW;
			out->ratio = own.median / best->median_ns;
			(void)snprintf(out->reason, sizeof out->reason,
				       "p < %g after %zu samples: %.3g x the best", r->tests.p_slow,
				       s->n_samples, out->ratio);
		}
	}
	free(clean);
	return ASC_OK;
}

/* Ends sampling at a limit. A configuration that is mostly marked and not faster all the same is
 * undecided. */
static enum asc_status check_limit(const struct sampling *s, struct stop_decision *out,
				   struct asc_err *e)
{
	const struct policy *r = s->policy;
	const int64_t n = (int64_t)s->n_samples;
	struct stats_summary own = {0};
	size_t marked = 0;

	if (n < r->sampling.min_samples ||
	    (n < r->sampling.max_samples && s->spent_ns < r->sampling.max_ns))
		return ASC_OK;
	out->verdict = STOP_ENOUGH;
	for (size_t i = 0; s->notes && i < s->n_samples; i++)
		marked += (s->notes[i] & RESULT_MARKS) != 0;
	/* A configuration with as many clean samples as marked ones is judged by the race; without
	 * checks (--repeats) nothing is judged. */
	if (s->best->n == 0 || r->tests.checks[0] == 0 || 2 * marked <= s->n_samples)
		return ASC_OK;
	if (summarize(s, &own, e))
		return e->status;
	if (own.median <= s->best->median_ns)
		return ASC_OK;
	out->verdict = STOP_UNDECIDED;
	(void)snprintf(out->reason, sizeof out->reason,
		       "%zu of %zu samples were disturbed: %.3g x the best", marked, s->n_samples,
		       own.median / s->best->median_ns);
	return ASC_OK;
}

static enum asc_status check_interval(const struct sampling *s, struct stop_decision *out,
				      struct asc_err *e)
{
	const struct policy *r = s->policy;
	struct stats_summary own = {0};

	if (r->sampling.half_width <= 0 || (int64_t)s->n_samples < POLICY_HALF_WIDTH_FROM ||
	    (int64_t)s->n_samples < r->sampling.min_samples ||
	    !policy_is_check(r, (int64_t)s->n_samples))
		return ASC_OK;
	if (summarize(s, &own, e))
		return e->status;
	if (own.interval.known &&
	    own.interval.high - own.interval.low <= 2 * r->sampling.half_width * own.median)
		out->verdict = STOP_ENOUGH;
	return ASC_OK;
}

/* True when the first launch is so long that the first sample may decide. */
static bool wants_second(const struct policy *r, const struct incumbent *best, int64_t first_ns)
{
	return r->race.second_cut > 0 && best->n > 0 &&
	       (double)first_ns >
		       r->race.second_cut * best->median_ns + (double)r->race.first_extra_ns;
}

/* Judges by the first launch and, behind the warm-ups, the first sample: one launch alone may have
 * been disturbed. */
static enum asc_status check_second(const struct sampling *s, struct stop_decision *out,
				    struct asc_err *e)
{
	(void)e;
	if (s->n_samples != 1 || (s->notes && (s->notes[0] & RESULT_MARKS)) ||
	    !wants_second(s->policy, s->best, s->first_ns))
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

/* Twenty samples are as long as the fastest of them says; five may all have been disturbed a bit.
 */
void stop_check_fastest(const struct sampling *s, struct stop_decision *out)
{
	const int64_t taken = (int64_t)(s->n_samples + s->retaken);
	const double cut = taken >= 4 * POLICY_DISTURBED ? s->policy->tests.near : FAR;

	if (s->best->n == 0 || taken < POLICY_DISTURBED)
		return;
	double ratio = at_incumbent_clock(s, (double)s->fastest_ns) / s->best->median_ns;
	if (ratio <= cut)
		return;
	out->verdict = STOP_SLOW;
	out->ratio = ratio;
	(void)snprintf(out->reason, sizeof out->reason,
		       "the fastest of %lld samples: %.3g x the best", (long long)taken, ratio);
}

static enum asc_status check_fastest(const struct sampling *s, struct stop_decision *out,
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

enum asc_status stop_check(const struct sampling *s, struct stop_decision *out, struct asc_err *e)
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

/* ---- samples ---- */

void sampling_fini(struct sampling *s)
{
	free(s->samples);
	free(s->notes);
	*s = (struct sampling){0};
}

int64_t sampling_group(const struct policy *r, int64_t launch_ns)
{
	int64_t one = launch_ns > 0 ? launch_ns : 1;
	int64_t n = r->sampling.sample_ns / one + (r->sampling.sample_ns % one != 0);

	if (n < 1)
		return 1;
	return n < SAMPLING_MAX_LAUNCHES ? n : SAMPLING_MAX_LAUNCHES;
}

bool sampling_is_warm(const struct policy *r, int64_t done, int64_t ns)
{
	return done >= r->sampling.warmup ||
	       (r->sampling.warmup_ns > 0 && ns >= r->sampling.warmup_ns);
}

int64_t sampling_per_launch(int64_t ns, int64_t launches)
{
	return (ns + launches / 2) / launches;
}

int64_t sampling_next(struct sampling *s)
{
	if (s->decision.verdict != STOP_NOT_YET)
		return 0;
	if (s->launches == 0 && !sampling_is_warm(s->policy, s->warmups, s->warm_ns))
		return 1;
	if (s->launches == 0)
		s->launches = s->single ? 1 : sampling_group(s->policy, s->estimate_ns);
	return s->launches;
}

/* Number of samples that fit into `ns`, by the estimate. */
static int64_t count_within(const struct sampling *s, int64_t ns)
{
	int64_t one = s->estimate_ns * (s->launches > 0 ? s->launches : 1);

	return ns / (one > 0 ? one : 1);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t sampling_ahead(const struct sampling *s)
{
	const struct policy *r = s->policy;
	const int64_t taken = (int64_t)s->n_samples;
	int64_t n;

	if (s->launches == 0) {
		/* Warm-ups: until either limit. */
		n = r->sampling.warmup - s->warmups;
		if (r->sampling.warmup_ns > 0)
			n = least(n, count_within(s, r->sampling.warmup_ns - s->warm_ns) + 1);
	} else {
		/* Samples: until the number at which a rule next decides, or time is up. */
		int64_t next = r->sampling.max_samples;
		const int64_t missing = r->sampling.min_samples - taken;
		const int64_t left = count_within(s, r->sampling.max_ns - s->spent_ns) + 1;

		for (const int64_t *c = r->tests.checks; *c; c++)
			if (*c > taken && *c < next)
				next = *c;
		if (taken == 0 && wants_second(r, s->best, s->first_ns))
			next = 1;
		n = least(next > taken ? next - taken : 1, left < missing ? missing : left);
	}
	n = least(least(n, count_within(s, LONGEST_NS)), SAMPLING_MAX_AHEAD);
	return n > 1 ? n : 1;
}

enum asc_status sampling_keep(struct sampling *s, int64_t ns, int64_t note, struct asc_err *e)
{
	size_t capacity = s->capacity; /* the same for both */

	if (!array_room(&s->samples, s->n_samples, &capacity, sizeof *s->samples) ||
	    !array_room(&s->notes, s->n_samples, &s->capacity, sizeof *s->notes))
		return asc_err_nomem(e);
	s->samples[s->n_samples] = ns;
	s->notes[s->n_samples++] = note;
	return ASC_OK;
}

void sampling_leave(struct sampling *s, const char *reason)
{
	s->decision.verdict = STOP_UNDECIDED;
	(void)snprintf(s->decision.reason, sizeof s->decision.reason, "%s", reason);
}

enum asc_status sampling_begin(struct sampling *s, const struct policy *policy,
			       const struct incumbent *best, int64_t first_ns, int64_t note,
			       struct asc_err *e)
{
	static const struct incumbent nobody;

	*s = (struct sampling){.policy = policy,
			       .best = policy_races(policy) ? best : &nobody,
			       .estimate_ns = first_ns,
			       .warm_ns = first_ns};
	s->first_ns = note & RESULT_MARKS ? 0 : first_ns; /* disturbed: says nothing */
	if (s->first_ns > 0)
		stop_check_first(policy, s->best, first_ns, &s->decision);
	if (s->decision.verdict != STOP_SLOW)
		return ASC_OK;
	s->launches = 1;
	return sampling_keep(s, first_ns, note, e);
}

enum asc_status sampling_add(struct sampling *s, int64_t ns, int64_t note, struct asc_err *e)
{
	const struct policy *r = s->policy;

	if (s->decision.verdict != STOP_NOT_YET)
		return ASC_OK;
	if (s->launches == 0) {
		s->warmups++;
		s->warm_ns += ns;
		s->estimate_ns = ns;
		return ASC_OK;
	}
	const int64_t one = sampling_per_launch(ns, s->launches);

	s->spent_ns += ns;
	if (s->fastest_ns == 0 || one < s->fastest_ns)
		s->fastest_ns = one;
	/* A marked sample is dropped, to be taken again, unless the fastest so far decides: then it
	 * is kept, as one of those that the verdict rests on. */
	if ((note & RESULT_MARKS) && s->spent_ns < r->sampling.max_ns &&
	    (double)s->retaken + 1 <= r->noise.extra * (double)r->sampling.max_samples) {
		s->retaken++;
		stop_check_fastest(s, &s->decision);
		if (s->decision.verdict == STOP_NOT_YET)
			return ASC_OK;
		s->retaken--;
		return sampling_keep(s, one, note, e);
	}
	return sampling_keep(s, one, note, e) ? e->status : stop_check(s, &s->decision, e);
}

enum asc_status sampling_end(struct sampling *s, struct result *out, struct asc_err *e)
{
	free(out->samples);
	free(out->notes);
	out->notes = s->notes;
	out->retaken = (int64_t)s->retaken;
	out->samples = s->samples;
	out->n_samples = s->n_samples;
	out->launches_per_sample = s->launches;
	s->samples = s->notes = NULL;
	s->n_samples = s->capacity = 0;
	if (s->decision.verdict != STOP_NOT_YET && s->decision.verdict != STOP_ENOUGH &&
	    out->status == RESULT_OK)
		result_set(out, s->decision.verdict == STOP_SLOW ? RESULT_SLOW : RESULT_UNDECIDED,
			   PHASE_MEASURE, "%s", s->decision.reason);
	return result_summarize(out, e);
}
