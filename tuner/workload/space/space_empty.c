#include "tuner/workload/space/space.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/space/space_new.h"

/* Bounds of the search for the largest set of rules. Beyond so many smaller spaces it ends with a
 * set that no rule can be added to. All of them together may take a fraction of the cost of one
 * space, and each a fraction of that: a message must not cost more than its space. */
enum { MAX_SPACES = 500 };
static const uint64_t max_tries = SPACE_BUILD_TRIES / 8, max_tries_each = SPACE_BUILD_TRIES / 64;

struct search {
	const struct space *space;
	bool *skip; /* whether each rule is skipped */
	uint64_t count;
	bool unknown; /* the count is too expensive, and 0 */
	size_t tried;
	uint64_t tries; /* tries that are left for all */
};

static bool is_empty(const struct search *q)
{
	return q->count == 0 && !q->unknown;
}

/* Counts the configurations that the rules which are not skipped leave. */
static enum asc_status count_left(struct search *q, struct asc_err *e)
{
	struct diagram d;
	size_t order[CONFIG_MAX_PARAMETERS];
	const uint64_t given = q->tries < max_tries_each ? q->tries : max_tries_each;
	uint64_t left = given;

	q->tried++;
	q->count = 0;
	/* No tries left: unknown counts as not empty, so that no condition is blamed for it. */
	q->unknown = given == 0;
	if (q->unknown)
		return ASC_OK;
	const enum asc_status st = space_build(q->space, q->skip, &left, &d, order, e);
	q->tries -= given - left;
	q->unknown = st == ASC_LIMIT;
	if (st)
		return q->unknown ? ASC_OK : st;
	q->count = diagram_count(&d);
	diagram_fini(&d);
	return ASC_OK;
}

static void skip_all(struct search *q, bool skip)
{
	memset(q->skip, skip, q->space->n_rules * sizeof *q->skip);
}

/* ---- which rule did it ---- */

/* Bounds of the texts in the message: a condition over many tiles is too long to read. */
enum { MAX_ORIGIN_BYTES = 72, MAX_TEXT_BYTES = 100, MAX_NAMED = 4 };

static void print_rule(const struct space_rule *rule, const char *between, struct buf *out)
{
	buf_add_cut(out, rule->origin, MAX_ORIGIN_BYTES);
	buf_print(out, "%s\"", between);
	buf_add_cut(out, expr_text(rule->expr), MAX_TEXT_BYTES);
	buf_add_char(out, '"');
}

static void print_more(size_t n, const char *before, struct buf *out)
{
	if (n > MAX_NAMED)
		buf_print(out, "%s%zu more", before, n - MAX_NAMED);
}

static enum asc_status print_unmet(struct search *q, struct buf *out, size_t *n, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	skip_all(q, true);
	for (size_t r = 0; !st && r < q->space->n_rules; r++) {
		q->skip[r] = false;
		st = count_left(q, e);
		/* Alone again: the next rule is looked at without this one. */
		q->skip[r] = true;
		if (st || !is_empty(q) || (*n)++ >= MAX_NAMED)
			continue;
		buf_add_str(out, *n > 1 ? "; " : " (");
		print_rule(&q->space->rules[r], ": ", out);
		buf_add_str(out, " holds for none");
	}
	print_more(*n, "; ", out);
	if (*n)
		buf_add_char(out, ')');
	return st;
}

/* Finds by halving the first rule with which nothing is left: more rules leave less. */
static enum asc_status print_first(struct search *q, struct buf *out, struct asc_err *e)
{
	size_t some = 0, none = q->space->n_rules; /* rules that leave some; none */
	enum asc_status st = ASC_OK;

	while (!st && none - some > 1) {
		const size_t n = some + (none - some) / 2;
		for (size_t r = 0; r < q->space->n_rules; r++)
			q->skip[r] = r >= n;
		st = count_left(q, e);
		/* A count that is unknown counts as some: what is named is then a later rule. */
		*(is_empty(q) ? &none : &some) = n;
	}
	buf_add_str(out, " (none is left from ");
	print_rule(&q->space->rules[none - 1], " on: ", out);
	buf_add_char(out, ')');
	return st;
}

/* ---- the largest set that leaves something ---- */

/* Leaves out `k` rules from `first` on so that something is left. */
static enum asc_status leave_out(struct search *q, size_t first, size_t k, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	if (k == 0)
		return count_left(q, e);
	/* In ascending order, so that each set is tried once. */
	for (size_t r = first; !st && r + k <= q->space->n_rules && q->tried < MAX_SPACES; r++) {
		q->skip[r] = true;
		st = leave_out(q, r + 1, k - 1, e);
		if (st || !is_empty(q))
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
		q->skip[r] = is_empty(q);
	}
	return st ? st : count_left(q, e);
}

static void print_skipped(const struct search *q, struct buf *out)
{
	size_t n = 0;

	for (size_t r = 0; r < q->space->n_rules; r++) {
		if (!q->skip[r] || n++ >= MAX_NAMED)
			continue;
		buf_add_str(out, n > 1 ? ", " : " ");
		print_rule(&q->space->rules[r], " ", out);
	}
	print_more(n, " and ", out);
}

static enum asc_status print_largest(struct search *q, struct buf *out, struct asc_err *e)
{
	enum asc_status st = ASC_OK;

	q->tried = 0;
	q->count = 0;
	q->unknown = false;
	skip_all(q, false);
	/* Fewest rules left out first: the first set that leaves something is a largest one. */
	for (size_t k = 1; !st && is_empty(q) && k <= q->space->n_rules; k++)
		st = leave_out(q, 0, k, e);
	/* The bound on spaces was reached: any set to which no rule can be added is worth more than
	 * none. */
	const bool largest = !is_empty(q);
	if (!st && !largest)
		st = add_while_possible(q, e);
	if (q->unknown)
		buf_add_str(out, "; without");
	else
		buf_print(out, "; %s set of conditions that leaves any is all but",
			  largest ? "the largest" : "a");
	print_skipped(q, out);
	if (q->unknown)
		buf_add_str(out, " there are too many combinations to count");
	else
		buf_print(out, ": %llu configuration%s", (unsigned long long)q->count,
			  q->count == 1 ? "" : "s");
	return st;
}

enum asc_status space_print_empty(const struct space *s, struct buf *out, struct asc_err *e)
{
	struct search q = {
		.space = s, .skip = calloc(s->n_rules + 1, sizeof *q.skip), .tries = max_tries};
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
