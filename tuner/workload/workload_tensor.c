#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/base/buf.h"

/* ---- fills ---- */

static const char *const fill_kinds[] = {
	[FILL_NORMAL] = "normal",
	[FILL_UNIFORM] = "uniform",
	[FILL_CONSTANT] = "constant",
	[FILL_INDEX] = "index",
	[FILL_BLOCK_TABLE] = "block_table",
	[FILL_SLOTS] = "slots",
	[FILL_RAGGED_LENGTHS] = "ragged_lengths",
	[FILL_FUNCTION] = "function",
	[FILL_FILE] = "file",
	NULL,
};

static const struct key_rule fill_rules[] = {
	[FILL_NORMAL] = {{NULL}, {"mean", "std"}},
	[FILL_UNIFORM] = {{"low", "high"}, {NULL}},
	[FILL_CONSTANT] = {{"value"}, {NULL}},
	[FILL_INDEX] = {{NULL}, {"modulo"}},
	[FILL_BLOCK_TABLE] = {{"blocks"}, {NULL}},
	[FILL_SLOTS] = {{"slots"}, {"padding"}},
	[FILL_RAGGED_LENGTHS] = {{"low", "high"}, {"cumulative"}},
	[FILL_FUNCTION] = {{"source", "entry"}, {"values"}},
	[FILL_FILE] = {{NULL}, {"file", "name"}},
};

static enum asc_status fill_kind_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "fill kind", fill_kinds, &choice, e);
	*(enum fill_kind *)member = (enum fill_kind)choice;
	return s;
}

static enum asc_status values_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct fill *f = member;
	return workload_read_formulas(n, "values", FILL_MAX_VALUES, f->values, &f->n_values, e);
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
	FORMULA(padding),
	{"cumulative", JSON_AS_BOOL, false, AT(cumulative), NULL, NULL},
	{"source", JSON_AS_STRING, false, AT(source), NULL, NULL},
	{"entry", JSON_AS_STRING, false, AT(entry), NULL, NULL},
	{"values", JSON_AS_CUSTOM, false, 0, values_read, NULL},
	{"file", JSON_AS_STRING, false, AT(file), NULL, NULL},
	{"name", JSON_AS_STRING, false, AT(member), NULL, NULL},
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
	/* The kind decides which keys may stand there. */
	if (json_ends(n, s) || !kind || json_is_faulty(kind))
		return s;
	s = workload_check_keys(n, "kind", fill_kinds[f->kind], &fill_rules[f->kind], e);
	if (!json_ends(n, s) && f->kind == FILL_FUNCTION && f->entry)
		s = workload_check_identifier(json_find(n, "entry"), f->entry, e);
	if (!json_ends(n, s) && f->member && !f->file)
		s = json_fail(
			json_find(n, "name"), e,
			"needs the key \"file\": in a problem's sets a tensor has its own name");
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
	/* No default is right for both, and one that changes with the type would surprise. */
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

/* Checks that a tensor without a file of its own has one in every problem. */
static enum asc_status sets_check(const struct workload *w, const struct tensor *t,
				  struct asc_err *e)
{
	if (t->fill.file)
		return workload_check_data(w, json_find(t->fill.node, "file"), t->fill.file, true,
					   e);
	for (size_t i = 0; i < w->n_problems; i++)
		if (!json_find(w->problems[i].node, "sets") && !json_has_stray(w->problems[i].node))
			return json_fail(t->fill.node, e,
					 "has no \"file\", and problem %s has no \"sets\"",
					 w->problems[i].name);
	return ASC_OK;
}

enum asc_status fill_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	struct fill *f = &t->fill;
	const struct json_node *role = json_find(t->node, "role");
	const bool known = role && !json_is_faulty(role);
	if (t->role == ROLE_OUT && t->contents.node)
		return json_fail(t->contents.node, e, "is for inputs (its role is \"out\")");
	/* Outputs are poisoned before a launch. */
	if (t->role == ROLE_OUT)
		return f->node ? json_fail(f->node, e,
					   "an output is not filled (its role is \"out\")")
			       : ASC_OK;
	if (!f->node)
		return known ? fill_default(w, t, e) : ASC_OK;
	if (f->kind == FILL_FUNCTION)
		return workload_check_source(w, json_find(f->node, "source"), f->source, e);
	return f->kind == FILL_FILE ? sets_check(w, t, e) : ASC_OK;
}

#define AT(member) offsetof(struct contents, member)

