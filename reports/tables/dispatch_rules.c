/* Rules of a dispatch table: which rows make one.
 *
 * 1. Each row gets the library's names of its operator and sizes.
 * 2. Rows are judged one by one: what is missing, slower than the library's default, or measured on
 *    another kernel than the library's, is left out.
 * 3. Of several rows for the same problem, device model and implementation, one is chosen.
 * 4. Each row that is left makes a rule for its own sizes.
 * 5. In a table with covers, rules get ranges and are joined (dispatch_ranges.c).
 * 6. No two rules may serve one question.
 *
 * Rows that are left out stay in the table with the reason: the evidence beside an export has all
 * of them. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch_data.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

/* ---- names of the library ---- */

/* Puts the sizes that the library names, by its names, in the place of the workload's. */
static enum asc_status rename_sizes(struct dispatch *t, struct dispatch_row *row,
				    const struct json_node *sizes, struct asc_err *e)
{
	struct dispatch_row renamed =
		*row; /* a failure leaves the row as it was: it bounds ranges */
	size_t n = 0;

	for (const struct json_node *m = json_first(sizes); m; m = json_next(m)) {
		const char *own;
		size_t i = 0;

		if (json_get_string(m, &own, e))
			return e->status;
		while (i < row->n_sizes && strcmp(row->sizes[i].name, own) != 0)
			i++;
		if (i == row->n_sizes || n == RULE_MAX_SIZES)
			return json_fail(m, e, "\"%s\" is no size of problem %s", own,
					 row->result.problem);
		renamed.sizes[n] = row->sizes[i];
		renamed.of_shape[n] = row->of_shape[i];
		renamed.truth[n] = row->truth[i];
		renamed.axes[n] = row->axes[i];
		renamed.sizes[n].name = json_key(m);
		if (dispatch_keep(t, &renamed.sizes[n++].name, e))
			return e->status;
	}
	renamed.n_sizes = n;
	renamed.no_size = NULL; /* a library that names sizes does not ask by other dimensions */
	*row = renamed;
	return ASC_OK;
}

/* The same for types; a text that is no type variable of the problem stands for itself. */
static enum asc_status rename_types(struct dispatch *t, struct dispatch_row *row,
				    const struct json_node *types, struct asc_err *e)
{
	struct asctune_type renamed[RULE_MAX_TYPES];
	size_t n = 0;

	for (const struct json_node *m = json_first(types); m; m = json_next(m)) {
		struct asctune_type *one = &renamed[n];

		if (n++ == RULE_MAX_TYPES)
			return json_fail(m, e, "more than %d types", RULE_MAX_TYPES);
		one->name = json_key(m);
		if (json_get_string(m, &one->type, e))
			return e->status;
		for (size_t i = 0; i < row->n_types; i++)
			if (strcmp(row->types[i].name, one->type) == 0) {
				one->type = row->types[i].type;
				break;
			}
		if (dispatch_keep(t, &one->name, e) || dispatch_keep(t, &one->type, e))
			return e->status;
	}
	memcpy(row->types, renamed, n * sizeof *renamed);
	row->n_types = n;
	return ASC_OK;
}

static enum asc_status take_names(struct dispatch *t, struct dispatch_row *row,
				  const struct json_node *own, struct asc_err *e)
{
	struct library_names names;
	const char *digest;

	if (library_names_read(own, &names, e))
		return e->status;
	row->op = names.op;
	row->own_default = names.default_index;
	if (dispatch_keep(t, &row->op, e))
		return e->status;
	if ((names.sizes && rename_sizes(t, row, names.sizes, e)) ||
	    (names.types && rename_types(t, row, names.types, e)))
		return e->status;
	const struct json_node *kernel =
		names.kernels ? json_find(names.kernels, row->result.implementation) : NULL;

	if (!kernel)
		return ASC_OK;
	if (json_get_string(kernel, &digest, e))
		return e->status;
	/* The workload knows the digest of the library's own kernel. Times of another kernel, or of
	 * one whose source was not recorded, say nothing about the one that the library runs. */
	row->foreign = !row->result.source_digest || strcmp(digest, row->result.source_digest) != 0;
	return ASC_OK;
}

/* Finds whether a row's implementation is one of the Python functions of its workload. */
static enum asc_status find_called(struct dispatch_row *row, const struct json_node *names,
				   struct asc_err *e)
{
	const char *name;

	for (const struct json_node *n = json_first(names); n; n = json_next(n)) {
		if (json_get_string(n, &name, e))
			return e->status;
		row->called |= strcmp(name, row->result.implementation) == 0;
	}
	return ASC_OK;
}

/* Names a row as the library does; leaves out one that cannot be named. */
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

	if (status == ASC_OK)
		status = find_called(row, json_find(json_root(doc), WORKLOAD_PYTHON_KEY), e);
	if (status == ASC_OK && own)
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

