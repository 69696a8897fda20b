/* `asctune profile --plan`: what a set of metrics counts on a chip, and in how many passes over a
 * launch, without a device. */
#ifndef ASCTUNE_CMD_PROFILE_PROFILE_PLAN_H
#define ASCTUNE_CMD_PROFILE_PROFILE_PLAN_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct metric_book;

/* Prints passes for each chip of `chips` ("GH100,GB202"; NULL: that of the device here, else one of
 * each generation), of a set with its counters, or of all sets (`set` NULL) without them; as tables,
 * or as a JSON line for each set and chip. ASC_USAGE for an unknown set or chip, ASC_ABSENT, with
 * the reason, where passes cannot be told here. */
enum asc_status profile_plan_print(const struct metric_book *book, const char *set,
				   const char *chips, bool json, struct asc_err *e);

#endif
