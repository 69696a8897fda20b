/* The sampling of one configuration by the policy: number of launches, samples, and the rules that
 * decide when there are enough of them. Pure: knows neither a device nor a clock. The caller asks
 * how many launches come next, makes them, and reports their time:
 *
 *     sampling_begin(&s, policy, best, first_ns, note, e)
 *     while ((launches = sampling_next(&s)) > 0)
 *             sampling_add(&s, time of so many launches, note, e)
 *     sampling_end(&s, result, e)
 *
 * The caller owns the storage: sampling_begin(), sampling_fini(); policy and incumbent are
 * borrowed.
 */
#ifndef ASCTUNE_WORKER_SAMPLING_H
#define ASCTUNE_WORKER_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/worker/policy.h"

struct result;

/* ---- the incumbent ---- */

/* Samples of the fastest configuration so far, which candidates race against. The caller owns the
 * storage: a zeroed struct incumbent is nobody; incumbent_set(), incumbent_fini(). */
struct incumbent {
	int64_t *samples; /* ns a launch, ascending; heap */
	size_t n;
	double median_ns; /* 0: none */
};

enum asc_status incumbent_set(struct incumbent *r, const int64_t *samples, size_t n,
			      struct asc_err *e);

/* Takes the samples of a result without marks, where there are a few; else all. */
enum asc_status incumbent_set_result(struct incumbent *r, const struct result *result,
				     struct asc_err *e);
void incumbent_fini(struct incumbent *r);

/* ---- samples ---- */

enum {
	SAMPLING_MAX_LAUNCHES = 16, /* launches of one sample at most */
	SAMPLING_MAX_AHEAD = 32     /* samples taken at once */
};

enum stop_verdict { STOP_NOT_YET, STOP_ENOUGH, STOP_SLOW, STOP_UNDECIDED };

struct stop_decision {
	enum stop_verdict verdict;
	double ratio;    /* STOP_SLOW: the time / the incumbent's median */
	char reason[96]; /* STOP_SLOW and STOP_UNDECIDED: one line */
};

struct sampling {
	const struct policy *policy;
	const struct incumbent *best;
	double best_mhz; /* clock at which the incumbent has its median; 0: unknown */
	bool single;     /* a sample is one launch, whatever the policy says */
	struct stop_decision decision;
	int64_t first_ns;    /* time of the verification launch; 0: it was marked */
	int64_t estimate_ns; /* estimated time of one launch, by the latest before the first sample
			      */
	int64_t warmups;     /* warm-ups done */
	int64_t warm_ns;     /* kernel time of warm-ups and of the verification launch */
	int64_t launches;    /* launches of a sample; 0 before the first */
	int64_t spent_ns;    /* kernel time of the samples */
	int64_t *samples;    /* ns a launch, in the order taken; heap */
	int64_t *notes;      /* note of each sample, as in struct result; NULL: nothing is known;
				heap */
	size_t n_samples, capacity;
	int64_t fastest_ns; /* fastest of all samples taken; 0: none */
	size_t retaken;     /* marked samples that were dropped */
};

/* Begins. `first_ns` is the time of the verification launch, `note` as in struct result: the first
 * sample for early stopping, which is kept only when it decides. */
enum asc_status sampling_begin(struct sampling *s, const struct policy *policy,
			       const struct incumbent *best, int64_t first_ns, int64_t note,
			       struct asc_err *e);
void sampling_fini(struct sampling *s);

/* True when `done` warm-ups are enough, which lasted `ns` with the verification launch. */
bool sampling_is_warm(const struct policy *r, int64_t done, int64_t ns);

/* Number of launches of a sample: as many as last sample_ns, when one lasts `launch_ns`. */
int64_t sampling_group(const struct policy *r, int64_t launch_ns);

/* Time of one of `launches` that lasted `ns` together. */
int64_t sampling_per_launch(int64_t ns, int64_t launches);

/* Number of launches to make and time together next; 0: enough. */
int64_t sampling_next(struct sampling *s);

/* Number of samples that may be taken before sampling_add() has to be told of them: until the next
 * test or limit looks at them, but no longer than a tenth of a second. The rule `fastest` may
 * decide before; then sampling_add() leaves the rest out. */
int64_t sampling_ahead(const struct sampling *s);

/* Adds the sample that sampling_next() asked for, `ns` for all of its launches; `note` as in struct
 * result. A marked sample is taken again while the policy allows; one after the decision is left
 * out. */
enum asc_status sampling_add(struct sampling *s, int64_t ns, int64_t note, struct asc_err *e);

/* Keeps one more sample of `ns` a launch, whatever was decided; and gives the decision up. */
enum asc_status sampling_keep(struct sampling *s, int64_t ns, int64_t note, struct asc_err *e);
void sampling_leave(struct sampling *s, const char *reason);

/* Moves the samples into `out` and summarises them; the status becomes slow or undecided by the
 * decision. */
enum asc_status sampling_end(struct sampling *s, struct result *out, struct asc_err *e);

/* ---- rules ---- */

struct stop_ops {
	const char *name, *meaning;
	/* Leaves `out` alone when it is not yet time. */
	enum asc_status (*check)(const struct sampling *s, struct stop_decision *out,
				 struct asc_err *e);
};

extern const struct stop_ops *const stop_list[]; /* NULL-terminated; the first verdict counts */

/* Applies all rules after the newest sample. Fails only when out of memory. */
enum asc_status stop_check(const struct sampling *s, struct stop_decision *out, struct asc_err *e);

/* Judges by all samples taken, marked or not: noise only makes a launch longer. STOP_SLOW when even
 * the fastest of POLICY_DISTURBED is beyond twice the incumbent's median, or of four times as many
 * beyond `near` times. */
void stop_check_fastest(const struct sampling *s, struct stop_decision *out);

/* Judges by the first launch: STOP_SLOW when it is far beyond the incumbent's median. */
void stop_check_first(const struct policy *r, const struct incumbent *best, int64_t first_ns,
		      struct stop_decision *out);

#endif
