#include "tuner/tune/search/strategy.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/tune/search/encoding.h"
#include "tuner/tune/search/strategy_core.h"

/* Optimism of strategy_promise(): after n trials a strategy may come to 2^(-OPTIMISM / sqrt(n)) of
 * its best score, as the confidence bound of a bandit whose arms are implementations.
 * One whose trials all failed is taken as unknown for the first few. */
static const double OPTIMISM = 8;
enum { UNKNOWN_TRIALS = 10 };

/* Enumeration (exhaustive, random), local search (climb, anneal, tabu), evolutionary search
 * (genetic, evolve) and Bayesian optimisation (model), in the order in which users see them. */
const struct strategy_ops *const strategy_list[] = {
	&strategy_exhaustive, &strategy_random,  &strategy_climb,
	&strategy_anneal,     &strategy_genetic, &strategy_evolve,
	&strategy_tabu,       &strategy_model,   NULL};

const struct strategy_ops *strategy_find(const char *name)
{
	for (size_t i = 0; strategy_list[i]; i++)
		if (strcmp(strategy_list[i]->name, name) == 0)
			return strategy_list[i];
	return NULL;
}

enum asc_status strategy_parse(const char *name, const struct strategy_ops **out, struct asc_err *e)
{
	enum { MOST_NAMES = 16 };
	const char *names[MOST_NAMES + 1] = {"auto"};

	*out = strategy_find(name);
	if (*out || strcmp(name, "auto") == 0)
		return ASC_OK;
	for (size_t i = 0; strategy_list[i] && i + 1 < MOST_NAMES; i++)
		names[i + 1] = strategy_list[i]->name;
	const char *nearest = str_nearest(name, names);

	if (nearest)
		return asc_err_set(e, ASC_USAGE, "no strategy \"%s\" (did you mean \"%s\"?)", name,
				   nearest);
	return asc_err_set(e, ASC_USAGE, "no strategy \"%s\"; `asctune list strategies` names them",
			   name);
}

const char strategy_auto_summary[] =
	"exhaustive where the budget surely covers the space, else model (the default)";

/* Avoids exhaustive where time or patience may end before the space does: a part of the space
 * should not be its first corner. */
const struct strategy_ops *strategy_auto(const struct strategy_options *o)
{
	bool whole = o->trials == 0 || space_count(o->space) <= o->trials;
	bool covered = whole && o->ns == 0 && !o->may_end;

	return covered ? &strategy_exhaustive : &strategy_model;
}

enum asc_status strategy_new(const struct strategy_ops *ops, const struct strategy_options *o,
			     struct strategy **out, struct asc_err *e)
{
	struct strategy *s = calloc(1, ops->size);

	*out = NULL;
	if (!s)
		return asc_err_nomem(e);
	s->ops = ops;
	s->options = *o;
	s->space = o->space;
	s->best = s->known_score = INFINITY;
	s->devices = 1;
	rng_init(&s->rng, o->seed);
	visits_init(&s->visits);
	/* A generator of its own: draws of the strategy do not change the order of the rest. */
	shuffle_init(&s->order, space_count(o->space), rng_next(&s->rng));
	const size_t first = ops->whole ? SIZE_MAX : o->history_first;

	if (known_best_init(&s->known, o->space, o->history, o->n_history, first, e) ||
	    (ops->begin && ops->begin(s, e))) {
		strategy_free(s);
		return e->status;
	}
	*out = s;
	return ASC_OK;
}

void strategy_free(struct strategy *s)
{
	if (!s)
		return;
	if (s->ops->end)
		s->ops->end(s);
	shuffle_fini(&s->order);
	known_best_fini(&s->known);
	visits_fini(&s->visits);
	free(s);
}

/* Finds the best of the history that was not visited, while the history may ask. */
static bool find_known(struct strategy *s, uint64_t *index)
{
	while (s->known.next < s->known.n) {
		/* The history has the first question, and each other one while its best result is
		 * still the best: a history of another device may be wrong here, and is found out
		 * by one question for each of the strategy's own. */
		if (!s->ops->whole && s->known_asked > 0 &&
		    (s->visits.count < 2 * s->known_asked || s->known_score > s->best))
			return false;
		*index = s->known.list[s->known.next++];
		if (!strategy_is_free(s, *index))
			continue;
		s->known_asked++;
		return true;
	}
	return false;
}

/* Chooses one index. A strategy that waits though no result will come goes on at random: the end of
 * a search is the end of its space. */
static enum asc_status choose(struct strategy *s, uint64_t *index, bool *found, struct asc_err *e)
{
	*found = false;
	if (strategy_is_done(s))
		return ASC_OK;
	*found = find_known(s, index);
	if (*found)
		return ASC_OK;
	if (s->ops->next(s, index, found, e))
		return e->status;
	return *found || s->pending > 0 ? ASC_OK : strategy_draw(s, index, found, e);
}

