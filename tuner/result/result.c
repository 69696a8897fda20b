#include "tuner/result/result.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/names.h"

static const char *const status_names[] = {RESULT_LIST(NAME_OF_THREE)};
static const char *const status_meanings[] = {RESULT_LIST(MEANING_OF_THREE)};

static const char *const phase_names[] = {PHASE_LIST(NAME_OF)};

const char *result_status_name(enum result_status s)
{
	return status_names[s];
}

const char *result_status_meaning(enum result_status s)
{
	return status_meanings[s];
}

bool result_status_parse(const char *name, enum result_status *out)
{
	size_t value;

	if (!name_find(status_names, sizeof status_names / sizeof *status_names, name, &value))
		return false;
	*out = (enum result_status)value;
	return true;
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
	return phase_names[p];
}

bool phase_parse(const char *name, enum phase *out)
{
	size_t value;

	if (!name_find(phase_names, sizeof phase_names / sizeof *phase_names, name, &value))
		return false;
	*out = (enum phase)value;
	return true;
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

/* A heap copy of `n` bytes; NULL for NULL. *ok is false when out of memory. */
static void *copy_bytes(const void *data, size_t n, bool *ok)
{
	void *copy = data ? malloc(n + 1) : NULL;

	if (copy)
		memcpy(copy, data, n);
	else
		*ok &= !data;
	return copy;
}

enum asc_status result_copy(const struct result *r, struct result *out, struct asc_err *e)
{
	const size_t bytes = r->n_samples * sizeof *r->samples;
	bool ok = true;

	*out = *r;
	out->reason = copy_bytes(r->reason, r->reason ? strlen(r->reason) + 1 : 0, &ok);
	out->log = copy_bytes(r->log, r->log ? strlen(r->log) + 1 : 0, &ok);
	out->samples = copy_bytes(r->samples, bytes, &ok);
	out->notes = copy_bytes(r->notes, bytes, &ok);
	out->metrics = copy_bytes(r->metrics, r->n_metrics * sizeof *r->metrics, &ok);
	if (ok)
		return ASC_OK;
	result_fini(out);
	return asc_err_nomem(e);
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
	/* One line, whatever a compiler or driver has put into it. */
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

bool result_is_clean(const int64_t *notes, size_t i)
{
	return !notes || !(notes[i] & RESULT_MARKS);
}

size_t result_copy_clean(const int64_t *samples, const int64_t *notes, size_t n, int64_t *out)
{
	size_t clean = 0;

	for (size_t i = 0; i < n; i++)
		if (result_is_clean(notes, i))
			out[clean++] = samples[i];
	return clean;
}

enum asc_status result_summarize(struct result *r, struct asc_err *e)
{
	/* Clean samples alone count where they are at least half of all: a machine that is hardly
	 * ever quiet is described by what it does. */
	bool clean = 2 * result_marked(r) <= r->n_samples;

	if (r->n_samples == 0)
		return ASC_OK;
	int64_t *sorted = malloc(r->n_samples * sizeof *sorted);
	if (!sorted)
		return asc_err_nomem(e);
	size_t n = result_copy_clean(r->samples, clean ? r->notes : NULL, r->n_samples, sorted);

	stats_summarize(sorted, n, &r->time);
	r->time.n = r->n_samples;
	free(sorted);
	return ASC_OK;
}

enum asc_status result_check_spent(const struct result *r, int64_t passed_ns, struct asc_err *e)
{
	bool holds = r->flush_ns >= 0 && r->flush_ns <= passed_ns;

	/* A kernel may have written over the worker's memory: its result counts only as far as
	 * the coordinator's own clock confirms it. */
	for (size_t i = 0; i < PHASE_COUNT; i++)
		holds &= r->spent_ns[i] >= 0 && r->spent_ns[i] <= passed_ns;
	if (!holds)
		return asc_err_set(e, ASC_PROTOCOL, "it sends times that it cannot have spent");
	/* No sample lasts less than a nanosecond. */
	if (r->retaken < 0 || r->retaken > passed_ns ||
	    (r->n_samples > 0 && r->launches_per_sample < 1))
		return asc_err_set(e, ASC_PROTOCOL, "it sends counts that cannot be");
	return ASC_OK;
}
