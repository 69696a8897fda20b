/* Text on a screen of cells: how many columns it takes, and what of it may be shown as it stands.
 *
 * What would not be text is shown as `?`: control characters (escape sequences begin with one),
 * bytes that are no UTF-8, marks that turn the direction of writing or cannot be seen, and more
 * combining marks on one character than any writing has. */
#ifndef ASCTUNE_BASE_COLUMNS_H
#define ASCTUNE_BASE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

size_t columns_count(const char *text); /* of UTF-8, all of it, as columns_add() would show it */

/* Appends `text` (UTF-8) as it may be shown, at most `most` columns of it: what is longer ends in
 * an ellipsis, where that has room. Without `utf8` only ASCII is written and every other character
 * is a `?`. Returns the columns that were taken. */
size_t columns_add(struct buf *out, const char *text, size_t most, bool utf8);

/* Does the locale of the environment (LC_ALL, LC_CTYPE, LANG) write UTF-8? */
bool columns_utf8_wanted(void);

#endif
