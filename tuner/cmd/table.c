#include "tuner/cmd/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"

#define GAP "  " /* between columns */

static void add_cell(struct table *t, char *text)
{
	if (!array_room(&t->cells, t->n_cells, &t->capacity, sizeof *t->cells)) {
		free(text);
		t->failed = 1;
		return;
	}
	t->failed |= !text;
	t->cells[t->n_cells++] = text;
}

void table_init(struct table *t, const char *header)
{
	*t = (struct table){0};
	while (t->columns < TABLE_MAX_COLUMNS) {
		size_t len = strcspn(header, "|");

		t->right[t->columns] = *header == '>';
		add_cell(t, str_print("%.*s", (int)(len - t->right[t->columns]),
				      header + t->right[t->columns]));
		t->columns++;
		if (header[len] == '\0')
			return;
		header += len + 1;
	}
}

void table_fini(struct table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct table){0};
}

void table_add(struct table *t, const char *format, ...)
{
	struct buf shown = {0};
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (text)
		columns_add(&shown, text, SIZE_MAX, true);
	shown.failed |= !text;
	free(text);
	add_cell(t, buf_take(&shown));
}

static void print_cell(FILE *to, const char *text, size_t width, bool right, bool last)
{
	int space = (int)(width - columns_count(text));

	if (right)
		fprintf(to, "%*s%s", space, "", text);
	else
		fprintf(to, "%s%*s", text, last ? 0 : space, "");
	fputs(last ? "\n" : GAP, to);
}

/* Columns of $COLUMNS, else of the terminal; 0: as many as are needed. */
static size_t columns_of(FILE *to)
{
	const char *wanted = getenv("COLUMNS");
	struct winsize size = {0};

	const long columns = wanted ? strtol(wanted, NULL, 10) : 0;

	if (columns > 0)
		return (size_t)columns;
	return ioctl(fileno(to), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static size_t measure(const struct table *t, size_t width[TABLE_MAX_COLUMNS])
{
	size_t all = 0;

	for (size_t i = 0; i < t->n_cells; i++)
		if (columns_count(t->cells[i]) > width[i % t->columns])
			width[i % t->columns] = columns_count(t->cells[i]);
	for (size_t i = 0; i < t->columns; i++)
		all += width[i] + (i > 0 ? strlen(GAP) : 0);
	return all;
}

enum asc_status table_print(const struct table *t, FILE *to, struct asc_err *e)
{
	size_t width[TABLE_MAX_COLUMNS] = {0};

	if (t->failed)
		return asc_err_nomem(e);
	measure(t, width);
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t column = i % t->columns;

		print_cell(to, t->cells[i], width[column], t->right[column],
			   column + 1 == t->columns);
	}
	return ASC_OK;
}

/* Every row as lines of their own: column, cell. */
static void print_records(const struct table *t, FILE *to)
{
	size_t widest = 0;

	if (t->columns == 0)
		return;
	for (size_t i = 0; i < t->columns; i++)
		if (columns_count(t->cells[i]) > widest)
			widest = columns_count(t->cells[i]);
	for (size_t i = t->columns; i < t->n_cells; i++) {
		const size_t column = i % t->columns;

		if (column == 0 && i > t->columns)
			fputc('\n', to);
		if (!*t->cells[i])
			continue;
		print_cell(to, t->cells[column], widest, false, false);
		fprintf(to, "%s\n", t->cells[i]);
	}
}

enum asc_status table_print_fitting(const struct table *t, FILE *to, struct asc_err *e)
{
	size_t width[TABLE_MAX_COLUMNS] = {0}, columns = columns_of(to);

	if (t->failed)
		return asc_err_nomem(e);
	if (columns == 0 || measure(t, width) <= columns)
		return table_print(t, to, e);
	print_records(t, to);
	return ASC_OK;
}
