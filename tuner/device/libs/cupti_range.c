#include "tuner/device/libs/cupti_range.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/libs/cupti_abi.h"

/* Sizes that blocks say of themselves. */
enum block_bytes {
#define X(member, symbol, there, bytes) member##_bytes = (bytes),
	CUPTI_RANGE_LIST(X)
#undef X
};

/* A block with its size, the rest as given; zero where nothing is. */
#define BLOCK(member, ...)                                                                         \
	(struct cupti_##member)                                                                    \
	{                                                                                          \
		.size = member##_bytes, __VA_ARGS__                                                \
	}

/* ---- reasons ---- */

/* Words for refusals that say what a user can do, or that there is nothing to do. */
static const struct {
	unsigned rc;
	const char *words, *more;
} refusals[] = {
	{CUPTI_RC_PRIVILEGES, "not permitted",
	 "root, or the driver's NVreg_RestrictProfilingToAdminUsers=0"},
	{CUPTI_RC_OTHER, "another profiler is at work in this process", NULL},
	{CUPTI_RC_BUSY, "another profiler is at work on this GPU", NULL},
	{CUPTI_RC_VIRTUAL, "a virtual GPU whose host does not permit it", NULL},
	{CUPTI_RC_CONFIDENTIAL, "confidential computing is on", NULL},
	{CUPTI_RC_CMP, "a GPU for mining", NULL},
	{CUPTI_RC_MIG, "a part of a divided GPU (MIG)", NULL},
	{CUPTI_RC_SLI, "GPUs that are joined (SLI)", NULL},
	{CUPTI_RC_WSL, "Windows Subsystem for Linux does not pass them on", NULL},
	{CUPTI_RC_MEMORY, "no memory to save tensors between passes", NULL},
};

/* Every failure of the range profiler is a refusal to its callers: times go on without counters. */
static enum asc_status answer(const struct cupti *cu, unsigned rc, const char *what,
			      struct asc_err *e)
{
	const char *text = NULL;

	if (rc == 0)
		return ASC_OK;
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
		if (refusals[i].rc == rc)
			return asc_err_set(e, ASC_ABSENT, "%s (CUPTI %u%s%s)", refusals[i].words,
					   rc, refusals[i].more ? "; " : "",
					   refusals[i].more ? refusals[i].more : "");
	(void)cu->text(rc, &text);
	return asc_err_set(e, ASC_ABSENT, "%s: %s (CUPTI %u)", what, text ? text : "unknown error",
			   rc);
}

/* ---- the library ---- */

/* libcupti opens libraries of its own by their names alone, which the loader finds only where they
 * are open by then: they lie in the folder of libcupti, which need not be on the loader's path. */
static void open_companions(const struct cupti *cu)
{
	static const char *const names[] = {"libnvperf_host.so", "libnvperf_target.so"};
	Dl_info at;
	void *function;

	memcpy(&function, &cu->host_open, sizeof function);
	if (!dladdr(function, &at) || !at.dli_fname)
		return;
	char *folder = path_folder(at.dli_fname);

	for (size_t i = 0; folder && i < sizeof names / sizeof *names; i++) {
		char *path = path_join(folder, names[i]);

		if (path)
			(void)dlopen(path, RTLD_NOW | RTLD_LOCAL);
		free(path);
	}
	free(folder);
}

/* Versions from 13.2 on are refused by a function that they have, before they are asked anything:
 * 13.2.86 dies where there is no driver, 13.3 to 13.5 answer 999 there. */
static enum asc_status get(const struct cupti **out, struct asc_err *e)
{
	static bool companions;

	if (cupti_get(out, e))
		return e->status;
	const struct cupti *cu = *out;

	if (cu->newer)
		return asc_err_set(e, ASC_ABSENT,
				   "libcupti of CUDA 13.2 or newer has counters in a way that is "
				   "not known here: expected one of 12.6 to 13.1 (ASCTUNE_CUPTI "
				   "names the file)");
#define X(member, symbol, there, bytes)                                                            \
	if (!cu->member)                                                                           \
		return asc_err_set(e, ASC_ABSENT,                                                  \
				   "libcupti has no function " #symbol                             \
				   ": expected that of CUDA 12.6 to 13.1");
	CUPTI_RANGE_LIST(X)
#undef X
	if (!companions)
		open_companions(cu);
	companions = true;
	return ASC_OK;
}

bool cupti_range_check(char *reason, size_t size)
{
	const struct cupti *cu;
	struct asc_err e;

	if (get(&cu, &e) == ASC_OK)
		return true;
	(void)snprintf(reason, size, "%s", e.text);
	return false;
}

/* ---- counters of a chip ---- */

struct cupti_counters {
	const struct cupti *cu;
	void *host;
	const char **names;
	char *texts; /* of the names */
	size_t n;
	uint8_t *image; /* which counters in which pass */
	size_t image_bytes;
};

enum asc_status cupti_chips(const char *const **names, size_t *n, struct asc_err *e)
{
	const struct cupti *cu;
	struct cupti_host_chips chips = BLOCK(host_chips, .n = 0);

	if (get(&cu, e) ||
	    answer(cu, cu->host_chips(&chips), "cuptiProfilerHostGetSupportedChips", e))
		return e->status;
	*names = chips.names;
	*n = chips.n;
	return ASC_OK;
}

/* Fails where the library does not list the chip: libraries refuse such a name with codes of their
 * own, which say less. */
static enum asc_status check_chip(const char *chip, struct asc_err *e)
{
	const char *const *names = NULL;
	size_t n = 0;

	if (cupti_chips(&names, &n, e))
		return e->status;
	const char **ended = calloc(n + 1, sizeof *ended);
	struct buf list = {0};

	if (!ended)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		ended[i] = names[i];
		buf_print(&list, "%s %s", i ? "" : "; it knows", names[i]);
	}
	const bool known = str_is_in(chip, ended);
	const char *near = str_nearest(chip, ended);

	if (!known)
		asc_err_set(e, ASC_USAGE, "libcupti does not know the chip \"%s\"%s%s%s", chip,
			    near ? "; did you mean \"" : buf_str(&list), near ? near : "",
			    near ? "\"?" : "");
	buf_fini(&list);
	free(ended);
	return known ? ASC_OK : e->status;
}

