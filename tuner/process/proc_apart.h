/* A question that is answered in a forked process: libraries that it opens, drivers that it wakes
 * and their threads do not come into this one, nor does a crash. To be asked while this process has
 * one thread. The process that has answered last stays until it is let go: a driver that some
 * process has open wakes in a tenth of the time for another. */
#ifndef ASCTUNE_PROCESS_PROC_APART_H
#define ASCTUNE_PROCESS_PROC_APART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct proc_options;

/* Fills `answer`: plain bytes, whose pointers are to what this program has from its start. */
typedef enum asc_status proc_apart_fn(const void *question, void *answer, struct asc_err *e);

/* Returns what `fn` does, with its error and its answer of `size` bytes; ASC_CHILD when the process
 * ended without one, ASC_TIMEOUT when it did not answer within `limit_ns`: a driver may hang. */
enum asc_status proc_apart(proc_apart_fn *fn, const void *question, void *answer, size_t size,
			   int64_t limit_ns, struct asc_err *e);

/* Starts a program that answers in the same way, by proc_apart_answer(): in an environment that a
 * fork does not get, with other libraries preloaded. It has a channel. */
enum asc_status proc_apart_program(const struct proc_options *o, void *answer, size_t size,
				   int64_t limit_ns, struct asc_err *e);

/* Gives the answer of this process, or the failure that `e` is, to the program that has asked. */
bool proc_apart_answer(const struct asc_err *e, const void *answer, size_t size);

#define PROC_APART_DRIVER_NS INT64_C(60000000000) /* many times what a driver takes to wake */

/* Lets the last process end, which happens at the end of this one, too; does not wait for it. */
void proc_apart_let_go(void);

#endif
