/* The conditions of a space under construction. The caller owns the storage; the list owns all
 * texts. Private to tuner/model. */
#ifndef ASCTUNE_MODEL_CONDITION_LIST_H
#define ASCTUNE_MODEL_CONDITION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/model/space.h"

struct condition_list {
	struct space_condition *items; /* of `texts` */
	char **texts;                  /* two for each item */
	size_t n, capacity;
	bool failed; /* out of memory: nothing more is added */
};

void condition_list_fini(struct condition_list *l);

/* Takes both heap strings; NULL is one for which there was no memory. */
void condition_list_add(struct condition_list *l, char *text, char *origin);
void condition_list_cut(struct condition_list *l, size_t n); /* keeps the first n */
enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e);

#endif
