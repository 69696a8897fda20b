/* Probes: lists, reasons, and what they measure here.
 * covers: probe.c rusage.c perf_event.c */
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "probes/probe.h"
#include "tests/tap.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

enum { PAGES = 500 };

static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return -1;
}

/* Makes PAGES pages present one by one. */
static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (!tap_ok(p != MAP_FAILED, "%d fresh pages", PAGES))
		return;
	(void)madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)p)[i * page] = 1;
	munmap(p, PAGES * page);
}

static void test_rusage(void)
{
	const struct probe_ops *ops = probe_find("rusage");
	struct probe *p = NULL;
	struct result idle, busy;
	struct asc_err e;

	result_init(&idle);
	result_init(&busy);
	if (!tap_ok(ops && ops->open(&(struct device_info){0}, &p, &e) == ASC_OK,
		    "rusage is opened"))
		return;
	tap_int(ops->begin(p, &e), ASC_OK, "begin");
	tap_int(ops->end(p, &idle, &e), ASC_OK, "end");
	tap_int(ops->begin(p, &e), ASC_OK, "begin again");
	touch_pages();
	nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	tap_int(ops->end(p, &busy, &e), ASC_OK, "end again");
	tap_ok(find_metric(&busy, "minor_faults") >= PAGES, "fresh pages are counted: %g",
	       find_metric(&busy, "minor_faults"));
	tap_ok(find_metric(&idle, "minor_faults") < PAGES, "doing nothing touches few: %g",
	       find_metric(&idle, "minor_faults"));
	tap_ok(find_metric(&busy, "voluntary_switches") >= 1, "sleeping is a voluntary switch");
	for (size_t i = 0; ops->metrics[i].name; i++)
		tap_ok(find_metric(&busy, ops->metrics[i].name) >= 0 && ops->metrics[i].unit &&
			       ops->metrics[i].meaning,
		       "%s is there", ops->metrics[i].name);
	ops->close(p);
	result_fini(&busy);
	result_fini(&idle);
}

int main(void)
{
	char reason[100];

	for (size_t i = 0; probe_list[i]; i++) {
		const struct probe_ops *ops = probe_list[i];
		tap_ok(ops->name && ops->summary && ops->check && ops->open && ops->close &&
			       (ops->replay ? ops->plan != NULL
					    : ops->metrics && ops->begin && ops->end),
		       "%s is complete", ops->name);
		tap_ok(probe_find(ops->name) == ops, "%s is found by name", ops->name);
	}
	tap_ok(!probe_find("tea_leaves"), "an unknown probe is not found");
	tap_ok(probe_find("rusage")->check("cpu", reason, sizeof reason), "rusage is usable");
	tap_ok(!probe_find("perf_event")->check("npu", reason, sizeof reason),
	       "perf_event is about processors");
	tap_has(reason, "npu", "and says so");
	tap_ok(probe_has(probe_find("rusage"), "cpu", 0, reason, sizeof reason),
	       "metrics of rusage are there");
	if (probe_find("nvml")->check("cuda", reason, sizeof reason))
		tap_ok(!probe_find("nvml")->check("cpu", reason, sizeof reason),
		       "nvml is about GPUs");
	tap_ok(*reason, "says why it is of no use: %s", reason);
	test_rusage();
	return tap_done();
}
