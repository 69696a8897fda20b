/* Rules of a dispatch table: which rows make one. */
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

/* ---- names of the library ---- */

static const struct dispatch_size *find_size(const struct dispatch_row *row, const char *name)
{
	for (size_t i = 0; i < row->n_sizes; i++)
		if (strcmp(row->sizes[i].name, name) == 0)
			return &row->sizes[i];
	return NULL;
}

/* Puts the sizes that the library names, by its names, in the place of the workload's. */
static enum asc_status rename_sizes(struct dispatch *t, struct dispatch_row *row,
				    const struct json_node *sizes, struct asc_err *e)
{
	struct dispatch_size list[DISPATCH_MAX_SIZES];
	size_t n = 0;

	for (const struct json_node *m = json_first(sizes); m; m = json_next(m)) {
		const char *own;

		if (json_get_string(m, &own, e))
			return e->status;
		const struct dispatch_size *s = find_size(row, own);

		if (!s || n == DISPATCH_MAX_SIZES)
			return json_fail(m, e, "\"%s\" is no size of problem %s", own,
					 row->result.problem);
		list[n] = *s;
		list[n].name = json_key(m);
		if (dispatch_keep(t, &list[n++].name, e))
			return e->status;
	}
	memcpy(row->sizes, list, n * sizeof *list);
	row->n_sizes = n;
	row->no_size = NULL;
	return ASC_OK;
}

/* Sets whether the row is of another kernel than the library's, whose digest the workload knows. */
static enum asc_status find_foreign(struct dispatch_row *row, const struct json_node *kernels,
				    struct asc_err *e)
{
	const struct json_node *n = json_find(kernels, row->result.implementation);
	const char *digest;

	if (!n)
		return ASC_OK;
	if (json_get_string(n, &digest, e))
		return e->status;
	row->foreign = !row->result.source_digest || strcmp(digest, row->result.source_digest) != 0;
	return ASC_OK;
}

static enum asc_status take_names(struct dispatch *t, struct dispatch_row *row,
				  const struct json_node *own, struct asc_err *e)
{
	struct library_names names;

	if (library_names_read(own, &names, e))
		return e->status;
	row->op = names.op;
	row->own_default = names.default_index;
	if (dispatch_keep(t, &row->op, e))
		return e->status;
	if (names.sizes && rename_sizes(t, row, names.sizes, e))
		return e->status;
	return names.kernels ? find_foreign(row, names.kernels, e) : ASC_OK;
}

/* Names a row as the library does; one that cannot be named makes no rule. */
static enum asc_status name_row(struct dispatch *t, struct dispatch_row *row, const char *library,
				struct asc_err *e)
{
	const char *text = row->result.export_json;
	struct json_doc *doc = NULL;

	if (!library || row->left_out)
		return ASC_OK;
	if (!text)
		return dispatch_leave_out(
			t, row, e,
			"the database does not hold its names in libraries, which an earlier "
			"version did not record, nor keep in a merge: `asctune run FILE --resume` "
			"records them");
	enum asc_status status = json_open_text("export", text, strlen(text), &doc, e);
	const struct json_node *own = status == ASC_OK ? json_find(json_root(doc), library) : NULL;

	if (own)
		status = take_names(t, row, own, e);
	else if (status == ASC_OK)
		status = dispatch_leave_out(t, row, e,
					    "its workload's \"export\" does not name its operator "
					    "in %s: {\"%s\": {\"operator\": \"NAME\"}}",
					    library, library);
	json_close(doc);
	if (status == ASC_INPUT) {
		const struct asc_err why = *e;

		status = dispatch_leave_out(t, row, e, "%s", why.text);
	}
	return status;
}

/* ---- which rows make rules ---- */

/* True for a row of the problem or ladder NAME, or WORKLOAD/NAME. */
static bool is_asked(const struct dispatch_row *row, const char *name)
{
	const char *workload = row->result.workload ? row->result.workload : "";
	const size_t n = strlen(workload);
	const bool whole = strncmp(name, workload, n) == 0 && name[n] == '/';

	return problem_name_is_of(row->result.problem, whole ? name + n + 1 : name);
}

void dispatch_limit(struct dispatch *t, const char *problem)
{
	for (size_t i = 0; problem && i < t->n_rows; i++)
		if (!is_asked(&t->rows[i], problem)) {
			t->rows[i].left_out = "another problem was asked for";
			t->rows[i].said = false;
		}
}

static enum asc_status judge_row(struct dispatch *t, struct dispatch_row *row,
				 const struct dispatch_terms *terms, struct asc_err *e)
{
	const struct best_row *r = &row->result;

	if (row->left_out)
		return ASC_OK;
	if (!row->op || !*row->op || !r->device_model)
		return dispatch_leave_out(t, row, e, "its %s is not recorded",
					  row->op && *row->op ? "device's model" : "operator");
	if (row->no_size)
		return dispatch_leave_out(t, row, e, "its \"%s\" is no size", row->no_size);
	else if (terms->indices && r->implementation_index < 0)
		return dispatch_leave_out(t, row, e,
					  "its implementation has no \"index\", which those of the "
					  "library itself have; c-header takes it");
	else if (row->foreign && !terms->foreign_kernels)
		return dispatch_leave_out(t, row, e,
					  "it was measured on another kernel than the library's: "
					  "--foreign-kernel takes it");
	else if (row->rival_ns > 0 && r->median_ns > row->rival_ns)
		return dispatch_leave_out(t, row, e,
					  "it takes %.6g us, the default, %s, %.6g us in the same "
					  "rounds",
					  r->median_ns / 1000, row->rival, row->rival_ns / 1000);
	return ASC_OK;
}

