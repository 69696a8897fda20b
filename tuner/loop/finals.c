#include "tuner/loop/finals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/loop/arm.h"
#include "tuner/loop/journal.h"
#include "tuner/loop/tally.h"
#include "tuner/model/binding.h"
#include "tuner/model/space.h"
#include "tuner/model/tie.h"

enum { ALWAYS = 6 /* of the lowest medians */, VERIFICATIONS = 2, BESIDE_SAMPLES = 3 };
static const int64_t POLL_NS = INT64_C(100000000); /* how soon a stop is noticed */

/* Warm-up and verification are launches too. */
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

static bool is_same(const struct contender *a, const struct contender *b)
{
	return a->arm == b->arm && same_config(&a->config, &b->config);
}

/* ---- who may take part ---- */

static void add_fast(struct contenders *c, const struct contender *new)
{
	size_t at = c->n < EVALUATOR_MAX_FINALISTS ? c->n++ : EVALUATOR_MAX_FINALISTS;

	for (; at > 0 && c->list[at - 1].median_ns > new->median_ns; at--)
		if (at < EVALUATOR_MAX_FINALISTS)
			c->list[at] = c->list[at - 1];
	if (at < EVALUATOR_MAX_FINALISTS)
		c->list[at] = *new;
}

static void add_guest(struct contenders *c, const struct contender *new)
{
	for (size_t i = 0; i < c->n_guests; i++) {
		struct contender *old = &c->guests[i];

		if (old->arm != new->arm || old->preset != new->preset)
			continue;
		if (new->median_ns < old->median_ns)
			*old = *new;
		return;
	}
	if (c->n_guests < FINALS_MAX_GUESTS)
		c->guests[c->n_guests++] = *new;
}

void contenders_add(struct contenders *c, const struct arms *arms, size_t arm, uint64_t index,
		    const struct config *config, const struct result *r)
{
	const struct stats_summary *t = &r->time;
	const struct contender new = {.arm = arm,
				      .config = *config,
				      .median_ns = t->median,
				      .sample_ns = sample_ns(r),
				      .low_ns = t->interval.known ? t->interval.low : t->min,
				      .status = r->status,
				      .preset = index == arms->list[arm].preset,
				      .counted = true};
	bool verified = r->status == RESULT_OK || r->status == RESULT_UNDECIDED;

	if (r->n_samples == 0 || (!verified && !(new.preset && r->status == RESULT_SLOW)))
		return;
	if (verified)
		add_fast(c, &new);
	if (new.preset || (arms->list[arm].baseline && r->status == RESULT_OK))
		add_guest(c, &new);
}

static void remove_from(struct contender *list, size_t *n, size_t arm, const struct config *config)
{
	size_t kept = 0;

	for (size_t i = 0; i < *n; i++)
		if (list[i].arm != arm || !same_config(&list[i].config, config))
			list[kept++] = list[i];
	*n = kept;
}

void contenders_withdraw(struct contenders *c, size_t arm, const struct config *config)
{
	remove_from(c->list, &c->n, arm, config);
	remove_from(c->guests, &c->n_guests, arm, config);
}

const struct contender *contenders_find_best(const struct contenders *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].status == RESULT_OK)
			return &c->list[i];
	return NULL;
}

struct finals {
	const struct finals_context *x;
	const struct contenders *contenders;
	struct contender best; /* on record, where it is in a space of this run */
	bool has_best, best_held;
	double best_ns; /* on record, whether it can take part or not; 0: none */
	const struct contender *list[EVALUATOR_MAX_FINALISTS];
	struct result results[EVALUATOR_MAX_FINALISTS];
	bool failed[EVALUATOR_MAX_FINALISTS], again[EVALUATOR_MAX_FINALISTS];
	struct buf keys[EVALUATOR_MAX_FINALISTS];
	struct finalist finalists[EVALUATOR_MAX_FINALISTS];
	size_t n;
	struct sureness sure;
};

static const struct arm *arm_of(const struct finals *f, size_t i)
{
	return &f->x->arms->list[f->list[i]->arm];
}

