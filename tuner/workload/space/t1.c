#include "tuner/workload/space/t1.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tuner/base/json/json.h"
#include "tuner/workload/space/space.h"

enum { MAX_ORIGIN = 32 };

/* A file is read in one pass over its ConfigurationSpace. Each parameter is checked by itself
 * (name, type, values of that type, default); each condition gets its place in the file as its
 * origin. The space is made last, by space_new(), which checks what needs all of them: names that
 * conditions read, values listed twice, defaults that are no values. Other sections of the file say
 * how to build and measure a kernel; they are not read. */

/* State of reading; everything that it points to lives as long as the document. */
struct t1 {
	struct space_param *params;
	size_t n_params;
	struct space_condition *conditions;
	char (*origins)[MAX_ORIGIN];
	size_t n_conditions;
};

/* ---- values: a JSON array, or a text that holds a Python list ---- */

static bool is_int(struct value v)
{
	return v.kind == VALUE_INT;
}

static bool is_uint(struct value v)
{
	return v.kind == VALUE_INT && v.i >= 0;
}

static bool is_float(struct value v)
{
	return v.kind == VALUE_INT || v.kind == VALUE_REAL;
}

static bool is_bool(struct value v)
{
	return v.kind == VALUE_BOOL || (v.kind == VALUE_INT && (v.i == 0 || v.i == 1));
}

static bool is_text(struct value v)
{
	return v.kind == VALUE_TEXT;
}

struct t1_type {
	const char *name;
	const char *what;
	bool (*has)(struct value v);
};

static const struct t1_type t1_types[] = {
	{"int", "an integer", is_int},   {"uint", "an integer that is not negative", is_uint},
	{"float", "a number", is_float}, {"bool", "True, False, 0 or 1", is_bool},
	{"string", "a text", is_text},   {0},
};

/* The values of a parameter are a JSON array, or a string that holds the text of a Python list of
 * numbers or texts, each of the parameter's type. */

static enum asc_status find_type(const struct json_node *n, const struct t1_type **out,
				 struct asc_err *e)
{
	const char *name;
	const enum asc_status st = json_get_string(n, &name, e);

	if (st)
		return st;
	for (*out = t1_types; (*out)->name; ++*out) {
		if (strcmp(name, (*out)->name) == 0)
			return ASC_OK;
	}
	return json_fail(n, e, "expected int, uint, float, bool or string, found \"%s\"", name);
}

static enum asc_status check_type(const struct json_node *n, const struct t1_type *type,
				  struct value v, struct asc_err *e)
{
	char text[64];

	if (type->has(v))
		return ASC_OK;
	value_print(v, text, sizeof text);
	return json_fail(n, e, "expected %s, found %s", type->what, text);
}

static enum asc_status read_array(const struct json_node *n, struct value *values, size_t *count,
				  struct asc_err *e)
{
	for (const struct json_node *i = json_first(n); i; i = json_next(i)) {
		const enum asc_status st = json_get_choice(i, &values[*count], e);
		if (st)
			return st;
		++*count;
	}
	return ASC_OK;
}

