/* The probe `cupti`: counters of an NVIDIA GPU, by CUPTI's range profiler.
 *
 * What is counted, in order:
 *
 * 1. The chip has a counter for each metric of the set, or it has none; all of them together take a
 *    number of passes, known before anything runs (select_counters).
 * 2. The first replay opens the profiler, which stays enabled: that takes 0.1 to 0.6 s.
 * 3. One launch is made in each pass. Each of its kernels is a range, and as many ranges are there
 *    as kernels were launched, or the figures are of a part of the launch and none is given
 *    (count_kernels).
 * 4. Values of the kernels are readings of their own where there are several, and together those of
 *    the launch (add_readings).
 *
 * Whatever CUPTI refuses is the reason why there are no readings, and no error. */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tuner/device/device.h"
#include "tuner/device/libs/cuda_driver.h"
#include "tuner/device/libs/cupti.h"
#include "tuner/device/libs/cupti_range.h"
#include "tuner/result/result.h"

static const char NAME[] = "cupti";

/* The metric by which those of several kernels are weighted. */
static const char KERNEL_TIME[] = "kernel_ns";

enum {
	NONE = -1, /* the chip has no counter for a metric */
	/* Room for kernels beyond those that the workload launches: a vendor's function makes one
	 * to a few, which nothing tells before, and one too many of others is to be seen. */
	SPARE_KERNELS = 7,
	REASON_SIZE = 384,  /* two names of counters and words */
	MOST_KERNELS = 4096 /* 3000 were counted at once on an H200 */
};

/* The counters of a set on a chip. */
struct selection {
	char chip[16];
	const struct metric_set *set; /* borrowed; NULL: nothing is selected */
	struct cupti_counters *counters;
	const char *const *names; /* counters, sorted; of `counters` */
	size_t n, passes;
	int *columns; /* place in `names` of metric i of the set; NONE */
	int time;     /* the same of the kernels' time */
};

struct probe {
	const struct cuda_driver *cu;
	int device;
	struct CUctx_st *context;
	struct cupti_ranges *ranges; /* NULL until the first replay */
	struct selection selection;  /* of the last replay */
	size_t launches;             /* of the last replay */
	bool refused;                /* for good, for `reason` */
	struct asc_err reason;
};

/* ---- 1: which counters ---- */

/* True for a metric that comes from this probe on such a chip. One whose families leave the chip
 * out is of other chips: it is no reading that is missing. */
static bool is_counted(const struct metric_def *m, const char *chip)
{
	if (m->formula || strcmp(m->probe, NAME) != 0)
		return false;
	for (size_t i = 0; i < m->n_families; i++)
		if (!*chip || fnmatch(m->families[i].chips, chip, 0) == 0)
			return true;
	return false;
}

/* Prints why a metric has no counter on a chip: which one the chip lacks, by its name. */
static void explain_lack(struct cupti_counters *c, const struct metric_def *m, const char *chip,
			 char *reason, size_t size)
{
	const char *first = metric_counter(m, chip, NULL, NULL);
	char near[128];

	if (!first)
		(void)snprintf(reason, size, "none of its counters is of the chip %s", chip);
	else if (cupti_counters_near(c, first, near, sizeof near))
		(void)snprintf(reason, size,
			       "the chip %s has no counter \"%s\"; did you mean \"%s\"?", chip,
			       first, near);
	else
		(void)snprintf(reason, size, "the chip %s has no counter \"%s\"", chip, first);
}

static void selection_fini(struct selection *s)
{
	cupti_counters_close(s->counters);
	free(s->columns);
	*s = (struct selection){0};
}

static int find_column(const struct selection *s, const char *counter)
{
	for (size_t i = 0; counter && i < s->n; i++)
		if (strcmp(s->names[i], counter) == 0)
			return (int)i;
	return NONE;
}

static enum asc_status select_counters(const struct probe_request *r, const char *chip,
				       struct selection *s, struct asc_err *e)
{
	const struct metric_def *time = metric_book_find(r->book, NAME, KERNEL_TIME);
	size_t n_metrics = 0, n = 0;

	*s = (struct selection){.set = r->set};
	(void)snprintf(s->chip, sizeof s->chip, "%s", chip);
	if (cupti_counters_open(chip, &s->counters, e))
		return e->status;
	while (r->set->metrics[n_metrics])
		n_metrics++;
	/* The time is counted with whatever else is: it weights the kernels, and costs no pass. */
	const char **chosen = calloc(n_metrics + 2, sizeof *chosen);
	const char **wanted = calloc(n_metrics + 2, sizeof *wanted);
	enum asc_status status = ASC_OK;