enum asc_status cupti_counters_open(const char *chip, struct cupti_counters **out,
				    struct asc_err *e)
{
	const struct cupti *cu;

	*out = NULL;
	if (get(&cu, e) || check_chip(chip, e))
		return e->status;
	/* Without an image of what is available: on a GH100 the same passes come of it, and asking
	 * for one takes 0.1 to 0.5 s, more than the first collection saves by it. */
	struct cupti_host_open p = BLOCK(host_open, .type = CUPTI_TYPE_RANGES, .chip = chip);

	if (answer(cu, cu->host_open(&p), "cuptiProfilerHostInitialize", e))
		return e->status;
	struct cupti_counters *c = calloc(1, sizeof *c);

	if (!c) {
		(void)cu->host_close(&BLOCK(host_close, .host = p.host));
		return asc_err_nomem(e);
	}
	c->cu = cu;
	c->host = p.host;
	*out = c;
	return ASC_OK;
}

void cupti_counters_close(struct cupti_counters *c)
{
	if (!c)
		return;
	(void)c->cu->host_close(&BLOCK(host_close, .host = c->host));
	free(c->image);
	free(c->names);
	free(c->texts);
	free(c);
}

bool cupti_counters_has(void *counters, const char *name)
{
	struct cupti_counters *c = counters;

	return c->cu->host_metric(&BLOCK(host_metric, .host = c->host, .name = name)) == 0;
}

/* Finds the nearest of the chip's names of a type, without their roll-up; NULL: none. */
static const char *find_near(struct cupti_counters *c, unsigned type, const char *base)
{
	struct cupti_host_names p = BLOCK(host_names, .host = c->host, .type = type);
	const char **ended = NULL, *near = NULL;

	if (c->cu->host_names(&p) == 0)
		ended = calloc(p.n + 1, sizeof *ended);
	if (ended && p.n)
		memcpy(ended, p.names, p.n * sizeof *ended);
	if (ended)
		near = str_nearest(base, ended);
	free(ended);
	return near;
}

bool cupti_counters_near(struct cupti_counters *c, const char *name, char *near, size_t size)
{
	static const struct {
		unsigned type;
		const char *roll_up; /* where that of the name does not fit */
	} types[] = {{CUPTI_METRIC_COUNTER, ".sum"},
		     {CUPTI_METRIC_RATIO, ".ratio"},
		     {CUPTI_METRIC_THROUGHPUT, ".avg.pct_of_peak_sustained_elapsed"}};
	const size_t n = strcspn(name, ".");
	char base[128];

	(void)snprintf(base, sizeof base, "%.*s", (int)n, name);
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		const char *found = find_near(c, types[i].type, base);

		if (!found)
			continue;
		(void)snprintf(near, size, "%s%s", found, name + n);
		if (cupti_counters_has(c, near))
			return true;
		(void)snprintf(near, size, "%s%s", found, types[i].roll_up);
		if (cupti_counters_has(c, near))
			return true;
	}
	return false;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Copies the names, sorted and each once: CUPTI packs counters into passes in the order in which
 * they come, and the passes should not hang on the order of a set. On GB202 45 counters took 8
 * passes as they stood in the book, and 7 sorted (CUPTI 13.0). */
