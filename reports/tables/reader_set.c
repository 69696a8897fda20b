/* The way of a result into a library's table:
 *
 * 1. The rules of dispatch tables decide which results may serve (dispatch_rules.c).
 * 2. Each result becomes a question of its reader: the name of the file that is asked, the row.
 * 3. Its configuration gets the library's names and is held to the reader's limits.
 * 4. It is compared with what the library takes without the file, the rival: the row of an imported
 *    file of that name, else the library's default (reader_verdict.c). A result that is not shown
 *    faster gives a row that holds the rival.
 * 5. Where a reader finds rows by size, the answers between the rows are proved likewise, and get
 *    rows that hold the rival where they gain nothing (reader_proof.c). */
#include "reports/tables/reader_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "reports/tables/dispatch_data.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_imported.h"
#include "reports/tables/reader_proof.h"
#include "reports/tables/reader_result.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

/* ---- files ---- */

/* Finds the file of a result, `wanted`, or begins it with what was imported under its name; *out is
 * its number. */
static enum asc_status take_file(struct reader_set *s, const struct export_request *r,
				 const struct reader_file *wanted, const char *key, size_t *out,
				 struct asc_err *e)
{
	for (*out = 0; *out < s->n; ++*out)
		if (s->files[*out].ops == wanted->ops &&
		    strcmp(s->files[*out].name, wanted->name) == 0)
			return ASC_OK;
	if (!array_room(&s->files, s->n, &s->room, sizeof *s->files))
		return asc_err_nomem(e);
	struct reader_file *f = &s->files[s->n++];

	*f = *wanted;
	return r->db ? reader_read_imported(r->db, f->ops, f->name, key, &f->imported, e) : ASC_OK;
}

/* Puts a line in its place: by size, else behind the others. Two results that are one row are
 * refused, unless they say the same. */
static enum asc_status place_line(const struct dispatch *t, struct reader_file *f,
				  const struct reader_line *line, struct asc_err *e)
{
	size_t at = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct best_row *a = &t->rows[f->lines[i].result].result;
		const struct best_row *b = &t->rows[line->result].result;

		/* Rows serve sizes between them, of whichever layer. */
		if (f->ops->row_size && strcmp(f->lines[i].layer, line->layer) != 0)
			return asc_err_set(e, ASC_INPUT,
					   "%s/%s and %s/%s are of two layers, which %s does not "
					   "tell apart; --problem WORKLOAD/NAME takes one",
					   a->workload, a->problem, b->workload, b->problem,
					   f->name);
		if (strcmp(f->lines[i].key, line->key) != 0)
			continue;
		if (reader_same_config(&f->lines[i].config, &line->config))
			return ASC_OK;
		return asc_err_set(e, ASC_INPUT,
				   "%s/%s (%s, %s) and %s/%s (%s, %s) are both the row %s of %s, "
				   "with different configurations; --problem WORKLOAD/NAME or "
				   "--set device=MODEL takes one, --cover PCT%% one that serves "
				   "both",
				   a->workload, a->problem, a->implementation, a->device_model,
				   b->workload, b->problem, b->implementation, b->device_model,
				   line->key, f->name);
	}
	while (at < f->n &&
	       (!f->ops->row_size || reader_line_size(&f->lines[at]) < reader_line_size(line)))
		at++;
	return reader_file_add(f, at, line, e);
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

/* ---- the row for the rest ---- */

/* Adds the rows of an imported file that no result has, where rows are found by their keys: without
 * the file the library takes them. */
static enum asc_status keep_imported(struct reader_file *f, struct asc_err *e)
{
	for (size_t i = 0; i < f->imported.n && !f->ops->row_size; i++) {
		const struct reader_row *row = &f->imported.rows[i];
		const struct reader_line line = {.key = row->key,
						 .config = row->config,
						 .result = SIZE_MAX,
						 .pinned = true,
						 .why = "no result"};
		bool there = false;

		for (size_t k = 0; k < f->n; k++)
			there = there || str_is_same(f->lines[k].key, row->key);
		if (!there && reader_file_add(f, f->n, &line, e))
			return e->status;
	}
	return ASC_OK;
}

/* Adds the row for all that no other one serves, unless an imported file had one: the configuration
 * that most rows have, the first of several. */
static enum asc_status add_fallback(struct reader_file *f, struct asc_err *e)
{
	struct reader_line line = {.result = SIZE_MAX, .why = "the configuration of most rows"};
	size_t most = 0;

	for (size_t i = 0; f->ops->fallback && i < f->n; i++) {
		size_t same = 0;

		if (!f->lines[i].key)
			return ASC_OK;
		for (size_t k = 0; k < f->n; k++)
			same += reader_same_config(&f->lines[i].config, &f->lines[k].config);
		if (same > most) {
			most = same;
			line.config = f->lines[i].config;
		}
	}
	return most > 0 ? reader_file_add(f, f->n, &line, e) : ASC_OK;
}

/* ---- the set ---- */

