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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/dispatch_data.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_imported.h"
#include "reports/tables/reader_result.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

/* Largest size for which defaults are looked at: 16 times the ladder's last; heuristics of the
 * libraries have no step beyond it. */
enum { LAST_SIZE = 65536 };

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

/* Notes which parts of a row's result count for the evidence of its file. */
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

/* Returns what the library takes without the file at a size. */
static struct reader_config default_at(const struct reader_file *f, int64_t size)
{
	struct rule_size sizes[RULE_MAX_SIZES];
	const struct reader_problem p = problem_at(f, size, sizes);
	struct reader_config own = {0};
	char key[32];

	(void)snprintf(key, sizeof key, "%" PRId64, size);
	(void)reader_find_rival(f, &p, key, &own);
	return own;
}

/* Adds a row that holds the library's default at a size, unless there is a row. */
static enum asc_status pin(struct dispatch *t, struct reader_file *f, int64_t size, const char *why,
			   struct asc_err *e)
{
	const struct reader_line line = {.key = reader_keep_text(t, e, "%" PRId64, size),
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

	if (!f->ops->row_size || !reader_find_rival(f, &f->problem, "1", &own))
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
		/* A damaged row is left out by itself. */
		if (reader_result_triton(t, &row->result, &version, &other, e)) {
			if (e->status == ASC_NOMEM)
				return e->status;
			continue;
		}
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
	struct reader_file wanted = {.triton = triton, .problem = reader_result_problem(from)};
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
	enum asc_status status = reader_result_triton(t, &from->result, &version, &other, e);

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
		status = reader_result_make(t, wanted.ops, triton, row, &line, &wanted.name, e);
	if (status == ASC_OK && take_file(s, r, &wanted, &number, e))
		return e->status;
	if (status == ASC_OK)
		status = reader_result_judge(t, &s->files[number], &wanted.problem, &line, e);
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
	terms.own_kernel = true;
	if (t->n_rows == 0)
		return exporter_fail_empty(r, e);
	enum asc_status status = dispatch_add_rules(t, &terms, e);

	if (status == ASC_OK)
		status = find_version(t, r, &triton, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = add_row(s, r, library, triton, i, e);
	for (size_t i = 0; i < s->n && status == ASC_OK; i++) {
		struct reader_file *f = &s->files[i];

		f->idle = !has_result(f);
		if (!f->idle)
			status = pin_rest(t, f, e);
		if (status == ASC_OK && !f->idle)
			status = add_fallback(f, e);
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
