/* The probe `energy`: what a launch costs in joules.
 *
 * The counters of GPUs move ten times a second and take milliseconds to read, so a launch is far
 * too short for them. Launches follow each other without a pause for a second or more, and the
 * counter is looked at by a thread of its own, so that the device never waits for a reading:
 *
 * 1. Once for each device: its draw at rest with the context open, in the same way without
 * launches.
 * 2. Launches in batches, each of which leaves a mark: the time, and how many are done.
 * 3. Meanwhile the thread lets the first tenths of a second pass, waits for a step of the counter,
 *    sleeps, and waits for another step. Both ends are late by the same part of a reading.
 * 4. The joules between both steps, divided by the launches between them, which the marks tell.
 *
 * Between launches a GPU waits some microseconds (4.5 on an H100), at the draw of rest: these are
 * in the whole energy, and not in that above rest.
 *
 * Launches find the caches as the launch before has left them. Where kernels change tensors that
 * they read there is no figure: launches on what others have left may run into infinities, which
 * cost less than numbers do, and restoring the tensors in between would be counted. */
#include "probes/energy_probe.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/rapl.h"
#include "tuner/base/array.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/nvml.h"
#include "tuner/result/result.h"

static const char NAME[] = "energy";

const struct probe_metric energy_metrics[ENERGY_METRICS + 1] = {
	[ENERGY_J] = {"energy_j", "J", "of one launch, with all that the device draws meanwhile"},
	[ENERGY_ABOVE_IDLE_J] = {"energy_above_idle_j", "J",
				 "of one launch, without what the device draws at rest"},
	[ENERGY_IDLE_SHARE] = {"energy_idle_share", "1", "part that the device draws at rest"},
	[ENERGY_WATTS] = {"energy_watts", "W", "mean power while launches follow each other"},
	[ENERGY_LAUNCHES] = {"energy_launches", "1", "launches between both steps of the counter"},
	[ENERGY_SECONDS] = {"energy_seconds", "s", "time between both steps of the counter"},
	[ENERGY_METRICS] = {0},
};

/* ---- a span, pure ---- */

double energy_launches_at(const struct energy_mark *done, size_t n, int64_t at_ns)
{
	size_t i = 0;

	while (i < n && done[i].at_ns <= at_ns)
		i++;
	if (i == 0 || i == n)
		return done[i == 0 ? 0 : n - 1].value;
	const struct energy_mark *a = &done[i - 1], *b = &done[i];

	return a->value +
	       (b->value - a->value) * (double)(at_ns - a->at_ns) / (double)(b->at_ns - a->at_ns);
}

bool energy_span(const struct energy_mark *begin, const struct energy_mark *end,
		 const struct energy_mark *done, size_t n, double idle_w,
		 double out[ENERGY_METRICS])
{
	const double seconds = (double)(end->at_ns - begin->at_ns) / 1e9;
	const double joules = end->value - begin->value;
	const double launches = n == 0 ? 0
				       : energy_launches_at(done, n, end->at_ns) -
						 energy_launches_at(done, n, begin->at_ns);

	if (!(seconds > 0) || !(joules > 0) || !(launches > 0))
		return false;
	out[ENERGY_J] = joules / launches;
	/* A device that draws less under load than at rest has a counter of another grain: then
	 * nothing is known of what is above. */
	out[ENERGY_ABOVE_IDLE_J] =
		joules > idle_w * seconds ? (joules - idle_w * seconds) / launches : NAN;
	out[ENERGY_IDLE_SHARE] = joules > idle_w * seconds ? idle_w * seconds / joules : NAN;
	out[ENERGY_WATTS] = joules / seconds;
	out[ENERGY_LAUNCHES] = launches;
	out[ENERGY_SECONDS] = seconds;
	return true;
}

/* ---- counters ---- */

struct probe {
	struct nvml_device *gpu; /* NULL: it is the processors that are counted */
	struct rapl rapl;
	double idle_w;            /* draw at rest; NaN: not measured yet */
	struct energy_mark *done; /* marks of the launches, heap */
	size_t n_done, room;
	double made; /* launches of this replay */
};

/* Reads the counter in joules. */
static bool read_counter(struct probe *p, double *joules)
{
	uint64_t mj;

	if (!p->gpu)
		return rapl_read(&p->rapl, joules);
	const bool known = nvml_device_read_energy(p->gpu, &mj);

	*joules = (double)mj / 1e3;
	return known;
}

static void close_counter(struct probe *p)
{
	nvml_device_free(p->gpu);
	rapl_close(&p->rapl);
}

