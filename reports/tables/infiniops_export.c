/* The exporter `infiniops`: a file of rules, sizes -> implementation_index, which libasctune reads,
 * since the library reads no such file itself.
 *
 * Merging adds to a file that is there. Rules without OWN_KEY are somebody else's: they
 * stay, in their order, and so does all else that their file says. An own rule takes the place of
 * an earlier own one for the same things, others come last, and earlier own ones that are not made
 * any more go. What comes of it is checked as a whole: no two rules may serve one question. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"

#define FILE_NAME "implementation_index.json"
#define FORMAT    "asctune-infiniops-rules"
#define OWN_KEY   "X-Asctune" /* member of asctune's own rules: the number of the trial */

enum { VERSION = 1 };

/* Longest configuration that an answer of libasctune has room for, without its end. */
enum { CONFIG_BYTES = ASCTUNE_CONFIG_BYTES - 1 };

/* ---- one rule ---- */

/* The library's name of a class of devices: "nvidia" for "cuda"; others as they are. */
static const char *device_name(const char *device)
{
	static const char *const names[][2] = {{"cuda", "nvidia"}, {"npu", "ascend"}};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(names[i][0], device) == 0)
			return names[i][1];
	return device;
}

/* The library's name of a type, as torch has it: the first of the other names in dtype_aliases. */
static const char *type_name(const char *type)
{
	for (const struct dtype_alias *a = dtype_aliases; a->other; a++)
		if (strcmp(a->name, type) == 0)
			return a->other;
	return type;
}

static void write_types(struct json_writer *w, const struct rule *rule)
{
	if (rule->n_types == 0 || rule_is_uniform(rule)) {
		json_write_string(w, "dtype",
				  rule->n_types > 0 ? type_name(rule->types[0].type) : "*");
		return;
	}
	json_write_begin(w, "dtype", '{');
	for (size_t i = 0; i < rule->n_types; i++)
		json_write_string(w, rule->types[i].name, type_name(rule->types[i].type));
	json_write_end(w, '}');
}

static void write_match(struct json_writer *w, const struct rule *rule)
{
	json_write_begin(w, "match", '{');
	for (size_t i = 0; i < rule->n_sizes; i++) {
		const struct rule_size *s = &rule->sizes[i];

		if (s->low == s->high) {
			json_write_int(w, s->name, s->low);
			continue;
		}
		json_write_begin(w, s->name, '[');
		json_write_int(w, NULL, s->low);
		json_write_int(w, NULL, s->high);
		json_write_end(w, ']');
	}
	json_write_end(w, '}');
}

/* True for a parameter that Triton takes beside the kernel's own: an argument of the launch. */
static bool is_option(const char *name)
{
	return strcmp(name, "num_warps") == 0 || strcmp(name, "num_stages") == 0;
}

/* Writes the configuration of a Triton kernel as the operator's `config` takes it; an operator in
 * another language takes none. */
static enum asc_status write_config(struct json_writer *w, const struct rule *rule,
				    struct asc_err *e)
{
	const char *text = rule->config;
	struct json_doc *doc = NULL;

	/* Every configuration of a Triton kernel has this option, and none of another language. */
	if (!text || !strstr(text, "\"num_warps\""))
		return ASC_OK;
	if (json_open_text("config", text, strlen(text), &doc, e))
		return e->status;
	json_write_begin(w, "config", '{');
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
		if (is_option(json_key(n)))
			json_write_node(w, json_key(n), n);
	json_write_begin(w, "constexprs", '{');
	for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
		if (!is_option(json_key(n)))
			json_write_node(w, json_key(n), n);
	json_write_end(w, '}');
	json_write_end(w, '}');
	json_close(doc);
	return ASC_OK;
}

static enum asc_status write_rule(struct json_writer *w, const struct dispatch *t,
				  const struct rule *rule, struct asc_err *e)
{
	const struct best_row *r = &t->rows[rule->row].result;

	buf_add_char(w->out, '\n');
	json_write_begin(w, NULL, '{');
	json_write_string(w, "op", rule->op);
	json_write_string(w, "device", device_name(rule->device));
	json_write_string(w, "device_name", rule->device_model);
	write_types(w, rule);
	write_match(w, rule);
	json_write_int(w, "implementation_index", rule->index);
	const size_t before = w->out->len;

	if (write_config(w, rule, e))
		return asc_err_wrap(e, "trial %" PRId64, r->trial_id);
	/* The rule is of use to programs that read the file themselves: a warning, no failure. */
	if (w->out->len - before > CONFIG_BYTES + sizeof ",\"config\":" - 1)
		log_print(LOG_WARN,
			  "%s/%s: %s on %s: libasctune leaves this rule out: its configuration is "
			  "longer than %d bytes",
			  r->workload, r->problem, rule->implementation, rule->device_model,
			  CONFIG_BYTES);
	/* Rows that one rule joins have times of their own, so that it has none. */
	if (rule->n_rows < 2)
		json_write_real(w, "time_us", rule->time_ns / 1000);
	if (rule->default_index >= 0)
		json_write_int(w, "default_index", rule->default_index);
	if (rule->default_ns > 0)
		json_write_real(w, "default_time_us", rule->default_ns / 1000);
	json_write_int(w, OWN_KEY, r->trial_id);
	json_write_end(w, '}');
	return ASC_OK;
}

