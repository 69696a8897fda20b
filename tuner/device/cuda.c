/* NVIDIA GPUs through the driver's own interface: kernels are cubins, or functions of vendor
 * libraries, put into one stream of the device's primary context.
 *
 * A kernel that breaks the context (an illegal address, say) makes every later call fail: the
 * device is lost, and so is the process for it. */
#include <stdlib.h>
#include <time.h>

#include "tuner/base/units.h"
#include "tuner/device/cuda_buffer.h"
#include "tuner/device/cuda_checks.h"
#include "tuner/device/cuda_clock.h"
#include "tuner/device/cuda_flush.h"
#include "tuner/device/cuda_info.h"
#include "tuner/device/cuda_kernel.h"
#include "tuner/device/cuda_peaks.h"
#include "tuner/device/devices.h"
#include "tuner/device/nvml.h"

/* Once opened, a GPU takes its time to raise its clock: it has when readings agree. */
enum { SETTLE_EQUAL = 5, SETTLE_MAX = 50, SETTLE_STEP_NS = 20000000 };

/* ---- errors ---- */

/* An error that stays is answered again by whatever is asked next. */
enum asc_status cuda_check(struct device *d, unsigned rc, const char *what, struct asc_err *e)
{
	if (rc == 0)
		return ASC_OK;
	cuda_clock_release(d);
	if (rc != CUDA_ERROR_NOMEM && d->cu->synchronize() != 0)
		d->lost = true;
	return cuda_driver_check(d->cu, rc, what, e);
}

enum asc_status cuda_wait(struct device *d, const char *what, struct asc_err *e)
{
	return cuda_check(d, d->cu->stream_synchronize(d->stream), what, e);
}

static bool cuda_lost(const struct device *d)
{
	return d->lost;
}

/* ---- opening ---- */

static enum asc_status open_context(struct device *d, int ordinal, struct asc_err *e)
{
	const struct cuda_driver *cu = d->cu;

	if (cuda_driver_check(cu, cu->device_get(&d->handle, ordinal), "cuDeviceGet", e) ||
	    cuda_driver_check(cu, cu->context_retain(&d->context, d->handle),
			      "cuDevicePrimaryCtxRetain", e) ||
	    cuda_driver_check(cu, cu->context_set(d->context), "cuCtxSetCurrent", e))
		return e->status;
	return cuda_driver_check(cu, cu->stream_create(&d->stream, CUDA_STREAM_INDEPENDENT),
				 "cuStreamCreate", e);
}

static enum asc_status open_stages(struct device *d, struct asc_err *e)
{
	for (size_t i = 0; i < CUDA_STAGES; i++)
		if (cuda_check(d, d->cu->host_alloc(&d->stages[i], CUDA_STAGE_BYTES, 0),
			       "cuMemHostAlloc", e))
			return e->status;
	return ASC_OK;
}

static void open_readings(struct device *d)
{
	char bus[32];

	if (d->cu->device_bus(bus, sizeof bus, d->handle) == 0)
		d->nvml = nvml_device_find(bus);
}

/* Until the clock is the highest there is, or does not change any more; a second at most. */
static enum asc_status settle(struct device *d, struct asc_err *e)
{
	const struct timespec pause = {.tv_nsec = SETTLE_STEP_NS};
	struct nvml_reading r;
	unsigned last = 0, highest = d->nvml ? nvml_device_max_mhz(d->nvml) : 0;

	for (int i = 0, equal = 0; d->nvml && i < SETTLE_MAX && equal < SETTLE_EQUAL; i++) {
		if (cuda_flush_queue(d, e) || cuda_wait(d, "a first launch", e))
			return e->status;
		nvml_device_read(d->nvml, &r);
		if (r.mhz == 0 || r.mhz >= highest)
			break;
		equal = r.mhz == last ? equal + 1 : 0;
		last = r.mhz;
		nanosleep(&pause, NULL);
	}
	return ASC_OK;
}

static void cuda_close(struct device *d)
{
	if (!d)
		return;
	if (d->stream) {
		cuda_checks_end(d);
		cuda_flush_free(d);
		cuda_clock_close(d);
		for (size_t i = 0; i < CUDA_STAGES; i++)
			if (d->stages[i])
				(void)d->cu->host_free(d->stages[i]);
		(void)d->cu->stream_destroy(d->stream);
	}
	nvml_device_free(d->nvml);
	if (d->context)
		(void)d->cu->context_release(d->handle);
	free(d);
}

static enum asc_status cuda_open(int ordinal, struct device **out, struct asc_err *e)
{
	struct device *d = calloc(1, sizeof *d);

	*out = NULL;
	if (!d)
		return asc_err_nomem(e);
	if (cuda_driver_get(&d->cu, e) || cuda_info_read(ordinal, &d->info, e) ||
	    open_context(d, ordinal, e) || open_stages(d, e) || cuda_clock_open(d, e) ||
	    cuda_checks_begin(d, e)) {
		cuda_close(d);
		return e->status;
	}
	open_readings(d);
	if (settle(d, e)) {
		cuda_close(d);
		return e->status;
	}
	*out = d;
	return ASC_OK;
}

/* ---- running ---- */

static enum asc_status cuda_flush(struct device *d, struct asc_err *e)
{
	return cuda_flush_queue(d, e) ? e->status : cuda_wait(d, "a flush of the cache", e);
}

static enum asc_status cuda_run(struct device *d, struct device_kernel *k,
				const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	if (!cuda_kernel_is_bound(k))
		return asc_err_set(e, ASC_USAGE, "the kernel has no arguments bound");
	return cuda_clock_run(d, k, batch, ns, e);
}

/* A reading with a clock lowered to keep cool counts as one more time that it was. */
static void cuda_observe(struct device *d, struct device_state *out)
{
	const unsigned long long hot = NVML_REASON_SLOWDOWN | NVML_REASON_THERMAL |
				       NVML_REASON_HARDWARE_THERMAL | NVML_REASON_POWER_BRAKE;
	struct nvml_reading r;

	*out = (struct device_state){0};
	if (!d->nvml)
		return;
	nvml_device_read(d->nvml, &r);
	d->throttled += (r.reasons & hot) != 0;
	out->mhz = r.mhz;
	out->throttles = d->throttled;
	out->power_capped = (r.reasons & NVML_REASON_POWER_CAP) != 0;
}

const struct device_ops device_cuda = {
	.version = DEVICE_OPS_VERSION,
	.name = "cuda",
	.summary = "NVIDIA GPUs",
	.queues = true,
	.check = cuda_info_check,
	.count = cuda_info_count,
	.inspect = cuda_info_read,
	.open = cuda_open,
	.close = cuda_close,
	.lost = cuda_lost,
	.alloc = cuda_buffer_alloc,
	.release = cuda_buffer_release,
	.write = cuda_buffer_write,
	.read = cuda_buffer_read,
	.fill = cuda_buffer_fill,
	.protect = cuda_buffer_protect,
	.intact = cuda_buffer_intact,
	.unchanged = cuda_buffer_unchanged,
	.load = cuda_kernel_load,
	.unload = cuda_kernel_unload,
	.bind = cuda_kernel_bind,
	.flush = cuda_flush,
	.observe = cuda_observe,
	.run = cuda_run,
	.compare = cuda_checks_compare,
	.use = cuda_kernel_use,
	.peaks = cuda_peaks_measure,
};
