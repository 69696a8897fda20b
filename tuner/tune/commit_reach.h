/* Files of a commit that workloads reach: those that their keys, their builds and their runs may
 * read. A file too many costs a millisecond, a file too few a build that fails. */
#ifndef ASCTUNE_TUNE_COMMIT_REACH_H
#define ASCTUNE_TUNE_COMMIT_REACH_H

#include <stddef.h>

#include "tuner/base/err.h"

struct git_tree;

/* Writes what the workloads reach whose files are wanted already (git/git_tree.h), into `to`, the
 * tree's folder; `root` is that of the checkout, `here` the current folder from there, or NULL
 * where that lies outside:
 *
 * - of each workload's file every text that is a path of the commit, from the folder of the file,
 *   from the root, from the current folder or below `root`, alone, at the end of a flag or before
 *   ":": a file comes with its folder and all below it (of the root a module with the others
 *   there), a folder with all in it;
 * - of each source every file whose path ends with a name that it includes or imports, in whatever
 *   folder: flags and the environment say where compilers look. Where a text does not say what it
 *   includes, the whole commit.
 *
 * ASC_FULL, ASC_IO and what git_tree_write() fails with. */
enum asc_status commit_reach_write(struct git_tree *tree, const char *to, const char *root,
				   const char *here, struct asc_err *e);

/* Length of a flag's beginning behind which a path follows at once: 2 of "-Iinclude"; 0: none. */
size_t commit_reach_flag(const char *flag);

#endif
