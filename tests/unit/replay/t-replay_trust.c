/* What a bad history costs a search, on recorded results of real kernels: at most a tenth of the
 * budget, in evaluations until the search is near the optimum; and what a good one saves.
 * slow: 15 s
 * covers: model.c prior.c replay.c */
#include <stdio.h>

#include "reports/exchange/formats/recorded.h"
#include "tests/tap.h"
#include "tuner/base/stats/rng.h"
#include "tuner/tune/replay/replay.h"
#include "tuner/tune/search/strategy.h"

#define DATA PROJECT_ROOT "/tests/data/replay/"

enum {
	RUNS = 100,     /* medians of fewer differ by more than a tenth of the budget */
	WHOLE_RUNS = 10 /* to the end of the budget: how many evaluations that is differs little */
};

static struct asc_err e;

static struct recorded *open_file(const char *name)
{
	char path[4096];
	struct recorded *r = NULL;

	snprintf(path, sizeof path, "%s%s_T4.json.gz", DATA, name);
	tap_int(recorded_open(path, &r, &e), ASC_OK, "%s: %s", name, e.text);
	return r;
}

static struct replay_summary replay_model(const struct recorded *r, const struct recorded *history,
					  uint64_t runs, bool until_found)
{
	static struct replay_summary s;
	const struct replay_subject subject = {&r, 1, r};
	const struct replay_options o = {.strategy = &strategy_model,
					 .runs = runs,
					 .seed = 1,
					 .ahead = 1,
					 .history = history,
					 .within = 0.02,
					 .until_found = until_found};

	tap_int(replay(&subject, &o, &s, &e), ASC_OK, "%s after %s: %s", r->name,
		history ? history->name : "nothing", e.text);
	return s;
}

/* Median number of evaluations to a configuration within 2 % of the optimum. */
static double count_evals(const struct recorded *r, const struct recorded *history)
{
	return replay_model(r, history, RUNS, true).evals_within;
}

/* ---- what is done to a history ---- */

static void shuffle(struct recorded *r)
{
	struct rng rng;

	rng_init(&rng, 1);
	for (size_t i = r->n; i > 1; i--) {
		const size_t k = (size_t)rng_below(&rng, i);
		const double last = r->time_ns[i - 1];

		r->time_ns[i - 1] = r->time_ns[k];
		r->time_ns[k] = last;
	}
}

/* Makes the best the worst; failures stay. */
static void reverse(struct recorded *r)
{
	const double sum = r->sorted_ns[0] + r->sorted_ns[r->n_valid - 1];

	for (size_t i = 0; i < r->n; i++)
		r->time_ns[i] = sum - r->time_ns[i];
}

static const struct {
	const char *name;
	void (*make)(struct recorded *r);
} bad[] = {{"shuffled times", shuffle}, {"reversed times", reverse}};

static void check(const char *name, const char *from)
{
	struct recorded *r = open_file(name);

	if (!r)
		return;
	const double without = count_evals(r, NULL);
	const double budget = replay_model(r, NULL, WHOLE_RUNS, false).evals;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct recorded *history = open_file(from);

		if (!history)
			break;
		if (i == 0) {
			const double with = count_evals(r, history);

			tap_ok(with < without, "%s: %.4g evaluations with a history, %.4g without",
			       name, with, without);
		}
		bad[i].make(history);
		const double with = count_evals(r, history);

		tap_ok(with <= without + budget / 10,
		       "%s, %s: %.4g evaluations of %.4g, without %.4g", name, bad[i].name, with,
		       budget, without);
		recorded_close(history);
	}
	recorded_close(r);
}

int main(void)
{
	check("convolution_milo__A4000", "convolution_milo__A100");
	return tap_done();
}
