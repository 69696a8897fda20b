/* The making of a look-up table.
 *
 * Each rule is checked and taken apart: what it is for but its sizes is its subject; rules of one
 * subject that name the same sizes are a group. In a group, rules of exact sizes are found by a
 * hash, those of equal sizes form a chain; all others are ranges. When the last rule was added,
 * chains and ranges are put into the order in which they serve, and trees are built over ranges
 * and, where the nearest may serve, over exact sizes. */
#include "reports/tables/lookup/lookup.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/tables/lookup/lookup_data.h"
#include "tuner/base/array.h"
#include "tuner/base/dtype.h"
#include "tuner/base/hash.h"

/* ---- names ---- */

static const struct dtype_alias devices[] = {{"nvidia", "cuda"}, {"ascend", "npu"}, {NULL, NULL}};
static const struct dtype_alias *const spellings[] = {devices, dtype_aliases, NULL};

/* Adds other spellings of devices and types with what they mean, before all other symbols: these
 * alone have meanings, and a symbol that is added later means itself. */
static bool add_spellings(struct lookup *t)
{
	for (const struct dtype_alias *const *list = spellings; *list; list++)
		for (const struct dtype_alias *a = *list; a->other; a++)
			if (symbols_add(&t->symbols, a->other) == LOOKUP_NONE ||
			    symbols_add(&t->symbols, a->name) == LOOKUP_NONE)
				return false;
	t->meanings = malloc((t->symbols.n + 1) * sizeof *t->meanings);
	if (!t->meanings)
		return false;
	for (; t->n_meanings < t->symbols.n; t->n_meanings++)
		t->meanings[t->n_meanings] = (uint32_t)t->n_meanings;
	for (const struct dtype_alias *const *list = spellings; *list; list++)
		for (const struct dtype_alias *a = *list; a->other; a++)
			t->meanings[symbols_find(&t->symbols, a->other)] =
				symbols_find(&t->symbols, a->name);
	return true;
}

uint32_t lookup_meaning(const struct lookup *t, uint32_t symbol)
{
	return symbol < t->n_meanings ? t->meanings[symbol] : symbol;
}

