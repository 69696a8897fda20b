#include "tuner/tune/search/prior.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "tuner/tune/search/known_best.h"
#include "tuner/workload/space/space.h"

/* Results that a source is judged by: a source that is right about slow ones alone does not know
 * where the best is. */
enum { JUDGED = 13 };

void prior_fini(struct prior *p)
{
	for (size_t i = 0; i < p->n; i++) {
		visits_fini(&p->sources[i].known);
		training_set_fini(&p->sources[i].training);
		forest_fini(&p->sources[i].forest);
	}
	*p = (struct prior){0};
}

static struct prior_source *find_source(struct prior *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->sources[i].name, name) == 0)
			return &p->sources[i];
	if (p->n == STRATEGY_HISTORY_SOURCES)
		return NULL;
	struct prior_source *new = &p->sources[p->n++];

	*new = (struct prior_source){.name = name, .training.features = p->encoding->n};
	visits_init(&new->known);
	return new;
}

static enum asc_status learn(struct prior *p, const struct strategy_known *k, struct asc_err *e)
{
	float row[ENCODING_MAX];
	uint64_t index;

	if (!strategy_known_find(k, p->encoding->space, &index))
		return ASC_OK;
	struct prior_source *s = find_source(p, k->source ? k->source : "");

	if (!s || visits_find(&s->known, index))
		return ASC_OK;
	if (visits_add(&s->known, index, e))
		return e->status;
	encoding_get(p->encoding, index, row);
	if (training_set_add(&s->training, row, k->score, e))
		return e->status;
	visits_find(&s->known, index)->score = encoding_log2(k->score);
	return ASC_OK;
}

/* Grows the source's trees, where it does not know all of the space. */
static enum asc_status grow(struct prior_source *s, uint64_t count, struct rng *rng,
			    struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	forest_init(&s->forest, s->training.features, rng_next(rng));
	if (s->known.count == count) /* nothing is left to be predicted */
		return ASC_OK;
	for (size_t i = 0; !status && i < FOREST_TREES; i++) {
		struct forest_rows rows;
		size_t tree;

		training_set_draw(&s->training, TRAINING_LOG, rng, &rows);
		status = forest_grow(&s->forest, &rows, &tree, e);
	}
	return status;
}

static void remove_source(struct prior *p, size_t at)
{
	visits_fini(&p->sources[at].known);
	training_set_fini(&p->sources[at].training);
	p->sources[at] = p->sources[--p->n];
}

enum asc_status prior_init(struct prior *p, const struct encoding *c,
			   const struct strategy_options *o, struct asc_err *e)
{
	struct rng rng;

	*p = (struct prior){.encoding = c};
	rng_init(&rng, o->seed);
	for (size_t i = 0; i < o->n_history; i++)
		if (learn(p, &o->history[i], e))
			return e->status;
	for (size_t i = p->n; i-- > 0;) /* from the last on: the last one takes the place */
		if (p->sources[i].known.count < STRATEGY_HISTORY_FEWEST)
			remove_source(p, i);
	for (size_t i = 0; i < p->n; i++)
		if (grow(&p->sources[i], space_count(o->space), &rng, e))
			return e->status;
	return ASC_OK;
}

/* Part of the pairs of the best results that the numbers of a feature order as they are. */
static double find_agreement(const struct training_set *t, size_t feature)
{
	const float cut = t->n_passed > JUDGED ? t->sorted[JUDGED - 1] : INFINITY;
	/* Before results, two pairs of three agree: a history is trusted, but not for long. */
	double pairs = 3, same = 2;

	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < i; k++) {
			const float known = t->rows[i * t->features + feature] -
					    t->rows[k * t->features + feature];
			const float log = t->logs[i] - t->logs[k];
			const bool counts = isfinite(log) && t->logs[i] <= cut && t->logs[k] <= cut;

			pairs += counts;
			same += counts && known * log > 0;
		}
	}
	return same / pairs;
}

void prior_judge(struct prior *p, const struct training_set *results, size_t first)
{
	for (size_t i = 0; i < p->n; i++)
		p->sources[i].agreement = find_agreement(results, first + i);
}

const struct prior_source *prior_find_best(const struct prior *p)
{
	const struct prior_source *best = NULL;

	for (size_t i = 0; i < p->n; i++)
		if (!best || p->sources[i].agreement > best->agreement)
			best = &p->sources[i];
	return best;
}

float prior_source_get(const struct prior_source *s, uint64_t index, const float *row)
{
	/* Every fourth tree: a source is asked for each candidate, and is rough anyway. */
	static const struct forest_view some = {.step = 4};
	const struct visit *known = visits_find(&s->known, index);
	float expected;

	if (known)
		return (float)known->score;
	forest_bound(&s->forest, &some, row, 1, &expected);
	return expected;
}

void prior_get(const struct prior *p, uint64_t index, const float *row, float *out)
{
	for (size_t i = 0; i < p->n; i++)
		out[i] = prior_source_get(&p->sources[i], index, row);
}
