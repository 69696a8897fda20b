#include "tuner/base/expr.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/expr_code.h"

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
	if (near && resolve(s, n, near, &unused))
		return expr_fail(e, n->at, "unknown %s \"%s\" (did you mean \"%s\"?)", what,
				 n->name, near);
	return expr_fail(e, n->at, "unknown %s \"%s\"", what, n->name);
}

static bool is_named(const struct expr_node *n)
{
	return n->kind == EXPR_NODE_NAME || n->kind == EXPR_NODE_SIZEOF;
}

/* bindings[i] is what the name in node i means. */
static enum asc_status bind_names(const struct expr_tree *t, const struct expr_scope *scope,
				  struct expr_binding *bindings, struct asc_err *e)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr_node *n = &t->nodes[i];
		if (!is_named(n))
			continue;
		if (!resolve(scope, n, n->name, &bindings[i]))
			return fail_name(scope, n, e);
		if (bindings[i].kind == EXPR_SLOT && bindings[i].slot >= EXPR_MAX_INDEX)
			return expr_fail(e, n->at, "\"%s\" is one variable too many", n->name);
	}
	return ASC_OK;
}

static bool reserve(struct expr *x, const struct expr_tree *t, const struct expr_node *n)
{
	size_t len = n->end - n->start;
	x->steps = calloc(EXPR_STEPS_FOR(len), sizeof *x->steps);
	x->constants = calloc(EXPR_STEPS_FOR(len), sizeof *x->constants);
	x->slots = calloc(len, sizeof *x->slots);
	x->text = strndup(t->text + n->start, len);
	return x->steps && x->constants && x->slots && x->text;
}

/* An unknown name anywhere makes the whole unknown, even where its value would not matter. */
static const char *find_unknown(const struct expr_tree *t, const struct expr_binding *bindings,
				const struct expr_node *whole)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct expr_node *n = &t->nodes[i];
		if (is_named(n) && n->at >= whole->start && n->at < whole->end &&
		    bindings[i].kind == EXPR_UNKNOWN)
			return n->name;
	}
	return NULL;
}

static enum asc_status build(const struct expr_tree *t, const struct expr_binding *bindings,
			     const struct expr_node *n, struct expr **out, struct asc_err *e)
{
	struct expr *x = calloc(1, sizeof *x);
	const char *unknown = find_unknown(t, bindings, n);
	if (!x || !reserve(x, t, n) || (unknown && !(x->unknown = str_dup(unknown)))) {
		expr_free(x);
		return asc_err_nomem(e);
	}
	expr_emit(t, bindings, n, x);
	*out = x;
	return ASC_OK;
}

/* What is compiled: the text's tree and what its names mean. */
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
		while (count > 0)
			expr_free(all[--count]);
		free(all);
		return status;
	}
	*out = all;
	*n = count;
	return ASC_OK;
}
