#include "probes/perf_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probes/metrics/metric_book.h"
#include "probes/perf_sets.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_chip.h"
#include "tuner/device/cpu/cpu_state.h"
#include "tuner/device/cpu/cpu_threads.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

/* ---- metrics ---- */

struct choice { /* of a counter for a metric */
	const struct perf_source *source;
	struct perf_counter counter;
	char reason[PERF_REASON_SIZE]; /* why the first one cannot be counted */
};

/* Has *user, a choice, take the counter if it can be counted here. */
static bool choose(void *user, const char *text)
{
	struct choice *c = user;
	char reason[PERF_REASON_SIZE];
	struct asc_err e;

	perf_counter_fini(&c->counter);
	if (perf_counter_parse(text, c->source->devices, &c->counter, &e) == ASC_OK) {
		if (perf_source_can(c->source, &c->counter, reason, sizeof reason))
			return true;
	} else if (perf_source_has_cpu(c->source, reason, sizeof reason)) {
		(void)snprintf(reason, sizeof reason, "%.*s", (int)sizeof reason - 1, e.text);
	}
	if (!*c->reason)
		memcpy(c->reason, reason, sizeof reason);
	return false;
}

/* Finds the counter of a metric, and its text; NULL leaves the reason. */
static const char *find_counter(struct choice *c, const char *chip, const struct metric_def *m)
{
	const char *text = metric_counter(m, chip, choose, c);

	if (text)
		return text;
	perf_counter_fini(&c->counter);
	if (!*c->reason)
		(void)snprintf(c->reason, sizeof c->reason, "no counter of %s is known for it",
			       chip);
	return NULL;
}

const char *perf_event_counter(const struct perf_source *source, const char *chip,
			       const struct metric_def *m, char *reason, size_t size)
{
	struct choice c = {.source = source};
	const char *text = find_counter(&c, chip, m);

	if (!text)
		(void)snprintf(reason, size, "%s", c.reason);
	perf_counter_fini(&c.counter);
	return text;
}

/* ---- counting ---- */

struct counted { /* one metric */
	const struct metric_def *def;
	struct choice choice;
	size_t *events; /* heap: of each term of the counter, in the sets */
};

/* Finds the metric's counter and adds its events to the sets. */
static enum asc_status add_metric(struct perf_sets *sets, const char *chip, struct counted *m,
				  struct asc_err *e)
{
	const struct perf_counter *c = &m->choice.counter;

	if (!find_counter(&m->choice, chip, m->def))
		return ASC_OK;
	m->events = calloc(c->n, sizeof *m->events);
	if (!m->events)
		return asc_err_nomem(e);
	for (size_t i = 0; i < c->n; i++)
		if (perf_sets_add(sets, &c->terms[i].code, &m->events[i], e))
			return e->status;
	return ASC_OK;
}

/* Adds the figure of one metric, or why there is none. */
static enum asc_status add_reading(const struct perf_sets *sets, const struct counted *m,
				   struct result *out, struct asc_err *e)
{
	const struct perf_counter *c = &m->choice.counter;
	const char *reason = m->events ? "" : m->choice.reason;
	double sum = 0;

	for (size_t i = 0; m->events && i < c->n; i++) {
		const struct perf_event *event = &sets->events[m->events[i]];

		sum += c->terms[i].factor * event->count;
		if (*event->reason)
			reason = event->reason;
	}
	if (*reason)
		return result_add_missing(out, PERF_EVENT, m->def->name, m->def->unit, reason, e);
	/* Parts of a difference are counted in different launches: what is a little below nothing
	 * is nothing. */
	return result_add_metric(out, PERF_EVENT, m->def->name, fmax(sum, 0), m->def->unit, e);
}

static enum asc_status count(struct perf_sets *sets, const struct counted *list, size_t n,
			     const struct probe_launches *l, struct result *out, struct asc_err *e)
{
	if (perf_sets_count(sets, l, e) ||
	    result_add_metric(out, PERF_EVENT, "passes", (double)sets->n_sets, "1", e) ||
	    result_add_metric(out, PERF_EVENT, "launches", (double)sets->launches, "1", e))
		return e->status;
	for (size_t i = 0; i < n; i++)
		if (add_reading(sets, &list[i], out, e))
			return e->status;
	return ASC_OK;
}

