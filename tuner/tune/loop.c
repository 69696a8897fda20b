/* The tuning of one problem, in order:
 *
 * 1. Open: bind the problem, make the spaces, start compilers (loop_open).
 * 2. Begin: the strategies with what is known from before, a row of the run, the worker's problem.
 * 3. Search (search_all): ask the strategies for as many trials as the evaluator wants pending,
 *    hand them over, take one result, record it, tell its strategy; until the budget, the patience
 *    or the space is at its end. Every result is in the database before the next one is taken.
 * 4. Finals: the best again, in the same rounds (finals.c).
 * 5. Answer: read from the database what it says is best now, as every other output does.
 * 6. Peaks of the device, with the time kept for them; in step 2 already where none is known and
 *    they say which times are impossible.
 * 7. Profile: why the answer takes its time, of more configurations where that is asked for
 *    (profiling.c).
 * 8. With loop_options.objective, energies that step 7 has measured of the fastest decide, and the
 *    answer is read once more.
 *
 * With loop_options.profiled there are steps 1, 2, 6 and 7 alone.
 *
 * Time of a budget: the search has what finals and peaks leave; the first trial of a run has at
 * least three seconds, because a run that tries nothing has no answer. */
#include "tuner/tune/loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/result/peaks_file.h"
#include "tuner/tune/answer.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/evaluate/verdicts.h"
#include "tuner/tune/finalists.h"
#include "tuner/tune/finals.h"
#include "tuner/tune/hard_check.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/input_seeds.h"
#include "tuner/tune/profiling.h"
#include "tuner/tune/recorder.h"
#include "tuner/tune/search_trials.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_files.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/space/space.h"

static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */
static const int64_t TICK_NS = INT64_C(900000000); /* of progress: a second with POLL_NS */

struct loop {
	const struct loop_options *o;
	struct loop_summary *out;
	struct binding binding;
	struct impl_searches searches;
	struct recorder recorder;
	struct candidates candidates;
	struct search_trials trials;
	int64_t started_ns, shown_ns; /* start of the run; time of the last progress */
	int64_t counted_ns;           /* time up to then is in phase_ns */
	int64_t until_ns;             /* end of everything; 0: no limit */
	int64_t first_until_ns;       /* time by which one trial must have been made */
	size_t sets;                  /* of inputs, as the worker has them; 0: not known yet */
	bool told;                    /* loop_options.asked was called */
};

/* Time for references of the sets of inputs behind the first, which nobody waits for twice: the
 * cache keeps them. */
static const int64_t REFERENCES_NS = INT64_C(4000000000);

/* Least time for the first trial, however small the budget: without a trial there is no answer. */
static const int64_t LEAST_NS = INT64_C(3000000000);

/* Samples at most of a configuration that finals of another run measure again. These take all
 * within half of the best time more (each_contender.sql), and medians of one configuration differ
 * by a tenth between two moments (policy.tests.near): more samples would choose no better. A number
 * of policy.tests.checks. */
enum { SCREENING_SAMPLES = 12 };

/* True for a part of a space, whose best others may beat: `run --finals` measures the best of all
 * again, verifies the answer on further inputs and profiles it. */
static bool is_part(const struct loop_options *o)
{
	return o->part.count > 1 && o->session->policy.finals.ratio > 0;
}

/* True where finals are held. */
static bool holds_finals(const struct loop *l)
{
	return l->o->part.count < 2 && l->o->session->policy.finals.ratio > 0;
}

/* Time that is kept for the peaks of the device: a twelfth of the budget, which from 36 s on is the
 * three seconds that measuring them takes. Where less is left, a later run measures them; where the
 * run has begun with them, nothing is kept. */
static int64_t peaks_ns(const struct loop *l)
{
	static const int64_t most_ns = INT64_C(3000000000);
	const int64_t part = l->o->budget.ns / 12;

	return !l->o->peaks || l->out->peaks_ns > 0 ? 0 : part < most_ns ? part : most_ns;
}

/* Shares the budget between search and finals, anew after each result, since only results say how
 * long finals take. */
static void share_time(struct loop *l)
{
	const int64_t all = l->o->budget.ns;
	const struct policy *policy = &l->o->session->policy;
	/* Finals have a quarter, though the search is what finds: times of the search choose who
	 * takes part and rank nobody. Finals of slow kernels have what their fewest rounds need,
	 * but half of the budget at most: finals of a search that had no time compare little. */
	const double least = finalists_least_ns(policy, &l->candidates) + (double)peaks_ns(l);
	const double finals = fmin(fmax((double)all / 4, least), (double)all / 2);

	if (all == 0)
		return;
	l->until_ns = l->started_ns + all;
	l->trials.until_ns = l->until_ns - (holds_finals(l) ? (int64_t)finals : 0);
	l->first_until_ns = l->started_ns + (all > LEAST_NS ? all : LEAST_NS);
}

