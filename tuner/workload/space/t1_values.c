#include "tuner/workload/space/t1_values.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "tuner/base/json/json.h"

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

enum asc_status t1_find_type(const struct json_node *n, const struct t1_type **out,
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

static size_t count_commas(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, ',')) != NULL) {
		text++;
		n++;
	}
	return n;
}

enum asc_status t1_read_value(const struct json_node *node, const struct t1_type *type,
			      struct value *out, struct asc_err *e)
{
	const enum asc_status st = json_get_choice(node, out, e);

	return st ? st : check_type(node, type, *out, e);
}

static enum asc_status fill(const struct json_node *node, const char *text,
			    const struct t1_type *type, struct value *values, size_t *n,
			    struct asc_err *e)
{
	enum asc_status st =
		text ? read_list(node, text, values, n, e) : read_array(node, values, n, e);

	for (size_t i = 0; !st && i < *n; i++)
		st = check_type(node, type, values[i], e);
	if (!st && *n == 0)
		st = json_fail(node, e, "expected at least one value");
	return st;
}

enum asc_status t1_read_values(const struct json_node *node, const struct t1_type *type,
			       const struct value **out, size_t *n, struct asc_err *e)
{
	const enum json_type kind = json_type(node);
	const char *text = NULL;
	const enum asc_status st = kind == JSON_STRING ? json_get_string(node, &text, e) : ASC_OK;

	if (st)
		return st;
	if (!text && kind != JSON_ARRAY)
		return json_fail(node, e, "expected an array or the text of a list, found %s",
				 json_type_name(kind));
	const size_t room = text ? count_commas(text) + 1 : json_count(node) + 1;
	struct value *values = json_alloc(node, room * sizeof *values);
	if (!values)
		return asc_err_nomem(e);
	*out = values;
	*n = 0;
	return fill(node, text, type, values, n, e);
}
