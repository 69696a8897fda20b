#include "tuner/worker/worker_side.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/device/device.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/workload/binding/workload_open.h"

static enum asc_status open_side(struct worker_side *s, const struct worker_problem *p,
				 const struct worker_side_request *r, struct asc_err *e)
{
	const struct binding *head = &p->binding;
	const struct problem *problem;

	if (workload_open_known(r->workload, r->hash, &s->workload, e) ||
	    workload_open_problem(s->workload, r->problem, &problem, e))
		return e->status;
	if (p->ops->info(p->device)->simulated)
		workload_use_twins(s->workload);
	if (binding_init(&s->binding, s->workload, problem, head->device, &head->facts, e))
		return e->status;
	s->binding.rewrites_off = head->rewrites_off;
	return binding_side_init(&s->side, head, &s->binding, e);
}

enum asc_status worker_side_find(struct worker_problem *p, const struct worker_side_request *r,
				 const struct worker_side **out, struct asc_err *e)
{
	struct worker_side *s = p->sides;

	while (s && (strcmp(s->workload->path, r->workload) != 0 ||
		     strcmp(s->workload->hash, r->hash) != 0 ||
		     strcmp(s->binding.problem->name, r->problem) != 0))
		s = s->next;
	*out = s;
	if (s)
		return ASC_OK;
	s = calloc(1, sizeof *s);
	if (!s)
		return asc_err_nomem(e);
	if (open_side(s, p, r, e)) {
		worker_side_free(s);
		return e->status;
	}
	s->next = p->sides;
	*out = p->sides = s;
	return ASC_OK;
}

void worker_side_free(struct worker_side *list)
{
	while (list) {
		struct worker_side *next = list->next;

		binding_fini(&list->binding);
		workload_close(list->workload);
		free(list);
		list = next;
	}
}
