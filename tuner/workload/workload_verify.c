#include "tuner/workload/workload_read.h"

static const char *const verify_kinds[] = {
	[VERIFY_ALLCLOSE] = "allclose",
	[VERIFY_EXACT] = "exact",
	[VERIFY_DISTRIBUTION] = "distribution",
	NULL,
};

static const struct key_rule verify_rules[] = {
	[VERIFY_ALLCLOSE] = {{"tolerance"}, {NULL}},
	[VERIFY_EXACT] = {{NULL}, {NULL}},
	[VERIFY_DISTRIBUTION] = {{NULL}, {"p"}},
};

static enum asc_status verify_kind_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s =
		workload_read_choice(n, "kind of verification", verify_kinds, &choice, e);
	*(enum verify_kind *)member = (enum verify_kind)choice;
	return s;
}

static const struct json_field tolerance_fields[] = {
	{"atol", JSON_AS_CUSTOM, true, offsetof(struct tolerance, atol), workload_read_formula,
	 NULL},
	{"rtol", JSON_AS_CUSTOM, true, offsetof(struct tolerance, rtol), workload_read_formula,
	 NULL},
	{0}};

static const struct json_spec tolerance_spec = {"tolerance", tolerance_fields};

static enum asc_status tolerance_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tolerance *t = member;
	if (!dtype_parse(json_key(n), &t->dtype))
		return json_fail_unknown(n, e, "dtype", json_key(n), dtype_names());
	return json_read_object(n, &tolerance_spec, t, e);
}

static enum asc_status tolerances_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct tolerance), tolerance_read,
					      "tolerances", SIZE_MAX};
	struct verify *v = member;
	v->tolerances = workload_read_items(n, &rule, &v->n_tolerances, e);
	return v->tolerances ? ASC_OK : e->status;
}

static const struct json_field verify_fields[] = {
	{"kind", JSON_AS_CUSTOM, true, offsetof(struct verify, kind), verify_kind_read, NULL},
	{"tolerance", JSON_AS_CUSTOM, false, 0, tolerances_read, &tolerance_spec},
	{"p", JSON_AS_REAL, false, offsetof(struct verify, p), NULL, NULL},
	{0}};

const struct json_spec verify_spec = {"verify", verify_fields};

enum asc_status verify_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct verify *v = member;
	*v = (struct verify){.node = n, .p = 1e-6};
	if (json_ends(n, json_read_object(n, &verify_spec, v, e)))
		return e->status;
	const struct json_node *kind = json_find(n, "kind");
	if (kind && !json_is_faulty(kind) &&
	    json_ends(n, workload_check_keys(n, "kind", verify_kinds[v->kind],
					     &verify_rules[v->kind], e)))
		return e->status;
	if (!(v->p > 0 && v->p < 1))
		return json_fail(json_find(n, "p"), e,
				 "is %g, expected a probability between 0 and 1", v->p);
	return ASC_OK;
}

static bool has_tolerance(const struct verify *v, enum dtype dtype)
{
	for (size_t i = 0; i < v->n_tolerances; i++)
		if (v->tolerances[i].dtype == dtype)
			return true;
	return false;
}

enum asc_status verify_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	struct verify *v = &t->verify;
	enum dtype dtype;
	if (t->role == ROLE_IN)
		return v->node ? json_fail(v->node, e,
					   "an input is not verified (its role is \"in\")")
			       : ASC_OK;
	if (!v->node && tensor_floating(w, t) == 0)
		v->kind = VERIFY_EXACT;
	if (v->kind != VERIFY_ALLCLOSE || (v->node && !json_is_sound(v->node)) ||
	    json_has_stray(t->node))
		return ASC_OK;
	for (size_t i = 0; i < w->n_problems; i++)
		if (problem_find_dtype(&w->problems[i], t->dtype, &dtype) &&
		    !problem_hides_dtype(&w->problems[i], t->dtype) && !has_tolerance(v, dtype))
			return json_fail(v->node ? v->node : t->node, e,
					 "has no tolerance for %s, the dtype in problem %s",
					 dtype_name(dtype), w->problems[i].name);
	return ASC_OK;
}
