/* Rules that end the sampling of one configuration, as objects that are given the samples so
 * far. Pure: no clock, no device. */
#ifndef ASCTUNE_WORKER_STOP_H
#define ASCTUNE_WORKER_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/worker/policy.h"

struct result;

/* The best configuration so far, which others race against. The caller owns the storage: a zeroed
 * struct incumbent is nobody; incumbent_set(), incumbent_fini(). */
struct incumbent {
	int64_t *samples; /* ns a launch, ascending; heap */
	size_t n;
	double median_ns; /* 0: none */
	double mhz;       /* the clock that it has that median at; 0: unknown */
};

enum asc_status incumbent_set(struct incumbent *r, const int64_t *samples, size_t n,
			      struct asc_err *e);

/* The samples of a result without marks, where there are a few; else all. */
enum asc_status incumbent_set_result(struct incumbent *r, const struct result *result,
				     struct asc_err *e);
void incumbent_fini(struct incumbent *r);

struct stop_state { /* all borrowed */
	const struct policy *policy;
	const int64_t *samples; /* ns a launch, in the order taken */
	const int64_t *notes;   /* as in struct result; NULL: nothing is known */
	size_t n;
	int64_t taken;      /* samples, those included that were thrown away for their marks */
	int64_t fastest_ns; /* of these */
	int64_t first_ns;   /* of the verification launch; 0: says nothing */
	int64_t spent_ns;   /* kernel time of the samples */
	const struct incumbent *best;
};

enum stop_verdict { STOP_NOT_YET, STOP_ENOUGH, STOP_SLOW, STOP_UNDECIDED };

struct stop_decision {
	enum stop_verdict verdict;
	double ratio;    /* of STOP_SLOW: the time / the best median */
	char reason[96]; /* of STOP_SLOW and STOP_UNDECIDED, one line */
};

struct stop_ops {
	const char *name, *meaning;
	/* Leaves `out` alone when it is not yet time. */
	enum asc_status (*check)(const struct stop_state *s, struct stop_decision *out,
				 struct asc_err *e);
};

extern const struct stop_ops *const stop_list[]; /* NULL-terminated; the first verdict counts */

/* Applies all rules after the newest sample. Fails only when out of memory. */
enum asc_status stop_check(const struct stop_state *s, struct stop_decision *out,
			   struct asc_err *e);

/* Judges by all samples taken, marked or not: noise only makes a launch longer. STOP_SLOW when even
 * the fastest of `disturbed` is beyond twice the best median, or of four times as many beyond
 * `near` times. */
void stop_check_fastest(const struct stop_state *s, struct stop_decision *out);

/* Judges by the first launch: STOP_SLOW when it is far beyond the best median. */
void stop_check_first(const struct policy *r, const struct incumbent *best, int64_t first_ns,
		      struct stop_decision *out);

/* True when the first launch is so long that the first sample may decide. */
bool stop_wants_second(const struct policy *r, const struct incumbent *best, int64_t first_ns);

#endif
