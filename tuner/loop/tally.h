/* The running sums of a loop: counts, times, the best and the default configuration. */
#ifndef ASCTUNE_LOOP_TALLY_H
#define ASCTUNE_LOOP_TALLY_H

#include <stdbool.h>
#include <stdint.h>

struct arm;
struct arms;
struct binding;
struct config;
struct loop_options;
struct loop_steadiness;
struct loop_summary;
struct result;

void tally_begin(struct loop_summary *s, const struct loop_options *o, const struct binding *b,
		 const struct arms *arms);

/* Counts the samples of a result of this run. */
void tally_steadiness(struct loop_steadiness *s, const struct result *r);

/* What a result has become. */
enum { TALLY_BEST = 1, TALLY_PRESET = 2, TALLY_BASELINE = 4 };

/* Counts a result; gives the TALLY_ bits of the places that it took. */
unsigned tally_add(struct loop_summary *s, const struct arm *arm, uint64_t index,
		   const struct config *c, const struct result *r);

#endif
