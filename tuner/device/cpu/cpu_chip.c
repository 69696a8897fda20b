#include "tuner/device/cpu/cpu_chip.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct models { /* models `first` to `last` of a family */
	unsigned family, first, last;
	const char *name;
};

/* AMD's families 17h, 19h and 1Ah (Revision Guides and Processor Programming References). */
static const struct models amd[] = {
	{0x17, 0x00, 0x2f, "AMD-zen1"}, {0x17, 0x30, 0xff, "AMD-zen2"},
	{0x18, 0x00, 0xff, "AMD-zen1"}, /* Hygon's, made by AMD's design */
	{0x19, 0x00, 0x0f, "AMD-zen3"}, {0x19, 0x10, 0x1f, "AMD-zen4"},
	{0x19, 0x20, 0x5f, "AMD-zen3"}, {0x19, 0x60, 0xff, "AMD-zen4"},
	{0x1a, 0x00, 0x4f, "AMD-zen5"}, {0x1a, 0x60, 0x7f, "AMD-zen5"},
};

/* Intel's family 6 since Skylake (Software Developer's Manual, volume 4, table 2-1). Cascade Lake
 * has the number and the counters of Skylake's server. */
static const struct models intel[] = {
	{6, 0x4e, 0x4e, "Intel-skylake"},        {6, 0x5e, 0x5e, "Intel-skylake"},
	{6, 0x55, 0x55, "Intel-skylake-server"}, {6, 0x8e, 0x8e, "Intel-skylake"},
	{6, 0x9e, 0x9e, "Intel-skylake"},        {6, 0xa5, 0xa6, "Intel-skylake"},
	{6, 0x66, 0x66, "Intel-skylake"},        {6, 0x6a, 0x6a, "Intel-icelake-server"},
	{6, 0x6c, 0x6c, "Intel-icelake-server"}, {6, 0x7d, 0x7e, "Intel-icelake"},
	{6, 0x8c, 0x8d, "Intel-tigerlake"},      {6, 0xa7, 0xa7, "Intel-icelake"},
	{6, 0x8f, 0x8f, "Intel-sapphirerapids"}, {6, 0xcf, 0xcf, "Intel-sapphirerapids"},
	{6, 0xad, 0xae, "Intel-graniterapids"},  {6, 0x97, 0x97, "Intel-alderlake"},
	{6, 0x9a, 0x9a, "Intel-alderlake"},      {6, 0xb7, 0xb7, "Intel-alderlake"},
	{6, 0xba, 0xba, "Intel-alderlake"},      {6, 0xbf, 0xbf, "Intel-alderlake"},
	{6, 0xaa, 0xaa, "Intel-meteorlake"},     {6, 0xac, 0xac, "Intel-meteorlake"},
	{6, 0xb5, 0xb5, "Intel-meteorlake"},     {6, 0xbd, 0xbd, "Intel-lunarlake"},
	{6, 0xc5, 0xc6, "Intel-arrowlake"},
};

/* Arm's own servers (implementer 41h; the cores' Technical Reference Manuals, MIDR_EL1). */
static const struct models arm[] = {
	{0x41, 0xd0c, 0xd0c, "Arm-neoverse-n1"}, {0x41, 0xd40, 0xd40, "Arm-neoverse-v1"},
	{0x41, 0xd49, 0xd49, "Arm-neoverse-n2"}, {0x41, 0xd4a, 0xd4a, "Arm-neoverse-e1"},
	{0x41, 0xd4f, 0xd4f, "Arm-neoverse-v2"}, {0x41, 0xd83, 0xd84, "Arm-neoverse-v3"},
	{0x41, 0xd8e, 0xd8e, "Arm-neoverse-n3"},
};

static const char *find(const struct models *list, size_t n, unsigned family, unsigned model)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].family == family && model >= list[i].first && model <= list[i].last)
			return list[i].name;
	return NULL;
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

void cpu_chip_name(const struct cpu_id *id, char out[CPU_CHIP_SIZE])
{
	const bool is_intel = strcmp(id->vendor, "GenuineIntel") == 0;
	const bool is_amd =
		strcmp(id->vendor, "AuthenticAMD") == 0 || strcmp(id->vendor, "HygonGenuine") == 0;
	const char *name = NULL;

	if (is_intel)
		name = find(intel, COUNT(intel), id->family, id->model);
	else if (is_amd)
		name = find(amd, COUNT(amd), id->family, id->model);
	else if (id->implementer)
		name = find(arm, COUNT(arm), id->implementer, id->part);
	if (name)
		(void)snprintf(out, CPU_CHIP_SIZE, "%s", name);
	else if (is_intel || is_amd)
		(void)snprintf(out, CPU_CHIP_SIZE, "%s-%u-%u", is_intel ? "Intel" : "AMD",
			       id->family, id->model);
	else if (id->implementer)
		(void)snprintf(out, CPU_CHIP_SIZE, "Arm-0x%x-0x%x", id->implementer, id->part);
	else
		(void)snprintf(out, CPU_CHIP_SIZE, "unknown");
}

void cpu_chip_read(const char *cpuinfo, char out[CPU_CHIP_SIZE])
{
	struct cpu_id id = {.vendor = ""};
	const struct {
		const char *key;
		unsigned *value;
	} numbers[] = {{"cpu family", &id.family},
		       {"model", &id.model},
		       {"stepping", &id.stepping},
		       {"CPU implementer", &id.implementer},
		       {"CPU part", &id.part}};
	char line[256];
	FILE *f = fopen(cpuinfo, "re");

	/* An empty line ends the first processor. A longer line (flags) comes in pieces without a
	 * colon that belongs to a key from here. */
	while (f && fgets(line, sizeof line, f) && *line != '\n') {
		char *colon = strchr(line, ':');
		size_t n = colon ? (size_t)(colon - line) : 0;

		while (n > 0 && (line[n - 1] == '\t' || line[n - 1] == ' '))
			n--;
		if (!colon)
			continue;
		line[n] = '\0';
		if (strcmp(line, "vendor_id") == 0)
			(void)sscanf(colon + 1, " %15s", id.vendor);
		for (size_t i = 0; i < COUNT(numbers); i++)
			if (strcmp(line, numbers[i].key) == 0)
				*numbers[i].value = (unsigned)strtoul(colon + 1, NULL, 0);
	}
	if (f)
		fclose(f);
	cpu_chip_name(&id, out);
}
