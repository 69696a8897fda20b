/* A set of space indices: open addressing, grows by doubling. The caller owns the storage. */
#ifndef ASCTUNE_SEARCH_INDEX_SET_H
#define ASCTUNE_SEARCH_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct index_set {
	uint64_t *slots; /* UINT64_MAX: free */
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

void index_set_init(struct index_set *s);
void index_set_fini(struct index_set *s);
bool index_set_has(const struct index_set *s, uint64_t index);

/* Adds an index; one that is there already is no error. Fails only when out of memory. */
enum asc_status index_set_add(struct index_set *s, uint64_t index, struct asc_err *e);

#endif
