/* Metrics by perf events: against counters of a made-up machine, and with what this one's kernel
 * knows of a process.
 * covers: perf_event.c perf_sets.c */
#include "probes/perf_event.h"

#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/metrics/metric_book.h"
#include "probes/perf_sets.h"
#include "tests/nomem.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/cpu/cpu_chip.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"

/* ---- a made-up machine ---- */

enum { FDS = 256, THREADS = 3, TRIED_NS = 1000, LAUNCH_NS = 1000000, AROUND_NS = 7000 };

/* Event that counts behind `slots` alone, as Intel's top-down metrics do. */
enum { SLOTS = 0x400, RETIRING = 0x8000 };

static struct {
	int core, software, machine; /* errno of an open; 0: opens */
	int counters;                /* of a processor */
	int held;                    /* of them, by something else that a group does not see */
	double share;                /* part of the time that a group has the hardware */
	int level;                   /* perf_event_paranoid */
	bool is_virtual, asleep;
	int fails_to_start, fails_to_read; /* number of the call; 0: none */
	double own_threads;                /* CPU time of threads that nobody lists, of a launch */
	size_t launches, asleep_launches, flushes, restores, passes, of;
	size_t fails_at; /* launch that fails; 0: none */
	size_t calls;    /* of launch(), each of which takes AROUND_NS beside its launches */
	struct {
		bool used, on;
		struct perf_code code;
		int thread, leader;
		double value, enabled_ns, running_ns;
	} fd[FDS];
} machine;

static char *devices;

static size_t group_size(int leader)
{
	size_t n = 0;

	for (int i = 0; i < FDS; i++)
		n += machine.fd[i].used && machine.fd[i].leader == leader;
	return n;
}

static int fake_open(const struct perf_code *code, int thread, int group)
{
	int fd = 1;

	errno = code->kind == PERF_CORE       ? machine.core
		: code->kind == PERF_SOFTWARE ? machine.software
					      : machine.machine;
	if (errno)
		return -1;
	errno = EINVAL;
	if (code->kind == PERF_CORE && code->config == RETIRING &&
	    (group < 0 || machine.fd[group].code.config != SLOTS))
		return -1;
	if (code->kind == PERF_CORE && group >= 0 && (int)group_size(group) >= machine.counters)
		return -1;
	while (machine.fd[fd].used)
		fd++;
	memset(&machine.fd[fd], 0, sizeof machine.fd[fd]);
	machine.fd[fd].used = true;
	machine.fd[fd].code = *code;
	machine.fd[fd].thread = thread;
	machine.fd[fd].leader = group < 0 ? fd : group;
	return fd;
}

static void fake_close(int fd)
{
	machine.fd[fd].used = false;
}

/* Time passes for all that is on: counts are of a launch of 1 ms, thread 1 working twice as much as
 * the two others. An event's count is its configuration. */
static void pass_time(double ns)
{
	for (int i = 0; i < FDS; i++) {
		const int leader = machine.fd[i].leader;
		const bool core = machine.fd[i].code.kind == PERF_CORE;
		const bool of_machine = machine.fd[i].code.kind == PERF_MACHINE;
		const bool fits =
			!core || (int)group_size(leader) <= machine.counters - machine.held;

		if (!machine.fd[i].used || !machine.fd[leader].on)
			continue;
		machine.fd[i].enabled_ns += ns;
		if (!fits)
			continue;
		machine.fd[i].running_ns += ns * (core ? machine.share : 1);
		machine.fd[i].value += (double)machine.fd[i].code.config * ns / LAUNCH_NS *
				       (machine.fd[i].thread == 1 && !of_machine ? 2 : 1);
	}
}

static bool fake_enable(int fd, bool on)
{
	errno = EIO;
	if (on && machine.fails_to_start && --machine.fails_to_start == 0)
		return false;
	machine.fd[fd].on = on;
	if (on && machine.launches == 0 && machine.passes == 0)
		pass_time(TRIED_NS); /* sets are divided */
	return true;
}

