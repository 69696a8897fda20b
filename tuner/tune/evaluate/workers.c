/* The worker processes, in the order of a trial's events:
 *
 * 1. workers_feed() sends it (workers_ask.c): the first request that a kernel may answer.
 * 2. The worker announces each phase, so that its end is blamed on the trial that it was at.
 * 3. It sends the result. Its times are held against this process's clock, a failure may have
 *    another try in a fresh worker, and what passed is finished.
 * 4. Or it dies, hangs, or breaks the protocol, which all end alike: the worker is killed, the
 *    trial that it was at is blamed (blame), the others go to the spare one (replace_worker).
 *
 * All that a worker sends once a kernel has run in it may be the kernel's doing, since both share
 * memory: each message is checked against what was asked, and none can make the coordinator wait
 * without a limit or blame a trial that was not running. */
#include "tuner/tune/evaluate/workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/build/pool.h"
#include "tuner/device/device.h"
#include "tuner/process/proc_apart.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/python_identity.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/worker/incumbent_check.h"
#include "tuner/worker/sampling.h"
#include "tuner/workload/workload.h"

enum {
	/* Workers in a row that may die before they are ready, and trials in a row that none may
	 * be able to load: one may be chance, such as memory that was short. */
	MAX_TRIES = 3,
	MAX_FAILED = 3,   /* the highest status of a command, or a library's, that has failed */
	MAX_SENT = 6,     /* times that a trial is sent whose turn never comes */
	MAX_ALONE = 3,    /* times that a trial of rounds that was wrong is measured alone */
	MAX_AT_ONCE = 256 /* messages that are taken before time limits are looked at */
};

/* A spare worker that says nothing for longer while it opens the device, or imports before that,
 * goes on beside measurements. */
static const int64_t OPENS_LIMIT_NS = INT64_C(3000000000);
static const int64_t IMPORTS_LIMIT_NS = INT64_C(60000000000);
static const int64_t END_LIMIT_NS = INT64_C(2000000000); /* to close a device */

/* ---- worker exit ---- */

/* Notes when the worker took a trial up, by the end of its last phase; a worker may send any times.
 * Trials in rounds take turns. */
static void note_begin(const struct workers *c, int64_t end_ns, struct result *r)
{
	if (trials_in_rounds(c->queue))
		return;
	r->begin_ns = end_ns;
	for (size_t i = PHASE_LOAD; i < PHASE_COUNT; i++)
		if (r->spent_ns[i] > 0 && r->spent_ns[i] < r->begin_ns)
			r->begin_ns -= r->spent_ns[i];
}

static void describe_end(struct workers *c, const struct trial *t, enum result_status status,
			 const char *reason, struct result *r)
{
	char words[LINK_WORDS];
	struct asc_err why;

	asc_err_set(&why, ASC_CHILD, "%s%s", reason,
		    link_print_last_line(&c->worker, words, sizeof words));
	if (t && t->purpose == TRIAL_PROFILE && c->phase == PHASE_MEASURE && c->step > 0)
		(void)asc_err_wrap(&why, "in pass %lld", (long long)c->step);
	else if (t && c->step > 0 && (size_t)c->step <= t->implementation->n_calls)
		(void)call_wrap(t->implementation, (size_t)c->step - 1, &why);
	result_init(r);
	result_set(r, status, c->phase, "%s", why.text);
	if (c->worker.printed.len)
		r->log = str_dup(buf_str(&c->worker.printed));
	r->spent_ns[c->phase] = clock_now_ns() - c->worker.heard_ns;
	note_begin(c, clock_now_ns(), r);
}

/* Has every trial built again whose artifact was removed or damaged since: each start of rounds
 * that finds one of them counts for all. */
static void build_lost(struct workers *c)
{
	for (size_t i = 0; i < c->queue->n; i++) {
		struct trial *t = c->queue->list[i];

		if ((t->state == TRIAL_SENT || t->state == TRIAL_BUILT) && !trial_artifacts_hold(t))
			trial_build_again(t, c->problem);
	}
}

static bool is_killed(int status)
{
	return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* True where a Python function has ended the process by exiting: a kernel that ran before may have
 * damaged memory, which ends in a signal. */
static bool has_exited_by_itself(const struct workers *c, const struct trial *t)
{
	const int status = c->worker.proc.status;

	return !c->worker.alive && python_worker_runs(t->implementation) && WIFEXITED(status) &&
	       (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) > MAX_FAILED);
}

