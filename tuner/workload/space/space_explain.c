#include "tuner/workload/space/space.h"

#include "tuner/base/buf.h"
#include "tuner/workload/space/space_core.h"

enum { MAX_LISTED = 16 };

static void print_value(struct value v, struct buf *out)
{
	char text[64];

	value_print(v, text, sizeof text);
	buf_add_str(out, text);
}

static void explain_stray(const struct space_param *p, struct value v, struct buf *out)
{
	buf_print(out, "%s=", p->name);
	print_value(v, out);
	buf_add_str(out, ": not one of its values ");
	for (size_t i = 0; i < p->n && i < MAX_LISTED; i++) {
		buf_add_str(out, i > 0 ? ", " : "");
		print_value(p->values[i], out);
	}
	if (p->n > MAX_LISTED)
		buf_print(out, ", ... (%zu in all)", p->n);
}

/* Explains one rule; false when it does not hold. */
static bool explain_rule(const struct space_rule *r, const struct value *slots, struct buf *out)
{
	struct value v;

	buf_print(out, "%s: %s: ", r->origin, expr_text(r->expr));
	if (expr_is_unknown(r->expr)) {
		buf_print(out, "does not prune: %s is not known on this device",
			  expr_unknown_name(r->expr));
		return true;
	}
	const enum expr_error failure = expr_eval(r->expr, slots, &v);
	if (failure) {
		buf_add_str(out, "cannot be evaluated: ");
		expr_print_error(r->expr, failure, slots, out);
		return false;
	}
	buf_print(out, "%s", value_truth(v) ? "holds" : "does not hold");
	return value_truth(v);
}

/* Text about a configuration: every rule as a line, or only those that do not hold. */
struct verdict {
	struct buf *out;
	struct buf line; /* line in the making */
	bool all, valid;
};

static void judge(struct verdict *v, bool good)
{
	if (v->all)
		buf_print(v->out, "%s\n", buf_str(&v->line));
	else if (!good)
		buf_print(v->out, "%s%s", v->valid ? "" : "; ", buf_str(&v->line));
	v->valid &= good;
	buf_clear(&v->line);
}

static enum asc_status judge_all(const struct space *s, const struct config *c, struct verdict *v,
				 struct asc_err *e)
{
	uint16_t pick;
	uint64_t index;

	if (c->n != s->n)
		return asc_err_set(e, ASC_INPUT,
				   "expected a value for each of %zu parameters, found %zu", s->n,
				   c->n);
	for (size_t i = 0; i < s->n; i++) {
		if (space_pick(&s->params[i], c->values[i], &pick))
			continue;
		explain_stray(&s->params[i], c->values[i], &v->line);
		judge(v, false);
	}
	for (size_t i = 0; i < s->n_rules; i++)
		judge(v, explain_rule(&s->rules[i], c->values, &v->line));
	/* A space made of a list has no rules: being listed is its only condition. */
	if (v->valid && s->n_rules == 0 && !space_find(s, c, &index)) {
		buf_print(&v->line, "not one of the %llu configurations listed",
			  (unsigned long long)space_count(s));
		judge(v, false);
	}
	/* Read before the line is freed, which clears it. */
	const bool failed = v->line.failed;
	buf_fini(&v->line);
	return failed ? asc_err_nomem(e) : buf_check(v->out, e);
}

enum asc_status space_explain(const struct space *s, const struct config *c, bool *valid,
			      struct buf *out, struct asc_err *e)
{
	struct verdict v = {.out = out, .all = true, .valid = true};
	const enum asc_status status = judge_all(s, c, &v, e);

	*valid = v.valid;
	return status;
}

enum asc_status space_print_violations(const struct space *s, const struct config *c,
				       struct buf *out, struct asc_err *e)
{
	struct verdict v = {.out = out, .all = false, .valid = true};

	return judge_all(s, c, &v, e);
}
