#include "tuner/tune/commit_reach.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/git/git_tree.h"
#include "tuner/workload/sources/include_scan.h"

enum {
	TEXT_BYTES = 16 << 20, /* of a source or workload that is looked into */
	PATH_BYTES = 4096      /* of a text that may be a path */
};

static const char module[] = ".py";

struct reach {
	struct git_tree *tree;
	const char *to;
	const char *root; /* of the checkout, absolute */
	const char *here; /* current folder from the root; NULL: it lies outside */
};

/* Makes the path that a text means from a folder, both from the root, without "." and ".."; false
 * where it leads out, or is longer than a path. */
static bool join_plain(const char *folder, const char *text, struct buf *out)
{
	const char *parts[] = {folder, text};

	buf_clear(out);
	if (*text == '/' || strlen(text) > PATH_BYTES)
		return false;
	for (size_t i = 0; i < 2; i++)
		for (const char *at = parts[i]; *at;) {
			const size_t n = strcspn(at, "/");

			if (n == 2 && strncmp(at, "..", n) == 0) {
				char *slash = out->len ? strrchr(out->data, '/') : NULL;

				if (out->len == 0)
					return false;
				out->len = slash ? (size_t)(slash - out->data) : 0;
				out->data[out->len] = '\0';
			} else if (n > 0 && !(n == 1 && *at == '.')) {
				buf_print(out, "%s%.*s", out->len ? "/" : "", (int)n, at);
			}
			at += n + (at[n] == '/');
		}
	return !out->failed;
}

/* Folder of a path from the root; "" for the root. The caller's. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return str_print("%.*s", slash ? (int)(slash - path) : 0, path);
}

/* ---- workloads ---- */

/* Wants a file with what lies around it, modules beside a module, files that it opens: that is its
 * matter. Of the root, which has everything, modules alone. */
static enum asc_status want_path(struct reach *r, const char *folder, const char *text,
				 struct asc_err *e)
{
	struct buf path = {0};
	char *around = NULL;
	enum asc_status status = ASC_OK;

	if (!join_plain(folder, text, &path)) {
		status = buf_check(&path, e);
	} else if (git_tree_want(r->tree, buf_str(&path))) {
		around = folder_of(buf_str(&path));
		if (!around)
			status = asc_err_nomem(e);
		else if (*around)
			git_tree_want_folder(r->tree, around);
		else if (str_ends_with(buf_str(&path), module))
			git_tree_want_files(r->tree, "", module);
	} else if (path.len > 0) {
		git_tree_want_folder(r->tree, buf_str(&path));
	}
	free(around);
	buf_fini(&path);
	return status;
}

static const char *const prefixes[] = {"-isystem", "-iquote", "-idirafter", "-include",
				       "-imacros", "-I",      "@",          NULL};

size_t commit_reach_flag(const char *flag)
{
	for (size_t i = 0; prefixes[i]; i++)
		if (strncmp(flag, prefixes[i], strlen(prefixes[i])) == 0)
			return strlen(prefixes[i]);
	return 0;
}

/* A path from the folder of the workload, from the root, or from the current folder. */
static enum asc_status want_from(struct reach *r, const char *folder, const char *text,
				 struct asc_err *e)
{
	const size_t n = strlen(r->root);

	if (strncmp(text, r->root, n) == 0 && text[n] == '/')
		return want_path(r, "", text + n + 1, e);
	if (*text && (want_path(r, folder, text, e) || want_path(r, "", text, e) ||
		      (r->here && want_path(r, r->here, text, e))))
		return e->status;
	return ASC_OK;
}

/* Wants FILE of FILE.py:FUNCTION. */
static enum asc_status want_python(struct reach *r, const char *folder, const char *text,
				   struct asc_err *e)
{
	const char *colon = strrchr(text, ':');
	char *file = colon ? str_print("%.*s", (int)(colon - text), text) : NULL;
	enum asc_status status = colon && !file ? asc_err_nomem(e) : ASC_OK;

	if (file && str_ends_with(file, module))
		status = want_from(r, folder, file, e);
	free(file);
	return status;
}

/* A text may be a path, or have one behind the flag that takes one, "=" or ",", or before ":". */
static enum asc_status want_text(struct reach *r, const char *folder, const char *text,
				 struct asc_err *e)
{
	const size_t prefix = commit_reach_flag(text);
	const char *last = text + strlen(text);

