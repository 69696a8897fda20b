/* Sets of inputs of a worker's problem: the inputs that each set has of its own, their contents on
 * the device, and another set, or inputs that no set has, in their place (worker_problem_put_set()
 * and worker_problem_put_unseen() of worker_problem.h). */
#ifndef ASCTUNE_WORKER_WORKER_SETS_H
#define ASCTUNE_WORKER_WORKER_SETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct binding;
struct device_ops;
struct worker_problem;

/* True where the sets of inputs are those that the problem names, in files. */
bool worker_sets_in_files(const struct worker_problem *p);

/* Bytes of the device's memory that a problem takes at most, beside what a configuration has of its
 * own: the tensors, what outputs are compared with, and all sets where these are kept. */
int64_t worker_sets_bytes(const struct binding *b, const struct device_ops *ops, size_t n_sets);

/* True for an input that is another one in each set: by its file, or by its seed. */
bool worker_sets_has(const struct worker_problem *p, size_t i);

/* Lays out the memories that hold views, as far as outputs and their poison are known. */
void worker_sets_lay_out(struct worker_problem *p, void *const inputs[WORKLOAD_MAX_TENSORS]);

/* Writes inputs to the device. Memories with nothing but inputs are protected: a kernel that writes
 * to one is found, where the device can see that. */
enum asc_status worker_sets_put_inputs(struct worker_problem *p,
				       void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e);

/* Makes what follows from the reference, of the set whose inputs are on the device: poison, which
 * memories that hold views are laid out with, and the device's copy of the reference, which is
 * unmapped then: no kernel is to find it in memory. */
enum asc_status worker_sets_follow_reference(struct worker_problem *p,
					     void *const inputs[WORKLOAD_MAX_TENSORS],
					     struct asc_err *e);

/* Keeps a set that is on the device, so that it changes places with others that are kept by copies
 * within the device's memory, which take as long as copying its inputs: that a launch can follow
 * one on other inputs at once. inout tensors are restored from there. Only where sets are small, no
 * memory of theirs holds views, and the device has room; else nothing happens. */
enum asc_status worker_sets_keep(struct worker_problem *p, struct asc_err *e);

/* True where all sets are kept, and there are several. */
bool worker_sets_keeps(const struct worker_problem *p);

/* True where sets differ by data alone: a launch does as much on each. */
bool worker_sets_alike(const struct worker_problem *p);

void worker_sets_drop_kept(struct worker_problem *p);

#endif
