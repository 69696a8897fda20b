/* Power and clocks of a GPU over a span of time, from readings. Pure: these come from the caller.
 */
#ifndef ASCTUNE_PROBES_NVML_PROBE_H
#define ASCTUNE_PROBES_NVML_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

/* Order of the metrics. */
enum nvml_metric {
	NVML_POWER,
	NVML_SECONDS,
	NVML_TEMPERATURE,
	NVML_SM_CLOCK,
	NVML_SM_CLOCK_LEAST,
	NVML_MEMORY_CLOCK,
	NVML_REASONS,
	NVML_READINGS,
	NVML_METRICS
};

extern const struct probe_metric nvml_metrics[NVML_METRICS + 1];

struct nvml_figures { /* figures of one moment; 0: unknown */
	double mhz, memory_mhz, watts, celsius;
	uint64_t reasons;
};

struct nvml_mean {
	double sum, least, most;
	size_t n;
};

struct nvml_span {
	int64_t begin_ns;
	struct nvml_mean mhz, memory_mhz, watts, celsius;
	uint64_t reasons;
	size_t readings;
};

void nvml_span_begin(struct nvml_span *s, int64_t at_ns);
void nvml_span_add(struct nvml_span *s, const struct nvml_figures *f);

/* Works out the metrics: out[i] is nvml_metrics[i], NaN where it is unknown. */
void nvml_span_end(const struct nvml_span *s, int64_t at_ns, double out[NVML_METRICS]);

#endif
