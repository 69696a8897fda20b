#include "probes/nvml_span.h"

#include <math.h>

static const double LEAST_COUNTED_S = 2, LEAST_SAMPLED_S = 0.1;

const struct probe_metric nvml_metrics[NVML_METRICS + 1] = {
	[NVML_ENERGY_COUNTED] = {"energy_counted", "J",
				 "of the device during the measured launches and between them, by "
				 "its counter; of 2 s and more"},
	[NVML_ENERGY_SAMPLED] = {"energy_sampled", "J",
				 "the same by readings of its power; of 0.1 s to 2 s"},
	[NVML_POWER] = {"power", "W", "mean of that time"},
	[NVML_SECONDS] = {"seconds", "s", "how long that was"},
	[NVML_TEMPERATURE] = {"temperature", "degC", "highest reading"},
	[NVML_SM_CLOCK] = {"sm_clock", "MHz", "of the processors, mean of the readings"},
	[NVML_SM_CLOCK_LEAST] = {"sm_clock_least", "MHz", "lowest reading of it"},
	[NVML_MEMORY_CLOCK] = {"memory_clock", "MHz", "mean of the readings"},
	[NVML_REASONS] = {"throttle_reasons", "1",
			  "why the clock was not the highest: bits of NVML's clocks event reasons, "
			  "of all readings"},
	[NVML_READINGS] = {"readings", "1", "one each 10 ms and at both ends"},
	[NVML_METRICS] = {0},
};

static void add(struct nvml_mean *m, double value)
{
	if (!(value > 0))
		return;
	m->least = m->n > 0 && m->least < value ? m->least : value;
	m->most = m->most > value ? m->most : value;
	m->sum += value;
	m->n++;
}

static double mean(const struct nvml_mean *m)
{
	return m->n > 0 ? m->sum / (double)m->n : NAN;
}

void nvml_span_begin(struct nvml_span *s, const struct nvml_end *begin)
{
	*s = (struct nvml_span){.begin = *begin};
}

void nvml_span_add(struct nvml_span *s, const struct nvml_figures *f)
{
	add(&s->mhz, f->mhz);
	add(&s->memory_mhz, f->memory_mhz);
	add(&s->watts, f->watts);
	add(&s->celsius, f->celsius);
	s->reasons |= f->reasons;
	s->readings++;
}

/* A counter that went back was reset: the difference says nothing. */
static double count_joules(const struct nvml_end *begin, const struct nvml_end *end, double seconds)
{
	if (!begin->counted || !end->counted || end->mj < begin->mj || seconds < LEAST_COUNTED_S)
		return NAN;
	return (double)(end->mj - begin->mj) / 1e3;
}

void nvml_span_end(const struct nvml_span *s, const struct nvml_end *end, double out[NVML_METRICS])
{
	double seconds = (double)(end->at_ns - s->begin.at_ns) / 1e9;
	double counted = count_joules(&s->begin, end, seconds), sampled = NAN;

	if (isnan(counted) && seconds >= LEAST_SAMPLED_S)
		sampled = mean(&s->watts) * seconds;
	out[NVML_ENERGY_COUNTED] = counted;
	out[NVML_ENERGY_SAMPLED] = sampled;
	out[NVML_POWER] = (isnan(counted) ? sampled : counted) / seconds;
	out[NVML_SECONDS] = seconds;
	out[NVML_TEMPERATURE] = s->celsius.n > 0 ? s->celsius.most : NAN;
	out[NVML_SM_CLOCK] = mean(&s->mhz);
	out[NVML_SM_CLOCK_LEAST] = s->mhz.n > 0 ? s->mhz.least : NAN;
	out[NVML_MEMORY_CLOCK] = mean(&s->memory_mhz);
	out[NVML_REASONS] = s->readings > 0 ? (double)s->reasons : NAN;
	out[NVML_READINGS] = (double)s->readings;
}
