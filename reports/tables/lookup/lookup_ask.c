/* Questions to a look-up table.
 *
 * A question is turned into symbols; a name that no rule has ends it at once. Its rules are in the
 * groups of up to four subjects: its own, and those for any model, any types, or both. In each
 * group, whose rules name the same sizes, the best candidate is found by a hash of exact sizes,
 * else by the tree of ranges; the candidates of all groups are compared. Only where none serves,
 * and the table's results were measured, a second pass takes the nearest of exact sizes. */
#include <string.h>

#include "reports/tables/lookup/lookup.h"
#include "reports/tables/lookup/lookup_data.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

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
	uint32_t rule = a->table->points[point];

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

/* The sizes that a group names, in its order; false where one is missing. */
static bool take_sizes(const struct asked *a, int64_t out[RULE_MAX_SIZES])
{
	const struct asctune_question *q = a->question;
	const struct group *g = a->group;

	for (size_t i = 0; i < g->n_sizes; i++) {
		const char *name = symbols_text(&a->table->symbols, g->names[i]);
		size_t k = 0;

		while (k < q->n_sizes && (!q->sizes[k].name || strcmp(q->sizes[k].name, name) != 0))
			k++;
		if (k == q->n_sizes)
			return false;
		out[i] = q->sizes[k].value;
	}
	return true;
}

/* ---- one group ---- */

/* Finds the rule that serves these sizes: an exact one before any range. */
static struct candidate find_serving(const struct asked *a, const int64_t *sizes)
{
	const uint32_t group = (uint32_t)(a->group - a->table->groups);
	const uint32_t at =
		a->group->n_points > 0 ? lookup_find_point(a->table, group, sizes) : LOOKUP_NONE;
	const uint32_t exact = at != LOOKUP_NONE ? first_active(a, at) : LOOKUP_NONE;
	double point[RULE_MAX_SIZES];

	if (exact != LOOKUP_NONE)
		return (struct candidate){exact, ASCTUNE_EXACT};
	for (size_t i = 0; i < a->group->n_sizes; i++) {
		/* Beyond it a real may round into a range that does not hold the size. */
		if (sizes[i] > RULE_LARGEST_SIZE)
			return (struct candidate){LOOKUP_NONE, ASCTUNE_RULE};
		point[i] = (double)sizes[i];
	}
	/* Ranges are in the order in which they serve: the lowest number is the answer. */
	const uint32_t place = box_tree_first(&a->group->range_tree, point, accept_range, a);

	return (struct candidate){place != BOX_NONE ? a->group->ranges[place] : LOOKUP_NONE,
				  ASCTUNE_RULE};
}

/* Finds the exact rule nearest to these sizes, by the ratios of sizes. */
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

/* Finds the best candidate among the subjects that a question is of. */
static struct candidate visit(const struct lookup *t, const struct asctune_question *q,
			      const struct subject *own, find_fn *find)
{
	struct candidate best = {LOOKUP_NONE, ASCTUNE_NOT_SET};
	struct asked a = {t, q, NULL};
	int64_t sizes[RULE_MAX_SIZES] = {0};

	for (int any = 0; any < 4; any++) { /* bit 0: any model, bit 1: any types */
		struct subject s = *own;

		if (((any & 1) && s.model == LOOKUP_NONE) || ((any & 2) && s.types == LOOKUP_NONE))
			continue; /* visited already */
		if (any & 1)
			s.model = LOOKUP_NONE;
		if (any & 2)
			s.types = LOOKUP_NONE;
		for (uint32_t i = lookup_find_groups(t, &s); i != LOOKUP_NONE; i = a.group->next) {
			a.group = &t->groups[i];
			const struct candidate c = take_sizes(&a, sizes)
							   ? find(&a, sizes)
							   : (struct candidate){LOOKUP_NONE, 0};

			if (c.rule != LOOKUP_NONE &&
			    (best.rule == LOOKUP_NONE || compare(t, c, best) < 0))
				best = c;
		}
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

struct lookup_answer lookup_ask(const struct lookup *t, const struct asctune_question *q)
{
	const struct subject own = {find_name(t, q->op), find_meaning(t, q->device),
				    find_name(t, q->device_model), find_types(t, q)};
	struct lookup_answer answer = {.index = -1, .default_index = -1};

	if (own.op == LOOKUP_NONE || own.device == LOOKUP_NONE)
		return answer;
	/* A size that no rule of the table names may be negative, too: it says that the caller does
	 * not know the problem. */
	for (size_t i = 0; i < q->n_sizes; i++)
		if (q->sizes[i].value < 0)
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

/* ---- why nothing serves ---- */

/* Where a group and a question part, the later the nearer they are. */
enum parting { OTHER_DEVICE, OTHER_MODEL, OTHER_TYPES, NO_SIZE, NOT_ACTIVE };

/* The text that a list of types, "T=f16,U=f32", has for a name, and its length; NULL: none. */
static const char *find_type(const char *list, const char *name, size_t *len)
{
	const size_t n = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, n) == 0 && at[n] == '=') {
			*len = strcspn(at + n + 1, ",");
			return at + n + 1;
		}
	}
	return NULL;
}

/* Counts the types of a question that the rules of a group do not have, and appends each with what
 * they have instead. */
