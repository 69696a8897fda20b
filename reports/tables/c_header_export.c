/* The exporter `c-header`: a constant table with a look-up function in one header of C and C++, for
 * programs that link no library. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/evidence.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/json/json.h"

#define DEFAULT_PREFIX "asctune_table"
#define BEGINS         "/* Dispatch table written by asctune:"

/* A compiler need not tell names apart by what follows their 63rd character (C17, 5.2.4.1). */
enum { MAX_PREFIX = 60 };

/* ---- the order in which rules serve ---- */

struct ordered {
	const struct rule *rule;
	const struct best_row *best;        /* result of its first row */
	double width;                       /* rule_width() */
	size_t subject, ranges, parameters; /* places in the lists of the header */
	size_t n_parameters;
	size_t of_subject; /* place of a rule of the subject that has this number */
};

static bool is_exact(const struct ordered *r)
{
	return r->rule->n_sizes > 0 && !(r->width > 0);
}

/* Order in which the header's function takes rules, which is that of libasctune: exact sizes before
 * ranges, more sizes before fewer, narrow ranges before wide, named types before any, the shorter
 * time, the order of the table. */
static int compare(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;

	if (is_exact(x) != is_exact(y))
		return is_exact(x) ? -1 : 1;
	if (x->rule->n_sizes != y->rule->n_sizes)
		return x->rule->n_sizes > y->rule->n_sizes ? -1 : 1;
	if (x->width < y->width || x->width > y->width)
		return x->width < y->width ? -1 : 1;
	if ((x->rule->n_types == 0) != (y->rule->n_types == 0))
		return x->rule->n_types > 0 ? -1 : 1;
	/* A rule of several rows has no time; that of its first one stands for it. */
	if (x->best->median_ns < y->best->median_ns || x->best->median_ns > y->best->median_ns)
		return x->best->median_ns < y->best->median_ns ? -1 : 1;
	return x->rule < y->rule ? -1 : x->rule > y->rule;
}

static struct ordered *order_rules(const struct dispatch *t, struct asc_err *e)
{
	struct ordered *list = calloc(t->n_rules + 1, sizeof *list);

	if (!list) {
		asc_err_nomem(e);
		return NULL;
	}
	for (size_t i = 0; i < t->n_rules; i++)
		list[i] = (struct ordered){
			.rule = &t->rules[i],
			.best = &t->rows[t->rules[i].row].result,
			.width = rule_width(t->rules[i].sizes, t->rules[i].n_sizes)};
	qsort(list, t->n_rules, sizeof *list, compare);
	return list;
}

/* ---- texts ---- */

/* Appends a C string. Octal escapes end after three digits, whatever follows; `?` is escaped
 * against trigraphs. */
static void add_string(struct buf *out, const char *text)
{
	if (!text) {
		buf_add_str(out, "0");
		return;
	}
	buf_add_char(out, '"');
	for (const unsigned char *c = (const unsigned char *)text; *c; c++)
		if (*c == '"' || *c == '\\')
			buf_print(out, "\\%c", *c);
		else if (*c >= ' ' && *c < 0x7f && *c != '?')
			buf_add_char(out, (char)*c);
		else
			buf_print(out, "\\%03o", *c);
	buf_add_char(out, '"');
}

/* Appends a text to a comment, which it neither ends nor continues. */
static void add_comment(struct buf *out, const char *text)
{
	for (const char *c = text ? text : ""; *c; c++)
		buf_add_char(out,
			     isalnum((unsigned char)*c) || strchr(" -_.,:=()+", *c) ? *c : '_');
}

/* ---- lists ---- */

/* True for rules with the same entry in the list of subjects: of the same names of types, too,
 * which the entry has. */
static bool is_same_subject(const struct rule *x, const struct rule *y)
{
	bool same = strcmp(x->op, y->op) == 0 && strcmp(x->device, y->device) == 0 &&
		    strcmp(x->device_model, y->device_model) == 0 && x->n_types == y->n_types;

	for (size_t i = 0; same && i < x->n_types; i++)
		same = strcmp(x->types[i].name, y->types[i].name) == 0 &&
		       strcmp(x->types[i].type, y->types[i].type) == 0;
	return same;
}

