#include "tuner/worker/unseen_inputs.h"

#include <inttypes.h>
#include <math.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/measurement.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"

enum {
	FEWEST = 4, /* rounds on which a suspect is slow, each on inputs of its own */
	MOST = 12,  /* rounds where they are cheap: launches that short differ by themselves beside
		       other load, and not each is marked */
	TRIES = 8   /* launches, of which one is to be undisturbed, on a busy machine too */
};
static const int64_t ROUNDS_NS = 500000000; /* time after which FEWEST are enough */

/* The factor: data change the time of an honest kernel by a fifth (power), an answer that is kept
 * by far more. The floor: launches of a few microseconds differ by as much. */
static const double TOO_LONG = 2;
static const int64_t FLOOR_NS = 5000;

/* Factor and floor where launches are disturbed, or where known inputs that were just put are
 * beside those that stayed: no load, and no cache, makes the median of several launches so much
 * longer. */
static const double FAR_TOO_LONG = 10;
static const int64_t FAR_FLOOR_NS = 200000;

static bool is_far(double known_ns, double unseen_ns)
{
	return known_ns > 0 && unseen_ns >= FAR_TOO_LONG * known_ns &&
	       unseen_ns - known_ns > (double)FAR_FLOOR_NS;
}

bool unseen_inputs_differ(int64_t known_ns, int64_t unseen_ns)
{
	return known_ns > 0 && (double)unseen_ns >= TOO_LONG * (double)known_ns &&
	       unseen_ns - known_ns > FLOOR_NS;
}

struct test {
	struct measurement *const *list;
	size_t n;
	struct worker_problem *problem;
	struct rng rng;   /* of seeds */
	uint64_t seed;    /* the last one */
	int64_t until_ns; /* when time is up; 0: never */
	bool suspect[FINALISTS_MAX];
	size_t rounds;             /* number of rounds that were held */
	size_t met[FINALISTS_MAX]; /* number of them in which both launches were undisturbed */
	double known_ns[FINALISTS_MAX][MOST]; /* time of a launch on the known set in each */
	struct {                              /* the same of the others */
		size_t n;
		double known_ns[MOST], unseen_ns[MOST];
	} disturbed[FINALISTS_MAX];
	bool anew[FINALISTS_MAX];    /* known inputs that were just put take as long */
	double ratio[FINALISTS_MAX]; /* of the last one: unseen to the median of these */
};

static bool is_over(const struct test *t)
{
	return t->until_ns > 0 && clock_now_ns() >= t->until_ns;
}

static bool failed(const struct test *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->list[i]->result->status != RESULT_OK)
			return true;
	return false;
}

/* Launches a finalist once on what is on the device; *disturbed: it would have taken less,
 * perhaps. */
static enum asc_status launch(struct measurement *m, int64_t *ns, bool *disturbed,
			      struct asc_err *e)
{
	static const struct device_batch one = {.samples = 1, .launches = 1};
	struct policy *policy = &m->race->policy;
	const enum cache_policy cache = policy->cache;
	const int64_t flush_ns = m->result->flush_ns; /* of samples */

	*ns = 0;
	if (measurement_enter(m, PHASE_MEASURE, e))
		return e->status;
	/* The answer of the finalist before is its own. */
	if (worker_problem_poison(m->config->problem, e))
		return e->status;
	/* Hot caches need launches before, and a second one has seen the inputs. */
	policy->cache = CACHE_COLD;
	const enum asc_status s = launch_sample(m, one, ns, e);

	policy->cache = cache;
	m->result->flush_ns = flush_ns;
	*disturbed = m->note & RESULT_MARKS;
	return s;
}

/* Launches as launch() does; *ns is negative for a disturbed launch. */
static enum asc_status launch_clean(struct measurement *m, int64_t *ns, struct asc_err *e)
{
	bool disturbed = false;
	const enum asc_status s = launch(m, ns, &disturbed, e);

	*ns = disturbed ? -*ns : *ns;
	return s;
}

/* Makes inputs and puts them on the device, announced: the time that it takes is no launch's. Those
 * of the set that the finalists know are put there in the same way, so that a launch on them, too,
 * comes behind a pause in which threads slept and caches changed. */
static enum asc_status put_inputs(const struct test *t, uint64_t seed, struct asc_err *e)
{
	const struct worker_watch *watch = &t->list[0]->race->watch;

