#include <stdio.h>

#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"

enum asc_status binding_find_own(const struct binding *b, const struct implementation **i,
				 struct config *out, struct asc_err *e)
{
	char reason[200] = "has no implementation";
	bool covers, found = false;
	struct space *space;
	uint64_t index;

	for (size_t k = 0; k < b->workload->n_implementations && !found; k++) {
		*i = &b->workload->implementations[k];
		if (binding_covers(b, *i, &covers, reason, sizeof reason, e))
			return e->status;
		if (!covers)
			continue;
		if (binding_space(b, *i, &space, e))
			return e->status;
		found = space_default(space, &index);
		if (found)
			space_get(space, index, out);
		else
			(void)snprintf(reason, sizeof reason, "%s has no valid configuration",
				       (*i)->name);
		space_free(space);
	}
	return found ? ASC_OK
		     : asc_err_set(e, ASC_INPUT,
				   "%s: problem %s cannot be verified, since no implementation is "
				   "its reference: %s",
				   b->workload->path, b->problem->name, reason);
}
