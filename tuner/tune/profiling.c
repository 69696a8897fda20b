/* A profile of one configuration, in order (profile_one):
 *
 * 1. The worker takes its times and counts, as a trial of TRIAL_PROFILE; its result has the
 *    readings.
 * 2. Figures by name: these readings, what the problem needs, the device's peaks
 *    (profile_figures.c).
 * 3. Formulas of the book over them, then its rules: the label.
 * 4. The profile is recorded, in a transaction of its own.
 * 5. Where energy is counted, further turns of all configurations follow (take_turns): one span of
 *    launches says little of how far energies scatter.
 *
 * Where something is counted, the session begins the problem anew: the worker is a fresh one, which
 * has not run the search's kernels, and ends afterwards, since a profiler changes a process and its
 * device. What is found out by times alone takes the worker that is there. */
#include "tuner/tune/profiling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/metrics/figures.h"
#include "probes/metrics/metric_book.h"
#include "probes/probe.h"
#include "tuner/base/log.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/energy_turns.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/finalists.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/profile_figures.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

static const int64_t POLL_NS = INT64_C(100000000);

static bool stopped(const struct profiling *x)
{
	return x->o->stop && *x->o->stop;
}

/* ---- whom ---- */

static const struct impl_search *find_search(const struct profiling *x, const char *implementation)
{
	for (size_t i = 0; i < x->searches->n; i++)
		if (strcmp(x->searches->list[i].implementation->name, implementation) == 0)
			return &x->searches->list[i];
	return NULL;
}

/* Adds a configuration once. One whose implementation or parameters the workload has no more is
 * passed over: there is nothing to launch. */
static enum asc_status add(const struct profiling *x, const char *implementation,
			   const char *config, struct loop_summary *out, struct asc_err *e)
{
	const struct impl_search *search = find_search(x, implementation);
	struct asc_err other;
	struct config c;

	if (!search || out->n_profiles == LOOP_PROFILES_MAX ||
	    config_parse(config, space_names(search->space), space_params(search->space), &c,
			 &other))
		return ASC_OK;
	for (size_t i = 0; i < out->n_profiles; i++)
		if (strcmp(out->profiles[i].implementation, implementation) == 0 &&
		    strcmp(buf_str(&out->profiles[i].config), config) == 0)
			return ASC_OK;
	struct loop_profile *p = &out->profiles[out->n_profiles++];

	*p = (struct loop_profile){.implementation = search->implementation->name};
	buf_add_str(&p->config, config);
	return buf_check(&p->config, e);
}

enum asc_status profiling_choose(const struct profiling *x, struct loop_summary *out,
				 struct asc_err *e)
{
	if (!out->best.found)
		return ASC_OK;
	enum asc_status s = add(x, out->best.implementation, buf_str(&out->best.config), out, e);

	if (!x->wanted->probes)
		return s;
	for (size_t i = 0; !s && i < out->n_finalists; i++)
		if (out->finalists[i].standing == STANDING_TIED)
			s = add(x, out->finalists[i].implementation,
				buf_str(&out->finalists[i].config), out, e);
	if (!s && out->default_trial.found)
		s = add(x, out->default_trial.implementation, buf_str(&out->default_trial.config),
			out, e);
	for (size_t i = 0; !s && i < BASELINES_MAX; i++) {
		const struct loop_trial *b = &out->baselines[i].trial;

		if (b->found)
			s = add(x, b->implementation, buf_str(&b->config), out, e);
	}
	return s;
}

/* Configurations whose energy is measured, at most, and how much longer than the best they may
 * take: energy falls with time as a rule, since what a device draws at rest is a large part of it,
 * and each configuration takes about ten seconds in all of its turns. */
enum { NEAR_MOST = 24 };
static const double NEAR = 1.5;

enum asc_status profiling_choose_near(const struct profiling *x, const struct candidates *c,
				      struct loop_summary *out, struct asc_err *e)
{
	const double most_ns = NEAR * out->best.time.median;
	struct buf text = {0};
	enum asc_status s = ASC_OK;