enum asc_status dispatch_name_rows(struct dispatch *t, const char *library, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = name_row(t, &t->rows[i], library, e);
	return status;
}

/* ---- which rows make rules ---- */

void dispatch_limit(struct dispatch *t, const char *problem)
{
	for (size_t i = 0; problem && i < t->n_rows; i++) {
		struct dispatch_row *row = &t->rows[i];
		const char *workload = row->result.workload ? row->result.workload : "";
		const size_t n = strlen(workload);
		const bool whole = strncmp(problem, workload, n) == 0 && problem[n] == '/';

		if (problem_name_is_of(row->result.problem, whole ? problem + n + 1 : problem))
			continue;
		/* Not said: whoever asks for one problem knows that the others are left out. */
		row->left_out = "another problem was asked for";
		row->said = false;
		row->not_asked = true;
	}
}

/* Sets the index of what the library takes without a rule. */
static void set_rival(struct dispatch *t, size_t number)
{
	struct dispatch_row *row = &t->rows[number];
	const struct dispatch_row *before = number > 0 ? row - 1 : NULL;
	const char *workload = row->result.workload;

	row->rival_index = -1;
	if (row->rival && strcmp(row->rival, row->result.implementation) == 0) {
		row->rival_index = row->result.implementation_index;
	} else if (row->rival && before && str_is_same(before->rival, row->rival) &&
		   str_is_same(before->result.workload, workload)) {
		row->rival_index = before->rival_index; /* rows of a workload lie side by side */
	} else if (row->rival) {
		size_t i = 0;

		while (i < t->n_rows &&
		       (!str_is_same(t->rows[i].result.workload, workload) ||
			!str_is_same(t->rows[i].result.implementation, row->rival)))
			i++;
		if (i < t->n_rows)
			row->rival_index = t->rows[i].result.implementation_index;
	}
	if (row->own_default < 0 || row->own_default == row->rival_index)
		return;
	/* The workload says that the library takes another one by itself, so the time of what was
	 * measured as its default says nothing about a gain over the library. */
	row->rival = NULL;
	row->rival_ns = 0;
	row->rival_index = row->own_default;
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
	if (terms->indices && r->implementation_index < 0)
		return dispatch_leave_out(t, row, e,
					  "its implementation has no \"index\", which those of the "
					  "library itself have; c-header takes it");
	if (row->foreign && !terms->foreign_kernels)
		return dispatch_leave_out(t, row, e,
					  "it was measured on another kernel than the library's: "
					  "--foreign-kernel takes it");
	/* A table must not make a library slower than it is without one. */
	row->slower = row->rival_ns > 0 && r->median_ns > row->rival_ns;
	if (row->slower)
		return dispatch_leave_out(t, row, e,
					  "it takes %.6g us, the default, %s, %.6g us in the same "
					  "rounds",
					  r->median_ns / 1000, row->rival, row->rival_ns / 1000);
	return ASC_OK;
}

struct candidate { /* a pointer in a struct: sorting moves it, and the row stays where it is */
	struct dispatch_row *row;
};

/* Order of candidates for one rule: problem, device model and implementation. A problem is its
 * sizes and types: a step of a ladder may have a name of its own beside the ladder's. Only where
 * these are not recorded does the name count. */
static int compare_candidates(const void *a, const void *b)
{
	const struct best_row *x = &((const struct candidate *)a)->row->result;
	const struct best_row *y = &((const struct candidate *)b)->row->result;
	const char *const pairs[][2] = {
		{x->workload, y->workload},
		{x->dims_json, y->dims_json},
		{x->dims_json ? NULL : x->problem, y->dims_json ? NULL : y->problem},
		{x->device_kind, y->device_kind},
		{x->device_model, y->device_model},
		{x->implementation, y->implementation}};
	int order = 0;

	for (size_t i = 0; i < sizeof pairs / sizeof *pairs && order == 0; i++)
		order = rule_compare_texts(pairs[i][0], pairs[i][1]);
	return order;
}

static bool serves_before(const struct dispatch_row *p, const struct dispatch_row *q)
{
	const bool cold = str_is_same(p->result.cache_policy, "cold");

	/* A program calls an operator on data that it did not just use, as a cold cache has it. */
	if (cold != str_is_same(q->result.cache_policy, "cold"))
		return cold;
	return rule_compare_texts(p->result.recorded_at, q->result.recorded_at) > 0;
}

/* True for rows of one problem and device whose implementations have the same index. */
static bool share_index(const struct best_row *x, const struct best_row *y)
{
	return x->implementation_index == y->implementation_index &&
	       str_is_same(x->workload, y->workload) && str_is_same(x->dims_json, y->dims_json) &&
	       (x->dims_json || str_is_same(x->problem, y->problem)) &&
	       str_is_same(x->device_kind, y->device_kind) &&
	       str_is_same(x->device_model, y->device_model);
}

