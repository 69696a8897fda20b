#include "tuner/tune/finalists.h"

#include <math.h>

#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/worker/policy.h"

/* ---- candidates ---- */

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

static bool is_same(const struct candidate *a, const struct candidate *b)
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
		    ((old->known || new->known) && !is_same(old, new)))
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
		.warm_ns = python_worker_runs(search->implementation)
				   ? (double)r->spent_ns[PHASE_BUILD]
				   : 0,
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

enum {
	ALWAYS = 6, /* lowest medians that take part whatever their intervals say: an interval of a
		       few samples is itself uncertain */
	FEW = 2,    /* lowest medians for which time is kept: with fewer nothing is compared */
	/* Launches of a finalist beside its rounds: verified before the first and after the last,
	 * and one on inputs that it has not seen. */
	BESIDE_ROUNDS = 3
};

/* ---- who takes part ---- */

/* Number of candidates as fast as the first whose fewest rounds fit into `ns`. One ns is added so
 * that a median of 0 divides nothing. */
static double count_within(const struct policy *r, const struct candidates *c, int64_t ns)
{
	return c->n ? (double)ns / ((double)r->finals.fewest * (c->list[0].median_ns + 1)) : 0;
}

/* Number of finalists beside the references: as many as finals.ns measures, at most finals.max;
 * more where they are so cheap that POLICY_FINALS_FREE_NS measures them; never fewer
 * than POLICY_FINALS_FEW; and no more than the array holds beside the references and the best on
 * record. */
static size_t count_finalists(const struct policy *r, const struct candidates *c)
{
	/* More finalists make it surer that the fastest is among them, and rounds fewer. */
	double most = fmin(count_within(r, c, r->finals.ns), (double)r->finals.max);
	double cheap = fmin(count_within(r, c, POLICY_FINALS_FREE_NS), (double)POLICY_FINALS_CHEAP);

	most = fmax(fmax(most, cheap), (double)POLICY_FINALS_FEW);
	return (size_t)fmin(most, (double)(FINALISTS_MAX - c->n_references - 1));
}

/* Adds a finalist, once. */
static void add_finalist(struct finalists *f, const struct candidate *c)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_same(f->list[i], c))
			return;
	if (f->n < FINALISTS_MAX)
		f->list[f->n++] = c;
}

bool finalists_add_dropped(struct finalists *f)
{
	const struct candidates *c = f->candidates;
	const size_t n = f->n, most = f->n_recalled + ALWAYS; /* a few at a time */
	double lowest_ns = INFINITY;

	for (size_t i = 0; i < f->n; i++)
		lowest_ns = fmin(lowest_ns, f->list[i]->median_ns);
	while (f->n_recalled < most && f->n_recalled < c->n_dropped &&
	       c->dropped[f->n_recalled].median_ns < lowest_ns)
		add_finalist(f, &c->dropped[f->n_recalled++]);
	return f->n > n;
}

/* Gives the best on record the result that it has in this run, where it was tried again. */
static void note_own_result(struct finalists *f, const struct candidate *list, size_t n)
{
	for (size_t i = 0; f->has_best && i < n; i++)
		if (is_same(&list[i], &f->best)) {
			f->best.status = list[i].status;
			f->best.sample_ns = list[i].sample_ns;
			f->best.warm_ns = list[i].warm_ns;
			f->best.counted = true;
		}
}

void finalists_choose(struct finalists *f, const struct policy *r, bool given)
{
	const struct candidates *c = f->candidates;
	const size_t always = given ? c->n : ALWAYS;
	size_t most = count_finalists(r, c);

	note_own_result(f, c->list, c->n);
	note_own_result(f, c->references, c->n_references);
	if (f->has_best)
		add_finalist(f, &f->best);
	for (size_t i = 0; i < c->n_references; i++)
		add_finalist(f, &c->references[i]);
	most += f->n; /* the best on record and the references take no place of others */
	for (size_t i = 0; i < c->n && i < always; i++)
		add_finalist(f, &c->list[i]);
	for (size_t i = always; i < c->n && f->n < most; i++)
		if (c->list[i].low_ns <= r->finals.ratio * c->list[0].median_ns)
			add_finalist(f, &c->list[i]);
	(void)finalists_add_dropped(f);
}

/* ---- who is left out ---- */

/* True for a reference, or the best on record. */
static bool is_compared(const struct finalists *f, size_t i)
{
	for (size_t g = 0; g < f->candidates->n_references; g++)
		if (is_same(f->list[i], &f->candidates->references[g]))
			return true;
	return f->list[i] == &f->best;
}

