/* Rates of Ascend SoCs that the stand-in's time model takes from the platform files: a clock, and
 * bytes for each of its cycles. No time that comes of them is a statement on an NPU's speed. */
#ifndef ASCTUNE_STANDIN_STANDIN_SOC_H
#define ASCTUNE_STANDIN_STANDIN_SOC_H

#include <stdbool.h>

struct standin_rates {
	int mhz;                 /* of cube and vector cores */
	double memory_per_cycle; /* bytes between device memory and one core */
	double tick_ns;          /* of a time stamp of an event */
	bool has_ffts; /* an argument block begins with the address of hardware synchronisation */
	bool malloc_extra; /* device memory takes 32 bytes more than was asked for */
};

/* Finds the rates of the SoC with exactly this name; false: there is none. */
bool standin_rates_find(const char *soc, int npu_arch, struct standin_rates *out);

#endif
