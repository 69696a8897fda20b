/* The measuring of one configuration by the policy: number of launches, samples, decision. Knows no
 * device: the caller asks how many launches come next, makes them, and reports their time.
 *
 * The caller owns the storage: measure_begin(), measure_fini(); policy and incumbent are borrowed.
 */
#ifndef ASCTUNE_WORKER_MEASURE_H
#define ASCTUNE_WORKER_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/worker/policy.h"
#include "tuner/worker/stop.h"

struct result;

enum {
	MEASURE_MAX_LAUNCHES = 16, /* launches of one sample at most */
	MEASURE_MAX_AHEAD = 32     /* samples taken at once */
};

struct measure {
	const struct policy *policy;
	const struct incumbent *best;
	struct stop_decision decision;
	int64_t first_ns;    /* time of the verification launch; 0: it was marked */
	int64_t estimate_ns; /* estimated time of one launch, by the latest before the first sample
			      */
	int64_t warmups;     /* warm-ups done */
	int64_t warm_ns;     /* kernel time of warm-ups and of the verification launch */
	int64_t launches;    /* launches of a sample; 0 before the first */
	int64_t spent_ns;    /* kernel time of the samples */
	int64_t *samples;    /* ns a launch, heap */
	int64_t *notes;      /* note of each sample, as in struct result; heap */
	size_t n_samples, capacity;
	int64_t fastest_ns; /* fastest of all samples taken; 0: none */
	size_t retaken;     /* marked samples that were dropped */
};

/* Begins. `first_ns` is the time of the verification launch, `note` as in struct result: the first
 * sample for early stopping, which is kept only when it decides. */
enum asc_status measure_begin(struct measure *m, const struct policy *policy,
			      const struct incumbent *best, int64_t first_ns, int64_t note,
			      struct asc_err *e);
void measure_fini(struct measure *m);

/* True when `done` warm-ups are enough, which lasted `ns` with the verification launch. */
bool measure_is_warm(const struct policy *r, int64_t done, int64_t ns);

/* Number of launches of a sample: as many as last sample_ns, when one lasts `launch_ns`. */
int64_t measure_group(const struct policy *r, int64_t launch_ns);

/* Time of one of `launches` that lasted `ns` together. */
int64_t measure_per_launch(int64_t ns, int64_t launches);

/* Number of launches to make and time together next; 0: enough. */
int64_t measure_next(struct measure *m);

/* Number of samples that may be taken before measure_add() has to be told of them: until a stopping
 * rule looks at them, but no longer than a tenth of a second. */
int64_t measure_ahead(const struct measure *m);

/* Adds the sample that measure_next() asked for, `ns` for all of its launches; `note` as in struct
 * result. A marked sample is taken again while the policy allows; one after the decision is left
 * out. */
enum asc_status measure_add(struct measure *m, int64_t ns, int64_t note, struct asc_err *e);

/* Keep one more sample of `ns` a launch, whatever was decided; and give the decision up. */
enum asc_status measure_keep(struct measure *m, int64_t ns, int64_t note, struct asc_err *e);
void measure_leave(struct measure *m, const char *reason);

/* Moves the samples into `out` and summarises them; the status becomes slow or undecided by the
 * decision. */
enum asc_status measure_end(struct measure *m, struct result *out, struct asc_err *e);

#endif
