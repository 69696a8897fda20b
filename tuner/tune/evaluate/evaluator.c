#include "tuner/tune/evaluate/evaluator.h"

#include <string.h>

const struct evaluator_ops *const evaluator_list[] = {&evaluator_worker, &evaluator_replay, NULL};

const struct evaluator_ops *evaluator_find(const char *name)
{
	for (size_t i = 0; evaluator_list[i]; i++)
		if (strcmp(evaluator_list[i]->name, name) == 0)
			return evaluator_list[i];
	return NULL;
}
