/* Which line of its source each instruction of a cubin's kernel comes from, where it was compiled
 * with -lineinfo: the file is there for debuggers, and anybody may have written it. */
#ifndef ASCTUNE_CODE_CUBIN_LINES_H
#define ASCTUNE_CODE_CUBIN_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct cubin;

struct cubin_line {
	uint64_t address;   /* of the first instruction that comes from it, up to the next one's */
	const char *file;   /* path as the compiler was given it, borrowed from the cubin */
	const char *folder; /* that the path is relative to, borrowed; "": it says all */
	uint32_t line;      /* from 1; 0: from no line */
};

/* The caller's storage; cubin_lines_close(). */
struct cubin_lines {
	struct cubin_line *list; /* in the order of the addresses */
	size_t n, room;
};

/* ASC_ABSENT: there are no lines of that kernel. */
enum asc_status cubin_lines_open(const struct cubin *c, const char *kernel, struct cubin_lines *out,
				 struct asc_err *e);
void cubin_lines_close(struct cubin_lines *l);

/* Finds the line of an address; NULL: there is none. */
const struct cubin_line *cubin_lines_find(const struct cubin_lines *l, uint64_t address);

#endif
