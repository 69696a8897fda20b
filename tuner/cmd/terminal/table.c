#include "tuner/cmd/terminal/table.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/columns.h"
#include "tuner/cmd/terminal/prose.h"

/* Columns: between cells, before what is below a row, before what goes on below that, of a last
 * cell that is broken. */
enum { GAP = 2, INDENT = 2, HANG = 2 * INDENT, LEAST_LAST = 12 };

struct table_cell {
	char *text, *warning, *note; /* heap; warning and note NULL: none */
	enum ink ink;
};

static void add_cell(struct table *t, enum ink ink, char *text)
{
	if (!array_room(&t->cells, t->n_cells, &t->capacity, sizeof *t->cells)) {
		free(text);
		t->failed = 1;
		return;
	}
	t->failed |= !text;
	t->cells[t->n_cells++] = (struct table_cell){.text = text, .ink = ink};
}

void table_init(struct table *t, const char *header)
{
	*t = (struct table){0};
	while (t->columns < TABLE_MAX_COLUMNS) {
		size_t len = strcspn(header, "|");

		t->right[t->columns] = *header == '>';
		add_cell(t, INK_PLAIN,
			 str_print("%.*s", (int)(len - t->right[t->columns]),
				   header + t->right[t->columns]));
		t->columns++;
		if (header[len] == '\0')
			return;
		header += len + 1;
	}
}

void table_fini(struct table *t)
{
	for (size_t i = 0; i < t->n_cells; i++) {
		free(t->cells[i].text);
		free(t->cells[i].warning);
		free(t->cells[i].note);
	}
	free(t->cells);
	*t = (struct table){0};
}

/* NULL when out of memory. */
static char *__attribute__((format(printf, 1, 0))) show(const char *format, va_list args)
{
	struct buf shown = {0};
	char *text = NULL;

	if (vasprintf(&text, format, args) < 0)
		return NULL;
	columns_add(&shown, text, SIZE_MAX, true);
	free(text);
	return buf_take(&shown);
}

void table_add_inked(struct table *t, enum ink ink, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_cell(t, ink, show(format, args));
	va_end(args);
}

void table_add(struct table *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	add_cell(t, INK_PLAIN, show(format, args));
	va_end(args);
}

void table_note(struct table *t, const char *format, ...)
{
	struct table_cell *last = &t->cells[t->n_cells - 1];
	va_list args;

	va_start(args, format);
	char *line = show(format, args), *before = last->note;

	va_end(args);
	/* Each line is shown as text, so that newlines are those between lines. */
	last->note = line && before ? str_print("%s\n%s", before, line) : line;
	t->failed |= !last->note;
	if (before) {
		free(before);
		free(line);
	}
}

void table_warn(struct table *t, const char *format, ...)
{
	struct table_cell *last = &t->cells[t->n_cells - 1];
	va_list args;

	va_start(args, format);
	free(last->warning);
	last->warning = show(format, args);
	t->failed |= !last->warning;
	va_end(args);
}

/* ---- printing ---- */

struct layout {
	size_t width[TABLE_MAX_COLUMNS]; /* of each column but a last one that is broken */
	size_t before_last;              /* columns in front of the last cell */
	bool stacked;                    /* the first cell has a line of its own */
	bool used[TABLE_MAX_COLUMNS];    /* a column between the first and the last that has no
					    text in any row is left out */
};

static size_t measure(const struct table *t, struct layout *l)
{
	for (size_t i = 0; i < t->n_cells; i++)
		if (columns_count(t->cells[i].text) > l->width[i % t->columns])
			l->width[i % t->columns] = columns_count(t->cells[i].text);
	/* The header alone is no use of a column. */
	for (size_t i = 0; i < t->n_cells; i++)
		l->used[i % t->columns] |= i >= t->columns && *t->cells[i].text;
	l->used[0] = l->used[t->columns - 1] = true;
	for (size_t i = 0; i + 1 < t->columns; i++)
		l->before_last += l->used[i] ? l->width[i] + GAP : 0;
	return l->before_last + l->width[t->columns - 1];
}

