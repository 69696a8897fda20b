#include "tuner/run/heat.h"

#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats.h"
#include "tuner/run/rule.h"

/* `sorted` has room for the samples of one. */
static const int64_t *find_leader(const struct heat *list, size_t rounds, const size_t *order,
				  size_t n, int64_t *sorted)
{
	const int64_t *leader = NULL;
	struct stats_summary own;
	double least = 0;

	for (size_t i = 0; i < n; i++) {
		memcpy(sorted, list[order[i]].samples, rounds * sizeof *sorted);
		stats_summarize(sorted, rounds, &own);
		if (leader && own.median >= least)
			continue;
		leader = list[order[i]].samples;
		least = own.median;
	}
	return leader;
}

static bool is_slower(const struct rule *r, const int64_t *own, const int64_t *leader,
		      size_t rounds)
{
	size_t slower = 0, far = 0;

	for (size_t i = 0; i < rounds; i++) {
		slower += (double)own[i] > (1 + r->margin) * (double)leader[i];
		far += r->finals_far > 0 && (double)own[i] > r->finals_far * (double)leader[i];
	}
	return far == rounds || stats_sign_test(slower, rounds) < r->p_slow;
}

enum asc_status heat_drop(const struct rule *r, const struct heat *list, size_t rounds,
			  size_t *order, size_t *n, struct asc_err *e)
{
	int64_t *sorted = malloc(rounds * sizeof *sorted);
	size_t kept = 0;

	if (!sorted)
		return asc_err_nomem(e);
	const int64_t *leader = find_leader(list, rounds, order, *n, sorted);

	free(sorted);
	for (size_t i = 0; i < *n; i++) {
		const struct heat *own = &list[order[i]];

		if (own->unraced || !is_slower(r, own->samples, leader, rounds))
			order[kept++] = order[i];
	}
	*n = kept;
	return ASC_OK;
}
