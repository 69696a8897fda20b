/* Searches that end before their budget, on recorded results of real kernels: what they save, and
 * what that costs.
 * covers: patience.c replay.c */

#include "reports/exchange/formats/recorded.h"
#include "tests/tap.h"
#include "tuner/tune/replay/replay.h"
#include "tuner/tune/search/strategy.h"

#define DATA PROJECT_ROOT "/tests/data/replay/"

enum { RUNS = 8 };

static struct asc_err e;
static double sum_loss; /* of the searches that wanted 1 % */
static int n_losses;

static bool replay_one(const struct recorded *r, const struct strategy_ops *strategy,
		       const char *patience, struct replay_summary *out)
{
	const struct replay_subject subject = {&r, 1, r};
	struct replay_options o = {.strategy = strategy, .runs = RUNS, .seed = 1, .ahead = 1};

	if (patience && !tap_ok(patience_parse(patience, &o.patience), "%s", patience))
		return false;
	return tap_int(replay(&subject, &o, out, &e), ASC_OK, "%s on %s: %s", strategy->name,
		       r->name, e.text);
}

/* Replays without and with patience: the part of the evaluations that is left, and the ratio of the
 * best times. */
static void check(const struct recorded *r, const char *strategy, const char *patience, double most)
{
	static struct replay_summary all, some;
	const struct strategy_ops *ops = strategy_find(strategy);

	if (!replay_one(r, ops, NULL, &all) || !replay_one(r, ops, patience, &some))
		return;
	const double part = some.evals / all.evals, loss = some.ratio / all.ratio - 1;

	tap_ok(part < most, "%s on %s, %s: %.0f %% of %.0f evaluations", strategy, r->name,
	       patience, 100 * part, all.evals);
	tap_ok(loss < 0.1, "%s on %s, %s: times are %.2f %% above", strategy, r->name, patience,
	       100 * loss);
	if (patience[1] == '%') {
		sum_loss += loss;
		n_losses++;
	}
}

static void check_file(const char *path, double most)
{
	static const char *const strategies[] = {"model", "climb", "genetic"};
	struct recorded *r = NULL;

	if (!tap_int(recorded_open(path, &r, &e), ASC_OK, "%s: %s", path, e.text))
		return;
	for (size_t i = 0; i < sizeof strategies / sizeof *strategies; i++)
		check(r, strategies[i], "1%", most);
	check(r, "climb", "100", 1);
	recorded_close(r);
}

int main(void)
{
	check_file(DATA "dedispersion_milo__A100_T4.json.gz", 0.3);
	check_file(DATA "ktdata_pnpoly__RTX_3090.json.gz", 0.95);
	tap_ok(n_losses == 6 && sum_loss / n_losses < 0.02, "in the mean %.2f %%",
	       100 * sum_loss / n_losses);
	return tap_done();
}
