#include "tuner/loop/loop.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/json.h"
#include "tuner/base/sources.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/loop/answer.h"
#include "tuner/loop/arm.h"
#include "tuner/loop/finals.h"
#include "tuner/loop/journal.h"
#include "tuner/loop/loop_peaks.h"
#include "tuner/loop/tally.h"
#include "tuner/model/binding.h"
#include "tuner/model/limits.h"
#include "tuner/model/space.h"
#include "tuner/search/strategy.h"

enum { MAX_PENDING = 256 };
static const int64_t TICK_NS = INT64_C(1000000000);
static const int64_t POLL_NS = INT64_C(100000000); /* how soon a stop is noticed */

struct pending {     /* asked, not yet told */
	uint64_t id; /* 0: free */
	size_t arm;
	uint64_t index;
	struct config config;
};

struct measured { /* passed in this run: it may fail later, launched beside others */
	uint64_t id;
	size_t arm;
	uint64_t index;
};

struct loop {
	const struct loop_options *o;
	struct loop_summary *out;
	struct binding binding;
	struct limits limits; /* of the binding, where the device is a known model */
	struct arms arms;
	struct journal journal;
	struct contenders contenders;
	struct evaluator *evaluator;
	struct pending *pending;
	size_t n_pending;
	struct measured *measured;
	size_t n_measured, measured_room;
	uint64_t asked;
	int64_t started_ns, told_ns;       /* the run; the progress, last */
	int64_t counted_ns;                /* time up to then is in phase_ns */
	int64_t search_until_ns, until_ns; /* the search ends, everything does; 0: no limit */
	int64_t first_until_ns;            /* one trial has been made, or there is none */
	bool dry;                          /* every space is exhausted */
};

/* Getting ready takes some time even where there is hardly any. */
static const int64_t LEAST_NS = INT64_C(3000000000);

/* The last quarter is for the finals. */
static void share_time(struct loop *l)
{
	const int64_t all = l->o->budget.ns;
	const int64_t finals = l->o->rule.finals_ratio > 0 ? all / 4 : 0;

	if (all == 0)
		return;
	l->until_ns = l->started_ns + all;
	l->search_until_ns = l->until_ns - finals;
	l->first_until_ns = l->started_ns + (all > LEAST_NS ? all : LEAST_NS);
}

static bool is_past(int64_t until_ns)
{
	return until_ns > 0 && clock_now_ns() >= until_ns;
}

/* Getting ready may take all the time there is; a run that has tried nothing would say that nothing
 * passed. */
static bool budget_left(const struct loop *l)
{
	bool more = !l->o->budget.trials || l->asked < l->out->planned;

	return more && (l->asked == 0 || !is_past(l->search_until_ns));
}

static bool stopped(const struct loop *l)
{
	return l->o->stop && *l->o->stop;
}

/* Counts a result, tells the strategy, and shows progress; `p` is free afterwards. */
static enum asc_status settle(struct loop *l, struct pending *p, const struct result *r,
			      bool resumed, struct asc_err *e)
{
	struct arm *arm = &l->arms.list[p->arm];
	struct loop_event event = {.binding = &l->binding,
				   .implementation = arm->implementation,
				   .config = &p->config,
				   .names = space_names(arm->space),
				   .result = r,
				   .resumed = resumed};
	bool timed = result_status_timed(r->status);
	int64_t start = clock_now_ns();

	arm->ops->tell(arm->strategy, p->index, r->status, timed ? r->time.median : 0);
	l->out->search_ns += clock_now_ns() - start;
	if (!resumed)
		tally_steadiness(&l->out->steady, r);
	event.best = tally_add(l->out, arm, p->index, &p->config, r);
	contenders_add(&l->contenders, &l->arms, p->arm, p->index, &p->config, r);
	l->out->resumed += resumed;
	l->out->wall_ns = clock_now_ns() - l->started_ns;
	p->id = 0;
	l->n_pending--;
	if (l->o->progress)
		l->o->progress(l->o->user, l->out, &event);
	if (!event.best)
		return ASC_OK;
	return l->o->evaluator->best(l->evaluator, r, e);
}

/* With --resume a recorded result is as good as a new one. */
static enum asc_status resume(struct loop *l, struct pending *p, bool *found, struct asc_err *e)
{
	struct result r;
	enum asc_status status;

	*found = false;
	if (!l->o->resume)
		return ASC_OK;
	result_init(&r);
	status = journal_find(&l->journal, &l->arms.list[p->arm], &p->config, &r, found, e);
	if (status == ASC_OK && *found) {
		for (size_t i = 0; i < PHASE_COUNT; i++)
			r.spent_ns[i] = 0; /* not spent in this run */
		status = settle(l, p, &r, true, e);
	}
	result_fini(&r);
	return status;
}

