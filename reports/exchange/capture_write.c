/* The files of a capture: its forms, a workload for each, and the summary.
 *
 * The summary has the digest of each workload as it was written. A file that has another one was
 * edited since, and stays as it is. */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "reports/exchange/capture.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"

enum { MAX_NAME = 64, NAME_ROOM = 12 /* for ".N" and the file's suffix */ };

/* ---- forms ---- */

/* Parameters that a recorder's table depends on. */
static void print_columns(const struct json_node *table, struct json_writer *w)
{
	const struct json_node *by = json_find(table, "by");

	if (by)
		json_write_node(w, NULL, by);
}

/* True for a part of the autotuner's key that is the type of a tensor. */
static bool is_tensor_key(const struct capture_problem *p, const struct json_node *pair)
{
	const char *name = NULL;
	struct asc_err none;

	if (json_get_string(json_first(pair), &name, &none))
		return false;
	for (size_t i = 0; i < p->n_arguments; i++)
		if (capture_is_tensor(&p->arguments[i]) && strcmp(p->arguments[i].name, name) == 0)
			return true;
	return false;
}

/* Form of a problem: a text that problems of one workload share, compared and never read. */
static void print_form(const struct capture_problem *p, struct buf *out)
{
	static const char kinds[] = {
		[CAPTURED_TENSOR] = 't', [CAPTURED_DESCRIPTOR] = 'd', [CAPTURED_INT] = 'i',
		[CAPTURED_REAL] = 'r',   [CAPTURED_TRUTH] = 'b',      [CAPTURED_NONE] = '-',
		[CAPTURED_OTHER] = '?'};
	const struct json_node *before = p->n_sets > 0 ? p->sets[0].before : NULL;
	struct json_writer w = {.out = out};

	for (size_t i = 0; i < p->n_arguments; i++) {
		const struct capture_argument *a = &p->arguments[i];
		size_t owner = 0;
		enum dtype dtype;

		buf_print(out, "%s:%c", a->name, kinds[a->kind]);
		/* Triton passes an integer as 32 or 64 bits. */
		if (a->kind == CAPTURED_INT)
			buf_add_char(out, a->value.i >= INT32_MIN && a->value.i <= INT32_MAX ? '4'
											     : '8');
		if (!capture_is_tensor(a))
			continue;
		while (!capture_is_tensor(&p->arguments[owner]) ||
		       p->arguments[owner].storage != a->storage)
			owner++;
		buf_print(out, "%zu@%zu%s%s", a->rank, owner,
			  p->n_sets > 0 && p->sets[0].file && capture_has_name(before, a->name)
				  ? "s"
				  : "",
			  !dtype_parse(a->type, &dtype) ? a->type
			  : dtype_is_float(dtype)       ? "r"
							: "i");
	}
	print_columns(json_find(p->node, "grid"), &w);
	for (const struct json_node *n = json_first(json_find(p->node, "constants")); n;
	     n = json_next(n))
		print_columns(n, &w);
	for (const struct json_node *n = json_first(json_find(p->node, "boxes")); n;
	     n = json_next(n))
		print_columns(n, &w);
	/* Texts of the autotuner's key are no sizes: the look-up compares them. */
	for (const struct json_node *n = json_first(json_find(p->node, "key")); n;
	     n = json_next(n)) {
		const struct json_node *value = json_first(n);

		value = value ? json_next(value) : NULL;
		if (value && json_type(value) == JSON_STRING && !is_tensor_key(p, n))
			json_write_node(&w, NULL, n);
	}
}

static struct capture_form *add_form(struct capture_forms *f, const struct capture_kernel *kernel,
				     const char *key, const char *reason, struct asc_err *e)
{
	struct capture_form form = {.kernel = kernel};
	struct buf name = {0};

	buf_print(&name, "%s:%s", kernel->module, kernel->name);
	form.operator_name = arena_copy(&f->arena, buf_str(&name));
	form.key = arena_copy(&f->arena, key);
	if (reason)
		snprintf(form.reason, sizeof form.reason, "%s", reason);
	if (buf_check(&name, e) || !form.operator_name || !form.key ||
	    !array_room(&f->list, f->n, &f->capacity, sizeof *f->list)) {
		buf_fini(&name);
		asc_err_nomem(e);
		return NULL;
	}
	buf_fini(&name);
	f->list[f->n++] = form;
	return &f->list[f->n - 1];
}

