#include "tuner/run/measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/model/result.h"

enum { FIRST_CAPACITY = 32 };

void measure_begin(struct measure *m, const struct rule *rule, int64_t first_ns)
{
	*m = (struct measure){.rule = rule, .estimate_ns = first_ns};
}

void measure_fini(struct measure *m)
{
	free(m->samples);
	*m = (struct measure){0};
}

/* As many as last sample_ns together. */
static int64_t group(const struct measure *m)
{
	int64_t one = m->estimate_ns > 0 ? m->estimate_ns : 1;
	int64_t n = m->rule->sample_ns / one + (m->rule->sample_ns % one != 0);

	if (n < 1)
		return 1;
	return n < MEASURE_MAX_LAUNCHES ? n : MEASURE_MAX_LAUNCHES;
}

static bool enough(const struct measure *m)
{
	int64_t n = (int64_t)m->n_samples;

	if (n < m->rule->min_samples)
		return false;
	return n >= m->rule->max_samples || m->spent_ns >= m->rule->max_ns;
}

int64_t measure_next(struct measure *m)
{
	if (m->warmups < m->rule->warmup)
		return 1;
	if (m->launches == 0)
		m->launches = group(m);
	return enough(m) ? 0 : m->launches;
}

static enum asc_status add_sample(struct measure *m, int64_t ns, struct asc_err *e)
{
	if (m->n_samples == m->capacity) {
		size_t capacity = m->capacity ? 2 * m->capacity : FIRST_CAPACITY;
		int64_t *samples = realloc(m->samples, capacity * sizeof *samples);
		if (!samples)
			return asc_err_nomem(e);
		m->samples = samples;
		m->capacity = capacity;
	}
	m->samples[m->n_samples++] = (ns + m->launches / 2) / m->launches;
	m->spent_ns += ns;
	return ASC_OK;
}

enum asc_status measure_add(struct measure *m, int64_t ns, struct asc_err *e)
{
	if (m->launches > 0)
		return add_sample(m, ns, e);
	m->warmups++;
	m->estimate_ns = ns;
	return ASC_OK;
}

enum asc_status measure_end(struct measure *m, struct result *out, struct asc_err *e)
{
	int64_t *sorted = malloc((m->n_samples + 1) * sizeof *sorted);

	if (!sorted)
		return asc_err_nomem(e);
	if (m->n_samples > 0)
		memcpy(sorted, m->samples, m->n_samples * sizeof *sorted);
	stats_summarize(sorted, m->n_samples, &out->time);
	free(sorted);
	free(out->samples);
	out->samples = m->samples;
	out->n_samples = m->n_samples;
	out->launches_per_sample = m->launches;
	m->samples = NULL;
	m->n_samples = m->capacity = 0;
	return ASC_OK;
}