/* Finds a layout whose lines have at most `room` columns; false: there is none. */
static bool find_layout(const struct table *t, size_t room, struct layout *l)
{
	const size_t last = t->columns - 1, all = measure(t, l);
	/* The last cell is broken over lines, unless it is a number or short. */
	const size_t least =
		t->right[last] || l->width[last] < LEAST_LAST ? l->width[last] : LEAST_LAST;

	if (room == 0 || all <= room || l->before_last + least <= room)
		return true;
	/* Names are the widest: on a line of their own, they leave room for the rest. */
	l->stacked = last > 0;
	if (l->stacked)
		l->before_last -= l->width[0] + GAP - INDENT;
	return l->stacked && l->width[0] <= room && l->before_last + least <= room;
}

static void put_cell(struct prose *p, const struct table *t, size_t i, size_t width)
{
	const struct table_cell *c = &t->cells[i];
	const size_t column = i % t->columns;
	const int space = (int)(width - columns_count(c->text));

	if (t->right[column])
		prose_put(p, INK_PLAIN, "%*s", space, "");
	prose_put(p, c->ink, "%s", c->text);
	if (column + 1 == t->columns)
		return;
	prose_put(p, INK_PLAIN, "%*s", (t->right[column] ? 0 : space) + GAP, "");
}

/* Prints the lines of a text, which may be NULL. */
static void print_below(struct prose *p, enum ink ink, const char *mark, const char *text)
{
	while (text && *text) {
		const size_t n = strcspn(text, "\n");

		prose_put(p, ink, "%*s%s%.*s", INDENT, "", mark, (int)n, text);
		prose_end(p, HANG);
		text += n + (text[n] == '\n');
	}
}

static void print_notes(struct prose *p, const struct table_cell *last)
{
	print_below(p, INK_WARN, "! ", last->warning);
	print_below(p, INK_DIM, "", last->note);
}

static void print_row(struct prose *p, const struct table *t, size_t row, const struct layout *l)
{
	const size_t last = t->columns - 1;
	size_t i = 0;

	if (l->stacked) {
		prose_put(p, t->cells[row].ink, "%s", t->cells[row].text);
		prose_end(p, INDENT);
		prose_put(p, INK_PLAIN, "%*s", INDENT, "");
		i = 1;
	}
	for (; i <= last; i++)
		if (l->used[i])
			put_cell(p, t, row + i, l->width[i]);
	prose_end(p, l->before_last);
	print_notes(p, &t->cells[row + last]);
}

/* Prints every row as lines of their own: head, cell. */
static void print_records(struct prose *p, const struct table *t)
{
	size_t widest = 0;

	for (size_t i = 0; i < t->columns; i++)
		if (columns_count(t->cells[i].text) > widest)
			widest = columns_count(t->cells[i].text);
	for (size_t row = t->columns; row < t->n_cells; row += t->columns) {
		if (row > t->columns)
			fputc('\n', p->to);
		for (size_t i = 0; i < t->columns; i++) {
			const struct table_cell *c = &t->cells[row + i];

			if (*c->text) {
				prose_put(p, INK_PLAIN, "%s", t->cells[i].text);
				prose_pad(p, widest + GAP, 0);
				prose_put(p, c->ink, "%s", c->text);
				prose_end(p, widest + GAP);
			}
			print_notes(p, c);
		}
	}
}

enum asc_status table_print(const struct table *t, FILE *to, struct asc_err *e)
{
	struct layout l = {0};
	struct prose p;

	if (t->failed)
		return asc_err_nomem(e);
	prose_open(&p, to);
	if (find_layout(t, p.columns, &l))
		for (size_t row = 0; row < t->n_cells; row += t->columns)
			print_row(&p, t, row, &l);
	else
		print_records(&p, t);
	const enum asc_status status = buf_check(&p.text, e);

	prose_close(&p);
	return status;
}