static enum asc_status add_problem(struct capture_forms *f, size_t first,
				   const struct capture_kernel *kernel,
				   const struct capture_problem *p, struct asc_err *e)
{
	const char *reason = kernel->reason ? kernel->reason : p->reason;
	struct buf key = {0};
	struct capture_form *form = NULL;

	if (!reason && !kernel->source)
		reason = "its source was not recorded";
	/* What cannot be tuned for one reason is one line. */
	if (reason)
		buf_print(&key, "!%s", reason);
	else
		print_form(p, &key);
	if (buf_check(&key, e)) {
		buf_fini(&key);
		return e->status;
	}
	for (size_t i = first; i < f->n && !form; i++)
		if (strcmp(f->list[i].key, buf_str(&key)) == 0)
			form = &f->list[i];
	if (!form)
		form = add_form(f, kernel, buf_str(&key), reason, e);
	buf_fini(&key);
	if (!form)
		return e->status;
	if (!array_room(&form->problems, form->n_problems, &form->capacity,
			sizeof(struct capture_problem *)))
		return asc_err_nomem(e);
	form->problems[form->n_problems++] = p;
	return ASC_OK;
}

/* True where an earlier form has the name; a file's name may ignore case. */
static bool is_taken(const struct capture_forms *f, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcasecmp(f->list[i].name, name) == 0)
			return true;
	/* Files of the capture itself. */
	return strcasecmp(name, "capture") == 0 || strcasecmp(name, "options") == 0 ||
	       strcmp(name, "all") == 0;
}

/* Names a form after its kernel, by what a workload's name may have; further ones of one name have
 * a number. */
static void name_form(const struct capture_forms *f, size_t at)
{
	struct capture_form *form = &f->list[at];
	const char *name = form->kernel->name;
	char base[MAX_NAME + 1 - NAME_ROOM];
	size_t n = 0;

	for (; *name && n + 1 < sizeof base; name++) {
		const unsigned char c = (unsigned char)*name;
		const bool plain = c < 128 && isalnum(c);

		/* A letter or digit comes first. */
		if (plain || (n > 0 && (c == '_' || c == '.' || c == '-')))
			base[n++] = (char)c;
	}
	base[n] = '\0';
	snprintf(form->name, sizeof form->name, "%s", n ? base : "kernel");
	for (unsigned k = 2; is_taken(f, at, form->name); k++)
		snprintf(form->name, sizeof form->name, "%s.%u", n ? base : "kernel", k);
}

enum asc_status capture_find_forms(const struct capture *c, struct capture_forms *out,
				   struct asc_err *e)
{
	*out = (struct capture_forms){0};
	for (size_t i = 0; i < c->n_kernels; i++) {
		const size_t first = out->n;

		for (size_t k = 0; k < c->kernels[i].n_problems; k++)
			if (add_problem(out, first, &c->kernels[i], &c->kernels[i].problems[k], e))
				return e->status;
	}
	for (size_t i = 0; i < out->n; i++)
		name_form(out, i);
	return ASC_OK;
}

void capture_forms_fini(struct capture_forms *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].problems);
	free(f->list);
	arena_fini(&f->arena);
	*f = (struct capture_forms){0};
}

/* ---- the summary ---- */

static double form_ns(const struct capture_form *form)
{
	double sum = 0;

	for (size_t i = 0; i < form->n_problems; i++)
		sum += capture_problem_ns(form->problems[i]);
	return sum;
}

void capture_print(const struct capture *c, const struct capture_forms *forms, struct buf *out)
{
	struct json_writer w = {.out = out};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "format", "asctune-capture");
	json_write_int(&w, "version", 1);
	if (c->process)
		json_write_node(&w, "process", c->process);
	json_write_begin(&w, "kernels", '[');
	for (size_t i = 0; i < forms->n; i++) {
		const struct capture_form *form = &forms->list[i];
		const struct capture_kernel *k = form->kernel;
		char file[sizeof form->name + 5];
		double calls = 0;

		for (size_t p = 0; p < form->n_problems; p++)
			calls += form->problems[p]->calls;
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "kernel", k->name);
		json_write_string(&w, "operator", form->operator_name);
		json_write_string(&w, "package", k->package);
		json_write_string(&w, "version", k->version);
		json_write_count(&w, "calls", (uint64_t)calls);
		json_write_count(&w, "shapes", form->n_problems);
		json_write_count(&w, "problems", form->n_kept);
		json_write_real(&w, "time_ns", form_ns(form));
		json_write_real(&w, "tuned_s", k->tuned_s);
		snprintf(file, sizeof file, "%s.json", form->name);
		json_write_string(&w, "workload", *form->reason ? NULL : file);
		json_write_string(&w, "digest", *form->reason ? NULL : form->digest);
		json_write_bool(&w, "edited", form->edited);
		json_write_string(&w, "reason", *form->reason ? form->reason : NULL);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_begin(&w, "skipped", '[');
	for (size_t i = 0; i < c->n_skipped; i++) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "kernel", c->skipped[i].name);
		json_write_string(&w, "reason", c->skipped[i].reason);
		json_write_count(&w, "calls", (uint64_t)c->skipped[i].calls);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_end(&w, '}');
}

