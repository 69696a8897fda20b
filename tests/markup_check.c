#include "tests/markup_check.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/utf8.h"

enum { DEPTH = 64, ATTRIBUTES = 32, SCRIPTS = 2 /* the page's own, and data for programs */ };

static const char elements[] =
	" a bdi body button caption circle code col colgroup dd defs desc details div dl dt "
	"figcaption figure g h1 h2 h3 h4 head header html input label li line main meta nav ol p "
	"path "
	"polygon polyline pre rect script section small span strong style summary svg table tbody "
	"td "
	"text tfoot th thead time title tr ul use wbr ";
static const char attributes[] =
	" aria-hidden aria-label aria-labelledby charset class color colspan content cx cy d "
	"data-v dx "
	"fill font-family font-size for height href html id lang name opacity open paint-order "
	"points "
	"preserveAspectRatio r "
	"role "
	"scope shape-rendering stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-width "
	"tabindex "
	"text-anchor title transform type vector-effect viewBox width x x1 x2 y y1 y2 ";

struct span {
	const char *at;
	size_t len;
};

struct reader {
	const char *at, *end;
	enum markup kind;
	struct span open[DEPTH]; /* elements */
	size_t depth, roots, scripts;
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

static struct span rest(const struct reader *r)
{
	return (struct span){r->at, (size_t)(r->end - r->at)};
}

static bool is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.at, text, s.len) == 0;
}

static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	if (rest(r).len < n || memcmp(r->at, text, n) != 0)
		return false;
	r->at += n;
	return true;
}

static void skip_space(struct reader *r)
{
	while (r->at < r->end && strchr(" \t\n", *r->at))
		r->at++;
}

static struct span take_name(struct reader *r)
{
	struct span s = {r->at, 0};

	while (r->at < r->end &&
	       (isalnum((unsigned char)*r->at) || (r->at > s.at && strchr("-_:.", *r->at))))
		r->at++;
	s.len = (size_t)(r->at - s.at);
	return s;
}

/* ---- characters ---- */

/* Control characters of the second block are two bytes that begin with 0xC2; U+FFFE and U+FFFF are
 * EF BF BE and EF BF BF. */
static bool check_characters(struct reader *r)
{
	const unsigned char *c = (const unsigned char *)r->at;

	for (size_t left = rest(r).len, n; left > 0; c += n, left -= n) {
		n = utf8_len((const char *)c, left);
		if (n == 0 || (n == 1 && (*c < 0x20 || *c == 0x7F) && *c != '\n' && *c != '\t') ||
		    (n == 2 && c[0] == 0xC2 && c[1] < 0xA0) ||
		    (n == 3 && c[0] == 0xEF && c[1] == 0xBF && c[2] >= 0xBE))
			return fail(r, "no character", (struct span){(const char *)c, n ? n : 1});
	}
	return true;
}

static bool is_character(unsigned long c)
{
	return c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xD7FF) ||
	       (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF);
}

static bool take_reference(struct reader *r)
{
	static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
	const struct span s = rest(r);
	char *end = NULL;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (take(r, known[i]))
			return true;
	if (!take(r, "&#"))
		return fail(r, "a bare &", s);
	bool hex = take(r, "x");
	if (!isxdigit((unsigned char)*r->at) ||
	    !is_character(strtoul(r->at, &end, hex ? 16 : 10)) || *end != ';')
		return fail(r, "a reference to no character", s);
	r->at = end + 1;
	return true;
}

/* Up to the first of `ends`, which has to come in a value and need not in text. */
static bool take_text(struct reader *r, const char *ends, struct span *out)
{
	out->at = r->at;
	while (r->at < r->end && !strchr(ends, *r->at)) {
		struct span here = rest(r);

		if (*r->at == '&' && !take_reference(r))
			return false;
		if (take(r, "]]>"))
			return fail(r, "]]> in text", here);
		r->at += r->at == here.at;
	}
	out->len = (size_t)(r->at - out->at);
	return true;
}

/* ---- what a page has ---- */

