#include "tuner/model/result.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *meaning;
} status_table[] = {
#define X(id, name, meaning) {name, meaning},
	RESULT_LIST(X)
#undef X
};

static const char *const phase_table[] = {
#define X(id, name) name,
	PHASE_LIST(X)
#undef X
};

const char *result_status_name(enum result_status s)
{
	return status_table[s].name;
}

const char *result_status_meaning(enum result_status s)
{
	return status_table[s].meaning;
}

bool result_status_parse(const char *name, enum result_status *out)
{
	for (int i = 0; i < RESULT_STATUS_COUNT; i++) {
		if (strcmp(name, status_table[i].name) == 0) {
			*out = (enum result_status)i;
			return true;
		}
	}
	return false;
}

bool result_status_timed(enum result_status s)
{
	return s == RESULT_OK || s == RESULT_SLOW || s == RESULT_UNDECIDED;
}

bool result_status_failed(enum result_status s)
{
	return !result_status_timed(s) && s != RESULT_PLANNED;
}

const char *phase_name(enum phase p)
{
	return phase_table[p];
}

bool phase_parse(const char *name, enum phase *out)
{
	for (int i = 0; i < PHASE_COUNT; i++) {
		if (strcmp(name, phase_table[i]) == 0) {
			*out = (enum phase)i;
			return true;
		}
	}
	return false;
}

void result_init(struct result *r)
{
	*r = (struct result){.launches_per_sample = 1, .order = -1};
}

void result_fini(struct result *r)
{
	free(r->reason);
	free(r->log);
	free(r->samples);
	free(r->notes);
	free(r->metrics);
	result_init(r);
}

void result_set(struct result *r, enum result_status status, enum phase phase, const char *format,
		...)
{
	char *reason = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&reason, format, args) < 0)
		reason = NULL; /* out of memory: the status' meaning has to do */
	va_end(args);
	for (char *c = reason; c && *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	}
	free(r->reason);
	r->reason = reason;
	r->status = status;
	r->phase = phase;
}

enum asc_status result_add_metric(struct result *r, const char *probe, const char *name,
				  double value, const char *unit, struct asc_err *e)
{
	struct metric m = {.value = value};

	const int probe_len = snprintf(m.probe, sizeof m.probe, "%s", probe);
	const int name_len = snprintf(m.name, sizeof m.name, "%s", name);
	const int unit_len = snprintf(m.unit, sizeof m.unit, "%s", unit);
	if ((size_t)probe_len >= sizeof m.probe || (size_t)name_len >= sizeof m.name ||
	    (size_t)unit_len >= sizeof m.unit)
		return asc_err_set(e, ASC_LIMIT,
				   "metric \"%s\" of \"%s\" in \"%s\": a name is too long", name,
				   probe, unit);
	struct metric *grown = realloc(r->metrics, (r->n_metrics + 1) * sizeof *grown);
	if (!grown)
		return asc_err_nomem(e);
	r->metrics = grown;
	r->metrics[r->n_metrics++] = m;
	return ASC_OK;
}

const char *result_reason(const struct result *r)
{
	return r->reason ? r->reason : result_status_meaning(r->status);
}

size_t result_marked(const struct result *r)
{
	size_t n = 0;

	for (size_t i = 0; r->notes && i < r->n_samples; i++)
		n += (r->notes[i] & RESULT_MARKS) != 0;
	return n;
}

int64_t result_note_mhz(int64_t note)
{
	return note >> RESULT_MHZ_SHIFT & RESULT_MHZ_MASK;
}

double result_clock_mhz(const int64_t *notes, size_t n, int64_t *marks)
{
	int64_t *sorted = malloc((n + 1) * sizeof *sorted), all = 0;
	struct stats_summary clock = {0};
	size_t known = 0;

	for (size_t i = 0; notes && i < n; i++) {
		all |= notes[i] & (RESULT_MARKS | RESULT_POWER_CAPPED);
		if (sorted && result_note_mhz(notes[i]) > 0)
			sorted[known++] = result_note_mhz(notes[i]);
	}
	if (known > 0)
		stats_summarize(sorted, known, &clock);
	free(sorted);
	if (marks)
		*marks = all;
	return clock.median;
}

/* Where at least half of the samples are without marks, only those count. */
enum asc_status result_summarize(struct result *r, struct asc_err *e)
{
	bool clean = 2 * result_marked(r) <= r->n_samples;
	size_t n = 0;

	if (r->n_samples == 0)
		return ASC_OK;
	int64_t *sorted = malloc(r->n_samples * sizeof *sorted);
	if (!sorted)
		return asc_err_nomem(e);
	for (size_t i = 0; i < r->n_samples; i++)
		if (!clean || !r->notes || !(r->notes[i] & RESULT_MARKS))
			sorted[n++] = r->samples[i];
	stats_summarize(sorted, n, &r->time);
	r->time.n = r->n_samples;
	free(sorted);
	return ASC_OK;
}
