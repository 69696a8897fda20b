/* Pairs of sides in interleaved rounds, in this order:
 *
 * 1. bind_pair(), when its turn comes for the first time: the problem is the one that was asked
 *    for, each side computes the same on the same inputs, and each side's configuration is in its
 *    space; what is not is a reason for no comparison.
 * 2. Several processes, since rounds within one do not average out the noise of its place in
 *    memory. The first pair of each begins a fresh process; the others follow in it
 *    (evaluator_problem.shared).
 * 3. hold_rounds(), once for each pair in each process: both sides are submitted as one trial list,
 *    whose rounds the worker interleaves, so that a drift of the machine is in both; what was
 *    measured (the recorded artifact, or another build) is noted before any time is looked at.
 * 4. Ratios: of each process, and of the rounds of all of them as one series. */
#include "tuner/tune/measure_again.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/process/sandbox.h"
#include "tuner/result/tie.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/input_seeds.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_side.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/space.h"

static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */

/* Kernel time of all rounds of a process that are held whatever they show: rounds that the slower
 * side leaves are too few for a good ratio, which costs more processes than it saves. */
static const int64_t CHEAP_NS = INT64_C(500000000);

static const int64_t SETUP_LEAST_NS = INT64_C(10000000000);

struct side {                     /* a side while its pair is measured */
	struct binding own;       /* of another copy of the workload; else zeroed */
	struct binding_side side; /* of that on the pair's problem */
	const struct implementation *implementation;
	struct space *space;
	struct trial trial;
	int64_t *samples; /* of the rounds of all processes */
};

struct pair {
	struct again_pair *asked;
	struct loop_options options;
	struct binding binding;
	struct side sides[CONFIRMATION_SIDES];
	struct loop_steadiness steady;
	size_t n_rounds; /* of all processes */
	bool bound;
};

struct again {
	const struct again_options *o;
	struct pair *pairs;
	size_t n;
	enum cache_policy cache; /* the session's own */
	int64_t until_ns;        /* end of the budget; 0: no limit */
};

static bool stopped(const struct again *a)
{
	return a->o->stop && *a->o->stop;
}

/* True while there is no reason against measuring the pair. */
static bool is_open(const struct pair *p)
{
	return !*p->asked->found.reason && !p->asked->trouble.status;
}

/* ---- what is to be measured ---- */

/* True for a side that is of another copy of the workload. */
static bool is_copy(const struct again_pair *p, size_t i)
{
	return p->sides[i].workload && p->sides[i].workload != p->workload;
}

/* Binds the problem of the side's own copy of the workload, and holds it against the pair's. */
static enum asc_status bind_copy(struct pair *p, size_t i, struct asc_err *e)
{
	struct again_pair *asked = p->asked;
	struct workload *w = asked->sides[i].workload;
	struct loop_options options = p->options;
	struct side *s = &p->sides[i];
	struct buf text = {0};
	const char *reference;

	options.workload = w;
	if (workload_open_problem(
		    w, asked->sides[i].problem ? asked->sides[i].problem : asked->problem,
		    &options.problem, e) ||
	    loop_bind(&options, true, &s->own, e))
		return e->status;
	const bool first = i == CONFIRMATION_BEFORE;
	const char *const names[] = {asked->sides[CONFIRMATION_BEFORE].what,
				     asked->sides[CONFIRMATION_AFTER].what};
	enum asc_status status = binding_print_difference(first ? &s->own : &p->binding,
							  first ? &p->binding : &s->own, names,
							  &text, &reference, e);

	if (!status && text.len > 0)
		status =
			asc_err_set(e, ASC_INPUT, "inputs or reference differ: %s", buf_str(&text));
	if (!status)
		status = binding_side_init(&s->side, &p->binding, &s->own, e);
	if (!status && reference)
		asked->other_reference = reference;
	buf_fini(&text);
	return status;
}

static enum asc_status bind_side(struct pair *p, size_t i, struct asc_err *e)
{
	const struct again_side *asked = &p->asked->sides[i];
	struct confirmation *out = &p->asked->found;
	struct side *s = &p->sides[i];
	const struct binding *b = &p->binding;
	struct config *config = &s->trial.config;
	bool covers = false;
	struct asc_err why;
	uint64_t index;