/* How many have their fewest rounds in `ns`. */
static double count_within(const struct rule *r, const struct contenders *c, int64_t ns)
{
	return c->n ? (double)ns / ((double)r->finals_fewest * (c->list[0].median_ns + 1)) : 0;
}

static size_t count_finalists(const struct rule *r, const struct contenders *c)
{
	double most = fmin(count_within(r, c, r->finals_ns), (double)r->finals_max);
	double cheap = fmin(count_within(r, c, r->finals_free_ns), (double)r->finals_cheap);

	most = fmax(fmax(most, cheap), (double)r->finals_few);
	return (size_t)fmin(most, EVALUATOR_MAX_FINALISTS - FINALS_MAX_GUESTS - 1);
}

static void invite(struct finals *f, const struct contender *c)
{
	for (size_t i = 0; i < f->n; i++)
		if (is_same(f->list[i], c))
			return;
	if (f->n < EVALUATOR_MAX_FINALISTS)
		f->list[f->n++] = c;
}

/* Of the best on record, where it was measured in this run, too. */
static void note_own_result(struct finals *f, const struct contender *list, size_t n)
{
	for (size_t i = 0; f->has_best && i < n; i++)
		if (is_same(&list[i], &f->best)) {
			f->best.status = list[i].status;
			f->best.sample_ns = list[i].sample_ns;
			f->best.counted = true;
		}
}

/* The best on record, defaults, the baseline and the lowest medians always; then, as times scatter,
 * whose interval reaches the lowest median times the ratio. */
static void select_finalists(struct finals *f)
{
	const struct contenders *c = f->contenders;
	const struct rule *r = &f->x->options->rule;
	size_t most = count_finalists(r, c);

	note_own_result(f, c->list, c->n);
	note_own_result(f, c->guests, c->n_guests);
	if (f->has_best)
		invite(f, &f->best);
	for (size_t i = 0; i < c->n_guests; i++)
		invite(f, &c->guests[i]);
	most += f->n;
	for (size_t i = 0; i < c->n && i < ALWAYS; i++)
		invite(f, &c->list[i]);
	for (size_t i = ALWAYS; i < c->n && f->n < most; i++)
		if (c->list[i].low_ns <= r->finals_ratio * c->list[0].median_ns)
			invite(f, &c->list[i]);
}

/* ---- the best on record ---- */

static enum asc_status take_best(void *user, const struct db_best *row, struct asc_err *e)
{
	struct finals *f = user;
	uint64_t index;

	if (!row->final_run_id && row->run_id == f->x->journal->run_id)
		return ASC_OK; /* what this run has just measured */
	f->best_held = row->final_run_id != 0;
	f->best_ns = row->median_ns;
	for (size_t i = 0; i < f->x->arms->n; i++) {
		const struct arm *arm = &f->x->arms->list[i];
		struct contender *b = &f->best;

		if (strcmp(arm->implementation->name, row->implementation) != 0 ||
		    config_parse(row->config_key, space_names(arm->space), space_params(arm->space),
				 &b->config, e) ||
		    !space_find(arm->space, &b->config, &index))
			continue;
		f->has_best = true;
		b->arm = i;
		b->median_ns = b->low_ns = b->sample_ns = row->median_ns;
		b->status = RESULT_OK;
		b->preset = index == arm->preset;
		b->recorded = f->best_held;
	}
	return ASC_OK;
}

/* ---- measuring ---- */

/* A guest, or the best on record. */
static bool is_compared(const struct finals *f, size_t i)
{
	for (size_t g = 0; g < f->contenders->n_guests; g++)
		if (is_same(f->list[i], &f->contenders->guests[g]))
			return true;
	return f->list[i] == &f->best;
}

/* Fewer rounds than half of the fewest tell nothing. */
static int64_t least_rounds(const struct finals *f)
{
	return (f->x->options->rule.finals_fewest + 1) / 2;
}

/* The fewest rounds have to fit into the time that is left: else the slowest that nothing is
 * compared with stays away, or there are no finals. */
