/* The strategy `model`: Bayesian optimisation. A surrogate predicts the score of configurations
 * that were not tried, from the results so far; the next configuration is the one where an
 * acquisition function of the surrogate is best.
 *
 * Surrogates. In a small space, up to GP_ROWS results, a Gaussian process, with expected
 * improvement as its acquisition function, over the whole space. Else a forest of extremely
 * randomised trees (forest.h), with a lower confidence bound: mean of the trees less k of their
 * standard deviations, over a pool of candidates and, a third of the time, over the neighbours of
 * the best configuration. The process needs fewer results, the forest costs the same after 10,000
 * of them and in a space of 2^60.
 *
 * Exploration. An initial design of configurations that are far from each other, and later every
 * eighth configuration like it, up to number FAR_UNTIL, so that a search which digs in one part of
 * the space sees others; beside the process only where there is a history to judge. And k, drawn
 * anew for each configuration from 0 (exploits what is known) to DEVIATIONS (explores what the
 * trees disagree about).
 *
 * Two targets. Half of the trees learn the logarithm of the score, which finds the good part of a
 * space; half learn the logarithm of its distance to the best, which tells the best of that part
 * apart. The trees of one target are a view: number 0 has the first target, number 1 the second.
 *
 * Transfer. Earlier results of other devices and problems (prior.h) are features of a
 * configuration. Trees split on a source, and the design is drawn with it, only while it orders the
 * results as they are; so long less is explored, since the source knows what exploration would
 * find.
 *
 * Figures behind the constants, and what else was tried: docs/design/search.md. */
#include <math.h>
#include <stdlib.h>

#include "tuner/base/array.h"
#include "tuner/tune/search/candidate_pool.h"
#include "tuner/tune/search/encoding.h"
#include "tuner/tune/search/gp.h"
#include "tuner/tune/search/prior.h"
#include "tuner/tune/search/strategy_core.h"
#include "tuner/tune/search/training_set.h"

enum {
	SMALL = 1 << 10, /* configurations of a space that the process searches */
	FIRST = 6, /* configurations of the design: 20 would leave nothing of a small budget */
	FIRST_SMALL = 4,  /* the same in a small space, whose budgets are small, too */
	FAR_EVERY = 8,    /* later one configuration in so many is far from all others, */
	FAR_UNTIL = 120,  /* up to this number of configurations */
	GUIDED_DRAWS = 3, /* random draws of which a history keeps its best: more would only repeat
			     the history */
	FAR_DRAWS = 300,  /* draws of which the farthest is taken: the maximum over a larger space
			     cannot be found */
	REFRESH = 24,     /* configurations between two choices of the pool, which costs most */
	WHOLE = 1 << 14,  /* configurations of a space whose pool is chosen from all of them */
	DRAWS = 1 << 12,  /* random draws that the pool of a larger space is chosen from */
	GROWN = 1,        /* trees that are grown anew for a configuration */
	GROWN_ROWS = 600, /* and so many divided by the results: few results change a forest more */
	UNAWAITED = 20,   /* configurations that wait for no result: compilers start at once */
	LEAST_PENDING = 4,       /* results that may be pending on one device, however few there
				    are; one more on each other device, which would wait */
	RESULTS_PER_PENDING = 8, /* results for each that may be pending: a quarter in place of an
				    eighth scored lower */
	TREES_PER_CHOICE = 4     /* every fourth tree, all of one view, chooses the pool: all trees
				    would cost four times as much and choose nearly the same */
};

static const double AGREEMENT = 0.58; /* part of the pairs of results that a history has to order
					 right; chance orders a half */
static const double GAPS = 0.5;       /* part of the configurations chosen by trees of distances */
static const double LOCAL = 0.33;     /* part of the configurations chosen near the best */
/* Largest k of the lower confidence bound, by target: trees of distances vary more. */
static const float DEVIATIONS[CANDIDATE_POOL_VIEWS] = {3, 4};
static const float GUIDED_PART = 0.5F; /* part of k while a history agrees with the results */
static const float POOL_DEVIATIONS =
	1.5F;                      /* k for the choice of the pool: the middle of the range */
static const float PRIOR_SPAN = 2; /* range of the logarithms that a history predicts */

struct candidate {
	uint64_t index;
	float bound;
};

/* Configurations whose lower confidence bounds are found in one pass over the trees. */
struct block {
	size_t n;
	uint64_t indices[FOREST_BLOCK];
	float bounds[FOREST_BLOCK];
	float *rows;
};