	if (is_copy(p->asked, i)) {
		if (bind_copy(p, i, &why)) {
			snprintf(out->reason, sizeof out->reason, "%s", why.text);
			return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
		}
		b = &s->own;
	}
	s->implementation = workload_find_implementation(b->workload, asked->implementation);
	if (!s->implementation)
		snprintf(out->reason, sizeof out->reason, "there is no implementation %s any more",
			 asked->implementation);
	else if (binding_covers(b, s->implementation, &covers, out->reason, sizeof out->reason, e))
		return e->status;
	if (*out->reason)
		return ASC_OK;
	if (binding_space(b, s->implementation, &s->space, e))
		return e->status;
	/* A key that the space cannot read has parameters of another time: no error of today. */
	if (config_parse(asked->config_key, space_names(s->space), space_params(s->space), config,
			 &why)) {
		snprintf(out->reason, sizeof out->reason, "%s", why.text);
		return why.status == ASC_NOMEM ? asc_err_nomem(e) : ASC_OK;
	}
	if (!space_find(s->space, config, &index))
		snprintf(out->reason, sizeof out->reason, "%s is no configuration any more",
			 asked->config_key);
	return ASC_OK;
}

static enum asc_status bind_pair(const struct again *a, struct pair *p, struct asc_err *e)
{
	struct again_pair *asked = p->asked;
	struct confirmation *out = &asked->found;
	enum asc_status status = ASC_OK;
	enum cache_policy cache;

	p->bound = true;
	p->options = (struct loop_options){.workload = asked->workload,
					   .session = a->o->session,
					   .seed = a->o->seed,
					   .rewrites_off = asked->rewrites_off,
					   .stop = a->o->stop};
	if (workload_open_problem(asked->workload, asked->problem, &p->options.problem, e) ||
	    loop_bind(&p->options, true, &p->binding, e))
		return e->status;
	if (asked->cache && !cache_policy_parse(asked->cache, &cache))
		snprintf(out->reason, sizeof out->reason, "the cache policy %s is not known",
			 asked->cache);
	else if (asked->problem_key && strcmp(p->binding.key, asked->problem_key) != 0)
		snprintf(out->reason, sizeof out->reason, "the problem is another one now");
	for (size_t i = 0; !status && !*out->reason && i < CONFIRMATION_SIDES; i++)
		status = bind_side(p, i, e);
	return status;
}

/* ---- one pair in one process ---- */

/* True where the rounds of a process take little time, by those of the process before; the first
 * one's are held in any case. */
static bool is_cheap(const struct again *a, const struct confirmation *c)
{
	const double rounds = (double)a->o->session->policy.finals.rounds;

	return c->n == 0 || rounds * (c->sessions[c->n - 1].time[CONFIRMATION_BEFORE].median +
				      c->sessions[c->n - 1].time[CONFIRMATION_AFTER].median) <
				    (double)CHEAP_NS;
}

/* Submits both sides and waits for their results; *all: both came, rather than a stop. */
static enum asc_status measure(const struct again *a, struct pair *p, bool *all, struct asc_err *e)
{
	const struct session *session = a->o->session;
	struct trial *list[CONFIRMATION_SIDES];
	size_t done = 0;

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		struct side *s = &p->sides[i];
		struct trial *t = &s->trial;

		/* Who is loaded first lies elsewhere in memory: each side is, in every other
		 * process. */
		list[(i + p->asked->found.n) % CONFIRMATION_SIDES] = t;

		t->id = i;
		t->purpose = TRIAL_ROUNDS;
		t->implementation = s->implementation;
		t->side = is_copy(p->asked, i) ? &s->side : NULL;
		t->names = space_names(s->space);
		/* Without early stopping the slower side is a result, too. */
		t->full = !a->o->early || is_cheap(a, &p->asked->found);
		t->apart = a->o->equal;
		t->recorded = p->asked->sides[i].artifact;
		/* Another order of rounds in each process. */
		t->seed = a->o->seed + p->asked->found.n;
	}
	if (session->ops->submit(session->evaluator, list, CONFIRMATION_SIDES, e))
		return e->status;
	while (done < CONFIRMATION_SIDES && !stopped(a)) {
		struct trial *t;

		if (session->ops->poll(session->evaluator, POLL_NS, &t, e))
			return e->status;
		done += t && !t->late;
	}
	*all = done == CONFIRMATION_SIDES;
	return ASC_OK;
}

