#include "tests/html_check.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

enum { DEPTH = 64 };

struct span {
	const char *at;
	size_t len;
};

struct reader {
	const char *at, *end;
	struct span open[DEPTH]; /* elements */
	size_t depth;
	struct span *ids, *targets; /* each with room for as many as the text can have */
	size_t n_ids, n_targets;
	char *wrong;
};

static bool fail(struct reader *r, const char *what, struct span s)
{
	if (!r->wrong)
		r->wrong = str_print("%s: \"%.*s\"", what, (int)(s.len < 80 ? s.len : 80), s.at);
	return false;
}

static bool is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static struct span take_until(struct reader *r, const char *ends)
{
	struct span s = {r->at, 0};

	while (r->at < r->end && !strchr(ends, *r->at))
		r->at++;
	s.len = (size_t)(r->at - s.at);
	return s;
}

static bool starts(const struct reader *r, const char *text)
{
	return (size_t)(r->end - r->at) >= strlen(text) && memcmp(r->at, text, strlen(text)) == 0;
}

static bool check_references(struct reader *r, struct span s)
{
	for (size_t i = 0; i < s.len; i++) {
		size_t k = i + 1;

		if (s.at[i] != '&')
			continue;
		while (k < s.len &&
		       (strchr("#abcdefghijklmnopqrstuvwxyz0123456789", s.at[k]) != NULL))
			k++;
		if (k >= s.len || s.at[k] != ';' || k == i + 1)
			return fail(r, "a bare &", (struct span){s.at + i, s.len - i});
	}
	return true;
}

static void add(struct span *list, size_t *n, struct span s)
{
	list[(*n)++] = s;
}

static void add_words(struct reader *r, struct span s)
{
	for (size_t from = 0, i = 0; i <= s.len; i++) {
		if (i < s.len && s.at[i] != ' ')
			continue;
		if (i > from)
			add(r->targets, &r->n_targets, (struct span){s.at + from, i - from});
		from = i + 1;
	}
}

/* In what a browser acts on: scripts, styles, attributes that are no text. */
static bool check_outside(struct reader *r, struct span s)
{
	static const char *const outside[] = {
		"@import", "https:", "http:", " src=", "url(http", "url(\"", "url('"};

	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		if (memmem(s.at, s.len, outside[i], strlen(outside[i])))
			return fail(r, "something from outside", s);
	return true;
}

static bool is_words(struct span attribute)
{
	return is(attribute, "title") || is(attribute, "aria-label") || is(attribute, "content");
}

static bool take_attribute(struct reader *r)
{
	struct span name = take_until(r, "=> \n\t/");
	char quote[2] = "";

	r->at += strspn(r->at, " ");
	r->at += starts(r, "=");
	r->at += strspn(r->at, " ");
	if (!starts(r, "\"") && !starts(r, "'"))
		return fail(r, "an attribute without a quoted value", name);
	quote[0] = *r->at++;
	struct span value = take_until(r, quote);

	r->at++;
	if (memchr(value.at, '<', value.len))
		return fail(r, "< in an attribute", value);
	if (is(name, "id"))
		add(r->ids, &r->n_ids, value);
	if (is(name, "aria-labelledby") || is(name, "for"))
		add_words(r, value);
	if (is(name, "href") && (value.len < 2 || value.at[0] != '#'))
		return fail(r, "a link that leaves the page", value);
	if (is(name, "href"))
		add(r->targets, &r->n_targets, (struct span){value.at + 1, value.len - 1});
	if (is(name, "src"))
		return fail(r, "something is loaded", value);
	if (!is_words(name) && !check_outside(r, value))
		return false;
	return check_references(r, value);
}

/* What stands between the tags of script and style is another language's; JSON is text. */
static bool skip_raw(struct reader *r, struct span name)
{
	const char *end = is(name, "script") ? "</script>" : "</style>";
	const char *found = NULL;

	if (!is(name, "script") && !is(name, "style"))
		return true;
	found = memmem(r->at, (size_t)(r->end - r->at), end, strlen(end));
	if (!found)
		return fail(r, "no end", name);
	struct span tag = {name.at, (size_t)(r->at - name.at)};
	struct span content = {r->at, (size_t)(found - r->at)};

	r->at = found;
	return memmem(tag.at, tag.len, "/json\"", 6) || check_outside(r, content);
}

static bool take_start(struct reader *r)
{
	struct span name = take_until(r, "> \n\t/");

	for (;;) {
		while (r->at < r->end && strchr(" \n\t", *r->at))
			r->at++;
		if (starts(r, "/>")) {
			r->at += 2;
			return true;
		}
		if (starts(r, ">"))
			break;
		if (r->at >= r->end || !take_attribute(r))
			return fail(r, "a tag without an end", name);
	}
	r->at++;
	if (r->depth == DEPTH)
		return fail(r, "too deep", name);
	r->open[r->depth++] = name;
	return skip_raw(r, name);
}

static bool take_end(struct reader *r)
{
	struct span name = take_until(r, ">");

	r->at++;
	if (r->depth == 0)
		return fail(r, "an end without a beginning", name);
	struct span open = r->open[--r->depth];

	return name.len == open.len && memcmp(name.at, open.at, name.len) == 0
		       ? true
		       : fail(r, "the end of another element", name);
}

static bool take_tag(struct reader *r)
{
	if (starts(r, "<!DOCTYPE html>")) {
		r->at += strlen("<!DOCTYPE html>");
		return true;
	}
	if (starts(r, "</")) {
		r->at += 2;
		return take_end(r);
	}
	r->at++;
	return take_start(r);
}

static int compare(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	size_t least = x->len < y->len ? x->len : y->len;
	int by = memcmp(x->at, y->at, least);

	return by ? by : (x->len > y->len) - (x->len < y->len);
}

static void check_ids(struct reader *r)
{
	qsort(r->ids, r->n_ids, sizeof *r->ids, compare);
	for (size_t i = 1; i < r->n_ids; i++)
		if (compare(&r->ids[i - 1], &r->ids[i]) == 0)
			fail(r, "an id twice", r->ids[i]);
	for (size_t i = 0; i < r->n_targets; i++)
		if (!bsearch(&r->targets[i], r->ids, r->n_ids, sizeof *r->ids, compare))
			fail(r, "no element has the id", r->targets[i]);
}

static void check_bytes(struct reader *r)
{
	size_t left = (size_t)(r->end - r->at);

	for (const char *at = r->at; left > 0;) {
		size_t n = utf8_len(at, left);

		if (n == 0 || (n == 1 && (unsigned char)*at < 0x20 && *at != '\n' && *at != '\t')) {
			fail(r, "no character", (struct span){at, n ? n : 1});
			return;
		}
		at += n;
		left -= n;
	}
}

char *html_check(const char *text, size_t n)
{
	struct reader r = {.at = text, .end = text + n};
	bool ok = true;

	r.ids = calloc(n / 2 + 1, sizeof *r.ids);
	r.targets = calloc(n / 2 + 1, sizeof *r.targets);
	if (!r.ids || !r.targets)
		abort();
	check_bytes(&r);
	while (ok && r.at < r.end) {
		ok = check_references(&r, take_until(&r, "<"));
		ok = ok && (r.at == r.end || take_tag(&r));
	}
	if (ok && r.depth > 0)
		fail(&r, "never ended", r.open[r.depth - 1]);
	if (ok)
		check_ids(&r);
	free(r.ids);
	free(r.targets);
	return r.wrong;
}
