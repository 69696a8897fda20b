#include "tuner/run/worker_finals.h"

#include <stdlib.h>

#include "tuner/base/rng.h"
#include "tuner/base/units.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/heat.h"
#include "tuner/run/measure.h"
#include "tuner/run/worker_config.h"
#include "tuner/run/worker_passage.h"
#include "tuner/run/worker_problem.h"

struct finals {
	struct passage passages[EVALUATOR_MAX_FINALISTS];
	int64_t launches[EVALUATOR_MAX_FINALISTS]; /* per sample */
	struct heat heats[EVALUATOR_MAX_FINALISTS];
	size_t order[EVALUATOR_MAX_FINALISTS]; /* of those that run, n of them */
	size_t n;
	int64_t checked[EVALUATOR_MAX_FINALISTS]; /* the round whose sample is verified */
	int64_t until_ns;                         /* nothing is begun after that; 0: no limit */
	int64_t verify_ns;                        /* what the last verification of all will take */
	struct rng rng;
	const struct rule *rule;
	struct worker_problem *problem;
	int64_t begun_ns; /* when the rounds began */
	int64_t spent_ns; /* kernel time of the rounds */
	int64_t retakes;  /* that are left, for samples of a machine that was not steady */
	bool failed;      /* one of those that run went wrong: the rounds end */
};

enum { HOT_NS = 100000 };

static bool is_over(const struct finals *f)
{
	return f->until_ns > 0 && clock_now_ns() + f->verify_ns >= f->until_ns;
}

static enum asc_status warm_up(struct finals *f, size_t i, int64_t first_ns, struct asc_err *e)
{
	struct passage *p = &f->passages[i];
	struct rule own = *f->rule;
	int64_t ns = first_ns, spent_ns = first_ns, note;

	for (int64_t k = 0; !measure_is_warm(&own, k, spent_ns); k++, spent_ns += ns)
		if (passage_sample(p, (struct device_batch){.samples = 1, .launches = 1}, &ns,
				   &note, e))
			return e->status;
	if (worker_problem_has_inout(f->problem))
		own.sample_ns = 0;
	f->launches[i] = measure_group(&own, ns);
	return ASC_OK;
}

/* Others cannot be trusted beside what it has done. */
static bool is_harmed(const struct passage *p)
{
	return p->config->harmful || p->config->problem->ops->lost(p->config->problem->device);
}

static int64_t most_rounds(const struct rule *r)
{
	return r->finals_free > r->finals_rounds ? r->finals_free : r->finals_rounds;
}

static enum asc_status begin(struct finals *f, size_t i, struct asc_err *e)
{
	struct passage *p = &f->passages[i];
	int64_t first_ns = 0;

	p->result->status = RESULT_OK;
	p->result->spent_ns[PHASE_LOAD] = p->config->load_ns;
	if (passage_verify(p, &first_ns, e))
		return e->status;
	f->verify_ns += p->result->spent_ns[PHASE_VERIFY];
	if (p->result->status == RESULT_OK &&
	    (passage_enter(p, PHASE_MEASURE, e) || warm_up(f, i, first_ns, e)))
		return e->status;
	if (p->result->status != RESULT_OK)
		return ASC_OK;
	size_t room = (size_t)most_rounds(f->rule) + 1;
	p->result->samples = calloc(room, sizeof *p->result->samples);
	p->result->notes = calloc(room, sizeof *p->result->notes);
	if (!p->result->samples || !p->result->notes)
		return asc_err_nomem(e);
	p->result->launches_per_sample = f->launches[i];
	f->heats[i] = (struct heat){p->result->samples, p->config->unraced};
	f->checked[i] = (int64_t)rng_below(&f->rng, (uint64_t)f->rule->finals_fewest);
	f->order[f->n++] = i;
	return ASC_OK;
}

static bool retake(struct finals *f, struct result *r, int64_t note)
{
	if (!(note & RESULT_MARKS) || f->retakes == 0 || r->status != RESULT_OK || is_over(f))
		return false;
	f->retakes--;
	r->retaken++;
	return true;
}

/* With hot caches, what finalists before this one have left there is not what its own launches
 * find: it is launched until that is so, and until the announcement is read. */
static enum asc_status warm_caches(struct passage *p, struct asc_err *e)
{
	const struct device_batch one = {.samples = 1, .launches = 1};
	int64_t start = clock_now_ns(), ns, note;

	if (p->rule->cache != CACHE_HOT)
		return ASC_OK;
	do {
		if (passage_sample(p, one, &ns, &note, e))
			return e->status;
	} while (p->result->status == RESULT_OK && clock_now_ns() - start < HOT_NS);
	return ASC_OK;
}

static enum asc_status take_sample(struct finals *f, size_t i, bool poisoned, int64_t *ns,
				   int64_t *note, struct asc_err *e)
{
	struct passage *p = &f->passages[i];
	const struct device_batch batch = {.samples = 1, .launches = f->launches[i]};

	if (warm_caches(p, e) || (poisoned && worker_problem_poison(f->problem, e)))
		return e->status;
	return p->result->status == RESULT_OK ? passage_sample(p, batch, ns, note, e) : ASC_OK;
}

