/* The way of a result into a library's table:
 *
 * 1. The rules of dispatch tables decide which results may serve (dispatch_rules.c).
 * 2. Each result becomes a question of its reader: the name of the file that is asked, the row.
 * 3. Its configuration gets the library's names and is held to the reader's limits.
 * 4. It is compared with what the library takes without the file, where that was measured in the
 *    same rounds: the row of an imported file of that name, else the library's default. A result
 *    that is not shown faster gives a row that holds this.
 * 5. Where a reader finds rows by size, the sizes between get rows that hold it as far as no result
 *    is near: a file replaces it for every size. */
#include "reports/tables/reader_set.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/earlier.h"
#include "reports/tables/dispatch.h"
#include "reports/tables/dispatch_data.h"
#include "reports/tables/exporter.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"
#include "tuner/result/tie.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/workload.h"

/* Largest size for which defaults are looked at: 16 times the ladder's last; heuristics of the
 * libraries have no step beyond it. */
enum { LAST_SIZE = 65536 };

/* ---- one result as a question ---- */

/* Reads Triton's version from the words of a compiler, "..., Triton 3.6.0, ptxas 13.0". NULL: the
 * compiler is another one. */
static enum asc_status find_triton(struct dispatch *t, const struct best_row *r, const char **out,
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

static struct reader_problem problem_of(const struct dispatch_row *row)
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
		return e->status;
	}
	out->parameters = names.parameters;
	return ASC_OK;
}

/* Finds the workload's name of a parameter that the library has. */
static const char *own_name(const struct naming *n, const char *name)
{
	const struct json_node *m = n->parameters ? json_find(n->parameters, name) : NULL;
	struct asc_err ignored;

	return m && json_get_string(m, &name, &ignored) ? NULL : name;
}

/* Finds the library's name of one of the kernel's parameters; its own where the library has none.
 */
