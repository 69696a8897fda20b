/* Functions of Python libraries as calls (builder python): how a file names one and says how it is
 * called. What of a source is a file's name, for every builder. */
#include "tuner/workload/workload_read.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

/* Longer names are refused before they are printed. */
enum { MAX_SHOWN = 80 };

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
#define DIGITS  "0123456789"

/* https://docs.python.org/3/reference/lexical_analysis.html#keywords */
static const char *const keywords[] = {
	"False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
	"class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
	"from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
	"or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield",    NULL};

/* ---- reading ---- */

enum asc_status callable_read_returns(const struct json_node *n, void *member, struct asc_err *e)
{
	struct callable *c = member;

	return workload_read_names(n, "tensor", NULL, &c->python.names, e);
}

enum asc_status callable_read_tensors(const struct json_node *n, void *member, struct asc_err *e)
{
	static const char *const views[] = {"torch", NULL};
	struct callable *c = member;
	int choice;

	if (workload_read_choice(n, "kind of tensors", views, &choice, e))
		return e->status;
	c->python.torch = true;
	return ASC_OK;
}

/* ---- names of functions ---- */

/* Length of the file's name in FILE.py:function; 0: it is a module's function. */
static size_t file_length(const char *source)
{
	const char *colon = strrchr(source, ':');
	const size_t length = colon ? (size_t)(colon - source) : 0;

	return length > 3 && strncmp(colon - 3, ".py", 3) == 0 ? length : 0;
}

bool source_is_file(const char *builder, const char *source)
{
	if (strcmp(builder, "python") == 0)
		return file_length(source) > 0;
	return strcmp(builder, "vendor") != 0 && !workload_source_is_module(source);
}

char *source_path(const struct workload *w, const char *builder, const char *source)
{
	const bool python = strcmp(builder, "python") == 0;
	char *file = strndup(source, python ? file_length(source) : strlen(source));
	char *path = file ? path_join(w->folder, file) : NULL;

	free(file);
	return path;
}

char *python_function_absolute(const struct workload *w, const char *source)
{
	return file_length(source) > 0 ? path_join(w->folder, source) : str_dup(source);
}

static bool is_identifier(const char *name, size_t len)
{
	bool keyword = false;

	for (size_t i = 0; keywords[i]; i++)
		keyword |= strlen(keywords[i]) == len && strncmp(keywords[i], name, len) == 0;
	return len > 0 && !strchr(DIGITS, *name) && strspn(name, LETTERS DIGITS) >= len && !keyword;
}

static enum asc_status identifier_fail(const struct json_node *n, const char *name, size_t len,
				       struct asc_err *e)
{
	return json_fail(n, e, "\"%.*s\" is no Python identifier",
			 len > MAX_SHOWN ? MAX_SHOWN : (int)len, name);
}

/* Checks identifiers with dots between, name[0..len). */
static enum asc_status dotted_check(const struct json_node *n, const char *name, size_t len,
				    struct asc_err *e)
{
	for (const char *part = name, *end = name + len; part <= end;) {
		const char *dot = memchr(part, '.', (size_t)(end - part));
		const size_t k = (size_t)((dot ? dot : end) - part);

		if (!is_identifier(part, k))
			return identifier_fail(n, part, k, e);
		part += k + 1;
	}
	return ASC_OK;
}

/* Checks the name of a function, module:function or FILE.py:function of a file that is there. */
static enum asc_status function_check(const struct workload *w, const struct json_node *n,
				      const char *name, struct asc_err *e)
{
	const char *colon = strrchr(name, ':');
	char *file;

	if (!colon || colon == name || !colon[1])
		return json_fail(n, e,
				 "is \"%s\", expected a Python function: module:function, or "
				 "FILE.py:function",
				 name);
	if (dotted_check(n, colon + 1, strlen(colon + 1), e))
		return e->status;
	if (file_length(name) == 0)
		return dotted_check(n, name, (size_t)(colon - name), e);
	file = strndup(name, file_length(name));
	if (!file)
		return asc_err_nomem(e);
	const enum asc_status status = workload_check_source(w, n, file, e);

	free(file);
	return status;
}

enum asc_status python_check_source(const struct workload *w, struct callable *c, struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, "source"),
			       *entry = json_find(c->node, "entry");
	struct per_device *p = &c->entry;

	if (entry && json_ends(entry, json_fail(entry, e,
						"stands in the source already: builder "
						"python has no key for it")))
		return e->status;
	if (json_ends(n, function_check(w, n, c->source, e)) || json_is_faulty(n))
		return e->status;
	*p = (struct per_device){.n = 1};
	p->list[0].name = strrchr(c->source, ':') + 1;
	return ASC_OK;
}

/* ---- checks ---- */

/* Refuses the keys of Python's calls in others. */
static enum asc_status keys_refuse(const struct callable *c, struct asc_err *e)
{
	static const char *const keys[] = {"returns", "make", "available", "tensors", NULL};

	for (size_t k = 0; keys[k] && c->builder; k++) {
		const struct json_node *n = json_find(c->node, keys[k]);

		if (n && json_ends(n, json_fail(n, e,
						"is for Python functions (builder python), "
						"not for builder %s",
						c->builder)))
			return e->status;
	}
	for (size_t k = 0; k < c->n_arguments && c->builder; k++) {
		const struct json_node *n = json_find(c->arguments[k].node, "name");

		if (n && json_ends(n, json_fail(n, e,
						"is for Python functions (builder python): "
						"builder %s passes arguments in order",
						c->builder)))
			return e->status;
	}
	return ASC_OK;
}

