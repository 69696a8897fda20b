#include "tuner/formats/t4_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json.h"
#include "tuner/formats/t4.h"

#define MAX_NS 9007199254740992.0 /* 2^53, 104 days: beyond, numbers are not exact */

struct reading {
	double unit_ns;
	struct t4_record *out;
	bool timed; /* the file states the time, which is time_ns */
	double time_ns;
};

/* ---- times ---- */

static enum asc_status read_ns(const struct json_node *n, double unit_ns, double *ns,
			       struct asc_err *e)
{
	struct value v;

	if (json_get_value(n, &v, e))
		return e->status;
	if (v.kind == VALUE_BOOL)
		return json_fail(n, e, "expected a time, found a truth value");
	*ns = t4_ns(value_as_real(v), unit_ns);
	return *ns >= 0 && *ns <= MAX_NS
		       ? ASC_OK
		       : json_fail(n, e, "expected a time of 0 or more, at most 100 days, found %g",
				   value_as_real(v));
}

static enum asc_status read_samples(const struct json_node *n, double unit_ns, struct result *r,
				    struct asc_err *e)
{
	double ns = 0;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	r->samples = malloc((json_count(n) + 1) * sizeof *r->samples);
	if (!r->samples)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
		if (read_ns(i, unit_ns, &ns, e))
			return e->status;
		r->samples[r->n_samples++] = llround(ns);
	}
	return ASC_OK;
}

/* Adds the times that a result has a place for; search and others are dropped. */
static enum asc_status read_times(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct {
		const char *key;
		enum phase phase;
	} spent[] = {{"compilation", PHASE_BUILD},
		     {"framework", PHASE_LOAD},
		     {"validation", PHASE_VERIFY},
		     {"benchmark", PHASE_MEASURE}};
	struct reading *r = member;
	double ns = 0;

	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	for (size_t i = 0; i < sizeof spent / sizeof *spent; i++) {
		const struct json_node *time = json_find(n, spent[i].key);

		if (time && json_type(time) != JSON_NULL && read_ns(time, r->unit_ns, &ns, e))
			return e->status;
		if (time && json_type(time) != JSON_NULL)
			r->out->result.spent_ns[spent[i].phase] = llround(ns);
	}
	const struct json_node *runtimes = json_find(n, "runtimes");

	return runtimes ? read_samples(runtimes, r->unit_ns, &r->out->result, e) : ASC_OK;
}

static enum asc_status read_timestamp(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *text;

	if (json_get_string(n, &text, e))
		return e->status;
	return t4_moment_parse(text, &((struct reading *)member)->out->recorded_ms)
		       ? ASC_OK
		       : json_fail(n, e, "expected a date and time, found \"%s\"", text);
}

/* ---- measurements ---- */

struct measurement {
	const char *name, *unit;
	const struct json_node *value;
};

/* Reads a time; a failed configuration has the name of its failure in its place. */
static enum asc_status read_measurement(const struct json_node *n, struct reading *r,
					struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, offsetof(struct measurement, name), NULL, NULL},
		{"value", JSON_AS_NODE, true, offsetof(struct measurement, value), NULL, NULL},
		{"unit", JSON_AS_STRING, false, offsetof(struct measurement, unit), NULL, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"measurement", fields};
	struct measurement m = {.unit = ""};
	double unit_ns = r->unit_ns;

	if (json_read_object(n, &spec, &m, e))
		return e->status;
	if (strcmp(m.name, "time") != 0 || json_type(m.value) == JSON_STRING)
		return ASC_OK;
	if (*m.unit && !t4_unit_find(m.unit, &unit_ns))
		return json_fail(json_find(n, "unit"), e, "expected a unit of time, found \"%s\"",
				 m.unit);
	r->timed = true;
	return read_ns(m.value, unit_ns, &r->time_ns, e);
}

static enum asc_status read_measurements(const struct json_node *n, void *member, struct asc_err *e)
{
	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	for (const struct json_node *i = json_first(n); i; i = json_next(i))
		if (read_measurement(i, member, e))
			return e->status;
	return ASC_OK;
}

/* ---- configuration and status ---- */

static bool is_parameter(const struct t4_record *r, const char *name)
{
	for (size_t i = 0; i < r->config.n; i++)
		if (strcmp(r->names[i], name) == 0)
			return true;
	return false;
}

