/* Text for people: paragraphs whose lines are no wider than the terminal, broken at blanks, in
 * colors where the terminal shows them. All text is shown as base/columns.h has it.
 *
 * The caller owns a struct prose: prose_open(), then prose_close(). */
#ifndef ASCTUNE_CMD_TERMINAL_PROSE_H
#define ASCTUNE_CMD_TERMINAL_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tuner/base/buf.h"
#include "tuner/cmd/terminal/ink.h"

struct prose {
	FILE *to;
	size_t columns; /* 0: lines have any length */
	bool color;
	size_t lines;    /* printed so far */
	struct buf text; /* of the paragraph that has begun, with escape sequences */
};

/* Columns of $COLUMNS, else of the terminal; 0: `to` is none. */
size_t prose_columns(FILE *to);

void prose_open(struct prose *p, FILE *to);
void prose_close(struct prose *p);

/* Prints a text whose lines are paragraphs; one paragraph, cut with "..." where it is endless. Both
 * print without memory, too. */
void prose_print(FILE *to, size_t hang, const char *text);
void prose_say(FILE *to, size_t hang, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* True where memory ran out for a paragraph, which was not printed, or in part. */
bool prose_was_lost(void);

/* Adds text to the paragraph. */
void prose_put(struct prose *p, enum ink ink, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds blanks up to a column, from 0; at least `least`. */
void prose_pad(struct prose *p, size_t column, size_t least);

/* True where so many more columns fit the line that the paragraph has begun. */
bool prose_has_room(const struct prose *p, size_t more);

/* Prints the paragraph; lines after the first are indented by `hang`. A word that is longer than a
 * line is broken behind a comma or slash, else anywhere. */
void prose_end(struct prose *p, size_t hang);

/* Prints the paragraph, which is a command: lines but the last end in a backslash, and none breaks
 * within quotes, so that a shell reads the lines as one. */
void prose_end_command(struct prose *p, size_t hang);

/* Prints a configuration's NAME=VALUE,... into the paragraph as words; values that `other` has
 * differently, or not at all, are strong. `other` NULL: none is. */
void prose_put_config(struct prose *p, const char *config, const char *other);

/* Puts what `of` configurations have in common, settings of their keys: "both have A=1 B=2", "all
 * have A=1". */
struct setting;
void prose_put_common(struct prose *p, size_t of, const struct setting *list, size_t n);

#endif
