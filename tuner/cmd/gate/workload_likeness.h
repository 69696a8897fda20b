/* The part of a workload's file that is in another one, for a workload that got another name. */
#ifndef ASCTUNE_CMD_GATE_WORKLOAD_LIKENESS_H
#define ASCTUNE_CMD_GATE_WORKLOAD_LIKENESS_H

#include "tuner/base/err.h"

struct workload;

/* Likeness from which one is the other under another name. Files of one operator share half of
 * their lines, however different their kernels are; a new name changes a few. */
#define WORKLOAD_ALIKE 0.8

/* Part of their lines that both have, whatever the order, of the longer one; each one's own name
 * counts as the same word. 0 where operators differ. */
enum asc_status workload_likeness(const struct workload *a, const struct workload *b, double *out,
				  struct asc_err *e);

#endif
