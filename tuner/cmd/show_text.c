#include "tuner/cmd/show_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "db/db.h"
#include "reports/export/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/base/json.h"
#include "tuner/base/units.h"
#include "tuner/base/utf8.h"

enum { NAME_WIDTH = 20, MOST_JSON = 160 };

void show_text_print(const char *lines)
{
	const bool utf8 = columns_utf8_wanted();
	struct buf line = {0}, out = {0};

	while (*lines) {
		const size_t n = strcspn(lines, "\n");

		buf_clear(&line);
		buf_add(&line, lines, n);
		columns_add(&out, buf_str(&line), SIZE_MAX, utf8);
		buf_add_char(&out, '\n');
		lines += n + (lines[n] == '\n');
	}
	fputs(buf_str(&out), stdout);
	fflush(stdout);
	buf_fini(&line);
	buf_fini(&out);
}

void show_text_line(const char *name, const char *value)
{
	struct buf lines = {0};

	while (value && *value) {
		const size_t n = strcspn(value, "\n");

		buf_print(&lines, "  %-*s  %.*s\n", NAME_WIDTH, name, (int)n, value);
		value += n + (value[n] == '\n');
		name = "";
	}
	show_text_print(buf_str(&lines));
	buf_fini(&lines);
}

/* Appends JSON, the beginning of what is long: --json has all of it. */
static void add_json(const char *text, struct buf *out)
{
	const size_t n = strlen(text);

	if (strcmp(text, "{}") == 0 || strcmp(text, "[]") == 0)
		return;
	buf_add(out, text, n <= MOST_JSON ? n : utf8_cut(text, n, MOST_JSON));
	buf_add_str(out, n <= MOST_JSON ? "" : "...");
}

static bool is_time(const char *name)
{
	const size_t n = strlen(name);

	return n > 3 && strcmp(name + n - 3, "_ns") == 0;
}

static void add_number(const char *name, double v, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	if (is_time(name))
		buf_add_str(out, units_print_duration(v, text));
	else
		buf_print(out, "%g", v);
}

static void add_value(const struct db_field *f, const void *row, struct buf *out)
{
	const void *member = (const char *)row + f->offset;
	const char *text;
	double real;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON:
		text = *(const char *const *)member;
		if (text && f->kind == DB_FIELD_JSON)
			add_json(text, out);
		else
			buf_add_str(out, text ? text : "");
		break;
	case DB_FIELD_INT:
		if (is_time(f->name))
			add_number(f->name, (double)*(const int64_t *)member, out);
		else
			buf_print(out, "%" PRId64, *(const int64_t *)member);
		break;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT:
		real = *(const double *)member;
		if (!isnan(real) && (f->kind == DB_FIELD_REAL || real != 0))
			add_number(f->name, real, out);
		break;
	}
}

enum asc_status show_text_fields(const struct db_field *fields, const void *row, struct asc_err *e)
{
	struct buf value = {0};

	for (const struct db_field *f = fields; f->name; f++) {
		buf_clear(&value);
		add_value(f, row, &value);
		show_text_line(f->name, buf_str(&value));
	}
	const enum asc_status status = buf_check(&value, e);

	buf_fini(&value);
	return status;
}

static enum asc_status print_member(const struct json_node *n, struct asc_err *e)
{
	struct buf json = {0}, value = {0};
	struct json_writer w = {&json, false};
	const char *text;

	if (json_type(n) == JSON_NULL)
		return ASC_OK;
	if (json_type(n) == JSON_STRING) {
		if (json_get_string(n, &text, e))
			return e->status;
		show_text_line(json_key(n), text);
		return ASC_OK;
	}
	json_write_node(&w, NULL, n);
	add_json(buf_str(&json), &value);
	const enum asc_status status = buf_check(&json, e) ? e->status : buf_check(&value, e);

	if (status == ASC_OK)
		show_text_line(json_key(n), buf_str(&value));
	buf_fini(&json);
	buf_fini(&value);
	return status;
}

static bool has_field(const struct db_field *fields, const char *name)
{
	while (fields->name && strcmp(fields->name, name) != 0)
		fields++;
	return fields->name != NULL;
}

enum asc_status show_text_object(const char *text, const struct db_field *printed,
				 struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status =
		text ? json_open_text("record", text, strlen(text), &doc, e) : ASC_OK;

	for (const struct json_node *n = doc ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n))
		if (!has_field(printed, json_key(n)))
			status = print_member(n, e);
	json_close(doc);
	return status;
}

enum asc_status show_json_fields(const struct db_field *fields, const void *row,
				 struct json_writer *w, struct asc_err *e)
{
	for (const struct db_field *f = fields; f->name; f++)
		if (field_json_write(w, f, row, e))
			return e->status;
	return ASC_OK;
}
