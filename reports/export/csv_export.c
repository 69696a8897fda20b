/* The exporter `csv`: one line for each trial, by RFC 4180. */
#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/export/export_file.h"
#include "reports/export/exporters.h"
#include "tuner/base/buf.h"
#include "tuner/base/value.h"

struct sheet {
	struct buf text;
	int64_t rows;
};

/* Spreadsheets take a cell that begins like this for a formula, and run it. A leading apostrophe
 * makes it text there. */
static bool is_formula(const char *text)
{
	return *text && strchr("=+-@\t\r", *text) != NULL;
}

static void add_text(struct buf *out, const char *text)
{
	bool quoted = text[strcspn(text, "\",\r\n")] != '\0';

	if (quoted)
		buf_add_char(out, '"');
	if (is_formula(text))
		buf_add_char(out, '\'');
	for (; *text; text++) {
		if (*text == '"')
			buf_add_char(out, '"');
		buf_add_char(out, *text);
	}
	if (quoted)
		buf_add_char(out, '"');
}

static void add_number(struct buf *out, struct value v)
{
	char text[64];

	value_print(v, text, sizeof text);
	buf_add_str(out, text);
}

/* What is not known is an empty cell. */
static void add_cell(struct buf *out, const struct db_field *f, const struct db_record *row)
{
	const void *member = (const char *)row + f->offset;
	const char *text;
	double real;

	switch (f->kind) {
	case DB_FIELD_TEXT:
	case DB_FIELD_JSON:
		text = *(const char *const *)member;
		add_text(out, text ? text : "");
		break;
	case DB_FIELD_INT: add_number(out, value_int(*(const int64_t *)member)); break;
	case DB_FIELD_REAL:
	case DB_FIELD_AMOUNT:
		real = *(const double *)member;
		if (!isnan(real) && !(f->kind == DB_FIELD_AMOUNT && real == 0))
			add_number(out, value_real(real));
		break;
	}
}

static enum asc_status add_row(void *user, const struct db_record *row, struct asc_err *e)
{
	struct sheet *s = user;

	for (const struct db_field *f = db_record_fields; f->name; f++) {
		if (f != db_record_fields)
			buf_add_char(&s->text, ',');
		add_cell(&s->text, f, row);
	}
	buf_add_str(&s->text, "\r\n");
	s->rows++;
	return buf_check(&s->text, e);
}

static void add_header(struct buf *out)
{
	for (const struct db_field *f = db_record_fields; f->name; f++)
		buf_print(out, "%s%s", f == db_record_fields ? "" : ",", f->name);
	buf_add_str(out, "\r\n");
}

static enum asc_status export_csv(const struct export_request *r, int *files, struct asc_err *e)
{
	const struct db_records all = {.simulated = r->simulated};
	struct sheet s = {0};

	add_header(&s.text);
	enum asc_status status = db_each_record(r->db, &all, add_row, &s, e);

	if (status == ASC_OK && s.rows == 0)
		status = export_fail_empty(r, e);
	if (status == ASC_OK)
		status = export_file_write(r, "trials.csv", &s.text, files, e);
	buf_fini(&s.text);
	return status;
}

const struct exporter_ops csv_exporter = {
	.version = EXPORTER_OPS_VERSION,
	.name = "csv",
	.summary = "trials.csv: a line for every trial, for spreadsheets and scripts",
	.source = EXPORT_RESULTS,
	.write = export_csv,
};
