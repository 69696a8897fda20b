/* A configuration on its way through one request of a worker: signs of life, launches as the rule
 * wants them, verification. */
#ifndef ASCTUNE_RUN_WORKER_PASSAGE_H
#define ASCTUNE_RUN_WORKER_PASSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/model/result.h"

struct rule;
struct worker_config;
struct worker_watch;

struct passage { /* all borrowed */
	struct worker_config *config;
	const struct worker_watch *watch;
	struct result *result;
	const struct rule *rule;
	int64_t until_ns; /* as in struct evaluator_job */
	int64_t told_ns;  /* when the watch heard of us last */
	bool again;       /* there were launches after the verified one */
	int64_t note;     /* of the launches since it was set to 0 */
};

/* Time is up: no further launch is to be begun. */
bool passage_is_over(const struct passage *p);

enum asc_status passage_enter(struct passage *p, enum phase phase, struct asc_err *e);

/* What the device refused is the configuration's result, unless we are out of memory. */
enum asc_status passage_refuse(struct passage *p, enum result_status status,
			       const struct asc_err *e);

/* Launches as the batch says, ns[i] long in sample i. Every launch finds the caches as the rule
 * says. A refusal is the result. */
enum asc_status passage_launch(struct passage *p, struct device_batch batch, int64_t *ns,
			       struct asc_err *e);

/* Of `wanted` samples, how many can be of one batch. */
int64_t passage_samples_at_once(const struct passage *p, int64_t wanted);

/* The same as samples: on tensors as launches must find them, with their note as in struct result.
 */
enum asc_status passage_sample(struct passage *p, struct device_batch batch, int64_t *ns,
			       int64_t *note, struct asc_err *e);

/* Lets the device cool before a sample with this note is taken again, by the rule. */
enum asc_status passage_cool(struct passage *p, int64_t note, struct asc_err *e);

/* One launch on poisoned outputs, *ns long, and what it computed. The result's status stays ok when
 * it passes. */
enum asc_status passage_verify(struct passage *p, int64_t *ns, struct asc_err *e);

/* The same in the phase that it is in, not timed, without a flush: is it still right? */
enum asc_status passage_verify_later(struct passage *p, struct asc_err *e);

/* What the last launch has left: a kernel that keeps something from launch to launch may be right
 * once and wrong, or idle, from then on. */
enum asc_status passage_verify_again(struct passage *p, struct asc_err *e);

/* Writes beyond the end of a buffer make the result wrong, whatever the output is. */
bool passage_check_bounds(struct passage *p, enum phase phase);

#endif