	if (!worker_problem_has_unseen(t->problem))
		return ASC_OK;
	if (watch->doing && watch->doing(watch->user, "making inputs that nobody has seen", e))
		return e->status;
	return worker_problem_put_unseen(t->problem, seed, e);
}

static enum asc_status put_new(struct test *t, struct asc_err *e)
{
	t->seed = rng_next(&t->rng) % INPUT_SEEDS_BELOW;
	return put_inputs(t, t->seed, e);
}

/* Puts new inputs at other addresses. Known ones will lie there, too: what is kept by address has
 * been found there once by then. */
static enum asc_status put_new_elsewhere(struct test *t, struct asc_err *e)
{
	if (worker_problem_moves(t->problem) &&
	    launch_move(t->list[0], &t->rng, t->problem->set, e))
		return e->status;
	return put_new(t, e);
}

static enum asc_status put_known(const struct test *t, struct asc_err *e)
{
	return put_inputs(t, t->problem->seeds[t->problem->set], e);
}

/* Launches a suspect on new inputs, which come behind a launch on others as known ones do: the
 * first launch at a place is longer. Where addresses alone are new there is no such launch. */
static enum asc_status meet_one(struct test *t, struct measurement *m, int64_t *ns,
				struct asc_err *e)
{
	if (worker_problem_has_unseen(t->problem) && (launch_clean(m, ns, e) || put_new(t, e)))
		return e->status;
	return launch_clean(m, ns, e);
}

/* Launches each suspect once on new inputs, on others where that is disturbed: what it was launched
 * on it has seen. ns[i], 0 before, is negative where each launch was. */
static enum asc_status meet(struct test *t, int64_t *ns, struct asc_err *e)
{
	bool left = true;

	for (int k = 0; k < TRIES && left && !failed(t) && !is_over(t); k++) {
		if (put_new_elsewhere(t, e))
			return e->status;
		left = false;
		for (size_t i = 0; i < t->n && !failed(t); i++) {
			if (!t->suspect[i] || ns[i] > 0)
				continue;
			if (meet_one(t, t->list[i], &ns[i], e))
				return e->status;
			left |= ns[i] <= 0;
		}
	}
	return ASC_OK;
}

/* Launches a suspect on the set that it knows; *ns is negative where each launch was disturbed. */
static enum asc_status meet_known(const struct test *t, struct measurement *m, int64_t *ns,
				  struct asc_err *e)
{
	*ns = 0;
	/* Not timed: a kernel that keeps one answer has that of the inputs between. */
	if (put_known(t, e) || launch_clean(m, ns, e))
		return e->status;
	*ns = 0;
	for (int k = 0; k < TRIES && *ns <= 0 && !failed(t) && !is_over(t); k++)
		if (put_known(t, e) || launch_clean(m, ns, e))
			return e->status;
	return ASC_OK;
}

/* Launches each suspect on the set that they know. */
static enum asc_status meet_all_known(const struct test *t, int64_t *ns, struct asc_err *e)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->suspect[i] && !failed(t) && meet_known(t, t->list[i], &ns[i], e))
			return e->status;
	return ASC_OK;
}

/* Returns the median time of the first samples, on inputs that stayed where they were; 0: there is
 * none like launches here, which find cold caches. */
static double find_stayed(const struct measurement *m)
{
	const struct result *r = m->result;
	double ns[FEWEST];
	size_t n = 0;

	if (m->race->policy.cache != CACHE_COLD)
		return 0;
	for (size_t i = 0; i < r->n_samples && n < FEWEST; i++)
		ns[n++] = (double)r->samples[i];
	return n > 0 ? stats_select_median(ns, n) : 0;
}

/* Clears the suspects that take about as long on other inputs as on those that they know, unless
 * these, put anew, take far longer than they did where they stayed. */
static enum asc_status clear(struct test *t, struct asc_err *e)
{
	int64_t unseen_ns[FINALISTS_MAX] = {0}, known_ns[FINALISTS_MAX] = {0};