static void add_subject(struct buf *out, const struct rule *rule)
{
	buf_add_str(out, "\t{");
	add_string(out, rule->op);
	buf_add_str(out, ", ");
	add_string(out, rule->device);
	buf_add_str(out, ", ");
	add_string(out, rule->device_model);
	buf_print(out, ", %zu, {", rule->n_types);
	for (size_t i = 0; i < rule->n_types; i++) {
		buf_add_str(out, i ? ", {" : "{");
		add_string(out, rule->types[i].name);
		buf_add_str(out, ", ");
		add_string(out, rule->types[i].type);
		buf_add_char(out, '}');
	}
	/* C has no empty initializer before C23: a list without entries has one of zeros. */
	buf_add_str(out, rule->n_types ? "}},\n" : "{0, 0}}},\n");
}

/* Writes operator, device and types of all rules, each once. */
static void add_subjects(struct buf *out, struct ordered *list, size_t n_rules)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rules; i++) {
		size_t k = 0;

		while (k < n && !is_same_subject(list[list[k].of_subject].rule, list[i].rule))
			k++;
		list[i].subject = k;
		if (k < n)
			continue;
		list[n++].of_subject = i;
		add_subject(out, list[i].rule);
	}
}

static void add_ranges(struct buf *out, struct ordered *list, size_t n_rules)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rules; i++) {
		const struct rule *rule = list[i].rule;

		list[i].ranges = n;
		for (size_t k = 0; k < rule->n_sizes; k++, n++) {
			buf_add_str(out, "\t{");
			add_string(out, rule->sizes[k].name);
			buf_print(out, ", INT64_C(%" PRId64 "), INT64_C(%" PRId64 ")},\n",
				  rule->sizes[k].low, rule->sizes[k].high);
		}
	}
	if (n == 0)
		buf_add_str(out, "\t{0, 0, 0},\n");
}

static void add_parameter(struct buf *out, const struct json_node *n)
{
	struct asc_err ignored;
	struct value v = {0};
	const char *text = NULL;

	if (json_type(n) == JSON_STRING)
		(void)json_get_string(n, &text, &ignored);
	else
		(void)json_get_value(n, &v, &ignored);
	buf_add_str(out, "\t{");
	add_string(out, json_key(n));
	buf_print(out, ", %.17g, ", text ? 0 : value_as_real(v));
	add_string(out, text);
	buf_add_str(out, "},\n");
}

static enum asc_status add_parameters(struct buf *out, struct ordered *list, size_t n_rules,
				      struct asc_err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < n_rules; i++) {
		const char *text = list[i].rule->config ? list[i].rule->config : "{}";
		struct json_doc *doc = NULL;

		if (json_open_text("config", text, strlen(text), &doc, e))
			return asc_err_wrap(e, "trial %" PRId64, list[i].best->trial_id);
		list[i].parameters = n;
		for (const struct json_node *m = json_first(json_root(doc)); m; m = json_next(m)) {
			add_parameter(out, m);
			n++;
		}
		list[i].n_parameters = n - list[i].parameters;
		json_close(doc);
	}
	if (n == 0)
		buf_add_str(out, "\t{0, 0, 0},\n");
	return ASC_OK;
}

/* Adds a comment with the trial of each row of a rule. */
static void add_trials(struct buf *out, const struct dispatch *t, const struct rule *rule)
{
	const char *separator = "\t/* ";

	for (size_t i = rule->row; i != SIZE_MAX; i = dispatch_next_row(t, rule, i)) {
		const struct dispatch_row *row = &t->rows[i];

		buf_add_str(out, separator);
		add_comment(out, row->result.workload);
		buf_add_char(out, ' ');
		add_comment(out, row->result.problem);
		buf_print(out, ", trial %" PRId64 " of ", row->result.trial_id);
		add_comment(out, row->result.recorded_at);
		buf_print(out, "%s%s", row->simulated ? ", simulated" : "",
			  row->foreign ? ", foreign kernel" : "");
		separator = ";\n\t   ";
	}
	buf_add_str(out, " */\n");
}

static void add_rule(struct buf *out, const struct dispatch *t, const struct ordered *r)
{
	const struct rule *rule = r->rule;

	add_trials(out, t, rule);
	buf_print(out, "\t{%zu, %zu, %zu, %zu, %zu, ", r->subject, r->ranges, rule->n_sizes,
		  r->parameters, r->n_parameters);
	buf_print(out, "%" PRId64 ", %" PRId64 ", ", rule->index, rule->default_index);
	add_string(out, rule->implementation);
	buf_add_str(out, ", ");
	add_string(out, rule->config);
	buf_print(out, ", %.17g, %.17g},\n", rule->time_ns, rule->default_ns);
}

