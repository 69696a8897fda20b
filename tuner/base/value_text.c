/* Texts as values: each is kept once for the life of the process, so that a value is plain data and
 * equal texts have equal numbers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/hash.h"
#include "tuner/base/intern.h"
#include "tuner/base/value.h"

enum { MAX_TEXTS = 1 << 16 };

static struct {
	pthread_mutex_t lock;
	struct intern table;
	size_t n;
	_Atomic(const char *) list[MAX_TEXTS]; /* a holder of a number reads without the lock */
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct wanted {
	const char *text;
	size_t len;
};

static bool is_wanted(const void *user, uint32_t id)
{
	const struct wanted *w = user;
	const char *text = known.list[id];

	return strncmp(text, w->text, w->len) == 0 && text[w->len] == '\0';
}

bool value_text_check(const char *text, size_t len)
{
	struct value number;

	if (len == 0 || len > VALUE_TEXT_MAX || text[0] == ' ' || text[len - 1] == ' ')
		return false;
	for (size_t i = 0; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || strchr(",='\"\\", text[i]))
			return false;
	return !value_parse(text, len, &number);
}

/* Adds a text that is not there; INTERN_NONE: out of memory, or there are too many. */
static uint32_t add(const struct wanted *w, uint64_t hash)
{
	const uint32_t id = (uint32_t)known.n;
	char *copy = known.n < MAX_TEXTS ? strndup(w->text, w->len) : NULL;

	if (!copy || !intern_add(&known.table, hash, id)) {
		free(copy);
		return INTERN_NONE;
	}
	known.list[known.n++] = copy;
	return id;
}

static bool find(const char *text, size_t len, bool adds, struct value *out)
{
	const struct wanted w = {text, len};
	const uint64_t hash = hash_bytes(text, len);

	pthread_mutex_lock(&known.lock);
	uint32_t id = intern_find(&known.table, hash, is_wanted, &w);

	if (id == INTERN_NONE && adds)
		id = add(&w, hash);
	pthread_mutex_unlock(&known.lock);
	*out = (struct value){.kind = VALUE_TEXT, .i = id};
	return id != INTERN_NONE;
}

bool value_text_add(const char *text, size_t len, struct value *out)
{
	return find(text, len, true, out);
}

bool value_text_find(const char *text, size_t len, struct value *out)
{
	return find(text, len, false, out);
}

const char *value_text_get(struct value v)
{
	return known.list[v.i];
}
