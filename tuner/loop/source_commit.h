/* The commit of the folder that a workload is in, as git tells: what a history is compared by when
 * a kernel became slower.
 *
 * git runs in the sandbox, with the repository to read and nothing to write: a repository's
 * configuration may name programs. */
#ifndef ASCTUNE_LOOP_SOURCE_COMMIT_H
#define ASCTUNE_LOOP_SOURCE_COMMIT_H

#include <stdbool.h>

struct source_commit {
	char id[65]; /* "": no repository, no git, or it did not answer */
	bool clean;  /* nothing in the workload's folder differs from the commit */
};

/* Finds the commit of the folder of `path`, a workload's file. What is not known is no failure. */
void source_commit_find(const char *path, struct source_commit *out);

#endif
