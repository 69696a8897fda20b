/* The probe `nvml`: power, temperature, clocks of an NVIDIA GPU, read by a thread of its own while
 * launches are counted. The energy of a launch is the matter of the probe `energy`. */
#include "probes/nvml_probe.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/probe.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/nvml.h"
#include "tuner/result/result.h"

/* ---- a span of time, pure ---- */

/* Shortest span, in seconds, whose power is told: a reading of it stands for a tenth of a second.
 */
static const double LEAST_POWER_S = 0.1;

const struct probe_metric nvml_metrics[NVML_METRICS + 1] = {
	[NVML_POWER] = {"power", "W",
			"mean of the readings during the measured launches and between them"},
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
	if (!(value > 0)) /* unknown */
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

void nvml_span_begin(struct nvml_span *s, int64_t at_ns)
{
	*s = (struct nvml_span){.begin_ns = at_ns};
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

void nvml_span_end(const struct nvml_span *s, int64_t at_ns, double out[NVML_METRICS])
{
	const double seconds = (double)(at_ns - s->begin_ns) / 1e9;

	out[NVML_POWER] = seconds >= LEAST_POWER_S ? mean(&s->watts) : NAN;
	out[NVML_SECONDS] = seconds;
	out[NVML_TEMPERATURE] = s->celsius.n > 0 ? s->celsius.most : NAN;
	out[NVML_SM_CLOCK] = mean(&s->mhz);
	out[NVML_SM_CLOCK_LEAST] = s->mhz.n > 0 ? s->mhz.least : NAN;
	out[NVML_MEMORY_CLOCK] = mean(&s->memory_mhz);
	out[NVML_REASONS] = s->readings > 0 ? (double)s->reasons : NAN;
	out[NVML_READINGS] = (double)s->readings;
}

/* ---- the probe ---- */

/* Time between readings: a reading of power stands for a tenth of a second, so ten of them in that
 * time miss none, and the driver has little to do. */
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

static void *read_steadily(void *user)
{
	struct probe *p = user;
	struct timespec next;

	(void)clock_gettime(CLOCK_MONOTONIC, &next);
	(void)pthread_mutex_lock(&p->lock);
	while (!p->end) {
		/* Steps from the last deadline: the time that a reading takes adds nothing. */
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

static enum asc_status nvml_probe_open(const struct device_info *device, struct probe **out,
				       struct asc_err *e)
{
	struct probe *p = calloc(1, sizeof *p);
	pthread_condattr_t a;

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	/* The reader's deadlines are those of a clock that nobody sets. */
	(void)pthread_mutex_init(&p->lock, NULL);
	(void)pthread_condattr_init(&a);
	(void)pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&p->ended, &a);
	(void)pthread_condattr_destroy(&a);
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
	(void)e;
	stop_reading(p);
	nvml_span_begin(&p->span, clock_now_ns());
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
	nvml_span_end(&p->span, clock_now_ns(), values);
	for (size_t i = 0; i < NVML_METRICS && s == ASC_OK; i++)
		if (!isnan(values[i]))
			s = result_add_metric(out, "nvml", nvml_metrics[i].name, values[i],
					      nvml_metrics[i].unit, e);
	return s;
}

const struct probe_ops probe_nvml = {
	.name = "nvml",
	.summary = "power, temperature, clocks and why they were lowered, of NVIDIA GPUs",
	.device = "cuda",
	.metrics = nvml_metrics,
	.check = nvml_probe_check,
	.open = nvml_probe_open,
	.close = nvml_probe_close,
	.begin = nvml_probe_begin,
	.end = nvml_probe_end,
};
