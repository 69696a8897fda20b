#include "tuner/cmd/run/run_cover.h"

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/tables/dispatch.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/run/run_cover_text.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/target.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

enum { PASSES = 3 /* with estimates, and as many without */ };

struct tried { /* a configuration that was measured for the cover */
	char *problem, *implementation, *config_key;
};

struct covering {
	const struct run_cover *on;
	struct dispatch table; /* results of the problems on the session's device */
	struct dispatch_need *needs;
	size_t n_needs;
	struct tried *tried;
	size_t n_tried, tried_room;
	int64_t until_ns; /* time after which nothing is measured; 0: no limit */
};

static bool is_over(const struct covering *c)
{
	return *c->on->stop || (c->until_ns > 0 && clock_now_ns() >= c->until_ns);
}

/* ---- results ---- */

/* True for a result of the problems, implementations and caches that the command asks for. */
static bool is_wanted(const struct covering *c, const struct best_row *r)
{
	const struct run_options *o = c->on->options;
	const struct target *t = &c->on->on->target;
	const struct problem *p = workload_find_problem(c->on->workload, r->problem);

	return strcmp(r->workload, c->on->workload->name) == 0 && p &&
	       target_wants(t, p, c->on->problems) && r->device_fingerprint &&
	       strcmp(r->device_fingerprint, t->info.fingerprint) == 0 && r->cache_policy &&
	       strcmp(r->cache_policy, cache_policy_name(c->on->on->session.policy.cache)) == 0 &&
	       (!o->implementation || strcmp(r->implementation, o->implementation) == 0);
}

static enum asc_status read_table(struct covering *c, struct asc_err *e)
{
	dispatch_fini(&c->table);
	if (dispatch_read(&c->table, c->on->db, DISPATCH_IMPLEMENTATIONS, e))
		return e->status;
	for (size_t i = 0; i < c->table.n_rows; i++)
		if (!is_wanted(c, &c->table.rows[i].result))
			c->table.rows[i].left_out = "it is none of this command";
	return ASC_OK;
}

/* ---- what was measured for the cover ---- */

static void tried_fini(struct tried *t)
{
	free(t->problem);
	free(t->implementation);
	free(t->config_key);
}

static enum asc_status add_tried(struct covering *c, const struct dispatch_need *need,
				 struct asc_err *e)
{
	const struct best_row *r = &c->table.rows[need->row].result;
	struct tried t = {str_dup(r->problem), str_dup(r->implementation),
			  str_dup(need->config_key)};

	if (t.problem && t.implementation && t.config_key &&
	    array_room(&c->tried, c->n_tried, &c->tried_room, sizeof *c->tried)) {
		c->tried[c->n_tried++] = t;
		return ASC_OK;
	}
	tried_fini(&t);
	return asc_err_nomem(e);
}

static bool is_tried(const void *user, const struct dispatch_row *row, const char *config_key)
{
	const struct covering *c = user;

	for (const struct tried *t = c->tried; t < c->tried + c->n_tried; t++)
		if (strcmp(t->config_key, config_key) == 0 &&
		    strcmp(t->problem, row->result.problem) == 0 &&
		    strcmp(t->implementation, row->result.implementation) == 0)
			return true;
	return false;
}

/* ---- measuring ---- */

/* True for a problem that cannot be measured, which keeps nothing else from it: nothing of what is
 * given is in its spaces, or time was too short. */
static bool is_passed_over(const struct loop_summary *sum, enum asc_status status)
{
	return (status == ASC_ABSENT && sum->run_id == 0) ||
	       (status == ASC_TIMEOUT && sum->trials == 0);
}

static enum asc_status tune(const struct covering *c, const struct loop_options *lo,
			    struct loop_summary *sum, struct asc_err *e)
{
	struct loop *l;
	enum asc_status status = loop_open(lo, sum, &l, e);

	if (status == ASC_OK)
		status = loop_go(l, c->on->db, e);
	loop_close(l);
	return status;
}

static struct loop_budget find_budget(const struct covering *c)
{
	const int64_t left = c->until_ns - clock_now_ns(), all = c->on->options->budget.ns;

	if (c->until_ns == 0)
		return (struct loop_budget){0};
	return (struct loop_budget){.ns = left < 1 ? 1 : left < all ? left : all};
}

