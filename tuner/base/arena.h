/* Memory for rows that live and end together.
 *
 * The caller owns the storage: `struct arena a = {0}`, then arena_fini(), which ends all that was
 * allocated, as arena_clear() does. Nothing is freed or moved before. */
#ifndef ASCTUNE_BASE_ARENA_H
#define ASCTUNE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* the newest first, the only one with room */
	size_t used, size;          /* bytes of the newest block */
};

void arena_fini(struct arena *a);

/* Ends all that was allocated and keeps the newest block for what comes, which may have any
 * content. */
void arena_clear(struct arena *a);

/* Memory for any type, zeroed unless the arena was cleared; NULL when out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/* Copy of a text; NULL when out of memory. */
char *arena_copy(struct arena *a, const char *text);

#endif
