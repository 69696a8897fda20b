#include "tuner/worker/worker_finals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/stats/rng.h"
#include "tuner/base/stats/stats.h"
#include "tuner/base/units.h"
#include "tuner/result/tie.h"
#include "tuner/worker/elimination.h"
#include "tuner/worker/inputs.h"
#include "tuner/worker/launch.h"
#include "tuner/worker/own_answer.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/repeats.h"
#include "tuner/worker/unseen_inputs.h"
#include "tuner/worker/worker_config.h"
#include "tuner/worker/worker_problem.h"
#include "tuner/worker/worker_sets.h"

/* ---- the finals ---- */

struct entry { /* a finalist in the rounds */
	struct measurement m;
	struct repeats repeats; /* what its verified launches left */
	int64_t launches;       /* launches of a sample */
	int64_t checked;        /* round whose sample is verified: one of the fewest */
	bool compares;          /* the outputs of each sample are compared */
	bool poisons;           /* each sample begins on poison */
	bool moved;             /* compared behind a move of the tensors */
	bool exchanged;         /* verified on a set whose place had another one */
	unsigned on_sets;       /* sets that it is verified on: a bit each */
	uint64_t moves;         /* of the tensors, at its last launch */
	size_t last_set;        /* set of that launch */
};

struct finals {
	struct race *race;
	const struct policy *policy; /* of the race */
	struct worker_problem *problem;
	struct rng rng;
	struct entry finalists[FINALISTS_MAX];
	struct finals_rounds rounds[FINALISTS_MAX]; /* of each that runs, for finals_drop() */
	size_t order[FINALISTS_MAX];                /* finalists that run, n of them */
	size_t n, all;                              /* all: finalists, of which n run */
	int64_t unseen;                   /* round before which they meet inputs that they have not
					     seen: an early one behind the first; -1: none */
	int64_t unseen_ns;                /* time that this took */
	struct rng draws;                 /* draws sets, and places of tensors */
	int64_t poison_ns;                /* time that poison in all outputs takes; 0: unknown */
	bool swaps;                       /* rounds are on drawn sets, else all on the first one */
	bool swapped;                     /* one was on another set than the one before */
	int64_t draw;                     /* round before which is drawn next */
	int64_t verify_ns;                /* expected time of what is verified behind the rounds */
	int64_t begun_ns;                 /* when the rounds began */
	int64_t spent_ns;                 /* kernel time of the rounds */
	int64_t taken;                    /* samples of the rounds, without retakes */
	double first_ns, first_kernel_ns; /* expected time of the first round, and in kernels */
	int64_t retakes;                  /* retakes left, for marked samples */
	int64_t retaken;                  /* retakes made */
	int64_t again_ns;                 /* time left for them, so that some is left for rounds */
	int64_t shown_ns;                 /* when these were shown */
	bool failed;                      /* a finalist failed: the rounds end */
	bool undecided; /* another may be far faster than the leader, when the last set of
			   finals.rounds was over: more rounds may decide */
};

/* Launches on hot caches before a sample: as long as a device needs to be where its own launches
 * would have it. */
static const int64_t HOT_NS = 100000;

/* Retakes are shown twice a second, which nobody can read faster. */
static const int64_t SHOW_NS = INT64_C(500000000);

/* True when only what is verified behind the rounds fits the time that is left. */
static bool is_over(const struct finals *f)
{
	return f->race->until_ns > 0 && clock_now_ns() + f->verify_ns >= f->race->until_ns;
}

/* ---- progress ---- */

