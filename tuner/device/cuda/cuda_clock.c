#include "tuner/device/cuda/cuda_clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/clock.h"
#include "tuner/device/cuda/cuda_kernel.h"
#include "tuner/device/device_kernel.h"
#include "tuner/device/libs/cupti.h"

/* Most launches that are queued. The driver's queue holds about a thousand entries, and a cold
 * launch with its events is four. Nothing leaves the queue of a held stream: it needs room for
 * launches of a dozen kernels each. */
enum { MAX_QUEUED = CLOCK_MAX_QUEUED, MAX_BLOCKED = 64 };

struct cuda_clock {
	struct CUevent_st *events[MAX_QUEUED][2]; /* at begin and end of each launch */
	void *gate;    /* word of mapped host memory that a held stream waits for */
	uint32_t turn; /* how often the stream was held */
};

/* A batch finds no lines that launches before it have marked to stay. */
static enum asc_status batch_begin(struct device *d, struct asc_err *e)
{
	(void)e;
	cuda_flush_begin(d);
	return ASC_OK;
}

/* ---- a stream that is held ---- */

/* A held stream waits for a word of the host's memory while launches are queued, so that they
 * follow each other without gaps. The word only rises, so that a release that comes early holds
 * nothing up. */
static enum asc_status gate_hold(struct device *d, struct asc_err *e)
{
	struct cuda_clock *c = d->clock;
	cuda_address at = 0;

	if (cuda_check(d, d->cu->host_address(&at, c->gate, 0), "cuMemHostGetDevicePointer", e))
		return e->status;
	return cuda_check(d, d->cu->stream_await(d->stream, at, ++c->turn, CUDA_AWAIT_AT_LEAST),
			  "cuStreamWaitValue32", e);
}

/* The first launch of a kernel may have to load code, which a held stream would never let happen.
 */
static bool all_known(const struct device_sequence *s)
{
	size_t i = 0;

	while (i < s->n && cuda_kernel_is_known(s->kernels[i]))
		i++;
	return i == s->n;
}

static void gate_close(struct device *d)
{
	if (d->clock->gate)
		(void)d->cu->host_free(d->clock->gate);
	d->clock->gate = NULL;
}

/* Holds the stream and lets it go once: a device that refuses does so here. */
static enum asc_status gate_open(struct device *d, struct asc_err *e)
{
	void *word = NULL;

	if (!d->cu->stream_await)
		return asc_err_set(e, ASC_ABSENT, "the driver has no cuStreamWaitValue32");
	if (cuda_check(d, d->cu->host_alloc(&word, sizeof(uint32_t), CUDA_HOST_MAPPED),
		       "cuMemHostAlloc", e))
		return e->status;
	d->clock->gate = word;
	/* Pinned memory may hold anything: the word begins with the turn, 0. */
	cuda_clock_release(d);
	if (gate_hold(d, e))
		return e->status;
	cuda_clock_release(d);
	return cuda_wait(d, "a stream that was held", e);
}

/* ---- events ---- */

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

static enum asc_status event_read(struct device *d, const struct device_sequence *s, size_t n,
				  int64_t *times, int64_t *sums, struct asc_err *e)
{
	(void)s;
	for (size_t i = 0; i < n; i++) {
		struct CUevent_st **pair = d->clock->events[i];
		float ms = 0;

		if (cuda_check(d, d->cu->event_elapsed(&ms, pair[0], pair[1]), "cuEventElapsedTime",
			       e))
			return e->status;
		times[i] = llround((double)ms * 1e6);
		sums[i] = 0; /* events are around launches, not around kernels */
	}
	return ASC_OK;
}

static const struct clock_ops clock_event = {
	.name = "event",
	.most = MAX_QUEUED,
	.most_kernels = MAX_BLOCKED,
	.open = event_open,
	.close = event_close,
	.begin = batch_begin,
	.before = event_before,
	.after = event_after,
	.read = event_read,
};

/* ---- events in a stream that is held ---- */

static bool blocked_check(char *reason, size_t size)
{
	const struct cuda_driver *cu;
	struct asc_err e;

	if (cuda_driver_get(&cu, &e) == ASC_OK && cu->stream_await)
		return true;
	(void)snprintf(reason, size, "the driver has no cuStreamWaitValue32");
	return false;
}

static enum asc_status blocked_open(struct device *d, struct asc_err *e)
{
	if (event_open(d, e))
		return e->status;
	if (gate_open(d, e))
		return asc_err_wrap(e,
				    "the clock \"event-blocked\" (ASCTUNE_CUDA_CLOCK=event takes "
				    "another)");
	return ASC_OK;
}

/* Gaps between launches would count, and gaps between the kernels of one. */
static enum asc_status blocked_hold(struct device *d, const struct device_sequence *s,
				    struct asc_err *e)
{
	return all_known(s) ? gate_hold(d, e) : ASC_OK;
}

static void blocked_close(struct device *d)
{
	event_close(d);
	gate_close(d);
}

static const struct clock_ops clock_event_blocked = {
	.name = "event-blocked",
	.most = MAX_BLOCKED,
	.most_kernels = MAX_BLOCKED,
	.check = blocked_check,
	.open = blocked_open,
	.close = blocked_close,
	.begin = batch_begin,
	.before = event_before,
	.after = event_after,
	.hold = blocked_hold,
	.release = cuda_clock_release,
	.read = event_read,
};

/* ---- records of kernels by CUPTI ---- */

