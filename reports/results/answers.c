#include "reports/results/answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/answer_order.h"
#include "reports/results/answer_sure.h"
#include "reports/results/snapshot.h"
#include "reports/results/stands.h"
#include "tuner/base/array.h"

/* An answer is found in four steps. Which configurations stand is judged first, since all that
 * follows leaves out the others. Finals decide if there are any that can: all finalists were
 * measured in the same rounds, which says more than any times of a search; without them the fastest
 * trial is the answer. Default and baselines are looked for in the same rounds, or the same run.
 * Last comes how sure it is (answer_sure.c), which depends on all of these. */

static bool is_later(const struct trial_row *a, const struct trial_row *b)
{
	return stands_is_later(a->recorded_ms, a->id, b->recorded_ms, b->id);
}

/* ---- what stands ---- */

/* Finds which configurations stand, and which were withdrawn: on this device and problem, whatever
 * the cache policy, the newest trial with a verdict decides. */
static void judge_configs(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_configs; i++) {
		struct config_row *c = s->configs[i];
		struct stands found = {0};

		for (const struct trial_row *t = c->trials; t; t = t->next_of_config)
			stands_add(&found, t->status, t->recorded_ms, t->id);
		c->stands = stands_holds(&found);
		c->withdrawn = stands_is_withdrawn(&found);
	}
}

/* True for a finalist that can be an answer. */
static bool may_answer(const struct final_row *f, const struct implementation_row *own)
{
	return f->config->of->current && row_is_of(f->config, own) && f->config->stands;
}

/* ---- finals ---- */

/* True for finals with a finalist that can be an answer and, where it is asked for, a winner that
 * can, of whichever implementation. */
static bool can_decide(const struct run_row *r, const struct implementation_row *own, bool winner)
{
	bool any = false, won = !winner;

	for (const struct final_row *f = r->finals; f; f = f->next) {
		any |= may_answer(f, own);
		won |= f->winner && may_answer(f, NULL);
	}
	return any && won;
}

/* Finals that decide: sure ones before others, of these the newest; those whose winner stands
 * before all others. */
static const struct run_row *find_deciding(const struct snapshot *s, const char *cache_policy,
					   const struct implementation_row *own)
{
	/* Finals whose winner was withdrawn still compared the rest, but their best was chosen
	 * beside something wrong: they come second, however new they are. */
	for (int winner = 1; winner >= 0; winner--) {
		const struct run_row *best = NULL;

		for (size_t i = 0; i < s->n_runs; i++) { /* the newest first */
			const struct run_row *r = &s->runs[i];

			if (r->cache_policy == cache_policy && r->decided > 0 &&
			    (!best || r->decided > best->decided) && can_decide(r, own, winner))
				best = r;
		}
		if (best)
			return best;
	}
	return NULL;
}

/* Compares finalists of the same rounds: the winner first, then those that were not shown slower,
 * then by time. Key and implementation make the order total. */
static int compare_finals(const struct final_row *a, const struct final_row *b)
{
	int order = order_ints(b->winner, a->winner);

	/* Finals of an early version have no standings: these come before known ones. */
	if (order == 0)
		order = (a->standing ? final_is_slower(a) : -1) -
			(b->standing ? final_is_slower(b) : -1);
	if (order == 0)
		order = order_times(a->median_ns, b->median_ns);
	if (order == 0)
		order = strcmp(a->config->key, b->config->key);
	return order ? order : order_ints(a->config->of->id, b->config->of->id);
}

static const struct final_row *choose(const struct run_row *r, const struct implementation_row *own)
{
	const struct final_row *best = NULL;

	for (const struct final_row *f = r->finals; f; f = f->next)
		if (may_answer(f, own) && (!best || compare_finals(f, best) < 0))
			best = f;
	return best;
}

/* The newest trial that passed of a configuration, preferably one with this cache policy. */
static const struct trial_row *find_trial_of(const struct config_row *c, const char *cache_policy)
{
	const struct trial_row *best = NULL;

	for (const struct trial_row *t = c->trials; t; t = t->next_of_config) {
		const bool same = t->run->cache_policy == cache_policy,
			   best_same = best && best->run->cache_policy == cache_policy;

		if (t->status == RESULT_OK &&
		    (!best || (same == best_same ? is_later(t, best) : same)))
			best = t;
	}
	return best;
}

