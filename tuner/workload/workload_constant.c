#include "tuner/workload/workload_read.h"

static const struct json_field constant_fields[] = {
	{"dtype", JSON_AS_STRING, true, offsetof(struct constant, dtype), NULL, NULL}, {0}};

const struct json_spec constant_spec = {"constant", constant_fields};

static enum asc_status truth_read(const struct json_node *n, struct constant *c, struct asc_err *e)
{
	struct value v = {0};
	enum asc_status s = json_get_value(n, &v, e);
	c->truth = v.i != 0;
	return s;
}

static enum asc_status constant_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct constant *c = member;
	c->name = json_key(n);
	c->node = n;
	if (json_ends(n, workload_check_identifier(n, c->name, e)))
		return e->status;
	switch (json_type(n)) {
	case JSON_NULL: c->kind = CONSTANT_NULL; return ASC_OK;
	case JSON_BOOL: c->kind = CONSTANT_TRUTH; return truth_read(n, c, e);
	case JSON_OBJECT:
		c->kind = CONSTANT_DTYPE;
		return json_read_object(n, &constant_spec, c, e);
	default: c->kind = CONSTANT_FORMULA; return workload_read_formula(n, &c->formula, e);
	}
}

enum asc_status callable_read_constants(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct constant), constant_read,
					      "constants", WORKLOAD_MAX_CONSTANTS};
	struct callable *c = member;
	c->constants = workload_read_items(n, &rule, &c->n_constants, e);
	return c->constants ? ASC_OK : e->status;
}

enum asc_status constant_check(const struct workload *w, const struct constant *c,
			       struct asc_err *e)
{
	if (c->kind != CONSTANT_DTYPE)
		return ASC_OK;
	return workload_check_dtype(w, json_find(c->node, "dtype"), c->dtype, e);
}
