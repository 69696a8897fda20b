/* What the outputs of a worker's problem are compared with and begin with: the reference in the
 * device's memory, masked, and the poison that the reference has nowhere. */
#ifndef ASCTUNE_WORKER_WORKER_EXPECTED_H
#define ASCTUNE_WORKER_WORKER_EXPECTED_H

#include <stdint.h>

#include "tuner/base/err.h"

struct binding;
struct device_ops;
struct worker_problem;

/* Puts the reference on the device where that compares. It cannot compare distributions, which are
 * compared as a whole, nor integers of 64 bits, which doubles do not hold, nor elements that do
 * not follow each other from the begin of a memory. Where its memory has no room for the reference,
 * outputs are compared in the worker. */
void worker_expected_put(struct worker_problem *p);

/* Bytes of the device's memory that the reference takes there. */
int64_t worker_expected_bytes(const struct binding *b, const struct device_ops *ops);

/* Releases the reference there: the device does not compare. */
void worker_expected_drop(struct worker_problem *p);

/* Makes the poison of each output. */
enum asc_status worker_expected_make_poison(struct worker_problem *p, struct asc_err *e);

#endif
