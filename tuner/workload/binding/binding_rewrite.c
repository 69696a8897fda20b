#include "tuner/workload/binding/binding_rewrite.h"

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/binding/binding_scope.h"
#include "tuner/workload/space/space.h"

struct change {
	size_t n; /* 0: nothing */
	const char *names[2];
	struct value before[2], after[2];
};

static enum asc_status meets_condition(const struct binding *b, const struct implementation *i,
				       const struct rewrite_use *u, const struct config *c,
				       bool *meets, struct asc_err *e)
{
	/* Zeroed, since the scope is ended even where it was never begun. */
	struct binding_scope scope = {0};
	struct buf text = {0};
	struct value v = value_bool(false);
	binding_print_condition(b, i, u, &text);
	const struct formula f = {buf_str(&text), u->node};
	enum asc_status s = buf_check(&text, e);
	if (s == ASC_OK)
		s = binding_scope_init(&scope, b, i, e);
	if (s == ASC_OK)
		s = binding_eval(&scope, &f, c->values, &v, e);
	*meets = s == ASC_OK && value_truth(v);
	binding_scope_fini(&scope);
	buf_fini(&text);
	return s;
}

/* Finds the change that a pair's rewrite made: without it the second parameter would equal the
 * first; a configuration that does not meet the relaxed condition was not made by it. */
static enum asc_status find_change_of_pair(const struct binding *b, const struct implementation *i,
					   const struct rewrite_use *u, const struct config *c,
					   struct change *out, struct asc_err *e)
{
	const struct value first = c->values[u->pair[0]], second = c->values[u->pair[1]];
	bool made = false;
	if (value_equal(first, second))
		return ASC_OK;
	/* A configuration on which it cannot be evaluated was not made by it. */
	if (meets_condition(b, i, u, c, &made, e))
		return e->status == ASC_NOMEM ? e->status : ASC_OK;
	if (made)
		*out = (struct change){2,
				       {u->parameters.names[0], u->parameters.names[1]},
				       {first, first},
				       {first, second}};
	return ASC_OK;
}

/* Finds the change that folding the grid made, of the first call where it made one; a grid that
 * cannot be evaluated was not folded. */
static enum asc_status find_change_of_grid(const struct binding *b, const struct implementation *i,
					   const struct rewrite_use *u, const struct config *c,
					   struct change *out, struct asc_err *e)
{
	int64_t grid[3];
	/* A change has room for one grid: that of the first call that is folded. */
	for (size_t k = 0; k < i->n_calls && out->n == 0; k++) {
		const enum asc_status s = binding_grid(b, i, k, c, grid, e);
		if (s == ASC_NOMEM)
			return s;
		const int64_t blocks = grid[0];
		if (s != ASC_OK)
			continue;
		u->ops->fold(grid);
		if (grid[0] != blocks)
			*out = (struct change){
				1, {"grid"}, {value_int(blocks)}, {value_int(grid[0])}};
	}
	return ASC_OK;
}

static enum asc_status find_change(const struct binding *b, const struct implementation *i,
				   const struct rewrite_use *u, const struct config *c,
				   struct change *out, struct asc_err *e)
{
	*out = (struct change){0};
	if (binding_rewrite_state(b, u) != REWRITE_APPLIED)
		return ASC_OK;
	return u->ops->pair ? find_change_of_pair(b, i, u, c, out, e)
			    : find_change_of_grid(b, i, u, c, out, e);
}

static void print_values(const struct change *change, const struct value *values, struct buf *out)
{
	char text[64];
	for (size_t k = 0; k < change->n; k++) {
		value_print(values[k], text, sizeof text);
		buf_print(out, "%s%s=%s", k ? "," : "", change->names[k], text);
	}
}

static void explain_rewrite(const struct binding *b, const struct rewrite_use *u,
			    const struct change *change, struct buf *out)
{
	buf_print(out, "rewrite %s: ", u->ops->name);
	switch (binding_rewrite_state(b, u)) {
	case REWRITE_UNASKED:
		buf_print(out, "not applied: %s does not ask for it", b->device);
		break;
	case REWRITE_OFF: buf_add_str(out, "not applied: switched off"); break;
	case REWRITE_APPLIED:
		print_values(change, change->before, out);
		buf_add_str(out, change->n ? " -> " : "changes nothing here");
		print_values(change, change->after, out);
		break;
	}
	buf_add_char(out, '\n');
}

enum asc_status binding_explain_rewrites(const struct binding *b, const struct implementation *i,
					 const struct config *c, struct buf *out, struct asc_err *e)
{
	for (size_t k = 0; k < i->n_rewrites; k++) {
		struct change change;
		if (find_change(b, i, &i->rewrites[k], c, &change, e))
			return e->status;
		explain_rewrite(b, &i->rewrites[k], &change, out);
	}
	return buf_check(out, e);
}

static void write_values(const struct change *change, const struct value *values, const char *key,
			 struct json_writer *w)
{
	json_write_begin(w, key, '{');
	for (size_t k = 0; k < change->n; k++)
		json_write_value(w, change->names[k], values[k]);
	json_write_end(w, '}');
}

enum asc_status binding_write_rewrites(const struct binding *b, const struct implementation *i,
				       const struct config *c, const char *key,
				       struct json_writer *w, size_t *n, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	*n = 0;
	json_write_begin(w, key, '[');
	for (size_t k = 0; k < i->n_rewrites && s == ASC_OK; k++) {
		struct change change;
		s = find_change(b, i, &i->rewrites[k], c, &change, e);
		if (s != ASC_OK || change.n == 0)
			continue;
		json_write_begin(w, NULL, '{');
		json_write_string(w, "rewrite", i->rewrites[k].ops->name);
		write_values(&change, change.before, "before", w);
		write_values(&change, change.after, "after", w);
		json_write_end(w, '}');
		++*n;
	}
	json_write_end(w, ']');
	return s;
}

/* ---- how much was added ---- */

enum asc_status binding_count_added(const struct binding *b, const struct implementation *i,
				    const struct space *space, const struct rewrite_ops *r,
				    uint64_t *out, struct asc_err *e)
{
	struct binding without = *b;
	struct space *less = NULL;
	size_t k = 0;

	*out = 0;
	without.rewrites_off |= rewrite_bit(r);
	while (k < i->n_rewrites && i->rewrites[k].ops != r)
		k++;
	/* Off already, not for this device, or none of this implementation: it changes nothing. */
	if (without.rewrites_off == b->rewrites_off || !rewrite_asked(r, b->device) ||
	    k == i->n_rewrites)
		return ASC_OK;
	/* Too large to make is no failure of the command: the number is only shown. */
	if (binding_space(&without, i, &less, e)) {
		*out = BINDING_UNCOUNTED;
		return e->status == ASC_LIMIT ? ASC_OK : e->status;
	}
	*out = space_count(space) - space_count(less);
	space_free(less);
	return ASC_OK;
}
