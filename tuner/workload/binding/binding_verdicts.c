#include "tuner/workload/binding/binding_verdicts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/workload/binding/verdict_cells.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/workload_read.h"

/* A kernel as the file says it: the stand-in may have put a twin in its place. */
struct kernel {
	const char *source, *entry;
};

static struct kernel kernel_of(const struct callable *c)
{
	const bool is_stood_for = c->stood_for.source != NULL;

	return (struct kernel){
		is_stood_for ? c->stood_for.source : c->source,
		per_device_find(is_stood_for ? &c->stood_for.entry : &c->entry, "npu")};
}

static enum asc_status find_digest(const struct workload *w, const struct kernel *k,
				   char digest[HASH_TEXT_SIZE], struct asc_err *e)
{
	char *path = path_join(w->folder, k->source);
	const enum asc_status s = path ? sources_key_all(path, digest, e) : asc_err_nomem(e);

	free(path);
	return s;
}

/* ---- using ---- */

/* True where a workload's name of a file is that of a table, or leads to it from elsewhere: copies
 * of a workload have absolute names. */
static bool is_same_file(const char *source, const char *name)
{
	const size_t n = strlen(source), m = strlen(name);

	return n >= m && strcmp(source + n - m, name) == 0 && (n == m || source[n - m - 1] == '/');
}

/* Checks that a table is of the kernel of the call, and of SoCs that there are. */
static enum asc_status check_table(const struct workload *w, const struct implementation *i,
				   size_t call, const struct verdict_table *t, struct asc_err *e)
{
	const struct kernel k = kernel_of(&i->calls[call]);
	const struct verdict_heading *h = verdict_table_heading(t);
	struct verdict_columns c;
	struct limits known;
	const char *target;

	if (!is_same_file(k.source, h->source) || strcmp(h->entry, k.entry) != 0)
		return asc_err_set(e, ASC_INPUT, "is of the kernel %s in %s, not of %s in %s",
				   h->entry, h->source, k.entry, k.source);
	verdict_columns_find(w, i, call, &c);
	if (verdict_columns_order(&c, t, e))
		return e->status;
	for (size_t n = 0; (target = verdict_table_target(t, n)); n++)
		if (!limits_find(target, &known) || strcmp(known.device, "npu") != 0 ||
		    strcmp(known.name, target) != 0)
			return asc_err_set(e, ASC_INPUT, "has the target %s, which is no SoC",
					   target);
	return ASC_OK;
}

static enum asc_status open_table(const struct workload *w, const struct implementation *i,
				  size_t call, struct verdict_table **out, struct asc_err *e)
{
	char *path = path_join(w->folder, i->calls[call].verdicts.file);
	struct verdict_table *t = NULL;
	enum asc_status s = path ? verdict_table_open(path, &t, e) : asc_err_nomem(e);

	if (s == ASC_OK) {
		s = check_table(w, i, call, t, e);
		if (s != ASC_OK)
			(void)asc_err_wrap(e, "%s", path);
	}
	free(path);
	if (s == ASC_OK)
		*out = t;
	else
		verdict_table_free(t);
	return s;
}

enum asc_status workload_check_verdicts(const struct workload *w, const struct implementation *i,
					size_t call, struct asc_err *e)
{
	const struct callable *f = &i->calls[call];
	struct verdict_table *t = NULL;
	struct asc_err why;

	if (!f->verdicts.file)
		return ASC_OK;
	const enum asc_status s = open_table(w, i, call, &t, &why);

	verdict_table_free(t);
	if (s == ASC_NOMEM)
		return asc_err_nomem(e);
	return s ? json_fail(json_find(f->node, "verdicts"), e, "%s", why.text) : ASC_OK;
}

/* Checks that a sound table holds here. */
static enum asc_status check_current(const struct workload *w, const struct callable *f,
				     const struct verdict_table *t, const struct limits *l,
				     const char *planner, struct asc_err *e)
{
	const struct kernel k = kernel_of(f);
	const char *asked = verdict_table_planner(t, l->name), *target;
	char digest[HASH_TEXT_SIZE];
	struct buf targets = {0};

	if (find_digest(w, &k, digest, e))
		return e->status;
	if (strcmp(digest, verdict_table_heading(t)->digest) != 0)
		return asc_err_set(e, ASC_INPUT, "%s has changed since", k.source);
	if (asked && planner && strcmp(asked, planner) != 0)
		return asc_err_set(e, ASC_INPUT, "is of %s, and here is %s", asked, planner);
	if (asked)
		return ASC_OK;
	for (size_t n = 0; (target = verdict_table_target(t, n)); n++)
		buf_print(&targets, "%s%s", n ? ", " : ", only for ", target);
	const enum asc_status s =
		asc_err_set(e, ASC_INPUT, "has no row for %s%s", l->name, buf_str(&targets));

	buf_fini(&targets);
	return s;
}

