/* The commit of the folder that a workload is in, as git tells: what a history is compared by when
 * a kernel became slower.
 *
 * git runs in the sandbox, with the repository to read and nothing to write, and runs no program
 * that its configuration names. A stranger's workload (sandbox_require()) has no commit. */
#ifndef ASCTUNE_LOOP_SOURCE_COMMIT_H
#define ASCTUNE_LOOP_SOURCE_COMMIT_H

#include <stdbool.h>

struct impl_searches;

struct source_commit {
	char id[65]; /* "": no repository, no git, or it did not answer */
	bool clean;  /* no file that git knows in the workload's folder, and none that the workload
			reads, differs from the commit; other new files do not count */
};

/* Finds the commit of the folder of `path`, a workload's file. `searches` name the sources. What is
 * not known is no failure. */
void source_commit_find(const char *path, const struct impl_searches *searches,
			struct source_commit *out);

#endif
