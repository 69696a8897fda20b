#include "reports/tables/reader_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch_data.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"
#include "tuner/result/tie.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/workload.h"

/* ---- one result as a question ---- */

enum asc_status reader_result_triton(struct dispatch *t, const struct best_row *r, const char **out,
				     bool *other, struct asc_err *e)
{
	static const char word[] = "Triton ";
	const char *text = r->provenance_json;
	struct json_doc *doc = NULL;
	struct provenance p;

	*out = NULL;
	*other = false;
	if (!text)
		return ASC_OK;
	enum asc_status status = json_open_text("provenance", text, strlen(text), &doc, e);

	if (status == ASC_OK)
		status = provenance_read(json_root(doc), &p, e);
	if (status == ASC_OK && p.toolchain) {
		const char *at = strstr(p.toolchain, word);

		*other = !at;
		if (at) {
			char *version = str_print("%.*s", (int)strcspn(at + strlen(word), ", "),
						  at + strlen(word));

			*out = version;
			status = version ? dispatch_keep(t, out, e) : asc_err_nomem(e);
			free(version);
		}
	}
	json_close(doc);
	return status;
}

static int64_t find_shared_bytes(const struct best_row *r)
{
	struct limits l;

	if (!r->device_arch || !limits_find(r->device_arch, &l))
		return 0;
	return l.facts.known[FACT_BLOCK_SHARED_BYTES] ? l.facts.value[FACT_BLOCK_SHARED_BYTES] : 0;
}

struct reader_problem reader_result_problem(const struct dispatch_row *row)
{
	return (struct reader_problem){.kernel = row->op,
				       .device = row->result.device_model,
				       .sizes = row->sizes,
				       .truths = row->truth,
				       .n_sizes = row->n_sizes,
				       .types = row->types,
				       .n_types = row->n_types,
				       .shared_bytes = find_shared_bytes(&row->result)};
}

/* ---- configurations by the library's names ---- */

/* A library's names of parameters: the object of a workload's "export", or none. */
struct naming {
	struct json_doc *doc;
	const struct json_node *parameters; /* NULL: the workload's own names */
};

static enum asc_status open_naming(const struct dispatch_row *row, const char *library,
				   struct naming *out, struct asc_err *e)
{
	const char *text = row->result.export_json;
	struct library_names names = {0};

	*out = (struct naming){0};
	if (!text || json_open_text("export", text, strlen(text), &out->doc, e))
		return text ? e->status : ASC_OK;
	const struct json_node *own = json_find(json_root(out->doc), library);

	if (own && library_names_read(own, &names, e)) {
		json_close(out->doc);
		out->doc = NULL;
		return e->status;
	}
	out->parameters = names.parameters;
	return ASC_OK;
}

/* Finds the library's name of one of the kernel's parameters; its own where the library has none.
 */
static const char *library_name(const struct naming *n, const char *own)
{
	for (const struct json_node *m = n->parameters ? json_first(n->parameters) : NULL; m;
	     m = json_next(m))
		if (str_is_same(library_names_own(n->parameters, json_key(m)), own))
			return json_key(m);
	return own;
}

static enum asc_status add_parameter(struct dispatch *t, const struct json_node *n,
				     const char *name, struct reader_config *out, struct asc_err *e)
{
	struct value v;

	if (json_get_choice(n, &v, e) || dispatch_keep(t, &name, e))
		return e->status;
	return reader_add_parameter(out, name, v)
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT, "more than %d parameters",
				     READER_MAX_PARAMETERS);
}

/* Reads a configuration as JSON has it, by the library's names. A reader that lists its parameters
 * has all of these in each row, in that order, and takes no other. */
