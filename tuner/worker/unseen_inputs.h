/* Inputs that no finalist has seen, at addresses that none has: a kernel that keeps its answers,
 * and finds them by what its inputs hold, or by where they lie, takes far longer there. */
#ifndef ASCTUNE_WORKER_UNSEEN_INPUTS_H
#define ASCTUNE_WORKER_UNSEEN_INPUTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"

struct measurement;

/* Launches each of n finalists of a problem, whose first set is on the device, once on inputs that
 * come of a `seed`, at other addresses, always on cold caches; only on inputs, or at addresses,
 * where the device cannot move tensors, or the problem has no such inputs. One that takes at least
 * twice as long there as the least of its samples is suspect. Suspects are launched in rounds, each
 * on further such inputs and then on the set that they know, put on the device in the same way. The
 * first round in which the one takes less than twice the median of the other clears a finalist,
 * unless both take ten times as long as samples on inputs that stayed; one that stays suspect
 * through all of them is wrong. Rounds with a disturbed launch do not count, but on a machine that
 * disturbs most of them: there a finalist is wrong whose median on such inputs is ten times that on
 * those that it knows. The first set is on the device at the end, unless a finalist failed. Nothing
 * is begun after `until_ns` (clock_now_ns(); 0: no limit). */
enum asc_status unseen_inputs_test(struct measurement *const *list, size_t n, uint64_t seed,
				   int64_t until_ns, struct asc_err *e);

/* True for times of a launch that neither data nor noise explain, 0 for one that is not known.
 * Pure. */
bool unseen_inputs_differ(int64_t known_ns, int64_t unseen_ns);

#endif
