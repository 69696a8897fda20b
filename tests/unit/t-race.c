/* The policy as a whole, on generated spaces with fixed seeds and no clock: 300 configurations, 1 %
 * noise, outliers of up to twice the time in 3 % of the samples. Wide: log-normal, the median far
 * above the best; dense: 1 + |N(0, 0.25)|; drift: a slow sine of 1.5 %; changing: spans in which
 * everything takes 1.7 times as long; busy: half of the launches are disturbed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/simulated.h"
#include "tests/tap.h"
#include "tuner/base/rng.h"
#include "tuner/model/result.h"
#include "tuner/model/tie.h"
#include "tuner/run/heat.h"
#include "tuner/run/incumbent.h"
#include "tuner/run/rule.h"
#include "tuner/run/stop.h"

enum { CONFIGS = 300, SEEDS = 20, ROUNDS = 32, MAX_FINALISTS = 64 };
static const double UNIT_NS = 1e7;      /* the best is near this */
static const double DRIFT_PERIOD = 3e9; /* kernel time of one wave, ns */
static const double SPAN_PERIOD = 5e9;  /* kernel time from one span to the next, ns, ... */
static const double SPAN_PART = 0.4;    /* ... of which it lasts so much */
static const double SPAN_FACTOR = 1.7;

struct kind {
	const char *name;
	double (*draw)(struct rng *);
	double drift;  /* amplitude */
	bool changing; /* there are spans */
	double busy;   /* part of the launches that others disturb: up to 3 times as long */
};

struct world {
	const struct kind *kind;
	struct rng rng;
	struct simulated device;
	struct incumbent incumbent;
	double truth[CONFIGS]; /* ns */
	double first_span;     /* part of the period before it */
	double spent_ns;
};

static double draw_wide(struct rng *r)
{
	return exp(0.75 * rng_normal(r));
}

static double draw_dense(struct rng *r)
{
	return 1 + fabs(0.25 * rng_normal(r));
}

static double factor_now(const struct world *w)
{
	double at = w->spent_ns / SPAN_PERIOD + 1 - w->first_span;

	return w->kind->changing && at - floor(at) < SPAN_PART ? SPAN_FACTOR : 1;
}

/* One launch: noise, rarely an outlier, and what becomes of the machine with the kernel time that
 * has passed. */
static int64_t launch(void *user, double truth_ns)
{
	struct world *w = user;
	double t = truth_ns * (1 + 0.01 * rng_normal(&w->rng));

	if (rng_uniform(&w->rng) < 0.03)
		t *= 1 + rng_uniform(&w->rng);
	if (rng_uniform(&w->rng) < w->kind->busy) {
		t *= 1 + 2 * rng_uniform(&w->rng);
		w->device.interrupts++;
	}
	t *= 1 + w->kind->drift * sin(2 * M_PI * w->spent_ns / DRIFT_PERIOD);
	t *= factor_now(w);
	w->spent_ns += t;
	return (int64_t)t;
}

static void world_init(struct world *w, uint64_t seed, const struct kind *kind)
{
	*w = (struct world){.kind = kind};
	rng_init(&w->rng, seed);
	for (size_t i = 0; i < CONFIGS; i++)
		w->truth[i] = UNIT_NS * kind->draw(&w->rng);
	w->first_span = kind->changing ? rng_uniform(&w->rng) : 0;
	simulated_init(&w->device, launch, w);
}

static void world_fini(struct world *w)
{
	incumbent_fini(&w->incumbent);
	simulated_fini(&w->device);
}

static enum asc_status hear(void *user, uint64_t id, enum phase phase, struct asc_err *e)
{
	(void)user, (void)id, (void)phase, (void)e;
	return ASC_OK;
}