static enum asc_status copy_names(struct cupti_counters *c, const char *const *wanted, size_t n,
				  struct asc_err *e)
{
	size_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(wanted[i]) + 1;
	c->names = calloc(n + 1, sizeof *c->names);
	c->texts = malloc(bytes + 1);
	if (!c->names || !c->texts)
		return asc_err_nomem(e);
	char *at = c->texts;

	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(wanted[i]) + 1;

		c->names[i] = memcpy(at, wanted[i], length);
		at += length;
	}
	qsort(c->names, n, sizeof *c->names, compare_names);
	for (size_t i = 0; i < n; i++)
		if (c->n == 0 || strcmp(c->names[c->n - 1], c->names[i]) != 0)
			c->names[c->n++] = c->names[i];
	return ASC_OK;
}

enum asc_status cupti_counters_choose(struct cupti_counters *c, const char *const *wanted, size_t n,
				      const char *const **names, size_t *n_names, size_t *passes,
				      struct asc_err *e)
{
	const struct cupti *cu = c->cu;

	if (copy_names(c, wanted, n, e))
		return e->status;
	struct cupti_host_size size = BLOCK(host_size, .host = c->host);

	/* A name that the chip lacks would spoil the object for all others. */
	if (answer(cu,
		   cu->host_add(&BLOCK(host_add, .host = c->host, .names = c->names, .n = c->n)),
		   "cuptiProfilerHostConfigAddMetrics", e) ||
	    answer(cu, cu->host_size(&size), "cuptiProfilerHostGetConfigImageSize", e))
		return e->status;
	c->image_bytes = size.bytes;
	c->image = malloc(size.bytes ? size.bytes : 1);
	if (!c->image)
		return asc_err_nomem(e);
	struct cupti_host_passes p = BLOCK(host_passes, .bytes = c->image_bytes, .image = c->image);

	if (answer(cu,
		   cu->host_image(&BLOCK(host_image, .host = c->host, .bytes = c->image_bytes,
					 .image = c->image)),
		   "cuptiProfilerHostGetConfigImage", e) ||
	    answer(cu, cu->host_passes(&p), "cuptiProfilerHostGetNumOfPasses", e))
		return e->status;
	*names = c->names;
	*n_names = c->n;
	*passes = p.passes;
	return ASC_OK;
}

/* ---- values ---- */

struct cupti_ranges {
	const struct cupti *cu;
	void *ranges;
	struct cupti_counters *counters; /* whose values are collected; borrowed */
	uint8_t *data;                   /* values of all kernels */
	size_t data_bytes, data_capacity;
};

/* Made once in a process: it takes 54 to 84 ms. It is left as it is at the end, since a process
 * that has counted ends. */
static enum asc_status begin_profiling(const struct cupti **cu, struct asc_err *e)
{
	static bool begun;

	if (get(cu, e))
		return e->status;
	if (!begun && answer(*cu, (*cu)->profiler_open(&BLOCK(profiler_open, .private = NULL)),
			     "cuptiProfilerInitialize", e))
		return e->status;
	begun = true;
	return ASC_OK;
}

enum asc_status cupti_find_chip(int device, const char **name, struct asc_err *e)
{
	const struct cupti *cu;
	struct cupti_chip p = BLOCK(chip, .device = (size_t)device);

	if (begin_profiling(&cu, e) || answer(cu, cu->chip(&p), "cuptiDeviceGetChipName", e))
		return e->status;
	*name = p.name;
	return ASC_OK;
}

/* Checks what CUPTI says of the device, so that a refusal has the reason: Enable would answer with
 * a number alone. */
static enum asc_status check_device(const struct cupti *cu, int device, struct asc_err *e)
{
	struct cupti_supported p = BLOCK(supported, .device = device, .api = CUPTI_API_RANGES);

	if (answer(cu, cu->supported(&p), "cuptiProfilerDeviceSupported", e))
		return e->status;
	if (p.all == CUPTI_SUPPORT_YES)
		return ASC_OK;
	const struct {
		unsigned level, rc;
	} members[] = {{p.sli, CUPTI_RC_SLI},
		       {p.virtual, CUPTI_RC_VIRTUAL},
		       {p.confidential, CUPTI_RC_CONFIDENTIAL},
		       {p.cmp, CUPTI_RC_CMP},
		       {p.wsl, CUPTI_RC_WSL}};

	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (members[i].level == CUPTI_SUPPORT_NO || members[i].level == CUPTI_SUPPORT_OFF)
			return answer(cu, members[i].rc, "cuptiProfilerDeviceSupported", e);
	if (p.architecture == CUPTI_SUPPORT_NO)
		return asc_err_set(e, ASC_ABSENT,
				   "libcupti has no counters of this GPU: it is older than compute "
				   "capability 7.0, or newer than the library");
	return asc_err_set(e, ASC_ABSENT, "libcupti does not support counters of this GPU");
}

