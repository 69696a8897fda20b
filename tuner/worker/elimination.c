#include "tuner/worker/elimination.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/stats.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"
#include "tuner/worker/policy.h"

/* Finds the lowest median. `sorted` has room for the samples of one. */
static const struct finals_rounds *find_leader(const struct finals_rounds *list, size_t rounds,
					       const size_t *order, size_t n, int64_t *sorted)
{
	const struct finals_rounds *leader = NULL;
	struct stats_summary own;
	double least = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(sorted, list[order[i]].samples, rounds * sizeof *sorted);
		stats_summarize(sorted, rounds, &own);
		if (leader && own.median >= least)
			continue;
		leader = &list[order[i]];
		least = own.median;
	}
	return leader;
}

struct count {
	size_t slower, far, rounds;
};

static struct count count_rounds(const struct policy *r, const struct finals_rounds *own,
				 const struct finals_rounds *leader, size_t rounds, bool clean)
{
	struct count c = {0};

	for (size_t i = 0; i < rounds; i++) {
		const double mine = (double)own->samples[i], its = (double)leader->samples[i];

		if (clean && !(result_is_clean(own->notes, i) && result_is_clean(leader->notes, i)))
			continue;
		c.rounds++;
		c.slower += mine > (1 + r->tests.margin) * its;
		c.far += mine > POLICY_FINALS_FAR * its;
	}
	return c;
}

enum asc_status finals_drop(const struct policy *r, const struct finals_rounds *list, size_t rounds,
			    size_t *order, size_t *n, struct asc_err *e)
{
	int64_t *sorted = malloc(rounds * sizeof *sorted);
	size_t kept = 0;

	if (!sorted)
		return asc_err_nomem(e);
	const struct finals_rounds *leader = find_leader(list, rounds, order, *n, sorted);

	free(sorted);
	for (size_t i = 0; i < *n; i++) {
		const struct finals_rounds *own = &list[order[i]];
		const struct count clean = count_rounds(r, own, leader, rounds, true);
		/* Few clean rounds say too little alone: on a machine that is never quiet all of
		 * them count. */
		const struct count c = clean.rounds < TIE_LEAST_CLEAN
					       ? count_rounds(r, own, leader, rounds, false)
					       : clean;
		const bool far = (clean.far == clean.rounds && clean.rounds >= POLICY_FAR_CLEAN) ||
				 (c.far == c.rounds && c.rounds >= POLICY_FAR_DISTURBED);

		if (own->full || !(far || stats_sign_test(c.slower, c.rounds) < r->tests.p_slow))
			order[kept++] = order[i];
	}
	*n = kept;
	return ASC_OK;
}
