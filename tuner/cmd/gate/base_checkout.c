#include "tuner/cmd/gate/base_checkout.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/git/git_tree.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/commit_reach.h"

/* Absolute path without links of a file or folder, or of one that is gone, maybe with folders above
 * it; a heap string. */
static char *find_path(const char *path, struct asc_err *e)
{
	char *real = path_absolute(path, e), *copy = real ? NULL : str_dup(path);
	size_t n = copy ? strlen(copy) : 0;

	if (real || e->status == ASC_NOMEM)
		return real;
	while (n > 1 && copy[n - 1] == '/') /* "gone/" */
		copy[--n] = '\0';
	char *folder = copy ? path_folder(copy) : NULL, *above = NULL;

	/* Whatever is gone has nothing above it that ".." could name. */
	if (folder && strcmp(folder, copy) != 0 && strcmp(path_name(copy), "..") != 0)
		above = find_path(folder, e);
	if (above)
		real = path_join(above, path_name(copy));
	if (!folder || (above && !real))
		asc_err_nomem(e);
	free(above);
	free(folder);
	free(copy);
	return real;
}

char *base_checkout_below(const struct base_checkout *c, const char *path)
{
	struct asc_err e;
	char *real = path_absolute(path, &e);
	const char *below = real ? git_below_root(&c->repository, real) : NULL;
	char *out = below && *below ? str_dup(below) : NULL;

	free(real);
	return out;
}

char *base_checkout_path(const struct base_checkout *c, const char *path)
{
	struct asc_err e;
	char *real = find_path(path, &e);
	const char *below = real ? git_below_root(&c->repository, real) : NULL;
	char *out = below ? path_join(c->scratch, below) : NULL;

	free(real);
	return out;
}

/* Finds the repository from the first path: all others have to lie in it. */
static enum asc_status find_repository(struct base_checkout *c, const char *path, struct asc_err *e)
{
	char *real = find_path(path, e);
	char *folder = real ? str_dup(real) : NULL;

	while (folder && !dir_exists(folder)) {
		char *above = path_folder(folder);

		free(folder);
		folder = above;
	}
	enum asc_status status = !real    ? e->status
				 : folder ? git_repository_find(folder, &c->repository, e)
					  : asc_err_nomem(e);

	if (status == ASC_ABSENT) { /* of the user's place, not of the machine */
		e->status = ASC_NOTFOUND;
		status = asc_err_wrap(e, "no base to compare with");
	}
	free(folder);
	free(real);
	return status;
}

/* Wants the files beside one that the base does not have: it may have been renamed. */
static enum asc_status want_beside(struct base_checkout *c, const char *below, struct asc_err *e)
{
	char *folder = strchr(below, '/') ? path_folder(below) : str_dup("");

	if (!folder)
		return asc_err_nomem(e);
	git_tree_want_files(c->tree, folder, ".json");
	free(folder);
	return ASC_OK;
}

/* Wants a workload, or those of a folder: its files, without what lies below it. */
static enum asc_status want_workloads(struct base_checkout *c, const char *path,
				      struct git_words *folders, struct asc_err *e)
{
	char *real = find_path(path, e);
	const char *below = real ? git_below_root(&c->repository, real) : NULL;
	enum asc_status status = real ? ASC_OK : e->status;

	if (status == ASC_OK && !below)
		status = asc_err_set(e, ASC_USAGE, "%s is not in the checkout %s: one at a time",
				     path, c->repository.root);
	if (status == ASC_OK) {
		git_words_add(folders, below);
		if (!git_tree_want(c->tree, below) &&
		    !git_tree_want_files(c->tree, below, ".json") && !dir_exists(real))
			status = want_beside(c, below, e);
		if (status == ASC_OK)
			status = buf_check(&folders->text, e);
	}
	free(real);
	return status;
}

static enum asc_status write_reached(struct base_checkout *c, struct asc_err *e)
{
	char *here = path_absolute(".", e);

	if (!here)
		return e->status;
	const enum asc_status status = commit_reach_write(c->tree, c->scratch, c->repository.root,
							  git_below_root(&c->repository, here), e);

	free(here);
	return status;
}

struct counting {
	const struct git_tree *tree;
	const struct git_words *paths; /* from the root; "": it is the root */
};

/* A git_counts_fn: true for what a workload reaches in the base, and for what is new where the
 * workloads are. */
static bool is_reached(void *user, const char *path)
{
	const struct counting *c = user;
	const char *p = buf_str(&c->paths->text);
	bool below = git_tree_is_wanted(c->tree, path);

	for (size_t i = 0; !below && i < c->paths->n; i++, p += strlen(p) + 1) {
		const size_t n = strlen(p);

		below = n == 0 || (strncmp(path, p, n) == 0 && (!path[n] || path[n] == '/'));
	}
	return below;
}

enum asc_status base_checkout_open(const char *const *paths, size_t n, const char *wanted,
				   struct base_checkout *out, struct asc_err *e)
{
	struct git_words folders = {0};
	enum asc_status status = find_repository(out, paths[0], e);

	if (status == ASC_OK)
		status = git_base_find(&out->repository, wanted, &out->base, e);
	if (status == ASC_OK)
		status = guard_make_scratch("asctune-base", &out->scratch, e);
	if (status == ASC_OK)
		status = git_tree_open(&out->repository, out->base.id, out->scratch, &out->tree, e);
	for (size_t i = 0; status == ASC_OK && i < n; i++)
		status = want_workloads(out, paths[i], &folders, e);
	if (status == ASC_OK)
		status = write_reached(out, e);
	if (status == ASC_OK)
		status = sandbox_grant(out->scratch, false, e);
	if (status == ASC_OK)
		status =
			git_changes_find(&out->repository, is_reached,
					 &(struct counting){out->tree, &folders}, &out->changes, e);
	buf_fini(&folders.text);
	return status;
}

void base_checkout_close(struct base_checkout *c)
{
	git_tree_close(c->tree);
	dir_remove(c->scratch);
	git_base_fini(&c->base);
	git_repository_fini(&c->repository);
	free(c->scratch);
	*c = (struct base_checkout){.tree = NULL};
}

void base_checkout_cut(const struct base_checkout *c, char *text)
{
	const char *const trees[] = {c->scratch, c->repository.root};
	char *at = NULL;

	for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
		const size_t n = strlen(trees[i]);

		while ((at = strstr(text, trees[i])) != NULL && at[n] == '/')
			memmove(at, at + n + 1, strlen(at + n + 1) + 1);
	}
}