enum asc_status cupti_ranges_open(struct CUctx_st *context, int device, struct cupti_ranges **out,
				  struct asc_err *e)
{
	const struct cupti *cu;
	struct cupti_range_enable p = BLOCK(range_enable, .context = context);

	*out = NULL;
	if (begin_profiling(&cu, e) || check_device(cu, device, e))
		return e->status;
	struct cupti_ranges *r = calloc(1, sizeof *r);

	if (!r)
		return asc_err_nomem(e);
	if (answer(cu, cu->range_enable(&p), "cuptiRangeProfilerEnable", e)) {
		free(r);
		return e->status;
	}
	r->cu = cu;
	r->ranges = p.ranges;
	*out = r;
	return ASC_OK;
}

void cupti_ranges_close(struct cupti_ranges *r)
{
	if (!r)
		return;
	(void)r->cu->range_disable(&BLOCK(range_disable, .ranges = r->ranges));
	free(r->data);
	free(r);
}

static enum asc_status reserve_data(struct cupti_ranges *r, size_t bytes, struct asc_err *e)
{
	if (bytes > r->data_capacity) {
		free(r->data);
		r->data = malloc(bytes);
		r->data_capacity = r->data ? bytes : 0;
	}
	r->data_bytes = bytes;
	return r->data ? ASC_OK : asc_err_nomem(e);
}

enum asc_status cupti_ranges_prepare(struct cupti_ranges *r, struct cupti_counters *c, size_t most,
				     struct asc_err *e)
{
	const struct cupti *cu = r->cu;
	struct cupti_range_size size = BLOCK(range_size, .ranges = r->ranges, .names = c->names,
					     .n = c->n, .most = most, .nodes = (uint32_t)most);

	r->counters = c;
	if (answer(cu, cu->range_size(&size), "cuptiRangeProfilerGetCounterDataSize", e) ||
	    reserve_data(r, size.bytes, e) ||
	    answer(cu,
		   cu->range_image(&BLOCK(range_image, .ranges = r->ranges, .bytes = r->data_bytes,
					  .data = r->data)),
		   "cuptiRangeProfilerCounterDataImageInitialize", e))
		return e->status;
	/* One level, since each kernel is a range of its own. */
	return answer(cu,
		      cu->range_config(&BLOCK(
			      range_config, .ranges = r->ranges, .image_bytes = c->image_bytes,
			      .image = c->image, .data_bytes = r->data_bytes, .data = r->data,
			      .range = CUPTI_RANGE_AUTO, .replay = CUPTI_REPLAY_USER, .most = most,
			      .levels = 1, .least_level = 1)),
		      "cuptiRangeProfilerSetConfig", e);
}

enum asc_status cupti_ranges_begin(struct cupti_ranges *r, struct asc_err *e)
{
	return answer(r->cu, r->cu->range_start(&BLOCK(range_start, .ranges = r->ranges)),
		      "cuptiRangeProfilerStart", e);
}

enum asc_status cupti_ranges_end(struct cupti_ranges *r, bool *complete, struct asc_err *e)
{
	struct cupti_range_stop p = BLOCK(range_stop, .ranges = r->ranges);

	if (answer(r->cu, r->cu->range_stop(&p), "cuptiRangeProfilerStop", e))
		return e->status;
	*complete = p.complete != 0;
	return ASC_OK;
}

enum asc_status cupti_ranges_count(struct cupti_ranges *r, size_t *n, struct asc_err *e)
{
	struct cupti_range_decode decode = BLOCK(range_decode, .ranges = r->ranges);
	struct cupti_range_count count =
		BLOCK(range_count, .data = r->data, .data_bytes = r->data_bytes);

	if (answer(r->cu, r->cu->range_decode(&decode), "cuptiRangeProfilerDecodeData", e) ||
	    answer(r->cu, r->cu->range_count(&count), "cuptiRangeProfilerGetCounterDataInfo", e))
		return e->status;
	if (decode.dropped > 0)
		return asc_err_set(e, ASC_ABSENT, "CUPTI dropped %zu kernels", decode.dropped);
	*n = count.n;
	return ASC_OK;
}

enum asc_status cupti_ranges_read(struct cupti_ranges *r, size_t i, double *values,
				  struct asc_err *e)
{
	const struct cupti_counters *c = r->counters;

	return answer(r->cu,
		      r->cu->host_values(&BLOCK(host_values, .host = c->host, .data = r->data,
						.data_bytes = r->data_bytes, .range = i,
						.names = c->names, .n = c->n, .values = values)),
		      "cuptiProfilerHostEvaluateToGpuValues", e);
}
