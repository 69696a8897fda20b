#include "tuner/cmd/answers/show_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/tables/best_json.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/base/utf8.h"
#include "tuner/cmd/terminal/prose.h"

enum { NAME_WIDTH = 20, MOST_JSON = 160 };

enum asc_status show_text_print(struct buf *lines, struct asc_err *e)
{
	const enum asc_status status = buf_check(lines, e);

	if (status == ASC_OK)
		prose_print(stdout, 2 + NAME_WIDTH + 2, buf_str(lines));
	fflush(stdout);
	buf_fini(lines);
	return status;
}

void show_text_add_line(const char *name, const char *value, struct buf *out)
{
	char *label = str_dup(name);

	out->failed |= !label;
	for (char *c = label; c && (c = strchr(c, '_'));)
		*c = ' ';
	while (label && value && *value) {
		const size_t n = strcspn(value, "\n");

		buf_print(out, "  %-*s  %.*s\n", NAME_WIDTH, label, (int)n, value);
		value += n + (value[n] == '\n');
		*label = '\0';
	}
	free(label);
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

#define TIME_END "_ns"
#define PCT_END  "_pct"

static bool ends_in(const char *name, const char *end)
{
	const size_t n = strlen(name), n_end = strlen(end);

	return n > n_end && strcmp(name + n - n_end, end) == 0;
}

/* Bytes of a name without the unit that its value is printed with. */
static size_t label_length(const char *name)
{
	const char *end = ends_in(name, TIME_END)  ? TIME_END
			  : ends_in(name, PCT_END) ? PCT_END
						   : "";

	return strlen(name) - strlen(end);
}

static void add_number(const char *name, double v, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	if (ends_in(name, TIME_END))
		buf_add_str(out, units_print_duration(v, text));
	else
		buf_print(out, "%g%s", v, ends_in(name, PCT_END) ? " %" : "");
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
		if (ends_in(f->name, TIME_END))
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

void show_text_add_fields(const struct db_field *fields, const void *row, struct buf *out)
{
	struct buf label = {0}, value = {0};

	for (const struct db_field *f = fields; f->name; f++) {
		buf_clear(&label);
		buf_clear(&value);
		buf_add(&label, f->name, label_length(f->name));
		add_value(f, row, &value);
		show_text_add_line(buf_str(&label), buf_str(&value), out);
	}
	out->failed |= label.failed || value.failed;
	buf_fini(&label);
	buf_fini(&value);
}

static enum asc_status add_member(const struct json_node *n, struct buf *out, struct asc_err *e)
{
	struct buf json = {0}, value = {0};
	struct json_writer w = {&json, false};
	const char *text;

	if (json_type(n) == JSON_NULL)
		return ASC_OK;
	if (json_type(n) == JSON_STRING) {
		if (json_get_string(n, &text, e))
			return e->status;
		show_text_add_line(json_key(n), text, out);
		return ASC_OK;
	}
	json_write_node(&w, NULL, n);
	add_json(buf_str(&json), &value);
	show_text_add_line(json_key(n), buf_str(&value), out);
	out->failed |= json.failed || value.failed;
	buf_fini(&json);
	buf_fini(&value);
	return ASC_OK;
}

static bool has_field(const struct db_field *fields, const char *name)
{
	while (fields->name && strcmp(fields->name, name) != 0)
		fields++;
	return fields->name != NULL;
}

enum asc_status show_text_add_object(const char *text, const struct db_field *added,
				     struct buf *out, struct asc_err *e)
{
	struct json_doc *doc = NULL;
	enum asc_status status =
		text ? json_open_text("record", text, strlen(text), &doc, e) : ASC_OK;

	for (const struct json_node *n = doc ? json_first(json_root(doc)) : NULL;
	     n && status == ASC_OK; n = json_next(n))
		if (!has_field(added, json_key(n)))
			status = add_member(n, out, e);
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