/* An index may have been measured twice: as the library is called, in Python, and as the operators
 * that it consists of. The first is what a program gets, whether it makes a rule or not. */
static enum asc_status prefer_called(struct dispatch *t, struct dispatch_row *row,
				     struct asc_err *e)
{
	const struct dispatch_row *own = NULL;

	if (row->left_out || row->called || row->result.implementation_index < 0)
		return ASC_OK;
	for (size_t i = 0; i < t->n_rows && !own; i++)
		if (t->rows[i].called && !t->rows[i].not_asked &&
		    share_index(&t->rows[i].result, &row->result))
			own = &t->rows[i];
	return own ? dispatch_leave_out(t, row, e,
					"index %" PRId64 " was measured as the library is called, "
					"too: %s",
					row->result.implementation_index,
					own->result.implementation)
		   : ASC_OK;
}

/* Leaves out all but one of the rows of a problem, device model and implementation. */
static enum asc_status choose_rows(struct dispatch *t, struct asc_err *e)
{
	struct candidate *list = calloc(t->n_rows + 1, sizeof *list), *chosen = list;

	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < t->n_rows; i++)
		list[i].row = &t->rows[i];
	qsort(list, t->n_rows, sizeof *list, compare_candidates);
	for (struct candidate *p = list + 1; p < list + t->n_rows; p++) {
		const bool same = compare_candidates(chosen, p) == 0;
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

/* Adds the rule of a row, for its sizes alone. */
static enum asc_status add_rule(struct dispatch *t, size_t number, struct asc_err *e)
{
	const struct dispatch_row *row = &t->rows[number];
	const struct best_row *r = &row->result;

	if (row->left_out)
		return ASC_OK;
	if (!array_room(&t->rules, t->n_rules, &t->rules_room, sizeof *t->rules))
		return asc_err_nomem(e);
	struct rule *rule = &t->rules[t->n_rules++];

	*rule = (struct rule){.op = row->op,
			      .device = r->device_kind,
			      .device_model = r->device_model,
			      .n_types = row->n_types,
			      .n_sizes = row->n_sizes,
			      .index = r->implementation_index,
			      .implementation = r->implementation,
			      .config = r->config_json,
			      .time_ns = r->median_ns,
			      .default_ns = row->rival_ns,
			      .default_index = row->rival_index,
			      .row = number,
			      .n_rows = 1};
	memcpy(rule->types, row->types, sizeof rule->types);
	memcpy(rule->sizes, row->sizes, sizeof rule->sizes);
	return ASC_OK;
}

/* Two rules for one question would leave to chance which of them serves. */
static enum asc_status check_overlap(const struct dispatch *t, struct asc_err *e)
{
	const struct rule *pair[2];
	char sizes[2][256];

	if (rule_find_overlap(t->rules, t->n_rules, pair, e))
		return e->status;
	if (!pair[0])
		return ASC_OK;
	const struct best_row *p = &t->rows[pair[0]->row].result,
			      *q = &t->rows[pair[1]->row].result;

	rule_print_sizes(pair[0], sizes[0], sizeof sizes[0]);
	rule_print_sizes(pair[1], sizes[1], sizeof sizes[1]);
	return asc_err_set(e, ASC_INPUT,
			   "the rules of %s/%s (%s) and %s/%s (%s) overlap: both are for operator "
			   "%s, implementation %s, on %s; --problem WORKLOAD/NAME takes one",
			   p->workload, p->problem, sizes[0], q->workload, q->problem, sizes[1],
			   pair[0]->op, p->implementation, p->device_model);
}

enum asc_status dispatch_add_rules(struct dispatch *t, const struct dispatch_terms *terms,
				   struct asc_err *e)
{
	struct dispatch *holes = t->holes;

	dispatch_limit(t, terms->problem);
	enum asc_status status = dispatch_name_rows(t, terms->library, e);

	/* Holes bound the ranges of rules, so they need the same names; they make no rules. */
	if (holes)
		dispatch_limit(holes, terms->problem);
	if (holes && status == ASC_OK)
		status = dispatch_name_rows(holes, terms->library, e);
	for (size_t i = 0; i < t->n_rows && terms->own_kernel; i++) {
		struct dispatch_row *row = &t->rows[i];

		row->rival_ns = row->result.default_ns;
		row->rival = row->rival_ns > 0 ? row->result.implementation : NULL;
	}
	for (size_t i = 0; i < t->n_rows; i++)
		set_rival(t, i);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = judge_row(t, &t->rows[i], terms, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = prefer_called(t, &t->rows[i], e);
	if (status == ASC_OK)
		status = choose_rows(t, e);
	for (size_t i = 0; i < t->n_rows && status == ASC_OK; i++)
		status = add_rule(t, i, e);
	if (status == ASC_OK && t->n_covers > 0)
		status = dispatch_widen(t, e);
	return status == ASC_OK ? check_overlap(t, e) : status;
}
