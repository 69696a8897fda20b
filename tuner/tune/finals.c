#include "tuner/tune/finals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/result/tie.h"
#include "tuner/tune/candidates.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/finalist_use.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"

enum {
	ALWAYS = 6, /* number of lowest medians that take part */
	FEW = 2,    /* and for which time is kept */
	VERIFICATIONS = 2
};
static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */

struct finals {
	const struct finals_context *x;
	char title[160]; /* workload/problem */
	const struct candidates *candidates;
	struct candidate best; /* best on record, where it is in a space of this run */
	bool has_best, best_held;
	double best_ns; /* median of the best on record, whether it can take part or not; 0: none */
	const struct candidate *list[FINALISTS_MAX];
	struct trial *trials; /* trials of the list; room for FINALISTS_MAX */
	struct buf keys[FINALISTS_MAX];
	struct finalist finalists[FINALISTS_MAX];
	size_t n;               /* finalists */
	size_t n_late, n_apart; /* others that may be as fast: time ran out; they pass only alone */
	size_t n_unfit;         /* number that was left out for want of time */
	size_t n_recalled;      /* candidates that were dropped and take part nevertheless */
	struct sureness sure;
};

static const struct impl_search *search_of(const struct finals *f, size_t i)
{
	return &f->x->searches->list[f->list[i]->search];
}

/* ---- who takes part ---- */

/* Number of candidates whose fewest rounds fit into `ns`. */
static double count_within(const struct policy *r, const struct candidates *c, int64_t ns)
{
	return c->n ? (double)ns / ((double)r->finals_fewest * (c->list[0].median_ns + 1)) : 0;
}

static size_t count_finalists(const struct policy *r, const struct candidates *c)
{
	double most = fmin(count_within(r, c, r->finals_ns), (double)r->finals_max);
	double cheap = fmin(count_within(r, c, r->finals_free_ns), (double)r->finals_cheap);

	most = fmax(fmax(most, cheap), (double)r->finals_few);
	return (size_t)fmin(most, FINALISTS_MAX - CANDIDATES_MAX_REFERENCES - 1);
}

static void invite(struct finals *f, const struct candidate *c)
{
	for (size_t i = 0; i < f->n; i++)
		if (candidate_is_same(f->list[i], c))
			return;
	if (f->n < FINALISTS_MAX)
		f->list[f->n++] = c;
}

/* Has the fastest of those that were dropped for being slow take part where they are faster than
 * all finalists: what they were slower than has failed since. True when there are any. */
static bool invite_dropped(struct finals *f)
{
	const struct candidates *c = f->candidates;
	const size_t n = f->n, most = f->n_recalled + ALWAYS;
	double lowest_ns = INFINITY;

	for (size_t i = 0; i < f->n; i++)
		lowest_ns = fmin(lowest_ns, f->list[i]->median_ns);
	while (f->n_recalled < most && f->n_recalled < c->n_dropped &&
	       c->dropped[f->n_recalled].median_ns < lowest_ns)
		invite(f, &c->dropped[f->n_recalled++]);
	return f->n > n;
}

/* Takes the result of this run for the best on record, where there is one. */
static void note_own_result(struct finals *f, const struct candidate *list, size_t n)
{
	for (size_t i = 0; f->has_best && i < n; i++)
		if (candidate_is_same(&list[i], &f->best)) {
			f->best.status = list[i].status;
			f->best.sample_ns = list[i].sample_ns;
			f->best.counted = true;
		}
}

/* Chooses finalists: the best on record, defaults, the baseline, the lowest medians and what is
 * given always; then, as times scatter, those whose interval reaches the lowest median times the
 * ratio. */
