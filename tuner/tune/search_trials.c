#include "tuner/tune/search_trials.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/units.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"

enum asc_status search_trials_init(struct search_trials *s, struct asc_err *e)
{
	s->started_ns = s->until_ns > 0 ? s->ops->now_ns(s->evaluator) : 0;
	s->list = calloc(TRIALS_MAX_ALL, sizeof(void *));
	return s->list ? ASC_OK : asc_err_nomem(e);
}

void search_trials_fini(struct search_trials *s)
{
	for (size_t i = 0; s->list && i < TRIALS_MAX_ALL && s->list[i]; i++) {
		trial_fini(s->list[i]);
		free(s->list[i]);
	}
	free(s->list);
	s->list = NULL;
	patience_fini(&s->patience);
}

bool search_trials_past(const struct search_trials *s, int64_t until_ns)
{
	return until_ns > 0 && s->ops->now_ns(s->evaluator) >= until_ns;
}

static double count_all(const struct search_trials *s)
{
	double all = 0;

	for (size_t i = 0; i < s->searches->n; i++)
		all += (double)space_count(s->searches->list[i].space);
	return all;
}

/* Results that the budget allows, as a multiple of those so far, by the limit that ends first. */
static double find_ratio(const struct search_trials *s)
{
	const double all = count_all(s);
	const double most = s->most > 0 && (double)s->most < all ? (double)s->most : all;
	const double trials = most / (double)s->patience.n;

	if (s->until_ns == 0)
		return trials;
	const int64_t passed_ns = s->ops->now_ns(s->evaluator) - s->started_ns;

	if (passed_ns <= 0)
		return trials;
	/* Results come at an even pace, as far as is known. */
	const double time = (double)(s->until_ns - s->started_ns) / (double)passed_ns;

	return time < trials ? time : trials;
}

/* Largest gain that a strategy expects. */
static double find_told(const struct search_trials *s)
{
	double most = 0;

	for (size_t i = 0; i < s->searches->n; i++)
		most = fmax(most, strategy_expect(s->searches->list[i].strategy));
	return most;
}

/* True for small spaces of which every configuration is asked. */
static bool asks_all(const struct search_trials *s)
{
	/* Only what fits into the places at once: an evaluator orders what it has. */
	const double all = count_all(s);
	bool whole = all <= TRIALS_MAX && (s->most == 0 || (double)s->most >= all);

	for (size_t i = 0; i < s->searches->n; i++)
		whole = whole && s->searches->list[i].ops->whole;
	return whole;
}

/* Number of trials that may be asked for now. Setting up may take all of the time; at least one is
 * tried, or a run would say that nothing passed. */
static size_t budget_left(struct search_trials *s)
{
	const size_t wanted = s->ops->capacity(s->evaluator, asks_all(s));
	const size_t places = wanted > s->n ? wanted - s->n : 0;
	const uint64_t trials = s->most ? s->most + s->refused - s->asked : places;

	if (s->asked > s->refused &&
	    (search_trials_past(s, s->until_ns) ||
	     (s->patience.n > 0 && patience_check(&s->patience, find_ratio(s), find_told(s)))))
		return 0;
	return trials < places ? (size_t)trials : places;
}

/* NULL when out of memory. */
static struct trial *find_place(struct search_trials *s)
{
	size_t i = 0;

	while (s->list[i] && s->list[i]->id != 0)
		i++;
	if (!s->list[i])
		s->list[i] = calloc(1, sizeof *s->list[i]);
	return s->list[i];
}

static enum asc_status add(struct search_trials *s, size_t at, uint64_t index, struct trial **out,
			   struct asc_err *e)
{
	const struct impl_search *search = &s->searches->list[at];
	struct trial *t = *out = find_place(s);

	if (!t)
		return asc_err_nomem(e);
	*t = (struct trial){.id = ++s->asked,
			    .implementation = search->implementation,
			    .names = space_names(search->space),
			    .search = at,
			    .index = index};
	space_get(search->space, index, &t->config);
	s->n++;
	return ASC_OK;
}

enum asc_status search_trials_ask(struct search_trials *s, struct trial **out, size_t *n,
				  struct asc_err *e)
{
	const int64_t start_ns = clock_now_ns();
	uint64_t list[TRIALS_MAX_ALL];
	size_t at = 0;

	*n = budget_left(s);
	if (*n == 0)
		return ASC_OK;
	for (size_t i = 0; s->ops->devices && i < s->searches->n; i++)
		strategy_set_devices(s->searches->list[i].strategy, s->ops->devices(s->evaluator));
	enum asc_status status = impl_searches_ask(s->searches, &at, list, n, e);

	s->strategies_ns += clock_now_ns() - start_ns;
	for (size_t i = 0; !status && i < *n; i++)
		status = add(s, at, list[i], &out[i], e);
	return status;
}

struct trial *search_trials_first(const struct search_trials *s)
{
	struct trial *first = NULL;

	for (size_t i = 0; i < TRIALS_MAX_ALL && s->list[i]; i++)
		if (s->list[i]->id != 0 && (!first || s->list[i]->id < first->id))
			first = s->list[i];
	return first;
}

enum asc_status search_trials_tell(struct search_trials *s, const struct trial *t, double score,
				   struct asc_err *e)
{
	const int64_t start_ns = clock_now_ns();
	enum asc_status status = strategy_tell(s->searches->list[t->search].strategy, t->index,
					       &t->result, score, e);

	/* What a planner refuses is no trial: it costs none of the budget, nor of the patience. */
	s->refused += t->result.status == RESULT_PRUNED;
	if (!status && t->result.status != RESULT_PRUNED)
		status = patience_add(&s->patience, score, e);
	s->strategies_ns += clock_now_ns() - start_ns;
	return status;
}

void search_trials_release(struct search_trials *s, struct trial *t)
{
	trial_fini(t);
	t->id = 0;
	s->n--;
}
