#include "tuner/cmd/run/run_cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "reports/tables/dispatch.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_given.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/run/run_show.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/result/setting.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

/* Measures choices until what is chosen is what was measured:
 *
 * 1. run_given_read(): the results of the problems that the command asks for.
 * 2. plan(): a choice of configurations, by what was measured and, at first, by estimates of what
 *    was not; it names the configurations that it needs measured.
 * 3. measure_problem(): these, each on the problems that it serves, beside the library's default.
 * 4. Again, as a measured loss may be another than the estimated one; settle() ends that.
 * 5. print_covers(): the choice of exports, by measurements alone. */

enum { PASSES = 3 /* with estimates, and as many without */ };

struct tried { /* a configuration that was measured for the cover */
	char *problem, *implementation, *config_key;
};

struct covering {
	const struct run_given *on;
	int64_t since;         /* first run whose results count as measured; 0: all runs */
	struct dispatch table; /* results of the problems on the session's device */
	struct dispatch_need *needs;
	size_t n_needs;
	struct tried *tried;
	size_t n_tried, tried_room;
};

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

/* Adds the best of the first baseline, which is the library's default. */
static void add_baseline(const struct covering *c, const struct problem *p,
			 struct loop_given *given, size_t *n)
{
	const struct name_list *l =
		workload_find_baselines(c->on->workload, c->on->on->target.ops->name);
	const char *name = l ? l->names[0] : NULL;

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
	/* Room for all needs and all baselines, whichever are of this problem. */
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
		status = run_given_measure(c->on, p, given, n, 0, 0, e);
	}
	free(given);
	return status;
}

/* ---- choosing ---- */

static enum asc_status plan(struct covering *c, bool estimates, struct asc_err *e)
{
	const struct dispatch_plan p = {.loss = c->on->options->cover,
					.since = c->since,
					.rounds = c->on->on->session.policy.finals.ratio > 0,
					.estimates = estimates,
					.is_tried = is_tried,
					.user = c};

	free(c->needs);
	c->needs = NULL;
	c->n_needs = 0;
	if (run_given_read(c->on, &c->table, e))
		return e->status;
	return dispatch_plan_cover(&c->table, c->on->db, &p, &c->needs, &c->n_needs, e);
}

/* Measures what the choice needs, a few times: first with estimates of what was not tried, where
 * there is anything new, in the end of what was measured alone, which is the choice of exports.
 * Nothing is measured twice. */
static enum asc_status settle(struct covering *c, bool fresh, struct asc_err *e)
{
	const struct workload *w = c->on->workload;

	for (int pass = fresh ? 0 : PASSES; pass < 2 * PASSES && !run_given_is_over(c->on);
	     pass++) {
		if (plan(c, pass < PASSES, e))
			return e->status;
		/* With estimates nothing is missing any more: the passes without them begin. */
		if (c->n_needs == 0 && pass >= PASSES)
			return ASC_OK;
		if (c->n_needs == 0)
			pass = PASSES - 1;
		for (size_t i = 0; c->n_needs > 0 && i < w->n_problems && !run_given_is_over(c->on);
		     i++)
			if (measure_problem(c, &w->problems[i], e))
				return e->status;
	}
	return ASC_OK;
}

/* ---- what is printed ---- */

struct cover_view {
	const struct run_given *on;
	const struct dispatch *table;
	const struct dispatch_cover *cover;
	size_t number; /* of the cover, as rows have it */
};

/* ---- rows of a cover ---- */

static bool is_of(const struct cover_view *v, const struct dispatch_row *row)
{
	return row->cover == v->number;
}

/* True for a row whose configuration serves none of the rows before it. */
static bool is_first(const struct cover_view *v, const struct dispatch_row *row)
{
	for (const struct dispatch_row *other = v->table->rows; other < row; other++)
		if (is_of(v, other) &&
		    strcmp(other->result.config_key, row->result.config_key) == 0)
			return false;
	return is_of(v, row);
}

