#include "tuner/cmd/run/run_cover_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "reports/tables/dispatch.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/run/run_cover.h"
#include "tuner/cmd/run/run_options.h"
#include "tuner/cmd/run/run_session.h"
#include "tuner/cmd/target.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/workload/workload.h"

struct cover_view {
	const struct run_cover *on;
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
static bool is_beside(const struct run_cover *on, const struct dispatch_row *row)
{
	return row->compared || !(on->on->session.policy.finals.ratio > 0);
}

/* Visits rows in the order of the workload's problems. */
typedef void row_fn(void *user, const struct dispatch_row *row);

static void each_served(const struct cover_view *v, const char *config_key, row_fn *visit,
			void *user)
{
	const struct workload *w = v->on->workload;

	for (size_t i = 0; i < w->n_problems; i++) {
		const struct dispatch_row *row = find_row(v, w->problems[i].name);

		if (row && strcmp(row->result.config_key, config_key) == 0)
			visit(user, row);
	}
}

/* ---- text ---- */

enum { INDENT = 2, LABEL = 8, HANG = INDENT + LABEL + 1 };

struct served_text {
	const struct run_cover *on;
	struct prose *p;
	const char *separator; /* before the next one */
};

static void add_served(void *user, const struct dispatch_row *row)
{
	struct served_text *t = user;

	prose_put(t->p, INK_PLAIN, "%s %s %.1f %%%s", t->separator, row->result.problem,
		  100 * row->loss, is_beside(t->on, row) ? "" : " (not beside the default)");
	t->separator = ",";
}

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
	struct served_text t = {v->on, p, ":"};

	begin_line(p, "serves");
	prose_put(p, INK_PLAIN, "%s", config_key);
	each_served(v, config_key, add_served, &t);
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

struct served_list {
	const struct run_cover *on;
	struct json_writer *w;
};

static void write_served(void *user, const struct dispatch_row *row)
{
	const struct served_list *l = user;
	struct json_writer *w = l->w;

	json_write_begin(w, NULL, '{');
	json_write_string(w, "problem", row->result.problem);
	json_write_real(w, "median_ns", row->result.median_ns);
	json_write_real(w, "loss_pct", 100 * row->loss);
	json_write_bool(w, "beside_default", is_beside(l->on, row));
	json_write_int(w, "trial", row->result.trial_id);
	json_write_end(w, '}');
}

static void write_config(const struct cover_view *v, const char *config_key, struct json_writer *w)
{
	json_write_begin(w, NULL, '{');
	json_write_string(w, "config", config_key);
	json_write_begin(w, "serves", '[');
	each_served(v, config_key, write_served, &(struct served_list){v->on, w});
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

enum asc_status run_cover_print(const struct run_cover *c, const struct dispatch *t,
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