/* ---- trials ---- */

/* The fastest trial that stands with this cache policy, of an implementation or of all that are
 * current; of equal ones the newest. NULL: none. */
static const struct trial_row *find_fastest(const struct snapshot *s, const char *cache_policy,
					    const struct implementation_row *own)
{
	const struct trial_row *best = NULL;

	for (size_t i = 0; i < s->n_runs; i++) {
		if (s->runs[i].cache_policy != cache_policy)
			continue;
		for (const struct trial_row *t = s->runs[i].trials; t; t = t->next) {
			if (t->status != RESULT_OK || isnan(t->median_ns) ||
			    !t->config->of->current || !row_is_of(t->config, own))
				continue;
			const int order = best ? order_times(t->median_ns, best->median_ns) : -1;

			/* The newest of equal times: its code and driver are nearest to now. */
			if ((order < 0 || (order == 0 && is_later(t, best))) && t->config->stands)
				best = t;
		}
	}
	return best;
}

/* True for a trial whose configuration passed in its run to the end. */
static bool passes_to_end(const struct trial_row *t)
{
	if (t->status != RESULT_OK || isnan(t->median_ns) || !t->config->of->current)
		return false;
	for (const struct trial_row *n = t->config->trials; n; n = n->next_of_config)
		if (n->run == t->run && n->id > t->id && stands_fails(n->status))
			return false;
	return true;
}

static const struct final_row *find_final(const struct run_row *r, const struct config_row *c)
{
	const struct final_row *f = r->finals;

	/* Keys alone say which one: the hash is only the way to it. */
	while (f && (f->config->of != c->of || strcmp(f->config->key, c->key) != 0))
		f = f->next;
	return f;
}

static const struct final_row *find_won(const struct trial_row *t)
{
	const struct final_row *f = find_final(t->run, t->config);

	return f && f->winner ? f : NULL;
}

/* Finds what passed last where nothing stands: in the newest run in which something passed to its
 * end the winner of its finals, else the fastest. */
static const struct trial_row *find_last(const struct snapshot *s, const char *cache_policy,
					 const struct implementation_row *own)
{
	const struct trial_row *best = NULL;

	/* The newest run first: an older one that was faster passed with what no longer does. */
	for (size_t i = 0; i < s->n_runs && !best; i++) {
		if (s->runs[i].cache_policy != cache_policy)
			continue;
		for (const struct trial_row *t = s->runs[i].trials; t; t = t->next) {
			if (!row_is_of(t->config, own) || !passes_to_end(t))
				continue;
			int order = best ? order_ints(!find_won(t), !find_won(best)) : -1;

			if (order == 0)
				order = order_times(t->median_ns, best->median_ns);
			if (order == 0)
				order = order_ints(t->config->of->id, best->config->of->id);
			if (order < 0 || (order == 0 && t->id < best->id))
				best = t;
		}
	}
	return best;
}

/* Counts configurations of current implementations that were tried with this cache policy, and
 * those of them that passed with it and stand. */
static void count(const struct snapshot *s, struct answer *a)
{
	for (size_t i = 0; i < s->n_configs; i++) {
		const struct config_row *c = s->configs[i];
		bool tried = false, passed = false;

		/* Trials of an earlier content are history, and no part of the answer. */
		if (!c->of->current || !row_is_of(c, a->own))
			continue;
		for (const struct trial_row *t = c->trials; t; t = t->next_of_config)
			if (t->run->cache_policy == a->cache_policy) {
				tried = true;
				passed |= t->status == RESULT_OK;
			}
		a->trials += tried;
		a->ok_trials += passed && !c->withdrawn;
	}
}

/* ---- beside the answer: default and baselines ---- */

/* Newest time at which a configuration was the default of this problem; false: never. An edited
 * workload has several defaults. */
static bool find_default_time(const struct config_row *c, int64_t *recorded_ms)
{
	bool found = false;

	for (const struct trial_row *t = c->trials; t; t = t->next_of_config)
		if (t->is_default && (!found || t->recorded_ms > *recorded_ms)) {
			*recorded_ms = t->recorded_ms;
			found = true;
		}
	return found;
}