struct placed {
	struct dispatch_row *row;
};

/* Order of places: problem, device model and implementation. */
static int compare_places(const void *a, const void *b)
{
	const struct best_row *x = &((const struct placed *)a)->row->result;
	const struct best_row *y = &((const struct placed *)b)->row->result;
	const char *const pairs[][2] = {
		{x->workload, y->workload},         {x->problem, y->problem},
		{x->dims_json, y->dims_json},       {x->device_kind, y->device_kind},
		{x->device_model, y->device_model}, {x->implementation, y->implementation}};
	int order = 0;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs && order == 0; i++)
		order = dispatch_compare(pairs[i][0], pairs[i][1]);
	return order;
}

static bool is_cold(const struct dispatch_row *row)
{
	return str_is_same(row->result.cache_policy, "cold");
}

static bool serves_before(const struct dispatch_row *p, const struct dispatch_row *q)
{
	if (is_cold(p) != is_cold(q))
		return is_cold(p);
	return dispatch_compare(p->result.recorded_at, q->result.recorded_at) > 0;
}

static struct placed *sort_rows(struct dispatch *t, struct asc_err *e)
{
	struct placed *list = calloc(t->n_rows + 1, sizeof *list);

	if (!list) {
		asc_err_nomem(e);
		return NULL;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		list[i].row = &t->rows[i];
	qsort(list, t->n_rows, sizeof *list, compare_places);
	return list;
}

/* Leaves out all rows of a place but one. */
static enum asc_status judge_places(struct dispatch *t, struct asc_err *e)
{
	struct placed *list = sort_rows(t, e), *chosen = list;

	if (!list)
		return e->status;
	for (struct placed *p = list + 1; p < list + t->n_rows; p++) {
		const bool same = compare_places(chosen, p) == 0;
		const bool better = !p->row->left_out &&
				    (chosen->row->left_out || serves_before(p->row, chosen->row));
		struct dispatch_row *other = better ? chosen->row : p->row;

		if (same && !other->left_out)
			other->left_out = "another result of the same problem comes first";
		if (!same || better)
			chosen = p;
	}
	free(list);
	return ASC_OK;
}

/* Finds the index of the rival among the rows of the same workload; that of the row before, mostly.
 */
static int64_t find_rival_index(const struct dispatch *t, size_t number)
{
	const struct dispatch_row *row = &t->rows[number], *before = row - (number > 0);
	const char *workload = row->result.workload;

	if (!row->rival || strcmp(row->rival, row->result.implementation) == 0)
		return row->rival ? row->result.implementation_index : -1;
	if (before != row && str_is_same(before->rival, row->rival) &&
	    str_is_same(before->result.workload, workload))
		return before->rival_index;
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct best_row *r = &t->rows[i].result;

		if (str_is_same(r->workload, workload) &&
		    str_is_same(r->implementation, row->rival))
			return r->implementation_index;
	}
	return -1;
}

/* Sets the rival's index. A rival that is not what the library takes by itself is none. */
static void set_rival(struct dispatch *t, size_t number)
{
	struct dispatch_row *row = &t->rows[number];

	row->rival_index = find_rival_index(t, number);
	if (row->own_default < 0 || row->own_default == row->rival_index)
		return;
	row->rival = NULL;
	row->rival_ns = 0;
	row->rival_index = row->own_default;
}

static enum asc_status add_rule(struct dispatch *t, size_t number, struct asc_err *e)
{
	const struct dispatch_row *row = &t->rows[number];

	if (row->left_out)
		return ASC_OK;
	if (!array_room(&t->rules, t->n_rules, &t->rules_room, sizeof *t->rules))
		return asc_err_nomem(e);
	struct dispatch_rule *rule = &t->rules[t->n_rules++];

	*rule = (struct dispatch_rule){.row = number, .n_sizes = row->n_sizes};
	memcpy(rule->sizes, row->sizes, sizeof rule->sizes);
	return ASC_OK;
}

static enum asc_status name_holes(struct dispatch *holes, const struct dispatch_terms *terms,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	dispatch_limit(holes, terms->problem);
	for (size_t i = 0; i < holes->n_rows && status == ASC_OK; i++)
		status = name_row(holes, &holes->rows[i], terms->library, e);
	return status;
}

enum asc_status dispatch_add_rules(struct dispatch *t, const struct dispatch_terms *terms,
				   struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	dispatch_limit(t, terms->problem);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = name_row(t, &t->rows[i], terms->library, e);
	if (status == ASC_OK && t->holes)
		status = name_holes(t->holes, terms, e);
	for (size_t i = 0; i < t->n_rows; i++)
		set_rival(t, i);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = judge_row(t, &t->rows[i], terms, e);
	if (status == ASC_OK)
		status = judge_places(t, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = add_rule(t, i, e);
	if (status == ASC_OK && t->n_covers > 0)
		status = dispatch_widen(t, e);
	return status == ASC_OK ? dispatch_check_overlap(t, "--problem WORKLOAD/NAME takes one", e)
				: status;
}
