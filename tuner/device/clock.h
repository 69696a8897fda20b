/* Times of launches on devices that queue them: launches are put into the device's stream in
 * batches, waited for once and read, whatever the clock that times them.
 *
 * A clock is one way of timing, an entry of its device's list. Times of different clocks are never
 * compared, so the clock is part of the device's description. */
#ifndef ASCTUNE_DEVICE_CLOCK_H
#define ASCTUNE_DEVICE_CLOCK_H

#include "tuner/device/device.h"

enum { CLOCK_MAX_QUEUED = 128 }; /* most launches of a batch */

/* One way of timing; all but name and read may be NULL. */
struct clock_ops {
	const char *name;
	size_t most;         /* most launches of one kernel that are queued */
	size_t most_kernels; /* most kernels that are queued where a launch has several */
	bool (*check)(char *reason, size_t size); /* whether it is usable here; NULL: always */
	enum asc_status (*open)(struct device *d, struct asc_err *e);
	void (*close)(struct device *d);
	/* Claims what one process at a time may have, before each batch; again: nothing. */
	enum asc_status (*begin)(struct device *d, struct asc_err *e);
	/* Finds what reading needs of launches of `s`, before each batch of them: by launches, each
	 * followed by clock_restore(); again: nothing. */
	enum asc_status (*learn)(struct device *d, const struct device_sequence *s,
				 const struct device_batch *batch, struct asc_err *e);
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
	 * of their kernels' times, 0 where the clock has none. A time below 0: what was noted
	 * of that launch is lost, and it is made again. */
	enum asc_status (*read)(struct device *d, const struct device_sequence *s, size_t n,
				int64_t *times, int64_t *sums, struct asc_err *e);
	/* Watches all work of the device, of all streams and threads, and drops what was noted
	 * before; nothing runs. `watched` follows when all has ended, as device_ops.watched. NULL:
	 * the clock has no records of work. */
	enum asc_status (*watch)(struct device *d, struct asc_err *e);
	enum asc_status (*watched)(struct device *d, size_t expected, const struct work **list,
				   size_t *n, struct asc_err *e);
	/* Makes no records from now on, or makes them again, while nothing runs, as well as it can:
	 * what makes them takes the host time at each launch. `begin` has them made in any case.
	 * NULL: it makes none, or cannot leave off. */
	void (*pause)(struct device *d, bool pause);
	bool loses; /* records of work may be missing without a word */
};

/* Operations of a device on its stream; none but `wait` waits. */
struct clock_stream {
	enum asc_status (*flush)(struct device *d, struct asc_err *e);
	enum asc_status (*launch)(struct device *d, const struct device_sequence *s,
				  struct asc_err *e);
	enum asc_status (*wait)(struct device *d, const char *what, struct asc_err *e);
	/* Waits for all that the device does, on any stream. NULL: as wait. */
	enum asc_status (*wait_all)(struct device *d, const char *what, struct asc_err *e);
	/* Puts back what kernels would keep from one launch to the next, without kernels of its
	 * own, which a clock would count. NULL: they keep nothing. */
	enum asc_status (*restore)(struct device *d, const struct device_sequence *s,
				   struct asc_err *e);
};

/* The clocks of a kind of device. */
struct clock_kind {
	const char *variable;                /* environment variable that names one */
	const struct clock_ops *const *list; /* NULL-terminated, in the order of preference; the
						last is always usable */
	struct clock_stream stream;
};

/* Finds the clock that the variable names, without it the first usable one: fills the members of
 * `out` on the clock. ASC_USAGE for a name that no clock has. */
enum asc_status clock_describe(const struct clock_kind *k, struct device_info *out,
			       struct asc_err *e);

/* Opens the clock that clock_describe() finds. *chosen is the one that is to be closed, after a
 * failure too; NULL: none is. */
enum asc_status clock_open(const struct clock_kind *k, struct device *d,
			   const struct clock_ops **chosen, struct asc_err *e);
void clock_close(const struct clock_ops *clock, struct device *d);

/* Calls clock_ops.begin. */
enum asc_status clock_begin(const struct clock_ops *clock, struct device *d, struct asc_err *e);

/* Calls device_batch.restore. */
enum asc_status clock_restore(const struct device_batch *batch, struct asc_err *e);

/* Discards timings of launches that were not made through clock_run(). Called when nothing runs. */
enum asc_status clock_forget(const struct clock_ops *clock, struct device *d, struct asc_err *e);

/* Times launches like device_ops.run. ASC_IO when the clock loses what it noted of whole batches.
 */
enum asc_status clock_run(struct device *d, const struct clock_ops *clock,
			  const struct clock_stream *stream, const struct device_sequence *s,
			  const struct device_batch *batch, int64_t *ns, struct asc_err *e);

/* ---- devices that queue ---- */

/* The begin of their `struct device`. */
struct clocked_device {
	const struct clock_kind *kind;
	const struct clock_ops *clock; /* the one that clock_open() has chosen */
};

/* Operations as in device_ops. clocked_wait() drops what the clock has noted of the launches that
 * it waits for: they were made untimed. clocked_launch() waits for what may work anywhere. */
enum asc_status clocked_flush(struct device *d, const struct device_sequence *s, struct asc_err *e);
enum asc_status clocked_launch(struct device *d, const struct device_sequence *s, int64_t n,
			       struct asc_err *e);
enum asc_status clocked_wait(struct device *d, struct asc_err *e);
void clocked_undisturbed(struct device *d, bool begins);
enum asc_status clocked_watch(struct device *d, struct asc_err *e);
enum asc_status clocked_watched(struct device *d, size_t expected, const struct work **list,
				size_t *n, struct asc_err *e);
enum asc_status clocked_run(struct device *d, const struct device_sequence *s,
			    const struct device_batch *batch, int64_t *ns, struct asc_err *e);

#endif
