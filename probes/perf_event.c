#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/perf_counters.h"
#include "probes/probe.h"
#include "tuner/result/result.h"

/* ---- this kernel ---- */

/* Opens an inherited counter: the CPU device starts its threads after this, when kernels ask for
 * them. */
static int kernel_open(uint32_t type, uint64_t config, bool user_only)
{
	struct perf_event_attr a = {
		.type = type,
		.size = sizeof a,
		.config = config,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = user_only,
		.exclude_hv = user_only,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void kernel_close(int fd)
{
	close(fd);
}

static bool kernel_enable(int fd, bool on)
{
	return ioctl(fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) == 0;
}

static bool kernel_read(int fd, struct perf_reading *out)
{
	uint64_t words[3];

	if (read(fd, words, sizeof words) != (ssize_t)sizeof words)
		return false;
	*out = (struct perf_reading){words[0], words[1], words[2]};
	return true;
}

static int kernel_paranoid(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	char text[16] = "", *end = text;
	long level = 0;

	if (f && fgets(text, sizeof text, f))
		level = strtol(text, &end, 10);
	if (f)
		fclose(f);
	return end == text ? INT_MIN : (int)level;
}

static const struct perf_source perf_source_kernel = {
	kernel_open, kernel_close, kernel_enable, kernel_read, kernel_paranoid,
};

/* ---- the probe ---- */

struct probe {
	struct perf_counters counters;
};

static bool counts_for(const char *device, char *reason, size_t size)
{
	if (strcmp(device, "cpu") == 0)
		return true;
	(void)snprintf(reason, size, "counts what processors do, not what a %s device does",
		       device);
	return false;
}

/* The first reason is the one that matters: software events are available before hardware events.
 */
static bool perf_event_check(const char *device, char *reason, size_t size)
{
	char other[256];
	bool usable = counts_for(device, reason, size) &&
		      perf_counters_check(&perf_source_kernel, 0, reason, size);

	for (size_t i = 1; !usable && strcmp(device, "cpu") == 0 && i < PERF_COUNTERS; i++)
		usable = perf_counters_check(&perf_source_kernel, i, other, sizeof other);
	return usable;
}

static bool perf_event_has(const char *device, size_t metric, char *reason, size_t size)
{
	return counts_for(device, reason, size) &&
	       perf_counters_check(&perf_source_kernel, metric, reason, size);
}

static enum asc_status perf_event_open(const struct device_info *device, struct probe **out,
				       struct asc_err *e)
{
	(void)device;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return asc_err_nomem(e);
	(void)perf_counters_open(&(*out)->counters, &perf_source_kernel);
	return ASC_OK;
}

static void perf_event_close(struct probe *p)
{
	perf_counters_close(&p->counters);
	free(p);
}

static enum asc_status perf_event_begin(struct probe *p, struct asc_err *e)
{
	return perf_counters_begin(&p->counters, e);
}

static enum asc_status perf_event_end(struct probe *p, struct result *out, struct asc_err *e)
{
	double counts[PERF_COUNTERS];
	enum asc_status s = perf_counters_end(&p->counters, counts, e);

	for (size_t i = 0; i < PERF_COUNTERS && s == ASC_OK; i++)
		if (!isnan(counts[i]))
			s = result_add_metric(out, "perf_event", perf_metrics[i].name, counts[i],
					      perf_metrics[i].unit, e);
	return s;
}

const struct probe_ops probe_perf_event = {
	.name = "perf_event",
	.summary = "the kernel's counters: time, faults, switches; cycles, instructions and misses "
		   "where there are any",
	.metrics = perf_metrics,
	.check = perf_event_check,
	.has = perf_event_has,
	.open = perf_event_open,
	.close = perf_event_close,
	.begin = perf_event_begin,
	.end = perf_event_end,
};
