#include "reports/results/answer_sure.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/answer_order.h"
#include "reports/results/answers.h"
#include "reports/results/snapshot.h"
#include "tuner/base/array.h"
#include "tuner/base/json/json.h"

/* ---- by finals ---- */

static int compare_tied(const void *x, const void *y)
{
	const struct final_row *a = *(const struct final_row *const *)x,
			       *b = *(const struct final_row *const *)y;
	int order = order_times(a->ratio, b->ratio);

	if (order == 0)
		order = strcmp(a->config->key, b->config->key);
	return order ? order : order_ints(a->config->of->id, b->config->of->id);
}

/* Lists the finalists that may be as fast as the answer and stand: the answer first, then by ratio.
 * *n is their number, *first the first. */
static enum asc_status list_ties(struct answer *a, size_t *n, const struct final_row **first,
				 struct asc_err *e)
{
	struct json_writer w = {&a->ties, false};
	const struct final_row **list = NULL;
	size_t room = 0;

	*n = 0;
	*first = NULL;
	for (const struct final_row *f = a->final_run ? a->final_run->finals : NULL; f;
	     f = f->next) {
		if (!row_is_of(f->config, a->own) || !f->config->stands)
			continue;
		if (f != a->final && (!f->standing || final_is_slower(f)))
			continue;
		if (!array_room(&list, *n, &room, sizeof(struct final_row *))) {
			free(list);
			return asc_err_nomem(e);
		}
		list[(*n)++] = f;
	}
	if (*n > 1)
		qsort(list, *n, sizeof(struct final_row *), compare_tied);
	for (size_t i = 1; i < *n; i++) /* the answer first; the others keep their order */
		if (list[i] == a->final) {
			memmove(&list[1], list, i * sizeof(struct final_row *));
			list[0] = a->final;
		}
	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; i < *n; i++) {
		json_write_begin(&w, NULL, '[');
		json_write_int(&w, NULL, list[i]->config->of->id);
		json_write_int(&w, NULL, list[i]->config->hash);
		json_write_end(&w, ']');
	}
	json_write_end(&w, ']');
	if (*n > 0)
		*first = list[0];
	free(list);
	return buf_check(&a->ties, e);
}

/* Judges by what the finals recorded. */
static void judge_finals(struct answer *a, size_t ties, const struct final_row *first)
{
	const enum sure recorded = sure_parse(a->final_run->sure);
	const double noise_pct = a->final_run->noise_pct;
	struct sureness *s = &a->sure;

	/* The judgement is about the winner. If that was withdrawn, the answer is another finalist:
	 * in a tie with the winner at best, and never better than undecided. */
	s->sure = a->final->winner || recorded == SURE_UNDECIDED ? recorded : SURE_TIE;
	s->noise_pct = isnan(noise_pct) ? 0 : noise_pct;
	s->ties = 1;
	if (!first || !first->standing) /* recorded before finalists had a standing */
		return;
	s->ties = ties;
	/* A tie of one is none: it is the last that stands of a tie, or it was slower than a winner
	 * that is gone, and nothing says how it compares with the rest. */
	if (ties == 1 && s->sure == SURE_TIE)
		s->sure = final_is_slower(first) ? SURE_UNKNOWN : SURE_CLEAR;
}

/* ---- without finals ---- */

static struct stats_summary time_of(const struct trial_row *t)
{
	const bool known = !isnan(t->low_ns) && !isnan(t->high_ns);

	return (struct stats_summary){.n = (size_t)t->n_samples,
				      .min = t->min_ns,
				      .median = t->median_ns,
				      .max = t->max_ns,
				      .interval = {known, t->low_ns, t->high_ns}};
}

/* True where an implementation of the run has no trial. */
static bool has_untried(const struct run_row *r)
{
	for (const struct participant_row *p = r->participants; p; p = p->next) {
		const struct trial_row *t = r->trials;

		while (t && t->config->of != p->implementation)
			t = t->next;
		if (!t)
			return true;
	}
	return false;
}

/* Counts the configurations that passed in the answer's run, fast or slow, and stand. */
static size_t count_passed(const struct answer *a)
{
	const struct run_row *r = a->trial->run;
	size_t n = 0;

	for (const struct trial_row *t = r->trials; t; t = t->next) {
		bool first = true;

		if (!row_is_of(t->config, a->own) || t->config->withdrawn ||
		    !result_status_timed(t->status))
			continue;
		/* A configuration that was tried again counts once: with its first trial. */
		for (const struct trial_row *o = t->config->trials; o && first;
		     o = o->next_of_config)
			first = o->run != r || o->id >= t->id || !result_status_timed(o->status);
		n += first;
	}
	return n;
}

