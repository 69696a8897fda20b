/* Names of processors, by what CPUID and MIDR say of them.
 * covers: cpu_chip.c */
#include "tuner/device/cpu/cpu_chip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"

static void named(struct cpu_id id, const char *want)
{
	char name[CPU_CHIP_SIZE];

	cpu_chip_name(&id, name);
	tap_str(name, want, "%s %u-%u, %x-%x", id.vendor, id.family, id.model, id.implementer,
		id.part);
}

/* Family, model and part of machines as /proc/cpuinfo shows them: EPYC 7601, 7742, 7763, 9654,
 * Ryzen 5950X, EPYC 9755, Xeon 8175M, 8375C, 8488C, Core i9-12900K, Graviton 2, 3, 4, Grace. */
static void test_names(void)
{
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 23, .model = 1}, "AMD-zen1");
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 23, .model = 49}, "AMD-zen2");
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 25, .model = 1}, "AMD-zen3");
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 25, .model = 33}, "AMD-zen3");
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 25, .model = 17}, "AMD-zen4");
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 26, .model = 2}, "AMD-zen5");
	named((struct cpu_id){.vendor = "HygonGenuine", .family = 24, .model = 1}, "AMD-zen1");
	named((struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 85},
	      "Intel-skylake-server");
	named((struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 106},
	      "Intel-icelake-server");
	named((struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 143},
	      "Intel-sapphirerapids");
	named((struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 151},
	      "Intel-alderlake");
	named((struct cpu_id){.implementer = 0x41, .part = 0xd0c}, "Arm-neoverse-n1");
	named((struct cpu_id){.implementer = 0x41, .part = 0xd40}, "Arm-neoverse-v1");
	named((struct cpu_id){.implementer = 0x41, .part = 0xd4f}, "Arm-neoverse-v2");
	named((struct cpu_id){.implementer = 0x41, .part = 0xd49}, "Arm-neoverse-n2");
	/* Not in the tables: no pattern of letters fits. */
	named((struct cpu_id){.vendor = "AuthenticAMD", .family = 28, .model = 5}, "AMD-28-5");
	named((struct cpu_id){.vendor = "GenuineIntel", .family = 6, .model = 63}, "Intel-6-63");
	named((struct cpu_id){.implementer = 0xc0, .part = 0xac3}, "Arm-0xc0-0xac3");
	named((struct cpu_id){.vendor = "CyrixInstead", .family = 6, .model = 2}, "unknown");
}

static void reads(const char *text, const char *want)
{
	char *folder = NULL, path[600], name[CPU_CHIP_SIZE];
	struct asc_err e;

	if (dir_make_scratch("asctune-chip", &folder, &e))
		return;
	(void)snprintf(path, sizeof path, "%s/cpuinfo", folder);
	if (text && file_write(path, text, strlen(text), &e))
		tap_ok(false, "%s", e.text);
	cpu_chip_read(path, name);
	tap_str(name, want, "read from a file");
	dir_remove(folder);
	free(folder);
}

int main(void)
{
	char own[CPU_CHIP_SIZE], line[1200];

	test_names();
	reads("processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n"
	      "model name\t: AMD EPYC 9654\nstepping\t: 1\n\nprocessor\t: 1\nmodel\t\t: 1\n",
	      "AMD-zen4");
	reads("processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
	      "CPU architecture: 8\nCPU part\t: 0xd0c\n",
	      "Arm-neoverse-n1");
	(void)snprintf(line, sizeof line,
		       "flags : %0600d model : 99\nvendor_id : GenuineIntel\ncpu family : 6\n"
		       "model : 85\n",
		       1);
	reads(line, "Intel-skylake-server");
	reads("no colon at all\n: no key\nvendor_id\n", "unknown");
	reads("", "unknown");
	reads(NULL, "unknown");
	cpu_chip_read("/proc/cpuinfo", own);
	tap_ok(*own, "this machine's: %s", own);
	return tap_done();
}
