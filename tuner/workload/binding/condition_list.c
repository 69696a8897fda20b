#include "tuner/workload/binding/binding_space.h"

#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/workload/space/space.h"

void condition_list_cut(struct condition_list *l, size_t n)
{
	for (; l->n > n; l->n--) {
		free(l->texts[2 * l->n - 1]);
		free(l->texts[2 * l->n - 2]);
	}
}

void condition_list_fini(struct condition_list *l)
{
	condition_list_cut(l, 0);
	free(l->texts);
	free(l->items);
	*l = (struct condition_list){0};
}

void condition_list_add(struct condition_list *l, char *text, char *origin)
{
	size_t capacity = l->capacity; /* the same for both arrays: the second one notes it */

	/* NULL stands for a print that failed, so that callers add without checking each text. */
	if (!text || !origin || l->failed ||
	    !array_room(&l->items, l->n, &capacity, sizeof *l->items) ||
	    !array_room(&l->texts, l->n, &l->capacity, 2 * sizeof *l->texts)) {
		free(text);
		free(origin);
		l->failed = true;
		return;
	}
	l->texts[2 * l->n] = text;
	l->texts[2 * l->n + 1] = origin;
	l->items[l->n++] = (struct space_condition){.text = text, .origin = origin};
}

enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e)
{
	return l->failed ? asc_err_nomem(e) : ASC_OK;
}
