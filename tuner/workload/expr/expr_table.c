#include "tuner/workload/expr/expr_table.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"

struct table_edge {
	struct value value;
	uint32_t child;
};

struct table_node {
	uint32_t column;             /* that decides; the number of columns: a leaf */
	uint32_t first, n;           /* edges, in the order of their values */
	struct expr_outcome outcome; /* of a leaf */
	struct range range;
};

struct expr_table {
	atomic_size_t users;
	char *name, *given;
	size_t *slots, *counts;
	char **names; /* of the variables */
	size_t n_slots;
	struct expr_outcome otherwise;
	struct table_node *nodes;
	size_t n_nodes, node_capacity;
	struct table_edge *edges;
	size_t n_edges, edge_capacity;
	uint32_t first, none; /* none: the leaf of combinations without a row */
	bool truth;
};

/* ---- the diagram, from its leaves up ---- */

struct builder {
	struct expr_table *table;
	const struct expr_table_spec *spec;
	struct intern known;      /* nodes by content */
	struct table_edge *stack; /* edges of the nodes that are open, the innermost last */
	size_t n_stack, stack_capacity;
};

struct wanted {
	const struct expr_table *table;
	const struct table_node *node;
	const struct table_edge *edges;
};

static bool is_same_value(struct value a, struct value b)
{
	return a.kind == b.kind && a.i == b.i;
}

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const struct table_node *a = &w->table->nodes[id], *b = w->node;
	const struct table_edge *edges = w->table->edges + a->first;

	if (a->column != b->column || a->n != b->n || a->outcome.error != b->outcome.error ||
	    !is_same_value(a->outcome.value, b->outcome.value))
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (edges[i].child != w->edges[i].child ||
		    !is_same_value(edges[i].value, w->edges[i].value))
			return false;
	return true;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	const uint64_t words[] = {hash, word};

	return hash_bytes(words, sizeof words);
}

/* Adds a node with the `n->n` edges, or finds an equal one; INTERN_NONE when out of memory. */
static uint32_t node_of(struct builder *b, struct table_node *n, const struct table_edge *edges)
{
	struct expr_table *t = b->table;
	const struct wanted w = {t, n, edges};
	uint64_t hash = mix(n->column, (uint64_t)n->outcome.error << 32 | n->outcome.value.kind);

	hash = mix(hash, (uint64_t)n->outcome.value.i);
	for (size_t i = 0; i < n->n; i++) {
		hash = mix(hash, (uint64_t)edges[i].value.kind << 32 | edges[i].child);
		hash = mix(hash, (uint64_t)edges[i].value.i);
	}
	const uint32_t known = intern_find(&b->known, hash, is_wanted, &w);

	if (known != INTERN_NONE)
		return known;
	n->first = (uint32_t)t->n_edges;
	for (size_t i = 0; i < n->n; i++) {
		if (!array_room(&t->edges, t->n_edges, &t->edge_capacity, sizeof *t->edges))
			return INTERN_NONE;
		t->edges[t->n_edges++] = edges[i];
	}
	if (!array_room(&t->nodes, t->n_nodes, &t->node_capacity, sizeof *t->nodes) ||
	    !intern_add(&b->known, hash, (uint32_t)t->n_nodes))
		return INTERN_NONE;
	t->nodes[t->n_nodes] = *n;
	return (uint32_t)t->n_nodes++;
}

static uint32_t leaf_of(struct builder *b, struct expr_outcome outcome)
{
	struct table_node n = {.column = (uint32_t)b->table->n_slots,
			       .outcome = outcome,
			       .range = outcome.error ? (struct range){.kind = RANGE_FAIL}
						      : range_of(outcome.value)};

	b->table->truth &= outcome.error || outcome.value.kind == VALUE_BOOL ||
			   (outcome.value.kind == VALUE_INT && outcome.value.i >> 1 == 0);
	return node_of(b, &n, &(struct table_edge){.child = 0}); /* none of it is read */
}

/* Makes the node of the edges on the stack from `bottom` on. */
static uint32_t inner_of(struct builder *b, size_t column, size_t bottom, size_t n_values)
{
	struct expr_table *t = b->table;
	const struct table_edge *edges = b->stack + bottom;
	struct table_node n = {.column = (uint32_t)column, .n = (uint32_t)(b->n_stack - bottom)};
	bool same = true;
	/* No other value can come where each one that the variable has leads somewhere. */
	const bool whole = t->counts && n_values == t->counts[column];

	for (size_t i = 1; i < n.n; i++)
		same &= edges[i].child == edges[0].child;
	if (n.n == 0)
		return b->table->none;
	if (whole && same && n.n == n_values)
		return edges[0].child; /* the variable does not matter */
	n.range = t->nodes[edges[0].child].range;
	for (size_t i = 1; i < n.n; i++)
		if (edges[i].child != edges[i - 1].child)
			n.range = range_join(&n.range, &t->nodes[edges[i].child].range);
	if (!whole || n.n < n_values)
		n.range = range_join(&n.range, &t->nodes[t->none].range);
	return node_of(b, &n, edges);
}

