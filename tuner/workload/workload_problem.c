#include "tuner/workload/workload_read.h"

#include <string.h>

#include "tuner/workload/space/config.h"

static enum asc_status dimension_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct dimension *d = member;
	d->name = json_key(n);
	if (json_ends(n, workload_check_identifier(n, d->name, e)))
		return e->status;
	return json_type(n) == JSON_ARRAY ? ladder_read(n, d, e) : json_get_value(n, &d->value, e);
}

static enum asc_status dims_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct dimension), dimension_read,
					      "dimensions", WORKLOAD_MAX_DIMS};
	struct problem *p = member;
	p->dims = workload_read_items(n, &rule, &p->n_dims, e);
	return p->dims ? ASC_OK : e->status;
}

static enum asc_status variable_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct dtype_variable *v = member;
	enum dtype same;
	v->name = json_key(n);
	if (json_ends(n, workload_check_identifier(n, v->name, e)))
		return e->status;
	/* A variable "f16" would hide the type in every tensor. */
	if (dtype_parse(v->name, &same))
		return json_fail(n, e, "\"%s\" is itself a dtype, expected the name of a variable",
				 v->name);
	return workload_read_dtype(n, &v->dtype, e);
}

static enum asc_status dtypes_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct dtype_variable),
					      variable_read, "dtype variables", WORKLOAD_MAX_DIMS};
	struct problem *p = member;
	p->dtypes = workload_read_items(n, &rule, &p->n_dtypes, e);
	return p->dtypes ? ASC_OK : e->status;
}

static enum asc_status choice_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct parameter_choice *c = member;
	*c = (struct parameter_choice){.name = json_key(n), .node = n};
	return json_get_choice(n, &c->value, e);
}

static enum asc_status defaults_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_OBJECT, sizeof(struct parameter_choice),
					      choice_read, "parameters", CONFIG_MAX_PARAMETERS};
	struct problem *p = member;
	p->defaults = workload_read_items(n, &rule, &p->n_defaults, e);
	return p->defaults ? ASC_OK : e->status;
}

static enum asc_status tags_read(const struct json_node *n, void *member, struct asc_err *e)
{
	return workload_read_names(n, "tag", NULL, member, e);
}

/* ---- sets of inputs ---- */

static const struct json_field set_fields[] = {
	{"file", JSON_AS_STRING, true, offsetof(struct input_set, file), NULL, NULL},
	{"fresh", JSON_AS_BOOL, false, offsetof(struct input_set, fresh), NULL, NULL},
	{0}};

const struct json_spec set_spec = {"set", set_fields};

/* A name of a file alone is short for an object with it. */
static enum asc_status set_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct input_set *s = member;

	s->node = n;
	s->file = "";
	return json_type(n) == JSON_STRING ? json_get_string(n, &s->file, e)
					   : json_read_object(n, &set_spec, s, e);
}

static enum asc_status sets_read(const struct json_node *n, void *member, struct asc_err *e)
{
	static const struct item_rule rule = {JSON_ARRAY, sizeof(struct input_set), set_read,
					      "sets", WORKLOAD_MAX_SETS};
	struct problem *p = member;

	p->sets = workload_read_items(n, &rule, &p->n_sets, e);
	if (!p->sets)
		return e->status;
	return p->n_sets ? ASC_OK : json_fail(n, e, "is empty, expected at least one set");
}

/* Checks the files of a problem's sets: that they are there. Their headers are looked at where the
 * problem is bound, since shapes need formulas. */
static enum asc_status sets_check(const struct workload *w, const struct problem *p,
				  struct asc_err *e)
{
	const struct json_node *list = p->n_sets ? json_find(p->node, "sets") : NULL;

	if (list && p->ladder && !json_is_faulty(list))
		return json_fail(
			list, e,
			"a file holds inputs of one size, and the lists of dimensions make "
			"several");
	for (size_t i = 0; list && i < p->n_sets; i++) {
		const struct json_node *n = p->sets[i].node;
		const struct json_node *file =
			json_type(n) == JSON_OBJECT ? json_find(n, "file") : n;

		if (json_ends(n, workload_check_data(w, file, p->sets[i].file, false, e)))
			return e->status;
	}
	return ASC_OK;
}

#define AT(member) offsetof(struct problem, member)

