/* A hash table of numbers by content, which the caller holds.
 *
 * The caller owns the storage: `struct intern t = {0}`, then intern_fini(). Numbers are below
 * INTERN_NONE; nothing is ever removed. */
#ifndef ASCTUNE_BASE_INTERN_H
#define ASCTUNE_BASE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERN_NONE UINT32_MAX

struct intern {
	struct intern_slot {
		uint32_t id; /* INTERN_NONE: free */
		uint32_t hash;
	} * slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

void intern_fini(struct intern *t);
void intern_clear(struct intern *t); /* keeps the memory */

/* Finds the number that was added with this hash and for which equal(user, number) holds, or
 * INTERN_NONE. */
uint32_t intern_find(const struct intern *t, uint64_t hash,
		     bool (*equal)(const void *user, uint32_t id), const void *user);

/* Adds a number that intern_find() did not find. False: out of memory. */
bool intern_add(struct intern *t, uint64_t hash, uint32_t id);

#endif
