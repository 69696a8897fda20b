#include "reports/tables/reader_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch_data.h"
#include "reports/tables/reader_naming.h"
#include "reports/tables/reader_verdict.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/result/provenance.h"
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

enum asc_status reader_result_find_source(const struct provenance *p, char **out, struct asc_err *e)
{
	const struct json_node *first = json_first(p->sources);

	*out = NULL;
	if (!first || !p->workload_file || !str_ends_with(json_key(first), ".py"))
		return ASC_OK;
	char *folder = path_folder(p->workload_file);

	*out = folder ? path_join(folder, json_key(first)) : NULL;
	free(folder);
	return *out ? ASC_OK : asc_err_nomem(e);
}

enum asc_status reader_result_source(struct dispatch *t, const struct best_row *r, const char **out,
				     struct asc_err *e)
{
	const char *text = r->provenance_json ? r->provenance_json : "{}";
	struct json_doc *doc = NULL;
	struct provenance p;
	char *path = NULL;
	enum asc_status status = json_open_text("provenance", text, strlen(text), &doc, e);

	*out = NULL;
	if (status == ASC_OK)
		status = provenance_read(json_root(doc), &p, e);
	if (status == ASC_OK)
		status = reader_result_find_source(&p, &path, e);
	*out = path;
	if (status == ASC_OK && path)
		status = dispatch_keep(t, out, e);
	free(path);
	json_close(doc);
	return status;
}

int64_t reader_result_shared_bytes(const char *arch)
{
	struct limits l;

	if (!arch || !limits_find(arch, &l))
		return 0;
	return l.facts.known[FACT_BLOCK_SHARED_BYTES] ? l.facts.value[FACT_BLOCK_SHARED_BYTES] : 0;
}

bool reader_result_counts(const struct dispatch_row *row)
{
	return !row->left_out || row->slower;
}

bool reader_result_same_kernel(const struct best_row *a, const struct best_row *b)
{
	return str_is_same(a->implementation, b->implementation) &&
	       str_is_same(a->source_digest, b->source_digest);
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
				       .shared_bytes =
					       reader_result_shared_bytes(row->result.device_arch),
				       .arch = row->result.device_arch,
				       .told = row->told};
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
	struct asc_err refused;

	/* A file that has lost its folder may be of another kernel of that name. */
	if (row == READER_OWN ||
	    (f->ops->asks && f->ops->check(p, &f->imported.rows[row].config, &refused) != ASC_OK))
		return f->ops->find_default && f->ops->find_default(p, out);
	*out = f->imported.rows[row].config;
	return true;
}

const char *reader_rival_name(const struct reader_file *f)
{
	return f->imported.n > 0 ? "the imported row" : "the library's default";
}

enum asc_status reader_result_judge(struct dispatch *t, const struct reader_file *f,
				    const struct reader_verdict *v, const struct reader_config *own,
				    bool unproved, struct reader_line *line, struct asc_err *e)
{
	const struct dispatch_row *from = &t->rows[line->result];
	const bool same = own && reader_same_config(&line->config, own);
	const bool measured = own && v->outcome != READER_UNMEASURED;
	const char *rival = reader_rival_name(f);
	struct buf text = {0};

	/* The row could hold neither. */
	if (!own && from->slower)
		return asc_err_set(e, ASC_INPUT, "%s", from->left_out);
	if (!own && f->ops->find_default && !unproved)
		return asc_err_set(
			e, ASC_INPUT,
			"what the library takes without the file cannot be told, so that "
			"nothing was measured beside it; --unproved takes the row");
	line->compared = same || measured;
	line->pinned = own && (same ||
			       (measured ? v->outcome != READER_GAINS : from->slower || !unproved));
	line->unproved = !measured && !line->pinned && (own || f->ops->find_default);
	/* The one that the row does not hold. */
	if (own)
		reader_print_config(line->pinned ? &line->config : own, &text);
	if (same)
		line->why = reader_keep_text(t, e, "%s is the best known", rival);
	else if (measured && v->part > 0)
		line->why =
			reader_keep_text(t, e, "%s%.3f of the time of %s in the same rounds",
					 line->pinned ? "not shown faster: " : "", v->part, rival);
	else if (measured)
		line->why = line->pinned
				    ? reader_keep_text(t, e, "the result, or %s, failed", rival)
				    : reader_keep_text(t, e, "%s fails", rival);
	else if (from->slower)
		line->why = reader_keep_text(t, e, "%s", from->left_out);
	else if (own)
		line->why = reader_keep_text(t, e, "%s was not measured beside it: %s",
					     line->pinned ? "the result" : rival, buf_str(&text));
	else
		line->why = reader_keep_text(t, e, "%.6g us; %s", from->result.median_ns / 1000,
					     f->ops->find_default
						     ? "the library's default cannot be told"
						     : "the library tunes without it");
	if (line->pinned) {
		line->config = *own;
		line->ns = 0;
	}
	const enum asc_status status = text.failed ? asc_err_nomem(e)
				       : line->why ? ASC_OK
						   : e->status;

	buf_fini(&text);
	return status;
}