/* Builds what rows [first, end), which agree in the columns before `column`, give. */
static uint32_t build(struct builder *b, size_t column, size_t first, size_t end)
{
	const struct expr_table_spec *s = b->spec;
	const size_t width = s->stride, bottom = b->n_stack;
	const struct value *rows = s->rows + column;
	size_t n_values = 0;

	if (column == s->n_slots && first < end)
		return leaf_of(b, (struct expr_outcome){.value = rows[first * width]});
	for (size_t next; first < end; first = next, n_values++) {
		const struct value v = rows[first * width];

		for (next = first + 1; next < end && value_equal(rows[next * width], v);)
			next++;
		const uint32_t child = build(b, column + 1, first, next);

		if (child == INTERN_NONE ||
		    !array_room(&b->stack, b->n_stack, &b->stack_capacity, sizeof *b->stack))
			return INTERN_NONE;
		/* A row with the value of combinations without a row needs no edge. */
		if (child != b->table->none)
			b->stack[b->n_stack++] = (struct table_edge){v, child};
	}
	const uint32_t node = inner_of(b, column, bottom, n_values);

	b->n_stack = bottom;
	return node;
}

/* ---- the table ---- */

enum asc_status expr_table_new(const struct expr_table_spec *spec, struct expr_table **out,
			       struct asc_err *e)
{
	struct expr_table *t = calloc(1, sizeof *t);
	struct builder b = {.table = t, .spec = spec};
	bool ok = t != NULL;

	if (t) {
		atomic_init(&t->users, 1);
		t->n_slots = spec->n_slots;
		t->truth = true;
		t->otherwise.error = spec->otherwise ? EXPR_E_OK : EXPR_E_ROW;
		if (spec->otherwise)
			t->otherwise.value = *spec->otherwise;
		t->name = str_dup(spec->name);
		t->given = str_dup(spec->given ? spec->given : "");
		t->slots = calloc(t->n_slots + 1, sizeof *t->slots);
		t->counts = spec->counts ? calloc(t->n_slots + 1, sizeof *t->counts) : NULL;
		t->names = calloc(t->n_slots + 1, sizeof *t->names);
		ok = t->name && t->given && t->slots && t->names && !spec->counts == !t->counts;
	}
	for (size_t i = 0; ok && i < t->n_slots; i++) {
		t->slots[i] = spec->slots[i];
		t->names[i] = str_dup(spec->names[i]);
		if (t->counts)
			t->counts[i] = spec->counts[i];
		ok = t->names[i] != NULL;
	}
	if (ok) {
		t->none = leaf_of(&b, t->otherwise);
		ok = t->none != INTERN_NONE;
	}
	if (ok) {
		t->first = spec->n_rows ? build(&b, 0, 0, spec->n_rows) : t->none;
		ok = t->first != INTERN_NONE;
	}
	intern_fini(&b.known);
	free(b.stack);
	if (!ok) {
		expr_table_free(t);
		return asc_err_nomem(e);
	}
	*out = t;
	return ASC_OK;
}

struct expr_table *expr_table_hold(struct expr_table *t)
{
	atomic_fetch_add(&t->users, 1);
	return t;
}

void expr_table_free(struct expr_table *t)
{
	if (!t || atomic_fetch_sub(&t->users, 1) > 1)
		return;
	for (size_t i = 0; t->names && i < t->n_slots; i++)
		free(t->names[i]);
	free(t->names);
	free(t->name);
	free(t->given);
	free(t->slots);
	free(t->counts);
	free(t->nodes);
	free(t->edges);
	free(t);
}

size_t expr_table_slots(const struct expr_table *t, const size_t **slots)
{
	*slots = t->slots;
	return t->n_slots;
}

uint32_t expr_table_first(const struct expr_table *t)
{
	return t->first;
}

