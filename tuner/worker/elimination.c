#include "tuner/worker/elimination.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/stats.h"
#include "tuner/result/result.h"
#include "tuner/result/tie.h"
#include "tuner/worker/policy.h"

enum { FAR_ROUNDS = 2 };

/* `sorted` has room for the samples of one. */
static const struct elimination *find_leader(const struct elimination *list, size_t rounds,
					     const size_t *order, size_t n, int64_t *sorted)
{
	const struct elimination *leader = NULL;
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

static struct count count_rounds(const struct policy *r, const struct elimination *own,
				 const struct elimination *leader, size_t rounds, bool clean)
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

static bool is_slower(const struct policy *r, const struct elimination *own,
		      const struct elimination *leader, size_t rounds)
{
	struct count clean = count_rounds(r, own, leader, rounds, true);
	struct count c = clean.rounds < TIE_LEAST_CLEAN
				 ? count_rounds(r, own, leader, rounds, false)
				 : clean;

	return (clean.far == clean.rounds && clean.rounds >= FAR_ROUNDS) ||
	       stats_sign_test(c.slower, c.rounds) < r->tests.p_slow;
}

enum asc_status elimination_drop(const struct policy *r, const struct elimination *list,
				 size_t rounds, size_t *order, size_t *n, struct asc_err *e)
{
	int64_t *sorted = malloc(rounds * sizeof *sorted);
	size_t kept = 0;

	if (!sorted)
		return asc_err_nomem(e);
	const struct elimination *leader = find_leader(list, rounds, order, *n, sorted);

	free(sorted);
	for (size_t i = 0; i < *n; i++) {
		const struct elimination *own = &list[order[i]];

		if (own->full || !is_slower(r, own, leader, rounds))
			order[kept++] = order[i];
	}
	*n = kept;
	return ASC_OK;
}
