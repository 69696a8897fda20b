#include "reports/results/run_table.h"

#include <stdlib.h>
#include <string.h>

static void parameter_fini(struct run_parameter *p)
{
	for (size_t k = 0; k < p->n_values; k++)
		free(p->values[k]);
	free(p->values);
	free(p->name);
}

static void implementation_fini(struct run_implementation *i)
{
	for (size_t k = 0; k < i->n_parameters; k++)
		parameter_fini(&i->parameters[k]);
	free(i->parameters);
	free(i->name);
}

void run_table_fini(struct run_table *t)
{
	for (size_t k = 0; k < t->n; k++) {
		free(t->trials[k].config_key);
		free(t->trials[k].picks);
	}
	for (size_t k = 0; k < t->n_implementations; k++)
		implementation_fini(&t->implementations[k]);
	free(t->trials);
	free(t->implementations);
	*t = (struct run_table){0};
}

bool run_trial_is_timed(const struct run_trial *t)
{
	return t->status == RESULT_OK && t->median_ns > 0;
}

bool run_trial_is_verified(const struct run_trial *t)
{
	return (t->status == RESULT_OK || t->status == RESULT_UNDECIDED) && t->median_ns > 0;
}

const struct run_trial *run_table_fastest(const struct run_table *t)
{
	const struct run_trial *best = NULL;

	for (size_t k = 0; k < t->n; k++) {
		const struct run_trial *x = &t->trials[k];

		if (run_trial_is_timed(x) && (!best || x->median_ns < best->median_ns))
			best = x;
	}
	return best;
}

const struct run_trial *run_table_find(const struct run_table *t, const char *implementation,
				       const char *config_key)
{
	for (size_t k = t->n; k-- > 0;) {
		const struct run_trial *x = &t->trials[k];

		if (strcmp(x->config_key, config_key) == 0 &&
		    strcmp(t->implementations[x->implementation].name, implementation) == 0)
			return x;
	}
	return NULL;
}