	if (want_python(r, folder, text, e))
		return e->status;
	while (last > text && last[-1] != '=' && last[-1] != ',')
		last--;
	if (want_from(r, folder, text, e) ||
	    (prefix > 0 && want_from(r, folder, text + prefix, e)) ||
	    (last > text && want_from(r, folder, last, e)))
		return e->status;
	return ASC_OK;
}

static enum asc_status want_texts(struct reach *r, const char *folder, const struct json_node *in,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = json_first(in); n && status == ASC_OK; n = json_next(n)) {
		const char *text;

		if (json_type(n) == JSON_OBJECT || json_type(n) == JSON_ARRAY)
			status = want_texts(r, folder, n, e);
		else if (json_type(n) == JSON_STRING && json_get_string(n, &text, e) == ASC_OK)
			status = want_text(r, folder, text, e);
	}
	return status;
}

/* Looks into a workload's file; another one, or one that cannot be read, names nothing: who opens
 * it says what is wrong. */
static enum asc_status see_workload(struct reach *r, const char *path, const char *file,
				    struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct asc_err fault;
	char *folder = folder_of(path);
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && json_open_file(file, &doc, &fault))
		status = fault.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	if (doc && json_type(json_root(doc)) == JSON_OBJECT && json_find(json_root(doc), "asctune"))
		status = want_texts(r, folder, json_root(doc), e);
	json_close(doc);
	free(folder);
	return status;
}

/* ---- sources ---- */

/* Drops what leads up from where a name is found, or means nothing. */
static const char *skip_climb(const char *name)
{
	while (strncmp(name, "./", 2) == 0 || strncmp(name, "../", 3) == 0)
		name += name[1] == '/' ? 2 : 3;
	return name;
}

/* Wants the file that a macro stands for, NAME="FILE" or NAME=<FILE>. */
static void want_defined(struct reach *r, const char *define)
{
	const char *value = strchr(define, '='), *quote = value ? strpbrk(value, "\"<") : NULL;
	char name[PATH_BYTES];

	if (!quote || quote != value + 1)
		return;
	const size_t n = strcspn(quote + 1, "\">");

	if (n == 0 || n >= sizeof name)
		return;
	memcpy(name, quote + 1, n);
	name[n] = '\0';
	git_tree_want_named(r->tree, skip_climb(name));
}

static void want_words(struct reach *r, const char *words)
{
	for (const char *w = words; *w; w += strlen(w) + 1) {
		const char *name = skip_climb(w + 1);

		switch ((enum include_word) * w) {
		case INCLUDE_NAME:
		case INCLUDE_CLIMB:
		case INCLUDE_BYTES:
		case INCLUDE_IMPORT:
			if (*name && *name != '/')
				git_tree_want_named(r->tree, name);
			break;
		case INCLUDE_DEFINE: want_defined(r, w + 1); break;
		case INCLUDE_MACRO:
		case INCLUDE_OPAQUE: git_tree_want_folder(r->tree, ""); break;
		}
	}
}

static enum asc_status see_source(struct reach *r, const char *path, const char *file,
				  struct asc_err *e)
{
	struct buf text = {0}, words = {0};
	struct asc_err fault;
	enum asc_status status = ASC_OK;

	if (file_read(file, TEXT_BYTES, &text, &fault))
		status = fault.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	/* A file with NUL is no text: weights, pictures. */
	else if (text.len > 0 && !memchr(text.data, '\0', text.len)) {
		if (str_ends_with(path, module))
			import_scan(text.data, &words);
		else
			include_scan(text.data, text.len, &words);
		buf_add_char(&words, '\0');
		status = buf_check(&words, e);
	}
	if (status == ASC_OK)
		want_words(r, buf_str(&words));
	buf_fini(&words);
	buf_fini(&text);
	return status;
}

static enum asc_status see(void *user, const char *path, struct asc_err *e)
{
	struct reach *r = user;
	char *file = path_join(r->to, path);
	enum asc_status status = ASC_OK;

	if (!file)
		status = asc_err_nomem(e);
	else if (str_ends_with(path, ".json"))
		status = see_workload(r, path, file, e);
	else
		status = see_source(r, path, file, e);
	free(file);
	return status;
}

enum asc_status commit_reach_write(struct git_tree *tree, const char *to, const char *root,
				   const char *here, struct asc_err *e)
{
	struct reach r = {tree, to, root, here};
	size_t before;

	/* Until nothing is new: a header includes others. */
	do {
		before = git_tree_written(tree);
		if (git_tree_write(tree, e) || git_tree_each(tree, see, &r, e))
			return e->status;
	} while (git_tree_written(tree) > before);
	return ASC_OK;
}
