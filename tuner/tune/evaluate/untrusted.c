#include "tuner/tune/evaluate/untrusted.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/base/owner.h"
#include "tuner/build/allowed_flags.h"
#include "tuner/build/builder.h"
#include "tuner/process/sandbox.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload.h"
#include "tuner/workload/workload_read.h"

enum asc_status untrusted_check_file(const char *path, struct asc_err *e)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return asc_err_set(e, ASC_INPUT, "%s: is a link, which --untrusted does not follow",
				   path);
	return ASC_OK;
}

static const struct json_node *element(const struct json_node *list, size_t i)
{
	const struct json_node *n = json_first(list);

	while (i-- > 0)
		n = json_next(n);
	return n;
}

/* A function that a workload names, as it is compiled, or called in a Python. */
struct named {
	const struct json_node *node;
	const char *key;              /* its member that names the function */
	const char *builder, *source; /* source NULL: there is none */
	const struct name_list *flags;
};

static void named_of(const struct callable *c, struct named *out)
{
	*out = (struct named){c->node, "source", c->builder, c->source, &c->flags};
}

/* Gets the i-th of all implementations' calls, and behind each its twin and the function that is
 * asked before a Python's call; false after the last one. */
static bool call_get(const struct workload *w, size_t i, struct named *out)
{
	enum { EACH = 3 };
	static const struct name_list none;
	const struct implementation *one = w->implementations;

	while (one < w->implementations + w->n_implementations && i >= EACH * one->n_calls)
		i -= EACH * one++->n_calls;
	if (one == w->implementations + w->n_implementations)
		return false;
	const struct callable *c = &one->calls[i / EACH];

	if (i % EACH == 0)
		named_of(c, out);
	else if (i % EACH == 1)
		*out = (struct named){c->twin.node, "source", "cc", c->twin.source, &none};
	else
		*out = (struct named){c->node, "available", "python", c->python.available, &none};
	return true;
}

/* False after the last one. */
static bool named_get(const struct workload *w, size_t i, struct named *out)
{
	static const struct name_list none;
	size_t references = w->n_tensors + (w->reference_kind == REFERENCE_FUNCTION);
	size_t implementations = references + w->n_references_on;

	if (i < w->n_tensors)
		*out = (struct named){w->tensors[i].fill.node, "source", "cc",
				      w->tensors[i].fill.source, &none};
	else if (i < references)
		named_of(&w->reference, out);
	else if (i < implementations)
		named_of(&w->references_on[i - references].call, out);
	else
		return call_get(w, i - implementations, out);
	return true;
}

/* ---- nothing outside of the folder ---- */

static enum asc_status check_flags(const struct workload *w, const struct named *c,
				   struct asc_err *e)
{
	const struct builder_ops *b = builder_find(c->builder, NULL);
	struct asc_err why;
	size_t at;

	if (!allowed_flags_check(b ? b->allowed : NULL, c->flags->names, c->flags->n, w->folder,
				 &at, &why))
		return ASC_OK;
	return json_fail(element(c->flags->node, at), e, "%s", why.text);
}

/* Checks the file that a function is in, with the flags that it is compiled with. */
static enum asc_status check_source(const struct workload *w, const struct named *c,
				    struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, c->key);
	char *path = source_path(w, c->builder, c->source);
	enum asc_status s = ASC_OK;
	struct asc_err why;

	if (!path)
		return asc_err_nomem(e);
	errno = 0; /* false for want of memory, too */
	if (!path_is_within(path, w->folder))
		s = errno == ENOMEM ? asc_err_nomem(e)
				    : json_fail(n, e, "%s is not in %s", c->source, w->folder);
	else if (sources_check_within(path, (const char *const *)c->flags->names, w->folder, &why))
		s = why.status == ASC_NOMEM ? asc_err_nomem(e)
					    : json_fail(n, e, "%s %s", c->source, why.text);
	free(path);
	return s;
}

static enum asc_status check_named(const struct workload *w, const struct named *c,
				   struct asc_err *e)
{
	if (!c->source)
		return ASC_OK;
	if (check_flags(w, c, e))
		return e->status;
	if (source_is_file(c->builder, c->source))
		return check_source(w, c, e);
	if (strcmp(c->builder, "vendor") == 0)
		return ASC_OK;
	return json_fail(json_find(c->node, c->key), e, "\"%s\" is not in a file of the workload",
			 c->source);
}

