/* The clocks of a GPU as one table each, shared by the files of cuda_clock.c. */
#ifndef ASCTUNE_DEVICE_CUDA_CLOCK_OPS_H
#define ASCTUNE_DEVICE_CUDA_CLOCK_OPS_H

#include "tuner/device/cuda_device.h"

/* Launches that are queued at most: the driver's own queue holds about a thousand entries, and a
 * cold launch with its events is four. Where nothing leaves the queue while it is filled there must
 * be room for launches of a dozen kernels each. */
enum { MAX_QUEUED = 128, MAX_BLOCKED = 64 };

struct clock_ops {
	const char *name;
	size_t most; /* launches queued */
	bool (*check)(char *reason, size_t size);
	enum asc_status (*open)(struct device *d, struct asc_err *e);
	void (*close)(struct device *d);
	enum asc_status (*before)(struct device *d, size_t launch, struct asc_err *e);
	enum asc_status (*after)(struct device *d, size_t launch, struct asc_err *e);
	/* Before the launches of a known kernel are queued, until cuda_clock_release(); NULL:
	 * nothing. */
	enum asc_status (*hold)(struct device *d, struct asc_err *e);
	enum asc_status (*forget)(struct device *d, struct asc_err *e); /* NULL: nothing */
	/* When all has ended: the times of the `n` launches since the last reading. */
	enum asc_status (*read)(struct device *d, size_t n, int64_t *times, struct asc_err *e);
};

struct cuda_clock {
	const struct clock_ops *ops;
	struct CUevent_st *events[MAX_QUEUED][2]; /* before and after each launch */
	void *gate;                               /* a word, mapped: what a held stream waits for */
	uint32_t turn;                            /* how often it was held */
};

extern const struct clock_ops clock_activity, clock_event_blocked, clock_event;

#endif