static bool fake_read(int fd, struct perf_reading *out)
{
	errno = EIO;
	if (machine.fails_to_read && --machine.fails_to_read == 0)
		return false;
	*out = (struct perf_reading){(uint64_t)machine.fd[fd].value,
				     (uint64_t)machine.fd[fd].enabled_ns,
				     (uint64_t)machine.fd[fd].running_ns};
	return true;
}

static int fake_paranoid(void)
{
	return machine.level;
}

static bool fake_is_virtual(void)
{
	return machine.is_virtual;
}

static size_t fake_threads(int *ids, size_t most)
{
	(void)most;
	for (int i = 0; i < THREADS; i++)
		ids[i] = i + 1;
	return THREADS;
}

static void fake_usage(const int *threads, size_t n, bool end, struct perf_usage *out)
{
	const int64_t made = (int64_t)machine.launches;
	const int64_t around = (int64_t)machine.calls * AROUND_NS;

	(void)end;
	(void)threads;
	*out = (struct perf_usage){.time_ns = made * LAUNCH_NS + around,
				   .disk_faults = 3 * made,
				   .preemptions = made / 2};
	for (size_t i = 0; i < n; i++)
		out->threads_ns[i] = i == 0 ? made * 800000 + around : made * 400000;
	out->cpu_ns = made * (int64_t)(1600000 + machine.own_threads) + around;
}

static void fake_sleep_at_once(bool on)
{
	machine.asleep = on;
}

static struct perf_source source = {
	.open = fake_open,
	.close = fake_close,
	.enable = fake_enable,
	.read = fake_read,
	.paranoid = fake_paranoid,
	.is_virtual = fake_is_virtual,
	.threads = fake_threads,
	.usage = fake_usage,
	.sleep_at_once = fake_sleep_at_once,
};

static void reset(void)
{
	memset(&machine, 0, sizeof machine);
	machine.counters = 4;
	machine.share = 1;
	machine.level = 2;
	source.devices = devices;
}

static void nothing_is_left(void)
{
	size_t used = 0;

	for (int i = 0; i < FDS; i++)
		used += machine.fd[i].used;
	tap_int(used, 0, "all counters are closed");
	tap_ok(!machine.asleep, "threads look out again");
}

/* ---- launches ---- */

static enum asc_status announce(void *user, size_t pass, size_t of, struct asc_err *e)
{
	(void)user;
	(void)e;
	machine.passes++;
	machine.of = of;
	return pass == machine.passes ? ASC_OK : asc_err_set(e, ASC_INTERNAL, "pass %zu", pass);
}

static enum asc_status restore(void *user, struct asc_err *e)
{
	(void)user;
	(void)e;
	machine.restores++;
	return ASC_OK;
}

static enum asc_status flush(void *user, struct asc_err *e)
{
	(void)user;
	(void)e;
	machine.flushes++;
	pass_time(LAUNCH_NS); /* whatever is on counts what is no part of a launch */
	return ASC_OK;
}

static enum asc_status launch(void *user, int64_t n, struct asc_err *e)
{
	(void)user;
	machine.calls++;
	if (machine.fails_at && machine.launches + 1 == machine.fails_at)
		return asc_err_set(e, ASC_CHILD, "it crashed");
	machine.launches += (size_t)n;
	machine.asleep_launches += machine.asleep ? (size_t)n : 0;
	pass_time((double)n * LAUNCH_NS);
	return ASC_OK;
}

static const struct probe_launches launches = {.pass = announce,
					       .restore = restore,
					       .flush = flush,
					       .launch = launch,
					       .time_ns = LAUNCH_NS};

/* ---- a book ---- */

static struct metric_book *book;

/* Counts a set with the made-up machine; false: it failed with *e. */
static bool count(const char *set, const char *chip, struct result *r, size_t *passes,
		  struct asc_err *e)
{
	struct probe_request request = {.book = book};

	result_init(r);
	return metric_book_find_set(book, set, &request.set, e) == ASC_OK &&
	       perf_event_count(&source, chip, &request, &launches, r, passes, e) == ASC_OK;
}

