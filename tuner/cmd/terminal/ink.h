/* Inks: what is strong, good, bad or beside the point on a terminal. */
#ifndef ASCTUNE_CMD_TERMINAL_INK_H
#define ASCTUNE_CMD_TERMINAL_INK_H

#include <stdbool.h>
#include <stdio.h>

enum ink { INK_PLAIN, INK_STRONG, INK_DIM, INK_GOOD, INK_WARN, INK_BAD, INK_COMMAND };

/* Escape sequence that begins an ink, "" for INK_PLAIN; INK_END ends any. */
const char *ink_begin(enum ink ink);
#define INK_END "\033[0m"

/* True where the stream is a terminal that takes escape sequences. */
bool ink_is_terminal(FILE *to);

/* True where the stream is such a terminal, and $NO_COLOR is not set. */
bool ink_wanted(FILE *to);

#endif
