/* Devices of each kind on this machine, for listings. Each kind is asked in a process of
 * its own: a driver that crashes or hangs is a reason why that kind is not usable, and nothing
 * else. */
#ifndef ASCTUNE_CMD_MACHINE_DEVICE_SURVEY_H
#define ASCTUNE_CMD_MACHINE_DEVICE_SURVEY_H

#include "tuner/device/device.h"

enum { DEVICE_SURVEY_MOST = 64, DEVICE_SURVEY_REASON_SIZE = 1024 };

struct device_survey_device {
	char model[sizeof((struct device_info *)0)->model];
	char reason[DEVICE_SURVEY_REASON_SIZE]; /* why it is not usable; "" when it is */
};

struct device_survey {
	char reason[DEVICE_SURVEY_REASON_SIZE]; /* why the kind is not usable; "" when it is */
	int count;                              /* of devices, the first ones of which are below */
	struct device_survey_device devices[DEVICE_SURVEY_MOST];
};

/* Asks once in a process; borrowed. The time limit is PROC_APART_DRIVER_NS. */
const struct device_survey *device_survey(const struct device_ops *ops);

/* device_ops.check, asked in that way. */
bool device_survey_check(const struct device_ops *ops, char *reason, size_t size);

#endif
