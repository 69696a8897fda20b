/* Dispatch tables from files: a file of rules, the exporter's best.json, or a database. */
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/tables/lookup/lookup.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

enum { VERSION = 1 };

static const double ns_per_us = 1000;

static const char *const any = "*";

/* ---- sizes and types ---- */

static enum asc_status read_range(const struct json_node *n, struct rule_size *s, struct asc_err *e)
{
	const struct json_node *low = n, *high = n;

	if (json_type(n) == JSON_ARRAY) {
		if (json_count(n) != 2)
			return json_fail(n, e,
					 "expected a size, or the first and the last of them");
		low = json_first(n);
		high = json_next(low);
	}
	if (json_get_size(low, &s->low, e))
		return e->status;
	return json_get_size(high, &s->high, e);
}

static enum asc_status read_sizes(const struct json_node *n, struct rule *r, struct asc_err *e)
{
	enum asc_status status = json_expect(n, JSON_OBJECT, e);

	if (status == ASC_OK && json_count(n) > RULE_MAX_SIZES)
		status = json_fail(n, e, "%zu sizes, expected at most %d", json_count(n),
				   RULE_MAX_SIZES);
	if (status)
		return status;
	for (const struct json_node *m = json_first(n); m && status == ASC_OK; m = json_next(m)) {
		r->sizes[r->n_sizes].name = json_key(m);
		status = read_range(m, &r->sizes[r->n_sizes++], e);
	}
	return status;
}

/* A type, "*", or an object of named types. */
static enum asc_status read_types(const struct json_node *n, struct rule *r, struct asc_err *e)
{
	const struct json_node *one = json_type(n) == JSON_OBJECT ? json_first(n) : n;
	const bool named = one != n;

	if (named && json_count(n) > RULE_MAX_TYPES)
		return json_fail(n, e, "%zu types, expected at most %d", json_count(n),
				 RULE_MAX_TYPES);
	for (; one; one = named ? json_next(one) : NULL) {
		struct asctune_type *t = &r->types[r->n_types];

		t->name = named ? json_key(one) : NULL;
		if (json_get_string(one, &t->type, e))
			return e->status;
		r->n_types += named || strcmp(t->type, any) != 0;
	}
	return ASC_OK;
}

/* ---- a file of rules ---- */

struct rule_entry {
	const char *op, *device, *device_name;
	const struct json_node *dtype, *match, *config;
	int64_t index, default_index;
	double time_us, default_time_us;
};

#define ENTRY(member) offsetof(struct rule_entry, member)
static const struct json_field entry_fields[] = {
	{"op", JSON_AS_STRING, true, ENTRY(op), NULL, NULL},
	{"device", JSON_AS_STRING, true, ENTRY(device), NULL, NULL},
	{"device_name", JSON_AS_STRING, false, ENTRY(device_name), NULL, NULL},
	{"dtype", JSON_AS_NODE, false, ENTRY(dtype), NULL, NULL},
	{"match", JSON_AS_NODE, true, ENTRY(match), NULL, NULL},
	{"implementation_index", JSON_AS_INT, true, ENTRY(index), NULL, NULL},
	{"config", JSON_AS_NODE, false, ENTRY(config), NULL, NULL},
	{"time_us", JSON_AS_REAL, false, ENTRY(time_us), NULL, NULL},
	{"default_index", JSON_AS_INT, false, ENTRY(default_index), NULL, NULL},
	{"default_time_us", JSON_AS_REAL, false, ENTRY(default_time_us), NULL, NULL},
	{0}};
static const struct json_spec entry_spec = {"rule", entry_fields};

/* The configuration's text, in `text`; NULL for none. */
static enum asc_status print_config(const struct json_node *n, struct buf *text, const char **out,
				    struct asc_err *e)
{
	struct json_writer w = {text, false};