static bool stopped(const struct loop *l)
{
	return l->o->stop && *l->o->stop;
}

/* Ends a trial that has its result: the strategy learns the score, the result is counted, progress
 * is shown. A new best becomes the incumbent that later trials race against. */
static enum asc_status finish_trial(struct loop *l, struct trial *t, bool resumed,
				    struct asc_err *e)
{
	const struct session *s = l->o->session;
	struct impl_search *search = &l->searches.list[t->search];
	const struct result *r = &t->result;
	const double score = policy_score(&s->policy, r);
	enum asc_status status = search_trials_tell(&l->trials, t, score, e);

	if (status)
		return status;
	if (!resumed)
		loop_steadiness_add(&l->out->steady, r);
	if (!resumed && s->peers && loop_steadiness_add_device(&l->out->steady, t->device, e))
		return e->status;
	const bool best = loop_summary_add(l->out, search, t->index, &t->config, r, score);
	if (s->peers && s->peers->list[t->device] != s)
		loop_summary_leave_out_times(l->out, r);
	const bool refused = r->status == RESULT_PRUNED;
	const struct loop_event event = {&l->binding, t, resumed, best};

	candidates_add(&l->candidates, &l->searches, t, score, resumed);
	share_time(l);
	l->out->resumed += resumed;
	l->out->wall_ns = clock_now_ns() - l->started_ns;
	if (l->o->progress)
		l->o->progress(l->o->user, l->out, &event);
	if (best)
		status = s->ops->incumbent(s->evaluator, r, e);
	search_trials_release(&l->trials, t);
	/* What was to be the first trial is none: the next one takes its place. */
	if (refused && l->out->trials == 0 && search_trials_first(&l->trials))
		search_trials_first(&l->trials)->needed = true;
	return status;
}

/* True for a trial that is made whatever the time: the first one, without which a run would say
 * that nothing passed, and the baselines. */
static bool is_needed(const struct loop *l, const struct trial *t)
{
	const struct impl_search *search = &l->searches.list[t->search];

	return (l->out->trials == 0 && t == search_trials_first(&l->trials)) ||
	       (search->baseline && t->index == search->default_index);
}

/* Hands one trial over, unless its result is on record. */
static enum asc_status submit_one(struct loop *l, struct trial *t, struct asc_err *e)
{
	const struct session *s = l->o->session;
	const struct impl_search *search = &l->searches.list[t->search];
	bool found = false;

	/* Baselines, and what the caller chose, are measured in full: other times are divided by
	 * theirs, and early stopping would leave them with few samples. */
	t->full =
		search->baseline || (impl_search_is_choice(search, t->index) && !l->o->given_race);
	t->meets_unseen = l->o->config != NULL;
	t->until_ns = l->trials.until_ns;
	t->needed = is_needed(l, t);
	if (!l->o->resume)
		return s->ops->submit(s->evaluator, &t, 1, e);
	if (recorder_find(&l->recorder, search, &t->config, &t->result, &found, e))
		return e->status;
	/* A time of before there was a limit for it: it is measured again. */
	if (found && physics_judge(&l->out->physics, &t->result)) {
		result_fini(&t->result);
		result_init(&t->result);
		found = false;
	}
	for (size_t i = 0; i < PHASE_COUNT; i++)
		t->result.spent_ns[i] = 0; /* not spent in this run */
	return found ? finish_trial(l, t, true, e) : s->ops->submit(s->evaluator, &t, 1, e);
}

/* Hands over trials until the evaluator has as many pending as it wants; a trial that is resumed
 * ends at once, and the next is asked for. */
static enum asc_status submit_all(struct loop *l, struct asc_err *e)
{
	struct trial *list[TRIALS_MAX_ALL];
	size_t n = 1;

	while (n > 0 && !stopped(l)) {
		if (search_trials_ask(&l->trials, list, &n, e))
			return e->status;
		for (size_t i = 0; i < n && !stopped(l); i++)
			if (submit_one(l, list[i], e))
				return e->status;
	}
	return ASC_OK;
}

static void show_waiting(struct loop *l)
{
	l->shown_ns = clock_now_ns();
	l->out->wall_ns = l->shown_ns - l->started_ns;
	if (l->o->waiting)
		l->o->waiting(l->o->user, l->out);
}

