/* Ranges in the rules of covers, so that sizes between those of the table are served, too.
 *
 * Rules that answer the same questions are one group. In a group, each axis in turn is divided
 * among the sizes that were measured: a size serves from behind its lower neighbour's end up to
 * its own, which is where the cover's tree gives the upper neighbour another configuration or, if
 * the tree has no say, the geometric middle between both. Sizes that were measured and failed are
 * holes: they take their part of the axis like the others, but make no rule, so that nothing
 * serves around them.
 *
 * Then ranges of one configuration that lie side by side are joined along each axis, and the rules
 * that became parts of others are removed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/cover.h"
#include "reports/tables/dispatch_data.h"

struct placed { /* a rule or a hole in its group */
	struct rule *rule;
	const struct dispatch_row *row; /* its first; of a hole: of the table or of the holes */
	size_t axis;                    /* by which the list is sorted */
};

struct ranges {
	struct dispatch *table;
	struct placed *list; /* rules and holes, group by group */
	size_t n;
	struct rule *holes;
	size_t n_holes;
	size_t *into;    /* of each rule: number of the rule that it became a part of, or its own */
	size_t *numbers; /* of each rule that is left: its new number, from 1 on */
};

static bool is_hole(const struct ranges *r, const struct placed *p)
{
	return p->rule >= r->holes && p->rule < r->holes + r->n_holes;
}

/* ---- order ---- */