bool finalists_may_be_best(const struct finalists *f, const struct policy *r,
			   const struct candidate *c)
{
	const struct candidates *all = f->candidates;

	return all->n > 0 && c->low_ns <= r->tests.near * all->list[0].median_ns;
}

/* Time of a finalist's launches in finals of the fewest rounds, with flushes, and with all the
 * retakes that the policy allows: wall time is shared, not kernel time. Rounds before the inputs
 * change are made again: those before unseen ones come, half of the most on average, and one more.
 * So they are on any device that can change them. */
static double count_ns(const struct policy *r, const struct candidates *all,
		       const struct candidate *c)
{
	const bool far = all->n > 0 && c->median_ns > POLICY_FINALS_FAR * all->list[0].median_ns;
	const double counted = far ? fmin(POLICY_FAR_DISTURBED, (double)r->finals.fewest)
				   : (double)r->finals.fewest;
	const double before = (double)(1 + policy_last_unseen(r)) / 2 + 1;

	return ((1 + r->noise.extra) * counted + before + BESIDE_ROUNDS) * c->sample_ns +
	       c->warm_ns;
}

/* Finds the default of the implementation that has the fastest; NULL: there is none. */
static const struct candidate *find_preset(const struct candidates *c)
{
	for (size_t i = 0; i < c->n_references; i++)
		if (c->references[i].is_default && c->n > 0 &&
		    c->references[i].search == c->list[0].search)
			return &c->references[i];
	return NULL;
}

double finalists_least_ns(const struct policy *r, const struct candidates *c)
{
	const size_t few = c->n < FEW ? c->n : FEW;
	const struct candidate *preset = find_preset(c);
	double all = 0;

	for (size_t i = 0; i < few; i++) {
		all += count_ns(r, c, &c->list[i]);
		if (preset && is_same(preset, &c->list[i]))
			preset = NULL;
	}
	if (preset)
		all += count_ns(r, c, preset);
	/* A trial that is measured when the search should end is measured to its end. */
	return all + (c->n ? c->list[0].sample_ns * (double)(r->sampling.min_samples + 1) : 0);
}

size_t finalists_find_default(const struct finalists *f)
{
	size_t first = f->n;

	for (size_t i = 0; i < f->n; i++)
		if (f->list[i]->is_default &&
		    (first == f->n || f->list[i]->search < f->list[first]->search))
			first = i;
	return first;
}

/* Steps in which finalists are left out. */
enum need {
	NEED_NONE,  /* added for its time alone */
	NEED_TOLD,  /* says what the answer is worth: a reference, the best on record */
	NEED_KEPT,  /* time is kept for it: the second, and the default of the fastest */
	NEED_ALWAYS /* the fastest; the default where its bits count */
};

static enum need find_need(const struct finalists *f, size_t i)
{
	const struct candidates *c = f->candidates;
	const struct candidate *own = f->list[i], *preset = find_preset(c);

	if ((c->n > 0 && is_same(own, &c->list[0])) ||
	    (f->keeps_default && i == finalists_find_default(f)))
		return NEED_ALWAYS;
	if ((c->n > 1 && is_same(own, &c->list[1])) || (preset && is_same(own, preset)))
		return NEED_KEPT;
	return is_compared(f, i) ? NEED_TOLD : NEED_NONE;
}

/* Finds who is needed least: of those added for their times the highest median, of the others what
 * takes the most time. f->n: all that are left have to stay. */
static size_t find_least_needed(const struct finalists *f, const struct policy *r)
{
	enum need least = NEED_ALWAYS;
	double most = 0;
	size_t out = f->n;

	for (size_t i = 0; i < f->n; i++) {
		const enum need need = find_need(f, i);
		const double ns = need == NEED_NONE ? f->list[i]->median_ns
						    : count_ns(r, f->candidates, f->list[i]);

		if (need == NEED_ALWAYS || need > least || (need == least && ns < most))
			continue;
		least = need;
		most = ns;
		out = i;
	}
	return out;
}

void finalists_fit(struct finalists *f, const struct policy *r, double left_ns)
{
	const struct candidates *c = f->candidates;
	double all = 0;

	for (size_t i = 0; i < f->n; i++)
		all += count_ns(r, c, f->list[i]);
	while (all > left_ns && f->n > 1) {
		const size_t i = find_least_needed(f, r);

		if (i == f->n)
			break;
		all -= count_ns(r, c, f->list[i]);
		f->n_late += finalists_may_be_best(f, r, f->list[i]);
		f->n_beside += is_compared(f, i);
		f->has_best &= f->list[i] != &f->best;
		f->n_unfit++;
		f->n--;
		for (size_t k = i; k < f->n; k++)
			f->list[k] = f->list[k + 1];
	}
}
