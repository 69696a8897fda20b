/* Text on a screen of cells: its width in columns, and the parts of it that may be shown.
 *
 * Everything else is shown as `?`: control characters (escape sequences begin with one), bytes that
 * are no UTF-8, marks that turn the direction of writing or are invisible, and more combining marks
 * on one character than any writing has. */
#ifndef ASCTUNE_BASE_COLUMNS_H
#define ASCTUNE_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

size_t
columns_count(const char *text); /* columns of a whole text (UTF-8) as columns_add() shows it */

/* Appends at most `most` columns of `text` (UTF-8) as it may be shown: a longer text ends in an
 * ellipsis, where that has room. Without `utf8` only ASCII is written and every other character is
 * a `?`. Returns the number of columns. */
size_t columns_add(struct buf *out, const char *text, size_t most, bool utf8);

/* True when the locale of the environment (LC_ALL, LC_CTYPE, LANG) uses UTF-8. */
bool columns_utf8_wanted(void);

#endif
