/* Any text as a name in every place of a page: what comes of it is well-formed and has one script,
 * ours.
 * covers: html.c html_table.c */
#include "reports/page/parts/html.h"

#include <stdlib.h>
#include <string.h>

#include "reports/page/parts/html_table.h"
#include "tests/fuzz/target.h"
#include "tests/markup_check.h"
#include "tuner/base/buf.h"

static const struct html_column columns[] = {{"name", NULL, false}, {NULL, NULL, false}};

static void write_table(const char *text, struct buf *out)
{
	struct html_table t = {
		.out = out, .id = "t", .caption = text, .columns = columns, .rest = "`elsewhere`"};

	html_table_begin(&t);
	if (html_table_row(&t))
		html_cell_name(&t, text, 20);
	t.rows += HTML_TABLE_ROWS; /* so that the line about the others is written */
	html_table_end(&t);
}

static void write_page(const char *text, struct buf *out)
{
	buf_add_str(out, "<main><script>");
	html_json(out, text);
	buf_add_str(out, "</script>");
	html_text(out, text);
	write_table(text, out);
	buf_add_str(out, "</main>");
}

static bool has_one(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	return at && !strstr(at + 1, part);
}

/* Text may name what a page must not load, so only its form is looked at. */
static bool is_content(const char *wrong)
{
	return strncmp(wrong, "something from outside", 22) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf text = {0}, page = {0};

	buf_add(&text, data, size);
	write_page(buf_str(&text), &page);
	char *wrong = markup_check(buf_str(&page), page.len, MARKUP_PAGE);

	if ((wrong && !is_content(wrong)) || !has_one(buf_str(&page), "<script") ||
	    !has_one(buf_str(&page), "</script"))
		abort();
	free(wrong);
	buf_fini(&text);
	buf_fini(&page);
	return 0;
}
