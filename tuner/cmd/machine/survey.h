/* Inventory of this machine, for `asctune list` and `asctune doctor`: devices of each kind; probes,
 * builders and functions of vendor libraries, each by its name, with the reason where it is not
 * usable.
 *
 * Whatever opens a driver or a library does so in a process of its own: one that crashes or hangs
 * is a reason why that kind is not usable, and nothing else. */
#ifndef ASCTUNE_CMD_MACHINE_SURVEY_H
#define ASCTUNE_CMD_MACHINE_SURVEY_H

#include <stdbool.h>
#include <stddef.h>

#include "probes/probe.h"
#include "tuner/device/device.h"

struct listing;

enum { SURVEY_MOST = 64, SURVEY_REASON_SIZE = 1024 };

struct survey_device {
	char model[sizeof((struct device_info *)0)->model];
	char reason[SURVEY_REASON_SIZE]; /* why it is not usable; "" when it is */
};

struct survey {
	char reason[SURVEY_REASON_SIZE]; /* why the kind is not usable; "" when it is */
	int count;                       /* of devices; the first SURVEY_MOST are below */
	struct survey_device devices[SURVEY_MOST];
};

/* Asks once in a process; borrowed. The time limit is PROC_APART_DRIVER_NS. */
const struct survey *survey_devices(const struct device_ops *ops);

/* Returns what device_ops.check returns, from that process. */
bool survey_check(const struct device_ops *ops, char *reason, size_t size);

/* True when the probe, whose metrics are those of a book, counts `m` (NULL: any of them) on a
 * device that is usable here; else `reason` says why not. */
bool survey_replays(const struct probe_ops *ops, const struct metric_def *m, char *reason,
		    size_t size);

/* True when metric `k` of the probe exists for any device that is usable here; else `reason` is
 * that of the last one. */
bool survey_counts(const struct probe_ops *ops, size_t k, char *reason, size_t size);

void survey_list_probes(struct listing *l);
void survey_list_builders(struct listing *l);
void survey_list_vendors(struct listing *l);
void survey_list_clocks(struct listing *l); /* libraries that time kernels on a device */

#endif
