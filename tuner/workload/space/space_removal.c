#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/workload/space/space.h"
#include "tuner/workload/space/space_new.h"

/* Limit of all counts together: a tenth of a second, nothing beside a run. */
static const uint64_t max_tries = SPACE_BUILD_TRIES / 256;

struct removal_search {
	const struct space *space;
	bool *skip; /* whether each rule is skipped */
	uint64_t tries;
};

/* Counts the configurations that the rules which are not skipped leave; NaN when that takes too
 * long or has no number. */
static enum asc_status count_left(struct removal_search *q, double *left, struct asc_err *e)
{
	struct diagram d;
	size_t order[CONFIG_MAX_PARAMETERS];

	*left = NAN;
	if (q->tries == 0)
		return ASC_OK;
	const enum asc_status status = space_build(q->space, q->skip, &q->tries, &d, order, e);
	/* Too many tries, or more configurations than can be counted: the number is only shown. */
	if (status == ASC_LIMIT)
		return ASC_OK;
	if (status)
		return status;
	*left = (double)diagram_count(&d);
	diagram_fini(&d);
	return ASC_OK;
}

static enum asc_status visit_removals(struct removal_search *q, space_removal_fn *visit, void *user,
				      struct asc_err *e)
{
	const struct space *s = q->space;
	double before = space_cartesian(s), left = before;
	size_t r = 0;

	while (r < s->n_rules) {
		/* Rules of one origin are operands of one condition: they count together. */
		size_t last = r;
		while (last + 1 < s->n_rules &&
		       strcmp(s->rules[last + 1].origin, s->rules[last].origin) == 0)
			last++;
		const char *text = r == last ? expr_text(s->rules[r].expr) : NULL;

		for (; r <= last; r++)
			q->skip[r] = false;
		/* All rules together are the space itself, which is there: nothing to count. */
		if (r == s->n_rules)
			left = (double)space_count(s);
		else if (count_left(q, &left, e))
			return e->status;
		if (visit(user, s->rules[last].origin, text, before - left, e))
			return e->status;
		before = left;
	}
	return ASC_OK;
}

enum asc_status space_each_removal(const struct space *s, space_removal_fn *visit, void *user,
				   struct asc_err *e)
{
	bool *skip = malloc((s->n_rules + 1) * sizeof *skip);
	struct removal_search q = {.space = s, .skip = skip, .tries = max_tries};

	if (!skip)
		return asc_err_nomem(e);
	memset(skip, true, s->n_rules * sizeof *skip);
	const enum asc_status status = visit_removals(&q, visit, user, e);
	free(skip);
	return status;
}