static double divide(double a, double b)
{
	return b != 0 ? a / b : NAN;
}

/* Time of a finalist as a multiple of the answer's: the median over the rounds of both, which were
 * both compared with the chosen one; without finals the ratio of the medians. */
static double find_ratio(const struct answer *a, const struct final_row *f, double ns)
{
	double ratio = f && a->final ? divide(f->ratio, a->final->ratio) : NAN;

	/* The median of ratios round by round is better than the ratio of medians: what slows a
	 * round slows both. */
	if (isnan(ratio))
		ratio = divide(ns, a->final && !isnan(a->final->median_ns) ? a->final->median_ns
									   : a->trial->median_ns);
	return isnan(ratio) ? 0 : ratio;
}

/* Place of an implementation among the baselines of an answer; BASELINES_MAX: it is none. */
static size_t find_place(const struct answer *a, const struct implementation_row *of)
{
	for (size_t i = 0; i < a->baselines.n; i++)
		if (strcmp(a->baselines.list[i].name, of->name) == 0)
			return i;
	return BASELINES_MAX;
}

/* Finalists that are not withdrawn may stand beside the answer, those of an implementation of
 * another content, too: they were measured in the same rounds. */
static void compare_in_finals(struct answer *a)
{
	const struct final_row *preset = NULL, *bases[BASELINES_MAX + 1] = {NULL};
	int64_t preset_ms = 0;

	for (const struct final_row *f = a->final_run->finals; f; f = f->next) {
		const struct config_row *c = f->config;
		int64_t ms = 0;

		if (c->withdrawn) /* its time is that of a wrong kernel */
			continue;
		if (c->of == a->trial->config->of && find_default_time(c, &ms)) {
			int order = preset ? order_ints(preset_ms, ms) : -1;

			if (order == 0)
				order = order_times(f->median_ns, preset->median_ns);
			if (order == 0)
				order = strcmp(c->key, preset->config->key);
			if (order < 0) {
				preset = f;
				preset_ms = ms;
			}
		}
		const struct final_row **base = &bases[find_place(a, c->of)];
		int order = *base ? order_times(f->median_ns, (*base)->median_ns) : -1;

		if (order == 0)
			order = order_ints(c->of->id, (*base)->config->of->id);
		if (order == 0)
			order = strcmp(c->key, (*base)->config->key);
		if (order < 0)
			*base = f;
	}
	if (preset) {
		a->default_key = preset->config->key;
		a->default_ns = preset->median_ns;
	}
	a->vs_default = find_ratio(a, preset, a->default_ns);
	for (size_t i = 0; i < a->baselines.n; i++)
		if (bases[i] && !isnan(bases[i]->median_ns)) { /* no ratio without a time */
			a->baselines.list[i].ns = bases[i]->median_ns;
			a->baselines.list[i].ratio = find_ratio(a, bases[i], bases[i]->median_ns);
		}
}

static void compare_in_run(struct answer *a)
{
	const struct trial_row *preset = NULL, *bases[BASELINES_MAX + 1] = {NULL};

	for (const struct trial_row *t = a->trial->run->trials; t; t = t->next) {
		const struct config_row *c = t->config;

		if (t->status != RESULT_OK || c->withdrawn)
			continue;
		if (t->is_default && c->of == a->trial->config->of) {
			const int order =
				preset ? order_times(t->median_ns, preset->median_ns) : -1;

			if (order < 0 || (order == 0 && t->id < preset->id))
				preset = t;
		}
		const struct trial_row **base = &bases[find_place(a, c->of)];

		if (!*base || order_times(t->median_ns, (*base)->median_ns) < 0)
			*base = t;
	}
	if (preset) {
		a->default_key = preset->config->key;
		a->default_ns = preset->median_ns;
	}
	a->vs_default = find_ratio(a, NULL, a->default_ns);
	for (size_t i = 0; i < a->baselines.n; i++)
		if (bases[i] && !isnan(bases[i]->median_ns)) {
			a->baselines.list[i].ns = bases[i]->median_ns;
			a->baselines.list[i].ratio = find_ratio(a, NULL, bases[i]->median_ns);
		}
}

