/* Reading a book, in order:
 *
 * 1. Each text is read by tables of fields; a metric that is there already gets the new families in
 *    front of its own, a set more members, and rules go before those of earlier texts (read_text).
 * 2. Names get slots, then formulas, conditions and sentences are compiled over them.
 * 3. Formulas are put in an order in which each stands behind those it needs, and sets are
 *    resolved; either way a cycle is refused.
 *
 * Strings and nodes are those of the documents, which stay open as long as the book. */
#include "probes/metrics/metric_book.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/book_parts.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/names.h"
#include "tuner/workload/expr/expr.h"

static const char *const kernels_names[] = {METRIC_KERNELS_LIST(NAME_OF)};

#define NAME_OF_FIGURE(name, unit, kind, meaning) #name,
#define UNIT_OF_FIGURE(name, unit, kind, meaning) unit,
#define KIND_OF_FIGURE(name, unit, kind, meaning) FIGURE_##kind,
static const char *const figure_names[] = {FIGURE_LIST(NAME_OF_FIGURE)};
static const char *const figure_units[] = {FIGURE_LIST(UNIT_OF_FIGURE)};
static const enum figure_kind figure_kinds[] = {FIGURE_LIST(KIND_OF_FIGURE)};

enum { FIGURES = sizeof figure_names / sizeof *figure_names };

/* Bytes of a formula that a message repeats: as much as two lines of a terminal, so that what is
 * wrong with it is still read. */
enum { MOST_SHOWN = 160 };

const char *figure_unit(const char *name)
{
	size_t i;

	return name_find(figure_names, FIGURES, name, &i) ? figure_units[i] : NULL;
}

/* ---- 1: texts ---- */

static const char *const *read_strings(const struct json_node *list, struct asc_err *e)
{
	const char **out = json_alloc(list, (json_count(list) + 1) * sizeof *out);
	size_t n = 0;

	if (!out) {
		(void)asc_err_nomem(e);
		return NULL;
	}
	if (json_expect(list, JSON_ARRAY, e))
		return NULL;
	if (json_count(list) == 0) {
		(void)json_fail(list, e, "is empty");
		return NULL;
	}
	for (const struct json_node *i = json_first(list); i; i = json_next(i))
		if (json_get_string(i, &out[n++], e))
			return NULL;
	return out;
}

static enum asc_status read_names(const struct json_node *n, void *member, struct asc_err *e)
{
	*(const char *const **)member = read_strings(n, e);
	return *(const char *const **)member ? ASC_OK : e->status;
}

static enum asc_status read_kernels(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;
	size_t value;

	if (json_get_string(n, &name, e))
		return e->status;
	if (!name_find(kernels_names, METRIC_KERNELS_COUNT, name, &value))
		return json_fail(n, e, "\"%s\" is none of sum, time, most, least", name);
	*(enum metric_kernels *)member = (enum metric_kernels)value;
	return ASC_OK;
}

static enum asc_status read_label(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;

	if (json_get_string(n, &name, e))
		return e->status;
	return label_parse(name, member) ? ASC_OK
					 : json_fail(n, e, "there is no label \"%s\"", name);
}

struct metric_entry {
	struct metric_def def;
	const struct json_node *counters, *formula;
};

/* Finds a metric by its name and, not NULL, its probe. */
static struct book_metric *find_metric(const struct metric_book *b, const char *name,
				       const char *probe)
{
	for (size_t i = 0; i < b->n_metrics; i++)
		if (strcmp(b->metrics[i].def.name, name) == 0 &&
		    (!probe || strcmp(b->metrics[i].def.probe, probe) == 0))
			return &b->metrics[i];
	return NULL;
}

/* Puts the families of `counters` in front of those that the metric has. */
static enum asc_status add_families(struct metric_def *m, const struct json_node *counters,
				    struct asc_err *e)
{
	const size_t n = json_count(counters);
	struct metric_family *all = json_alloc(counters, (n + m->n_families) * sizeof *all);
	size_t k = 0;

