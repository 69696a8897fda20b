/* The commit of the folder that a workload is in, as git has it: what a history is compared by when
 * a kernel became slower.
 *
 * git is asked as git/git_repository says: it runs no program. A stranger's workload
 * (sandbox_require()) has no commit. */
#ifndef ASCTUNE_TUNE_SOURCE_COMMIT_H
#define ASCTUNE_TUNE_SOURCE_COMMIT_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/git/git_repository.h"

struct impl_searches;
struct json_node;

struct source_commit {
	char id[GIT_ID_SIZE]; /* "": no repository, no git, or it did not answer */
	bool clean; /* no file that git knows in the workload's folder, and none that the workload
		       reads, differs from the commit; other new files do not count */
};

/* Finds the commit of the folder of `path`, a workload's file. `searches` name the sources. What is
 * not known is no failure. */
void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out);

/* Finds the commit that git calls `name` (HEAD~1, a branch, an abbreviated number) in the
 * repository of `path`, a workload's file. ASC_NOTFOUND: there is none; ASC_ABSENT: no repository.
 */
enum asc_status source_commit_resolve(const char *path, const char *name, struct source_commit *out,
				      struct asc_err *e);

/* Writes a workload's file and the files that it names into the folder `to`, with what these
 * include, as they are in a commit, without filters. `sources` of one of its implementations
 * ({"PATH": "KEY", ...}, as recorded; NULL: not asked) have to be what was recorded. *file is the
 * path of the workload's file there, on the heap. ASC_ABSENT: there is no repository, or it does
 * not have the commit, or not these sources. */
enum asc_status source_commit_write(const char *path, const char *commit,
				    const struct json_node *sources, const char *to, char **file,
				    struct asc_err *e);

#endif
