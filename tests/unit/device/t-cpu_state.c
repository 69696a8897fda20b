/* What this process does between two looks at a CPU's use.
 * covers: cpu_state.c */
#include "tuner/device/cpu/cpu_state.h"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/device/device.h"

enum { PAGES = 500, WORK_NS = 5000000 };

static int64_t own_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* Makes PAGES pages present one by one. */
static void touch_pages(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	if (!tap_ok(p != MAP_FAILED, "%d fresh pages", PAGES))
		return;
	(void)madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)p)[i * page] = 1;
	(void)munmap(p, PAGES * page);
}

int main(void)
{
	const struct timespec moment = {.tv_nsec = 1000000};
	struct device_use begin, idle, end;
	struct cpu_state s = {0};

	cpu_state_watch(&s);
	tap_ok(s.n >= 1, "this thread is watched");
	cpu_state_use(&s, &begin);
	(void)nanosleep(&moment, NULL);
	cpu_state_use(&s, &idle);
	const int64_t until = own_ns() + WORK_NS;
	while (own_ns() < until)
		continue;
	touch_pages();
	cpu_state_use(&s, &end);
	tap_ok(idle.busy_ns - begin.busy_ns < WORK_NS, "little was done: %lld ns",
	       (long long)(idle.busy_ns - begin.busy_ns));
	tap_ok(idle.switches > begin.switches, "a thread that sleeps leaves its processor");
	tap_ok(idle.faults - begin.faults < PAGES, "few pages were touched");
	/* The pages take a part of that; sanitizers make it several times as much. */
	tap_ok(end.busy_ns - idle.busy_ns >= WORK_NS && end.busy_ns - idle.busy_ns < 4 * WORK_NS,
	       "5 ms on a processor: %lld ns", (long long)(end.busy_ns - idle.busy_ns));
	tap_ok(end.faults - idle.faults >= PAGES, "fresh pages are faults: %lld",
	       (long long)(end.faults - idle.faults));
	tap_int(cpu_state_thread_ns(1), 0, "another process's thread has no time here");
	cpu_state_fini(&s);
	tap_int(s.n, 0, "no thread is watched");
	return tap_done();
}
