/* The programs of a twin's launch, run by as many threads as there are processors where the launch
 * is large. */
#ifndef ASCTUNE_STANDIN_STANDIN_PROGRAMS_H
#define ASCTUNE_STANDIN_STANDIN_PROGRAMS_H

#include <stdint.h>

#include "workloads/npu/twin.h"

/* Runs programs 0 to `programs` - 1, in any order. `ns`: the model's time, from which it follows
 * whether threads are worth their start. */
void standin_programs_run(const struct twin_kernel *k, const union twin_argument *a,
			  int64_t programs, double ns);

#endif