/* Adds the time since the last call to the phase. */
static void count_time(struct loop *l)
{
	int64_t now = clock_now_ns();

	l->out->phase_ns[l->out->phase] += now - l->counted_ns;
	l->counted_ns = now;
}

/* Enters a phase; finals, which build and measure too, keep their name. */
static void begin_phase(void *user, enum evaluator_stage stage, const char *doing)
{
	static const enum loop_phase phases[] = {[EVALUATOR_BUILDING] = LOOP_BUILDING,
						 [EVALUATOR_REFERENCE] = LOOP_REFERENCE,
						 [EVALUATOR_MEASURING] = LOOP_MEASURING};
	struct loop *l = user;

	if (l->out->phase == LOOP_FINALS)
		return;
	count_time(l);
	l->out->phase = phases[stage];
	(void)snprintf(l->out->doing, sizeof l->out->doing, "%s", doing);
	l->out->done = l->out->of = 0;
	show_waiting(l);
}

/* Counts the builds of the phase for the live view. */
static void count_builds(void *user, int64_t done, int64_t of)
{
	struct loop *l = user;

	if (l->out->phase != LOOP_BUILDING)
		return;
	l->out->done = done;
	l->out->of = of;
}

static void count_sets(void *user, size_t n)
{
	((struct loop *)user)->sets = n;
}

/* Records the seeds of the sets behind the first that the answer was verified on. */
static enum asc_status record_seeds(struct loop *l, struct asc_err *e)
{
	const struct evaluator_problem p = loop_problem(l->o, &l->binding);
	const bool verified = l->o->config || l->out->phase == LOOP_FINALS;

	if (!verified || l->sets < 2 || l->binding.problem->n_sets > 0)
		return ASC_OK;
	return recorder_set_input_seeds(&l->recorder, p.seeds + 1, l->sets - 1, e);
}

/* Counts the steps of finals for the live view. */
static void count_finals(void *user, const struct finals_progress *p)
{
	struct loop *l = user;

	l->out->retakes = p->step == FINALS_RETAKE ? p->done : 0;
	if (p->step == FINALS_RETAKE) /* of the round that goes on */
		return;
	l->out->step = p->step;
	l->out->done = p->done;
	l->out->of = p->most;
	l->out->ends_ns = p->left_ns > 0 ? clock_now_ns() + p->left_ns : 0;
}

/* Shows progress while no result comes, so that a running program does not look stuck. */
static void tick(void *user)
{
	struct loop *l = user;
	/* Drawing takes a processor from kernels that are timed on it. */
	bool disturbs = l->o->session->target.info->shares_host &&
			(l->out->phase == LOOP_MEASURING || l->out->phase == LOOP_FINALS);

	if (!disturbs || clock_now_ns() - l->shown_ns >= TICK_NS)
		show_waiting(l);
}

/* Reads the newest result that was recorded of a configuration, with its name. */
static enum asc_status recall(void *user, size_t search, uint64_t index, struct result *out,
			      bool *found, struct asc_err *e)
{
	struct loop *l = user;
	const struct impl_search *s = &l->searches.list[search];
	struct config c;

	space_get(s->space, index, &c);
	const enum asc_status status = recorder_find(&l->recorder, s, &c, out, found, e);

	if (status == ASC_OK && *found)
		trial_name_same(out, s->implementation, &c, space_names(s->space), search, index);
	return status;
}

/* Chooses the best of the remaining candidates, with its recorded result. */
static enum asc_status choose_best(struct loop *l, struct asc_err *e)
{
	const struct session *s = l->o->session;
	const struct candidate *c = candidates_find_best(&l->candidates);
	enum asc_status status = ASC_OK;
	struct result r;
	bool found = false;

	result_init(&r);
	if (c)
		status = recorder_find(&l->recorder, &l->searches.list[c->search], &c->config, &r,
				       &found, e);
	l->out->best.found = false;
	if (!status && found && r.status == RESULT_OK)
		loop_summary_set_best(l->out, &l->searches.list[c->search], &c->config, &r,
				      policy_score(&s->policy, &r));
	/* Without a best there is no incumbent either: an empty result says so. */
	if (!status)
		status = s->ops->incumbent(s->evaluator, &r, e);
	result_fini(&r);
	return status;
}

/* Takes the second result of a trial, a failure that shows beside other kernels only: it is
 * recorded as a trial of its own, which withdraws the first. Of a trial that did not pass, or is
 * withdrawn already, it changes nothing. */
