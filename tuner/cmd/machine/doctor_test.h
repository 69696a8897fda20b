/* The test that `asctune doctor` makes of a device: a copy there and back, a function of a vendor's
 * library launched and its output looked at, and the clock. */
#ifndef ASCTUNE_CMD_MACHINE_DOCTOR_TEST_H
#define ASCTUNE_CMD_MACHINE_DOCTOR_TEST_H

#include <stdbool.h>

struct device_ops;
struct listing;

/* Adds a row for each part; true when all hold that the machine has the libraries for. */
bool doctor_test(const struct device_ops *ops, const char *place, struct listing *l);

#endif
