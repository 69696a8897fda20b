/* What a compiler's flags and environment say about files that it reads: folders of headers,
 * macros, and files that a flag names.
 *
 * The caller owns the storage: a zeroed struct source_places, source_places_fini(). */
#ifndef ASCTUNE_BASE_SOURCE_PLACES_H
#define ASCTUNE_BASE_SOURCE_PLACES_H

#include "tuner/base/buf.h"

/* Strings one after the other, each ended by NUL. */
struct source_places {
	struct buf folders; /* where headers are looked for, in addition to the source's own */
	struct buf words;   /* as include_scan() gives them: macros, headers included first */
	struct buf files;   /* that a flag names: @FILE, a library, a script */
};

/* Adds those of `flags` (NULL-terminated, or NULL), of $CC behind the program, $CPATH and
 * $C_INCLUDE_PATH. A word that names a folder counts as a folder of headers whatever flag it
 * belongs to: more in a key than there need be does no harm. */
void source_places_add(struct source_places *p, const char *const *flags);
void source_places_fini(struct source_places *p);

#endif