static enum asc_status withdraw(struct loop *l, struct trial *t, struct asc_err *e)
{
	const struct impl_search *search = &l->searches.list[t->search];
	const struct loop_event event = {.binding = &l->binding, .trial = t};
	struct result *r = &t->result, recorded;
	bool found;
	enum asc_status s = recall(l, t->search, t->index, &recorded, &found, e);
	const bool passed = !s && found && recorded.status == RESULT_OK;

	result_fini(&recorded);
	if (!passed)
		return s;
	char *reason = str_print("launched again beside others: %s", result_reason(r));

	if (!reason)
		return asc_err_nomem(e);
	free(r->reason);
	r->reason = reason;
	r->phase = PHASE_MEASURE;
	t->implementation = search->implementation;
	t->names = space_names(search->space);
	space_get(search->space, t->index, &t->config);
	if (recorder_add(&l->recorder, search, t->index, &t->config, r, e))
		return e->status;
	if (l->o->session->peers && loop_steadiness_add_device(&l->out->steady, t->device, e))
		return e->status;
	candidates_withdraw(&l->candidates, t->search, &t->config);
	loop_summary_change(l->out, search, &t->config, RESULT_OK, r);
	if (loop_summary_is_best(l->out, search, &t->config))
		s = choose_best(l, e);
	if (l->o->progress)
		l->o->progress(l->o->user, l->out, &event);
	return s;
}

/* Cancels trials that no worker has when the search's time or patience is over; needed ones have
 * all of the time.
 */
static void give_up_waiting(struct loop *l)
{
	const struct session *s = l->o->session;
	const bool all =
		search_trials_past(&l->trials, l->out->trials ? l->until_ns : l->first_until_ns);

	for (size_t i = 0; i < TRIALS_MAX_ALL && l->trials.list[i]; i++) {
		struct trial *t = l->trials.list[i];

		if (t->id && (all || !is_needed(l, t)) && s->ops->cancel(s->evaluator, t))
			search_trials_release(&l->trials, t);
	}
}

/* Tells the caller, once, that the search asks for nothing more. */
static void tell_asked(struct loop *l)
{
	if (!l->told && l->o->asked)
		l->o->asked(l->o->user);
	l->told = true;
}

/* The search (step 3): one round for each result, or for each POLL_NS without one. */
static enum asc_status search_all(struct loop *l, struct asc_err *e)
{
	const struct session *s = l->o->session;
	char budget[UNITS_TEXT_SIZE];

	for (;;) {
		struct trial *t;

		/* A round later than the last was asked for: poll() has begun its builds, and those
		 * of the next problem come behind. */
		if (l->trials.asked >= l->out->planned)
			tell_asked(l);
		/* Strategies are asked first, so that compilers and worker have work while the next
		 * result is awaited. */
		if (submit_all(l, e))
			return e->status;
		if (search_trials_past(&l->trials, l->trials.until_ns) || l->trials.patience.over)
			give_up_waiting(l);
		if (stopped(l) || l->trials.n == 0)
			break;
		if (s->ops->poll(s->evaluator, POLL_NS, &t, e))
			return e->status;
		if (!t) {
			tick(l);
		} else if (t->late) {
			if (withdraw(l, t, e))
				return e->status;
		} else if (trial_is_undecided(t)) {
			/* Time was up before it had a verdict: it counts as not tried. */
			search_trials_release(&l->trials, t);
		} else if (recorder_add(&l->recorder, &l->searches.list[t->search], t->index,
					&t->config, &t->result, e) ||
			   finish_trial(l, t, false, e)) {
			/* The result is recorded before progress shows it: a kill loses nothing
			 * that was seen. */
			return e->status;
		}
	}
	if (!stopped(l))
		tell_asked(l);
	/* No compiler was fast enough for one result: there is nothing to answer with. */
	if (l->out->trials == 0 && !stopped(l) && search_trials_past(&l->trials, l->first_until_ns))
		return asc_err_set(e, ASC_TIMEOUT,
				   "no configuration was built and measured within %s",
				   units_print_duration((double)l->o->budget.ns, budget));
	return ASC_OK;
}

/* Finds what no launch of the problem can be faster than here, by the peaks that the user's cache
 * keeps of the device. */
static void find_physics(const struct loop_options *o, const struct binding *b, struct physics *out)
{
	const struct evaluator_target *t = &o->session->target;
	struct peaks kept = {0};
	struct asc_err e;

	*out = (struct physics){0};
	if (!t->info) /* of a session that is for no device */
		return;
	if (t->device->peaks && peaks_file_read(t->cache, t->info->fingerprint, &kept, &e)) {
		log_print(LOG_DEBUG, "%s: no limit is taken from it", e.text);
		kept = (struct peaks){0};
	}
	physics_find(b, t->info, o->session->policy.cache, &kept, out);
}

