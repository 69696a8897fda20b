/* The least time that a launch can take: the least work of a problem at the limits of a device,
 * which no kernel exceeds. A result below it is impossible: the kernel does not do the work, or the
 * clock is wrong.
 *
 * Least work: what the workload states as "least"; else no operations, and of bytes the lesser of
 * all inputs once with those outputs that the last cache cannot keep, and of the workload's
 * "bytes" less what that cache may keep of the outputs. Where neither is stated, and inputs may be
 * read in part or not at all, none.
 *
 * Limits: those of the hardware where driver and architecture tell them, else LIMIT_MARGIN times
 * the measured peak, and more while that is of few moments or of busy ones alone. */
#ifndef ASCTUNE_TUNE_EVALUATE_PHYSICS_H
#define ASCTUNE_TUNE_EVALUATE_PHYSICS_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/worker/policy.h"

struct binding;
struct device_info;
struct peaks;
struct result;

struct physics {                   /* zeroed: nothing is known, and nothing impossible */
	double bytes, flops;       /* least work of a launch */
	double memory, arithmetic; /* limits of the device, B/s and FLOP/s; 0: unknown */
	int64_t least_ns;          /* that work at these limits; 0: no verdict */
};

/* Finds the least time of a bound problem on a device whose caches a launch finds as `cache` says.
 * `peaks` are those measured of the device. Simulated devices have none. */
void physics_find(const struct binding *b, const struct device_info *info, enum cache_policy cache,
		  const struct peaks *peaks, struct physics *out);

/* True where a measured peak would give a verdict that nothing else gives: the least work is not
 * soon done, and its limit is not known. */
bool physics_wants_peaks(const struct physics *p);

/* Makes a timed result impossible whose median is below the least time; its samples stay. True: it
 * was. */
bool physics_judge(const struct physics *p, struct result *r);

#endif
