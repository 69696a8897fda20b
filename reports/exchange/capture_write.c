/* The files of a capture: its forms, a workload for each, and the summary.
 *
 * The summary has the digest of each workload as it was written. A file that has another one was
 * edited since, and stays as it is. One that was not edited goes with its form. */
#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/exchange/capture.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/dtype.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/base/symbols.h"

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

static enum asc_status add_form(struct capture_forms *f, const struct capture_kernel *kernel,
				const char *reason, struct asc_err *e)
{
	struct capture_form form = {.kernel = kernel};
	struct buf name = {0};

	buf_print(&name, "%s:%s", kernel->module, kernel->name);
	form.operator_name = arena_copy(&f->arena, buf_str(&name));
	if (reason)
		snprintf(form.reason, sizeof form.reason, "%s", reason);
	const enum asc_status s = buf_check(&name, e);

	buf_fini(&name);
	if (s || !form.operator_name || !array_room(&f->list, f->n, &f->capacity, sizeof *f->list))
		return asc_err_nomem(e);
	f->list[f->n++] = form;
	return ASC_OK;
}

/* Adds a problem to its form; `keys` are those of the kernel's forms, the first of which is number
 * `first`. */
static enum asc_status add_problem(struct capture_forms *f, struct symbols *keys, size_t first,
				   const struct capture_kernel *kernel,
				   const struct capture_problem *p, struct asc_err *e)
{
	const char *reason = kernel->reason ? kernel->reason : p->reason;
	struct buf key = {0};
	struct capture_form *form;

	if (!reason && !kernel->source)
		reason = "its source was not recorded";
	/* All problems that cannot be tuned for one reason are one line. */
	if (reason)
		buf_print(&key, "!%s", reason);
	else
		print_form(p, &key);
	const uint32_t at = buf_check(&key, e) ? SYMBOL_NONE : symbols_add(keys, buf_str(&key));

	buf_fini(&key);
	if (at == SYMBOL_NONE)
		return asc_err_nomem(e);
	if (first + at == f->n && add_form(f, kernel, reason, e))
		return e->status;
	form = &f->list[first + at];
	if (!array_room(&form->problems, form->n_problems, &form->capacity,
			sizeof(struct capture_problem *)))
		return asc_err_nomem(e);
	form->problems[form->n_problems++] = p;
	return ASC_OK;
}

/* Names of forms, without case, since a file system may ignore it. */
struct form_names {
	struct symbols taken;
	struct symbols bases; /* names without a number */
	unsigned *last;       /* number of the last form of each base */
	size_t capacity;
};

/* Number of a name without case; `add` puts in one that is new. SYMBOL_NONE: it is not there, or
 * out of memory. */
static uint32_t find_name(struct symbols *names, const char *name, bool add)
{
	char lower[MAX_NAME + 1];
	size_t n = 0;

	for (; name[n] && n < MAX_NAME; n++)
		lower[n] = (char)tolower((unsigned char)name[n]);
	lower[n] = '\0';
	return add ? symbols_add(names, lower) : symbols_find(names, lower);
}

/* Names a form after its kernel, by what a workload's name may have; further ones of one name have
 * a number. */
static enum asc_status name_form(struct form_names *names, struct capture_form *form,
				 struct asc_err *e)
{
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
	if (n == 0)
		memcpy(base, "kernel", sizeof "kernel");
	const size_t known = names->bases.n;
	const uint32_t number = find_name(&names->bases, base, true);

	if (number == SYMBOL_NONE ||
	    !array_room(&names->last, number, &names->capacity, sizeof *names->last))
		return asc_err_nomem(e);
	if (number == known)
		names->last[number] = 0;
	do {
		const unsigned k = ++names->last[number];

		if (k == 1)
			snprintf(form->name, sizeof form->name, "%s", base);
		else
			snprintf(form->name, sizeof form->name, "%s.%u", base, k);
	} while (find_name(&names->taken, form->name, false) != SYMBOL_NONE);
	return find_name(&names->taken, form->name, true) == SYMBOL_NONE ? asc_err_nomem(e)
									 : ASC_OK;
}

static enum asc_status name_forms(struct capture_forms *f, struct asc_err *e)
{
	/* Files of the capture itself, and what chooses all workloads. */
	static const char *const others[] = {"capture", "options", "all"};
	struct form_names names = {0};
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < sizeof others / sizeof *others && s == ASC_OK; i++)
		if (find_name(&names.taken, others[i], true) == SYMBOL_NONE)
			s = asc_err_nomem(e);
	for (size_t i = 0; i < f->n && s == ASC_OK; i++)
		s = name_form(&names, &f->list[i], e);
	symbols_fini(&names.taken);
	symbols_fini(&names.bases);
	free(names.last);
	return s;
}