/* ---- the file ---- */

struct list_texts { /* one list of the header */
	const char *name;
	struct buf text;
};

enum { SUBJECTS, RANGES, PARAMETERS, RULES, ALIASES, N_LISTS };

/* Appends the template with the prefix in the place of each `@`. A line `$NAME` stands for a list.
 */
static void fill_template(struct buf *out, const char *prefix, const struct list_texts *lists)
{
	for (const char *line = c_header_template; *line;) {
		const size_t n = strcspn(line, "\n") + 1;
		size_t list = *line == '$' ? 0 : N_LISTS;

		while (list < N_LISTS && (strlen(lists[list].name) != n - 2 ||
					  strncmp(lists[list].name, line + 1, n - 2) != 0))
			list++;
		if (list < N_LISTS)
			buf_add(out, lists[list].text.data, lists[list].text.len);
		for (size_t i = 0; list == N_LISTS && i < n; i++)
			if (line[i] == '@')
				buf_add_str(out, prefix);
			else
				buf_add_char(out, line[i]);
		line += n;
	}
}

static enum asc_status write_header(const struct dispatch *t, const char *prefix, struct buf *out,
				    struct asc_err *e)
{
	struct list_texts lists[N_LISTS] = {{"subjects", {0}},
					    {"ranges", {0}},
					    {"parameters", {0}},
					    {"rules", {0}},
					    {"aliases", {0}}};
	struct ordered *rules = order_rules(t, e);

	if (!rules)
		return e->status;
	add_subjects(&lists[SUBJECTS].text, rules, t->n_rules);
	add_ranges(&lists[RANGES].text, rules, t->n_rules);
	for (const struct dtype_alias *a = dtype_aliases; a->other; a++)
		buf_print(&lists[ALIASES].text, "\t{\"%s\", \"%s\"},\n", a->other, a->name);
	enum asc_status status = add_parameters(&lists[PARAMETERS].text, rules, t->n_rules, e);

	for (size_t i = 0; i < t->n_rules && status == ASC_OK; i++)
		add_rule(&lists[RULES].text, t, &rules[i]);
	if (status == ASC_OK)
		fill_template(out, prefix, lists);
	for (size_t i = 0; i < N_LISTS; i++) {
		out->failed |= lists[i].text.failed;
		buf_fini(&lists[i].text);
	}
	free(rules);
	return status ? status : buf_check(out, e);
}

static enum asc_status export_header(const struct exporter_ops *self,
				     const struct export_request *r, struct sink *to,
				     struct asc_err *e)
{
	const char *given = exporter_find_setting(r, "prefix");
	const char *prefix = given ? given : DEFAULT_PREFIX;
	struct dispatch_terms terms = r->terms;
	struct buf text = {0}, name = {0};

	if (!str_is_identifier(prefix) || strlen(prefix) > MAX_PREFIX)
		return asc_err_set(
			e, ASC_USAGE,
			"--set prefix=%s: expected a name of C, of at most %d characters", prefix,
			MAX_PREFIX);
	terms.library = exporter_find_setting(r, "library");
	buf_print(&name, "%s.h", prefix);
	enum asc_status status = exporter_add_rules(r, &terms, e);
	if (status == ASC_OK)
		status = write_header(r->table, prefix, &text, e);
	if (status == ASC_OK)
		status = buf_check(&name, e);
	if (status == ASC_OK)
		status = sink_add(to, &self->kind, buf_str(&name), &text, e);
	if (status == ASC_OK)
		status = evidence_add(r, self->name, buf_str(&name), NULL, to, e);
	buf_fini(&text);
	buf_fini(&name);
	return status;
}

static const struct export_option options[] = {
	{"prefix", "begin of all names and name of the file (default: " DEFAULT_PREFIX ")"},
	{"library", "library whose names the workload's \"export\" has (default: the workload's "
		    "own names)"},
	{NULL, NULL}};

const struct exporter_ops c_header_exporter = {
	.name = "c-header",
	.summary = "a table of rules with a function that asks it, for C and C++ without a library",
	.needs = EXPORT_DISPATCH,
	.simulated = true,
	.options = options,
	.kind = {.begins = BEGINS},
	.write = export_header,
};
