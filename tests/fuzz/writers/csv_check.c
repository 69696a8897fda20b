#include "tests/fuzz/writers/csv_check.h"

#include <string.h>

#include "db/db.h"
#include "tests/fuzz/writers/foreign.h"
#include "tuner/base/buf.h"

struct reader {
	const char *at, *end;
	struct buf cell; /* the newest one's text */
};

/* TEXTDATA of the RFC: what a cell without quotes may hold. Our own texts have other characters,
 * too, but none that mean something. */
static void take_plain(struct reader *r)
{
	while (r->at < r->end && !strchr(",\r\n", *r->at)) {
		if (*r->at == '"')
			foreign_fail("CSV", "a quote in a plain cell", r->at);
		buf_add_char(&r->cell, *r->at++);
	}
}

static void take_quoted(struct reader *r)
{
	for (r->at++;; r->at++) {
		if (r->at >= r->end)
			foreign_fail("CSV", "a cell that does not end", "");
		if (*r->at == '"' && *++r->at != '"')
			return;
		buf_add_char(&r->cell, *r->at);
	}
}

/* The next cell, and the comma or the end of the line behind it. */
static const char *take_cell(struct reader *r, bool last)
{
	const char *end = last ? "\r\n" : ",";

	buf_clear(&r->cell);
	if (r->at < r->end && *r->at == '"')
		take_quoted(r);
	else
		take_plain(r);
	if ((size_t)(r->end - r->at) < strlen(end) || memcmp(r->at, end, strlen(end)) != 0)
		foreign_fail("CSV", "a row that has not its cells", r->at);
	r->at += strlen(end);
	return buf_str(&r->cell);
}

static bool is_text(const struct db_field *f)
{
	return f->kind == DB_FIELD_TEXT || f->kind == DB_FIELD_JSON;
}

static const char *text_of(const struct db_field *f, const struct db_record *row)
{
	const char *text = *(const char *const *)((const char *)row + f->offset);

	return text ? text : "";
}

/* What a spreadsheet would run has an apostrophe before it; everything else is as it was. */
static void compare(const char *cell, const char *text)
{
	static const char *const runs[] = {"=",
					   "+",
					   "-",
					   "@",
					   "\t",
					   "\r",
					   "\n",
					   "\xEF\xBC\x9D",
					   "\xEF\xBC\x8B",
					   "\xEF\xBC\x8D",
					   "\xEF\xBC\xA0"};

	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
		if (strncmp(cell, runs[i], strlen(runs[i])) == 0)
			foreign_fail("CSV", "a formula", cell);
		if (strncmp(text, runs[i], strlen(runs[i])) == 0 && *cell++ != '\'')
			foreign_fail("CSV", "a cell without its apostrophe", cell);
	}
	if (strcmp(cell, text) != 0)
		foreign_fail("CSV", "another text than was recorded", cell);
}

static enum asc_status compare_row(void *user, const struct db_record *row, struct asc_err *e)
{
	struct reader *r = user;

	for (const struct db_field *f = db_record_fields; f->name; f++) {
		const char *cell = take_cell(r, !f[1].name);

		if (is_text(f))
			compare(cell, text_of(f, row));
	}
	(void)e;
	return ASC_OK;
}

void csv_check(struct db *d, const char *text, size_t n)
{
	const struct db_records all = {.simulated = false};
	struct reader r = {.at = text, .end = text + n};
	struct asc_err e;

	for (const struct db_field *f = db_record_fields; f->name; f++)
		if (strcmp(take_cell(&r, !f[1].name), f->name) != 0)
			foreign_fail("CSV", "another column", buf_str(&r.cell));
	if (db_each_record(d, &all, compare_row, &r, &e))
		foreign_fail("CSV", e.text, "");
	if (r.at != r.end)
		foreign_fail("CSV", "more rows than trials", r.at);
	buf_fini(&r.cell);
}