static void select_finalists(struct finals *f)
{
	const struct candidates *c = f->candidates;
	const struct policy *r = &f->x->options->session->policy;
	const size_t always = f->x->options->n_given > 0 ? c->n : ALWAYS;
	size_t most = count_finalists(r, c);

	note_own_result(f, c->list, c->n);
	note_own_result(f, c->references, c->n_references);
	if (f->has_best)
		invite(f, &f->best);
	for (size_t i = 0; i < c->n_references; i++)
		invite(f, &c->references[i]);
	most += f->n;
	for (size_t i = 0; i < c->n && i < always; i++)
		invite(f, &c->list[i]);
	for (size_t i = always; i < c->n && f->n < most; i++)
		if (c->list[i].low_ns <= r->finals_ratio * c->list[0].median_ns)
			invite(f, &c->list[i]);
	(void)invite_dropped(f);
}

/* ---- the best on record ---- */

static enum asc_status take_best(void *user, const struct db_best *row, struct asc_err *e)
{
	struct finals *f = user;
	uint64_t index;

	if (!row->final_run_id && row->run_id == f->x->recorder->run_id)
		return ASC_OK; /* measured in this run */
	f->best_held = row->final_run_id != 0;
	f->best_ns = row->median_ns;
	for (size_t i = 0; i < f->x->searches->n; i++) {
		const struct impl_search *search = &f->x->searches->list[i];
		struct candidate *b = &f->best;

		if (strcmp(search->implementation->name, row->implementation) != 0 ||
		    config_parse(row->config_key, space_names(search->space),
				 space_params(search->space), &b->config, e) ||
		    !space_find(search->space, &b->config, &index))
			continue;
		f->has_best = true;
		b->search = i;
		b->median_ns = b->low_ns = b->sample_ns = row->median_ns;
		b->status = RESULT_OK;
		b->is_default = index == search->default_index;
		b->recorded = f->best_held;
	}
	return ASC_OK;
}

/* ---- measuring ---- */

/* True for a reference, or the best on record. */
static bool is_compared(const struct finals *f, size_t i)
{
	for (size_t g = 0; g < f->candidates->n_references; g++)
		if (candidate_is_same(f->list[i], &f->candidates->references[g]))
			return true;
	return f->list[i] == &f->best;
}

/* True for a candidate that may be as fast as the lowest median, as far as the search tells. */
static bool may_be_best(const struct finals *f, const struct candidate *c)
{
	const struct candidates *all = f->candidates;

	return all->n > 0 &&
	       c->low_ns <= f->x->options->session->policy.near * all->list[0].median_ns;
}

/* Number of launches of a finalist in the fewest rounds. */
static double count_launches(const struct policy *r)
{
	return (double)r->finals_fewest + VERIFICATIONS;
}

double finals_least_ns(const struct policy *r, const struct candidates *c)
{
	const size_t few = c->n < FEW ? c->n : FEW;
	const struct candidate *preset = NULL;
	double all = 0;

	for (size_t i = 0; i < c->n_references; i++)
		if (c->references[i].is_default && c->references[i].search == c->list[0].search)
			preset = &c->references[i];
	for (size_t i = 0; i < few; i++) {
		all += c->list[i].sample_ns;
		if (preset && candidate_is_same(preset, &c->list[i]))
			preset = NULL;
	}
	all *= count_launches(r);
	if (preset)
		all += count_launches(r) * preset->sample_ns;
	return all + (c->n ? c->list[0].sample_ns * (double)(r->min_samples + 1) : 0);
}

/* Leaves out the slowest candidates that nothing is compared with until the fewest rounds fit into
 * the time left; holds no finals when they never do. */
static void fit_time(struct finals *f)
{
	const double rounds = count_launches(&f->x->options->session->policy);
	const double left = (double)(f->x->until_ns - clock_now_ns());
	double all = 0;

	for (size_t i = 0; i < f->n; i++)
		all += rounds * f->list[i]->sample_ns;
	for (size_t i = f->n; f->x->until_ns > 0 && all > left && i-- > 1;) {
		if (f->n > 2 && is_compared(f, i))
			continue;
		all -= rounds * f->list[i]->sample_ns;
		f->n_late += may_be_best(f, f->list[i]);
		f->n_unfit++;
		f->n--;
		for (size_t k = i; k < f->n; k++)
			f->list[k] = f->list[k + 1];
	}
}

/* True for a finalist that takes all rounds: a default and what is known, so that its time is of
 * the same moments as the answer's, and all where they are given; unless it is far slower. */
