/* Flags that a workload of a stranger may give a compiler: each language lists flags that change
 * code, and read or write nothing else.
 *
 * A list is borrowed and ends with a NULL text. */
#ifndef ASCTUNE_BUILD_ALLOWED_FLAGS_H
#define ASCTUNE_BUILD_ALLOWED_FLAGS_H

#include <stddef.h>

#include "tuner/base/err.h"

enum allowed_value {
	ALLOWED_ALONE, /* the flag is the text itself */
	ALLOWED_WORD,  /* letters, digits and _ + - . = may follow it */
	ALLOWED_PAIR,  /* the same, or the next flag is such a word */
	ALLOWED_MACRO, /* a line may follow it, or be the next flag */
	ALLOWED_PLACE  /* a path that leads into the workload's folder follows it, or is the next */
};

struct allowed_flag {
	const char *text;
	enum allowed_value value;
};

/* Fails (ASC_INPUT) with the first of `flags` (`n` of them) that `list` does not allow (NULL: it
 * allows none), or that names a place outside of `folder`, a path without links; *at is its index.
 */
enum asc_status allowed_flags_check(const struct allowed_flag *list, const char *const *flags,
				    size_t n, const char *folder, size_t *at, struct asc_err *e);

#endif
