#include "tuner/run/evaluator.h"

#include <string.h>

#include "tuner/base/names.h"

const struct evaluator_ops *const evaluator_list[] = {&evaluator_worker, &evaluator_replay, NULL};

static const char *const step_names[] = {FINALS_STEP_LIST(NAME_OF)};

const char *finals_step_name(enum finals_step s)
{
	return step_names[s];
}

bool finals_step_parse(const char *name, enum finals_step *out)
{
	size_t value;

	if (!name_find(step_names, sizeof step_names / sizeof *step_names, name, &value))
		return false;
	*out = (enum finals_step)value;
	return true;
}

const struct evaluator_ops *evaluator_find(const char *name)
{
	for (size_t i = 0; evaluator_list[i]; i++)
		if (strcmp(evaluator_list[i]->name, name) == 0)
			return evaluator_list[i];
	return NULL;
}
