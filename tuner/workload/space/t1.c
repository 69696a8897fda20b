#include "tuner/workload/space/t1.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/t1_values.h"

enum { MAX_ORIGIN = 32 };

/* State of reading; everything that it points to lives as long as the document. */
struct t1 {
	struct space_param *params;
	size_t n_params;
	struct space_condition *conditions;
	char (*origins)[MAX_ORIGIN];
	size_t n_conditions;
};

/* ---- parameters ---- */

struct t1_parameter {
	const struct json_node *name, *type, *values, *default_value;
};

static const struct json_field parameter_fields[] = {
	{"Name", JSON_AS_NODE, true, offsetof(struct t1_parameter, name), NULL, NULL},
	{"Type", JSON_AS_NODE, true, offsetof(struct t1_parameter, type), NULL, NULL},
	{"Values", JSON_AS_NODE, true, offsetof(struct t1_parameter, values), NULL, NULL},
	{"Default", JSON_AS_NODE, false, offsetof(struct t1_parameter, default_value), NULL, NULL},
	{0}};

static enum asc_status read_name(const struct json_node *n, const char **out, struct asc_err *e)
{
	const enum asc_status st = json_get_string(n, out, e);
	const char *c = st ? "" : *out;

	if (st)
		return st;
	if (isalpha((unsigned char)*c) || *c == '_') {
		while (isalnum((unsigned char)*c) || *c == '_')
			c++;
		if (*c == '\0')
			return ASC_OK;
	}
	return json_fail(n, e, "expected an identifier, found \"%s\"", *out);
}

static enum asc_status read_parameter(const struct json_node *n, struct t1 *to, struct asc_err *e)
{
	static const struct json_spec spec = {"TuningParameter", parameter_fields};
	struct t1_parameter t = {0};
	const struct t1_type *type = NULL;
	struct space_param *p = &to->params[to->n_params++];
	enum asc_status st = json_read_object(n, &spec, &t, e);

	if (!st)
		st = read_name(t.name, &p->name, e);
	if (!st)
		st = t1_find_type(t.type, &type, e);
	if (!st)
		st = t1_read_values(t.values, type, &p->values, &p->n, e);
	if (st)
		return st;
	p->default_value = p->values[0]; /* default, unless the file names another */
	return t.default_value ? t1_read_value(t.default_value, type, &p->default_value, e)
			       : ASC_OK;
}

static enum asc_status read_parameters(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t1 *t = member;
	enum asc_status st = json_expect(n, JSON_ARRAY, e);

	if (st)
		return st;
	t->params = json_alloc(n, (json_count(n) + 1) * sizeof *t->params);
	if (!t->params)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); !st && i; i = json_next(i))
		st = read_parameter(i, t, e);
	return st;
}

/* ---- conditions ---- */

/* Checks the type only: the condition itself shows which parameters it reads. */
static enum asc_status check_names(const struct json_node *n, void *member, struct asc_err *e)
{
	const char *name;
	enum asc_status st = json_expect(n, JSON_ARRAY, e);

	(void)member;
	for (const struct json_node *i = json_first(n); !st && i; i = json_next(i))
		st = json_get_string(i, &name, e);
	return st;
}

static enum asc_status read_condition(const struct json_node *n, struct t1 *t, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"Expression", JSON_AS_STRING, true, offsetof(struct space_condition, text), NULL,
		 NULL},
		{"Parameters", JSON_AS_CUSTOM, false, 0, check_names, NULL},
		{0}};
	static const struct json_spec spec = {"Condition", fields};
	struct space_condition *c = &t->conditions[t->n_conditions];

	snprintf(t->origins[t->n_conditions], MAX_ORIGIN, "Conditions[%zu]", t->n_conditions);
	c->origin = t->origins[t->n_conditions++];
	return json_read_object(n, &spec, c, e);
}

static enum asc_status read_conditions(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t1 *t = member;
	enum asc_status st = json_expect(n, JSON_ARRAY, e);

	if (st)
		return st;
	t->conditions = json_alloc(n, (json_count(n) + 1) * sizeof *t->conditions);
	t->origins = json_alloc(n, (json_count(n) + 1) * sizeof *t->origins);
	if (!t->conditions || !t->origins)
		return asc_err_nomem(e);
	for (const struct json_node *i = json_first(n); !st && i; i = json_next(i))
		st = read_condition(i, t, e);
	return st;
}

/* ---- the file: other sections than the space are not ours to judge ---- */

bool t1_recognise(const struct json_doc *doc)
{
	return json_find(json_root(doc), "ConfigurationSpace") != NULL;
}

static enum asc_status make_space(const struct json_doc *doc, const struct t1 *t,
				  struct space **out, struct asc_err *e)
{
	const struct space_spec spec = {.params = t->params,
					.n_params = t->n_params,
					.conditions = t->conditions,
					.n_conditions = t->n_conditions};
	struct asc_err inner;
	const enum asc_status st = space_new(&spec, out, &inner);

	if (st) {
		json_fail(json_root(doc), e, "%s", inner.text); /* prefixes the file's name */
		e->status = st;
	}
	return st;
}

enum asc_status t1_space(const struct json_doc *doc, struct space **out, struct asc_err *e)
{
	static const struct json_field fields[] = {
		{"TuningParameters", JSON_AS_CUSTOM, true, 0, read_parameters, NULL},
		{"Conditions", JSON_AS_CUSTOM, false, 0, read_conditions, NULL},
		{0}};
	static const struct json_spec spec = {"ConfigurationSpace", fields};
	const struct json_node *section = json_find(json_root(doc), "ConfigurationSpace");
	struct t1 t = {0};

	if (!section)
		return json_fail(json_root(doc), e, "expected a member \"ConfigurationSpace\"");
	const enum asc_status st = json_read_object(section, &spec, &t, e);
	return st ? st : make_space(doc, &t, out, e);
}
