#include "tuner/cmd/run/run_given.h"

#include <string.h>

#include "reports/results/best.h"
#include "reports/tables/dispatch.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/target.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

void run_given_limit(struct run_given *on)
{
	const int64_t budget_ns = on->options->budget.ns;
	size_t n = 0;

	for (size_t i = 0; i < on->workload->n_problems; i++)
		n += target_wants(&on->on->target, &on->workload->problems[i], on->problems);
	if (budget_ns > 0)
		on->until_ns = clock_now_ns() + (int64_t)n * (budget_ns / 4);
}

bool run_given_is_over(const struct run_given *on)
{
	return *on->stop || (on->until_ns > 0 && clock_now_ns() >= on->until_ns);
}

/* ---- results ---- */

static bool is_wanted(const struct run_given *on, const struct best_row *r)
{
	const struct run_options *o = on->options;
	const struct target *t = &on->on->target;
	const struct problem *p = workload_find_problem(on->workload, r->problem);

	return strcmp(r->workload, on->workload->name) == 0 && p &&
	       target_wants(t, p, on->problems) && r->device_fingerprint &&
	       strcmp(r->device_fingerprint, t->info.fingerprint) == 0 && r->cache_policy &&
	       strcmp(r->cache_policy, cache_policy_name(on->on->session.policy.cache)) == 0 &&
	       (!o->implementation || strcmp(r->implementation, o->implementation) == 0);
}

enum asc_status run_given_read(const struct run_given *on, struct dispatch *out, struct asc_err *e)
{
	dispatch_fini(out);
	if (dispatch_read(out, on->db, DISPATCH_IMPLEMENTATIONS, e))
		return e->status;
	/* Rows are left out, not removed: others refer to them by their places. */
	for (size_t i = 0; i < out->n_rows; i++)
		if (!is_wanted(on, &out->rows[i].result))
			out->rows[i].left_out = "it is none of this command";
	return ASC_OK;
}

/* ---- measuring ---- */

static struct loop_budget find_budget(const struct run_given *on)
{
	const int64_t left = on->until_ns - clock_now_ns(), all = on->options->budget.ns;

	/* At least 1 ns: 0 would be no limit. */
	if (on->until_ns == 0)
		return (struct loop_budget){0};
	return (struct loop_budget){.ns = left < 1 ? 1 : left < all ? left : all};
}

enum asc_status run_given_measure(const struct run_given *on, const struct problem *p,
				  const struct loop_given *given, size_t n, size_t number,
				  size_t all, struct asc_err *e)
{
	const struct loop_options lo = {.workload = on->workload,
					.problem = p,
					.implementation = on->options->implementation,
					.session = &on->on->session,
					.given = given,
					.n_given = n,
					.given_for = on->what,
					.budget = find_budget(on),
					.seed = on->options->seed,
					.version = ASCTUNE_VERSION,
					.rewrites_off = on->options->rewrites_off,
					.default_bits = on->options->default_bits,
					.quiet = number > 0,
					.stop = on->stop,
					.progress = run_show_progress,
					.waiting = run_show_waiting,
					.user = on->show};
	struct loop_summary sum;
	struct loop *l;

	loop_summary_init(&sum);
	run_show_begin(on->show, &lo, number, all);
	enum asc_status status = loop_open(&lo, &sum, &l, e);

	if (status == ASC_OK)
		status = loop_go(l, on->db, e);
	loop_close(l);
	if (status == ASC_OK)
		run_show_end(on->show, &sum);
	run_show_clear(on->show);
	/* A problem that cannot be measured keeps nothing else from it: nothing of what is given is
	 * in its spaces, or time was too short. */
	const bool over = (status == ASC_ABSENT && sum.run_id == 0) ||
			  (status == ASC_TIMEOUT && sum.trials == 0);

	loop_summary_fini(&sum);
	if (status == ASC_OK || !over)
		return status ? asc_err_wrap(e, "%s/%s", on->workload->name, p->name) : ASC_OK;
	log_print(LOG_NOTE, "%s/%s, for the %s: %s", on->workload->name, p->name, on->what,
		  e->text);
	return ASC_OK;
}
