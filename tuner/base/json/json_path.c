/* Paths of nodes, failures that name them, and the faults of a document that are gathered while
 * readers go on behind them. */
#include "tuner/base/json/json.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json_node.h"

static size_t index_of(const struct json_node *n)
{
	size_t i = 0;
	if (n->parent == n->doc->list)
		return n->doc->index;
	for (const struct json_node *s = n->parent->first; s != n; s = s->next)
		i++;
	return i;
}

static bool is_plain(const char *key)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-";
	return *key && key[strspn(key, plain)] == '\0';
}

static void add_path(const struct json_node *n, struct buf *out)
{
	if (!n->parent)
		return;
	add_path(n->parent, out);
	if (!n->key) {
		buf_print(out, "[%zu]", index_of(n));
	} else if (is_plain(n->key)) {
		buf_print(out, "%s%s", out->len ? "." : "", n->key);
	} else {
		buf_add_char(out, '[');
		json_quote(out, n->key);
		buf_add_char(out, ']');
	}
}

char *json_path(const struct json_node *n)
{
	struct buf path = {0};
	add_path(n, &path);
	return buf_take(&path);
}

/* ---- faults, gathered while readers go on behind them ---- */

struct json_fault {
	const struct json_node *place; /* nodes lie in the order of the text */
	size_t number;
	char *text;
};

void json_free_faults(struct json_doc *doc)
{
	for (size_t i = 0; i < doc->n_faults; i++)
		free(doc->faults[i].text);
	free(doc->faults);
}

static bool is_value(const struct json_node *n)
{
	return n->type != JSON_ARRAY && n->type != JSON_OBJECT;
}

static bool is_noted(const struct json_node *place, const char *text)
{
	const struct json_doc *doc = place->doc;

	for (size_t i = 0; i < doc->n_faults; i++)
		if (doc->faults[i].place == place && strcmp(doc->faults[i].text, text) == 0)
			return true;
	return false;
}

void json_mark_faulty(const struct json_node *n)
{
	struct json_node *nodes = n->doc->nodes;

	if (!n->doc->gathers)
		return;
	nodes[n - nodes].faulty = true;
	for (; n; n = n->parent)
		nodes[n - nodes].unsound = true;
}

/* Notes the failure in `e`, which is about `n` and stands at `place` (itself or a member, which has
 * the fault), where the document gathers faults. Returns its status, or ASC_NOMEM. */
static enum asc_status note_fault(const struct json_node *n, const struct json_node *place,
				  struct asc_err *e)
{
	struct json_doc *doc = n->doc;

	/* A value that is wrong has one fault: what else is said of it follows from the first. */
	if (!doc->gathers || doc->n_faults == JSON_MAX_FAULTS || (is_value(n) && n->faulty) ||
	    is_noted(place, e->text))
		return e->status;
	char *text = str_dup(e->text);

	if (!text ||
	    !array_room(&doc->faults, doc->n_faults, &doc->faults_room, sizeof *doc->faults)) {
		free(text);
		return asc_err_nomem(e);
	}
	doc->faults[doc->n_faults] = (struct json_fault){place, doc->n_faults, text};
	doc->n_faults++;
	json_mark_faulty(place);
	return e->status;
}

bool json_ends(const struct json_node *n, enum asc_status s)
{
	return s != ASC_OK &&
	       (s != ASC_INPUT || !n->doc->gathers || n->doc->n_faults == JSON_MAX_FAULTS);
}

bool json_is_faulty(const struct json_node *n)
{
	return n->faulty;
}

bool json_is_sound(const struct json_node *n)
{
	return !n->unsound;
}

bool json_has_stray(const struct json_node *n)
{
	const struct json_node *member = n->first;

	while (member && !member->stray)
		member = member->next;
	return member != NULL;
}

static int compare_places(const void *a, const void *b)
{
	const struct json_fault *one = a, *two = b;

	if (one->place != two->place)
		return one->place < two->place ? -1 : 1;
	return one->number < two->number ? -1 : 1;
}

size_t json_end_gathering(struct json_doc *doc)
{
	if (doc->n_faults > 1)
		qsort(doc->faults, doc->n_faults, sizeof *doc->faults, compare_places);
	doc->gathers = false;
	return doc->n_faults;
}

const char *json_fault_text(const struct json_doc *doc, size_t i)
{
	return doc->faults[i].text;
}

/* ---- failures ---- */

