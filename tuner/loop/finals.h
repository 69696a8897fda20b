/* The end of a search: the best few measured once more, together, and the class of ties. */
#ifndef ASCTUNE_LOOP_FINALS_H
#define ASCTUNE_LOOP_FINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/loop/loop.h"
#include "tuner/model/config.h"
#include "tuner/model/result.h"

struct arms;
struct binding;
struct journal;
struct result;

enum { FINALS_MAX_GUESTS = 24 };

struct contender {
	size_t arm;
	struct config config;
	double median_ns;
	double sample_ns; /* what a sample took with all around it, caches made cold too */
	double low_ns;    /* of the interval of the median, or of the range where there is none */
	enum result_status status;
	bool preset;   /* the default configuration of its implementation */
	bool recorded; /* the best on record, chosen in finals */
	bool counted;  /* its result is one of this run's */
};

/* Of the list the fastest so far, in order; guests take part however slow they are: the default of
 * each implementation, the fastest of the baseline. The caller's storage, zeroed at first. */
struct contenders {
	struct contender list[EVALUATOR_MAX_FINALISTS];
	size_t n;
	struct contender guests[FINALS_MAX_GUESTS];
	size_t n_guests;
};

/* What passed, was not decided, or is a default that was dropped for being slow, may take part. */
void contenders_add(struct contenders *c, const struct arms *arms, size_t arm, uint64_t index,
		    const struct config *config, const struct result *r);

/* One of them has failed since. */
void contenders_withdraw(struct contenders *c, size_t arm, const struct config *config);

/* The fastest that passed; NULL: there is none. */
const struct contender *contenders_find_best(const struct contenders *c);

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

/* Holds the finals where the policy asks for them, something was measured or none are on record,
 * and there are at least two to compare; records what came of them. Who fails there is recorded
 * with that result, and the others are measured again without it. A stop leaves everything else as
 * it was. */
enum asc_status finals_hold(const struct finals_context *x, const struct contenders *c,
			    struct loop_summary *out, struct asc_err *e);

#endif