	s->columns = calloc(n_metrics + 1, sizeof *s->columns);
	if (!chosen || !wanted || !s->columns)
		status = asc_err_nomem(e);
	for (size_t i = 0; status == ASC_OK && i <= n_metrics; i++) {
		const struct metric_def *m = i < n_metrics ? r->set->metrics[i]
					     : n > 0       ? time
							   : NULL;

		if (m && is_counted(m, chip))
			chosen[i] = metric_counter(m, chip, cupti_counters_has, s->counters);
		if (chosen[i])
			wanted[n++] = chosen[i];
	}
	/* A set without counters of this chip takes no pass. */
	if (status == ASC_OK && n > 0)
		status = cupti_counters_choose(s->counters, wanted, n, &s->names, &s->n, &s->passes,
					       e);
	for (size_t i = 0; status == ASC_OK && i < n_metrics; i++)
		s->columns[i] = find_column(s, chosen[i]);
	if (status == ASC_OK)
		s->time = find_column(s, chosen[n_metrics]);
	free(wanted);
	free(chosen);
	return status;
}

/* Finds the chip that is asked for: the name, or that of the first device, which is the only one in
 * a process with the device's environment. */
static enum asc_status find_chip(const char **chip, struct asc_err *e)
{
	const struct cuda_driver *cu;

	if (!*chip && (cuda_driver_get(&cu, e) || cupti_find_chip(0, chip, e)))
		return e->status;
	return ASC_OK;
}

static enum asc_status cupti_probe_plan(const struct probe_request *r, const char *chip,
					size_t *passes, struct asc_err *e)
{
	struct selection s = {0};

	*passes = 0;
	if (find_chip(&chip, e))
		return e->status;
	const enum asc_status status = select_counters(r, chip, &s, e);

	*passes = s.passes;
	selection_fini(&s);
	return status;
}

static enum asc_status cupti_probe_counter(const struct metric_def *m, const char *chip, char *text,
					   size_t size, struct asc_err *e)
{
	struct cupti_counters *c;

	if (find_chip(&chip, e) || cupti_counters_open(chip, &c, e))
		return e->status;
	const char *counter = metric_counter(m, chip, cupti_counters_has, c);
	char reason[REASON_SIZE];

	(void)snprintf(text, size, "%s", counter ? counter : "");
	if (!counter)
		explain_lack(c, m, chip, reason, sizeof reason);
	cupti_counters_close(c);
	return counter ? ASC_OK : asc_err_set(e, ASC_ABSENT, "%s", reason);
}

/* ---- 2: the profiler ---- */

static bool cupti_probe_check(const char *device, char *reason, size_t size)
{
	const struct cuda_driver *cu;
	struct asc_err e;

	if (cuda_driver_get(&cu, &e)) {
		(void)snprintf(reason, size, "%s", e.text);
		return false;
	}
	if (!cupti_range_check(reason, size))
		return false;
	if (strcmp(device, "cuda") == 0)
		return true;
	(void)snprintf(reason, size, "counts on NVIDIA GPUs, not on a %s device", device);
	return false;
}

static void cupti_probe_close(struct probe *p)
{
	cupti_ranges_close(p->ranges);
	selection_fini(&p->selection);
	if (p->context)
		(void)p->cu->context_release(p->device);
	free(p);
}

static enum asc_status find_device(struct probe *p, const char *bus, struct asc_err *e)
{
	char at[32];
	int n = 0;

	if (cuda_driver_check(p->cu, p->cu->device_count(&n), "cuDeviceGetCount", e))
		return e->status;
	for (int i = 0; i < n; i++)
		if (p->cu->device_get(&p->device, i) == 0 &&
		    p->cu->device_bus(at, sizeof at, p->device) == 0 && strcmp(at, bus) == 0)
			return ASC_OK;
	return asc_err_set(e, ASC_ABSENT, "the driver does not know the GPU at \"%s\"", bus);
}

static enum asc_status cupti_probe_open(const struct device_info *device, struct probe **out,
					struct asc_err *e)
{
	struct probe *p = calloc(1, sizeof *p);

	*out = NULL;
	if (!p)
		return asc_err_nomem(e);
	/* The primary context is the one that the device has opened. */
	if (cuda_driver_get(&p->cu, e) || find_device(p, device->bus, e) ||
	    cuda_driver_check(p->cu, p->cu->context_retain(&p->context, p->device),
			      "cuDevicePrimaryCtxRetain", e)) {
		p->context = NULL;
		cupti_probe_close(p);
		return e->status;
	}
	*out = p;
	return ASC_OK;
}

/* Adds to a refusal the node of the driver that this process may read by its mode and cannot open:
 * it is the sandbox that denies it. CUPTI answers with a number alone, as for a right that is
 * missing. */
