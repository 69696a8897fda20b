/* Results from before a search, of other devices, problems or versions: the expectation of each
 * such source is one more number in the row of a configuration, whose worth trees find out.
 *
 * The caller owns the storage: prior_init(), prior_fini(). The encoding is borrowed. */
#ifndef ASCTUNE_TUNE_SEARCH_PRIOR_H
#define ASCTUNE_TUNE_SEARCH_PRIOR_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/search/encoding.h"
#include "tuner/tune/search/forest.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search/training_set.h"
#include "tuner/tune/search/visits.h"

struct prior {
	const struct encoding *encoding;
	size_t n; /* sources, the first that the history names */
	struct prior_source {
		const char *name;    /* borrowed from the history */
		double agreement;    /* part of the pairs of the best of this search's results that
					the source orders as they are */
		struct visits known; /* logarithms of the scores of configurations of the space */
		struct training_set training;
		struct forest forest; /* for configurations that the source does not know */
	} sources[STRATEGY_HISTORY_SOURCES];
};

/* Learns a history; scores that are no positive number, configurations outside of the space, and
 * sources with too few results do not count. */
enum asc_status prior_init(struct prior *p, const struct encoding *c,
			   const struct strategy_options *o, struct asc_err *e);
void prior_fini(struct prior *p);

/* Judges each source by the best of these results, which should be of configurations that are
 * spread over the space; their rows have the source's numbers from the feature `first` on; without
 * results two pairs of three agree. */
void prior_judge(struct prior *p, const struct training_set *results, size_t first);

/* Finds the source that agrees most; NULL: there is none. */
const struct prior_source *prior_find_best(const struct prior *p);

/* Logarithm of the score of a configuration, whose row is `row`, as a source knows or expects it.
 */
float prior_source_get(const struct prior_source *s, uint64_t index, const float *row);

/* Writes p->n numbers for a configuration, one of each source. */
void prior_get(const struct prior *p, uint64_t index, const float *row, float *out);

#endif
