#include "tuner/search/candidate_pool.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum asc_status pool_init(struct pool *p, size_t features, struct asc_err *e)
{
	*p = (struct pool){.features = features,
			   .indices = malloc(POOL_SIZE * sizeof *p->indices),
			   .rows = malloc(POOL_SIZE * (features + 1) * sizeof *p->rows),
			   .expected = malloc(sizeof *p->expected * POOL_SIZE * FOREST_TREES),
			   .sums = malloc(POOL_SIZE * sizeof *p->sums),
			   .squares = malloc(POOL_SIZE * sizeof *p->squares)};
	bool made = p->indices && p->rows && p->expected && p->sums && p->squares;

	return made ? ASC_OK : asc_err_nomem(e);
}

void pool_fini(struct pool *p)
{
	free(p->indices);
	free(p->rows);
	free(p->expected);
	free(p->sums);
	free(p->squares);
	*p = (struct pool){0};
}

void pool_add(struct pool *p, const struct forest *f, uint64_t index, const float *row)
{
	const size_t at = p->n++;

	p->indices[at] = index;
	memcpy(&p->rows[at * p->features], row, p->features * sizeof *row);
	for (size_t t = 0; t < FOREST_TREES; t++)
		p->expected[t * POOL_SIZE + at] = forest_tree_expect(f, t, row);
}

void pool_expect(struct pool *p, const struct forest *f, size_t tree)
{
	for (size_t i = 0; i < p->n; i++)
		p->expected[tree * POOL_SIZE + i] =
			forest_tree_expect(f, tree, &p->rows[i * p->features]);
}

void pool_remove(struct pool *p, uint64_t index)
{
	size_t at = 0;

	while (at < p->n && p->indices[at] != index)
		at++;
	if (at == p->n)
		return;
	const size_t last = --p->n;

	p->indices[at] = p->indices[last];
	memmove(&p->rows[at * p->features], &p->rows[last * p->features],
		p->features * sizeof *p->rows);
	for (size_t t = 0; t < FOREST_TREES; t++)
		p->expected[t * POOL_SIZE + at] = p->expected[t * POOL_SIZE + last];
}

size_t pool_find_least(struct pool *p, size_t view, float deviations)
{
	size_t least = p->n;
	float lowest = INFINITY;

	memset(p->sums, 0, p->n * sizeof *p->sums);
	memset(p->squares, 0, p->n * sizeof *p->squares);
	for (size_t t = view; t < FOREST_TREES; t += POOL_VIEWS) {
		const float *expected = &p->expected[t * POOL_SIZE];

		for (size_t i = 0; i < p->n; i++) {
			p->sums[i] += expected[i];
			p->squares[i] += expected[i] * expected[i];
		}
	}
	for (size_t i = 0; i < p->n; i++) {
		const float bound = forest_bound_of(p->sums[i], p->squares[i],
						    (float)FOREST_TREES / POOL_VIEWS, deviations);

		if (bound < lowest) {
			lowest = bound;
			least = i;
		}
	}
	return least;
}
