/* The seam between the tuning loop and whatever turns a configuration into a result: a worker,
 * recorded results, several devices.
 *
 * Asynchronous: evaluator_ops.submit hands over a configuration, poll brings results in any order.
 */
#ifndef ASCTUNE_RUN_EVALUATOR_H
#define ASCTUNE_RUN_EVALUATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/model/binding.h"
#include "tuner/model/result.h"
#include "tuner/run/rule.h"

struct evaluator;
struct device_ops;
struct device_info;
struct peaks;

enum { EVALUATOR_OPS_VERSION = 3, EVALUATOR_MAX_FINALISTS = 66 };

/* What goes on; on a device that shares the host with the compilers, one at a time. */
enum evaluator_stage {
	EVALUATOR_BUILDING,
	EVALUATOR_REFERENCE, /* a worker sets the problem up: inputs and reference */
	EVALUATOR_MEASURING
};

struct evaluator_options { /* borrowed until close */
	const struct device_ops *device;
	int ordinal;
	const struct device_info *info;
	const struct binding *binding;
	const char *cache;         /* folder */
	const char *program;       /* path of this executable, to start `asctune worker` */
	const char *const *probes; /* NULL-terminated names, or NULL */
	uint64_t seed;             /* of the inputs */
	size_t build_jobs;
	struct rule rule;
	int64_t setup_until_ns; /* of clock_now_ns(): inputs and reference are there by then, or it
				   is an error, ASC_TIMEOUT; 0: they have ten minutes */
	int64_t patience_ns;    /* on a device that shares the host: what is built is measured after
				   so long, though more is to be built; 0: when all is */
	/* Called within poll when another stage begins, before anything is measured in it. Or NULL.
	 */
	void (*stage)(void *user, enum evaluator_stage stage);
	/* Called within poll when `done` of the `of` builds that are asked for have ended. Or NULL.
	 */
	void (*built)(void *user, int64_t done, int64_t of);
	/* Called within poll when finals have made `done` rounds, of at most `most`. Or NULL. */
	void (*round)(void *user, int64_t done, int64_t most);
	void *user;
};

struct evaluator_job {
	uint64_t id;
	const struct implementation *implementation; /* borrowed */
	const char *const *names; /* of the space's parameters; borrowed until done */
	struct config config;
	bool unraced;     /* measured to the end although others are faster, in finals too */
	int64_t until_ns; /* of clock_now_ns(): no launch is begun after that, but in finals, which
			     have a limit of their own; 0: no limit */

	/* Content key of an artifact that an earlier run recorded, borrowed until done: measured as
	 * it is while the cache has it (the result names the same key), else what today's sources
	 * give. NULL or "": these. */
	const char *artifact;
};

struct evaluator_finals {
	uint64_t seed;    /* of the order of the rounds */
	int64_t until_ns; /* of clock_now_ns(): nothing is begun after that; 0: no limit */
};

struct evaluator_done {
	uint64_t id;
	bool again; /* time was up before there was a verdict: the result is ok without samples */
	bool late;  /* a second result, a failure: of a configuration that stayed loaded after its
			own result and was launched beside later ones */
	struct result result; /* owned by the taker */
};

struct evaluator_ops {
	int version;
	const char *name;
	const char *summary;
	enum asc_status (*open)(const struct evaluator_options *o, struct evaluator **out,
				struct asc_err *e);
	/* Kills what runs; results not taken are lost. */
	void (*close)(struct evaluator *v);
	size_t (*capacity)(const struct evaluator *v); /* how many jobs it wants pending at once */
	enum asc_status (*submit)(struct evaluator *v, const struct evaluator_job *job,
				  struct asc_err *e);
	/* Measures jobs (at most EVALUATOR_MAX_FINALISTS) once more, together, in rounds; nothing
	 * else may be pending. Results come by poll, one for each: in those that are ok, samples of
	 * equal index are of the same round; those that are clearly slower have fewer. When one of
	 * them fails, its rounds are repeated with it alone in a fresh worker: if it fails there
	 * too, that is its result; if not, it takes part again where it was wrong, or is ok
	 * without samples, with the reason, where it crashed or hung. The others are measured
	 * again. */
	enum asc_status (*finals)(struct evaluator *v, const struct evaluator_job *jobs, size_t n,
				  const struct evaluator_finals *how, struct asc_err *e);
	/* Forgets a job that is not with a worker; false when its result will come all the same. */
	bool (*cancel)(struct evaluator *v, uint64_t id);
	/* Takes one result; *taken is false when none came within timeout_ns. An error means that
	 * nothing more will come. */
	enum asc_status (*poll)(struct evaluator *v, int64_t timeout_ns, struct evaluator_done *out,
				bool *taken, struct asc_err *e);
	/* The result of the best configuration so far, for rules that compare; copied. */
	enum asc_status (*best)(struct evaluator *v, const struct result *r, struct asc_err *e);
	/* As device_ops.peaks, waiting for it until then (of clock_now_ns(); 0: no limit); nothing
	 * may be pending. NULL: there is no device. */
	enum asc_status (*peaks)(struct evaluator *v, enum dtype type, struct peaks *out,
				 int64_t until_ns, struct asc_err *e);
};

extern const struct evaluator_ops *const evaluator_list[];
const struct evaluator_ops *evaluator_find(const char *name);

#endif