static bool open_counter(struct probe *p, const char *bus, char *reason, size_t size)
{
	double joules;

	if (!*bus)
		return rapl_open(&p->rapl, rapl_folder(), reason, size);
	p->gpu = nvml_device_find(bus);
	const bool split = p->gpu && nvml_device_is_split(p->gpu);

	if (p->gpu && !split && read_counter(p, &joules))
		return true;
	(void)snprintf(
		reason, size,
		!p->gpu ? "NVML does not know the GPU at \"%s\""
		: split ? "the GPU at \"%s\" is split into instances (MIG), and its energy is "
			  "that of all of them"
			: "the GPU at \"%s\" counts no energy (NVIDIA's do since Volta, but "
			  "not every virtual one)",
		bus);
	close_counter(p);
	*p = (struct probe){0};
	return false;
}

static bool energy_probe_check(const char *device, char *reason, size_t size)
{
	struct rapl r;

	if (strcmp(device, "cuda") == 0)
		return nvml_check(reason, size);
	if (strcmp(device, "cpu") != 0) {
		(void)snprintf(reason, size, "no counter of energy is known for %s devices",
			       device);
		return false;
	}
	if (!rapl_open(&r, rapl_folder(), reason, size))
		return false;
	rapl_close(&r);
	return true;
}

bool energy_check(const char *kind, const struct device_info *device, char *reason, size_t size)
{
	struct probe p = {0};
	unsigned others = 0;

	if (device->simulated) {
		(void)snprintf(reason, size, "a simulated device uses none");
		return false;
	}
	if (!energy_probe_check(kind, reason, size) || !open_counter(&p, device->bus, reason, size))
		return false;
	/* Processors are shared with whatever runs on the machine; a GPU is not, as a rule. */
	if (p.gpu && nvml_device_count_processes(p.gpu, &others) && others > 0)
		(void)snprintf(reason, size,
			       "%u other process%s use%s the GPU, whose energy would be counted as "
			       "that of the launches",
			       others, others == 1 ? "" : "es", others == 1 ? "s" : "");
	close_counter(&p);
	return others == 0;
}

/* ---- steps of the counter ---- */

/* Time between two steps at most: ten times that of NVIDIA's (86 to 102 ms, H200); Intel's and
 * AMD's counters move each millisecond. */
static const int64_t STILL_NS = 1000000000;

/* What is not counted at first: two steps of a counter, which what was before the launches is part
 * of, and in which a clock settles that a limit of power holds. */
static const int64_t SETTLE_NS = 200000000;

/* Shortest span. A reading takes 3.4 ms at each end, 0.7 % of it (H200). */
static const int64_t LEAST_NS = 1000000000;

/* Launches in a span at least: one has parts that draw more than others, and ends of the span lie
 * somewhere in it. */
static const double LEAST_LAUNCHES = 8;

/* Launches between two marks last about so long: a device waits some ten microseconds for the next
 * batch, and marks are close enough for a clock that changes slowly. */
static const double BATCH_NS = 5e7;
enum { BATCH_MOST = 1 << 20 };

/* A span as the thread looks for it. */
struct watch {
	struct probe *p;
	int64_t least_ns;
	struct energy_mark begin, end;
	bool found;       /* both ends */
	atomic_bool ends; /* nothing needs to be launched for it any more */
};

static void rest(int64_t ns)
{
	const struct timespec t = {ns / 1000000000, ns % 1000000000};

	if (ns > 0)
		(void)nanosleep(&t, NULL);
}

/* Waits for a step; false where the counter stands still or cannot be read. */
static bool find_step(struct probe *p, struct energy_mark *out)
{
	const int64_t start = clock_now_ns();
	double first, now;

	if (!read_counter(p, &first))
		return false;
	for (;;) {
		const int64_t before = clock_now_ns();

		if (!read_counter(p, &now))
			return false;
		/* The value is of some moment of the call: its middle is late by as much at the
		 * other end. */
		const int64_t after = clock_now_ns();

		*out = (struct energy_mark){before + (after - before) / 2, now};
		if (now < first || after - start > STILL_NS)
			return false;
		if (now > first)
			return true;
	}
}

static void *find_span(void *user)
{
	struct watch *w = user;

	rest(SETTLE_NS);
	w->found = find_step(w->p, &w->begin);
	if (w->found) {
		rest(w->begin.at_ns + w->least_ns - clock_now_ns());
		w->found = find_step(w->p, &w->end);
	}
	atomic_store(&w->ends, true);
	return NULL;
}

static enum asc_status add_mark(struct probe *p, double launches, struct asc_err *e)
{
	if (!array_room(&p->done, p->n_done, &p->room, sizeof *p->done))
		return asc_err_nomem(e);
	p->done[p->n_done++] = (struct energy_mark){clock_now_ns(), launches};
	return ASC_OK;
}

/* Launches, or rests, until the thread has both ends of its span. */
static enum asc_status fill_span(struct watch *w, const struct probe_launches *l, bool launches,
				 struct asc_err *e)
{
	struct probe *p = w->p;
	double made = 0, n = fmax(1, floor(BATCH_NS / fmax(l->time_ns, 1)));
	enum asc_status s = ASC_OK;

