/* The exporter `csv`: one line for each trial, by RFC 4180, for spreadsheets and scripts. Cells of
 * the subject stand first (db_record_fields), and are written once for all of its trials. */
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
	struct buf subject; /* cells of the subject of the last trial */
	struct sink *to;    /* gets the text in parts; NULL: it stays in `text` */
};

/* True for a cell that a spreadsheet would run; a leading apostrophe makes it text. */
static bool is_formula(const char *text)
{
	static const char *const begins[] = {"=",  "+",  "-",  "@",  "\t", "\r",
					     "\n", "＝", "＋", "－", "＠"};

	if ((*text >= '0' && *text <= '9') || (*text >= 'A' && *text <= 'z'))
		return false; /* most texts */
	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(text, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static void add_text(struct buf *out, const char *text)
{
	const size_t plain = strcspn(text, "\",\r\n");
	const bool quoted = text[plain] != '\0';

	if (quoted)
		buf_add_char(out, '"');
	/* Within the quotes: spreadsheets look at the text that these enclose. */
	if (is_formula(text))
		buf_add_char(out, '\'');
	buf_add(out, text, plain);
	for (text += plain; *text;) {
		const size_t n = strcspn(text + 1, "\"") + 1; /* up to the next quote */

		buf_add_str(out, *text == '"' ? "\"" : "");
		buf_add(out, text, n);
		text += n;
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

	if (row->first)
		buf_clear(&s->subject);
	for (const struct db_field *f = db_record_fields; row->first && f->name; f++)
		if (f->subject) {
			add_cell(&s->subject, f, row);
			buf_add_char(&s->subject, ',');
		}
	if (buf_check(&s->subject, e))
		return e->status;
	buf_add(s->text, s->subject.data, s->subject.len);
	for (const struct db_field *f = db_record_fields; f->name; f++)
		if (!f->subject) {
			add_cell(s->text, f, row);
			buf_add_str(s->text, f[1].name ? "," : "");
		}
	buf_add_str(s->text, "\r\n");
	++*s->rows;
	return s->to && s->text->len >= SINK_PART_BYTES ? sink_append(s->to, s->text, e)
							: buf_check(s->text, e);
}

static void add_head(struct buf *out)
{
	for (const struct db_field *f = db_record_fields; f->name; f++)
		buf_print(out, "%s%s", f == db_record_fields ? "" : ",", f->name);
	buf_add_str(out, "\r\n");
}

enum asc_status csv_print(struct db *d, bool simulated, struct buf *out, int64_t *rows,
			  struct asc_err *e)
{
	const struct db_records all = {.simulated = simulated};
	struct sheet s = {.text = out, .rows = rows};

	add_head(out);
	const enum asc_status status = db_each_record(d, &all, add_row, &s, e);

	buf_fini(&s.subject);
	return status;
}

static enum asc_status export_csv(const struct exporter_ops *self, const struct export_request *r,
				  struct sink *to, struct asc_err *e)
{
	const struct db_records all = {.simulated = r->simulated};
	struct buf text = {0};
	int64_t rows = 0;
	struct sheet s = {.text = &text, .rows = &rows, .to = to};

	add_head(&text);
	enum asc_status status = sink_add(to, &self->kind, "trials.csv", &text, e);

	buf_clear(&text);
	if (status == ASC_OK)
		status = db_each_record(r->db, &all, add_row, &s, e);
	if (status == ASC_OK && rows == 0)
		status = exporter_fail_empty(r, e);
	if (status == ASC_OK)
		status = sink_append(to, &text, e);
	buf_fini(&s.subject);
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
