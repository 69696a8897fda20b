/* A text that may be longer than there is memory for: in a file without a name, mapped.
 *
 * The caller owns the storage: zeroed, long_text_add() for each part, long_text_map(), then
 * long_text_fini(). Readers that go from its begin to its end say how far they are, and what is
 * behind them takes no memory; it can be read again. */
#ifndef ASCTUNE_BASE_LONG_TEXT_H
#define ASCTUNE_BASE_LONG_TEXT_H

#include <stddef.h>
#include <stdio.h>

#include "tuner/base/err.h"

struct long_text {
	const char *data; /* ends with a NUL; NULL before long_text_map() */
	size_t len;
	FILE *file;
	size_t left; /* what is before is not in memory */
};

enum asc_status long_text_add(struct long_text *t, const void *data, size_t n, struct asc_err *e);
enum asc_status long_text_map(struct long_text *t, struct asc_err *e);
void long_text_fini(struct long_text *t);

/* A reader has come to byte `at`, or begins again there. */
void long_text_reach(struct long_text *t, size_t at);

#endif
