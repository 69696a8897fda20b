/* Files and folders that the words of compilers' commands name, for the sandbox that reads them.
 *
 * The caller owns the storage: zeroed, then build_places_fini(). */
#ifndef ASCTUNE_BUILD_BUILD_PLACES_H
#define ASCTUNE_BUILD_BUILD_PLACES_H

#include <stddef.h>

#include "tuner/base/err.h"

struct build_command;

struct build_places {
	char **list; /* NULL-terminated; NULL: none so far */
	size_t n, capacity;
};

/* Adds what the command names outside of `scratch` ("": it has none), where that is there, not
 * listed, and not granted to all children. */
enum asc_status build_places_add(struct build_places *p, const struct build_command *c,
				 const char *scratch, struct asc_err *e);
void build_places_fini(struct build_places *p);

#endif