static void name_denied(struct asc_err *e)
{
	static const char *const patterns[] = {"/dev/nvidia*", "/dev/nvidia-caps/*"};

	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		glob_t found;

		if (glob(patterns[i], GLOB_NOSORT, NULL, &found) != 0)
			continue;
		for (size_t k = 0; k < found.gl_pathc; k++) {
			const char *path = found.gl_pathv[k];
			const struct asc_err refusal = *e;
			const bool by_mode = access(path, R_OK) == 0;
			const int fd = open(path, O_RDONLY | O_CLOEXEC);

			if (fd >= 0)
				(void)close(fd);
			else if (by_mode && errno == EACCES)
				(void)asc_err_set(
					e, refusal.status,
					"%s; the sandbox denies %s: --trust leaves it off",
					refusal.text, path);
		}
		globfree(&found);
	}
}

/* Opens what the first replay needs, with the chip's counters of the set. A refusal stays: CUPTI is
 * not asked again for each configuration. */
static enum asc_status prepare(struct probe *p, const struct probe_request *r, struct asc_err *e)
{
	const char *chip;

	if (p->refused) {
		*e = p->reason;
		return e->status;
	}
	if (!p->ranges && cupti_ranges_open(p->context, p->device, &p->ranges, e)) {
		p->refused = e->status == ASC_ABSENT;
		if (p->refused)
			name_denied(e);
		p->reason = *e;
		return e->status;
	}
	if (p->selection.set == r->set)
		return ASC_OK;
	selection_fini(&p->selection);
	if (cupti_find_chip(p->device, &chip, e) || select_counters(r, chip, &p->selection, e)) {
		selection_fini(&p->selection);
		/* A chip that the library does not know has no counters: a reason. */
		e->status = e->status == ASC_USAGE ? ASC_ABSENT : e->status;
	}
	return p->selection.set ? ASC_OK : e->status;
}

/* ---- 3: counting ---- */

/* A launch that fails with counters, but not without them, is refused by the profiler: it cannot
 * save memory, say, or keep a cooperative grid together. */
static enum asc_status explain_launch(const struct probe_launches *l, struct asc_err *e)
{
	struct asc_err again;

	if (e->status == ASC_INTERRUPTED || l->restore(l->user, &again) ||
	    l->launch(l->user, 1, &again))
		return e->status;
	again = *e;
	return asc_err_set(e, ASC_ABSENT, "fails with counters only: %s", again.text);
}

/* Counts the kernels of one launch, of which there may be `most`, in passes: each begins with the
 * same tensors and with empty caches. CUPTI could make all passes of a kernel at once, but restores
 * memory by writing it, and the kernel then pays for lines that are still in the cache: 10 to 18 MB
 * of DRAM too much on an H100. */
static enum asc_status count_kernels(struct probe *p, const struct probe_launches *l, size_t most,
				     size_t *n, struct asc_err *e)
{
	const struct selection *s = &p->selection;
	bool complete = false;

	if (cupti_ranges_prepare(p->ranges, s->counters, most, e))
		return e->status;
	for (size_t pass = 1; !complete; pass++) {
		struct asc_err stopped;

		/* It would go on for ever. */
		if (pass > s->passes)
			return asc_err_set(e, ASC_ABSENT, "CUPTI wants more than %zu passes",
					   s->passes);
		if (l->pass(l->user, pass, s->passes, e) || l->restore(l->user, e) ||
		    (l->flush && l->flush(l->user, e)) || cupti_ranges_begin(p->ranges, e))
			return e->status;
		const enum asc_status launched = l->launch(l->user, 1, e);
		const enum asc_status ended = cupti_ranges_end(p->ranges, &complete, &stopped);

		if (launched)
			return explain_launch(l, e);
		if (ended) {
			*e = stopped;
			return e->status;
		}
		p->launches++;
	}
	return cupti_ranges_count(p->ranges, n, e);
}

/* Counts a launch: as many kernels are wanted as were launched. A vendor's function launches any
 * number, and those beyond the room for them are lost in silence: a full room is made larger. */
static enum asc_status count_launch(struct probe *p, const struct probe_launches *l, size_t *n,
				    struct asc_err *e)
{
	size_t most = l->kernels + SPARE_KERNELS;

	for (;; most *= 4) {
		if (most > MOST_KERNELS)
			return asc_err_set(e, ASC_ABSENT, "more than %d kernels in a launch",
					   MOST_KERNELS);
		if (count_kernels(p, l, most, n, e))
			return e->status;
		if (!l->vendor || *n < most)
			break;
	}
	if (*n < l->kernels || (*n > l->kernels && !l->vendor))
		return asc_err_set(e, ASC_ABSENT, "CUPTI counted %zu of %zu kernels", *n,
				   l->kernels);
	return ASC_OK;
}

/* ---- 4: readings ---- */

