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

/* Bytes of the device's memory that a problem takes, beside what a configuration has of its own:
 * the tensors with their contents of one set, since sets follow each other there, and what outputs
 * are compared with. */
int64_t worker_sets_bytes(const struct binding *b, const struct device_ops *ops);

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

/* True where the inputs of a set are kept: it was on the device, they are small, and no memory of
 * theirs is written by launches. */
bool worker_sets_keeps(const struct worker_problem *p, size_t set);

/* Puts kept inputs of a set on the device, and nothing that follows from them: reference and poison
 * stay those of worker_problem.set, whose inputs are put back likewise. It takes as long as copying
 * them, so that a launch can follow one on other inputs at once. */
enum asc_status worker_sets_swap(struct worker_problem *p, size_t set, struct asc_err *e);

void worker_sets_drop_kept(struct worker_problem *p);

#endif
