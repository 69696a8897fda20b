/* Lines of tables as text: fields between separators, which may be in double quotes. */
#ifndef ASCTUNE_BASE_CSV_H
#define ASCTUNE_BASE_CSV_H

#include <stddef.h>

/* Ends a line in place at its line break, which in quotes is a part of a field. Returns the next
 * line; NULL: there is none. */
char *csv_end_line(char *line, char separator);

/* Splits a line in place into at most `most` fields, without quotes and surrounding blanks; returns
 * their number. A carriage return ends the line, too. */
size_t csv_split(char *line, char separator, char **fields, size_t most);

#endif