/* Figures of a metric of all kernels as one; NaN where one of them is none. */
static double join(enum metric_kernels how, const double *values, const double *times, size_t n)
{
	double sum = 0, weighted = 0, time = 0, most = values[0], least = values[0];

	for (size_t k = 0; k < n; k++) {
		if (isnan(values[k]))
			return NAN;
		sum += values[k];
		weighted += values[k] * times[k];
		time += times[k];
		most = fmax(most, values[k]);
		least = fmin(least, values[k]);
	}
	switch (how) {
	case METRIC_KERNELS_SUM: return sum;
	case METRIC_KERNELS_MOST: return most;
	case METRIC_KERNELS_LEAST: return least;
	default:
		/* The share of one kernel needs no weight. */
		return n == 1 ? sum : weighted / time;
	}
}

static enum asc_status add_reading(struct result *out, const char *name, const char *unit, int call,
				   double value, const char *counter, struct asc_err *e)
{
	struct metric reading = {.value = value, .call = call};
	char reason[160];

	(void)snprintf(reading.probe, sizeof reading.probe, "%s", NAME);
	(void)snprintf(reading.name, sizeof reading.name, "%s", name);
	(void)snprintf(reading.unit, sizeof reading.unit, "%s", unit);
	(void)snprintf(reason, sizeof reason, "CUPTI gave no number for %s", counter);
	return result_add_reading(out, &reading, isfinite(value) ? NULL : reason, e);
}

static enum asc_status add_readings(struct probe *p, const struct metric_set *set, size_t n,
				    struct result *out, struct asc_err *e)
{
	const struct selection *s = &p->selection;
	double *all = calloc(n * s->n + 2 * n + 1, sizeof *all);
	enum asc_status status = all && s->columns ? ASC_OK : asc_err_nomem(e);
	double *values = all ? all + n * s->n : NULL, *times = all ? values + n : NULL;

	for (size_t k = 0; k < n && status == ASC_OK; k++) {
		status = cupti_ranges_read(p->ranges, k, &all[k * s->n], e);
		times[k] =
			status == ASC_OK && s->time != NONE ? all[k * s->n + (size_t)s->time] : NAN;
	}
	for (size_t i = 0; set->metrics[i] && status == ASC_OK; i++) {
		const struct metric_def *m = set->metrics[i];

		if (!is_counted(m, s->chip))
			continue;
		if (s->columns[i] == NONE) {
			char reason[REASON_SIZE];

			explain_lack(s->counters, m, s->chip, reason, sizeof reason);
			status = result_add_missing(out, NAME, m->name, m->unit, reason, e);
			continue;
		}
		const char *counter = s->names[s->columns[i]];

		for (size_t k = 0; k < n; k++)
			values[k] = all[k * s->n + (size_t)s->columns[i]];
		status = add_reading(out, m->name, m->unit, 0, join(m->kernels, values, times, n),
				     counter, e);
		for (size_t k = 0; n > 1 && k < n && status == ASC_OK; k++)
			status = add_reading(out, m->name, m->unit, (int)k + 1, values[k], counter,
					     e);
	}
	free(all);
	return status;
}

static enum asc_status add_reasons(const struct probe *p, const struct metric_set *set,
				   const char *reason, struct result *out, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; set->metrics[i] && status == ASC_OK; i++)
		if (is_counted(set->metrics[i], p->selection.chip))
			status = result_add_missing(out, NAME, set->metrics[i]->name,
						    set->metrics[i]->unit, reason, e);
	return status;
}

static enum asc_status cupti_probe_replay(struct probe *p, const struct probe_request *r,
					  const struct probe_launches *l, struct result *out,
					  struct asc_err *e)
{
	size_t n = 0;
	enum asc_status status = prepare(p, r, e);

	p->launches = 0;
	/* Times were taken before: records of kernels would be counted with them. */
	if (status == ASC_OK && p->selection.n > 0 && cupti_pause(true, e) == ASC_OK) {
		struct asc_err second;

		status = count_launch(p, l, &n, e);
		const enum asc_status on = cupti_pause(false, status ? &second : e);

		status = status ? status : on;
	} else if (p->selection.n > 0) {
		status = e->status;
	}
	if (status == ASC_OK)
		status = add_readings(p, r->set, n, out, e);
	if (status == ASC_OK)
		status = add_reading(out, "passes", "1", 0, (double)p->selection.passes, "", e);
	if (status == ASC_OK)
		return add_reading(out, "launches", "1", 0, (double)p->launches, "", e);
	if (status != ASC_ABSENT)
		return status;
	const struct asc_err refusal = *e;

	return add_reasons(p, r->set, refusal.text, out, e);
}

const struct probe_ops probe_cupti = {
	.name = NAME,
	.device = "cuda",
	.summary = "hardware counters of NVIDIA GPUs, kernel by kernel",
	.check = cupti_probe_check,
	.open = cupti_probe_open,
	.close = cupti_probe_close,
	.replay = cupti_probe_replay,
	.plan = cupti_probe_plan,
	.counter = cupti_probe_counter,
	.leaves = "flushed",
};
