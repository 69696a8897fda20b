/* Places of NPUs: "" and "1" among those that are here, "sim:Ascend910B3" for a stand-in of that
 * SoC (standin); and the environment that each needs. */
#ifndef ASCTUNE_DEVICE_NPU_NPU_PLACE_H
#define ASCTUNE_DEVICE_NPU_NPU_PLACE_H

#include <stdbool.h>

#include "tuner/base/err.h"
#include "tuner/workload/limits/limits.h"

struct device_environment;

struct npu_place {
	bool simulated;
	struct limits soc; /* of a stand-in */
};

/* Parses a place; the number of a real device is left to device_parse_number(). ASC_USAGE where the
 * SoC is unknown, with the nearest one, or as of npu_check_soc(). */
enum asc_status npu_place_parse(const char *place, struct npu_place *out, struct asc_err *e);

/* Refuses (ASC_ABSENT) a SoC of the first generation, whose kernels another compiler makes. */
enum asc_status npu_check_soc(const char *soc, struct asc_err *e);

/* device_ops.environment: CANN's libraries, MSPTI's beside what the user preloads, and what
 * controls a stand-in, from the user's $STANDIN and $STANDIN_LOG, which no real device gets. */
enum asc_status npu_environment(const char *place, struct device_environment *out,
				struct asc_err *e);

#endif
