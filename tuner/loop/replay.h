/* Searches replayed on recorded results: runs of a strategy that spend recorded time, and their
 * score. */
#ifndef ASCTUNE_LOOP_REPLAY_H
#define ASCTUNE_LOOP_REPLAY_H

#include <stddef.h>
#include <stdint.h>

#include "tuner/base/err.h"
#include "tuner/replay/score.h"

struct recorded;
struct strategy_ops;

struct replay_options {                      /* borrowed */
	const struct strategy_ops *strategy; /* NULL: strategy_auto() */
	uint64_t runs;                       /* at least 1 */
	uint64_t seed;                       /* of the first run; each has the next one */
	size_t ahead; /* number of configurations that are asked for before the first result */
	const struct recorded *history; /* results that the strategy begins with; NULL: none */
};

struct replay_summary {
	struct score_space space;
	struct score score;
	double evals;             /* mean number of evaluations of a run */
	uint32_t worst_rank;      /* rank of the best configuration of the worst run */
	double cpu_s, most_cpu_s; /* processor time of a run: mean, and the longest */
};

/* Replays the runs side by side in threads, and scores them. */
enum asc_status replay(const struct recorded *r, const struct replay_options *o,
		       struct replay_summary *out, struct asc_err *e);

#endif
