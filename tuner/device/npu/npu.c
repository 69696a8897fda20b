/* Ascend NPUs through the runtime of CANN: kernels are binaries, or functions of vendor libraries,
 * put into one stream of the context that the device has in a process. Unverified on hardware.
 *
 * A kernel that breaks the context (an access out of bounds, say) makes every later call fail: the
 * device is lost, and with it the process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/device/clock.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/acl.h"
#include "tuner/device/libs/cann.h"
#include "tuner/device/libs/library.h"
#include "tuner/device/libs/mspti.h"
#include "tuner/device/npu/npu_buffer.h"
#include "tuner/device/npu/npu_clock.h"
#include "tuner/device/npu/npu_device.h"
#include "tuner/device/npu/npu_kernel.h"
#include "tuner/device/npu/npu_place.h"
#include "tuner/device/vendor/aclnn_operator.h"
#include "tuner/workload/limits/limits.h"

/* ---- which chip ---- */

/* Prints the SoC's name: "Ascend910B3". All devices of a host are of one kind. */
static enum asc_status find_soc(const struct acl_runtime *acl, char *text, size_t size,
				struct asc_err *e)
{
	const struct rt_runtime *rt;
	char old[NPU_SOC_NAME_BYTES] = "";
	const char *name = acl->soc_name ? acl->soc_name() : NULL;

	/* The function below is older, and there where the runtime's own is not. */
	if (!name && rt_open(&rt, e))
		return asc_err_wrap(e, "%s",
				    acl->soc_name ? "aclrtGetSocName names no NPU"
						  : "this CANN has no aclrtGetSocName");
	if (!name && acl_check(acl, rt->soc_name(old, sizeof old), "rtGetSocVersion", e))
		return e->status = ASC_ABSENT;
	(void)snprintf(text, size, "%s", name ? name : old);
	if (!*text)
		return asc_err_set(e, ASC_ABSENT,
				   "the runtime has no name for the NPU that is here");
	return ASC_OK;
}

static enum asc_status count_devices(const struct acl_runtime *acl, int *n, struct asc_err *e)
{
	uint32_t all = 0;

	if (acl_check(acl, acl->device_count(&all), "aclrtGetDeviceCount", e))
		return e->status = ASC_ABSENT;
	*n = (int)all;
	return ASC_OK;
}

static int npu_count(void)
{
	const struct acl_runtime *acl;
	struct asc_err e;
	int n = 0;

	return acl_start(&acl, &e) || count_devices(acl, &n, &e) ? 0 : n;
}

static bool npu_usable(char *reason, size_t size)
{
	const struct acl_runtime *acl;
	struct asc_err e;
	char soc[64];
	int n = 0;

	if (acl_start(&acl, &e) || count_devices(acl, &n, &e) ||
	    (n > 0 && (find_soc(acl, soc, sizeof soc, &e) || npu_check_soc(soc, &e))))
		(void)snprintf(reason, size, "%s", e.text);
	else if (n == 0)
		(void)snprintf(reason, size, "CANN is here, but no NPU is");
	else
		return true;
	return false;
}

/* Refuses a stand-in that is named as a device, and a device that is named as a stand-in. */
static enum asc_status check_standin(const struct acl_runtime *acl, const struct npu_place *p,
				     struct asc_err *e)
{
	if (p->simulated && !acl->standin)
		return asc_err_set(e, ASC_USAGE, "the CANN of npu:sim:%s is no stand-in",
				   p->soc.name);
	if (!p->simulated && acl->standin)
		return asc_err_set(e, ASC_USAGE,
				   "this CANN is a stand-in, whose times a model gives: name its "
				   "device npu:sim:SOC");
	return ASC_OK;
}

static enum asc_status find_number(const char *place, int *number, struct asc_err *e)
{
	const struct acl_runtime *acl;
	struct npu_place p;
	int n = 0;

	*number = 0;
	if (npu_place_parse(place, &p, e) || acl_start(&acl, e) || check_standin(acl, &p, e) ||
	    count_devices(acl, &n, e))
		return e->status;
	return p.simulated ? ASC_OK : device_parse_number("npu", place, n, number, e);
}

/* ---- facts ---- */

/* Reads the facts that this version of the runtime has functions for; the others stay as the table
 * of models has them. */
static void read_facts(const struct acl_runtime *acl, int number, struct facts *f)
{
	static const struct {
		enum fact fact;
		unsigned attribute;
		int info; /* number in the older function; -1: none */
	} table[] = {
		{FACT_PROCESSORS, NPU_ATTRIBUTE_AI_CORES, NPU_DEVICE_INFO_AI_CORES},
		{FACT_VECTOR_CORES, NPU_ATTRIBUTE_VECTOR_CORES, NPU_DEVICE_INFO_VECTOR_CORES},
		{FACT_L2_BYTES, NPU_ATTRIBUTE_L2_BYTES, NPU_DEVICE_INFO_L2_BYTES},
		{FACT_CUBE_CORES, NPU_ATTRIBUTE_CUBE_CORES, -1},
		{FACT_UB_BYTES, NPU_ATTRIBUTE_UB_BYTES, -1},
		{FACT_MEMORY_BYTES, NPU_ATTRIBUTE_MEMORY_BYTES, -1},
	};
	const uint32_t device = (uint32_t)number;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		int64_t value = 0;
		int rc =
			acl->device_info ? acl->device_info(device, table[i].attribute, &value) : 1;

		if (rc != 0 && acl->device_capability && table[i].info >= 0)
			rc = acl->device_capability(device, table[i].info, &value);
		facts_set(f, table[i].fact, rc == 0 ? value : 0);
	}
	if (f->known[FACT_L2_BYTES])
		facts_set(f, FACT_LLC_BYTES, f->value[FACT_L2_BYTES]);
}