static enum asc_status read_config(struct dispatch *t, const struct reader_ops *ops,
				   const struct naming *names, const char *text,
				   struct reader_config *out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text("config", text, strlen(text), &doc, e);

	*out = (struct reader_config){0};
	for (size_t i = 0; status == ASC_OK && ops->parameters && ops->parameters[i]; i++) {
		const char *name = library_names_own(names->parameters, ops->parameters[i]);
		const struct json_node *n = name ? json_find(json_root(doc), name) : NULL;

		status = n ? add_parameter(t, n, ops->parameters[i], out, e)
			   : asc_err_set(e, ASC_INPUT,
					 "its configuration has no %s, which %s needs; "
					 "\"parameters\" of its workload's \"export\" may name "
					 "one",
					 ops->parameters[i], ops->name);
	}
	/* Parameters that the library names come first, in its order. */
	for (const struct json_node *m = status == ASC_OK && !ops->parameters && names->parameters
						 ? json_first(names->parameters)
						 : NULL;
	     m && status == ASC_OK; m = json_next(m)) {
		const char *own = library_names_own(names->parameters, json_key(m));
		const struct json_node *n = own ? json_find(json_root(doc), own) : NULL;

		if (n)
			status = add_parameter(t, n, json_key(m), out, e);
	}
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		const char *name = library_name(names, json_key(n));

		if (!ops->parameters && json_find(names->parameters, name))
			continue;
		if (ops->by_place)
			status = asc_err_set(e, ASC_INPUT,
					     "%s knows parameters by their places, which "
					     "\"parameters\" of its workload's \"export\" has to "
					     "give: %s has none",
					     ops->name, name);
		else if (!ops->parameters)
			status = add_parameter(t, n, name, out, e);
		else if (!str_is_in(name, ops->parameters))
			status = asc_err_set(e, ASC_INPUT,
					     "its configuration has %s, which %s does not take",
					     name, ops->name);
	}
	json_close(doc);
	return status;
}

/* True where a configuration's key, "BLOCK_M=16,num_warps=4", is the library's configuration `c`.
 */
static bool is_key_of(const char *key, const struct naming *names, const struct reader_config *c)
{
	size_t matched = 0;

	for (const char *at = key; at && *at;) {
		const char *end = at + strcspn(at, ","),
			   *equals = memchr(at, '=', (size_t)(end - at));
		struct value v;

		if (!equals)
			return false;
		for (size_t i = 0; i < c->n; i++) {
			const char *own = library_names_own(names->parameters, c->list[i].name);

			if (own && strlen(own) == (size_t)(equals - at) &&
			    strncmp(own, at, strlen(own)) == 0 &&
			    value_parse(equals + 1, (size_t)(end - equals - 1), &v))
				matched += value_equal(v, c->list[i].value);
		}
		at = *end ? end + 1 : end;
	}
	return matched == c->n;
}

/* ---- the library's default beside a result ---- */

/* True where the finals do not show the default slower than what they chose. */
static bool is_default_tied(const struct best_row *r)
{
	const char *text = r->ties_json ? r->ties_json : "[]";
	struct json_doc *doc = NULL;
	struct asc_err ignored;
	bool tied = false;

	if (json_open_text("ties", text, strlen(text), &doc, &ignored))
		return false;
	for (const struct json_node *n = json_first(json_root(doc)); n && !tied; n = json_next(n)) {
		const char *implementation, *key, *standing;

		if (json_get_string(json_find(n, "implementation"), &implementation, &ignored) ||
		    json_get_string(json_find(n, "config_key"), &key, &ignored) ||
		    json_get_string(json_find(n, "standing"), &standing, &ignored))
			continue;
		tied = str_is_same(implementation, r->implementation) &&
		       str_is_same(key, r->default_key) &&
		       standing_parse(standing) != STANDING_SLOWER;
	}
	json_close(doc);
	return tied;
}

const char *reader_keep_text(struct dispatch *t, struct asc_err *e, const char *format, ...)
{
	char text[512];
	const char *kept = text;
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return dispatch_keep(t, &kept, e) ? NULL : kept;
}

/* ---- a row ---- */