	/* Times of the finals before those of the search, which rank nobody. */
	for (size_t i = 0; !s && i < out->n_finalists && out->n_profiles < NEAR_MOST; i++)
		if (out->finalists[i].ratio <= NEAR)
			s = add(x, out->finalists[i].implementation,
				buf_str(&out->finalists[i].config), out, e);
	for (size_t i = 0; !s && i < c->n && out->n_profiles < NEAR_MOST; i++) {
		const struct candidate *k = &c->list[i];
		const struct impl_search *search = &x->searches->list[k->search];

		if (k->status != RESULT_OK || !(k->median_ns <= most_ns))
			continue;
		buf_clear(&text);
		config_print(&k->config, space_names(search->space), &text);
		s = buf_check(&text, e)
			    ? e->status
			    : add(x, search->implementation->name, buf_str(&text), out, e);
	}
	buf_fini(&text);
	return s;
}

enum asc_status profiling_add_given(const struct profiling *x, struct loop_summary *out,
				    struct asc_err *e)
{
	enum asc_status s = ASC_OK;

	for (size_t i = 0; !s && i < x->o->n_profiled; i++) {
		const struct loop_given *g = &x->o->profiled[i];
		struct buf text = {0};
		struct config c;
		uint64_t index;

		const struct impl_search *search = g->implementation
							   ? find_search(x, g->implementation)
							   : impl_searches_only(x->searches, e);

		if (!search && !g->implementation)
			return e->status;
		if (!search)
			return asc_err_set(e, ASC_INPUT,
					   "implementation \"%s\" is none that can run here",
					   g->implementation);
		if (!g->config_key)
			space_get(search->space, search->default_index, &c);
		else if (impl_search_parse(search, g->config_key, true, &c, &index, e))
			return e->status;
		config_print(&c, space_names(search->space), &text);
		s = buf_check(&text, e)
			    ? e->status
			    : add(x, search->implementation->name, buf_str(&text), out, e);
		buf_fini(&text);
		/* None is added twice. */
		if (!s && out->n_profiles <= i)
			return asc_err_set(
				e, ASC_USAGE, "both sides are the same configuration, %s of %s",
				buf_str(&out->profiles[0].config), out->profiles[0].implementation);
	}
	return s;
}

/* ---- 1: the trial ---- */

/* Has the worker profile one configuration. The caller ends *t. */
static enum asc_status evaluate(const struct profiling *x, const struct loop_profile *p,
				const struct profile_wanted *wanted, struct trial *t, bool *done,
				struct asc_err *e)
{
	const struct impl_search *search = find_search(x, p->implementation);
	const struct session *s = x->o->session;
	struct trial *taken = NULL;
	bool over = false;

	*done = false;
	*t = (struct trial){.id = 1,
			    .purpose = TRIAL_PROFILE,
			    .implementation = search->implementation,
			    .names = space_names(search->space),
			    .search = (size_t)(search - x->searches->list),
			    .needed = true,
			    .full = true,
			    .until_ns = x->until_ns,
			    .profile = wanted};
	if (config_parse(buf_str(&p->config), t->names, space_params(search->space), &t->config,
			 e) ||
	    s->ops->submit(s->evaluator, &t, 1, e))
		return e->status;
	while (!taken && !over && !stopped(x)) {
		if (s->ops->poll(s->evaluator, POLL_NS, &taken, e))
			return e->status;
		if (!taken && x->tick)
			x->tick(x->user);
		/* What is not built when time is up is given up. */
		over = !taken && x->until_ns > 0 && clock_now_ns() >= x->until_ns &&
		       s->ops->cancel(s->evaluator, t);
	}
	*done = taken != NULL;
	return ASC_OK;
}

/* Ends a trial, which the evaluator may still have after a stop or a failure. */
static void end_trial(const struct profiling *x, struct trial *t)
{
	if (t->state != TRIAL_IDLE)
		session_end(x->o->session);
	trial_fini(t);
}

/* ---- 2 and 3: the profile ---- */