static int compare_types(const void *a, const void *b)
{
	const struct asctune_type *x = a, *y = b;

	return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

bool lookup_print_types(const struct lookup *t, const struct asctune_type *types,
			const uint32_t *symbols, size_t n, uint32_t *symbol, char text[TYPES_TEXT])
{
	struct asctune_type list[RULE_MAX_TYPES];
	size_t used = 0, alike = 0;

	while (alike < n && symbols[alike] == symbols[0])
		alike++;
	*symbol = n > 0 && alike == n ? symbols[0] : LOOKUP_NONE;
	if (n == 0 || *symbol != LOOKUP_NONE)
		return true;
	for (size_t i = 0; i < n; i++)
		list[i] =
			(struct asctune_type){types[i].name, symbols_text(&t->symbols, symbols[i])};
	qsort(list, n, sizeof *list, compare_types);
	for (size_t i = 0; i < n && used < TYPES_TEXT; i++)
		used += (size_t)snprintf(text + used, TYPES_TEXT - used, "%s%s=%s", i ? "," : "",
					 list[i].name ? list[i].name : "", list[i].type);
	return used < TYPES_TEXT;
}

/* ---- adding ---- */

struct lookup *lookup_new(bool nearest)
{
	static atomic_uint_least64_t made;
	struct lookup *t = calloc(1, sizeof *t);

	if (!t)
		return NULL;
	t->number = atomic_fetch_add(&made, 1) + 1;
	t->nearest = nearest;
	if (!add_spellings(t)) {
		lookup_free(t);
		return NULL;
	}
	return t;
}

void lookup_free(struct lookup *t)
{
	for (size_t i = 0; t && i < t->n_groups; i++) {
		struct group *g = &t->groups[i];

		free(g->ranges);
		free(g->points);
		box_tree_fini(&g->range_tree);
		box_tree_fini(&g->point_tree);
	}
	if (!t)
		return;
	symbols_fini(&t->symbols);
	intern_fini(&t->subjects);
	intern_fini(&t->by_names);
	intern_fini(&t->exact);
	free(t->meanings);
	free(t->groups);
	free(t->rules);
	free(t->bounds);
	free(t->points);
	free(t);
}

size_t lookup_count(const struct lookup *t)
{
	return t->n_rules;
}

uint64_t lookup_number(const struct lookup *t)
{
	return t->number;
}

static enum asc_status check(const struct rule *r, struct asc_err *e)
{
	if (!r->op || !*r->op)
		return asc_err_set(e, ASC_INPUT, "it has no operator");
	if (!r->device || !*r->device)
		return asc_err_set(e, ASC_INPUT, "it has no device");
	if (r->n_sizes > RULE_MAX_SIZES)
		return asc_err_set(e, ASC_INPUT, "%zu sizes, expected at most %d", r->n_sizes,
				   RULE_MAX_SIZES);
	if (r->n_types > RULE_MAX_TYPES)
		return asc_err_set(e, ASC_INPUT, "%zu types, expected at most %d", r->n_types,
				   RULE_MAX_TYPES);
	if (r->config && strlen(r->config) >= ASCTUNE_CONFIG_BYTES)
		return asc_err_set(e, ASC_LIMIT,
				   "a configuration of %zu bytes, expected at most %d",
				   strlen(r->config), ASCTUNE_CONFIG_BYTES - 1);
	for (size_t i = 0; i < r->n_sizes; i++) {
		const struct rule_size *s = &r->sizes[i];

		for (size_t k = 0; k < i; k++)
			if (strcmp(r->sizes[k].name, s->name) == 0)
				return asc_err_set(e, ASC_INPUT, "size \"%s\" stands twice",
						   s->name);
		if (s->low > s->high)
			return asc_err_set(e, ASC_INPUT,
					   "size \"%s\": from %lld to %lld is no range", s->name,
					   (long long)s->low, (long long)s->high);
		if (s->low < 0 || s->high > RULE_LARGEST_SIZE)
			return asc_err_set(e, ASC_INPUT, "size \"%s\": expected 0 to 2^53",
					   s->name);
	}
	return ASC_OK;
}

static uint32_t add_meaning(struct lookup *t, const char *text)
{
	const uint32_t symbol = symbols_add(&t->symbols, text);

	return symbol == LOOKUP_NONE ? LOOKUP_NONE : lookup_meaning(t, symbol);
}

/* *out is LOOKUP_NONE for no types. */
static enum asc_status add_types(struct lookup *t, const struct rule *r, uint32_t *out,
				 struct asc_err *e)
{
	uint32_t symbols[RULE_MAX_TYPES];
	char text[TYPES_TEXT];

	for (size_t i = 0; i < r->n_types; i++) {
		symbols[i] = add_meaning(t, r->types[i].type);
		if (symbols[i] == LOOKUP_NONE)
			return asc_err_nomem(e);
	}
	if (!lookup_print_types(t, r->types, symbols, r->n_types, out, text))
		return asc_err_set(e, ASC_INPUT, "the types are longer than %d characters",
				   TYPES_TEXT - 1);
	if (r->n_types > 0 && *out == LOOKUP_NONE)
		*out = symbols_add(&t->symbols, text);
	return r->n_types > 0 && *out == LOOKUP_NONE ? asc_err_nomem(e) : ASC_OK;
}

static enum asc_status add_subject(struct lookup *t, const struct rule *r, struct subject *s,
				   struct asc_err *e)
{
	*s = (struct subject){symbols_add(&t->symbols, r->op), add_meaning(t, r->device),
			      LOOKUP_NONE, LOOKUP_NONE};
	if (r->device_model)
		s->model = symbols_add(&t->symbols, r->device_model);
	if (s->op == LOOKUP_NONE || s->device == LOOKUP_NONE ||
	    (r->device_model && s->model == LOOKUP_NONE))
		return asc_err_nomem(e);
	return add_types(t, r, &s->types, e);
}

/* Sorts a rule's sizes by the symbols of their names, so that rules that name the same sizes are of
 * one group in whatever order they name them. */
static enum asc_status sort_sizes(struct lookup *t, const struct rule *r,
				  uint32_t names[RULE_MAX_SIZES],
				  struct rule_size sizes[RULE_MAX_SIZES], struct asc_err *e)
{
	for (size_t i = 0; i < r->n_sizes; i++) {
		const uint32_t name = symbols_add(&t->symbols, r->sizes[i].name);
		size_t at = i;

		if (name == LOOKUP_NONE)
			return asc_err_nomem(e);
		for (; at > 0 && names[at - 1] > name; at--) {
			names[at] = names[at - 1];
			sizes[at] = sizes[at - 1];
		}
		names[at] = name;
		sizes[at] = r->sizes[i];
	}
	return ASC_OK;
}

static uint64_t hash_subject(const struct subject *s)
{
	return hash_bytes(s, sizeof *s);
}

struct wanted_group {
	const struct lookup *table;
	const struct group *group;
};

struct wanted_subject {
	const struct lookup *table;
	const struct subject *subject;
};

static bool is_subject(const void *user, uint32_t group)
{
	const struct wanted_subject *w = user;

	return memcmp(&w->table->groups[group].subject, w->subject, sizeof *w->subject) == 0;
}

uint32_t lookup_find_groups(const struct lookup *t, const struct subject *s)
{
	return intern_find(&t->subjects, hash_subject(s), is_subject,
			   &(struct wanted_subject){t, s});
}

static bool is_group(const void *user, uint32_t group)
{
	const struct wanted_group *w = user;
	const struct group *g = &w->table->groups[group];

	return memcmp(&g->subject, &w->group->subject, sizeof g->subject) == 0 &&
	       g->n_sizes == w->group->n_sizes &&
	       memcmp(g->names, w->group->names, g->n_sizes * sizeof *g->names) == 0;
}

/* Finds or makes the group, in a time that does not grow with the groups of its subject;
 * LOOKUP_NONE: out of memory. */
static uint32_t add_group(struct lookup *t, const struct subject *s, const uint32_t *names,
			  size_t n)
{
	struct group wanted = {.subject = *s, .n_sizes = n, .next = LOOKUP_NONE};

	memcpy(wanted.names, names, n * sizeof *names);
	const uint64_t hash = hash_bytes(wanted.names, n * sizeof *wanted.names) ^ hash_subject(s);
	const uint32_t known =
		intern_find(&t->by_names, hash, is_group, &(struct wanted_group){t, &wanted});

	if (known != LOOKUP_NONE)
		return known;
	const uint32_t first = lookup_find_groups(t, s), added = (uint32_t)t->n_groups;

	if (!array_room(&t->groups, t->n_groups, &t->groups_capacity, sizeof *t->groups) ||
	    (first == LOOKUP_NONE && !intern_add(&t->subjects, hash_subject(s), added)))
		return LOOKUP_NONE;
	t->groups[t->n_groups++] = wanted;
	if (first != LOOKUP_NONE)
		t->groups[t->groups[first].last].next = added;
	t->groups[first == LOOKUP_NONE ? added : first].last = added;
	return intern_add(&t->by_names, hash, added) ? added : LOOKUP_NONE;
}

int lookup_compare_rules(const struct lookup *t, uint32_t a, uint32_t b)
{
	const struct stored *x = &t->rules[a], *y = &t->rules[b];
	/* A rule without a time comes behind all that were measured. */
	const double own = x->time_ns > 0 ? x->time_ns : INFINITY;
	const double other = y->time_ns > 0 ? y->time_ns : INFINITY;

	if (x->precedence != y->precedence)
		return x->precedence < y->precedence ? -1 : 1;
	if (own < other || own > other)
		return own < other ? -1 : 1;
	return a < b ? -1 : 1;
}

struct wanted_point {
	const struct lookup *table;
	const int64_t *sizes;
	uint32_t group;
};

static bool is_point(const void *user, uint32_t point)
{
	const struct wanted_point *w = user;
	const struct stored *p = &w->table->rules[w->table->points[point]];
	const size_t n = w->table->groups[w->group].n_sizes;

	return p->group == w->group &&
	       memcmp(w->table->bounds + p->bounds, w->sizes, n * sizeof *w->sizes) == 0;
}

static uint64_t hash_point(const struct wanted_point *w)
{
	const size_t n = w->table->groups[w->group].n_sizes;

	/* 2^64 divided by the golden ratio spreads the groups' numbers over all bits. */
	return hash_bytes(w->sizes, n * sizeof *w->sizes) + w->group * UINT64_C(0x9E3779B97F4A7C15);
}

uint32_t lookup_find_point(const struct lookup *t, uint32_t group, const int64_t *sizes)
{
	const struct wanted_point w = {t, sizes, group};

	return intern_find(&t->exact, hash_point(&w), is_point, &w);
}

static bool push(uint32_t **list, size_t *n, size_t *capacity, uint32_t value)
{
	if (!array_room(list, *n, capacity, sizeof **list))
		return false;
	(*list)[(*n)++] = value;
	return true;
}

/* Adds the point of an exact rule, or the rule to the chain of its point, which lookup_end_rules()
 * orders. */
static bool add_exact(struct lookup *t, uint32_t rule)
{
	struct stored *r = &t->rules[rule];
	struct group *g = &t->groups[r->group];
	const struct wanted_point w = {t, t->bounds + r->bounds, r->group};
	const uint32_t known = lookup_find_point(t, r->group, w.sizes),
		       added = (uint32_t)t->n_points;

	if (known == LOOKUP_NONE)
		return push(&t->points, &t->n_points, &t->points_capacity, rule) &&
		       intern_add(&t->exact, hash_point(&w), added) &&
		       push(&g->points, &g->n_points, &g->points_capacity, added);
	r->next = t->points[known];
	t->points[known] = rule;
	return true;
}

static uint32_t add_text(struct lookup *t, const char *text, bool *ok)
{
	const uint32_t symbol = text ? symbols_add(&t->symbols, text) : LOOKUP_NONE;

	*ok = *ok && (!text || symbol != LOOKUP_NONE);
	return symbol;
}

enum asc_status lookup_add(struct lookup *t, const struct rule *r, struct asc_err *e)
{
	struct rule_size sizes[RULE_MAX_SIZES];
	uint32_t names[RULE_MAX_SIZES];
	struct subject s;

	if (check(r, e) || add_subject(t, r, &s, e) || sort_sizes(t, r, names, sizes, e))
		return e->status;
	const uint32_t number = (uint32_t)t->n_rules, bounds = (uint32_t)t->n_bounds;
	const uint32_t group = add_group(t, &s, names, r->n_sizes);
	const size_t n = r->n_sizes;
	bool ok = group != LOOKUP_NONE;

	for (size_t i = 0; ok && i < 2 * n; i++) {
		ok = array_room(&t->bounds, t->n_bounds, &t->bounds_capacity, sizeof *t->bounds);
		if (ok)
			t->bounds[t->n_bounds++] = i < n ? sizes[i].low : sizes[i - n].high;
	}
	if (!ok || !array_room(&t->rules, t->n_rules, &t->rules_capacity, sizeof *t->rules))
		return asc_err_nomem(e);
	const double width = rule_width(sizes, n);

	t->rules[t->n_rules++] =
		(struct stored){.group = group,
				.bounds = bounds,
				.next = LOOKUP_NONE,
				.implementation = add_text(t, r->implementation, &ok),
				.config = add_text(t, r->config, &ok),
				.precedence = r->precedence,
				.index = r->index,
				.default_index = r->default_index,
				.time_ns = r->time_ns,
				.default_ns = r->default_ns,
				.width = width};
	struct group *g = &t->groups[group];

	/* Without sizes a rule serves all of them: a range, the widest one. */
	ok = ok &&
	     (n > 0 && !(width > 0) ? add_exact(t, number)
				    : push(&g->ranges, &g->n_ranges, &g->ranges_capacity, number));
	return ok ? ASC_OK : asc_err_nomem(e);
}

void lookup_leave_out(struct lookup *t, const struct asc_err *why)
{
	t->left_out = *why;
}

const struct asc_err *lookup_left_out(const struct lookup *t)
{
	return t->left_out.status ? &t->left_out : NULL;
}

/* ---- the end of adding ---- */

static int compare_ranges(const void *a, const void *b, void *user)
{
	const struct lookup *t = user;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->rules[x].width < t->rules[y].width || t->rules[x].width > t->rules[y].width)
		return t->rules[x].width < t->rules[y].width ? -1 : 1;
	return lookup_compare_rules(t, x, y);
}

