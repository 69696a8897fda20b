/* Context for launching one loaded configuration: heartbeats to the coordinator, cold or hot caches
 * by the policy, verification. */
#ifndef ASCTUNE_WORKER_LAUNCH_CONTEXT_H
#define ASCTUNE_WORKER_LAUNCH_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/worker/launch_report.h"

/* Makes n launches one after another, untimed and with the caches as they are. A refusal becomes
 * the result. */
enum asc_status launch_untimed(struct launch_context *p, int64_t n, struct asc_err *e);

/* Number of `wanted` samples that fit one batch. */
int64_t launch_samples_at_once(const struct launch_context *p, int64_t wanted);

/* Takes samples: launches on restored tensors, with their notes as in struct result. */
enum asc_status launch_sample(struct launch_context *p, struct device_batch batch, int64_t *ns,
			      int64_t *note, struct asc_err *e);

/* Adds the sum of the times of a launch's kernels as a metric of RESULT_KERNEL, where there are
 * several and the device's clock tells it: the median of a few launches. */
enum asc_status launch_sum_kernels(struct launch_context *p, struct asc_err *e);

/* Lets the device cool before a sample with this note is taken again, by the policy. */
enum asc_status launch_cool(struct launch_context *p, int64_t note, struct asc_err *e);

/* Launches once on poisoned outputs, *ns long, and verifies. The result's status stays ok when it
 * passes. */
enum asc_status launch_verify(struct launch_context *p, int64_t *ns, struct asc_err *e);

/* Verifies again by one launch, in the current phase, untimed and without a flush. */
enum asc_status launch_verify_later(struct launch_context *p, struct asc_err *e);

/* Verifies the outputs of the last launch: a kernel that keeps state between launches may be right
 * once and wrong, or idle, from then on. */
enum asc_status launch_verify_again(struct launch_context *p, struct asc_err *e);

/* Checks bounds: a write beyond the end of a buffer makes the result wrong, whatever the output is;
 * where the device does not say, the launch has failed. */
bool launch_check_bounds(struct launch_context *p, enum phase phase);

#endif
