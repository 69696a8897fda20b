#include "tuner/result/provenance.h"

#include <stddef.h>
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

/* A part of a toolchain of Python's libraries: a library with version and digest, or a variable. */
struct part {
	const char *name, *value, *digest;
	size_t n_name, n_value, n_digest;
};

/* Takes the part at *at, and moves that behind it; false at the end. */
static bool next_part(const char **at, struct part *out)
{
	const char *text = *at, *end = strstr(text, ", ");
	const size_t len = end ? (size_t)(end - text) : strlen(text);
	size_t digest = 0;

	if (len == 0)
		return false;
	while (digest < len && !(text[digest] == '#' && digest > 0 && text[digest - 1] == ' '))
		digest++;
	*out = (struct part){.name = text, .n_name = strcspn(text, " =,")};
	out->n_name = out->n_name < len ? out->n_name : len;
	const size_t value = out->n_name + (out->n_name < len);

	out->value = text + value;
	out->n_value = (digest < len ? digest - 1 : len) - value;
	out->digest = text + digest;
	out->n_digest = len - digest;
	*at = end ? end + 2 : text + len;
	return true;
}

static bool find_part(const char *all, const struct part *like, struct part *out)
{
	while (next_part(&all, out))
		if (out->n_name == like->n_name && memcmp(out->name, like->name, like->n_name) == 0)
			return true;
	return false;
}

static bool is_same(const char *a, size_t n_a, const char *b, size_t n_b)
{
	return n_a == n_b && memcmp(a, b, n_a) == 0;
}

/* Appends the parts of `all` that `other` lacks or, `both`, has another version or digest of. */
static void write_parts(const char *all, const char *other, bool both, const char *between,
			size_t first, struct buf *out)
{
	struct part p, q;

	while (next_part(&all, &p)) {
		const bool found = find_part(other, &p, &q);
		const bool version = found && !is_same(p.value, p.n_value, q.value, q.n_value);

		if (found &&
		    (!both || (!version && is_same(p.digest, p.n_digest, q.digest, q.n_digest))))
			continue;
		buf_print(out, "%s%.*s", out->len > first ? between : "", (int)p.n_name, p.name);
		if (!found)
			buf_print(out, "%s%.*s is %s", p.n_value ? " " : "", (int)p.n_value,
				  p.value, both ? "new" : "gone");
		else if (version)
			buf_print(out, ": %.*s, was %.*s", (int)p.n_value, p.value, (int)q.n_value,
				  q.value);
		else
			buf_print(out, " %.*s: other files", (int)p.n_value, p.value);
	}
}

bool provenance_write_libraries(const char *now, const char *recorded, const char *between,
				struct buf *out)
{
	const size_t first = out->len;

	if (!strstr(now, " #") || !strstr(recorded, " #"))
		return false;
	write_parts(now, recorded, true, between, first, out);
	write_parts(recorded, now, false, between, first, out);
	return true;
}

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

/* Compares the words of the compiler's command. Their order counts, too: the last of two that
 * contradict each other. */
static void compare_options(struct comparison *c)
{
	const struct json_node *a = c->recorded->options, *b = c->now->options;
	const struct json_node *x, *y;
	const size_t before = c->lines->len;

	if (!a && b)
		note_unknown(c, "options of the compiler");
	if (!a || !b)
		return;
	for (x = json_first(a), y = json_first(b); x && y; x = json_next(x), y = json_next(y))
		if (strcmp(string_of(c, x), string_of(c, y)) != 0)
			break;
	if (!x && !y)
		return;
	add_words(c, b, a, "is new");
	add_words(c, a, b, "is gone");
	if (c->lines->len == before)
		buf_add_str(c->lines, "the compiler's options are in another order\n");
	c->explained = true;
}

static void add_source(struct comparison *c, const struct json_node *n, const char *what)
{
	/* The first file is the source itself, the others are those that it includes. */
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

/* True where both are known and are not the same. */
static bool differs(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

enum asc_status provenance_compare(const struct provenance *recorded, const struct provenance *now,
				   struct buf *lines, struct buf *unknown, struct asc_err *e)
{
	struct comparison c = {
		.recorded = recorded, .now = now, .lines = lines, .unknown = unknown};

	for (size_t i = 0; i < TEXTS; i++) {
		const char *a = get_text(recorded, &texts[i]), *b = get_text(now, &texts[i]);

		if (!texts[i].words || !b)
			continue;
		if (!a)
			note_unknown(&c, texts[i].words);
		else if (texts[i].offset == offsetof(struct provenance, toolchain) &&
			 strcmp(a, b) != 0 && provenance_write_libraries(b, a, "\n", lines))
			buf_add_char(lines, '\n');
		else if (strcmp(a, b) != 0)
			buf_print(lines, "%s: %s, was %s\n", texts[i].words, b, a);
		else
			continue;
		c.explained = true;
	}
	compare_options(&c);
	compare_sources(&c);
	/* Parts of which only a key is recorded. That of the implementation covers the parts above,
	 * too: it says something only where none of them explains it. */
	if (differs(recorded->device_fingerprint, now->device_fingerprint))
		buf_add_str(lines, "the device has another fingerprint\n");
	if (differs(recorded->workload_hash, now->workload_hash))
		buf_add_str(lines, "the workload file has changed\n");
	if (differs(recorded->problem_key, now->problem_key))
		buf_add_str(lines, "the problem has other inputs or another reference\n");
	if (differs(recorded->implementation_key, now->implementation_key) && !c.explained)
		buf_add_str(lines, "the implementation has another entry, other arguments, "
				   "launch or rewrites, or is verified otherwise\n");
	if (c.failure.status)
		*e = c.failure;
	return c.failure.status      ? e->status
	       : buf_check(lines, e) ? e->status
				     : buf_check(unknown, e);
}