/* Sums what probes say of their own work; `caches` are those that the run asks for. */
static void take_state(const struct result *r, enum cache_policy caches, struct profile *p)
{
	const struct probe_ops *ops;

	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct metric *m = &r->metrics[i];

		if (m->reason || m->call)
			continue;
		if (strcmp(m->name, "passes") == 0)
			p->passes += (int64_t)m->value;
		if (strcmp(m->name, "launches") == 0)
			p->launches += (int64_t)m->value;
		ops = strcmp(m->name, "passes") == 0 ? probe_find(m->probe) : NULL;
		if (ops)
			(void)snprintf(p->cache, sizeof p->cache, "%s",
				       ops->leaves            ? ops->leaves
				       : caches == CACHE_COLD ? "flushed"
							      : "hot");
	}
}

static enum asc_status judge(const struct profiling *x, const struct metric_book *book,
			     const struct loop_summary *sum, struct trial *t, struct profile *p,
			     struct asc_err *e)
{
	const struct profile_wanted *wanted = x->wanted;
	const struct metric_set *set = NULL;
	struct result *r = &t->result;
	struct figures *f;

	if ((wanted->probes && wanted->set && metric_book_find_set(book, wanted->set, &set, e)) ||
	    profile_figures_add(&x->o->session->target, t, sum, r, e) || figures_new(book, &f, e))
		return e->status;
	figures_put_readings(f, r->metrics, r->n_metrics);
	enum asc_status s = figures_derive(f, set, r, e);

	if (!s)
		s = figures_judge(f, x->o->session->target.device->name, p, e);
	p->clock_mhz = figures_get(f, "sm_clock_hz") / 1e6;
	figures_free(f);
	if (!(p->clock_mhz > 0))
		p->clock_mhz = result_clock_mhz(r->notes, r->n_samples, NULL);
	return s;
}

static enum asc_status say_failure(struct profile *p, enum result_status status, struct asc_err *e)
{
	free(p->sentence);
	p->sentence = str_dup(result_status_meaning(status));
	p->label = LABEL_UNKNOWN;
	p->left = 0;
	return p->sentence ? ASC_OK : asc_err_nomem(e);
}

/* ---- all together ---- */

static enum asc_status record(const struct profiling *x, const struct loop_profile *p,
			      struct asc_err *e)
{
	const struct impl_search *search = find_search(x, p->implementation);
	struct config c;

	return config_parse(buf_str(&p->config), space_names(search->space),
			    space_params(search->space), &c, e)
		       ? e->status
		       : recorder_put_profile(x->recorder, search, &c, &p->profile, e);
}

static enum asc_status profile_one(const struct profiling *x, const struct metric_book *book,
				   struct loop_profile *p, struct loop_summary *sum,
				   struct asc_err *e)
{
	const struct profile_wanted *wanted = x->wanted;
	const int64_t start_ns = clock_now_ns();
	struct trial t;
	enum asc_status s = evaluate(x, p, wanted, &t, &p->found, e);

	p->status = p->found ? t.result.status : RESULT_OK;
	/* Whatever the kernel did: the trial that is on record stays as it is. */
	if (!s && p->status != RESULT_OK)
		p->profile.failure = str_print("%s: %s", result_status_name(p->status),
					       result_reason(&t.result));
	/* A kernel that fails while it is counted, or recorded into a graph, has its times all the
	 * same. */
	if (!s && p->status != RESULT_OK && t.result.phase == PHASE_MEASURE &&
	    (wanted->probes || (wanted->captures && python_worker_runs(t.implementation)))) {
		const struct profile_wanted times = {.texts = wanted->texts,
						     .n_texts = wanted->n_texts,
						     .experiments = wanted->experiments};

		end_trial(x, &t);
		s = evaluate(x, p, &times, &t, &p->found, e);
	}
	if (!s && p->found) {
		p->time = t.result.time;
		(void)snprintf(p->profile.set, sizeof p->profile.set, "%s",
			       wanted->probes && wanted->set ? wanted->set : "");
		take_state(&t.result, x->o->session->policy.cache, &p->profile);
		s = judge(x, book, sum, &t, &p->profile, e);
	}
	/* What limits a wrong kernel helps nobody, and of one that never ran nothing was looked at.
	 */
	if (p->found && !s && (p->status == RESULT_WRONG || t.result.n_samples == 0))
		s = say_failure(&p->profile, p->status, e);
	if (p->found && !s) {
		p->profile.spent_ns = clock_now_ns() - start_ns;
		p->profile.readings = t.result.metrics;
		p->profile.n_readings = t.result.n_metrics;
		t.result.metrics = NULL;
		t.result.n_metrics = 0;
		s = record(x, p, e);
	}
	end_trial(x, &t);
	return s;
}

