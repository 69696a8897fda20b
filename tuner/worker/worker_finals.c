#include "tuner/worker/worker_finals.h"

#include <math.h>
#include <stdlib.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/result/tie.h"
#include "tuner/worker/elimination.h"
#include "tuner/worker/launch_context.h"
#include "tuner/worker/measure.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

struct finals {
	struct launch_context contexts[FINALISTS_MAX];
	int64_t launches[FINALISTS_MAX]; /* launches of a sample */
	struct elimination eliminations[FINALISTS_MAX];
	size_t order[FINALISTS_MAX]; /* finalists that run, n of them */
	size_t n;
	int64_t checked[FINALISTS_MAX]; /* round whose sample is verified */
	int64_t until_ns;               /* time after which nothing is begun; 0: no limit */
	int64_t verify_ns;              /* expected time of the last verification of all */
	struct rng rng;
	const struct policy *policy;
	struct worker_problem *problem;
	int64_t begun_ns;                 /* when the rounds began */
	int64_t spent_ns;                 /* kernel time of the rounds */
	int64_t taken;                    /* samples of the rounds, without retakes */
	double first_ns, first_kernel_ns; /* expected time of the first round, and in kernels */
	int64_t retakes;                  /* retakes left, for marked samples */
	int64_t retaken;                  /* retakes made */
	int64_t again_ns;                 /* time left for them, so that some is left for rounds */
	int64_t shown_ns;                 /* when these were shown */
	bool failed;                      /* a finalist failed: the rounds end */
	bool undecided; /* another may be far faster than the leader: more rounds may decide */
};

enum { HOT_NS = 100000 };
static const int64_t SHOW_NS = INT64_C(500000000);

static bool is_over(const struct finals *f)
{
	return f->until_ns > 0 && clock_now_ns() + f->verify_ns >= f->until_ns;
}

static enum asc_status warm_up(struct finals *f, size_t i, int64_t first_ns, struct asc_err *e)
{
	struct launch_context *p = &f->contexts[i];
	struct policy own = *f->policy;
	const int64_t start_ns = clock_now_ns();
	int64_t ns = first_ns, spent_ns = first_ns, k = 0, note;

	for (; !measure_is_warm(&own, k, spent_ns); k++, spent_ns += ns)
		if (launch_sample(p, (struct device_batch){.samples = 1, .launches = 1}, &ns, &note,
				  e))
			return e->status;
	if (worker_problem_has_inout(f->problem))
		own.sampling.sample_ns = 0;
	f->launches[i] = measure_group(&own, ns);
	/* beside the kernel: what precedes each sample, caches that are written or warmed */
	const double beside_ns =
		k > 0 ? (double)(clock_now_ns() - start_ns - (spent_ns - first_ns)) / (double)k : 0;

	f->first_kernel_ns += (double)ns * (double)f->launches[i];
	f->first_ns += (double)ns * (double)f->launches[i] + fmax(beside_ns, 0);
	return ASC_OK;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t most_rounds(const struct policy *r)
{
	return larger(r->finals.rounds, larger(r->finals.free, r->finals.noisy));
}

static enum asc_status begin(struct finals *f, size_t i, struct asc_err *e)
{
	struct launch_context *p = &f->contexts[i];
	int64_t first_ns = 0;

	p->result->status = RESULT_OK;
	p->result->spent_ns[PHASE_LOAD] = p->config->load_ns;
	if (launch_verify(p, &first_ns, e))
		return e->status;
	f->verify_ns += p->result->spent_ns[PHASE_VERIFY];
	if (p->result->status == RESULT_OK &&
	    (launch_enter(p, PHASE_MEASURE, e) || warm_up(f, i, first_ns, e)))
		return e->status;
	if (p->result->status != RESULT_OK)
		return ASC_OK;
	size_t room = (size_t)most_rounds(f->policy) + 1;
	p->result->samples = calloc(room, sizeof *p->result->samples);
	p->result->notes = calloc(room, sizeof *p->result->notes);
	if (!p->result->samples || !p->result->notes)
		return asc_err_nomem(e);
	p->result->launches_per_sample = f->launches[i];
	f->eliminations[i] =
		(struct elimination){p->result->samples, p->result->notes, p->config->full};
	f->checked[i] = (int64_t)rng_below(&f->rng, (uint64_t)f->policy->finals.fewest);
	f->order[f->n++] = i;
	return ASC_OK;
}

static enum asc_status show(const struct finals *f, struct finals_progress p, struct asc_err *e)
{
	const struct worker_watch *watch = f->contexts[0].watch;

