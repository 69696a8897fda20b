#include "standin/standin_soc.h"

#include <stddef.h>
#include <string.h>

/* Architectures (npu_arch of the platform files). */
enum { ARCH_910A = 1001, ARCH_A2_A3 = 2201, ARCH_310B = 3002, ARCH_950 = 3510 };

/* Clock and bytes of device memory for each cycle of a core, from the platform configuration files
 * of the runtime (hicann/runtime@681ef7610, src/platform/platform_config). */
static const struct {
	const char *name;
	int mhz, memory_per_cycle;
} socs[] = {
	{"Ascend950DT_950x", 1650, 19}, {"Ascend950DT_950y", 1650, 14},
	{"Ascend950DT_9571", 1650, 80}, {"Ascend950DT_9572", 1650, 80},
	{"Ascend950DT_9573", 1650, 70}, {"Ascend950DT_9574", 1650, 70},
	{"Ascend950DT_9575", 1650, 61}, {"Ascend950DT_9576", 1650, 61},
	{"Ascend950DT_9577", 1650, 54}, {"Ascend950DT_9578", 1650, 54},
	{"Ascend950DT_9581", 1650, 80}, {"Ascend950DT_9581x", 1650, 80},
	{"Ascend950DT_9582", 1650, 80}, {"Ascend950DT_9582x", 1650, 80},
	{"Ascend950DT_9583", 1650, 70}, {"Ascend950DT_9584", 1650, 70},
	{"Ascend950DT_9585", 1650, 61}, {"Ascend950DT_9586", 1650, 61},
	{"Ascend950DT_9587", 1650, 54}, {"Ascend950DT_9588", 1650, 54},
	{"Ascend950DT_9591", 1800, 80}, {"Ascend950DT_9592", 1800, 80},
	{"Ascend950DT_9595", 1800, 61}, {"Ascend950DT_9596", 1800, 61},
	{"Ascend950DT_95A1", 1800, 80}, {"Ascend950DT_95A2", 1800, 80},
	{"Ascend950PR_950z", 1650, 4},  {"Ascend950PR_9579", 1650, 31},
	{"Ascend950PR_957b", 1650, 27}, {"Ascend950PR_957bx", 1650, 27},
	{"Ascend950PR_957c", 1650, 27}, {"Ascend950PR_957d", 1650, 23},
	{"Ascend950PR_9589", 1650, 31}, {"Ascend950PR_958b", 1650, 27},
	{"Ascend950PR_9599", 1800, 31}, {"Ascend310B1", 1224, 17},
	{"Ascend310B2", 1224, 17},      {"Ascend310B3", 1224, 17},
	{"Ascend310B4", 500, 8},        {"Ascend310P1", 1060, 17},
	{"Ascend310P3", 1060, 17},      {"Ascend310P5", 800, 17},
	{"Ascend310P7", 550, 17},       {"Ascend910A", 1000, 32},
	{"Ascend910B", 900, 32},        {"Ascend910B1", 1850, 32},
	{"Ascend910B2", 1800, 32},      {"Ascend910B2C", 1800, 32},
	{"Ascend910B3", 1800, 32},      {"Ascend910B4-1", 1500, 32},
	{"Ascend910B4", 1500, 32},      {"Ascend910PremiumA", 1220, 32},
	{"Ascend910ProA", 1100, 32},    {"Ascend910ProB", 1150, 32},
	{"Ascend910_9362", 1500, 32},   {"Ascend910_9363", 1500, 32},
	{"Ascend910_9372", 1800, 32},   {"Ascend910_9381", 1800, 32},
	{"Ascend910_9382", 1800, 32},   {"Ascend910_9391", 1850, 32},
	{"Ascend910_9392", 1850, 32},
};

bool standin_rates_find(const char *soc, int npu_arch, struct standin_rates *out)
{
	for (size_t i = 0; i < sizeof socs / sizeof *socs; i++) {
		if (strcmp(socs[i].name, soc) != 0)
			continue;
		/* Ticks: 50 MHz, 48 MHz on 310B, else 1 GHz
		 * (src/runtime/core/inc/task/task_base.hpp of the same runtime). */
		*out = (struct standin_rates){.mhz = socs[i].mhz,
					      .memory_per_cycle = socs[i].memory_per_cycle,
					      .tick_ns = npu_arch == ARCH_A2_A3  ? 20
							 : npu_arch == ARCH_310B ? 1e3 / 48
										 : 1,
					      .has_ffts = npu_arch != ARCH_950 &&
							  npu_arch != ARCH_910A &&
							  npu_arch != ARCH_310B,
					      .malloc_extra = npu_arch != ARCH_950};
		return true;
	}
	return false;
}