static enum asc_status measure(struct covering *c, const struct problem *p,
			       const struct loop_given *given, size_t n, struct asc_err *e)
{
	const struct run_cover *on = c->on;
	const struct loop_options lo = {.workload = on->workload,
					.problem = p,
					.implementation = on->options->implementation,
					.session = &on->on->session,
					.given = given,
					.n_given = n,
					.budget = find_budget(c),
					.seed = on->options->seed,
					.version = ASCTUNE_VERSION,
					.rewrites_off = on->options->rewrites_off,
					.stop = on->stop,
					.progress = run_show_progress,
					.waiting = run_show_waiting,
					.user = on->show};
	struct loop_summary sum;

	loop_summary_init(&sum);
	run_show_begin(on->show, &lo, 0, 0);
	enum asc_status status = tune(c, &lo, &sum, e);

	if (status == ASC_OK)
		run_show_end(on->show, &sum);
	run_show_clear(on->show);
	const bool over = is_passed_over(&sum, status);

	loop_summary_fini(&sum);
	if (status == ASC_OK || !over)
		return status ? asc_err_wrap(e, "%s/%s", on->workload->name, p->name) : ASC_OK;
	log_print(LOG_NOTE, "%s/%s, for the cover: %s", on->workload->name, p->name, e->text);
	return ASC_OK;
}

/* Adds the best of the baseline, which is the library's default. */
static void add_baseline(const struct covering *c, const struct problem *p,
			 struct loop_given *given, size_t *n)
{
	const char *name = per_device_find(&c->on->workload->baseline, c->on->on->target.ops->name);

	for (size_t i = 0; name && i < c->table.n_rows; i++) {
		const struct best_row *r = &c->table.rows[i].result;

		if (!c->table.rows[i].left_out && strcmp(r->problem, p->name) == 0 &&
		    strcmp(r->implementation, name) == 0)
			given[(*n)++] = (struct loop_given){r->implementation, r->config_key};
	}
}

/* Measures what one problem needs, in one run. */
static enum asc_status measure_problem(struct covering *c, const struct problem *p,
				       struct asc_err *e)
{
	struct loop_given *given = calloc(c->n_needs + c->table.n_rows, sizeof *given);
	enum asc_status status = given ? ASC_OK : asc_err_nomem(e);
	size_t n = 0;

	for (size_t i = 0; i < c->n_needs && status == ASC_OK; i++) {
		const struct best_row *r = &c->table.rows[c->needs[i].row].result;

		if (strcmp(r->problem, p->name) != 0)
			continue;
		given[n++] = (struct loop_given){r->implementation, c->needs[i].config_key};
		status = add_tried(c, &c->needs[i], e);
	}
	if (status == ASC_OK && n > 0) {
		add_baseline(c, p, given, &n);
		status = measure(c, p, given, n, e);
	}
	free(given);
	return status;
}

static enum asc_status measure_all(struct covering *c, struct asc_err *e)
{
	const struct workload *w = c->on->workload;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; i < w->n_problems && status == ASC_OK && !is_over(c); i++)
		status = measure_problem(c, &w->problems[i], e);
	return status;
}

/* ---- choosing ---- */

static enum asc_status plan(struct covering *c, bool estimates, struct asc_err *e)
{
	const struct dispatch_plan p = {.loss = c->on->options->cover,
					.since = c->on->since,
					.rounds = c->on->on->session.policy.finals.ratio > 0,
					.estimates = estimates,
					.is_tried = is_tried,
					.user = c};

	free(c->needs);
	c->needs = NULL;
	c->n_needs = 0;
	if (read_table(c, e))
		return e->status;
	return dispatch_plan_cover(&c->table, c->on->db, &p, &c->needs, &c->n_needs, e);
}

/* Measures what the choice needs, a few times: first with estimates of what was not tried, where
 * there is anything new, in the end of what was measured alone, which is the choice of exports.
 * Nothing is measured twice. */
static enum asc_status settle(struct covering *c, struct asc_err *e)
{
	for (int pass = c->on->fresh ? 0 : PASSES; pass < 2 * PASSES && !is_over(c); pass++) {
		if (plan(c, pass < PASSES, e))
			return e->status;
		if (c->n_needs == 0 && pass >= PASSES)
			return ASC_OK;
		if (c->n_needs == 0)
			pass = PASSES - 1;
		else if (measure_all(c, e))
			return e->status;
	}
	return ASC_OK;
}

enum asc_status run_cover(const struct run_cover *on, struct asc_err *e)
{
	struct covering c = {.on = on};
	size_t n_problems = 0;

	for (size_t i = 0; i < on->workload->n_problems; i++)
		n_problems +=
			target_wants(&on->on->target, &on->workload->problems[i], on->problems);
	if (on->options->budget.ns > 0)
		c.until_ns = clock_now_ns() + (int64_t)n_problems * (on->options->budget.ns / 4);
	enum asc_status status = settle(&c, e);

	if (status == ASC_OK && !*on->stop)
		status = read_table(&c, e);
	if (status == ASC_OK && !*on->stop)
		status = dispatch_cover(&c.table, on->db, on->options->cover, e);
	if (status == ASC_OK && !*on->stop)
		status = run_cover_print(on, &c.table, c.n_tried, e);
	for (size_t i = 0; i < c.n_tried; i++)
		tried_fini(&c.tried[i]);
	free(c.tried);
	free(c.needs);
	dispatch_fini(&c.table);
	return status;
}
