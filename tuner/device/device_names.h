/* The devices that a command's --device names, when it may name several: "cuda:0,2", "cuda:all",
 * "npu:sim:910B,npu:sim:910B".
 *
 * The caller owns the storage: device_names_parse(), device_names_fini(). */
#ifndef ASCTUNE_DEVICE_DEVICE_NAMES_H
#define ASCTUNE_DEVICE_DEVICE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"

enum { DEVICE_NAMES_MAX = 1024, DEVICE_NAME_SIZE = DEVICE_PLACE_SIZE + 16 };

struct device_name {
	char text[DEVICE_NAME_SIZE];  /* as a command with one device takes it: "cuda:2" */
	char shown[DEVICE_NAME_SIZE]; /* differs from the others: "npu:sim:910B#2" */
};

struct device_names {
	struct device_name *list; /* heap */
	size_t n;
};

/* Counts the devices of a kind that are here; 0 where that is not known. */
typedef int device_count_fn(const struct device_ops *ops);

/* True for a list, and for all of a kind: it may name more than one device. */
bool device_names_are_several(const char *text);

/* Sets ASC_USAGE for several devices, where a command takes one. */
enum asc_status device_names_refuse(const char *text, struct asc_err *e);

/* Reads a list; a number alone is one of the kind before it. `all` asks `count`. A stand-in may be
 * named several times, as each is a process of its own; `twice`: any device may (for tests).
 * ASC_USAGE: nothing, a device twice, two kinds, all of the cpu, which is one; ASC_ABSENT: `all` of
 * none. Whether the devices are here and of one model is for who opens them. */
enum asc_status device_names_parse(const char *text, device_count_fn *count, bool twice,
				   struct device_names *out, struct asc_err *e);
void device_names_fini(struct device_names *d);

#endif