uint32_t expr_table_next(const struct expr_table *t, uint32_t state, size_t column, struct value v)
{
	const struct table_node *n = &t->nodes[state];
	const struct table_edge *edges = t->edges + n->first;
	size_t low = 0, high = n->n;

	/* A later column decides: this one does not matter. An earlier one: it is still open. */
	if (n->column != column)
		return state;
	while (low < high) {
		const size_t middle = (low + high) / 2;
		const int order = value_order(edges[middle].value, v);

		if (order == 0)
			return edges[middle].child;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return t->none;
}

struct expr_outcome expr_table_outcome(const struct expr_table *t, uint32_t state)
{
	return t->nodes[state].outcome;
}

struct range expr_table_range(const struct expr_table *t, uint32_t state)
{
	return t->nodes[state].range;
}

size_t expr_table_states(const struct expr_table *t, size_t column)
{
	size_t n = 1; /* the leaf without a row */

	for (size_t i = 0; i < t->n_nodes; i++)
		n += t->nodes[i].column == column + 1;
	return n;
}

bool expr_table_is_truth(const struct expr_table *t)
{
	return t->truth;
}

void expr_table_print_missing(const struct expr_table *t, const struct value *slots,
			      struct buf *out)
{
	uint32_t state = t->first;
	const char *comma = *t->given ? ", " : "";
	char text[64];

	for (size_t i = 0; i < t->n_slots; i++)
		state = expr_table_next(t, state, i, slots[t->slots[i]]);
	if (state != t->none || !t->otherwise.error)
		return;
	buf_print(out, "table %s, which has no row%s%s", t->name,
		  t->n_slots || *t->given ? " for " : "", t->given);
	for (size_t i = 0; i < t->n_slots; i++, comma = ", ") {
		(void)value_print(slots[t->slots[i]], text, sizeof text);
		buf_print(out, "%s%s=%s", comma, t->names[i], text);
	}
}

/* Appends the test for the values that lead from a node to the same child as edge `first`. */
static void print_test(const struct expr_table *t, const struct table_node *n, size_t first,
		       struct buf *out)
{
	const struct table_edge *edges = t->edges + n->first;
	size_t count = 0;
	char text[64];

	for (size_t i = first; i < n->n; i++)
		count += edges[i].child == edges[first].child;
	buf_print(out, "%s %s", t->names[n->column], count > 1 ? "in [" : "== ");
	for (size_t i = first; i < n->n; i++) {
		/* Truth values are numbers there, as in the values of parameters. */
		const struct value v = edges[i].value;
		const char *quote = v.kind == VALUE_TEXT ? "'" : "";

		if (edges[i].child != edges[first].child)
			continue;
		value_print(v.kind == VALUE_BOOL ? value_int(v.i) : v, text, sizeof text);
		buf_print(out, "%s%s%s%s", i > first ? ", " : "", quote, text, quote);
	}
	buf_add_str(out, count > 1 ? "]" : "");
}

static bool print_state(const struct expr_table *t, uint32_t state, struct buf *out)
{
	const struct table_node *n = &t->nodes[state];
	const struct table_edge *edges = t->edges + n->first;
	/* Edges for all values of the variable: the last child needs no test. */
	const bool whole = n->n > 0 && t->counts && n->n == t->counts[n->column];
	const struct value v = n->outcome.value;
	bool ok = true;
	char text[64];

	if (n->column == t->n_slots) {
		value_print(v, text, sizeof text);
		if (v.kind == VALUE_BOOL)
			buf_add_str(out, v.i ? "True" : "False");
		else if (v.kind == VALUE_TEXT)
			buf_print(out, "'%s'", text);
		else
			buf_print(out, *text == '-' ? "(%s)" : "%s", text);
		return n->outcome.error == EXPR_E_OK;
	}
	buf_add_char(out, '(');
	for (size_t i = 0; i < n->n; i++) {
		bool seen = false, last = whole;

		for (size_t k = 0; k < i; k++)
			seen |= edges[k].child == edges[i].child;
		for (size_t k = i + 1; k < n->n; k++)
			last &= edges[k].child == edges[i].child;
		if (seen)
			continue;
		ok &= print_state(t, edges[i].child, out);
		if (last)
			break;
		buf_add_str(out, " if ");
		print_test(t, n, i, out);
		buf_add_str(out, " else ");
	}
	if (!whole)
		ok &= print_state(t, t->none, out);
	buf_add_char(out, ')');
	return ok;
}

bool expr_table_print_plain(const struct expr_table *t, struct buf *out)
{
	return print_state(t, t->first, out);
}

void expr_table_hash(const struct expr_table *t, struct hash *h)
{
	/* Nodes come behind their children, in the order of the rows: equal tables have equal
	 * lists. */
	for (size_t i = 0; i < t->n_nodes; i++) {
		const struct table_node *n = &t->nodes[i];
		const uint64_t words[] = {n->column, n->n, n->outcome.error, n->outcome.value.kind,
					  (uint64_t)n->outcome.value.i};

		hash_add(h, words, sizeof words);
		for (size_t k = 0; k < n->n; k++) {
			const struct table_edge *edge = &t->edges[n->first + k];
			const uint64_t parts[] = {edge->value.kind, (uint64_t)edge->value.i,
						  edge->child};

			hash_add(h, parts, sizeof parts);
		}
	}
}
