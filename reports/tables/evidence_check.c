#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/readers/reader.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"

struct evidence_row { /* members of a row that are compared */
	const char *workload, *problem, *implementation, *cache_policy;
	const char *device_kind, *device_model, *device_fingerprint, *device_driver;
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
		compare(c, "compiler", today.toolchain, then->toolchain);
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

static enum asc_status check_row(struct checking *c, const struct json_node *n, struct asc_err *e)
{
	struct evidence_row row = {0};
	struct provenance then;

	if (json_read_object(n, &row_spec, &row, e))
		return e->status;
	(void)snprintf(c->name, sizeof c->name, "%s/%s: %s", row.workload ? row.workload : "",
		       row.problem ? row.problem : "",
		       row.implementation ? row.implementation : "");
	const struct dispatch_row *found = row.simulated ? NULL : find_now(c->now, &row);

	if (str_is_same(c->here->model, row.device_model))
		compare(c, "driver of this machine", c->here->driver, row.device_driver);
	if (!found) {
		c->stale(c->user, c->name,
			 row.simulated ? "simulated, not measured" : "its result is gone");
		return ASC_OK;
	}
	const struct best_row *now = &found->result;

	if (provenance_read(row.provenance, &then, e))
		return e->status;
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

/* ---- a reader's table ---- */

/* Reads device, sizes and types of a row, by the library's names. */
static enum asc_status read_problem(const struct json_node *row, const char **device,
				    struct rule_size *sizes, size_t *n_sizes,
				    struct asctune_type *types, size_t *n_types, struct asc_err *e)
{
	for (const struct json_node *n = json_first(json_find(row, "sizes"));
	     n && *n_sizes < RULE_MAX_SIZES; n = json_next(n)) {
		struct rule_size *s = &sizes[(*n_sizes)++];

		s->name = json_key(n);
		if (json_get_int(json_first(n), &s->low, e))
			return e->status;
		s->high = s->low;
	}
	for (const struct json_node *n = json_first(json_find(row, "types"));
	     n && *n_types < RULE_MAX_TYPES; n = json_next(n)) {
		struct asctune_type *t = &types[(*n_types)++];

		t->name = json_key(n);
		if (json_get_string(n, &t->type, e))
			return e->status;
	}
	return json_get_string(json_find(row, "device_model"), device, e);
}

/* Compares a file's name with that for which its reader asks. */
static enum asc_status compare_name(const struct checking *c, const struct reader_ops *reader,
				    const struct json_node *row, const char *triton,
				    const char *file, struct asc_err *e)
{
	struct rule_size sizes[RULE_MAX_SIZES];
	struct asctune_type types[RULE_MAX_TYPES];
	struct reader_problem p = {.sizes = sizes, .types = types};
	struct buf name = {0};
	struct asc_err why;
	char reason[sizeof why.text + 128];

	if (read_problem(row, &p.device, sizes, &p.n_sizes, types, &p.n_types, e) ||
	    json_get_string(json_find(row, "exported_operator"), &p.kernel, e))
		return e->status;
	const enum asc_status named = reader->name_file(&p, triton, &name, &why);
	const char *end = strrchr(buf_str(&name), '/');
	const char *asked = end ? end + 1 : buf_str(&name), *have = strrchr(file, '/');

	if (named != ASC_NOMEM && (named || strcmp(asked, have ? have + 1 : file) != 0)) {
		(void)snprintf(reason, sizeof reason, "%s does not ask for it: %s%s", reader->name,
			       named ? "" : "it asks for ", named ? why.text : asked);
		c->stale(c->user, c->name, reason);
	}
	buf_fini(&name);
	return named == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
}

/* Compares the rows of the file at `path` with those that asctune wrote. */
static enum asc_status compare_rows(const struct checking *c, const struct reader_ops *reader,
				    const char *path, const char *text, struct asc_err *e)
{
	struct reader_table now = {0}, then = {0};
	struct buf file = {0}, written = {0};
	struct asc_err why;
	char reason[sizeof why.text + 64];

	buf_add_str(&written, text);
	enum asc_status status = buf_check(&written, e);

	if (status == ASC_OK)
		status = reader->read("table", &written, &then, e);
	if (status == ASC_OK)
		status = file_read(path, 0, &file, e);
	const enum asc_status found =
		status == ASC_OK ? reader->read(path, &file, &now, &why) : ASC_OK;

	if (found == ASC_NOMEM)
		status = asc_err_nomem(e);
	else if (found)
		c->stale(c->user, c->name, why.text);
	for (size_t i = 0; i < then.n && status == ASC_OK && !found; i++) {
		const char *key = then.rows[i].key ? then.rows[i].key : "default";

		if (reader_table_has(&now, &then.rows[i]))
			continue;
		(void)snprintf(reason, sizeof reason, "row %.40s: %s since it was written", key,
			       reader_table_find(&now, then.rows[i].key) ? "changed" : "removed");
		c->stale(c->user, c->name, reason);
	}
	reader_table_fini(&now);
	reader_table_fini(&then);
	buf_fini(&file);
	buf_fini(&written);
	return status;
}

/* Compares the file at `path` with what its reader asks for, and with what asctune wrote. */
static enum asc_status check_table(struct checking *c, const struct json_node *root,
				   const struct json_node *rows, const char *path,
				   struct asc_err *e)
{
	const struct reader_ops *reader;
	const char *name, *triton = NULL, *text, *base = strrchr(path, '/');
	enum asc_status status = ASC_OK;

	if (json_get_string(json_find(root, "reader"), &name, e) ||
	    json_get_string(json_find(root, "table"), &text, e) ||
	    read_text(json_find(root, "triton"), (void *)&triton, e))
		return e->status;
	(void)snprintf(c->name, sizeof c->name, "%s", base ? base + 1 : path);
	reader = reader_find(name);
	if (!reader)
		return json_fail(json_find(root, "reader"), e,
				 "no reader \"%s\"; `asctune list readers` names them", name);
	if (json_first(rows))
		status = compare_name(c, reader, json_first(rows), triton, path, e);
	/* A table that is gone is the caller's to report. */
	return status == ASC_OK && file_exists(path) ? compare_rows(c, reader, path, text, e)
						     : status;
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

		status = table ? check_table(&c, json_root(doc), list, table, e) : asc_err_nomem(e);
		free(table);
	}
	json_close(doc);
	return status;
}