/* True when both passed; else the first that failed gives the reason, since the other may not have
 * been measured then. A build without a key failed for a reason of the machine, of what is
 * installed, or of the sandbox: that is no failure of the configuration. */
static bool both_passed(const struct again *a, struct pair *p)
{
	const bool named = !a->o->unnamed;
	struct confirmation *out = &p->asked->found;
	bool passed = true;

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		const struct result *r = &p->sides[i].trial.result;
		const bool fails = r->status != RESULT_BUILD_FAILED || *r->artifact;

		out->fails[i] = r->status != RESULT_OK && fails;
		out->wrong[i] = r->status == RESULT_WRONG;
		/* Alone it passes: something is wrong beside the other. */
		if (!passed || (r->status == RESULT_OK && r->n_samples > 0))
			continue;
		passed = false;
		out->failed = fails;
		snprintf(out->reason, sizeof out->reason, "%s%s%s: %s",
			 named ? p->asked->sides[i].what : "", named ? " is " : "",
			 result_status_name(r->status), result_reason(r));
	}
	return passed;
}

/* Notes what was measured: the recorded artifact or another one. */
static void note_artifacts(struct pair *p)
{
	struct confirmation *out = &p->asked->found;
	const struct again_side *asked = p->asked->sides;
	const struct trial *before = &p->sides[CONFIRMATION_BEFORE].trial,
			   *after = &p->sides[CONFIRMATION_AFTER].trial;

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		const struct result *r = &p->sides[i].trial.result;
		const char *wanted = asked[i].artifact ? asked[i].artifact : "";

		out->stored[i] = *wanted && strcmp(r->artifact, wanted) == 0;
		out->gone |= asked[i].as_recorded && !out->stored[i];
		if (asked[i].as_recorded && !out->stored[i])
			snprintf(out->reason, sizeof out->reason,
				 "the artifact of %s is not in the cache any more", asked[i].what);
		memcpy(out->digest[i], r->digest, sizeof out->digest[i]);
	}
	/* The bytes and how they are launched decide, not what they were made of: the evaluator
	 * measures equal launches once. */
	out->same_code = *before->launch && strcmp(before->launch, after->launch) == 0;
	out->same = strcmp(before->result.artifact, after->result.artifact) == 0 &&
		    strcmp(before->result.digest, after->result.digest) == 0 &&
		    strcmp(asked[CONFIRMATION_BEFORE].config_key,
			   asked[CONFIRMATION_AFTER].config_key) == 0;
}

/* Adds a process that both sides passed: its ratio, and its rounds to the series of all rounds. */
static enum asc_status add_session(struct pair *p, struct asc_err *e)
{
	struct confirmation *out = &p->asked->found;
	const struct result *before = &p->sides[CONFIRMATION_BEFORE].trial.result,
			    *after = &p->sides[CONFIRMATION_AFTER].trial.result;
	struct confirmation_session *session = &out->sessions[out->n++];
	struct confirmation_ratio *r = &out->rounds;
	struct stats_interval within;
	/* A round that only one side has is no pair. */
	const size_t n =
		before->n_samples < after->n_samples ? before->n_samples : after->n_samples;

	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		struct side *s = &p->sides[i];
		int64_t *all = realloc(s->samples, (p->n_rounds + n) * sizeof *all);

		if (!all)
			return asc_err_nomem(e);
		memcpy(all + p->n_rounds, s->trial.result.samples, n * sizeof *all);
		s->samples = all;
		session->time[i] = s->trial.result.time;
		loop_steadiness_add(&p->steady, &s->trial.result);
	}
	session->rounds = n;
	p->n_rounds += n;
	if (tie_ratio(p->sides[CONFIRMATION_AFTER].samples, p->sides[CONFIRMATION_BEFORE].samples,
		      p->n_rounds, &r->ratio, &within, e))
		return e->status;
	r->low = within.low;
	r->high = within.high;
	return tie_ratio(after->samples, before->samples, n, &session->ratio, &session->interval,
			 e);
}