enum asc_status capture_find_forms(const struct capture *c, struct capture_forms *out,
				   struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	*out = (struct capture_forms){0};
	for (size_t i = 0; i < c->n_kernels && s == ASC_OK; i++) {
		const struct capture_kernel *k = &c->kernels[i];
		const size_t first = out->n;
		struct symbols keys = {0};

		for (size_t p = 0; p < k->n_problems && s == ASC_OK; p++)
			s = add_problem(out, &keys, first, k, &k->problems[p], e);
		symbols_fini(&keys);
	}
	return s == ASC_OK ? name_forms(out, e) : s;
}

void capture_forms_fini(struct capture_forms *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].problems);
	free(f->list);
	free(f->left);
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

/* A sum of many records may be beyond what was checked in each. */
static void write_calls(struct json_writer *w, double calls)
{
	json_write_count(w, "calls", (uint64_t)fmin(calls, CAPTURE_MOST));
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
		write_calls(&w, calls);
		json_write_count(&w, "shapes", form->n_problems);
		json_write_count(&w, "problems", form->n_kept);
		json_write_real(&w, "time_ns", form_ns(form));
		json_write_real(&w, "tuned_s", k->tuned_s);
		snprintf(file, sizeof file, "%s.json", form->name);
		json_write_string(&w, "workload", *form->reason ? NULL : file);
		json_write_string(&w, "digest", *form->reason ? NULL : form->digest);
		json_write_bool(&w, "edited", form->edited);
		json_write_string(&w, "reason", *form->reason ? form->reason : NULL);
		json_write_string(&w, "doubt", *form->doubt ? form->doubt : NULL);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_begin(&w, "skipped", '[');
	for (size_t i = 0; i < c->n_skipped; i++) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "kernel", c->skipped[i].name);
		json_write_string(&w, "reason", c->skipped[i].reason);
		write_calls(&w, c->skipped[i].calls);
		json_write_end(&w, '}');
	}
	json_write_end(&w, ']');
	json_write_begin(&w, "left", '[');
	for (size_t i = 0; i < forms->n_left; i++) {
		json_write_begin(&w, NULL, '{');
		json_write_string(&w, "workload", forms->left[i].file);
		json_write_string(&w, "digest", forms->left[i].digest);
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

/* Workloads that the last summary has, with their digests as they were written. */
struct written {
	struct symbols files;
	struct written_file {
		const char *digest; /* borrowed from the summary */
		bool current;       /* a form has it now */
	} * list;
	size_t capacity;
	struct json_doc *summary; /* NULL: there is none */
};

/* True for the name of a workload in the folder itself: a summary may be anybody's. */
static bool is_workload_name(const char *file)
{
	return str_ends_with(file, ".json") && file[0] != '.' && !strchr(file, '/');
}

/* Reads a list of the summary; what has no file, or no digest, is no workload. */
static enum asc_status read_written(struct written *w, const struct json_node *list,
				    struct asc_err *e)
{
	for (const struct json_node *n = json_first(list); n; n = json_next(n)) {
		const char *file = NULL, *digest = NULL;
		const size_t known = w->files.n;
		struct asc_err none;

		if (json_get_string(json_find(n, "workload"), &file, &none) ||
		    json_get_string(json_find(n, "digest"), &digest, &none) ||
		    !is_workload_name(file))
			continue;
		const uint32_t at = symbols_add(&w->files, file);

		if (at == SYMBOL_NONE || !array_room(&w->list, at, &w->capacity, sizeof *w->list))
			return asc_err_nomem(e);
		if (at == known)
			w->list[at] = (struct written_file){.digest = digest};
	}
	return ASC_OK;
}

static enum asc_status open_written(struct written *w, const char *path, struct asc_err *e)
{
	enum asc_status s = file_exists(path) ? json_open_file(path, &w->summary, e) : ASC_OK;

	/* A summary that cannot be read knows no file: all that is there counts as edited. */
	if (s == ASC_OK && w->summary)
		s = read_written(w, json_find(json_root(w->summary), "kernels"), e);
	if (s == ASC_OK && w->summary)
		s = read_written(w, json_find(json_root(w->summary), "left"), e);
	return s == ASC_NOMEM ? s : ASC_OK;
}

static void written_fini(struct written *w)
{
	symbols_fini(&w->files);
	free(w->list);
	json_close(w->summary);
}

/* A workload that was written; NULL: it is not known. */
static struct written_file *find_written(const struct written *w, const char *file)
{
	const uint32_t at = symbols_find(&w->files, file);

	return at == SYMBOL_NONE ? NULL : &w->list[at];
}

/* Finds whether a file has been edited: it is there, and is neither the new text nor what the last
 * summary says was written. */
static enum asc_status find_edited(const struct written_file *known, const char *path,
				   const struct buf *text, bool *edited, struct asc_err *e)
{
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
		*edited = s == ASC_OK && (!known || strcmp(known->digest, digest) != 0);
	}
	buf_fini(&have);
	return s;
}

