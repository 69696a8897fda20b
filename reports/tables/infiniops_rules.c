#include "reports/tables/infiniops_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"

static const struct {
	const char *kind, *name; /* class of devices here, and there */
} devices[] = {{"cuda", "nvidia"}, {"npu", "ascend"}};

const char *infiniops_device(const char *device)
{
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (strcmp(devices[i].kind, device) == 0)
			return devices[i].name;
	return device;
}

/* ---- reading ---- */

static enum asc_status find_rules(const struct json_node *root, const struct json_node **out,
				  struct asc_err *e)
{
	static const char *const names[] = {INFINIOPS_FORMAT, NULL};
	size_t which;

	if (json_check_format(root, names, INFINIOPS_VERSION, &which, e))
		return e->status;
	*out = json_find(root, "rules");
	if (!*out)
		return json_fail(root, e, "\"rules\" is missing");
	return json_expect(*out, JSON_ARRAY, e);
}

static bool is_own(const struct json_node *rule)
{
	return json_find(rule, INFINIOPS_OWN_KEY) != NULL;
}

/* Appends what a rule is for: equal texts, equal rules. */
static void print_key(const struct json_node *rule, struct buf *out)
{
	static const char *const members[] = {"op",    "device", "device_name",
					      "dtype", "match",  "implementation_index"};
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		const struct json_node *n = json_find(rule, members[i]);

		if (n)
			json_write_node(&w, members[i], n);
	}
	json_write_end(&w, '}');
}

/* ---- rules of both that overlap ---- */

struct rule_members {
	const char *op, *device, *model;
	const struct json_node *types, *match;
	int64_t index;
};

#define MEMBER(name) offsetof(struct rule_members, name)
static const struct json_field rule_fields[] = {
	{"op", JSON_AS_STRING, true, MEMBER(op), NULL, NULL},
	{"device", JSON_AS_STRING, true, MEMBER(device), NULL, NULL},
	{"device_name", JSON_AS_STRING, false, MEMBER(model), NULL, NULL},
	{"dtype", JSON_AS_NODE, false, MEMBER(types), NULL, NULL},
	{"match", JSON_AS_NODE, true, MEMBER(match), NULL, NULL},
	{"implementation_index", JSON_AS_INT, true, MEMBER(index), NULL, NULL},
	{JSON_OTHERS, JSON_IGNORED, false, 0, NULL, NULL},
	{0}};
static const struct json_spec rule_spec = {"rule", rule_fields};

struct reading {
	struct dispatch table; /* texts are those of the documents */
	const char *file;
	struct rule_name {
		char rule[32], index[32]; /* "rules[3]", "1" */
	} * names;
};

static enum asc_status read_range(const struct json_node *n, struct dispatch_size *s,
				  struct asc_err *e)
{
	const struct json_node *low = n, *high = n;

	s->name = json_key(n);
	if (json_type(n) == JSON_ARRAY) {
		if (json_count(n) != 2)
			return json_fail(n, e, "expected the first and the last size");
		low = json_first(n);
		high = json_next(low);
	}
	if (json_get_size(low, &s->low, e))
		return e->status;
	if (json_get_size(high, &s->high, e))
		return e->status;
	return s->low < 0 || s->low > s->high
		       ? json_fail(n, e, "from %lld to %lld is no range of sizes",
				   (long long)s->low, (long long)s->high)
		       : ASC_OK;
}

static enum asc_status read_match(const struct json_node *match, struct dispatch_rule *rule,
				  struct asc_err *e)
{
	if (json_expect(match, JSON_OBJECT, e))
		return e->status;
	if (json_count(match) > DISPATCH_MAX_SIZES)
		return json_fail(match, e, "%zu sizes, expected at most %d", json_count(match),
				 DISPATCH_MAX_SIZES);
	for (const struct json_node *n = json_first(match); n; n = json_next(n))
		if (read_range(n, &rule->sizes[rule->n_sizes++], e))
			return e->status;
	return ASC_OK;
}

static enum asc_status read_type(const struct json_node *n, struct dispatch_row *row,
				 struct asc_err *e)
{
	struct dispatch_type *t = &row->types[row->n_types];

	t->name = json_key(n);
	if (json_get_string(n, &t->type, e))
		return e->status;
	if (dtype_means(t->type))
		t->type = dtype_means(t->type);
	row->n_types += strcmp(t->type, "*") != 0;
	return ASC_OK;
}

static enum asc_status read_types(const struct json_node *n, struct dispatch_row *row,
				  struct asc_err *e)
{
	if (!n)
		return ASC_OK;
	if (json_type(n) != JSON_OBJECT)
		return read_type(n, row, e);
	if (json_count(n) > DISPATCH_MAX_TYPES)
		return json_fail(n, e, "%zu types, expected at most %d", json_count(n),
				 DISPATCH_MAX_TYPES);
	for (const struct json_node *m = json_first(n); m; m = json_next(m))
		if (read_type(m, row, e))
			return e->status;
	return ASC_OK;
}

static enum asc_status read_rule(struct reading *r, const struct json_node *n, struct asc_err *e)
{
	struct dispatch *t = &r->table;
	struct dispatch_rule *rule = &t->rules[t->n_rules];
	struct dispatch_row *row = &t->rows[t->n_rows];
	struct rule_name *name = &r->names[t->n_rows];
	struct rule_members m = {.model = "*"};

