#include "tuner/run/untrusted.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json.h"
#include "tuner/build/allowed_flags.h"
#include "tuner/build/builder.h"
#include "tuner/sources/sources.h"
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

/* Checks a file that is compiled, with the flags that it is compiled with. */
static enum asc_status check_source(const struct workload *w, const struct json_node *n,
				    const char *source, const struct name_list *flags,
				    struct asc_err *e)
{
	char *path = path_join(w->folder, source);

	if (!path)
		return asc_err_nomem(e);
	if (!path_is_within(path, w->folder))
		(void)json_fail(n, e, "%s is not in %s", source, w->folder);
	else if (sources_check_within(path, (const char *const *)flags->names, w->folder, e) ==
		 ASC_INPUT) {
		struct asc_err why = *e;
		(void)json_fail(n, e, "%s %s", source, why.text);
	}
	free(path);
	return e->status;
}

static enum asc_status check_flags(const struct workload *w, const struct callable *c,
				   struct asc_err *e)
{
	const struct builder_ops *b = builder_find(c->builder);
	struct asc_err why;
	size_t at;

	if (!allowed_flags_check(b ? b->allowed : NULL, c->flags.names, c->flags.n, w->folder, &at,
				 &why))
		return ASC_OK;
	return json_fail(element(c->flags.node, at), e, "%s", why.text);
}

static enum asc_status check_callable(const struct workload *w, const struct callable *c,
				      struct asc_err *e)
{
	const struct json_node *n = json_find(c->node, "source");

	*e = (struct asc_err){0};
	if (check_flags(w, c, e))
		return e->status;
	if (strcmp(c->builder, "vendor") == 0)
		return ASC_OK;
	if (workload_source_is_module(c->source))
		return json_fail(n, e, "\"%s\" is not a file of the workload", c->source);
	return check_source(w, n, c->source, &c->flags, e);
}

static enum asc_status check_fill(const struct workload *w, const struct fill *f, struct asc_err *e)
{
	static const struct name_list none;

	*e = (struct asc_err){0};
	return f->source ? check_source(w, json_find(f->node, "source"), f->source, &none, e)
			 : ASC_OK;
}

struct report {
	untrusted_fault_fn *say;
	void *user;
	size_t n;
};

static void add(struct report *r, enum asc_status s, const struct asc_err *e)
{
	if (s == ASC_OK)
		return;
	r->n++;
	r->say(r->user, e->text);
}

size_t untrusted_check(struct workload *w, untrusted_fault_fn *say, void *user)
{
	struct report r = {say, user, 0};
	struct asc_err e;

	for (size_t i = 0; i < w->n_tensors; i++)
		add(&r, check_fill(w, &w->tensors[i].fill, &e), &e);
	if (w->has_reference)
		add(&r, check_callable(w, &w->reference, &e), &e);
	for (size_t i = 0; i < w->n_references_on; i++)
		add(&r, check_callable(w, &w->references_on[i].call, &e), &e);
	for (size_t i = 0; i < w->n_implementations; i++)
		add(&r, check_callable(w, &w->implementations[i].call, &e), &e);
	w->untrusted = r.n == 0;
	return r.n;
}
