/* Ascend NPUs through the runtime of CANN: kernels are binaries, or functions of vendor libraries,
 * put into one stream of the context that the device has in a process. Unverified on hardware.
 *
 * A kernel that breaks the context (an access out of bounds, say) makes every later call fail: the
 * device is lost, and with it the process. */
#include <stdlib.h>

#include "tuner/device/device.h"
#include "tuner/device/libs/cann.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/libs/mspti.h"
#include "tuner/device/npu/npu_buffer.h"
#include "tuner/device/npu/npu_clock.h"
#include "tuner/device/npu/npu_device.h"
#include "tuner/device/npu/npu_info.h"
#include "tuner/device/npu/npu_kernel.h"
#include "tuner/device/npu/npu_place.h"
#include "tuner/device/vendor/aclnn_operator.h"

/* ---- state ---- */

static const struct device_info *npu_info(const struct device *d)
{
	return &d->info;
}

static bool npu_lost(const struct device *d)
{
	return d->lost;
}

/* ---- opening ---- */

/* The context is the one that the device has in this process, which vendor libraries use too. */
static enum asc_status open_context(struct device *d, struct asc_err *e)
{
	const struct acl_runtime *acl = d->acl;

	if (npu_check(d, acl->device_set(d->number), "aclrtSetDevice", e))
		return e->status;
	if (npu_check(d, acl->context_get(&d->context), "aclrtGetCurrentContext", e) ||
	    npu_check(d, acl->stream_create(&d->stream), "aclrtCreateStream", e)) {
		if (!d->lost)
			(void)acl->device_reset(d->number);
		return e->status;
	}
	return ASC_OK;
}

static void close_context(struct device *d)
{
	const struct acl_runtime *acl = d->acl;
	struct asc_err e;

	(void)npu_wait(d, "a device that is closed", &e);
	npu_clock_close(d);
	if (d->cold)
		(void)acl->free(d->cold);
	(void)acl->stream_destroy(d->stream);
	(void)acl->device_reset(d->number);
}

/* Leaves a lost device to the end of the process: nothing waits for it. */
static void npu_close(struct device *d)
{
	if (!d)
		return;
	mstx_end();
	if (d->lost) {
		acl_abandon();
		mspti_abandon();
	} else if (d->stream) {
		close_context(d);
	}
	free(d->clock);
	free(d->piece);
	free(d);
}

static enum asc_status open_parts(struct device *d, const char *place, struct asc_err *e)
{
	d->piece = malloc(NPU_PIECE_BYTES);
	if (!d->piece)
		return asc_err_nomem(e);
	if (acl_start(&d->acl, e) || npu_info_find(place, &d->number, e) ||
	    npu_info_read(place, &d->info, e) || open_context(d, e) ||
	    npu_kernel_choose_loader(d, e))
		return e->status;
	return npu_clock_open(d, e);
}

static enum asc_status npu_open(const char *place, struct device **out, struct asc_err *e)
{
	struct device *d = calloc(1, sizeof *d);

	*out = NULL;
	if (!d)
		return asc_err_nomem(e);
	if (open_parts(d, place, e)) {
		npu_close(d);
		return e->status;
	}
	*out = d;
	return ASC_OK;
}

static enum asc_status npu_attach(struct device *d, struct asc_err *e)
{
	if (npu_check(d, d->acl->context_set(d->context), "aclrtSetCurrentContext", e))
		return e->status;
	return npu_clock_claim(d, e);
}

/* ---- running ---- */

static enum asc_status npu_flush(struct device *d, const struct device_sequence *s,
				 struct asc_err *e)
{
	(void)s;
	return npu_flush_queue(d, e) ? e->status : npu_wait(d, "a flush of the cache", e);
}

static enum asc_status npu_launch(struct device *d, const struct device_sequence *s, int64_t n,
				  struct asc_err *e)
{
	if (device_check_bound(s, e))
		return e->status;
	for (int64_t i = 0; i < n; i++)
		if (npu_kernels_launch(d, s, e))
			return e->status;
	return ASC_OK;
}

/* Waits for launches that npu_launch() made, and drops what the clock has noted of them. */
static enum asc_status npu_wait_untimed(struct device *d, struct asc_err *e)
{
	return npu_wait(d, "the launch", e) ? e->status : npu_clock_forget(d, e);
}

static enum asc_status npu_run(struct device *d, const struct device_sequence *s,
			       const struct device_batch *batch, int64_t *ns, struct asc_err *e)
{
	return device_check_bound(s, e) ? e->status : npu_clock_run(d, s, batch, ns, e);
}

/* The runtime has no function for clocks or throttling. */
static void npu_observe(struct device *d, struct device_state *out)
{
	(void)d;
	*out = (struct device_state){0};
}

/* ---- what is missing ---- */

static const struct library_file files[] = {
	{"libascendcl.so", "the runtime: nothing goes without it", acl_symbols},
	{"libacl_rt.so", "the runtime of newer versions, where there is no libascendcl.so",
	 acl_symbols},
	{"libruntime.so", "loads kernels where the runtime does not", rt_symbols},
	{"libmspti.so", "times each kernel; without it events do", mspti_symbols},
	{"libms_tools_ext.so", "names configurations for msprof", mstx_symbols},
	{"libnnopbase.so", "objects of the vendor's operators", aclnn_object_symbols},
	{"libopapi.so", "the vendor's operators (newer versions: libopapi_*.so)", NULL},
	{0}};

static enum asc_status find_file(const char *name, char **path, struct asc_err *e)
{
	return cann_find_library(cann_chosen(), name, path, e);
}

static const struct library_files npu_files = {files, find_file};

const struct device_ops device_npu = {
	.name = "npu",
	.summary = "Ascend NPUs (unverified on hardware)",
	.caveat = "unverified on hardware",
	.environment = npu_environment,
	.clock_variable = NPU_CLOCK_VARIABLE,
	.files = &npu_files,
	.check = npu_info_check,
	.count = npu_info_count,
	.inspect = npu_info_read,
	.open = npu_open,
	.info = npu_info,
	.close = npu_close,
	.closes = true,
	.lost = npu_lost,
	.alloc = npu_buffer_alloc,
	.release = device_buffer_release,
	.write = device_buffer_write,
	.read = device_buffer_read,
	.fill = device_buffer_fill,
	.protect = device_buffer_protect,
	.look = device_buffer_look,
	.address = npu_buffer_address,
	.load = npu_kernel_load,
	.adopt = npu_kernel_adopt,
	.unload = device_kernel_unload,
	.bind = device_kernel_bind,
	.flush = npu_flush,
	.observe = npu_observe,
	.launch = npu_launch,
	.wait = npu_wait_untimed,
	.run = npu_run,
	.attach = npu_attach,
	.alloc_host = npu_buffer_alloc_host,
};