struct model {
	struct strategy base;
	struct encoding encoding;
	struct prior prior;
	const struct prior_source *guide; /* source that agrees most with the results; NULL: none */
	struct gp gp;
	struct forest forest;
	struct training_set training;
	struct training_set sample; /* results of the design: no surrogate chose these */
	struct visits sampled;      /* configurations of the design */
	struct candidate_pool pool;
	struct block block;
	float *row;                   /* row of the configuration that is looked at */
	float *far_rows;              /* rows of the first FAR_UNTIL configurations asked for */
	size_t n_far, n_known;        /* n_known: configurations of the history among them */
	struct candidate *candidates; /* candidates that a pool is chosen from */
	size_t n_candidates, candidate_room;
	size_t since;  /* configurations asked for since the pool was chosen */
	uint64_t best; /* index of the best configuration so far */
	double score;  /* score of that one; infinite: none has passed */
};

static void note_far(struct model *s, uint64_t index)
{
	if (s->n_far < FAR_UNTIL)
		encoding_get(&s->encoding, index, &s->far_rows[s->n_far++ * s->encoding.n]);
}

/* Judges the history by the results of the design: results of the surrogate are all good, and
 * say little about an order. Trees split on the sources that agree; the one that agrees most guides
 * the design. */
static void judge_history(struct model *s)
{
	struct forest *f = &s->forest;
	const size_t first = s->encoding.n;

	prior_judge(&s->prior, &s->sample, first);
	s->guide = prior_find_best(&s->prior);
	if (s->guide && s->guide->agreement < AGREEMENT)
		s->guide = NULL;
	f->split_on.n = first;
	for (size_t i = 0; i < s->prior.n; i++)
		if (s->prior.sources[i].agreement >= AGREEMENT)
			f->split_on.list[f->split_on.n++] = (uint16_t)(first + i);
}

static enum asc_status model_begin(struct strategy *base, struct asc_err *e)
{
	struct model *s = (struct model *)base;

	s->score = INFINITY;
	if (encoding_init(&s->encoding, base->space, &base->options.features, e) ||
	    prior_init(&s->prior, &s->encoding, &base->options, e))
		return e->status;
	const size_t features = s->encoding.n + s->prior.n;

	forest_init(&s->forest, features, rng_next(&base->rng));
	s->training.features = s->sample.features = features;
	visits_init(&s->sampled);
	s->row = malloc((features + 1) * sizeof *s->row);
	s->far_rows = malloc(FAR_UNTIL * (features + 1) * sizeof *s->far_rows);
	s->block.rows = malloc(FOREST_BLOCK * (features + 1) * sizeof *s->block.rows);
	if (!s->row || !s->far_rows || !s->block.rows)
		return asc_err_nomem(e);
	if (gp_init(&s->gp, features, &s->forest.split_on, e))
		return e->status;
	for (size_t i = 0; i < features; i++)
		s->gp.spans[i] = i < s->encoding.n ? s->encoding.features[i].span : PRIOR_SPAN;
	judge_history(s);
	return candidate_pool_init(&s->pool, features, e);
}

/* Writes the row of features of a configuration: its encoding, then the prediction of each source
 * of the history. */
static void find_row(const struct model *s, uint64_t index, float *row)
{
	encoding_get(&s->encoding, index, row);
	prior_get(&s->prior, index, row, row + s->encoding.n);
}

static void model_end(struct strategy *base)
{
	struct model *s = (struct model *)base;

	prior_fini(&s->prior);
	encoding_fini(&s->encoding);
	forest_fini(&s->forest);
	gp_fini(&s->gp);
	training_set_fini(&s->training);
	training_set_fini(&s->sample);
	visits_fini(&s->sampled);
	candidate_pool_fini(&s->pool);
	free(s->block.rows);
	free(s->row);
	free(s->far_rows);
	free(s->candidates);
}

/* ---- the design ---- */

/* Rates a row for the design: the first one by its nearness to the middle of the space (a corner is
 * seldom good), also where a history has asked before; others by the distance to the nearest one
 * asked for (maximin). */
static float rate_far(const struct model *s, const float *row)
{
	float nearest = INFINITY;

	if (s->sampled.count == 0)
		return 1 / (1 + encoding_distance(&s->encoding, row, s->encoding.middle));
	for (size_t i = 0; i < s->n_far; i++) {
		const float d =
			encoding_distance(&s->encoding, row, &s->far_rows[i * s->encoding.n]);

		nearest = d < nearest ? d : nearest;
	}
	return nearest;
}

/* Draws a configuration at random; where a history agrees with the results, the best of a few by
 * its prediction. */
