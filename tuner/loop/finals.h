/* The end of a search: the best few measured once more, together, and the class of ties. */
#ifndef ASCTUNE_LOOP_FINALS_H
#define ASCTUNE_LOOP_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/loop/loop.h"
#include "tuner/model/config.h"

struct arms;
struct binding;
struct journal;
struct result;

struct contender {
	size_t arm;
	struct config config;
	double median_ns;
	double sample_ns; /* what a sample took with all around it, caches made cold too */
	double low_ns;    /* of the interval of the median, or of the range where there is none */
};

/* Beside the best: what the summary compares it with, and the lowest median. */
enum guest { GUEST_PRESET, GUEST_BASELINE, GUEST_FASTEST, GUEST_COUNT };

/* The best so far, fastest first, and the guests. The caller's storage, zeroed at first. */
struct contenders {
	struct contender list[EVALUATOR_MAX_FINALISTS];
	size_t n;
	struct contender guests[GUEST_COUNT];
	bool has_guest[GUEST_COUNT];
	double fastest_ns; /* its median; 0: nobody's yet */
};

/* `places` as tally_add() gives them. */
void contenders_add(struct contenders *c, size_t arm, const struct config *config,
		    const struct result *r, unsigned places);

struct finals_context { /* all borrowed */
	const struct loop_options *options;
	struct evaluator *evaluator; /* with nothing pending */
	const struct arms *arms;
	const struct binding *binding;
	struct journal *journal;
	int64_t until_ns;         /* as in struct evaluator_finals */
	void (*tick)(void *user); /* called while nothing comes; or NULL */
	void *user;
};

/* Holds the finals where the policy asks for them, something was measured, and there are at least
 * two to compare; records the class and makes its winner the summary's best, beside the times that
 * default and baseline had in the same rounds. A stop leaves everything as it was. */
enum asc_status finals_hold(const struct finals_context *x, const struct contenders *c,
			    struct loop_summary *out, struct asc_err *e);

#endif
