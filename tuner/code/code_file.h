/* The machine code of an artifact, whatever it was made for: a cubin is read as it is, the code of
 * a CPU through objdump. */
#ifndef ASCTUNE_CODE_CODE_FILE_H
#define ASCTUNE_CODE_CODE_FILE_H

#include "tuner/base/err.h"
#include "tuner/code/code_counts.h"

/* Bytes of a file of machine code, at most: it is read as a whole, and a larger one is none of a
 * kernel, but a library or no code. */
enum { CODE_FILE_BYTES = 256 << 20 };

/* Counts the code of a kernel in a file; of a shared object all that its source made. ASC_ABSENT,
 * with the reason: nothing can be told of such a file, or objdump, which code of a CPU needs, is
 * not here: out->bytes is set then. ASC_INPUT: the file is spoilt, or has no kernel of that name.
 */
enum asc_status code_file_count(const char *path, const char *kernel, struct code_counts *out,
				struct asc_err *e);

#endif
