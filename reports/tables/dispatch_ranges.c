/* Ranges in the rules of covers: each measured size serves those around it, up to where the cover
 * gives the next one another configuration; else to the geometric middle. Ranges of one
 * configuration that lie side by side are one rule. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "reports/tables/dispatch_data.h"

struct placed { /* a rule beside others of its group: same operator, device, types and axes */
	struct dispatch_rule *rule; /* of the table, or of a hole */
	const struct dispatch_row *row;
	size_t axis; /* that is looked at */
};

struct ranges {
	struct dispatch *table;
	struct placed *list; /* rules and holes; those of a group side by side */
	size_t n;
	/* Sizes that were measured and that nothing serves: it failed there, or was slower than the
	 * library's default. */
	struct dispatch_rule *holes;
	size_t n_holes;
	size_t *into;    /* number of the rule that a rule is a part of; its own: of none */
	size_t *numbers; /* of the rules that are left, from 1 on */
};

/* ---- groups ---- */

static int compare_groups(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;
	int order = dispatch_compare_questions(p->row, q->row);

	if (order == 0 && p->rule->n_sizes != q->rule->n_sizes)
		return p->rule->n_sizes < q->rule->n_sizes ? -1 : 1;
	for (size_t i = 0; i < p->rule->n_sizes && order == 0; i++)
		order = strcmp(p->rule->sizes[i].name, q->rule->sizes[i].name);
	return order;
}

static int compare_values(int64_t x, int64_t y)
{
	return (x > y) - (x < y);
}

static int compare_lows(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;

	return compare_values(p->rule->sizes[p->axis].low, q->rule->sizes[q->axis].low);
}

static void sort_by(struct placed *list, size_t n, size_t axis,
		    int (*compare)(const void *a, const void *b))
{
	for (size_t i = 0; i < n; i++)
		list[i].axis = axis;
	qsort(list, n, sizeof *list, compare);
}

/* Number of rules, the first in the order of the axis among them, with the same low end. */
static size_t count_equal(const struct placed *list, size_t n)
{
	size_t k = 1;

	while (k < n && compare_lows(list, &list[k]) == 0)
		k++;
	return k;
}

/* ---- widening ---- */

static size_t count_values(struct placed *list, size_t n, size_t axis)
{
	size_t values = 0;

	sort_by(list, n, axis, compare_lows);
	for (size_t i = 0; i < n; i += count_equal(&list[i], n - i))
		values++;
	return values;
}

/* Orders the axes of a group by their numbers of values: those of few are divided first. */
static void order_axes(struct placed *list, size_t n, size_t *order)
{
	size_t counts[DISPATCH_MAX_SIZES];

	for (size_t axis = 0; axis < list->rule->n_sizes; axis++) {
		const size_t count = count_values(list, n, axis);
		size_t at = axis;

		for (; at > 0 && counts[at - 1] > count; at--) {
			counts[at] = counts[at - 1];
			order[at] = order[at - 1];
		}
		counts[at] = count;
		order[at] = axis;
	}
}

/* Last size that the lower of two serves. */
static int64_t middle_of(int64_t low, int64_t high)
{
	const int64_t middle = (int64_t)floor(sqrt((double)low * (double)high));

	return middle < low ? low : middle < high ? middle : high - 1;
}

/* Last size that the lower of two rules of one kernel serves by its cover: up to a split that gives
 * the next ones another configuration; where there are several, all beyond that is the upper one's.
 */
static int64_t find_split(const struct dispatch_cover *c, const struct placed *p, int64_t high,
			  size_t axis)
{
	const struct dispatch_size *own = &p->rule->sizes[axis];
	const int64_t *sizes = c->sizes + p->row->place * c->n_axes;
	int64_t at[DISPATCH_MAX_SIZES], low = own->low;
	const uint32_t config = cover_find(c->choice, sizes);

	memcpy(at, sizes, c->n_axes * sizeof *at);
	at[own->axis] = high;
	if (cover_find(c->choice, at) == config)
		return middle_of(low, high);
	while (high - low > 1) {
		at[own->axis] = low + (high - low) / 2;
		if (cover_find(c->choice, at) == config)
			low = at[own->axis];
		else
			high = at[own->axis];
	}
	return low;
}

static bool is_hole(const struct ranges *r, const struct placed *p)
{
	return p->rule >= r->holes && p->rule < r->holes + r->n_holes;
}