enum asc_status perf_event_count(const struct perf_source *source, const char *chip,
				 const struct probe_request *r, const struct probe_launches *l,
				 struct result *out, size_t *passes, struct asc_err *e)
{
	const struct metric_def *const *metrics = r->set->metrics;
	struct perf_sets sets = {.source = source};
	struct counted *list = NULL;
	enum asc_status s = ASC_OK;
	size_t all = 0, n = 0;

	while (metrics[all])
		all++;
	list = calloc(all + 1, sizeof *list);
	if (!list)
		return asc_err_nomem(e);
	for (size_t i = 0; i < all && !s; i++)
		if (strcmp(metrics[i]->probe, PERF_EVENT) == 0) {
			list[n].def = metrics[i];
			list[n].choice.source = source;
			s = add_metric(&sets, chip, &list[n++], e);
		}
	if (!s)
		s = perf_sets_divide(&sets, e);
	if (!s && passes)
		*passes = sets.n_sets;
	if (!s && l)
		s = count(&sets, list, n, l, out, e);
	for (size_t i = 0; i < n; i++) {
		perf_counter_fini(&list[i].choice.counter);
		free(list[i].events);
	}
	free(list);
	perf_sets_fini(&sets);
	return s;
}

/* ---- this kernel ---- */

/* Raises the limit on open files to what the system allows: every thread has its counters. */
static bool raise_limit(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur == files.rlim_max)
		return false;
	files.rlim_cur = files.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &files) == 0;
}

/* Opens a counter. That of a thread goes on in the threads that it starts. Hardware events are
 * those of the process's own code: what interrupts add would differ from run to run, and most
 * systems allow no more. */
static int kernel_open(const struct perf_code *code, int thread, int group)
{
	const bool machine = code->kind == PERF_MACHINE;
	struct perf_event_attr a = {
		.type = code->type,
		.size = sizeof a,
		.config = code->config,
		.config1 = code->config1,
		.config2 = code->config2,
		.disabled = group < 0,
		.inherit = !machine,
		.exclude_kernel = code->kind == PERF_CORE,
		.exclude_hv = code->kind == PERF_CORE,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = -1;

	do {
		fd = (int)syscall(SYS_perf_event_open, &a, machine ? -1 : thread, code->cpu, group,
				  PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && errno == EMFILE && raise_limit());
	return fd;
}

static void kernel_close(int fd)
{
	(void)close(fd);
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
		(void)fclose(f);
	return end == text ? INT_MIN : (int)level;
}

/* True where the processor says so, or the firmware of an Arm machine. */
static bool kernel_is_virtual(void)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256];
	bool found = access("/proc/device-tree/hypervisor", F_OK) == 0;

	/* A line of flags comes in pieces; one that cuts the word is not met on any processor that
	 * has it near the middle, and costs a word in a message. */
	while (f && !found && fgets(line, sizeof line, f))
		found = strstr(line, " hypervisor ") != NULL;
	if (f)
		(void)fclose(f);
	return found;
}

static size_t kernel_threads(int *ids, size_t most)
{
	const int own = (int)syscall(SYS_gettid);
	DIR *d = opendir("/proc/self/task");
	size_t n = 0;

	ids[n++] = own;
	for (const struct dirent *entry; d && n < most && (entry = readdir(d));) {
		const int id = (int)strtol(entry->d_name, NULL, 10);

		if (id > 0 && id != own)
			ids[n++] = id;
	}
	if (d)
		(void)closedir(d);
	return n;
}

/* The process's clock has those of threads that have ended as well. */
static void read_threads(const int *threads, size_t n, struct perf_usage *out)
{
	struct timespec all = {0};

	for (size_t i = 0; i < n; i++)
		out->threads_ns[i] = cpu_state_thread_ns(threads[i]);
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
	out->cpu_ns = all.tv_sec * INT64_C(1000000000) + all.tv_nsec;
}

