/* Counters against a recorded source; nothing here asks the machine.
 * covers: perf_event.c */
#include "probes/perf_event.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "tests/tap.h"

/* What the recorded kernel answers. A descriptor is 10 * type + config. */
static struct {
	int software, hardware; /* errno of an open that counts the kernel too, 0: opens */
	int user_only;          /* errno of one that does not */
	int level;
	int open, enabled, fails_to_enable;
	int reads[40]; /* of each descriptor */
	struct perf_reading after[40];
} kernel;

static int fake_open(uint32_t type, uint64_t config, bool user_only)
{
	errno = user_only ? kernel.user_only
			  : (type == PERF_TYPE_HARDWARE ? kernel.hardware : kernel.software);
	if (errno)
		return -1;
	kernel.open++;
	return (int)(10 * type + config);
}

static void fake_close(int fd)
{
	(void)fd;
	kernel.open--;
}

static bool fake_enable(int fd, bool on)
{
	errno = EIO;
	if (on && kernel.fails_to_enable == fd)
		return false;
	kernel.enabled += on ? 1 : -1;
	return true;
}

/* Every counter has read 1000 after 50 ns before it is begun for the first time. */
static bool fake_read(int fd, struct perf_reading *out)
{
	*out = kernel.reads[fd]++ ? kernel.after[fd] : (struct perf_reading){1000, 50, 50};
	return true;
}

static int fake_paranoid(void)
{
	return kernel.level;
}

static const struct perf_source source = {fake_open, fake_close, fake_enable, fake_read,
					  fake_paranoid};

static void reset(int software, int hardware, int user_only, int level)
{
	memset(&kernel, 0, sizeof kernel);
	kernel.software = software;
	kernel.hardware = hardware;
	kernel.user_only = user_only;
	kernel.level = level;
	kernel.fails_to_enable = -1;
	for (size_t i = 0; i < sizeof kernel.after / sizeof *kernel.after; i++)
		kernel.after[i] = (struct perf_reading){1000 + 10 * i, 150, 150};
}

static size_t metric(const char *name)
{
	size_t i = 0;

	while (i < PERF_COUNTERS && strcmp(perf_metrics[i].name, name) != 0)
		i++;
	return i;
}

static double counted(const double *counts, const char *name)
{
	return counts[metric(name)];
}

static int descriptor(uint32_t type, uint64_t config)
{
	return (int)(10 * type + config);
}

static void test_counting(void)
{
	struct perf_counters c;
	struct asc_err e;
	double n[PERF_COUNTERS];

	reset(0, 0, 0, -1);
	tap_int(perf_counters_open(&c, &source), PERF_COUNTERS, "all counters are opened");
	kernel.after[descriptor(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS)] =
		(struct perf_reading){1300, 450, 150}; /* 300 in a quarter of the time */
	kernel.after[descriptor(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES)] =
		(struct perf_reading){1000, 450, 50}; /* never */
	tap_int(perf_counters_begin(&c, &e), ASC_OK, "begin");
	tap_int(kernel.enabled, PERF_COUNTERS, "all count");
	tap_int(perf_counters_end(&c, n, &e), ASC_OK, "end");
	tap_int(kernel.enabled, 0, "none counts");
	tap_real(counted(n, "task_clock"), 110, 0, "what was there before is taken away");
	tap_real(counted(n, "migrations"), 140, 0, "from every counter");
	tap_real(counted(n, "instructions"), 1200, 1e-9, "a shared counter is scaled");
	tap_ok(isnan(counted(n, "branch_misses")), "one that never ran has no count");
	perf_counters_close(&c);
	tap_int(kernel.open, 0, "all are closed");
}

static void test_virtual_machine(void)
{
	struct perf_counters c;
	struct asc_err e;
	double n[PERF_COUNTERS];
	char reason[200];

	reset(0, ENOENT, ENOENT, 0);
	tap_int(perf_counters_open(&c, &source), 4, "software counters are opened");
	tap_int(perf_counters_begin(&c, &e), ASC_OK, "begin");
	tap_int(perf_counters_end(&c, n, &e), ASC_OK, "end");
	tap_ok(isnan(counted(n, "cycles")), "no cycles");
	tap_real(counted(n, "page_faults"), 120, 0, "page faults are counted");
	perf_counters_close(&c);
	tap_ok(perf_counters_check(&source, metric("task_clock"), reason, sizeof reason),
	       "task_clock is there");
	tap_ok(!perf_counters_check(&source, metric("cycles"), reason, sizeof reason),
	       "cycles are not");
	tap_str(reason, "the kernel offers no hardware counters (virtual machine?)", "says why");
	tap_int(kernel.open, 0, "checking leaves nothing open");
}

static void test_user_only(void)
{
	struct perf_counters c;
	char reason[200];

	reset(EACCES, EACCES, 0, 2);
	tap_int(perf_counters_open(&c, &source), 6, "without the kernel's own work");
	tap_int(c.fd[metric("context_switches")], -1, "switches would read 0");
	perf_counters_close(&c);
	tap_ok(!perf_counters_check(&source, metric("migrations"), reason, sizeof reason),
	       "migrations are refused");
	tap_str(reason, "/proc/sys/kernel/perf_event_paranoid is 2; needs <= 1", "says why");
}

static void check_reason(size_t i, const char *want)
{
	char reason[200] = "";

	tap_ok(!perf_counters_check(&source, i, reason, sizeof reason), "not there");
	tap_str(reason, want, "reason");
}

static void test_reasons(void)
{
	reset(EACCES, EACCES, EACCES, 3);
	check_reason(metric("cycles"), "/proc/sys/kernel/perf_event_paranoid is 3; needs <= 2");
	reset(EPERM, EPERM, EPERM, 2);
	check_reason(metric("cycles"), "the system does not allow perf_event_open");
	reset(EACCES, EACCES, EACCES, INT_MIN);
	check_reason(metric("task_clock"), "the system does not allow perf_event_open");
	reset(ENOSYS, ENOSYS, ENOSYS, 2);
	check_reason(metric("task_clock"), "the kernel has no perf_event_open");
	reset(0, EOPNOTSUPP, 0, 2);
	check_reason(metric("cache_misses"), "the processor does not count this");
	reset(EMFILE, 0, 0, 2);
	check_reason(metric("task_clock"), "perf_event_open: Too many open files");
}

static void test_failure(void)
{
	struct perf_counters c;
	struct asc_err e;

	reset(0, 0, 0, -1);
	perf_counters_open(&c, &source);
	kernel.fails_to_enable = descriptor(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	tap_int(perf_counters_begin(&c, &e), ASC_IO, "a counter that cannot be started");
	tap_str(e.text, "cannot start counter cycles: Input/output error", "is named");
	perf_counters_close(&c);
}

int main(void)
{
	test_counting();
	test_virtual_machine();
	test_user_only();
	test_reasons();
	test_failure();
	return tap_done();
}
