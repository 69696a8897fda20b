#include "tuner/cmd/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"

static void add_cell(struct table *t, char *text)
{
	if (t->n_cells == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 64;
		char **cells = realloc(t->cells, capacity * sizeof *cells);

		if (!cells) {
			free(text);
			t->failed = 1;
			return;
		}
		t->cells = cells;
		t->capacity = capacity;
	}
	t->failed |= !text;
	for (char *c = text; c && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7F)
			*c = '?';
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
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	add_cell(t, text);
}

/* Columns on the screen: UTF-8 continuation bytes take none. */
static size_t width_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xC0) != 0x80;
	return n;
}

static void print_cell(FILE *to, const char *text, size_t width, bool right, bool last)
{
	int space = (int)(width - width_of(text));

	if (right)
		fprintf(to, "%*s%s", space, "", text);
	else
		fprintf(to, "%s%*s", text, last ? 0 : space, "");
	fputs(last ? "\n" : "  ", to);
}

enum asc_status table_print(const struct table *t, FILE *to, struct asc_err *e)
{
	size_t width[TABLE_MAX_COLUMNS] = {0};

	if (t->failed)
		return asc_err_nomem(e);
	for (size_t i = 0; i < t->n_cells; i++)
		if (width_of(t->cells[i]) > width[i % t->columns])
			width[i % t->columns] = width_of(t->cells[i]);
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t column = i % t->columns;

		print_cell(to, t->cells[i], width[column], t->right[column],
			   column + 1 == t->columns);
	}
	return ASC_OK;
}