/* Leaves out results of other devices than the one that was asked for. */
static enum asc_status limit_device(struct dispatch *t, const char *device, struct asc_err *e)
{
	const char *other = "none";
	bool found = false;

	for (size_t i = 0; i < t->n_rows; i++) {
		struct dispatch_row *row = &t->rows[i];

		if (str_is_same(row->result.device_model, device)) {
			found = true;
			continue;
		}
		if (row->result.device_model)
			other = row->result.device_model;
		row->left_out = "another device was asked for";
		row->said = false;
		row->not_asked = true;
	}
	return found ? ASC_OK
		     : asc_err_set(
			       e, ASC_NOTFOUND,
			       "--set device=%.100s: no result is of this model; there are some "
			       "of %.100s",
			       device, other);
}

/* Triton's version and the GPU of the newest result, which the tables are for: those of two
 * versions in one table would be right for neither. */
static enum asc_status find_version(struct dispatch *t, const struct export_request *r,
				    const char **out, const char **device, struct asc_err *e)
{
	const char *newest = "", *asked = exporter_find_setting(r, "triton");
	bool other;

	*out = asked;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct dispatch_row *row = &t->rows[i];
		const char *version;

		if (!reader_result_counts(row))
			continue;
		/* A damaged row is left out by itself. */
		if (reader_result_triton(t, &row->result, &version, &other, e)) {
			if (e->status == ASC_NOMEM)
				return e->status;
			continue;
		}
		if (rule_compare_texts(row->result.recorded_at, newest) <= 0)
			continue;
		newest = row->result.recorded_at;
		*device = row->result.device_model;
		*out = asked || !version ? *out : version;
	}
	return ASC_OK;
}

static int compare_kernels(const struct best_row *x, const struct best_row *y)
{
	int order = rule_compare_texts(x->workload, y->workload);

	if (order == 0)
		order = rule_compare_texts(x->implementation, y->implementation);
	return order ? order : rule_compare_texts(x->device_model, y->device_model);
}

/* By kernel and device, the newest result first; of two of one time the first one of the table. */
static int compare_newest(const void *a, const void *b)
{
	const struct dispatch_row *x = *(struct dispatch_row *const *)a,
				  *y = *(struct dispatch_row *const *)b;
	int order = compare_kernels(&x->result, &y->result);

	if (order == 0)
		order = rule_compare_texts(y->result.recorded_at, x->result.recorded_at);
	return order ? order : (x > y) - (x < y);
}

/* Leaves out results of an earlier text of a kernel than the newest result of it has: rounds of one
 * say nothing of the other. */
static enum asc_status leave_out_older(struct dispatch *t, struct asc_err *e)
{
	struct dispatch_row **rows = calloc(t->n_rows + 1, sizeof(struct dispatch_row *));
	const struct best_row *newest = NULL;
	enum asc_status status = rows ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < t->n_rows && rows; i++)
		rows[i] = &t->rows[i];
	if (rows)
		qsort(rows, t->n_rows, sizeof(struct dispatch_row *), compare_newest);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++) {
		struct dispatch_row *row = rows[i];

		if (!newest || compare_kernels(newest, &row->result) != 0)
			newest = &row->result;
		/* Neither is the older one of two of one time. */
		if (!reader_result_counts(row) || reader_result_same_kernel(newest, &row->result) ||
		    rule_compare_texts(newest->recorded_at, row->result.recorded_at) == 0)
			continue;
		row->slower = false; /* slower or not, its time is another kernel's */
		status = dispatch_leave_out(t, row, e,
					    "it was measured with another text of the kernel than "
					    "%s: measure it again",
					    newest->problem);
	}
	free(rows);
	return status;
}

/* Compares a row's result with its rival, and decides what the row holds. */
static enum asc_status judge(struct reader_set *s, const struct export_request *r, size_t number,
			     const struct reader_problem *p, struct reader_line *line,
			     struct asc_err *e)
{
	const struct reader_file *f = &s->files[number];
	const struct reader_config answer = line->config;
	struct reader_config own = {0};
	struct reader_verdict v = {0};
	bool told = reader_find_rival(f, p, line->key, &own);
	const struct reader_question q = {.file = f->name,
					  .key = line->key,
					  .layer = line->layer,
					  .of = &r->table->rows[line->result].result,
					  .table = r->table,
					  .answer = &answer,
					  .rival = &own};

	reader_align_options(&own, &answer);
	const bool same = told && reader_same_config(&answer, &own);

	/* A file that has lost its folder may be of an earlier kernel or Triton, which the library
	 * asks for no more: the same configuration is written again. */
	told = told && !(same && f->ops->one_key);
	if (told && !same) {
		if (reader_verdict_find(&s->verdicts, &q, &v, e))
			return e->status;
		if (v.outcome == READER_UNMEASURED &&
		    reader_need_add(s, r->table,
				    &(struct reader_need){.file = number, .row = line->result},
				    &answer, &own, e))
			return e->status;
	}
	return reader_result_judge(r->table, f, &v, told ? &own : NULL, r->proof != EXPORT_PROVED,
				   line, e);
}