/* True where another Python function than the trial's has run in the process: it may have left
 * settings of libraries, limits or modules that are others now. */
static bool has_called_another(const struct workers *c, const struct trial *t)
{
	return c->worker.called_several ||
	       (c->worker.called && c->worker.called != t->implementation);
}

/* Gives a failed trial another try where the cause may not be its own. An artifact that was removed
 * or damaged since it was built, or that the worker's sandbox does not have, is built again. A
 * kernel that ran before in the process may be the cause, which a fresh worker shows. Rounds are
 * repeated with the trial alone. */
static bool try_again(struct workers *c, struct trial *t, enum result_status failure)
{
	/* A driver's refusal, before anything runs, or a Python function's exception, unless
	 * another function may have changed what it meets: a fresh process gets the same. */
	bool refused = failure == RESULT_LAUNCH_FAILED &&
		       (python_worker_runs(t->implementation) ? !has_called_another(c, t)
							      : !c->target->info->shares_host);
	/* The worker itself ends so where the machine lacks something, with a status of a failed
	 * command; a kernel may, too. */
	bool exited = failure == RESULT_CRASHED && WIFEXITED(c->worker.proc.status) &&
		      WEXITSTATUS(c->worker.proc.status) > 0 &&
		      WEXITSTATUS(c->worker.proc.status) <= MAX_FAILED;
	/* Mostly the deed of a person, or of the kernel when memory ran out (on_failed_start). */
	const bool killed = failure == RESULT_CRASHED && is_killed(c->worker.proc.status);

	if (t->sent < MAX_SENT &&
	    (!trial_artifacts_hold(t) || link_is_shut_out(&c->worker, c->target))) {
		trial_build_again(t, c->problem);
		build_lost(c);
		return true;
	}
	if (trials_in_rounds(c->queue)
		    ? c->company < 2 || t->alone == MAX_ALONE
		    : (!c->worker.used && !exited && !killed) || t->again || refused ||
			      (failure == RESULT_CRASHED && has_exited_by_itself(c, t)))
		return false;
	t->again = true;
	t->order = 0; /* the first of the next worker */
	if (trials_in_rounds(c->queue)) {
		t->alone++;
		t->failure = failure;
		c->suspect = t;
	}
	return true;
}

/* Gives the end of the worker to the trial that it was at, as its result; as a second result, if
 * the trial had one and stayed loaded. */
static void blame(struct workers *c, enum result_status status, const char *reason)
{
	struct trial *t = trials_first(c->queue, TRIAL_SENT);
	struct result r;

	/* The trial that the worker announced last. One that was not begun is not blamed, unless
	 * fresh workers keep dying before it. */
	if (c->worker.announced)
		t = trials_find(c->queue, TRIAL_SENT, c->worker.at);
	else if (t && (c->worker.used || t->sent < MAX_SENT))
		t = NULL;
	if (t ? try_again(c, t, status) : trials_in_rounds(c->queue) || !c->worker.announced)
		return;
	c->suspect = NULL; /* it has failed alone, or there was none */
	describe_end(c, t, status, reason, &r);
	if (t)
		trials_finish(c->queue, t, &r);
	else
		trials_add_late(c->queue, c->worker.at, &r);
}

static enum asc_status start(const struct workers *c, struct worker_link *l, const char *places,
			     bool awaits, struct asc_err *e)
{
	char *folder;

	return pool_scratch(c->pool, &folder, e)
		       ? e->status
		       : link_start(l, c->target, places, folder, awaits, e);
}

/* True for a worker of the kind that the problem asks for: the program, or a Python that has
 * imported what the problem names. */
static bool fits(const struct workers *c, const struct worker_link *l)
{
	return c->places && l->places ? strcmp(c->places, l->places) == 0 : c->places == l->places;
}

/* True for a spare worker that can take over. */
static bool has_spare(const struct workers *c)
{
	return c->spare.alive && fits(c, &c->spare) && !link_is_shut_out(&c->spare, c->target);
}

/* Has a spare worker; one that takes over at once does not wait for its device before it is asked
 * for more. */
static enum asc_status start_spare(struct workers *c, bool awaits, struct asc_err *e)
{
	if (!has_spare(c))
		link_kill(&c->spare);
	return c->spare.alive ? ASC_OK : start(c, &c->spare, c->places, awaits, e);
}