void strategy_set_devices(struct strategy *s, size_t n)
{
	s->devices = n;
}

enum asc_status strategy_ask(struct strategy *s, uint64_t *list, size_t *n, struct asc_err *e)
{
	const size_t most = *n;

	for (*n = 0; *n < most; s->pending++) {
		uint64_t index = 0;
		bool found;

		if (choose(s, &index, &found, e))
			return e->status;
		if (!found)
			break;
		assert(index < space_count(s->space) && strategy_is_free(s, index));
		if (visits_add(&s->visits, index, e))
			return e->status;
		list[(*n)++] = index;
	}
	return ASC_OK;
}

enum asc_status strategy_tell(struct strategy *s, uint64_t index, const struct result *r,
			      double score, struct asc_err *e)
{
	struct visit *visit = visits_find(&s->visits, index);

	assert(visit && isnan(visit->score));
	visit->score = isnan(score) ? INFINITY : score;
	s->pending--;
	s->told++;
	if (visit->score > 0)
		s->best = fmin(s->best, visit->score);
	/* Few are asked by the history, so they are searched one by one. */
	for (size_t i = 0; !s->ops->whole && i < s->known.next; i++)
		if (s->known.list[i] == index && visit->score > 0)
			s->known_score = fmin(s->known_score, visit->score);
	return s->ops->learn ? s->ops->learn(s, index, r, visit->score, e) : ASC_OK;
}

enum asc_status strategy_skip(struct strategy *s, uint64_t index, struct asc_err *e)
{
	if (visits_find(&s->visits, index))
		return ASC_OK;
	if (visits_add(&s->visits, index, e))
		return e->status;
	s->pending++;
	return ASC_OK;
}

enum asc_status strategy_resume(struct strategy *s, uint64_t index, struct asc_err *e)
{
	s->resumed++;
	return strategy_skip(s, index, e);
}

/* ---- strategies beside each other ---- */

size_t strategy_trials(const struct strategy *s)
{
	return s->told + s->pending;
}

bool strategy_is_done(const struct strategy *s)
{
	return s->over || s->visits.count == space_count(s->space);
}

double strategy_promise(const struct strategy *s)
{
	const size_t n = strategy_trials(s);

	/* Before all others: each implementation is tried, and a few failures say little. */
	if (n == 0 || (isinf(s->best) && n < UNKNOWN_TRIALS))
		return -INFINITY;
	return isinf(s->best) ? INFINITY : encoding_log2(s->best) - OPTIMISM / sqrt((double)n);
}

double strategy_expect(struct strategy *s)
{
	return s->ops->expect && !strategy_is_done(s) ? s->ops->expect(s) : 0;
}

/* ---- what strategies share ---- */

enum asc_status strategy_draw(struct strategy *s, uint64_t *index, bool *found, struct asc_err *e)
{
	for (*found = false; !*found && s->order.left > 0;) {
		if (shuffle_draw(&s->order, index, e))
			return e->status;
		*found = strategy_is_free(s, *index);
	}
	s->over = !*found && s->options.part.count > 1;
	return ASC_OK;
}

bool strategy_part_has(const struct strategy_part *p, const struct space *space, uint64_t index)
{
	struct buf key = {0};
	struct config c;

	if (p->count < 2)
		return true;
	space_get(space, index, &c);
	config_key(&c, space_names(space), &key);
	/* Without memory for the text: the first part, and the next allocation fails as well. */
	const uint64_t hash = key.failed ? 0 : hash_bytes(buf_str(&key), key.len);

	buf_fini(&key);
	return hash % p->count == p->number - 1;
}

bool strategy_is_free(const struct strategy *s, uint64_t index)
{
	return !visits_find(&s->visits, index) &&
	       strategy_part_has(&s->options.part, s->space, index);
}

size_t strategy_draws(const struct strategy *s, size_t n)
{
	enum { MOST = 64 }; /* times: of 1000 parts there are a few, and what is drawn is tried */
	const uint64_t parts = s->options.part.count;

	return n * (size_t)(parts < 1 ? 1 : parts < MOST ? parts : MOST);
}

enum asc_status neighbourhood_find(struct strategy *s, uint64_t index, struct neighbourhood *out,
				   struct asc_err *e)
{
	free(out->list);
	*out = (struct neighbourhood){0};
	if (space_neighbours(s->space, index, SPACE_HAMMING, &out->list, &out->n, e))
		return e->status;
	/* The space lists neighbours parameter by parameter; in that order the last parameters
	 * would be tried when the budget is spent. */
	for (size_t i = out->n; i > 1; i--) {
		const size_t k = (size_t)rng_below(&s->rng, i);
		const uint64_t last = out->list[i - 1];

		out->list[i - 1] = out->list[k];
		out->list[k] = last;
	}
	return ASC_OK;
}