struct evaluator_problem loop_problem(const struct loop_options *o, const struct binding *b)
{
	struct evaluator_problem p = {.binding = b, .policy = o->session->policy, .stop = o->stop};
	/* References of further sets have a part of a short budget, so that most of it is left. */
	const int64_t part_ns = o->budget.ns / 10;

	p.python = impl_searches_run_python(o, b);
	p.implementation = o->implementation;
	find_physics(o, b, &p.physics);
	/* Sets what depends on the budget here and not in the recorded policy: --resume takes
	 * results of runs with the same policy, however long they were. A quarter, as
	 * share_time() keeps for finals. */
	p.policy.finals.wall_ns = o->budget.ns / 4;
	p.references_ns = part_ns > 0 && part_ns < REFERENCES_NS ? part_ns : REFERENCES_NS;
	/* Sets that are made are for finals, and for a configuration alone: each configuration of a
	 * search would have them made again. A profile is no verdict. */
	const bool verified =
		(p.policy.finals.ratio > 0 || o->config) && o->n_profiled == 0 && !is_part(o);

	if (is_part(o) && p.policy.sampling.max_samples > SCREENING_SAMPLES)
		p.policy.sampling.max_samples = SCREENING_SAMPLES;

	p.n_sets = input_seeds_find(verified ? o->session->inputs : NULL, b, p.seeds);
	/* No finals follow: the configuration is verified as these would. */
	if (o->config)
		p.policy.finals.ratio = 0;
	return p;
}

enum asc_status loop_bind(const struct loop_options *o, bool keyed, struct binding *b,
			  struct asc_err *e)
{
	const struct evaluator_target *t = &o->session->target;

	if (binding_init(b, o->workload, o->problem, t->device->name, &t->info->facts, e))
		return e->status;
	b->rewrites_off = o->rewrites_off;
	b->limits = t->limits;
	b->build_only = t->build_only;
	const enum asc_status s = keyed && !t->build_only ? binding_read_files(b, e) : ASC_OK;

	if (s)
		binding_fini(b); /* a failure leaves nothing bound */
	return s;
}

static struct profiling profiling_of(struct loop *l)
{
	return (struct profiling){.o = l->o,
				  .wanted = &l->o->profile,
				  .problem = loop_problem(l->o, &l->binding),
				  .binding = &l->binding,
				  .searches = &l->searches,
				  .recorder = &l->recorder,
				  .tick = tick,
				  .user = l};
}

enum asc_status loop_open(const struct loop_options *o, struct loop_summary *out, struct loop **l,
			  struct asc_err *e)
{
	struct loop *new = calloc(1, sizeof *new);

	*l = NULL;
	if (!new)
		return asc_err_nomem(e);
	new->o = o;
	new->out = out;
	new->started_ns = clock_now_ns();
	share_time(new);
	sources_watch();
	enum asc_status status = loop_bind(o, true, &new->binding, e);

	/* A failure shows again, and is an error, when the problem begins. */
	if (status == ASC_OK && session_start(o->session, e))
		log_print(LOG_DEBUG, "%s", e->text);
	if (status == ASC_OK) {
		session_warm(o->session, o->workload, o->implementation);
		status = impl_searches_open(o, &new->binding, &new->searches, e);
	}
	if (status == ASC_OK && o->n_profiled > 0) {
		const struct profiling x = profiling_of(new);

		status = profiling_add_given(&x, out, e);
	}
	if (status) {
		loop_close(new);
		return status;
	}
	out->search_ns += clock_now_ns() - new->started_ns;
	*l = new;
	return ASC_OK;
}

void loop_close(struct loop *l)
{
	if (!l)
		return;
	session_end(l->o->session);
	search_trials_fini(&l->trials);
	impl_searches_close(&l->searches);
	binding_fini(&l->binding);
	free(l);
}

/* Measures peaks of the device until then at most (0: no limit), and adds them to those that the
 * user's cache keeps. */
static enum asc_status measure_peaks(struct loop *l, enum dtype element, int64_t until_ns,
				     struct peaks *kept, struct asc_err *e)
{
	struct session *s = l->o->session;
	struct peaks now;

	s->peaks_measured[element] = true;
	if (s->ops->peaks(s->evaluator, element, &now, until_ns, e))
		return e->status;
	peaks_note_try(&now, element, clock_date_ms());
	peaks_join(kept, &now);
	return peaks_file_put(s->target.cache, s->target.info->fingerprint, kept, e);
}