/* Compares the trials of the answer's run with it, by their intervals; *compared is their number.
 */
static enum asc_status compare_trials(const struct answer *a, size_t *compared,
				      struct sureness *out, struct asc_err *e)
{
	const struct stats_summary best = time_of(a->trial);
	struct finalist *list = NULL;
	size_t n = 0, room = 0, chosen = SIZE_MAX;

	for (const struct trial_row *t = a->trial->run->trials; t; t = t->next) {
		const struct stats_summary own = time_of(t);

		/* A trial that lost its race has no time of its own; one whose race was not decided
		 * may be the faster one. */
		if (!row_is_of(t->config, a->own) || t->config->withdrawn ||
		    (t->status != RESULT_OK && t->status != RESULT_UNDECIDED) ||
		    t->n_samples <= 0 || !(t->median_ns > 0))
			continue;
		if (!array_room(&list, n, &room, sizeof *list)) {
			free(list);
			return asc_err_nomem(e);
		}
		struct finalist *f = &list[n];

		*f = (struct finalist){.implementation = (size_t)t->config->of->id,
				       .is_default = t->is_default};
		f->ratio = tie_ratio_of_medians(&own, &best, &f->interval);
		f->standing = standing_find(&f->interval, true, TIE_MARGIN);
		chosen = t == a->trial ? n : chosen;
		n++;
	}
	*compared = n;
	if (chosen ==
	    SIZE_MAX) { /* the answer is without samples: what is known of it is nothing */
		if (!array_room(&list, n, &room, sizeof *list)) {
			free(list);
			return asc_err_nomem(e);
		}
		chosen = n;
		list[n++] = (struct finalist){0};
	}
	const enum asc_status status = sure_find(list, n, &list[chosen], TIE_MARGIN, out, e);

	free(list);
	return status;
}

/* Judges by the trials of the answer's run, as far as their intervals are apart. */
static enum asc_status judge_trials(struct answer *a, struct asc_err *e)
{
	const struct run_row *r = a->trial->run;
	const struct stats_summary best = time_of(a->trial);
	struct sureness *s = &a->sure;
	size_t compared = 0;

	if (compare_trials(a, &compared, s, e))
		return e->status;
	const size_t passed = compared > 0 ? count_passed(a) : 0;

	/* The others that passed were dropped in the search, shown to be slower. */
	if (s->sure == SURE_UNKNOWN && passed > 1)
		s->sure = SURE_CLEAR;
	if (passed == 1)
		s->sure = SURE_UNKNOWN;
	if (passed < 2)
		return ASC_OK;
	/* From here on it matters whether finals were asked for. */
	if (r->finals_policy == FINALS_UNREADABLE)
		return asc_err_set(e, ASC_INPUT,
				   "a damaged database, or changed by another program: the policy "
				   "of run %" PRId64 " cannot be read",
				   r->id);
	/* Finals were due and not held: for want of time nothing is compared; else what the search
	 * saw of several is no decision, however clear it looked. */
	if (sure_parse(r->sure) == SURE_UNRANKED && s->sure != SURE_UNUSABLE) {
		*s = (struct sureness){SURE_UNRANKED, 1, 0};
	} else if (r->finals_policy == FINALS_ASKED && (compared > 1 || has_untried(r)) &&
		   (s->sure == SURE_CLEAR || s->sure == SURE_TIE)) {
		const struct stats_interval own = tie_interval(&best);

		/* The answer's own scatter, half of its interval, is the least that is unknown. */
		s->sure = SURE_UNDECIDED;
		s->noise_pct = fmax(s->noise_pct, 50 * (own.high - own.low) / best.median);
	}
	return ASC_OK;
}

/* Judges by energies, which have ties of their own: those of finals say nothing of them. */
static enum asc_status judge_energy(struct answer *a, struct asc_err *e)
{
	const struct objective_answer *x = &a->energy;

	a->sure = (struct sureness){x->measured == 1 ? SURE_UNKNOWN
				    : x->ties == 1   ? SURE_CLEAR
						     : SURE_TIE,
				    x->ties, 0};
	buf_add_str(&a->ties, "[]");
	return buf_check(&a->ties, e);
}

enum asc_status answer_judge(struct answer *a, struct asc_err *e)
{
	const struct final_row *first;
	size_t ties;

	if (a->energy.objective != OBJECTIVE_TIME)
		return judge_energy(a, e);
	if (list_ties(a, &ties, &first, e))
		return e->status;
	if (!a->failed && !a->final)
		return judge_trials(a, e);
	if (a->failed)
		a->sure = (struct sureness){SURE_UNUSABLE, 1, 0};
	else
		judge_finals(a, ties, first);
	return ASC_OK;
}