static void fit_time(struct finals *f)
{
	const double rounds = (double)f->x->options->rule.finals_fewest + VERIFICATIONS;
	const double left = (double)(f->x->until_ns - clock_now_ns());
	double all = 0;

	for (size_t i = 0; i < f->n; i++)
		all += rounds * f->list[i]->sample_ns;
	for (size_t i = f->n; f->x->until_ns > 0 && all > left && i-- > 1;) {
		if (f->n > 2 && is_compared(f, i))
			continue;
		all -= rounds * f->list[i]->sample_ns;
		f->n--;
		for (size_t k = i; k < f->n; k++)
			f->list[k] = f->list[k + 1];
	}
}

/* A default takes as many rounds as the answer, so that their times are of the same moments; one
 * that is far slower need not. */
static bool stays(const struct finals *f, size_t i)
{
	const struct contender *c = f->list[i];

	return c->preset && f->contenders->n > 0 &&
	       c->median_ns <= f->x->options->rule.finals_far * f->contenders->list[0].median_ns;
}

static enum asc_status submit(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	struct evaluator_job jobs[EVALUATOR_MAX_FINALISTS];
	const struct loop_options *o = f->x->options;
	const struct evaluator_finals how = {.seed = o->seed, .until_ns = f->x->until_ns};

	out->phase = LOOP_FINALS;
	out->done = out->of = 0;
	if (o->waiting)
		o->waiting(o->user, out);
	for (size_t i = 0; i < f->n; i++) {
		f->failed[i] = f->again[i] = false;
		jobs[i] = (struct evaluator_job){.id = i,
						 .implementation = arm_of(f, i)->implementation,
						 .names = space_names(arm_of(f, i)->space),
						 .config = f->list[i]->config,
						 .unraced = stays(f, i)};
	}
	return o->evaluator->finals(f->x->evaluator, jobs, f->n, &how, e);
}

/* When time is up, what no worker has is not waited for: a compiler may be at work. Returns how
 * many that are. */
static size_t give_up_waiting(struct finals *f)
{
	size_t n = 0;

	if (f->x->until_ns == 0 || clock_now_ns() < f->x->until_ns)
		return 0;
	for (size_t i = 0; i < f->n; i++)
		if (f->x->options->evaluator->cancel(f->x->evaluator, i)) {
			f->again[i] = true;
			n++;
		}
	return n;
}

static enum asc_status collect(struct finals *f, bool *all, struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	size_t done = 0;

	while ((done += give_up_waiting(f)) < f->n && !(o->stop && *o->stop)) {
		struct evaluator_done d;
		bool taken = false;

		if (o->evaluator->poll(f->x->evaluator, POLL_NS, &d, &taken, e))
			return e->status;
		if (!taken && f->x->tick)
			f->x->tick(f->x->user);
		if (!taken)
			continue;
		if (d.late || d.id >= f->n) {
			result_fini(&d.result);
			continue;
		}
		result_fini(&f->results[d.id]);
		f->results[d.id] = d.result;
		f->again[d.id] = d.again;
		f->failed[d.id] =
			!d.again && (d.result.status != RESULT_OK || d.result.n_samples == 0);
		done++;
	}
	*all = done == f->n;
	return ASC_OK;
}

/* A trial of its own, which withdraws what was recorded before. */
static enum asc_status record_failure(struct finals *f, size_t i, struct loop_summary *out,
				      struct asc_err *e)
{
	const struct contender *c = f->list[i];
	const struct arm *arm = arm_of(f, i);
	struct result *r = &f->results[i];
	struct buf config = {0};
	char *reason = str_print("in the finals: %s", result_reason(r));
	enum asc_status status = reason ? ASC_OK : asc_err_nomem(e);

	config_print(&c->config, space_names(arm->space), &config);
	log_print(LOG_NOTE, "finals: %s %s: %s", arm->implementation->name, buf_str(&config),
		  result_reason(r));
	if (status == ASC_OK && r->status != RESULT_OK) {
		free(r->reason);
		r->reason = reason;
		reason = NULL;
		r->phase = PHASE_MEASURE;
		status = journal_add(f->x->journal, arm, c->preset ? arm->preset : arm->preset + 1,
				     &c->config, r, e);
		tally_change(out, arm, &c->config, c->counted ? c->status : RESULT_STATUS_COUNT, r);
	}
	free(reason);
	buf_fini(&config);
	return status;
}