/* Keeps the results of a process before their trials end. A side that had no turn, since the other
 * one did not pass, has none. */
static enum asc_status keep(struct pair *p, struct asc_err *e)
{
	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		struct result *r = &p->sides[i].trial.result, *kept = &p->asked->results[i];
		const bool passed = r->status == RESULT_OK;

		if (passed && r->n_samples == 0)
			continue;
		if (passed && p->asked->kept[i]) {
			if (result_add_samples(kept, r, e))
				return e->status;
			continue;
		}
		if (p->asked->kept[i])
			result_fini(kept);
		*kept = *r;
		result_init(r);
		p->asked->kept[i] = true;
	}
	return ASC_OK;
}

/* Time by which inputs and reference of a pair are there that nothing has measured yet: the end of
 * the budget, which has room for a reference of some seconds though it is shorter. 0: no limit. */
static int64_t find_setup_end(const struct again *a, const struct pair *p)
{
	const int64_t least_ns = clock_now_ns() + SETUP_LEAST_NS;

	if (a->until_ns == 0 || p->asked->found.n > 0)
		return 0;
	return a->until_ns > least_ns ? a->until_ns : least_ns;
}

/* Holds the rounds of a pair in the process that is there, or, `fresh`, in another one. */
static enum asc_status hold_rounds(const struct again *a, struct pair *p, bool fresh,
				   struct asc_err *e)
{
	struct session *session = a->o->session;
	bool all = false;

	if (p->asked->cache)
		(void)cache_policy_parse(p->asked->cache, &session->policy.cache); /* bind_pair() */
	struct evaluator_problem problem = loop_problem(&p->options, &p->binding);
	/* Processes behind the first launch the same kernels. */
	const bool sets = a->o->sets && p->asked->found.n == 0;

	problem.n_sets =
		input_seeds_find(sets ? session->inputs : NULL, &p->binding, problem.seeds);
	problem.shared = !fresh;
	problem.setup_until_ns = find_setup_end(a, p);
	enum asc_status s = session_begin(session, &problem, e);

	if (!s)
		s = measure(a, p, &all, e);
	if (!s && all)
		note_artifacts(p);
	/* Times of another artifact than the recorded one are none of this comparison. */
	if (!s && all && is_open(p) && both_passed(a, p))
		s = add_session(p, e);
	if (!s && all && a->o->keep)
		s = keep(p, e);
	session_end(session);
	session->policy.cache = a->cache;
	for (size_t i = 0; i < CONFIRMATION_SIDES; i++)
		trial_fini(&p->sides[i].trial);
	return s;
}

/* ---- all of them ---- */

static void pair_fini(struct pair *p)
{
	for (size_t i = 0; i < CONFIRMATION_SIDES; i++) {
		space_free(p->sides[i].space);
		free(p->sides[i].samples);
		binding_fini(&p->sides[i].own);
	}
	binding_fini(&p->binding);
}

/* Takes one pair on in a process; *fresh: the process is yet to be started. What fails is the
 * pair's, but for memory that runs out. */
static enum asc_status take_pair(const struct again *a, struct pair *p, size_t process, bool *fresh,
				 struct asc_err *e)
{
	struct again_pair *asked = p->asked;
	enum asc_status s = ASC_OK;

	asked->reached = true;
	if (!p->bound)
		s = bind_pair(a, p, e);
	if (!s && is_open(p)) {
		s = hold_rounds(a, p, *fresh, e);
		*fresh = false;
	}
	if (s == ASC_NOMEM)
		return s;
	if (s && !stopped(a))
		asked->trouble = *e;
	if (a->o->measured)
		a->o->measured(a->o->user, asked, process);
	return ASC_OK;
}