/* What was measured at other moments is not compared, nor what was withdrawn. */
static void find_beside(struct answer *a)
{
	const struct run_row *r = a->final_run ? a->final_run : a->trial->run;

	a->default_ns = NAN;
	a->baselines = r->baselines;
	if (a->failed) /* nothing stands that it could be beside */
		return;
	if (a->final)
		compare_in_finals(a);
	else
		compare_in_run(a);
}

/* ---- by energy ---- */

/* True for energy of a configuration that can be an answer. */
static bool may_count(const struct energy_row *x, const struct implementation_row *own)
{
	return x->config->of->current && row_is_of(x->config, own) && x->config->stands;
}

/* Finds the run whose energies decide: the newest that compares several, else the newest that has
 * one; *n is their number. */
static const struct run_row *find_counting(const struct snapshot *s, const struct answer *a,
					   size_t *n)
{
	const struct run_row *best = NULL;

	*n = 0;
	for (size_t i = 0; i < s->n_runs; i++) { /* the newest first */
		const struct run_row *r = &s->runs[i];
		size_t own = 0;

		for (const struct energy_row *x = r->energies; x; x = x->next)
			own += r->cache_policy == a->cache_policy && may_count(x, a->own);
		if (own == 0 || (best && (*n > 1 || own < 2)))
			continue;
		best = r;
		*n = own;
	}
	return best;
}

/* Time of a configuration: in the finals of the run if it took part, else that of its trial. */
static struct objective_figure find_time(const struct run_row *r, const struct config_row *c,
					 const struct trial_row *t)
{
	const struct final_row *f = find_final(r, c);

	if (f && !isnan(f->median_ns))
		return (struct objective_figure){f->median_ns, NAN, NAN};
	return (struct objective_figure){t->median_ns, t->low_ns, t->high_ns};
}

/* Finds the answer by energy: of the configurations of one run, since these were measured by turns
 * and what changes with the hour is in all of them. What was not measured is never the answer. */
static enum asc_status find_least(const struct snapshot *s, struct answer *a, struct asc_err *e)
{
	const struct energy_row **rows = NULL;
	struct objective_cost *costs = NULL;
	size_t n, known = 0, ties;
	const struct run_row *r = find_counting(s, a, &n);

	if (!r)
		return ASC_OK;
	rows = calloc(n, sizeof(struct energy_row *));
	costs = calloc(n, sizeof *costs);
	for (const struct energy_row *x = rows && costs ? r->energies : NULL; x; x = x->next) {
		const struct trial_row *t =
			may_count(x, a->own) ? find_trial_of(x->config, a->cache_policy) : NULL;

		if (!t)
			continue;
		costs[known] = (struct objective_cost){find_time(r, x->config, t),
						       {x->joules, x->low, x->high}};
		rows[known++] = x;
	}
	if (known > 0) {
		const size_t chosen = objective_choose(a->energy.objective, costs, known, &ties);

		a->trial = find_trial_of(rows[chosen]->config, a->cache_policy);
		a->final = find_final(r, rows[chosen]->config);
		a->final_run = a->final ? r : NULL;
		a->energy.joules = costs[chosen].joules;
		a->energy.measured = known;
		a->energy.ties = ties;
	}
	const enum asc_status status = rows && costs ? ASC_OK : asc_err_nomem(e);

	free(rows);
	free(costs);
	return status;
}

/* ---- one answer ---- */

/* Finds the answer by energy; false in *found: none was measured of what stands. */
static enum asc_status find_by_energy(const struct snapshot *s, struct answer *a, bool *found,
				      struct asc_err *e)
{
	if (find_least(s, a, e))
		return e->status;
	*found = a->trial != NULL;
	if (!*found)
		return ASC_OK;
	count(s, a);
	find_beside(a);
	return answer_judge(a, e);
}

/* Finds the answer by time; false in *found: nothing has ever passed. */
static enum asc_status find(const struct snapshot *s, struct answer *a, bool *found,
			    struct asc_err *e)
{
	/* Finals decide, since there all were measured in the same rounds; without them the
	 * fastest trial; where nothing stands, what passed last. */
	a->final_run = find_deciding(s, a->cache_policy, a->own);
	if (a->final_run) {
		a->final = choose(a->final_run, a->own);
		a->trial = find_trial_of(a->final->config, a->cache_policy);
	} else {
		a->trial = find_fastest(s, a->cache_policy, a->own);
	}
	if (!a->trial) {
		a->failed = true;
		a->trial = find_last(s, a->cache_policy, a->own);
		a->final = a->trial ? find_won(a->trial) : NULL;
		a->final_run = a->final ? a->trial->run : NULL;
	}
	*found = a->trial != NULL;
	if (!*found)
		return ASC_OK;
	count(s, a);
	find_beside(a);
	return answer_judge(a, e);
}

