/* The best, decided once: from the rows of a snapshot, without a database. Best is the fastest,
 * or what takes the least energy.
 *
 * For each cache policy that a subject was measured with there is an answer of all implementations,
 * and one of each implementation that is current, which is the best of that alone. Answers refer to
 * the snapshot, which outlives them. What a run had found when it ended, whatever has failed since,
 * is the matter of run_outcome.h. */
#ifndef ASCTUNE_RESULTS_ANSWERS_H
#define ASCTUNE_RESULTS_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tuner/base/buf.h"
#include "tuner/base/err.h"
#include "tuner/result/baselines.h"
#include "tuner/result/objective.h"
#include "tuner/result/tie.h"

struct final_row;
struct implementation_row;
struct run_row;
struct snapshot;
struct trial_row;

struct answer {
	const char *cache_policy;
	int64_t simulated;                    /* the origin of its runs: 0: measured */
	const struct implementation_row *own; /* the best of this one; NULL: of all */
	bool failed; /* nothing passes any more: what passed last, compared with nothing */
	const struct trial_row *trial;
	const struct run_row *final_run; /* run whose finals decide; NULL: none were held */
	const struct final_row *final;   /* the finalist that they answer with */
	struct sureness sure;
	struct objective_answer energy;
	struct buf ties; /* finalists that may be as fast, itself among them: [[implementation,
			    hash of the configuration], ...]; "[]": no finals */
	/* The default configuration of its implementation and the fastest of each baseline in the
	 * same rounds, without finals in the same run: NaN where it was not measured there. Ratios
	 * are to the answer's time, 0: unknown. */
	double default_ns, vs_default;
	const char *default_key;
	struct baselines baselines;
	int64_t trials, ok_trials; /* configurations tried; those that passed and stand */
	int64_t newest; /* time and number of the subject's newest run: what is later is greater */
};

struct answers {
	struct answer *list;
	size_t n, room;
};

/* Implementations that an answer is of: all together, each on its own, or both kinds of answers. */
enum answers_of { ANSWERS_OF_ALL, ANSWERS_OF_EACH, ANSWERS_OF_BOTH };

/* Finds the answers of a subject by an objective. By energy, or its product with time, there are
 * only answers of configurations whose energy was measured: those of one run are compared, which
 * were measured by turns. Fails out of memory, and with ASC_INPUT where the policy of a run
 * has to be known and cannot be read. On failure there is nothing to end. */
enum asc_status answers_find(const struct snapshot *s, enum answers_of of, enum objective by,
			     struct answers *out, struct asc_err *e);
void answers_fini(struct answers *a);

/* Finds the fastest trial that stands, of the current implementation of that name, with the cache
 * policy; NULL: none. */
const struct trial_row *answers_find_fastest(const struct snapshot *s, const char *cache_policy,
					     const char *implementation);

#endif
