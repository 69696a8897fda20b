#include "tuner/workload/workload_read.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/tensor_file.h"

enum { MAX_NAME = 64, SHOWN_NAME = 80 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS  "0123456789"

/* Reserved names: as names in formulas, or as macros, they would change the meaning of these and of
 * kernels. */
static const char *const formula_words[] = {"and",   "or",     "not", "in",   "True",
					    "False", "device", "if",  "else", "int",
					    "float", "sizeof", NULL};
static const char *const c_words[] = {
	"auto",   "break",    "case",   "char",     "const",  "continue", "default", "do",
	"double", "enum",     "extern", "for",      "goto",   "inline",   "long",    "register",
	"return", "restrict", "short",  "signed",   "static", "struct",   "switch",  "typedef",
	"union",  "unsigned", "void",   "volatile", "while",  NULL};

enum asc_status name_check(const char *name, struct asc_err *e)
{
	size_t len = strlen(name);
	if (len == 0 || len > MAX_NAME || strspn(name, LETTERS DIGITS "_.+-") != len ||
	    strchr("_.+-", *name))
		return asc_err_set(
			e, ASC_INPUT,
			"\"%.*s%s\" is no name: expected up to %d letters, digits and _ . + -, "
			"a letter or digit first",
			SHOWN_NAME, name, len > SHOWN_NAME ? "..." : "", MAX_NAME);
	if (strcmp(name, "all") == 0)
		return asc_err_set(e, ASC_INPUT,
				   "the name \"all\" is reserved: it stands for every name");
	return ASC_OK;
}

enum asc_status workload_default_name(const struct json_node *n, const char **name,
				      struct asc_err *e)
{
	if (*name)
		return ASC_OK;
	char *path = json_path(n);
	char *text = path ? json_alloc(n, strlen(path) + 1) : NULL;
	if (text)
		*name = memcpy(text, path, strlen(path) + 1);
	free(path);
	return text ? ASC_OK : asc_err_nomem(e);
}

enum asc_status workload_check_name(const struct json_node *n, const char *name, struct asc_err *e)
{
	struct asc_err why;
	if (!n || json_is_faulty(n))
		return ASC_OK;

	return name_check(name, &why) ? json_fail(n, e, "%s", why.text) : ASC_OK;
}

enum asc_status identifier_check(const char *name, bool is_macro, struct asc_err *e)
{
	size_t len = strlen(name);
	if (len == 0 || len > MAX_NAME || strspn(name, LETTERS DIGITS "_") != len ||
	    !strchr(LETTERS, *name))
		return asc_err_set(
			e, ASC_INPUT,
			"\"%.*s%s\" is no C identifier: expected up to %d letters, digits and "
			"_, a letter first",
			SHOWN_NAME, name, len > SHOWN_NAME ? "..." : "", MAX_NAME);
	if (str_is_in(name, formula_words) || (is_macro && str_is_in(name, c_words)))
		return asc_err_set(e, ASC_INPUT, "the name \"%s\" is a reserved word", name);
	return ASC_OK;
}

enum asc_status workload_check_identifier(const struct json_node *n, const char *name,
					  struct asc_err *e)
{
	struct asc_err why;

	return identifier_check(name, true, &why) ? json_fail(n, e, "%s", why.text) : ASC_OK;
}

enum asc_status workload_check_count(const struct json_node *n, const char *what, size_t most,
				     struct asc_err *e)
{
	if (json_count(n) <= most)
		return ASC_OK;
	return json_fail(n, e, "has %zu %s, expected at most %zu", json_count(n), what, most);
}

static bool is_sound_text(const struct json_node *n, const char **text)
{
	struct asc_err none;
	return n && json_type(n) == JSON_STRING && json_get_string(n, text, &none) == ASC_OK;
}

enum asc_status workload_check_distinct(const struct json_node *array, const char *key,
					struct asc_err *e)
{
	const char *one = NULL, *two = NULL;
	if (json_is_faulty(array))
		return ASC_OK; /* too long to be looked at in pairs */
	for (const struct json_node *a = json_first(array); a; a = json_next(a)) {
		const struct json_node *name = json_find(a, key);
		const struct json_node *b = json_first(array);
		if (!is_sound_text(name, &one))
			continue;
		/* Only earlier elements: of two equal names the second is the fault. */
		while (b != a && !(is_sound_text(json_find(b, key), &two) && strcmp(one, two) == 0))
			b = json_next(b);
		if (b != a &&
		    json_ends(name, json_fail(name, e, "the name \"%s\" is used twice", one)))
			return e->status;
	}
	return ASC_OK;
}

static enum asc_status key_refuse(const struct json_node *n, const char *kind,
				  const struct key_rule *rule, struct asc_err *e)
{
	struct buf keys = {0};
	const char *comma = "";
	for (size_t i = 0; rule->required[i]; i++, comma = ", ")
		buf_print(&keys, "%s%s", comma, rule->required[i]);
	for (size_t i = 0; rule->optional[i]; i++, comma = ", ")
		buf_print(&keys, "%s%s", comma, rule->optional[i]);
	if (!*comma)
		buf_add_str(&keys, "no further keys");
	enum asc_status s =
		json_fail(n, e, "does not go with \"%s\", which takes %s", kind, buf_str(&keys));
	buf_fini(&keys);
	return s;
}

enum asc_status workload_check_keys(const struct json_node *object, const char *tag,
				    const char *kind, const struct key_rule *rule,
				    struct asc_err *e)
{
	/* A stray key may be the required one, misspelt, and is a fault already. */
	for (size_t i = 0; rule->required[i] && !json_has_stray(object); i++)
		if (!json_find(object, rule->required[i]) &&
		    json_ends(object, json_fail(object, e, "\"%s\" needs the key \"%s\"", kind,
						rule->required[i])))
			return e->status;
	for (const struct json_node *c = json_first(object); c; c = json_next(c)) {
		const char *key = json_key(c);
		if (strcmp(key, tag) != 0 && strncmp(key, "X-", 2) != 0 &&
		    !str_is_in(key, rule->required) && !str_is_in(key, rule->optional) &&
		    json_ends(c, key_refuse(c, kind, rule, e)))
			return e->status;
	}
	return ASC_OK;
}

bool workload_source_is_module(const char *source)
{
	/* A file may have a colon in its path, a module has no slash. */
	return !strchr(source, '/') && strchr(source, ':');
}

enum asc_status workload_check_source(const struct workload *w, const struct json_node *n,
				      const char *source, struct asc_err *e)
{
	enum asc_status s = ASC_OK;
	if (!source)
		return ASC_OK;
	char *path = path_join(w->folder, source);
	if (!path)
		return asc_err_nomem(e);
	if (!*source)
		s = json_fail(n, e, "is empty, expected the name of a file");
	else if (!file_exists(path))
		s = json_fail(n, e, "there is no file %s", path);
	else if (file_find_special(path))
		s = json_fail(n, e, "%s is %s, expected a file", path, file_find_special(path));
	free(path);
	return s;
}

enum asc_status workload_check_data(const struct workload *w, const struct json_node *n,
				    const char *file, bool npy, struct asc_err *e)
{
	if (!n || json_is_faulty(n))
		return ASC_OK;
	const enum tensor_format format = tensor_file_format(file);

	if (format == TENSOR_FILE_NONE || (format == TENSOR_FILE_NPY && !npy))
		return json_fail(n, e, "\"%s\": expected the name of a .safetensors%s file", file,
				 npy ? " or .npy" : "");
	return workload_check_source(w, n, file, e);
}
