#include "probes/perf_event.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/probe.h"
#include "tuner/result/result.h"

const struct probe_metric perf_metrics[PERF_COUNTERS + 1] = {
	{"task_clock", "ns", "time on processors, all threads together"},
	{"page_faults", "1", "pages that were not present"},
	{"context_switches", "1", "times that a thread left a processor"},
	{"migrations", "1", "times that a thread came to another processor"},
	{"cycles", "1", "clock cycles of the processors"},
	{"instructions", "1", "instructions that were completed"},
	{"cache_misses", "1", "accesses that the last-level cache did not hold"},
	{"branch_misses", "1", "branches that were predicted wrongly"},
	{0},
};

/* Type and configuration of perf_metrics[i] for the kernel. Events inside the kernel (switches,
 * migrations) are never counted by a counter restricted to user code: such a counter reads 0. */
static const struct {
	uint64_t config;
	uint32_t type;
	bool in_kernel;
} events[PERF_COUNTERS] = {
	{PERF_COUNT_SW_TASK_CLOCK, PERF_TYPE_SOFTWARE, false},
	{PERF_COUNT_SW_PAGE_FAULTS, PERF_TYPE_SOFTWARE, false},
	{PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_TYPE_SOFTWARE, true},
	{PERF_COUNT_SW_CPU_MIGRATIONS, PERF_TYPE_SOFTWARE, true},
	{PERF_COUNT_HW_CPU_CYCLES, PERF_TYPE_HARDWARE, false},
	{PERF_COUNT_HW_INSTRUCTIONS, PERF_TYPE_HARDWARE, false},
	{PERF_COUNT_HW_CACHE_MISSES, PERF_TYPE_HARDWARE, false},
	{PERF_COUNT_HW_BRANCH_MISSES, PERF_TYPE_HARDWARE, false},
};

/* ---- opening ---- */

/* True where the system forbids what the kernel could count. */
static bool is_refusal(int error)
{
	return error == EACCES || error == EPERM;
}

/* Counts the kernel's own work where that is allowed, else user code alone. */
static int open_event(const struct perf_source *source, size_t i)
{
	int fd = source->open(events[i].type, events[i].config, false);

	if (fd < 0 && is_refusal(errno) && !events[i].in_kernel)
		fd = source->open(events[i].type, events[i].config, true);
	return fd;
}

size_t perf_counters_open(struct perf_counters *c, const struct perf_source *source)
{
	size_t n = 0;

	*c = (struct perf_counters){.source = source};
	for (size_t i = 0; i < PERF_COUNTERS; i++) {
		c->fd[i] = open_event(source, i);
		n += c->fd[i] >= 0;
	}
	return n;
}

void perf_counters_close(struct perf_counters *c)
{
	for (size_t i = 0; i < PERF_COUNTERS; i++)
		if (c->fd[i] >= 0)
			c->source->close(c->fd[i]);
}

/* ---- why not ---- */

/* The levels are those of the kernel's Documentation/admin-guide/sysctl/kernel.rst; Debian's kernel
 * adds a level 3 that refuses everything. */
static void explain_refusal(const struct perf_source *source, size_t i, char *reason, size_t size)
{
	int level = source->paranoid(), needed = events[i].in_kernel ? 1 : 2;

	if (level == INT_MIN || level <= needed)
		(void)snprintf(reason, size, "the system does not allow perf_event_open");
	else
		(void)snprintf(reason, size,
			       "/proc/sys/kernel/perf_event_paranoid is %d; needs <= %d", level,
			       needed);
}

static void explain(const struct perf_source *source, size_t i, int error, char *reason,
		    size_t size)
{
	bool hardware = events[i].type == PERF_TYPE_HARDWARE;

	if (is_refusal(error))
		explain_refusal(source, i, reason, size);
	else if (error == ENOENT && hardware)
		(void)snprintf(reason, size,
			       "the kernel offers no hardware counters (virtual machine?)");
	else if (error == EOPNOTSUPP && hardware)
		(void)snprintf(reason, size, "the processor does not count this");
	else if (error == ENOSYS)
		(void)snprintf(reason, size, "the kernel has no perf_event_open");
	else
		(void)snprintf(reason, size, "perf_event_open: %s", strerror(error));
}

bool perf_counters_check(const struct perf_source *source, size_t i, char *reason, size_t size)
{
	int fd = open_event(source, i);

	if (fd >= 0)
		source->close(fd);
	else
		explain(source, i, errno, reason, size);
	return fd >= 0;
}

/* ---- counting ---- */

static enum asc_status fail(size_t i, const char *what, struct asc_err *e)
{
	return asc_err_set(e, ASC_IO, "cannot %s counter %s: %s", what, perf_metrics[i].name,
			   strerror(errno));
}

/* All counters are read before the first is started, and after the last is stopped: reading one is
 * no part of what another counts. */
enum asc_status perf_counters_begin(struct perf_counters *c, struct asc_err *e)
{
	for (size_t i = 0; i < PERF_COUNTERS; i++)
		if (c->fd[i] >= 0 && !c->source->read(c->fd[i], &c->before[i]))
			return fail(i, "read", e);
	for (size_t i = 0; i < PERF_COUNTERS; i++)
		if (c->fd[i] >= 0 && !c->source->enable(c->fd[i], true))
			return fail(i, "start", e);
	return ASC_OK;
}

static double count(const struct perf_reading *before, const struct perf_reading *after)
{
	double value = (double)(after->value - before->value);
	double enabled = (double)(after->enabled_ns - before->enabled_ns);
	double running = (double)(after->running_ns - before->running_ns);

	/* Counters share hardware in turns: the count of a part stands for the whole. */
	if (running <= 0)
		return enabled > 0 ? NAN : value;
	return running < enabled ? value * (enabled / running) : value;
}

enum asc_status perf_counters_end(struct perf_counters *c, double out[PERF_COUNTERS],
				  struct asc_err *e)
{
	struct perf_reading after;

	for (size_t i = 0; i < PERF_COUNTERS; i++)
		if (c->fd[i] >= 0 && !c->source->enable(c->fd[i], false))
			return fail(i, "stop", e);
	for (size_t i = 0; i < PERF_COUNTERS; i++) {
		out[i] = NAN;
		if (c->fd[i] < 0)
			continue;
		if (!c->source->read(c->fd[i], &after))
			return fail(i, "read", e);
		out[i] = count(&c->before[i], &after);
	}
	return ASC_OK;
}

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
