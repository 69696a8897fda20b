/* One result of a T4 document, and one entry of a cache file of Kernel Tuner, which has parameters,
 * times and time of a configuration side by side in one object, in milliseconds. */
#include "reports/exchange/formats/t4_record.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "reports/exchange/formats/t4.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

#define MAX_NS 9007199254740992.0 /* 2^53, 104 days: beyond, numbers are not exact */

/* ---- units and moments ---- */

/* Names of units; the published records have "miliseconds". */
static const struct {
	const char *name;
	double ns;
} units[] = {
	{"milliseconds", T4_NS_PER_MS},
	{"miliseconds", T4_NS_PER_MS},
	{"ms", T4_NS_PER_MS},
	{"seconds", 1e9},
	{"s", 1e9},
	{"microseconds", 1e3},
	{"us", 1e3},
	{"nanoseconds", 1},
	{"ns", 1},
};

bool t4_unit_find(const char *name, double *unit_ns)
{
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, name) == 0) {
			*unit_ns = units[i].ns;
			return true;
		}
	return false;
}

double t4_ms(double ns)
{
	return ns / T4_NS_PER_MS;
}

double t4_ns(double time, double unit_ns)
{
	/* A median of two samples is a multiple of a half; its decimal text is not exact. */
	double ns = time * unit_ns, near = round(ns * 2) / 2;

	return near / unit_ns == time ? near : ns;
}

static bool read_two_digits(const char *text, int *out)
{
	if (!isdigit((unsigned char)text[0]) || !isdigit((unsigned char)text[1]))
		return false;
	*out = 10 * (text[0] - '0') + text[1] - '0';
	return true;
}

bool t4_moment_parse(const char *text, int64_t *ms)
{
	struct tm t = {0};
	int hours = 0, minutes = 0;
	const char *at = strptime(text, "%Y-%m-%d", &t);

	at = at && (*at == 'T' || *at == ' ') ? strptime(at + 1, "%H:%M:%S", &t) : NULL;
	/* From 1970 on, and no year that timegm() could not take. */
	if (!at || t.tm_year < 70 || t.tm_year > 8000)
		return false;
	*ms = (int64_t)timegm(&t) * 1000;
	if (*at == '.') {
		int64_t unit = 100;

		for (at++; isdigit((unsigned char)*at); at++, unit /= 10)
			*ms += unit * (*at - '0');
	}
	if (*at == 'Z')
		at++;
	else if ((*at == '+' || *at == '-') && read_two_digits(at + 1, &hours) && at[3] == ':' &&
		 read_two_digits(at + 4, &minutes)) {
		*ms -= (*at == '-' ? -1 : 1) * ((int64_t)hours * 60 + minutes) * 60000;
		at += 6;
	}
	return *at == '\0';
}

/* ---- words for a status ---- */

/* Words and statuses; a word is read as its first status. A planned configuration was not run and
 * has no record. */
static const struct {
	const char *word;
	enum result_status status;
	enum phase phase;
} words[] = {
	{"correct", RESULT_OK, PHASE_MEASURE},
	{"compile", RESULT_BUILD_FAILED, PHASE_BUILD},
	{"runtime", RESULT_LAUNCH_FAILED, PHASE_VERIFY},
	{"runtime", RESULT_LOAD_FAILED, PHASE_LOAD},
	{"runtime", RESULT_CRASHED, PHASE_VERIFY},
	{"timeout", RESULT_TIMEOUT, PHASE_VERIFY},
	{"timeout", RESULT_SLOW, PHASE_MEASURE}, /* dropped early: its few samples are no time */
	{"timeout", RESULT_UNDECIDED, PHASE_MEASURE},
	{"correctness", RESULT_WRONG, PHASE_VERIFY},
	{"correctness", RESULT_IMPOSSIBLE, PHASE_MEASURE},
	{"constraints", RESULT_PRUNED, PHASE_BUILD},
	{"constraints", RESULT_UNSUPPORTED, PHASE_BUILD},
};

const char *t4_invalidity(enum result_status s)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i].status == s)
			return words[i].word;
	return NULL;
}

bool t4_invalidity_parse(const char *word, enum result_status *status, enum phase *phase)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i].word, word) == 0) {
			*status = words[i].status;
			*phase = words[i].phase;
			return true;
		}
	return false;
}

/* ---- times ---- */

struct reading {
	double unit_ns;
	struct t4_record *out;
	double time_ns; /* time that the file states; below 0: none */
};

