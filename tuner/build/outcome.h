/* The outcome of a compiler, by its output and exit status. */
#ifndef ASCTUNE_BUILD_OUTCOME_H
#define ASCTUNE_BUILD_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"

/* The line that says why a build failed: the first with "error:" (of a linker, the
 * one that names the cause; of an assembler, without the name of its temporary file), else the
 * first with words, its path cut to the file's name, shortened to fit. Heap string, NULL when out
 * of memory. */
char *outcome_reason(const char *log);

/* Finds the name that a compiler knows nothing of, where `reason` says so: the start of its *len
 * bytes; NULL: it says something else. */
const char *outcome_find_unknown(const char *reason, size_t *len);

/* Finds whether a failure is the machine's and not the source's: ASC_FULL for a full disk,
 * ASC_NOMEM for want of memory, ASC_CHILD for a compiler that was killed; else ASC_OK. Only the
 * compiler's own lines count, not those about the source or quoting it. `status` is waitpid's. */
enum asc_status outcome_trouble(const char *log, int status);

/* Would the same source fail again? Not surely when a header or a library was not found: it may be
 * installed or written by then, without a change of the key. */
bool outcome_lasts(const char *log);

#endif
