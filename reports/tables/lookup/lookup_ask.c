#include <string.h>

#include "reports/tables/lookup/lookup.h"
#include "reports/tables/lookup/lookup_data.h"

struct asked {
	const struct lookup *table;
	const struct asctune_question *question;
	const struct group *group; /* whose rules are looked at */
};

struct candidate {
	uint32_t rule; /* LOOKUP_NONE: none */
	enum asctune_found found;
};

/* ---- which may serve ---- */

static bool is_active(const struct asked *a, uint32_t rule)
{
	const int64_t index = a->table->rules[rule].index;

	for (size_t i = 0; i < a->question->n_active; i++)
		if (a->question->active[i] == index)
			return true;
	return false;
}

/* The first active rule of a point, or LOOKUP_NONE. */
static uint32_t first_active(const struct asked *a, uint32_t point)
{
	uint32_t rule = a->table->points[point].first;

	while (rule != LOOKUP_NONE && !is_active(a, rule))
		rule = a->table->rules[rule].next;
	return rule;
}

static bool accept_range(const void *user, uint32_t place)
{
	const struct asked *a = user;

	return is_active(a, a->group->ranges[place]);
}

static bool accept_point(const void *user, uint32_t place)
{
	const struct asked *a = user;

	return first_active(a, a->group->points[place]) != LOOKUP_NONE;
}

static bool take_size(const struct asctune_question *q, const char *name, int64_t *out)
{
	for (size_t i = 0; i < q->n_sizes; i++)
		if (q->sizes[i].name && strcmp(q->sizes[i].name, name) == 0) {
			*out = q->sizes[i].value;
			return true;
		}
	return false;
}

/* The sizes that a group names, in its order; false where one is missing. */
static bool take_sizes(const struct asked *a, int64_t out[RULE_MAX_SIZES])
{
	const struct group *g = a->group;

	for (size_t i = 0; i < g->n_sizes; i++)
		if (!take_size(a->question, symbols_text(&a->table->symbols, g->names[i]), &out[i]))
			return false;
	return true;
}

/* ---- one group ---- */

static struct candidate find_exact(const struct asked *a, const int64_t *sizes)
{
	const uint32_t group = (uint32_t)(a->group - a->table->groups);
	const uint32_t point =
		a->group->n_points > 0 ? lookup_find_point(a->table, group, sizes) : LOOKUP_NONE;

	return (struct candidate){point != LOOKUP_NONE ? first_active(a, point) : LOOKUP_NONE,
				  ASCTUNE_EXACT};
}

static struct candidate find_range(const struct asked *a, const int64_t *sizes)
{
	double point[RULE_MAX_SIZES];

	for (size_t i = 0; i < a->group->n_sizes; i++) {
		if (sizes[i] > RULE_LARGEST_SIZE)
			return (struct candidate){LOOKUP_NONE, ASCTUNE_RULE};
		point[i] = (double)sizes[i];
	}
	const uint32_t place = box_tree_first(&a->group->range_tree, point, accept_range, a);

	return (struct candidate){place != BOX_NONE ? a->group->ranges[place] : LOOKUP_NONE,
				  ASCTUNE_RULE};
}

static struct candidate find_serving(const struct asked *a, const int64_t *sizes)
{
	const struct candidate exact = find_exact(a, sizes);

	return exact.rule != LOOKUP_NONE ? exact : find_range(a, sizes);
}

static struct candidate find_nearest(const struct asked *a, const int64_t *sizes)
{
	double point[RULE_MAX_SIZES];

	for (size_t i = 0; i < a->group->n_sizes; i++)
		point[i] = lookup_log(sizes[i]);
	const uint32_t place = box_tree_nearest(&a->group->point_tree, point, accept_point, a);

	return (struct candidate){place != BOX_NONE ? first_active(a, a->group->points[place])
						    : LOOKUP_NONE,
				  ASCTUNE_NEAREST};
}

/* ---- all groups that a question may be of ---- */

