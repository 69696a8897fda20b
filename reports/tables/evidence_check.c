#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/reader_check.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"

struct evidence_row { /* members of a row that are compared */
	const char *workload, *problem, *implementation, *cache_policy;
	const char *device_kind, *device_model, *device_fingerprint, *device_driver, *clock;
	const char *config_key, *source_digest;
	const char *best_key; /* configuration of the best then; NULL: config_key */
	double median_ns;
	const struct json_node *provenance;
	bool simulated;
};

static enum asc_status read_text(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_type(n) == JSON_NULL ? ASC_OK : json_get_string(n, member, e);
}

#define TEXT(member)                                                                               \
	{                                                                                          \
#member, JSON_AS_CUSTOM, true, offsetof(struct evidence_row, member), read_text,   \
			NULL                                                                       \
	}
static const struct json_field row_fields[] = {
	TEXT(workload),
	TEXT(problem),
	TEXT(implementation),
	TEXT(cache_policy),
	TEXT(device_kind),
	TEXT(device_model),
	TEXT(device_fingerprint),
	TEXT(device_driver),
	TEXT(clock),
	TEXT(config_key),
	TEXT(source_digest),
	{"median_ns", JSON_AS_REAL, true, offsetof(struct evidence_row, median_ns), NULL, NULL},
	{"in_place_of", JSON_AS_STRING, false, offsetof(struct evidence_row, best_key), NULL, NULL},
	{"provenance", JSON_AS_NODE, true, offsetof(struct evidence_row, provenance), NULL, NULL},
	{"simulated", JSON_AS_BOOL, true, offsetof(struct evidence_row, simulated), NULL, NULL},
	{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
	{0}};
static const struct json_spec row_spec = {"row", row_fields};

struct checking {
	const struct dispatch *now;
	const struct evidence_machine *here;
	evidence_stale_fn *stale;
	void *user;
	bool own_kernel; /* as in struct dispatch_terms: the table is a reader's */
	char name[256];  /* of the row */
};

/* Finds the result of now: on the same machine, else on one of that model. */
static const struct dispatch_row *find_now(const struct dispatch *t, const struct evidence_row *row)
{
	const struct dispatch_row *found = NULL;

	for (size_t i = 0; i < t->n_rows; i++) {
		const struct best_row *r = &t->rows[i].result;

		if (!str_is_same(r->workload, row->workload) ||
		    !str_is_same(r->problem, row->problem) ||
		    !str_is_same(r->implementation, row->implementation) ||
		    !str_is_same(r->cache_policy, row->cache_policy) ||
		    !str_is_same(r->device_kind, row->device_kind) ||
		    !str_is_same(r->device_model, row->device_model))
			continue;
		if (!found || str_is_same(r->device_fingerprint, row->device_fingerprint))
			found = &t->rows[i];
	}
	return found;
}

/* Says what differs, where both are known. */
static void compare(const struct checking *c, const char *what, const char *now, const char *then)
{
	char reason[512];

	if (!now || !then || strcmp(now, then) == 0)
		return;
	(void)snprintf(reason, sizeof reason, "%s: %s, was %s", what, now, then);
	c->stale(c->user, c->name, reason);
}

/* Says how toolchains differ, where both are known. */
static void compare_texts(const struct checking *c, const char *now, const char *then)
{
	struct buf text = {0};

	if (!now || !then || strcmp(now, then) == 0)
		return;
	if (provenance_write_libraries(now, then, "; ", &text))
		c->stale(c->user, c->name, buf_str(&text));
	else
		compare(c, "compiler", now, then);
	buf_fini(&text);
}

static enum asc_status compare_toolchains(const struct checking *c, const struct provenance *then,
					  const struct best_row *now, struct asc_err *e)
{
	const char *text = now->provenance_json ? now->provenance_json : "null";
	struct provenance today = {0};
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text("provenance", text, strlen(text), &doc, e);

	if (status == ASC_OK)
		status = provenance_read(json_root(doc), &today, e);
	if (status == ASC_OK)
		compare_texts(c, today.toolchain, then->toolchain);
	json_close(doc);
	return status;
}

/* Compares one source file as it is on this machine; `folder`: of the workload. */
static enum asc_status compare_source(const struct checking *c, const char *folder,
				      const struct json_node *source, struct asc_err *e)
{
	char *path = path_join(folder, json_key(source)), now[HASH_TEXT_SIZE];
	const char *then;
	struct asc_err why;
	char reason[sizeof why.text + 256];

	if (!path)
		return asc_err_nomem(e);
	enum asc_status status = json_get_string(source, &then, e);
	const enum asc_status found =
		status == ASC_OK ? c->here->find_key(path, now, &why) : ASC_OK;

	if (found == ASC_NOMEM) {
		status = asc_err_nomem(e);
	} else if (status == ASC_OK && found != ASC_ABSENT && (found || strcmp(now, then) != 0)) {
		(void)snprintf(reason, sizeof reason, "source %s: %s", json_key(source),
			       found ? why.text : "changed since it was measured");
		c->stale(c->user, c->name, reason);
	}
	free(path);
	return status;
}

/* Compares the source files, where the workload is on this machine. */
static enum asc_status compare_sources(const struct checking *c, const struct provenance *then,
				       struct asc_err *e)
{
	const char *workload = then->workload_file;
	enum asc_status status = ASC_OK;

	if (!workload || !then->sources || !file_exists(workload))
		return ASC_OK;
	char *folder = path_folder(workload);

	if (!folder)
		return asc_err_nomem(e);
	for (const struct json_node *n = json_first(then->sources); n && status == ASC_OK;
	     n = json_next(n))
		status = compare_source(c, folder, n, e);
	free(folder);
	return status;
}

/* True where the best, or what a row has in its place, takes longer than the library's default of
 * now, unless it is that itself. */
static bool is_slower(const struct checking *c, const struct evidence_row *row,
		      const struct dispatch_row *now)
{
	const struct best_row *best = &now->result;
	const char *rival = c->own_kernel ? best->implementation : now->rival;
	const double rival_ns = c->own_kernel ? best->default_ns : now->rival_ns;
	const bool itself = str_is_same(rival, row->implementation) &&
			    str_is_same(row->config_key, best->default_key);

	return rival_ns > 0 && !itself &&
	       (row->best_key ? row->median_ns : best->median_ns) > rival_ns;
}

/* Compares the GPU that a row was measured on with this machine's of the same name. */
static void compare_machine(const struct checking *c, const struct evidence_row *row,
			    const struct provenance *then)
{
	const struct evidence_machine *here = c->here;

	if (!str_is_same(here->model, row->device_model))
		return;
	compare(c, "driver of this machine", here->driver, row->device_driver);
	const struct evidence_gpu gpu = {row->device_fingerprint, row->clock, then->device_machine};

	/* With another driver another amount of memory may be reported. */
	if (here->is_alike && gpu.fingerprint && gpu.clock &&
	    str_is_same(here->driver, row->device_driver) && !here->is_alike(here->user, &gpu))
		c->stale(c->user, c->name, here->unlike);
}

static enum asc_status check_row(struct checking *c, const struct json_node *n, struct asc_err *e)
{
	struct evidence_row row = {0};
	struct provenance then = {0};

	if (json_read_object(n, &row_spec, &row, e))
		return e->status;
	(void)snprintf(c->name, sizeof c->name, "%s/%s: %s", row.workload ? row.workload : "",
		       row.problem ? row.problem : "",
		       row.implementation ? row.implementation : "");
	const struct dispatch_row *found = row.simulated ? NULL : find_now(c->now, &row);

	if (!row.simulated && provenance_read(row.provenance, &then, e))
		return e->status;
	compare_machine(c, &row, &then);
	if (!found) {
		c->stale(c->user, c->name,
			 row.simulated ? "simulated, not measured" : "its result is gone");
		return ASC_OK;
	}
	const struct best_row *now = &found->result;

	compare(c, "driver", now->device_driver, row.device_driver);
	if (str_is_same(now->device_driver, row.device_driver))
		compare(c, "device", now->device_fingerprint, row.device_fingerprint);
	compare(c, "source", now->source_digest, row.source_digest);
	compare(c, "newer result", now->config_key, row.best_key ? row.best_key : row.config_key);
	if (is_slower(c, &row, found))
		c->stale(c->user, c->name, "newer result: slower than the default");
	return compare_toolchains(c, &then, now, e) ? e->status : compare_sources(c, &then, e);
}

static enum asc_status find_rows(const struct json_node *root, const struct json_node **out,
				 struct asc_err *e)
{
	static const char *const names[] = {EVIDENCE_FORMAT, NULL};
	size_t which;

	if (json_check_format(root, names, EVIDENCE_VERSION, &which, e))
		return e->status;
	*out = json_find(root, "rows");
	return *out ? json_expect(*out, JSON_ARRAY, e) : json_fail(root, e, "\"rows\" is missing");
}

enum asc_status evidence_check(const char *path, const struct dispatch *now,
			       const struct evidence_machine *here, evidence_stale_fn *stale,
			       void *user, size_t *rows, struct asc_err *e)
{
	struct checking c = {.now = now, .here = here, .stale = stale, .user = user};
	const struct json_node *list = NULL;
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_file(path, &doc, e);

	if (status == ASC_OK)
		status = find_rows(json_root(doc), &list, e);
	c.own_kernel = status == ASC_OK && json_find(json_root(doc), "reader");
	for (const struct json_node *n = list && status == ASC_OK ? json_first(list) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		status = check_row(&c, n, e);
		++*rows;
	}
	if (status == ASC_OK && c.own_kernel) {
		char *table = str_print("%.*s", (int)(strlen(path) - strlen(EVIDENCE_ENDS)), path);

		status = table ? reader_check_table(json_root(doc), table, here, stale, user, e)
			       : asc_err_nomem(e);
		free(table);
	}
	json_close(doc);
	return status;
}