static const char *library_name(const struct naming *n, const char *own)
{
	for (const struct json_node *m = n->parameters ? json_first(n->parameters) : NULL; m;
	     m = json_next(m))
		if (str_is_same(own_name(n, json_key(m)), own))
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
		const char *name = own_name(names, ops->parameters[i]);
		const struct json_node *n = name ? json_find(json_root(doc), name) : NULL;

		status = n ? add_parameter(t, n, ops->parameters[i], out, e)
			   : asc_err_set(e, ASC_INPUT,
					 "its configuration has no %s, which %s needs; "
					 "\"parameters\" of its workload's \"export\" may name "
					 "one",
					 ops->parameters[i], ops->name);
	}
	/* Those that the library names come first, in that order. */
	for (const struct json_node *m = status == ASC_OK && !ops->parameters && names->parameters
						 ? json_first(names->parameters)
						 : NULL;
	     m && status == ASC_OK; m = json_next(m)) {
		const char *own = own_name(names, json_key(m));
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
			const char *own = own_name(names, c->list[i].name);

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

static const char *keep_text(struct dispatch *t, struct asc_err *e, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static const char *keep_text(struct dispatch *t, struct asc_err *e, const char *format, ...)
{
	char text[512];
	const char *kept = text;
	va_list args;

	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return dispatch_keep(t, &kept, e) ? NULL : kept;
}

/* ---- files ---- */

/* Finds the file of a result, `wanted`, or begins it with what was imported under its name; *out is
 * its number. */
static enum asc_status take_file(struct reader_set *s, const struct export_request *r,
				 const struct reader_file *wanted, size_t *out, struct asc_err *e)
{
	for (*out = 0; *out < s->n; ++*out)
		if (s->files[*out].ops == wanted->ops &&
		    strcmp(s->files[*out].name, wanted->name) == 0)
			return ASC_OK;
	if (!array_room(&s->files, s->n, &s->room, sizeof *s->files))
		return asc_err_nomem(e);
	struct reader_file *f = &s->files[s->n++];

	*f = *wanted;
	return r->db ? reader_read_imported(r->db, f->ops, f->name, &f->imported, e) : ASC_OK;
}

static enum asc_status add_line(struct reader_file *f, size_t at, const struct reader_line *line,
				struct asc_err *e)
{
	if (!array_room(&f->lines, f->n, &f->room, sizeof *f->lines))
		return asc_err_nomem(e);
	memmove(f->lines + at + 1, f->lines + at, (f->n - at) * sizeof *f->lines);
	f->lines[at] = *line;
	f->n++;
	return ASC_OK;
}

static int64_t size_of(const struct reader_line *line)
{
	return strtoll(line->key, NULL, 10);
}

/* Puts a line in its place: by size, else behind the others. Two results that are one row are
 * refused, unless they say the same. */
static enum asc_status place_line(const struct dispatch *t, struct reader_file *f,
				  const struct reader_line *line, struct asc_err *e)
{
	size_t at = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct best_row *a, *b;

		if (strcmp(f->lines[i].key, line->key) != 0)
			continue;
		if (reader_same_config(&f->lines[i].config, &line->config))
			return ASC_OK;
		a = &t->rows[f->lines[i].result].result;
		b = &t->rows[line->result].result;
		return asc_err_set(e, ASC_INPUT,
				   "%s/%s (%s) and %s/%s (%s) are both the row %s of %s, with "
				   "different configurations; --problem WORKLOAD/NAME takes one",
				   a->workload, a->problem, a->implementation, b->workload,
				   b->problem, b->implementation, line->key, f->name);
	}
	while (at < f->n && (!f->ops->row_size || size_of(&f->lines[at]) < size_of(line)))
		at++;
	return add_line(f, at, line, e);
}

/* Finds what the library takes without the file: the row of an imported one, else its default.
 * False: that cannot be told. */
static bool find_rival(const struct reader_file *f, const struct reader_problem *p, const char *key,
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

/* Decides what the row of a result holds, and why. ASC_INPUT for a result that is slower than a
 * default which cannot be told: the row could hold neither. */
static enum asc_status judge(struct dispatch *t, const struct reader_file *f,
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
	const bool told = find_rival(f, p, line->key, &own);
	const bool beside = told && r->default_key && is_key_of(r->default_key, &names, &own);

	json_close(names.doc);
	if (from->slower && !told)
		return asc_err_set(e, ASC_INPUT, "%s", from->left_out);
	reader_print_config(&own, &text);
	line->compared = beside;
	line->pinned = from->slower || (beside && is_default_tied(r));
	if (told && reader_same_config(&line->config, &own))
		line->why = keep_text(t, e, "%s is the best known", rival_name(f));
	else if (from->slower)
		line->why = keep_text(t, e, "%s", from->left_out);
	else if (line->pinned)
		line->why = keep_text(t, e,
				      "not shown faster than %s: %.6g us, that %.6g us in the same "
				      "rounds",
				      rival_name(f), r->median_ns / 1000, r->default_ns / 1000);
	else if (told && !beside)
		line->why = keep_text(t, e, "%s was not measured beside it: %s", rival_name(f),
				      buf_str(&text));
	else if (told)
		line->why = keep_text(t, e, "%.6g us, %s %.6g us in the same rounds",
				      r->median_ns / 1000, rival_name(f), r->default_ns / 1000);
	else
		line->why = keep_text(t, e, "%.6g us; %s", r->median_ns / 1000,
				      f->ops->find_default ? "the library's default cannot be told"
							   : "the library tunes without it");
	if (line->pinned)
		line->config = own;
	const enum asc_status status = text.failed ? asc_err_nomem(e)
				       : line->why ? ASC_OK
						   : e->status;

	buf_fini(&text);
	return status;
}

/* Makes the row of one result, and names its file. ASC_INPUT with the reason why it cannot be one.
 */
static enum asc_status make_line(struct dispatch *t, const struct reader_ops *ops,
				 const char *triton, size_t row, struct reader_line *line,
				 const char **file, struct asc_err *e)
{
	const struct dispatch_row *from = &t->rows[row];
	const struct reader_problem p = problem_of(from);
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

/* Says which of a row's result counts for the evidence of its file. */
static void mark_result(struct dispatch_row *from, const char *file, const struct reader_line *line)
{
	/* A result whose row holds the default is no evidence of the file's, and is not left out.
	 */
	from->file = line->pinned ? NULL : file;
	from->said = from->said && !line->pinned;
	/* Another default than the library's says nothing of a gain over the library. */
	if (!line->compared) {
		from->rival = NULL;
		from->rival_ns = 0;
	}
}

/* ---- rows that hold the default ---- */

/* The file's problem at another size; `sizes` has room for all of them. */
static struct reader_problem problem_at(const struct reader_file *f, int64_t size,
					struct rule_size sizes[RULE_MAX_SIZES])
{
	struct reader_problem p = f->problem;

	memcpy(sizes, p.sizes, p.n_sizes * sizeof *sizes);
	for (size_t i = 0; i < p.n_sizes; i++)
		if (strcmp(sizes[i].name, f->ops->row_size) == 0)
			sizes[i].low = sizes[i].high = size;
	p.sizes = sizes;
	return p;
}

/* What the library takes without the file at a size. */
static struct reader_config default_at(const struct reader_file *f, int64_t size)
{
	struct rule_size sizes[RULE_MAX_SIZES];
	const struct reader_problem p = problem_at(f, size, sizes);
	struct reader_config own = {0};
	char key[32];

	(void)snprintf(key, sizeof key, "%" PRId64, size);
	(void)find_rival(f, &p, key, &own);
	return own;
}

/* Adds a row that holds the library's default at a size, unless there is a row. */
static enum asc_status pin(struct dispatch *t, struct reader_file *f, int64_t size, const char *why,
			   struct asc_err *e)
{
	const struct reader_line line = {.key = keep_text(t, e, "%" PRId64, size),
					 .config = default_at(f, size),
					 .result = SIZE_MAX,
					 .pinned = true,
					 .why = why};
	size_t at = 0;

	if (!line.key)
		return e->status;
	while (at < f->n && size_of(&f->lines[at]) < size)
		at++;
	return at < f->n && size_of(&f->lines[at]) == size ? ASC_OK : add_line(f, at, &line, e);
}

/* Adds the rows of a file to a table, in their order. */
static enum asc_status fill_table(const struct reader_file *f, struct reader_table *out,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < f->n && status == ASC_OK; i++)
		status = reader_table_add(out, f->lines[i].key, &f->lines[i].config, e);
	return status;
}

/* True for a row that holds the library's default for its own size, measured or not. */
static bool holds_default(const struct reader_file *f, size_t row)
{
	const struct reader_config own = default_at(f, size_of(&f->lines[row]));

	return reader_same_config(&f->lines[row].config, &own);
}

/* Finds a size at which a row has to stand that holds the default; 0: there is none. Some size is
 * served by such a row that has another default than the size: the new row stands at the end of
 * that default's range which is next to the row that serves wrongly. */
static enum asc_status find_missing(const struct reader_file *f, int64_t *out, struct asc_err *e)
{
	struct reader_table table = {0};
	char key[32];
	enum asc_status status = fill_table(f, &table, e);

	*out = 0;
	for (int64_t size = 1; status == ASC_OK && size <= LAST_SIZE && *out == 0; size++) {
		const struct reader_config own = default_at(f, size);

		(void)snprintf(key, sizeof key, "%" PRId64, size);
		const size_t row = f->ops->find(&table, key);
		const int64_t served_by = table.rows[row].size;
		const int64_t step = served_by > size ? 1 : -1;

		if (reader_same_config(&f->lines[row].config, &own) || !holds_default(f, row))
			continue;
		*out = size;
		for (struct reader_config next = default_at(f, *out + step);
		     *out + step != served_by && reader_same_config(&next, &own);
		     next = default_at(f, *out + step))
			*out += step;
	}
	reader_table_fini(&table);
	return status;
}

/* Adds rows that hold the default: for sizes of the ladder without a result, then wherever such a
 * row would serve a size of another default. */
static enum asc_status pin_rest(struct dispatch *t, struct reader_file *f, struct asc_err *e)
{
	struct reader_config own;
	enum asc_status status = ASC_OK;

	if (!f->ops->row_size || !find_rival(f, &f->problem, "1", &own))
		return ASC_OK;
	for (const int64_t *size = f->ops->ladder; *size && status == ASC_OK; size++)
		status = pin(t, f, *size, "no result", e);
	/* A new row serves sizes before its own, too, so that each search begins anew. */
	for (int64_t size = 1; size > 0 && status == ASC_OK;) {
		status = find_missing(f, &size, e);
		if (status == ASC_OK && size > 0)
			status = pin(t, f, size,
				     "no result; what is taken without the file changes here", e);
	}
	return status;
}

/* Adds the row for all that no other one serves: the configuration that most rows have, the first
 * of several. */
static enum asc_status add_fallback(struct reader_file *f, struct asc_err *e)
{
	struct reader_line line = {.result = SIZE_MAX, .why = "the configuration of most rows"};
	size_t most = 0;

	for (size_t i = 0; f->ops->fallback && i < f->n; i++) {
		size_t same = 0;

		for (size_t k = 0; k < f->n; k++)
			same += reader_same_config(&f->lines[i].config, &f->lines[k].config);
		if (same > most) {
			most = same;
			line.config = f->lines[i].config;
		}
	}
	return most > 0 ? add_line(f, f->n, &line, e) : ASC_OK;
}

/* ---- the set ---- */

/* Triton's version of the newest result, which the tables are for: those of two versions in one
 * table would be right for neither. */
static enum asc_status find_version(struct dispatch *t, const struct export_request *r,
				    const char **out, struct asc_err *e)
{
	const char *newest = "";
	bool other;

	*out = exporter_find_setting(r, "triton");
	for (size_t i = 0; i < t->n_rows && !exporter_find_setting(r, "triton"); i++) {
		const struct dispatch_row *row = &t->rows[i];
		const char *version;

		if (row->left_out && !row->slower)
			continue;
		if (find_triton(t, &row->result, &version, &other, e))
			return e->status;
		if (version && rule_compare_texts(row->result.recorded_at, newest) > 0) {
			newest = row->result.recorded_at;
			*out = version;
		}
	}
	return ASC_OK;
}

static enum asc_status add_row(struct reader_set *s, const struct export_request *r,
			       const char *library, const char *triton, size_t row,
			       struct asc_err *e)
{
	struct dispatch *t = r->table;
	struct dispatch_row *from = &t->rows[row];
	struct reader_file wanted = {.triton = triton, .problem = problem_of(from)};
	struct reader_line line;
	const char *version;
	bool other;
	size_t number;

	if (from->left_out && !from->slower)
		return ASC_OK;
	wanted.ops = reader_find_operator(library, from->op);
	if (!wanted.ops)
		return dispatch_leave_out(t, from, e,
					  "%s has no tables of an operator %.100s; `asctune list "
					  "readers` names them",
					  library, from->op);
	enum asc_status status = find_triton(t, &from->result, &version, &other, e);

	if (status == ASC_OK && other)
		return dispatch_leave_out(
			t, from, e, "it was not compiled by Triton, as the library's kernel is");
	if (status == ASC_OK && version && triton && strcmp(version, triton) != 0)
		return dispatch_leave_out(
			t, from, e,
			"it was compiled by Triton %s, the table is for %s; --set "
			"triton=%s makes one for that",
			version, triton, version);
	if (status == ASC_OK)
		status = make_line(t, wanted.ops, triton, row, &line, &wanted.name, e);
	if (status == ASC_OK && take_file(s, r, &wanted, &number, e))
		return e->status;
	if (status == ASC_OK)
		status = judge(t, &s->files[number], &wanted.problem, &line, e);
	if (status == ASC_INPUT) {
		const struct asc_err why = *e;

		return dispatch_leave_out(t, from, e, "%s", why.text);
	}
	if (status)
		return status;
	mark_result(from, wanted.name, &line);
	return place_line(t, &s->files[number], &line, e);
}

static bool has_result(const struct reader_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (!f->lines[i].pinned)
			return true;
	return false;
}

enum asc_status reader_set_make(struct reader_set *s, const struct export_request *r,
				const char *library, struct asc_err *e)
{
	struct dispatch_terms terms = r->terms;
	struct dispatch *t = r->table;
	const char *triton = NULL;

	terms.library = library;
	if (t->n_rows == 0)
		return exporter_fail_empty(r, e);
	enum asc_status status = dispatch_add_rules(t, &terms, e);

	if (status == ASC_OK)
		status = find_version(t, r, &triton, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = add_row(s, r, library, triton, i, e);
	for (size_t i = 0; i < s->n && status == ASC_OK;) {
		struct reader_file *f = &s->files[i];

		if (has_result(f)) {
			status = pin_rest(t, f, e);
			if (status == ASC_OK)
				status = add_fallback(f, e);
			i++;
			continue;
		}
		/* A file of defaults alone would change nothing. */
		free(f->lines);
		reader_table_fini(&f->imported);
		f->lines = NULL;
		s->n--;
		memmove(f, f + 1, (s->n - i) * sizeof *f);
	}
	return status;
}

enum asc_status reader_file_write(const struct reader_file *f, struct buf *out, struct asc_err *e)
{
	struct reader_table table = {0};
	enum asc_status status = fill_table(f, &table, e);

	if (status == ASC_OK && f->triton && !(table.version = str_dup(f->triton)))
		status = asc_err_nomem(e);
	if (status == ASC_OK && !(table.kernel = str_dup(f->problem.kernel)))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = f->ops->write(&table, out, e);
	reader_table_fini(&table);
	return status;
}

void reader_set_fini(struct reader_set *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->files[i].lines);
		reader_table_fini(&s->files[i].imported);
	}
	free(s->files);
	*s = (struct reader_set){0};
}

/* ---- imported tables ---- */

/* Adds a row as it was recorded, under the key that its reader gave it. */
static enum asc_status add_imported(void *user, const char *key, const char *config_json,
				    struct asc_err *e)
{
	struct reader_table *t = user;
	struct reader_config c = {0};
	struct json_doc *doc = NULL;
	enum asc_status status =
		json_open_text("config", config_json, strlen(config_json), &doc, e);

	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		const char *name = reader_table_keep(t, json_key(n));
		struct value v;

		status = !name ? asc_err_nomem(e) : json_get_choice(n, &v, e);
		if (status == ASC_OK && !reader_add_parameter(&c, name, v))
			status = json_fail(n, e, "more than %d parameters", READER_MAX_PARAMETERS);
	}
	if (status == ASC_OK)
		status = reader_table_add(t, strcmp(key, "default") == 0 ? NULL : key, &c, e);
	json_close(doc);
	return status;
}

enum asc_status reader_read_imported(struct db *d, const struct reader_ops *ops, const char *file,
				     struct reader_table *out, struct asc_err *e)
{
	const char *slash = strrchr(file, '/');

	return db_each_table_row(d, ops->name, slash ? slash + 1 : file, add_imported, out, e);
}