static bool is_in(const char *list, struct span name)
{
	for (const char *at = list + 1; *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == name.len && memcmp(at, name.at, name.len) == 0)
			return true;
	return false;
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

static void add_words(struct reader *r, struct span s)
{
	for (size_t from = 0, i = 0; i <= s.len; i++) {
		if (i < s.len && s.at[i] != ' ')
			continue;
		if (i > from)
			r->targets[r->n_targets++] = (struct span){s.at + from, i - from};
		from = i + 1;
	}
}

static bool check_attribute(struct reader *r, struct span name, struct span value)
{
	if (!is_in(attributes, name))
		return fail(r, "an attribute that is not ours", name);
	if (is(name, "id"))
		r->ids[r->n_ids++] = value;
	if (is(name, "aria-labelledby") || is(name, "for"))
		add_words(r, value);
	if (is(name, "href") && (value.len < 2 || value.at[0] != '#'))
		return fail(r, "a link that leaves the page", value);
	if (is(name, "href"))
		r->targets[r->n_targets++] = (struct span){value.at + 1, value.len - 1};
	return is(name, "title") || is(name, "aria-label") || is(name, "content") ||
	       check_outside(r, value);
}

/* What stands between the tags of script and style is another language's; JSON is text. */
static bool skip_raw(struct reader *r, struct span tag, struct span name)
{
	const char *end = is(name, "script") ? "</script>" : is(name, "style") ? "</style>" : NULL;

	if (!end)
		return true;
	const char *found = memmem(r->at, rest(r).len, end, strlen(end));

	r->scripts += is(name, "script");
	if (!found || r->scripts > SCRIPTS)
		return fail(r, found ? "one script too many" : "no end", name);
	struct span content = {r->at, (size_t)(found - r->at)};

	r->at = found;
	return memmem(tag.at, tag.len, "/json\"", 6) || check_outside(r, content);
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

/* ---- tags ---- */

static bool take_attribute(struct reader *r, struct span *name)
{
	struct span value;

	*name = take_name(r);
	skip_space(r);
	bool assigned = take(r, "=");

	skip_space(r);
	if (!name->len || !assigned || (*r->at != '"' && *r->at != '\''))
		return fail(r, "an attribute without a quoted value", rest(r));
	const char ends[] = {*r->at++, '<', '\0'};

	if (!take_text(r, ends, &value))
		return false;
	if (r->at == r->end || *r->at++ == '<')
		return fail(r, "an attribute that does not end", value);
	return r->kind == MARKUP_XML || check_attribute(r, *name, value);
}

static bool take_start(struct reader *r)
{
	struct span tag = rest(r), name = take_name(r), names[ATTRIBUTES];
	size_t n = 0;

	if (!name.len || (r->kind == MARKUP_PAGE && !is_in(elements, name)))
		return fail(r, "an element that is not ours", tag);
	r->roots += r->depth == 0;
	for (;;) {
		const char *before = r->at;

		skip_space(r);
		if (take(r, "/>"))
			return true;
		if (take(r, ">"))
			break;
		if (r->at == before || n == ATTRIBUTES || !take_attribute(r, &names[n]))
			return fail(r, "a tag without an end", tag);
		for (size_t i = 0; i < n; i++)
			if (compare(&names[i], &names[n]) == 0)
				return fail(r, "an attribute twice", names[n]);
		n++;
	}
	if (r->depth == DEPTH)
		return fail(r, "too deep", name);
	r->open[r->depth++] = name;
	tag.len = (size_t)(r->at - tag.at);
	return r->kind == MARKUP_XML || skip_raw(r, tag, name);
}

static bool take_end(struct reader *r)
{
	struct span name = take_name(r);

	if (!take(r, ">") || r->depth == 0 || compare(&name, &r->open[--r->depth]))
		return fail(r, "the end of another element", name);
	return true;
}

static bool take_one(struct reader *r)
{
	struct span text;

	if (take(r, "</"))
		return take_end(r);
	if (take(r, "<"))
		return take_start(r);
	if (!take_text(r, "<", &text))
		return false;
	while (text.len && isspace((unsigned char)*text.at))
		text.at++, text.len--;
	return r->kind == MARKUP_PAGE || r->depth > 0 || !text.len ||
	       fail(r, "text outside the root", text);
}

char *markup_check(const char *text, size_t n, enum markup kind)
{
	struct reader r = {.at = text, .end = text + n, .kind = kind};

	r.ids = calloc(n / 2 + 1, sizeof *r.ids);
	r.targets = calloc(n / 2 + 1, sizeof *r.targets);
	if (!r.ids || !r.targets)
		abort();
	bool ok = check_characters(&r);

	(void)take(&r, kind == MARKUP_XML ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
					  : "<!DOCTYPE html>");
	while (ok && r.at < r.end)
		ok = take_one(&r);
	if (ok && r.depth > 0)
		fail(&r, "never ended", r.open[r.depth - 1]);
	if (ok && kind == MARKUP_XML && r.roots != 1)
		fail(&r, "no root, or a second one", (struct span){text, n});
	if (ok)
		check_ids(&r);
	free(r.ids);
	free(r.targets);
	return r.wrong;
}
