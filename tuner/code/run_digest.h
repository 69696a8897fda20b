/* Digest of what runs of an artifact, beside that of its bytes: files with equal ones do the same
 * when they are launched alike. Lines and paths of the source, what compilers note for debuggers,
 * and names that nobody asks for are left out.
 *
 *     "cubin:HASH"    sections of code, constants and variables, records of registers, stacks,
 *                     barriers and parameters, relocations and symbols by what they refer to
 *     "object:HASH"   of a shared object for a CPU all that a loader maps, but for the build's ID
 *     "bytes:HASH"    of what is not known here, the compilers' output for NPUs among it, all bytes
 *
 * In doubt bytes count: equal code may have two digests, and other code never has the same. */
#ifndef ASCTUNE_CODE_RUN_DIGEST_H
#define ASCTUNE_CODE_RUN_DIGEST_H

#include <stddef.h>

#include "tuner/base/err.h"

enum { RUN_DIGEST_SIZE = 40 };

/* Fails only when out of memory. 0.1 ms for 1 MB. */
enum asc_status run_digest(const void *data, size_t n, char out[RUN_DIGEST_SIZE],
			   struct asc_err *e);

#endif