	*out = NULL;
	text->len = 0;
	if (!n)
		return ASC_OK;
	if (json_expect(n, JSON_OBJECT, e))
		return e->status;
	json_write_node(&w, NULL, n);
	if (buf_check(text, e))
		return e->status;
	*out = buf_str(text);
	return ASC_OK;
}

/* Adds a rule; a failure names its node. */
static enum asc_status add_named(struct lookup *t, const struct rule *r, const struct json_node *n,
				 struct asc_err *e)
{
	struct asc_err why;
	const enum asc_status status = lookup_add(t, r, &why);

	if (status == ASC_OK || status == ASC_NOMEM)
		return status ? asc_err_nomem(e) : ASC_OK;
	if (json_fail(n, e, "%s", why.text) == ASC_INPUT)
		e->status = status;
	return e->status;
}

static enum asc_status add_rule(struct lookup *t, const struct json_node *n, struct buf *text,
				struct asc_err *e)
{
	struct rule_entry x = {.default_index = -1};

	if (json_read_object(n, &entry_spec, &x, e))
		return e->status;
	struct rule r = {.op = x.op,
			 .device = x.device,
			 .index = x.index,
			 .default_index = x.default_index,
			 .time_ns = x.time_us * ns_per_us,
			 .default_ns = x.default_time_us * ns_per_us};

	if (x.device_name && strcmp(x.device_name, any) != 0)
		r.device_model = x.device_name;
	if (read_sizes(x.match, &r, e) || (x.dtype && read_types(x.dtype, &r, e)) ||
	    print_config(x.config, text, &r.config, e))
		return e->status;
	return add_named(t, &r, n, e);
}

/* ---- results ---- */

struct result_entry { /* the members of a row of best.json that make a rule */
	const char *op, *device, *device_model, *cache_policy, *implementation;
	const struct json_node *values, *exports, *config;
	int64_t index;
	double median_ns;
};

