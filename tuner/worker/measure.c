#include "tuner/worker/measure.h"

#include <stdio.h>
#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/result/result.h"

enum { LONGEST_NS = 100000000 /* kernel time of samples taken at once */ };

void measure_fini(struct measure *m)
{
	free(m->samples);
	free(m->notes);
	*m = (struct measure){0};
}

int64_t measure_group(const struct policy *r, int64_t launch_ns)
{
	int64_t one = launch_ns > 0 ? launch_ns : 1;
	int64_t n = r->sampling.sample_ns / one + (r->sampling.sample_ns % one != 0);

	if (n < 1)
		return 1;
	return n < MEASURE_MAX_LAUNCHES ? n : MEASURE_MAX_LAUNCHES;
}

bool measure_is_warm(const struct policy *r, int64_t done, int64_t ns)
{
	return done >= r->sampling.warmup ||
	       (r->sampling.warmup_ns > 0 && ns >= r->sampling.warmup_ns);
}

int64_t measure_per_launch(int64_t ns, int64_t launches)
{
	return (ns + launches / 2) / launches;
}

int64_t measure_next(struct measure *m)
{
	if (m->decision.verdict != STOP_NOT_YET)
		return 0;
	if (m->launches == 0 && !measure_is_warm(m->policy, m->warmups, m->warm_ns))
		return 1;
	if (m->launches == 0)
		m->launches = measure_group(m->policy, m->estimate_ns);
	return m->launches;
}

/* Number of samples at which a rule next decides. */
static int64_t next_decision(const struct measure *m)
{
	const struct policy *r = m->policy;
	int64_t n = (int64_t)m->n_samples, next = r->sampling.max_samples;

	if (n == 0 && stop_wants_second(r, m->best, m->first_ns))
		return 1;
	for (const int64_t *c = r->tests.checks; *c; c++)
		if (*c > n && *c < next)
			next = *c;
	return next > n ? next : n + 1;
}

/* Number of samples that fit into `ns`, by the estimate. */
static int64_t count_within(const struct measure *m, int64_t ns)
{
	int64_t one = m->estimate_ns * (m->launches > 0 ? m->launches : 1);

	return ns / (one > 0 ? one : 1);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t warmups_ahead(const struct measure *m)
{
	const struct policy *r = m->policy;
	int64_t n = r->sampling.warmup - m->warmups;

	return r->sampling.warmup_ns > 0
		       ? least(n, count_within(m, r->sampling.warmup_ns - m->warm_ns) + 1)
		       : n;
}

static int64_t samples_ahead(const struct measure *m)
{
	const struct policy *r = m->policy;
	int64_t missing = r->sampling.min_samples - (int64_t)m->n_samples;
	int64_t left = count_within(m, r->sampling.max_ns - m->spent_ns) + 1;

	return least(next_decision(m) - (int64_t)m->n_samples, left < missing ? missing : left);
}

int64_t measure_ahead(const struct measure *m)
{
	int64_t n = m->launches > 0 ? samples_ahead(m) : warmups_ahead(m);

	n = least(least(n, count_within(m, LONGEST_NS)), MEASURE_MAX_AHEAD);
	return n > 1 ? n : 1;
}

enum asc_status measure_keep(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	size_t capacity = m->capacity; /* the same for both */

	if (!array_room(&m->samples, m->n_samples, &capacity, sizeof *m->samples) ||
	    !array_room(&m->notes, m->n_samples, &m->capacity, sizeof *m->notes))
		return asc_err_nomem(e);
	m->samples[m->n_samples] = ns;
	m->notes[m->n_samples++] = note;
	return ASC_OK;
}

void measure_leave(struct measure *m, const char *reason)
{
	m->decision.verdict = STOP_UNDECIDED;
	(void)snprintf(m->decision.reason, sizeof m->decision.reason, "%s", reason);
}

static struct stop_state state_of(const struct measure *m)
{
	return (struct stop_state){.policy = m->policy,
				   .samples = m->samples,
				   .notes = m->notes,
				   .n = m->n_samples,
				   .taken = (int64_t)(m->n_samples + m->retaken),
				   .fastest_ns = m->fastest_ns,
				   .first_ns = m->first_ns,
				   .spent_ns = m->spent_ns,
				   .best = m->best};
}

/* Drops a marked sample unless it decides. */
static enum asc_status retake_sample(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	m->retaken++;
	const struct stop_state state = state_of(m);

	stop_check_fastest(&state, &m->decision);
	if (m->decision.verdict == STOP_NOT_YET)
		return ASC_OK;
	m->retaken--;
	return measure_keep(m, ns, note, e);
}

static enum asc_status add_sample(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	const int64_t one = measure_per_launch(ns, m->launches);

	m->spent_ns += ns;
	if (m->fastest_ns == 0 || one < m->fastest_ns)
		m->fastest_ns = one;
	if ((note & RESULT_MARKS) && m->spent_ns < m->policy->sampling.max_ns &&
	    (double)m->retaken + 1 <=
		    m->policy->noise.extra * (double)m->policy->sampling.max_samples)
		return retake_sample(m, one, note, e);
	if (measure_keep(m, one, note, e))
		return e->status;
	const struct stop_state state = state_of(m);

	return stop_check(&state, &m->decision, e);
}

enum asc_status measure_begin(struct measure *m, const struct policy *policy,
			      const struct incumbent *best, int64_t first_ns, int64_t note,
			      struct asc_err *e)
{
	static const struct incumbent nobody;

	*m = (struct measure){.policy = policy,
			      .best = policy_races(policy) ? best : &nobody,
			      .estimate_ns = first_ns,
			      .warm_ns = first_ns};
	m->first_ns = note & RESULT_MARKS ? 0 : first_ns;
	if (m->first_ns > 0)
		stop_check_first(policy, m->best, first_ns, &m->decision);
	if (m->decision.verdict != STOP_SLOW)
		return ASC_OK;
	m->launches = 1;
	return measure_keep(m, first_ns, note, e);
}

enum asc_status measure_add(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	if (m->decision.verdict != STOP_NOT_YET)
		return ASC_OK;
	if (m->launches > 0)
		return add_sample(m, ns, note, e);
	m->warmups++;
	m->warm_ns += ns;
	m->estimate_ns = ns;
	return ASC_OK;
}

enum asc_status measure_end(struct measure *m, struct result *out, struct asc_err *e)
{
	free(out->samples);
	free(out->notes);
	out->notes = m->notes;
	out->retaken = (int64_t)m->retaken;
	out->samples = m->samples;
	out->n_samples = m->n_samples;
	out->launches_per_sample = m->launches;
	m->samples = m->notes = NULL;
	m->n_samples = m->capacity = 0;
	if (m->decision.verdict != STOP_NOT_YET && m->decision.verdict != STOP_ENOUGH &&
	    out->status == RESULT_OK)
		result_set(out, m->decision.verdict == STOP_SLOW ? RESULT_SLOW : RESULT_UNDECIDED,
			   PHASE_MEASURE, "%s", m->decision.reason);
	return result_summarize(out, e);
}
