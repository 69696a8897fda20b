#include "standin/standin_done.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void standin_key_add(struct standin_key *k, int64_t word)
{
	assert(k->n < STANDIN_KEY_WORDS);
	k->words[k->n++] = word;
}

void standin_key_add_bytes(struct standin_key *k, const void *bytes, size_t n)
{
	standin_key_add(k, (int64_t)n);
	for (size_t at = 0; at < n; at += sizeof(int64_t)) {
		int64_t word = 0;
		memcpy(&word, (const char *)bytes + at,
		       n - at < sizeof word ? n - at : sizeof word);
		standin_key_add(k, word);
	}
}

static bool keys_equal(const struct standin_key *a, const struct standin_key *b)
{
	return a->n == b->n && memcmp(a->words, b->words, a->n * sizeof *a->words) == 0;
}

/* ---- launches whose results are in place ---- */

static struct done {
	struct standin_key key;
	uint64_t written;
	double ns;
} list[STANDIN_DONE];

static size_t n_added;

static struct done *find(const struct standin_key *k)
{
	for (size_t i = 0; i < STANDIN_DONE && i < n_added; i++)
		if (keys_equal(&list[i].key, k))
			return &list[i];
	return NULL;
}

bool standin_done_find(const struct standin_key *k, uint64_t written, double *ns)
{
	const struct done *d = find(k);

	if (!d || written > d->written)
		return false;
	*ns = d->ns;
	return true;
}

void standin_done_add(const struct standin_key *k, uint64_t written, double ns)
{
	struct done *d = find(k);

	if (!d)
		d = &list[n_added++ % STANDIN_DONE];
	*d = (struct done){.key = *k, .written = written, .ns = ns};
}

/* ---- copies of results ---- */

struct standin_copy {
	struct standin_copy *older;
	struct standin_key key;
	size_t size;
	int users;
	bool filled;
	unsigned char bytes[];
};

static struct standin_copy *newest;
static size_t all_bytes;

/* Takes the copy out of the list that *at leads to. */
static struct standin_copy *unlink_copy(struct standin_copy **at)
{
	struct standin_copy *c = *at;

	*at = c->older;
	all_bytes -= c->size;
	return c;
}

static void put_first(struct standin_copy *c)
{
	c->older = newest;
	newest = c;
	all_bytes += c->size;
}

struct standin_copy *standin_copy_find(const struct standin_key *k)
{
	for (struct standin_copy **at = &newest; *at; at = &(*at)->older) {
		if (!(*at)->filled || !keys_equal(&(*at)->key, k))
			continue;
		struct standin_copy *c = unlink_copy(at);
		put_first(c);
		c->users++;
		return c;
	}
	return NULL;
}

/* Frees the oldest copies that nobody uses until there is room for `bytes`. */
static void make_room(size_t bytes)
{
	struct standin_copy **oldest = NULL;

	do {
		oldest = NULL;
		for (struct standin_copy **at = &newest; *at; at = &(*at)->older)
			if ((*at)->users == 0)
				oldest = at;
		if (oldest && all_bytes + bytes > STANDIN_COPY_BYTES)
			free(unlink_copy(oldest));
	} while (oldest && all_bytes + bytes > STANDIN_COPY_BYTES);
}

struct standin_copy *standin_copy_new(const struct standin_key *k, size_t bytes)
{
	if (bytes > STANDIN_COPY_BYTES)
		return NULL;
	make_room(bytes);
	struct standin_copy *c = malloc(sizeof *c + bytes);
	if (!c)
		return NULL;
	c->key = *k;
	c->size = bytes;
	c->users = 1;
	c->filled = false;
	put_first(c);
	return c;
}

void *standin_copy_bytes(struct standin_copy *c)
{
	return c->bytes;
}

void standin_copy_leave(struct standin_copy *c)
{
	c->users--;
	c->filled = true;
}
