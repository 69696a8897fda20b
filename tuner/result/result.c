#include "tuner/result/result.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/names.h"
#include "tuner/base/units.h"

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

static const char *const verified_names[] = {VERIFIED_BY_LIST(NAME_OF_THREE)};
static const char *const verified_words[] = {VERIFIED_BY_LIST(MEANING_OF_THREE)};

const char *verified_by_name(enum verified_by v)
{
	return verified_names[v];
}

const char *verified_by_words(enum verified_by v)
{
	return verified_words[v];
}

bool verified_by_parse(const char *name, enum verified_by *out)
{
	size_t value;

	if (!name_find(verified_names, sizeof verified_names / sizeof *verified_names, name,
		       &value))
		return false;
	*out = (enum verified_by)value;
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

void metrics_free(struct metric *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i].reason);
	free(list);
}

size_t metrics_find(const struct metric *list, size_t n, const char *probe, const char *name)
{
	size_t i = 0;

	while (i < n && (list[i].call != 0 || strcmp(list[i].name, name) != 0 ||
			 (probe && strcmp(list[i].probe, probe) != 0)))
		i++;
	return i;
}

double result_host_ns(const struct result *r, double device_ns)
{
	const size_t i = metrics_find(r->metrics, r->n_metrics, RESULT_KERNEL, "host_ns");

	return i < r->n_metrics && r->metrics[i].value > device_ns ? r->metrics[i].value : 0;
}

void result_print_host(double host_ns, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	buf_print(out,
		  "the host takes %s to launch it, which a program sees unless it captures a graph",
		  units_print_duration(host_ns, text));
}

void result_fini(struct result *r)
{
	free(r->reason);
	free(r->log);
	free(r->same.as);
	free(r->samples);
	free(r->notes);
	metrics_free(r->metrics, r->n_metrics);
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
	out->same.as = copy_bytes(r->same.as, r->same.as ? strlen(r->same.as) + 1 : 0, &ok);
	out->samples = copy_bytes(r->samples, bytes, &ok);
	out->notes = copy_bytes(r->notes, bytes, &ok);
	out->metrics = copy_bytes(r->metrics, r->n_metrics * sizeof *r->metrics, &ok);
	for (size_t i = 0; out->metrics && i < r->n_metrics; i++) {
		const char *reason = r->metrics[i].reason;

		out->metrics[i].reason = copy_bytes(reason, reason ? strlen(reason) + 1 : 0, &ok);
	}
	if (ok)
		return ASC_OK;
	result_fini(out);
	return asc_err_nomem(e);
}

/* Makes room for n numbers behind those that are there, of which there may be none yet. */
static bool widen(int64_t **list, size_t before, size_t n)
{
	int64_t *wider = realloc(*list, (before + n) * sizeof *wider);

	if (!wider)
		return false;
	if (!*list)
		memset(wider, 0, before * sizeof *wider);
	memset(wider + before, 0, n * sizeof *wider);
	*list = wider;
	return true;
}

enum asc_status result_add_samples(struct result *to, const struct result *from, struct asc_err *e)
{
	const size_t n = from->n_samples, before = to->n_samples;

	if (n == 0)
		return ASC_OK;
	if (!widen(&to->samples, before, n) ||
	    ((to->notes || from->notes) && !widen(&to->notes, before, n)))
		return asc_err_nomem(e);
	memcpy(to->samples + before, from->samples, n * sizeof *from->samples);
	if (from->notes)
		memcpy(to->notes + before, from->notes, n * sizeof *from->notes);
	to->n_samples += n;
	to->retaken += from->retaken;
	return result_summarize(to, e);
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

enum asc_status result_add_reading(struct result *r, const struct metric *m, const char *reason,
				   struct asc_err *e)
{
	struct metric *grown = realloc(r->metrics, (r->n_metrics + 1) * sizeof *grown);
	char *copy = reason ? str_dup(reason) : NULL;