	if (json_expect(counters, JSON_OBJECT, e))
		return e->status;
	if (n == 0)
		return json_fail(counters, e, "is empty");
	if (!all)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(counters); i; i = json_next(i), k++) {
		all[k].chips = json_key(i);
		all[k].counters = read_strings(i, e);
		if (!all[k].counters)
			return e->status;
	}
	if (m->n_families)
		memcpy(&all[n], m->families, m->n_families * sizeof *all);
	m->families = all;
	m->n_families += n;
	return ASC_OK;
}

static enum asc_status read_metric(struct metric_book *b, const struct json_node *n,
				   struct asc_err *e)
{
#define AT(member) offsetof(struct metric_entry, member)
	static const struct json_field fields[] = {
		{"name", JSON_AS_STRING, true, AT(def.name), NULL, NULL},
		{"unit", JSON_AS_STRING, false, AT(def.unit), NULL, NULL},
		{"meaning", JSON_AS_STRING, false, AT(def.meaning), NULL, NULL},
		{"probe", JSON_AS_STRING, false, AT(def.probe), NULL, NULL},
		{"software", JSON_AS_BOOL, false, AT(def.software), NULL, NULL},
		{"kernels", JSON_AS_CUSTOM, false, AT(def.kernels), read_kernels, NULL},
		{"counters", JSON_AS_NODE, false, AT(counters), NULL, NULL},
		{"formula", JSON_AS_NODE, false, AT(formula), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"metric", fields};
	struct metric_entry entry = {0};

	if (json_read_object(n, &spec, &entry, e))
		return e->status;
	if (!entry.counters == !entry.formula)
		return json_fail(n, e, "needs either \"counters\" or a \"formula\"");
	if (!str_is_identifier(entry.def.name))
		return json_fail(n, e, "\"%s\" is no name for formulas", entry.def.name);
	if (figure_unit(entry.def.name))
		return json_fail(n, e, "\"%s\" is a figure that comes without a counter",
				 entry.def.name);
	if (entry.counters && !entry.def.probe)
		return json_fail(n, e, "counters need their \"probe\"");
	struct book_metric *m =
		entry.counters ? find_metric(b, entry.def.name, entry.def.probe) : NULL;
	if (!m) {
		const struct book_metric *same = find_metric(b, entry.def.name, NULL);

		/* Whoever adds to a metric need not say again what it is. */
		if (same && !entry.def.unit)
			entry.def.unit = same->def.unit;
		if (same && !entry.def.meaning)
			entry.def.meaning = same->def.meaning;
		if (!entry.def.unit || !entry.def.meaning)
			return json_fail(n, e, "needs \"unit\" and \"meaning\"");
		if (strlen(entry.def.name) >= sizeof((struct metric){0}.name) ||
		    strlen(entry.def.unit) >= sizeof((struct metric){0}.unit))
			return json_fail(n, e, "its name or unit is too long");
		if (!array_room(&b->metrics, b->n_metrics, &b->metrics_room, sizeof *b->metrics))
			return asc_err_nomem(e);
		m = &b->metrics[b->n_metrics++];
		*m = (struct book_metric){.def = entry.def};
		m->def.probe = entry.counters ? entry.def.probe : "";
		m->formula_node = entry.formula;
	}
	return entry.formula ? json_get_string(entry.formula, &m->def.formula, e)
			     : add_families(&m->def, entry.counters, e);
}

static enum asc_status read_set(struct metric_book *b, const struct json_node *n, struct asc_err *e)
{
	size_t i = 0;

	if (json_expect(n, JSON_ARRAY, e))
		return e->status;
	while (i < b->n_sets && strcmp(b->sets[i].set.name, json_key(n)) != 0)
		i++;
	if (i == b->n_sets) {
		if (!array_room(&b->sets, b->n_sets, &b->sets_room, sizeof *b->sets))
			return asc_err_nomem(e);
		b->sets[b->n_sets++] = (struct book_set){.set.name = json_key(n)};
	}
	struct book_set *s = &b->sets[i];
	const struct json_node **grown =
		realloc(s->lists, (s->n_lists + 1) * sizeof(struct json_node *));

