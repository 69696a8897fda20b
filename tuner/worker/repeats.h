/* Launches compared: what a launch leaves in the outputs beside what the verified launch on the
 * same inputs has left there. Equal digests: the same bits, which are right. Else the outputs are
 * compared with the reference: a race shows as a launch that is wrong, an order of sums that
 * depends on the moment as bits that vary. What is found goes to the result's bits. */
#ifndef ASCTUNE_WORKER_REPEATS_H
#define ASCTUNE_WORKER_REPEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/workload/workload.h"

struct measurement;
struct worker_problem;

/* Digests of a configuration's verified launches, by set of inputs. Zeroed: none was made. */
struct repeats {
	bool known[WORKLOAD_MAX_SETS];
	uint64_t digests[WORKLOAD_MAX_SETS];
	int64_t digest_ns; /* time that the last one took */
};

/* True where the bits of an output say something: it is no sample of a distribution. */
bool repeats_can(const struct worker_problem *p);

/* Takes the digest of the outputs that a verified launch has left. */
enum asc_status repeats_note(struct measurement *m, struct repeats *r, struct asc_err *e);

/* Finds the digest that is recorded: of the elements of all outputs in the order of their indices,
 * on the first set of inputs, which is on the device. Outputs that are too large to be read back
 * have the device's own, which begins with its name. */
enum asc_status repeats_find_bits(struct measurement *m, const struct repeats *r,
				  struct asc_err *e);

/* Compares the outputs that the last launch has left, on whichever set is on the device. A wrong
 * one is the result: "in 1 of 812 launches: ..."; so are other bits where the workload is
 * deterministic. */
enum asc_status repeats_check(struct measurement *m, const struct repeats *r, struct asc_err *e);

/* Limits of a configuration that is launched on: it has `least` to `most` launches, and ends
 * between them once part_ns have passed or `plenty` were compared, and once free_ns have passed or
 * `enough` were compared, those of the rounds included. free_ns are of the clock; on a device that
 * shares processors with other programs, of time on these, a quarter of the clock's at least. */
struct repeats_limits {
	int64_t least, most; /* launches */
	int64_t part_ns, plenty;
	int64_t free_ns, enough;
};

/* Launches on, in bursts, some of which have a flush of the caches before each launch, and
 * compares; ends when time is up for the run, and at the first launch that is wrong. Most launches
 * find poison in the outputs, and the first of a burst in scratch memory; the last of a burst comes
 * right behind a launch that did, which nothing looks at; some find poison in some
 * lines of the outputs, beside the answer of the launch before; some find other inputs than that
 * one, and its answer: where worker_sets_keeps(), a set whose digest is known changes places with
 * the first one. */
enum asc_status repeats_run(struct measurement *m, const struct repeats *r,
			    const struct repeats_limits *limits, struct asc_err *e);

#endif
