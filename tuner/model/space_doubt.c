#include "tuner/model/space.h"

#include "tuner/base/buf.h"
#include "tuner/model/space_core.h"

/* Beyond this many combinations nothing is said: a warning must not cost what a search does. */
enum { MAX_TRIES = 200000 };

static bool covers(const struct expr *x, const struct expr *part)
{
	const size_t *all, *some;
	size_t n_all = expr_slots(x, &all), n_some = expr_slots(part, &some), found = 0;

	for (size_t i = 0; i < n_some; i++)
		for (size_t k = 0; k < n_all; k++)
			found += some[i] == all[k];
	return found == n_some;
}

/* Does another rule over the same parameters leave this combination out anyway? */
static bool refused_elsewhere(const struct space *s, const struct expr *x,
			      const struct value *slots)
{
	struct value v;

	for (size_t r = 0; r < s->n_rules; r++) {
		const struct expr *other = s->rules[r].expr;

		if (other != x && !expr_is_unknown(other) && covers(x, other) &&
		    expr_eval(other, slots, &v) == EXPR_E_OK && !value_truth(v))
			return true;
	}
	return false;
}

/* ---- the combinations of the parameters that one rule is about ---- */

struct odometer {
	const struct space *space;
	const size_t *used;
	size_t n, tries;
	size_t picks[CONFIG_MAX_PARAMETERS];
	struct value slots[CONFIG_MAX_PARAMETERS];
};

static void odometer_init(struct odometer *o, const struct space *s, const struct expr *x)
{
	*o = (struct odometer){.space = s};
	o->n = expr_slots(x, &o->used);
	for (size_t i = 0; i < o->n; i++)
		o->slots[o->used[i]] = s->params[o->used[i]].values[0];
}

/* False after the last combination, and when there are too many. */
static bool odometer_next(struct odometer *o)
{
	size_t i = 0;

	if (++o->tries >= MAX_TRIES)
		return false;
	for (; i < o->n; i++) {
		const struct space_param *p = &o->space->params[o->used[i]];

		o->picks[i] = (o->picks[i] + 1) % p->n;
		o->slots[o->used[i]] = p->values[o->picks[i]];
		if (o->picks[i] != 0)
			return true;
	}
	return false;
}

struct verdicts {
	size_t failed, met, tried;
	enum expr_error why;
};

static struct verdicts judge(const struct space *s, const struct expr *x)
{
	struct verdicts all = {0};
	struct odometer o;
	struct value v;

	odometer_init(&o, s, x);
	do {
		enum expr_error failure = expr_eval(x, o.slots, &v);

		all.tried++;
		all.met += !failure && value_truth(v);
		if (!failure || refused_elsewhere(s, x, o.slots))
			continue;
		all.failed++;
		all.why = failure;
	} while (odometer_next(&o));
	if (o.tries >= MAX_TRIES)
		all.met = 1; /* not known, so not claimed */
	return all;
}

enum asc_status space_print_doubts(const struct space *s, struct buf *out, struct asc_err *e)
{
	for (size_t r = 0; r < s->n_rules; r++) {
		const struct expr *x = s->rules[r].expr;

		if (expr_is_unknown(x))
			continue;
		const struct verdicts v = judge(s, x);
		if (v.failed)
			buf_print(out,
				  "%s%s: \"%s\" cannot be evaluated on %zu of %zu combinations of "
				  "its parameters (%s); they are left out",
				  out->len ? "; " : "", s->rules[r].origin, expr_text(x), v.failed,
				  v.tried, expr_error_text(v.why));
	}
	return buf_check(out, e);
}

/* ---- empty spaces ---- */

struct search { /* for one configuration that meets the rules before `n_rules` */
	const struct space *space;
	size_t n_rules, tries;
	struct value slots[CONFIG_MAX_PARAMETERS];
};

static bool is_due(const struct expr *x, size_t depth)
{
	const size_t *used, n = expr_slots(x, &used);
	size_t last = 0;

	for (size_t i = 0; i < n; i++)
		last = used[i] + 1 > last ? used[i] + 1 : last;
	return last == depth;
}

static bool due_hold(const struct search *q, size_t depth)
{
	for (size_t r = 0; r < q->n_rules; r++) {
		const struct expr *x = q->space->rules[r].expr;

		if (!expr_is_unknown(x) && is_due(x, depth) && !space_rule_holds(x, q->slots))
			return false;
	}
	return true;
}

/* True also when it takes too long to know. */
static bool exists_from(struct search *q, size_t depth)
{
	const struct space_param *p = &q->space->params[depth];

	if (!due_hold(q, depth))
		return false;
	if (depth == q->space->n)
		return true;
	for (size_t i = 0; i < p->n; i++) {
		q->slots[depth] = p->values[i];
		if (++q->tries > MAX_TRIES || exists_from(q, depth + 1))
			return true;
	}
	return false;
}

static size_t add_unmet(const struct space *s, struct buf *out)
{
	size_t n = 0;

	for (size_t r = 0; r < s->n_rules; r++) {
		const struct space_rule *rule = &s->rules[r];

		if (expr_is_unknown(rule->expr) || judge(s, rule->expr).met)
			continue;
		buf_print(out, "%s%s: \"%s\" holds for none", n++ ? "; " : " (", rule->origin,
			  expr_text(rule->expr));
	}
	return n;
}

enum asc_status space_print_empty(const struct space *s, struct buf *out, struct asc_err *e)
{
	struct search q = {.space = s};

	buf_add_str(out, "its conditions leave no configuration");
	if (add_unmet(s, out)) {
		buf_add_str(out, ")");
		return buf_check(out, e);
	}
	for (q.n_rules = 1; q.n_rules <= s->n_rules && exists_from(&q, 0); q.n_rules++)
		q.tries = 0;
	if (q.n_rules <= s->n_rules)
		buf_print(out, " (none is left from %s on: \"%s\")", s->rules[q.n_rules - 1].origin,
			  expr_text(s->rules[q.n_rules - 1].expr));
	return buf_check(out, e);
}
