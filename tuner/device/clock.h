/* Times of launches on devices that queue them: launches are put into the device's stream in
 * batches, waited for once and read, whatever the clock that times them.
 *
 * A clock is one way of timing, an entry of its device's list. Times of different clocks are never
 * compared, so the clock is part of the device's description. */
#ifndef ASCTUNE_DEVICE_CLOCK_H
#define ASCTUNE_DEVICE_CLOCK_H

#include "tuner/device/device.h"

enum { CLOCK_MAX_QUEUED = 128 }; /* most launches of a batch */

/* One way of timing; all but name, open and read may be NULL. */
struct clock_ops {
	const char *name;
	size_t most;         /* most launches of one kernel that are queued */
	size_t most_kernels; /* most kernels that are queued where a launch has several */
	bool (*check)(char *reason, size_t size); /* is it usable here; NULL: always */
	enum asc_status (*open)(struct device *d, struct asc_err *e);
	void (*close)(struct device *d);
	/* Mark the begin and the end of launch number `launch` of a batch in the stream. */
	enum asc_status (*before)(struct device *d, size_t launch, struct asc_err *e);
	enum asc_status (*after)(struct device *d, size_t launch, struct asc_err *e);
	/* Holds the stream while launches of `s` are queued, where that is good for them. */
	enum asc_status (*hold)(struct device *d, const struct device_sequence *s,
				struct asc_err *e);
	/* Lets a held stream go on. */
	void (*release)(struct device *d);
	/* Drops what was noted of launches since the last reading. */
	enum asc_status (*forget)(struct device *d, struct asc_err *e);
	/* Reads the times of the `n` launches of `s` in a batch, which have all ended, and the sums
	 * of their kernels' times, 0 where the clock cannot tell. A time of -1: what was noted of
	 * that launch is lost, and it is made again. */
	enum asc_status (*read)(struct device *d, const struct device_sequence *s, size_t n,
				int64_t *times, int64_t *sums, struct asc_err *e);
};

/* Operations of a device on its stream; none but `wait` waits. */
struct clock_stream {
	enum asc_status (*flush)(struct device *d, struct asc_err *e);
	enum asc_status (*launch)(struct device *d, const struct device_sequence *s,
				  struct asc_err *e);
	enum asc_status (*wait)(struct device *d, const char *what, struct asc_err *e);
};

/* Finds the clock that the environment variable names, NULL when it is unknown; without the
 * variable the first usable one of a NULL-terminated list, the last of which always is. */
const struct clock_ops *clock_choose(const struct clock_ops *const *list, const char *variable);

/* Prints the name of the clock that clock_choose() finds; "unknown" when it finds none. */
void clock_print_name(const struct clock_ops *const *list, const char *variable, char *text,
		      size_t size);

/* ASC_USAGE for a variable that names no clock of the list. */
enum asc_status clock_fail_unknown(const struct clock_ops *const *list, const char *variable,
				   struct asc_err *e);

/* Times launches like device_ops.run. ASC_IO when the clock loses what it noted of whole batches.
 */
enum asc_status clock_run(struct device *d, const struct clock_ops *clock,
			  const struct clock_stream *stream, const struct device_sequence *s,
			  const struct device_batch *batch, int64_t *ns, struct asc_err *e);

#endif
