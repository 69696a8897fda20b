/* Finals, in order:
 *
 * 1. Choose finalists (finalists.h): the best on record, defaults, the baseline, known
 *    configurations, a few lowest medians of the search, then others whose interval reaches down
 *    to finals.ratio times the lowest median, as many as may take part.
 * 2. Leave out the last of that list until the fewest rounds fit into the time that is left.
 * 3. Measure them in rounds: each finalist once a round, so that a drift of the machine changes
 *    all of them alike. Those that fail are recorded as failed; the evaluator measures the rest
 *    anew, since a kernel that writes where it should not may have changed the times of its
 *    neighbours (evaluator.h).
 * 4. Judge: ratios of times of the same rounds, ties, how sure the answer is. The chosen one is
 *    tried at other sizes (hard_check.h); where that fails the others are judged without it: its
 *    launches in the rounds were right, and so are their times. Those that did not tie with it
 *    have new rounds.
 * 5. Record all of it in one transaction, so that no reader sees half of the finals.
 *
 * Search times choose who takes part; they never rank, because they are of different moments. */
#include "tuner/tune/finals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/result/tie.h"
#include "tuner/tune/answer.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/finalists.h"
#include "tuner/tune/hard_check.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/tune/recorder.h"
#include "tuner/worker/worker_finals.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

static const int64_t POLL_NS = INT64_C(100000000); /* interval at which a stop is noticed */

struct finals {
	const struct finals_context *x;
	char title[160];      /* workload/problem */
	struct finalists who; /* finalist i of these, of trials, keys and standings is the same */
	bool best_held;       /* the best on record was chosen in finals */
	double best_ns; /* median of the best on record, whether it can take part or not; 0: none */
	int64_t best_run_id;  /* finals that gave it; 0: none did */
	char *best_ties;      /* heap: what may be as fast in these, as in struct best_row */
	struct trial *trials; /* room for FINALISTS_MAX */
	struct buf keys[FINALISTS_MAX];
	struct finalist finalists[FINALISTS_MAX];
	size_t n_pass_alone; /* defaults, and others that may be the fastest, that failed in the
				rounds and pass without the others */
	int64_t held_ns;     /* what the last rounds took */
	struct sureness sure;
};

static const struct policy *policy_of(const struct finals *f)
{
	return &f->x->options->session->policy;
}

static const struct impl_search *search_of(const struct finals *f, size_t i)
{
	return &f->x->searches->list[f->who.list[i]->search];
}

/* ---- the best on record ---- */

/* Takes the best on record as a finalist, if its configuration is in a space of this run: an edited
 * workload may have lost it, and then its time only says whether the new answer replaces it. */
static enum asc_status take_best(void *user, const struct best_row *row, struct asc_err *e)
{
	struct finals *f = user;
	uint64_t index;

	if (!row->final_run_id && row->run_id == f->x->recorder->run_id)
		return ASC_OK; /* measured in this run */
	f->best_held = row->final_run_id != 0;
	f->best_run_id = row->final_run_id;
	f->best_ns = row->median_ns;
	f->best_ties = row->ties_json ? str_dup(row->ties_json) : NULL;
	if (row->ties_json && !f->best_ties)
		return asc_err_nomem(e);
	for (size_t i = 0; i < f->x->searches->n; i++) {
		const struct impl_search *search = &f->x->searches->list[i];
		struct candidate *b = &f->who.best;

		if (strcmp(search->implementation->name, row->implementation) != 0 ||
		    config_parse(row->config_key, space_names(search->space),
				 space_params(search->space), &b->config, e) ||
		    !space_find(search->space, &b->config, &index))
			continue;
		f->who.has_best = true;
		b->search = i;
		b->median_ns = b->low_ns = b->sample_ns = row->median_ns;
		b->status = RESULT_OK;
		b->is_default = index == search->default_index;
		b->recorded = f->best_held;
	}
	return ASC_OK;
}

