#include "tuner/workload/expr/expr.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/expr/expr_graph.h"

/* From a text to what can be evaluated.
 *
 * 1. Parse the text into a tree (expr_parse).
 * 2. Resolve all names once (bind_names): parameters are variables, sizes and facts constants, and
 *    some names are known to exist without a value. One message holds all faults in names. A name
 *    of a few texts is compared with these alone (check_texts).
 * 3. Build the graph of the tree, or of each operand of its outermost `and`s (build_conjuncts).
 *    Constants are folded on the way. A part over a name without a value is not built: it is
 *    unknown as a whole.
 * 4. Evaluate in one pass over the nodes (expr_eval). All of them are worked out, also the ones
 *    that a choice does not take: operations are cheap, cannot have effects, and an error counts
 *    only where it reaches the root. */

struct expr {
	struct expr_graph graph; /* empty when unknown */
	uint32_t root;
	struct expr_outcome *outcomes; /* of the nodes, while evaluating */
	size_t *slots;                 /* ascending */
	size_t n_slots;
	char *text;
	char *unknown; /* name, or NULL */
};

/* ---- names ---- */

static bool resolve(const struct expr_scope *s, const struct expr_node *n, const char *name,
		    struct expr_binding *out)
{
	const char *call = n->kind == EXPR_NODE_SIZEOF ? "sizeof" : NULL;
	return s && s->resolve && s->resolve(s->user, call, name, out);
}

static enum asc_status fail_name(const struct expr_scope *s, const struct expr_node *n,
				 struct asc_err *e)
{
	struct expr_binding unused;
	const char *what = n->kind == EXPR_NODE_SIZEOF ? "tensor" : "name";
	const char *const *names = s && s->names ? s->names(s->user) : NULL;
	const char *near = names ? str_nearest(n->name, names) : NULL;
	/* A name that is near may be of the wrong kind (a tensor outside of sizeof): only one that
	 * works is suggested. */
	if (near && resolve(s, n, near, &unused))
		return expr_fail(e, n->at, "unknown %s \"%s\" (did you mean \"%s\"?)", what,
				 n->name, near);
	return expr_fail(e, n->at, "unknown %s \"%s\"", what, n->name);
}

static bool is_named(const struct expr_node *n)
{
	return n->kind == EXPR_NODE_NAME || n->kind == EXPR_NODE_SIZEOF;
}

/* True when an earlier node has the same name, of the same kind. */
static bool is_repeated(const struct expr_tree *t, size_t node)
{
	const struct expr_node *n = &t->nodes[node];
	size_t i = 0;
	while (i < node && (t->nodes[i].kind != n->kind || strcmp(t->nodes[i].name, n->name) != 0))
		i++;
	return i < node;
}

/* bindings[i] is what the name in node i means. Fails with all names that are not known, as far as
 * a message holds them. */
static enum asc_status bind_names(const struct expr_tree *t, const struct expr_scope *scope,
				  struct expr_binding *bindings, struct asc_err *e)
{
	/* More names than a message has room for; each costs a search for the nearest. */
	enum { MOST = 8 };
	struct asc_err before;
	size_t failed = 0;
	for (size_t i = 0; i < t->n && failed < MOST; i++) {
		const struct expr_node *n = &t->nodes[i];
		if (!is_named(n) || resolve(scope, n, n->name, &bindings[i]) ||
		    (failed > 0 && is_repeated(t, i)))
			continue;
		/* The text so far is copied before the next failure takes its place. */
		if (failed > 0)
			before = *e;
		(void)fail_name(scope, n, e);
		if (failed++ > 0)
			(void)asc_err_set(e, e->status, "%s; %s", before.text, e->text);
	}
	return failed > 0 ? e->status : ASC_OK;
}

/* Checks the one side of a comparison, a text, against what the other, a name, can be. */
static enum asc_status check_text(const struct expr_tree *t, const struct expr_binding *bindings,
				  const struct expr_node *name, const struct expr_node *text,
				  struct asc_err *e)
{
	const struct expr_texts *of = is_named(name) ? bindings[name - t->nodes].texts : NULL;

	if (!of || text->kind != EXPR_NODE_NUMBER || text->value.kind != VALUE_TEXT ||
	    str_is_in(value_text_get(text->value), of->list()))
		return ASC_OK;
	const char *found = value_text_get(text->value), *near = of->means(found);

	if (!near)
		near = str_nearest(found, of->list());
	if (!near)
		return expr_fail(e, text->at, "'%s' is no %s, which %s is", found, of->kind,
				 name->name);
	return expr_fail(e, text->at, "'%s' is no %s, which %s is (did you mean '%s'?)", found,
			 of->kind, name->name, near);
}

