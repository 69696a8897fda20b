#include "tuner/tune/search/training_set.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/tune/search/encoding.h"

/* BEST: rows of a sample that are the best ones; as many of the others are drawn on average. MOST:
 * rows of a sample at most. */
enum { BEST = 150, MOST = 4 * BEST, FIRST_CAPACITY = 64 };

/* Addends to a gap, so that the best one has a logarithm: a part of the median's gap, and a number
 * for a median that is the best. */
static const float LEAST_GAP = 0.1F, TINY = 1e-6F;

void training_set_fini(struct training_set *s)
{
	free(s->rows);
	free(s->logs);
	free(s->sorted);
	free(s->sample_rows);
	free(s->sample_targets);
	*s = (struct training_set){0};
}

static bool grow_list(float **list, size_t n)
{
	float *more = realloc(*list, (n ? n : 1) * sizeof **list);

	*list = more ? more : *list;
	return more != NULL;
}

static enum asc_status make_room(struct training_set *s, struct asc_err *e)
{
	const size_t wanted = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;

	if (s->n < s->capacity)
		return ASC_OK;
	if (!grow_list(&s->rows, wanted * s->features) || !grow_list(&s->logs, wanted) ||
	    !grow_list(&s->sorted, wanted) || !grow_list(&s->sample_rows, MOST * s->features) ||
	    !grow_list(&s->sample_targets, MOST))
		return asc_err_nomem(e);
	s->capacity = wanted;
	return ASC_OK;
}

enum asc_status training_set_add(struct training_set *s, const float *row, double score,
				 struct asc_err *e)
{
	const bool passed = !isinf(score);

	if (make_room(s, e))
		return e->status;
	memcpy(&s->rows[s->n * s->features], row, s->features * sizeof *row);
	const float log = passed ? (float)encoding_log2(score) : INFINITY;

	s->logs[s->n++] = log;
	size_t at = s->n_passed;

	s->n_passed += passed;
	for (; passed && at > 0 && s->sorted[at - 1] > log; at--)
		s->sorted[at] = s->sorted[at - 1];
	if (passed)
		s->sorted[at] = log;
	return ASC_OK;
}

static float target_of(const struct training_set *s, enum training_target target, float log)
{
	const float best = s->sorted[0], median = s->sorted[s->n_passed / 2];

	/* A failure as a value far off would be all that trees split by. */
	if (isinf(log))
		log = s->sorted[s->n_passed - 1];
	if (target == TRAINING_LOG)
		return log;
	return (float)encoding_log2((double)(log - best + LEAST_GAP * (median - best) + TINY));
}

void training_set_draw(struct training_set *s, enum training_target target, struct rng *r,
		       struct forest_rows *out)
{
	const bool all = s->n <= 2 * (size_t)BEST;
	const float cut = s->n_passed > BEST ? s->sorted[BEST - 1] : s->sorted[s->n_passed - 1];
	const double part = all ? 1 : (double)BEST / (double)(s->n - BEST);
	size_t n = 0;

	/* The cost of a tree is bounded, whatever the number of results, and the best ones, which
	 * decide where to look, are in every sample. */
	for (size_t i = 0; i < s->n && n < MOST; i++) {
		if (!all && s->logs[i] > cut && rng_uniform(r) >= part)
			continue;
		memcpy(&s->sample_rows[n * s->features], &s->rows[i * s->features],
		       s->features * sizeof *s->rows);
		s->sample_targets[n++] = target_of(s, target, s->logs[i]);
	}
	*out = (struct forest_rows){s->sample_rows, s->sample_targets, n};
}
