#include "reports/tables/reader_verdict.h"

#include <stdlib.h>
#include <string.h>

#include "db/run_view.h"
#include "reports/tables/dispatch_data.h"
#include "reports/tables/exporter.h"
#include "reports/tables/reader_naming.h"
#include "reports/tables/reader_result.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/result/tie.h"

/* ---- places ---- */

/* Order of questions to a library that is asked; 0: the same problem on the same GPU. */
static int compare_questions(const void *a, const void *b)
{
	const struct dispatch_row *x = *(const struct dispatch_row *const *)a,
				  *y = *(const struct dispatch_row *const *)b;
	int order = rule_compare_texts(x->op, y->op);

	if (order == 0)
		order = rule_compare_texts(x->result.device_model, y->result.device_model);
	if (order == 0)
		order = rule_compare_texts(x->result.device_arch, y->result.device_arch);
	if (order == 0)
		order = (x->n_sizes > y->n_sizes) - (x->n_sizes < y->n_sizes);
	if (order == 0)
		order = (x->n_types > y->n_types) - (x->n_types < y->n_types);
	for (size_t i = 0; i < x->n_sizes && order == 0; i++) {
		const int64_t m = x->sizes[i].low, n = y->sizes[i].low;

		order = (m > n) - (m < n);
		if (order == 0)
			order = rule_compare_texts(x->sizes[i].name, y->sizes[i].name);
	}
	for (size_t i = 0; i < x->n_types && order == 0; i++) {
		order = rule_compare_texts(x->types[i].type, y->types[i].type);
		if (order == 0)
			order = rule_compare_texts(x->types[i].name, y->types[i].name);
	}
	return order;
}

/* Gives results what the library told of the same questions: it was asked for the rows of the
 * request alone. */
static enum asc_status take_told(struct dispatch *to, const struct dispatch *asked,
				 struct asc_err *e)
{
	const struct dispatch_row **list = calloc(asked->n_rows + 1, sizeof(struct dispatch_row *));
	size_t n = 0;

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < asked->n_rows; i++)
		if (asked->rows[i].told)
			list[n++] = &asked->rows[i];
	qsort(list, n, sizeof(struct dispatch_row *), compare_questions);
	for (size_t i = 0; i < to->n_rows && n > 0; i++) {
		const struct dispatch_row *row = &to->rows[i],
					  *const *found = bsearch(&row, list, n,
								  sizeof(struct dispatch_row *),
								  compare_questions);

		if (found)
			to->rows[i].told = (*found)->told;
	}
	free(list);
	return ASC_OK;
}

/* Adds the place of a result, unless it has none, or another Triton compiled it; `foreign`: other
 * compilers may. */
static enum asc_status add_place(struct reader_verdicts *v, size_t row, const char *triton,
				 bool foreign, struct asc_err *e)
{
	const struct dispatch_row *from = &v->results.rows[row];
	const struct reader_ops *ops = reader_find_operator(v->library, from->op);
	struct reader_place place = {.row = row};
	const char *version;
	struct asc_err none = {.status = ASC_OK};
	bool other;

	if (!ops || (ops->asks && !from->told) || from->left_out || !from->result.device_model)
		return ASC_OK;
	if (reader_result_triton(&v->results, &from->result, &version, &other, &none) ||
	    (other && !foreign) || (version && triton && strcmp(version, triton) != 0) ||
	    reader_result_place(&v->results, ops, triton, row, &place.file, &place.key, &none) ||
	    reader_result_print_layer(&v->results, from, ops, &place.layer, &none))
		return none.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	if (!array_room(&v->places, v->n, &v->room, sizeof *v->places))
		return asc_err_nomem(e);
	v->places[v->n++] = place;
	return ASC_OK;
}

enum asc_status reader_verdicts_open(struct reader_verdicts *v, const struct export_request *r,
				     const char *library, const char *triton, struct asc_err *e)
{
	bool has_rivals = false;

	/* A library that has to be asked has no default that could be told, but files of it may be
	 * imported. */
	for (const struct reader_ops *const *o = reader_list; *o; o++)
		has_rivals |= strcmp((*o)->library, library) == 0 && (!(*o)->asks || (*o)->guess);
	v->library = library;
	if (!r->db || r->simulated || !has_rivals)
		return ASC_OK;
	v->db = r->db;
	enum asc_status status = dispatch_read(&v->results, r->db, DISPATCH_COMPARED, e);

	if (status == ASC_OK)
		status = dispatch_name_rows(&v->results, library, e);
	if (status == ASC_OK)
		status = take_told(&v->results, r->table, e);
	for (size_t i = 0; i < v->results.n_rows && status == ASC_OK; i++)
		status = add_place(v, i, triton, r->terms.foreign_kernels, e);
	return status;
}

void reader_verdicts_close(struct reader_verdicts *v)
{
	free(v->places);
	dispatch_fini(&v->results);
	*v = (struct reader_verdicts){0};
}

/* ---- rounds ---- */