static bool stays(const struct finals *f, size_t i)
{
	const struct candidate *c = f->list[i];

	return (c->is_default || c->known || search_of(f, i)->chosen) && f->candidates->n > 0 &&
	       c->median_ns <=
		       f->x->options->session->policy.finals_far * f->candidates->list[0].median_ns;
}

static enum asc_status submit(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	struct trial *list[FINALISTS_MAX];
	const struct loop_options *o = f->x->options;

	out->phase = LOOP_FINALS;
	out->step = FINALS_WARM_UP;
	out->retakes = 0;
	out->done = 0;
	out->of = (int64_t)f->n;
	out->ends_ns = 0;
	if (o->waiting)
		o->waiting(o->user, out);
	for (size_t i = 0; i < f->n; i++) {
		trial_fini(&f->trials[i]);
		f->trials[i] = (struct trial){.id = i,
					      .purpose = TRIAL_ROUNDS,
					      .implementation = search_of(f, i)->implementation,
					      .names = space_names(search_of(f, i)->space),
					      .config = f->list[i]->config,
					      .full = stays(f, i),
					      .until_ns = f->x->until_ns,
					      .seed = o->seed};
		list[i] = &f->trials[i];
	}
	return o->session->ops->submit(o->session->evaluator, list, f->n, e);
}

/* Cancels trials that no worker has when time is up: a compiler may be at work. Returns their
 * number. */
static size_t give_up_waiting(struct finals *f)
{
	const struct session *s = f->x->options->session;
	size_t n = 0;

	if (f->x->until_ns == 0 || clock_now_ns() < f->x->until_ns)
		return 0;
	for (size_t i = 0; i < f->n; i++)
		n += s->ops->cancel(s->evaluator, &f->trials[i]);
	return n;
}

static enum asc_status collect(struct finals *f, bool *all, struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	size_t done = 0;

	while ((done += give_up_waiting(f)) < f->n && !(o->stop && *o->stop)) {
		struct trial *t;

		if (o->session->ops->poll(o->session->evaluator, POLL_NS, &t, e))
			return e->status;
		if (!t && f->x->tick)
			f->x->tick(f->x->user);
		done += t && !t->late;
	}
	*all = done == f->n;
	if (!*all)
		session_end(o->session); /* takes back those that are not done */
	return ASC_OK;
}

/* Reports that a trial has another status now: one of this run, or, resumed, of the one it is from.
 */
static void report_status(const struct finals *f, size_t i, bool resumed,
			  const struct loop_summary *out)
{
	const struct loop_options *o = f->x->options;
	const struct loop_event event = {
		.binding = f->x->binding, .trial = &f->trials[i], .resumed = resumed};

	if (o->progress)
		o->progress(o->user, out, &event);
}

/* Records a failure as a trial of its own, which withdraws the earlier result. */
static enum asc_status record_failure(struct finals *f, size_t i, struct loop_summary *out,
				      struct asc_err *e)
{
	const struct candidate *c = f->list[i];
	const struct impl_search *search = search_of(f, i);
	struct result *r = &f->trials[i].result;
	struct buf config = {0};
	char *reason = str_print("in the finals: %s", result_reason(r));
	enum asc_status status = reason ? ASC_OK : asc_err_nomem(e);

	config_print(&c->config, space_names(search->space), &config);
	log_print(LOG_NOTE, "%s, finals: %s %s: %s", f->title, search->implementation->name,
		  buf_str(&config), result_reason(r));
	if (status == ASC_OK && r->status != RESULT_OK) {
		free(r->reason);
		r->reason = reason;
		reason = NULL;
		r->phase = PHASE_MEASURE;
		status = recorder_add(f->x->recorder, search,
				      c->is_default ? search->default_index
						    : search->default_index + 1,
				      &c->config, r, e);
		loop_summary_change(out, search, &c->config,
				    c->counted ? c->status : RESULT_STATUS_COUNT, r);
		if (status == ASC_OK)
			report_status(f, i, false, out);
	}
	free(reason);
	buf_fini(&config);
	return status;
}