/* ---- measuring ---- */

/* Sends the finalists to the evaluator as trials that are measured in the same rounds. */
static enum asc_status submit(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	struct trial *list[FINALISTS_MAX];
	const struct loop_options *o = f->x->options;

	out->phase = LOOP_FINALS;
	out->step = FINALS_WARM_UP;
	out->retakes = 0;
	out->done = 0;
	out->of = (int64_t)f->who.n;
	out->ends_ns = 0;
	if (o->waiting)
		o->waiting(o->user, out);
	for (size_t i = 0; i < f->who.n; i++) {
		const struct candidate *c = f->who.list[i];
		/* Defaults, known and given configurations stay to the last round, so that each has
		 * a ratio of as many rounds as the answer. One that is far slower leaves all the
		 * same: its rounds would take the time of the others'. */
		const bool asked =
			c->is_default || c->known || (search_of(f, i)->chosen && !o->given_race);
		const bool stays =
			asked && f->who.candidates->n > 0 &&
			c->median_ns <= POLICY_FINALS_FAR * f->who.candidates->list[0].median_ns;

		trial_fini(&f->trials[i]);
		f->trials[i] = (struct trial){.id = i,
					      .purpose = TRIAL_ROUNDS,
					      .implementation = search_of(f, i)->implementation,
					      .names = space_names(search_of(f, i)->space),
					      .config = c->config,
					      .full = stays,
					      .is_best = c->recorded,
					      .until_ns = f->x->until_ns,
					      .begun_ns = f->x->recorder->began_ns,
					      .seed = o->seed,
					      .searched_ns = c->low_ns};
		list[i] = &f->trials[i];
	}
	return o->session->ops->submit(o->session->evaluator, list, f->who.n, e);
}