static enum asc_status write_form(const struct capture *c, struct capture_form *form,
				  const struct written *w, size_t most, struct asc_err *e)
{
	char *file = str_print("%s.json", form->name);
	struct written_file *known = file ? find_written(w, file) : NULL;
	char *path = file ? path_join(c->folder, file) : NULL;
	struct buf text = {0};
	enum asc_status s =
		path ? capture_write_workload(c, form, most, &text, e) : asc_err_nomem(e);

	if (s == ASC_OK && !*form->reason)
		s = find_edited(known, path, &text, &form->edited, e);
	if (known)
		known->current = !*form->reason;
	if (s == ASC_OK && !*form->reason && !form->edited) {
		s = digest_text(&text, form->digest, e);
		if (s == ASC_OK)
			s = file_write(path, buf_str(&text), text.len, e);
	} else if (s == ASC_OK && form->edited && known) {
		snprintf(form->digest, sizeof form->digest, "%s", known->digest);
	}
	buf_fini(&text);
	free(file);
	free(path);
	return s;
}

/* Removes a workload that no form has any more, unless it was edited: what somebody has written is
 * left, and named. */
static enum asc_status remove_written(const struct capture *c, struct capture_forms *forms,
				      const char *file, const char *digest, struct asc_err *e)
{
	struct capture_left left = {arena_copy(&forms->arena, file),
				    arena_copy(&forms->arena, digest)};
	char *path = path_join(c->folder, file);
	struct buf have = {0};
	char is[HASH_TEXT_SIZE] = "";
	enum asc_status s = path && left.file && left.digest ? ASC_OK : asc_err_nomem(e);

	if (s == ASC_OK && file_exists(path)) {
		/* A folder, or what cannot be read, is no file of this program's. */
		s = file_read(path, 0, &have, e) == ASC_OK ? digest_text(&have, is, e)
		    : e->status == ASC_NOMEM               ? e->status
							   : ASC_OK;
		if (s == ASC_OK && strcmp(is, digest) != 0) {
			if (!array_room(&forms->left, forms->n_left, &forms->left_capacity,
					sizeof *forms->left))
				s = asc_err_nomem(e);
			else
				forms->left[forms->n_left++] = left;
		} else if (s == ASC_OK && unlink(path) != 0) {
			s = file_fail(e, "remove", path);
		}
	}
	buf_fini(&have);
	free(path);
	return s;
}

enum asc_status capture_write(const struct capture *c, struct capture_forms *forms, size_t most,
			      struct asc_err *e)
{
	char *path = path_join(c->folder, "capture.json");
	struct written w = {0};
	struct buf text = {0}, lines = {0};
	enum asc_status s = path ? open_written(&w, path, e) : asc_err_nomem(e);

	for (size_t i = 0; i < forms->n && s == ASC_OK; i++)
		if (!*forms->list[i].reason)
			s = write_form(c, &forms->list[i], &w, most, e);
	for (size_t i = 0; i < w.files.n && s == ASC_OK; i++)
		if (!w.list[i].current)
			s = remove_written(c, forms, symbols_text(&w.files, (uint32_t)i),
					   w.list[i].digest, e);
	if (s == ASC_OK) {
		capture_print(c, forms, &text);
		json_print_lines(buf_str(&text), &lines);
		s = buf_check(&text, e) ? e->status : buf_check(&lines, e);
	}
	if (s == ASC_OK)
		s = file_write(path, buf_str(&lines), lines.len, e);
	written_fini(&w);
	buf_fini(&text);
	buf_fini(&lines);
	free(path);
	return s;
}
