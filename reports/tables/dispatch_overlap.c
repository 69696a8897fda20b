/* No two rules of a dispatch table serve one question. */
#include <stdlib.h>
#include <string.h>

#include "reports/tables/dispatch_data.h"

struct place { /* a rule beside the others */
	const struct dispatch_rule *rule;
	const struct dispatch_row *row;
	int64_t low, high; /* its range of the axis that is looked at */
};

/* ---- subjects: all that a rule is for but its sizes ---- */

static int compare_types(const struct dispatch_row *p, const struct dispatch_row *q)
{
	const bool uniform = dispatch_is_uniform(p);
	int order = 0;

	if (uniform != dispatch_is_uniform(q))
		return uniform ? -1 : 1;
	if (uniform)
		return strcmp(p->types[0].type, q->types[0].type);
	if (p->n_types != q->n_types)
		return p->n_types < q->n_types ? -1 : 1;
	for (size_t i = 0; i < p->n_types && order == 0; i++) {
		order = strcmp(p->types[i].name, q->types[i].name);
		if (order == 0)
			order = strcmp(p->types[i].type, q->types[i].type);
	}
	return order;
}

/* Implementations without an index are told apart by their names. */
static int compare_indices(const struct best_row *x, const struct best_row *y)
{
	if (x->implementation_index != y->implementation_index)
		return x->implementation_index < y->implementation_index ? -1 : 1;
	return x->implementation_index < 0 ? dispatch_compare(x->implementation, y->implementation)
					   : 0;
}

int dispatch_compare_questions(const struct dispatch_row *p, const struct dispatch_row *q)
{
	const struct best_row *x = &p->result, *y = &q->result;
	int order = dispatch_compare(p->op, q->op);

	if (order == 0)
		order = dispatch_compare(x->device_kind, y->device_kind);
	if (order == 0)
		order = dispatch_compare(x->device_model, y->device_model);
	return order ? order : compare_types(p, q);
}

static int compare_subjects(const void *a, const void *b)
{
	const struct dispatch_row *p = ((const struct place *)a)->row;
	const struct dispatch_row *q = ((const struct place *)b)->row;
	const int order = dispatch_compare_questions(p, q);

	return order ? order : compare_indices(&p->result, &q->result);
}

/* ---- sizes ---- */

/* True when both rules serve some sizes: where both name an axis, a value is in both ranges. */
static bool overlap(const struct dispatch_rule *x, const struct dispatch_rule *y)
{
	for (size_t i = 0; i < x->n_sizes; i++)
		for (size_t k = 0; k < y->n_sizes; k++) {
			const struct dispatch_size *p = &x->sizes[i], *q = &y->sizes[k];

			if (strcmp(p->name, q->name) == 0 && (p->high < q->low || q->high < p->low))
				return false;
		}
	return true;
}

static enum asc_status fail(const struct place *x, const struct place *y, const char *advice,
			    struct asc_err *e)
{
	const struct best_row *p = &x->row->result, *q = &y->row->result;
	char sizes[2][256];

	dispatch_print_sizes(x->rule->sizes, x->rule->n_sizes, sizes[0], sizeof sizes[0]);
	dispatch_print_sizes(y->rule->sizes, y->rule->n_sizes, sizes[1], sizeof sizes[1]);
	return asc_err_set(e, ASC_INPUT,
			   "the rules of %s/%s (%s) and %s/%s (%s) overlap: both are for operator "
			   "%s, implementation %s, on %s; %s",
			   p->workload, p->problem, sizes[0], q->workload, q->problem, sizes[1],
			   x->row->op, p->implementation, p->device_model, advice);
}

/* Takes the range of the axis; all values where the rule does not name it. */
static void take_range(struct place *p, const char *axis)
{
	p->low = INT64_MIN;
	p->high = INT64_MAX;
	for (size_t i = 0; i < p->rule->n_sizes; i++)
		if (strcmp(p->rule->sizes[i].name, axis) == 0) {
			p->low = p->rule->sizes[i].low;
			p->high = p->rule->sizes[i].high;
		}
}

static int compare_lows(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

static enum asc_status check_pairs(const struct place *list, size_t n, const char *advice,
				   struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			if (overlap(list[i].rule, list[k].rule))
				return fail(&list[i], &list[k], advice, e);
	return ASC_OK;
}

/* Number of rules, the first in the order of `low` among them, whose ranges touch one another. */
static size_t count_touching(const struct place *list, size_t n)
{
	int64_t high = list->high;
	size_t k = 1;

	for (; k < n && list[k].low <= high; k++)
		high = list[k].high > high ? list[k].high : high;
	return k;
}

/* Checks rules of one subject: divides them axis by axis, and compares those that no axis keeps
 * apart. */
static enum asc_status check_subject(struct place *list, size_t n, const struct dispatch_rule *axes,
				     size_t axis, const char *advice, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	size_t group;

	if (n < 2 || axis == axes->n_sizes)
		return check_pairs(list, n, advice, e);
	for (size_t i = 0; i < n; i++)
		take_range(&list[i], axes->sizes[axis].name);
	qsort(list, n, sizeof *list, compare_lows);
	for (size_t i = 0; i < n && status == ASC_OK; i += group) {
		group = count_touching(&list[i], n - i);
		status = check_subject(&list[i], group, axes, axis + 1, advice, e);
	}
	return status;
}

enum asc_status dispatch_check_overlap(const struct dispatch *t, const char *advice,
				       struct asc_err *e)
{
	struct place *list = calloc(t->n_rules + 1, sizeof *list);
	enum asc_status status = list ? ASC_OK : asc_err_nomem(e);
	size_t n;

	for (size_t i = 0; list && i < t->n_rules; i++)
		list[i] = (struct place){.rule = &t->rules[i], .row = &t->rows[t->rules[i].row]};
	if (list)
		qsort(list, t->n_rules, sizeof *list, compare_subjects);
	for (size_t i = 0; i < t->n_rules && status == ASC_OK; i += n) {
		for (n = 1; i + n < t->n_rules && compare_subjects(&list[i], &list[i + n]) == 0;)
			n++;
		status = check_subject(&list[i], n, list[i].rule, 0, advice, e);
	}
	free(list);
	return status;
}
