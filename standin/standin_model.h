/* The stand-in's time model: how long a launch takes on simulated cores. Deterministic for a seed,
 * and no statement on an NPU's speed. */
#ifndef ASCTUNE_STANDIN_STANDIN_MODEL_H
#define ASCTUNE_STANDIN_STANDIN_MODEL_H

#include <stdint.h>

#include "standin/standin_core.h"
#include "workloads/npu/twin.h"

enum {
	STANDIN_HOST_NS = 3000,  /* from the call to the earliest begin of a kernel */
	STANDIN_GAP_NS = 1000,   /* between kernels of a stream */
	STANDIN_EMPTY_NS = 2000, /* a kernel without work */
	STANDIN_MAX_CORES = 128
};

/* Cores that a kernel's programs are spread over. */
int standin_model_cores(const struct twin_kernel *k);

/* Time of a launch at the rated clock: that of the core with most work. Program p runs on core
 * p modulo their number. */
double standin_model_ns(const struct twin_kernel *k, const union twin_argument *a,
			int64_t programs);

/* Time with a clock that ramps up, noise and outliers; `launch` counts the launches of the process,
 * and the launch begins at `at_ns` of the timeline. */
int64_t standin_model_vary(double ns, int64_t launch, int64_t at_ns);

#endif
