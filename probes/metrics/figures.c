#include "probes/metrics/figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/book_parts.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/workload/expr/expr.h"

struct figures {
	const struct metric_book *book;
	struct value *values; /* of the book's slots; NaN: not known */
	bool *counted;        /* it comes from counters */
};

enum asc_status figures_new(const struct metric_book *b, struct figures **out, struct asc_err *e)
{
	struct figures *f = calloc(1, sizeof *f);

	*out = NULL;
	if (!f)
		return asc_err_nomem(e);
	f->book = b;
	f->values = calloc(b->n_names, sizeof *f->values);
	f->counted = calloc(b->n_names, sizeof *f->counted);
	if (!f->values || !f->counted) {
		figures_free(f);
		return asc_err_nomem(e);
	}
	for (size_t i = 0; i < b->n_names; i++)
		f->values[i] = value_real(NAN);
	*out = f;
	return ASC_OK;
}

void figures_free(struct figures *f)
{
	if (!f)
		return;
	free(f->values);
	free(f->counted);
	free(f);
}

void figures_put(struct figures *f, const char *name, double value)
{
	size_t slot;

	if (!book_slot(f->book, name, &slot))
		return;
	/* Whoever divides by nothing, or counts what is no number, knows nothing. */
	f->values[slot] = value_real(isfinite(value) ? value : NAN);
}

/* Puts a reading of a probe. */
static void put_reading(struct figures *f, const struct metric *m)
{
	size_t slot;

	figures_put(f, m->name, m->value);
	if (!book_slot(f->book, m->name, &slot))
		return;
	for (size_t i = 0; i < f->book->n_metrics; i++) {
		const struct metric_def *d = &f->book->metrics[i].def;

		if (f->book->metrics[i].slot == slot && strcmp(d->probe, m->probe) == 0)
			f->counted[slot] = !d->software;
	}
}

void figures_put_readings(struct figures *f, const struct metric *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].call == 0 && !list[i].reason)
			put_reading(f, &list[i]);
}

double figures_get(const struct figures *f, const char *name)
{
	size_t slot;

	return book_slot(f->book, name, &slot) ? value_as_real(f->values[slot]) : NAN;
}

/* Works an expression out; NaN: one of its names is not known, or it divides by zero. */
static double work_out(const struct figures *f, const struct expr *x)
{
	const size_t *slots, n = expr_slots(x, &slots);
	struct value v;

	for (size_t i = 0; i < n; i++)
		if (isnan(value_as_real(f->values[slots[i]])))
			return NAN;
	return expr_eval(x, f->values, &v) == EXPR_E_OK ? value_as_real(v) : NAN;
}

/* ---- formulas ---- */

/* True where one of the formula's names comes from a counter: peaks and needs alone are the same
 * for every launch. */
static bool is_counted(const struct figures *f, const struct expr *x)
{
	const size_t *slots, n = expr_slots(x, &slots);
	bool counted = false;

	for (size_t i = 0; i < n; i++)
		counted |= f->counted[slots[i]];
	return counted;
}

static enum asc_status derive(struct figures *f, int call, struct result *out, struct asc_err *e)
{
	const struct metric_book *b = f->book;

	for (size_t i = 0; i < b->n_order; i++) {
		const struct book_metric *m = &b->metrics[b->order[i]];
		const bool known = !isnan(value_as_real(f->values[m->slot]));
		const double value = known ? NAN : work_out(f, m->formula);
		struct metric reading = {.value = value, .call = call, .probe = PROFILE_FORMULA};

		if (!isfinite(value))
			continue;
		figures_put(f, m->def.name, value);
		f->counted[m->slot] = is_counted(f, m->formula);
		memcpy(reading.name, m->def.name, strlen(m->def.name) + 1);
		memcpy(reading.unit, m->def.unit, strlen(m->def.unit) + 1);
		if (result_add_reading(out, &reading, NULL, e))
			return e->status;
	}
	return ASC_OK;
}

/* Formulas of one kernel of several see the readings of that kernel and what is given: figures of
 * the whole launch, its time say, are not its own. */
static enum asc_status derive_kernel(const struct figures *f, int call, size_t n_readings,
				     struct result *out, struct asc_err *e)
{
	struct figures *own;

	if (figures_new(f->book, &own, e))
		return e->status;
	for (size_t i = f->book->n_metric_slots; i < f->book->n_names; i++)
		if (book_kind(f->book, i) == FIGURE_GIVEN)
			own->values[i] = f->values[i];
	for (size_t i = 0; i < n_readings; i++)
		if (out->metrics[i].call == call && !out->metrics[i].reason)
			put_reading(own, &out->metrics[i]);
	const enum asc_status s = derive(own, call, out, e);

	figures_free(own);
	return s;
}

/* A reading of the whole launch, or why there is none; NULL: nobody has looked for it. */
static const struct metric *find_reading(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (r->metrics[i].call == 0 && strcmp(r->metrics[i].name, name) == 0)
			return &r->metrics[i];
	return NULL;
}

static bool is_in_set(const struct metric_set *set, const char *name)
{
	size_t i = 0;

	while (set->metrics[i] && strcmp(set->metrics[i]->name, name) != 0)
		i++;
	return set->metrics[i];
}