/* Checks that names of a few texts are compared with these: any other text would never be equal,
 * and a condition with a slip of the pen would silently be false. */
static enum asc_status check_texts(const struct expr_tree *t, const struct expr_binding *bindings,
				   struct asc_err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr_node *left =
			t->nodes[i].kind == EXPR_NODE_COMPARE ? t->nodes[i].first : NULL;

		for (; left && left->next; left = left->next) {
			const struct expr_node *right = left->next;
			const bool listed = right->kind == EXPR_NODE_LIST;

			/* Each item of a list is the right side. */
			for (const struct expr_node *item = listed ? right->first : right; item;
			     item = listed ? item->next : NULL)
				if (check_text(t, bindings, left, item, e) ||
				    check_text(t, bindings, item, left, e))
					return e->status;
		}
	}
	return ASC_OK;
}

/* An unknown name anywhere makes the whole unknown, even where its value would not matter. */
static const char *find_unknown(const struct expr_tree *t, const struct expr_binding *bindings,
				const struct expr_node *whole)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr_node *n = &t->nodes[i];
		/* Only the nodes of this operand: the tree also holds the nodes of the others. */
		if (is_named(n) && n->at >= whole->start && n->at < whole->end &&
		    bindings[i].kind == EXPR_UNKNOWN)
			return n->name;
	}
	return NULL;
}

/* ---- one expression ---- */

void expr_free(struct expr *x)
{
	if (!x)
		return;
	expr_graph_fini(&x->graph);
	free(x->outcomes);
	free(x->slots);
	free(x->text);
	free(x->unknown);
	free(x);
}

static enum asc_status build_graph(struct expr *x, const struct expr_tree *t,
				   const struct expr_binding *bindings, const struct expr_node *n,
				   struct asc_err *e)
{
	x->root = expr_graph_build(&x->graph, t, bindings, n);
	if (x->root == INTERN_NONE)
		return asc_err_nomem(e);
	x->outcomes = calloc(x->graph.n, sizeof *x->outcomes);
	x->slots = calloc(x->graph.n, sizeof *x->slots);
	if (!x->outcomes || !x->slots)
		return asc_err_nomem(e);
	for (size_t i = 0; i < x->graph.n; i++) {
		if (x->graph.nodes[i].kind != EXPR_GRAPH_SLOT)
			continue;
		/* Each slot is one node, so none comes twice; inserted in ascending order. */
		const size_t slot = x->graph.nodes[i].slot;
		size_t at = x->n_slots++;
		for (; at > 0 && x->slots[at - 1] > slot; at--)
			x->slots[at] = x->slots[at - 1];
		x->slots[at] = slot;
	}
	return ASC_OK;
}

static enum asc_status build(const struct expr_tree *t, const struct expr_binding *bindings,
			     const struct expr_node *n, struct expr **out, struct asc_err *e)
{
	/* Found before anything is built: such an expression has no graph. */
	const char *unknown = find_unknown(t, bindings, n);
	struct expr *x = calloc(1, sizeof *x);

	if (!x || !(x->text = strndup(t->text + n->start, n->end - n->start)) ||
	    (unknown && !(x->unknown = str_dup(unknown)))) {
		expr_free(x);
		return asc_err_nomem(e);
	}
	if (!unknown && build_graph(x, t, bindings, n, e)) {
		expr_free(x);
		return e->status;
	}
	*out = x;
	return ASC_OK;
}

enum asc_status expr_graph_add(struct expr_graph *g, const struct expr *x,
			       const struct value *const *constants, uint32_t *root,
			       struct asc_err *e)
{
	return expr_graph_copy(g, &x->graph, x->root, constants, root, e);
}

const char *expr_text(const struct expr *x)
{
	return x->text;
}

bool expr_is_unknown(const struct expr *x)
{
	return x->unknown != NULL;
}

const char *expr_unknown_name(const struct expr *x)
{
	return x->unknown;
}

bool expr_is_constant(const struct expr *x, struct value *out)
{
	if (x->unknown || x->graph.nodes[x->root].kind != EXPR_GRAPH_CONSTANT ||
	    x->graph.nodes[x->root].constant.error)
		return false;
	*out = x->graph.nodes[x->root].constant.value;
	return true;
}

size_t expr_slots(const struct expr *x, const size_t **slots)
{
	*slots = x->slots;
	return x->n_slots;
}

/* ---- evaluation ---- */

enum expr_error expr_eval(const struct expr *x, const struct value *slots, struct value *out)
{
	struct expr_outcome *of = x->outcomes;