/* ---- the file ---- */

static enum asc_status write_table(const struct dispatch *t, struct buf *out, struct asc_err *e)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "format", FORMAT);
	json_write_int(&w, "version", VERSION);
	json_write_string(&w, "written_by", "asctune");
	json_write_begin(&w, "rules", '[');
	for (size_t i = 0; i < t->n_rules; i++)
		if (write_rule(&w, t, &t->rules[i], e))
			return e->status;
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
	return buf_check(out, e);
}

/* ---- merging: reading ---- */

static enum asc_status find_rules(const struct json_node *root, const struct json_node **out,
				  struct asc_err *e)
{
	static const char *const names[] = {FORMAT, NULL};
	size_t which;

	if (json_check_format(root, names, VERSION, &which, e))
		return e->status;
	*out = json_find(root, "rules");
	if (!*out)
		return json_fail(root, e, "\"rules\" is missing");
	return json_expect(*out, JSON_ARRAY, e);
}

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

static enum asc_status read_range(const struct json_node *n, struct rule_size *s, struct asc_err *e)
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

static enum asc_status read_type(const struct json_node *n, struct rule *rule, struct asc_err *e)
{
	struct asctune_type *t = &rule->types[rule->n_types];

	t->name = json_key(n);
	if (json_get_string(n, &t->type, e))
		return e->status;
	if (dtype_means(t->type))
		t->type = dtype_means(t->type);
	rule->n_types += strcmp(t->type, "*") != 0;
	return ASC_OK;
}

/* Reads as much of a rule as decides whether it overlaps with others. */
static enum asc_status read_rule(const struct json_node *n, struct rule *rule, struct asc_err *e)
{
	struct rule_members m = {.model = "*"};

	if (json_read_object(n, &rule_spec, &m, e))
		return e->status;
	*rule = (struct rule){.op = m.op,
			      .device = device_name(m.device),
			      .device_model = m.model,
			      .index = m.index};
	if (m.types && json_type(m.types) != JSON_OBJECT && read_type(m.types, rule, e))
		return e->status;
	if (m.types && json_type(m.types) == JSON_OBJECT) {
		if (json_count(m.types) > RULE_MAX_TYPES)
			return json_fail(m.types, e, "%zu types, expected at most %d",
					 json_count(m.types), RULE_MAX_TYPES);
		for (const struct json_node *t = json_first(m.types); t; t = json_next(t))
			if (read_type(t, rule, e))
				return e->status;
	}
	if (json_expect(m.match, JSON_OBJECT, e))
		return e->status;
	if (json_count(m.match) > RULE_MAX_SIZES)
		return json_fail(m.match, e, "%zu sizes, expected at most %d", json_count(m.match),
				 RULE_MAX_SIZES);
	for (const struct json_node *s = json_first(m.match); s; s = json_next(s))
		if (read_range(s, &rule->sizes[rule->n_sizes++], e))
			return e->status;
	return ASC_OK;
}

/* Checks that no two rules of the merged text overlap. */
static enum asc_status check_rules(const char *path, const struct buf *text, struct asc_err *e)
{
	const struct json_node *nodes = NULL;
	struct json_doc *doc = NULL;
	const struct rule *pair[2] = {NULL, NULL};
	char sizes[2][256];
	enum asc_status status = json_open_text(path, buf_str(text), text->len, &doc, e);

	if (status == ASC_OK)
		status = find_rules(json_root(doc), &nodes, e);
	const size_t n = nodes ? json_count(nodes) : 0;
	struct rule *rules = calloc(n + 1, sizeof *rules), *next = rules;

	if (!rules)
		status = asc_err_nomem(e);
	for (const struct json_node *m = nodes ? json_first(nodes) : NULL; m && status == ASC_OK;
	     m = json_next(m))
		status = read_rule(m, next++, e);
	if (status == ASC_OK)
		status = rule_find_overlap(rules, n, pair, e);
	if (status == ASC_OK && pair[0]) {
		rule_print_sizes(pair[0], sizes[0], sizeof sizes[0]);
		rule_print_sizes(pair[1], sizes[1], sizeof sizes[1]);
		/* Rules of a file have no name but their place in it. */
		status = asc_err_set(
			e, ASC_INPUT,
			"the rules of %s/rules[%zu] (%s) and %s/rules[%zu] (%s) overlap: "
			"both are for operator %s, implementation %lld, on %s; change one "
			"of them",
			path, (size_t)(pair[0] - rules), sizes[0], path, (size_t)(pair[1] - rules),
			sizes[1], pair[0]->op, (long long)pair[0]->index, pair[0]->device_model);
	}
	free(rules);
	json_close(doc);
	return status;
}