static const struct metric *find(const struct result *r, const char *name)
{
	static const struct metric none = {.value = -1};

	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].name, name) == 0)
			return &r->metrics[i];
	return &none;
}

static void has(const struct result *r, const char *name, double value)
{
	const struct metric *m = find(r, name);

	tap_real(m->value, value, fabs(value) * 1e-6, "%s", name);
	tap_ok(!m->reason, "%s has no reason: %s", name, m->reason ? m->reason : "");
}

static void lacks(const struct result *r, const char *name, const char *why)
{
	const struct metric *m = find(r, name);

	tap_ok(isnan(m->value), "no %s", name);
	tap_str(m->reason ? m->reason : "", why, "says why");
}

/* ---- tests ---- */

/* Launches of 1 ms: a pass has twenty, as many as last 20 ms. */
static void test_process(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	tap_ok(count("process", "AMD-zen4", &r, &passes, &e), "what a kernel knows of a process");
	tap_int(passes, 2, "two passes");
	tap_int(machine.of, 2, "as announced");
	tap_int(machine.launches, 40, "twenty launches each");
	tap_int(machine.asleep_launches, 20, "threads sleep at once in the second one");
	tap_int(machine.restores, 40, "inputs are restored before each launch");
	tap_int(machine.flushes, 40, "caches are flushed before each launch");
	has(&r, "passes", 2);
	has(&r, "launches", 40);
	has(&r, "counted_ns", LAUNCH_NS);
	has(&r, "task_clock", 1600000);
	has(&r, "thread_ns", 800000);
	has(&r, "disk_faults", 3);
	has(&r, "preemptions", 0.5);
	has(&r, "migrations", (2 + 1 + 1) * PERF_COUNT_SW_CPU_MIGRATIONS);
	nothing_is_left();
	result_fini(&r);

	reset();
	machine.own_threads = 200000;
	tap_ok(count("process", "AMD-zen4", &r, &passes, &e), "with threads of the kernel's own");
	has(&r, "task_clock", 1800000);
	lacks(&r, "thread_ns", "the kernel starts threads of its own");
	result_fini(&r);
}

/* Six events on four counters: thread 1 counts twice what each of the two others does. */
static void test_sets(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "six events");
	tap_int(passes, 2, "four counters: two passes");
	has(&r, "a", 4 * 10);
	has(&r, "d", 4 * 40);
	has(&r, "e", 4 * 50);
	has(&r, "f", 4 * 60);
	tap_int(machine.asleep_launches, 40, "no thread looks out while events are counted");
	nothing_is_left();
	result_fini(&r);

	reset();
	machine.held = 1; /* by a watchdog: a group of four is opened, and never runs */
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "one counter is held");
	tap_int(passes, 2, "three events each");
	has(&r, "d", 4 * 40);
	result_fini(&r);

	reset();
	machine.counters = 1;
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "one counter");
	tap_int(passes, 6, "a pass for each event");
	has(&r, "f", 4 * 60);
	result_fini(&r);

	reset();
	machine.held = 4;
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "all counters are held");
	tap_int(passes, 0, "no pass");
	lacks(&r, "a", "another program holds the processor's counters");
	tap_int(machine.launches, 0, "no launch");
	nothing_is_left();
	result_fini(&r);
}

static void test_sums(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	tap_ok(count("sums", "AMD-zen4", &r, &passes, &e), "factors, sums and differences");
	tap_int(passes, 1, "an event is counted once");
	has(&r, "a", 4 * 10);
	has(&r, "twice_a", 8 * 10);
	has(&r, "e_less_a", 4 * (50 - 10));
	has(&r, "a_less_e", 0);
	result_fini(&r);
}

/* An event that only counts behind another one gets it for its leader, in a set of their own. */
static void test_leader(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	tap_ok(count("leader", "Intel-icelake", &r, &passes, &e), "an event that needs a leader");
	tap_int(passes, 2, "is in the next set");
	has(&r, "a", 4 * 10);
	has(&r, "slots", 4 * SLOTS);
	has(&r, "retiring", 4 * RETIRING);
	nothing_is_left();
	result_fini(&r);
}