static void kernel_usage(const int *threads, size_t n, bool end, struct perf_usage *out)
{
	struct rusage usage = {0};

	/* The clocks next to the launches: reading the rest is no part of them. */
	if (end)
		out->time_ns = clock_now_ns();
	if (end)
		read_threads(threads, n, out);
	(void)getrusage(RUSAGE_SELF, &usage);
	out->disk_faults = usage.ru_majflt;
	out->preemptions = usage.ru_nivcsw;
	if (!end)
		read_threads(threads, n, out);
	if (!end)
		out->time_ns = clock_now_ns();
}

static const struct perf_source perf_source_kernel = {
	.devices = PERF_DEVICES,
	.open = kernel_open,
	.close = kernel_close,
	.enable = kernel_enable,
	.read = kernel_read,
	.paranoid = kernel_paranoid,
	.is_virtual = kernel_is_virtual,
	.threads = kernel_threads,
	.usage = kernel_usage,
	.sleep_at_once = cpu_threads_sleep_at_once,
};

/* ---- the probe ---- */

struct probe {
	char chip[CPU_CHIP_SIZE];
};

static void read_chip(char chip[CPU_CHIP_SIZE])
{
	cpu_chip_read("/proc/cpuinfo", chip);
}

/* Usable for every CPU: what the kernel knows of a process needs no counter. */
static bool perf_event_check(const char *device, char *reason, size_t size)
{
	if (strcmp(device, "cpu") == 0)
		return true;
	(void)snprintf(reason, size, "counts what processors do, not what a %s device does",
		       device);
	return false;
}

static bool perf_event_counts(const char *device, const struct metric_def *m, char *reason,
			      size_t size)
{
	char chip[CPU_CHIP_SIZE];

	read_chip(chip);
	return perf_event_check(device, reason, size) &&
	       perf_event_counter(&perf_source_kernel, chip, m, reason, size);
}

static enum asc_status perf_event_open(const struct device_info *device, struct probe **out,
				       struct asc_err *e)
{
	(void)device;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return asc_err_nomem(e);
	read_chip((*out)->chip);
	return ASC_OK;
}

static void perf_event_close(struct probe *p)
{
	free(p);
}

static enum asc_status perf_event_replay(struct probe *p, const struct probe_request *r,
					 const struct probe_launches *l, struct result *out,
					 struct asc_err *e)
{
	return perf_event_count(&perf_source_kernel, p->chip, r, l, out, NULL, e);
}

/* How many counters are free is known of this machine alone. */
static enum asc_status perf_event_plan(const struct probe_request *r, const char *chip,
				       size_t *passes, struct asc_err *e)
{
	char own[CPU_CHIP_SIZE];

	read_chip(own);
	if (chip && strcmp(chip, own) != 0)
		return asc_err_set(e, ASC_ABSENT,
				   "counters of a processor are found on a machine that has it");
	return perf_event_count(&perf_source_kernel, own, r, NULL, NULL, passes, e);
}

/* Another processor's counters are those that its texts prefer, whether or not its kernel has them.
 */
static enum asc_status perf_event_find(const struct metric_def *m, const char *chip, char *text,
				       size_t size, struct asc_err *e)
{
	char own[CPU_CHIP_SIZE], reason[PERF_REASON_SIZE] = "";

	read_chip(own);
	const bool other = chip && strcmp(chip, own) != 0;
	const char *counter =
		other ? metric_counter(m, chip, NULL, NULL)
		      : perf_event_counter(&perf_source_kernel, own, m, reason, sizeof reason);

	(void)snprintf(text, size, "%s", counter ? counter : "");
	if (counter)
		return ASC_OK;
	return asc_err_set(e, ASC_ABSENT, "%s", *reason ? reason : "no counter is known for it");
}

static enum asc_status perf_event_parse(const char *counter, struct asc_err *e)
{
	struct perf_counter c = {0};
	const enum asc_status s = perf_counter_parse(counter, PERF_DEVICES, &c, e);

	perf_counter_fini(&c);
	return s == ASC_ABSENT ? ASC_OK : s;
}

const struct probe_ops probe_perf_event = {
	.name = PERF_EVENT,
	.summary = "what processors count of a launch, and what the kernel knows of it",
	.device = "cpu",
	.check = perf_event_check,
	.counts = perf_event_counts,
	.open = perf_event_open,
	.close = perf_event_close,
	.replay = perf_event_replay,
	.plan = perf_event_plan,
	.parse = perf_event_parse,
	.counter = perf_event_find,
};