/* ---- energy ---- */

static bool counts_energy(const struct profile_wanted *w)
{
	size_t i = 0;

	while (w->probes && w->probes[i] && strcmp(w->probes[i], probe_energy.name) != 0)
		i++;
	return w->probes && w->probes[i];
}

/* Makes further turns, in each of which every configuration that has energy has another span, and
 * records what all of its turns come to. A turn that is interrupted counts as far as it went. */
static enum asc_status take_turns(const struct profiling *x, struct loop_summary *out,
				  struct asc_err *e)
{
	const char *const probes[] = {probe_energy.name, NULL};
	const struct profile_wanted wanted = {
		.probes = probes, .texts = x->wanted->texts, .n_texts = x->wanted->n_texts};
	struct energy_turns turns[LOOP_PROFILES_MAX] = {{.n = 0}};
	size_t order[LOOP_PROFILES_MAX], left = 0;
	enum asc_status s = ASC_OK;
	struct rng rng;

	rng_init(&rng, x->o->seed);
	for (size_t i = 0; i < out->n_profiles; i++) {
		const struct profile *p = &out->profiles[i].profile;

		order[i] = i;
		energy_turns_take(&turns[i], p->readings, p->n_readings);
		left += turns[i].left;
	}
	if (out->n_profiles - left > 1)
		log_print(LOG_NOTE,
			  "%s/%s: the energies of %zu configurations are measured by turns",
			  x->o->workload->name, x->o->problem->name, out->n_profiles - left);
	for (size_t turn = 1; turn < ENERGY_TURNS; turn++) {
		rng_shuffle(&rng, order, out->n_profiles);
		for (size_t k = 0; k < out->n_profiles && !s && !stopped(x); k++) {
			struct energy_turns *own = &turns[order[k]];
			struct trial t;
			bool done;

			if (own->left)
				continue;
			s = evaluate(x, &out->profiles[order[k]], &wanted, &t, &done, e);
			if (!s && done)
				energy_turns_take(own, t.result.metrics, t.result.n_metrics);
			end_trial(x, &t);
		}
		energy_turns_leave(turns, out->n_profiles);
	}
	for (size_t i = 0; i < out->n_profiles && !s; i++) {
		struct loop_profile *p = &out->profiles[i];

		if (turns[i].n > 1)
			s = energy_turns_give(&turns[i], &p->profile, e);
		if (turns[i].n > 1 && !s)
			s = record(x, p, e);
	}
	return s;
}

enum asc_status profiling_run(const struct profiling *x, struct loop_summary *out,
			      struct asc_err *e)
{
	const struct profile_wanted *wanted = x->wanted;
	const bool anew = wanted->probes || x->o->n_profiled > 0;
	struct metric_book *book = NULL;

	if (out->n_profiles == 0 || stopped(x))
		return ASC_OK;
	enum asc_status s = metric_book_open(wanted->texts, wanted->n_texts, &book, e);

	if (!s && anew) {
		session_end(x->o->session); /* the finals leave it open */
		s = session_begin(x->o->session, &x->problem, e);
	}
	for (size_t i = 0; !s && i < out->n_profiles && !stopped(x); i++)
		s = profile_one(x, book, &out->profiles[i], out, e);
	if (!s && counts_energy(wanted))
		s = take_turns(x, out, e);
	session_end(x->o->session);
	metric_book_free(book);
	return s;
}
