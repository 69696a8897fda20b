#include <stdbool.h>
#include <string.h>

#include "reports/plot/plot_svg.h"

static size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (const char *at = strstr(text, part); at; at = strstr(at + 1, part))
		n++;
	return n;
}

/* Uses of a point's symbol; symbols that are made of others have no place. */
static size_t count_marks(const char *raw)
{
	static const char use[] = "<use xlink:href='#gpPt";
	size_t n = 0;

	for (const char *at = strstr(raw, use); at; at = strstr(at + 1, use)) {
		const char *place = strstr(at, "transform='translate("), *end = strchr(at, '>');
		n += place && end && place < end;
	}
	return n;
}

static bool ends_well(const char *raw)
{
	static const char end[] = "</svg>";
	size_t n = strlen(raw);

	while (n && strchr(" \n\r\t", raw[n - 1]))
		n--;
	return n >= sizeof end - 1 && memcmp(raw + n - (sizeof end - 1), end, sizeof end - 1) == 0;
}

enum asc_status plot_svg_check(const char *raw, size_t marks, struct asc_err *e)
{
	size_t have = count_marks(raw);

	if (!*raw)
		return asc_err_set(e, ASC_CHILD, "gnuplot wrote an empty picture");
	if (count(raw, "<svg") != 1 || count(raw, "</defs>") != 1)
		return asc_err_set(e, ASC_CHILD, "gnuplot wrote something that is no picture");
	if (!ends_well(raw))
		return asc_err_set(e, ASC_CHILD, "gnuplot's picture is cut short");
	if (have != marks)
		return asc_err_set(e, ASC_CHILD, "gnuplot's picture has %zu of %zu points", have,
				   marks);
	return ASC_OK;
}