enum asc_status workers_find_peaks(struct workers *c, enum dtype type, struct peaks *out,
				   int64_t until_ns, struct asc_err *e)
{
	struct worker_link plain = {0};
	struct worker_link *const l = c->places ? &plain : &c->spare;

	/* A spare worker that is a Python may be importing: a plain one is there at once. */
	if (c->places ? start(c, l, NULL, false, e) : start_spare(c, false, e))
		return e->status;
	const enum asc_status s = link_find_peaks(l, type, out, until_ns, e);

	/* Its answer may come late, as the next worker's. */
	if (s || c->places)
		link_kill(l);
	link_clear_stderr(&plain);
	return s;
}

bool workers_spare_opens(const struct workers *c)
{
	const struct trial *next = trials_first(c->queue, TRIAL_BUILT);

	/* A trial that has ended a process will mostly end this one, and another spare starts
	 * beside the one that opens: then two of them take the time of one. */
	if (next && next->again && !trials_in_rounds(c->queue))
		return false;
	const bool imports = c->spare.places && *c->spare.places;
	const int64_t most_ns = imports ? IMPORTS_LIMIT_NS : OPENS_LIMIT_NS;

	/* Nothing is timed beside a problem that was set aside. */
	return !c->beside && !c->spare.open && has_spare(c) &&
	       clock_now_ns() - c->spare.heard_ns < most_ns;
}

/* Takes what the spare worker says until its device is open. One that cannot open it is ended: the
 * next that is needed says why. */
static void attend_spare(struct workers *c)
{
	struct link_message m;
	struct asc_err e;

	link_read_stderr(&c->spare);
	while (c->spare.alive && !c->spare.open) {
		if (link_receive(&c->spare, &m, &e)) {
			log_print(LOG_DEBUG, "the spare worker: %s", e.text);
			link_kill(&c->spare);
		} else if (m.event == LINK_NOTHING) {
			return;
		}
	}
}

/* Trials that were sent go to the spare worker. */
static enum asc_status replace_worker(struct workers *c, struct asc_err *e)
{
	struct trial *t;

	if (start_spare(c, false, e))
		return e->status;
	while ((t = trials_first(c->queue, TRIAL_SENT)) != NULL)
		t->state = TRIAL_BUILT;
	link_clear_stderr(&c->worker);
	c->worker = c->spare;
	c->spare = (struct worker_link){0};
	/* Another spare starts at once beside a worker whose device is open: that one does not say
	 * so again. Imports take seconds: those of a Python begin beside those of a new worker,
	 * too. Problems beside another one are too small for that. */
	const bool opens = !c->target->info->shares_host && c->worker.open;

	return (c->places || opens) && !c->beside ? start_spare(c, true, e) : ASC_OK;
}

enum asc_status workers_restart(struct workers *c, struct asc_err *e)
{
	link_kill(&c->worker);
	return replace_worker(c, e);
}

/* Starts the worker once more outside of the sandbox, where its driver did not start inside: a
 * driver may need system calls or files that the sandbox does not list. No code of a workload has
 * run by then. False where that cannot be the cause, or where the sandbox is required. */
static bool is_left_outside(const struct workers *c, const char *why)
{
	if (c->target->info->shares_host || c->worker.open || c->worker.doing[0] ||
	    !sandbox_leave_off_drivers())
		return false;
	log_print(LOG_WARN,
		  "the device is not opened in the sandbox (%s): outside of it is tried once, "
		  "and kernels run there",
		  why);
	return true;
}

/* The worker died before it was ready: code of the workload would die again. */
static enum asc_status on_failed_start(struct workers *c, int status, const char *how,
				       struct asc_err *e)
{
	const char *path = c->problem->binding->workload->path;
	/* By a person, or by the kernel when memory ran out: neither a driver nor code of a
	 * workload comes to that by itself. */
	const bool killed = is_killed(status);
	char words[LINK_WORDS];

