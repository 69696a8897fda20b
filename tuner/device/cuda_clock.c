#include "tuner/device/cuda_clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/cuda_clock_ops.h"
#include "tuner/device/cuda_flush.h"
#include "tuner/device/cuda_kernel.h"

/* ---- which one ---- */

/* In the order of preference. */
static const struct clock_ops *const clock_list[] = {&clock_activity, &clock_event_blocked,
						     &clock_event, NULL};

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

	for (size_t i = 0; clock_list[i]; i++)
		if (name ? strcmp(clock_list[i]->name, name) == 0
			 : clock_list[i]->check(reason, sizeof reason))
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