/* Finds the row of a problem; NULL: the cover does not serve it. */
static const struct dispatch_row *find_row(const struct cover_view *v, const char *problem)
{
	for (size_t i = 0; i < v->table->n_rows; i++)
		if (is_of(v, &v->table->rows[i]) &&
		    strcmp(v->table->rows[i].result.problem, problem) == 0)
			return &v->table->rows[i];
	return NULL;
}

/* True for a problem of the command that the cover does not serve. */
static bool is_unserved(const struct cover_view *v, const struct problem *p)
{
	return target_wants(&v->on->on->target, p, v->on->problems) && !find_row(v, p->name);
}

/* True for a result that was measured in the same rounds as the library's default or, where the
 * policy holds no finals, in the same run. */
static bool is_beside(const struct run_given *on, const struct dispatch_row *row)
{
	return row->compared || !(on->on->session.policy.finals.ratio > 0);
}

/* Finds the next row that a configuration serves, in the order of the workload's problems; *problem
 * is 0 at first. NULL: there is none. */
static const struct dispatch_row *next_served(const struct cover_view *v, const char *config_key,
					      size_t *problem)
{
	const struct workload *w = v->on->workload;

	while (*problem < w->n_problems) {
		const struct dispatch_row *row = find_row(v, w->problems[(*problem)++].name);

		if (row && strcmp(row->result.config_key, config_key) == 0)
			return row;
	}
	return NULL;
}

/* ---- text ---- */

enum { INDENT = 2, LABEL = 8, HANG = INDENT + LABEL + 1 };

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void begin_line(struct prose *p, const char *label)
{
	prose_put(p, INK_PLAIN, "%*s%-*s ", INDENT, "", LABEL, label);
}

static void print_loss(const struct cover_view *v, struct prose *p)
{
	const struct dispatch_row *worst = NULL;

	for (size_t i = 0; i < v->table->n_rows; i++)
		if (is_of(v, &v->table->rows[i]) &&
		    (!worst || v->table->rows[i].loss > worst->loss))
			worst = &v->table->rows[i];
	begin_line(p, "loss");
	prose_put(p, INK_PLAIN, "%.1f %% (geometric mean), at worst %.1f %% on %s",
		  100 * v->cover->loss, 100 * v->cover->worst_loss,
		  worst ? worst->result.problem : "");
	prose_end(p, HANG);
}

static void print_served(const struct cover_view *v, const char *config_key, struct prose *p)
{
	const char *separator = ":";
	const struct dispatch_row *row;

	begin_line(p, "serves");
	prose_put(p, INK_PLAIN, "%s", config_key);
	for (size_t at = 0; (row = next_served(v, config_key, &at)); separator = ",")
		prose_put(p, INK_PLAIN, "%s %s %.1f %%%s", separator, row->result.problem,
			  100 * row->loss,
			  is_beside(v->on, row) ? "" : " (not beside the default)");
	prose_end(p, HANG);
}

static void print_unserved(const struct cover_view *v, struct prose *p)
{
	const struct workload *w = v->on->workload;
	size_t n = 0;

	for (size_t i = 0; i < w->n_problems; i++) {
		if (!is_unserved(v, &w->problems[i]))
			continue;
		if (n++ == 0)
			begin_line(p, "unserved");
		prose_put(p, INK_PLAIN, "%s%s", n > 1 ? ", " : "", w->problems[i].name);
	}
	if (n == 0)
		return;
	prose_put(p, INK_PLAIN, ": nothing passed there that is as fast as the default");
	prose_end(p, HANG);
}

static void print_text(const struct cover_view *v)
{
	const struct dispatch_row *first = &v->table->rows[v->cover->row];
	struct prose p;

	prose_say(stdout, 2, "%s on %s: %s: %zu configuration%s of %s for %zu problem%s",
		  v->on->workload->name, first->result.device_kind, first->result.device_model,
		  v->cover->n_configs, plural(v->cover->n_configs), first->result.implementation,
		  v->cover->n_problems, plural(v->cover->n_problems));
	prose_open(&p, stdout);
	print_loss(v, &p);
	for (size_t i = 0; i < v->table->n_rows; i++)
		if (is_first(v, &v->table->rows[i]))
			print_served(v, v->table->rows[i].result.config_key, &p);
	print_unserved(v, &p);
	prose_close(&p);
}