static size_t compare_types(const struct lookup *t, const struct group *g,
			    const struct asctune_question *q, struct buf *out)
{
	const char *list = symbols_text(&t->symbols, g->subject.types);
	size_t count = 0, len = 0;

	for (size_t i = 0; i < q->n_types; i++) {
		const char *name = q->types[i].name ? q->types[i].name : "";
		const char *asked = q->types[i].type ? q->types[i].type : "";
		const uint32_t meaning = find_meaning(t, asked);
		const char *text =
			meaning != LOOKUP_NONE ? symbols_text(&t->symbols, meaning) : asked;
		/* Types that are all the same are one, which has no name. */
		const char *own = strchr(list, '=') ? find_type(list, name, &len) : list;

		if (own == list)
			len = strlen(list);
		if (own && len == strlen(text) && strncmp(own, text, len) == 0)
			continue;
		buf_print(out, "%s%s ", count++ > 0 ? ", " : "", *name ? name : "type");
		if (own)
			buf_print(out, "%.*s, not %s", (int)len, own, asked);
		else
			buf_print(out, "unknown, not %s", asked);
	}
	if (count == 0)
		buf_print(out, "the types %s", list);
	return count;
}

static enum parting part(const struct asked *a, const struct subject *own)
{
	const struct subject *s = &a->group->subject;
	int64_t sizes[RULE_MAX_SIZES];

	if (s->device != own->device)
		return OTHER_DEVICE;
	if (s->model != LOOKUP_NONE && s->model != own->model)
		return OTHER_MODEL;
	if (s->types != LOOKUP_NONE && s->types != own->types)
		return OTHER_TYPES;
	return take_sizes(a, sizes) ? NOT_ACTIVE : NO_SIZE;
}

void lookup_explain(const struct lookup *t, const struct asctune_question *q, struct buf *out)
{
	const struct subject own = {find_name(t, q->op), find_meaning(t, q->device),
				    find_name(t, q->device_model), find_types(t, q)};
	const struct group *nearest = NULL;
	enum parting where = OTHER_DEVICE;
	size_t fewest = SIZE_MAX;
	struct buf scratch = {0};

	if (lookup_ask(t, q).found != ASCTUNE_NOT_SET)
		return;
	for (size_t i = 0; i < t->n_groups && own.op != LOOKUP_NONE; i++) {
		const struct asked a = {t, q, &t->groups[i]};

		if (a.group->subject.op != own.op)
			continue;
		buf_clear(&scratch);
		const enum parting p = part(&a, &own);
		const size_t n = p == OTHER_TYPES ? compare_types(t, a.group, q, &scratch) : 0;

		if (!nearest || p > where || (p == where && n < fewest)) {
			nearest = a.group;
			where = p;
			fewest = n;
		}
	}
	buf_fini(&scratch);
	if (!nearest) {
		buf_print(out, "it has no operator \"%s\"", q->op ? q->op : "");
		return;
	}
	const struct subject *s = &nearest->subject;

	switch (where) {
	case OTHER_DEVICE:
	case OTHER_MODEL:
		buf_print(out, "it was measured on %s, not on %s",
			  symbols_text(&t->symbols, s->model != LOOKUP_NONE ? s->model : s->device),
			  q->device_model ? q->device_model : q->device);
		break;
	case OTHER_TYPES:
		buf_print(out, "it was measured with ");
		(void)compare_types(t, nearest, q, out);
		break;
	case NO_SIZE:
		buf_print(out, "it has sizes that the question does not name:");
		for (size_t i = 0; i < nearest->n_sizes; i++)
			buf_print(out, " %s", symbols_text(&t->symbols, nearest->names[i]));
		break;
	case NOT_ACTIVE: buf_print(out, "it has nothing for these sizes and indices"); break;
	}
}

/* ---- questions that are asked again ---- */

/* Answers that a thread keeps: 5 kB, which stay in a processor's first cache. */
enum { KEPT = 64 };

struct memo {
	uint64_t table, question; /* lookup_number() and hash; table 0: nothing is kept */
	struct lookup_answer answer;
};

/* The factor is 2^64 divided by the golden ratio: it spreads sums over all bits (Knuth, "The Art of
 * Computer Programming", 6.4). */
static uint64_t mix(uint64_t so_far, uint64_t next)
{
	return ((so_far << 23 | so_far >> 41) ^ next) * UINT64_C(0x9E3779B97F4A7C15);
}

static uint64_t mix_text(uint64_t so_far, const char *text)
{
	return mix(so_far, text ? hash_bytes(text, strlen(text)) : 1); /* NULL is not "" */
}

struct lookup_answer lookup_ask_again(const struct lookup *t, const struct asctune_question *q)
{
	static _Thread_local struct memo kept[KEPT];
	uint64_t h = mix_text(mix_text(mix_text(q->n_types, q->op), q->device), q->device_model);

	/* Lists are hashed with their lengths: an entry of one never counts as one of the next. */
	for (size_t i = 0; i < q->n_types; i++)
		h = mix_text(mix_text(h, q->types[i].name), q->types[i].type);
	h = mix(h, q->n_sizes);
	for (size_t i = 0; i < q->n_sizes; i++)
		h = mix(mix_text(h, q->sizes[i].name), (uint64_t)q->sizes[i].value);
	for (size_t i = 0; i < q->n_active; i++)
		h = mix(h, (uint64_t)q->active[i]);
	h = mix(h, q->n_active);
	struct memo *m = &kept[(h >> 32) % KEPT];

	/* A table that was read again has another number, so that its answers are new ones. */
	if (m->table != lookup_number(t) || m->question != h)
		*m = (struct memo){lookup_number(t), h, lookup_ask(t, q)};
	return m->answer;
}