	if (!grown)
		return asc_err_nomem(e);
	s->lists = grown;
	s->lists[s->n_lists++] = n;
	return ASC_OK;
}

static enum asc_status read_rule(struct metric_book *b, const struct json_node *n, size_t place,
				 struct asc_err *e)
{
#define AT(member) offsetof(struct metric_rule, member)
	static const struct json_field fields[] = {
		{"label", JSON_AS_CUSTOM, true, AT(label), read_label, NULL},
		{"devices", JSON_AS_CUSTOM, true, AT(devices), read_names, NULL},
		{"if", JSON_AS_STRING, true, AT(condition), NULL, NULL},
		{"sentence", JSON_AS_STRING, true, AT(sentence), NULL, NULL},
		{"left", JSON_AS_STRING, false, AT(left), NULL, NULL},
		{"why", JSON_IGNORED, false, 0, NULL, NULL}, /* where thresholds are from */
		{0}};
#undef AT
	static const struct json_spec spec = {"rule", fields};
	struct book_rule r = {.node = n};

	if (json_read_object(n, &spec, &r.rule, e))
		return e->status;
	if (!array_room(&b->rules, b->n_rules, &b->rules_room, sizeof *b->rules))
		return asc_err_nomem(e);
	memmove(&b->rules[place + 1], &b->rules[place], (b->n_rules - place) * sizeof *b->rules);
	b->rules[place] = r;
	b->n_rules++;
	return ASC_OK;
}

struct book_root {
	const struct json_node *metrics, *sets, *rules;
};

static enum asc_status read_text(struct metric_book *b, const struct json_doc *doc,
				 struct asc_err *e)
{
#define AT(member) offsetof(struct book_root, member)
	static const struct json_field fields[] = {
		{"metrics", JSON_AS_NODE, false, AT(metrics), NULL, NULL},
		{"sets", JSON_AS_NODE, false, AT(sets), NULL, NULL},
		{"rules", JSON_AS_NODE, false, AT(rules), NULL, NULL},
		{0}};
#undef AT
	static const struct json_spec spec = {"metrics", fields};
	struct book_root root = {0};
	size_t place = 0;

