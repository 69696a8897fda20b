/* Power and clocks of a GPU over a span of time, from readings and from its energy counter at both
 * ends. Pure: readings come from the caller. */
#ifndef ASCTUNE_PROBES_NVML_PROBE_H
#define ASCTUNE_PROBES_NVML_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probes/probe.h"

/* Order of the metrics. */
enum nvml_metric {
	NVML_ENERGY_COUNTED,
	NVML_ENERGY_SAMPLED,
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

struct nvml_end { /* one end of a span */
	int64_t at_ns;
	bool counted; /* the counter could be read */
	uint64_t mj;  /* energy since the driver was loaded */
};

struct nvml_mean {
	double sum, least, most;
	size_t n;
};

struct nvml_span {
	struct nvml_end begin;
	struct nvml_mean mhz, memory_mhz, watts, celsius;
	uint64_t reasons;
	size_t readings;
};

void nvml_span_begin(struct nvml_span *s, const struct nvml_end *begin);
void nvml_span_add(struct nvml_span *s, const struct nvml_figures *f);

/* Works out the metrics: out[i] is nvml_metrics[i], NaN where it is unknown. Energy comes from the
 * counter in a span of two seconds or more: the counter moves every tenth of a second, an error
 * below 5 % at each end. In a span of a tenth of a second or more, which is how long a reading of
 * power stands, energy is mean power times time. Power is energy over time. */
void nvml_span_end(const struct nvml_span *s, const struct nvml_end *end, double out[NVML_METRICS]);

#endif