static enum asc_status use_table(const struct workload *w, const struct implementation *i,
				 size_t call, const struct limits *l, const char *planner,
				 struct verdict_table **out, struct asc_err *e)
{
	const struct callable *f = &i->calls[call];
	struct verdict_table *t = NULL;
	enum asc_status s = open_table(w, i, call, &t, e);

	if (s == ASC_OK) {
		s = check_current(w, f, t, l, planner, e);
		if (s)
			(void)asc_err_wrap(e, "%s", f->verdicts.file);
	}
	if (s == ASC_OK) {
		*out = t;
		return ASC_OK;
	}
	verdict_table_free(t);
	if (s == ASC_NOMEM)
		return s;
	/* A space without a table is a space all the same. */
	log_print(LOG_WARN, "%s; it is not used: the expressions of \"memory\" decide", e->text);
	return ASC_OK;
}

enum asc_status workload_use_verdicts(struct workload *w, const struct limits *limits,
				      const char *planner, struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	if (!limits || strcmp(limits->device, "npu") != 0)
		return ASC_OK;
	for (size_t i = 0; i < w->n_implementations && s == ASC_OK; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls && s == ASC_OK; k++) {
			struct kernel_verdicts *v = &w->implementations[i].calls[k].verdicts;

			if (v->file && !v->table)
				s = use_table(w, &w->implementations[i], k, limits, planner,
					      &v->table, e);
		}
	return s;
}

bool workload_has_verdicts(const struct workload *w)
{
	for (size_t i = 0; i < w->n_implementations; i++)
		for (size_t k = 0; k < w->implementations[i].n_calls; k++)
			if (w->implementations[i].calls[k].verdicts.file)
				return true;
	return false;
}

/* ---- writing ---- */

static bool headings_equal(const struct verdict_heading *a, const struct verdict_heading *b)
{
	return strcmp(a->source, b->source) == 0 && strcmp(a->entry, b->entry) == 0 &&
	       strcmp(a->digest, b->digest) == 0;
}

static bool columns_equal(const struct verdict_table *a, const struct verdict_table *b)
{
	size_t n, m;
	const char *const *x = verdict_table_columns(a, &n);
	const char *const *y = verdict_table_columns(b, &m);
	size_t i = 0;

	while (i < n && i < m && strcmp(x[i], y[i]) == 0)
		i++;
	return i == n && i == m;
}

/* Adds the rows of another table of the kernel, but for those of one target by another planner. */
static enum asc_status keep_rows(struct verdict_table *t, const struct verdict_table *old,
				 const struct verdict_target *target, struct asc_err *e)
{
	const char *const asked = verdict_table_planner(old, target->name);
	const bool same = asked && strcmp(asked, target->planner) == 0;
	struct verdict_target other;

	for (size_t n = 0; (other.name = verdict_table_target(old, n)); n++) {
		other.planner = verdict_table_planner(old, other.name);
		if (strcmp(other.name, target->name) != 0 && verdict_table_add_target(t, &other, e))
			return e->status;
	}
	for (size_t n = 0; n < verdict_table_rows(old); n++) {
		const char *const *key;
		const struct verdict_row *row = verdict_table_get(old, n, &key);

		if ((same || strcmp(key[0], target->name) != 0) &&
		    verdict_table_add(t, key, row, e))
			return e->status;
	}
	return ASC_OK;
}

/* True for a table of the same kernel, changed or not. */
static bool is_of_kernel(const struct verdict_table *t, const struct kernel *k)
{
	const struct verdict_heading *h = verdict_table_heading(t);

	return strcmp(h->source, k->source) == 0 && strcmp(h->entry, k->entry) == 0;
}

enum asc_status binding_verdicts_begin(const struct workload *w, const struct implementation *i,
				       size_t call, const struct verdict_target *target,
				       const char *path, struct verdict_table **out,
				       struct asc_err *e)
{
	const struct kernel k = kernel_of(&i->calls[call]);
	struct verdict_table *t = NULL, *old = NULL;
	struct verdict_columns c;
	char digest[HASH_TEXT_SIZE];

	if (workload_source_is_module(k.source))
		return asc_err_set(e, ASC_INPUT,
				   "%s: is a module of Python: a table of verdicts is of a file",
				   k.source);
	enum asc_status s = find_digest(w, &k, digest, e);