static const struct json_field contents_fields[] = {
	{"low", JSON_AS_CUSTOM, false, AT(low), workload_read_formula, NULL},
	{"high", JSON_AS_CUSTOM, false, AT(high), workload_read_formula, NULL},
	{"different", JSON_AS_BOOL, false, AT(different), NULL, NULL},
	{0}};

#undef AT

const struct json_spec contents_spec = {"contents", contents_fields};

static enum asc_status contents_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct contents *v = member;
	v->node = n;
	return json_read_object(n, &contents_spec, v, e);
}

/* ---- verification ---- */

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
	/* One false alarm in a million verifications of a right kernel. */
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
	/* Integers have no rounding: they are equal or wrong. */
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

static const char *const role_names[] = {
	[ROLE_IN] = "in", [ROLE_OUT] = "out", [ROLE_INOUT] = "inout", NULL};
static const char *const place_names[] = {[PLACE_DEVICE] = "device", [PLACE_HOST] = "host", NULL};

static enum asc_status domain_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const char *const domains[] = {"finite", "any", NULL};
	struct domain *d = member;
	const struct json_node *low = json_first(n), *high = low ? json_next(low) : NULL;
	int choice = 0;

	d->node = n;
	if (json_type(n) == JSON_STRING) {
		const enum asc_status s = workload_read_choice(n, "domain", domains, &choice, e);

		d->kind = choice ? DOMAIN_ANY : DOMAIN_FINITE;
		return s;
	}
	if (json_type(n) != JSON_ARRAY || json_count(n) != 2)
		return json_fail(
			n, e, "expected \"finite\", \"any\", or the least and the largest number");
	struct value from, to;

	if (json_get_value(low, &from, e) || json_get_value(high, &to, e))
		return e->status;
	d->kind = DOMAIN_RANGE;
	d->low = value_as_real(from);
	d->high = value_as_real(to);
	return d->low < d->high
		       ? ASC_OK
		       : json_fail(n, e, "is from %g to %g, which is no range", d->low, d->high);
}

enum asc_status tensor_read_shape(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	return workload_read_formulas(n, "dimensions", WORKLOAD_MAX_RANK, t->shape, &t->rank, e);
}

static enum asc_status strides_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	return workload_read_formulas(n, "strides", WORKLOAD_MAX_RANK, t->strides, &t->n_strides,
				      e);
}

static enum asc_status role_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "role", role_names, &choice, e);
	*(enum tensor_role *)member = (enum tensor_role)choice;
	return s;
}

static enum asc_status place_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "place", place_names, &choice, e);
	*(enum tensor_place *)member = (enum tensor_place)choice;
	return s;
}

#define AT(member) offsetof(struct tensor, member)

static const struct json_field tensor_fields[] = {
	{"shape", JSON_AS_CUSTOM, true, 0, tensor_read_shape, NULL},
	{"dtype", JSON_AS_STRING, true, AT(dtype), NULL, NULL},
	{"role", JSON_AS_CUSTOM, true, AT(role), role_read, NULL},
	{"place", JSON_AS_CUSTOM, false, AT(place), place_read, NULL},
	{"strides", JSON_AS_CUSTOM, false, 0, strides_read, NULL},
	{"offset", JSON_AS_CUSTOM, false, AT(offset), workload_read_formula, NULL},
	{"shares", JSON_AS_STRING, false, AT(shares), NULL, NULL},
	{"shares_if", JSON_AS_CUSTOM, false, AT(shared), workload_read_formula, NULL},
	{"optional", JSON_AS_CUSTOM, false, AT(present), workload_read_formula, NULL},
	{"devices", JSON_AS_CUSTOM, false, AT(devices), workload_read_devices, NULL},
	{"fill", JSON_AS_CUSTOM, false, AT(fill), fill_read, &fill_spec},
	{"contents", JSON_AS_CUSTOM, false, AT(contents), contents_read, &contents_spec},
	{"domain", JSON_AS_CUSTOM, false, AT(domain), domain_read, NULL},
	{"verify", JSON_AS_CUSTOM, false, AT(verify), verify_read, &verify_spec},
	{0}};

const struct json_spec tensor_spec = {"tensor", tensor_fields};

enum asc_status tensor_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	struct asc_err why;
	t->name = json_key(n);
	t->node = n;
	/* Not NULL, so that checks behind a fault can compare it. */
	t->dtype = "";
	/* No macro: kernels of other languages have arguments with words of C as names. */
	if (identifier_check(t->name, false, &why) && json_ends(n, json_fail(n, e, "%s", why.text)))
		return e->status;
	return json_read_object(n, &tensor_spec, t, e);
}

