#include "tuner/cmd/again/again.h"

#include <stdlib.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/cmd/workload_files.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/source_commit.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/workload.h"

/* ---- workloads in scratch files ---- */

enum asc_status scratch_open_commit(const char *path, const char *commit,
				    const struct json_node *sources, const char *implementation,
				    struct scratch_workload *out, struct asc_err *e)
{
	if (dir_make_scratch("asctune-past", &out->folder, e) ||
	    source_commit_write(path, commit, sources, out->folder, &out->path, e) ||
	    sandbox_grant(out->path, false, e) ||
	    workload_file_open(out->path, false, false, &out->workload, e))
		return e->status;
	if (implementation && !workload_find_implementation(out->workload, implementation))
		return asc_err_set(e, ASC_NOTFOUND, "it has no implementation %s", implementation);
	return ASC_OK;
}

enum asc_status scratch_open_pair(const struct pair_side sides[PAIR_SIDES], bool twins,
				  struct scratch_workload *out, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = workload_pair_print(sides, &text, e);

	if (status == ASC_OK)
		status = dir_make_scratch("asctune-pair", &out->folder, e);
	if (status == ASC_OK && !(out->path = path_join(out->folder, "pair.json")))
		status = asc_err_nomem(e);
	if (status == ASC_OK)
		status = file_write(out->path, buf_str(&text), text.len, e);
	/* Children read the file, and what is around both workloads: its sources stay there. */
	if (status == ASC_OK)
		status = sandbox_grant(out->path, false, e);
	for (size_t i = 0; i < PAIR_SIDES && status == ASC_OK; i++)
		status = sandbox_grant(sides[i].workload->path, true, e);
	if (status == ASC_OK)
		status = workload_file_open(out->path, false, twins, &out->workload, e);
	buf_fini(&text);
	return status;
}

void scratch_close(struct scratch_workload *f)
{
	workload_close(f->workload);
	dir_remove(f->folder);
	free(f->folder);
	free(f->path);
	*f = (struct scratch_workload){0};
}

/* ---- measuring ---- */

enum asc_status again_measure(const struct again *a,
			      const struct confirm_side sides[CONFIRMATION_SIDES],
			      struct confirmation *out, struct asc_err *e)
{
	struct loop_options lo = {.workload = a->workload,
				  .session = a->session,
				  .seed = a->seed,
				  .rewrites_off = a->rewrites_off,
				  .stop = a->stop};

	if (workload_open_problem(a->workload, a->problem, &lo.problem, e))
		return e->status;
	return confirm_run(&lo, a->problem_key, sides, out, e);
}

void again_write_medians(const struct confirmation *c, enum confirmation_side side, const char *key,
			 struct json_writer *w)
{
	json_write_begin(w, key, '[');
	for (size_t k = 0; k < c->n; k++)
		json_write_real(w, NULL, c->sessions[k].time[side].median);
	json_write_end(w, ']');
}