/* Order of groups: what is asked for, and the names of the axes. */
static int compare_groups(const void *a, const void *b)
{
	const struct rule *x = ((const struct placed *)a)->rule;
	const struct rule *y = ((const struct placed *)b)->rule;
	int order = rule_compare_subjects(x, y);

	if (order == 0 && x->n_sizes != y->n_sizes)
		return x->n_sizes < y->n_sizes ? -1 : 1;
	for (size_t i = 0; i < x->n_sizes && order == 0; i++)
		order = strcmp(x->sizes[i].name, y->sizes[i].name);
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

/* Number of entries at the head of a sorted list that have the low end of the first one: a slab. */
static size_t count_slab(const struct placed *list, size_t n)
{
	size_t k = 1;

	while (k < n && compare_lows(list, &list[k]) == 0)
		k++;
	return k;
}

/* ---- ends of ranges ---- */

/* Last size that the lower of two neighbours serves if no cover decides: the geometric middle,
 * since the best configuration changes with ratios of sizes, not with differences. */
static int64_t find_middle(int64_t low, int64_t high)
{
	const int64_t middle = (int64_t)floor(sqrt((double)low * (double)high));

	/* Both neighbours keep their own size; a root of large sizes is not exact. */
	return middle < low ? low : middle < high ? middle : high - 1;
}

/* Last size that the lower of two neighbours `p` serves if both are of one cover, whose tree is
 * asked at each size between: up to the size where the tree's configuration changes. The tree may
 * change it several times on the way; the neighbours have only two configurations, and the upper
 * one takes all sizes beyond the change that the bisection finds. */
static int64_t find_split(const struct dispatch_cover *c, const struct placed *p, int64_t high,
			  size_t axis)
{
	const int64_t *sizes = c->sizes + p->row->place * c->n_axes;
	const size_t own = p->row->axes[axis];
	int64_t at[RULE_MAX_SIZES], low = p->rule->sizes[axis].low;
	const uint32_t config = cover_find(c->choice, sizes);

	memcpy(at, sizes, c->n_axes * sizeof *at);
	at[own] = high;
	if (cover_find(c->choice, at) == config)
		return find_middle(low, high);
	/* At `low` the configuration is the lower neighbour's, at `high` another one. */
	while (high - low > 1) {
		at[own] = low + (high - low) / 2;
		if (cover_find(c->choice, at) == config)
			low = at[own];
		else
			high = at[own];
	}
	return low;
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

/* Last size that a slab of n entries serves, before the next slab. */
static int64_t find_end(const struct ranges *r, const struct placed *slab, size_t n,
			const struct placed *next, size_t n_next, size_t axis)
{
	const int64_t low = slab->rule->sizes[axis].low, high = next->rule->sizes[axis].low;
	const struct placed *own = find_only(r, slab, n), *above = find_only(r, next, n_next);
	const size_t cover = own ? own->row->cover : 0;

	/* A tree knows where its own configurations change. A slab of several rules has other axes
	 * to be divided by, and different ends there: one end for all is none of the tree's. */
	if (cover == 0 || !above || cover != above->row->cover ||
	    !r->table->covers[cover - 1].choice)
		return find_middle(low, high);
	return find_split(&r->table->covers[cover - 1], own, high, axis);
}

/* ---- widening ---- */

/* Orders the axes of a group by their numbers of values, few first: an axis of few values makes
 * few, large slabs, within which the other axes can still be divided finely. */
static void order_axes(struct placed *list, size_t n, size_t *order)
{
	size_t counts[RULE_MAX_SIZES];

	for (size_t axis = 0; axis < list->rule->n_sizes; axis++) {
		size_t values = 0, at = axis;

		sort_by(list, n, axis, compare_lows);
		for (size_t i = 0; i < n; i += count_slab(&list[i], n - i))
			values++;
		for (; at > 0 && counts[at - 1] > values; at--) {
			counts[at] = counts[at - 1];
			order[at] = order[at - 1];
		}
		counts[at] = values;
		order[at] = axis;
	}
}

/* Widens entries that are equal in the axes before `depth`: gives each slab its range of the next
 * axis, then divides the slab by the axes that follow. */
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
		int64_t high = own->rule->sizes[axis].low; /* of the last slab: not beyond what was
							      measured */

		slab = count_slab(own, n - i);
		if (i + slab < n)
			high = find_end(r, own, slab, own + slab,
					count_slab(own + slab, n - i - slab), axis);
		for (size_t k = 0; k < slab; k++)
			/* A dimension that is no tensor's size (a mode, a flag) has no neighbours.
			 */
			if (own[k].row->of_shape[axis]) {
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
	const int order = rule_compare_texts(p->row->result.config_key, q->row->result.config_key);

	return order ? order : (int)p->row->foreign - (int)q->row->foreign;
}

/* Order in which rules that may be joined along the axis stand side by side. */
static int compare_beside(const void *a, const void *b)
{
	const struct placed *p = a, *q = b;
	int order = compare_configs(p, q);

	for (size_t i = 0; i < p->rule->n_sizes && order == 0; i++) {
		const struct rule_size *x = &p->rule->sizes[i], *y = &q->rule->sizes[i];

		if (i != p->axis)
			order = compare_values(x->low, y->low);
		if (i != p->axis && order == 0)
			order = compare_values(x->high, y->high);
	}
	return order ? order : compare_lows(a, b);
}

/* True for two rules of one configuration whose ranges touch in the axis and are equal in all
 * others: together they are one box. */
static bool may_join(const struct placed *p, const struct placed *q)
{
	bool same = compare_configs(p, q) == 0;

	for (size_t i = 0; i < p->rule->n_sizes && same; i++) {
		const struct rule_size *x = &p->rule->sizes[i], *y = &q->rule->sizes[i];

		same = i == p->axis ? x->high + 1 == y->low
				    : x->low == y->low && x->high == y->high;
	}
	return same;
}

/* Joins the rules of a group that lie side by side in an axis; returns the number of those left. */
static size_t join_along(struct ranges *r, struct placed *list, size_t n, size_t axis)
{
	size_t kept = 0;

	sort_by(list, n, axis, compare_beside);
	for (size_t i = 1; i < n; i++) {
		struct placed *p = &list[kept];
		const struct placed *q = &list[i];

		if (!may_join(p, q)) {
			list[++kept] = *q;
			continue;
		}
		/* The rule of the earlier row stays: rules are in the order of their rows. */
		const int64_t low = p->rule->sizes[axis].low, high = q->rule->sizes[axis].high;
		const struct placed whole = p->rule < q->rule ? *p : *q;
		const struct placed part = p->rule < q->rule ? *q : *p;

		r->into[part.rule - r->table->rules] = (size_t)(whole.rule - r->table->rules);
		*p = whole;
		p->rule->sizes[axis].low = low;
		p->rule->sizes[axis].high = high;
	}
	return kept + 1;
}

/* Widens and joins the rules of one group. */
static void visit_group(struct ranges *r, struct placed *list, size_t n)
{
	const size_t n_axes = list->rule->n_sizes;
	size_t order[RULE_MAX_SIZES] = {0}, kept = 0, alike = 1;

	order_axes(list, n, order);
	widen(r, list, n, order, 0);
	for (size_t i = 0; i < n; i++)
		if (!is_hole(r, &list[i]))
			list[kept++] = list[i];
	if (kept == 0)
		return;
	/* Where several implementations serve the same sizes, the times of each range decide
	 * between them, and a joined rule has no time. */
	while (alike < kept && rule_compare_texts(list[alike].rule->implementation,
						  list->rule->implementation) == 0)
		alike++;
	if (alike < kept)
		return;
	for (size_t i = n_axes; i-- > 0;) /* the axis that was divided last is whole first */
		kept = join_along(r, list, kept, order[i]);
}

/* ---- all rules ---- */

/* Removes the rules that are parts of others, and notes the rule of each row. */
static void keep_whole(struct ranges *r)
{
	struct dispatch *t = r->table;
	size_t kept = 0;

	for (size_t i = 0; i < t->n_rules; i++) {
		struct dispatch_row *row = &t->rows[t->rules[i].row];
		size_t whole = i;

		while (r->into[whole] != whole)
			whole = r->into[whole];
		if (whole == i) {
			t->rules[kept] = t->rules[i];
			t->rules[kept].n_rows = 0;
			r->numbers[i] = ++kept;
		}
		row->rule = r->numbers[whole]; /* a part stands behind its whole: it has a number */
		struct rule *rule = &t->rules[row->rule - 1];

		if (++rule->n_rows > 1)
			rule->time_ns = rule->default_ns = 0; /* each row has times of its own */
	}
	t->n_rules = kept;
}

/* Places the holes among the rows of a table: all rows, or those that were left out for what was
 * measured or because their kernel is not the library's. */
static void place_holes(struct ranges *r, const struct dispatch *t, bool all)
{
	for (const struct dispatch_row *row = t->rows; row < t->rows + t->n_rows; row++) {
		struct rule *hole = &r->holes[r->n_holes];

		if (!row->op || (row->left_out ? !row->said : !all))
			continue;
		*hole = (struct rule){.op = row->op,
				      .device = row->result.device_kind,
				      .device_model = row->result.device_model,
				      .n_types = row->n_types,
				      .n_sizes = row->n_sizes};
		memcpy(hole->types, row->types, sizeof hole->types);
		memcpy(hole->sizes, row->sizes, sizeof hole->sizes);
		r->list[r->n++] = (struct placed){hole, row, 0};
		r->n_holes++;
	}
}

enum asc_status dispatch_widen(struct dispatch *t, struct asc_err *e)
{
	const size_t most_holes = t->n_rows + (t->holes ? t->holes->n_rows : 0);
	struct ranges r = {.table = t,
			   .list = calloc(t->n_rules + most_holes + 1, sizeof *r.list),
			   .holes = calloc(most_holes + 1, sizeof *r.holes),
			   .into = calloc(t->n_rules + 1, sizeof *r.into),
			   .numbers = calloc(t->n_rules + 1, sizeof *r.numbers)};
	const bool ok = r.list && r.holes && r.into && r.numbers;
	size_t n;

	for (size_t i = 0; ok && i < t->n_rules; i++) {
		r.into[i] = i;
		r.list[r.n++] = (struct placed){&t->rules[i], &t->rows[t->rules[i].row], 0};
	}
	if (ok)
		place_holes(&r, t, false);
	if (ok && t->holes)
		place_holes(&r, t->holes, true);
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

size_t dispatch_next_row(const struct dispatch *t, const struct rule *rule, size_t row)
{
	const size_t number = (size_t)(rule - t->rules) + 1;

	while (rule->n_rows > 1 && ++row < t->n_rows)
		if (t->rows[row].rule == number)
			return row;
	return SIZE_MAX;
}