	/* An import may end the process, and so would each further one: none is made ahead, and the
	 * function that asks for it is to blame. */
	if (c->places && *c->places && !c->worker.open) {
		*c->places = '\0';
		return replace_worker(c, e);
	}
	if (!killed && is_left_outside(c, how))
		return replace_worker(c, e);
	link_print_last_line(&c->worker, words, sizeof words);
	if (c->worker.doing[0] && !killed)
		return asc_err_set(e, ASC_CHILD, "%s: %s crashed: the worker %s%s", path,
				   c->worker.doing, how, words);
	if (++c->failed_starts < MAX_TRIES)
		return replace_worker(c, e);
	return asc_err_set(e, ASC_CHILD, "%s: %d workers in a row did not get ready; the last %s%s",
			   path, MAX_TRIES, how, words);
}

static enum asc_status on_exit_of_worker(struct workers *c, struct asc_err *e)
{
	bool ready = c->worker.ready;
	char how[128];

	const int status = link_reap(&c->worker, how, sizeof how);
	if (!ready)
		return on_failed_start(c, status, how, e);
	blame(c, RESULT_CRASHED, how);
	return replace_worker(c, e);
}

/* ---- time limits ---- */

/* Ends the trial whose function was not warm when time was up: it has no verdict, and counts as not
 * tried. */
static void end_undecided(struct workers *c, const char *reason)
{
	struct trial *t = trials_find(c->queue, TRIAL_SENT, c->worker.at);
	struct result none;

	log_print(LOG_NOTE, "%s: %s %s", c->problem->binding->workload->path,
		  t->implementation->name, reason);
	c->suspect = NULL;
	result_init(&none);
	trials_finish(c->queue, t, &none);
}

static enum asc_status check_limit(struct workers *c, struct asc_err *e)
{
	char reason[WORKERS_LATE_SIZE];

	if (clock_now_ns() < workers_deadline_ns(c))
		return ASC_OK;
	workers_print_late(c, reason, sizeof reason);
	if (!c->worker.ready)
		return asc_err_set(e, ASC_TIMEOUT, "%s: %s", c->problem->binding->workload->path,
				   reason);
	const bool lack_time = workers_lack_time(c);

	link_kill(&c->worker);
	if (lack_time)
		end_undecided(c, reason);
	else
		blame(c, RESULT_TIMEOUT, reason);
	return replace_worker(c, e);
}

/* ---- messages ---- */

static bool is_failure(const struct result *r)
{
	return r->status == RESULT_WRONG || r->status == RESULT_LOAD_FAILED ||
	       r->status == RESULT_LAUNCH_FAILED || r->status == RESULT_CRASHED;
}

/* A trial that failed in rounds has passed alone, or time was up. Wrong outputs may have been
 * another's doing: the trial takes part again, MAX_ALONE times at most. One that crashed or hung
 * stays away, without samples. */
static enum asc_status on_passed_alone(struct workers *c, struct trial *t, struct asc_err *e)
{
	struct result none;

	c->suspect = NULL;
	if (t->failure != RESULT_WRONG || t->alone == MAX_ALONE) {
		result_init(&none);
		result_set(&none, RESULT_OK, PHASE_MEASURE, "%s beside others, and not alone",
			   result_status_name(t->failure));
		trials_finish(c->queue, t, &none);
	}
	return workers_restart(c, e);
}

/* Parts of the time that clocks of devices may run fast by, and more for rounded samples. */
static const double FAST = 1.01;
static const int64_t ROUNDED_NS = 1000000;

/* Refuses a result that cannot have happened, by this process's own clock: one before its launches
 * were announced, or with times that together are longer than the trial was with the worker. */
static enum asc_status check_times(const struct workers *c, const struct trial *t,
				   const struct result *r, struct asc_err *e)
{
	const int64_t passed_ns = clock_now_ns() - t->sent_ns;
	char all[UNITS_TEXT_SIZE], passed[UNITS_TEXT_SIZE];
	double sum_ns = 0;

	if (result_check_spent(r, passed_ns + ROUNDED_NS, e))
		return e->status;
	if (r->n_samples > 0 && !c->timed)
		return asc_err_set(e, ASC_PROTOCOL,
				   "it sends times of launches that it did not announce");
	for (size_t i = 0; i < r->n_samples; i++) {
		if (r->samples[i] < 0)
			return asc_err_set(e, ASC_PROTOCOL, "it sends a time below 0");
		sum_ns += (double)r->samples[i] * (double)r->launches_per_sample;
	}
	if (sum_ns <= (double)(passed_ns + ROUNDED_NS) * FAST)
		return ASC_OK;
	return asc_err_set(e, ASC_PROTOCOL, "it sends times of %s together, %s after it was asked",
			   units_print_duration(sum_ns, all),
			   units_print_duration((double)passed_ns, passed));
}

