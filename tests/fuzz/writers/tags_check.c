/* The page has no element and no attribute but its own: a name that opened a tag, or ended the
 * attribute that it stands in, would bring one. That it is well-formed is tests/html_check.h's. */
#include <string.h>

#include "tests/fuzz/writers/foreign.h"

enum { SCRIPTS = 2 }; /* the page's own, and data for programs */

static const char elements[] =
	" a bdi body button caption circle code col colgroup dd defs desc details div dl dt "
	"figcaption "
	"figure g h1 h2 h3 h4 head header html input label li line main meta nav ol p path polygon "
	"polyline pre rect script section small span strong style summary svg table tbody td text "
	"tfoot th thead time title tr ul use wbr !DOCTYPE ";
static const char attributes[] =
	" aria-hidden aria-label aria-labelledby charset class color colspan content cx cy d "
	"data-v "
	"fill font-family font-size for height href html id lang name open points r role scope "
	"stroke stroke-dasharray stroke-linecap stroke-linejoin stroke-width tabindex text-anchor "
	"title "
	"transform type viewBox width x x1 x2 y y1 y2 ";

static bool is_in(const char *list, const char *name, size_t n)
{
	for (const char *at = strchr(list, ' ') + 1; *at; at += strcspn(at, " ") + 1)
		if (strcspn(at, " ") == n && memcmp(at, name, n) == 0)
			return true;
	return false;
}

/* From behind the name of the element to its `>`. */
static const char *attributes_check(const char **text)
{
	const char *at = *text;

	for (;;) {
		at += strspn(at, " \n/");
		size_t n = strcspn(at, "= \n/>");

		if (n == 0) {
			*text = at;
			return NULL;
		}
		if (!is_in(attributes, at, n))
			return at;
		at += n;
		if (*at == '=') {
			char quote[] = {at[1], '\0'};
			at += 2 + strcspn(at + 2, quote) + 1;
		}
	}
}

/* Where the text of an element that holds another language ends; NULL: it holds ours. */
static const char *end_of_raw(const char *name)
{
	if (strncmp(name, "script", 6) == 0)
		return "</script>";
	return strncmp(name, "style", 5) == 0 ? "</style>" : NULL;
}

const char *tags_check(const char *html, const char **wrong)
{
	size_t scripts = 0;

	for (const char *at = strchr(html, '<'); at; at = strchr(at, '<')) {
		const bool closes = *++at == '/';
		const char *name = at += closes, *raw = closes ? NULL : end_of_raw(name);
		size_t n = strcspn(name, " \n/>");

		scripts += raw && strncmp(name, "script", 6) == 0;
		*wrong = "an element that is not ours";
		if (!is_in(elements, name, n) || scripts > SCRIPTS)
			return name;
		at += n;
		*wrong = "an attribute that is not ours";
		const char *bad = attributes_check(&at);

		if (bad)
			return bad;
		at = raw ? strstr(at, raw) : at;
	}
	return NULL;
}
