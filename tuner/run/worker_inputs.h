/* The inputs of a problem, made by as many threads as there are processors. */
#ifndef ASCTUNE_RUN_WORKER_INPUTS_H
#define ASCTUNE_RUN_WORKER_INPUTS_H

#include "tuner/base/err.h"
#include "tuner/model/binding.h"

struct worker_problem_request;

/* inputs[i] is, for every tensor that is read and present, memory of its size to be filled; else
 * NULL. Functions of the workload run one by one, in this thread, and are told of before. */
enum asc_status worker_inputs_make(const struct binding *b,
				   const struct worker_problem_request *request,
				   void *const inputs[WORKLOAD_MAX_TENSORS], struct asc_err *e);

#endif
