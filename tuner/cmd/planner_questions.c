#include "tuner/cmd/planner_questions.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tuner/base/file.h"
#include "tuner/cmd/command.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/limits/verdict_table.h"

enum asc_status planner_questions_open(const struct planner_options *o, struct planner_questions *q,
				       struct asc_err *e)
{
	struct target *t = &q->target;
	enum asc_status s = workload_open(o->file, &q->workload, e);

	if (s == ASC_OK && o->device)
		s = target_plan(o->device, t, e);
	if (s == ASC_OK && (!o->device || strcmp(t->ops->name, "npu") != 0 || !target_limits(t)))
		s = asc_err_set(e, ASC_USAGE,
				"%s needs a model of an NPU, as --device Ascend910B3 (asctune list "
				"devices --all)",
				o->option);
	return s ? s : target_check(t, q->workload, o->problems, o->implementation, e);
}

enum asc_status planner_questions_ask(const struct planner_options *o, struct planner_questions *q,
				      const volatile sig_atomic_t *stop, struct asc_err *e)
{
	const long threads = sysconf(_SC_NPROCESSORS_ONLN);
	const size_t jobs = o->jobs ? (size_t)o->jobs : threads > 0 ? (size_t)threads : 1;
	const char *model = q->target.limits.name;
	char *cache = NULL, *program = NULL;
	enum asc_status s = ASC_OK;

	/* The sandbox is settled before the first child starts. */
	if (o->trust)
		sandbox_leave_off();
	if (sandbox_grant(o->file, true, e) || places_cache(&cache, e) ||
	    places_program(&program, e))
		s = e->status;
	if (s == ASC_OK)
		s = verdicts_open(cache, model, program, jobs, stop, &q->desk, e);
	free(cache);
	free(program);
	if (s != ASC_ABSENT)
		return s;
	const struct asc_err why = *e;

	return asc_err_set(e, ASC_ABSENT,
			   "no planner for %s: %s; spaces are pruned by the workload's `memory` "
			   "without one",
			   model, why.text);
}

bool planner_row(const struct verdict *answer, struct verdict_row *out)
{
	static const enum row_verdict kinds[] = {[VERDICT_FITS] = ROW_FITS,
						 [VERDICT_REFUSED] = ROW_REFUSED,
						 [VERDICT_UNSUPPORTED] = ROW_UNSUPPORTED};
	const bool fits = answer->kind == VERDICT_FITS;

	/* A failure of the source or of the machine says nothing of the kernel's memory. */
	if (!fits && answer->kind != VERDICT_REFUSED && answer->kind != VERDICT_UNSUPPORTED)
		return false;
	*out = (struct verdict_row){
		.verdict = kinds[answer->kind],
		.space = answer->kind == VERDICT_REFUSED ? verdict_space_name(answer->space) : "",
		.ub_bytes = fits ? answer->planned_bytes[VERDICT_UB] : -1,
		.l1_bytes = fits ? answer->planned_bytes[VERDICT_L1] : -1,
		.l0c_bytes = fits ? answer->planned_bytes[VERDICT_L0C] : -1,
		.retries = fits ? (int)answer->retries : -1};
	return true;
}

enum asc_status planner_questions_none(const struct planner_options *o,
				       const struct planner_questions *q, struct asc_err *e)
{
	return asc_err_set(e, ASC_INPUT,
			   "%s: nothing to ask: no Triton kernel covers the problems on %s",
			   o->file, q->target.limits.name);
}

void planner_questions_close(struct planner_questions *q)
{
	verdicts_close(q->desk);
	workload_close(q->workload);
	*q = (struct planner_questions){0};
}
