#include "tuner/cmd/again/again.h"

#include <stdlib.h>

#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/guard.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/source_commit.h"
#include "tuner/workload/workload.h"

enum asc_status scratch_open_commit(const char *path, const char *commit,
				    const struct json_node *sources, const char *implementation,
				    struct scratch_workload *out, struct asc_err *e)
{
	if (guard_make_scratch("asctune-past", &out->folder, e) ||
	    source_commit_write(path, commit, sources, out->folder, &out->path, e) ||
	    sandbox_grant(out->path, false, e) ||
	    workload_file_open(out->path, false, false, &out->workload, e))
		return e->status;
	if (implementation && !workload_find_implementation(out->workload, implementation))
		return asc_err_set(e, ASC_NOTFOUND, "it has no implementation %s", implementation);
	return ASC_OK;
}

void scratch_close(struct scratch_workload *f)
{
	workload_close(f->workload);
	dir_remove(f->folder);
	free(f->folder);
	free(f->path);
	*f = (struct scratch_workload){0};
}

void again_write_medians(const struct confirmation *c, enum confirmation_side side, const char *key,
			 struct json_writer *w)
{
	json_write_begin(w, key, '[');
	for (size_t k = 0; k < c->n; k++)
		json_write_real(w, NULL, c->sessions[k].time[side].median);
	json_write_end(w, ']');
}
