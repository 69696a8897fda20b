#include "reports/track/series_csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { FILE_BYTES = 256 << 20, LAST_COLUMN = 0 };

struct reader {
	const char *path;
	size_t line, column; /* from 1; LAST_COLUMN: no header named one */
	struct buf values;   /* doubles */
};

/* The field of that column, without the blanks around it; NULL: the line has no such column. */
static char *find_field(char *line, size_t column)
{
	char *field = line, *comma;
	size_t k = 1;

	for (; k != column && (comma = strchr(field, ',')); k++)
		field = comma + 1;
	if (column != LAST_COLUMN && k != column)
		return NULL;
	field += strspn(field, " \t");
	size_t n = strcspn(field, ",");

	while (n > 0 && strchr(" \t\r", field[n - 1]))
		n--;
	field[n] = 0;
	return field;
}

static bool parse_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && *end == 0;
}

/* Which column is called `value`. */
static size_t find_column(const char *header)
{
	size_t column = 1;

	for (const char *field = header;; column++) {
		size_t n = strcspn(field, ",\r");
		size_t blank = strspn(field, " \t");

		if (n - blank == 5 && strncasecmp(field + blank, "value", 5) == 0)
			return column;
		if (field[n] != ',')
			return LAST_COLUMN;
		field += n + 1;
	}
}

static enum asc_status read_line(struct reader *r, char *line, bool first, struct asc_err *e)
{
	size_t column = first ? find_column(line) : r->column;
	double value;
	char *field = find_field(line, column);

	if (!field)
		return asc_err_set(e, ASC_INPUT, "%s:%zu: \"%.200s\" has no column %zu", r->path,
				   r->line, line, column);
	r->column = column;
	bool number = parse_number(field, &value);

	if (first && (!number || column != LAST_COLUMN))
		return ASC_OK; /* the header */
	if (!number || !isfinite(value))
		return asc_err_set(e, ASC_INPUT,
				   "%s:%zu: \"%.200s\" is not a value (expected a finite number)",
				   r->path, r->line, field);
	buf_add(&r->values, &value, sizeof value);
	return ASC_OK;
}

static enum asc_status read_lines(struct reader *r, char *text, struct asc_err *e)
{
	bool first = true;

	if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
		text += 3;
	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		r->line++;
		if (line[strspn(line, " \t\r")] == 0 || *line == '#')
			continue;
		if (read_line(r, line, first, e))
			return e->status;
		first = false;
	}
	if (r->values.len == 0 && !r->values.failed)
		return asc_err_set(e, ASC_ABSENT, "%s: no values", r->path);
	return buf_check(&r->values, e);
}

enum asc_status series_csv_read(const char *path, double **values, size_t *n, struct asc_err *e)
{
	struct reader r = {.path = path};
	struct buf text = {0};
	enum asc_status status = file_read(path, FILE_BYTES, &text, e);

	*values = NULL;
	*n = 0;
	if (status == ASC_OK && text.len > 0 && memchr(text.data, 0, text.len))
		status = asc_err_set(e, ASC_INPUT, "%s: not a text file", path);
	if (status == ASC_OK && text.len == 0)
		status = asc_err_set(e, ASC_ABSENT, "%s: no values", path);
	if (status == ASC_OK)
		status = read_lines(&r, text.data, e);
	if (status == ASC_OK) {
		*n = r.values.len / sizeof **values;
		*values = (double *)(void *)buf_take(&r.values);
	}
	buf_fini(&text);
	buf_fini(&r.values);
	return status;
}
