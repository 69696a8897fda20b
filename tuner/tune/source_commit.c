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
#include "tuner/git/git_tree.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/commit_reach.h"
#include "tuner/tune/impl_search.h"
#include "tuner/workload/sources/sources.h"

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

/* Holds a source to its recorded key: `name` is relative to `folder`, that of the workload, which
 * is `depth` folders below the root. A source that a workload names by its whole path is not of the
 * commit. */
static enum asc_status check_source(const struct json_node *n, const char *commit,
				    const char *folder, int depth, struct asc_err *e)
{
	const char *name = json_key(n), *recorded;
	char key[HASH_TEXT_SIZE], *path = path_join(folder, name);
	enum asc_status status = path ? json_get_string(n, &recorded, e) : asc_err_nomem(e);

	if (status == ASC_OK && (*name == '/' || !git_stays_within(name, depth)))
		status = asc_err_set(e, ASC_ABSENT, "%s is outside of the repository", name);
	if (status == ASC_OK && !file_exists(path))
		status = asc_err_set(e, ASC_ABSENT, "git has no %s of commit %.12s", name, commit);
	if (status == ASC_OK)
		status = sources_key(path, key, e);
	if (status == ASC_OK && strcmp(key, recorded) != 0)
		status = asc_err_set(e, ASC_ABSENT, "%s of commit %.12s is not what was measured",
				     name, commit);
	free(path);
	return status;
}

/* Writes what a workload of the commit reaches; `below` is its path from the root. */
static enum asc_status write_reached(const struct git_repository *r, const char *commit,
				     const char *below, const char *to, struct asc_err *e)
{
	char id[GIT_ID_SIZE];
	struct git_tree *tree = NULL;
	enum asc_status status = git_find_commit(r, commit, id, e);

	if (status == ASC_OK && *id)
		status = git_tree_open(r, id, to, &tree, e);
	if (status == ASC_OK && (!tree || !git_tree_want(tree, below)))
		status = asc_err_set(e, ASC_ABSENT, "git has no %s of commit %.12s",
				     path_name(below), commit);
	if (status == ASC_OK)
		status = commit_reach_write(tree, to, r->root, NULL, e);
	git_tree_close(tree);
	return status;
}

enum asc_status source_commit_write(const char *path, const char *commit,
				    const struct json_node *sources, const char *to, char **file,
				    struct asc_err *e)
{
	struct git_repository r = {0};
	char *below = NULL, *folder = NULL;
	enum asc_status status = ASC_OK;
	int depth = 0;

	*file = NULL;
	if (!*commit || commit[strspn(commit, "0123456789abcdef")])
		status = asc_err_set(e, ASC_ABSENT, "%s",
				     *commit ? "it was measured with changes that no commit has"
					     : "its commit is not known");
	else
		status = find_repository(path, &r, e);
	if (status == ASC_OK) {
		const char *at = git_below_root(&r, r.folder);

		below = str_print("%s%s%s", at, *at ? "/" : "", path_name(path));
		for (const char *c = below; c && *c; c++)
			depth += *c == '/';
		*file = below ? path_join(to, below) : NULL;
		folder = *file ? path_folder(*file) : NULL;
		status = folder ? write_reached(&r, commit, below, to, e) : asc_err_nomem(e);
	}
	for (const struct json_node *n = sources ? json_first(sources) : NULL; n && !status;
	     n = json_next(n))
		status = check_source(n, commit, folder, depth, e);
	git_repository_fini(&r);
	free(below);
	free(folder);
	if (status) {
		free(*file);
		*file = NULL;
	}
	return status;
}