/* Follows the policy with one configuration as a worker does; every launch counts. */
static void sample(struct world *w, double truth_ns, const struct rival *best, struct result *out)
{
	static const struct worker_watch watch = {hear, NULL};
	static const struct worker_probe none;
	struct worker_config *c = simulated_load(&w->device, 1, truth_ns);
	struct rule rule = rule_default;
	const struct worker_race race = {&rule, best, &w->incumbent, &none, &watch, 0};
	struct asc_err e;

	rule.warmup = 0; /* both policies have the same: only samples are compared */
	result_init(out);
	worker_config_measure(c, &race, out, &e);
	if (!incumbent_take(&w->incumbent, &rule, c, out))
		worker_config_free(c);
}

/* The finalists of what was measured: those whose interval reaches the rule's ratio. */
static size_t choose_finalists(const double *medians, const double *lows, size_t *list)
{
	size_t most = (size_t)rule_default.finals_max;
	double best = INFINITY;
	size_t n = 0;

	for (size_t i = 0; i < CONFIGS; i++)
		best = fmin(best, medians[i]);
	for (size_t i = 0; i < CONFIGS; i++) {
		if (!(lows[i] <= rule_default.finals_ratio * best))
			continue;
		size_t at = n < most ? n++ : most;
		for (; at > 0 && medians[list[at - 1]] > medians[i]; at--)
			if (at < most)
				list[at] = list[at - 1];
		if (at < most)
			list[at] = i;
	}
	return n;
}

/* Rounds in random order, then the class of ties. */
static void hold_finals(struct world *w, const size_t *list, size_t n, struct finalist *out)
{
	static int64_t samples[MAX_FINALISTS][ROUNDS];
	static char keys[MAX_FINALISTS][16];
	struct heat heats[MAX_FINALISTS];
	size_t order[MAX_FINALISTS], left = n;
	struct asc_err e;

	for (size_t i = 0; i < n; i++) {
		order[i] = i;
		(void)snprintf(keys[i], sizeof keys[i], "%03zu", list[i]);
		out[i] = (struct finalist){.samples = samples[i], .key = keys[i]};
		heats[i] = (struct heat){samples[i], false};
	}
	for (size_t round = 0; round < ROUNDS; round++) {
		rng_shuffle(&w->rng, order, left);
		for (size_t i = 0; i < left; i++) {
			samples[order[i]][round] = launch(w, w->truth[list[order[i]]]);
			out[order[i]].rounds++;
		}
		if (rule_is_check(&rule_default, (int64_t)round + 1))
			heat_drop(&rule_default, heats, round + 1, order, &left, &e);
	}
	tie_find(out, n, rule_default.margin, &e);
}

struct outcome {
	double spent;    /* kernel time, part of 32 samples of each */
	double chosen;   /* the leader of the finals / the true best */
	double winner;   /* the winner of the ties / the true best */
	double finalist; /* the best of the finalists / the true best */
	size_t ties;
};

static void race(struct world *w, double *medians, double *lows)
{
	struct rival best = {0};
	struct result r;
	struct asc_err e;

	for (size_t i = 0; i < CONFIGS; i++) {
		sample(w, w->truth[i], &best, &r);
		bool ok = r.status == RESULT_OK;
		bool stays = ok || r.status == RESULT_UNDECIDED;
		medians[i] = stays ? r.time.median : INFINITY;
		lows[i] = stays && r.time.interval.known ? r.time.interval.low : medians[i];
		if (ok && (best.n == 0 || medians[i] < best.median_ns))
			rival_set(&best, r.samples, r.n_samples, &e);
		result_fini(&r);
	}
	rival_fini(&best);
}

static struct outcome tune(struct world *w)
{
	double medians[CONFIGS], lows[CONFIGS], all = 0, least = INFINITY, median_ns = INFINITY;
	size_t list[MAX_FINALISTS];
	struct finalist finalists[MAX_FINALISTS];
	struct outcome out = {0};

	race(w, medians, lows);
	size_t n = choose_finalists(medians, lows, list);