	if (grown)
		r->metrics = grown;
	if (!grown || (reason && !copy)) {
		free(copy);
		return asc_err_nomem(e);
	}
	r->metrics[r->n_metrics] = *m;
	r->metrics[r->n_metrics].value = reason ? NAN : m->value;
	r->metrics[r->n_metrics++].reason = copy;
	return ASC_OK;
}

static enum asc_status name_metric(struct metric *m, const char *probe, const char *name,
				   const char *unit, struct asc_err *e)
{
	const int probe_len = snprintf(m->probe, sizeof m->probe, "%s", probe);
	const int name_len = snprintf(m->name, sizeof m->name, "%s", name);
	const int unit_len = snprintf(m->unit, sizeof m->unit, "%s", unit);

	if ((size_t)probe_len < sizeof m->probe && (size_t)name_len < sizeof m->name &&
	    (size_t)unit_len < sizeof m->unit)
		return ASC_OK;
	return asc_err_set(e, ASC_LIMIT, "metric \"%s\" of \"%s\" in \"%s\": a name is too long",
			   name, probe, unit);
}

enum asc_status result_add_metric(struct result *r, const char *probe, const char *name,
				  double value, const char *unit, struct asc_err *e)
{
	struct metric m = {.value = value};

	return name_metric(&m, probe, name, unit, e) ? e->status
						     : result_add_reading(r, &m, NULL, e);
}

enum asc_status result_add_missing(struct result *r, const char *probe, const char *name,
				   const char *unit, const char *reason, struct asc_err *e)
{
	struct metric m = {0};

	return name_metric(&m, probe, name, unit, e) ? e->status
						     : result_add_reading(r, &m, reason, e);
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

/* ---- as JSON ---- */

/* ---- writing ---- */

static void write_errors(const struct error_norms *n, struct json_writer *w)
{
	json_write_begin(w, "errors", '{');
	json_write_real(w, "max_abs", n->max_abs);
	json_write_real(w, "mean_abs", n->mean_abs);
	json_write_real(w, "max_rel", n->max_rel);
	json_write_int(w, "not_finite", n->not_finite);
	json_write_int(w, "bad", n->bad);
	json_write_end(w, '}');
}

static void write_metrics(const struct result *r, struct json_writer *w)
{
	json_write_begin(w, "metrics", '[');
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct metric *m = &r->metrics[i];
		json_write_begin(w, NULL, '{');
		json_write_string(w, "probe", m->probe);
		json_write_string(w, "name", m->name);
		json_write_real(w, "value", m->value);
		json_write_string(w, "unit", m->unit);
		if (m->call)
			json_write_int(w, "call", m->call);
		if (m->reason)
			json_write_string(w, "reason", m->reason);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
}

static void write_ints(const char *key, const int64_t *list, size_t n, struct json_writer *w)
{
	json_write_begin(w, key, '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(w, NULL, list[i]);
	json_write_end(w, ']');
}

static bool has_notes(const struct result *r)
{
	for (size_t i = 0; r->notes && i < r->n_samples; i++)
		if (r->notes[i])
			return true;
	return false;
}

void result_bits_print(const struct result_bits *b, struct buf *out)
{
	if (b->compared == 0)
		buf_add_str(out, "of one launch, no other compared");
	else if (b->varied == 0)
		buf_print(out, "the same in %lld launches", (long long)b->compared);
	else
		buf_print(out, "vary in %lld of %lld launches, with errors of %.3g at most",
			  (long long)b->varied, (long long)b->compared, b->varied_abs);
	if (b->sets > 0)
		buf_print(out, ", on %lld set%s of inputs", (long long)b->sets,
			  b->sets == 1 ? "" : "s");
	if (b->places > 1)
		buf_print(out, ", at %lld places", (long long)b->places);
}

static void write_bits(const struct result_bits *b, struct json_writer *w)
{
	json_write_begin(w, "bits", '{');
	json_write_string(w, "digest", b->digest);
	json_write_int(w, "compared", b->compared);
	json_write_int(w, "varied", b->varied);
	json_write_real(w, "varied_abs", b->varied_abs);
	json_write_int(w, "sets", b->sets);
	json_write_int(w, "places", b->places);
	json_write_bool(w, "wrong", b->wrong);
	json_write_end(w, '}');
}

void result_write_json(const struct result *r, struct json_writer *w)
{
	json_write_string(w, "status", result_status_name(r->status));
	json_write_string(w, "phase", phase_name(r->phase));
	if (r->reason)
		json_write_string(w, "reason", r->reason);
	if (r->log)
		json_write_string(w, "log", r->log);
	json_write_string(w, "artifact", r->artifact);
	if (*r->digest)
		json_write_string(w, "digest", r->digest);
	json_write_bool(w, "cached", r->cached);
	json_write_begin(w, "spent_ns", '{');
	for (int p = 0; p < PHASE_COUNT; p++)
		json_write_int(w, phase_name((enum phase)p), r->spent_ns[p]);
	json_write_end(w, '}');
	json_write_int(w, "flush_ns", r->flush_ns);
	json_write_int(w, "launches_per_sample", r->launches_per_sample);
	json_write_int(w, "order", r->order);
	json_write_int(w, "retaken", r->retaken);
	if (r->same.as) { /* the samples stand there */
		json_write_string(w, "same_as", r->same.as);
	} else {
		write_ints("samples_ns", r->samples, r->n_samples, w);
		if (has_notes(r))
			write_ints("notes", r->notes, r->n_samples, w);
	}
	if (r->errors.known)
		write_errors(&r->errors, w);
	if (r->verified_by != VERIFIED_NOT)
		json_write_string(w, "verified_by", verified_by_name(r->verified_by));
	if (r->bits.compared > 0 || *r->bits.digest)
		write_bits(&r->bits, w);
	if (r->n_metrics > 0)
		write_metrics(r, w);
}

/* ---- reading: `member` is the address that the field's offset gives ---- */

static enum asc_status read_status(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;
	const enum asc_status st = json_get_string(n, &name, e);

	if (st)
		return st;
	return result_status_parse(name, member) ? ASC_OK
						 : json_fail(n, e, "unknown status \"%s\"", name);
}

static enum asc_status read_phase(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;
	const enum asc_status st = json_get_string(n, &name, e);

	if (st)
		return st;
	return phase_parse(name, member) ? ASC_OK : json_fail(n, e, "unknown phase \"%s\"", name);
}

static enum asc_status read_text(const struct json_node *n, void *member, struct asc_err *e)
{
	char **to = member;
	const char *text;
	const enum asc_status st = json_get_string(n, &text, e);

	if (st)
		return st;
	*to = str_dup(text);
	return *to ? ASC_OK : asc_err_nomem(e);
}

static enum asc_status copy_text(const struct json_node *n, char *to, size_t size,
				 struct asc_err *e)
{
	const char *text;
	const enum asc_status st = json_get_string(n, &text, e);

	if (st)
		return st;
	if (strlen(text) >= size)
		return json_fail(n, e, "expected at most %zu bytes", size - 1);
	memcpy(to, text, strlen(text) + 1);
	return ASC_OK;
}

static enum asc_status read_artifact(const struct json_node *n, void *member, struct asc_err *e)
{
	return copy_text(n, member, sizeof((struct result){0}.artifact), e);
}

static enum asc_status read_digest(const struct json_node *n, void *member, struct asc_err *e)
{
	return copy_text(n, member, sizeof((struct result){0}.digest), e);
}

/* Reads a number; null is one that is not finite, for which JSON has no other form. */
static enum asc_status read_real(const struct json_node *n, void *member, struct asc_err *e)
{
	double *to = member;
	struct value v = value_real(NAN);
	const enum asc_status st = json_type(n) == JSON_NULL ? ASC_OK : json_get_value(n, &v, e);

	*to = st ? 0 : value_as_real(v);
	return st;
}

static enum asc_status read_spent(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct json_field fields[] = {
#define X(id, name) {name, JSON_AS_INT, false, sizeof(int64_t) * PHASE_##id, NULL, NULL},
		PHASE_LIST(X)
#undef X
			{0}};
	static const struct json_spec spec = {"spent_ns", fields};

	return json_read_object(n, &spec, member, e);
}

static enum asc_status read_ints(const struct json_node *n, int64_t **out, size_t *count,
				 struct asc_err *e)
{
	int64_t *list = NULL;

	*count = json_count(n);
	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	if (*count == 0)
		return ASC_OK;
	free(*out);
	*out = list = malloc(*count * sizeof *list);
	if (!list)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); i; i = json_next(i))
		if (json_get_int(i, list++, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status read_samples(const struct json_node *n, void *member, struct asc_err *e)
{
	struct result *r = member;

	if (r->notes)
		return json_fail(n, e, "expected before \"notes\"");
	return read_ints(n, &r->samples, &r->n_samples, e);
}

/* Reads the notes, which follow their samples. */
static enum asc_status read_notes(const struct json_node *n, void *member, struct asc_err *e)
{
	struct result *r = member;
	size_t count;

	if (read_ints(n, &r->notes, &count, e))
		return e->status;
	return count == r->n_samples
		       ? ASC_OK
		       : json_fail(n, e, "%zu notes of %zu samples", count, r->n_samples);
}

static enum asc_status read_verified_by(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;

	if (json_get_string(n, &name, e))
		return e->status;
	return verified_by_parse(name, member)
		       ? ASC_OK
		       : json_fail(n, e, "nothing is verified by \"%s\"", name);
}

static enum asc_status read_errors(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"max_abs", JSON_AS_CUSTOM, true, offsetof(struct error_norms, max_abs), read_real,
		 NULL},
		{"mean_abs", JSON_AS_CUSTOM, true, offsetof(struct error_norms, mean_abs),
		 read_real, NULL},
		{"max_rel", JSON_AS_CUSTOM, true, offsetof(struct error_norms, max_rel), read_real,
		 NULL},
		{"not_finite", JSON_AS_INT, true, offsetof(struct error_norms, not_finite), NULL,
		 NULL},
		{"bad", JSON_AS_INT, true, offsetof(struct error_norms, bad), NULL, NULL},
		{0}};
	static const struct json_spec spec = {"errors", fields};
	struct error_norms *norms = member;

	norms->known = true;
	return json_read_object(n, &spec, norms, e);
}

static enum asc_status read_bits_digest(const struct json_node *n, void *member, struct asc_err *e)
{
	return copy_text(n, member, sizeof((struct result_bits){0}.digest), e);
}

static enum asc_status read_bits(const struct json_node *n, void *member, struct asc_err *e)
{
#define AT(member) offsetof(struct result_bits, member)
	static const struct json_field fields[] = {
		{"digest", JSON_AS_CUSTOM, true, AT(digest), read_bits_digest, NULL},
		{"compared", JSON_AS_INT, true, AT(compared), NULL, NULL},
		{"varied", JSON_AS_INT, true, AT(varied), NULL, NULL},
		{"varied_abs", JSON_AS_CUSTOM, true, AT(varied_abs), read_real, NULL},
		{"sets", JSON_AS_INT, true, AT(sets), NULL, NULL},
		{"places", JSON_AS_INT, true, AT(places), NULL, NULL},
		{"wrong", JSON_AS_BOOL, true, AT(wrong), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"bits", fields};

	return json_read_object(n, &spec, member, e);
}

struct metric_text { /* a metric as it stands in the document */
	const char *probe, *name, *unit, *reason;
	double value;
	int64_t call;
};

static enum asc_status read_metric(const struct json_node *n, struct result *r, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"probe", JSON_AS_STRING, true, offsetof(struct metric_text, probe), NULL, NULL},
		{"name", JSON_AS_STRING, true, offsetof(struct metric_text, name), NULL, NULL},
		{"value", JSON_AS_CUSTOM, true, offsetof(struct metric_text, value), read_real,
		 NULL},
		{"unit", JSON_AS_STRING, true, offsetof(struct metric_text, unit), NULL, NULL},
		{"call", JSON_AS_INT, false, offsetof(struct metric_text, call), NULL, NULL},
		{"reason", JSON_AS_STRING, false, offsetof(struct metric_text, reason), NULL, NULL},
		{0}};
	static const struct json_spec spec = {"metric", fields};
	struct metric_text t = {0};

	if (json_read_object(n, &spec, &t, e))
		return e->status;
	struct metric m = {.value = t.value};

	if (t.call < 0 || t.call > INT_MAX)
		return json_fail(n, e, "no kernel has the number %lld", (long long)t.call);
	m.call = (int)t.call;
	return name_metric(&m, t.probe, t.name, t.unit, e) ? e->status
							   : result_add_reading(r, &m, t.reason, e);
}

static enum asc_status read_metrics(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
		const enum asc_status st = read_metric(i, member, e);
		if (st)
			return st;
	}
	return ASC_OK;
}