static struct pending *free_place(struct loop *l)
{
	for (size_t i = 0; i < MAX_PENDING; i++)
		if (l->pending[i].id == 0)
			return &l->pending[i];
	return NULL;
}

static bool ask(struct loop *l, struct pending *p)
{
	int64_t start = clock_now_ns();
	bool some = arms_ask(&l->arms, &p->arm, &p->index);

	if (some)
		space_get(l->arms.list[p->arm].space, p->index, &p->config);
	l->out->search_ns += clock_now_ns() - start;
	return some;
}

/* A run that has tried nothing would say that nothing passed; and there is always a baseline. */
static bool is_needed(const struct loop *l, const struct pending *p)
{
	const struct arm *arm = &l->arms.list[p->arm];

	return (p->id == 1 && l->out->trials == 0) || (arm->baseline && p->index == arm->preset);
}

static enum asc_status submit_one(struct loop *l, struct asc_err *e)
{
	struct pending *p = free_place(l);
	bool found = false;

	if (!ask(l, p)) {
		l->dry = true;
		return ASC_OK;
	}
	p->id = ++l->asked;
	l->n_pending++;
	if (resume(l, p, &found, e))
		return e->status;
	if (found)
		return ASC_OK;
	const struct arm *arm = &l->arms.list[p->arm];
	bool needed = is_needed(l, p);
	struct evaluator_job job = {.id = p->id,
				    .until_ns = needed ? 0 : l->search_until_ns,
				    .implementation = arm->implementation,
				    .names = space_names(arm->space),
				    .config = p->config,
				    /* What others are compared with is known as well as they. */
				    .unraced = arm->baseline || arm->chosen};

	return l->o->evaluator->submit(l->evaluator, &job, e);
}

static enum asc_status submit_all(struct loop *l, struct asc_err *e)
{
	size_t capacity = l->o->evaluator->capacity(l->evaluator);

	if (capacity > MAX_PENDING)
		capacity = MAX_PENDING;
	while (!l->dry && !stopped(l) && l->n_pending < capacity && budget_left(l))
		if (submit_one(l, e))
			return e->status;
	return ASC_OK;
}

const char *loop_phase_name(enum loop_phase p)
{
	static const char *const names[] = {
#define X(id, name) name,
		LOOP_PHASE_LIST(X)
#undef X
	};

	return names[p];
}

static void tell_waiting(struct loop *l)
{
	l->told_ns = clock_now_ns();
	l->out->wall_ns = l->told_ns - l->started_ns;
	if (l->o->waiting)
		l->o->waiting(l->o->user, l->out);
}

/* What has passed since it was called last belongs to the phase. */
static void count_time(struct loop *l)
{
	int64_t now = clock_now_ns();

	l->out->phase_ns[l->out->phase] += now - l->counted_ns;
	l->counted_ns = now;
}

/* The finals build and measure too, and go by their own name. */
static void enter_stage(void *user, enum evaluator_stage stage)
{
	static const enum loop_phase phases[] = {[EVALUATOR_BUILDING] = LOOP_BUILDING,
						 [EVALUATOR_REFERENCE] = LOOP_REFERENCE,
						 [EVALUATOR_MEASURING] = LOOP_MEASURING};
	struct loop *l = user;

	if (l->out->phase == LOOP_FINALS)
		return;
	count_time(l);
	l->out->phase = phases[stage];
	l->out->done = l->out->of = 0;
	tell_waiting(l);
}

static void count_builds(void *user, int64_t done, int64_t of)
{
	struct loop *l = user;

	if (l->out->phase != LOOP_BUILDING)
		return;
	l->out->done = done;
	l->out->of = of;
}

static void count_rounds(void *user, int64_t done, int64_t most)
{
	struct loop *l = user;

	l->out->done = done;
	l->out->of = most;
}

static bool may_disturb(const struct loop *l)
{
	return l->o->device->shares_host &&
	       (l->out->phase == LOOP_MEASURING || l->out->phase == LOOP_FINALS);
}

/* While nothing comes: a clock that stands still looks like a program that does. */
static void tick(void *user)
{
	struct loop *l = user;

	if (!may_disturb(l) || clock_now_ns() - l->told_ns >= TICK_NS)
		tell_waiting(l);
}

static void forget(struct loop *l, struct pending *p)
{
	p->id = 0;
	l->n_pending--;
}

static enum asc_status remember(struct loop *l, const struct pending *p, struct asc_err *e)
{
	if (l->n_measured == l->measured_room) {
		size_t room = 2 * l->measured_room + 64;
		struct measured *list = realloc(l->measured, room * sizeof *list);
		if (!list)
			return asc_err_nomem(e);
		l->measured = list;
		l->measured_room = room;
	}
	l->measured[l->n_measured++] = (struct measured){p->id, p->arm, p->index};
	return ASC_OK;
}

