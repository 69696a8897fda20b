/* One worker's work on a simulated machine that may change: configurations measured one after
 * another beside an incumbent, with launches counted. */
#ifndef ASCTUNE_TESTS_UNIT_RUN_RACE_BENCH_H
#define ASCTUNE_TESTS_UNIT_RUN_RACE_BENCH_H

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/measure_config.h"

enum { BEST_NS = 1000000 };

static double factor;     /* what the machine makes of every time */
static int64_t launches;  /* of a test, as they are counted below */
static int64_t change_at; /* the launch that is the first with ... */
static double changed;    /* ... this factor; 0: none */
static double refused;    /* the kernel that does not launch any more */
static int64_t wobbles;
static double wobbling; /* the kernel that takes half as long every other launch */

static inline int64_t launch(void *user, double truth_ns)
{
	(void)user;
	if (changed > 0 && launches++ >= change_at)
		factor = changed;
	if (truth_ns == wobbling && wobbles++ % 2)
		truth_ns /= 2;
	return truth_ns == refused ? 0 : (int64_t)(truth_ns * factor);
}

static inline void reset(void)
{
	factor = 1;
	launches = 0;
	changed = refused = wobbling = 0;
	wobbles = 0;
}
/* ---- who watches ---- */

static uint64_t heard_id;
static int64_t heard;

static inline enum asc_status hear(void *user, uint64_t id, enum phase phase, size_t step,
				   struct asc_err *e)
{
	(void)user, (void)phase, (void)step, (void)e;
	heard_id = id;
	heard++;
	return ASC_OK;
}

/* ---- one worker's work ---- */

struct bench {
	struct simulated device;
	struct race race;
	uint64_t last_id;
};

static inline void bench_init(struct bench *b)
{
	reset();
	*b = (struct bench){.race = {.policy = policy_default, .watch = {hear, NULL, NULL}}};
	b->race.policy.sampling.warmup_ns = 0; /* so that launches can be counted */
	simulated_init(&b->device, launch, NULL);
}

static inline void bench_fini(struct bench *b)
{
	incumbent_check_fini(&b->race.incumbent);
	tap_int(b->device.loaded, 0, "all are unloaded");
	incumbent_fini(&b->race.best);
	simulated_fini(&b->device);
}

/* Measures like the verb `measure`. */
static inline void measure(struct bench *b, double truth_ns, struct result *r)
{
	struct worker_config *c = simulated_load(&b->device, ++b->last_id, truth_ns);
	struct asc_err e;

	result_init(r);
	tap_int(worker_config_measure(c, &b->race, r, &e), ASC_OK, "measured %g", truth_ns);
	if (!incumbent_check_take(&b->race, c, r))
		worker_config_free(c);
}

/* Measures the first, which is everybody's incumbent from then on. */
static inline void measure_best(struct bench *b)
{
	struct result r;
	struct asc_err e;

	measure(b, BEST_NS, &r);
	tap_int(incumbent_set(&b->race.best, r.samples, r.n_samples, &e), ASC_OK, "the best");
	result_fini(&r);
}

static inline int64_t count(struct bench *b, double truth_ns, struct result *r)
{
	int64_t before = b->device.launches;

	measure(b, truth_ns, r);
	return b->device.launches - before;
}

#endif
