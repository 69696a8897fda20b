/* A measurement: one loaded configuration on its way through the protocol (measure_config.h), and
 * by what a worker measures them all. Reports: heartbeats and phases to the coordinator, refusals
 * and stray writes into the result. */
#ifndef ASCTUNE_WORKER_MEASUREMENT_H
#define ASCTUNE_WORKER_MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/sampling.h"

struct finals_progress;
struct probe;
struct probe_ops;
struct worker_config;
struct harm;

enum { WORKER_MAX_PROBES = 16 };

struct worker_probe {
	const struct probe_ops *ops;
	struct probe *probe;
};

/* Callbacks: when a phase is entered, and again from time to time while it lasts, with the step as
 * in struct measurement; as finals go on; and before other inputs are put on the device, which may
 * take longer than a launch. The last two may be NULL. */
struct worker_watch {
	enum asc_status (*phase)(void *user, uint64_t id, enum phase phase, size_t step,
				 struct asc_err *e);
	void *user;
	enum asc_status (*finals)(void *user, const struct finals_progress *p, struct asc_err *e);
	enum asc_status (*doing)(void *user, const char *what, struct asc_err *e);
};

/* The fastest configuration that this worker has measured, kept loaded (incumbent_check.h). After a
 * worker was replaced it may be slower than race.best, which is that of the run. */
struct incumbent_check {              /* zeroed: none */
	struct worker_config *config; /* owned; in no list */
	double score, median_ns;      /* of its own measurement */
	double mhz;                   /* clock of that measurement; 0: unknown */
	int64_t same_mhz; /* the device's clock when a launch last took median_ns; 0: unknown */
	struct result failure; /* failure when it was launched again: status not ok */
	uint64_t failed_id;
	bool harmful; /* it wrote where it must not */
};

/* What a worker measures by: its policy, and whom configurations race; one in the process. */
struct race {
	struct policy policy;             /* policy of the problem: the only copy in the process */
	struct incumbent best;            /* its samples, as the coordinator has sent them last */
	struct incumbent_check incumbent; /* of this worker's own configurations */
	int64_t least_ns; /* a shorter median is impossible, and nobody's incumbent; 0: none is */
	struct worker_probe probes[WORKER_MAX_PROBES + 1]; /* ended by a NULL entry */
	struct worker_watch watch;
	int64_t until_ns; /* of the request that is served, as in struct trial */
	int64_t begun_ns; /* as there */
	bool needed;      /* as there */
	uint64_t unseen;  /* seed of inputs that finalists have not seen; 0: they meet none */
};

struct measurement {
	struct race *race;            /* borrowed */
	struct worker_config *config; /* borrowed */
	struct result *result;        /* borrowed */
	struct sampling sampling;
	int64_t beat_ns; /* time of the last heartbeat */
	bool again;      /* launches were made after the verification launch */
	int64_t note;    /* note of the launches of the last sample, as in struct result */
	/* Wanted of samples: what this process did during the last one, where the device tells. */
	bool wants_use;
	struct device_use use;
	int64_t waited_ns; /* time that its threads waited for a processor meanwhile */
	/* Part of a launch's time that its kernels take by themselves; 0: not known. */
	double kernels_share;
	size_t step; /* the call that is loaded or launched alone, of several, counted from 1;
			0: all */
	size_t pass; /* of a probe that replays, which is announced in place of that; 0: none
		      */
};

/* True when time is up: no further launch is to be begun. */
bool measurement_is_over(const struct measurement *m);

/* Enters a phase: announces it to the coordinator, and begins its time limit anew. */
enum asc_status measurement_enter(struct measurement *m, enum phase phase, struct asc_err *e);

/* Makes a refusal of the device the configuration's result, except when out of memory. */
enum asc_status measurement_refuse(struct measurement *m, enum result_status status,
				   const struct asc_err *e);

/* Makes a stray write of a kernel the configuration's result; the status stays without one. */
void measurement_set_harm(struct measurement *m, const struct harm *harm, enum phase phase);

#endif
