/* Recorded rows as `asctune show` prints them: a line for each field, or JSON. */
#ifndef ASCTUNE_CMD_ANSWERS_SHOW_TEXT_H
#define ASCTUNE_CMD_ANSWERS_SHOW_TEXT_H

#include "tuner/base/err.h"

struct buf;
struct db_field;
struct json_writer;

/* Prints lines to stdout at once, what may not be shown as `?` (base/columns), or nothing where
 * memory ran out for them; ends the buffer. */
enum asc_status show_text_print(struct buf *lines, struct asc_err *e);

/* Appends a line "  NAME  VALUE", the name's underscores as blanks; `value` NULL or "": nothing.
 * Lines after the first of a value are indented as that is. */
void show_text_add_line(const char *name, const char *value, struct buf *out);

/* Appends the fields of a row that are known: times and percentages with a unit, which their names
 * then lack; long JSON cut. */
void show_text_add_fields(const struct db_field *fields, const void *row, struct buf *out);

/* Appends the members of an object, as fields, but for those of the names of `added`. `text` NULL:
 * nothing. */
enum asc_status show_text_add_object(const char *text, const struct db_field *added,
				     struct buf *out, struct asc_err *e);

/* Writes the fields as members of an open object. */
enum asc_status show_json_fields(const struct db_field *fields, const void *row,
				 struct json_writer *w, struct asc_err *e);

#endif
