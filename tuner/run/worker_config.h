/* One configuration in a worker: loaded, verified, measured. What goes wrong with it is a result;
 * errors are trouble of our own. */
#ifndef ASCTUNE_RUN_WORKER_CONFIG_H
#define ASCTUNE_RUN_WORKER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/binding.h"
#include "tuner/model/result.h"

struct device_buffer;
struct device_kernel;
struct incumbent;
struct probe;
struct probe_ops;
struct rival;
struct rule;
struct worker_problem;

enum { WORKER_MAX_PROBES = 16 };

struct worker_probe {
	const struct probe_ops *ops;
	struct probe *probe;
};

struct worker_config {
	uint64_t id;
	struct worker_problem *problem; /* borrowed */
	struct plan plan;
	struct device_kernel *kernel;
	struct device_buffer *scratch[WORKLOAD_MAX_ARGUMENTS];
	int64_t load_ns;
	bool library; /* it was not built: a function of a library */
	bool unraced; /* as in struct evaluator_job */
	bool harmful; /* it wrote where it must not: nothing else is to be measured here */
	struct worker_config *next;
};

/* Who watches: told as a phase is entered, and again from time to time while it lasts; and after
 * each round of finals, of at most `most`, unless `round` is NULL. */
struct worker_watch {
	enum asc_status (*phase)(void *user, uint64_t id, enum phase phase, struct asc_err *e);
	void *user;
	enum asc_status (*round)(void *user, int64_t done, int64_t most, struct asc_err *e);
};

struct worker_config_request { /* borrowed */
	const char *implementation, *config, *artifact;
	int64_t id;
	bool unraced;
};

/* *out is NULL when it could not be loaded: then `result` says why. */
enum asc_status worker_config_load(struct worker_problem *p,
				   const struct worker_config_request *request,
				   const struct worker_watch *watch, struct worker_config **out,
				   struct result *result, struct asc_err *e);
void worker_config_free(struct worker_config *c);

struct worker_race { /* what a configuration is measured by; all borrowed */
	const struct rule *rule;
	const struct rival *best;
	struct incumbent *incumbent;
	const struct worker_probe *probes; /* ended by a NULL entry */
	const struct worker_watch *watch;
	int64_t until_ns; /* as in struct evaluator_job */
};

/* Verifies, measures, racing against the best, and verifies what the last launch
 * has left. What is slower by little is dropped only after a look at the incumbent.
 * The probes count launches of their own of what is ok. */
enum asc_status worker_config_measure(struct worker_config *c, const struct worker_race *race,
				      struct result *result, struct asc_err *e);

#endif
