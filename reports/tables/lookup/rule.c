#include "reports/tables/lookup/rule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double rule_width(const struct rule_size *sizes, size_t n)
{
	double width = 0;

	/* A sum of logarithms: the product itself exceeds a double beyond 19 ranges of 2^53 values.
	 */
	for (size_t i = 0; i < n; i++)
		width += log2((double)(sizes[i].high - sizes[i].low) + 1);
	return width;
}

bool rule_is_uniform(const struct rule *r)
{
	for (size_t i = 1; i < r->n_types; i++)
		if (strcmp(r->types[i].type, r->types[0].type) != 0)
			return false;
	return r->n_types > 0;
}

void rule_print_sizes(const struct rule *r, char *text, size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < r->n_sizes && used < size; i++) {
		const struct rule_size *s = &r->sizes[i];

		used += (size_t)snprintf(text + used, size - used, "%s%s=%lld", i ? ", " : "",
					 s->name, (long long)s->low);
		if (s->low != s->high && used < size)
			used += (size_t)snprintf(text + used, size - used, "..%lld",
						 (long long)s->high);
	}
}

/* ---- subjects: all that a rule is for but its sizes ---- */

int rule_compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int compare_types(const struct rule *x, const struct rule *y)
{
	const bool uniform = rule_is_uniform(x);
	int order = 0;

	if (uniform != rule_is_uniform(y))
		return uniform ? -1 : 1;
	/* Equal types are one type: a question names it once, whatever the rules call it. */
	if (uniform)
		return strcmp(x->types[0].type, y->types[0].type);
	if (x->n_types != y->n_types)
		return x->n_types < y->n_types ? -1 : 1;
	for (size_t i = 0; i < x->n_types && order == 0; i++) {
		order = strcmp(x->types[i].name, y->types[i].name);
		if (order == 0)
			order = strcmp(x->types[i].type, y->types[i].type);
	}
	return order;
}

int rule_compare_subjects(const struct rule *x, const struct rule *y)
{
	int order = rule_compare_texts(x->op, y->op);

	if (order == 0)
		order = rule_compare_texts(x->device, y->device);
	if (order == 0)
		order = rule_compare_texts(x->device_model, y->device_model);
	return order ? order : compare_types(x, y);
}

/* ---- overlap ----
 *
 * Rules are sorted by subject and index. Those of one subject are sorted by the low ends of their
 * first axis and cut where no range reaches over; each part is cut again by the next axis. Only
 * rules that no axis keeps apart are compared in pairs, so that a table of n rules takes about
 * n log n steps, not n squared. */

struct place { /* a rule beside the others */
	const struct rule *rule;
	int64_t low, high; /* its range of the axis that is looked at */
};

static int compare_places(const void *a, const void *b)
{
	const struct rule *x = ((const struct place *)a)->rule;
	const struct rule *y = ((const struct place *)b)->rule;
	const int order = rule_compare_subjects(x, y);

	if (order)
		return order;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	/* Implementations without an index differ by their names. */
	return x->index < 0 ? rule_compare_texts(x->implementation, y->implementation) : 0;
}

static int compare_lows(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* True when both rules serve some sizes: where both name an axis, a value is in both ranges. */
static bool overlap(const struct rule *x, const struct rule *y)
{
	for (size_t i = 0; i < x->n_sizes; i++)
		for (size_t k = 0; k < y->n_sizes; k++) {
			const struct rule_size *p = &x->sizes[i], *q = &y->sizes[k];

			if (strcmp(p->name, q->name) == 0 && (p->high < q->low || q->high < p->low))
				return false;
		}
	return true;
}

/* Finds a pair among rules of one subject, from axis number `axis` of the rule `axes` on; false:
 * there is none. */
static bool find_pair(struct place *list, size_t n, const struct rule *axes, size_t axis,
		      const struct rule *pair[2])
{
	size_t part;

	if (n < 2 || axis == axes->n_sizes) {
		for (size_t i = 0; i < n; i++)
			for (size_t k = i + 1; k < n; k++)
				if (overlap(list[i].rule, list[k].rule)) {
					pair[0] = list[i].rule;
					pair[1] = list[k].rule;
					return true;
				}
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rule *r = list[i].rule;

		/* A rule that does not name the axis serves all its values. */
		list[i].low = INT64_MIN;
		list[i].high = INT64_MAX;
		for (size_t k = 0; k < r->n_sizes; k++)
			if (strcmp(r->sizes[k].name, axes->sizes[axis].name) == 0) {
				list[i].low = r->sizes[k].low;
				list[i].high = r->sizes[k].high;
			}
	}
	qsort(list, n, sizeof *list, compare_lows);
	for (size_t i = 0; i < n; i += part) {
		int64_t high = list[i].high;

		for (part = 1; i + part < n && list[i + part].low <= high; part++)
			high = list[i + part].high > high ? list[i + part].high : high;
		if (find_pair(&list[i], part, axes, axis + 1, pair))
			return true;
	}
	return false;
}

enum asc_status rule_find_overlap(const struct rule *list, size_t n, const struct rule *pair[2],
				  struct asc_err *e)
{
	struct place *places = calloc(n + 1, sizeof *places);
	bool found = false;
	size_t same;

	pair[0] = pair[1] = NULL;
	if (!places)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++)
		places[i].rule = &list[i];
	qsort(places, n, sizeof *places, compare_places);
	for (size_t i = 0; i < n && !found; i += same) {
		for (same = 1; i + same < n && compare_places(&places[i], &places[i + same]) == 0;)
			same++;
		found = find_pair(&places[i], same, places[i].rule, 0, pair);
	}
	free(places);
	return ASC_OK;
}
