#include "tuner/search/index_set.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void index_set_init(struct index_set *s)
{
	*s = (struct index_set){0};
}

void index_set_fini(struct index_set *s)
{
	free(s->slots);
	index_set_init(s);
}

/* Finds the slot that holds `index`, or the free one for it; Fibonacci hashing spreads neighbours.
 */
static size_t slot_of(const struct index_set *s, uint64_t index)
{
	size_t mask = s->capacity - 1;
	size_t at = (size_t)((index * 0x9E3779B97F4A7C15U) >> 20) & mask;

	while (s->slots[at] != UINT64_MAX && s->slots[at] != index)
		at = (at + 1) & mask;
	return at;
}

bool index_set_has(const struct index_set *s, uint64_t index)
{
	return s->capacity != 0 && s->slots[slot_of(s, index)] == index;
}

static enum asc_status grow(struct index_set *s, struct asc_err *e)
{
	struct index_set larger = {.capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY};

	larger.slots = malloc(larger.capacity * sizeof *larger.slots);
	if (!larger.slots)
		return asc_err_nomem(e);
	memset(larger.slots, 0xFF, larger.capacity * sizeof *larger.slots);
	larger.count = s->count;
	for (size_t i = 0; i < s->capacity; i++)
		if (s->slots[i] != UINT64_MAX)
			larger.slots[slot_of(&larger, s->slots[i])] = s->slots[i];
	free(s->slots);
	*s = larger;
	return ASC_OK;
}

enum asc_status index_set_add(struct index_set *s, uint64_t index, struct asc_err *e)
{
	if (2 * (s->count + 1) > s->capacity && grow(s, e))
		return e->status;
	size_t at = slot_of(s, index);

	s->count += s->slots[at] != index;
	s->slots[at] = index;
	return ASC_OK;
}