	return watch->finals ? watch->finals(watch->user, &p, e) : ASC_OK;
}

static enum asc_status show_finalists(const struct finals *f, enum finals_step step, size_t done,
				      size_t n, struct asc_err *e)
{
	const int64_t left = step == FINALS_VERIFICATION ? (int64_t)(n - done) : 0;

	return show(f,
		    (struct finals_progress){step, (int64_t)done, (int64_t)n,
					     f->verify_ns / (int64_t)n * left},
		    e);
}

/* Shows retakes, but not those of short samples: a message would disturb them. */
static enum asc_status show_retakes(struct finals *f, struct asc_err *e)
{
	const int64_t now_ns = clock_now_ns();

	if (now_ns - f->shown_ns < SHOW_NS)
		return ASC_OK;
	f->shown_ns = now_ns;
	return show(f,
		    (struct finals_progress){FINALS_RETAKE, f->retaken, f->retaken + f->retakes, 0},
		    e);
}

static bool retake(struct finals *f, struct result *r, int64_t note)
{
	if (!(note & RESULT_MARKS) || f->retakes == 0 || f->again_ns <= 0 ||
	    r->status != RESULT_OK || is_over(f))
		return false;
	f->retakes--;
	f->retaken++;
	r->retaken++;
	return true;
}

/* Launches a finalist until the hot caches are those of its own launches, and until its
 * announcement is read. */
static enum asc_status warm_caches(struct launch_context *p, struct asc_err *e)
{
	const struct device_batch one = {.samples = 1, .launches = 1};
	int64_t start = clock_now_ns(), ns, note;

	if (p->policy->cache != CACHE_HOT)
		return ASC_OK;
	do {
		if (launch_sample(p, one, &ns, &note, e))
			return e->status;
	} while (p->result->status == RESULT_OK && clock_now_ns() - start < HOT_NS);
	return ASC_OK;
}

static enum asc_status take_sample(struct finals *f, size_t i, bool poisoned, int64_t *ns,
				   int64_t *note, struct asc_err *e)
{
	struct launch_context *p = &f->contexts[i];
	const struct device_batch batch = {.samples = 1, .launches = f->launches[i]};

	if (warm_caches(p, e) || (poisoned && worker_config_poison(p->config, e)))
		return e->status;
	return p->result->status == RESULT_OK ? launch_sample(p, batch, ns, note, e) : ASC_OK;
}

/* Takes a marked sample again, until one is clean or no more may be taken. */
static enum asc_status take_again(struct finals *f, size_t i, bool poisoned, int64_t *ns,
				  int64_t *note, struct asc_err *e)
{
	struct launch_context *p = &f->contexts[i];

	while (retake(f, p->result, *note)) {
		const int64_t start_ns = clock_now_ns();

		if (show_retakes(f, e) || launch_cool(p, *note, e) ||
		    take_sample(f, i, poisoned, ns, note, e))
			return e->status;
		f->again_ns -= clock_now_ns() - start_ns;
	}
	return ASC_OK;
}

/* Takes a sample; in a round drawn at random it starts on poison and is verified. */
static enum asc_status take_one(struct finals *f, size_t i, struct asc_err *e)
{
	struct launch_context *p = &f->contexts[i];
	struct result *r = p->result;
	const bool checked = (int64_t)r->n_samples == f->checked[i];
	int64_t ns = 0, note = 0;