	if (json_read_object(json_root(doc), &spec, &root, e))
		return e->status;
	if ((root.metrics && json_expect(root.metrics, JSON_ARRAY, e)) ||
	    (root.sets && json_expect(root.sets, JSON_OBJECT, e)) ||
	    (root.rules && json_expect(root.rules, JSON_ARRAY, e)))
		return e->status;
	for (const struct json_node *i = root.metrics ? json_first(root.metrics) : NULL; i;
	     i = json_next(i))
		if (read_metric(b, i, e))
			return e->status;
	for (const struct json_node *i = root.sets ? json_first(root.sets) : NULL; i;
	     i = json_next(i))
		if (read_set(b, i, e))
			return e->status;
	for (const struct json_node *i = root.rules ? json_first(root.rules) : NULL; i;
	     i = json_next(i))
		if (read_rule(b, i, place++, e))
			return e->status;
	return ASC_OK;
}

/* ---- 2: names and expressions ---- */

enum figure_kind book_kind(const struct metric_book *b, size_t slot)
{
	if (slot < b->n_metric_slots)
		return FIGURE_GIVEN;
	slot -= b->n_metric_slots;
	return slot < FIGURES ? figure_kinds[slot] : FIGURE_CODE;
}

bool book_slot(const struct metric_book *b, const char *name, size_t *slot)
{
	for (*slot = 0; *slot < b->n_names; ++*slot)
		if (strcmp(b->names[*slot], name) == 0)
			return true;
	return false;
}

static enum asc_status add_name(struct metric_book *b, const char *name, struct asc_err *e)
{
	if (!array_room(&b->names, b->n_names + 1, &b->names_room, sizeof *b->names))
		return asc_err_nomem(e);
	b->names[b->n_names++] = name;
	b->names[b->n_names] = NULL; /* candidates of "did you mean" end so */
	return ASC_OK;
}

/* A name of the book, or of a class of instructions, which gets its slot here. */
static bool resolve(const void *user, const char *call, const char *name, struct expr_binding *out)
{
	/* The scope is const for all users but this one, which adds names. */
	struct metric_book *b = *(struct metric_book *const *)user;
	struct asc_err ignored;
	size_t slot;

	if (call)
		return false;
	if (!book_slot(b, name, &slot)) {
		const bool is_class =
			strncmp(name, "code_", 5) == 0 || strncmp(name, "loop_", 5) == 0;
		char *copy = is_class ? arena_copy(&b->arena, name) : NULL;

		if (!copy || add_name(b, copy, &ignored))
			return false;
		slot = b->n_names - 1;
	}
	*out = (struct expr_binding){.kind = EXPR_SLOT, .slot = slot};
	return true;
}

static const char *const *list_names(const void *user)
{
	return (*(struct metric_book *const *)user)->names;
}

static enum asc_status compile(struct metric_book *b, const struct json_node *n, const char *text,
			       struct expr **out, struct asc_err *e)
{
	const struct expr_scope scope = {.resolve = resolve, .names = list_names, .user = &b};
	struct buf shown = {0};
	struct asc_err why;

	if (expr_compile(text, &scope, out, &why) == ASC_OK)
		return ASC_OK;
	buf_add_cut(&shown, text, MOST_SHOWN);
	json_fail(n, e, "%s: %s", buf_str(&shown), why.text);
	buf_fini(&shown);
	return e->status;
}

/* Cuts a sentence into pieces: texts, with "{FIGURE:HOW}" between them. */
static enum asc_status cut_sentence(struct metric_book *b, struct book_rule *r, struct asc_err *e)
{
	char *at = arena_copy(&b->arena, r->rule.sentence);
	size_t n = 1;

	for (const char *c = r->rule.sentence; *c; c++)
		n += *c == '{';
	r->pieces = arena_alloc(&b->arena, n * sizeof *r->pieces);
	if (!at || !r->pieces)
		return asc_err_nomem(e);
	while (*at) {
		struct book_piece *p = &r->pieces[r->n_pieces++];
		char *open = strchr(at, '{'), *close = open ? strchr(open, '}') : NULL;

		p->text = at;
		if (!open)
			break;
		if (!close)
			return json_fail(r->node, e, "sentence: \"{\" without \"}\"");
		*open = *close = '\0';
		char *colon = strrchr(open + 1, ':');
		if (!colon)
			return json_fail(r->node, e, "sentence: \"%s\" needs \":\" and a unit",
					 open + 1);
		*colon = '\0';
		p->how = colon + 1;
		if (compile(b, r->node, open + 1, &p->figure, e))
			return e->status;
		at = close + 1;
	}
	return ASC_OK;
}

static enum asc_status compile_all(struct metric_book *b, struct asc_err *e)
{
	for (size_t i = 0; i < b->n_metrics; i++) {
		struct book_metric *m = &b->metrics[i];

		if (!book_slot(b, m->def.name, &m->slot) && add_name(b, m->def.name, e))
			return e->status;
	}
	b->n_metric_slots = b->n_names;
	for (size_t i = 0; i < FIGURES; i++)
		if (add_name(b, figure_names[i], e))
			return e->status;
	for (size_t i = 0; i < b->n_metrics; i++) {
		struct book_metric *m = &b->metrics[i];

		if (m->def.formula && compile(b, m->formula_node, m->def.formula, &m->formula, e))
			return e->status;
	}
	for (size_t i = 0; i < b->n_rules; i++) {
		struct book_rule *r = &b->rules[i];

		if (compile(b, r->node, r->rule.condition, &r->condition, e) ||
		    (r->rule.left && compile(b, r->node, r->rule.left, &r->left, e)) ||
		    cut_sentence(b, r, e))
			return e->status;
	}
	return ASC_OK;
}

/* ---- 3: order ---- */

static enum asc_status order_metric(struct metric_book *b, size_t i, struct asc_err *e)
{
	struct book_metric *m = &b->metrics[i];
	const size_t *slots;

