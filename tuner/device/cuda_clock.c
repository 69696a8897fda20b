#include "tuner/device/cuda_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda_flush.h"
#include "tuner/device/cuda_kernel.h"
#include "tuner/device/cupti.h"

/* Launches that are queued at most: the driver's own queue holds about a thousand entries, and a
 * cold launch with its events is four. */
enum { MAX_QUEUED = 128 };

struct clock_ops {
	const char *name;
	bool (*check)(char *reason, size_t size);
	enum asc_status (*open)(struct device *d, struct asc_err *e);
	void (*close)(struct device *d);
	enum asc_status (*before)(struct device *d, size_t launch, struct asc_err *e);
	enum asc_status (*after)(struct device *d, size_t launch, struct asc_err *e);
	/* When all has ended: the times of the `n` launches since the last reading. */
	enum asc_status (*read)(struct device *d, size_t n, int64_t *times, struct asc_err *e);
};

struct cuda_clock {
	const struct clock_ops *ops;
	struct CUevent_st *events[MAX_QUEUED][2]; /* before and after each launch */
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

/* ---- which one ---- */

/* In the order of preference. */
static const struct clock_ops clocks[] = {
	{"activity", cupti_check, activity_open, activity_close, activity_mark, activity_mark,
	 activity_read},
	{"event", event_check, event_open, event_close, event_before, event_after, event_read},
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
				   "ASCTUNE_CUDA_CLOCK is \"%s\", expected activity or event",
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

/* Up to MAX_QUEUED launches and the times of each. */
static enum asc_status run_some(struct device *d, struct device_kernel *k, bool cold, size_t n,
				int64_t *times, struct asc_err *e)
{
	for (size_t i = 0; i < n; i++)
		if (queue_one(d, k, cold, i, e))
			return e->status;
	if (cuda_wait(d, "the launch", e))
		return e->status;
	return d->clock->ops->read(d, n, times, e);
}

enum asc_status cuda_clock_run(struct device *d, struct device_kernel *k,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	int64_t times[MAX_QUEUED] = {0}, all = batch->samples * batch->launches;

	memset(ns, 0, (size_t)batch->samples * sizeof *ns);
	for (int64_t done = 0; done < all;) {
		int64_t n = all - done < MAX_QUEUED ? all - done : MAX_QUEUED;

		if (run_some(d, k, batch->cold, (size_t)n, times, e))
			return e->status;
		for (int64_t i = 0; i < n; i++)
			ns[(done + i) / batch->launches] += times[i];
		done += n;
	}
	return ASC_OK;
}