/* ---- JSON ---- */

static void write_config(const struct cover_view *v, const char *config_key, struct json_writer *w)
{
	const struct dispatch_row *row;

	json_write_begin(w, NULL, '{');
	setting_write_config(config_key, w);
	json_write_begin(w, "serves", '[');
	for (size_t at = 0; (row = next_served(v, config_key, &at));) {
		json_write_begin(w, NULL, '{');
		json_write_string(w, "problem", row->result.problem);
		json_write_real(w, "median_ns", row->result.median_ns);
		json_write_real(w, "loss_pct", 100 * row->loss);
		json_write_bool(w, "beside_default", is_beside(v->on, row));
		json_write_int(w, "trial", row->result.trial_id);
		json_write_end(w, '}');
	}
	json_write_end(w, ']');
	json_write_end(w, '}');
}

static void write_lists(const struct cover_view *v, struct json_writer *w)
{
	const struct workload *workload = v->on->workload;

	json_write_begin(w, "configurations", '[');
	for (size_t i = 0; i < v->table->n_rows; i++)
		if (is_first(v, &v->table->rows[i]))
			write_config(v, v->table->rows[i].result.config_key, w);
	json_write_end(w, ']');
	json_write_begin(w, "unserved", '[');
	for (size_t i = 0; i < workload->n_problems; i++)
		if (is_unserved(v, &workload->problems[i]))
			json_write_string(w, NULL, workload->problems[i].name);
	json_write_end(w, ']');
}

static enum asc_status print_json(const struct cover_view *v, size_t measured, struct asc_err *e)
{
	const struct best_row *first = &v->table->rows[v->cover->row].result;
	struct buf line = {0};
	struct json_writer w = {&line, false};

	json_write_begin(&w, NULL, '{');
	json_write_string(&w, "type", "cover");
	json_write_string(&w, "workload", v->on->workload->name);
	json_write_string(&w, "device", first->device_kind);
	json_write_string(&w, "model", first->device_model);
	json_write_string(&w, "implementation", first->implementation);
	json_write_real(&w, "limit_pct", 100 * v->on->options->cover);
	json_write_real(&w, "loss_pct", 100 * v->cover->loss);
	json_write_real(&w, "worst_loss_pct", 100 * v->cover->worst_loss);
	json_write_int(&w, "problems", (int64_t)v->cover->n_problems);
	json_write_int(&w, "measured", (int64_t)measured);
	write_lists(v, &w);
	json_write_end(&w, '}');
	return command_print_line(&line, e);
}

/* Prints the covers of a table to stdout, as text or, with --json, a line for each. `measured`:
 * number of configurations that were measured for them. */
static enum asc_status print_covers(const struct run_given *c, const struct dispatch *t,
				    size_t measured, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	if (t->n_covers == 0)
		log_print(LOG_NOTE, "%s: no configuration passed on any problem: nothing to cover",
			  c->workload->name);
	for (size_t i = 0; i < t->n_covers && status == ASC_OK; i++) {
		const struct cover_view v = {c, t, &t->covers[i], i + 1};

		if (c->options->json)
			status = print_json(&v, measured, e);
		else
			print_text(&v);
	}
	fflush(stdout);
	return status;
}

/* ---- all of it ---- */

enum asc_status run_cover(const struct run_given *on, int64_t since, bool fresh, struct asc_err *e)
{
	struct covering c = {.on = on, .since = since};
	enum asc_status status = settle(&c, fresh, e);

	if (status == ASC_OK && !*on->stop)
		status = run_given_read(on, &c.table, e);
	if (status == ASC_OK && !*on->stop)
		status = dispatch_cover(&c.table, on->db, on->options->cover, e);
	if (status == ASC_OK && !*on->stop)
		status = print_covers(on, &c.table, c.n_tried, e);
	for (size_t i = 0; i < c.n_tried; i++)
		tried_fini(&c.tried[i]);
	free(c.tried);
	free(c.needs);
	dispatch_fini(&c.table);
	return status;
}