enum asc_status reader_result_place(struct dispatch *t, const struct reader_ops *ops,
				    const char *triton, size_t row, const char **file,
				    const char **key, struct asc_err *e)
{
	const struct reader_problem p = reader_result_problem(&t->rows[row]);
	struct buf name = {0}, text = {0};
	enum asc_status status = reader_check_problem(ops, &p, e);

	if (status == ASC_OK)
		status = ops->name_file(&p, triton, &name, e);
	if (status == ASC_OK)
		status = ops->print_key(ops, &p, &text, e);
	*key = buf_str(&text);
	*file = buf_str(&name);
	if (status == ASC_OK && (dispatch_keep(t, key, e) || dispatch_keep(t, file, e)))
		status = e->status;
	buf_fini(&name);
	buf_fini(&text);
	return status;
}

enum asc_status reader_result_print_layer(struct dispatch *t, const struct dispatch_row *row,
					  const struct reader_ops *ops, const char **out,
					  struct asc_err *e)
{
	const char *dims = row->result.dims_json, *own = NULL;
	struct json_doc *doc = NULL;
	struct reader_naming names;
	struct buf text = {0};
	struct json_writer w = {&text, false};

	if (reader_naming_open(row, ops->library, &names, e))
		return e->status;
	enum asc_status status =
		json_open_text("problem", dims ? dims : "{}", dims ? strlen(dims) : 2, &doc, e);

	if (ops->row_size)
		own = library_names_own(names.sizes, ops->row_size);
	json_write_begin(&w, NULL, '{');
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL; n;
	     n = json_next(n))
		for (const struct json_node *m = json_first(n); m; m = json_next(m))
			if (!own || strcmp(json_key(m), own) != 0)
				json_write_node(&w, json_key(m), m);
	json_write_end(&w, '}');
	if (status == ASC_OK)
		status = buf_check(&text, e);
	*out = buf_str(&text);
	if (status == ASC_OK)
		status = dispatch_keep(t, out, e);
	json_close(doc);
	reader_naming_close(&names);
	buf_fini(&text);
	return status;
}

enum asc_status reader_result_make(struct dispatch *t, const struct reader_ops *ops,
				   const char *triton, size_t row, struct reader_line *line,
				   const char **file, struct asc_err *e)
{
	const struct dispatch_row *from = &t->rows[row];
	const struct reader_problem p = reader_result_problem(from);
	struct reader_naming names = {0};

	*line = (struct reader_line){.result = row, .ns = from->result.median_ns};
	enum asc_status status = reader_result_place(t, ops, triton, row, file, &line->key, e);

	if (status == ASC_OK)
		status = reader_naming_open(from, ops->library, &names, e);
	if (status == ASC_OK)
		status = reader_naming_read(t, ops, &names, from->result.config_json, &line->config,
					    e);
	if (status == ASC_OK && ops->complete)
		ops->complete(&line->config);
	if (status == ASC_OK)
		status = reader_result_print_layer(t, from, ops, &line->layer, e);
	if (status == ASC_OK && !from->slower && ops->check(&p, &line->config, e)) {
		const struct asc_err why = *e;

		status = asc_err_set(e, why.status, "%s refuses %s: %s", ops->name,
				     from->result.config_key, why.text);
	}
	reader_naming_close(&names);
	return status;
}

/* ---- lines and needs ---- */

int64_t reader_line_size(const struct reader_line *line)
{
	return strtoll(line->key, NULL, 10);
}

enum asc_status reader_file_add(struct reader_file *f, size_t at, const struct reader_line *line,
				struct asc_err *e)
{
	if (!array_room(&f->lines, f->n, &f->room, sizeof *f->lines))
		return asc_err_nomem(e);
	memmove(f->lines + at + 1, f->lines + at, (f->n - at) * sizeof *f->lines);
	f->lines[at] = *line;
	f->n++;
	return ASC_OK;
}

enum asc_status reader_need_add(struct reader_set *s, struct dispatch *t,
				const struct reader_need *need, const struct reader_config *answer,
				const struct reader_config *rival, struct asc_err *e)
{
	const struct dispatch_row *row = &t->rows[need->row];
	const struct reader_ops *ops = s->files[need->file].ops;
	const struct reader_config *const configs[] = {answer, rival};
	struct reader_need n = *need;
	const char **const texts[] = {&n.answer, &n.rival};
	struct reader_naming names;
	struct buf text = {0};

	if (reader_naming_open(row, ops->library, &names, e))
		return e->status;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < 2 && status == ASC_OK; i++) {
		buf_clear(&text);
		reader_naming_print(&names, configs[i], &text);
		*texts[i] = buf_str(&text);
		status = buf_check(&text, e) ? e->status : dispatch_keep(t, texts[i], e);
	}
	if (status == ASC_OK && n.size > 0) {
		n.dimension = library_names_own(names.sizes, ops->row_size);
		status = dispatch_keep(t, &n.dimension, e);
	}
	reader_naming_close(&names);
	buf_fini(&text);
	for (size_t i = 0; i < s->n_needs && status == ASC_OK; i++)
		if (s->needs[i].file == n.file && s->needs[i].size == n.size &&
		    (n.size > 0 || s->needs[i].row == n.row))
			return ASC_OK;
	if (status == ASC_OK && !array_room(&s->needs, s->n_needs, &s->needs_room, sizeof n))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		s->needs[s->n_needs++] = n;
	return status;
}
