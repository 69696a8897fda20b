#include "tuner/device/cuda_clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda_flush.h"
#include "tuner/device/cuda_kernel.h"
#include "tuner/device/cupti.h"

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

/* ---- activity records ---- */

static enum asc_status activity_open(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	(void)d;
	if (cupti_start(e) || cupti_take(&records, &n, e))
		return asc_err_wrap(e, "the clock \"activity\" (ASCTUNE_CUDA_CLOCK=event takes "
				       "another)");
	return ASC_OK;
}

static void activity_close(struct device *d)
{
	(void)d;
}

static enum asc_status activity_mark(struct device *d, size_t launch, struct asc_err *e)
{
	(void)d;
	(void)launch;
	(void)e;
	return ASC_OK;
}

static enum asc_status add_records(const struct cupti_kernel *records, size_t each, int64_t *time,
				   struct asc_err *e)
{
	uint64_t start = UINT64_MAX, end = 0;

	for (size_t i = 0; i < each; i++) {
		if (records[i].end == 0)
			return asc_err_set(e, ASC_IO, "CUPTI did not time a launch");
		start = records[i].start < start ? records[i].start : start;
		end = records[i].end > end ? records[i].end : end;
	}
	*time = (int64_t)(end - start);
	return ASC_OK;
}

static enum asc_status activity_forget(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	d->unclocked = 0;
	return cupti_take(&records, &n, e);
}

/* Kernels of our own, launched since the last reading, come first. */
static enum asc_status activity_read(struct device *d, size_t n, int64_t *times, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t all, own = d->unclocked;

	if (cupti_take(&records, &all, e))
		return e->status;
	d->unclocked = 0;
	if (all <= own || (all - own) % n != 0)
		return asc_err_set(e, ASC_IO, "CUPTI has %zu records of %zu launches",
				   all < own ? 0 : all - own, n);
	size_t each = (all - own) / n;
	for (size_t i = 0; i < n; i++)
		if (add_records(records + own + i * each, each, &times[i], e))
			return e->status;
	return ASC_OK;
}

/* ---- events ---- */

static bool event_check(char *reason, size_t size)
{
	(void)reason;
	(void)size;
	return true;
}

static enum asc_status event_open(struct device *d, struct asc_err *e)
{
	for (size_t i = 0; i < MAX_QUEUED; i++)
		for (size_t k = 0; k < 2; k++)
			if (cuda_check(d, d->cu->event_create(&d->clock->events[i][k], 0),
				       "cuEventCreate", e))
				return e->status;
	return ASC_OK;
}

static void event_close(struct device *d)
{
	for (size_t i = 0; i < MAX_QUEUED; i++)
		for (size_t k = 0; k < 2; k++)
			if (d->clock->events[i][k])
				(void)d->cu->event_destroy(d->clock->events[i][k]);
}

static enum asc_status event_before(struct device *d, size_t launch, struct asc_err *e)
{
	return cuda_check(d, d->cu->event_record(d->clock->events[launch][0], d->stream),
			  "cuEventRecord", e);
}

static enum asc_status event_after(struct device *d, size_t launch, struct asc_err *e)
{
	return cuda_check(d, d->cu->event_record(d->clock->events[launch][1], d->stream),
			  "cuEventRecord", e);
}

static enum asc_status event_read(struct device *d, size_t n, int64_t *times, struct asc_err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct CUevent_st **pair = d->clock->events[i];
		float ms = 0;

		if (cuda_check(d, d->cu->event_elapsed(&ms, pair[0], pair[1]), "cuEventElapsedTime",
			       e))
			return e->status;
		times[i] = llround((double)ms * 1e6);
	}
	return ASC_OK;
}

/* ---- events in a stream that is held ---- */

/* The launches between its events follow each other at once: while they are queued the stream waits
 * for a word of the host's memory. */
static bool blocked_check(char *reason, size_t size)
{
	const struct cuda_driver *cu;
	struct asc_err e;

	if (cuda_driver_get(&cu, &e) == ASC_OK && cu->stream_await)
		return true;
	(void)snprintf(reason, size, "the driver has no cuStreamWaitValue32");
	return false;
}

/* The word rises: a turn that was missed holds nothing up. */
static enum asc_status blocked_hold(struct device *d, struct asc_err *e)
{
	struct cuda_clock *c = d->clock;
	cuda_address at = 0;

	if (cuda_check(d, d->cu->host_address(&at, c->gate, 0), "cuMemHostGetDevicePointer", e))
		return e->status;
	return cuda_check(d, d->cu->stream_await(d->stream, at, ++c->turn, CUDA_AWAIT_AT_LEAST),
			  "cuStreamWaitValue32", e);
}

/* Held and let go once, to see that this device does it. */
static enum asc_status blocked_open(struct device *d, struct asc_err *e)
{
	void *word = NULL;

