#include "reports/exchange/importer.h"

#include <string.h>

#include "reports/exchange/formats/catlass.h"
#include "reports/exchange/formats/clblast.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* ---- T4, and cache files of Kernel Tuner, which are read alike ---- */

static bool is_cache(const struct import_content *c)
{
	return c->doc && t4_recognise_cache(c->doc);
}

static bool is_t4(const struct import_content *c)
{
	/* The name is a common one: files of others that have it, too, are known by more. */
	return c->doc && json_find(json_root(c->doc), "results") && !is_cache(c) &&
	       !clblast_recognise(c->doc);
}

static enum asc_status open_t4(struct import_content *c, void **file, struct asc_err *e)
{
	struct json_doc *doc = c->doc;
	struct t4 *t = NULL;

	c->doc = NULL; /* taken, whatever comes of it */
	const enum asc_status status =
		doc ? t4_open_doc(doc, &t, e) : t4_open(c->path, c->text, c->len, &t, e);

	*file = t;
	return status;
}

static const struct t4_subject *get_t4_subject(const void *file, size_t i)
{
	(void)i;
	return t4_get_subject(file);
}

static enum asc_status each_of_t4(const void *file, size_t i, t4_visit_fn *visit, void *user,
				  struct asc_err *e)
{
	(void)i;
	return t4_each(file, visit, user, e);
}

static void end_t4_records(void *file)
{
	t4_end_records(file);
}

static void close_t4(void *file)
{
	t4_close(file);
}

static const struct importer_ops t4_importer = {
	.name = "t4",
	.summary = "results in the FAIR autotuning T4 format",
	.json = true,
	.rows = true,
	.recognise = is_t4,
	.open = open_t4,
	.subject = get_t4_subject,
	.each = each_of_t4,
	.end_records = end_t4_records,
	.close = close_t4,
};

static const struct importer_ops kernel_tuner_importer = {
	.name = "kernel-tuner",
	.summary = "cache files of Kernel Tuner",
	.json = true,
	.recognise = is_cache,
	.open = open_t4,
	.subject = get_t4_subject,
	.each = each_of_t4,
	.close = close_t4,
};

/* ---- CLBlast ---- */

static bool is_clblast(const struct import_content *c)
{
	return c->doc && clblast_recognise(c->doc);
}

static enum asc_status open_clblast(struct import_content *c, void **file, struct asc_err *e)
{
	struct json_doc *doc = c->doc;
	struct clblast *own = NULL;

	c->doc = NULL;
	const enum asc_status status = clblast_open(doc, &own, e);

	*file = own;
	return status;
}

static const struct t4_subject *get_clblast_subject(const void *file, size_t i)
{
	(void)i;
	return clblast_get_subject(file);
}

static enum asc_status each_of_clblast(const void *file, size_t i, t4_visit_fn *visit, void *user,
				       struct asc_err *e)
{
	(void)i;
	return clblast_each(file, visit, user, e);
}

static void close_clblast(void *file)
{
	clblast_close(file);
}

static const struct importer_ops clblast_importer = {
	.name = "clblast",
	.summary = "clblast_*.json of CLBlast's tuners",
	.json = true,
	.recognise = is_clblast,
	.open = open_clblast,
	.subject = get_clblast_subject,
	.each = each_of_clblast,
	.close = close_clblast,
};

/* ---- catlass ---- */

static bool is_catlass(const struct import_content *c)
{
	return !c->doc && catlass_recognise(c->text);
}

static enum asc_status open_catlass(struct import_content *c, void **file, struct asc_err *e)
{
	struct catlass *own = NULL;
	const enum asc_status status = catlass_open(c->path, c->text, c->len, &own, e);

	*file = own;
	return status;
}

static size_t count_catlass(const void *file)
{
	return catlass_count(file);
}

static const struct t4_subject *get_catlass_subject(const void *file, size_t i)
{
	return catlass_get_subject(file, i);
}

static enum asc_status each_of_catlass(const void *file, size_t i, t4_visit_fn *visit, void *user,
				       struct asc_err *e)
{
	return catlass_each(file, i, visit, user, e);
}

static void close_catlass(void *file)
{
	catlass_close(file);
}

static const struct importer_ops catlass_importer = {
	.name = "catlass",
	.summary = "CSV of catlass' tuner, mstuner_catlass --output",
	.recognise = is_catlass,
	.open = open_catlass,
	.count = count_catlass,
	.subject = get_catlass_subject,
	.each = each_of_catlass,
	.close = close_catlass,
};

/* ---- the list ---- */

const struct importer_ops *const importer_list[] = {
	&t4_importer,      &kernel_tuner_importer, &clblast_importer,
	&catlass_importer, &vllm_importer,         &sglang_importer,
	&fla_importer,     &triton_importer,       NULL};

const struct importer_ops *importer_find(const char *name)
{
	for (const struct importer_ops *const *x = importer_list; *x; x++)
		if (strcmp((*x)->name, name) == 0)
			return *x;
	return NULL;
}

const struct importer_ops *importer_find_named(const char *path)
{
	for (const struct importer_ops *const *x = importer_list; *x; x++)
		if ((*x)->ending && str_ends_with(path, (*x)->ending))
			return *x;
	return NULL;
}

const struct importer_ops *importer_choose(const struct import_content *c)
{
	for (const struct importer_ops *const *x = importer_list; *x; x++)
		if ((*x)->recognise(c))
			return *x;
	return importer_list[0];
}