	hold_finals(w, list, n, finalists);
	for (size_t i = 0; i < CONFIGS; i++) {
		all += 32 * w->truth[i];
		least = fmin(least, w->truth[i]);
	}
	if (w->kind->changing)
		all *= 1 + SPAN_PART * (SPAN_FACTOR - 1);
	out.spent = w->spent_ns / all;
	out.finalist = INFINITY;
	for (size_t i = 0; i < n; i++)
		out.finalist = fmin(out.finalist, w->truth[list[i]] / least);
	for (size_t i = 0; i < n; i++) {
		bool whole = finalists[i].rounds == ROUNDS;

		out.ties += finalists[i].standing == STANDING_TIED;
		if (whole && finalists[i].time.median < median_ns) {
			median_ns = finalists[i].time.median;
			out.chosen = w->truth[list[i]] / least;
		}
		if (finalists[i].chosen)
			out.winner = w->truth[list[i]] / least;
	}
	return out;
}

static void test_space(const struct kind *kind)
{
	const char *name = kind->name;

	struct outcome sum = {0}, worst = {0};
	int missed = 0;
	static struct world w;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		world_init(&w, seed, kind);
		struct outcome o = tune(&w);
		world_fini(&w);
		sum.spent += o.spent / SEEDS;
		sum.chosen += o.chosen / SEEDS;
		sum.winner += o.winner / SEEDS;
		sum.ties += o.ties;
		worst.spent = fmax(worst.spent, o.spent);
		worst.chosen = fmax(worst.chosen, o.chosen);
		worst.winner = fmax(worst.winner, o.winner);
		missed += o.finalist > 1.005;
	}
	tap_note("%s: %.1f %% of the kernel time (worst %.1f %%), leader %.4f (worst %.4f), winner "
		 "%.4f (worst %.4f), %.1f tied",
		 name, 100 * sum.spent, 100 * worst.spent, sum.chosen, worst.chosen, sum.winner,
		 worst.winner, (double)sum.ties / SEEDS);
	tap_ok(sum.spent <= 0.27, "%s: about a quarter of the kernel time of 32 fixed samples",
	       name);
	tap_ok(missed <= (kind->changing || kind->busy > 0),
	       "%s: %d seeds have no finalist within 0.5 %% of the true best", name, missed);
	if (kind->busy > 0) /* the finals here do not take disturbed samples again */
		return;
	tap_ok(sum.chosen <= 1.002, "%s: the leader is within 0.2 %% of the true best on average",
	       name);
	tap_ok(worst.chosen <= 1.01, "%s: and within 1 %% with every seed", name);
	tap_ok(sum.winner <= 1.005, "%s: the winner of its ties within 0.5 %% on average", name);
}

/* Two configurations that differ by a planted part: how often are they called a tie? */
static size_t count_ties(double difference, double drift)
{
	const struct kind kind = {"planted", draw_dense, drift, false, 0};

	static struct world w;
	struct finalist f[2];
	size_t ties = 0;

	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		world_init(&w, 100 + seed, &kind);
		w.truth[0] = UNIT_NS;
		w.truth[1] = UNIT_NS * (1 + difference);
		hold_finals(&w, (const size_t[]){0, 1}, 2, f);
		ties += f[0].standing == STANDING_TIED && f[1].standing == STANDING_TIED;
		world_fini(&w);
	}
	return ties;
}

static void test_planted(void)
{
	tap_int(count_ties(0.02, 0), 0, "a planted 2 %% is always resolved");
	tap_int(count_ties(0.02, 0.015), 0, "with drift too");
	tap_int(count_ties(0.002, 0), SEEDS, "a planted 0.2 %% is always a tie");
	tap_int(count_ties(0.002, 0.015), SEEDS, "with drift too");
}

int main(void)
{
	static const struct kind kinds[] = {{"wide", draw_wide, 0, false, 0},
					    {"dense", draw_dense, 0, false, 0},
					    {"dense with drift", draw_dense, 0.015, false, 0},
					    {"wide, changing", draw_wide, 0, true, 0},
					    {"dense, changing", draw_dense, 0, true, 0},
					    {"wide, busy", draw_wide, 0, false, 0.5}};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		test_space(&kinds[i]);
	test_planted();
	return tap_done();
}
