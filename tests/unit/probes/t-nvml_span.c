/* What readings of a GPU add up to; golden numbers by arithmetic. Needs no GPU.
 * covers: nvml_probe.c */
#include "probes/nvml_probe.h"

#include <math.h>

#include "tests/tap.h"

#define SECOND INT64_C(1000000000)

static struct nvml_span readings(void)
{
	static const struct nvml_figures figures[] = {
		{1980, 3201, 100, 40, 0}, {1800, 3201, 300, 61, 4}, {1740, 3201, 500, 60, 0x20}};
	struct nvml_span s;

	nvml_span_begin(&s, SECOND);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		nvml_span_add(&s, &figures[i]);
	return s;
}

static void test_readings(void)
{
	const struct nvml_span s = readings();
	double v[NVML_METRICS];

	nvml_span_end(&s, 5 * SECOND, v);
	tap_real(v[NVML_POWER], 300, 1e-9, "the mean power");
	tap_real(v[NVML_SECONDS], 4, 1e-12, "seconds");
	tap_real(v[NVML_TEMPERATURE], 61, 0, "the highest temperature");
	tap_real(v[NVML_SM_CLOCK], 1840, 1e-9, "the mean clock");
	tap_real(v[NVML_SM_CLOCK_LEAST], 1740, 0, "the lowest");
	tap_real(v[NVML_MEMORY_CLOCK], 3201, 1e-9, "that of the memory");
	tap_real(v[NVML_REASONS], 0x24, 0, "every reason");
	tap_real(v[NVML_READINGS], 3, 0, "readings");
	nvml_span_end(&s, SECOND + SECOND / 11, v);
	tap_ok(isnan(v[NVML_POWER]),
	       "a reading of the power stands longer than this: nothing is known");
}

static void test_nothing(void)
{
	struct nvml_span s;
	double v[NVML_METRICS];

	nvml_span_begin(&s, SECOND);
	nvml_span_end(&s, 9 * SECOND, v);
	tap_ok(isnan(v[NVML_REASONS]) && isnan(v[NVML_SM_CLOCK]), "no readings: no figures");
	nvml_span_add(&s, &(struct nvml_figures){0});
	nvml_span_end(&s, 9 * SECOND, v);
	tap_real(v[NVML_REASONS], 0, 0, "no reason is one of the answers");
	tap_ok(isnan(v[NVML_TEMPERATURE]) && isnan(v[NVML_POWER]), "what is not told is not 0");
}

int main(void)
{
	for (size_t i = 0; i < NVML_METRICS; i++)
		tap_ok(nvml_metrics[i].name && nvml_metrics[i].unit && nvml_metrics[i].meaning,
		       "metric %zu is described", i);
	test_readings();
	test_nothing();
	return tap_done();
}