static const char *skip_blanks(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static enum asc_status fail_at(const struct json_node *n, const char *text, const char *at,
			       const char *expected, struct asc_err *e)
{
	const size_t column = (size_t)(at - text) + 1;

	if (*at == '\0')
		return json_fail(n, e, "column %zu: expected %s, found the end", column, expected);
	return json_fail(n, e, "column %zu: expected %s, found \"%s\"", column, expected, at);
}

/* Length of the item at `at`: to the end of its quotes, or of its word. */
static size_t measure(const char *at)
{
	if (*at != '\'' && *at != '"')
		return strcspn(at, ",] \t\r\n");
	const size_t n = 1 + strcspn(at + 1, *at == '"' ? "\"" : "'");

	return n + (at[n] != '\0');
}

static bool read_one(const char *at, size_t len, struct value *out)
{
	if (*at != '\'' && *at != '"')
		return value_parse(at, len, out);
	return len > 2 && at[len - 1] == *at && value_text_check(at + 1, len - 2) &&
	       value_text_add(at + 1, len - 2, out);
}

static enum asc_status read_list(const struct json_node *n, const char *text, struct value *values,
				 size_t *count, struct asc_err *e)
{
	const char *at = skip_blanks(text);

	if (*at != '[')
		return fail_at(n, text, at, "'['", e);
	for (at = skip_blanks(at + 1); *at != ']'; at = skip_blanks(at)) {
		const size_t len = measure(at);
		/* There is room for each item: items are separated by commas, which were
		 * counted. */
		if (!read_one(at, len, &values[*count]))
			return fail_at(n, text, at, "a number, True, False or a text", e);
		++*count;
		at = skip_blanks(at + len);
		if (*at == ',')
			at++;
		else if (*at != ']')
			return fail_at(n, text, at, "',' or ']'", e);
	}
	at = skip_blanks(at + 1);
	return *at == '\0' ? ASC_OK : fail_at(n, text, at, "nothing after ']'", e);
}

/* Reads values: *out is an array of *n, at least one; it lives as long as the document. */
static enum asc_status read_values(const struct json_node *node, const struct t1_type *type,
				   const struct value **out, size_t *n, struct asc_err *e)
{
	const enum json_type kind = json_type(node);
	const char *text = NULL;
	enum asc_status st = kind == JSON_STRING ? json_get_string(node, &text, e) : ASC_OK;

	if (st)
		return st;
	if (!text && kind != JSON_ARRAY)
		return json_fail(node, e, "expected an array or the text of a list, found %s",
				 json_type_name(kind));
	/* A list has one value more than commas; a comma in a text makes room that stays unused. */
	size_t room = text ? 1 : json_count(node) + 1;
	for (const char *comma = text; comma && (comma = strchr(comma, ',')) != NULL; comma++)
		room++;
	struct value *values = json_alloc(node, room * sizeof *values);
	if (!values)
		return asc_err_nomem(e);
	*out = values;
	*n = 0;
	st = text ? read_list(node, text, values, n, e) : read_array(node, values, n, e);
	for (size_t i = 0; !st && i < *n; i++)
		st = check_type(node, type, values[i], e);
	if (!st && *n == 0)
		st = json_fail(node, e, "expected at least one value");
	return st;
}

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
	/* Names become macros and names in expressions: both take identifiers alone. */
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
		st = find_type(t.type, &type, e);
	if (!st)
		st = read_values(t.values, type, &p->values, &p->n, e);
	if (st)
		return st;
	p->default_value = p->values[0]; /* default, unless the file names another */
	if (!t.default_value)
		return ASC_OK;
	st = json_get_choice(t.default_value, &p->default_value, e);
	return st ? st : check_type(t.default_value, type, p->default_value, e);
}

static enum asc_status read_parameters(const struct json_node *n, void *member, struct asc_err *e)
{
	struct t1 *t = member;
	enum asc_status st = json_expect(n, JSON_ARRAY, e);

	if (st)
		return st;
	/* One more than needed: an empty list is an array as well. */
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

/* ---- the file, of which only the space is read ---- */

bool t1_recognise(const struct json_doc *doc)
{
	return json_find(json_root(doc), "ConfigurationSpace") != NULL;
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
	enum asc_status st = json_read_object(section, &spec, &t, e);
	if (st)
		return st;
	const struct space_spec wanted = {.params = t.params,
					  .n_params = t.n_params,
					  .conditions = t.conditions,
					  .n_conditions = t.n_conditions};
	struct asc_err inner;
	st = space_new(&wanted, out, &inner);
	if (st) {
		/* The file's name goes in front; the status of the space stays what it is. */
		json_fail(json_root(doc), e, "%s", inner.text);
		e->status = st;
	}
	return st;
}
