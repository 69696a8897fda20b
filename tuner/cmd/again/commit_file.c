#include "tuner/cmd/again/commit_file.h"

#include <stdlib.h>

#include "tuner/base/file.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/source_commit.h"
#include "tuner/workload/workload.h"

enum asc_status commit_file_open(const char *path, const char *commit,
				 const struct json_node *sources, struct commit_file *out,
				 struct asc_err *e)
{
	if (dir_make_scratch("asctune-past", &out->folder, e) ||
	    source_commit_write(path, commit, sources, out->folder, &out->path, e) ||
	    sandbox_grant(out->path, false, e))
		return e->status;
	return workload_file_open(out->path, false, false, &out->workload, e);
}

void commit_file_close(struct commit_file *f)
{
	workload_close(f->workload);
	dir_remove(f->folder);
	free(f->folder);
	free(f->path);
	*f = (struct commit_file){0};
}
