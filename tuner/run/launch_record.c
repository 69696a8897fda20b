#include "tuner/run/launch_record.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/binding/binding.h"
#include "tuner/build/artifact.h"

void launch_add(struct hash *h, const struct artifact *a, const char *entry,
		const struct plan *plan)
{
	hash_add_str(h, *a->digest ? a->digest : a->path);
	hash_add_str(h, entry);
	plan_hash(plan, h);
}

void launch_record_add(struct launch_record *r, uint64_t id, const char *key,
		       const struct result *result)
{
	struct asc_err e;

	if (!array_room(&r->list, r->n, &r->room, sizeof *r->list))
		return;
	struct launch_entry *new = &r->list[r->n++];
	*new = (struct launch_entry){.id = id};
	memcpy(new->key, key, sizeof new->key);
	result_init(&new->result);
	if (result)
		new->measured = result_copy(result, &new->result, &e) == ASC_OK;
}

const struct launch_entry *launch_record_find(const struct launch_record *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->list[i].measured && strcmp(r->list[i].key, key) == 0)
			return &r->list[i];
	return NULL;
}

static const char *key_of(const struct launch_record *r, uint64_t id)
{
	for (size_t i = r->n; i-- > 0;)
		if (r->list[i].id == id)
			return r->list[i].key;
	return "";
}

bool launch_record_next_equal(struct launch_record *r, uint64_t id, size_t *at, uint64_t *other)
{
	const char *key = key_of(r, id);

	while (*at < r->n) {
		struct launch_entry *entry = &r->list[(*at)++];

		if (strcmp(entry->key, key) != 0)
			continue;
		entry->measured = false;
		if (entry->id == id)
			continue;
		*other = entry->id;
		return true;
	}
	return false;
}

void launch_record_clear(struct launch_record *r)
{
	for (size_t i = 0; i < r->n; i++)
		result_fini(&r->list[i].result);
	free(r->list);
	*r = (struct launch_record){0};
}