static void test_sharing(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	machine.share = 0.75;
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "hardware in turns");
	lacks(&r, "b", "another program held the processor's counters for 25 % of the time");
	result_fini(&r);
}

static void test_preference(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	tap_ok(count("odd", "AMD-zen4", &r, &passes, &e), "counters in order of preference");
	lacks(&r, "typo", "this PMU has no event \"tea\" (cpu/tea/)");
	has(&r, "second", 4 * 70);
	has(&r, "dram", 2 * 64 * 5); /* on two processors, for the whole machine */
	result_fini(&r);

	reset();
	tap_ok(count("odd", "Arm-neoverse-n1", &r, &passes, &e), "another processor");
	lacks(&r, "dram", "no counter of Arm-neoverse-n1 is known for it");
	result_fini(&r);
}

static void test_virtual_machine(void)
{
	const struct metric_def *a;
	char reason[200] = "", *own = devices;
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	devices = strdup("/nowhere");
	reset();
	machine.core = machine.machine = ENOENT;
	machine.is_virtual = true;
	tap_ok(count("all", "AMD-zen4", &r, &passes, &e), "a virtual machine");
	tap_int(passes, 2, "what needs no hardware is counted");
	lacks(&r, "a", "no hardware counters: the virtual machine passes none on");
	lacks(&r, "typo", "no hardware counters: the virtual machine passes none on");
	lacks(&r, "dram", "no hardware counters: the virtual machine passes none on");
	has(&r, "task_clock", 1600000);
	has(&r, "migrations", 4 * PERF_COUNT_SW_CPU_MIGRATIONS);
	tap_real(find(&r, "elsewhere")->value, -1, 0, "another probe's metric is left alone");
	result_fini(&r);
	machine.is_virtual = false;
	a = metric_book_find(book, PERF_EVENT, "a");
	tap_ok(a && !perf_event_counter(&source, "AMD-zen4", a, reason, sizeof reason),
	       "not counted");
	tap_str(reason, "no hardware counters: the kernel offers none", "on a real machine");
	free(devices);
	devices = own;
}

static void refused(int core, int level, const char *why)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	machine.core = machine.software = machine.machine = core;
	machine.level = level;
	tap_ok(count("all", "AMD-zen4", &r, &passes, &e), "a refusal is no error");
	lacks(&r, "a", why);
	has(&r, "counted_ns", LAUNCH_NS);
	result_fini(&r);
	nothing_is_left();
}

static void test_refusals(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	refused(EACCES, 3, "not permitted (root, or perf_event_paranoid <= 2; is 3)");
	refused(EPERM, 2, "the system does not allow perf_event_open");
	refused(EACCES, INT_MIN, "the system does not allow perf_event_open");
	refused(ENOSYS, 2, "the kernel has no perf_event_open");
	refused(EOPNOTSUPP, 2, "the processor does not count this");
	refused(EINVAL, 2, "the processor does not count this");
	refused(EMFILE, 2, "perf_event_open: Too many open files");
	reset();
	machine.machine = EACCES;
	machine.software = EACCES;
	tap_ok(count("all", "AMD-zen4", &r, &passes, &e), "user code may be counted alone");
	has(&r, "a", 4 * 10);
	lacks(&r, "dram", "not permitted (root, or perf_event_paranoid <= 0; is 2)");
	lacks(&r, "migrations", "not permitted (root, or perf_event_paranoid <= 1; is 2)");
	result_fini(&r);
}

