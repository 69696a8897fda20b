#include "tuner/run/evaluator.h"

#include <inttypes.h>
#include <string.h>

#include "tuner/base/names.h"

const struct evaluator_ops *const evaluator_list[] = {&evaluator_worker, &evaluator_replay, NULL};

static const char *const step_names[] = {FINALS_STEP_LIST(NAME_OF)};

const char *finals_step_name(enum finals_step s)
{
	return step_names[s];
}

enum asc_status finals_progress_parse(const char *step, struct finals_progress *p,
				      struct asc_err *e)
{
	size_t value;

	if (!name_find(step_names, sizeof step_names / sizeof *step_names, step, &value))
		return asc_err_set(e, ASC_PROTOCOL, "unknown step of finals \"%s\"", step);
	if (p->done < 0 || p->most < p->done || p->left_ns < 0)
		return asc_err_set(e, ASC_PROTOCOL,
				   "finals: %s %" PRId64 " of %" PRId64 ", %" PRId64 " ns left",
				   step, p->done, p->most, p->left_ns);
	p->step = (enum finals_step)value;
	return ASC_OK;
}

const struct evaluator_ops *evaluator_find(const char *name)
{
	for (size_t i = 0; evaluator_list[i]; i++)
		if (strcmp(evaluator_list[i]->name, name) == 0)
			return evaluator_list[i];
	return NULL;
}
