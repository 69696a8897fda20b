#include "tuner/device/cuda_clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda_kernel.h"
#include "tuner/libs/cupti.h"

/* Most launches that are queued. The driver's queue holds about a thousand entries, and a cold
 * launch with its events is four. Nothing leaves the queue of a held stream: it needs room for
 * launches of a dozen kernels each. */
enum { MAX_QUEUED = 128, MAX_BLOCKED = 64 };

/* One way of timing; all but open and read may be NULL. */
struct clock_ops {
	const char *name;
	size_t most;                              /* most launches that are queued */
	bool (*check)(char *reason, size_t size); /* is it usable here; NULL: always */
	enum asc_status (*open)(struct device *d, struct asc_err *e);
	void (*close)(struct device *d);
	/* Marks the begin (0) or the end (1) of a launch in the stream. */
	enum asc_status (*mark)(struct device *d, size_t launch, size_t end, struct asc_err *e);
	/* Holds the stream while launches are queued, until cuda_clock_release(). */
	enum asc_status (*hold)(struct device *d, struct asc_err *e);
	/* Drops what was noted of launches since the last reading. */
	enum asc_status (*forget)(struct device *d, struct asc_err *e);
	/* Reads the times of the `n` launches since the last reading, which have all ended, and the
	 * sums of their kernels' times, 0 where the clock cannot tell. */
	enum asc_status (*read)(struct device *d, size_t n, int64_t *times, int64_t *sums,
				struct asc_err *e);
};

struct cuda_clock {
	const struct clock_ops *ops;
	struct CUevent_st *events[MAX_QUEUED][2]; /* at begin and end of each launch */
	void *gate;    /* word of mapped host memory that a held stream waits for */
	uint32_t turn; /* how often the stream was held */
};

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

static enum asc_status event_mark(struct device *d, size_t launch, size_t end, struct asc_err *e)
{
	return cuda_check(d, d->cu->event_record(d->clock->events[launch][end], d->stream),
			  "cuEventRecord", e);
}

static enum asc_status event_read(struct device *d, size_t n, int64_t *times, int64_t *sums,
				  struct asc_err *e)
{
	for (size_t i = 0; i < n; i++) {
		struct CUevent_st **pair = d->clock->events[i];
		float ms = 0;

		if (cuda_check(d, d->cu->event_elapsed(&ms, pair[0], pair[1]), "cuEventElapsedTime",
			       e))
			return e->status;
		times[i] = llround((double)ms * 1e6);
		sums[i] = 0;
	}
	return ASC_OK;
}

static const struct clock_ops clock_event = {
	.name = "event",
	.most = MAX_QUEUED,
	.open = event_open,
	.close = event_close,
	.mark = event_mark,
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

static void blocked_close(struct device *d)
{
	event_close(d);
	gate_close(d);
}

static const struct clock_ops clock_event_blocked = {
	.name = "event-blocked",
	.most = MAX_BLOCKED,
	.check = blocked_check,
	.open = blocked_open,
	.close = blocked_close,
	.mark = event_mark,
	.hold = gate_hold,
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
	if (cupti_start(e) || cupti_take(&records, &n, e))
		return asc_err_wrap(e, "the clock \"activity\" (ASCTUNE_CUDA_CLOCK=event takes "
				       "another)");
	return ASC_OK;
}

static enum asc_status activity_hold(struct device *d, struct asc_err *e)
{
	return d->clock->gate ? gate_hold(d, e) : ASC_OK;
}

static enum asc_status activity_forget(struct device *d, struct asc_err *e)
{
	const struct cupti_kernel *records;
	size_t n;

	d->unclocked = 0;
	return cupti_take(&records, &n, e);
}

/* The records of unclocked kernels come first: those were launched before the clock began. */
static enum asc_status activity_read(struct device *d, size_t n, int64_t *times, int64_t *sums,
				     struct asc_err *e)
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
	for (size_t i = 0; i < n; i++) {
		const struct cupti_kernel *first = records + own + i * each;

		if (cupti_find_span(first, each, &times[i], e))
			return e->status;
		sums[i] = 0;
		for (size_t k = 0; k < each; k++)
			sums[i] += (int64_t)(first[k].end - first[k].start);
	}
	return ASC_OK;
}

