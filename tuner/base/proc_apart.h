/* A question that is answered in a forked process: libraries that it opens, drivers that it wakes
 * and their threads do not come into this one, nor does a crash. To be asked while this process has
 * one thread. The process that has answered last stays until it is let go: a driver that some
 * process has open wakes in a tenth of the time for another. */
#ifndef ASCTUNE_BASE_PROC_APART_H
#define ASCTUNE_BASE_PROC_APART_H

#include <stddef.h>

#include "tuner/base/err.h"

/* Fills `answer`: plain bytes, whose pointers are to what this program has from its start. */
typedef enum asc_status proc_apart_fn(const void *question, void *answer, struct asc_err *e);

/* Returns what `fn` does, with its error and its answer of `size` bytes; ASC_CHILD when the process
 * ended without one. */
enum asc_status proc_apart(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   struct asc_err *e);

/* Lets the last process end, which happens at the end of this one, too; does not wait for it. */
void proc_apart_let_go(void);

#endif
