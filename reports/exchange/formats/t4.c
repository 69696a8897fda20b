#include "reports/exchange/formats/t4.h"

#include <stdlib.h>
#include <string.h>

#include "reports/exchange/formats/t4_record.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/space/t1.h"

struct t4 {
	struct json_doc *doc;
	const struct json_node *results, *statuses; /* statuses: NULL, or as many as results */
	bool is_cache;                              /* results: entries of a cache file */
	const char *objective;                      /* of all results of a cache file */
	const char *names[CONFIG_MAX_PARAMETERS + 1];
	size_t n_names;
	double unit_ns; /* unit of the file's times */
	struct t4_subject subject;
};

/* ---- the head ---- */

static enum asc_status read_unit(const struct json_node *n, void *member, struct asc_err *e)
{
	double *unit_ns = member;
	const char *name;

	if (json_get_string(n, &name, e))
		return e->status;
	return t4_unit_find(name, unit_ns)
		       ? ASC_OK
		       : json_fail(n, e,
				   "expected seconds, milliseconds, microseconds or nanoseconds, "
				   "found \"%s\"",
				   name);
}

static enum asc_status read_metadata(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"timeunit", JSON_AS_CUSTOM, false, 0, read_unit, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"metadata", fields};

	return json_read_object(n, &spec, member, e);
}

#define TEXT(key, member)                                                                          \
	{                                                                                          \
		key, JSON_AS_STRING, false, offsetof(struct t4, subject.member), NULL, NULL        \
	}

static enum asc_status read_own(const struct json_node *n, void *whole, struct asc_err *e)
{
	static const struct json_field fields[] = {
		TEXT("workload", workload),
		TEXT("operator", operator_name),
		TEXT("problem", problem),
		TEXT("problem_key", problem_key),
		{"problem_values", JSON_AS_NODE, false, offsetof(struct t4, subject.problem_values),
		 NULL, NULL},
		{"flops", JSON_AS_REAL, false, offsetof(struct t4, subject.flops), NULL, NULL},
		{"bytes", JSON_AS_REAL, false, offsetof(struct t4, subject.bytes), NULL, NULL},
		TEXT("device_kind", device_kind),
		TEXT("device_model", device_model),
		TEXT("device_arch", device_arch),
		TEXT("device_driver", device_driver),
		TEXT("device_fingerprint", device_fingerprint),
		TEXT("clock", clock),
		TEXT("cache_policy", cache_policy),
		TEXT("implementation", implementation),
		{"implementation_index", JSON_AS_INT, false,
		 offsetof(struct t4, subject.implementation_index), NULL, NULL},
		TEXT("implementation_key", implementation_key),
		{"statuses", JSON_AS_NODE, false, offsetof(struct t4, statuses), NULL, NULL},
		{"configurations", JSON_AS_REAL, false, offsetof(struct t4, subject.configurations),
		 NULL, NULL},
		{0}};
	static const struct json_spec spec = {T4_OWN_KEY, fields};

	return json_read_object(n, &spec, whole, e);
}

/* Checks the version: all of one major number can be read. */
static enum asc_status check_version(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *version;

	(void)member;
	if (json_get_string(n, &version, e))
		return e->status;
	return strncmp(version, "1.", 2) == 0
		       ? ASC_OK
		       : json_fail(n, e, "expected 1.0.0 or another version 1 of T4, found \"%s\"",
				   version);
}

static enum asc_status read_head(struct t4 *t, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"results", JSON_AS_NODE, true, offsetof(struct t4, results), NULL, NULL},
		{"metadata", JSON_AS_CUSTOM, false, offsetof(struct t4, unit_ns), read_metadata,
		 NULL},
		{"schema_version", JSON_AS_CUSTOM, false, 0, check_version, NULL},
		{T4_OWN_KEY, JSON_AS_CUSTOM, false, 0, read_own, NULL},
		{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
		{0}};
	static const struct json_spec spec = {"T4", fields};

	return json_read_object(json_root(t->doc), &spec, t, e);
}

