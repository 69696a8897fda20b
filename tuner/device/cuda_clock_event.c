/* The clocks "event" and "event-blocked": pairs of events around each launch. */
#include <math.h>
#include <stdio.h>

#include "tuner/device/cuda_clock.h"
#include "tuner/device/cuda_clock_ops.h"

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

const struct clock_ops clock_event = {
	.name = "event",
	.most = MAX_QUEUED,
	.check = event_check,
	.open = event_open,
	.close = event_close,
	.before = event_before,
	.after = event_after,
	.read = event_read,
};

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

const struct clock_ops clock_event_blocked = {
	.name = "event-blocked",
	.most = MAX_BLOCKED,
	.check = blocked_check,
	.open = blocked_open,
	.close = blocked_close,
	.before = event_before,
	.after = event_after,
	.hold = blocked_hold,
	.read = event_read,
};
