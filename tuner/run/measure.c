#include "tuner/run/measure.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tuner/model/result.h"

enum { FIRST_CAPACITY = 32 };

void measure_fini(struct measure *m)
{
	free(m->samples);
	free(m->notes);
	*m = (struct measure){0};
}

int64_t measure_group(const struct rule *r, int64_t launch_ns)
{
	int64_t one = launch_ns > 0 ? launch_ns : 1;
	int64_t n = r->sample_ns / one + (r->sample_ns % one != 0);

	if (n < 1)
		return 1;
	return n < MEASURE_MAX_LAUNCHES ? n : MEASURE_MAX_LAUNCHES;
}

int64_t measure_per_launch(int64_t ns, int64_t launches)
{
	return (ns + launches / 2) / launches;
}

int64_t measure_next(struct measure *m)
{
	if (m->decision.verdict != STOP_NOT_YET)
		return 0;
	if (m->warmups < m->rule->warmup)
		return 1;
	if (m->launches == 0)
		m->launches = measure_group(m->rule, m->estimate_ns);
	return m->launches;
}

static enum asc_status grow(struct measure *m, struct asc_err *e)
{
	size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
	int64_t *samples = realloc(m->samples, capacity * sizeof *samples);

	if (!samples)
		return asc_err_nomem(e);
	m->samples = samples;
	int64_t *notes = realloc(m->notes, capacity * sizeof *notes);
	if (!notes)
		return asc_err_nomem(e);
	m->notes = notes;
	m->capacity = capacity;
	return ASC_OK;
}

static enum asc_status keep_sample(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	if (m->n_samples == m->capacity && grow(m, e))
		return e->status;
	m->samples[m->n_samples] = measure_per_launch(ns, m->launches);
	m->notes[m->n_samples++] = note;
	return ASC_OK;
}

static bool may_retake(const struct measure *m)
{
	return (double)m->retaken + 1 <= m->rule->extra * (double)m->rule->max_samples;
}

static enum asc_status add_sample(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	m->spent_ns += ns;
	if ((note & RESULT_MARKS) && may_retake(m)) {
		m->retaken++;
		return ASC_OK;
	}
	if (keep_sample(m, ns, note, e))
		return e->status;
	const struct stop_state state = {.rule = m->rule,
					 .samples = m->samples,
					 .notes = m->notes,
					 .n = m->n_samples,
					 .spent_ns = m->spent_ns,
					 .best = m->best};
	return stop_check(&state, &m->decision, e);
}

enum asc_status measure_begin(struct measure *m, const struct rule *rule, const struct rival *best,
			      int64_t first_ns, int64_t note, struct asc_err *e)
{
	*m = (struct measure){.rule = rule, .best = best, .estimate_ns = first_ns};
	if (!(note & RESULT_MARKS))
		stop_check_first(rule, best, first_ns, &m->decision);
	if (m->decision.verdict != STOP_SLOW)
		return ASC_OK;
	m->launches = 1;
	return keep_sample(m, first_ns, note, e);
}

enum asc_status measure_add(struct measure *m, int64_t ns, int64_t note, struct asc_err *e)
{
	if (m->launches > 0)
		return add_sample(m, ns, note, e);
	m->warmups++;
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
	if (m->decision.verdict == STOP_SLOW && out->status == RESULT_OK)
		result_set(out, RESULT_SLOW, PHASE_MEASURE, "%s", m->decision.reason);
	return result_summarize(out, e);
}