/* Removes those that failed: wrong, crashed, or with a failure that shows only when they are
 * measured alone. */
static enum asc_status drop_failed(struct finals *f, size_t *dropped, struct loop_summary *out,
				   struct asc_err *e)
{
	size_t kept = 0;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < f->n; i++) {
		struct trial *t = &f->trials[i];

		if (!trial_is_undecided(t) &&
		    (t->result.status != RESULT_OK || t->result.n_samples == 0)) {
			/* Alone it passes: something else is wrong beside it. */
			f->n_apart += t->result.status == RESULT_OK &&
				      (f->list[i]->is_default || may_be_best(f, f->list[i]));
			if (status == ASC_OK)
				status = record_failure(f, i, out, e);
			trial_fini(t);
			continue;
		}
		if (kept < i) {
			f->list[kept] = f->list[i];
			f->trials[kept] = *t;
			*t = (struct trial){0};
		}
		kept++;
	}
	*dropped = f->n - kept;
	f->n = kept;
	return status;
}

static bool is_any_again(const struct finals *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (trial_is_undecided(&f->trials[i]))
			return true;
	return false;
}

/* True for fewer rounds than decide: half of finals_fewest. */
static bool is_cut_short(const struct finals *f)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->n; i++)
		if ((int64_t)f->trials[i].result.n_samples > most)
			most = (int64_t)f->trials[i].result.n_samples;
	return most < (f->x->options->session->policy.finals_fewest + 1) / 2;
}

/* True for finals that are worth holding: two to compare, or one that was undecided, or was dropped
 * against one that failed since. */
static bool is_worthwhile(const struct finals *f)
{
	return f->n >= 2 || (f->n == 1 && f->list[0]->status != RESULT_OK);
}

/* Measures the finalists; *whole: to the end, in the same rounds. */
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
		*whole = !(dropped > 0 && invite_dropped(f)) && is_worthwhile(f) &&
			 !is_any_again(f) && !is_cut_short(f);
	}
	return ASC_OK;
}

/* ---- judging ---- */

static const struct finalist *find_chosen(const struct finals *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->finalists[i].chosen)
			return &f->finalists[i];
	return NULL;
}

/* Makes the answer undecided beside candidates that may be as fast and were left out: time was
 * short, or they failed beside others and not alone. */
static void lower_for_left_out(struct finals *f)
{
	if (f->n_late + f->n_apart == 0 || f->sure.sure == SURE_UNUSABLE)
		return;
	if (f->n_late > 0)
		log_print(LOG_NOTE,
			  "%s, finals: time ran out before %zu more that may be as fast were "
			  "compared",
			  f->title, f->n_late);
	if (f->n_apart > 0)
		log_print(LOG_NOTE,
			  "%s, finals: %zu that may be as fast failed beside others, but passed "
			  "alone",
			  f->title, f->n_apart);
	f->sure.sure = SURE_UNDECIDED;
}

static enum asc_status judge(struct finals *f, struct asc_err *e)
{
	double margin = f->x->options->session->policy.margin;

	for (size_t i = 0; i < f->n; i++) {
		struct finalist *x = &f->finalists[i];

		config_key(&f->list[i]->config, space_names(search_of(f, i)->space), &f->keys[i]);
		if (buf_check(&f->keys[i], e))
			return e->status;
		x->samples = f->trials[i].result.samples;
		x->notes = f->trials[i].result.notes;
		x->rounds = f->trials[i].result.n_samples;
		x->key = buf_str(&f->keys[i]);
		x->implementation = f->list[i]->search;
		x->is_default = f->list[i]->is_default;
		x->recorded = f->list[i]->recorded;
		if (finalist_use_find(f->x->binding, search_of(f, i)->implementation,
				      &f->list[i]->config, &f->trials[i], x, e))
			return e->status;
	}
	if (tie_find(f->finalists, f->n, margin, e))
		return e->status;
	if (sure_find(f->finalists, f->n, find_chosen(f), margin, &f->sure, e))
		return e->status;
	lower_for_left_out(f);
	return ASC_OK;
}

/* ---- telling ---- */