/* ---- files ---- */

static enum asc_status digest_text(const struct buf *text, char out[HASH_TEXT_SIZE],
				   struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add(&h, buf_str(text), text->len);
	return hash_end(&h, out, e);
}

/* Digest that the last summary has of a workload; NULL: it does not know that file. */
static const char *find_digest(const struct json_doc *summary, const char *file)
{
	const char *name = NULL, *digest = NULL;
	struct asc_err none;

	if (!summary)
		return NULL;
	for (const struct json_node *n = json_first(json_find(json_root(summary), "kernels")); n;
	     n = json_next(n))
		if (json_get_string(json_find(n, "workload"), &name, &none) == ASC_OK &&
		    strcmp(name, file) == 0 &&
		    json_get_string(json_find(n, "digest"), &digest, &none) == ASC_OK)
			return digest;
	return NULL;
}

/* Finds whether a file has been edited: it is there, and is neither the new text nor what the last
 * summary says was written. */
static enum asc_status find_edited(const struct json_doc *summary, const char *path,
				   const char *file, const struct buf *text, bool *edited,
				   struct asc_err *e)
{
	const char *known = find_digest(summary, file);
	char digest[HASH_TEXT_SIZE];
	struct buf have = {0};
	enum asc_status s = ASC_OK;

	*edited = false;
	if (!file_exists(path))
		return ASC_OK;
	s = file_read(path, 0, &have, e);
	if (s == ASC_OK &&
	    (have.len != text->len || memcmp(have.data, text->data, have.len) != 0)) {
		s = digest_text(&have, digest, e);
		*edited = s == ASC_OK && (!known || strcmp(known, digest) != 0);
	}
	buf_fini(&have);
	return s;
}

static enum asc_status write_form(const struct capture *c, struct capture_form *form,
				  const struct json_doc *summary, size_t most, struct asc_err *e)
{
	char *file = str_print("%s.json", form->name);
	char *path = file ? path_join(c->folder, file) : NULL;
	struct buf text = {0};
	enum asc_status s =
		path ? capture_write_workload(c, form, most, &text, e) : asc_err_nomem(e);

	if (s == ASC_OK && !*form->reason)
		s = find_edited(summary, path, file, &text, &form->edited, e);
	if (s == ASC_OK && !*form->reason && !form->edited) {
		s = digest_text(&text, form->digest, e);
		if (s == ASC_OK)
			s = file_write(path, buf_str(&text), text.len, e);
	} else if (s == ASC_OK && form->edited && find_digest(summary, file)) {
		snprintf(form->digest, sizeof form->digest, "%s", find_digest(summary, file));
	}
	buf_fini(&text);
	free(file);
	free(path);
	return s;
}

enum asc_status capture_write(const struct capture *c, struct capture_forms *forms, size_t most,
			      struct asc_err *e)
{
	char *path = path_join(c->folder, "capture.json");
	struct json_doc *summary = NULL;
	struct buf text = {0}, lines = {0};
	enum asc_status s = path ? ASC_OK : asc_err_nomem(e);

	/* One that cannot be read knows no file: all that is there counts as edited. */
	if (s == ASC_OK && file_exists(path))
		(void)json_open_file(path, &summary, e);
	for (size_t i = 0; i < forms->n && s == ASC_OK; i++)
		if (!*forms->list[i].reason)
			s = write_form(c, &forms->list[i], summary, most, e);
	if (s == ASC_OK) {
		capture_print(c, forms, &text);
		json_print_lines(buf_str(&text), &lines);
		s = buf_check(&text, e) ? e->status : buf_check(&lines, e);
	}
	if (s == ASC_OK)
		s = file_write(path, buf_str(&lines), lines.len, e);
	json_close(summary);
	buf_fini(&text);
	buf_fini(&lines);
	free(path);
	return s;
}