static uint64_t draw_first(struct model *s)
{
	uint64_t best = 0;
	float least = INFINITY;

	if (!s->guide)
		return space_sample(s->base.space, &s->base.rng);
	for (int i = 0; i < GUIDED_DRAWS; i++) {
		const uint64_t drawn = space_sample(s->base.space, &s->base.rng);

		encoding_get(&s->encoding, drawn, s->row);
		const float known = prior_source_get(s->guide, drawn, s->row);

		best = i == 0 || known < least ? drawn : best;
		least = known < least ? known : least;
	}
	return best;
}

/* Chooses the next configuration of the design: the best rated of many draws. */
static enum asc_status choose_far(struct model *s, uint64_t *index, bool *found, struct asc_err *e)
{
	float most = -1;

	/* The design keeps away from what the history has asked, too. */
	for (; s->n_known < s->base.known.next; s->n_known++)
		note_far(s, s->base.known.list[s->n_known]);
	for (size_t i = strategy_draws(&s->base, FAR_DRAWS); i > 0; i--) {
		const uint64_t drawn = draw_first(s);

		if (!strategy_is_free(&s->base, drawn))
			continue;
		encoding_get(&s->encoding, drawn, s->row);
		const float d = rate_far(s, s->row);

		if (d > most) {
			most = d;
			*index = drawn;
		}
	}
	/* All that was drawn is visited: the space is nearly done. */
	*found = most >= 0;
	return *found ? ASC_OK : strategy_draw(&s->base, index, found, e);
}

/* ---- the pool ---- */

/* Adds a configuration to the block, unless it was asked for before. */
static void add_to_block(struct model *s, uint64_t index)
{
	struct block *b = &s->block;

	if (!strategy_is_free(&s->base, index))
		return;
	find_row(s, index, &b->rows[b->n * s->forest.features]);
	b->indices[b->n++] = index;
}

/* Makes candidates of the block's configurations, with their lower confidence bounds. */
static enum asc_status add_candidates(struct model *s, const struct forest_view *view,
				      struct asc_err *e)
{
	struct block *b = &s->block;

	forest_bound(&s->forest, view, b->rows, b->n, b->bounds);
	for (size_t i = 0; i < b->n; i++) {
		if (!array_room(&s->candidates, s->n_candidates, &s->candidate_room,
				sizeof *s->candidates))
			return asc_err_nomem(e);
		s->candidates[s->n_candidates++] = (struct candidate){b->indices[i], b->bounds[i]};
	}
	b->n = 0;
	return ASC_OK;
}

