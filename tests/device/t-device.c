/* The conformance program: one table of checks, run for every device that is usable here, or for
 * one: t-device.t npu sim:Ascend910B3. A new device adds a line to `targets` and its kernels.
 * covers: device.c device_buffer.c device_kernel.c cpu.c cpu_buffer.c cpu_flush.c cpu_threads.c
 * cpu_state.c cpu_peaks.c cuda.c cuda_device.c cuda_buffer.c cuda_checks.c cuda_clock.c cuda_info.c
 * cuda_kernel.c npu.c npu_kernel.c nvml_probe.c energy_probe.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/device/fixture.h"
#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/build/nvrtc_compile.h"
#include "tuner/build/pool.h"
#include "tuner/process/sandbox.h"

#define BUILD_LIMIT_NS INT64_C(120000000000)

static const struct target targets[] = {
	{"cpu", "cc", TEST_DATA "/device/kernels", ".c", true, true, true, false, 0},
	{"cuda", "nvrtc", TEST_DATA "/device/kernels", ".cu", false, false, false, true,
	 (size_t)2 << 20},
	{"npu", "twin", TEST_DATA "/device/kernels", ".twin.c", false, false, false, false, 0},
	{0}};

static char scratch[300];
static char program[300]; /* this one, which compiles for itself */

static const struct {
	const char *name;
	void (*check)(struct fixture *f);
} checks[] = {
	{"inspect", check_inspect},     {"buffers", check_buffers}, {"intact", check_intact},
	{"moves", check_moves},         {"guards", check_guards},   {"grid", check_grid},
	{"scalars", check_scalars},     {"absent", check_absent},   {"errors", check_errors},
	{"flags", check_flags},         {"place", check_place},     {"leaks", check_leaks},
	{"flush", check_flush},         {"peaks", check_peaks},     {"queue", check_queue},
	{"unchanged", check_unchanged}, {"compare", check_compare}, {"facts", check_facts},
	{"launch", check_launch},       {"blocks", check_blocks},   {"tile", check_tile},
	{"float", check_float},         {"nvml", check_nvml},       {"energy", check_energy},
	{"clocks", check_clocks},       {"many", check_many},       {"host", check_host},
	{"halve", check_halve},
};

/* ---- which devices ---- */

static const struct target *find_target(const char *device)
{
	const struct target *t = targets;

	while (t->device && strcmp(t->device, device) != 0)
		t++;
	return t;
}

static void check_device(const struct device_ops *ops, const char *place)
{
	struct fixture f = {
		.ops = ops, .place = place, .target = find_target(ops->name), .program = program};
	struct asc_err e;

	if (!tap_ok(f.target->device, "%s has kernels for these checks", ops->name))
		return;
	if (!tap_int(ops->inspect(place, &f.info, &e), ASC_OK, "%s is inspected", ops->name) ||
	    !tap_int(ops->open(place, &f.d, &e), ASC_OK, "%s is opened", ops->name))
		return;
	if (pool_open(scratch, 2, BUILD_LIMIT_NS, &f.pool, &e)) {
		tap_ok(false, "%s", e.text);
	} else {
		for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
			tap_note("%s: %s", ops->name, checks[i].name);
			checks[i].check(&f);
		}
	}
	pool_close(f.pool);
	ops->close(f.d);
}

static void check_members(const struct device_ops *ops)
{
	tap_ok(ops->name && ops->summary && ops->check && ops->count && ops->inspect,
	       "%s has what every entry has", ops->name);
	tap_ok(device_find(ops->name) == ops, "%s is found by name", ops->name);
	if (!ops->open)
		return;
	tap_ok(ops->close && ops->lost && ops->alloc && ops->release && ops->write && ops->read &&
		       ops->fill && ops->protect && ops->look && ops->address && ops->load &&
		       ops->adopt && ops->unload && ops->bind && ops->flush && ops->observe &&
		       ops->launch && ops->wait && ops->run,
	       "%s has what an entry with a back end has", ops->name);
}

static void check_choose(void)
{
	static const struct {
		const char *text;
		enum asc_status status;
		const char *words;
	} cases[] = {
		{"cpu", ASC_OK, "cpu: "},
		{"cpu:0", ASC_OK, "cpu: "},
		{"cpu:1", ASC_ABSENT, "cpu:1: there are 1"},
		{"cpu:x", ASC_USAGE, "cpu:x: expected a device number"},
		{"cpu:", ASC_USAGE, "expected a device number"},
		{"cpu:all", ASC_ABSENT, "one real device"},
		{"cup", ASC_USAGE, "did you mean \"cpu\""},
		{"", ASC_USAGE, "there are auto, cuda, npu, cpu (and models to plan for"},
		{"gpu", ASC_USAGE, "did you mean \"cuda\"?"},
		{"GPU:1", ASC_USAGE, "did you mean \"cuda\"?"},
		{"h100", ASC_USAGE, "did you mean \"sm_90\"?"},
		{"U100", ASC_USAGE, "`asctune list devices --all`"},
		{"toaster_with_a_long_name:1", ASC_USAGE, "no device \"toaster"},
		{"sm_90", ASC_ABSENT, "sm_90 is a target to plan for"},
		{"Ascend910B3", ASC_ABSENT, "not a device of this machine"},
		{"npu:sim:Ascend910B3", ASC_ABSENT, "npu:sim:Ascend910B3"},
	};
	const struct device_ops *ops = NULL;
	char place[DEVICE_PLACE_SIZE];
	struct asc_err e;
	char why[512];

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		tap_int(device_choose(cases[i].text, &ops, place, why, sizeof why, &e),
			cases[i].status, "choosing \"%s\"", cases[i].text);
		tap_has(cases[i].status ? e.text : why, cases[i].words, "says why");
	}
	tap_int(device_choose("auto", &ops, place, why, sizeof why, &e), ASC_OK, "auto: %s", why);
	tap_ok(ops->open && !*place && strncmp(why, ops->name, strlen(ops->name)) == 0,
	       "chooses a usable one");
	tap_ok(!device_find("toaster"), "an unknown device is not found");
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");
	struct asc_err e;
	char reason[256];

	if (argc > 1 && strcmp(argv[1], NVRTC_COMMAND) == 0)
		return compile_serve(&nvrtc_service) ? 0 : 1;
	if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
		return 1;

	snprintf(scratch, sizeof scratch, "%.200s/t-device-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!tap_ok(mkdtemp(scratch), "a temporary folder"))
		return tap_done();
	/* The sandbox of compilers: twins include a header beside the workloads. */
	if (sandbox_grant(PROJECT_ROOT "/workloads", false, &e))
		tap_ok(false, "%s", e.text);
	if (argc == 1)
		check_choose();
	for (size_t i = 0; device_list[i]; i++) {
		if (argc > 1 && strcmp(device_list[i]->name, argv[1]) != 0)
			continue;
		check_members(device_list[i]);
		*reason = '\0';
		if (device_list[i]->check(reason, sizeof reason))
			check_device(device_list[i], argc > 2 ? argv[2] : "");
		else if (tap_ok(*reason, "%s says why it is not usable", device_list[i]->name))
			tap_skip("%s: %s", device_list[i]->name, reason);
	}
	dir_remove(scratch);
	return tap_done();
}
