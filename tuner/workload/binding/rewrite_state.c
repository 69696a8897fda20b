#include "tuner/workload/binding/rewrite_state.h"

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding_scope.h"

enum rewrite_state binding_rewrite_state(const struct binding *b, const struct rewrite_use *u)
{
	/* The device first: only a rewrite that would be applied can be off. */
	if (!rewrite_asked(u->ops, b->device))
		return REWRITE_UNASKED;
	return b->rewrites_off & rewrite_bit(u->ops) ? REWRITE_OFF : REWRITE_APPLIED;
}

void binding_print_condition(const struct binding *b, const struct implementation *i,
			     const struct rewrite_use *u, struct buf *out)
{
	if (binding_rewrite_state(b, u) == REWRITE_APPLIED)
		u->ops->relax(i, u, out);
	else
		buf_print(out, "%s == %s", u->parameters.names[0], u->parameters.names[1]);
}

bool binding_folds_grid(const struct binding *b, const struct implementation *i)
{
	for (size_t k = 0; k < i->n_rewrites; k++)
		if (i->rewrites[k].ops->fold &&
		    binding_rewrite_state(b, &i->rewrites[k]) == REWRITE_APPLIED)
			return true;
	return false;
}