/* Lets children read a copy of a workload; NULL: there is none. */
static enum asc_status grant(const struct workload *w, struct asc_err *e)
{
	if (!w || sandbox_is_granted(w->path))
		return ASC_OK;
	return sandbox_grant(w->path, !w->untrusted, e);
}

/* Lets children read the copies of a pair's workloads. */
static enum asc_status grant_all(const struct again_pair *p, struct asc_err *e)
{
	enum asc_status s = grant(p->workload, e);

	for (size_t i = 0; i < CONFIRMATION_SIDES && !s; i++)
		s = grant(p->sides[i].workload, e);
	return s;
}

/* True where another process may tell what those before it have not. */
static bool is_undecided(const struct again *a, const struct pair *p)
{
	const struct confirmation *c = &p->asked->found;

	if (!is_open(p) || c->n == 0)
		return false;
	const struct confirmation_ratio r = confirmation_find_all(c);

	return confirmation_judge(c, &r, a->o->margin, CONFIRMATION_SAME_BELOW) ==
		       CONFIRMATION_UNDECIDED &&
	       confirmation_may_decide(c, a->o->margin, CONFIRMATION_SAME_BELOW);
}

/* The first process tells how long the pairs take: what does not fit the budget as often as there
 * are processes is not begun, so that those before it are measured in all. Further processes serve
 * the pairs alone that are undecided. */
static enum asc_status hold_all(struct again *a, size_t processes, size_t most, struct asc_err *e)
{
	const int64_t begun_ns = clock_now_ns(), budget_ns = a->o->budget_ns;
	size_t n = a->n;

	a->until_ns = budget_ns > 0 ? begun_ns + budget_ns : 0;
	for (size_t k = 0; k < most && !stopped(a); k++) {
		bool fresh = true;

		for (size_t i = 0; i < n && !stopped(a); i++) {
			struct pair *p = &a->pairs[i];
			const int64_t spent_ns = clock_now_ns() - begun_ns;

			if (k == 0 && i > 0 && budget_ns > 0 &&
			    spent_ns >= budget_ns / (int64_t)processes) {
				n = i;
				break;
			}
			if (k >= processes &&
			    (!is_undecided(a, p) || (budget_ns > 0 && spent_ns >= budget_ns)))
				continue;
			if ((k == 0 || is_open(p)) && take_pair(a, p, k + 1, &fresh, e))
				return e->status;
		}
	}
	return ASC_OK;
}

static size_t within(size_t n, size_t fewest)
{
	return n < fewest ? fewest : n < CONFIRMATION_MOST ? n : CONFIRMATION_MOST;
}

enum asc_status measure_again(const struct again_options *o, struct again_pair *pairs, size_t n,
			      struct asc_err *e)
{
	const size_t processes = o->once ? 1 : within(o->processes, CONFIRMATION_SESSIONS);
	const size_t most = o->once ? 1 : within(o->most, processes);
	struct again a = {.o = o, .n = n, .cache = o->session->policy.cache};
	enum asc_status status = ASC_OK;

	a.pairs = calloc(n + 1, sizeof *a.pairs);
	if (!a.pairs)
		return asc_err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		status = status ? status : grant_all(&pairs[i], e);
		a.pairs[i].asked = &pairs[i];
		pairs[i].found = (struct confirmation){0};
		pairs[i].trouble.status = ASC_OK;
		pairs[i].other_reference = NULL;
		pairs[i].reached = false;
		memset(pairs[i].kept, 0, sizeof pairs[i].kept);
	}
	if (!status)
		status = hold_all(&a, processes, most, e);
	for (size_t i = 0; i < n; i++) {
		struct confirmation *c = &pairs[i].found;

		c->unsteady = loop_was_unsteady(&a.pairs[i].steady);
		if (stopped(&a) && !*c->reason)
			snprintf(c->reason, sizeof c->reason, "it was interrupted");
		pair_fini(&a.pairs[i]);
	}
	free(a.pairs);
	return status;
}

enum asc_status measure_again_one(const struct again_options *o, struct again_pair *pair,
				  struct asc_err *e)
{
	if (measure_again(o, pair, 1, e))
		return e->status;
	if (pair->trouble.status)
		*e = pair->trouble;
	return pair->trouble.status;
}