	/* Announces the launch, since others had theirs before. */
	if (launch_enter(p, PHASE_MEASURE, e) || take_sample(f, i, checked, &ns, &note, e))
		return e->status;
	if (take_again(f, i, checked, &ns, &note, e))
		return e->status;
	if (checked && r->status == RESULT_OK && launch_verify_again(p, e))
		return e->status;
	f->failed |= r->status != RESULT_OK;
	f->spent_ns += ns;
	f->taken++;
	r->notes[r->n_samples] = note;
	r->samples[r->n_samples++] = measure_per_launch(ns, f->launches[i]);
	return ASC_OK;
}

/* True when time is up by the clock too: where a large cache is written before every launch, that
 * takes far longer than the kernels. */
static bool is_late(const struct finals *f)
{
	int64_t most_ns = f->policy->finals.wall_ns;

	return most_ns > 0 && clock_now_ns() - f->begun_ns >= most_ns;
}

static bool another(const struct finals *f, int64_t done)
{
	const struct policy *r = f->policy;

	if (f->failed || f->n == 0 || is_over(f) || (done >= r->finals.fewest && is_late(f)))
		return false;
	if (done < r->finals.rounds)
		return done < r->finals.fewest || f->spent_ns < r->finals.ns;
	return (done < r->finals.free && f->spent_ns < POLICY_FINALS_FREE_NS) ||
	       (f->undecided && done < r->finals.noisy &&
		clock_now_ns() - f->begun_ns < r->finals.ns);
}

/* Finds whether the answer could be given now. */
static enum asc_status look(struct finals *f, size_t done, struct asc_err *e)
{
	struct finalist list[FINALISTS_MAX];
	const struct finalist *leader = list;
	struct sureness s;

	for (size_t i = 0; i < f->n; i++) {
		const struct result *r = f->contexts[f->order[i]].result;

		list[i] = (struct finalist){
			.samples = r->samples, .notes = r->notes, .rounds = done, .key = ""};
	}
	if (tie_find(list, f->n, f->policy->tests.margin, e))
		return e->status;
	while (!leader->chosen)
		leader++;
	if (sure_find(list, f->n, leader, f->policy->tests.margin, &s, e))
		return e->status;
	f->undecided = s.sure == SURE_UNDECIDED;
	return ASC_OK;
}

/* Drops those that are clearly slower, at the checks of the policy, and whenever another
 * finals_rounds rounds are over. */
static enum asc_status end_round(struct finals *f, size_t done, struct asc_err *e)
{
	const bool over = (int64_t)done % f->policy->finals.rounds == 0;

	if ((over || policy_is_check(f->policy, (int64_t)done)) &&
	    elimination_drop(f->policy, f->eliminations, done, f->order, &f->n, e))
		return e->status;
	return over ? look(f, done, e) : ASC_OK;
}

static enum asc_status make_round(struct finals *f, struct asc_err *e)
{
	for (size_t i = 0; i < f->n && !f->failed && !is_over(f); i++)
		if (take_one(f, f->order[i], e))
			return e->status;
	return ASC_OK;
}

/* Rounds that another() will have allowed in all if the answer stays as noisy as it is, and a round
 * takes `round_ns`, `kernel_ns` of it in kernels. */
static double expect_rounds(const struct finals *f, double done, double round_ns, double kernel_ns)
{
	const struct policy *r = f->policy;
	const double rounds = (double)r->finals.rounds, fewest = (double)r->finals.fewest;
	const double spent_ns = (double)f->spent_ns, most_ns = (double)r->finals.ns;
	double all = fmin(rounds, fmax(fewest, done + (most_ns - spent_ns) / kernel_ns));

	if (all < rounds && done < rounds)
		return all;
	all = fmax(all, fmin((double)r->finals.free,
			     done + ((double)POLICY_FINALS_FREE_NS - spent_ns) / kernel_ns));
	if (f->undecided)
		all = fmax(all, fmin((double)r->finals.noisy, most_ns / round_ns));
	return all;
}

/* Expected time until the finals end, by whichever limit is reached first, when a sample takes as
 * long as those so far, before the first round as those of the warm-up. */
static int64_t expect_left_ns(const struct finals *f, double done)
{
	const double wall_ns = (double)(clock_now_ns() - f->begun_ns), n = (double)f->n;
	const double taken = (double)f->taken;
	const double round_ns = f->taken > 0 ? n * wall_ns / taken : f->first_ns;
	const double kernel_ns =
		f->taken > 0 ? n * (double)f->spent_ns / taken : f->first_kernel_ns;
	const double most_ns = (double)f->policy->finals.wall_ns;
	const double fewest_ns = ((double)f->policy->finals.fewest - done) * round_ns;
	double left_ns = round_ns * (expect_rounds(f, done, round_ns, kernel_ns) - done);

	if (most_ns > 0)
		left_ns = fmin(left_ns, fmax(fewest_ns, most_ns - wall_ns));
	left_ns = fmax(left_ns, 0) + (double)f->verify_ns;
	if (f->until_ns > 0)
		left_ns = fmin(left_ns, (double)(f->until_ns - clock_now_ns()));
	return left_ns >= 1 ? (int64_t)fmin(left_ns, 0x1p52) : 1;
}

static enum asc_status show_rounds(const struct finals *f, size_t done, struct asc_err *e)
{
	const int64_t rounds = f->policy->finals.rounds, n = (int64_t)done;

