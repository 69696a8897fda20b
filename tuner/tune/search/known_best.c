#include "tuner/tune/search/known_best.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search/visits.h"
#include "tuner/workload/space/space.h"

struct ranked {
	uint64_t index;
	double score;
	size_t source, place; /* source: the number of its first result; place: in the history */
	size_t rank;          /* rank in its source */
};

bool strategy_known_find(const struct strategy_known *k, const struct space *space, uint64_t *index)
{
	return k->score > 0 && !isinf(k->score) && space_find(space, &k->config, index);
}

static bool same_source(const struct strategy_known *a, const struct strategy_known *b)
{
	return a->source == b->source ||
	       (a->source && b->source && strcmp(a->source, b->source) == 0);
}

/* Results of one source come in a row or nearly so: the search for its first begins with that of
 * the result before. */
static size_t find_source(const struct strategy_known *history, size_t at, size_t before)
{
	size_t first = 0;

	if (same_source(&history[before], &history[at]))
		return before;
	while (!same_source(&history[first], &history[at])) /* `at` itself ends it */
		first++;
	return first;
}

static int compare_numbers(size_t a, size_t b)
{
	return a < b ? -1 : a > b;
}

/* Orders the results of a configuration by place, within its source. */
static int by_configuration(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->source != y->source)
		return compare_numbers(x->source, y->source);
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return compare_numbers(x->place, y->place);
}

static int by_score(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->source != y->source)
		return compare_numbers(x->source, y->source);
	if (x->score != y->score)
		return x->score < y->score ? -1 : 1;
	return compare_numbers(x->place, y->place);
}

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->rank != y->rank ? compare_numbers(x->rank, y->rank)
				  : compare_numbers(x->source, y->source);
}

static size_t find_known(struct ranked *out, const struct space *space,
			 const struct strategy_known *history, size_t n)
{
	size_t kept = 0, source = 0;

	for (size_t i = 0; i < n; i++) {
		struct ranked *r = &out[kept];

		source = find_source(history, i, source);
		*r = (struct ranked){.score = history[i].score, .source = source, .place = i};
		kept += strategy_known_find(&history[i], space, &r->index);
	}
	return kept;
}

/* Keeps the first result of each configuration of a source. */
static size_t remove_repeated(struct ranked *list, size_t n)
{
	size_t kept = 0;

	qsort(list, n, sizeof *list, by_configuration);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || list[kept - 1].source != list[i].source ||
		    list[kept - 1].index != list[i].index)
			list[kept++] = list[i];
	return kept;
}

static void rank(struct ranked *list, size_t n)
{
	qsort(list, n, sizeof *list, by_score);
	for (size_t i = 1; i < n; i++)
		if (list[i].source == list[i - 1].source)
			list[i].rank = list[i - 1].rank + 1;
	qsort(list, n, sizeof *list, by_rank);
}

/* True when a configuration differs in one parameter from one that is taken. */
static bool is_near_taken(const struct known_best *b, const struct space *space, uint64_t index)
{
	uint16_t picks[CONFIG_MAX_PARAMETERS], taken[CONFIG_MAX_PARAMETERS];

	space_get_picks(space, index, picks);
	for (size_t i = 0; i < b->n; i++) {
		size_t differ = 0;

		space_get_picks(space, b->list[i], taken);
		/* Positions of values are compared, not values: a step is a step, whatever its
		 * size. */
		for (size_t k = 0; k < space_params(space); k++)
			differ += picks[k] != taken[k];
		if (differ < 2)
			return true;
	}
	return false;
}

struct taking {
	const struct space *space;
	const struct ranked *list;
	size_t n, most;
	struct visits taken; /* several sources may know one */
};

/* Takes the first configurations up to the number that is wanted; `apart`: none near another. */
static enum asc_status take(struct known_best *b, struct taking *t, bool apart, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; !status && i < t->n && b->n < t->most; i++) {
		const uint64_t index = t->list[i].index;

		if (visits_find(&t->taken, index) || (apart && is_near_taken(b, t->space, index)))
			continue;
		status = visits_add(&t->taken, index, e);
		b->list[b->n++] = index;
	}
	return status;
}

/* Takes those apart from each other first: a neighbour of a configuration that is slow here is
 * slow, too. Where all are wanted only their order counts. */
static enum asc_status take_best(struct known_best *b, struct taking *t, struct asc_err *e)
{
	enum asc_status status = t->most < t->n ? take(b, t, true, e) : ASC_OK;

	return status ? status : take(b, t, false, e);
}

enum asc_status known_best_init(struct known_best *b, const struct space *space,
				const struct strategy_known *history, size_t n, size_t most,
				struct asc_err *e)
{
	*b = (struct known_best){0};
	if (n == 0 || most == 0)
		return ASC_OK;
	struct ranked *list = malloc(n * sizeof *list);
	enum asc_status status = ASC_OK;

	b->list = calloc(n < most ? n : most, sizeof *b->list);
	if (list && b->list) {
		n = remove_repeated(list, find_known(list, space, history, n));
		rank(list, n);
		struct taking t = {.space = space, .list = list, .n = n, .most = most};

		visits_init(&t.taken);
		status = take_best(b, &t, e);
		visits_fini(&t.taken);
	} else
		status = asc_err_nomem(e);
	free(list);
	return status;
}

void known_best_fini(struct known_best *b)
{
	free(b->list);
	*b = (struct known_best){0};
}
