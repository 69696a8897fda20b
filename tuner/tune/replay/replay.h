/* Searches replayed on recorded results: runs of a strategy that spend recorded time, and their
 * score. */
#ifndef ASCTUNE_TUNE_REPLAY_REPLAY_H
#define ASCTUNE_TUNE_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/tune/replay/score.h"
#include "tuner/tune/search/patience.h"
#include "tuner/tune/search/strategy.h"

struct recorded;

enum { REPLAY_MAX_ARMS = 16 };

/* Recorded results that a search is replayed on. Arms are the implementations of one problem, which
 * share the budget of a run. */
struct replay_subject {
	const struct recorded *const *arms;
	size_t n;                      /* at most REPLAY_MAX_ARMS */
	const struct recorded *joined; /* recorded_join() of them; of one arm that arm */
};

struct replay_options {                      /* borrowed */
	const struct strategy_ops *strategy; /* NULL: strategy_auto() */
	uint64_t runs;                       /* at least 1 */
	uint64_t seed;                       /* of the first run; each has the next one */
	size_t ahead; /* number of configurations that are asked for before the first result */
	const struct recorded *history; /* results that the strategy begins with; NULL: none */
	double within;    /* part of the optimum: a run goes on after its budget, unscored, until it
			     has found a configuration within that of the optimum; 0: it does not */
	bool until_found; /* with `within`: a run ends where it has found that; its score is of
			     what it did until then */
	struct patience_wanted patience; /* runs end before their budget; not with `within` */
	/* Features of configurations of the one arm; asked by several threads. */
	struct strategy_features features;
};

struct replay_summary {
	struct score_space space;
	struct score score;
	double evals;                     /* mean number of evaluations of a run */
	uint32_t worst_rank;              /* rank of the best configuration of the worst run */
	double ratio;                     /* mean of the best times to the optimum's; infinite:
					     a run found nothing */
	double cpu_s, most_cpu_s;         /* processor time of a run: mean, and the longest */
	double evals_of[REPLAY_MAX_ARMS]; /* mean number of evaluations of each arm */
	double evals_within; /* median number of evaluations to a configuration `within` */
};

/* Replays the runs side by side in threads, and scores them. The options' history is of one arm. */
enum asc_status replay(const struct replay_subject *subject, const struct replay_options *o,
		       struct replay_summary *out, struct asc_err *e);

#endif