static enum asc_status dtype_fail(const struct problem *p, const struct json_node *n,
				  const char *name, struct asc_err *e)
{
	const char *meant = dtype_means(name);
	if (meant)
		return json_fail(n, e, "unknown dtype \"%s\" (did you mean \"%s\"?)", name, meant);
	/* A misspelt type is likelier than a missing variable. */
	if (str_nearest(name, dtype_names()))
		return json_fail_unknown(n, e, "dtype", name, dtype_names());
	return json_fail(n, e, "unknown dtype \"%s\": neither a dtype nor a variable of problem %s",
			 name, p->name);
}

enum asc_status workload_check_dtype(const struct workload *w, const struct json_node *n,
				     const char *name, struct asc_err *e)
{
	enum dtype dtype;
	/* In each problem, since a variable may be missing in one. */
	for (size_t i = 0; i < w->n_problems && n && !json_is_faulty(n); i++)
		if (!problem_find_dtype(&w->problems[i], name, &dtype) &&
		    !problem_hides_dtype(&w->problems[i], name))
			return dtype_fail(&w->problems[i], n, name, e);
	return ASC_OK;
}

/* Checks that a domain is of an input of real numbers whose contents have no rules. */
static enum asc_status domain_check(const struct workload *w, const struct tensor *t,
				    struct asc_err *e)
{
	const struct json_node *n = t->domain.node;

	if (!n)
		return ASC_OK;
	if (t->role == ROLE_OUT)
		return json_fail(n, e, "is for inputs (its role is \"out\")");
	if (t->contents.node)
		return json_fail(n, e, "does not go with \"contents\", which say what it holds");
	if (tensor_floating(w, t) < w->n_problems)
		return json_fail(n, e, "is for real numbers, and dtype %s is an integer%s",
				 t->dtype, tensor_floating(w, t) ? " in some problems" : "");
	return ASC_OK;
}

/* Finds the tensor whose memory it lies in. That one's memory is its own: a chain would say nothing
 * more. */
static enum asc_status owner_find(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	const struct json_node *n = json_find(t->node, "shares");
	const char *names[WORKLOAD_MAX_TENSORS + 1] = {0};
	size_t at = 0;

	t->owner = (size_t)(t - w->tensors);
	if (!t->shares)
		return t->shared.text ? json_fail(json_find(t->node, "shares_if"), e,
						  "is for a tensor with \"shares\"")
				      : ASC_OK;
	for (; at < w->n_tensors && strcmp(w->tensors[at].name, t->shares) != 0; at++)
		names[at] = w->tensors[at].name;
	if (at == w->n_tensors)
		return workload_is_whole(json_root(w->doc), "tensors")
			       ? json_fail_unknown(n, e, "tensor", t->shares, names)
			       : ASC_OK;
	const struct tensor *owner = &w->tensors[at];

	if (owner == t)
		return json_fail(n, e, "is the tensor itself");
	if (owner->shares)
		return json_fail(n, e,
				 "is \"%s\", which lies in the memory of \"%s\": name that one",
				 owner->name, owner->shares);
	if (owner->place != t->place)
		return json_fail(n, e, "is \"%s\", which lives in another \"place\"", owner->name);
	t->owner = at;
	return ASC_OK;
}

static enum asc_status view_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	const struct json_node *strides = json_find(t->node, "strides"),
			       *shape = json_find(t->node, "shape");

	if (strides && !json_is_faulty(strides) && shape && !json_is_faulty(shape) &&
	    t->n_strides != t->rank &&
	    json_ends(strides, json_fail(strides, e,
					 "has %zu strides, expected %zu, one for each "
					 "dimension",
					 t->n_strides, t->rank)))
		return e->status;
	return owner_find(w, t, e);
}

enum asc_status tensor_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	const struct json_node *role = json_find(t->node, "role");
	if (t->devices.node && role && !json_is_faulty(role) && t->role != ROLE_IN &&
	    json_ends(t->node, json_fail(t->devices.node, e, "is for a tensor of role \"in\"")))
		return e->status;
	if (json_ends(t->node, workload_check_dtype(w, json_find(t->node, "dtype"), t->dtype, e)) ||
	    json_ends(t->node, view_check(w, t, e)) || json_ends(t->node, fill_check(w, t, e)) ||
	    json_ends(t->node, domain_check(w, t, e)))
		return e->status;
	return role && !json_is_faulty(role) ? verify_check(w, t, e) : ASC_OK;
}
