#include "tuner/workload/workload_read.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_VALUES = 65535 };

static const char *const stage_names[] = {[STAGE_BUILD] = "build", [STAGE_LAUNCH] = "launch", NULL};

static enum asc_status value_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return json_get_choice(n, member, e);
}

static int value_compare(const void *a, const void *b)
{
	return value_order(*(const struct value *)a, *(const struct value *)b);
}

/* Checks that all values are different. */
static enum asc_status values_check(const struct json_node *n, const struct parameter *p,
				    struct asc_err *e)
{
	char text[64];
	size_t bytes = p->n_values * sizeof *p->values;
	struct value *sorted = malloc(bytes);
	if (!sorted)
		return asc_err_nomem(e);
	enum asc_status s = ASC_OK;
	memcpy(sorted, p->values, bytes);
	/* Equal values are neighbours once sorted. */
	qsort(sorted, p->n_values, sizeof *sorted, value_compare);
	for (size_t i = 1; i < p->n_values && s == ASC_OK; i++)
		if (value_compare(&sorted[i - 1], &sorted[i]) == 0) {
			value_print(sorted[i], text, sizeof text);
			s = json_fail(n, e, "the value %s is listed twice", text);
		}
	free(sorted);
	return s;
}

static enum asc_status values_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct value), value_read,
					      "values", MAX_VALUES};
	struct parameter *p = member;
	p->values = workload_read_items(n, &rule, &p->n_values, e);
	if (!p->values)
		return e->status;
	if (p->n_values == 0)
		return json_fail(n, e, "has no values, expected at least one");
	/* A value with a fault has no number to be compared. */
	return json_is_sound(n) ? values_check(n, p, e) : ASC_OK;
}

static enum asc_status stage_read(const struct json_node *n, void *member, struct asc_err *e)
{
	int choice = 0;
	enum asc_status s = workload_read_choice(n, "stage", stage_names, &choice, e);
	*(enum parameter_stage *)member = (enum parameter_stage)choice;
	return s;
}

#define AT(member) offsetof(struct parameter, member)

static const struct json_field parameter_fields[] = {
	{"values", JSON_AS_CUSTOM, true, 0, values_read, NULL},
	{"default", JSON_AS_CUSTOM, false, AT(default_value), value_read, NULL},
	{"devices", JSON_AS_CUSTOM, false, AT(devices), workload_read_devices, NULL},
	{"otherwise", JSON_AS_CUSTOM, false, AT(otherwise), value_read, NULL},
	{"stage", JSON_AS_CUSTOM, false, AT(stage), stage_read, NULL},
	{0}};

const struct json_spec parameter_spec = {"parameter", parameter_fields};

static enum asc_status parameter_check(struct parameter *p, struct asc_err *e)
{
	char text[64];
	const struct json_node *values = json_find(p->node, "values");
	const bool some = json_find(p->node, "devices");
	if (p->has_default && values && json_is_sound(values) &&
	    !parameter_has_value(p, p->default_value)) {
		value_print(p->default_value, text, sizeof text);
		if (json_ends(values, json_fail(json_find(p->node, "default"), e,
						"is %s, which is not among the values", text)))
			return e->status;
	}
	if (json_has_stray(p->node))
		return ASC_OK;
	if (some && !p->has_otherwise)
		return json_fail(p->node, e,
				 "has \"devices\" and so needs \"otherwise\", its value elsewhere");
	if (p->has_otherwise && !some)
		return json_fail(p->node, e, "has \"otherwise\" and so needs \"devices\"");
	return ASC_OK;
}

static enum asc_status parameter_fill(const struct json_node *n, struct parameter *p,
				      struct asc_err *e)
{
	switch (json_type(n)) {
	case JSON_ARRAY: return values_read(n, p, e);
	case JSON_OBJECT: return json_read_object(n, &parameter_spec, p, e);
	default:
		return json_fail(n, e,
				 "expected a list of values or an object with \"values\", found %s",
				 json_type_name(json_type(n)));
	}
}

enum asc_status parameter_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct parameter *p = member;
	p->name = json_key(n);
	p->node = n;
	if (json_ends(n, workload_check_identifier(n, p->name, e)) ||
	    json_ends(n, parameter_fill(n, p, e)))
		return e->status;
	p->has_default = json_find(n, "default");
	p->has_otherwise = json_find(n, "otherwise");
	/* The first value is the default unless the file says another. */
	if (!p->has_default && p->n_values > 0)
		p->default_value = p->values[0];
	return parameter_check(p, e);
}
