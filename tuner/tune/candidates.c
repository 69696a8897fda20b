#include "tuner/tune/candidates.h"

#include <math.h>

#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"

/* Launches of a trial beside its samples: two of warm-up, and the verification. */
enum { BESIDE_SAMPLES = 3 };

/* Time of a sample with everything around it; warm-up and verification are launches too. */
static double sample_ns(const struct result *r)
{
	double spent = (double)(r->spent_ns[PHASE_VERIFY] + r->spent_ns[PHASE_MEASURE]);

	return fmax(r->time.median,
		    spent / (double)(r->n_samples + (size_t)r->retaken + BESIDE_SAMPLES));
}

static bool same_config(const struct config *a, const struct config *b)
{
	for (size_t i = 0; i < a->n; i++)
		if (!value_equal(a->values[i], b->values[i]))
			return false;
	return true;
}

bool candidate_is_same(const struct candidate *a, const struct candidate *b)
{
	return a->search == b->search && same_config(&a->config, &b->config);
}

/* Adds to a list of the fastest, in order. */
static void add_fast(struct candidate *list, size_t *n, const struct candidate *new)
{
	size_t at = *n < FINALISTS_MAX ? (*n)++ : FINALISTS_MAX;

	/* Insertion, stable: of equal scores the earlier one comes first. */
	for (; at > 0 && list[at - 1].score > new->score; at--)
		if (at < FINALISTS_MAX)
			list[at] = list[at - 1];
	if (at < FINALISTS_MAX)
		list[at] = *new;
}

static void add_reference(struct candidates *c, const struct candidate *new)
{
	for (size_t i = 0; i < c->n_references; i++) {
		struct candidate *old = &c->references[i];

		if (old->search != new->search || old->is_default != new->is_default ||
		    ((old->known || new->known) && !candidate_is_same(old, new)))
			continue;
		if (new->score < old->score)
			*old = *new;
		return;
	}
	if (c->n_references < CANDIDATES_MAX_REFERENCES)
		c->references[c->n_references++] = *new;
}

void candidates_add(struct candidates *c, const struct impl_searches *searches,
		    const struct trial *t, double score, bool resumed)
{
	const struct impl_search *search = &searches->list[t->search];
	const struct result *r = &t->result;
	const struct stats_summary *time = &r->time;
	const struct candidate new = {
		.search = t->search,
		.config = t->config,
		.score = score,
		.median_ns = time->median,
		.sample_ns = sample_ns(r),
		.low_ns = time->interval.known ? time->interval.low : time->min,
		.status = r->status,
		.is_default = t->index == search->default_index,
		.known = !search->chosen && impl_search_is_choice(search, t->index),
		.counted = true,
		.resumed = resumed};
	bool verified = r->status == RESULT_OK || r->status == RESULT_UNDECIDED;

	if (r->n_samples == 0 || (!verified && r->status != RESULT_SLOW))
		return;
	if (verified)
		add_fast(c->list, &c->n, &new);
	else
		add_fast(c->dropped, &c->n_dropped, &new);
	if (new.is_default || new.known || (search->baseline && r->status == RESULT_OK))
		add_reference(c, &new);
}

static void remove_from(struct candidate *list, size_t *n, size_t search,
			const struct config *config)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (list[i].search != search || !same_config(&list[i].config, config))
			list[kept++] = list[i];
	*n = kept;
}

void candidates_withdraw(struct candidates *c, size_t search, const struct config *config)
{
	remove_from(c->list, &c->n, search, config);
	remove_from(c->references, &c->n_references, search, config);
}

const struct candidate *candidates_find_best(const struct candidates *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].status == RESULT_OK)
			return &c->list[i];
	return NULL;
}
