/* The base of a change: the commit that a checkout is compared with, and what is to be said of
 * both. */
#ifndef ASCTUNE_GIT_GIT_BASE_H
#define ASCTUNE_GIT_GIT_BASE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/git/git_repository.h"

struct git_base {
	char id[GIT_ID_SIZE];
	char head[GIT_ID_SIZE]; /* commit of the checkout */
	char *name;             /* as it was asked for: "origin/main", "HEAD"; on the heap */
	const char *by; /* who named it: "--base", "$GITHUB_BASE_REF", "its upstream", ... */
	bool merged;    /* where the checkout left that name, and not what it is by now */
	bool ancestor;  /* of the checkout's commit, or that commit itself */
};

/* Finds the base. `wanted`: a name of git's, which stands for itself; NULL: the commit where HEAD
 * left, first of these that is named:
 * - $GITHUB_BASE_REF, a branch of `origin`;
 * - $CI_MERGE_REQUEST_DIFF_BASE_SHA, $CI_MERGE_REQUEST_TARGET_BRANCH_NAME of GitLab;
 * - the upstream branch;
 * - else HEAD itself: what differs is not committed yet.
 * ASC_NOTFOUND where the clone lacks it, with the command that mends it. `out` is the caller's,
 * git_base_fini() whatever came of it. */
enum asc_status git_base_find(const struct git_repository *r, const char *wanted,
			      struct git_base *out, struct asc_err *e);
void git_base_fini(struct git_base *b);

struct git_changes {        /* files that git knows and that differ from HEAD */
	size_t n, unmerged; /* the latter are among the former */
	char first[256];    /* one of them; of the unmerged where there are some */
};

/* Finds what is not committed of the files that count, by their path from the root. Filters of the
 * repository are dropped first (git_repository_drop_filters()): where one cannot be, or git does
 * not answer, ASC_CHILD. */
typedef bool git_counts_fn(void *user, const char *path);
enum asc_status git_changes_find(struct git_repository *r, git_counts_fn *counts, void *user,
				 struct git_changes *out, struct asc_err *e);

#endif