/* samples_ns and metrics fill two members each and so are given the whole result. A result may
 * stand in a message of the worker, beside the message's own members. */
static const struct json_field result_fields[] = {
	{"status", JSON_AS_CUSTOM, true, offsetof(struct result, status), read_status, NULL},
	{"phase", JSON_AS_CUSTOM, true, offsetof(struct result, phase), read_phase, NULL},
	{"reason", JSON_AS_CUSTOM, false, offsetof(struct result, reason), read_text, NULL},
	{"log", JSON_AS_CUSTOM, false, offsetof(struct result, log), read_text, NULL},
	{"artifact", JSON_AS_CUSTOM, false, offsetof(struct result, artifact), read_artifact, NULL},
	{"digest", JSON_AS_CUSTOM, false, offsetof(struct result, digest), read_digest, NULL},
	{"cached", JSON_AS_BOOL, false, offsetof(struct result, cached), NULL, NULL},
	{"spent_ns", JSON_AS_CUSTOM, false, offsetof(struct result, spent_ns), read_spent, NULL},
	{"flush_ns", JSON_AS_INT, false, offsetof(struct result, flush_ns), NULL, NULL},
	{"launches_per_sample", JSON_AS_INT, false, offsetof(struct result, launches_per_sample),
	 NULL, NULL},
	{"samples_ns", JSON_AS_CUSTOM, false, 0, read_samples, NULL},
	{"notes", JSON_AS_CUSTOM, false, 0, read_notes, NULL},
	{"order", JSON_AS_INT, false, offsetof(struct result, order), NULL, NULL},
	{"retaken", JSON_AS_INT, false, offsetof(struct result, retaken), NULL, NULL},
	{"errors", JSON_AS_CUSTOM, false, offsetof(struct result, errors), read_errors, NULL},
	{"verified_by", JSON_AS_CUSTOM, false, offsetof(struct result, verified_by),
	 read_verified_by, NULL},
	{"bits", JSON_AS_CUSTOM, false, offsetof(struct result, bits), read_bits, NULL},
	{"metrics", JSON_AS_CUSTOM, false, 0, read_metrics, NULL},
	{"event", JSON_IGNORED, false, 0, NULL, NULL},
	{"id", JSON_IGNORED, false, 0, NULL, NULL},
	{"at", JSON_IGNORED, false, 0, NULL, NULL},
	{0}};

enum asc_status result_read_json(const struct json_node *object, struct result *out,
				 struct asc_err *e)
{
	static const struct json_spec spec = {"result", result_fields};

	result_init(out);
	enum asc_status st = json_read_object(object, &spec, out, e);
	if (!st)
		st = result_summarize(out, e);
	if (st)
		result_fini(out);
	return st;
}