bool reader_find_rival(const struct reader_file *f, const struct reader_problem *p, const char *key,
		       struct reader_config *out)
{
	const size_t row = f->ops->find(&f->imported, key);

	if (row == READER_OWN)
		return f->ops->find_default && f->ops->find_default(p, out);
	*out = f->imported.rows[row].config;
	return true;
}

static const char *rival_name(const struct reader_file *f)
{
	return f->imported.n > 0 ? "the imported row" : "the library's default";
}

enum asc_status reader_result_judge(struct dispatch *t, const struct reader_file *f,
				    const struct reader_problem *p, struct reader_line *line,
				    struct asc_err *e)
{
	const struct dispatch_row *from = &t->rows[line->result];
	const struct best_row *r = &from->result;
	struct reader_config own = {0};
	struct naming names;
	struct buf text = {0};

	if (open_naming(from, f->ops->library, &names, e))
		return e->status;
	const bool told = reader_find_rival(f, p, line->key, &own);
	const bool beside = told && r->default_key && is_key_of(r->default_key, &names, &own);

	json_close(names.doc);
	if (from->slower && !told)
		return asc_err_set(e, ASC_INPUT, "%s", from->left_out);
	reader_print_config(&own, &text);
	line->compared = beside;
	line->pinned = from->slower || (beside && is_default_tied(r));
	if (told && reader_same_config(&line->config, &own))
		line->why = reader_keep_text(t, e, "%s is the best known", rival_name(f));
	else if (from->slower)
		line->why = reader_keep_text(t, e, "%s", from->left_out);
	else if (line->pinned)
		line->why = reader_keep_text(
			t, e,
			"not shown faster than %s: %.6g us, that %.6g us in the same "
			"rounds",
			rival_name(f), r->median_ns / 1000, r->default_ns / 1000);
	else if (told && !beside)
		line->why = reader_keep_text(t, e, "%s was not measured beside it: %s",
					     rival_name(f), buf_str(&text));
	else if (told)
		line->why =
			reader_keep_text(t, e, "%.6g us, %s %.6g us in the same rounds",
					 r->median_ns / 1000, rival_name(f), r->default_ns / 1000);
	else
		line->why = reader_keep_text(t, e, "%.6g us; %s", r->median_ns / 1000,
					     f->ops->find_default
						     ? "the library's default cannot be told"
						     : "the library tunes without it");
	if (line->pinned)
		line->config = own;
	const enum asc_status status = text.failed ? asc_err_nomem(e)
				       : line->why ? ASC_OK
						   : e->status;

	buf_fini(&text);
	return status;
}

enum asc_status reader_result_make(struct dispatch *t, const struct reader_ops *ops,
				   const char *triton, size_t row, struct reader_line *line,
				   const char **file, struct asc_err *e)
{
	const struct dispatch_row *from = &t->rows[row];
	const struct reader_problem p = reader_result_problem(from);
	struct naming names = {0};
	struct buf name = {0}, key = {0};
	enum asc_status status = reader_check_problem(ops, &p, e);

	*line = (struct reader_line){.result = row};
	if (status == ASC_OK)
		status = ops->name_file(&p, triton, &name, e);
	if (status == ASC_OK)
		status = ops->print_key(ops, &p, &key, e);
	if (status == ASC_OK)
		status = open_naming(from, ops->library, &names, e);
	if (status == ASC_OK)
		status = read_config(t, ops, &names, from->result.config_json, &line->config, e);
	if (status == ASC_OK && !from->slower && ops->check(&p, &line->config, e)) {
		const struct asc_err why = *e;

		status = asc_err_set(e, why.status, "%s refuses %s: %s", ops->name,
				     from->result.config_key, why.text);
	}
	line->key = buf_str(&key);
	*file = buf_str(&name);
	if (status == ASC_OK && (dispatch_keep(t, &line->key, e) || dispatch_keep(t, file, e)))
		status = e->status;
	json_close(names.doc);
	buf_fini(&name);
	buf_fini(&key);
	return status;
}
