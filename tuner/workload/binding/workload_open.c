#include "tuner/workload/binding/workload_open.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/shell.h"
#include "tuner/workload/binding/binding_scope.h"

/* Reads and checks the whole file, whose faults are gathered: *n_faults of them. *out is NULL where
 * there is no document. */
static enum asc_status gather(const char *path, const char *text, size_t len, struct workload **out,
			      size_t *n_faults, struct asc_err *e)
{
	*out = NULL;
	enum asc_status s = workload_gather(path, text, len, out, e);

	if (s == ASC_OK)
		s = binding_check(*out, e);
	/* Ended in any case, so that the document can be read like any other. */
	*n_faults = *out ? json_end_gathering((*out)->doc) : 0;
	return s;
}

/* `file`: the text is that of the file, which a command can name. */
static enum asc_status open_text(const char *path, const char *text, size_t len, bool file,
				 struct workload **out, struct asc_err *e)
{
	struct workload *w;
	struct buf word = {0};
	size_t n;
	enum asc_status s = gather(path, text, len, &w, &n, e);

	if (s == ASC_OK && n == 0) {
		*out = w;
		return ASC_OK;
	}
	if (s == ASC_OK)
		s = ASC_INPUT;
	/* The message is a command to copy: the path is quoted as a shell needs it. */
	shell_add_word(&word, path);
	if (s == ASC_INPUT && word.failed)
		asc_err_nomem(e);
	else if (s == ASC_INPUT && n == 1)
		asc_err_set(e, s, "%s", json_fault_text(w->doc, 0));
	else if (s == ASC_INPUT && n > 1 && !file)
		asc_err_set(e, s, "%s; it has %zu more faults", json_fault_text(w->doc, 0), n - 1);
	else if (s == ASC_INPUT && n > 1)
		asc_err_set(e, s, "%s; `asctune check-workload %s` lists all %zu faults",
			    json_fault_text(w->doc, 0), buf_str(&word), n);
	buf_fini(&word);
	workload_close(w);
	return e->status;
}

enum asc_status workload_open_text(const char *path, const char *text, size_t len,
				   struct workload **out, struct asc_err *e)
{
	struct buf copy = {0};

	/* A copy that ends with NUL, which the reader needs and the caller's text may lack. */
	buf_add(&copy, text, len);
	enum asc_status s = buf_check(&copy, e);
	if (s == ASC_OK)
		s = open_text(path, buf_str(&copy), copy.len, false, out, e);
	buf_fini(&copy);
	return s;
}

enum asc_status workload_open(const char *path, struct workload **out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, e);
	if (s == ASC_OK)
		s = open_text(path, buf_str(&text), text.len, true, out, e);
	buf_fini(&text);
	return s;
}

enum asc_status workload_open_known(const char *path, const char *hash, struct workload **out,
				    struct asc_err *e)
{
	struct buf text = {0};
	struct workload *w = NULL;
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, e);

	if (s == ASC_OK)
		s = workload_parse(path, buf_str(&text), text.len, &w, e);
	buf_fini(&text);
	/* The worker opens the file again: a change between coordinator and worker would mix two
	 * workloads. */
	if (s == ASC_OK && strcmp(w->hash, hash) != 0)
		s = asc_err_set(e, ASC_INPUT, "%s was changed while it was being tuned", path);
	if (s)
		workload_close(w);
	else
		*out = w;
	return s;
}

enum asc_status workload_open_problem(struct workload *w, const char *name,
				      const struct problem **out, struct asc_err *e)
{
	*out = workload_find_problem(w, name);
	if (*out)
		return ASC_OK;
	if (workload_add_problem(w, name, e))
		return e->status;
	const struct problem *added = &w->problems[w->n_problems - 1];

	if (binding_check_problem(w, added, e))
		return e->status;
	*out = added;
	return ASC_OK;
}

size_t workload_open_checked(const char *path, struct workload **out, workload_fault_fn *say,
			     void *user)
{
	struct buf text = {0};
	struct workload *w = NULL;
	struct asc_err e;
	size_t n = 0;
	enum asc_status s = file_read(path, WORKLOAD_MAX_BYTES, &text, &e);

	*out = NULL;
	if (s == ASC_OK)
		s = gather(path, buf_str(&text), text.len, &w, &n, &e);
	buf_fini(&text);
	for (size_t i = 0; i < n; i++)
		say(user, json_fault_text(w->doc, i));
	if (n == JSON_MAX_FAULTS) {
		(void)asc_err_set(&e, ASC_LIMIT, "%s: after %d faults no other is looked for", path,
				  JSON_MAX_FAULTS);
		say(user, e.text);
	} else if (s != ASC_OK && (s != ASC_INPUT || n == 0)) {
		say(user, e.text);
		n++;
	}
	if (s == ASC_OK)
		*out = w;
	else
		workload_close(w);
	return n;
}