/* Of those that are left, as it was recorded. */
static enum asc_status choose_best(struct loop *l, struct asc_err *e)
{
	const struct contender *c = contenders_find_best(&l->contenders);
	struct result r;
	bool found = false;

	result_init(&r);
	enum asc_status s = ASC_OK;
	if (c)
		s = journal_find(&l->journal, &l->arms.list[c->arm], &c->config, &r, &found, e);
	l->out->best.found = false;
	if (!s && found && r.status == RESULT_OK)
		tally_set_best(l->out, &l->arms.list[c->arm], &c->config, &r);
	if (!s)
		s = l->o->evaluator->best(l->evaluator, &r, e);
	result_fini(&r);
	return s;
}

/* A trial of its own, which withdraws what was recorded before. */
static enum asc_status withdraw(struct loop *l, const struct measured *m, struct result *r,
				struct asc_err *e)
{
	const struct arm *arm = &l->arms.list[m->arm];
	struct config config;
	char *reason = str_print("launched again beside others: %s", result_reason(r));

	if (!reason)
		return asc_err_nomem(e);
	free(r->reason);
	r->reason = reason;
	r->phase = PHASE_MEASURE;
	space_get(arm->space, m->index, &config);
	const struct loop_event event = {.binding = &l->binding,
					 .implementation = arm->implementation,
					 .config = &config,
					 .names = space_names(arm->space),
					 .result = r};
	enum asc_status s = journal_add(&l->journal, arm, m->index, &config, r, e);
	if (s)
		return s;
	contenders_withdraw(&l->contenders, m->arm, &config);
	tally_change(l->out, arm, &config, RESULT_OK, r);
	if (tally_is_best(l->out, arm, &config))
		s = choose_best(l, e);
	if (l->o->progress)
		l->o->progress(l->o->user, l->out, &event);
	return s;
}

static enum asc_status take_late(struct loop *l, struct evaluator_done *done, struct asc_err *e)
{
	for (size_t i = l->n_measured; i-- > 0;) {
		const struct measured m = l->measured[i];

		if (m.id != done->id)
			continue;
		l->measured[i] = l->measured[--l->n_measured];
		return withdraw(l, &m, &done->result, e);
	}
	return ASC_OK;
}

static enum asc_status take_one(struct loop *l, struct asc_err *e)
{
	struct evaluator_done done;
	bool taken = false;

	if (l->o->evaluator->poll(l->evaluator, POLL_NS, &done, &taken, e))
		return e->status;
	if (!taken)
		tick(l);
	if (!taken)
		return ASC_OK;
	enum asc_status status = done.late ? take_late(l, &done, e) : ASC_OK;

	for (size_t i = 0; i < MAX_PENDING && !done.late; i++) {
		struct pending *p = &l->pending[i];

		if (p->id != done.id)
			continue;
		if (done.again) {
			forget(l, p);
			break;
		}
		status = journal_add(&l->journal, &l->arms.list[p->arm], p->index, &p->config,
				     &done.result, e);
		if (status == ASC_OK && done.result.status == RESULT_OK)
			status = remember(l, p, e);
		if (status == ASC_OK)
			status = settle(l, p, &done.result, false, e);
		break;
	}
	result_fini(&done.result);
	return status;
}

/* What no worker has when the search's time is up is not waited for; what is needed has all of the
 * time. */
static void give_up_waiting(struct loop *l)
{
	const bool all = is_past(l->out->trials ? l->until_ns : l->first_until_ns);

	for (size_t i = 0; i < MAX_PENDING; i++) {
		struct pending *p = &l->pending[i];

		if (p->id && (all || !is_needed(l, p)) &&
		    l->o->evaluator->cancel(l->evaluator, p->id))
			forget(l, p);
	}
}

static enum asc_status check_tried(const struct loop *l, struct asc_err *e)
{
	char text[UNITS_TEXT_SIZE];

	if (l->out->trials > 0 || stopped(l) || !is_past(l->first_until_ns))
		return ASC_OK;
	return asc_err_set(e, ASC_TIMEOUT, "no configuration was built and measured within %s",
			   units_print_duration((double)l->o->budget.ns, text));
}

static enum asc_status turn(struct loop *l, struct asc_err *e)
{
	for (;;) {
		if (submit_all(l, e))
			return e->status;
		if (is_past(l->search_until_ns))
			give_up_waiting(l);
		if (stopped(l) || l->n_pending == 0)
			return check_tried(l, e);
		if (take_one(l, e))
			return e->status;
	}
}

/* With a twelfth of the time for the peaks of the device. */
static int64_t finals_until_ns(const struct loop *l)
{
	static const int64_t most_ns = INT64_C(3000000000);
	const int64_t part = l->o->budget.ns / 12;

	if (!l->o->peaks || l->until_ns == 0)
		return l->until_ns;
	return l->until_ns - (part < most_ns ? part : most_ns);
}

