/* `asctune run --cover`: few configurations for the problems of a workload, each measured beside
 * the default on the problems that it serves. */
#ifndef ASCTUNE_CMD_RUN_RUN_COVER_H
#define ASCTUNE_CMD_RUN_RUN_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct run_given;

/* Chooses configurations, measures each on the problems that it serves, unless it was measured
 * there before, and chooses again if one fails or loses more than expected. Results count as
 * measured from run `since` on (0: of all runs); `fresh`: something was measured since the cover
 * before. Prints which configuration serves which problems; nothing after a stop. */
enum asc_status run_cover(const struct run_given *on, int64_t since, bool fresh, struct asc_err *e);

#endif