	if (!d->cu->stream_await)
		return asc_err_set(e, ASC_ABSENT, "the driver has no cuStreamWaitValue32");
	if (event_open(d, e) ||
	    cuda_check(d, d->cu->host_alloc(&word, sizeof(uint32_t), CUDA_HOST_MAPPED),
		       "cuMemHostAlloc", e))
		return e->status;
	d->clock->gate = word;
	cuda_clock_release(d);
	if (blocked_hold(d, e))
		return asc_err_wrap(e,
				    "the clock \"event-blocked\" (ASCTUNE_CUDA_CLOCK=event takes "
				    "another)");
	cuda_clock_release(d);
	return cuda_wait(d, "a stream that was held", e);
}

static void blocked_close(struct device *d)
{
	event_close(d);
	if (d->clock->gate)
		(void)d->cu->host_free(d->clock->gate);
}

/* ---- which one ---- */

/* In the order of preference. */
static const struct clock_ops clocks[] = {
	{.name = "activity",
	 .most = MAX_QUEUED,
	 .check = cupti_check,
	 .open = activity_open,
	 .close = activity_close,
	 .before = activity_mark,
	 .after = activity_mark,
	 .forget = activity_forget,
	 .read = activity_read},
	{.name = "event-blocked",
	 .most = MAX_BLOCKED,
	 .check = blocked_check,
	 .open = blocked_open,
	 .close = blocked_close,
	 .before = event_before,
	 .after = event_after,
	 .hold = blocked_hold,
	 .read = event_read},
	{.name = "event",
	 .most = MAX_QUEUED,
	 .check = event_check,
	 .open = event_open,
	 .close = event_close,
	 .before = event_before,
	 .after = event_after,
	 .read = event_read},
};

static const char *wanted(void)
{
	const char *name = getenv("ASCTUNE_CUDA_CLOCK");

	return name && *name ? name : NULL;
}

/* The one that is asked for by name, NULL when there is none; else the first that is usable. */
static const struct clock_ops *choose(void)
{
	const char *name = wanted();
	char reason[256];

	for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++)
		if (name ? strcmp(clocks[i].name, name) == 0
			 : clocks[i].check(reason, sizeof reason))
			return &clocks[i];
	return NULL;
}

void cuda_clock_name(char *text, size_t size)
{
	const struct clock_ops *chosen = choose();

	(void)snprintf(text, size, "%s", chosen ? chosen->name : "unknown");
}

enum asc_status cuda_clock_open(struct device *d, struct asc_err *e)
{
	d->clock = calloc(1, sizeof *d->clock);
	if (!d->clock)
		return asc_err_nomem(e);
	d->clock->ops = choose();
	if (!d->clock->ops)
		return asc_err_set(e, ASC_USAGE,
				   "ASCTUNE_CUDA_CLOCK is \"%s\", expected activity, "
				   "event-blocked or event",
				   wanted());
	return d->clock->ops->open(d, e);
}

void cuda_clock_close(struct device *d)
{
	if (d->clock && d->clock->ops)
		d->clock->ops->close(d);
	free(d->clock);
	d->clock = NULL;
}

void cuda_clock_release(struct device *d)
{
	if (d->clock && d->clock->gate)
		atomic_store((_Atomic uint32_t *)d->clock->gate, d->clock->turn);
}

enum asc_status cuda_clock_forget(struct device *d, struct asc_err *e)
{
	return d->clock->ops->forget ? d->clock->ops->forget(d, e) : ASC_OK;
}

/* ---- launching ---- */

static enum asc_status queue_one(struct device *d, struct device_kernel *k, bool cold, size_t i,
				 struct asc_err *e)
{
	const struct clock_ops *clock = d->clock->ops;

	if ((cold && cuda_flush_queue(d, e)) || clock->before(d, i, e) ||
	    cuda_kernel_launch(d, k, e))
		return e->status;
	return clock->after(d, i, e);
}

static enum asc_status queue_some(struct device *d, struct device_kernel *k, bool cold, size_t n,
				  struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (queue_one(d, k, cold, i, e))
			return e->status;
	return ASC_OK;
}

/* Up to clock_ops.most launches and the times of each. */
static enum asc_status run_some(struct device *d, struct device_kernel *k, bool cold, size_t n,
				int64_t *times, struct asc_err *e)
{
	const struct clock_ops *clock = d->clock->ops;
	bool held = clock->hold && cuda_kernel_is_known(k);

	if (held && clock->hold(d, e))
		return e->status;
	enum asc_status s = queue_some(d, k, cold, n, e);
	cuda_clock_release(d);
	if (s || cuda_wait(d, "the launch", e))
		return e->status;
	return clock->read(d, n, times, e);
}

enum asc_status cuda_clock_run(struct device *d, struct device_kernel *k,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	int64_t times[MAX_QUEUED] = {0}, all = batch->samples * batch->launches;

	memset(ns, 0, (size_t)batch->samples * sizeof *ns);
	const int64_t most = (int64_t)d->clock->ops->most;

	for (int64_t done = 0; done < all;) {
		int64_t n = all - done < most ? all - done : most;

		if (run_some(d, k, batch->cold, (size_t)n, times, e))
			return e->status;
		for (int64_t i = 0; i < n; i++)
			ns[(done + i) / batch->launches] += times[i];
		done += n;
	}
	return ASC_OK;
}