/* Notes which trial's configuration the worker keeps loaded, as it decides itself. */
static void note_kept(struct workers *c, const struct trial *t, const struct result *r)
{
	struct worker_link *l = &c->worker;
	double score;

	if (t->purpose != TRIAL_SEARCH ||
	    !incumbent_check_scores(&c->problem->policy, c->problem->physics.least_ns, r, &score) ||
	    (l->keeps && score >= l->kept_score))
		return;
	l->keeps = true;
	l->kept = t->id;
	l->kept_score = score;
}

static enum asc_status on_result(struct workers *c, struct trial *t, struct result *r,
				 struct asc_err *e)
{
	if (check_times(c, t, r, e))
		return e->status;
	/* Before anything else takes its time for one; that of a profile decides nothing. */
	if (t->purpose != TRIAL_PROFILE)
		physics_judge(&c->problem->physics, r);
	c->timed &= trials_in_rounds(c->queue);
	/* Right in one launch and wrong in another: no other trial has done that. */
	if (is_failure(r) && !r->bits.wrong && try_again(c, t, r->status))
		return workers_restart(c, e);
	if (t == c->suspect && !is_failure(r))
		return on_passed_alone(c, t, e);
	c->suspect = NULL;
	c->failed_loads = 0;
	c->turn_ns = clock_now_ns();
	note_kept(c, t, r);
	c->worker.used = true;
	if (python_worker_runs(t->implementation)) {
		c->worker.called_several |= has_called_another(c, t);
		c->worker.called = t->implementation;
	}
	c->worker.announced = false;
	c->launched |= r->phase >= PHASE_VERIFY;
	c->phase = PHASE_LOAD; /* of the next one */
	c->step = 0;
	r->order = c->taken;
	c->taken += (int64_t)r->n_samples + r->retaken;
	note_begin(c, c->worker.clock_ns, r);
	link_clear_stderr(&c->worker);
	trials_finish(c->queue, t, r);
	return ASC_OK;
}

/* The second result of a trial that had one and stayed loaded. The trial whose turn it is has not
 * begun, or goes on. */
static enum asc_status on_late_result(struct workers *c, uint64_t id, struct result *r,
				      struct asc_err *e)
{
	if (result_status_timed(r->status))
		return asc_err_set(e, ASC_PROTOCOL, "it sends a second result of one trial");
	/* Only what stayed loaded can fail after its result. */
	if (!c->worker.keeps || c->worker.kept != id)
		return asc_err_set(e, ASC_PROTOCOL,
				   "it sends a second result of a trial that it has let go");
	if (result_check_spent(r, clock_now_ns(), e))
		return e->status;
	c->worker.keeps = false;
	if (is_failure(r))
		trials_add_late(c->queue, id, r);
	c->worker.announced = false;
	return ASC_OK;
}

/* False for a trial that the worker cannot be at. It is at the first one that was sent, or goes on
 * with the last one, or, between measured launches, is at the one that stayed loaded. A kernel that
 * names another would have that one blamed for its own end, and be sent again for ever. */
static bool is_its_turn(const struct workers *c, const struct link_message *m,
			const struct trial *sent)
{
	const struct worker_link *const l = &c->worker;
	const bool rounds = trials_in_rounds(c->queue);

	if (sent || rounds)
		return sent && (rounds || sent == trials_first(c->queue, TRIAL_SENT));
	return m->event == LINK_RESULT || m->id == l->at ||
	       (c->timed && m->phase == PHASE_MEASURE && l->keeps && m->id == l->kept);
}

static enum asc_status on_message(struct workers *c, struct link_message *m, struct asc_err *e)
{
	struct trial *t = trials_find(c->queue, TRIAL_SENT, m->id);