/* Those that failed leave. */
static enum asc_status drop_failed(struct finals *f, size_t *dropped, struct loop_summary *out,
				   struct asc_err *e)
{
	size_t kept = 0;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < f->n; i++) {
		if (f->failed[i]) {
			if (status == ASC_OK)
				status = record_failure(f, i, out, e);
			result_fini(&f->results[i]);
			result_init(&f->results[i]);
			continue;
		}
		struct result r = f->results[i];

		result_init(&f->results[i]);
		f->list[kept] = f->list[i];
		f->again[kept] = f->again[i];
		f->results[kept++] = r;
	}
	*dropped = f->n - kept;
	f->n = kept;
	return status;
}

static bool is_any_again(const struct finals *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->again[i])
			return true;
	return false;
}

static bool is_cut_short(const struct finals *f)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->n; i++)
		if ((int64_t)f->results[i].n_samples > most)
			most = (int64_t)f->results[i].n_samples;
	return most < least_rounds(f);
}

/* Two are compared; one whose race was not decided, or lost to who has failed since, passes or
 * fails here. */
static bool is_worthwhile(const struct finals *f)
{
	return f->n >= 2 || (f->n == 1 && f->list[0]->status != RESULT_OK);
}

/* *whole: they have been measured to the end, in the same rounds. */
static enum asc_status measure(struct finals *f, struct loop_summary *out, bool *whole,
			       struct asc_err *e)
{
	bool all = false;
	size_t dropped = 1;

	*whole = false;
	while (dropped > 0 && is_worthwhile(f) && !*whole) {
		if (submit(f, out, e) || collect(f, &all, e) || drop_failed(f, &dropped, out, e))
			return e->status;
		if (!all)
			return ASC_OK;
		*whole = is_worthwhile(f) && !is_any_again(f) && !is_cut_short(f);
	}
	return ASC_OK;
}

/* ---- judging ---- */

/* Of the kernel itself; 0 where the device does not tell. */
static double find_metric(const struct result *r, const char *name)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (strcmp(r->metrics[i].probe, "kernel") == 0 &&
		    strcmp(r->metrics[i].name, name) == 0)
			return r->metrics[i].value;
	return 0;
}

/* What a configuration occupies: threads that find work, times their registers for a block on a
 * GPU; and its scratch or shared memory. */
static enum asc_status find_use(const struct finals *f, size_t i, struct finalist *out,
				struct asc_err *e)
{
	struct plan plan;

	if (binding_plan(f->x->binding, arm_of(f, i)->implementation, &f->list[i]->config, &plan,
			 e))
		return e->status;
	double registers = find_metric(&f->results[i], "registers");
	double calls = (double)plan.grid[0] * (double)plan.grid[1] * (double)plan.grid[2];
	double threads = (double)plan.threads;

	out->threads = threads < calls ? threads : calls;
	out->memory_bytes = (double)plan.shared_bytes;
	if (registers > 0) {
		out->threads = registers * (double)plan.block[0] * (double)plan.block[1] *
			       (double)plan.block[2];
		out->memory_bytes = find_metric(&f->results[i], "shared_bytes");
	}
	for (size_t k = 0; k < plan.n_arguments; k++)
		if (plan.arguments[k].kind == ARG_SCRATCH)
			out->memory_bytes += (double)plan.arguments[k].bytes;
	return ASC_OK;
}

static const struct finalist *find_chosen(const struct finals *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finalists[i].chosen)
			return &f->finalists[i];
	return NULL;
}

static enum asc_status judge(struct finals *f, struct asc_err *e)
{
	double margin = f->x->options->rule.margin;