static enum asc_status read_config(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t4_record *out = ((struct reading *)member)->out;

	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	for (size_t i = 0; i < out->config.n; i++) {
		const struct json_node *value = json_find(n, out->names[i]);

		if (!value)
			return json_fail(n, e, "missing parameter \"%s\", which results[0] has",
					 out->names[i]);
		if (json_get_value(value, &out->config.values[i], e))
			return e->status;
	}
	for (const struct json_node *p = json_first(n); p; p = json_next(p))
		if (!is_parameter(out, json_key(p)))
			return json_fail(p, e, "a parameter that results[0] does not have");
	return ASC_OK;
}

static enum asc_status read_invalidity(const struct json_node *n, void *member, struct asc_err *e)
{
	struct result *r = &((struct reading *)member)->out->result;
	const char *word;

	if (json_get_string(n, &word, e))
		return e->status;
	return t4_invalidity_parse(word, &r->status, &r->phase)
		       ? ASC_OK
		       : json_fail(n, e,
				   "expected correct, compile, runtime, constraints, timeout or "
				   "correctness, found \"%s\"",
				   word);
}

/* The exact status that asctune adds; it must agree with the format's word. */
struct own_status {
	const char *status, *phase, *reason;
	bool is_default;
};

static enum asc_status apply_own(const struct json_node *n, const struct own_status *own,
				 struct t4_record *out, struct asc_err *e)
{
	struct result *r = &out->result;
	const char *word = t4_invalidity(r->status);

	out->is_default = own->is_default;
	if (!result_status_parse(own->status, &r->status))
		return json_fail(n, e, "unknown status \"%s\"", own->status);
	if (!phase_parse(own->phase, &r->phase))
		return json_fail(n, e, "unknown phase \"%s\"", own->phase);
	if (!t4_invalidity(r->status) || strcmp(t4_invalidity(r->status), word) != 0)
		return json_fail(n, e, "the status \"%s\" of a result that says \"%s\"",
				 own->status, word);
	r->reason = own->reason ? str_dup(own->reason) : NULL;
	return own->reason && !r->reason ? asc_err_nomem(e) : ASC_OK;
}

static enum asc_status read_own(const struct json_node *n, struct t4_record *out, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"status", JSON_AS_STRING, true, offsetof(struct own_status, status), NULL, NULL},
		{"phase", JSON_AS_STRING, true, offsetof(struct own_status, phase), NULL, NULL},
		{"reason", JSON_AS_STRING, false, offsetof(struct own_status, reason), NULL, NULL},
		{"default", JSON_AS_BOOL, false, offsetof(struct own_status, is_default), NULL,
		 NULL},
		{0}};
	static const struct json_spec spec = {"status", fields};
	struct own_status own = {0};

	if (json_read_object(n, &spec, &own, e))
		return e->status;
	return apply_own(n, &own, out, e);
}

/* ---- the record ---- */

/* Sets the time: the one that the file states, whatever the samples give. */
static enum asc_status settle_time(const struct json_node *n, struct reading *r, struct asc_err *e)
{
	struct result *result = &r->out->result;

	if (r->timed && result->n_samples == 0) {
		free(result->samples);
		result->samples = malloc(sizeof *result->samples);
		if (!result->samples)
			return asc_err_nomem(e);
		result->samples[result->n_samples++] = llround(r->time_ns);
	}
	if (result->status == RESULT_OK && result->n_samples == 0)
		return json_fail(n, e, "a correct result without a time");
	if (result_summarize(result, e))
		return e->status;
	if (r->timed)
		result->time.median = r->time_ns;
	return ASC_OK;
}

enum asc_status t4_record_read(const struct json_node *n, const struct json_node *own,
			       double unit_ns, struct t4_record *out, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"timestamp", JSON_AS_CUSTOM, false, 0, read_timestamp, NULL},
		{"configuration", JSON_AS_CUSTOM, true, 0, read_config, NULL},
		{"times", JSON_AS_CUSTOM, true, 0, read_times, NULL},
		{"invalidity", JSON_AS_CUSTOM, true, 0, read_invalidity, NULL},
		{"measurements", JSON_AS_CUSTOM, false, 0, read_measurements, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"result", fields};
	struct reading r = {.unit_ns = unit_ns, .out = out};

	if (json_read_object(n, &spec, &r, e))
		return e->status;
	if (own && json_type(own) != JSON_NULL && read_own(own, out, e))
		return e->status;
	return settle_time(n, &r, e);
}
