/* The probe `nvml`: energy, power, temperature, clocks of an NVIDIA GPU, read by a thread of its
 * own while launches are measured. The energy counter takes milliseconds to read, so it is read at
 * the ends only. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/nvml_span.h"
#include "probes/probe.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/nvml.h"
#include "tuner/result/result.h"

static const int64_t STEP_NS = 10000000;

struct probe {
	struct nvml_device *device;
	struct nvml_span span;
	pthread_t reader;
	pthread_mutex_t lock; /* guards the members below */
	pthread_cond_t ended;
	bool reading, end;
};

static bool nvml_probe_check(const char *device, char *reason, size_t size)
{
	if (!nvml_check(reason, size))
		return false;
	if (strcmp(device, "cuda") == 0)
		return true;
	(void)snprintf(reason, size, "reads NVIDIA GPUs, not a %s device", device);
	return false;
}

/* ---- reading ---- */

static void take_reading(struct probe *p)
{
	struct nvml_reading now;
	struct nvml_state state;

	nvml_device_read(p->device, &now);
	nvml_device_read_state(p->device, &state);
	const struct nvml_figures f = {.mhz = now.mhz,
				       .memory_mhz = state.memory_mhz,
				       .watts = (double)state.milliwatts / 1e3,
				       .celsius = state.celsius,
				       .reasons = now.reasons};

	nvml_span_add(&p->span, &f);
}

static struct nvml_end take_end(const struct probe *p)
{
	struct nvml_end end = {0};

	end.counted = nvml_device_read_energy(p->device, &end.mj);
	end.at_ns = clock_now_ns();
	return end;
}

static void *read_steadily(void *user)
{
	struct probe *p = user;
	struct timespec next;

	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	(void)pthread_mutex_lock(&p->lock);
	while (!p->end) {
		next.tv_nsec += STEP_NS;
		next.tv_sec += next.tv_nsec / 1000000000;
		next.tv_nsec %= 1000000000;
		if (pthread_cond_timedwait(&p->ended, &p->lock, &next) == ETIMEDOUT && !p->end)
			take_reading(p);
	}
	(void)pthread_mutex_unlock(&p->lock);
	return NULL;
}

static void stop_reading(struct probe *p)
{
	if (!p->reading)
		return;
	(void)pthread_mutex_lock(&p->lock);
	p->end = true;
	(void)pthread_cond_signal(&p->ended);
	(void)pthread_mutex_unlock(&p->lock);
	(void)pthread_join(p->reader, NULL);
	p->reading = p->end = false;
}

/* ---- operations ---- */

static void nvml_probe_close(struct probe *p)
{
	stop_reading(p);
	(void)pthread_cond_destroy(&p->ended);
	(void)pthread_mutex_destroy(&p->lock);
	nvml_device_free(p->device);
	free(p);
}

static void init_lock(struct probe *p)
{
	pthread_condattr_t a;

	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_condattr_init(&a);
	(void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&p->ended, &a);
	(void)pthread_condattr_destroy(&a);
}

static enum asc_status nvml_probe_open(const struct device_info *device, struct probe **out,
				       struct asc_err *e)
{
	struct probe *p = calloc(1, sizeof *p);

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	init_lock(p);
	if (*device->bus)
		p->device = nvml_device_find(device->bus);
	if (!p->device) {
		nvml_probe_close(p);
		return asc_err_set(e, ASC_ABSENT, "NVML does not know the GPU at \"%s\"",
				   device->bus);
	}
	*out = p;
	return ASC_OK;
}

/* A probe that was begun may not have been ended, since launches failed: its reader is stopped. */
static enum asc_status nvml_probe_begin(struct probe *p, struct asc_err *e)
{
	const struct nvml_end begin = take_end(p);

	(void)e;
	stop_reading(p);
	nvml_span_begin(&p->span, &begin);
	take_reading(p);
	p->reading = pthread_create(&p->reader, NULL, read_steadily, p) == 0;
	return ASC_OK;
}

static enum asc_status nvml_probe_end(struct probe *p, struct result *out, struct asc_err *e)
{
	double values[NVML_METRICS];
	enum asc_status s = ASC_OK;

	stop_reading(p);
	take_reading(p);
	const struct nvml_end end = take_end(p);
	nvml_span_end(&p->span, &end, values);
	for (size_t i = 0; i < NVML_METRICS && s == ASC_OK; i++)
		if (!isnan(values[i]))
			s = result_add_metric(out, "nvml", nvml_metrics[i].name, values[i],
					      nvml_metrics[i].unit, e);
	return s;
}

const struct probe_ops probe_nvml = {
	.name = "nvml",
	.summary = "energy, power, temperature, clocks and why they were lowered, of NVIDIA GPUs",
	.metrics = nvml_metrics,
	.check = nvml_probe_check,
	.open = nvml_probe_open,
	.close = nvml_probe_close,
	.begin = nvml_probe_begin,
	.end = nvml_probe_end,
};
