#include "tuner/search/lessons.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/search/encoding.h"

/* Rows of a tree that are the best ones, and of the others; the others are drawn, so that they are
 * that many on average. */
enum { BEST = 150, MOST = 4 * BEST, FIRST_CAPACITY = 64 };

/* What is added to the gap, in parts of the median's, so that the best one has a logarithm. */
static const float LEAST_GAP = 0.1F, TINY = 1e-6F;

void lessons_fini(struct lessons *l)
{
	free(l->rows);
	free(l->logs);
	free(l->sorted);
	free(l->sample_rows);
	free(l->sample_targets);
	*l = (struct lessons){0};
}

static bool grow_list(float **list, size_t n)
{
	float *more = realloc(*list, (n ? n : 1) * sizeof **list);

	*list = more ? more : *list;
	return more != NULL;
}

static enum asc_status make_room(struct lessons *l, struct asc_err *e)
{
	const size_t wanted = l->capacity ? 2 * l->capacity : FIRST_CAPACITY;

	if (l->n < l->capacity)
		return ASC_OK;
	if (!grow_list(&l->rows, wanted * l->features) || !grow_list(&l->logs, wanted) ||
	    !grow_list(&l->sorted, wanted) || !grow_list(&l->sample_rows, MOST * l->features) ||
	    !grow_list(&l->sample_targets, MOST))
		return asc_err_nomem(e);
	l->capacity = wanted;
	return ASC_OK;
}

enum asc_status lessons_add(struct lessons *l, const float *row, double score, struct asc_err *e)
{
	const bool passed = !isinf(score);

	if (make_room(l, e))
		return e->status;
	memcpy(&l->rows[l->n * l->features], row, l->features * sizeof *row);
	const float log = passed ? (float)encoding_log2(score) : INFINITY;

	l->logs[l->n++] = log;
	size_t at = l->n_passed;

	l->n_passed += passed;
	for (; passed && at > 0 && l->sorted[at - 1] > log; at--)
		l->sorted[at] = l->sorted[at - 1];
	if (passed)
		l->sorted[at] = log;
	return ASC_OK;
}

static float target_of(const struct lessons *l, enum lessons_target target, float log)
{
	const float best = l->sorted[0], median = l->sorted[l->n_passed / 2];

	if (isinf(log))
		log = l->sorted[l->n_passed - 1];
	if (target == LESSONS_LOG)
		return log;
	return (float)encoding_log2((double)(log - best + LEAST_GAP * (median - best) + TINY));
}

void lessons_draw(struct lessons *l, enum lessons_target target, struct rng *r,
		  struct forest_rows *out)
{
	const bool all = l->n <= 2 * (size_t)BEST;
	const float cut = l->n_passed > BEST ? l->sorted[BEST - 1] : l->sorted[l->n_passed - 1];
	const double part = all ? 1 : (double)BEST / (double)(l->n - BEST);
	size_t n = 0;

	for (size_t i = 0; i < l->n && n < MOST; i++) {
		if (!all && l->logs[i] > cut && rng_uniform(r) >= part)
			continue;
		memcpy(&l->sample_rows[n * l->features], &l->rows[i * l->features],
		       l->features * sizeof *l->rows);
		l->sample_targets[n++] = target_of(l, target, l->logs[i]);
	}
	*out = (struct forest_rows){l->sample_rows, l->sample_targets, n};
}
