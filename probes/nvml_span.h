/* What a GPU drew and how it ran over a span of time, from readings and from its energy counter at
 * both ends. Pure: where the readings come from is the caller's affair. */
#ifndef ASCTUNE_PROBES_NVML_SPAN_H
#define ASCTUNE_PROBES_NVML_SPAN_H

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

struct nvml_figures { /* of one moment; 0: not known */
	double mhz, memory_mhz, watts, celsius;
	uint64_t reasons;
};

struct nvml_end { /* of a span */
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

/* out[i] is nvml_metrics[i], NaN where it is not known: energy by the counter of a span of two
 * seconds or more (it moves every tenth of a second, which is then below 5 % at each end), by mean
 * power of one that lasts a tenth at least, which is how long a reading of the power stands; power
 * as the energy tells. */
void nvml_span_end(const struct nvml_span *s, const struct nvml_end *end, double out[NVML_METRICS]);

#endif