	if (m->mark == 2 || !m->formula)
		return ASC_OK;
	if (m->mark == 1)
		return json_fail(m->formula_node, e, "\"%s\" needs itself", m->def.name);
	m->mark = 1;
	const size_t n = expr_slots(m->formula, &slots);
	for (size_t k = 0; k < n; k++)
		for (size_t other = b->n_metrics; other-- > 0;)
			if (b->metrics[other].slot == slots[k] && order_metric(b, other, e))
				return e->status;
	m->mark = 2;
	b->order[b->n_order++] = i;
	return ASC_OK;
}

/* Adds the members of a set to `list` of *n metrics, none twice. */
static enum asc_status gather(struct metric_book *b, struct book_set *s,
			      const struct metric_def **list, size_t *n, struct asc_err *e)
{
	if (s->mark)
		return json_fail(s->lists[0], e, "the set contains itself");
	s->mark = 1;
	for (size_t i = 0; i < s->n_lists; i++) {
		const struct json_node *at = json_first(s->lists[i]);

		for (; at; at = json_next(at)) {
			struct book_set *inner = NULL;
			const char *name;

			if (json_get_string(at, &name, e))
				return e->status;
			for (size_t k = 0; k < b->n_sets; k++)
				if (strcmp(b->sets[k].set.name, name) == 0)
					inner = &b->sets[k];
			if (inner) {
				if (gather(b, inner, list, n, e))
					return e->status;
				continue;
			}
			if (!find_metric(b, name, NULL))
				return json_fail_unknown(at, e, "metric", name, b->names);
			/* Each probe takes its own of a name. */
			for (size_t k = 0; k < b->n_metrics; k++) {
				const struct metric_def *m = &b->metrics[k].def;
				size_t j = 0;

				if (strcmp(m->name, name) != 0)
					continue;
				while (j < *n && list[j] != m)
					j++;
				if (j == *n)
					list[(*n)++] = m;
			}
		}
	}
	s->mark = 0;
	return ASC_OK;
}

static enum asc_status order_all(struct metric_book *b, struct asc_err *e)
{
	b->order = arena_alloc(&b->arena, (b->n_metrics + 1) * sizeof *b->order);
	if (!b->order)
		return asc_err_nomem(e);
	/* Of several formulas of a name the last is tried first. */
	for (size_t i = b->n_metrics; i-- > 0;)
		if (order_metric(b, i, e))
			return e->status;
	for (size_t i = 0; i < b->n_sets; i++) {
		const struct metric_def **list =
			arena_alloc(&b->arena, (b->n_metrics + 1) * sizeof(struct metric_def *));
		size_t n = 0;

		if (!list)
			return asc_err_nomem(e);
		if (gather(b, &b->sets[i], list, &n, e))
			return e->status;
		b->sets[i].set.metrics = list;
	}
	return ASC_OK;
}

/* ---- all together ---- */

enum asc_status metric_book_open_texts(const struct metric_text *texts, size_t n,
				       struct metric_book **out, struct asc_err *e)
{
	struct metric_book *b = calloc(1, sizeof *b);
	enum asc_status s = ASC_OK;

	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	b->docs = arena_alloc(&b->arena, (n + 1) * sizeof(struct json_doc *));
	if (!b->docs) {
		arena_fini(&b->arena);
		free(b);
		return asc_err_nomem(e);
	}
	for (size_t i = 0; !s && i < n; i++) {
		struct json_doc **doc = &b->docs[i];

		s = json_open_text(texts[i].name, texts[i].text, strlen(texts[i].text), doc, e);
		b->n_docs += s == ASC_OK;
		if (!s)
			s = read_text(b, *doc, e);
	}
	if (!s && !compile_all(b, e) && !order_all(b, e)) {
		*out = b;
		return ASC_OK;
	}
	metric_book_free(b);
	return e->status;
}

enum asc_status metric_book_open(const struct metric_text *more, size_t n, struct metric_book **out,
				 struct asc_err *e)
{
#define X(id, file) {file, metrics_##id},
	static const struct metric_text own[] = {METRIC_TEXT_LIST(X)};
#undef X
	enum { OWN = sizeof own / sizeof *own };
	struct metric_text *all = calloc(OWN + n, sizeof *all);