/* Waits for the results; *all: each finalist has one, no stop came between. */
static enum asc_status collect(struct finals *f, bool *all, struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	const struct session *session = o->session;
	size_t done = 0;

	for (;;) {
		struct trial *t;

		/* When time is up, what no worker has is cancelled: a compiler may be at work. */
		if (f->x->until_ns > 0 && clock_now_ns() >= f->x->until_ns)
			for (size_t i = 0; i < f->who.n; i++)
				done += session->ops->cancel(session->evaluator, &f->trials[i]);
		if (done >= f->who.n || (o->stop && *o->stop))
			break;
		if (session->ops->poll(session->evaluator, POLL_NS, &t, e))
			return e->status;
		if (!t && f->x->tick)
			f->x->tick(f->x->user);
		done += t && !t->late;
	}
	*all = done == f->who.n;
	if (!*all)
		session_end(o->session); /* takes back the trials that are not done */
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

/* Records a failure, `where` it was, as a trial of its own, which withdraws the earlier result. */
static enum asc_status record_failure(struct finals *f, size_t i, const char *where,
				      struct loop_summary *out, struct asc_err *e)
{
	const struct candidate *c = f->who.list[i];
	const struct impl_search *search = search_of(f, i);
	struct result *r = &f->trials[i].result;
	struct buf config = {0};
	char *reason = str_print("%s%s", r->bits.wrong ? "" : where, result_reason(r));
	enum asc_status status = reason ? ASC_OK : asc_err_nomem(e);

	config_print(&c->config, space_names(search->space), &config);
	log_print(LOG_NOTE, "%s, finals: %s%s%s: %s", f->title, search->implementation->name,
		  config.len ? " " : "", buf_str(&config), result_reason(r));
	if (status == ASC_OK && r->status != RESULT_OK) {
		free(r->reason);
		r->reason = reason;
		reason = NULL;
		r->phase = PHASE_MEASURE;
		/* The recorder marks the default by its index; any other index is none. */
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

/* Removes finalists that failed: wrong, crashed, or ok without samples, which the evaluator says of
 * one that fails beside others and passes alone. *led: one had an impossible time, which has led
 * the rounds, so that others left them as clearly slower. */
static enum asc_status drop_failed(struct finals *f, size_t *dropped, bool *led,
				   struct loop_summary *out, struct asc_err *e)
{
	size_t kept = 0;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < f->who.n; i++) {
		struct trial *t = &f->trials[i];

		if (!trial_is_undecided(t) &&
		    (t->result.status != RESULT_OK || t->result.n_samples == 0)) {
			/* It passes alone, so it may be as fast, and nothing has compared it: the
			 * answer is undecided (judge()). */
			f->n_pass_alone +=
				t->result.status == RESULT_OK &&
				(f->who.list[i]->is_default ||
				 finalists_may_be_best(&f->who, policy_of(f), f->who.list[i]));
			*led |= t->result.status == RESULT_IMPOSSIBLE;
			if (status == ASC_OK)
				status = record_failure(f, i, "in the finals: ", out, e);
			trial_fini(t);
			continue;
		}
		if (kept < i) {
			f->who.list[kept] = f->who.list[i];
			f->trials[kept] = *t;
			*t = (struct trial){0};
		}
		kept++;
	}
	*dropped = f->who.n - kept;
	f->who.n = kept;
	return status;
}

/* True for rounds that decide: each finalist has its verdict, and there are at least half of the
 * fewest rounds. */
static bool is_decided(const struct finals *f)
{
	int64_t most = 0;

	for (size_t i = 0; i < f->who.n; i++) {
		const struct trial *t = &f->trials[i];

		if (trial_is_undecided(t))
			return false; /* a worker was lost under it: rounds start over */
		if ((int64_t)t->result.n_samples > most)
			most = (int64_t)t->result.n_samples;
	}
	return most >= (policy_of(f)->finals.fewest + 1) / 2; /* fewer: time ran out */
}

/* True for finals that can change the answer: two finalists to compare, or one whose search result
 * is no ok: it was undecided, or dropped against an incumbent that failed since; or one that the
 * search has verified on the first of several sets of inputs; or whose launches are to be compared.
 */
static bool is_worthwhile(const struct finals *f)
{
	return f->who.n >= 2 ||
	       (f->who.n == 1 &&
		(f->who.list[0]->status != RESULT_OK || f->x->n_sets > 1 ||
		 f->x->options->default_bits || (policy_of(f)->races != 0 && f->who.n_unfit == 0)));
}

/* The finalist whose bits count for --bits default; NULL: none. */
static const struct trial *find_default(const struct finals *f)
{
	const size_t i = finalists_find_default(&f->who);

	return i < f->who.n ? &f->trials[i] : NULL;
}

/* Removes all finalists, where only those with the default's bits may be the answer, and it has
 * none. */
static size_t drop_all(struct finals *f, bool passed)
{
	const size_t n = f->who.n;

	for (size_t i = 0; i < n; i++)
		trial_fini(&f->trials[i]);
	f->who.n = 0;
	log_print(LOG_WARN, "%s, finals: %s: --bits default leaves no answer", f->title,
		  passed ? "nothing tells the bits of these outputs" : "the default does not pass");
	return n;
}

/* Removes finalists whose bits are not those of the default's, or vary, where only such may be the
 * answer; returns their number. Others may have left the rounds for being slower than these. */
static size_t drop_other_bits(struct finals *f)
{
	const struct trial *preset = find_default(f);
	struct result_bits bits;
	size_t kept = 0;

	if (!f->x->options->default_bits || (preset && trial_is_undecided(preset)))
		return 0;
	if (!preset || !*preset->result.bits.digest)
		return drop_all(f, preset != NULL);
	bits = preset->result.bits;
	for (size_t i = 0; i < f->who.n; i++) {
		struct trial *t = &f->trials[i];
		const struct result_bits *own = &t->result.bits;
		const bool same = strcmp(own->digest, bits.digest) == 0 && bits.varied == 0 &&
				  own->varied == 0;

		if (t != preset && !trial_is_undecided(t) && !same) {
			trial_fini(t);
			continue;
		}
		if (kept < i) {
			preset = t == preset ? &f->trials[kept] : preset;
			f->who.list[kept] = f->who.list[i];
			f->trials[kept] = *t;
			*t = (struct trial){0};
		}
		kept++;
	}
	const size_t dropped = f->who.n - kept;

	f->who.n = kept;
	if (dropped > 0)
		log_print(LOG_NOTE,
			  "%s, finals: %zu with other bits than the default's are left out",
			  f->title, dropped);
	return dropped;
}

/* Measures the finalists (step 3); *whole: each that is left has its samples of the same rounds,
 * and these decide. After a failure the evaluator itself measures the others anew; here they are
 * submitted again only when configurations join that the search had dropped beside the failed one,
 * when that one had led them by an impossible time, when some have other bits than the answer may
 * have, or when the rounds do not decide. A round without the failed ones is another comparison, so
 * nothing of the rounds before counts. */
static enum asc_status measure(struct finals *f, struct loop_summary *out, bool *whole,
			       struct asc_err *e)
{
	bool all = false;
	size_t dropped = 1;

	*whole = false;
	while (dropped > 0 && is_worthwhile(f) && !*whole) {
		const int64_t begun_ns = clock_now_ns();
		bool led = false;

		if (submit(f, out, e) || collect(f, &all, e) ||
		    drop_failed(f, &dropped, &led, out, e))
			return e->status;
		f->held_ns = clock_now_ns() - begun_ns;
		if (!all)
			return ASC_OK;
		const size_t others = drop_other_bits(f);

		dropped += others;
		if (others > 0 && f->who.n == 0)
			return ASC_OK;
		/* A configuration that the search dropped beside one that has failed now may be the
		 * best after all. */
		const bool joined = dropped > 0 && finalists_add_dropped(&f->who);

		*whole = !joined && !led && others == 0 && is_worthwhile(f) && is_decided(f);
	}
	return ASC_OK;
}

/* ---- judging ---- */

static const struct finalist *find_chosen(const struct finals *f)
{
	for (size_t i = 0; i < f->who.n; i++)
		if (f->finalists[i].chosen)
			return &f->finalists[i];
	return NULL;
}

enum asc_status finals_find_use(const struct binding *b, const struct trial *t,
				struct plan_use *out, struct asc_err *e)
{
	const struct implementation *i = t->implementation;
	struct plan own;

	*out = (struct plan_use){0};
	for (size_t k = 0; k < i->n_calls; k++) {
		/* The artifact has completed the trial's plan; an evaluator that builds nothing has
		 * none. */
		if (t->n_calls == 0 && binding_plan(b, i, k, &t->config, &own, e))
			return e->status;
		plan_add_use(t->n_calls > 0 ? &t->calls[k].plan : &own, out);
	}
	return ASC_OK;
}

/* Judges the rounds (step 4). */
static enum asc_status judge(struct finals *f, struct asc_err *e)
{
	const double margin = policy_of(f)->tests.margin;

	for (size_t i = 0; i < f->who.n; i++) {
		const struct candidate *c = f->who.list[i];
		const struct trial *t = &f->trials[i];
		struct finalist *x = &f->finalists[i];
		struct plan_use use;

		buf_clear(&f->keys[i]);
		config_key(&c->config, space_names(search_of(f, i)->space), &f->keys[i]);
		if (buf_check(&f->keys[i], e) || finals_find_use(f->x->binding, t, &use, e))
			return e->status;
		worker_finals_describe(&t->result, buf_str(&f->keys[i]), c->recorded, &use, x);
		x->implementation = c->search;
		x->is_default = c->is_default;
	}
	if (tie_find(f->finalists, f->who.n, margin, e) ||
	    sure_find(f->finalists, f->who.n, find_chosen(f), margin, &f->sure, e))
		return e->status;
	if (f->who.n_beside > 0)
		log_print(LOG_NOTE,
			  "%s, finals: time ran out before %zu were compared that say what the "
			  "answer is worth: defaults, baselines, the best on record",
			  f->title, f->who.n_beside);
	if (f->who.n_late + f->n_pass_alone == 0 || f->sure.sure == SURE_UNUSABLE)
		return ASC_OK;
	/* Configurations that may be as fast were left out of the rounds, so they cannot say that
	 * the answer is the fastest. */
	if (f->who.n_late > 0)
		log_print(LOG_NOTE,
			  "%s, finals: time ran out before %zu more that may be as fast were "
			  "compared",
			  f->title, f->who.n_late);
	if (f->n_pass_alone > 0)
		log_print(LOG_NOTE,
			  "%s, finals: %zu that may be as fast failed beside others, but passed "
			  "alone",
			  f->title, f->n_pass_alone);
	f->sure.sure = SURE_UNDECIDED;
	return ASC_OK;
}

/* Tries finalist i at other sizes; *failed: it is wrong there, is recorded so, and takes part no
 * more. */
static enum asc_status try_elsewhere(struct finals *f, size_t i, bool *failed,
				     struct loop_summary *out, struct asc_err *e)
{
	struct result *r = &f->trials[i].result, wrong;
	const struct impl_search *search = search_of(f, i);
	char *reason = NULL;

	*failed = false;
	if (!f->x->hard)
		return ASC_OK;
	const enum asc_status checked =
		hard_check(f->x->hard, search->implementation, &f->who.list[i]->config,
			   space_names(search->space), &reason, e);

	if (checked || !reason)
		return checked;
	*failed = true;
	result_init(&wrong);
	result_set(&wrong, RESULT_WRONG, PHASE_VERIFY, "%s", reason);
	memcpy(wrong.artifact, r->artifact, sizeof wrong.artifact);
	memcpy(wrong.digest, r->digest, sizeof wrong.digest);
	free(reason);
	result_fini(r);
	*r = wrong;
	/* One that was not submitted is told by its trial, too. */
	f->trials[i].implementation = search->implementation;
	f->trials[i].names = space_names(search->space);
	f->trials[i].config = f->who.list[i]->config;
	const enum asc_status s = record_failure(f, i, "", out, e);

	trial_fini(&f->trials[i]);
	f->who.n--;
	for (size_t k = i; k < f->who.n; k++) {
		f->who.list[k] = f->who.list[k + 1];
		f->trials[k] = f->trials[k + 1];
	}
	f->trials[f->who.n] = (struct trial){0};
	return s;
}

/* Judges until who is chosen passes at other sizes, too. *whole: there are rounds to judge, and
 * then somebody who is chosen. Behind rounds their answer and its ties were verified on all sets of
 * inputs and launched on: where another is chosen after a failure, new rounds are held. */
static enum asc_status choose(struct finals *f, bool *whole, struct loop_summary *out,
			      struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	const int64_t until_ns = f->x->until_ns;
	bool failed = true, fresh = true, tied[FINALISTS_MAX] = {false};

	while (failed && f->who.n > 0) {
		size_t i = 0;

		if (*whole && judge(f, e))
			return e->status;
		while (*whole && !f->finalists[i].chosen)
			i++;
		for (size_t k = 0; *whole && fresh && k < f->who.n; k++)
			tied[k] = k == i || f->finalists[k].standing == STANDING_TIED;
		fresh = false;
		/* A single one was not measured again, and is tried all the same. */
		if ((o->stop && *o->stop) || (!*whole && f->who.n > 1))
			return ASC_OK;
		/* Not where time would end these rounds: the others still say who is next. */
		if (*whole && !tied[i] && is_worthwhile(f) &&
		    (until_ns == 0 || clock_now_ns() + f->held_ns < until_ns)) {
			if (measure(f, out, whole, e))
				return e->status;
			if (f->x->hard && f->x->hard->until_ns > 0) /* of checks alone */
				f->x->hard->until_ns += f->held_ns;
			fresh = true;
			continue;
		}
		if (try_elsewhere(f, i, &failed, out, e))
			return e->status;
		if (failed)
			memmove(&tied[i], &tied[i + 1], (FINALISTS_MAX - i - 1) * sizeof *tied);
	}
	*whole &= f->who.n > 0;
	return ASC_OK;
}

/* ---- recording ---- */

/* Changes the search's verdict of a finalist that passed here to ok: of an undecided one, and of a
 * default that was dropped as slow and is none. */
static enum asc_status pass(struct finals *f, size_t i, struct loop_summary *out, struct asc_err *e)
{
	const struct candidate *c = f->who.list[i];
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

/* An answer_has_fn: true for a finalist. */
static bool took_part(const void *user, const char *implementation, const char *config_key)
{
	const struct finals *f = user;
	size_t i = 0;

	while (i < f->who.n && (strcmp(f->finalists[i].key, config_key) != 0 ||
				strcmp(search_of(f, i)->implementation->name, implementation) != 0))
		i++;
	return i < f->who.n;
}

/* Records the finals (step 5). They do not replace the best on record where it is faster and could
 * not take part. */
static enum asc_status record(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	const struct finalist *chosen = find_chosen(f);
	const bool apart = f->best_ns > 0 && !f->who.has_best && f->best_ns < chosen->time.median;
	const enum db_weight weight = f->x->options->default_bits ? DB_WEIGHS_ASKED
				      : apart                     ? DB_WEIGHS_LESS
								  : DB_WEIGHS_SURE;

	for (size_t i = 0; i < f->who.n; i++) {
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
				       .bits = &f->trials[i].result.bits,
				       .clock_mhz = result_clock_mhz(f->trials[i].result.notes,
								     f->trials[i].result.n_samples,
								     NULL)};

		out->flush_ns += f->trials[i].result.flush_ns;
		if (recorder_add_final(f->x->recorder, &row, e) || pass(f, i, out, e))
			return e->status;
	}
	if (recorder_set_sure(f->x->recorder, &f->sure, weight, e))
		return e->status;
	/* Finals of given configurations compare few, and know of no tie with the rest. Where those
	 * that gave the answer compared others that may be as fast, these weigh less. */
	bool all = true;

	if (f->x->options->n_given > 0 && f->best_run_id != 0 &&
	    answer_has_ties(f->best_ties, took_part, f, &all, e))
		return e->status;
	return all ? ASC_OK : recorder_set_beside(f->x->recorder, f->best_run_id, e);
}

/* Leaves the session as it was: its worker goes on to what comes behind the finals, unless trials
 * of theirs are still with it. */
static void fini(struct finals *f)
{
	bool pending = false;

	for (size_t i = 0; f->trials && i < FINALISTS_MAX; i++)
		pending |= f->trials[i].state != TRIAL_IDLE;
	if (pending)
		session_end(f->x->options->session);
	for (size_t i = 0; f->trials && i < FINALISTS_MAX; i++)
		trial_fini(&f->trials[i]);
	for (size_t i = 0; i < FINALISTS_MAX; i++)
		buf_fini(&f->keys[i]);
	free(f->trials);
	free(f->best_ties);
	free(f);
}

/* Has a result that was resumed from the file of --with in this database, too. */
static enum asc_status borrow(const struct finals_context *x, const struct candidate *c,
			      struct asc_err *e)
{
	const struct impl_search *search = &x->searches->list[c->search];

	if (!c->resumed)
		return ASC_OK;
	return recorder_borrow(x->recorder, search,
			       c->is_default ? search->default_index : search->default_index + 1,
			       &c->config, e);
}

enum asc_status finals_borrow(const struct finals_context *x, const struct candidates *c,
			      struct asc_err *e)
{
	const struct candidate *best = candidates_find_best(c);

	for (size_t i = 0; i < c->n_references; i++)
		if (c->references[i].is_default && borrow(x, &c->references[i], e))
			return e->status;
	return best ? borrow(x, best, e) : ASC_OK;
}

/* Steps 1 to 3; *whole: there are rounds to judge. */
static enum asc_status hold(struct finals *f, struct loop_summary *out, bool *whole,
			    struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	const int64_t begin_ns = clock_now_ns(), until_ns = f->x->until_ns;

	finalists_choose(&f->who, policy_of(f), o->n_given > 0 && !o->given_race);
	f->who.keeps_default = o->default_bits;
	if (until_ns > 0)
		finalists_fit(&f->who, policy_of(f), (double)(until_ns - begin_ns));
	f->trials = calloc(FINALISTS_MAX, sizeof *f->trials);
	if (!f->trials)
		return asc_err_nomem(e);
	for (size_t i = 0; i < f->who.n; i++)
		if (borrow(f->x, f->who.list[i], e))
			return e->status;
	if (measure(f, out, whole, e) ||
	    (out->phase == LOOP_FINALS && recorder_set_finals_time(f->x->recorder, begin_ns, e)))
		return e->status;
	/* Where several were there to compare, only time was lacking, and the answer says so. */
	*whole &= f->who.n > 1 || f->who.n_unfit == 0 || o->default_bits;
	if (*whole || until_ns == 0 || f->who.n + f->who.n_unfit < 2 || (o->stop && *o->stop))
		return ASC_OK;
	log_print(LOG_NOTE, "%s: not compared: time ran out before the finals", f->title);
	return recorder_set_sure(f->x->recorder, &(struct sureness){.sure = SURE_UNRANKED},
				 DB_WEIGHS_SURE, e);
}

enum asc_status finals_try(const struct finals_context *x, const struct candidates *c,
			   struct loop_summary *out, struct asc_err *e)
{
	const struct candidate *only = candidates_find_best(c);
	struct finals *f = only ? calloc(1, sizeof *f) : NULL;
	enum asc_status s = ASC_OK;
	bool whole = false;

	if (!only)
		return ASC_OK;
	if (f)
		f->trials = calloc(FINALISTS_MAX, sizeof *f->trials);
	if (!f || !f->trials) {
		free(f);
		return asc_err_nomem(e);
	}
	f->x = x;
	(void)snprintf(f->title, sizeof f->title, "%s/%s", x->options->workload->name,
		       x->options->problem->name);
	f->who.list[f->who.n++] = only;
	s = choose(f, &whole, out, e);
	out->best.found &= f->who.n > 0;
	fini(f);
	return s;
}

enum asc_status finals_hold(const struct finals_context *x, const struct candidates *c,
			    struct loop_summary *out, struct asc_err *e)
{
	struct finals *f = calloc(1, sizeof *f);
	struct db *db = x->recorder->db;
	const bool asked = x->options->session->policy.finals.ratio > 0;
	enum asc_status s;
	bool whole = false;

	if (!f)
		return asc_err_nomem(e);
	f->x = x;
	(void)snprintf(f->title, sizeof f->title, "%s/%s", x->options->workload->name,
		       x->options->problem->name);
	f->who.candidates = c;
	s = asked ? best_find(db, x->recorder->run_id, take_best, f, e) : finals_borrow(x, c, e);
	/* A run that only resumed results has nothing new to compare, unless no finals were held,
	 * or these did not ask for bits. */
	if (!s && asked &&
	    (out->trials > out->resumed || !f->best_held || x->options->default_bits))
		s = hold(f, out, &whole, e);
	if (!s)
		s = choose(f, &whole, out, e);
	if (!s && whole) {
		s = db_begin_batch(db, e);
		if (!s)
			s = db_end_batch(db, record(f, out, e), e);
	}
	fini(f);
	return s;
}
