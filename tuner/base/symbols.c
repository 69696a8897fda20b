#include "tuner/base/symbols.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"

struct wanted {
	const struct symbols *symbols;
	const char *text;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;

	return strcmp(w->symbols->texts[id], w->text) == 0;
}

void symbols_fini(struct symbols *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->texts[i]);
	free(s->texts);
	intern_fini(&s->table);
	*s = (struct symbols){0};
}

static uint32_t find(const struct symbols *s, const char *text, uint64_t hash)
{
	return intern_find(&s->table, hash, is_wanted, &(struct wanted){s, text});
}

uint32_t symbols_find(const struct symbols *s, const char *text)
{
	return find(s, text, hash_bytes(text, strlen(text)));
}

/* Adds a text that may be known. */
static uint32_t add(struct symbols *s, const char *text)
{
	const uint64_t hash = hash_bytes(text, strlen(text));
	const uint32_t known = find(s, text, hash);

	if (known != SYMBOL_NONE)
		return known;
	char *copy =
		array_room(&s->texts, s->n, &s->capacity, sizeof *s->texts) ? str_dup(text) : NULL;
	if (!copy || !intern_add(&s->table, hash, (uint32_t)s->n)) {
		free(copy);
		return SYMBOL_NONE;
	}
	s->texts[s->n] = copy;
	return (uint32_t)s->n++;
}

/* Slot of the recent texts that begin as this one does. */
static uint32_t *find_recent(struct symbols *s, const char *text)
{
	const size_t slots = sizeof s->recent / sizeof *s->recent;
	const unsigned char first = (unsigned char)text[0];

	/* The first two characters tell the texts of one row apart: names, types, devices. */
	return &s->recent[(first ^ (first ? 8U * (unsigned char)text[1] : 0)) % slots];
}

uint32_t symbols_add(struct symbols *s, const char *text)
{
	uint32_t *recent = find_recent(s, text);

	/* Rows of a file name the same few things again and again: a comparison of one text is
	 * quicker than a hash and a look-up. */
	if (s->n > 0 && strcmp(s->texts[*recent], text) == 0)
		return *recent;
	const uint32_t symbol = add(s, text);

	if (symbol != SYMBOL_NONE)
		*recent = symbol;
	return symbol;
}

const char *symbols_text(const struct symbols *s, uint32_t symbol)
{
	return symbol == SYMBOL_NONE ? NULL : s->texts[symbol];
}