double lookup_log(int64_t size)
{
	return log2(size > 0 ? (double)size : 1);
}

static bool build_ranges(struct lookup *t, struct group *g)
{
	const size_t n = 2 * g->n_sizes;
	double *boxes = malloc((n * g->n_ranges + 1) * sizeof *boxes);

	if (!boxes)
		return false;
	if (g->n_ranges > 1)
		qsort_r(g->ranges, g->n_ranges, sizeof *g->ranges, compare_ranges, t);
	for (size_t i = 0; i < g->n_ranges; i++)
		for (size_t k = 0; k < n; k++)
			boxes[n * i + k] = (double)t->bounds[t->rules[g->ranges[i]].bounds + k];
	const bool ok = box_tree_init(&g->range_tree, g->n_sizes, boxes, g->n_ranges);

	free(boxes);
	return ok;
}

static bool build_points(struct lookup *t)
{
	size_t *first = malloc((t->n_groups + 1) * sizeof *first), used = 0;
	double *boxes = malloc((t->n_bounds + 1) * sizeof *boxes);
	bool ok = first && boxes;

	for (size_t i = 0; ok && i < t->n_groups; i++) {
		first[i] = used;
		used += 2 * t->groups[i].n_sizes * t->groups[i].n_points;
	}
	/* The points of each group as boxes, from boxes + first[group] on, which is behind them
	 * then: one pass over the table reads its bounds in their order, a pass for each group
	 * would jump in them. */
	for (size_t i = 0; ok && i < t->n_points; i++) {
		const struct stored *p = &t->rules[t->points[i]];
		const size_t n = t->groups[p->group].n_sizes;
		double *own = boxes + first[p->group];

		for (size_t k = 0; k < n; k++)
			own[k] = own[n + k] = lookup_log(t->bounds[p->bounds + k]);
		first[p->group] += 2 * n;
	}
	for (size_t i = 0; ok && i < t->n_groups; i++) {
		struct group *g = &t->groups[i];
		const size_t n = 2 * g->n_sizes * g->n_points;

		ok = box_tree_init(&g->point_tree, g->n_sizes, boxes + (first[i] - n), g->n_points);
	}
	free(first);
	free(boxes);
	return ok;
}

