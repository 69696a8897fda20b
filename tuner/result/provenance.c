#include "tuner/result/provenance.h"

#include <stdbool.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"

/* ---- reading ---- */

#define TEXT(member, words) {#member, offsetof(struct provenance, member), words},
#define KEY(member)         {#member, offsetof(struct provenance, member), NULL},

static const struct text {
	const char *name;
	size_t offset;
	const char *words; /* NULL: a key */
} texts[] = {PROVENANCE_TEXTS(TEXT) PROVENANCE_KEYS(KEY){
	"workload_file", offsetof(struct provenance, workload_file), NULL}};

enum { TEXTS = sizeof texts / sizeof *texts };

static const char *get_text(const struct provenance *p, const struct text *t)
{
	return *(const char *const *)((const char *)p + t->offset);
}

/* A member of that type, NULL where it is null or missing. */
static enum asc_status find(const struct json_node *object, const char *name, enum json_type type,
			    const struct json_node **out, struct asc_err *e)
{
	*out = json_find(object, name);
	if (*out && json_type(*out) == JSON_NULL)
		*out = NULL;
	return *out ? json_expect(*out, type, e) : ASC_OK;
}

enum asc_status provenance_read(const struct json_node *object, struct provenance *out,
				struct asc_err *e)
{
	const struct json_node *n;

	*out = (struct provenance){0};
	if (json_expect(object, JSON_OBJECT, e))
		return e->status;
	for (size_t i = 0; i < TEXTS; i++) {
		const char **member = (const char **)(void *)((char *)out + texts[i].offset);

		if (find(object, texts[i].name, JSON_STRING, &n, e) ||
		    (n && json_get_string(n, member, e)))
			return e->status;
	}
	if (find(object, "options", JSON_ARRAY, &out->options, e) ||
	    find(object, "sources", JSON_OBJECT, &out->sources, e))
		return e->status;
	return find(object, "policy", JSON_OBJECT, &out->policy, e);
}

/* ---- comparing ---- */

struct comparison {
	const struct provenance *recorded, *now;
	struct buf *lines, *unknown;
	struct asc_err failure;
	bool explained; /* something that the key of the implementation covers differs, or was not
			   recorded */
};

static void note_unknown(struct comparison *c, const char *what)
{
	buf_print(c->unknown, "%s%s", c->unknown->len ? ", " : "", what);
	c->explained = true;
}

static void compare_texts(struct comparison *c)
{
	for (size_t i = 0; i < TEXTS; i++) {
		const char *a = get_text(c->recorded, &texts[i]), *b = get_text(c->now, &texts[i]);

		if (!texts[i].words || !b)
			continue;
		if (!a)
			note_unknown(c, texts[i].words);
		else if (strcmp(a, b) != 0)
			buf_print(c->lines, "%s: %s, was %s\n", texts[i].words, b, a);
		else
			continue;
		c->explained = true;
	}
}

static const char *string_of(struct comparison *c, const struct json_node *n)
{
	const char *text = "";

	if (!c->failure.status)
		(void)json_get_string(n, &text, &c->failure);
	return text;
}

static bool has_word(struct comparison *c, const struct json_node *list, const char *word)
{
	for (const struct json_node *n = json_first(list); n; n = json_next(n))
		if (strcmp(string_of(c, n), word) == 0)
			return true;
	return false;
}

/* Appends the words of a list that the other one lacks. */
static void add_words(struct comparison *c, const struct json_node *list,
		      const struct json_node *other, const char *what)
{
	for (const struct json_node *n = json_first(list); n; n = json_next(n)) {
		const char *word = string_of(c, n);

		if (has_word(c, other, word))
			continue;
		buf_print(c->lines, "compiler's option %s %s\n", word, what);
		c->explained = true;
	}
}

/* The order of options counts, too: the last of two that contradict each other. */
static bool is_same_order(struct comparison *c, const struct json_node *a,
			  const struct json_node *b)
{
	for (a = json_first(a), b = json_first(b); a && b; a = json_next(a), b = json_next(b))
		if (strcmp(string_of(c, a), string_of(c, b)) != 0)
			return false;
	return !a && !b;
}

static void compare_options(struct comparison *c)
{
	const struct json_node *a = c->recorded->options, *b = c->now->options;
	const size_t before = c->lines->len;

	if (!a && b)
		note_unknown(c, "options of the compiler");
	if (!a || !b || is_same_order(c, a, b))
		return;
	add_words(c, b, a, "is new");
	add_words(c, a, b, "is gone");
	if (c->lines->len == before)
		buf_add_str(c->lines, "the compiler's options are in another order\n");
	c->explained = true;
}

static void add_source(struct comparison *c, const struct json_node *n, const char *what)
{
	const bool first =
		n == json_first(c->recorded->sources) || n == json_first(c->now->sources);

	buf_print(c->lines, "%s %s %s\n", first ? "source" : "included file", json_key(n), what);
	c->explained = true;
}

static void compare_sources(struct comparison *c)
{
	const struct json_node *a = c->recorded->sources, *b = c->now->sources;

	if (!a && b)
		note_unknown(c, "source files");
	if (!a || !b)
		return;
	for (const struct json_node *n = json_first(b); n; n = json_next(n)) {
		const struct json_node *old = json_find(a, json_key(n));

		if (!old)
			add_source(c, n, "is new");
		else if (strcmp(string_of(c, old), string_of(c, n)) != 0)
			add_source(c, n, "has changed");
	}
	for (const struct json_node *n = json_first(a); n; n = json_next(n))
		if (!json_find(b, json_key(n)))
			add_source(c, n, "is gone");
}

static bool differs(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

/* Compares parts of which only a key is recorded. The implementation's key covers more than is
 * recorded apart. */
static void compare_keys(struct comparison *c)
{
	const struct provenance *a = c->recorded, *b = c->now;

	if (differs(a->device_fingerprint, b->device_fingerprint))
		buf_add_str(c->lines, "the device has another fingerprint\n");
	if (differs(a->workload_hash, b->workload_hash))
		buf_add_str(c->lines, "the workload file has changed\n");
	if (differs(a->problem_key, b->problem_key))
		buf_add_str(c->lines, "the problem has other inputs or another reference\n");
	if (differs(a->implementation_key, b->implementation_key) && !c->explained)
		buf_add_str(c->lines, "the implementation has another entry, other arguments, "
				      "launch or rewrites, or is verified otherwise\n");
}

enum asc_status provenance_compare(const struct provenance *recorded, const struct provenance *now,
				   struct buf *lines, struct buf *unknown, struct asc_err *e)
{
	struct comparison c = {
		.recorded = recorded, .now = now, .lines = lines, .unknown = unknown};

	compare_texts(&c);
	compare_options(&c);
	compare_sources(&c);
	compare_keys(&c);
	if (c.failure.status)
		*e = c.failure;
	return c.failure.status      ? e->status
	       : buf_check(lines, e) ? e->status
				     : buf_check(unknown, e);
}