	for (size_t i = 0; i < f->n; i++) {
		struct finalist *x = &f->finalists[i];

		config_key(&f->list[i]->config, space_names(arm_of(f, i)->space), &f->keys[i]);
		if (buf_check(&f->keys[i], e))
			return e->status;
		x->samples = f->results[i].samples;
		x->notes = f->results[i].notes;
		x->rounds = f->results[i].n_samples;
		x->key = buf_str(&f->keys[i]);
		x->implementation = f->list[i]->arm;
		x->preset = f->list[i]->preset;
		x->recorded = f->list[i]->recorded;
		if (find_use(f, i, x, e))
			return e->status;
	}
	if (tie_find(f->finalists, f->n, margin, e))
		return e->status;
	return sure_find(f->finalists, f->n, find_chosen(f), margin, &f->sure, e);
}

/* ---- telling ---- */

static double clock_of(const struct finals *f, size_t i)
{
	return result_clock_mhz(f->results[i].notes, f->results[i].n_samples, NULL);
}

/* What was not decided, and passed here, is as good as any; so is a default that was dropped for
 * being slow and is not. */
static enum asc_status pass(struct finals *f, size_t i, struct loop_summary *out, struct asc_err *e)
{
	const struct contender *c = f->list[i];
	const struct result ok = {.status = RESULT_OK};
	const struct db_implementation implementation = arm_implementation(arm_of(f, i));

	if (c->status == RESULT_OK ||
	    (c->status == RESULT_SLOW && f->finalists[i].standing == STANDING_SLOWER))
		return ASC_OK;
	tally_change(out, arm_of(f, i), &c->config, c->counted ? c->status : RESULT_STATUS_COUNT,
		     &ok);
	return journal_pass(f->x->journal, &implementation, f->finalists[i].key, e);
}

static enum asc_status record(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	const struct finalist *chosen = find_chosen(f);
	bool apart = f->best_ns > 0 && !f->has_best && f->best_ns < chosen->time.median;

	for (size_t i = 0; i < f->n; i++) {
		const struct finalist *x = &f->finalists[i];
		struct db_final row = {.implementation = arm_implementation(arm_of(f, i)),
				       .config_key = x->key,
				       .standing = x->standing,
				       .winner = x->chosen,
				       .ratio = x->ratio,
				       .interval = x->interval,
				       .threads = x->threads,
				       .memory_bytes = x->memory_bytes,
				       .time = x->time,
				       .samples = x->samples,
				       .n_samples = x->rounds,
				       .clock_mhz = clock_of(f, i)};

		out->flush_ns += f->results[i].flush_ns;
		if (journal_add_final(f->x->journal, &row, e) || pass(f, i, out, e))
			return e->status;
	}
	return journal_set_sure(f->x->journal, &f->sure, apart, e);
}

static void fini(struct finals *f)
{
	for (size_t i = 0; i < EVALUATOR_MAX_FINALISTS; i++) {
		result_fini(&f->results[i]);
		buf_fini(&f->keys[i]);
	}
	free(f);
}

enum asc_status finals_hold(const struct finals_context *x, const struct contenders *c,
			    struct loop_summary *out, struct asc_err *e)
{
	struct finals *f = calloc(1, sizeof *f);
	struct db *db = x->options->db;
	bool whole = false;

	if (!f)
		return asc_err_nomem(e);
	f->x = x;
	f->contenders = c;
	for (size_t i = 0; i < EVALUATOR_MAX_FINALISTS; i++)
		result_init(&f->results[i]);
	enum asc_status s = ASC_OK;

	if (x->options->rule.finals_ratio > 0)
		s = db_find_best(db, x->journal->run_id, take_best, f, e);
	if (!s && x->options->rule.finals_ratio > 0 &&
	    (out->trials > out->resumed || !f->best_held)) {
		select_finalists(f);
		fit_time(f);
		s = measure(f, out, &whole, e);
		if (!s && !whole && c->n > 1 && x->until_ns > 0)
			log_print(LOG_NOTE, "finals: the time budget left no room for rounds: "
					    "nothing is ranked");
	}
	if (!s && whole)
		s = judge(f, e);
	if (!s && whole)
		s = db_begin_batch(db, e);
	if (!s && whole)
		s = db_end_batch(db, record(f, out, e), e);
	fini(f);
	return s;
}