/* Measures the peaks of a device of which none is known now rather than behind the answer (step 6),
 * where they say what is impossible: no search is to be misled by a time that is. Where the time
 * kept for them is too short, step 6 of a later run measures them. */
static void measure_limits(struct loop *l, struct evaluator_problem *p)
{
	static const int64_t measuring_ns = INT64_C(1000000000);
	const struct session *s = l->o->session;
	const enum dtype element = l->out->has_element ? l->out->element : DTYPE_F32;
	const int64_t start_ns = clock_now_ns();
	struct peaks kept = {0};
	struct asc_err e;

	if (!l->o->peaks || !s->target.device->peaks || !s->ops->peaks ||
	    s->peaks_measured[element] || !physics_wants_peaks(&p->physics) ||
	    (l->until_ns > 0 && peaks_ns(l) < measuring_ns))
		return;
	if (peaks_file_read(s->target.cache, s->target.info->fingerprint, &kept, &e))
		kept = (struct peaks){0};
	if (!peaks_due(&kept, element, clock_date_ms(), false))
		return;
	/* A machine that is busy takes many times as long: most of the budget is left even then. */
	if (measure_peaks(l, element, l->until_ns ? start_ns + l->o->budget.ns / 4 : 0, &kept, &e))
		log_print(LOG_DEBUG, "no time is impossible here: %s", e.text);
	find_physics(l->o, p->binding, &p->physics);
	l->out->peaks_ns = clock_now_ns() - start_ns;
}

/* Notes who plans, or how many configurations nobody is asked about. */
static void find_planner(struct loop *l)
{
	const struct session *s = l->o->session;

	if (!s->ops->planner)
		return;
	l->out->planner = s->ops->planner(s->evaluator, &l->out->no_planner);
	for (size_t i = 0; i < l->searches.n && l->out->no_planner; i++) {
		const struct impl_search *search = &l->searches.list[i];

		if (planned_any(search->implementation))
			l->out->unasked += (double)space_count(search->space);
	}
}

/* Begins the run (step 2). Its row is recorded before the worker's problem begins, so that a run
 * whose reference fails is on record, too. */
static enum asc_status begin(struct loop *l, struct db *db, struct asc_err *e)
{
	static const int64_t second = INT64_C(1000000000);
	const int64_t start_ns = clock_now_ns();
	struct session *s = l->o->session;

	if (impl_searches_start(&l->searches, l->o, db, e))
		return e->status;
	l->out->search_ns += clock_now_ns() - start_ns;
	loop_summary_begin(l->out, l->o, &l->binding, &l->searches);
	if (recorder_begin(&l->recorder, l->o, db, &l->binding, &l->searches, l->out->strategy, e))
		return e->status;
	l->out->run_id = l->recorder.run_id;
	for (size_t i = 0; l->o->resume && i < l->searches.n; i++)
		if (recorder_each(&l->recorder, &l->searches.list[i], impl_search_add_recorded,
				  &l->searches.list[i], e))
			return e->status;

	struct evaluator_problem p = loop_problem(l->o, &l->binding);

	measure_limits(l, &p);
	l->out->physics = p.physics;
	p.setup_until_ns = l->first_until_ns;
	/* On a device that shares the host, built trials are measured after a twentieth of the
	 * budget, a second at most, though others are still being built: one slow compilation does
	 * not keep a short run from measuring what is built. Its compiler is stopped meanwhile. */
	p.patience_ns = l->o->budget.ns / 20 < second ? l->o->budget.ns / 20 : second;
	p.recall = recall;
	p.stage = begin_phase;
	p.built = count_builds;
	p.finals = count_finals;
	p.sets = count_sets;
	p.user = l;
	if (session_begin(s, &p, e))
		return e->status;
	find_planner(l);
	l->trials.searches = &l->searches;
	l->trials.ops = s->ops;
	l->trials.evaluator = s->evaluator;
	l->trials.patience.wanted = l->o->patience;
	l->trials.most = l->o->budget.trials ? l->out->planned : 0;
	return search_trials_init(&l->trials, e);
}

/* Steps 3 to 5. */
static enum asc_status tune(struct loop *l, struct asc_err *e)
{
	const struct loop_options *o = l->o;
	const struct patience *p = &l->trials.patience;
	const struct name_list *baselines =
		workload_find_baselines(o->workload, o->session->target.device->name);
	struct hard_context hard = {.options = o,
				    .bind = loop_bind,
				    .problem = loop_problem,
				    .began_ns = l->started_ns,
				    .tick = tick,
				    .user = l};
	const struct finals_context finals = {.options = o,
					      .searches = &l->searches,
					      .binding = &l->binding,
					      .n_sets = loop_problem(o, &l->binding).n_sets,
					      .recorder = &l->recorder,
					      .until_ns =
						      l->until_ns ? l->until_ns - peaks_ns(l) : 0,
					      .hard = &hard,
					      .tick = tick,
					      .user = l};

