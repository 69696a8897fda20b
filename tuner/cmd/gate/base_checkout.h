/* A checkout and its base side by side: the base's files that workloads reach, in a scratch folder
 * that is gone when this process is, however it ends. */
#ifndef ASCTUNE_CMD_GATE_BASE_CHECKOUT_H
#define ASCTUNE_CMD_GATE_BASE_CHECKOUT_H

#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/git/git_base.h"
#include "tuner/git/git_repository.h"

struct git_tree;

struct base_checkout { /* the caller's storage, zeroed at first */
	struct git_repository repository;
	struct git_base base;
	struct git_changes changes; /* of what the workloads reach */
	char *scratch;              /* holds the base as the root holds the checkout */
	struct git_tree *tree;
};

/* Reads the base of the checkout that the paths lie in, files or folders, which need not be there.
 * `wanted`: as for git_base_find(). What is around the base is granted to children
 * (process/sandbox). The caller closes it whatever came of it. ASC_NOTFOUND, ASC_ABSENT and
 * ASC_USAGE, with what to do, where there is no base; ASC_FULL. */
enum asc_status base_checkout_open(const char *const *paths, size_t n, const char *wanted,
				   struct base_checkout *out, struct asc_err *e);
void base_checkout_close(struct base_checkout *c);

/* Path of the base's file or folder for one of the checkout: a heap string, whether or not it is
 * there; NULL out of memory. `path` need not be there, its folder has to. */
char *base_checkout_path(const struct base_checkout *c, const char *path);

/* Path of a file of the checkout from its root: a heap string; NULL: it is none of it, or memory
 * has run out. */
char *base_checkout_below(const struct base_checkout *c, const char *path);

/* Cuts a text, so that it names files from the root, whichever of the two trees they are in. */
void base_checkout_cut(const struct base_checkout *c, char *text);

#endif
