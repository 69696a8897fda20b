/* Git about a workload's repository, asked as git/git_repository says. What git says is parsed as
 * bytes of a stranger: a source of an earlier commit stays within the folder that it is written to,
 * and has the content key that was recorded. */
#include "tuner/tune/source_commit.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/hash.h"
#include "tuner/base/json/json.h"
#include "tuner/git/git_repository.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/impl_search.h"
#include "tuner/workload/sources/include_scan.h"
#include "tuner/workload/sources/sources.h"

enum { SOURCE = 16 << 20 /* bytes of a file, or of the names in a folder */ };

/* Finds the repository of a workload's file; none is looked for where the workload is a stranger's.
 * ASC_ABSENT: there is none. */
static enum asc_status find_repository(const char *path, struct git_repository *out,
				       struct asc_err *e)
{
	char *folder = path_folder(path);
	enum asc_status status = folder ? ASC_OK : asc_err_nomem(e);

	*out = (struct git_repository){0};
	if (status == ASC_OK && sandbox_is_required())
		status = asc_err_set(e, ASC_ABSENT, "there is no repository that git may read");
	if (status == ASC_OK)
		status = git_repository_find(folder, out, e);
	free(folder);
	return status;
}

/* Adds the workload's file and the sources of its implementations; what is outside of the
 * repository is no change in it. */
static void find_files(const char *path, const struct git_repository *r,
		       const struct impl_searches *searches, struct git_words *f)
{
	const size_t root = strlen(r->root);

	git_words_add(f, strrchr(path, '/') + 1);
	for (size_t i = 0; i < searches->n; i++) {
		const char *sources = searches->list[i].sources;
		struct json_doc *doc = NULL;
		struct asc_err e;

		if (!sources || json_open_text("sources", sources, strlen(sources), &doc, &e))
			continue;
		for (const struct json_node *n = json_first(json_root(doc)); n; n = json_next(n))
			if (*json_key(n) != '/' || strncmp(json_key(n), r->root, root) == 0)
				git_words_add(f, json_key(n));
		json_close(doc);
	}
}

static int ask(const struct git_repository *r, const char *const *words,
	       const struct git_words *files, size_t most, struct buf *answer)
{
	const struct git_question q = {.words = words, .files = files, .most = most};

	return git_ask(r, &q, answer);
}

/* True where neither what git knows in the folder, nor what the workload reads, differs from the
 * commit: asctune's own database beside a workload does not. A submodule has a configuration of its
 * own; its commit alone is looked at. */
static bool is_clean(const struct git_repository *r, const struct git_words *files,
		     struct buf *answer)
{
	static const char *const known[] = {
		"status", "--porcelain", "-uno", "--ignore-submodules=dirty", "--", ".", NULL};
	static const char *const fresh[] = {"ls-files", "--others", "--exclude-standard", "--",
					    NULL};

	return ask(r, known, files, GIT_ANSWER, answer) == 0 && answer->len == 0 &&
	       ask(r, fresh, files, GIT_ANSWER, answer) == 0 && answer->len == 0;
}

void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out)
{
	struct git_repository r = {0};
	struct buf answer = {0};
	struct git_words files = {0};
	struct asc_err e;

	*out = (struct source_commit){.clean = false};
	if (find_repository(path, &r, &e) == ASC_OK &&
	    git_find_commit(&r, "HEAD", out->id, &e) == ASC_OK && *out->id &&
	    git_repository_drop_filters(&r, &e) == ASC_OK) {
		find_files(path, &r, searches, &files);
		out->clean = is_clean(&r, &files, &answer);
	}
	buf_fini(&answer);
	buf_fini(&files.text);
	git_repository_fini(&r);
}

enum asc_status source_commit_resolve(const char *path, const char *name, struct source_commit *out,
				      struct asc_err *e)
{
	struct git_repository r = {0};

	*out = (struct source_commit){.clean = true};
	enum asc_status status = find_repository(path, &r, e);

	if (status == ASC_ABSENT)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "%s: there is no repository that git may read", path);
	if (status == ASC_OK)
		status = git_find_commit(&r, name, out->id, e);
	if (status == ASC_OK && !*out->id)
		status = asc_err_set(e, ASC_NOTFOUND,
				     "git has no commit %s in the repository of %s", name, path);
	git_repository_fini(&r);
	return status;
}

/* ---- files of a commit ---- */

/* Writes one file; `name` is relative to the workload's folder. */
static enum asc_status write_one(const struct git_repository *r, const char *commit,
				 const char *name, const char *to, char **out, struct asc_err *e)
{
	const char *below = r->folder + strlen(r->root);
	char *object = str_print("%s:./%s", commit, name);
	char *path = str_print("%s%s/%s", to, below, name), *folder = path ? path_folder(path) : 0;
	const char *const words[] = {"cat-file", "blob", object, NULL};
	struct buf answer = {0};
	int found = 0, depth = 0;
	enum asc_status status = object && folder ? ASC_OK : asc_err_nomem(e);

	for (const char *at = below; *at; at++)
		depth += *at == '/';
	if (status == ASC_OK && !git_stays_within(name, depth))
		status = asc_err_set(e, ASC_ABSENT, "%s is outside of the repository", name);
	if (status == ASC_OK) {
		found = ask(r, words, NULL, SOURCE, &answer);
		status = git_check_answer(found, &answer, e);
	}
	if (status == ASC_OK && (found != 0 || answer.len >= SOURCE))
		status = asc_err_set(e, ASC_ABSENT, "git has no %s of commit %.12s", name, commit);
	if (status == ASC_OK)
		status = dir_make(folder, e);
	if (status == ASC_OK)
		status = file_write(path, buf_str(&answer), answer.len, e);
	buf_fini(&answer);
	free(object);
	free(folder);
	if (status)
		free(path);
	else
		*out = path;
	return status;
}