static void test_failures(void)
{
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	reset();
	machine.fails_at = 25;
	tap_ok(!count("all", "AMD-zen4", &r, &passes, &e), "a kernel that crashes ends it");
	tap_str(e.text, "it crashed", "with its own error");
	tap_int(machine.passes, 2, "in the second pass");
	nothing_is_left();
	result_fini(&r);

	reset();
	machine.fails_to_start = 20; /* behind those by which sets are divided */
	tap_ok(!count("core", "AMD-zen4", &r, &passes, &e), "counters that do not start");
	tap_str(e.text, "cannot start counters: Input/output error", "are an error");
	nothing_is_left();
	result_fini(&r);

	reset();
	machine.fails_to_read = 10; /* six are read while sets are divided */
	tap_ok(count("core", "AMD-zen4", &r, &passes, &e), "a counter that cannot be read");
	lacks(&r, "b", "cannot be read: Input/output error");
	has(&r, "c", 4 * 30);
	result_fini(&r);
}

/* Counts everything; readings of a launch are given out, unless one is a reason: where memory ends
 * while counters are opened, that is one. */
static enum asc_status job_count(struct asc_err *e)
{
	struct result r;
	size_t passes = 0;

	reset();
	const bool counted = count("all", "AMD-zen4", &r, &passes, e);

	for (size_t i = 0; i < FDS && counted; i++)
		if (machine.fd[i].used)
			(void)asc_err_set(e, ASC_INTERNAL, "a counter is left open");
	result_fini(&r);
	return counted ? ASC_OK : e->status;
}

/* ---- texts of the program ---- */

/* Formats of this family's fields: arch/x86/events/amd/core.c and uncore.c, intel/core.c, and
 * drivers/perf/arm_pmuv3.c in Linux. */
