#include "tuner/base/intern.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

void intern_fini(struct intern *t)
{
	free(t->slots);
	*t = (struct intern){0};
}

void intern_clear(struct intern *t)
{
	if (t->count > 0)
		memset(t->slots, 0xFF, t->capacity * sizeof *t->slots);
	t->count = 0;
}

uint32_t intern_find(const struct intern *t, uint64_t hash,
		     bool (*equal)(const void *user, uint32_t id), const void *user)
{
	const size_t mask = t->capacity - 1;

	if (t->count == 0)
		return INTERN_NONE;
	for (size_t at = (uint32_t)hash & mask;; at = (at + 1) & mask) {
		const struct intern_slot s = t->slots[at];
		if (s.id == INTERN_NONE || (s.hash == (uint32_t)hash && equal(user, s.id)))
			return s.id;
	}
}

static void put(struct intern *t, struct intern_slot s)
{
	const size_t mask = t->capacity - 1;
	size_t at = s.hash & mask;

	while (t->slots[at].id != INTERN_NONE)
		at = (at + 1) & mask;
	t->slots[at] = s;
}

static bool grow(struct intern *t)
{
	struct intern larger = {.count = t->count};

	larger.capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY;
	larger.slots = malloc(larger.capacity * sizeof *larger.slots);
	if (!larger.slots)
		return false;
	memset(larger.slots, 0xFF, larger.capacity * sizeof *larger.slots);
	for (size_t i = 0; i < t->capacity; i++) {
		if (t->slots[i].id != INTERN_NONE)
			put(&larger, t->slots[i]);
	}
	free(t->slots);
	*t = larger;
	return true;
}

bool intern_add(struct intern *t, uint64_t hash, uint32_t id)
{
	/* Half full: slots are small, and a search that finds nothing ends soon. */
	if (2 * (t->count + 1) > t->capacity && !grow(t))
		return false;
	put(t, (struct intern_slot){id, (uint32_t)hash});
	t->count++;
	return true;
}
