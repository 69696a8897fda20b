/* `asctune profile --plan`: what a set of metrics counts on a chip, and in how many passes over a
 * launch, without a device. */
#ifndef ASCTUNE_CMD_PROFILE_PROFILE_PLAN_H
#define ASCTUNE_CMD_PROFILE_PROFILE_PLAN_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct profile_options;

/* Prints passes for each chip of `chips` ("GH100,gb202"), by the probes of the options (none: all):
 * of the set of the options with its counters, or of all sets without them (`set` NULL); as tables,
 * or as a JSON line for each set and chip. `chips` NULL: those of `device`, "cpu", "cuda", "sm_90"
 * or NULL: the GPU that is here, else one of each generation, and this machine's processor.
 * ASC_USAGE for an unknown set, chip or device, ASC_INPUT for a file of metrics, ASC_ABSENT, with
 * the reason, where passes cannot be told here. */
enum asc_status profile_plan_print(const struct profile_options *o, const char *device,
				   const char *chips, bool json, struct asc_err *e);

#endif
