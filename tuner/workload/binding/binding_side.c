#include "tuner/workload/binding/binding_side.h"

#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/workload/binding/binding.h"

/* Compares two tensors of one name by their words, which have all that a launch depends on. */
static enum asc_status check_tensor(const struct binding *head, size_t i, const struct binding *own,
				    size_t k, struct asc_err *e)
{
	struct buf there = {0}, here = {0};
	enum asc_status s;

	binding_print_tensor(head, i, &there);
	binding_print_tensor(own, k, &here);
	s = buf_check(&there, e) ? e->status : buf_check(&here, e);
	if (!s && strcmp(buf_str(&there), buf_str(&here)) != 0)
		s = asc_err_set(e, ASC_INPUT, "inputs differ: %s is %s in %s, expected %s",
				own->workload->tensors[k].name, buf_str(&here), own->workload->path,
				buf_str(&there));
	buf_fini(&there);
	buf_fini(&here);
	return s;
}

enum asc_status binding_side_init(struct binding_side *s, const struct binding *head,
				  const struct binding *own, struct asc_err *e)
{
	const struct workload *of_head = head->workload, *w = own->workload;

	*s = (struct binding_side){.binding = own, .n_head = of_head->n_tensors};
	for (size_t k = 0; k < w->n_tensors; k++) {
		const size_t i = s->tensors[k] = workload_place_tensor(of_head, w->tensors[k].name);

		if (i == of_head->n_tensors)
			return asc_err_set(e, ASC_INPUT, "inputs differ: %s has no tensor %s",
					   of_head->path, w->tensors[k].name);
		if (check_tensor(head, i, own, k, e))
			return e->status;
	}
	for (size_t i = 0; i < of_head->n_tensors; i++)
		if (workload_place_tensor(w, of_head->tensors[i].name) == w->n_tensors)
			return asc_err_set(e, ASC_INPUT, "inputs differ: %s has no tensor %s",
					   w->path, of_head->tensors[i].name);
	return ASC_OK;
}

void binding_side_take(const struct binding_side *s, struct plan *p)
{
	const size_t n = s->binding->workload->n_tensors;

	for (size_t i = 0; i < p->n_arguments; i++) {
		struct bound_argument *a = &p->arguments[i];

		/* Scratch tensors follow those of the workload. */
		if (a->kind == ARG_TENSOR || a->kind == ARG_TENSOR_MAP)
			a->tensor =
				a->tensor < n ? s->tensors[a->tensor] : s->n_head + (a->tensor - n);
	}
}
