#include "tuner/cmd/again/pair_file.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/workload/workload.h"

enum asc_status pair_file_open(const struct pair_side sides[PAIR_SIDES], bool simulated,
			       struct pair_file *out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = workload_pair_print(sides, &text, e);

	if (status == ASC_OK)
		status = dir_make_scratch("asctune-pair", &out->folder, e);
	if (status == ASC_OK && !(out->path = path_join(out->folder, "pair.json")))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = file_write(out->path, buf_str(&text), text.len, e);
	/* Children read the file, and what is around both workloads. */
	if (status == ASC_OK)
		status = sandbox_grant(out->path, false, e);
	for (size_t i = 0; i < PAIR_SIDES && status == ASC_OK; i++)
		status = sandbox_grant(sides[i].workload->path, true, e);
	if (status == ASC_OK)
		status = workload_file_open(out->path, false, simulated, &out->workload, e);
	buf_fini(&text);
	return status;
}

void pair_file_close(struct pair_file *f)
{
	workload_close(f->workload);
	dir_remove(f->folder);
	free(f->folder);
	free(f->path);
	*f = (struct pair_file){0};
}
