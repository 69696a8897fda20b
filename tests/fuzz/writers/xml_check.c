/* Is it well-formed by XML 1.0, of what our writers need: one element, attributes, text, character
 * references; neither DTD nor CDATA, neither comments nor processing instructions. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

enum { DEPTH = 32, ATTRIBUTES = 32 };

struct name {
	const char *at;
	size_t n;
};

struct reader {
	const char *at;
	const char *wrong;
	struct name open[DEPTH];
	size_t depth, elements;
};

static bool fail(struct reader *r, const char *wrong)
{
	if (!r->wrong)
		r->wrong = wrong;
	return false;
}

static bool same(struct name a, struct name b)
{
	return a.n == b.n && memcmp(a.at, b.at, a.n) == 0;
}

static struct name take_name(struct reader *r)
{
	struct name n = {r->at, 0};

	while (isalnum((unsigned char)*r->at) || (n.n && *r->at && strchr("-_:.", *r->at)))
		n.n++, r->at++;
	return n;
}

static void skip_space(struct reader *r)
{
	r->at += strspn(r->at, " \t\r\n");
}

/* The number of a reference is a character of XML. */
static bool check_number(struct reader *r, const char *digits, int base)
{
	char *end;
	unsigned long c = strtoul(digits, &end, base);

	if (end == digits || *end != ';')
		return fail(r, "a reference without a number");
	r->at = end + 1;
	if (c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xD7FF) ||
	    (c >= 0xE000 && c <= 0xFFFD) || (c >= 0x10000 && c <= 0x10FFFF))
		return true;
	return fail(r, "a reference to what is no character");
}

static bool take_reference(struct reader *r)
{
	static const char *const known[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};

	if (strncmp(r->at, "&#x", 3) == 0)
		return check_number(r, r->at + 3, 16);
	if (strncmp(r->at, "&#", 2) == 0)
		return check_number(r, r->at + 2, 10);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strncmp(r->at, known[i], strlen(known[i])) == 0) {
			r->at += strlen(known[i]);
			return true;
		}
	return fail(r, "a bare &");
}

static bool take_value(struct reader *r)
{
	char quote = *r->at;

	if (quote != '"' && quote != '\'')
		return fail(r, "an attribute without quotes");
	r->at++;
	while (*r->at && *r->at != quote && *r->at != '<')
		if (*r->at != '&')
			r->at++;
		else if (!take_reference(r))
			return false;
	if (*r->at != quote)
		return fail(r, "an attribute that does not end");
	r->at++;
	return true;
}

static bool take_attributes(struct reader *r)
{
	struct name names[ATTRIBUTES];
	size_t n = 0;

	for (;;) {
		const char *before = r->at;

		skip_space(r);
		if (!*r->at || strchr("/>?", *r->at))
			return true;
		names[n] = take_name(r);
		if (r->at == before || !names[n].n || before == names[n].at)
			return fail(r, "an attribute without a name, or without space before it");
		for (size_t i = 0; i < n; i++)
			if (same(names[i], names[n]))
				return fail(r, "an attribute twice");
		if (++n == ATTRIBUTES)
			return fail(r, "too many attributes");
		skip_space(r);
		if (*r->at++ != '=')
			return fail(r, "an attribute without a value");
		skip_space(r);
		if (!take_value(r))
			return false;
	}
}

static bool take_end_tag(struct reader *r)
{
	r->at += 2;
	struct name n = take_name(r);

	skip_space(r);
	if (*r->at++ != '>' || r->depth == 0 || !same(n, r->open[--r->depth]))
		return fail(r, "the end of another element");
	return true;
}

static bool take_start_tag(struct reader *r)
{
	r->at++;
	struct name n = take_name(r);

	if (!n.n || (r->depth == 0 && r->elements++))
		return fail(r, "no element, or a second root");
	if (!take_attributes(r))
		return false;
	if (strncmp(r->at, "/>", 2) == 0) {
		r->at += 2;
		return true;
	}
	if (*r->at++ != '>' || r->depth == DEPTH)
		return fail(r, "a tag without an end");
	r->open[r->depth++] = n;
	return true;
}

static bool take_one(struct reader *r)
{
	if (strncmp(r->at, "</", 2) == 0)
		return take_end_tag(r);
	if (*r->at == '<')
		return take_start_tag(r);
	if (r->depth == 0 && !isspace((unsigned char)*r->at))
		return fail(r, "text outside the root");
	if (*r->at == '&')
		return take_reference(r);
	if (strncmp(r->at, "]]>", 3) == 0)
		return fail(r, "]]> in text");
	r->at++;
	return true;
}

const char *xml_check(const char *text, const char **wrong)
{
	static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
	struct reader r = {.at = text};
	const char *bad = foreign_bad_character(text), *from = text;

	*wrong = "no character of XML";
	if (bad)
		return bad;
	if (strncmp(text, head, sizeof head - 1) == 0)
		r.at += sizeof head - 1;
	do
		from = r.at;
	while (*r.at && take_one(&r));
	if (!r.wrong && (r.depth > 0 || !r.elements))
		fail(&r, "an element that does not end");
	*wrong = r.wrong;
	return r.wrong ? from : NULL;
}
