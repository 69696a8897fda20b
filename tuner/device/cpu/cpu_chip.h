/* The kind of processor in one word, by which files of metrics choose their counters: "AMD-zen4",
 * "Intel-icelake-server", "Arm-neoverse-n1". */
#ifndef ASCTUNE_DEVICE_CPU_CPU_CHIP_H
#define ASCTUNE_DEVICE_CPU_CPU_CHIP_H

#include <stddef.h>

enum { CPU_CHIP_SIZE = 40 };

/* Numbers that processors name themselves by: CPUID's vendor, family, model and stepping, with the
 * extended ones in them; of Arm MIDR_EL1's implementer and part. */
struct cpu_id {
	char vendor[16]; /* "GenuineIntel", "AuthenticAMD", "HygonGenuine"; "": Arm, or unknown */
	unsigned family, model, stepping;
	unsigned implementer, part; /* of Arm; 0: unknown */
};

/* Names a processor. One that is newer than the tables has its vendor and its numbers:
 * "Intel-6-221", "AMD-28-5", "Arm-0x41-0xd99"; nothing known of it: "unknown". */
void cpu_chip_name(const struct cpu_id *id, char out[CPU_CHIP_SIZE]);

/* Names this machine's, by a file such as /proc/cpuinfo: its first processor stands for all. */
void cpu_chip_read(const char *cpuinfo, char out[CPU_CHIP_SIZE]);

#endif
