/* Launches of a measurement: cold or hot caches by the policy, marks of samples on a disturbed
 * machine, verification. A refusal of the device becomes the result of the configuration; errors
 * are failures of the worker. */
#ifndef ASCTUNE_WORKER_LAUNCH_H
#define ASCTUNE_WORKER_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/device/device.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/worker_problem.h"

struct rng;

/* ---- samples ---- */

/* Takes the samples of a batch on restored inout tensors, ns[i] for all launches of sample i; their
 * note becomes m->note. Every launch finds the caches as the policy says. */
enum asc_status launch_sample(struct measurement *m, struct device_batch batch, int64_t *ns,
			      struct asc_err *e);

/* Number of `wanted` samples that fit one batch. */
int64_t launch_samples_at_once(const struct measurement *m, int64_t wanted);

/* Makes n launches one after another, untimed and with the caches as they are. */
enum asc_status launch_untimed(struct measurement *m, int64_t n, struct asc_err *e);

/* Queues n launches, untimed, with the caches flushed before the first or as they are. What the
 * device is asked for next comes behind them; launch_await() is due before a launch is timed. */
enum asc_status launch_queue(struct measurement *m, bool flushed, int64_t n, struct asc_err *e);
enum asc_status launch_await(struct measurement *m, struct asc_err *e);

/* Follows tensors that have moved, which each launch does otherwise. */
enum asc_status launch_follow(struct measurement *m, struct asc_err *e);

/* Makes what the device refuses behind a launch the result, as where it refuses the launch. */
enum asc_status launch_refuse(struct measurement *m, struct asc_err *e);

/* Finds what share of a launch's time its kernels take by themselves, where there are several and
 * the device's clock tells it, by the median of a few launches: `kernels_share` of the measurement.
 * Of what may work anywhere it adds the number of pieces, and the host's time. */
enum asc_status launch_sum_kernels(struct measurement *m, struct asc_err *e);

/* ---- the machine ---- */

/* Note of launches of `ns`, as in struct result: marked when another process ran in between, when
 * threads waited for a processor longer than the policy's part of that time, when the clock is
 * below the policy's part of the highest one seen, or was lowered. Pure, as is steady_pause(). */
int64_t steady_note(struct steady *s, const struct policy *r, const struct device_state *before,
		    const struct device_state *after, int64_t ns);

/* Time to let the device cool after a sample with this note, 0 for none; counts it as done. */
int64_t steady_pause(struct steady *s, const struct policy *r, int64_t note);

/* Lets the device cool before a sample with m->note is taken again, by the policy. */
enum asc_status launch_cool(struct measurement *m, struct asc_err *e);

/* ---- verification: the result's status stays when the outputs pass ---- */

/* Has what library functions returned in the last launch put into outputs (vendor_collect()),
 * before these are read; a second time changes nothing. A result that is not what the workload says
 * is wrong. */
enum asc_status launch_collect(struct measurement *m, struct asc_err *e);

/* Launches once on poisoned outputs, *ns long, and verifies; each of several calls alone before. */
enum asc_status launch_verify(struct measurement *m, int64_t *ns, struct asc_err *e);

/* Makes one launch on poison, untimed and without a flush, and verifies it, in the current phase.
 */
enum asc_status launch_verify_anew(struct measurement *m, struct asc_err *e);

/* Puts a set of inputs on the device (worker_problem_put_set()), announced unless it is kept there:
 * the time that it takes is no launch's. */
enum asc_status launch_put_set(struct measurement *m, size_t set, struct asc_err *e);

/* Tries whether a launch may be recorded into a graph, which then does what the launch does: it is
 * launched on poison and verified. The measurement's result stays; of an error, too, *passes is
 * false. Where device_ops.capture is; the process is harmed afterwards. */
enum asc_status launch_try_graph(struct measurement *m, bool *passes, struct asc_err *e);

/* True for a launch with a call that may work anywhere (vendor_ops.anywhere). */
bool launch_is_anywhere(const struct worker_config *c);

/* Moves the tensors (worker_problem_move()), where the device can, and puts a set there, announced
 * as launch_put_set() does; a move of much is, too. */
enum asc_status launch_move(struct measurement *m, struct rng *rng, size_t set, struct asc_err *e);

/* Does launch_verify_anew() behind a move: a kernel that goes by an address of before is wrong
 * "with its tensors at other addresses". The result keeps phase and errors as with
 * launch_verify_set(). */
enum asc_status launch_verify_moved(struct measurement *m, struct rng *rng, struct asc_err *e);

/* Does launch_verify_anew() with the set of inputs that is on the device, not the first: a failure
 * names its file, or its seed. The result keeps its phase and the errors of the first set while it
 * is ok. */
enum asc_status launch_verify_set(struct measurement *m, struct asc_err *e);

/* Verifies what the last launch left, on whichever set, without another one: a kernel that keeps
 * state between launches may be right once and wrong, or idle, from then on. */
enum asc_status launch_verify_last(struct measurement *m, struct asc_err *e);

/* Checks bounds: a write beyond the end of a buffer makes the result wrong, whatever the output is;
 * where the device does not say, the launch has failed. */
bool launch_check_bounds(struct measurement *m, enum phase phase);

#endif
