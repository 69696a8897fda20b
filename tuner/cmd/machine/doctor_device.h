/* The part of `asctune doctor` about one device: versions, files and what they lack, the SoC with
 * its limits, and a test of copies, launches and clock. Runs in a process with the device's
 * environment. */
#ifndef ASCTUNE_CMD_MACHINE_DOCTOR_DEVICE_H
#define ASCTUNE_CMD_MACHINE_DOCTOR_DEVICE_H

#include <stdbool.h>

#include "tuner/base/err.h"

struct listing;

/* Outcome of the tests of a device; DOCTOR_USAGE: it is not what its name says. */
enum doctor_outcome { DOCTOR_WORKS, DOCTOR_FAILED, DOCTOR_ABSENT, DOCTOR_USAGE };

/* Adds rows about the device of that name. ASC_USAGE as of device_parse(). */
enum asc_status doctor_device(const char *device, struct listing *l, enum doctor_outcome *outcome,
			      struct asc_err *e);

/* Starts `asctune examine DEVICE` in the environment of the device, which prints them, and waits;
 * *status is its exit status. ASC_TIMEOUT where that takes minutes: a driver may hang. */
enum asc_status doctor_device_apart(const char *device, bool json, int *status, struct asc_err *e);

#endif