static int compare_rules(const void *a, const void *b, void *user)
{
	return lookup_compare_rules(user, *(const uint32_t *)a, *(const uint32_t *)b);
}

/* Orders the rules of each point, the one that is asked for first. */
static bool order_points(struct lookup *t)
{
	uint32_t *list = malloc((t->n_rules + 1) * sizeof *list);

	for (size_t i = 0; list && i < t->n_points; i++) {
		uint32_t *link = &t->points[i];
		size_t n = 0;

		for (uint32_t r = *link; r != LOOKUP_NONE; r = t->rules[r].next)
			list[n++] = r;
		qsort_r(list, n, sizeof *list, compare_rules, t);
		for (size_t k = 0; k < n; k++, link = &t->rules[*link].next)
			*link = list[k];
		*link = LOOKUP_NONE;
	}
	const bool ok = list != NULL;

	free(list);
	return ok;
}

enum asc_status lookup_end_rules(struct lookup *t, struct asc_err *e)
{
	if (!order_points(t))
		return asc_err_nomem(e);
	for (size_t i = 0; i < t->n_groups; i++)
		if (!build_ranges(t, &t->groups[i]))
			return asc_err_nomem(e);
	return !t->nearest || build_points(t) ? ASC_OK : asc_err_nomem(e);
}