	*out = NULL;
	if (!all)
		return asc_err_nomem(e);
	memcpy(all, own, sizeof own);
	if (n)
		memcpy(&all[OWN], more, n * sizeof *all);
	const enum asc_status s = metric_book_open_texts(all, OWN + n, out, e);

	free(all);
	return s;
}

void metric_book_free(struct metric_book *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->n_metrics; i++)
		expr_free(b->metrics[i].formula);
	for (size_t i = 0; i < b->n_rules; i++) {
		struct book_rule *r = &b->rules[i];

		expr_free(r->condition);
		expr_free(r->left);
		for (size_t k = 0; k < r->n_pieces; k++)
			expr_free(r->pieces[k].figure);
	}
	for (size_t i = 0; i < b->n_sets; i++)
		free(b->sets[i].lists);
	for (size_t i = 0; i < b->n_docs; i++)
		json_close(b->docs[i]);
	free(b->metrics);
	free(b->sets);
	free(b->rules);
	free(b->names);
	arena_fini(&b->arena);
	free(b);
}

const struct metric_def *metric_book_metric(const struct metric_book *b, size_t i)
{
	return i < b->n_metrics ? &b->metrics[i].def : NULL;
}

const struct metric_set *metric_book_set(const struct metric_book *b, size_t i)
{
	return i < b->n_sets ? &b->sets[i].set : NULL;
}

const struct metric_def *metric_book_find(const struct metric_book *b, const char *probe,
					  const char *name)
{
	const struct book_metric *m = find_metric(b, name, probe);

	return m ? &m->def : NULL;
}

enum asc_status metric_book_find_set(const struct metric_book *b, const char *name,
				     const struct metric_set **out, struct asc_err *e)
{
	const char **names = calloc(b->n_sets + 1, sizeof *names);

	*out = NULL;
	if (!names)
		return asc_err_nomem(e);
	for (size_t i = 0; i < b->n_sets; i++) {
		names[i] = b->sets[i].set.name;
		if (strcmp(names[i], name) == 0)
			*out = &b->sets[i].set;
	}
	if (!*out) {
		const char *near = str_nearest(name, names);
		struct buf list = {0};

		if (near)
			buf_print(&list, "; did you mean \"%s\"?", near);
		for (size_t i = 0; i < b->n_sets && !near; i++)
			buf_print(&list, "%s%s", i ? ", " : "; there are ", names[i]);
		asc_err_set(e, ASC_USAGE, "no set of metrics \"%s\"%s", name, buf_str(&list));
		buf_fini(&list);
	}
	free(names);
	return *out ? ASC_OK : e->status;
}

const char *metric_counter(const struct metric_def *m, const char *chip,
			   bool (*has)(void *user, const char *counter), void *user)
{
	for (size_t i = 0; i < m->n_families; i++) {
		if (fnmatch(m->families[i].chips, chip, 0) != 0)
			continue;
		for (const char *const *c = m->families[i].counters; *c; c++)
			if (!has || has(user, *c))
				return *c;
		return NULL;
	}
	return NULL;
}