/* Asks the library for what only it can tell of the rows: once, since an import of it takes
 * seconds. */
static enum asc_status ask_library(struct reader_set *s, const struct export_request *r,
				   const char *library, const char *triton, struct asc_err *e)
{
	struct dispatch *t = r->table;
	struct reader_problem *list = calloc(t->n_rows + 1, sizeof *list);
	struct reader_asking a = {.library = library,
				  .triton = triton,
				  .version = exporter_find_setting(r, "version"),
				  .main = exporter_find_setting(r, "main"),
				  .list = list};
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);

	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++) {
		const struct dispatch_row *row = &t->rows[i];
		const struct reader_ops *ops = reader_find_operator(library, row->op);

		if (!reader_result_counts(row) || !ops || !ops->asks)
			continue;
		list[a.n] = reader_result_problem(row);
		a.version = a.version ? a.version : ops->version;
		/* A damaged row is left out by itself. */
		if (reader_result_source(t, &row->result, &list[a.n++].source, e) == ASC_NOMEM)
			status = e->status;
	}
	if (status == ASC_OK && a.n > 0)
		status = r->ask(&a, &s->told, e);
	for (size_t i = 0, at = 0; i < t->n_rows && at < a.n && status == ASC_OK; i++)
		if (t->rows[i].sizes == list[at].sizes)
			t->rows[i].told = list[at++].told;
	free(list);
	return status;
}

static enum asc_status add_row(struct reader_set *s, const struct export_request *r,
			       const char *library, const char *triton, const char *device,
			       size_t row, struct asc_err *e)
{
	struct dispatch *t = r->table;
	struct dispatch_row *from = &t->rows[row];
	struct reader_file wanted = {.triton = triton, .problem = reader_result_problem(from)};
	struct reader_line line;
	const char *version;
	bool other;
	size_t number;

	if (!reader_result_counts(from))
		return ASC_OK;
	wanted.ops = reader_find_operator(library, from->op);
	if (!wanted.ops)
		return dispatch_leave_out(t, from, e,
					  "%s has no tables of an operator %.100s; `asctune list "
					  "readers` names them",
					  library, from->op);
	if (wanted.ops->one_device && device && strcmp(from->result.device_model, device) != 0)
		return dispatch_leave_out(t, from, e,
					  "the files are for %s, and no name in them tells GPUs "
					  "apart; --set device=NAME makes those of another",
					  device);
	enum asc_status status = reader_result_triton(t, &from->result, &version, &other, e);

	if (status == ASC_OK && other && !r->terms.foreign_kernels)
		return dispatch_leave_out(
			t, from, e,
			"it was not compiled by Triton, as the library's kernel is: "
			"--foreign-kernel takes it");
	if (status == ASC_OK && version && triton && strcmp(version, triton) != 0)
		return dispatch_leave_out(
			t, from, e,
			"it was compiled by Triton %s, the table is for %s; --set "
			"triton=%s makes one for that",
			version, triton, version);
	if (status == ASC_OK)
		status = reader_result_make(t, wanted.ops, triton, row, &line, &wanted.name, e);
	if (status == ASC_OK && take_file(s, r, &wanted, line.key, &number, e))
		return e->status;
	if (status == ASC_OK)
		status = judge(s, r, number, &wanted.problem, &line, e);
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
	const char *triton = NULL, *device = exporter_find_setting(r, "device");

	terms.library = library;
	terms.own_kernel = true;
	if (t->n_rows == 0)
		return exporter_fail_empty(r, e);
	enum asc_status status = device ? limit_device(t, device, e) : ASC_OK;

	if (status == ASC_OK)
		status = dispatch_add_rules(t, &terms, e);
	if (status == ASC_OK)
		status = leave_out_older(t, e);
	if (status == ASC_OK)
		status = find_version(t, r, &triton, &device, e);
	if (status == ASC_OK)
		status = ask_library(s, r, library, triton, e);
	if (status == ASC_OK)
		status = reader_verdicts_open(&s->verdicts, r, library, triton, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = add_row(s, r, library, triton, device, i, e);
	for (size_t i = 0; i < s->n && status == ASC_OK; i++) {
		struct reader_file *f = &s->files[i];

		f->idle = !has_result(f);
		if (!f->idle)
			status = reader_proof_complete(s, i, r, e);
		if (status == ASC_OK && !f->idle)
			status = keep_imported(f, e);
		if (status == ASC_OK && !f->idle)
			status = add_fallback(f, e);
	}
	return status;
}

enum asc_status reader_file_write(const struct reader_file *f, struct buf *out, struct asc_err *e)
{
	struct reader_table table = {0};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < f->n && status == ASC_OK; i++) {
		status = reader_table_add(&table, f->lines[i].key, &f->lines[i].config, e);
		if (status == ASC_OK)
			table.rows[i].ns = f->lines[i].ns;
	}

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
	free(s->needs);
	reader_verdicts_close(&s->verdicts);
	reader_answers_fini(&s->told);
	*s = (struct reader_set){0};
}
