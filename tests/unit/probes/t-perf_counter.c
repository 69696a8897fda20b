/* Counters by their texts, over PMUs of a made-up machine in a folder like the kernel's.
 * covers: perf_counter.c */
#include "probes/perf_counter.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

static char *devices;

static void put(const char *name, const char *text)
{
	char path[600], folder[600];
	struct asc_err e;

	(void)snprintf(path, sizeof path, "%s/%s", devices, name);
	(void)snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
	if (dir_make(folder, &e) || file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
}

/* Formats of an AMD processor (arch/x86/events/amd/core.c), of two of Intel's memory
 * controllers. */
static void make_machine(void)
{
	put("cpu/type", "4\n");
	put("cpu/format/event", "config:0-7,32-35\n");
	put("cpu/format/umask", "config:8-15\n");
	put("cpu/format/inv", "config:23\n");
	put("cpu/format/cmask", "config:24-31\n");
	put("cpu/events/slots", "event=0x00,umask=0x4\n");
	put("cpu/events/odd", "event=0x00,color=0x4\n");
	put("cpu/events/topdown-total-slots", "event=0x3c,umask=0x0\n");
	put("cpu/events/topdown-total-slots.scale", "2\n");
	put("uncore_imc_0/type", "14\n");
	put("uncore_imc_0/cpumask", "0,32\n");
	put("uncore_imc_0/format/event", "config:0-7\n");
	put("uncore_imc_0/format/umask", "config:8-15\n");
	put("uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n");
	put("uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n");
	put("uncore_imc_0/events/cas_count_read.unit", "MiB\n");
	put("uncore_imc_1/type", "15\n");
	put("uncore_imc_1/cpumask", "0-1\n");
	put("uncore_imc_1/format/event", "config:0-7\n");
	put("uncore_imc_1/format/umask", "config:8-15\n");
	put("uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n");
	put("uncore_imc_1/events/cas_count_read.scale", "6.103515625e-5\n");
	put("uncore_imc_1/events/cas_count_read.unit", "MiB\n");
	put("uncore_imc_free_running/type", "16\n");
	put("broken/type", "20\n");
	put("broken/cpumask", "none\n");
	put("broken/format/event", "config:7-0\n");
	put("broken/format/umask", "confug:0-7\n");
	put("broken/format/cmask", "config\n");
	put("broken/events/x", "config=1\n");
}

static void parses(const char *text, size_t n, uint32_t type, uint64_t config, double factor)
{
	struct perf_counter c = {0};
	struct asc_err e;

	if (!tap_int(perf_counter_parse(text, devices, &c, &e), ASC_OK, "%s is parsed", text)) {
		tap_note("%s", e.text);
		return;
	}
	if (tap_int(c.n, n, "its terms")) {
		tap_int(c.terms[n - 1].code.type, type, "type of the last one");
		tap_ok(c.terms[n - 1].code.config == config, "its configuration: %#llx",
		       (unsigned long long)c.terms[n - 1].code.config);
		tap_real(c.terms[n - 1].factor, factor, 1e-12, "its factor");
	}
	perf_counter_fini(&c);
}

static void test_texts(void)
{
	parses("cpu-cycles", 1, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1);
	parses("6*cpu-cycles", 1, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 6);
	/* config = cache | operation << 8 | result << 16: perf_event_open(2) */
	parses("L1-dcache-loads", 1, PERF_TYPE_HW_CACHE, 0, 1);
	parses("LLC-load-misses", 1, PERF_TYPE_HW_CACHE, 0x10002, 1);
	parses("dTLB-store-misses", 1, PERF_TYPE_HW_CACHE, 0x10103, 1);
	parses("L1-dcache-prefetches", 1, PERF_TYPE_HW_CACHE, 0x200, 1);
	parses("sw:cpu-migrations", 1, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	parses("process:cpu-time", 1, 0, PERF_PROCESS_CPU_TIME, 1);
	parses("cpu/event=0xc0,umask=0x1/", 1, 4, 0x1c0, 1);
	parses("cpu/event=0x1a0,umask=0x1e/", 1, 4, 0x100001ea0, 1); /* bits 8 to 11 at 32 */
	parses("cpu/event=0xa3,umask=4,cmask=4,inv/", 1, 4, 0x48004a3, 1);
	parses("cpu/config=0x1234/", 1, 4, 0x1234, 1);
	parses("cpu/slots/", 1, 4, 0x400, 1);
	parses("cpu/topdown-total-slots/", 1, 4, 0x3c, 2);
	parses("64*cpu/event=0x44,umask=0x48/ + -1*instructions", 2, PERF_TYPE_HARDWARE,
	       PERF_COUNT_HW_INSTRUCTIONS, -1);
}

static void test_machine_counters(void)
{
	struct perf_counter c = {0};
	struct asc_err e;

	tap_int(perf_counter_parse("2*uncore_imc/cas_count_read/", devices, &c, &e), ASC_OK,
		"a PMU that is there twice");
	if (tap_int(c.n, 4, "is counted on both, on two processors each")) {
		tap_int(c.terms[0].code.type, 14, "the first one's type");
		tap_int(c.terms[1].code.cpu, 32, "its second processor");
		tap_int(c.terms[3].code.type, 15, "the second one's");
		tap_int(c.terms[3].code.cpu, 1, "its second processor");
		tap_int(c.terms[3].code.kind, PERF_MACHINE, "for the whole machine");
		tap_real(c.terms[3].factor, 2 * 64.0, 1e-9, "in bytes: a line is 2^-14 MiB");
	}
	perf_counter_fini(&c);
}

static void refuses(const char *text, enum asc_status status, const char *why)
{
	struct perf_counter c = {0};
	struct asc_err e;

	tap_int(perf_counter_parse(text, devices, &c, &e), status, "\"%s\" is refused", text);
	tap_has(e.text, why, "says why");
	tap_ok(!c.terms && c.n == 0, "leaves nothing");
}

static void test_refusals(void)
{
	char path[600];

	refuses("", ASC_INPUT, "empty");
	refuses("cycles and more", ASC_INPUT, "there is no counter \"cycles and more\"");
	refuses("sw:tea", ASC_INPUT, "there is no counter \"sw:tea\"");
	refuses("process:tea", ASC_INPUT, "there is no counter \"process:tea\"");
	refuses("L1-dcache-tea", ASC_INPUT, "there is no counter");
	refuses("L1-dcache-load", ASC_INPUT, "there is no counter");
	refuses("six*cpu-cycles", ASC_INPUT, "expected NUMBER*EVENT");
	refuses("cpu-cycles + ", ASC_INPUT, "empty");
	refuses("cpu/event=0xc0", ASC_INPUT, "expected PMU/EVENT/");
	refuses("cpu//", ASC_INPUT, "expected PMU/EVENT/");
	refuses("/event=1/", ASC_INPUT, "expected PMU/EVENT/");
	refuses("cpu/event=two/", ASC_INPUT, "\"event=two\" has no number");
	refuses("cpu/event=/", ASC_INPUT, "\"event=\" has no number");
	refuses("../cpu/event=1/", ASC_INPUT, "neither NAME nor NAME=NUMBER");
	refuses("../event=1/", ASC_INPUT, "no PMU is called \"..\"");
	refuses("cpu/event=0xzz/", ASC_INPUT, "\"event=0xzz\" has no number");
	refuses("cpu/event=1,,inv/", ASC_INPUT, "\"\" is neither NAME nor NAME=NUMBER");
	refuses("cpu/event=-1/", ASC_INPUT, "\"event=-1\" has no number");
	refuses("nopmu/event=1/", ASC_INPUT, "no PMU is called \"nopmu\", here or elsewhere");
	refuses("uncore_imk/clocks/", ASC_INPUT, "did you mean \"uncore_imc\"?");
	refuses("amd_df/event=0xzz/", ASC_INPUT, "\"event=0xzz\" has no number");
	refuses("uncore_cha_12/event=1/", ASC_ABSENT, "this machine has no PMU \"uncore_cha_12\"");
	refuses("amd_df/event=1/", ASC_ABSENT, "this machine has no PMU \"amd_df\"");
	refuses("cpu/color=1/", ASC_ABSENT, "has no field \"color\"");
	refuses("cpu/umask=0x100/", ASC_ABSENT, "\"umask\" is too small");
	refuses("cpu/tea/", ASC_ABSENT, "has no event \"tea\"");
	refuses("cpu/odd/", ASC_ABSENT, "has no field \"color\"");
	refuses("broken/event=1/", ASC_ABSENT, "too small");
	refuses("broken/umask=1/", ASC_ABSENT, "too small");
	refuses("broken/cmask=1/", ASC_ABSENT, "too small");
	refuses("broken/x/", ASC_ABSENT, "cpumask lists \"none\"");
	(void)snprintf(path, sizeof path, "%s/%0400d=1/", "cpu", 1);
	refuses(path, ASC_ABSENT, "has no field");
	(void)snprintf(path, sizeof path, "%0100d/event=1/", 1);
	refuses(path, ASC_INPUT, "expected PMU/EVENT/");
}

/* Of processors of two kinds the faster one's PMU is `cpu`; Arm's has its own name. */
static void test_other_machines(void)
{
	put("hybrid/cpu_core/type", "4\n");
	put("hybrid/cpu_core/format/event", "config:0-7\n");
	put("hybrid/cpu_atom/type", "10\n");
	put("hybrid/cpu_atom/format/event", "config:0-7\n");
	put("arm/armv8_pmuv3_0/type", "8\n");
	put("arm/armv8_pmuv3_0/format/event", "config:0-15\n");
	put("arm/arm_cmn_0/type", "30\n");
	char *own = devices, other[600];

	(void)snprintf(other, sizeof other, "%s/hybrid", own);
	devices = other;
	parses("cpu/event=0xc0/", 1, 4, 0xc0, 1);
	(void)snprintf(other, sizeof other, "%s/arm", own);
	parses("cpu/event=0x8006/", 1, 8, 0x8006, 1);
	(void)snprintf(other, sizeof other, "%s/nothing", own);
	refuses("cpu/event=0xc0/", ASC_ABSENT, "this machine has no PMU \"cpu\"");
	devices = own;
}

int main(void)
{
	struct asc_err e;

	if (dir_make_scratch("asctune-perf", &devices, &e)) {
		tap_ok(false, "%s", e.text);
		return tap_done();
	}
	make_machine();
	test_texts();
	test_machine_counters();
	test_refusals();
	test_other_machines();
	dir_remove(devices);
	free(devices);
	return tap_done();
}