/* Finds the rule of a slab; NULL where it has none, or several. */
static const struct placed *find_only(const struct ranges *r, const struct placed *slab, size_t n)
{
	const struct placed *only = NULL;
	size_t rules = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_hole(r, &slab[i])) {
			only = &slab[i];
			rules++;
		}
	return rules == 1 ? only : NULL;
}

/* Last size that a slab of n rules serves, before the next one. */
static int64_t find_end(const struct ranges *r, const struct placed *slab, size_t n,
			const struct placed *next, size_t n_next, size_t axis)
{
	const int64_t low = slab->rule->sizes[axis].low, high = next->rule->sizes[axis].low;
	const struct placed *own = find_only(r, slab, n), *above = find_only(r, next, n_next);
	const size_t cover = own ? own->row->cover : 0;

	if (cover == 0 || !above || cover != above->row->cover ||
	    !r->table->covers[cover - 1].choice)
		return middle_of(low, high);
	return find_split(&r->table->covers[cover - 1], own, high, axis);
}

/* Widens rules that are equal in the axes before `depth`: those of equal size are one slab, which
 * is divided further. */
static void widen(const struct ranges *r, struct placed *list, size_t n, const size_t *order,
		  size_t depth)
{
	if (depth == list->rule->n_sizes)
		return;
	const size_t axis = order[depth];
	size_t slab;

	sort_by(list, n, axis, compare_lows);
	int64_t low = list->rule->sizes[axis].low;

	for (size_t i = 0; i < n; i += slab) {
		struct placed *own = &list[i];
		int64_t high = own->rule->sizes[axis].low;

		slab = count_equal(own, n - i);
		if (i + slab < n)
			high = find_end(r, own, slab, own + slab,
					count_equal(own + slab, n - i - slab), axis);
		for (size_t k = 0; k < slab; k++)
			if (own[k].rule->sizes[axis].of_shape) {
				own[k].rule->sizes[axis].low = low;
				own[k].rule->sizes[axis].high = high;
			}
		low = high + 1;
		widen(r, own, slab, order, depth + 1);
	}
}

/* ---- joining ---- */

static int compare_configs(const struct placed *p, const struct placed *q)
{
	const int order = dispatch_compare(p->row->result.config_key, q->row->result.config_key);

	return order ? order : (int)p->row->foreign - (int)q->row->foreign;
}

/* Order in which rules that may be joined along the axis stand side by side. */
static int compare_beside(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;
	int order = compare_configs(p, q);

	for (size_t i = 0; i < p->rule->n_sizes && order == 0; i++) {
		const struct dispatch_size *x = &p->rule->sizes[i], *y = &q->rule->sizes[i];

		if (i != p->axis)
			order = compare_values(x->low, y->low);
		if (i != p->axis && order == 0)
			order = compare_values(x->high, y->high);
	}
	return order ? order : compare_lows(a, b);
}

static bool may_join(const struct placed *p, const struct placed *q)
{
	bool same = compare_configs(p, q) == 0;

	for (size_t i = 0; i < p->rule->n_sizes && same; i++) {
		const struct dispatch_size *x = &p->rule->sizes[i], *y = &q->rule->sizes[i];

		same = i == p->axis ? x->high + 1 == y->low
				    : x->low == y->low && x->high == y->high;
	}
	return same;
}

/* Joins the second rule, which is above, and the first: what is left is that of the earlier row. */
static void join(struct ranges *r, struct placed *p, const struct placed *q)
{
	const size_t axis = p->axis;
	const int64_t low = p->rule->sizes[axis].low, high = q->rule->sizes[axis].high;
	const bool first = p->rule < q->rule;
	const struct placed *kept = first ? p : q, *gone = first ? q : p;

	r->into[gone->rule - r->table->rules] = (size_t)(kept->rule - r->table->rules);
	*p = *kept;
	p->rule->sizes[axis].low = low;
	p->rule->sizes[axis].high = high;
}

/* Joins the rules of a group that lie side by side in an axis; returns the number of those left. */
static size_t join_along(struct ranges *r, struct placed *list, size_t n, size_t axis)
{
	size_t kept = 0;

	sort_by(list, n, axis, compare_beside);
	for (size_t i = 1; i < n; i++)
		if (may_join(&list[kept], &list[i]))
			join(r, &list[kept], &list[i]);
		else
			list[++kept] = list[i];
	return kept + 1;
}

/* True when all rules are of one implementation: where another one serves the same sizes, times
 * decide, and each range has its own. */
