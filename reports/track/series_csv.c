#include "reports/track/series_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/buf.h"
#include "tuner/base/csv.h"
#include "tuner/base/file.h"
#include "tuner/base/units.h"

enum { FILE_BYTES = 256 << 20, COLUMNS = 256 };

struct reader {
	const char *path, *wanted; /* wanted: a column; NULL: it was not said */
	size_t line, column;       /* from 1 */
	char separator;
	char *fields[COLUMNS]; /* fields of the line, without quotes and surrounding blanks */
	size_t n;
	struct buf values; /* doubles */
	size_t empty;      /* cells without a value */
};

/* ---- fields ---- */

static bool parse_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && *end == 0;
}

/* True for a name: not a number, a date, or a number followed by other text. */
static bool is_name(const char *text)
{
	double number;

	return *text && !strchr("0123456789+-.", *text) && !parse_number(text, &number);
}

/* ---- which column ---- */

static enum asc_status refuse(const struct reader *r, bool header, struct asc_err *e)
{
	struct buf names = {0};

	for (size_t i = 0; header && i < r->n; i++)
		buf_print(&names, "%s%.60s", i ? ", " : "", r->fields[i]);
	if (header && r->wanted)
		asc_err_set(e, ASC_INPUT, "%s:%zu: no column \"%s\" among %s", r->path, r->line,
			    r->wanted, buf_str(&names));
	else if (header)
		asc_err_set(e, ASC_INPUT,
			    "%s:%zu: no column is called `value`: choose one with "
			    "--column: %s",
			    r->path, r->line, buf_str(&names));
	else if (r->wanted)
		asc_err_set(e, ASC_INPUT,
			    "%s:%zu: no column \"%s\": the first line has %zu, without "
			    "names",
			    r->path, r->line, r->wanted, r->n);
	else
		asc_err_set(
			e, ASC_INPUT,
			"%s:%zu: %zu columns without names: choose one with --column NUMBER, or "
			"begin the file with a line of names (a comma separates columns: decimals "
			"have a point)",
			r->path, r->line, r->n);
	buf_fini(&names);
	return e->status;
}

/* Chooses the column by the first line; *header: that line is a header. */
static enum asc_status find_column(struct reader *r, bool *header, struct asc_err *e)
{
	const char *name = r->wanted ? r->wanted : "value";
	uint64_t number = 0;
	double value;
	size_t names = 0;

	r->column = 0;
	for (size_t i = 0; i < r->n; i++) {
		names += is_name(r->fields[i]) || !*r->fields[i];
		if (r->column == 0 && strcasecmp(r->fields[i], name) == 0)
			r->column = i + 1;
	}
	*header = names == r->n;
	if (r->column == 0 && r->wanted && units_parse_count(r->wanted, &number) && number <= r->n)
		r->column = (size_t)number;
	if (r->column == 0 && !r->wanted && r->n == 1)
		r->column = 1;
	if (r->column == 0)
		return refuse(r, *header, e);
	if (!*header && is_name(r->fields[r->column - 1]))
		*header = true;
	if (!*header && !parse_number(r->fields[r->column - 1], &value))
		return asc_err_set(e, ASC_INPUT,
				   "%s:%zu: \"%.200s\" is neither a number nor a name of a column",
				   r->path, r->line, r->fields[r->column - 1]);
	return ASC_OK;
}

/* ---- lines ---- */

static enum asc_status read_line(struct reader *r, char *line, struct asc_err *e)
{
	bool header = false;
	double value;

	if (r->column == 0)
		r->separator = *(strchr(line, '\t') ? "\t" : strchr(line, ';') ? ";" : ",");
	r->n = csv_split(line, r->separator, r->fields, COLUMNS);
	if (r->column == 0 && find_column(r, &header, e))
		return e->status;
	if (header)
		return ASC_OK;
	if (r->n < r->column)
		return asc_err_set(e, ASC_INPUT, "%s:%zu: \"%.200s\" has no column %zu", r->path,
				   r->line, r->fields[0], r->column);
	const char *field = r->fields[r->column - 1];

	if (!*field) {
		r->empty++;
		return ASC_OK;
	}
	if (!parse_number(field, &value) || !isfinite(value))
		return asc_err_set(e, ASC_INPUT,
				   "%s:%zu: \"%.200s\" is not a value (expected a finite number%s)",
				   r->path, r->line, field,
				   strchr(field, ',') ? ", with a decimal point" : "");
	buf_add(&r->values, &value, sizeof value);
	return ASC_OK;
}

static enum asc_status read_lines(struct reader *r, char *text, struct asc_err *e)
{
	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3;
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		r->line++;
		if (line[strspn(line, " \t\r")] == 0 || *line == '#')
			continue;
		if (read_line(r, line, e))
			return e->status;
	}
	if (r->values.len == 0 && !r->values.failed)
		return asc_err_set(e, ASC_ABSENT, "%s: no values", r->path);
	return buf_check(&r->values, e);
}

enum asc_status series_csv_read(const char *path, const char *column, double **values, size_t *n,
				size_t *empty, struct asc_err *e)
{
	struct reader r = {.path = path, .wanted = column};
	struct buf text = {0};
	enum asc_status status = file_read_any(path, FILE_BYTES, &text, e);

	*values = NULL;
	*n = 0;
	*empty = 0;
	if (status == ASC_OK && text.len > 0 && memchr(text.data, 0, text.len))
		status = asc_err_set(e, ASC_INPUT, "%s: not a text file", path);
	if (status == ASC_OK && text.len == 0)
		status = asc_err_set(e, ASC_ABSENT, "%s: no values", path);
	if (status == ASC_OK && text.data)
		status = read_lines(&r, text.data, e);
	if (status == ASC_OK) {
		*n = r.values.len / sizeof **values;
		*empty = r.empty;
		*values = (double *)(void *)buf_take(&r.values);
	}
	buf_fini(&text);
	buf_fini(&r.values);
	return status;
}