enum asc_status t4_read_ns(const struct json_node *n, double unit_ns, double *ns, struct asc_err *e)
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

/* Finds a member whose value is not null. */
static const struct json_node *find_stated(const struct json_node *object, const char *key)
{
	const struct json_node *n = json_find(object, key);

	return n && json_type(n) != JSON_NULL ? n : NULL;
}

static enum asc_status read_samples(const struct json_node *n, double unit_ns, struct result *r,
				    double *sum_ns, struct asc_err *e)
{
	double ns = 0;

	*sum_ns = 0;
	if (!n)
		return ASC_OK;
	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	r->samples = malloc((json_count(n) + 1) * sizeof *r->samples);
	if (!r->samples)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
		if (t4_read_ns(i, unit_ns, &ns, e))
			return e->status;
		r->samples[r->n_samples++] = llround(ns);
		*sum_ns += ns;
	}
	return ASC_OK;
}

/* The time of benchmarking contains the times of the samples; if it is missing, they stand for it.
 */
enum asc_status t4_read_spent(const struct json_node *n, enum t4_layout layout, double unit_ns,
			      struct t4_record *out, struct asc_err *e)
{
	static const char *const samples[] = {[T4_RECORD] = "runtimes", [T4_CACHE_ENTRY] = "times"};
	static const struct {
		const char *keys[2];
		enum phase phase; /* PHASE_COUNT: part of no phase of a trial */
	} parts[] = {{{"benchmark", "benchmark_time"}, PHASE_MEASURE},
		     {{"compilation", "compile_time"}, PHASE_BUILD},
		     {{"framework", "framework_time"}, PHASE_LOAD},
		     {{"validation", "verification_time"}, PHASE_VERIFY},
		     {{"search_algorithm", "strategy_time"}, PHASE_COUNT}};
	double ns = 0, measuring_ns = 0, rest_ns = 0;

	if (read_samples(find_stated(n, samples[layout]), unit_ns, &out->result, &measuring_ns, e))
		return e->status;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct json_node *time = find_stated(n, parts[i].keys[layout]);

		if (!time)
			continue;
		if (t4_read_ns(time, unit_ns, &ns, e))
			return e->status;
		if (parts[i].phase != PHASE_COUNT)
			out->result.spent_ns[parts[i].phase] = llround(ns);
		if (parts[i].phase == PHASE_MEASURE)
			measuring_ns = ns;
		else
			rest_ns += ns;
	}
	out->spent_ns = measuring_ns + rest_ns;
	return ASC_OK;
}

static enum asc_status read_times(const struct json_node *n, void *member, struct asc_err *e)
{
	struct reading *r = member;

	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	return t4_read_spent(n, T4_RECORD, r->unit_ns, r->out, e);
}

enum asc_status t4_read_timestamp(const struct json_node *n, struct t4_record *out,
				  struct asc_err *e)
{
	const char *text;

	if (json_get_string(n, &text, e))
		return e->status;
	return t4_moment_parse(text, &out->recorded_ms)
		       ? ASC_OK
		       : json_fail(n, e, "expected a date and time, found \"%s\"", text);
}

