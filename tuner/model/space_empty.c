#include "tuner/model/space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/model/space_build.h"

/* Beyond this many smaller spaces the search for the largest set of rules ends with one that no
 * rule can be added to. */
enum { MAX_SPACES = 500 };

struct search {
	const struct space *space;
	bool *skip; /* of each rule */
	uint64_t count;
	size_t tried;
};

/* How many configurations the rules that are not skipped leave; 1 when that is too much to find
 * out.
 */
static enum asc_status count_left(struct search *q, struct asc_err *e)
{
	struct diagram d;
	size_t order[CONFIG_MAX_PARAMETERS];
	const enum asc_status st = space_build(q->space, q->skip, &d, order, e);

	q->tried++;
	q->count = 1;
	if (st)
		return st == ASC_LIMIT ? ASC_OK : st;
	q->count = diagram_count(&d);
	diagram_fini(&d);
	return ASC_OK;
}

static void skip_all(struct search *q, bool skip)
{
	memset(q->skip, skip, q->space->n_rules * sizeof *q->skip);
}

/* ---- which rule did it ---- */

static enum asc_status print_unmet(struct search *q, struct buf *out, size_t *n, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	skip_all(q, true);
	for (size_t r = 0; !st && r < q->space->n_rules; r++) {
		const struct space_rule *rule = &q->space->rules[r];
		q->skip[r] = false;
		st = count_left(q, e);
		q->skip[r] = true;
		if (!st && q->count == 0)
			buf_print(out, "%s%s: \"%s\" holds for none", (*n)++ ? "; " : " (",
				  rule->origin, expr_text(rule->expr));
	}
	if (*n)
		buf_add_char(out, ')');
	return st;
}

static enum asc_status print_first(struct search *q, struct buf *out, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	skip_all(q, true);
	for (size_t r = 0; !st && r < q->space->n_rules; r++) {
		const struct space_rule *rule = &q->space->rules[r];
		q->skip[r] = false;
		st = count_left(q, e);
		if (st || q->count > 0)
			continue;
		buf_print(out, " (none is left from %s on: \"%s\")", rule->origin,
			  expr_text(rule->expr));
		break;
	}
	return st;
}

/* ---- the largest set that leaves something ---- */

/* Leaves out `k` rules from `first` on so that something is left. */
static enum asc_status leave_out(struct search *q, size_t first, size_t k, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	if (k == 0)
		return count_left(q, e);
	for (size_t r = first; !st && r + k <= q->space->n_rules && q->tried < MAX_SPACES; r++) {
		q->skip[r] = true;
		st = leave_out(q, r + 1, k - 1, e);
		if (st || q->count > 0)
			return st;
		q->skip[r] = false;
	}
	return st;
}

static enum asc_status add_while_possible(struct search *q, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	skip_all(q, true);
	for (size_t r = 0; !st && r < q->space->n_rules; r++) {
		q->skip[r] = false;
		st = count_left(q, e);
		q->skip[r] = q->count == 0;
	}
	return st ? st : count_left(q, e);
}

static enum asc_status print_largest(struct search *q, struct buf *out, struct asc_err *e)
{
	enum asc_status st = ASC_OK;
	size_t n = 0;

	q->count = q->tried = 0;
	skip_all(q, false);
	for (size_t k = 1; !st && q->count == 0 && k <= q->space->n_rules; k++)
		st = leave_out(q, 0, k, e);
	const bool exact = q->count > 0;
	if (!st && !exact)
		st = add_while_possible(q, e);
	buf_print(out, "; %s set of conditions that leaves any is all but",
		  exact ? "the largest" : "a");
	for (size_t r = 0; r < q->space->n_rules; r++) {
		const struct space_rule *rule = &q->space->rules[r];
		if (q->skip[r])
			buf_print(out, "%s %s \"%s\"", n++ ? "," : "", rule->origin,
				  expr_text(rule->expr));
	}
	buf_print(out, ": %llu configurations", (unsigned long long)q->count);
	return st;
}

enum asc_status space_print_empty(const struct space *s, struct buf *out, struct asc_err *e)
{
	struct search q = {.space = s, .skip = calloc(s->n_rules + 1, sizeof *q.skip)};
	enum asc_status st = ASC_OK;
	size_t unmet = 0;

	if (!q.skip)
		return asc_err_nomem(e);
	buf_add_str(out, s->n_rules ? "its conditions leave no configuration"
				    : "it lists no configuration");
	if (s->n_rules == 0)
		goto out;
	if (!st)
		st = print_unmet(&q, out, &unmet, e);
	if (!st && unmet == 0)
		st = print_first(&q, out, e);
	if (!st)
		st = print_largest(&q, out, e);
out:
	free(q.skip);
	return st ? st : buf_check(out, e);
}
