#include "tuner/workload/workload_read.h"

static const char *const fill_kinds[] = {
	[FILL_NORMAL] = "normal",
	[FILL_UNIFORM] = "uniform",
	[FILL_CONSTANT] = "constant",
	[FILL_INDEX] = "index",
	[FILL_BLOCK_TABLE] = "block_table",
	[FILL_SLOTS] = "slots",
	[FILL_RAGGED_LENGTHS] = "ragged_lengths",
	[FILL_FUNCTION] = "function",
	NULL,
};

static const struct key_rule fill_rules[] = {
	[FILL_NORMAL] = {{NULL}, {"mean", "std"}},
	[FILL_UNIFORM] = {{"low", "high"}, {NULL}},
	[FILL_CONSTANT] = {{"value"}, {NULL}},
	[FILL_INDEX] = {{NULL}, {"modulo"}},
	[FILL_BLOCK_TABLE] = {{"blocks"}, {NULL}},
	[FILL_SLOTS] = {{"slots"}, {NULL}},
	[FILL_RAGGED_LENGTHS] = {{"low", "high"}, {"cumulative"}},
	[FILL_FUNCTION] = {{"source", "entry"}, {NULL}},
};

static enum asc_status fill_kind_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "fill kind", fill_kinds, &choice, e);
	*(enum fill_kind *)member = (enum fill_kind)choice;
	return s;
}

#define AT(member) offsetof(struct fill, member)
#define FORMULA(name)                                                                              \
	{                                                                                          \
#name, JSON_AS_CUSTOM, false, AT(name), workload_read_formula, NULL                \
	}

static const struct json_field fill_fields[] = {
	{"kind", JSON_AS_CUSTOM, true, AT(kind), fill_kind_read, NULL},
	FORMULA(mean),
	FORMULA(std),
	FORMULA(low),
	FORMULA(high),
	FORMULA(value),
	FORMULA(modulo),
	FORMULA(blocks),
	FORMULA(slots),
	{"cumulative", JSON_AS_BOOL, false, AT(cumulative), NULL, NULL},
	{"source", JSON_AS_STRING, false, AT(source), NULL, NULL},
	{"entry", JSON_AS_STRING, false, AT(entry), NULL, NULL},
	{0}};

#undef AT

const struct json_spec fill_spec = {"fill", fill_fields};

static void formula_default(struct formula *f, const char *text, const struct json_node *n)
{
	if (!f->text)
		*f = (struct formula){.text = text, .node = n};
}

enum asc_status fill_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct fill *f = member;
	f->node = n;
	enum asc_status s = json_read_object(n, &fill_spec, f, e);
	const struct json_node *kind = json_find(n, "kind");
	if (json_ends(n, s) || !kind || json_is_faulty(kind))
		return s;
	s = workload_check_keys(n, "kind", fill_kinds[f->kind], &fill_rules[f->kind], e);
	if (!json_ends(n, s) && f->kind == FILL_FUNCTION && f->entry)
		s = workload_check_identifier(json_find(n, "entry"), f->entry, e);
	if (f->kind == FILL_NORMAL) {
		formula_default(&f->mean, "0", n);
		formula_default(&f->std, "1", n);
	}
	return s;
}

/* Default fill: normal(0, 1) for reals, uniform in [0, 8) for integers, in [0, 2) for truth values.
 */
static enum asc_status fill_default(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	enum dtype dtype;
	size_t floating = tensor_floating(w, t);
	const struct json_node *named = json_find(t->node, "dtype");
	if (!named || json_is_faulty(named) || json_has_stray(t->node))
		return ASC_OK;
	for (size_t i = 0; i < w->n_problems; i++)
		if (problem_hides_dtype(&w->problems[i], t->dtype))
			return ASC_OK;
	if (floating && floating < w->n_problems)
		return json_fail(t->node, e,
				 "needs a \"fill\": dtype %s is a real in some problems and an "
				 "integer in others",
				 t->dtype);
	t->fill.kind = floating ? FILL_NORMAL : FILL_UNIFORM;
	formula_default(floating ? &t->fill.mean : &t->fill.low, "0", t->node);
	if (floating)
		formula_default(&t->fill.std, "1", t->node);
	else
		formula_default(&t->fill.high,
				dtype_parse(t->dtype, &dtype) && dtype == DTYPE_BOOL ? "2" : "8",
				t->node);
	return ASC_OK;
}

enum asc_status fill_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	struct fill *f = &t->fill;
	const struct json_node *role = json_find(t->node, "role");
	const bool known = role && !json_is_faulty(role);
	if (t->role == ROLE_OUT)
		return f->node ? json_fail(f->node, e,
					   "an output is not filled (its role is \"out\")")
			       : ASC_OK;
	if (!f->node)
		return known ? fill_default(w, t, e) : ASC_OK;
	if (f->kind == FILL_FUNCTION)
		return workload_check_source(w, json_find(f->node, "source"), f->source, e);
	return ASC_OK;
}