static enum asc_status show(const struct finals *f, struct finals_progress p, struct asc_err *e)
{
	const struct worker_watch *watch = &f->race->watch;

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

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t most_rounds(const struct policy *r)
{
	return larger(r->finals.rounds, larger(r->finals.free, r->finals.noisy));
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

/* Shows that so many rounds are done, and the expected time until the finals end: by whichever
 * limit is reached first, when a sample takes as long as those so far, before the first round as
 * those of the warm-up. */
static enum asc_status show_rounds(const struct finals *f, size_t rounds, struct asc_err *e)
{
	const double wall_ns = (double)(clock_now_ns() - f->begun_ns), n = (double)f->n;
	const double taken = (double)f->taken, done = (double)rounds;
	const double round_ns = f->taken > 0 ? n * wall_ns / taken : f->first_ns;
	const double kernel_ns =
		f->taken > 0 ? n * (double)f->spent_ns / taken : f->first_kernel_ns;
	const double most_ns = (double)f->policy->finals.wall_ns;
	const double fewest_ns = ((double)f->policy->finals.fewest - done) * round_ns;
	double left_ns = round_ns * (expect_rounds(f, done, round_ns, kernel_ns) - done);

	if (most_ns > 0)
		left_ns = fmin(left_ns, fmax(fewest_ns, most_ns - wall_ns));
	left_ns = fmax(left_ns, 0) + (double)f->verify_ns;
	if (f->race->until_ns > 0)
		left_ns = fmin(left_ns, (double)(f->race->until_ns - clock_now_ns()));
	/* 0 would say that the time is not known; 2^52 is exact as a number of JSON. */
	const int64_t shown_ns = left_ns >= 1 ? (int64_t)fmin(left_ns, 0x1p52) : 1;
	const int64_t most = (int64_t)rounds <= f->policy->finals.rounds ? f->policy->finals.rounds
									 : most_rounds(f->policy);

	return show(f, (struct finals_progress){FINALS_ROUND, (int64_t)rounds, most, shown_ns}, e);
}

/* ---- one finalist ---- */

/* Poison before each launch of a sample, and a digest behind it, take at most this part each of the
 * sample's time by the clock; sets and tensors that change places, of that of the rounds. */
static const double BESIDE_PART = 0.2;

/* True for a failure that may have harmed others: no launch that was wrong beside right ones. */
static bool has_failed(const struct measurement *m)
{
	return m->result->status != RESULT_OK && !m->result->bits.wrong;
}

static bool is_on_set(const struct finals *f, const struct entry *x)
{
	return x->on_sets & 1U << f->problem->set;
}

/* Notes a verified launch of a finalist on the set that is on the device. One that is wrong there
 * beside right ones on the first set harms no other. */
static enum asc_status note_set(struct finals *f, struct entry *x, struct asc_err *e)
{
	struct measurement *m = &x->m;
	const bool harmed = m->config->harmful || f->problem->ops->lost(f->problem->device);

	x->on_sets |= 1U << f->problem->set;
	m->result->bits.sets = __builtin_popcount(x->on_sets);
	m->result->bits.wrong |= m->result->status == RESULT_WRONG && !harmed;
	return m->result->status == RESULT_OK ? repeats_note(m, &x->repeats, e) : ASC_OK;
}

/* Finds how long poison in the outputs takes, which are those of all. */
static enum asc_status time_poison(struct finals *f, struct asc_err *e)
{
	struct worker_problem *p = f->problem;
	const int64_t start = clock_now_ns();

	if (f->poison_ns > 0)
		return ASC_OK;
	if (worker_problem_poison(p, e) || p->ops->wait(p->device, e))
		return e->status;
	f->poison_ns = larger(1, clock_now_ns() - start);
	return ASC_OK;
}

/* Verifies a finalist, warms it up, finds how many launches make a sample, and draws the round that
 * is verified. A finalist that fails takes part in no round. */
static enum asc_status begin(struct finals *f, struct entry *x, struct asc_err *e)
{
	static const struct device_batch one = {.samples = 1, .launches = 1};
	struct measurement *m = &x->m;
	struct result *r = m->result;
	int64_t ns = 0, spent_ns, k = 0;

	r->status = RESULT_OK;
	r->spent_ns[PHASE_BUILD] = m->config->warm_ns;
	r->spent_ns[PHASE_LOAD] = m->config->load_ns;
	if (launch_verify(m, &ns, e))
		return e->status;
	f->verify_ns += r->spent_ns[PHASE_VERIFY];
	if (r->status != RESULT_OK)
		return ASC_OK;
	x->on_sets = 1;
	r->bits.sets = 1;
	x->moves = f->problem->moves;
	if (repeats_note(m, &x->repeats, e) || repeats_find_bits(m, &x->repeats, e) ||
	    measurement_enter(m, PHASE_MEASURE, e))
		return e->status;
	const int64_t start_ns = clock_now_ns(), first_ns = ns;

	for (spent_ns = first_ns; !sampling_is_warm(f->policy, k, spent_ns); k++, spent_ns += ns)
		if (launch_sample(m, one, &ns, e))
			return e->status;
	x->launches = worker_problem_has_inout(f->problem) ? 1 : sampling_group(f->policy, ns);
	/* Beside the kernel: what precedes each sample, caches that are written or warmed. */
	const double beside_ns =
		k > 0 ? (double)(clock_now_ns() - start_ns - (spent_ns - first_ns)) / (double)k : 0;

	const double kernel_ns = (double)ns * (double)x->launches;
	const double sample_ns = kernel_ns + fmax(beside_ns, 0);

	f->first_kernel_ns += kernel_ns;
	f->first_ns += sample_ns;
	if (r->status != RESULT_OK)
		return ASC_OK;
	if (time_poison(f, e))
		return e->status;
	x->compares =
		f->policy->races != 0 && (double)x->repeats.digest_ns < BESIDE_PART * sample_ns;
	/* Warm caches are those of a launch before, and its answer is there. */
	x->poisons = f->policy->cache == CACHE_COLD &&
		     (double)f->poison_ns < BESIDE_PART * ((double)ns + fmax(beside_ns, 0));
	const size_t room = (size_t)most_rounds(f->policy) + 1;

	r->samples = calloc(room, sizeof *r->samples);
	r->notes = calloc(room, sizeof *r->notes);
	if (!r->samples || !r->notes)
		return asc_err_nomem(e);
	r->launches_per_sample = x->launches;
	x->checked = (int64_t)rng_below(&f->rng, (uint64_t)f->policy->finals.fewest);
	return ASC_OK;
}

/* Takes a sample whose launches find poison in the outputs, each of them: no further one finds its
 * own answer there. */
static enum asc_status take_apart(struct finals *f, struct entry *x, int64_t *ns, struct asc_err *e)
{
	static const struct device_batch one = {.samples = 1, .launches = 1};
	struct measurement *m = &x->m;
	int64_t marks = 0;

	*ns = 0;
	for (int64_t k = 0; k < x->launches && m->result->status == RESULT_OK; k++) {
		int64_t own_ns = 0;

		if ((k > 0 && worker_problem_poison(f->problem, e)) ||
		    launch_sample(m, one, &own_ns, e))
			return e->status;
		*ns += own_ns;
		m->note |= marks;
		marks |= m->note & RESULT_MARKS;
	}
	return ASC_OK;
}

/* Takes one sample. Hot caches are those of the finalist's own launches, not of the one before it,
 * and its announcement is read by then; outputs are poisoned after that, where they are verified.
 */
static enum asc_status take_sample(struct finals *f, struct entry *x, bool poisoned, int64_t *ns,
				   struct asc_err *e)
{
	const struct device_batch one = {.samples = 1, .launches = 1};
	const struct device_batch batch = {.samples = 1, .launches = x->launches};
	struct measurement *m = &x->m;
	const int64_t start = clock_now_ns();

	if (f->policy->cache == CACHE_HOT)
		do {
			if (launch_sample(m, one, ns, e))
				return e->status;
		} while (m->result->status == RESULT_OK && clock_now_ns() - start < HOT_NS);
	if (poisoned ? worker_config_poison(m->config, e) != ASC_OK
		     : x->poisons && worker_problem_poison(f->problem, e))
		return e->status;
	if (m->result->status != RESULT_OK)
		return ASC_OK;
	return x->poisons && x->launches > 1 ? take_apart(f, x, ns, e)
					     : launch_sample(m, batch, ns, e);
}

/* Verifies a sample; on a set that the finalist has not met, what it left is what later ones are
 * compared with. */
static enum asc_status check_sample(struct finals *f, struct entry *x, struct asc_err *e)
{
	if (launch_verify_last(&x->m, e))
		return e->status;
	return is_on_set(f, x) ? ASC_OK : note_set(f, x, e);
}

/* True where the finalist was launched last on another set at the same addresses: an answer that is
 * found by these is that one's. */
static bool finds_exchange(const struct finals *f, const struct entry *x)
{
	return x->moves == f->problem->moves && x->last_set != f->problem->set;
}

/* Notes that the finalist was launched where tensors and set are, and verified where they were
 * exchanged. */
static void note_launch(const struct finals *f, struct entry *x)
{
	x->exchanged |= finds_exchange(f, x);
	x->moves = f->problem->moves;
	x->last_set = f->problem->set;
}

/* Takes a finalist's sample of a round; in the round that was drawn, in the first on a set of
 * inputs, in the first on one that took another one's place, and in the first at other addresses
 * where samples are not compared, it starts on poison and is verified. A marked sample is taken
 * again at once, in the same moment of the round, while retakes are left. */
static enum asc_status take_one(struct finals *f, struct entry *x, struct asc_err *e)
{
	struct measurement *m = &x->m;
	struct result *r = m->result;
	const bool moves = m->config->moves > 0 && !x->moved;
	const bool checked = (int64_t)r->n_samples == x->checked || !is_on_set(f, x) ||
			     (moves && !x->compares) || (!x->exchanged && finds_exchange(f, x));
	int64_t ns = 0;

	/* Announces the launch, since others had theirs before. */
	m->note = 0;
	if (measurement_enter(m, PHASE_MEASURE, e) || take_sample(f, x, checked, &ns, e))
		return e->status;
	while ((m->note & RESULT_MARKS) && f->retakes > 0 && f->again_ns > 0 &&
	       r->status == RESULT_OK && !is_over(f)) {
		const int64_t start_ns = clock_now_ns();

		f->retakes--;
		f->retaken++;
		r->retaken++;
		/* Shows retakes, but not those of short samples: a message would disturb them. */
		if (start_ns - f->shown_ns >= SHOW_NS) {
			f->shown_ns = start_ns;
			if (show(f,
				 (struct finals_progress){FINALS_RETAKE, f->retaken,
							  f->retaken + f->retakes, 0},
				 e))
				return e->status;
		}
		if (launch_cool(m, e) || take_sample(f, x, checked, &ns, e))
			return e->status;
		f->again_ns -= clock_now_ns() - start_ns;
	}
	if (r->status == RESULT_OK && (checked ? check_sample(f, x, e) != ASC_OK
					       : x->compares && repeats_check(m, &x->repeats, e)))
		return e->status;
	f->failed |= has_failed(m);
	x->moved |= moves;
	r->bits.places += r->bits.places == 0 || x->moves != f->problem->moves;
	note_launch(f, x);
	f->spent_ns += ns;
	f->taken++;
	r->notes[r->n_samples] = m->note;
	r->samples[r->n_samples++] = sampling_per_launch(ns, x->launches);
	return ASC_OK;
}

/* Has each finalist that is left meet inputs and addresses that it has not seen. */
static enum asc_status meet_unseen(struct finals *f, struct asc_err *e)
{
	struct measurement *list[FINALISTS_MAX];
	const int64_t until_ns = f->race->until_ns, start_ns = clock_now_ns();

	f->draw = f->unseen + 1; /* a round comes first where they are now */
	f->unseen = -1; /* not again where rounds start over: they have seen these by then */
	for (size_t i = 0; i < f->n; i++)
		list[i] = &f->finalists[f->order[i]].m;
	if (unseen_inputs_test(list, f->n, f->race->unseen,
			       until_ns > 0 ? until_ns - f->verify_ns : 0, e))
		return e->status;
	for (size_t i = 0; i < f->n; i++)
		f->failed |= list[i]->result->status != RESULT_OK;
	f->unseen_ns = clock_now_ns() - start_ns;
	return ASC_OK;
}

/* ---- sets of inputs, and places ---- */

/* Keeps all sets of inputs on the device, where that has room, so that rounds can be on another one
 * each. The first one is there before and after. */
static enum asc_status keep_sets(struct finals *f, struct asc_err *e)
{
	struct worker_problem *p = f->problem;
	struct measurement *m = &f->finalists[0].m;

	rng_init(&f->draws, f->race->unseen);
	if (p->n_sets < 2)
		return ASC_OK;
	for (size_t set = 0; set < p->n_sets && (set == 0 || p->kept[set - 1]); set++)
		if (launch_put_set(m, set, e) || worker_sets_keep(p, e))
			return e->status;
	f->swaps = worker_sets_keeps(p) && worker_sets_alike(p);
	return launch_put_set(m, 0, e);
}

/* Returns the number of sets that rounds are on. The last of several waits until these are over: a
 * kernel that computes until it has met what there is, and then no longer, errs there. */
static size_t count_drawn(const struct worker_problem *p)
{
	return p->n_sets > 2 ? p->n_sets - 1 : p->n_sets;
}

/* Puts another set, drawn where there are several, on the device for the next round, or for so many
 * that this is a small part of their time; in about every other time at the same addresses, else,
 * or where there is one set, the tensors change places. Inputs and addresses that nobody has seen
 * come first: there a launch is compared with samples at the place where it was verified. */
static enum asc_status draw(struct finals *f, int64_t done, struct asc_err *e)
{
	struct worker_problem *p = f->problem;
	const size_t n_sets = count_drawn(p), on = p->set;
	const double round_ns = f->first_ns * (double)f->n / (double)f->all;
	const int64_t start = clock_now_ns();

	if ((!f->swaps && !worker_problem_moves(p)) || done < f->draw || f->unseen >= 0 ||
	    f->failed)
		return ASC_OK;
	const size_t set = f->swaps ? (on + 1 + rng_below(&f->draws, n_sets - 1)) % n_sets : on;
	const bool stays = f->swaps && (!f->swapped || rng_below(&f->draws, 2) == 0);
	struct measurement *first = &f->finalists[f->order[0]].m;

	if (stays ? launch_put_set(first, set, e) : launch_move(first, &f->draws, set, e))
		return e->status;
	f->swapped |= stays;
	for (size_t i = 0; i < f->n; i++)
		if (launch_follow(&f->finalists[f->order[i]].m, e))
			return e->status;
	if (p->ops->wait(p->device, e))
		return e->status;
	f->draw = done + (int64_t)ceil((double)(clock_now_ns() - start) / (BESIDE_PART * round_ns));
	return ASC_OK;
}

/* ---- rounds ---- */

/* True when another round is to be held after `done` of them. */
static bool another(const struct finals *f, int64_t done)
{
	const struct policy *r = f->policy;
	const int64_t wall_ns = clock_now_ns() - f->begun_ns;

	if (f->failed || f->n == 0 || is_over(f))
		return false;
	/* Time by the clock, too: where a large cache is written before every launch, that takes
	 * far longer than the kernels. */
	if (done >= r->finals.fewest && r->finals.wall_ns > 0 && wall_ns >= r->finals.wall_ns)
		return false;
	if (done < r->finals.rounds)
		return done < r->finals.fewest || f->spent_ns < r->finals.ns;
	/* More than is asked for: while rounds cost nothing, or while nobody is known to be best.
	 */
	return (done < r->finals.free && f->spent_ns < POLICY_FINALS_FREE_NS) ||
	       (f->undecided && done < r->finals.noisy && wall_ns < r->finals.ns);
}

/* Finds whether the answer could be given now. */
static enum asc_status look(struct finals *f, size_t done, struct asc_err *e)
{
	struct finalist list[FINALISTS_MAX];
	const struct finalist *leader = list;
	struct sureness s;

	for (size_t i = 0; i < f->n; i++) {
		const struct result *r = f->finalists[f->order[i]].m.result;

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

/* Has all that are right take part again, from the first round on. */
static void enter_all(struct finals *f)
{
	f->n = 0;
	f->spent_ns = f->taken = f->draw = 0;
	for (size_t i = 0; i < f->all; i++) {
		struct result *r = f->finalists[i].m.result;

		if (r->status != RESULT_OK || !r->samples)
			continue;
		r->n_samples = 0;
		f->rounds[i] = (struct finals_rounds){r->samples, r->notes,
						      f->finalists[i].m.config->full};
		f->order[f->n++] = i;
	}
}

/* Leaves out those that one launch has shown wrong. */
static void drop_wrong(struct finals *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->finalists[f->order[i]].m.result->status == RESULT_OK)
			f->order[kept++] = f->order[i];
	f->n = kept;
}

/* True where rounds are to be held without those that launches have shown wrong, of which there
 * were `wrong` before: finalists have left for being slower than one of them, perhaps. */
static bool starts_over(const struct finals *f, size_t wrong)
{
	size_t least = SIZE_MAX, most = 0, now = 0;

	for (size_t i = 0; i < f->all; i++) {
		const struct result *r = f->finalists[i].m.result;

		now += r->bits.wrong;
		if (r->status != RESULT_OK || !r->samples)
			continue;
		least = r->n_samples < least ? r->n_samples : least;
		most = r->n_samples > most ? r->n_samples : most;
	}
	return now > wrong && least < most && !f->failed && !is_over(f);
}

static size_t count_wrong(const struct finals *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->all; i++)
		n += f->finalists[i].m.result->bits.wrong;
	return n;
}

/* Drops the rounds so far, `*done` of them, where the first set of inputs has been in all: a
 * finalist that keeps answers has not made them anew there. */
static void forget_rounds(struct finals *f, int64_t *done)
{
	for (size_t i = 0; i < f->n; i++)
		f->finalists[f->order[i]].m.result->n_samples = 0;
	f->draw -= *done;
	*done = 0;
}

/* Holds the rounds. Finalists that are clearly slower leave at the checks of the policy, and
 * whenever a set of finals.rounds is over. At the end of a set it is also found whether the answer
 * is undecided: then more rounds are allowed than one set. */
static enum asc_status make_rounds(struct finals *f, struct asc_err *e)
{
	const struct policy *r = f->policy;
	const int64_t until_ns = f->race->until_ns;
	const size_t wrong = count_wrong(f);

	enter_all(f);
	f->begun_ns = f->shown_ns = clock_now_ns();
	f->retakes = (int64_t)(r->noise.extra * (double)f->n * (double)r->finals.rounds);
	f->again_ns = until_ns > 0 ? (int64_t)(r->noise.extra * (double)(until_ns - f->begun_ns))
				   : INT64_MAX;
	if (show_rounds(f, 0, e))
		return e->status;
	for (int64_t done = 0; another(f, done);) {
		/* By lot in every round: neighbours heat the device and leave their caches. */
		rng_shuffle(&f->rng, f->order, f->n);
		const bool stays = f->swaps && !f->swapped;

		if ((done == f->unseen && meet_unseen(f, e)) || draw(f, done, e))
			return e->status;
		if (stays && f->swapped)
			forget_rounds(f, &done);
		for (size_t i = 0; i < f->n && !f->failed && !is_over(f); i++)
			if (take_one(f, &f->finalists[f->order[i]], e))
				return e->status;
		/* A round that was broken off compares nobody: its samples are dropped. */
		if (f->failed || is_over(f)) {
			for (size_t i = 0; i < f->n; i++) {
				struct result *own = f->finalists[f->order[i]].m.result;

				if (own->n_samples > (size_t)done)
					own->n_samples = (size_t)done;
			}
			break;
		}
		done++;
		drop_wrong(f);
		if (f->n == 0 || starts_over(f, wrong))
			break;
		const bool set_is_over = done % r->finals.rounds == 0;

		if ((set_is_over || policy_is_check(r, done)) && f->swaps == f->swapped &&
		    finals_drop(r, f->rounds, (size_t)done, f->order, &f->n, e))
			return e->status;
		if ((set_is_over && look(f, (size_t)done, e)) || show_rounds(f, (size_t)done, e))
			return e->status;
	}
	return f->failed ? ASC_OK : launch_put_set(&f->finalists[0].m, 0, e);
}

/* ---- launches behind the rounds ---- */

/* Ties of the answer that differ from it by no more than this many margins may be the answer where
 * that fails later, or counts less. */
static const double MAY_LEAD = 2;

/* The answer and its ties, of those that are right so far, the fastest first. */
struct ties {
	size_t n;
	struct tie {
		size_t finalist;
		double ratio; /* of its time to the answer's */
		bool chosen;  /* it is the answer */
	} list[FINALISTS_MAX];
};

static int by_ratio(const void *a, const void *b)
{
	const double x = ((const struct tie *)a)->ratio, y = ((const struct tie *)b)->ratio;

	return (x > y) - (x < y);
}

void worker_finals_describe(const struct result *r, const char *key, bool recorded,
			    const struct plan_use *use, struct finalist *out)
{
	*out = (struct finalist){.samples = r->samples,
				 .notes = r->notes,
				 .rounds = r->n_samples,
				 .key = key,
				 .recorded = recorded,
				 .threads = use->threads,
				 .memory_bytes = use->shared_bytes};
	tie_apply_facts(out, r, use->block_threads);
	out->memory_bytes += use->scratch_bytes;
}

static enum asc_status find_ties(const struct finals *f, struct ties *out, struct asc_err *e)
{
	struct finalist list[FINALISTS_MAX];
	size_t who[FINALISTS_MAX], right = 0;

	out->n = 0;
	for (size_t i = 0; i < f->all; i++) {
		const struct worker_config *c = f->finalists[i].m.config;
		const struct result *r = f->finalists[i].m.result;
		struct plan_use use = {0};

		if (r->status != RESULT_OK || r->n_samples == 0)
			continue;
		for (size_t k = 0; k < c->sequence.n; k++)
			plan_add_use(&c->calls[k].plan, &use);
		worker_finals_describe(r, c->key ? c->key : "", c->is_best, &use, &list[right]);
		who[right++] = i;
	}
	if (right == 0)
		return ASC_OK;
	if (tie_find(list, right, f->policy->tests.margin, e))
		return e->status;
	for (size_t k = 0; k < right; k++)
		if (list[k].standing == STANDING_TIED)
			out->list[out->n++] = (struct tie){who[k], list[k].ratio, list[k].chosen};
	qsort(out->list, out->n, sizeof *out->list, by_ratio);
	return ASC_OK;
}

static bool may_lead(const struct finals *f, const struct tie *t)
{
	return t->ratio <= 1 + MAY_LEAD * f->policy->tests.margin;
}

/* True for a tie that is to be verified on the other sets, or where one takes another one's place:
 * where time is up, only one that may be the answer. */
static bool needs_sets(const struct finals *f, const struct tie *t)
{
	const struct entry *x = &f->finalists[t->finalist];

	return (x->on_sets != (1U << f->problem->n_sets) - 1 || !x->exchanged) &&
	       (may_lead(f, t) || !measurement_is_over(&x->m));
}

/* True for a finalist that has met a set, and that does not have to meet it again for one to take
 * another one's place. */
static bool has_met(const struct finals *f, const struct entry *x, size_t set)
{
	const bool here = x->moves == f->problem->moves && x->last_set == set;

	return x->on_sets & 1U << set && (x->exchanged || here);
}

/* Verifies those that need it by a launch on every set of inputs that they have not met: set by
 * set, since inputs may take long to be put. */
static enum asc_status verify_ties(struct finals *f, const size_t *who, size_t n, struct asc_err *e)
{
	for (size_t set = 0; set < f->problem->n_sets; set++)
		for (size_t i = 0; i < n; i++) {
			struct entry *x = &f->finalists[who[i]];

			if (x->m.result->status != RESULT_OK || has_met(f, x, set))
				continue;
			if (launch_put_set(&x->m, set, e) || launch_verify_set(&x->m, e) ||
			    note_set(f, x, e))
				return e->status;
			note_launch(f, x);
			f->failed |= has_failed(&x->m);
			if (x->m.config->harmful || f->problem->ops->lost(f->problem->device))
				return ASC_OK;
		}
	return launch_put_set(&f->finalists[0].m, 0, e);
}

/* Returns the expected time of verify_sets(). */
static int64_t expect_sets_ns(const struct finals *f)
{
	/* As many launches a set, the time to put it among them: few are as fast as the answer. */
	static const int64_t LAUNCHES = 3;

	return LAUNCHES * (int64_t)(f->problem->n_sets - 1) * f->verify_ns / (int64_t)f->all;
}

/* Verifies the answer and its ties on every set of inputs; where one is wrong, what is the answer
 * without it, too. */
static enum asc_status verify_sets(struct finals *f, struct asc_err *e)
{
	size_t who[FINALISTS_MAX];
	struct ties ties;

	while (f->problem->n_sets > 1 && !f->failed) {
		size_t n = 0;

		if (find_ties(f, &ties, e))
			return e->status;
		for (size_t i = 0; i < ties.n; i++)
			if (needs_sets(f, &ties.list[i]))
				who[n++] = ties.list[i].finalist;
		if (n == 0)
			break;
		if (verify_ties(f, who, n, e))
			return e->status;
	}
	return ASC_OK;
}

/* Ratio of the time before the finals to that of their samples beyond which a finalist is strangely
 * fast. */
static const double STRANGE = 2;

/* True for one that is asked again whether it computes: it may have begun to keep answers when it
 * had met some inputs. The answer is asked where that takes a small part of the rounds' time. */
static bool is_asked_again(const struct finals *f, const struct tie *t)
{
	const struct measurement *m = &f->finalists[t->finalist].m;
	const double rounds_ns = (double)(clock_now_ns() - f->begun_ns);

	return m->race->unseen && worker_problem_has_unseen(f->problem) &&
	       (m->config->searched_ns > STRANGE * m->result->time.median ||
		(t->chosen && (double)f->unseen_ns < BESIDE_PART * rounds_ns));
}

/* Times the answer and its ties, those that may be the answer, beside their own answers, unless the
 * launches of their samples found poison; has the answer, and those that are strangely fast, meet
 * inputs that nobody has seen once more. Where one is wrong, what is the answer without it, too. */
static enum asc_status test_answers(struct finals *f, struct asc_err *e)
{
	const int64_t until_ns = f->race->until_ns;
	bool done[FINALISTS_MAX] = {false};
	struct ties ties;

	while (!f->failed && !measurement_is_over(&f->finalists[0].m)) {
		size_t next = 0;

		if (find_ties(f, &ties, e))
			return e->status;
		while (next < ties.n &&
		       (done[ties.list[next].finalist] || !may_lead(f, &ties.list[next])))
			next++;
		if (next == ties.n)
			break;
		const size_t i = ties.list[next].finalist;
		struct measurement *m = &f->finalists[i].m;

		done[i] = true;
		if (!f->finalists[i].poisons && own_answer_test(m, &f->draws, e))
			return e->status;
		if (m->result->status == RESULT_OK && is_asked_again(f, &ties.list[next]) &&
		    unseen_inputs_test(&m, 1, rng_next(&f->draws) % INPUT_SEEDS_BELOW, until_ns, e))
			return e->status;
		m->result->bits.wrong |= m->result->status == RESULT_WRONG;
		f->failed |= has_failed(m);
	}
	return ASC_OK;
}

/* Number of launches of the answer, those compared, after which it has no more time than its part
 * of the run's. Of launches that take LONG times what the policy reckons with, 0.2 ms, 1,111 fit
 * into the time that it allows, which find a fault of 1 in 1,000 less often than it promises (67
 * times in 100): a quarter of the number finds one of 1 in 100 in 99 of 100 cases. */
static int64_t find_enough(const struct result *r)
{
	static const double LONG = 1.6;
	const double reckoned_ns = (double)POLICY_RACES_FREE_NS / POLICY_RACES_ENOUGH;

	return r->time.median > LONG * reckoned_ns ? POLICY_RACES_ENOUGH / 4 : POLICY_RACES_ENOUGH;
}

/* How often one of `n` ties is launched on. The answer has the times that the policy allows, and at
 * least its number; the others have no more than that, and share the part of the run's time. */
static struct repeats_limits limit(const struct finals *f, const struct tie *t, size_t n,
				   int64_t part_ns)
{
	const int64_t fixed = f->policy->races;

	if (fixed > 0)
		return (struct repeats_limits){.least = fixed, .most = fixed, .plenty = INT64_MAX};
	if (!t->chosen)
		return (struct repeats_limits){.least = may_lead(f, t) ? POLICY_RACES_LEAST : 0,
					       .most = POLICY_RACES_LEAST,
					       .part_ns = part_ns / (int64_t)n,
					       .plenty = INT64_MAX};
	return (struct repeats_limits){.least = POLICY_RACES_LEAST,
				       .most = INT64_MAX,
				       .part_ns = part_ns,
				       .plenty = POLICY_RACES_PLENTY,
				       .enough = find_enough(f->finalists[t->finalist].m.result),
				       .free_ns = POLICY_RACES_FREE_NS};
}

/* Launches the answer on, then its ties, and compares, so often that rare faults of the answer
 * show; where one is wrong, what is the answer without it, too. That has the whole time of its own,
 * though it may have been launched on as a tie before. */
static enum asc_status launch_on(struct finals *f, struct asc_err *e)
{
	const int64_t all_ns = clock_now_ns() - f->race->begun_ns;
	const int64_t part_ns = (int64_t)(POLICY_RACES_PART * (double)all_ns);
	bool as_answer[FINALISTS_MAX] = {false}, done[FINALISTS_MAX] = {false};
	struct ties ties;

	if (f->race->begun_ns == 0 || f->policy->races == 0 || f->failed ||
	    !repeats_can(f->problem))
		return ASC_OK;
	while (!f->failed && !measurement_is_over(&f->finalists[0].m)) {
		const struct tie *next = NULL;

		if (find_ties(f, &ties, e))
			return e->status;
		for (size_t k = 0; k < ties.n; k++) {
			const struct tie *t = &ties.list[k];

			if ((t->chosen ? as_answer : done)[t->finalist])
				continue;
			if (!next || t->chosen)
				next = t;
		}
		if (!next)
			break;
		const size_t i = next->finalist;
		struct entry *x = &f->finalists[i];
		const struct repeats_limits l = limit(f, next, ties.n, part_ns);

		done[i] = true;
		as_answer[i] |= next->chosen || f->policy->races > 0;
		if (repeats_run(&x->m, &x->repeats, &l, e))
			return e->status;
		f->failed |= has_failed(&x->m);
	}
	return ASC_OK;
}

/* Verifies each finalist once more. Beside one that has done harm, the others cannot be trusted. */
static enum asc_status verify_last(struct finals *f, struct asc_err *e)
{
	bool wrong = false;

	for (size_t i = 0; i < f->all && !f->failed; i++) {
		struct measurement *m = &f->finalists[i].m;

		if (m->result->status != RESULT_OK || m->result->n_samples == 0)
			continue;
		if (launch_verify_anew(m, e) || result_summarize(m->result, e) ||
		    show_finalists(f, FINALS_VERIFICATION, i + 1, f->all, e))
			return e->status;
		wrong |= has_failed(m);
		f->failed |= m->config->harmful || f->problem->ops->lost(f->problem->device);
	}
	f->failed |= wrong;
	return ASC_OK;
}

/* The order: each finalist is verified, and warmed up; then rounds, in which each takes one sample,
 * so that all of them share the moments in which the machine is slow, on inputs that are drawn by a
 * number that no kernel knows; before one of these, drawn likewise, each meets inputs that nobody
 * has seen; then each is verified once more, on poison, by a launch after its last sample; last the
 * answer and its ties are verified on all sets of inputs, timed beside their own answers, launched
 * on, untimed, and compared. Where one fails, the process may be harmed: nothing else is measured
 * in it. A launch that is wrong beside right ones harms nobody: without that finalist the rounds
 * start over where others have left them. */
enum asc_status worker_finals_run(struct worker_config *const *configs, size_t n, struct race *race,
				  uint64_t seed, struct result *results, bool *complete,
				  struct asc_err *e)
{
	struct finals f = {.race = race,
			   .policy = &race->policy,
			   .problem = configs[0]->problem,
			   .all = n,
			   .unseen = -1};
	const int64_t start = clock_now_ns();
	enum asc_status s = ASC_OK;

	rng_init(&f.rng, seed);
	for (size_t i = 0; i < n; i++)
		f.finalists[i].m = (struct measurement){
			.race = race, .config = configs[i], .result = &results[i]};
	if (race->unseen &&
	    (worker_problem_has_unseen(f.problem) || worker_problem_moves(f.problem)))
		f.unseen = 1 + (int64_t)(race->unseen % (uint64_t)policy_last_unseen(f.policy));
	for (size_t i = 0; !s && i < n && !f.failed && !is_over(&f); i++) {
		s = begin(&f, &f.finalists[i], e);
		f.failed |= results[i].status != RESULT_OK;
		if (!s)
			s = show_finalists(&f, FINALS_WARM_UP, i + 1, n, e);
	}
	f.verify_ns += expect_sets_ns(&f);
	if (!s && !f.failed && !is_over(&f))
		s = keep_sets(&f, e);
	for (bool again = true; !s && again;) {
		const size_t wrong = count_wrong(&f);

		s = make_rounds(&f, e);
		again = starts_over(&f, wrong);
		if (s || again)
			continue;
		s = verify_last(&f, e);
		if (!s)
			s = verify_sets(&f, e);
		if (!s && !starts_over(&f, wrong))
			s = test_answers(&f, e);
		own_answer_forget(f.problem);
		if (!s && !starts_over(&f, wrong))
			s = launch_on(&f, e);
		again = starts_over(&f, wrong);
	}
	if (!s)
		results[0].spent_ns[PHASE_MEASURE] = clock_now_ns() - start;
	*complete = !f.failed;
	return s;
}