static enum asc_status hold_finals(struct loop *l, struct asc_err *e)
{
	const struct finals_context x = {.options = l->o,
					 .evaluator = l->evaluator,
					 .arms = &l->arms,
					 .binding = &l->binding,
					 .journal = &l->journal,
					 .until_ns = finals_until_ns(l),
					 .tick = tick,
					 .user = l};

	return stopped(l) || l->o->config ? ASC_OK : finals_hold(&x, &l->contenders, l->out, e);
}

/* A small part of the time. */
static int64_t patience_ns(int64_t budget_ns)
{
	static const int64_t second = INT64_C(1000000000);

	return budget_ns / 20 < second ? budget_ns / 20 : second;
}

static enum asc_status open_evaluator(struct loop *l, struct asc_err *e)
{
	const struct loop_options *o = l->o;
	struct evaluator_options eo = {.device = o->device,
				       .ordinal = o->ordinal,
				       .info = o->info,
				       .binding = &l->binding,
				       .cache = o->cache,
				       .program = o->program,
				       .probes = o->probes,
				       .seed = LOOP_INPUT_SEED,
				       .build_jobs = o->build_jobs,
				       .rule = o->rule,
				       .setup_until_ns = l->first_until_ns,
				       .patience_ns = patience_ns(o->budget.ns),
				       .stage = enter_stage,
				       .built = count_builds,
				       .round = count_rounds,
				       .user = l};

	/* What depends on the budget is no part of the policy that is recorded: --resume takes
	 * results of runs with the same one, however long they were. */
	eo.rule.finals_wall_ns = o->budget.ns / 4;
	l->pending = calloc(MAX_PENDING, sizeof *l->pending);
	if (!l->pending)
		return asc_err_nomem(e);
	return o->evaluator->open(&eo, &l->evaluator, e);
}

static enum asc_status open_all(struct loop *l, struct asc_err *e)
{
	const struct loop_options *o = l->o;
	int64_t start = clock_now_ns();

	sources_watch();
	if (binding_init(&l->binding, o->workload, o->problem, o->device->name, &o->info->facts, e))
		return e->status;
	l->binding.rewrites_off = o->rewrites_off;
	if (limits_find(o->info->arch, &l->limits))
		l->binding.limits = &l->limits;
	if (arms_open(o, &l->binding, &l->arms, e))
		return e->status;
	l->out->search_ns += clock_now_ns() - start;
	if (o->ready && o->ready(o->user, e))
		return e->status;
	tally_begin(l->out, o, &l->binding, &l->arms);
	if (journal_begin(&l->journal, o, &l->binding, &l->arms, l->out->strategy, e))
		return e->status;
	l->out->run_id = l->journal.run_id;
	return open_evaluator(l, e);
}

static void close_all(struct loop *l)
{
	if (l->evaluator)
		l->o->evaluator->close(l->evaluator);
	free(l->pending);
	free(l->measured);
	arms_close(&l->arms);
	binding_fini(&l->binding);
}

/* A baseline that this run could not measure, or was told not to, may have been measured before. */
static enum asc_status recall_baseline(struct loop *l, struct asc_err *e)
{
	const char *name = per_device_find(&l->o->workload->baseline, l->o->device->name);

	if (!name || l->out->baseline.found)
		return ASC_OK;
	return journal_find_fastest(&l->journal, name, &l->out->baseline, e);
}

enum asc_status loop_run(const struct loop_options *o, struct loop_summary *out, struct asc_err *e)
{
	struct loop l = {.o = o, .out = out, .started_ns = clock_now_ns()};

	share_time(&l);
	enum asc_status status = open_all(&l, e);

	if (status == ASC_OK) {
		if (o->progress)
			o->progress(o->user, out, NULL);
		l.counted_ns = clock_now_ns();
		status = turn(&l, e);
		count_time(&l);
		if (status == ASC_OK)
			status = hold_finals(&l, e);
		count_time(&l);
		if (status == ASC_OK)
			status = recall_baseline(&l, e);
		if (status == ASC_OK && !o->config)
			status = answer_take(&l.journal, o, &l.arms, out, e);
	}
	out->interrupted = stopped(&l);
	out->wall_ns = clock_now_ns() - l.started_ns;
	if (status == ASC_OK)
		status = journal_add_steadiness(&l.journal, &out->steady, e);
	status = journal_end(&l.journal, status, out->interrupted, e);
	out->record_ns = l.journal.spent_ns;
	l.counted_ns = clock_now_ns();
	if (status == ASC_OK)
		loop_peaks_find(o, l.evaluator, l.until_ns, out);
	out->peaks_ns = clock_now_ns() - l.counted_ns;
	out->wall_ns = clock_now_ns() - l.started_ns;
	close_all(&l);
	return status;
}
