/* The valid configurations of a space, written down one by one and sorted. Private to
 * tuner/model/space*.c.
 *
 * This is the only part that knows how the set is held. */
#ifndef ASCTUNE_MODEL_SPACE_LIST_H
#define ASCTUNE_MODEL_SPACE_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/model/space_core.h"

enum { SPACE_LIST_MAX = 4000000 };

/* ASC_LIMIT for more than SPACE_LIST_MAX configurations, for 2^64 combinations or more, and for a
 * search that finds no end. The parameters of `s` are borrowed. */
enum asc_status space_list_new(const struct space *s, struct space_list **out, struct asc_err *e);
void space_list_free(struct space_list *l);
uint64_t space_list_count(const struct space_list *l);
void space_list_get(const struct space_list *l, uint64_t index, uint16_t *picks);
bool space_list_find(const struct space_list *l, const uint16_t *picks, uint64_t *index);

#endif
