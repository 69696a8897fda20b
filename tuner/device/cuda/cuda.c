/* NVIDIA GPUs through the driver's own interface: kernels are cubins, or functions of vendor
 * libraries, put into one stream of the device's primary context.
 *
 * A kernel that breaks the context (an illegal address, say) makes every later call fail: the
 * device is lost, and with it the process. */
#include <stdlib.h>
#include <time.h>

#include "tuner/device/cuda/cuda_buffer.h"
#include "tuner/device/cuda/cuda_checks.h"
#include "tuner/device/cuda/cuda_clock.h"
#include "tuner/device/cuda/cuda_globals.h"
#include "tuner/device/cuda/cuda_info.h"
#include "tuner/device/cuda/cuda_kernel.h"
#include "tuner/device/cuda/cuda_peaks.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/nvml.h"

/* A GPU takes its time to raise its clock once it is opened: the clock has settled when readings
 * agree. */
enum { SETTLE_EQUAL = 5, SETTLE_MAX = 50, SETTLE_STEP_NS = 20000000 };

/* ---- state ---- */

static const struct device_info *cuda_info(const struct device *d)
{
	return &d->info;
}

static bool cuda_lost(const struct device *d)
{
	return d->lost;
}

/* ---- opening ---- */

/* Waits until the clock is the highest, or does not change any more; a second at most. */
static enum asc_status settle(struct device *d, struct asc_err *e)
{
	const struct timespec pause = {.tv_nsec = SETTLE_STEP_NS};
	struct nvml_reading r;
	unsigned last = 0, highest = d->nvml ? nvml_device_max_mhz(d->nvml) : 0;

	for (int i = 0, equal = 0; d->nvml && i < SETTLE_MAX && equal < SETTLE_EQUAL; i++) {
		if (cuda_flush_queue(d, e) || cuda_wait(d, "a first launch", e))
			return e->status;
		/* A launch before each reading: an idle GPU would never raise its clock. */
		nvml_device_read(d->nvml, &r);
		if (r.mhz == 0 || r.mhz >= highest)
			break;
		equal = r.mhz == last ? equal + 1 : 0;
		last = r.mhz;
		nanosleep(&pause, NULL);
	}
	return ASC_OK;
}

static int cuda_number(const struct device *d)
{
	return d->handle; /* of a driver's device is its ordinal */
}

static void cuda_close(struct device *d)
{
	if (!d)
		return;
	if (d->stream) {
		/* In reverse: the checks launch, the clock marks, stages and stream serve both. */
		cuda_checks_end(d);
		if (d->cold)
			(void)d->cu->free(d->cold);
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

/* Opens what launches need, in this order: the driver and the device, its context and a stream,
 * memory for copies, the clock, and last the compiler of the checks, whose thread works while the
 * rest of the problem is set up. */
static enum asc_status open_parts(struct device *d, const char *place, struct asc_err *e)
{
	const struct cuda_driver *cu;

	if (cuda_driver_get(&d->cu, e) || cuda_info_find(place, &d->handle, e) ||
	    cuda_info_read(place, &d->info, e))
		return e->status;
	cu = d->cu;
	/* The primary context: vendor libraries use it too, and see the same memory. */
	if (cuda_driver_check(cu, cu->context_retain(&d->context, d->handle),
			      "cuDevicePrimaryCtxRetain", e) ||
	    cuda_driver_check(cu, cu->context_set(d->context), "cuCtxSetCurrent", e) ||
	    cuda_driver_check(cu, cu->stream_create(&d->stream, CUDA_STREAM_INDEPENDENT),
			      "cuStreamCreate", e))
		return e->status;
	cuda_flush_open(d);
	for (size_t i = 0; i < CUDA_STAGES; i++)
		if (cuda_check(d, cu->host_alloc(&d->stages[i], CUDA_STAGE_BYTES, 0),
			       "cuMemHostAlloc", e))
			return e->status;
	return cuda_clock_open(d, e) ? e->status : cuda_checks_begin(d, e);
}

static enum asc_status cuda_open(const char *place, struct device **out, struct asc_err *e)
{
	struct device *d = calloc(1, sizeof *d);

	*out = NULL;
	if (!d)
		return asc_err_nomem(e);
	if (open_parts(d, place, e)) {
		cuda_close(d);
		return e->status;
	}
	/* Without NVML nothing is read of clocks and heat; measuring goes on. */
	if (*d->info.bus)
		d->nvml = nvml_device_find(d->info.bus);
	if (settle(d, e)) {
		cuda_close(d);
		return e->status;
	}
	*out = d;
	return ASC_OK;
}

static enum asc_status cuda_attach(struct device *d, struct asc_err *e)
{
	return cuda_driver_check(d->cu, d->cu->context_set(d->context), "cuCtxSetCurrent", e);
}

/* ---- running ---- */

/* A reading of a clock lowered to keep cool counts as one more time that it was lowered. */
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
	.name = "cuda",
	.summary = "NVIDIA GPUs",
	.clock_variable = CUDA_CLOCK_VARIABLE,
	.check = cuda_info_check,
	.count = cuda_info_count,
	.inspect = cuda_info_read,
	.open = cuda_open,
	.info = cuda_info,
	.close = cuda_close,
	.number = cuda_number,
	.lost = cuda_lost,
	.alloc = cuda_buffer_alloc,
	.release = device_buffer_release,
	.write = device_buffer_write,
	.read = device_buffer_read,
	.fill = device_buffer_fill,
	.protect = device_buffer_protect,
	.copy = device_buffer_copy,
	.move = device_buffer_move,
	.move_end = DEVICE_BUFFER_MOVE_END,
	.look = cuda_globals_look,
	.falsified = cuda_globals_falsified,
	.digest = device_buffer_digest,
	.fetch = cuda_buffer_fetch,
	.store = cuda_buffer_store,
	.take = cuda_buffer_take,
	.address = cuda_buffer_pointer,
	.load = cuda_kernel_load,
	.adopt = cuda_kernel_adopt,
	.unload = device_kernel_unload,
	.match = cuda_kernel_match,
	.bind = device_kernel_bind,
	.flush = clocked_flush,
	.empty = cuda_checks_empty,
	.observe = cuda_observe,
	.launch = clocked_launch,
	.wait = clocked_wait,
	.run = clocked_run,
	.watch = clocked_watch,
	.watched = clocked_watched,
	.undisturbed = clocked_undisturbed,
	.attach = cuda_attach,
	.alloc_host = cuda_buffer_alloc_host,
	.reaches_host = true,
	.compare = cuda_checks_compare,
	.facts = cuda_kernel_facts,
	.halve = cuda_kernels_halve,
	.capture = cuda_kernels_capture,
	.replay = cuda_kernels_replay,
	.peaks = cuda_peaks_measure,
};