struct asked {
	const struct reader_naming *names;
	const struct reader_config *answer, *rival;
	int64_t run_id; /* run that is visited; the members below are of it */
	bool failed;    /* the answer, or the rival in a way that says nothing of the next launch */
	bool answer_passed, rival_unusable;
	char *answer_key, *rival_key; /* heap; of finalists */
	bool done;                    /* both are known of that run */
};

static enum asc_status keep(char **to, const char *text, struct asc_err *e)
{
	free(*to);
	*to = str_dup(text);
	return *to ? ASC_OK : asc_err_nomem(e);
}

/* Notes what a run has of either configuration; the first that has both is the newest. */
static enum asc_status note(void *user, const struct db_compared *c, struct asc_err *e)
{
	struct asked *a = user;
	const bool is_answer = reader_naming_is(a->names, c->config_key, a->answer);
	const bool is_rival = reader_naming_is(a->names, c->config_key, a->rival);

	if (a->done || !(is_answer || is_rival))
		return ASC_OK;
	if (a->run_id != c->run_id) {
		const struct asked next = {.names = a->names,
					   .answer = a->answer,
					   .rival = a->rival,
					   .run_id = c->run_id};

		free(a->answer_key);
		free(a->rival_key);
		*a = next;
	}
	switch (c->state) {
	case DB_COMPARED_UNUSABLE:
		a->failed |= is_answer;
		a->rival_unusable |= is_rival;
		break;
	case DB_COMPARED_FAILED: a->failed = true; break;
	case DB_COMPARED_FINALIST:
		if (keep(is_answer ? &a->answer_key : &a->rival_key, c->config_key, e))
			return e->status;
		break;
	case DB_COMPARED_PASSED: a->answer_passed |= is_answer; break;
	}
	a->done = a->failed || (a->answer_key && a->rival_key) ||
		  (a->rival_unusable && (a->answer_key || a->answer_passed));
	return ASC_OK;
}

/* Compares the two in their rounds. */
static enum asc_status compare(struct db *d, const struct asked *a, const char *implementation,
			       struct reader_verdict *out, struct asc_err *e)
{
	int64_t *answer = NULL, *rival = NULL;
	size_t n = 0, n_rival = 0;
	struct stats_interval interval;
	double ratio;
	enum asc_status status =
		db_get_final_samples(d, a->run_id, implementation, a->answer_key, &answer, &n, e);

	if (status == ASC_OK)
		status = db_get_final_samples(d, a->run_id, implementation, a->rival_key, &rival,
					      &n_rival, e);
	n = n < n_rival ? n : n_rival;
	if (status == ASC_OK && n > 0)
		status = tie_ratio(rival, answer, n, &ratio, &interval, e);
	if (status == ASC_OK && n > 0 && ratio > 0) {
		out->part = 1 / ratio;
		out->outcome = interval.low > 1 + TIE_MARGIN ? READER_GAINS : READER_NO_GAIN;
	}
	free(answer);
	free(rival);
	return status;
}

/* Finds the verdict of one result's problem. */
static enum asc_status find_of(struct reader_verdicts *v, const struct dispatch_row *row,
			       const struct reader_question *q, struct reader_verdict *out,
			       struct asc_err *e)
{
	const struct best_row *r = &row->result;
	struct reader_naming names;

	if (reader_naming_open(row, v->library, &names, e))
		return e->status;
	struct asked a = {.names = &names, .answer = q->answer, .rival = q->rival};
	enum asc_status status =
		db_each_compared(v->db, r->run_id, r->own_implementation, note, &a, e);

	if (status == ASC_OK && a.done && a.failed)
		out->outcome = READER_NO_GAIN;
	else if (status == ASC_OK && a.done && a.rival_unusable)
		out->outcome = READER_GAINS;
	else if (status == ASC_OK && a.done)
		status = compare(v->db, &a, r->implementation, out, e);
	free(a.answer_key);
	free(a.rival_key);
	reader_naming_close(&names);
	return status;
}

/* True for a result of a kernel, in its text, that the table serves by some row. */
static bool has_kernel(const struct reader_question *q, const struct best_row *r)
{
	for (size_t i = 0; i < q->table->n_rows; i++) {
		const struct dispatch_row *row = &q->table->rows[i];

		if (reader_result_counts(row) && reader_result_same_kernel(&row->result, r))
			return true;
	}
	return false;
}

enum asc_status reader_verdict_find(struct reader_verdicts *v, const struct reader_question *q,
				    struct reader_verdict *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	*out = (struct reader_verdict){0};
	for (const struct reader_place *p = v->places; p < v->places + v->n; p++) {
		const struct dispatch_row *row = &v->results.rows[p->row];

		if (strcmp(p->file, q->file) != 0 || strcmp(p->key, q->key) != 0 ||
		    strcmp(p->layer, q->layer) != 0 || !has_kernel(q, &row->result) ||
		    !str_is_same(row->result.device_fingerprint, q->of->device_fingerprint) ||
		    !str_is_same(row->result.cache_policy, q->of->cache_policy))
			continue;
		/* Several implementations may have been measured there. */
		status = find_of(v, row, q, out, e);
		if (status || out->outcome != READER_UNMEASURED)
			break;
	}
	return status;
}