	if (o->progress)
		o->progress(o->user, l->out, NULL);
	l->counted_ns = clock_now_ns();
	enum asc_status status = search_all(l, e);

	count_time(l);
	if (status)
		return status;
	if (p->over) { /* the run says why its search ended before its budget */
		l->out->patience =
			(struct loop_patience){true, p->wanted, l->out->trials, 100 * p->expected};
		if (recorder_set_patience(&l->recorder, &l->out->patience, e))
			return e->status;
	}
	/* One configuration alone (--config) is compared with nothing, and is no answer. */
	if (stopped(l) || o->part.count > 1)
		status = o->config ? ASC_OK : finals_borrow(&finals, &l->candidates, e);
	else
		status = o->config ? finals_try(&finals, &l->candidates, l->out, e)
				   : finals_hold(&finals, &l->candidates, l->out, e);
	count_time(l);
	if (status || record_seeds(l, e))
		return status ? status : e->status;
	/* A baseline comes from an earlier run where this one did not measure it. */
	for (size_t i = 0; baselines && i < baselines->n; i++) {
		struct loop_trial *b = &l->out->baselines[i].trial;

		if (!b->found && recorder_find_fastest(&l->recorder, baselines->names[i], b, e))
			return e->status;
	}
	return o->config ? ASC_OK
			 : answer_take(&l->recorder, o, OBJECTIVE_TIME, &l->searches, l->out, e);
}

/* ---- peaks of the device (step 6) ---- */

/* Fills sum->peaks where the best can be placed by them, with the best that the user's cache
 * (result/peaks_file) and the database have of the device, measured before that where peaks_due(),
 * and records them. The session must have nothing to do. A failure is a warning and no more: the
 * answer stands without a roofline. */
static void find_peaks(struct loop *l, struct db *db)
{
	static const int64_t measuring_ns = INT64_C(2500000000); /* more than it usually takes */
	struct session *s = l->o->session;
	struct loop_summary *sum = l->out;
	/* A profile asks for memory, caches and launches too, whatever the problem computes in. */
	const enum dtype element = sum->has_element ? sum->element : DTYPE_F32;
	const bool placed = sum->has_element && sum->best.found && sum->flops > 0 && sum->bytes > 0;
	const char *device = s->target.info->fingerprint;
	struct roofline place;
	struct peaks kept;
	struct asc_err e;

	if ((!placed && l->o->n_profiled == 0 && !l->o->profile.probes) || sum->interrupted ||
	    !s->target.device->peaks || !s->ops->peaks)
		return;
	if (peaks_file_read(s->target.cache, device, &kept, &e))
		log_print(LOG_WARN, "%s: the peaks in it are measured again", e.text);
	enum asc_status status = db_find_peaks(db, device, element, &sum->peaks, &e);

	peaks_merge(&sum->peaks, &kept);
	const bool above = loop_summary_place_best(sum, &place) && place.part > 1;
	const bool needed =
		!s->peaks_measured[element] && peaks_due(&kept, element, clock_date_ms(), above);

	/* Where no time is left, the next run measures them. */
	sum->peaks_late = needed && l->until_ns > 0 && l->until_ns - clock_now_ns() < measuring_ns;
	if (status == ASC_OK && needed && !sum->peaks_late)
		status = measure_peaks(l, element, l->until_ns, &kept, &e);
	peaks_merge(&sum->peaks, &kept);
	if (status == ASC_OK)
		status = db_put_peaks(db, device, &sum->peaks, &e);
	if (status)
		log_print(LOG_WARN, "the peaks of the device are not known: %s", e.text);
}

/* ---- profiles (step 7) ---- */

/* The part of a run's time that the profile of its answer may take, which nobody asked for. */
static const double FREE_PART = 0.02;