/* Finds the tensors that come back, and checks that they are outputs, each once. */
static enum asc_status returns_check(const struct workload *w, struct callable *c,
				     struct asc_err *e)
{
	struct python_use *p = &c->python;
	const struct json_node *n = p->names.n > 0 ? json_first(p->names.node) : NULL;
	const char *known[WORKLOAD_MAX_TENSORS + 1] = {0};

	for (size_t i = 0; i < w->n_tensors; i++)
		known[i] = w->tensors[i].name;
	for (size_t k = 0; k < p->names.n; n = json_next(n)) {
		if (json_is_faulty(n))
			continue; /* not among the names */
		const char *name = p->names.names[k];
		const struct name_list before = {p->names.names, k, NULL};
		const size_t tensor = workload_place_tensor(w, name);

		k++;
		if (k > 1 && name_list_has(&before, name)) {
			if (json_ends(n, json_fail(n, e, "tensor \"%s\" is returned twice", name)))
				return e->status;
			continue;
		}
		if (tensor == w->n_tensors) {
			/* A name may be that of a tensor that a fault hides. */
			if (workload_is_whole(json_root(w->doc), "tensors") &&
			    json_ends(n, json_fail_unknown(n, e, "tensor", name, known)))
				return e->status;
			continue;
		}
		if (w->tensors[tensor].role == ROLE_IN) {
			if (json_ends(n, json_fail(n, e,
						   "tensor \"%s\" is an input, expected an "
						   "output",
						   name)))
				return e->status;
			continue;
		}
		p->returns[p->n_returns++] = tensor;
	}
	return ASC_OK;
}

/* Place of the first argument that is passed by that name; n_arguments: there is none. */
static size_t find_keyword(const struct callable *c, const char *name)
{
	size_t k = 0;

	while (k < c->n_arguments &&
	       !(c->arguments[k].name && strcmp(c->arguments[k].name, name) == 0))
		k++;
	return k;
}

/* Checks that a keyword is an identifier, is given once, and that no argument by place follows. */
static enum asc_status keywords_check(const struct callable *c, struct asc_err *e)
{
	const char *first = NULL;

	for (size_t k = 0; k < c->n_arguments; k++) {
		const struct argument *a = &c->arguments[k];
		const struct json_node *n = json_find(a->node, "name");
		enum asc_status s = ASC_OK;

		if (!n && first && !json_has_stray(a->node) && !json_is_faulty(a->node))
			s = json_fail(a->node, e,
				      "has no \"name\" and stands behind \"%s\", which is passed "
				      "by its name",
				      first);
		if (n && a->name && !json_is_faulty(n)) {
			first = first ? first : a->name;
			if (find_keyword(c, a->name) < k)
				s = json_fail(n, e, "\"%s\" is passed twice", a->name);
			else if (!is_identifier(a->name, strlen(a->name)))
				s = identifier_fail(n, a->name, strlen(a->name), e);
		}
		if (json_ends(a->node, s))
			return s;
	}
	return ASC_OK;
}

/* Checks constants and parameters, which are passed by their names too. */
static enum asc_status values_check(const struct implementation *i, const struct callable *c,
				    struct asc_err *e)
{
	size_t n = c->n_arguments + c->n_constants;

	for (size_t k = 0; k < c->n_constants; k++) {
		const struct constant *v = &c->constants[k];

		if (find_keyword(c, v->name) < c->n_arguments &&
		    json_ends(v->node,
			      json_fail(v->node, e, "\"%s\" is an argument already", v->name)))
			return e->status;
	}
	for (size_t k = 0; k < i->n_parameters; k++) {
		const struct parameter *p = &i->parameters[k];

		if (!name_list_has(&c->parameters, p->name))
			continue;
		n++;
		if (find_keyword(c, p->name) < c->n_arguments &&
		    json_ends(p->node,
			      json_fail(p->node, e, "\"%s\" is an argument already", p->name)))
			return e->status;
	}
	if (n > WORKLOAD_MAX_ARGUMENTS)
		return json_fail(c->node, e,
				 "has %zu arguments, constants and parameters together, expected "
				 "at most %d",
				 n, WORKLOAD_MAX_ARGUMENTS);
	return ASC_OK;
}

/* Checks the function that says whether the call can be made, and writes its file out. */
static enum asc_status available_check(const struct workload *w, struct callable *c,
				       struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, "available");
	char *whole, *kept;

	if (!c->python.available)
		return ASC_OK;
	if (function_check(w, n, c->python.available, e))
		return e->status;
	whole = python_function_absolute(w, c->python.available);
	kept = whole ? json_alloc(n, strlen(whole) + 1) : NULL;
	if (kept)
		c->python.available = memcpy(kept, whole, strlen(whole) + 1);
	free(whole);
	return kept ? ASC_OK : asc_err_nomem(e);
}

enum asc_status python_check(const struct workload *w, const struct implementation *i,
			     struct callable *c, struct asc_err *e)
{
	const struct json_node *n = c->node;

	if (!callable_is_of(c, "python"))
		return keys_refuse(c, e);
	c->python.node = n;
	if (c->twin.node && json_ends(n, json_fail(c->twin.node, e,
						   "a Python function has no twin: it is called "
						   "on the stand-in, too")))
		return e->status;
	if (json_ends(n, returns_check(w, c, e)) || json_ends(n, keywords_check(c, e)) ||
	    json_ends(n, values_check(i, c, e)) || json_ends(n, available_check(w, c, e)))
		return e->status;
	return ASC_OK;
}
