/* One configuration loaded in a worker: its kernels, bound to their arguments, and the buffers of
 * its own. A failure of the configuration is a result; errors are failures of the worker. */
#ifndef ASCTUNE_WORKER_WORKER_CONFIG_H
#define ASCTUNE_WORKER_WORKER_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/worker_side.h"
#include "tuner/workload/binding/binding.h"

struct json_node;
struct measurement;
struct race;
struct rng;
struct vendor_kernel;
struct worker_problem;

struct worker_call {                     /* of the implementation, loaded and bound */
	const char *artifact, *metadata; /* borrowed from the request, while it is loaded */
	struct plan plan;
	struct vendor_kernel *vendor; /* library function of its kernel; NULL: it was built */
	struct device_buffer *scratch[PLAN_MAX_ARGUMENTS];
};

struct worker_config {
	uint64_t id;
	struct worker_problem *problem;              /* borrowed */
	const struct implementation *implementation; /* borrowed */
	struct worker_call *calls;                   /* heap */
	struct device_kernel *kernels[WORKLOAD_MAX_CALLS];
	struct device_sequence sequence; /* those of the calls */
	/* Tensors of the problem, then the implementation's scratch tensors, which are its own. */
	struct device_buffer *tensors[WORKLOAD_MAX_TENSORS + WORKLOAD_MAX_SCRATCH];
	int64_t load_ns, warm_ns; /* warm_ns: of functions that were called until they were warm,
				     no part of load_ns */
	uint64_t moves;           /* of the problem, when kernels were bound last */
	bool full, is_best;       /* as in struct trial */
	double searched_ns;       /* as there */
	char *key;                /* as of config_key(); heap */
	bool harmful;             /* it made a stray write: nothing else is to be measured here */
	struct worker_config *next;
};

struct worker_config_request { /* borrowed */
	const char *implementation, *config;
	struct worker_side_request side;   /* who plans the launch */
	const struct json_node *artifacts; /* of the calls: {"path", "metadata"} */
	int64_t id;
	bool full, is_best;
	double searched_ns;
};

/* Loads and binds a configuration; *out is NULL when it could not be loaded: then `result` says
 * why. */
enum asc_status worker_config_load(struct worker_problem *p,
				   const struct worker_config_request *request, struct race *race,
				   struct worker_config **out, struct result *result,
				   struct asc_err *e);
void worker_config_free(struct worker_config *c);

/* Binds the kernels to where the tensors lie now, if they have moved. Functions of libraries that
 * get warm are bound in the phase of compilers, announced; the result's phase stays. */
enum asc_status worker_config_follow(struct measurement *m, struct asc_err *e);

/* Fills outputs and the buffers that are the configuration's own with poison, and restores inout
 * tensors; the second one only lines of the outputs (worker_problem_poison_lines()), the third one
 * fills them with `byte`. */
enum asc_status worker_config_poison(struct worker_config *c, struct asc_err *e);
enum asc_status worker_config_poison_lines(struct worker_config *c, struct rng *rng,
					   struct asc_err *e);
enum asc_status worker_config_fill(struct worker_config *c, int byte, struct asc_err *e);

/* Lists the buffers that are the configuration's own, its scratch tensors first, NULL where there
 * is none; returns their number. */
enum { WORKER_CONFIG_OWN = WORKLOAD_MAX_SCRATCH + WORKLOAD_MAX_CALLS * (PLAN_MAX_ARGUMENTS + 1) };
size_t worker_config_list_own(const struct worker_config *c,
			      struct device_buffer *out[WORKER_CONFIG_OWN]);
bool worker_config_has_vendor(const struct worker_config *c);
/* True with a library function that may start its threads in any of its calls: those that stay are
 * no residue. */
bool worker_config_starts_late(const struct worker_config *c);
/* True where loading makes calls until a function is warm: what stays of these is no residue. */
bool worker_config_warms(const struct worker_config_request *request);
/* What the user is to know of its calls; "": nothing. Borrowed. */
const char *worker_config_note(const struct worker_config *c);

#endif