static bool took_part(const struct run_row *r, const struct implementation_row *own)
{
	const struct participant_row *p = r->participants;

	while (p && own && p->implementation != own)
		p = p->next;
	return p != NULL;
}

/* True for the first run of its policy and origin in which the implementation, or any, took part.
 */
static bool is_first(const struct snapshot *s, size_t at, const struct implementation_row *own)
{
	const struct run_row *r = &s->runs[at];

	if (!took_part(r, own))
		return false;
	/* Found within the first runs: of these there are few policies and origins. */
	for (size_t i = 0; i < at; i++)
		if (s->runs[i].cache_policy == r->cache_policy &&
		    s->runs[i].simulated == r->simulated && took_part(&s->runs[i], own))
			return false;
	return true;
}

/* Time and number of the newest run with a cache policy as one number: a start in ms has 41 bits.
 */
static int64_t find_newest(const struct snapshot *s, const char *cache_policy)
{
	int64_t newest = INT64_MIN;

	for (size_t i = 0; i < s->n_runs; i++) {
		const struct run_row *r = &s->runs[i];
		const int64_t at =
			(int64_t)(((uint64_t)r->started_ms << 20) + ((uint64_t)r->id & 0xfffff));

		if (r->cache_policy == cache_policy && at > newest)
			newest = at;
	}
	return newest;
}

/* Adds the answers to each policy and origin, of one implementation or of all. Each origin has the
 * same: a device is a stand-in or it is none. */
static enum asc_status add(const struct snapshot *s, const struct implementation_row *own,
			   enum objective by, struct answers *out, struct asc_err *e)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		bool found = false;

		if (!is_first(s, i, own))
			continue;
		if (!array_room(&out->list, out->n, &out->room, sizeof *out->list))
			return asc_err_nomem(e);
		struct answer *a = &out->list[out->n];

		*a = (struct answer){.cache_policy = s->runs[i].cache_policy,
				     .simulated = s->runs[i].simulated,
				     .own = own,
				     .energy.objective = by,
				     .newest = find_newest(s, s->runs[i].cache_policy)};
		if (by == OBJECTIVE_TIME ? find(s, a, &found, e)
					 : find_by_energy(s, a, &found, e)) {
			buf_fini(&a->ties);
			return e->status;
		}
		out->n += found;
	}
	return ASC_OK;
}

enum asc_status answers_find(const struct snapshot *s, enum answers_of of, enum objective by,
			     struct answers *out, struct asc_err *e)
{
	*out = (struct answers){0};
	judge_configs(s);
	enum asc_status status = of == ANSWERS_OF_EACH ? ASC_OK : add(s, NULL, by, out, e);
	for (const struct implementation_row *i = s->implementations;
	     i && status == ASC_OK && of != ANSWERS_OF_ALL; i = i->next)
		if (i->current) /* nothing of the others can be an answer */
			status = add(s, i, by, out, e);
	if (status != ASC_OK)
		answers_fini(out);
	return status;
}

void answers_fini(struct answers *a)
{
	for (size_t i = 0; i < a->n; i++)
		buf_fini(&a->list[i].ties);
	free(a->list);
	*a = (struct answers){0};
}

const struct trial_row *answers_find_fastest(const struct snapshot *s, const char *cache_policy,
					     const char *implementation)
{
	const struct implementation_row *i = s->implementations;
	size_t at = 0;

	while (i && (!i->current || strcmp(i->name, implementation) != 0))
		i = i->next;
	while (at < s->n_runs && !str_is_same(s->runs[at].cache_policy, cache_policy))
		at++;
	if (!i || at == s->n_runs)
		return NULL;
	judge_configs(s);
	return find_fastest(s, s->runs[at].cache_policy, i);
}