/* Profiles what the run has found. Its failure is a warning and no more: the answer stands. */
static void find_profiles(struct loop *l)
{
	enum {
		LAUNCHES = 4,
		EXPERIMENTS = 4
	}; /* that the shortest profile makes, and these more */
	struct profile_wanted free_one = {.captures = true};
	struct profiling x = profiling_of(l);
	struct loop_summary *out = l->out;
	const double allowed_ns = FREE_PART * (double)out->wall_ns, ns = out->best.time.median;
	struct asc_err e;

	/* A model's times say nothing of a machine. */
	if (!l->o->profiles || stopped(l) || !out->best.found ||
	    l->o->session->target.info->simulated || (is_part(l->o) && !l->o->profile.probes))
		return;
	/* Nobody waits long for what was not asked for: of a slow kernel there are few launches, or
	 * none. */
	if (!l->o->profile.probes) {
		if (LAUNCHES * ns > allowed_ns)
			return;
		free_one.experiments = (LAUNCHES + EXPERIMENTS) * ns <= allowed_ns;
		x.wanted = &free_one;
		x.until_ns = clock_now_ns() + (int64_t)allowed_ns;
	}
	if (profiling_choose(&x, out, &e) ||
	    (l->o->objective != OBJECTIVE_TIME &&
	     profiling_choose_near(&x, &l->candidates, out, &e)) ||
	    profiling_run(&x, out, &e))
		log_print(LOG_WARN, "no profile: %s", e.text);
}

/* Has the energies that were measured decide (step 8). Where there are none the answer by time
 * stands, and the reason is said. */
static enum asc_status decide_by_energy(struct loop *l, struct asc_err *e)
{
	struct loop_summary *out = l->out;
	const char *reason = "nothing was measured";
	size_t measured = 0, best = 0;

	for (size_t i = 0; i < out->n_profiles; i++) {
		const struct metric *m = profile_find(&out->profiles[i].profile, "energy_j");

		measured += m && !m->reason;
		reason = m && m->reason ? m->reason : reason;
	}
	if (measured == 0) {
		log_print(LOG_WARN, "the answer is by time, no energy is known: %s", reason);
		return ASC_OK;
	}
	if (answer_take(&l->recorder, l->o, l->o->objective, &l->searches, out, e))
		return e->status;
	/* The answer's profile comes first, whoever was the fastest. */
	while (best < out->n_profiles &&
	       (strcmp(out->profiles[best].implementation, out->best.implementation) != 0 ||
		strcmp(buf_str(&out->profiles[best].config), buf_str(&out->best.config)) != 0))
		best++;
	if (best > 0 && best < out->n_profiles) {
		const struct loop_profile first = out->profiles[0];

		out->profiles[0] = out->profiles[best];
		out->profiles[best] = first;
	}
	return ASC_OK;
}

/* Profiles instead of tuning: the run has no trials, and ends with its profiles. */
static enum asc_status profile_alone(struct loop *l, struct db *db, struct asc_err *e)
{
	const struct profiling x = profiling_of(l);
	struct loop_summary *out = l->out;

	/* Its strategies are not begun: nothing is searched. */
	loop_summary_begin(out, l->o, &l->binding, &l->searches);
	out->strategy = "profile";
	if (recorder_begin(&l->recorder, l->o, db, &l->binding, &l->searches, out->strategy, e))
		return e->status;
	out->run_id = l->recorder.run_id;
	if (l->o->peaks)
		find_peaks(l, db);
	enum asc_status status = profiling_run(&x, out, e);

	out->interrupted = stopped(l);
	status = recorder_end(&l->recorder, status, out->interrupted, e);
	out->wall_ns = clock_now_ns() - l->started_ns;
	return status;
}

enum asc_status loop_go(struct loop *l, struct db *db, struct asc_err *e)
{
	struct loop_summary *out = l->out;

	if (l->o->n_profiled > 0)
		return profile_alone(l, db, e);
	enum asc_status status = begin(l, db, e);

	if (status == ASC_OK)
		status = tune(l, e);
	out->interrupted = stopped(l);
	out->search_ns += l->trials.strategies_ns;
	out->wall_ns = clock_now_ns() - l->started_ns;
	if (l->o->session->name)
		out->steady.session = l->o->session;
	if (status == ASC_OK)
		status = recorder_add_steadiness(&l->recorder, &out->steady, e);
	status = recorder_end(&l->recorder, status, out->interrupted, e);
	out->record_ns = l->recorder.spent_ns;
	l->counted_ns = clock_now_ns();
	if (status == ASC_OK && l->o->peaks)
		find_peaks(l, db);
	out->peaks_ns += clock_now_ns() - l->counted_ns;
	out->wall_ns = clock_now_ns() - l->started_ns;
	l->counted_ns = clock_now_ns();
	if (status == ASC_OK)
		find_profiles(l);
	if (status == ASC_OK && l->o->objective != OBJECTIVE_TIME && out->best.found)
		status = decide_by_energy(l, e);
	out->profile_ns = clock_now_ns() - l->counted_ns;
	out->wall_ns = clock_now_ns() - l->started_ns;
	return status;
}
