#include "tuner/tune/search/candidate_pool.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum asc_status candidate_pool_init(struct candidate_pool *p, size_t features, struct asc_err *e)
{
	*p = (struct candidate_pool){
		.features = features,
		.indices = malloc(CANDIDATE_POOL_SIZE * sizeof *p->indices),
		.rows = malloc(CANDIDATE_POOL_SIZE * (features + 1) * sizeof *p->rows),
		.expected = malloc(sizeof *p->expected * CANDIDATE_POOL_SIZE * FOREST_TREES),
		.sums = malloc(CANDIDATE_POOL_SIZE * sizeof *p->sums),
		.squares = malloc(CANDIDATE_POOL_SIZE * sizeof *p->squares)};
	bool made = p->indices && p->rows && p->expected && p->sums && p->squares;

	return made ? ASC_OK : asc_err_nomem(e);
}

void candidate_pool_fini(struct candidate_pool *p)
{
	free(p->indices);
	free(p->rows);
	free(p->expected);
	free(p->sums);
	free(p->squares);
	*p = (struct candidate_pool){0};
}

void candidate_pool_add(struct candidate_pool *p, uint64_t index, const float *row)
{
	const size_t at = p->n++;

	p->indices[at] = index;
	memcpy(&p->rows[at * p->features], row, p->features * sizeof *row);
}

void candidate_pool_expect(struct candidate_pool *p, const struct forest *f, size_t tree)
{
	forest_expect(f, tree, p->rows, p->n, &p->expected[tree * CANDIDATE_POOL_SIZE]);
}

void candidate_pool_remove(struct candidate_pool *p, uint64_t index)
{
	size_t at = 0;

	while (at < p->n && p->indices[at] != index)
		at++;
	if (at == p->n)
		return;
	/* The last candidate takes the place, in rows and expectations too. */
	const size_t last = --p->n;

	p->indices[at] = p->indices[last];
	memmove(&p->rows[at * p->features], &p->rows[last * p->features],
		p->features * sizeof *p->rows);
	for (size_t t = 0; t < FOREST_TREES; t++)
		p->expected[t * CANDIDATE_POOL_SIZE + at] =
			p->expected[t * CANDIDATE_POOL_SIZE + last];
}

float candidate_pool_bound(const struct candidate_pool *p, size_t at, float deviations)
{
	return forest_bound_of(p->sums[at], p->squares[at],
			       (float)FOREST_TREES / CANDIDATE_POOL_VIEWS, deviations);
}

size_t candidate_pool_find_least(struct candidate_pool *p, size_t view, float deviations)
{
	size_t least = p->n;
	float lowest = INFINITY;

	memset(p->sums, 0, p->n * sizeof *p->sums);
	memset(p->squares, 0, p->n * sizeof *p->squares);
	/* Tree by tree, so that the inner loop runs along memory. */
	for (size_t t = view; t < FOREST_TREES; t += CANDIDATE_POOL_VIEWS) {
		const float *expected = &p->expected[t * CANDIDATE_POOL_SIZE];

		for (size_t i = 0; i < p->n; i++) {
			p->sums[i] += expected[i];
			p->squares[i] += expected[i] * expected[i];
		}
	}
	for (size_t i = 0; i < p->n; i++) {
		const float bound = candidate_pool_bound(p, i, deviations);

		if (bound < lowest) {
			lowest = bound;
			least = i;
		}
	}
	return least;
}
