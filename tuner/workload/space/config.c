#include "tuner/workload/space/config.h"

#include <string.h>

#include "tuner/base/buf.h"

static void print_one(const char *name, struct value v, struct buf *out)
{
	char text[64];

	value_print(v, text, sizeof text);
	buf_add_str(out, name);
	buf_add_char(out, '=');
	buf_add_str(out, text);
}

void config_print(const struct config *c, const char *const *names, struct buf *out)
{
	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			buf_add_char(out, ',');
		print_one(names[i], c->values[i], out);
	}
}

void config_key(const struct config *c, const char *const *names, struct buf *out)
{
	size_t order[CONFIG_MAX_PARAMETERS];

	/* By insertion: there are few parameters, and this must not allocate. */
	for (size_t i = 0; i < c->n; i++) {
		size_t at = i;
		for (; at > 0 && strcmp(names[order[at - 1]], names[i]) > 0; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	for (size_t i = 0; i < c->n; i++) {
		if (i > 0)
			buf_add_char(out, ',');
		print_one(names[order[i]], c->values[order[i]], out);
	}
}

/* ---- reading ---- */

static enum asc_status fail_unknown(const char *name, size_t len, const char *const *names,
				    struct asc_err *e)
{
	struct buf list = {0};
	char text[128];

	/* A name of this length is none anyway; its beginning is enough to recognise it. */
	if (len >= sizeof text)
		len = sizeof text - 1;
	memcpy(text, name, len);
	text[len] = '\0';
	const char *near = str_nearest(text, names);
	if (near)
		return asc_err_set(e, ASC_INPUT, "unknown parameter \"%s\", did you mean \"%s\"?",
				   text, near);
	for (size_t i = 0; names[i]; i++)
		buf_print(&list, "%s%s", i ? ", " : "; there are ", names[i]);
	asc_err_set(e, ASC_INPUT, "unknown parameter \"%s\"%s", text, buf_str(&list));
	buf_fini(&list);
	return e->status;
}

static size_t find_name(const char *name, size_t len, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i < n && (strncmp(names[i], name, len) != 0 || names[i][len] != '\0'))
		i++;
	return i;
}

static bool read_value(const char *text, size_t len, struct value *out)
{
	return value_parse(text, len, out) || value_text_find(text, len, out);
}

/* Reads one `NAME=VALUE` of `len` bytes; seen[] marks the parameters that have a value. */
static enum asc_status parse_one(const char *text, size_t len, const char *const *names, bool *seen,
				 struct config *out, struct asc_err *e)
{
	const char *equals = memchr(text, '=', len);

	if (!equals)
		return asc_err_set(e, ASC_INPUT, "expected NAME=VALUE, found \"%.*s\"", (int)len,
				   text);
	const size_t name_len = (size_t)(equals - text),
		     i = find_name(text, name_len, names, out->n);
	if (i == out->n)
		return fail_unknown(text, name_len, names, e);
	if (seen[i])
		return asc_err_set(e, ASC_INPUT, "parameter \"%s\" is given twice", names[i]);
	seen[i] = true;
	const size_t value_len = len - name_len - 1;
	if (!read_value(equals + 1, value_len, &out->values[i]))
		return asc_err_set(e, ASC_INPUT,
				   "%s: expected a number, a truth value or a text of the space, "
				   "found \"%.*s\"",
				   names[i], (int)value_len, equals + 1);
	return ASC_OK;
}

enum asc_status config_parse_over(const char *text, const char *const *names, struct config *out,
				  bool given[CONFIG_MAX_PARAMETERS], struct asc_err *e)
{
	memset(given, 0, CONFIG_MAX_PARAMETERS * sizeof *given);
	while (*text) {
		const size_t len = strcspn(text, ",");
		const enum asc_status st = parse_one(text, len, names, given, out, e);
		if (st)
			return st;
		text += len;
		if (*text != ',')
			continue;
		text++;
		text += strspn(text, " ");
		if (*text == '\0')
			return asc_err_set(e, ASC_INPUT, "expected NAME=VALUE after the last ','");
	}
	return ASC_OK;
}

static enum asc_status fail_missing(const char *const *names, size_t n, const bool *given,
				    struct asc_err *e)
{
	struct buf list = {0};
	size_t missing = 0;

	for (size_t i = 0; i < n; i++)
		if (!given[i])
			buf_print(&list, "%s\"%s\"", missing++ ? ", " : "", names[i]);
	asc_err_set(e, ASC_INPUT, "parameter%s %s %s no value", missing > 1 ? "s" : "",
		    buf_str(&list), missing > 1 ? "have" : "has");
	buf_fini(&list);
	return e->status;
}

enum asc_status config_parse(const char *text, const char *const *names, size_t n,
			     struct config *out, struct asc_err *e)
{
	bool given[CONFIG_MAX_PARAMETERS];

	out->n = n;
	if (config_parse_over(text, names, out, given, e))
		return e->status;
	for (size_t i = 0; i < n; i++)
		if (!given[i])
			return fail_missing(names, n, given, e);
	return ASC_OK;
}

bool config_find_value(const char *text, const char *name, struct value *out)
{
	const size_t n = strlen(name);

	while (*text) {
		const size_t len = strcspn(text, ",");

		if (len > n && strncmp(text, name, n) == 0 && text[n] == '=')
			return read_value(text + n + 1, len - n - 1, out);
		text += len + (text[len] == ',');
		text += strspn(text, " ");
	}
	return false;
}