static bool is_alone(const struct placed *list, size_t n)
{
	size_t k = 1;

	while (k < n && dispatch_compare(list[k].row->result.implementation,
					 list->row->result.implementation) == 0)
		k++;
	return k == n;
}

static size_t drop_holes(const struct ranges *r, struct placed *list, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (!is_hole(r, &list[i]))
			list[kept++] = list[i];
	return kept;
}

static void visit_group(struct ranges *r, struct placed *list, size_t n)
{
	const size_t n_axes = list->rule->n_sizes;
	size_t order[DISPATCH_MAX_SIZES] = {0};

	order_axes(list, n, order);
	widen(r, list, n, order, 0);
	n = drop_holes(r, list, n);
	if (n == 0)
		return;
	for (size_t i = n_axes; is_alone(list, n) && i-- > 0;)
		n = join_along(r, list, n, order[i]);
}

/* ---- all rules ---- */

static size_t find_whole(const struct ranges *r, size_t rule)
{
	while (r->into[rule] != rule)
		rule = r->into[rule];
	return rule;
}

/* Removes the rules that are parts of others, and notes the rule of each row. */
static void keep_whole(struct ranges *r)
{
	struct dispatch *t = r->table;
	size_t kept = 0;

	for (size_t i = 0; i < t->n_rules; i++) {
		struct dispatch_row *row = &t->rows[t->rules[i].row];
		const size_t whole = find_whole(r, i);

		if (whole == i) {
			t->rules[kept] = t->rules[i];
			t->rules[kept].n_rows = 0;
			r->numbers[i] = ++kept;
		}
		row->rule = r->numbers[whole];
		t->rules[row->rule - 1].n_rows++;
	}
	t->n_rules = kept;
}

static void place(struct ranges *r, struct dispatch_rule *rule, const struct dispatch_row *row)
{
	r->list[r->n++] = (struct placed){rule, row, 0};
}

/* A row that was left out for what was measured, or is not the library's, serves nothing, and nor
 * do those around it in its place. */
static void place_holes(struct ranges *r, const struct dispatch *t, bool all)
{
	for (const struct dispatch_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		struct dispatch_rule *hole = &r->holes[r->n_holes];

		if (!row->op || (row->left_out ? !row->said : !all))
			continue;
		*hole = (struct dispatch_rule){.n_sizes = row->n_sizes};
		memcpy(hole->sizes, row->sizes, sizeof hole->sizes);
		place(r, hole, row);
		r->n_holes++;
	}
}

static void place_rules(struct ranges *r)
{
	struct dispatch *t = r->table;

	for (size_t i = 0; i < t->n_rules; i++) {
		r->into[i] = i;
		place(r, &t->rules[i], &t->rows[t->rules[i].row]);
	}
}

static bool ranges_init(struct ranges *r, struct dispatch *t)
{
	const size_t n_holes = t->n_rows + (t->holes ? t->holes->n_rows : 0);

	*r = (struct ranges){.table = t,
			     .list = calloc(t->n_rules + n_holes + 1, sizeof *r->list),
			     .holes = calloc(n_holes + 1, sizeof *r->holes),
			     .into = calloc(t->n_rules + 1, sizeof *r->into),
			     .numbers = calloc(t->n_rules + 1, sizeof *r->numbers)};
	if (!r->list || !r->holes || !r->into || !r->numbers)
		return false;
	place_rules(r);
	place_holes(r, t, false);
	if (t->holes)
		place_holes(r, t->holes, true);
	return true;
}

enum asc_status dispatch_widen(struct dispatch *t, struct asc_err *e)
{
	struct ranges r;
	const bool ok = ranges_init(&r, t);
	size_t n;

	if (ok)
		qsort(r.list, r.n, sizeof *r.list, compare_groups);
	for (size_t i = 0; ok && i < r.n; i += n) {
		for (n = 1; i + n < r.n && compare_groups(&r.list[i], &r.list[i + n]) == 0;)
			n++;
		visit_group(&r, &r.list[i], n);
	}
	if (ok)
		keep_whole(&r);
	free(r.list);
	free(r.holes);
	free(r.into);
	free(r.numbers);
	return ok ? ASC_OK : asc_err_nomem(e);
}

size_t dispatch_next_row(const struct dispatch *t, const struct dispatch_rule *rule, size_t row)
{
	const size_t number = (size_t)(rule - t->rules) + 1;

	while (rule->n_rows > 1 && ++row < t->n_rows)
		if (t->rows[row].rule == number)
			return row;
	return SIZE_MAX;
}