	if (json_read_object(n, &rule_spec, &m, e))
		return e->status;
	*rule = (struct dispatch_rule){.row = t->n_rows};
	*row = (struct dispatch_row){.op = m.op};
	(void)snprintf(name->rule, sizeof name->rule, "rules[%zu]", t->n_rows);
	(void)snprintf(name->index, sizeof name->index, "%lld", (long long)m.index);
	row->result = (struct best_row){.workload = r->file,
					.problem = name->rule,
					.device_kind = infiniops_device(m.device),
					.device_model = m.model,
					.implementation = name->index,
					.implementation_index = m.index};
	t->n_rules++;
	t->n_rows++;
	return read_types(m.types, row, e) ? e->status : read_match(m.match, rule, e);
}

/* Checks that no two rules of the file's text overlap. */
static enum asc_status check_rules(const char *path, const struct buf *text, struct asc_err *e)
{
	struct reading r = {.file = path};
	const struct json_node *rules = NULL;
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text(path, buf_str(text), text->len, &doc, e);

	if (status == ASC_OK)
		status = find_rules(json_root(doc), &rules, e);
	const size_t n = rules ? json_count(rules) : 0;

	r.table.rules = calloc(n + 1, sizeof *r.table.rules);
	r.table.rows = calloc(n + 1, sizeof *r.table.rows);
	r.names = calloc(n + 1, sizeof *r.names);
	if (!r.table.rules || !r.table.rows || !r.names)
		status = asc_err_nomem(e);
	for (const struct json_node *m = rules ? json_first(rules) : NULL; m && status == ASC_OK;
	     m = json_next(m))
		status = read_rule(&r, m, e);
	if (status == ASC_OK)
		status = dispatch_check_overlap(&r.table, "change one of them", e);
	dispatch_fini(&r.table);
	free(r.names);
	json_close(doc);
	return status;
}

/* ---- merging ---- */

struct own_rule {
	const struct json_node *node;
	struct buf key;
	bool written;
};

struct merging {
	struct own_rule *own;
	size_t n;
};

static void write_line(struct json_writer *w, const struct json_node *rule)
{
	buf_add_char(w->out, '\n');
	json_write_node(w, NULL, rule);
}

/* Writes the own rule that takes the place of an earlier one, if there is one. */
static void replace_rule(struct merging *m, struct json_writer *w, const struct json_node *earlier)
{
	struct buf key = {0};

	print_key(earlier, &key);
	for (struct own_rule *r = m->own; r < m->own + m->n; r++)
		if (!r->written && strcmp(buf_str(&r->key), buf_str(&key)) == 0) {
			write_line(w, r->node);
			r->written = true;
		}
	w->out->failed |= key.failed;
	buf_fini(&key);
}

static void write_merged(struct merging *m, const struct json_node *root, struct buf *out)
{
	struct json_writer w = {out, false};
	const struct json_node *rules = json_find(root, "rules");

	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = json_first(root); n; n = json_next(n))
		if (n != rules)
			json_write_node(&w, json_key(n), n);
	json_write_begin(&w, "rules", '[');
	for (const struct json_node *n = json_first(rules); n; n = json_next(n))
		if (is_own(n))
			replace_rule(m, &w, n);
		else
			write_line(&w, n);
	for (const struct own_rule *r = m->own; r < m->own + m->n; r++)
		if (!r->written)
			write_line(&w, r->node);
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
}

static enum asc_status list_own(struct merging *m, const struct json_node *rules, struct asc_err *e)
{
	m->own = calloc(json_count(rules) + 1, sizeof *m->own);
	if (!m->own)
		return asc_err_nomem(e);
	for (const struct json_node *n = json_first(rules); n; n = json_next(n)) {
		struct own_rule *r = &m->own[m->n++];

		r->node = n;
		print_key(n, &r->key);
		if (buf_check(&r->key, e))
			return e->status;
	}
	return ASC_OK;
}

static void end_merging(struct merging *m)
{
	for (size_t i = 0; i < m->n; i++)
		buf_fini(&m->own[i].key);
	free(m->own);
}

enum asc_status infiniops_merge(const char *path, const struct buf *there, const struct buf *own,
				struct buf *out, struct asc_err *e)
{
	struct merging m = {0};
	struct json_doc *theirs = NULL, *ours = NULL;
	const struct json_node *rules = NULL;
	enum asc_status status = json_open_text(path, buf_str(there), there->len, &theirs, e);

	if (status == ASC_OK)
		status = find_rules(json_root(theirs), &rules, e);
	if (status == ASC_OK)
		status = json_open_text("rules", buf_str(own), own->len, &ours, e);
	if (status == ASC_OK)
		status = list_own(&m, json_find(json_root(ours), "rules"), e);
	if (status == ASC_OK) {
		write_merged(&m, json_root(theirs), out);
		status = buf_check(out, e);
	}
	if (status == ASC_OK)
		status = check_rules(path, out, e);
	end_merging(&m);
	json_close(ours);
	json_close(theirs);
	return status;
}