	if (c->worker.ready)
		c->failed_starts = 0;
	c->was_ready |= c->worker.ready;
	if (m->event == LINK_READY && c->worker.ready) {
		/* Text that imports and functions of the workload have printed is no trial's. */
		link_read_stderr(&c->worker);
		link_clear_stderr(&c->worker);
		prerequisites_keep_references(c->prerequisites, c->worker.folder);
	}
	if (m->event == LINK_READY && m->sets > 0 && c->problem->sets)
		c->problem->sets(c->problem->user, m->sets < (int64_t)c->problem->n_sets
							   ? (size_t)m->sets
							   : c->problem->n_sets);
	/* The spare starts while the worker sets up the problem: two devices that are opened beside
	 * each other take longer, and nothing is to be beside a measurement. */
	if (m->event == LINK_READY && c->worker.open) {
		proc_apart_let_go(); /* the worker has the driver open */
		/* A spare that starts within milliseconds is started when it is needed. */
		return c->target->info->shares_host ? ASC_OK : start_spare(c, true, e);
	}
	if (m->event == LINK_NOTE && *m->note && !*c->noted) {
		(void)snprintf(c->noted, sizeof c->noted, "%s", m->note);
		log_print(LOG_WARN, "%s", c->noted);
	}
	if (m->event == LINK_READY || m->event == LINK_DOING || m->event == LINK_NOTE)
		return ASC_OK;
	if (m->event != LINK_FINALS && m->event != LINK_PHASE && m->event != LINK_RESULT)
		return asc_err_set(e, ASC_PROTOCOL, "it sends what nothing asks for");
	if (m->event == LINK_FINALS) {
		if (c->problem->finals)
			c->problem->finals(c->problem->user, &m->finals);
		return ASC_OK;
	}
	if (!is_its_turn(c, m, t))
		return asc_err_set(e, ASC_PROTOCOL,
				   "the worker speaks of configuration %llu, which is not its turn",
				   (unsigned long long)m->id);
	if (m->event == LINK_PHASE) {
		c->worker.announced = true;
		c->worker.at = m->id;
		if (t && c->phase == PHASE_BUILD)
			workers_note_warming(c, t);
		c->phase = m->phase;
		c->phase_ns = c->worker.heard_ns;
		c->step = m->step;
		c->timed |= t && m->phase == PHASE_MEASURE;
		return ASC_OK;
	}
	return t ? on_result(c, t, &m->result, e) : on_late_result(c, m->id, &m->result, e);
}

/* A worker that lacks what the machine has to give, memory or threads, has run nothing of the trial
 * that it was to load: a fresh worker tries once more. Where that one says the same, the machine is
 * in trouble, unless the trial's kernel was launched: then the kernel may have said so, and the
 * trial ends as a crash. Several such trials in a row are the machine's trouble again. */
static enum asc_status on_failed_load(struct workers *c, struct asc_err *e)
{
	struct trial *t = c->worker.announced ? trials_find(c->queue, TRIAL_SENT, c->worker.at)
					      : trials_first(c->queue, TRIAL_SENT);

	if (t && !t->again) {
		t->again = true;
		t->order = 0; /* the first of the next worker */
		return workers_restart(c, e);
	}
	if (!t || !c->worker.announced || c->phase < PHASE_VERIFY || ++c->failed_loads >= MAX_TRIES)
		return asc_err_wrap(e, "the worker");
	asc_err_wrap(e, "the worker cannot go on");
	link_kill(&c->worker);
	blame(c, RESULT_CRASHED, e->text);
	return replace_worker(c, e);
}

static enum asc_status receive_all(struct workers *c, struct asc_err *e)
{
	struct link_message m;
	enum asc_status s;
	int taken = 0; /* a worker that never stops talking still keeps its time limit */

	while (!(s = link_receive(&c->worker, &m, e)) && m.event != LINK_NOTHING) {
		s = on_message(c, &m, e);
		if (m.event == LINK_RESULT)
			result_fini(&m.result);
		if (s || ++taken == MAX_AT_ONCE)
			break;
	}
	if (s == ASC_IO)
		return on_exit_of_worker(c, e);
	if (s == ASC_PROTOCOL && c->worker.ready) { /* its memory was overwritten: a crash */
		asc_err_wrap(e, "the worker no longer makes sense");
		link_kill(&c->worker);
		blame(c, RESULT_CRASHED, e->text);
		return replace_worker(c, e);
	}
	if (s == ASC_CHILD && c->worker.ready)
		return on_failed_load(c, e);
	if (s == ASC_CHILD && is_left_outside(c, e->text))
		return workers_restart(c, e); /* as a worker that dies before it is ready */
	return s;
}

/* ---- all together ---- */