	if (x->unknown)
		return EXPR_E_UNKNOWN;
	for (size_t i = 0; i < x->graph.n; i++) {
		const struct expr_graph_node *n = &x->graph.nodes[i];
		switch (n->kind) {
		case EXPR_GRAPH_CONSTANT: of[i] = n->constant; break;
		case EXPR_GRAPH_SLOT: of[i] = (struct expr_outcome){.value = slots[n->slot]}; break;
		case EXPR_GRAPH_APPLY:
			of[i] = expr_outcome_apply(n->op, &of[n->a], &of[n->b]);
			break;
		case EXPR_GRAPH_STEP: of[i] = expr_graph_step(&x->graph, n, of); break;
		/* A choice takes the outcome of one operand, an error only if it is that one's. */
		default: of[i] = of[expr_graph_choose(n, &of[n->a])];
		}
	}
	*out = of[x->root].value;
	return of[x->root].error;
}

const char *expr_error_text(enum expr_error error)
{
	static const char *const texts[] = {
		[EXPR_E_OK] = "has a value",
		[EXPR_E_ZERO] = "divides by zero",
		[EXPR_E_OVERFLOW] = "exceeds 64-bit integers or reals",
		[EXPR_E_DOMAIN] = "takes log2 of a number that is not positive",
		[EXPR_E_POWER] = "takes a fractional power of a negative number",
		[EXPR_E_TEXT] = "computes with a text",
		[EXPR_E_UNKNOWN] = "needs a value that is unknown here",
		[EXPR_E_ROW] = "needs a table that has no row for these values",
	};
	return texts[error];
}

void expr_print_error(const struct expr *x, enum expr_error error, const struct value *slots,
		      struct buf *out)
{
	struct buf table = {0};

	/* The first of several tables without a row: the others fail after it. */
	for (size_t i = 0; error == EXPR_E_ROW && i < x->graph.n_tables && !table.len; i++)
		expr_table_print_missing(x->graph.tables[i], slots, &table);
	if (table.len)
		buf_print(out, "needs %s", buf_str(&table));
	else
		buf_add_str(out, expr_error_text(error));
	out->failed |= table.failed;
	buf_fini(&table);
}

/* ---- texts ---- */

/* State of compiling: the text's tree and the meaning of its names. */
struct source {
	struct expr_tree *tree;
	struct expr_binding *bindings;
};

static void source_fini(struct source *s)
{
	free(s->bindings);
	expr_tree_free(s->tree);
}

static enum asc_status source_init(struct source *s, const char *text,
				   const struct expr_scope *scope, struct asc_err *e)
{
	*s = (struct source){0};
	enum asc_status status = expr_parse(text, &s->tree, e);
	if (status)
		return status;
	s->bindings = calloc(s->tree->n, sizeof *s->bindings);
	status = s->bindings ? bind_names(s->tree, scope, s->bindings, e) : asc_err_nomem(e);
	if (status == ASC_OK)
		status = check_texts(s->tree, s->bindings, e);
	if (status)
		source_fini(s);
	return status;
}

enum asc_status expr_compile(const char *text, const struct expr_scope *scope, struct expr **out,
			     struct asc_err *e)
{
	struct source s;
	enum asc_status status = source_init(&s, text, scope, e);
	if (status)
		return status;
	status = build(s.tree, s.bindings, s.tree->root, out, e);
	source_fini(&s);
	return status;
}

static size_t count_conjuncts(const struct expr_node *n)
{
	size_t count = 0;
	if (n->kind != EXPR_NODE_AND)
		return 1;
	for (const struct expr_node *child = n->first; child; child = child->next)
		count += count_conjuncts(child);
	return count;
}

static enum asc_status build_conjuncts(const struct source *s, const struct expr_node *n,
				       struct expr **out, size_t *count, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	if (n->kind != EXPR_NODE_AND) {
		status = build(s->tree, s->bindings, n, &out[*count], e);
		*count += status == ASC_OK;
		return status;
	}
	for (const struct expr_node *child = n->first; child && !status; child = child->next)
		status = build_conjuncts(s, child, out, count, e);
	return status;
}

enum asc_status expr_compile_conjuncts(const char *text, const struct expr_scope *scope,
				       struct expr ***out, size_t *n, struct asc_err *e)
{
	struct source s;
	size_t count = 0;
	enum asc_status status = source_init(&s, text, scope, e);
	if (status)
		return status;
	struct expr **all = calloc(1 + count_conjuncts(s.tree->root), sizeof(struct expr *));
	status = all ? build_conjuncts(&s, s.tree->root, all, &count, e) : asc_err_nomem(e);
	source_fini(&s);
	if (status) {
		/* Operands built so far; the failed one has freed itself. */
		while (count > 0)
			expr_free(all[--count]);
		free(all);
		return status;
	}
	*out = all;
	*n = count;
	return ASC_OK;
}
