#include "tuner/tune/evaluate/launch_record.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/build/artifact.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/workload/binding/binding.h"

enum { FIRST_CAPACITY = 64 };

void launch_add(struct hash *h, const struct artifact *a, const char *entry,
		const struct plan *plan)
{
	hash_add_str(h, *a->runs ? a->runs : a->path);
	hash_add_str(h, entry);
	plan_hash(plan, h);
}

static bool is_equal(const struct launch_entry *a, const struct launch_entry *b)
{
	return a->key[0] == b->key[0] && a->key[1] == b->key[1];
}

/* Reads the halves of a key, which are as good as random. */
static struct launch_entry parse_key(const char *launch)
{
	enum { HALF = (HASH_TEXT_SIZE - 1) / 2 };
	char half[HALF + 1] = "";
	struct launch_entry out = {0};

	memcpy(half, launch, HALF);
	out.key[0] = strtoull(half, NULL, 16);
	out.key[1] = strtoull(launch + HALF, NULL, 16);
	return out;
}

static void put(struct launch_record *r, const struct launch_entry *new)
{
	const size_t mask = r->capacity - 1;
	size_t at = (size_t) new->key[0] & mask;

	while (r->places[at].id)
		at = (at + 1) & mask;
	r->places[at] = *new;
}

static bool grow(struct launch_record *r)
{
	struct launch_record larger = {.n = r->n,
				       .capacity = r->capacity ? 2 * r->capacity : FIRST_CAPACITY};

	larger.places = calloc(larger.capacity, sizeof *larger.places);
	if (!larger.places)
		return false;
	for (size_t i = 0; i < r->capacity; i++)
		if (r->places[i].id)
			put(&larger, &r->places[i]);
	free(r->places);
	*r = larger;
	return true;
}

void launch_record_add(struct launch_record *r, const struct trial *t, bool measured)
{
	struct launch_entry new = parse_key(t->launch);

	if (4 * (r->n + 1) > 3 * r->capacity && !grow(r))
		return; /* then an equal launch is measured again, which is no harm */
	new.id = t->id;
	new.search = t->search;
	new.index = t->index;
	new.measured = measured;
	put(r, &new);
	r->n++;
}

const struct launch_entry *launch_record_find(const struct launch_record *r, const char *launch)
{
	const struct launch_entry wanted = parse_key(launch);
	const size_t mask = r->capacity - 1;

	for (size_t at = (size_t)wanted.key[0] & mask; r->n > 0 && r->places[at].id;
	     at = (at + 1) & mask)
		if (r->places[at].measured && is_equal(&r->places[at], &wanted))
			return &r->places[at];
	return NULL;
}

static const struct launch_entry *find_trial(const struct launch_record *r, uint64_t id)
{
	for (size_t i = 0; i < r->capacity; i++)
		if (r->places[i].id == id)
			return &r->places[i];
	return NULL;
}

const struct launch_entry *launch_record_next_equal(struct launch_record *r, uint64_t id,
						    size_t *at)
{
	const struct launch_entry *wanted = id ? find_trial(r, id) : NULL;

	while (wanted && *at < r->capacity) {
		struct launch_entry *entry = &r->places[(*at)++];

		if (!entry->id || !is_equal(entry, wanted))
			continue;
		/* The launch has failed since: equal ones are measured themselves from now on. */
		entry->measured = false;
		return entry;
	}
	return NULL;
}

void launch_record_clear(struct launch_record *r)
{
	free(r->places);
	*r = (struct launch_record){0};
}
