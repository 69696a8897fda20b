#include "tuner/worker/launch_report.h"

#include <stdio.h>

#include "tuner/base/units.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

bool launch_is_over(const struct launch_context *p)
{
	return p->until_ns > 0 && clock_now_ns() >= p->until_ns;
}

enum asc_status launch_enter(struct launch_context *p, enum phase phase, struct asc_err *e)
{
	p->result->phase = phase;
	p->config->problem->observed = false;
	p->beat_ns = clock_now_ns();
	return p->watch->phase(p->watch->user, p->config->id, phase, p->step, e);
}

enum asc_status launch_refuse(struct launch_context *p, enum result_status status,
			      const struct asc_err *e)
{
	if (e->status == ASC_ABSENT)
		status = RESULT_UNSUPPORTED;
	else if (e->status == ASC_TIMEOUT) /* of the device */
		status = RESULT_TIMEOUT;
	result_set(p->result, status, p->result->phase, "%s", e->text);
	return ASC_OK;
}

/* Prints where a stray write lies, in the words of a crash (device/cpu/cpu_fault); "" where that is
 * not known. Returns `text`. */
static const char *print_stray(int64_t stray, char *text, size_t size)
{
	if (stray == 1)
		(void)snprintf(text, size, ", just past its end");
	else if (stray > 1)
		(void)snprintf(text, size, ", %lld byte%s past its end", (long long)stray - 1,
			       stray > 2 ? "s" : "");
	else if (stray < 0)
		(void)snprintf(text, size, ", %lld byte%s before its start", -(long long)stray,
			       stray < -1 ? "s" : "");
	else
		*text = '\0';
	return text;
}

void launch_set_harm(struct launch_context *p, const struct worker_problem_harm *harm,
		     enum phase phase)
{
	const bool named = harm->scratch >= 0 && harm->scratch < WORKLOAD_MAX_SCRATCH;
	struct result *r = p->result;
	char stray[64];

	if (harm->damaged)
		result_set(r, RESULT_WRONG, phase, "wrote outside of tensor %s%s", harm->damaged,
			   print_stray(harm->stray, stray, sizeof stray));
	else if (harm->changed)
		result_set(r, RESULT_WRONG, phase, "wrote to tensor %s, which is an input",
			   harm->changed);
	else if (harm->falsified)
		result_set(r, RESULT_WRONG, phase,
			   "wrote outside of its tensors, to the reference of tensor %s",
			   harm->falsified);
	else if (harm->scratch >= 0)
		result_set(r, RESULT_WRONG, phase, "wrote outside of %s%s",
			   named ? "scratch tensor " : "a scratch buffer",
			   named ? p->config->implementation->scratch[harm->scratch].name : "");
}