/* Goes without holding the stream where the device refuses. */
static enum asc_status activity_open(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	struct asc_err refused;
	size_t n;

	if (gate_open(d, &refused))
		gate_close(d);
	/* Taken at once: kernels of before, of other libraries too, are no launches of ours. */
	if (cupti_start(e) || cupti_take(CUPTI_ALL, &records, &n, e))
		return asc_err_wrap(e, "the clock \"activity\" (ASCTUNE_CUDA_CLOCK=event takes "
				       "another)");
	return ASC_OK;
}

/* Gaps between the kernels of a launch would count. */
static enum asc_status activity_hold(struct device *d, const struct device_sequence *s,
				     struct asc_err *e)
{
	/* A record times its kernel alone: for one kernel a launch nothing is held up. A vendor's
	 * function may have several. */
	return d->clock->gate && (s->n > 1 || s->kernels[0]->vendor) && all_known(s)
		       ? gate_hold(d, e)
		       : ASC_OK;
}

static enum asc_status activity_forget(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	d->unclocked = 0;
	return cupti_take(CUPTI_ALL, &records, &n, e);
}

/* Number of kernels of a launch; 0: not known, of a vendor's function. */
static size_t count_kernels(const struct device_sequence *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->kernels[i]->vendor)
			return 0;
	return s->n;
}

/* The records of unclocked kernels come first: those were launched before the clock began. */
static enum asc_status activity_read(struct device *d, const struct device_sequence *s, size_t n,
				     int64_t *times, int64_t *sums, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t all, own = d->unclocked;
	const size_t kernels = count_kernels(s);

	if (cupti_take(kernels > 0 ? own + n * kernels : CUPTI_ALL, &records, &all, e))
		return e->status;
	d->unclocked = 0;
	/* A launch of a vendor's function has any number of kernels, but all launches the same. */
	if (all <= own || (all - own) % n != 0)
		return asc_err_set(e, ASC_IO, "CUPTI has %zu records of %zu launches",
				   all < own ? 0 : all - own, n);
	size_t each = (all - own) / n;
	for (size_t i = 0; i < n; i++) {
		const struct cupti_kernel *first = records + own + i * each;

		if (cupti_find_span(first, each, &times[i], e))
			return e->status;
		/* From the first start to the last end; the sum leaves out gaps between kernels. */
		sums[i] = 0;
		for (size_t k = 0; k < each; k++)
			sums[i] += (int64_t)(first[k].end - first[k].start);
	}
	return ASC_OK;
}

static enum asc_status activity_watch(struct device *d, struct asc_err *e)
{
	d->unclocked = 0;
	return cupti_watch(e);
}

static enum asc_status activity_watched(struct device *d, size_t expected, const struct work **list,
					size_t *n, struct asc_err *e)
{
	const char *second = cupti_find_second();

	(void)d, (void)expected;
	if (cupti_watched(list, n, e))
		return e->status;
	if (*n > 0 || !second)
		return ASC_OK;
	return asc_err_set(e, ASC_IO,
			   "CUPTI has no record of the launch, and this process has loaded another "
			   "copy of it, %s, which may have the device (ASCTUNE_CUPTI names the one "
			   "that is used)",
			   second);
}

/* CUPTI comes back where it did not after a pause: that is no fault of the launches. */
static enum asc_status activity_begin(struct device *d, struct asc_err *e)
{
	struct asc_err refused;

	if (cupti_start(&refused))
		return asc_err_set(e, ASC_IO, "%s", refused.text);
	return batch_begin(d, e);
}

/* A CUPTI that cannot leave makes no records, at least. */
static void activity_pause(struct device *d, bool pause)
{
	struct asc_err refused;

	(void)d;
	if (pause ? cupti_leave(&refused) != ASC_OK : cupti_start(&refused) == ASC_OK)
		(void)cupti_pause(pause, &refused);
}

static const struct clock_ops clock_activity = {
	.name = "activity",
	.most = MAX_QUEUED,
	.most_kernels = MAX_BLOCKED,
	.check = cupti_check,
	.open = activity_open,
	.close = gate_close,
	.begin = activity_begin,
	.hold = activity_hold,
	.release = cuda_clock_release,
	.forget = activity_forget,
	.read = activity_read,
	.watch = activity_watch,
	.watched = activity_watched,
	.pause = activity_pause,
};

/* ---- the clock of a device ---- */

/* Clocks in the order of preference. */
static const struct clock_ops *const clock_list[] = {&clock_activity, &clock_event_blocked,
						     &clock_event, NULL};

const struct clock_kind cuda_clocks = {
	CUDA_CLOCK_VARIABLE,
	clock_list,
	{cuda_flush_queue, cuda_kernels_launch, cuda_wait, cuda_wait_all, cuda_kernels_restore}};

enum asc_status cuda_clock_open(struct device *d, struct asc_err *e)
{
	d->queue.kind = &cuda_clocks;
	d->clock = calloc(1, sizeof *d->clock);
	return d->clock ? clock_open(&cuda_clocks, d, &d->queue.clock, e) : asc_err_nomem(e);
}

void cuda_clock_close(struct device *d)
{
	if (d->clock)
		clock_close(d->queue.clock, d);
	free(d->clock);
	d->clock = NULL;
}

void cuda_clock_release(struct device *d)
{
	/* Called at every failure, also before there is a clock. */
	if (d->clock && d->clock->gate)
		atomic_store((_Atomic uint32_t *)d->clock->gate, d->clock->turn);
}