static int compare(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound < y->bound ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static enum asc_status find_candidates(struct model *s, size_t view, struct asc_err *e)
{
	const struct forest_view asked = {view, TREES_PER_CHOICE, POOL_DEVIATIONS};
	const uint64_t count = space_count(s->base.space),
		       n = count <= WHOLE ? count : strategy_draws(&s->base, DRAWS);

	s->n_candidates = 0;
	s->block.n = 0;
	for (uint64_t i = 0; i < n; i++) {
		add_to_block(s, count <= WHOLE ? i : space_sample(s->base.space, &s->base.rng));
		if ((s->block.n == FOREST_BLOCK || i + 1 == n) && add_candidates(s, &asked, e))
			return e->status;
	}
	return ASC_OK;
}

/* Sorts the candidates by their bounds, and removes duplicates. */
static void sort_candidates(struct model *s)
{
	size_t kept = 0;

	if (s->n_candidates > 0)
		qsort(s->candidates, s->n_candidates, sizeof *s->candidates, compare);
	for (size_t i = 0; i < s->n_candidates; i++)
		if (i == 0 || s->candidates[i].index != s->candidates[kept - 1].index)
			s->candidates[kept++] = s->candidates[i];
	s->n_candidates = kept;
}

/* Chooses the pool: half of it the best candidates by a view (exploitation), half drawn from the
 * others, so that trees grown later find candidates that today's trees pass over. */
static enum asc_status choose_pool(struct model *s, size_t view, struct asc_err *e)
{
	if (find_candidates(s, view, e))
		return e->status;
	sort_candidates(s);
	s->since = 0;
	s->pool.n = 0;
	for (size_t i = 0; i < s->n_candidates && i < CANDIDATE_POOL_SIZE; i++) {
		size_t from = i;

		if (i >=
		    CANDIDATE_POOL_SIZE / 2) /* a shuffle's step: each of the rest is as likely */
			from += (size_t)rng_below(&s->base.rng, s->n_candidates - i);
		const uint64_t index = s->candidates[from].index;

		s->candidates[from] = s->candidates[i];
		find_row(s, index, s->row);
		candidate_pool_add(&s->pool, index, s->row);
	}
	for (size_t t = 0; t < FOREST_TREES; t++)
		candidate_pool_expect(&s->pool, &s->forest, t);
	return ASC_OK;
}

/* ---- the forest: a lower confidence bound ---- */

/* Grows the oldest trees anew: all of them at first, later fewer the more results there are. Trees
 * of the two targets take turns. */
static enum asc_status grow_trees(struct model *s, struct asc_err *e)
{
	const bool first = s->forest.trees[FOREST_TREES - 1].n == 0; /* the last one never grew */
	const size_t wanted = GROWN + GROWN_ROWS / s->training.n;
	const size_t n = first || wanted > FOREST_TREES ? FOREST_TREES : wanted;

	for (size_t i = 0; i < n; i++) {
		const size_t view = s->forest.oldest % CANDIDATE_POOL_VIEWS;
		struct forest_rows rows;
		size_t tree;

		training_set_draw(&s->training, view == 0 ? TRAINING_LOG : TRAINING_GAP,
				  &s->base.rng, &rows);
		if (forest_grow(&s->forest, &rows, &tree, e))
			return e->status;
		candidate_pool_expect(&s->pool, &s->forest, tree);
	}
	return ASC_OK;
}

/* Chooses the neighbour of the best configuration with the lowest bound. */
static enum asc_status choose_near(struct model *s, size_t view, float deviations, uint64_t *index,
				   bool *found, struct asc_err *e)
{
	const struct forest_view asked = {view, CANDIDATE_POOL_VIEWS, deviations};
	struct block *b = &s->block;
	struct neighbourhood near = {0};
	float lowest = INFINITY;

	if (neighbourhood_find(&s->base, s->best, &near, e))
		return e->status;
	b->n = 0;
	for (size_t i = 0; i < near.n && b->n < FOREST_BLOCK; i++)
		add_to_block(s, near.list[i]);
	free(near.list);
	forest_bound(&s->forest, &asked, b->rows, b->n, b->bounds);
	for (size_t i = 0; i < b->n; i++) {
		if (b->bounds[i] < lowest) {
			lowest = b->bounds[i];
			*index = b->indices[i];
			*found = true;
		}
	}
	return ASC_OK;
}

/* Chooses the candidate of the pool with the lowest bound. Removes candidates that the history or
 * the design has asked for since the pool was chosen. */
static bool choose_from_pool(struct model *s, size_t view, float deviations, uint64_t *index)
{
	size_t least;

	while ((least = candidate_pool_find_least(&s->pool, view, deviations)) < s->pool.n) {
		*index = s->pool.indices[least];
		if (strategy_is_free(&s->base, *index))
			return true;
		candidate_pool_remove(&s->pool, *index);
	}
	return false;
}

/* Chooses by the forest: draws target and k, grows trees, renews the pool when it is old, then
 * takes the lowest bound near the best or in the pool. */
static enum asc_status choose_by_forest(struct model *s, uint64_t *index, bool *found,
					struct asc_err *e)
{
	const size_t view = rng_uniform(&s->base.rng) < GAPS;
	const float most = s->guide ? GUIDED_PART * DEVIATIONS[view] : DEVIATIONS[view];
	const float deviations = most * (float)rng_uniform(&s->base.rng);

	if (grow_trees(s, e))
		return e->status;
	if ((s->pool.n == 0 || ++s->since >= REFRESH) && choose_pool(s, view, e))
		return e->status;
	if (rng_uniform(&s->base.rng) < LOCAL && choose_near(s, view, deviations, index, found, e))
		return e->status;
	if (*found)
		return ASC_OK;
	*found = choose_from_pool(s, view, deviations, index);
	return *found ? ASC_OK : strategy_draw(&s->base, index, found, e);
}

/* ---- the Gaussian process: expected improvement ---- */

/* True while the process is the surrogate: its cost grows with the cube of the results. */
static bool is_by_process(const struct model *s)
{
	return space_count(s->base.space) <= SMALL && s->training.n <= GP_ROWS;
}

/* Chooses the configuration with the largest expected improvement, of the whole space. */
static enum asc_status choose_by_process(struct model *s, uint64_t *index, bool *found,
					 struct asc_err *e)
{
	const uint64_t count = space_count(s->base.space);
	struct forest_rows rows;
	double most = -1;

	training_set_draw(&s->training, TRAINING_LOG, &s->base.rng, &rows);
	gp_fit(&s->gp, &rows, &s->base.rng);
	for (uint64_t i = 0; i < count; i++) {
		if (!strategy_is_free(&s->base, i))
			continue;
		find_row(s, i, s->row);
		const double improvement = gp_improvement(&s->gp, s->row);

		if (improvement > most) {
			most = improvement;
			*index = i;
		}
	}
	*found = most >= 0;
	return *found ? ASC_OK : strategy_draw(&s->base, index, found, e);
}

/* ---- the strategy ---- */

/* Number of configurations that the design is to have had when `asked` were asked for: at first
 * all, later one in FAR_EVERY, from FAR_UNTIL on no more. Expected improvement explores by itself,
 * so beside the process there are none but those that judge a history. */
static size_t count_far(const struct model *s, size_t asked)
{
	if (is_by_process(s) && s->prior.n == 0)
		return FIRST_SMALL;
	return asked < FAR_UNTIL ? FIRST + asked / FAR_EVERY : FIRST;
}

/* True when the next configuration is one of the design: while nothing has passed, or fewer have
 * been asked for than count_far(). */
static bool is_far(const struct model *s)
{
	/* The design of a run that is resumed was asked for by that run. */
	const size_t all = s->base.resumed, before = all > 0 ? count_far(s, all) : 0;
	const size_t resumed = before < all ? before : all;

	return isinf(s->score) || s->sampled.count + resumed < count_far(s, s->base.visits.count);
}

/* Next configuration: none while results are awaited; else of the design (exploration), or the one
 * where the acquisition function of the surrogate is best: of the process in a small space, else
 * of the forest. */
static enum asc_status model_next(struct strategy *base, uint64_t *index, bool *found,
				  struct asc_err *e)
{
	struct model *s = (struct model *)base;
	const bool far = is_far(s);
	/* Waits while so many results are pending that the next configuration is better chosen with
	 * one of them. The more results there are, the less another one changes the surrogate. */
	const size_t some = base->told / RESULTS_PER_PENDING;
	const size_t least = LEAST_PENDING + base->devices - 1;
	const size_t most = some > least ? some : least;

	*found = false;
	if (base->visits.count >= UNAWAITED && base->pending >= most)
		return ASC_OK;
	if (far                ? choose_far(s, index, found, e)
	    : is_by_process(s) ? choose_by_process(s, index, found, e)
			       : choose_by_forest(s, index, found, e))
		return e->status;
	if (!*found)
		return ASC_OK;
	if (far && visits_add(&s->sampled, *index, e))
		return e->status;
	note_far(s, *index);
	candidate_pool_remove(&s->pool, *index);
	return ASC_OK;
}

static enum asc_status model_learn(struct strategy *base, uint64_t index, const struct result *r,
				   double score, struct asc_err *e)
{
	struct model *s = (struct model *)base;

	(void)r;
	score = score > 0 ? score : INFINITY; /* a time of 0 is none */
	if (score < s->score) {
		s->score = score;
		s->best = index;
	}
	find_row(s, index, s->row);
	/* A failure has no place in the order that a history is judged by. */
	if (isfinite(score) && visits_find(&s->sampled, index)) {
		if (training_set_add(&s->sample, s->row, score, e))
			return e->status;
		judge_history(s);
	}
	return training_set_add(&s->training, s->row, score, e);
}

/* Gain that the process expects of its best configuration, one standard deviation below its mean.
 */
static double expect_by_process(struct model *s)
{
	double most = 0;

	if (s->gp.n == 0)
		return INFINITY;
	for (uint64_t i = 0; i < space_count(s->base.space); i++) {
		double mean, deviation;

		if (!strategy_is_free(&s->base, i))
			continue;
		find_row(s, i, s->row);
		gp_expect(&s->gp, s->row, &mean, &deviation);
		most = fmax(most, s->gp.least - mean + deviation);
	}
	return most;
}

/* Gain that the surrogate still expects, in binary logarithms of the score: of the pool's lowest
 * bound with k = 1, by the trees of logarithms. Infinite while it knows too little. */
static double model_expect(struct strategy *base)
{
	struct model *s = (struct model *)base;

	if (is_by_process(s))
		return expect_by_process(s);
	if (isinf(s->score) || s->forest.trees[FOREST_TREES - 1].n == 0)
		return INFINITY;
	const size_t least = candidate_pool_find_least(&s->pool, 0, 1);

	if (least == s->pool.n)
		return 0;
	return fmax(0, encoding_log2(s->score) - (double)candidate_pool_bound(&s->pool, least, 1));
}

const struct strategy_ops strategy_model = {
	.name = "model",
	.summary =
		"a forest, in small spaces first a Gaussian process, learns what is fast and asks "
		"where it expects most",
	.size = sizeof(struct model),
	.begin = model_begin,
	.end = model_end,
	.next = model_next,
	.learn = model_learn,
	.expect = model_expect,
};