/* Changes undecided trials that passed here to ok, and so a default that was dropped for being slow
 * and is not. */
static enum asc_status pass(struct finals *f, size_t i, struct loop_summary *out, struct asc_err *e)
{
	const struct candidate *c = f->list[i];
	const struct result ok = {.status = RESULT_OK};
	const struct db_implementation implementation = impl_search_identity(search_of(f, i));

	if (c->status == RESULT_OK ||
	    (c->status == RESULT_SLOW && f->finalists[i].standing == STANDING_SLOWER))
		return ASC_OK;
	loop_summary_change(out, search_of(f, i), &c->config,
			    c->counted ? c->status : RESULT_STATUS_COUNT, &ok);
	report_status(f, i, c->resumed, out);
	return recorder_pass(f->x->recorder, &implementation, f->finalists[i].key, e);
}

static enum asc_status record(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	const struct finalist *chosen = find_chosen(f);
	bool apart = f->best_ns > 0 && !f->has_best && f->best_ns < chosen->time.median;

	for (size_t i = 0; i < f->n; i++) {
		const struct finalist *x = &f->finalists[i];
		struct db_final row = {.implementation = impl_search_identity(search_of(f, i)),
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
				       .clock_mhz = result_clock_mhz(f->trials[i].result.notes,
								     f->trials[i].result.n_samples,
								     NULL)};

		out->flush_ns += f->trials[i].result.flush_ns;
		if (recorder_add_final(f->x->recorder, &row, e) || pass(f, i, out, e))
			return e->status;
	}
	return recorder_set_sure(f->x->recorder, &f->sure, apart, e);
}

static void fini(struct finals *f)
{
	session_end(f->x->options->session);
	for (size_t i = 0; f->trials && i < FINALISTS_MAX; i++)
		trial_fini(&f->trials[i]);
	for (size_t i = 0; i < FINALISTS_MAX; i++)
		buf_fini(&f->keys[i]);
	free(f->trials);
	free(f);
}

/* Chooses the finalists and measures them, where there is something to compare. */
static enum asc_status hold(struct finals *f, struct loop_summary *out, bool *whole,
			    struct asc_err *e)
{
	const int64_t begin_ns = clock_now_ns();

	select_finalists(f);
	fit_time(f);
	f->trials = calloc(FINALISTS_MAX, sizeof *f->trials);
	if (!f->trials)
		return asc_err_nomem(e);
	if (measure(f, out, whole, e))
		return e->status;
	return out->phase == LOOP_FINALS ? recorder_set_finals_time(f->x->recorder, begin_ns, e)
					 : ASC_OK;
}

/* Notes that time ran out, where that is why nothing was compared. */
static enum asc_status note_unranked(const struct finals *f, struct asc_err *e)
{
	const struct loop_options *o = f->x->options;

	if (f->x->until_ns == 0 || f->n + f->n_unfit < 2 || (o->stop && *o->stop))
		return ASC_OK;
	log_print(LOG_NOTE, "%s, finals: no time for rounds: nothing is ranked", f->title);
	return recorder_set_sure(f->x->recorder, &(struct sureness){.sure = SURE_UNRANKED}, false,
				 e);
}

enum asc_status finals_hold(const struct finals_context *x, const struct candidates *c,
			    struct loop_summary *out, struct asc_err *e)
{
	struct finals *f = calloc(1, sizeof *f);
	struct db *db = x->recorder->db;
	bool whole = false;

	if (!f)
		return asc_err_nomem(e);
	f->x = x;
	(void)snprintf(f->title, sizeof f->title, "%s/%s", x->options->workload->name,
		       x->options->problem->name);
	f->candidates = c;
	enum asc_status s = ASC_OK;

	if (x->options->session->policy.finals_ratio > 0)
		s = db_find_best(db, x->recorder->run_id, take_best, f, e);
	if (!s && x->options->session->policy.finals_ratio > 0 &&
	    (out->trials > out->resumed || !f->best_held)) {
		s = hold(f, out, &whole, e);
		if (!s && !whole)
			s = note_unranked(f, e);
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