/* Prints why a formula has no value. What it lacks may have a reason, which is the formula's too:
 * people read each reason once. What is in the set and has no reading was asked of no probe, as
 * those of another kind of device: nothing is printed. */
static void explain(const struct figures *f, const struct expr *x, const struct metric_set *set,
		    const struct result *r, struct buf *reason)
{
	const size_t *slots, n = expr_slots(x, &slots);
	struct value v;

	for (size_t i = 0; i < n; i++) {
		const char *name = f->book->names[slots[i]];
		const struct metric *lacked = find_reading(r, name);

		if (!isnan(value_as_real(f->values[slots[i]])))
			continue;
		if (lacked && lacked->reason)
			buf_add_str(reason, lacked->reason);
		else if (lacked || !is_in_set(set, name))
			buf_print(reason, "needs %s, which is not known", name);
		return;
	}
	const enum expr_error error = expr_eval(x, f->values, &v);

	buf_print(reason, "its formula %s",
		  expr_error_text(error == EXPR_E_OK ? EXPR_E_OVERFLOW : error));
}

/* Adds why formulas of the set have no value: of several formulas of a name the one that would have
 * been preferred says it. */
static enum asc_status add_missing(const struct figures *f, const struct metric_set *set,
				   struct result *out, struct asc_err *e)
{
	const struct metric_book *b = f->book;
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < b->n_order && !s; i++) {
		const struct book_metric *m = &b->metrics[b->order[i]];
		struct buf reason = {0};
		size_t k = 0;

		while (set->metrics[k] && set->metrics[k] != &m->def)
			k++;
		if (!set->metrics[k] || find_reading(out, m->def.name))
			continue;
		explain(f, m->formula, set, out, &reason);
		s = buf_check(&reason, e);
		if (!s && reason.len > 0)
			s = result_add_missing(out, "formula", m->def.name, m->def.unit,
					       reason.data, e);
		buf_fini(&reason);
	}
	return s;
}

enum asc_status figures_derive(struct figures *f, const struct metric_set *set, struct result *out,
			       struct asc_err *e)
{
	const size_t n = out->n_metrics;
	int calls = 0;

	for (size_t i = 0; i < n; i++)
		calls = out->metrics[i].call > calls ? out->metrics[i].call : calls;
	if (derive(f, 0, out, e))
		return e->status;
	for (int k = 1; k <= calls; k++)
		if (derive_kernel(f, k, n, out, e))
			return e->status;
	return set ? add_missing(f, set, out, e) : ASC_OK;
}

/* ---- the judge ---- */

static void print_figure(struct buf *out, double value, const char *how)
{
	char text[UNITS_TEXT_SIZE];

	if (isnan(value))
		buf_add_str(out, "?");
	else if (strcmp(how, "%") == 0)
		buf_print(out, "%.0f %%", value * 100);
	else if (strcmp(how, "x") == 0)
		buf_print(out, "%.2fx", value);
	else if (strcmp(how, "ns") == 0)
		buf_add_str(out, units_print_duration(value, text));
	else if (*how)
		buf_add_str(out, units_print_rate(value, how, text));
	else
		buf_print(out, fabs(value) < 1000 ? "%.3g" : "%.0f", value);
}

static bool knows(const struct figures *f, const struct expr *x)
{
	return !isnan(work_out(f, x));
}

/* The basis of the rule's condition and sentence. */
static enum label_basis find_basis(const struct figures *f, const struct expr *x)
{
	const size_t *slots, n = expr_slots(x, &slots);
	bool counted = false, timed = false;

	for (size_t i = 0; i < n; i++) {
		const enum figure_kind kind = book_kind(f->book, slots[i]);

		counted |= f->counted[slots[i]];
		timed |= slots[i] >= f->book->n_metric_slots && kind != FIGURE_GIVEN;
	}
	return counted && timed ? LABEL_BASIS_BOTH
	       : counted        ? LABEL_BASIS_COUNTERS
				: LABEL_BASIS_TIME;
}

enum asc_status figures_judge(const struct figures *f, const char *device, struct profile *p,
			      struct asc_err *e)
{
	const struct metric_book *b = f->book;
	struct buf sentence = {0};
	size_t i = 0;

	p->label = LABEL_UNKNOWN;
	p->basis = LABEL_BASIS_TIME;
	p->left = 0;
	while (i < b->n_rules &&
	       !(str_is_in(device, b->rules[i].rule.devices) && knows(f, b->rules[i].condition) &&
		 work_out(f, b->rules[i].condition) != 0))
		i++;
	if (i < b->n_rules) {
		const struct book_rule *r = &b->rules[i];
		const double left = r->left ? work_out(f, r->left) : NAN;

		p->label = r->rule.label;
		p->basis = find_basis(f, r->condition);
		p->left = left > 0 ? left : 0;
		for (size_t k = 0; k < r->n_pieces; k++) {
			buf_add_str(&sentence, r->pieces[k].text);
			if (r->pieces[k].figure)
				print_figure(&sentence, work_out(f, r->pieces[k].figure),
					     r->pieces[k].how);
		}
	} else {
		buf_add_str(&sentence, label_meaning(LABEL_UNKNOWN));
	}
	free(p->sentence);
	p->sentence = buf_take(&sentence);
	return p->sentence ? ASC_OK : asc_err_nomem(e);
}