static void put(const char *name, const char *content)
{
	char path[600], folder[600];
	struct asc_err e;

	(void)snprintf(path, sizeof path, "%s/%s", devices, name);
	(void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
	if (dir_make(folder, &e) || file_write(path, content, strlen(content), &e))
		tap_ok(false, "%s", e.text);
}

static bool is_parsed(void *user, const char *counter)
{
	struct perf_counter c = {0};
	struct asc_err e;
	const enum asc_status s = perf_counter_parse(counter, devices, &c, &e);

	(void)user;
	if (s == ASC_INPUT)
		tap_ok(false, "%s: %s", counter, e.text);
	perf_counter_fini(&c);
	return s == ASC_OK;
}

/* Configurations by hand from the manuals' numbers: AMD's Processor Programming Reference for
 * family 19h model 11h, Intel's event files for Sapphire Rapids, Arm's manual of Neoverse N1. */
static const struct {
	const char *chip, *metric;
	uint64_t config; /* of the first term */
	double factor;
} known[] = {
	{"AMD-zen4", "l1_misses", 0xff44, 1},
	{"AMD-zen4", "slots", PERF_COUNT_HW_CPU_CYCLES, 6},
	{"AMD-zen4", "slots_backend", 0x100001ea0, 1},
	{"AMD-zen4", "vector_512", 0x2008, 1},
	{"AMD-zen5", "slots", PERF_COUNT_HW_CPU_CYCLES, 8},
	{"AMD-zen2", "l2_accesses", 0xc860, 1},
	{"AMD-zen3", "dram_read_bytes", 0x4844, 64},
	{"Intel-sapphirerapids", "vector_512", 0xc0c7, 1},
	{"Intel-sapphirerapids", "tlb_misses", 0xe12, 1},
	{"Intel-skylake-server", "tlb_misses", 0xe08, 1},
	{"Intel-skylake-server", "stalled_cycles", 0x40004a3, 1},
	{"Arm-neoverse-n1", "l1_misses", 0x03, 1},
	{"Arm-neoverse-v2", "vector_ops", 0x74, 1},
};

static void test_texts(void)
{
	struct metric_book *own = NULL;
	char arm[600], *others = devices;
	struct asc_err e;
	size_t n = 0;

	put("cpu/format/event", "config:0-7,32-35\n");
	put("cpu/format/umask", "config:8-15\n");
	put("cpu/format/cmask", "config:24-31\n");
	put("arm/armv8_pmuv3_0/type", "8\n");
	put("arm/armv8_pmuv3_0/format/event", "config:0-15\n");
	(void)snprintf(arm, sizeof arm, "%s/arm", devices);
	if (!tap_int(metric_book_open(NULL, 0, &own, &e), ASC_OK, "the program's texts"))
		tap_note("%s", e.text);
	for (size_t i = 0; own && metric_book_metric(own, i); i++) {
		const struct metric_def *m = metric_book_metric(own, i);

		if (strcmp(m->probe, PERF_EVENT) != 0)
			continue;
		for (size_t f = 0; f < m->n_families; f++)
			for (size_t k = 0; m->families[f].counters[k]; k++, n++)
				(void)is_parsed(NULL, m->families[f].counters[k]);
	}
	tap_ok(n > 100, "%zu counters are well written", n);
	for (size_t i = 0; own && i < sizeof known / sizeof *known; i++) {
		const struct metric_def *m = NULL;
		struct perf_counter c = {0};
		const char *counter = NULL;

		devices = strncmp(known[i].chip, "Arm", 3) == 0 ? arm : others;
		for (size_t k = 0; metric_book_metric(own, k) && !m; k++)
			if (strcmp(metric_book_metric(own, k)->probe, PERF_EVENT) == 0 &&
			    strcmp(metric_book_metric(own, k)->name, known[i].metric) == 0)
				m = metric_book_metric(own, k);
		if (m)
			counter = metric_counter(m, known[i].chip, is_parsed, NULL);
		if (!tap_ok(counter, "%s of %s has a counter", known[i].metric, known[i].chip))
			continue;
		(void)perf_counter_parse(counter, devices, &c, &e);
		tap_ok(c.terms[0].code.config == known[i].config, "%s: %#llx", counter,
		       (unsigned long long)c.terms[0].code.config);
		tap_real(c.terms[0].factor, known[i].factor, 0, "its factor");
		perf_counter_fini(&c);
	}
	devices = others;
	metric_book_free(own);
}

/* ---- this machine ---- */

enum { WORK_NS = 2000000 };

static int64_t thread_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void *work(void *user)
{
	const int64_t until = thread_ns() + *(const int64_t *)user;

	while (thread_ns() < until)
		continue;
	return NULL;
}

/* A thread that waits until it is to work, as those of kernels do. */
static pthread_barrier_t ready, done;
static bool ends;

static void *helper(void *user)
{
	for (;;) {
		(void)pthread_barrier_wait(&ready);
		if (ends)
			return NULL;
		(void)work(user);
		(void)pthread_barrier_wait(&done);
	}
}

static enum asc_status launch_here(void *user, int64_t n, struct asc_err *e)
{
	const int64_t ns = WORK_NS;

	(void)user;
	(void)e;
	for (int64_t i = 0; i < n; i++) {
		(void)pthread_barrier_wait(&ready);
		(void)work((void *)(uintptr_t)&ns);
		(void)pthread_barrier_wait(&done);
	}
	return ASC_OK;
}

static enum asc_status do_nothing(void *user, struct asc_err *e)
{
	(void)user;
	(void)e;
	return ASC_OK;
}

static enum asc_status announce_here(void *user, size_t pass, size_t of, struct asc_err *e)
{
	(void)user;
	(void)pass;
	(void)of;
	(void)e;
	return ASC_OK;
}

/* One thread works 2 ms, another one a quarter of that: times on processors, so that other load
 * does not matter. */
static void test_here(void)
{
	const struct probe_ops *ops = probe_find(PERF_EVENT);
	const struct probe_launches here = {.pass = announce_here,
					    .restore = do_nothing,
					    .launch = launch_here,
					    .time_ns = WORK_NS};
	struct probe_request request = {.book = book};
	struct device_info info = {.model = "cpu"};
	const struct metric_def *dram = NULL;
	int64_t quarter = WORK_NS / 4;
	char counter[200] = "";
	struct probe *p = NULL;
	pthread_t other;
	struct result r;
	struct asc_err e;
	size_t passes = 0;

	result_init(&r);
	(void)pthread_barrier_init(&ready, NULL, 2);
	(void)pthread_barrier_init(&done, NULL, 2);
	(void)pthread_create(&other, NULL, helper, &quarter);
	tap_int(metric_book_find_set(book, "process", &request.set, &e), ASC_OK, "a set");
	tap_int(ops->open(&info, &p, &e), ASC_OK, "the probe is opened");
	tap_int(ops->replay(p, &request, &here, &r, &e), ASC_OK, "and counts");
	tap_int(ops->plan(&request, NULL, &passes, &e), ASC_OK, "its passes are known before");
	has(&r, "passes", (double)passes);
	tap_ok(find(&r, "task_clock")->value >= 1.24 * WORK_NS &&
		       find(&r, "task_clock")->value < 2 * WORK_NS,
	       "time on processors, of both threads: %.0f ns", find(&r, "task_clock")->value);
	tap_ok(find(&r, "thread_ns")->value >= 0.99 * WORK_NS &&
		       find(&r, "thread_ns")->value < 1.5 * WORK_NS,
	       "of the busiest one: %.0f ns", find(&r, "thread_ns")->value);
	tap_ok(find(&r, "counted_ns")->value >= 0.99 * WORK_NS, "time that passes: %.0f ns",
	       find(&r, "counted_ns")->value);
	if (metric_book_find_set(book, "clock", &request.set, &e) == ASC_OK &&
	    ops->counts("cpu", request.set->metrics[0], counter, sizeof counter)) {
		/* A counter of x86 that virtual machines have as well: ticks of a clock of 1 to 6
		 * GHz, while the threads work. */
		result_fini(&r);
		result_init(&r);
		tap_int(ops->replay(p, &request, &here, &r, &e), ASC_OK, "a counter of a PMU");
		const double ghz = find(&r, "ticks")->value / find(&r, "task_clock")->value;

		tap_ok(ghz > 1 && ghz < 6, "%.0f ticks: %.3f GHz", find(&r, "ticks")->value, ghz);
	} else {
		tap_note("no clock of the processor here: %s", counter);
	}
	tap_int(ops->plan(&request, "Z80", &passes, &e), ASC_ABSENT, "passes of another processor");
	tap_int(ops->counter(request.set->metrics[1], NULL, counter, sizeof counter, &e), ASC_OK,
		"the counter of a metric");
	tap_str(counter, "process:cpu-time", "is its text");
	dram = metric_book_find(book, PERF_EVENT, "dram"); /* of other processors */
	if (!tap_ok(dram, "a metric of other processors"))
		return;
	(void)ops->counter(dram, "AMD-zen9", counter, sizeof counter, &e);
	tap_str(counter, "64*mc/config=5/", "has the one that is preferred there");
	(void)ops->counter(dram, "Z80", counter, sizeof counter, &e);
	tap_str(counter, "", "or none");
	ops->close(p);
	ends = true;
	(void)pthread_barrier_wait(&ready);
	(void)pthread_join(other, NULL);
	(void)pthread_barrier_destroy(&ready);
	(void)pthread_barrier_destroy(&done);
	result_fini(&r);
}

int main(void)
{
	struct buf text = {0};
	struct asc_err e;

	if (dir_make_scratch("asctune-perf", &devices, &e) ||
	    file_read(TEST_DATA "/data/perf_book.json", 0, &text, &e) ||
	    metric_book_open_texts(&(struct metric_text){"perf_book.json", buf_str(&text)}, 1,
				   &book, &e)) {
		tap_ok(false, "%s", e.text);
		return tap_done();
	}
	put("cpu/type", "4\n");
	put("mc/type", "30\n");
	put("mc/cpumask", "0,1\n");
	test_process();
	test_sets();
	test_sums();
	test_leader();
	test_sharing();
	test_preference();
	test_virtual_machine();
	test_refusals();
	test_failures();
	nomem_exhaust("counters", job_count);
	test_texts();
	test_here();
	dir_remove(devices);
	free(devices);
	metric_book_free(book);
	buf_fini(&text);
	return tap_done();
}