static const struct json_field problem_fields[] = {
	{"name", JSON_AS_STRING, true, AT(name), NULL, NULL},
	{"dims", JSON_AS_CUSTOM, false, 0, dims_read, NULL},
	{"dtypes", JSON_AS_CUSTOM, false, 0, dtypes_read, NULL},
	{"default", JSON_AS_CUSTOM, false, 0, defaults_read, NULL},
	{"tags", JSON_AS_CUSTOM, false, AT(tags), tags_read, NULL},
	{"devices", JSON_AS_CUSTOM, false, AT(devices), workload_read_devices, NULL},
	{"sets", JSON_AS_CUSTOM, false, 0, sets_read, &set_spec},
	{0}};

const struct json_spec problem_spec = {"problem", problem_fields};

static enum asc_status names_check(const struct problem *p, struct asc_err *e)
{
	for (size_t j = 0; j < p->n_dims; j++)
		if (problem_find_variable(p, p->dims[j].name) &&
		    json_ends(p->node, json_fail(p->node, e,
						 "\"%s\" is both a dimension and a dtype variable",
						 p->dims[j].name)))
			return e->status;
	return ASC_OK;
}

enum asc_status problem_read(const struct json_node *n, void *member, struct asc_err *e)
{
	struct problem *p = member;
	p->node = n;
	if (json_ends(n, json_read_object(n, &problem_spec, p, e)) ||
	    json_ends(n, workload_check_name(json_find(n, "name"), p->name, e)) ||
	    workload_default_name(n, &p->name, e))
		return e->status;
	return names_check(p, e);
}

/* Checks one choice of a problem's default: a parameter of some implementation, with a value that
 * it has in each implementation that has it. */
static enum asc_status default_check(const struct workload *w, const struct parameter_choice *c,
				     struct asc_err *e)
{
	char text[64];
	bool known = false;
	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct implementation *m = &w->implementations[i];
		const struct parameter *p = implementation_find_parameter(m, c->name);
		known |= p || !json_is_sound(m->node);
		if (p && json_is_sound(p->node) && !parameter_has_value(p, c->value)) {
			value_print(c->value, text, sizeof text);
			return json_fail(c->node, e,
					 "is %s, which is not among the values of parameter %s of "
					 "implementation %s",
					 text, c->name, m->name);
		}
	}
	return known || json_is_faulty(json_root(w->doc))
		       ? ASC_OK
		       : json_fail(c->node, e, "no implementation has a parameter \"%s\"", c->name);
}

enum asc_status problem_check(const struct workload *w, const struct problem *p, struct asc_err *e)
{
	for (size_t i = 0; i < p->n_defaults; i++)
		if (json_ends(p->defaults[i].node, default_check(w, &p->defaults[i], e)))
			return e->status;
	return json_ends(p->node, sets_check(w, p, e)) ? e->status : ASC_OK;
}

static bool has_value(const struct workload *w, const struct parameter_choice *c)
{
	bool all = true;

	for (size_t i = 0; i < w->n_implementations; i++) {
		const struct parameter *p =
			implementation_find_parameter(&w->implementations[i], c->name);

		all = all && (!p || parameter_has_value(p, c->value));
	}
	return all;
}

enum asc_status workload_set_default(struct workload *w, const char *problem, const char *config,
				     struct asc_err *e)
{
	struct problem *p = w->problems;
	size_t n = 0;

	while (strcmp(p->name, problem) != 0) /* the caller has found it */
		p++;
	/* Kept with the document, as what was read from it. */
	struct parameter_choice *list = json_alloc(p->node, CONFIG_MAX_PARAMETERS * sizeof *list);
	char *names = json_alloc(p->node, strlen(config) + 1);

	if (!list || !names)
		return asc_err_nomem(e);
	strcpy(names, config);
	for (char *at = names; *at && n < CONFIG_MAX_PARAMETERS; n++) {
		char *equals = strchr(at, '=');
		const size_t length = equals ? strcspn(equals, ",") : 0;

		list[n] = (struct parameter_choice){.name = at, .node = p->node};
		if (!equals || !value_parse(equals + 1, length - 1, &list[n].value))
			return asc_err_set(e, ASC_INPUT, "\"%s\" is no configuration", config);
		*equals = '\0';
		at = equals + length + (equals[length] != '\0');
		if (!has_value(w, &list[n]))
			return ASC_OK;
	}
	p->defaults = list;
	p->n_defaults = n;
	return ASC_OK;
}
