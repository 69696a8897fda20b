#include "tuner/base/arena.h"

#include <stdlib.h>
#include <string.h>

/* A subject of few runs fits into one block; of a large one a block is a small part. */
enum { BLOCK_BYTES = 1 << 15 };

struct arena_block {
	struct arena_block *older;
	max_align_t data[]; /* aligned for every type, and so is what follows a rounded size */
};

static void free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *older = b->older;

		free(b);
		b = older;
	}
}

void arena_fini(struct arena *a)
{
	free_blocks(a->blocks);
	*a = (struct arena){0};
}

void arena_clear(struct arena *a)
{
	if (!a->blocks)
		return;
	free_blocks(a->blocks->older);
	a->blocks->older = NULL;
	a->used = 0;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t unit = sizeof(max_align_t), rounded = (size + unit - 1) / unit * unit;

	if (rounded > a->size - a->used) {
		const size_t room = rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES;
		struct arena_block *b = calloc(1, sizeof *b + room);

		if (!b)
			return NULL;
		b->older = a->blocks;
		*a = (struct arena){b, 0, room};
	}
	void *out = (char *)a->blocks->data + a->used;

	a->used += rounded;
	return out;
}

char *arena_copy(struct arena *a, const char *text)
{
	const size_t n = strlen(text) + 1;
	char *out = arena_alloc(a, n);

	return out ? memcpy(out, text, n) : NULL;
}
