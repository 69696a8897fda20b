#include "tuner/tune/search/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void visits_init(struct visits *v)
{
	*v = (struct visits){0};
}

void visits_fini(struct visits *v)
{
	free(v->slots);
	visits_init(v);
}

/* Finds the slot that holds `index`, or the free one for it; Fibonacci hashing spreads neighbours.
 */
static struct visit *slot_of(const struct visits *v, uint64_t index)
{
	size_t mask = v->capacity - 1;
	size_t at = (size_t)((index * 0x9E3779B97F4A7C15U) >> 20) & mask;

	while (v->slots[at].index != UINT64_MAX && v->slots[at].index != index)
		at = (at + 1) & mask;
	return &v->slots[at];
}

struct visit *visits_find(const struct visits *v, uint64_t index)
{
	struct visit *slot = v->capacity ? slot_of(v, index) : NULL;

	return slot && slot->index == index ? slot : NULL;
}

static enum asc_status grow(struct visits *v, struct asc_err *e)
{
	struct visits larger = {.capacity = v->capacity ? 2 * v->capacity : FIRST_CAPACITY,
				.count = v->count};

	larger.slots = malloc(larger.capacity * sizeof *larger.slots);
	if (!larger.slots)
		return asc_err_nomem(e);
	memset(larger.slots, 0xFF, larger.capacity * sizeof *larger.slots);
	for (size_t i = 0; i < v->capacity; i++)
		if (v->slots[i].index != UINT64_MAX)
			*slot_of(&larger, v->slots[i].index) = v->slots[i];
	free(v->slots);
	*v = larger;
	return ASC_OK;
}

enum asc_status visits_add(struct visits *v, uint64_t index, struct asc_err *e)
{
	/* Three quarters full: beyond that, runs of taken slots get long. */
	if (4 * (v->count + 1) > 3 * v->capacity && grow(v, e))
		return e->status;
	struct visit *slot = slot_of(v, index);

	if (slot->index == index)
		return ASC_OK;
	*slot = (struct visit){index, NAN};
	v->count++;
	return ASC_OK;
}