static enum asc_status read_timestamp(const struct json_node *n, void *member, struct asc_err *e)
{
	return t4_read_timestamp(n, ((struct reading *)member)->out, e);
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
	/* Other measurements are of no use here; a text is the name of a failure. */
	if (strcmp(m.name, "time") != 0 || json_type(m.value) == JSON_STRING)
		return ASC_OK;
	if (*m.unit && !t4_unit_find(m.unit, &unit_ns))
		return json_fail(json_find(n, "unit"), e, "expected a unit of time, found \"%s\"",
				 m.unit);
	return t4_read_ns(m.value, unit_ns, &r->time_ns, e);
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

enum asc_status t4_read_config(const struct json_node *n, struct t4_record *out, struct asc_err *e)
{
	for (size_t i = 0; i < out->config.n; i++) {
		const struct json_node *value = json_find(n, out->names[i]);

		if (!value)
			return json_fail(n, e,
					 "missing parameter \"%s\", which the first result has",
					 out->names[i]);
		if (json_get_choice(value, &out->config.values[i], e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status read_config(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t4_record *out = ((struct reading *)member)->out;

	if (json_expect(n, JSON_OBJECT, e) || t4_read_config(n, out, e))
		return e->status;
	for (const struct json_node *p = json_first(n); p; p = json_next(p))
		if (!is_parameter(out, json_key(p)))
			return json_fail(p, e, "a parameter that results[0] does not have");
	return ASC_OK;
}

/* Reads the first objective. */
static enum asc_status read_objectives(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t4_record *out = ((struct reading *)member)->out;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	return json_count(n) ? json_get_string(json_first(n), &out->objective, e) : ASC_OK;
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
	/* The file was edited, or is of a version with other words: neither can be trusted. */
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

enum asc_status t4_settle_time(const struct json_node *n, double stated_ns, struct t4_record *out,
			       struct asc_err *e)
{
	struct result *result = &out->result;

	/* A file may state a time without samples; a result has at least one. */
	if (stated_ns >= 0 && result->n_samples == 0) {
		free(result->samples);
		result->samples = malloc(sizeof *result->samples);
		if (!result->samples)
			return asc_err_nomem(e);
		result->samples[result->n_samples++] = llround(stated_ns);
	}
	if (result->status == RESULT_OK && result->n_samples == 0)
		return json_fail(n, e, "a correct result without a time");
	if (result_summarize(result, e))
		return e->status;
	/* The stated time is what its tuner ranked by, which may be a mean of the samples. */
	if (stated_ns >= 0) {
		result->time.median = stated_ns;
		result->time.min = fmin(result->time.min, stated_ns);
		result->time.max = fmax(result->time.max, stated_ns);
	}
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
		{"objectives", JSON_AS_CUSTOM, false, 0, read_objectives, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"result", fields};
	struct reading r = {.unit_ns = unit_ns, .out = out, .time_ns = -1};

	if (json_read_object(n, &spec, &r, e))
		return e->status;
	if (own && json_type(own) != JSON_NULL && read_own(own, out, e))
		return e->status;
	return t4_settle_time(n, r.time_ns, out, e);
}

/* ---- an entry of a cache file ---- */

/* Time that older versions write for every failure. */
static const double FAILED_MS = 1e20;

/* Finds the name of the failure, which stands in place of the time or beside it; NULL: none. */
static enum asc_status find_failure(const struct json_node *entry, const struct json_node *time,
				    const struct json_node **out, const char **name,
				    struct asc_err *e)
{
	const struct json_node *error = json_find(entry, "__error__");
	struct value v;

	*out = error ? error : time;
	*name = NULL;
	if (error || json_type(time) == JSON_STRING)
		return json_get_string(*out, name, e);
	if (json_get_value(time, &v, e))
		return e->status;
	if (value_as_real(v) == FAILED_MS)
		*name = "RuntimeFailedConfig";
	return ASC_OK;
}

static enum asc_status set_failure(const struct json_node *n, const char *name, struct result *r,
				   struct asc_err *e)
{
	static const struct {
		const char *name, *word;
	} failures[] = {{"InvalidConfig", "constraints"},
			{"CompilationFailedConfig", "compile"},
			{"RuntimeFailedConfig", "runtime"}};

	for (size_t i = 0; i < sizeof failures / sizeof *failures; i++)
		if (strcmp(failures[i].name, name) == 0) {
			t4_invalidity_parse(failures[i].word, &r->status, &r->phase);
			return ASC_OK;
		}
	return json_fail(n, e,
			 "expected a time, InvalidConfig, CompilationFailedConfig or "
			 "RuntimeFailedConfig, found \"%s\"",
			 name);
}

static enum asc_status read_time(const struct json_node *n, struct t4_record *out,
				 double *stated_ns, struct asc_err *e)
{
	const struct json_node *time = json_find(n, "time"), *where = NULL;
	const char *failure = NULL;

	if (!time && !json_find(n, "__error__"))
		return json_fail(n, e, "missing key \"time\"");
	if (find_failure(n, time, &where, &failure, e))
		return e->status;
	if (failure)
		return set_failure(where, failure, &out->result, e);
	t4_invalidity_parse("correct", &out->result.status, &out->result.phase);
	return t4_read_ns(time, T4_NS_PER_MS, stated_ns, e);
}

enum asc_status t4_cache_entry_read(const struct json_node *n, struct t4_record *out,
				    struct asc_err *e)
{
	const struct json_node *timestamp = json_find(n, "timestamp");
	double stated_ns = -1;

	if (json_expect(n, JSON_OBJECT, e) || t4_read_config(n, out, e) ||
	    read_time(n, out, &stated_ns, e) ||
	    t4_read_spent(n, T4_CACHE_ENTRY, T4_NS_PER_MS, out, e))
		return e->status;
	if (timestamp && t4_read_timestamp(timestamp, out, e))
		return e->status;
	return t4_settle_time(n, stated_ns, out, e);
}