#undef ENTRY
#define ENTRY(member) offsetof(struct result_entry, member)
static const struct json_field result_fields[] = {
	{"operator", JSON_AS_STRING, true, ENTRY(op), NULL, NULL},
	{"problem_values", JSON_AS_NODE, true, ENTRY(values), NULL, NULL},
	{"device_kind", JSON_AS_STRING, true, ENTRY(device), NULL, NULL},
	{"device_model", JSON_AS_STRING, true, ENTRY(device_model), NULL, NULL},
	{"cache_policy", JSON_AS_STRING, true, ENTRY(cache_policy), NULL, NULL},
	{"implementation", JSON_AS_STRING, true, ENTRY(implementation), NULL, NULL},
	{"implementation_index", JSON_AS_INT, true, ENTRY(index), NULL, NULL},
	{"config", JSON_AS_NODE, true, ENTRY(config), NULL, NULL},
	{"export", JSON_AS_NODE, false, ENTRY(exports), NULL, NULL},
	{"median_ns", JSON_AS_REAL, true, ENTRY(median_ns), NULL, NULL},
	{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
	{0}};
static const struct json_spec result_spec = {"configuration", result_fields};

/* The sizes of a problem by the names that a library has for them. */
static enum asc_status name_sizes(const struct json_node *names, const struct json_node *dims,
				  struct rule *r, struct asc_err *e)
{
	const char *dim;

	for (const struct json_node *m = json_first(names); m; m = json_next(m)) {
		if (json_get_string(m, &dim, e))
			return e->status;
		const struct json_node *value = dims ? json_find(dims, dim) : NULL;

		if (!value || r->n_sizes == RULE_MAX_SIZES)
			return json_fail(m, e, "\"%s\" is no size of the problem, or one too many",
					 dim);
		r->sizes[r->n_sizes].name = json_key(m);
		if (read_range(value, &r->sizes[r->n_sizes++], e))
			return e->status;
	}
	return ASC_OK;
}

/* The types of a problem by the names that a library has for them, and its other texts. */
static enum asc_status name_types(const struct json_node *names, const struct json_node *types,
				  struct rule *r, struct asc_err *e)
{
	const char *text;

	if (json_count(names) > RULE_MAX_TYPES)
		return json_fail(names, e, "%zu types, expected at most %d", json_count(names),
				 RULE_MAX_TYPES);
	for (const struct json_node *m = json_first(names); m; m = json_next(m)) {
		if (json_get_string(m, &text, e))
			return e->status;
		const struct json_node *variable = types ? json_find(types, text) : NULL;

		if (variable && json_get_string(variable, &text, e))
			return e->status;
		r->types[r->n_types++] = (struct asctune_type){json_key(m), text};
	}
	return ASC_OK;
}

/* Reads what a result is for. Programs in Python ask by the names that a workload's "export" has
 * for "triton": those of a kernel's arguments; all others by those of the workload. */
static enum asc_status read_values(const struct json_node *values, const struct json_node *exports,
				   struct rule *r, struct asc_err *e)
{
	if (json_expect(values, JSON_OBJECT, e) ||
	    (exports && json_expect(exports, JSON_OBJECT, e)))
		return e->status;
	const struct json_node *dims = json_find(values, "dims");
	const struct json_node *types = json_find(values, "dtypes");
	const struct json_node *names = exports ? json_find(exports, "triton") : NULL;
	const struct json_node *op = names ? json_find(names, "operator") : NULL;
	const struct json_node *own_sizes = names ? json_find(names, "sizes") : NULL;
	const struct json_node *own_types = names ? json_find(names, "types") : NULL;
	enum asc_status status = op ? json_get_string(op, &r->op, e) : ASC_OK;

	if (status == ASC_OK && own_sizes)
		status = name_sizes(own_sizes, dims, r, e);
	else if (status == ASC_OK && dims)
		status = read_sizes(dims, r, e);
	if (status == ASC_OK && own_types)
		status = name_types(own_types, types, r, e);
	else if (status == ASC_OK && types)
		status = read_types(types, r, e);
	return status;
}

static struct rule result_rule(const struct result_entry *x)
{
	return (struct rule){.op = x->op,
			     .device = x->device,
			     .device_model = x->device_model,
			     .index = x->index,
			     .default_index = -1,
			     .implementation = x->implementation,
			     .time_ns = x->median_ns,
			     .precedence = x->cache_policy && strcmp(x->cache_policy, "cold") != 0};
}

static enum asc_status add_result(struct lookup *t, const struct json_node *n, struct buf *text,
				  struct asc_err *e)
{
	struct result_entry x = {0};

	if (json_read_object(n, &result_spec, &x, e))
		return e->status;
	struct rule r = result_rule(&x);

	if (read_values(x.values, x.exports, &r, e) || print_config(x.config, text, &r.config, e))
		return e->status;
	return add_named(t, &r, n, e);
}

/* ---- files ---- */

struct format {
	const char *list; /* key of its rows */
	bool of_results;  /* the nearest may serve; what cannot be a rule (reals as sizes) is left
			     out */
	enum asc_status (*add)(struct lookup *t, const struct json_node *n, struct buf *text,
			       struct asc_err *e);
};

enum { RULES, RESULTS };

static const char *const format_names[] = {
	[RULES] = "asctune-infiniops-rules", [RESULTS] = "asctune-best", NULL};
static const struct format formats[] = {
	[RULES] = {"rules", false, add_rule},
	[RESULTS] = {"configurations", true, add_result},
};

/* Leaves out what is no rule though nothing is wrong with it: a configuration that is too long, and
 * of results what cannot be one. */
static enum asc_status settle(struct lookup *t, bool of_results, enum asc_status status,
			      const struct asc_err *e)
{
	if (status != ASC_LIMIT && !(status == ASC_INPUT && of_results))
		return status;
	/* A table without one of its rules still answers; without any it would answer nothing. */
	lookup_leave_out(t, e);
	return ASC_OK;
}

/* Rows on their way into a table. */
struct reading {
	const struct format *format;
	struct lookup *table;
	struct buf text;
};

static enum asc_status add_row(void *user, const struct json_node *n, struct asc_err *e)
{
	struct reading *r = user;

	return settle(r->table, r->format->of_results, r->format->add(r->table, n, &r->text, e), e);
}

/* Adds all rows. If none can be a rule, this fails as the last one did. */
static enum asc_status add_all(const struct format *f, const struct json_node *list,
			       struct lookup *t, struct asc_err *e)
{
	struct reading r = {.format = f, .table = t};

	if (json_expect(list, JSON_ARRAY, e))
		return e->status;
	const enum asc_status status = json_each_row(list, add_row, &r, e);

	buf_fini(&r.text);
	const struct asc_err *why = lookup_left_out(t);

	if (status || lookup_count(t) > 0 || !why)
		return status;
	*e = *why;
	return e->status;
}

static enum asc_status read_json(const struct json_node *root, struct lookup **out,
				 struct asc_err *e)
{
	size_t which;

	if (json_check_format(root, format_names, VERSION, &which, e))
		return e->status;
	const struct format *f = &formats[which];
	const struct json_node *list = json_find(root, f->list);

	if (!list)
		return json_fail(root, e, "\"%s\" is missing", f->list);
	*out = lookup_new(f->of_results);
	return *out ? add_all(f, list, *out, e) : asc_err_nomem(e);
}

/* ---- databases ---- */

static enum asc_status add_best(void *user, const struct best_row *row, struct asc_err *e)
{
	const struct result_entry x = {.op = row->operator_name,
				       .device = row->device_kind,
				       .device_model = row->device_model,
				       .cache_policy = row->cache_policy,
				       .implementation = row->implementation,
				       .index = row->implementation_index,
				       .median_ns = row->median_ns};
	struct rule r = result_rule(&x);
	const char *exports_text = row->export_json ? row->export_json : "{}";
	struct json_doc *doc = NULL, *exports = NULL;
	enum asc_status status =
		json_open_text("dims_json", row->dims_json, strlen(row->dims_json), &doc, e);

	r.config = row->config_json;
	if (status == ASC_OK)
		status = json_open_text("export", exports_text, strlen(exports_text), &exports, e);
	if (status == ASC_OK)
		status = read_values(json_root(doc), json_root(exports), &r, e);
	if (status == ASC_OK)
		status = lookup_add(user, &r, e);
	json_close(exports);
	json_close(doc);
	return settle(user, true, status, e);
}

static enum asc_status read_db(const char *path, bool simulated, struct lookup **out,
			       struct asc_err *e)
{
	struct db *d = NULL;

	*out = lookup_new(true);
	if (!*out)
		return asc_err_nomem(e);
	enum asc_status status = db_open(path, DB_GLANCE, &d, e);

	if (status == ASC_OK)
		status = simulated ? best_each_simulated_of_implementations(d, NULL, add_best, *out,
									    e)
				   : best_each_of_implementations(d, NULL, add_best, *out, e);
	db_close(d);
	return status;
}

/* The first bytes of its files, with their NUL: sqlite.org/fileformat.html */
static bool is_database(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof magic] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not be waited for */
	const bool read_whole = fd >= 0 && read(fd, head, sizeof head) == (ssize_t)sizeof head;

	if (fd >= 0)
		close(fd);
	return read_whole && memcmp(head, magic, sizeof magic) == 0;
}

static enum asc_status read_file(const char *path, struct lookup **out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_rows(path, &doc, e);

	if (status == ASC_OK)
		status = read_json(json_root(doc), out, e);
	json_close(doc);
	return status;
}

enum asc_status lookup_read(const char *path, bool simulated, struct lookup **out,
			    struct asc_err *e)
{
	struct lookup *t = NULL;
	enum asc_status status =
		is_database(path) ? read_db(path, simulated, &t, e) : read_file(path, &t, e);

	if (status == ASC_OK)
		status = lookup_end_rules(t, e);
	if (status == ASC_OK)
		*out = t;
	else
		lookup_free(t);
	return status;
}
