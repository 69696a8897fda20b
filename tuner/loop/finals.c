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

enum { FAR_SLOWER = 4, VERIFICATIONS = 2, BESIDE_SAMPLES = 3 };
static const int64_t POLL_NS = INT64_C(100000000); /* how soon a stop is noticed */

/* Warm-up and verification are launches too. */
static double sample_ns(const struct result *r)
{
	double spent = (double)(r->spent_ns[PHASE_VERIFY] + r->spent_ns[PHASE_MEASURE]);

	return fmax(r->time.median,
		    spent / (double)(r->n_samples + (size_t)r->retaken + BESIDE_SAMPLES));
}

void contenders_add(struct contenders *c, size_t arm, const struct config *config,
		    const struct result *r, unsigned places)
{
	const struct stats_summary *t = &r->time;
	const struct contender new = {arm, *config, t->median, sample_ns(r),
				      t->interval.known ? t->interval.low : t->min};
	const bool is_guest[GUEST_COUNT] = {
		[GUEST_PRESET] = places & TALLY_PRESET,
		[GUEST_BASELINE] = places & TALLY_BASELINE,
		[GUEST_FASTEST] = c->fastest_ns <= 0 || t->median < c->fastest_ns,
	};
	size_t at = c->n < EVALUATOR_MAX_FINALISTS ? c->n++ : EVALUATOR_MAX_FINALISTS;

	for (; at > 0 && c->list[at - 1].median_ns > new.median_ns; at--)
		if (at < EVALUATOR_MAX_FINALISTS)
			c->list[at] = c->list[at - 1];
	if (at < EVALUATOR_MAX_FINALISTS)
		c->list[at] = new;
	if (is_guest[GUEST_FASTEST])
		c->fastest_ns = t->median;
	for (int g = 0; g < GUEST_COUNT; g++) {
		if (!is_guest[g])
			continue;
		c->guests[g] = new;
		c->has_guest[g] = true;
	}
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

struct finals {
	const struct finals_context *x;
	const struct contenders *contenders;
	const struct contender *list[EVALUATOR_MAX_FINALISTS];
	struct result results[EVALUATOR_MAX_FINALISTS];
	struct buf keys[EVALUATOR_MAX_FINALISTS];
	struct finalist finalists[EVALUATOR_MAX_FINALISTS];
	size_t n;
	struct sureness sure;
	double baseline_ns; /* of its fastest configuration told so far; 0: none */
};

static const struct arm *arm_of(const struct finals *f, size_t i)
{
	return &f->x->arms->list[f->list[i]->arm];
}

/* ---- measuring ---- */

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
	return (size_t)fmin(most, EVALUATOR_MAX_FINALISTS - GUEST_COUNT);
}

/* Where times scatter, medians of equals differ by more than the ratio: the interval counts. */
static void select_finalists(struct finals *f)
{
	const struct contenders *c = f->contenders;
	const struct rule *r = &f->x->options->rule;
	size_t most = count_finalists(r, c);

	for (size_t i = 0; i < c->n && f->n < most; i++)
		if (c->list[i].low_ns <= r->finals_ratio * c->list[0].median_ns)
			f->list[f->n++] = &c->list[i];
}

/* Default and baseline, so that the best is compared with them in the same moments: one that is far
 * slower would only cost time, whatever the exact ratio. The lowest median always, since the
 * database takes the best of the finals that it was in. */
static void invite_guests(struct finals *f)
{
	const struct contenders *c = f->contenders;

	for (int g = 0; g < GUEST_COUNT && f->n > 0; g++) {
		const struct contender *guest = &c->guests[g];
		bool far = guest->median_ns > FAR_SLOWER * c->list[0].median_ns;
		bool there = !c->has_guest[g] || (far && g != GUEST_FASTEST);

		for (size_t i = 0; i < f->n && !there; i++)
			there = is_same(f->list[i], guest);
		if (!there)
			f->list[f->n++] = guest;
	}
}

static bool is_guest(const struct finals *f, size_t i, enum guest g)
{
	return f->contenders->has_guest[g] && is_same(f->list[i], &f->contenders->guests[g]);
}

/* At least half of the fewest rounds have to fit into the time that is left: else the slowest that
 * nothing is compared with stays away, or there are no finals. */
static void fit_time(struct finals *f)
{
	const double rounds = (double)f->x->options->rule.finals_fewest / 2 + VERIFICATIONS;
	const double left = (double)(f->x->until_ns - clock_now_ns());
	double all = 0;

	for (size_t i = 0; i < f->n; i++)
		all += rounds * f->list[i]->sample_ns;
	for (size_t i = f->n; f->x->until_ns > 0 && all > left && i-- > 1;) {
		if (f->n > 2 && (is_guest(f, i, GUEST_PRESET) || is_guest(f, i, GUEST_BASELINE)))
			continue;
		all -= rounds * f->list[i]->sample_ns;
		memmove(&f->list[i], &f->list[i + 1], (f->n - i - 1) * sizeof *f->list);
		f->n--;
	}
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
	for (size_t i = 0; i < f->n; i++)
		jobs[i] = (struct evaluator_job){.id = i,
						 .implementation = arm_of(f, i)->implementation,
						 .names = space_names(arm_of(f, i)->space),
						 .config = f->list[i]->config};
	return o->evaluator->finals(f->x->evaluator, jobs, f->n, &how, e);
}

