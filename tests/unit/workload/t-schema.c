/* workloads/schema.json and the reader's tables say the same: keys, required keys and types, in
 * both directions; docs/workload.md describes every key in the section of its object.
 * covers: workload_read.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

enum { MAX_SPECS = 64 };

static const struct json_node *defs;
static const struct json_spec *seen[MAX_SPECS];
static size_t n_seen;
static const char *page; /* docs/workload.md */

static const char *text_of(const struct json_node *n)
{
	struct asc_err e;
	const char *text = "";
	return n && json_get_string(n, &text, &e) == ASC_OK ? text : "";
}

static bool has_text(const struct json_node *array, const char *text)
{
	for (const struct json_node *n = array ? json_first(array) : NULL; n; n = json_next(n))
		if (strcmp(text_of(n), text) == 0)
			return true;
	return false;
}

/* "#/$defs/NAME" -> NAME */
static const char *reference_name(const struct json_node *n)
{
	const char *ref = text_of(json_find(n, "$ref"));
	return strncmp(ref, "#/$defs/", 8) == 0 ? ref + 8 : "";
}

/* Somewhere inside the property: as itself, an element, a member's value or one of several forms.
 */
static bool refers(const struct json_node *n, const char *name)
{
	if (json_type(n) == JSON_OBJECT && strcmp(reference_name(n), name) == 0)
		return true;
	for (const struct json_node *c = json_first(n); c; c = json_next(c))
		if (refers(c, name))
			return true;
	return false;
}

static const char *type_of(const struct json_node *property)
{
	const char *name = reference_name(property);
	const struct json_node *n = *name ? json_find(defs, name) : property;
	if (json_find(n, "enum"))
		return "string";
	return text_of(json_find(n, "type"));
}

static void check_type(const char *where, const struct json_field *f,
		       const struct json_node *property)
{
	static const char *const types[] = {[JSON_AS_STRING] = "string",
					    [JSON_AS_INT] = "integer",
					    [JSON_AS_REAL] = "number",
					    [JSON_AS_BOOL] = "boolean",
					    [JSON_IGNORED] = NULL};
	if (f->sub)
		tap_ok(refers(property, f->sub->name), "%s.%s refers to %s", where, f->key,
		       f->sub->name);
	else if (types[f->kind])
		tap_str(type_of(property), types[f->kind], "%s.%s: type", where, f->key);
}

/* The page has the row "| `key` |" between the heading "## NAME" and the next one. */
static bool page_describes(const char *name, const char *key)
{
	char *heading = str_print("\n## %s\n", name), *row = str_print("\n| `%s` | ", key);
	const char *section = page && heading ? strstr(page, heading) : NULL;
	const char *next = section ? strstr(section + 1, "\n## ") : NULL;
	const char *found = section && row ? strstr(section, row) : NULL;

	free(heading);
	free(row);
	return found && (!next || found < next);
}

static void check_field(const struct json_spec *spec, const struct json_field *f,
			const struct json_node *def)
{
	const struct json_node *property = json_find(json_find(def, "properties"), f->key);
	if (!tap_ok(property, "%s.%s is in the schema", spec->name, f->key))
		return;
	tap_int(has_text(json_find(def, "required"), f->key), f->required, "%s.%s: required",
		spec->name, f->key);
	tap_ok(*text_of(json_find(property, "description")), "%s.%s is described", spec->name,
	       f->key);
	tap_ok(page_describes(spec->name, f->key), "%s.%s is described in docs/workload.md",
	       spec->name, f->key);
	check_type(spec->name, f, property);
}

static bool has_field(const struct json_spec *spec, const char *key)
{
	for (const struct json_field *f = spec->fields; f->key; f++)
		if (strcmp(f->key, key) == 0)
			return true;
	return strcmp(key, "$schema") == 0; /* accepted by base/json itself */
}

static void check_properties(const struct json_spec *spec, const struct json_node *def)
{
	const struct json_node *closed = json_find(def, "additionalProperties");
	const struct json_node *required = json_find(def, "required");
	const struct json_node *n = json_first(json_find(def, "properties"));
	struct value v = value_bool(true);
	struct asc_err e;
	tap_ok(closed && json_get_value(closed, &v, &e) == ASC_OK && !value_truth(v),
	       "%s refuses other keys", spec->name);
	for (; n; n = json_next(n))
		tap_ok(has_field(spec, json_key(n)), "%s.%s is read", spec->name, json_key(n));
	for (n = required ? json_first(required) : NULL; n; n = json_next(n))
		tap_ok(has_field(spec, text_of(n)), "%s.%s, required, is read", spec->name,
		       text_of(n));
}

static bool was_seen(const char *name)
{
	for (size_t i = 0; i < n_seen; i++)
		if (strcmp(seen[i]->name, name) == 0)
			return true;
	return false;
}

static void walk(const struct json_spec *spec)
{
	const struct json_node *def = json_find(defs, spec->name);
	if (was_seen(spec->name) || n_seen == MAX_SPECS ||
	    !tap_ok(def, "the schema has %s", spec->name))
		return;
	seen[n_seen++] = spec;
	check_properties(spec, def);
	for (const struct json_field *f = spec->fields; f->key; f++) {
		check_field(spec, f, def);
		if (f->sub)
			walk(f->sub);
	}
}

static void check_defs(void)
{
	for (const struct json_node *n = json_first(defs); n; n = json_next(n))
		if (json_find(n, "properties"))
			tap_ok(was_seen(json_key(n)), "%s of the schema is read", json_key(n));
}

static void check_dtypes(void)
{
	const struct json_node *list = json_find(json_find(defs, "dtype"), "enum");
	const char *const *names = dtype_names();
	size_t n = 0;
	for (; names[n]; n++)
		tap_ok(has_text(list, names[n]), "dtype %s is in the schema", names[n]);
	tap_int(json_count(list), n, "no other dtype");
}

int main(void)
{
	struct asc_err e;
	struct json_doc *doc = NULL;
	struct buf text = {0};

	if (tap_int(file_read(PROJECT_ROOT "/docs/workload.md", 1 << 20, &text, &e), ASC_OK,
		    "docs/workload.md can be read"))
		page = buf_str(&text);
	enum asc_status s = json_open_file(PROJECT_ROOT "/workloads/schema.json", &doc, &e);
	if (tap_int(s, ASC_OK, "schema.json: %s", s ? e.text : "opens")) {
		defs = json_find(json_root(doc), "$defs");
		tap_str(reference_name(json_root(doc)), workload_spec.name, "root of the schema");
		walk(&workload_spec);
		check_defs();
		check_dtypes();
	}
	json_close(doc);
	buf_fini(&text);
	return tap_done();
}