/* Order of two candidates of a question: negative when x serves before y. */
static int compare(const struct lookup *t, struct candidate x, struct candidate y)
{
	const struct stored *a = &t->rules[x.rule], *b = &t->rules[y.rule];
	const struct group *g = &t->groups[a->group], *h = &t->groups[b->group];

	if (x.found != y.found)
		return x.found < y.found ? -1 : 1;
	if (g->n_sizes != h->n_sizes)
		return g->n_sizes > h->n_sizes ? -1 : 1;
	if (a->width < b->width || a->width > b->width)
		return a->width < b->width ? -1 : 1;
	if ((g->subject.model == LOOKUP_NONE) != (h->subject.model == LOOKUP_NONE))
		return g->subject.model != LOOKUP_NONE ? -1 : 1;
	if ((g->subject.types == LOOKUP_NONE) != (h->subject.types == LOOKUP_NONE))
		return g->subject.types != LOOKUP_NONE ? -1 : 1;
	return lookup_compare_rules(t, x.rule, y.rule);
}

typedef struct candidate find_fn(const struct asked *a, const int64_t *sizes);

static void visit_subject(struct asked *a, const struct subject *s, find_fn *find,
			  struct candidate *best)
{
	int64_t sizes[RULE_MAX_SIZES] = {0};

	for (uint32_t i = lookup_find_groups(a->table, s); i != LOOKUP_NONE; i = a->group->next) {
		a->group = &a->table->groups[i];
		const struct candidate c =
			take_sizes(a, sizes) ? find(a, sizes) : (struct candidate){LOOKUP_NONE, 0};

		if (c.rule != LOOKUP_NONE &&
		    (best->rule == LOOKUP_NONE || compare(a->table, c, *best) < 0))
			*best = c;
	}
}

/* Visits the subjects that a question is of: its own, and those of any model or any types. */
static struct candidate visit(const struct lookup *t, const struct asctune_question *q,
			      const struct subject *own, find_fn *find)
{
	struct candidate best = {LOOKUP_NONE, ASCTUNE_NOT_SET};
	struct asked a = {t, q, NULL};

	for (int any = 0; any < 4; any++) {
		struct subject s = *own;

		if (((any & 1) && s.model == LOOKUP_NONE) || ((any & 2) && s.types == LOOKUP_NONE))
			continue; /* visited already */
		if (any & 1)
			s.model = LOOKUP_NONE;
		if (any & 2)
			s.types = LOOKUP_NONE;
		visit_subject(&a, &s, find, &best);
	}
	return best;
}

static uint32_t find_name(const struct lookup *t, const char *text)
{
	return text ? symbols_find(&t->symbols, text) : LOOKUP_NONE;
}

/* Finds a name by any of its spellings. */
static uint32_t find_meaning(const struct lookup *t, const char *text)
{
	return lookup_meaning(t, find_name(t, text));
}

/* LOOKUP_NONE for a type that no rule names, and for no types. */
static uint32_t find_types(const struct lookup *t, const struct asctune_question *q)
{
	uint32_t symbols[RULE_MAX_TYPES], one;
	char text[TYPES_TEXT];

	if (q->n_types > RULE_MAX_TYPES)
		return LOOKUP_NONE;
	for (size_t i = 0; i < q->n_types; i++) {
		symbols[i] = find_meaning(t, q->types[i].type);
		if (symbols[i] == LOOKUP_NONE)
			return LOOKUP_NONE;
	}
	if (!lookup_print_types(t, q->types, symbols, q->n_types, &one, text) || q->n_types == 0)
		return LOOKUP_NONE;
	return one != LOOKUP_NONE ? one : symbols_find(&t->symbols, text);
}

static bool has_negative(const struct asctune_question *q)
{
	for (size_t i = 0; i < q->n_sizes; i++)
		if (q->sizes[i].value < 0)
			return true;
	return false;
}

struct lookup_answer lookup_ask(const struct lookup *t, const struct asctune_question *q)
{
	const struct subject own = {find_name(t, q->op), find_meaning(t, q->device),
				    find_name(t, q->device_model), find_types(t, q)};
	struct lookup_answer answer = {.index = -1, .default_index = -1};

	if (own.op == LOOKUP_NONE || own.device == LOOKUP_NONE || has_negative(q))
		return answer;
	struct candidate best = visit(t, q, &own, find_serving);

	if (best.rule == LOOKUP_NONE && t->nearest)
		best = visit(t, q, &own, find_nearest);
	if (best.rule == LOOKUP_NONE)
		return answer;
	const struct stored *r = &t->rules[best.rule];

	return (struct lookup_answer){.found = best.found,
				      .index = r->index,
				      .default_index = r->default_index,
				      .implementation =
					      symbols_text(&t->symbols, r->implementation),
				      .config = symbols_text(&t->symbols, r->config),
				      .time_ns = r->time_ns,
				      .default_ns = r->default_ns};
}