static enum asc_status collect(struct finals *f, bool *all, struct asc_err *e)
{
	const struct loop_options *o = f->x->options;
	size_t done = 0;

	while (done < f->n && !(o->stop && *o->stop)) {
		struct evaluator_done d;
		bool taken = false;

		if (o->evaluator->poll(f->x->evaluator, POLL_NS, &d, &taken, e))
			return e->status;
		if (!taken && f->x->tick)
			f->x->tick(f->x->user);
		if (!taken)
			continue;
		result_fini(&f->results[d.id]);
		f->results[d.id] = d.result;
		done++;
	}
	*all = done == f->n;
	return ASC_OK;
}

/* ---- judging ---- */

/* Those that did not pass again are left out. */
static void keep_good(struct finals *f)
{
	size_t kept = 0;

	for (size_t i = 0; i < f->n; i++) {
		struct result r = f->results[i];

		if (r.status != RESULT_OK || r.n_samples == 0) {
			log_print(LOG_NOTE, "finals: left out: %s", result_reason(&r));
			result_fini(&f->results[i]);
			continue;
		}
		f->list[kept] = f->list[i];
		result_init(&f->results[i]);
		f->results[kept++] = r;
	}
	f->n = kept;
}

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

static bool is_preset(const struct finals *f, size_t i)
{
	struct config preset;

	space_get(arm_of(f, i)->space, arm_of(f, i)->preset, &preset);
	return same_config(&f->list[i]->config, &preset);
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
		x->rounds = f->results[i].n_samples;
		x->key = buf_str(&f->keys[i]);
		x->implementation = f->list[i]->arm;
		x->preset = is_preset(f, i);
		if (find_use(f, i, x, e))
			return e->status;
	}
	if (tie_find(f->finalists, f->n, margin, e))
		return e->status;
	return sure_find(f->finalists, f->n, find_chosen(f), margin, &f->sure, e);
}

/* ---- telling ---- */

/* Its strongest form is the one that is fastest in these rounds, whichever was in the search. */
static void report_baseline(struct finals *f, size_t i, const struct loop_finalist *x,
			    struct loop_summary *out)
{
	if (f->baseline_ns > 0 && f->baseline_ns <= x->time.median)
		return;
	f->baseline_ns = x->time.median;
	out->baseline.implementation = x->implementation;
	buf_clear(&out->baseline.config);
	buf_add_str(&out->baseline.config, buf_str(&x->config));
	out->baseline.time = x->time;
	out->baseline.clock_mhz = x->clock_mhz;
	out->baseline.errors = f->results[i].errors;
}

static double clock_of(const struct finals *f, size_t i)
{
	return result_clock_mhz(f->results[i].notes, f->results[i].n_samples, NULL);
}

static void report(struct finals *f, size_t i, struct loop_summary *out)
{
	const struct finalist *x = &f->finalists[i];
	const struct arm *arm = arm_of(f, i);
	struct loop_finalist *to = &out->finalists[out->n_finalists++];

	out->flush_ns += f->results[i].flush_ns;
	to->implementation = arm->implementation->name;
	config_print(&f->list[i]->config, space_names(arm->space), &to->config);
	to->time = x->time;
	to->clock_mhz = clock_of(f, i);
	to->ratio = x->ratio;
	to->interval = x->interval;
	to->tied = x->standing == STANDING_TIED;
	to->winner = x->chosen;
	if (is_guest(f, i, GUEST_PRESET)) {
		out->preset.time = x->time;
		out->preset.clock_mhz = to->clock_mhz;
	}
	if (arm->baseline)
		report_baseline(f, i, to, out);
	if (!x->chosen)
		return;
	out->best.implementation = to->implementation;
	buf_clear(&out->best.config);
	buf_add_str(&out->best.config, buf_str(&to->config));
	out->best.time = x->time;
	out->best.clock_mhz = to->clock_mhz;
	out->best.errors = f->results[i].errors;
}

static enum asc_status tell(struct finals *f, struct loop_summary *out, struct asc_err *e)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct finalist *x = &f->finalists[i];
		const struct arm *arm = arm_of(f, i);
		struct db_final row = {.implementation = arm_implementation(arm),
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

		if (journal_add_final(f->x->journal, &row, e))
			return e->status;
		report(f, i, out);
	}
	return journal_set_sure(f->x->journal, &f->sure, false, e);
}

static void fini(struct finals *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		result_fini(&f->results[i]);
		buf_fini(&f->keys[i]);
	}
	free(f);
}

enum asc_status finals_hold(const struct finals_context *x, const struct contenders *c,
			    struct loop_summary *out, struct asc_err *e)
{
	struct finals *f = calloc(1, sizeof *f);
	bool all = false;

	if (!f)
		return asc_err_nomem(e);
	f->x = x;
	f->contenders = c;
	if (x->options->rule.finals_ratio > 0 && out->trials > out->resumed) {
		select_finalists(f);
		invite_guests(f);
		fit_time(f);
	}
	size_t n = f->n;
	for (size_t i = 0; i < n; i++)
		result_init(&f->results[i]);
	enum asc_status s = ASC_OK;
	if (n >= 2) {
		s = submit(f, out, e);
		if (!s)
			s = collect(f, &all, e);
		if (!s && all)
			keep_good(f);
	}
	if (!s && all && f->n >= 2) {
		s = judge(f, e);
		if (!s)
			s = tell(f, out, e);
	}
	fini(f, n);
	return s;
}