	verdict_columns_find(w, i, call, &c);
	if (s == ASC_OK)
		s = verdict_table_new(&(struct verdict_heading){k.source, k.entry, digest}, c.names,
				      c.n, &t, e);
	if (s == ASC_OK)
		s = verdict_table_add_target(t, target, e);
	if (s == ASC_OK && path) {
		s = verdict_table_open(path, &old, e);
		/* A file that is no table is not overwritten: it may be named by mistake. */
		if (s == ASC_NOTFOUND)
			s = ASC_OK;
		else if (s == ASC_OK && !is_of_kernel(old, &k))
			s = asc_err_set(e, ASC_INPUT, "%s: is a table of %s in %s, not of %s in %s",
					path, verdict_table_heading(old)->entry,
					verdict_table_heading(old)->source, k.entry, k.source);
		else if (s == ASC_OK && columns_equal(t, old) &&
			 headings_equal(verdict_table_heading(t), verdict_table_heading(old)))
			s = keep_rows(t, old, target, e);
	}
	verdict_table_free(old);
	if (s)
		verdict_table_free(t);
	else
		*out = t;
	return s;
}

/* The cells of a configuration in the order of a table's columns. */
struct cells {
	struct buf text;
	const char *list[VERDICT_TABLE_MAX_COLUMNS];
};

/* The caller ends the text in any case. */
static enum asc_status cells_print(struct cells *out, const struct verdict_table *t,
				   const struct binding *b, const struct implementation *i,
				   size_t call, const struct config *config, struct asc_err *e)
{
	struct verdict_columns c;
	struct verdict_variant v;
	size_t ends[VERDICT_TABLE_MAX_COLUMNS];
	enum asc_status s = verdict_variant_init(&v, b, i, call, e);

	out->text = (struct buf){0};
	verdict_columns_find(b->workload, i, call, &c);
	if (s == ASC_OK)
		s = verdict_columns_order(&c, t, e);
	for (size_t k = 0; k < c.n && s == ASC_OK; k++) {
		s = verdict_variant_print(&v, &c.list[k], config->values, &out->text, e);
		buf_add_char(&out->text, '\0');
		ends[k] = out->text.len;
	}
	verdict_variant_fini(&v);
	if (s == ASC_OK)
		s = buf_check(&out->text, e);
	/* Once all are there: the text moves as it grows. */
	for (size_t k = 0; k < c.n && s == ASC_OK; k++)
		out->list[k] = out->text.data + (k ? ends[k - 1] : 0);
	return s;
}

enum asc_status binding_verdicts_add(struct verdict_table *t, const struct binding *b,
				     const struct implementation *i, size_t call,
				     const struct config *c, const struct verdict_row *row,
				     struct asc_err *e)
{
	struct cells cells;
	enum asc_status s = cells_print(&cells, t, b, i, call, c, e);

	if (s == ASC_OK)
		s = verdict_table_add(t, cells.list, row, e);
	buf_fini(&cells.text);
	return s;
}

enum asc_status binding_verdicts_find(const struct binding *b, const struct implementation *i,
				      size_t call, const struct config *c,
				      const struct verdict_row **out, struct asc_err *e)
{
	const struct verdict_table *t = i->calls[call].verdicts.table;
	struct cells cells;

	*out = NULL;
	if (!t || !b->limits)
		return ASC_OK;
	const enum asc_status s = cells_print(&cells, t, b, i, call, c, e);

	if (s == ASC_OK)
		*out = verdict_table_find(t, cells.list);
	buf_fini(&cells.text);
	return s;
}

/* ---- in words ---- */

static bool is_triton(const struct callable *f)
{
	return strcmp(f->stood_for.source ? f->stood_for.builder : f->builder, "triton") == 0;
}

bool binding_is_judged(const struct binding *b, const struct implementation *i)
{
	bool judged = false;

	for (size_t k = 0; k < i->n_calls; k++)
		judged |= is_triton(&i->calls[k]);
	return judged && b->limits && strcmp(b->limits->device, "npu") == 0;
}

enum asc_status binding_explain_verdicts(const struct binding *b, const struct implementation *i,
					 const struct config *c, struct buf *out, struct asc_err *e)
{
	for (size_t k = 0; binding_is_judged(b, i) && k < i->n_calls; k++) {
		const struct callable *f = &i->calls[k];
		const struct verdict_row *row;
		char place[CALL_MEMBER_SIZE] = "";

		if (!is_triton(f))
			continue;
		if (!f->verdicts.table && i->n_memory == 0)
			continue; /* nothing decided */
		/* A configuration that breaks other conditions may have no value for a constant. */
		if (binding_verdicts_find(b, i, k, c, &row, e) == ASC_NOMEM)
			return e->status;
		if (i->n_calls > 1)
			(void)snprintf(place, sizeof place, "calls[%zu]: ", k);
		buf_print(out, "%sthe %s decided", place,
			  row ? "table" : "expressions of \"memory\"");
		if (row) {
			buf_print(out, ", %s: ", f->verdicts.file);
			verdict_row_print(row, out);
		} else if (f->verdicts.table) {
			buf_print(out, ": %s has no row\n", f->verdicts.file);
		} else {
			buf_add_char(out, '\n');
		}
	}
	return buf_check(out, e);
}