static enum asc_status fail(const struct json_node *n, const struct json_node *place,
			    const char *text, struct asc_err *e)
{
	struct buf path = {0};

	add_path(n, &path);
	enum asc_status status = buf_check(&path, e);
	if (!status)
		status = asc_err_set(e, ASC_INPUT, "%s: %s%s%s", n->doc->name, buf_str(&path),
				     path.len ? ": " : "", text);
	buf_fini(&path);
	return status == ASC_INPUT ? note_fault(n, place, e) : status;
}

enum asc_status json_fail(const struct json_node *n, struct asc_err *e, const char *format, ...)
{
	char text[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return fail(n, n, text, e);
}

enum asc_status json_fail_at(const struct json_node *n, const struct json_node *place,
			     struct asc_err *e, const char *format, ...)
{
	char text[sizeof e->text];
	va_list args;
	va_start(args, format);
	str_print_line(text, sizeof text, format, args);
	va_end(args);
	return fail(n, place, text, e);
}

enum asc_status json_expect(const struct json_node *n, enum json_type type, struct asc_err *e)
{
	if (!n)
		return json_fail_type(n, e, json_type_name(type));
	return json_type(n) == type ? ASC_OK
				    : json_fail(n, e, "expected %s, found %s", json_type_name(type),
						json_type_name(json_type(n)));
}

const char *json_type_name(enum json_type t)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",        [JSON_BOOL] = "true or false",
		[JSON_INT] = "an integer",   [JSON_REAL] = "a real number",
		[JSON_STRING] = "a string",  [JSON_ARRAY] = "an array",
		[JSON_OBJECT] = "an object",
	};
	return names[t];
}

/* Adds the value that was found, if it is short, else its type. */
static void add_found(const struct json_node *n, struct buf *out)
{
	enum { SHORT = 40 };
	struct json_writer w = {.out = out};
	/* A long value would push the path, which says where, out of the line. */
	bool inner = n->type == JSON_ARRAY || n->type == JSON_OBJECT;
	if (inner || (n->type == JSON_STRING && strlen(n->s) > SHORT)) {
		buf_add_str(out, json_type_name(n->type));
		return;
	}
	if (n->type == JSON_STRING)
		buf_add_str(out, "the string ");
	json_write_node(&w, NULL, n);
}

enum asc_status json_fail_type(const struct json_node *n, struct asc_err *e, const char *expected)
{
	struct buf found = {0};
	if (!n)
		return asc_err_set(e, ASC_INPUT, "a member is missing, expected %s", expected);
	add_found(n, &found);
	enum asc_status status = buf_check(&found, e);
	if (!status)
		status = json_fail(n, e, "expected %s, found %s", expected, buf_str(&found));
	buf_fini(&found);
	return status;
}

enum asc_status json_get_string(const struct json_node *n, const char **out, struct asc_err *e)
{
	if (json_type(n) != JSON_STRING)
		return json_fail_type(n, e, "a string");
	*out = n->s;
	return ASC_OK;
}

enum asc_status json_get_int(const struct json_node *n, int64_t *out, struct asc_err *e)
{
	if (json_type(n) != JSON_INT || n->faulty)
		return json_fail_type(n, e, "an integer");
	*out = n->i;
	return ASC_OK;
}

enum asc_status json_get_size(const struct json_node *n, int64_t *out, struct asc_err *e)
{
	struct value v = {0};

	if (json_type(n) != JSON_BOOL)
		return json_get_int(n, out, e);
	if (json_get_value(n, &v, e))
		return e->status;
	*out = value_as_real(v) > 0;
	return ASC_OK;
}

enum asc_status json_get_value(const struct json_node *n, struct value *out, struct asc_err *e)
{
	if (n && n->faulty)
		return json_fail_type(n, e, "another number");
	switch (n ? n->type : JSON_NULL) {
	case JSON_INT: *out = value_int(n->i); return ASC_OK;
	case JSON_REAL: *out = value_real(n->r); return ASC_OK;
	case JSON_BOOL: *out = value_bool(n->b); return ASC_OK;
	default: return json_fail_type(n, e, "a number, true or false");
	}
}

enum asc_status json_get_choice(const struct json_node *n, struct value *out, struct asc_err *e)
{
	const enum json_type type = json_type(n);

	if (type != JSON_STRING)
		return type == JSON_INT || type == JSON_REAL || type == JSON_BOOL
			       ? json_get_value(n, out, e)
			       : json_fail_type(n, e, "a number, a truth value or a text");
	if (!value_text_check(n->s, strlen(n->s)))
		return json_fail(n, e, "a text is " VALUE_TEXT_RULE ", found \"%s\"", n->s);
	return value_text_add(n->s, strlen(n->s), out) ? ASC_OK : asc_err_nomem(e);
}
