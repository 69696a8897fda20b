#include "reports/tables/reader_naming.h"

#include <string.h>

#include "reports/tables/dispatch_data.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/workload/workload.h"

enum asc_status reader_naming_open(const struct dispatch_row *row, const char *library,
				   struct reader_naming *out, struct asc_err *e)
{
	const char *text = row->result.export_json;
	struct library_names names = {0};

	*out = (struct reader_naming){0};
	if (!text || json_open_text("export", text, strlen(text), &out->doc, e))
		return text ? e->status : ASC_OK;
	const struct json_node *own = json_find(json_root(out->doc), library);

	if (own && library_names_read(own, &names, e)) {
		json_close(out->doc);
		out->doc = NULL;
		return e->status;
	}
	out->sizes = names.sizes;
	out->parameters = names.parameters;
	return ASC_OK;
}

void reader_naming_close(struct reader_naming *n)
{
	json_close(n->doc);
	*n = (struct reader_naming){0};
}

/* Finds the library's name of one of the kernel's parameters; its own where the library has none.
 */
static const char *library_name(const struct reader_naming *n, const char *own)
{
	for (const struct json_node *m = n->parameters ? json_first(n->parameters) : NULL; m;
	     m = json_next(m))
		if (str_is_same(library_names_own(n->parameters, json_key(m)), own))
			return json_key(m);
	return own;
}

static enum asc_status add_parameter(struct dispatch *t, const struct json_node *n,
				     const char *name, struct reader_config *out, struct asc_err *e)
{
	struct value v;

	if (json_get_choice(n, &v, e) || dispatch_keep(t, &name, e))
		return e->status;
	return reader_add_parameter(out, name, v)
		       ? ASC_OK
		       : asc_err_set(e, ASC_INPUT, "more than %d parameters",
				     READER_MAX_PARAMETERS);
}

enum asc_status reader_naming_read(struct dispatch *t, const struct reader_ops *ops,
				   const struct reader_naming *names, const char *text,
				   struct reader_config *out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status = json_open_text("config", text, strlen(text), &doc, e);

	*out = (struct reader_config){0};
	for (size_t i = 0; status == ASC_OK && ops->parameters && ops->parameters[i]; i++) {
		const char *name = library_names_own(names->parameters, ops->parameters[i]);
		const struct json_node *n = name ? json_find(json_root(doc), name) : NULL;

		status = n ? add_parameter(t, n, ops->parameters[i], out, e)
			   : asc_err_set(e, ASC_INPUT,
					 "its configuration has no %s, which %s needs; "
					 "\"parameters\" of its workload's \"export\" may name "
					 "one",
					 ops->parameters[i], ops->name);
	}
	/* Parameters that the library names come first, in its order. */
	for (const struct json_node *m = status == ASC_OK && !ops->parameters && names->parameters
						 ? json_first(names->parameters)
						 : NULL;
	     m && status == ASC_OK; m = json_next(m)) {
		const char *own = library_names_own(names->parameters, json_key(m));
		const struct json_node *n = own ? json_find(json_root(doc), own) : NULL;

		if (n)
			status = add_parameter(t, n, json_key(m), out, e);
	}
	for (const struct json_node *n = status == ASC_OK ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n)) {
		const char *name = library_name(names, json_key(n));

		if (!ops->parameters && json_find(names->parameters, name))
			continue;
		if (ops->by_place)
			status = asc_err_set(e, ASC_INPUT,
					     "%s knows parameters by their places, which "
					     "\"parameters\" of its workload's \"export\" has to "
					     "give: %s has none",
					     ops->name, name);
		else if (!ops->parameters)
			status = add_parameter(t, n, name, out, e);
		else if (!str_is_in(name, ops->parameters))
			status = asc_err_set(e, ASC_INPUT,
					     "its configuration has %s, which %s does not take",
					     name, ops->name);
	}
	json_close(doc);
	return status;
}

bool reader_naming_is(const struct reader_naming *names, const char *key,
		      const struct reader_config *c)
{
	size_t matched = 0;

	for (const char *at = key; at && *at;) {
		const char *end = at + strcspn(at, ","),
			   *equals = memchr(at, '=', (size_t)(end - at));
		struct value v;

		if (!equals)
			return false;
		for (size_t i = 0; i < c->n; i++) {
			const char *own = library_names_own(names->parameters, c->list[i].name);

			if (own && strlen(own) == (size_t)(equals - at) &&
			    strncmp(own, at, strlen(own)) == 0 &&
			    value_parse(equals + 1, (size_t)(end - equals - 1), &v))
				matched += value_equal(v, c->list[i].value);
		}
		at = *end ? end + 1 : end;
	}
	return matched == c->n;
}

void reader_naming_print(const struct reader_naming *names, const struct reader_config *c,
			 struct buf *out)
{
	char text[VALUE_TEXT_MAX + 1];

	for (size_t i = 0; i < c->n; i++) {
		(void)value_print(c->list[i].value, text, sizeof text);
		buf_print(out, "%s%s=%s", i > 0 ? "," : "",
			  library_names_own(names->parameters, c->list[i].name), text);
	}
}
