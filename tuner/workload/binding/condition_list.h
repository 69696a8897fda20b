/* The list of conditions on the parameters of an implementation, each with its origin. Private to
 * tuner/workload/binding.
 *
 * The caller owns the storage of a list; the list owns all texts. */
#ifndef ASCTUNE_BINDING_CONDITION_LIST_H
#define ASCTUNE_BINDING_CONDITION_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

struct space_condition;

struct condition_list {
	struct space_condition *items; /* each with two of `texts` */
	char **texts;                  /* two for each item */
	size_t n, capacity;
	bool failed; /* out of memory: later conditions are dropped */
};

void condition_list_fini(struct condition_list *l);

/* Adds a condition; takes both heap strings. NULL means out of memory. */
void condition_list_add(struct condition_list *l, char *text, char *origin);

/* Keeps the first `n` conditions. */
void condition_list_cut(struct condition_list *l, size_t n);

/* ASC_NOMEM where a condition was dropped. */
enum asc_status condition_list_check(const struct condition_list *l, struct asc_err *e);

#endif
