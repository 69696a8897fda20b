/* The exporter `csv`: one line for each trial, by RFC 4180, for spreadsheets and scripts. */
#include "reports/exchange/exporter_list.h"

#include <math.h>
#include <string.h>

#include "db/db.h"
#include "reports/tables/exporter.h"
#include "tuner/base/buf.h"
#include "tuner/base/value.h"

struct sheet {
	struct buf *text;
	int64_t *rows;
};

/* True for a cell that a spreadsheet would run; a leading apostrophe makes it text. */
static bool is_formula(const char *text)
{
	static const char *const begins[] = {"=",  "+",  "-",  "@",  "\t", "\r",
					     "\n", "＝", "＋", "－", "＠"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(text, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void add_text(struct buf *out, const char *text)
{
	bool quoted = text[strcspn(text, "\",\r\n")] != '\0';

	if (quoted)
		buf_add_char(out, '"');
	/* Within the quotes: spreadsheets look at the text that these enclose. */
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

/* Writes an unknown value as an empty cell. */
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
			buf_add_char(s->text, ',');
		add_cell(s->text, f, row);
	}
	buf_add_str(s->text, "\r\n");
	++*s->rows;
	return buf_check(s->text, e);
}

enum asc_status csv_print(struct db *d, bool simulated, struct buf *out, int64_t *rows,
			  struct asc_err *e)
{
	const struct db_records all = {.simulated = simulated};
	struct sheet s = {out, rows};

	for (const struct db_field *f = db_record_fields; f->name; f++)
		buf_print(out, "%s%s", f == db_record_fields ? "" : ",", f->name);
	buf_add_str(out, "\r\n");
	return db_each_record(d, &all, add_row, &s, e);
}

static enum asc_status export_csv(const struct exporter_ops *self, const struct export_request *r,
				  struct sink *to, struct asc_err *e)
{
	struct buf text = {0};
	int64_t rows = 0;
	enum asc_status status = csv_print(r->db, r->simulated, &text, &rows, e);

	if (status == ASC_OK && rows == 0)
		status = exporter_fail_empty(r, e);
	if (status == ASC_OK)
		status = sink_add(to, &self->kind, "trials.csv", &text, e);
	buf_fini(&text);
	return status;
}

const struct exporter_ops csv_exporter = {
	.name = "csv",
	.summary = "trials.csv: a line for every trial, for spreadsheets and scripts",
	.needs = EXPORT_TRIALS,
	.simulated = true,
	.kind = {.begins = "workload,operator,problem,"},
	.write = export_csv,
};
