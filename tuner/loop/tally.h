/* The running sums of a loop: counts, times, the best and the default configuration. */
#ifndef ASCTUNE_LOOP_TALLY_H
#define ASCTUNE_LOOP_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "tuner/model/result.h"

struct arm;
struct arms;
struct binding;
struct config;
struct loop_options;
struct loop_steadiness;
struct loop_summary;

void tally_begin(struct loop_summary *s, const struct loop_options *o, const struct binding *b,
		 const struct arms *arms);

/* Counts the samples of a result of this run. */
void tally_steadiness(struct loop_steadiness *s, const struct result *r);

/* Counts a result; true: it is the fastest so far. */
bool tally_add(struct loop_summary *s, const struct arm *arm, uint64_t index,
	       const struct config *c, const struct result *r);

bool tally_is_best(const struct loop_summary *s, const struct arm *arm, const struct config *c);
void tally_set_best(struct loop_summary *s, const struct arm *arm, const struct config *c,
		    const struct result *r);

/* A result that was counted as `before` (RESULT_STATUS_COUNT: it was not counted) is `r` now. */
void tally_change(struct loop_summary *s, const struct arm *arm, const struct config *c,
		  enum result_status before, const struct result *r);

#endif
