/* Names as numbers: every text once, each with a number of its own.
 *
 * The caller owns the storage: `struct symbols s = {0}`, then symbols_fini(). Texts live as long
 * as that. symbols_find() allocates nothing. */
#ifndef ASCTUNE_BASE_SYMBOLS_H
#define ASCTUNE_BASE_SYMBOLS_H

#include <stdint.h>

#include "tuner/base/intern.h"

#define SYMBOL_NONE INTERN_NONE

struct symbols {
	struct intern table;
	char **texts; /* by number */
	size_t n, capacity;
	uint32_t recent[64]; /* numbers that symbols_add() found last, by the texts' beginnings */
};

void symbols_fini(struct symbols *s);

/* The number of a text, which is added where it is new; SYMBOL_NONE: out of memory. */
uint32_t symbols_add(struct symbols *s, const char *text);
uint32_t symbols_find(const struct symbols *s, const char *text);   /* SYMBOL_NONE: not there */
const char *symbols_text(const struct symbols *s, uint32_t symbol); /* NULL for SYMBOL_NONE */

#endif
