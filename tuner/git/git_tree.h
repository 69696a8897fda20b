/* Files of a commit, read from git's objects into a folder. No filter, hook, attribute (as
 * export-ignore) or sparse checkout has a say in it, and the working tree, its index and all refs
 * stay untouched.
 *
 * 1. git_tree_open() lists the names of all files of the commit.
 * 2. git_tree_want*() says which ones are wanted. Folders and names may be wanted that the commit
 *    does not have.
 * 3. git_tree_write() writes those that are new since the last call; then more may be wanted, by
 *    what these say.
 *
 * Links are made where they lead to names of the same tree. In the place of a pointer of Git LFS
 * comes the file, where the repository has it; submodules that are checked out have the files of
 * the commit that the tree names, where their own repositories have it. git_tree_print_left() names
 * what is wanted and is not there. */
#ifndef ASCTUNE_GIT_GIT_TREE_H
#define ASCTUNE_GIT_GIT_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct buf;
struct git_repository;
struct git_tree;

/* `commit`: its id. `to`: a folder that is there, empty. Both are copied; the repository is
 * borrowed. The caller owns *out. */
enum asc_status git_tree_open(const struct git_repository *r, const char *commit, const char *to,
			      struct git_tree **out, struct asc_err *e);
void git_tree_close(struct git_tree *t);

/* Paths are relative to the root, without "." and "..", and without a slash at the end. True where
 * the commit has it. */
bool git_tree_want(struct git_tree *t, const char *path);        /* one file */
bool git_tree_want_folder(struct git_tree *t, const char *path); /* all below it; "": all */
/* Files of the folder itself ("": the root) with that end of their names. */
bool git_tree_want_files(struct git_tree *t, const char *folder, const char *end);
/* Files of any folder whose path ends with the name: "gemm/tile.h" of "include/gemm/tile.h". */
bool git_tree_want_named(struct git_tree *t, const char *name);

bool git_tree_is_wanted(const struct git_tree *t, const char *path);

enum asc_status git_tree_write(struct git_tree *t, struct asc_err *e);

/* Calls `see` for each file that was written since the last call of git_tree_each(), links and
 * programs among them, by its path from the root; stops at a failure. */
typedef enum asc_status git_tree_see_fn(void *user, const char *path, struct asc_err *e);
enum asc_status git_tree_each(struct git_tree *t, git_tree_see_fn *see, void *user,
			      struct asc_err *e);

size_t git_tree_written(const struct git_tree *t); /* number of files so far */

/* Appends what is wanted and not there: "cutlass (a submodule), w.bin (a pointer of Git LFS) and 2
 * more"; nothing where all is there. */
void git_tree_print_left(const struct git_tree *t, struct buf *out);

#endif