/* Checks a file that is read, not compiled; `n` is the node that names it. */
static enum asc_status check_read(const struct workload *w, const struct json_node *n,
				  const char *file, struct asc_err *e)
{
	char *path = file ? path_join(w->folder, file) : NULL;
	enum asc_status s = file && !path ? asc_err_nomem(e) : ASC_OK;

	errno = 0; /* false for want of memory, too */
	if (path && !path_is_within(path, w->folder))
		s = errno == ENOMEM ? asc_err_nomem(e)
				    : json_fail(n, e, "%s is not in %s", file, w->folder);
	free(path);
	return s;
}

/* Gets the i-th file with contents of tensors and the node that names it; false after the last one.
 * *file is NULL where a tensor has none of its own. */
static bool contents_get(const struct workload *w, size_t i, const char **file,
			 const struct json_node **n)
{
	const struct problem *p = w->problems;

	if (i < w->n_tensors) {
		const struct fill *f = &w->tensors[i].fill;

		*file = f->file;
		*n = f->file ? json_find(f->node, "file") : NULL;
		return true;
	}
	for (i -= w->n_tensors; p < w->problems + w->n_problems && i >= p->n_sets; p++)
		i -= p->n_sets;
	if (p == w->problems + w->n_problems)
		return false;
	*file = p->sets[i].file;
	*n = p->sets[i].node;
	return true;
}

size_t untrusted_check(struct workload *w, untrusted_fault_fn *say, void *user)
{
	const struct json_node *n;
	const char *file;
	struct named c;
	struct asc_err e;
	size_t faults = 0;

	for (size_t i = 0; named_get(w, i, &c); i++)
		if (check_named(w, &c, &e)) {
			say(user, &e);
			faults++;
		}
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			if (check_read(w,
				       json_find(w->implementations[i].calls[k].node, "verdicts"),
				       w->implementations[i].calls[k].verdicts.file, &e)) {
				say(user, &e);
				faults++;
			}
	for (size_t i = 0; contents_get(w, i, &file, &n); i++)
		if (check_read(w, n, file, &e)) {
			say(user, &e);
			faults++;
		}
	w->untrusted = faults == 0;
	return faults;
}

/* ---- nothing of others ---- */

enum asc_status trusted_check(const struct workload *w, struct asc_err *e)
{
	struct named c;
	enum asc_status s = owner_check_file(w->path, e);

	for (size_t i = 0; s == ASC_OK && named_get(w, i, &c); i++) {
		if (!c.source || !source_is_file(c.builder, c.source))
			continue;
		char *path = source_path(w, c.builder, c.source);
		s = path ? sources_check_owners(path, (const char *const *)c.flags->names, e)
			 : asc_err_nomem(e);
		free(path);
	}
	if (s == ASC_IO) /* of this workload: others of a folder may be the user's */
		e->status = ASC_INPUT;
	return s ? asc_err_wrap(e, "--trust") : ASC_OK;
}

/* ---- what the sandbox lets children read ---- */

/* A file that cannot be read is no concern of the sandbox: those who need it say so. */
static enum asc_status add_named(const struct workload *w, const struct named *c, struct buf *out,
				 struct asc_err *e)
{
	char *path = source_path(w, c->builder, c->source);
	struct asc_err unread;

	if (!path)
		return asc_err_nomem(e);
	if (sources_list(path, (const char *const *)c->flags->names, out, &unread) != ASC_OK)
		buf_add(out, path, strlen(path) + 1);
	free(path);
	return ASC_OK;
}

enum asc_status named_files_list(const struct workload *w, struct buf *out, struct asc_err *e)
{
	const struct json_node *n;
	const char *file;
	struct named c;
	enum asc_status s = ASC_OK;

	buf_add(out, w->path, strlen(w->path) + 1);
	for (size_t i = 0; s == ASC_OK && named_get(w, i, &c); i++)
		if (c.source && source_is_file(c.builder, c.source))
			s = add_named(w, &c, out, e);
	for (size_t i = 0; s == ASC_OK && contents_get(w, i, &file, &n); i++) {
		char *path = file ? path_join(w->folder, file) : NULL;

		if (path)
			buf_add(out, path, strlen(path) + 1);
		else if (file)
			s = asc_err_nomem(e);
		free(path);
	}
	return s ? s : buf_check(out, e);
}

enum asc_status trusted_grant(const struct workload *w, struct asc_err *e)
{
	struct buf files = {0};
	enum asc_status s = sandbox_is_off() ? ASC_OK : named_files_list(w, &files, e);

	for (size_t at = 0; s == ASC_OK && at < files.len; at += strlen(files.data + at) + 1)
		if (!sandbox_has_named(files.data + at) &&
		    !path_is_within(files.data + at, w->folder))
			s = sandbox_grant_named(files.data + at, e);
	buf_fini(&files);
	return s;
}
