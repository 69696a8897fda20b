#include "tuner/worker/measurement.h"

#include <stdio.h>

#include "tuner/base/units.h"
#include "tuner/worker/harm.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

bool measurement_is_over(const struct measurement *m)
{
	return m->race->until_ns > 0 && clock_now_ns() >= m->race->until_ns;
}

enum asc_status measurement_enter(struct measurement *m, enum phase phase, struct asc_err *e)
{
	m->result->phase = phase;
	m->config->problem->observed = false;
	m->beat_ns = clock_now_ns();
	return m->race->watch.phase(m->race->watch.user, m->config->id, phase,
				    m->pass ? m->pass : m->step, e);
}

enum asc_status measurement_refuse(struct measurement *m, enum result_status status,
				   const struct asc_err *e)
{
	if (e->status == ASC_ABSENT)
		status = RESULT_UNSUPPORTED;
	else if (e->status == ASC_TIMEOUT) /* the device has one of its own */
		status = RESULT_TIMEOUT;
	result_set(m->result, status, m->result->phase, "%s", e->text);
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

void measurement_set_harm(struct measurement *m, const struct harm *harm, enum phase phase)
{
	const bool named = harm->scratch >= 0 && harm->scratch < WORKLOAD_MAX_SCRATCH;
	struct result *r = m->result;
	char stray[64];

	if (harm->damaged)
		result_set(r, RESULT_WRONG, phase, "wrote outside of tensor %s%s", harm->damaged,
			   print_stray(harm->stray, stray, sizeof stray));
	else if (harm->between)
		result_set(r, RESULT_WRONG, phase,
			   "wrote between the elements of tensor %s, %lld byte%s from its start",
			   harm->between, (long long)harm->within, harm->within == 1 ? "" : "s");
	else if (harm->changed)
		result_set(r, RESULT_WRONG, phase, "wrote to tensor %s, which is an input",
			   harm->changed);
	else if (harm->falsified)
		result_set(r, RESULT_WRONG, phase,
			   "wrote outside of its tensors, to the reference of tensor %s",
			   harm->falsified);
	else if (harm->variables)
		result_set(r, RESULT_WRONG, phase,
			   "wrote outside of its tensors, to the copy of what variables of its "
			   "module begin with");
	else if (harm->scratch >= 0)
		result_set(r, RESULT_WRONG, phase, "wrote outside of %s%s",
			   named ? "scratch tensor " : "a scratch buffer",
			   named ? m->config->implementation->scratch[harm->scratch].name : "");
}