/* In a round that nobody knows before, the sample starts on poison and is verified. */
static enum asc_status take_one(struct finals *f, size_t i, struct asc_err *e)
{
	struct passage *p = &f->passages[i];
	struct result *r = p->result;
	const bool checked = (int64_t)r->n_samples == f->checked[i];
	int64_t ns = 0, note = 0;

	/* Whose launch it is has to be known: others had theirs since. */
	if (passage_enter(p, PHASE_MEASURE, e) || take_sample(f, i, checked, &ns, &note, e))
		return e->status;
	while (retake(f, r, note))
		if (passage_cool(p, note, e) || take_sample(f, i, checked, &ns, &note, e))
			return e->status;
	if (checked && r->status == RESULT_OK && passage_verify_again(p, e))
		return e->status;
	f->failed |= r->status != RESULT_OK;
	f->spent_ns += ns;
	r->notes[r->n_samples] = note;
	r->samples[r->n_samples++] = measure_per_launch(ns, f->launches[i]);
	return ASC_OK;
}

/* Where a large cache is written before every launch, that takes far longer than the kernels. */
static bool is_late(const struct finals *f)
{
	int64_t most_ns = f->rule->finals_wall_ns;

	return most_ns > 0 && clock_now_ns() - f->begun_ns >= most_ns;
}

static bool another(const struct finals *f, int64_t done)
{
	const struct rule *r = f->rule;

	if (f->failed || f->n == 0 || is_over(f) || (done >= r->finals_fewest && is_late(f)))
		return false;
	if (done >= r->finals_rounds)
		return done < r->finals_free && f->spent_ns < r->finals_free_ns;
	return done < r->finals_fewest || f->spent_ns < r->finals_ns;
}

static enum asc_status make_round(struct finals *f, struct asc_err *e)
{
	for (size_t i = 0; i < f->n && !f->failed && !is_over(f); i++)
		if (take_one(f, f->order[i], e))
			return e->status;
	return ASC_OK;
}

static enum asc_status show_round(const struct finals *f, int64_t done, struct asc_err *e)
{
	const struct worker_watch *watch = f->passages[0].watch;
	const int64_t rounds = f->rule->finals_rounds;

	if (!watch->round)
		return ASC_OK;
	return watch->round(watch->user, done, done <= rounds ? rounds : most_rounds(f->rule), e);
}

/* A round that was broken off does not count. */
static void forget_beyond(struct finals *f, size_t rounds)
{
	for (size_t i = 0; i < f->n; i++) {
		struct result *r = f->passages[f->order[i]].result;

		r->n_samples = r->n_samples < rounds ? r->n_samples : rounds;
	}
}

static enum asc_status make_rounds(struct finals *f, struct asc_err *e)
{
	f->begun_ns = clock_now_ns();
	f->retakes = (int64_t)(f->rule->extra * (double)f->n * (double)f->rule->finals_rounds);
	for (int64_t done = 0; another(f, done); done++) {
		rng_shuffle(&f->rng, f->order, f->n);
		if (make_round(f, e))
			return e->status;
		if (f->failed || is_over(f))
			forget_beyond(f, (size_t)done);
		else if (show_round(f, done + 1, e) ||
			 (rule_is_check(f->rule, done + 1) &&
			  heat_drop(f->rule, f->heats, (size_t)done + 1, f->order, &f->n, e)))
			return e->status;
	}
	return ASC_OK;
}

/* After the rounds each is verified once more, on poison. */
static enum asc_status end(struct finals *f, size_t n, struct asc_err *e)
{
	bool harmed = false;

	for (size_t i = 0; i < n && !f->failed && !harmed; i++) {
		struct passage *p = &f->passages[i];

		if (p->result->status != RESULT_OK || p->result->n_samples == 0)
			continue;
		if (passage_verify_later(p, e) || result_summarize(p->result, e))
			return e->status;
		harmed = is_harmed(p);
	}
	return ASC_OK;
}

enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n,
				  const struct worker_finals *how, struct result *results,
				  bool *complete, struct asc_err *e)
{
	struct finals f = {
		.rule = how->rule, .problem = configs[0]->problem, .until_ns = how->until_ns};
	enum asc_status s = ASC_OK;
	int64_t start = clock_now_ns();

	rng_init(&f.rng, how->seed);
	for (size_t i = 0; i < n; i++)
		f.passages[i] = (struct passage){.config = configs[i],
						 .watch = how->watch,
						 .result = &results[i],
						 .rule = how->rule};
	for (size_t i = 0; !s && i < n && !f.failed && !is_over(&f); i++) {
		s = begin(&f, i, e);
		f.failed |= results[i].status != RESULT_OK;
	}
	if (!s)
		s = make_rounds(&f, e);
	if (!s)
		s = end(&f, n, e);
	if (!s)
		results[0].spent_ns[PHASE_MEASURE] = clock_now_ns() - start;
	*complete = !f.failed;
	for (size_t i = 0; i < n; i++)
		*complete &= results[i].status == RESULT_OK;
	return s;
}
