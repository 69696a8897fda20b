#include "tuner/workload/workload_read.h"

#include "tuner/base/buf.h"

static const char *const role_names[] = {
	[ROLE_IN] = "in", [ROLE_OUT] = "out", [ROLE_INOUT] = "inout", NULL};
static const char *const place_names[] = {[PLACE_DEVICE] = "device", [PLACE_HOST] = "host", NULL};

enum asc_status tensor_read_shape(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	return workload_read_formulas(n, "dimensions", WORKLOAD_MAX_RANK, t->shape, &t->rank, e);
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
	{"optional", JSON_AS_CUSTOM, false, AT(present), workload_read_formula, NULL},
	{"fill", JSON_AS_CUSTOM, false, AT(fill), fill_read, &fill_spec},
	{"verify", JSON_AS_CUSTOM, false, AT(verify), verify_read, &verify_spec},
	{0}};

const struct json_spec tensor_spec = {"tensor", tensor_fields};

enum asc_status tensor_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct tensor *t = member;
	t->name = json_key(n);
	t->node = n;
	t->dtype = "";
	if (json_ends(n, workload_check_identifier(n, t->name, e)))
		return e->status;
	return json_read_object(n, &tensor_spec, t, e);
}

static enum asc_status dtype_fail(const struct problem *p, const struct json_node *n,
				  const char *name, struct asc_err *e)
{
	const char *meant = dtype_means(name);
	if (meant)
		return json_fail(n, e, "unknown dtype \"%s\" (did you mean \"%s\"?)", name, meant);
	if (str_nearest(name, dtype_names()))
		return json_fail_unknown(n, e, "dtype", name, dtype_names());
	return json_fail(n, e, "unknown dtype \"%s\": neither a dtype nor a variable of problem %s",
			 name, p->name);
}

enum asc_status workload_check_dtype(const struct workload *w, const struct json_node *n,
				     const char *name, struct asc_err *e)
{
	enum dtype dtype;
	for (size_t i = 0; i < w->n_problems && n && !json_is_faulty(n); i++)
		if (!problem_find_dtype(&w->problems[i], name, &dtype) &&
		    !problem_hides_dtype(&w->problems[i], name))
			return dtype_fail(&w->problems[i], n, name, e);
	return ASC_OK;
}

enum asc_status tensor_check(const struct workload *w, struct tensor *t, struct asc_err *e)
{
	const struct json_node *role = json_find(t->node, "role");
	if (json_ends(t->node, workload_check_dtype(w, json_find(t->node, "dtype"), t->dtype, e)) ||
	    json_ends(t->node, fill_check(w, t, e)))
		return e->status;
	return role && !json_is_faulty(role) ? verify_check(w, t, e) : ASC_OK;
}