/* Prints "ACL 1.15.0, runtime 8.2.RC1, driver 25.2": versions that may change results. */
static void print_driver(const struct acl_runtime *acl, char *text, size_t size)
{
	int32_t v[3] = {0};
	size_t used = 0;

	if (acl->version(&v[0], &v[1], &v[2]) == 0)
		used = (size_t)snprintf(text, size, "ACL %d.%d.%d", (int)v[0], (int)v[1],
					(int)v[2]);
	for (size_t i = 0; acl->package_version && i < 2 && used < size; i++) {
		char package[] = "runtime", driver[] = "driver", version[NPU_VERSION_BYTES] = "";
		char *name = i == 0 ? package : driver;

		if (acl->package_version(name, version) == 0 && *version)
			used += (size_t)snprintf(text + used, size - used, "%s%s %.30s",
						 used > 0 ? ", " : "", name, version);
	}
}

static enum asc_status npu_inspect(const char *place, struct device_info *out, struct asc_err *e)
{
	unsigned char uuid[NPU_UUID_BYTES] = {0};
	const struct acl_runtime *acl;
	struct limits model;
	int number = 0;

	*out = (struct device_info){.queues = true};
	if (find_number(place, &number, e) || acl_start(&acl, e) ||
	    find_soc(acl, out->model, sizeof out->model, e) || npu_check_soc(out->model, e))
		return e->status;
	(void)snprintf(out->arch, sizeof out->arch, "%.60s", out->model);
	/* Facts of the table first: the runtime replaces what it knows of this very device. */
	if (limits_find(out->model, &model) && strcmp(model.name, out->model) == 0)
		out->facts = model.facts;
	read_facts(acl, number, &out->facts);
	print_driver(acl, out->driver, sizeof out->driver);
	if (acl->device_uuid && acl->device_uuid(number, (void *)uuid) == 0)
		device_print_uuid("NPU", uuid, out->machine, sizeof out->machine);
	if (clock_describe(&npu_clocks, out, e))
		return e->status;
	/* After `arch`, by which artifacts are built: a stand-in takes those of the device. */
	out->simulated = acl->standin != NULL;
	if (out->simulated)
		(void)snprintf(out->model, sizeof out->model, "%s (stand-in)", out->arch);
	return device_info_seal(out, "npu", e);
}

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
		/* Without a stream npu_close() takes the device for one that was not set. */
		if (!d->lost)
			(void)acl->device_reset(d->number);
		return e->status;
	}
	return ASC_OK;
}

/* Leaves a lost device to the end of the process: nothing waits for it. */
static void npu_close(struct device *d)
{
	struct asc_err e;

	if (!d)
		return;
	mstx_end();
	if (d->lost) {
		acl_abandon();
		mspti_abandon();
	} else if (d->stream) {
		/* The wait first: work that still runs may use all that is freed below. */
		(void)npu_wait(d, "a device that is closed", &e);
		npu_clock_close(d);
		if (d->cold)
			(void)d->acl->free(d->cold);
		(void)d->acl->stream_destroy(d->stream);
		(void)d->acl->device_reset(d->number);
	}
	free(d->clock);
	free(d->piece);
	free(d);
}

static int number_of(const struct device *d)
{
	return d->number;
}

static enum asc_status open_parts(struct device *d, const char *place, struct asc_err *e)
{
	d->piece = malloc(NPU_PIECE_BYTES);
	if (!d->piece)
		return asc_err_nomem(e);
	if (acl_start(&d->acl, e) || find_number(place, &d->number, e) ||
	    npu_inspect(place, &d->info, e) || open_context(d, e) || npu_kernel_choose_loader(d, e))
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
	/* Not before the process that measures is to begin: MSPTI's records are for one at a time.
	 */
	return clock_begin(d->queue.clock, d, e);
}

/* ---- running ---- */

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
	.check = npu_usable,
	.count = npu_count,
	.inspect = npu_inspect,
	.open = npu_open,
	.info = npu_info,
	.close = npu_close,
	.closes = true,
	.number = number_of,
	.lost = npu_lost,
	.alloc = npu_buffer_alloc,
	.release = device_buffer_release,
	.write = device_buffer_write,
	.read = device_buffer_read,
	.fill = device_buffer_fill,
	.protect = device_buffer_protect,
	.move = device_buffer_move,
	.move_end = DEVICE_BUFFER_MOVE_END,
	.look = device_buffer_look,
	.digest = device_buffer_digest,
	.fetch = npu_buffer_fetch,
	.store = npu_buffer_store,
	.address = npu_buffer_address,
	.load = npu_kernel_load,
	.adopt = npu_kernel_adopt,
	.unload = device_kernel_unload,
	.bind = device_kernel_bind,
	.flush = clocked_flush,
	.observe = npu_observe,
	.launch = clocked_launch,
	.wait = clocked_wait,
	.run = clocked_run,
	.watch = clocked_watch,
	.watched = clocked_watched,
	.attach = npu_attach,
	.alloc_host = npu_buffer_alloc_host,
};