	return show(f,
		    (struct finals_progress){FINALS_ROUND, n,
					     n <= rounds ? rounds : most_rounds(f->policy),
					     expect_left_ns(f, (double)done)},
		    e);
}

/* Drops the samples of a round that was broken off. */
static void forget_beyond(struct finals *f, size_t rounds)
{
	for (size_t i = 0; i < f->n; i++) {
		struct result *r = f->contexts[f->order[i]].result;

		r->n_samples = r->n_samples < rounds ? r->n_samples : rounds;
	}
}

static enum asc_status make_rounds(struct finals *f, struct asc_err *e)
{
	f->begun_ns = clock_now_ns();
	f->retakes =
		(int64_t)(f->policy->noise.extra * (double)f->n * (double)f->policy->finals.rounds);
	f->again_ns =
		f->until_ns > 0
			? (int64_t)(f->policy->noise.extra * (double)(f->until_ns - f->begun_ns))
			: INT64_MAX;
	f->shown_ns = f->begun_ns;
	if (show_rounds(f, 0, e))
		return e->status;
	for (int64_t done = 0; another(f, done); done++) {
		rng_shuffle(&f->rng, f->order, f->n);
		if (make_round(f, e))
			return e->status;
		if (f->failed || is_over(f))
			forget_beyond(f, (size_t)done);
		else if (end_round(f, (size_t)done + 1, e) || show_rounds(f, (size_t)done + 1, e))
			return e->status;
	}
	return ASC_OK;
}

/* Verifies each once more after the rounds, on poison. */
static enum asc_status end(struct finals *f, size_t n, struct asc_err *e)
{
	bool harmed = false;

	for (size_t i = 0; i < n && !f->failed && !harmed; i++) {
		struct launch_context *p = &f->contexts[i];

		if (p->result->status != RESULT_OK || p->result->n_samples == 0)
			continue;
		if (launch_sum_kernels(p, e) || launch_verify_later(p, e) ||
		    result_summarize(p->result, e) ||
		    show_finalists(f, FINALS_VERIFICATION, i + 1, n, e))
			return e->status;
		/* Beside a finalist that has done harm, the others cannot be trusted. */
		harmed = p->config->harmful ||
			 p->config->problem->ops->lost(p->config->problem->device);
	}
	return ASC_OK;
}

enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n,
				  const struct worker_finals *how, struct result *results,
				  bool *complete, struct asc_err *e)
{
	struct finals f = {
		.policy = how->policy, .problem = configs[0]->problem, .until_ns = how->until_ns};
	enum asc_status s = ASC_OK;
	int64_t start = clock_now_ns();

	rng_init(&f.rng, how->seed);
	for (size_t i = 0; i < n; i++)
		f.contexts[i] = (struct launch_context){.config = configs[i],
							.watch = how->watch,
							.result = &results[i],
							.policy = how->policy};
	for (size_t i = 0; !s && i < n && !f.failed && !is_over(&f); i++) {
		s = begin(&f, i, e);
		f.failed |= results[i].status != RESULT_OK;
		if (!s)
			s = show_finalists(&f, FINALS_WARM_UP, i + 1, n, e);
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