enum asc_status workers_open(struct workers *c, const struct evaluator_target *t, struct trials *q,
			     struct pool *pool, struct asc_err *e)
{
	c->target = t;
	c->queue = q;
	c->pool = pool;
	return start(c, &c->worker, c->places, false, e);
}

enum asc_status workers_begin(struct workers *c, const struct evaluator_problem *p,
			      struct asc_err *e)
{
	struct worker_link *const l = &c->worker;

	c->problem = p;
	c->phase = PHASE_LOAD;
	c->step = 0;
	c->failed_starts = c->failed_loads = 0;
	c->was_ready = c->launched = false;
	c->suspect = NULL;
	c->taken = 0;
	incumbent_fini(&c->best);
	c->best_number = l->best = c->spare.best = 0;
	free(c->places);
	c->places = NULL;
	if (p->python && python_identity_places(p, c->target, &c->places, e))
		return e->status;
	if (!l->alive || !fits(c, l) || (l->asked && !((c->beside || p->shared) && l->ready)) ||
	    l->grants != sandbox_grants())
		return workers_restart(c, e);
	l->asked = l->ready = l->announced = l->keeps = false;
	return ASC_OK;
}

enum asc_status workers_set_aside(struct workers *c, struct asc_err *e)
{
	if (start_spare(c, false, e))
		return e->status;
	c->aside = c->worker;
	c->worker = c->spare;
	c->spare = (struct worker_link){0};
	c->beside = true;
	/* The next problem, or the peaks, are not to wait for a driver that is opened then. */
	return c->target->info->shares_host ? ASC_OK : start_spare(c, true, e);
}

void workers_take_back(struct workers *c, const struct evaluator_problem *p)
{
	link_kill(&c->worker);
	link_clear_stderr(&c->worker);
	c->worker = c->aside;
	c->aside = (struct worker_link){0};
	c->beside = false;
	c->problem = p;
	free(c->places);
	c->places = c->worker.places ? str_dup(c->worker.places) : NULL;
	c->was_ready = c->launched = true;
	c->phase = PHASE_LOAD;
	c->step = 0;
	c->suspect = NULL;
}

void workers_end(struct workers *c)
{
	struct worker_link *const l = &c->worker;

	if (l->asked && (!l->ready || trials_count(c->queue, TRIAL_SENT) > 0))
		link_kill(l);
}

void workers_close(struct workers *c)
{
	/* A device that has to be closed gets the time for it (device_ops.closes). */
	if (c->target && c->target->device->closes) {
		const int64_t until = clock_now_ns() + END_LIMIT_NS;

		link_hang_up(&c->worker);
		link_hang_up(&c->spare);
		(void)proc_await_end(&c->worker.proc, until - clock_now_ns());
		(void)proc_await_end(&c->spare.proc, until - clock_now_ns());
	}
	/* Both processes at once: a driver takes its time to end one. */
	proc_signal_end(&c->worker.proc);
	proc_signal_end(&c->spare.proc);
	link_kill(&c->worker);
	link_kill(&c->spare);
	link_kill(&c->aside);
	link_clear_stderr(&c->aside);
	link_clear_stderr(&c->worker);
	link_clear_stderr(&c->spare);
	incumbent_fini(&c->best);
	free(c->places);
	c->places = NULL;
}

enum asc_status workers_attend(struct workers *c, struct asc_err *e)
{
	link_read_stderr(&c->worker);
	attend_spare(c);
	/* A stream that has ended is noticed as it is read. */
	if (c->worker.alive && channel_flush(&c->worker.channel, e) && e->status != ASC_IO)
		return e->status;
	return receive_all(c, e) ? e->status : check_limit(c, e);
}

size_t workers_pollfds(const struct workers *c, struct pollfd fds[WORKERS_MAX_FDS])
{
	const int all[WORKERS_MAX_FDS] = {c->worker.alive ? c->worker.channel.fd : -1,
					  link_stderr_fd(&c->worker), link_stderr_fd(&c->spare),
					  workers_spare_opens(c) ? c->spare.channel.fd : -1};
	const bool sends = c->worker.alive && c->worker.channel.out.len > 0;
	size_t n = 0;

	for (size_t i = 0; i < WORKERS_MAX_FDS; i++)
		if (all[i] >= 0)
			fds[n++] = (struct pollfd){.fd = all[i], .events = POLLIN};
	if (sends)
		fds[0].events |= POLLOUT;
	return n;
}
