#include "tuner/tune/finalist_use.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/workload.h"

struct use { /* of all calls: the most of any, and the scratch memory together */
	double threads, block_threads, shared_bytes, scratch_bytes;
	bool seen[WORKLOAD_MAX_TENSORS + WORKLOAD_MAX_SCRATCH]; /* tensors that were added */
};

static void add_use(struct use *u, const struct plan *p)
{
	const double calls = (double)p->grid[0] * (double)p->grid[1] * (double)p->grid[2];
	const double block = (double)p->block[0] * (double)p->block[1] * (double)p->block[2];

	u->threads = fmax(u->threads, fmin((double)p->threads, calls));
	u->block_threads = fmax(u->block_threads, block);
	u->shared_bytes = fmax(u->shared_bytes, (double)p->shared_bytes);
	for (size_t k = 0; k < p->n_arguments; k++) {
		const struct bound_argument *a = &p->arguments[k];

		if (a->bytes == 0 || (a->kind != ARG_SCRATCH && u->seen[a->tensor]))
			continue;
		u->scratch_bytes += (double)a->bytes;
		u->seen[a->tensor] |= a->kind != ARG_SCRATCH;
	}
}

enum asc_status finalist_use_find(const struct binding *b, const struct implementation *i,
				  const struct config *config, const struct trial *t,
				  struct finalist *out, struct asc_err *e)
{
	struct use use = {0};
	struct plan own;

	for (size_t k = 0; k < i->n_calls; k++) {
		const struct plan *plan = &own;

		if (t->n_calls > 0) /* as the artifact has completed it */
			plan = &t->calls[k].plan;
		else if (binding_plan(b, i, k, config, &own,
				      e)) /* of an evaluator that plans nothing */
			return e->status;
		add_use(&use, plan);
	}
	out->threads = use.threads;
	out->memory_bytes = use.shared_bytes;
	tie_apply_facts(out, &t->result, use.block_threads);
	out->memory_bytes += use.scratch_bytes;
	return ASC_OK;
}
