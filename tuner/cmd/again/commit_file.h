/* A workload's file as it is in a commit, in a scratch folder with the sources that it names,
 * opened, which children may read. */
#ifndef ASCTUNE_CMD_AGAIN_COMMIT_FILE_H
#define ASCTUNE_CMD_AGAIN_COMMIT_FILE_H

#include "tuner/base/err.h"

struct json_node;
struct workload;

struct commit_file { /* the caller's storage, zeroed at first */
	char *folder, *path;
	struct workload *workload;
};

/* `path`: the workload's file today; `commit`, `sources` and ASC_ABSENT: as for
 * source_commit_write(). Closed by the caller, whatever comes of it. */
enum asc_status commit_file_open(const char *path, const char *commit,
				 const struct json_node *sources, struct commit_file *out,
				 struct asc_err *e);
void commit_file_close(struct commit_file *f);

#endif