static const struct clock_ops clock_activity = {
	.name = "activity",
	.most = MAX_QUEUED,
	.check = cupti_check,
	.open = activity_open,
	.close = gate_close,
	.hold = activity_hold,
	.forget = activity_forget,
	.read = activity_read,
};

/* ---- choosing a clock ---- */

/* Clocks in the order of preference. */
static const struct clock_ops *const clock_list[] = {&clock_activity, &clock_event_blocked,
						     &clock_event, NULL};

static const char *wanted(void)
{
	const char *name = getenv("ASCTUNE_CUDA_CLOCK");

	return name && *name ? name : NULL;
}

/* Finds the clock that the environment names, NULL when it is unknown; else the first usable one.
 */
static const struct clock_ops *choose(void)
{
	const char *name = wanted();
	char reason[256];

	for (size_t i = 0; clock_list[i]; i++)
		if (name ? strcmp(clock_list[i]->name, name) == 0
			 : !clock_list[i]->check || clock_list[i]->check(reason, sizeof reason))
			return clock_list[i];
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
	if (d->clock && d->clock->ops && d->clock->ops->close)
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

/* Times of launches of one sequence. */
struct timing {
	const struct device_sequence *sequence;
	bool cold;
	int64_t times[MAX_QUEUED], sums[MAX_QUEUED];
};

static bool all_known(const struct device_sequence *s)
{
	size_t i = 0;

	while (i < s->n && cuda_kernel_is_known(s->kernels[i]))
		i++;
	return i == s->n;
}

/* Queues `n` launches, waits for them and reads the time of each. Gaps between launches count where
 * events mark them, gaps between the kernels of one launch always: the stream is held. The first
 * launch of a kernel may have to load code, which a held stream would never let happen. */
static enum asc_status run_queued(struct device *d, struct timing *t, size_t n, struct asc_err *e)
{
	const struct clock_ops *clock = d->clock->ops;
	enum asc_status s = ASC_OK;

	if (clock->hold && (clock->mark || t->sequence->n > 1) && all_known(t->sequence) &&
	    clock->hold(d, e))
		return e->status;
	for (size_t i = 0; i < n && !s; i++)
		if ((t->cold && cuda_flush_queue(d, e)) ||
		    (clock->mark && clock->mark(d, i, 0, e)) ||
		    cuda_kernels_launch(d, t->sequence, e) ||
		    (clock->mark && clock->mark(d, i, 1, e)))
			s = e->status;
	cuda_clock_release(d);
	if (s || cuda_wait(d, "the launch", e))
		return e->status;
	return clock->read(d, n, t->times, t->sums, e);
}

enum asc_status cuda_clock_run(struct device *d, const struct device_sequence *s,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	struct timing t = {.sequence = s, .cold = batch->cold};
	const int64_t all = batch->samples * batch->launches;
	const size_t room = s->n > 1 ? MAX_BLOCKED : d->clock->ops->most;
	const int64_t most = (int64_t)((room + s->n - 1) / s->n);

	memset(ns, 0, (size_t)batch->samples * sizeof *ns);
	if (batch->kernels_ns)
		memset(batch->kernels_ns, 0, (size_t)batch->samples * sizeof *ns);

	for (int64_t done = 0; done < all;) {
		int64_t n = all - done < most ? all - done : most;

		if (run_queued(d, &t, (size_t)n, e))
			return e->status;
		for (int64_t i = 0; i < n; i++) {
			const int64_t sample = (done + i) / batch->launches;

			ns[sample] += t.times[i];
			if (batch->kernels_ns)
				batch->kernels_ns[sample] += t.sums[i];
		}
		done += n;
	}
	return ASC_OK;
}