/* Writes a source and holds it to its recorded key. A source that a workload names by its whole
 * path is not of the commit. */
static enum asc_status write_source(const struct git_repository *r, const char *commit,
				    const struct json_node *n, const char *to, struct asc_err *e)
{
	const char *name = json_key(n), *recorded;
	char key[HASH_TEXT_SIZE], *path = NULL;
	enum asc_status status = json_get_string(n, &recorded, e);

	if (status == ASC_OK && *name == '/')
		status = asc_err_set(e, ASC_ABSENT, "%s is outside of the repository", name);
	if (status == ASC_OK)
		status = write_one(r, commit, name, to, &path, e);
	if (status == ASC_OK)
		status = sources_key(path, key, e);
	if (status == ASC_OK && strcmp(key, recorded) != 0)
		status = asc_err_set(e, ASC_ABSENT, "%s of commit %.12s is not what was measured",
				     name, commit);
	free(path);
	return status;
}

static enum asc_status write_included(const struct git_repository *r, const char *commit,
				      const char *name, const char *to, struct asc_err *e);

static bool is_module(const char *name)
{
	return str_is_same(strrchr(name, '.'), ".py");
}

/* Writes the modules of a folder: what a module imports is looked for there. */
static enum asc_status write_modules(const struct git_repository *r, const char *commit,
				     const char *folder, const char *to, struct asc_err *e)
{
	char *object = str_print("%s:./%s", commit, folder);
	const char *const words[] = {"ls-tree", "--full-tree", "-z", "--name-only", object, NULL};
	struct buf names = {0};
	enum asc_status status = object ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK) {
		const int found = ask(r, words, NULL, SOURCE, &names);

		status = git_check_answer(found, &names, e);
		if (found != 0) /* the commit has no such folder */
			buf_clear(&names);
	}
	for (const char *n = buf_str(&names); status == ASC_OK && *n; n += strlen(n) + 1) {
		if (!is_module(n))
			continue;
		char *module = path_join(folder, n);

		status = module ? write_included(r, commit, module, to, e) : asc_err_nomem(e);
		free(module);
	}
	buf_fini(&names);
	free(object);
	return status;
}

/* Writes a file, and what its text includes, where the commit has them; files that the compiler
 * brings along it has not. */
static enum asc_status write_included(const struct git_repository *r, const char *commit,
				      const char *name, const char *to, struct asc_err *e)
{
	char *place = str_print("%s%s/%s", to, r->folder + strlen(r->root), name), *path = NULL;
	char *folder = path_folder(name);
	struct buf text = {0}, words = {0};
	enum asc_status status = place && folder ? ASC_OK : asc_err_nomem(e);

	if (status == ASC_OK && *name != '/' && !file_exists(place))
		status = write_one(r, commit, name, to, &path, e);
	if (status == ASC_OK && path)
		status = file_read(path, SOURCE, &text, e);
	if (status == ASC_OK && path) {
		include_scan(buf_str(&text), text.len, &words);
		buf_add_char(&words, '\0');
		status = buf_check(&words, e);
	}
	for (const char *w = buf_str(&words); status == ASC_OK && *w; w += strlen(w) + 1) {
		if (*w != INCLUDE_NAME)
			continue;
		char *included = path_join(folder, w + 1);

		status = included ? write_included(r, commit, included, to, e) : asc_err_nomem(e);
		free(included);
	}
	if (status == ASC_OK && path && is_module(name))
		status = write_modules(r, commit, folder, to, e);
	buf_fini(&words);
	buf_fini(&text);
	free(folder);
	free(place);
	free(path);
	return status == ASC_ABSENT ? ASC_OK : status;
}

/* Writes the files that members `source` of a workload name: without them it cannot be opened. */
static enum asc_status write_named(const struct git_repository *r, const char *commit,
				   const struct json_node *in, const char *to, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (const struct json_node *n = json_first(in); n && status == ASC_OK; n = json_next(n)) {
		const char *name;

		if (json_type(n) == JSON_OBJECT || json_type(n) == JSON_ARRAY)
			status = write_named(r, commit, n, to, e);
		else if (str_is_same(json_key(n), "source") && json_type(n) == JSON_STRING &&
			 json_get_string(n, &name, e) == ASC_OK)
			status = write_included(r, commit, name, to, e);
	}
	return status;
}

enum asc_status source_commit_write(const char *path, const char *commit,
				    const struct json_node *sources, const char *to, char **file,
				    struct asc_err *e)
{
	struct git_repository r = {0};
	struct json_doc *doc = NULL;
	enum asc_status status = ASC_OK;

	*file = NULL;
	if (!*commit || commit[strspn(commit, "0123456789abcdef")])
		status = asc_err_set(e, ASC_ABSENT, "%s",
				     *commit ? "it was measured with changes that no commit has"
					     : "its commit is not known");
	else
		status = find_repository(path, &r, e);
	/* The workload as it was names its sources; those of the recorded list are held to their
	 * keys besides. */
	if (status == ASC_OK)
		status = write_one(&r, commit, strrchr(path, '/') + 1, to, file, e);
	if (status == ASC_OK)
		status = json_open_file(*file, &doc, e);
	if (status == ASC_OK)
		status = write_named(&r, commit, json_root(doc), to, e);
	json_close(doc);
	for (const struct json_node *n = sources ? json_first(sources) : NULL; n && !status;
	     n = json_next(n))
		status = write_source(&r, commit, n, to, e);
	git_repository_fini(&r);
	if (status) {
		free(*file);
		*file = NULL;
	}
	return status;
}
