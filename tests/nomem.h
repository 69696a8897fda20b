/* Jobs of which one allocation fails, in each try another, of a selection: the failure must come
 * back as ASC_NOMEM, without a crash or (under the sanitizers) a leak, or change nothing of what
 * the job gives; and the job must succeed once nothing fails.
 *
 * A program with jobs is linked with --wrap for malloc and its kin (CMakeLists.txt). Threads of a
 * job count together. */
#ifndef ASCTUNE_TESTS_NOMEM_H
#define ASCTUNE_TESTS_NOMEM_H

#include <stdbool.h>

#include "tuner/base/err.h"

typedef enum asc_status nomem_job(struct asc_err *e);

/* Every one of the first 2500 allocations fails, and of the later ones the first and the last of
 * each call stack. */
void nomem_exhaust(const char *name, nomem_job *job);

/* For a job that takes long: of all allocations some fail, `apart` each from the next. A prime is
 * best: what repeats does not always meet the same. */
void nomem_sample(const char *name, nomem_job *job, long apart);

/* Keeps the output of a job, called within it: the same whenever the job answers ASC_OK. */
void nomem_give(const char *output);

/* True where an allocation has failed since the job that asks began. */
bool nomem_has_failed(void);

#endif