/* ---- merging: writing ---- */

struct own_rule {
	const struct json_node *node;
	struct buf key;
	bool written;
};

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

static void write_line(struct json_writer *w, const struct json_node *rule)
{
	buf_add_char(w->out, '\n');
	json_write_node(w, NULL, rule);
}

/* Writes the own rule that takes the place of an earlier one, if there is one. */
static void replace_rule(struct own_rule *list, size_t n, struct json_writer *w,
			 const struct json_node *earlier)
{
	struct buf key = {0};

	print_key(earlier, &key);
	/* Several own rules may be for the same things only if they were so in the table, which
	 * check_rules() refuses afterwards: all of them are written here. */
	for (struct own_rule *r = list; r < list + n; r++)
		if (!r->written && strcmp(buf_str(&r->key), buf_str(&key)) == 0) {
			write_line(w, r->node);
			r->written = true;
		}
	w->out->failed |= key.failed;
	buf_fini(&key);
}

static void write_merged(struct own_rule *list, size_t n_own, const struct json_node *root,
			 struct buf *out)
{
	struct json_writer w = {out, false};
	const struct json_node *rules = json_find(root, "rules");

	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = json_first(root); n; n = json_next(n))
		if (n != rules)
			json_write_node(&w, json_key(n), n);
	json_write_begin(&w, "rules", '[');
	for (const struct json_node *n = json_first(rules); n; n = json_next(n))
		if (json_find(n, OWN_KEY))
			replace_rule(list, n_own, &w, n);
		else
			write_line(&w, n);
	for (const struct own_rule *r = list; r < list + n_own; r++)
		if (!r->written)
			write_line(&w, r->node);
	json_write_end(&w, ']');
	json_write_end(&w, '}');
	buf_add_char(out, '\n');
}

/* A merge function of struct sink_kind. ASC_INPUT, with both, where two rules overlap, and for a
 * file that is no JSON or of another format; ASC_NEWER for one of a later version. */
static enum asc_status merge(const void *user, const char *path, const struct buf *there,
			     const struct buf *own, struct buf *out, struct asc_err *e)
{
	struct json_doc *theirs = NULL, *ours = NULL;
	const struct json_node *rules = NULL;
	struct own_rule *list = NULL;
	size_t n = 0;
	enum asc_status status = json_open_text(path, buf_str(there), there->len, &theirs, e);

	(void)user;
	if (status == ASC_OK)
		status = find_rules(json_root(theirs), &rules, e);
	if (status == ASC_OK)
		status = json_open_text("rules", buf_str(own), own->len, &ours, e);
	rules = status == ASC_OK ? json_find(json_root(ours), "rules") : NULL;
	list = rules ? calloc(json_count(rules) + 1, sizeof *list) : NULL;
	if (rules && !list)
		status = asc_err_nomem(e);
	for (const struct json_node *m = list ? json_first(rules) : NULL; m && status == ASC_OK;
	     m = json_next(m)) {
		list[n].node = m;
		print_key(m, &list[n].key);
		status = buf_check(&list[n++].key, e);
	}
	if (status == ASC_OK) {
		write_merged(list, n, json_root(theirs), out);
		status = buf_check(out, e);
	}
	if (status == ASC_OK)
		status = check_rules(path, out, e);
	for (size_t i = 0; i < n; i++)
		buf_fini(&list[i].key);
	free(list);
	json_close(ours);
	json_close(theirs);
	return status;
}

/* ---- the exporter ---- */

static enum asc_status export_rules(const struct exporter_ops *self, const struct export_request *r,
				    struct sink *to, struct asc_err *e)
{
	struct dispatch_terms terms = r->terms;
	struct buf text = {0};

	terms.library = "infiniops";
	terms.indices = true;
	enum asc_status status = exporter_add_rules(r, &terms, e);
	if (status == ASC_OK)
		status = write_table(r->table, &text, e);
	if (status == ASC_OK)
		status = sink_add(to, &self->kind, FILE_NAME, &text, e);
	if (status == ASC_OK)
		status = evidence_add(r, self->name, FILE_NAME, NULL, to, e);
	buf_fini(&text);
	return status;
}

const struct exporter_ops infiniops_exporter = {
	.name = "infiniops",
	.summary = FILE_NAME ": rules, sizes to implementation_index, for libasctune",
	.needs = EXPORT_DISPATCH,
	.simulated = true,
	.kind = {.begins = "{\"format\":\"" FORMAT "\",\"version\":1,\"written_by\":\"asctune\"",
		 .merge = merge},
	.write = export_rules,
};