	/* The set that is known comes second: each launch follows inputs that were just written,
	 * and a device whose clock has fallen meanwhile. */
	if (meet(t, unseen_ns, e) || meet_all_known(t, known_ns, e))
		return e->status;
	for (size_t i = 0; i < t->n; i++) {
		const double known = fabs((double)known_ns[i]), unseen = fabs((double)unseen_ns[i]);

		if (!t->suspect[i] || known == 0 || unseen == 0)
			continue;
		if (known_ns[i] < 0 || unseen_ns[i] < 0) {
			t->disturbed[i].known_ns[t->disturbed[i].n] = known;
			t->disturbed[i].unseen_ns[t->disturbed[i].n++] = unseen;
			continue;
		}
		t->known_ns[i][t->met[i]++] = known;
		const double median = stats_select_median(t->known_ns[i], t->met[i]);
		const double stayed = find_stayed(t->list[i]);

		t->suspect[i] = unseen_inputs_differ((int64_t)median, unseen_ns[i]);
		t->anew[i] = !t->suspect[i] && is_far(stayed, fmin(known, unseen));
		t->ratio[i] = unseen / (t->anew[i] ? stayed : median);
		t->suspect[i] |= t->anew[i];
	}
	t->rounds++;
	return ASC_OK;
}

/* Returns the least time of a launch so far; 0: there is no sample. */
static int64_t find_least(const struct result *r)
{
	int64_t least = 0;

	for (size_t i = 0; i < r->n_samples; i++)
		if (i == 0 || r->samples[i] < least)
			least = r->samples[i];
	return least;
}

/* Launches each once on new inputs, and finds the suspects. A disturbed launch only takes longer,
 * so one that is not far from the least of the samples has nothing to hide. */
static enum asc_status find_suspects(struct test *t, struct asc_err *e)
{
	if (put_new_elsewhere(t, e))
		return e->status;
	for (size_t i = 0; i < t->n && !failed(t); i++) {
		const int64_t least_ns = find_least(t->list[i]->result);
		bool disturbed = false;
		int64_t ns;

		if (launch(t->list[i], &ns, &disturbed, e))
			return e->status;
		t->suspect[i] = least_ns == 0 || unseen_inputs_differ(least_ns, ns);
	}
	return ASC_OK;
}

static bool has_suspects(const struct test *t)
{
	bool any = false;

	for (size_t i = 0; i < t->n; i++)
		any |= t->suspect[i];
	return any;
}

static void set_wrong(const struct test *t, size_t i)
{
	struct result *r = t->list[i]->result;
	const bool moves = worker_problem_moves(t->problem);

	if (t->anew[i])
		result_set(r, RESULT_WRONG, PHASE_MEASURE,
			   "takes %.3g x as long where its inputs were put there anew%s",
			   t->ratio[i], moves ? ", at other addresses" : "");
	else if (worker_problem_has_unseen(t->problem))
		result_set(r, RESULT_WRONG, PHASE_MEASURE,
			   "takes %.3g x as long on inputs that it has not seen (those of seed "
			   "%" PRIu64 ")%s",
			   t->ratio[i], t->seed, moves ? ", at other addresses" : "");
	else
		result_set(r, RESULT_WRONG, PHASE_MEASURE,
			   "takes %.3g x as long where its tensors lie at other addresses",
			   t->ratio[i]);
}

/* True for a suspect that is slow in enough rounds: in undisturbed ones, or, on a machine that
 * disturbs most, by far. */
static bool is_wrong(struct test *t, size_t i)
{
	const size_t n = t->disturbed[i].n;

	if (!t->suspect[i] || t->met[i] + n < FEWEST)
		return false;
	if (t->met[i] >= FEWEST)
		return true;
	const double known = stats_select_median(t->disturbed[i].known_ns, n);
	const double unseen = stats_select_median(t->disturbed[i].unseen_ns, n);

	t->ratio[i] = unseen / known;
	return is_far(known, unseen);
}

enum asc_status unseen_inputs_test(struct measurement *const *list, size_t n, uint64_t seed,
				   int64_t until_ns, struct asc_err *e)
{
	struct test t = {
		.list = list, .n = n, .problem = list[0]->config->problem, .until_ns = until_ns};
	int64_t begin_ns;

	if (is_over(&t))
		return ASC_OK;
	rng_init(&t.rng, seed);
	if (find_suspects(&t, e))
		return e->status;
	begin_ns = clock_now_ns();
	while (has_suspects(&t) && !failed(&t) && t.rounds < MOST &&
	       (t.rounds < FEWEST || clock_now_ns() < begin_ns + ROUNDS_NS))
		if (clear(&t, e))
			return e->status;
	for (size_t i = 0; i < n && !failed(&t); i++)
		if (is_wrong(&t, i))
			set_wrong(&t, i);
	return failed(&t) ? ASC_OK : launch_put_set(list[0], t.problem->set, e);
}