/* ---- parameters: those of the first record ---- */

enum asc_status t4_add_name(const struct json_node *n, const char *name, const char **names,
			    size_t *n_names, struct asc_err *e)
{
	if (name[strcspn(name, "=,")])
		return json_fail(n, e, "expected a name without '=' and ','");
	names[(*n_names)++] = name;
	return ASC_OK;
}

static enum asc_status check_count(const struct json_node *parameters, struct asc_err *e)
{
	const size_t n = json_count(parameters);

	return n <= CONFIG_MAX_PARAMETERS
		       ? ASC_OK
		       : json_fail(parameters, e, "expected at most %d parameters, found %zu",
				   CONFIG_MAX_PARAMETERS, n);
}

/* Takes the names of the first record, which live as long as the document. */
static enum asc_status read_names(void *user, const struct json_node *first, struct asc_err *e)
{
	struct t4 *t = user;
	const struct json_node *config = json_find(first, "configuration");

	if (json_expect(first, JSON_OBJECT, e))
		return e->status;
	if (!config)
		return json_fail(first, e, "missing key \"configuration\"");
	if (json_expect(config, JSON_OBJECT, e) || check_count(config, e))
		return e->status;
	for (const struct json_node *p = json_first(config); p; p = json_next(p)) {
		const size_t n = strlen(json_key(p)) + 1;
		char *name = json_alloc(json_root(t->doc), n);

		if (!name)
			return asc_err_nomem(e);
		memcpy(name, json_key(p), n);
		if (t4_add_name(p, name, t->names, &t->n_names, e))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status check(struct t4 *t, struct asc_err *e)
{
	if (json_expect(t->results, JSON_ARRAY, e))
		return e->status;
	const size_t n = json_count_rows(t->results);

	if (n == 0)
		return json_fail(t->results, e, "expected at least one result");
	if (t->statuses && json_expect(t->statuses, JSON_ARRAY, e))
		return e->status;
	/* Another program may have filtered the results, and left our list as it was. */
	if (t->statuses && json_count(t->statuses) != n)
		return json_fail(t->statuses, e, "%zu statuses of %zu results",
				 json_count(t->statuses), n);
	return json_first_row(t->results, read_names, t, e);
}

/* ---- cache files: the parameters are listed ---- */

bool t4_recognise_cache(const struct json_doc *doc)
{
	const struct json_node *root = json_root(doc);

	return json_find(root, "cache") && json_find(root, "tune_params_keys");
}

static enum asc_status read_cache(struct t4 *t, struct asc_err *e)
{
	const struct json_node *root = json_root(t->doc),
			       *keys = json_find(root, "tune_params_keys");
	const struct json_node *objective = json_find(root, "objective"),
			       *values = json_find(root, "tune_params");
	const char *name;

	t->is_cache = true;
	t->results = json_find(root, "cache");
	if (json_expect(t->results, JSON_OBJECT, e) || json_expect(keys, JSON_ARRAY, e) ||
	    check_count(keys, e))
		return e->status;
	if (json_count(t->results) == 0)
		return json_fail(t->results, e, "expected at least one result");
	for (const struct json_node *k = json_first(keys); k; k = json_next(k))
		if (json_get_string(k, &name, e) || t4_add_name(k, name, t->names, &t->n_names, e))
			return e->status;
	/* Combinations are of the values that the file lists, which need not be those of all
	 * parameters. */
	t->subject.combinations = 1;
	for (size_t i = 0; i < t->n_names; i++) {
		const struct json_node *list = values ? json_find(values, t->names[i]) : NULL;

		t->subject.combinations *=
			list && json_type(list) == JSON_ARRAY ? (double)json_count(list) : 0;
	}
	if (json_find(root, "device_name") &&
	    json_get_string(json_find(root, "device_name"), &t->subject.device_model, e))
		return e->status;
	return objective ? json_get_string(objective, &t->objective, e) : ASC_OK;
}

/* Names a document that has no results, and the command that takes it; NULL: unknown. */
static const char *name_other(const struct json_doc *doc)
{
	if (t1_recognise(doc))
		return "a search space (T1), expected results (T4); `asctune space` reads it";
	return json_find(json_root(doc), "asctune")
		       ? "a workload, expected results (T4); `asctune run` tunes it"
		       : NULL;
}

enum asc_status t4_open_doc(struct json_doc *doc, struct t4 **out, struct asc_err *e)
{
	struct t4 *t = calloc(1, sizeof *t);
	enum asc_status status = ASC_OK;

	if (!t) {
		json_close(doc);
		return asc_err_nomem(e);
	}
	t->unit_ns = T4_NS_PER_MS; /* of files that state no unit */
	t->doc = doc;
	if (name_other(doc))
		status = json_fail(json_root(doc), e, "%s", name_other(doc));
	if (status == ASC_OK && t4_recognise_cache(t->doc))
		status = read_cache(t, e);
	else if (status == ASC_OK) {
		status = read_head(t, e);
		if (status == ASC_OK)
			status = check(t, e);
	}
	if (status == ASC_OK)
		*out = t;
	else
		t4_close(t);
	return status;
}

enum asc_status t4_open(const char *path, const char *text, size_t len, struct t4 **out,
			struct asc_err *e)
{
	static const char database[] = "SQLite format 3"; /* sqlite.org/fileformat.html */
	struct json_doc *doc;

	/* The likeliest mistake: the database of results in the place of an export of it. */
	if (len >= sizeof database && memcmp(text, database, sizeof database) == 0)
		return asc_err_set(e, ASC_INPUT,
				   "%s: a database, expected results (T4); `asctune export t4 --db "
				   "%s` writes them, `asctune merge` takes those of a database",
				   path, path);
	return json_open_text(path, text, len, &doc, e) ? e->status : t4_open_doc(doc, out, e);
}

void t4_close(struct t4 *t)
{
	if (!t)
		return;
	json_close(t->doc);
	free(t);
}

const struct t4_subject *t4_get_subject(const struct t4 *t)
{
	return &t->subject;
}

/* ---- records ---- */

struct visit { /* of a document's records */
	const struct t4 *t;
	const struct json_node *own; /* exact status of the next one; NULL: none has any */
	t4_visit_fn *visit;
	void *user;
};

static enum asc_status visit_record(void *user, const struct json_node *n, struct asc_err *e)
{
	struct visit *v = user;
	const struct t4 *t = v->t;
	struct t4_record r = {
		.names = t->names, .objective = t->objective, .config = {.n = t->n_names}};

	result_init(&r.result);
	enum asc_status status = t->is_cache ? t4_cache_entry_read(n, &r, e)
					     : t4_record_read(n, v->own, t->unit_ns, &r, e);
	if (status == ASC_OK)
		status = v->visit(v->user, &r, e);
	result_fini(&r.result);
	v->own = v->own ? json_next(v->own) : NULL;
	return status;
}

enum asc_status t4_each(const struct t4 *t, t4_visit_fn *visit, void *user, struct asc_err *e)
{
	struct visit v = {t, t->statuses ? json_first(t->statuses) : NULL, visit, user};

	return json_each_row(t->results, visit_record, &v, e);
}

void t4_end_records(struct t4 *t)
{
	json_end_rows(t->doc);
}

char *t4_name_of_file(const char *path)
{
	static const char *const endings[] = {".gz", ".json", ".csv", "_T4"};
	char *name = str_dup(path_name(path));

	/* In the order in which they stand from the end: NAME_T4.json.gz. */
	for (size_t i = 0; name && i < sizeof endings / sizeof *endings; i++) {
		size_t n = strlen(name), cut = strlen(endings[i]);

		if (n > cut && strcmp(name + n - cut, endings[i]) == 0)
			name[n - cut] = '\0';
	}
	return name;
}
