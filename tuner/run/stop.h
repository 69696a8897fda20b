/* When the sampling of one configuration ends: rules as objects, each looking at the samples so
 * far. Pure: no clock, no device. */
#ifndef ASCTUNE_RUN_STOP_H
#define ASCTUNE_RUN_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/run/rule.h"

struct result;

/* The best configuration so far, which others race against. The caller owns the storage: a zeroed
 * struct rival is nobody; rival_set(), rival_fini(). */
struct rival {
	int64_t *samples; /* ns a launch, ascending; heap */
	size_t n;
	double median_ns; /* 0: none */
	double mhz;       /* the clock that it has that median at; 0: unknown */
};

enum asc_status rival_set(struct rival *r, const int64_t *samples, size_t n, struct asc_err *e);

/* The samples of a result without marks, where there are a few; else all. */
enum asc_status rival_set_result(struct rival *r, const struct result *result, struct asc_err *e);
void rival_fini(struct rival *r);

struct stop_state { /* all borrowed */
	const struct rule *rule;
	const int64_t *samples; /* ns a launch, in the order taken */
	const int64_t *notes;   /* as in struct result; NULL: nothing is known */
	size_t n;
	int64_t taken;      /* samples, those included that were thrown away for their marks */
	int64_t fastest_ns; /* of these */
	int64_t first_ns;   /* of the verification launch; 0: says nothing */
	int64_t spent_ns;   /* kernel time of the samples */
	const struct rival *best;
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

/* What all rules together say after the newest sample. Fails only when out of memory. */
enum asc_status stop_check(const struct stop_state *s, struct stop_decision *out,
			   struct asc_err *e);

/* What all samples say that were taken, marked or not: what disturbs a launch only makes it longer.
 * STOP_SLOW when even the fastest of `disturbed` is beyond twice the best median, or of four times
 * as many beyond `near` times. */
void stop_check_fastest(const struct stop_state *s, struct stop_decision *out);

/* What the first launch says: STOP_SLOW when it is far beyond the best median. */
void stop_check_first(const struct rule *r, const struct rival *best, int64_t first_ns,
		      struct stop_decision *out);

/* Is the first launch so long that the first sample may decide the race? */
bool stop_is_doubtful(const struct rule *r, const struct rival *best, int64_t first_ns);

#endif