	p->n_done = 0;
	if (launches)
		s = add_mark(p, 0, e);
	while (s == ASC_OK && !atomic_load(&w->ends)) {
		const int64_t start = clock_now_ns();

		if (!launches) {
			/* Says that the process lives: a device at rest looks like a launch that
			 * hangs. */
			s = l->pass(l->user, 1, 1, e);
			rest((int64_t)BATCH_NS);
			continue;
		}
		n = fmin(n, BATCH_MOST);
		s = l->launch(l->user, (int64_t)n, e);
		made += n;
		p->made += n;
		if (s == ASC_OK)
			s = add_mark(p, made, e);
		/* Launches with hot caches, back to back, are shorter than the timed ones. */
		n = fmax(1, floor(n * BATCH_NS / fmax((double)(clock_now_ns() - start), 1)));
	}
	return s;
}

/* Finds a span of launches, or of rest; *found false: the counter gives none. */
static enum asc_status take_span(struct watch *w, const struct probe_launches *l, bool launches,
				 struct asc_err *e)
{
	pthread_t thread;

	w->found = false;
	w->least_ns = LEAST_NS;
	if (launches && LEAST_LAUNCHES * l->time_ns > (double)LEAST_NS)
		w->least_ns = (int64_t)(LEAST_LAUNCHES * l->time_ns);
	atomic_store(&w->ends, false);
	if (pthread_create(&thread, NULL, find_span, w) != 0)
		return asc_err_set(e, ASC_LIMIT, "no thread can be started to read the counter");
	const enum asc_status s = fill_span(w, l, launches, e);

	(void)pthread_join(thread, NULL);
	return s;
}

/* ---- the probe ---- */

static void energy_probe_close(struct probe *p)
{
	close_counter(p);
	free(p->done);
	free(p);
}

static enum asc_status energy_probe_open(const struct device_info *device, struct probe **out,
					 struct asc_err *e)
{
	struct probe *p = calloc(1, sizeof *p);
	char reason[512];

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	if (!open_counter(p, device->bus, reason, sizeof reason)) {
		free(p);
		return asc_err_set(e, ASC_ABSENT, "%s", reason);
	}
	p->idle_w = NAN;
	*out = p;
	return ASC_OK;
}

static enum asc_status add_missing(struct result *out, const char *reason, struct asc_err *e)
{
	return result_add_missing(out, NAME, energy_metrics[ENERGY_J].name,
				  energy_metrics[ENERGY_J].unit, reason, e);
}

static enum asc_status energy_probe_replay(struct probe *p, const struct probe_request *r,
					   const struct probe_launches *l, struct result *out,
					   struct asc_err *e)
{
	struct watch w = {.p = p};
	double values[ENERGY_METRICS];

	(void)r; /* all that there is comes from one span */
	if (l->inout)
		return add_missing(out,
				   "kernels change tensors that they read, and restoring these "
				   "between launches would be counted",
				   e);
	p->made = 1;
	if (l->pass(l->user, 1, 1, e))
		return e->status;
	if (isnan(p->idle_w)) {
		if (take_span(&w, l, false, e))
			return e->status;
		if (w.found)
			p->idle_w = (w.end.value - w.begin.value) /
				    ((double)(w.end.at_ns - w.begin.at_ns) / 1e9);
	}
	if (l->restore(l->user, e) || l->launch(l->user, 1, e) || take_span(&w, l, true, e))
		return e->status;
	/* No counter of a kernel was read, so that there are no "passes". */
	if (result_add_metric(out, NAME, "launches", p->made, "1", e))
		return e->status;
	if (!w.found || !energy_span(&w.begin, &w.end, p->done, p->n_done, p->idle_w, values))
		return add_missing(out, "the counter stood still or went back", e);
	enum asc_status s = ASC_OK;

	for (size_t i = 0; i < ENERGY_METRICS && s == ASC_OK; i++)
		if (!isnan(values[i]))
			s = result_add_metric(out, NAME, energy_metrics[i].name, values[i],
					      energy_metrics[i].unit, e);
	return s;
}

static enum asc_status energy_probe_plan(const struct probe_request *r, const char *chip,
					 size_t *passes, struct asc_err *e)
{
	(void)r;
	(void)chip;
	(void)e;
	*passes = 1;
	return ASC_OK;
}

const struct probe_ops probe_energy = {
	.name = NAME,
	.summary =
		"energy of a launch, by the counter of an NVIDIA GPU or of the processors (RAPL)",
	.metrics = energy_metrics,
	.check = energy_probe_check,
	.open = energy_probe_open,
	.close = energy_probe_close,
	.replay = energy_probe_replay,
	.plan = energy_probe_plan,
	.leaves = "hot",
};
