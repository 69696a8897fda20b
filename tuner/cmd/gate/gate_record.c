#include "tuner/cmd/gate/gate_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/page.h"
#include "reports/track/track_compare.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/base/shell.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/terminal/prose.h"
#include "tuner/process/guard.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

enum asc_status gate_record_open(struct gate_record *r, const char *path, struct asc_err *e)
{
	if (!path) {
		if (guard_make_scratch("asctune-gate", &r->scratch, e))
			return e->status;
		r->file = path_join(r->scratch, "gate.db");
		if (!r->file)
			return asc_err_nomem(e);
	}
	r->path = path ? path : r->file;
	return db_open(r->path, DB_WRITE, &r->db, e);
}

void gate_record_close(struct gate_record *r)
{
	db_close(r->db);
	if (r->scratch)
		dir_remove(r->scratch);
	free(r->scratch);
	free(r->file);
	*r = (struct gate_record){.db = NULL};
}

/* ---- recording ---- */

/* One run: what one side measured of a problem. */
struct side_run {
	const struct gate *g;
	enum gate_tree tree;
	const struct workload *workload;
	struct loop_options options;
	struct binding binding;
	struct impl_searches searches;
	struct recorder recorder;
};

static bool is_of(const struct side_run *x, const struct gate_kernel *k)
{
	const struct gate_side *s = &k->sides[x->tree];

	return s->result && s->workload == x->workload &&
	       strcmp(k->problem, x->options.problem->name) == 0;
}

static const struct impl_search *find_search(const struct side_run *x, const char *name)
{
	for (size_t i = 0; i < x->searches.n; i++)
		if (strcmp(x->searches.list[i].implementation->name, name) == 0)
			return &x->searches.list[i];
	return NULL;
}

/* Records a kernel. ASC_INPUT: what is there now is not what was measured. */
static enum asc_status add_trial(struct side_run *x, const struct gate_kernel *k, struct asc_err *e)
{
	const struct gate_side *s = &k->sides[x->tree];
	const struct impl_search *search = find_search(x, k->implementation);
	char key[HASH_TEXT_SIZE] = "";
	struct config config;
	uint64_t index = 0;

	if (search && gate_key_make(x->g, s, search, key, e))
		return e->status;
	if (!search || strcmp(key, s->key) != 0 ||
	    config_parse(s->config, space_names(search->space), space_params(search->space),
			 &config, e) ||
	    !space_find(search->space, &config, &index))
		return asc_err_set(e, ASC_INPUT, "%s/%s %s was changed while it was measured",
				   k->workload, k->problem, k->implementation);
	/* Times of the trial count from the begin of its run, which is recorded after it. */
	s->result->begin_ns = 0;
	s->result->builds.n = 0;
	s->result->order = -1;
	s->result->same.search = SIZE_MAX;
	return recorder_add(&x->recorder, search, index, &config, s->result, e);
}

/* Records all kernels of one side that were measured on the problem of `first`. */
static enum asc_status add_run(const struct gate *g, struct gate_record *r, enum gate_tree tree,
			       const struct gate_kernel *first, struct asc_err *e)
{
	const struct workload *w = first->sides[tree].workload,
			      *head = first->sides[GATE_HEAD].workload;
	const struct loop_aside aside = {.name = head->name,
					 .file = head->path,
					 .commit = tree == GATE_BASE ? g->checkout->base.id : NULL,
					 .problem_key = first->sides[GATE_HEAD].inputs};
	struct side_run x = {.g = g,
			     .tree = tree,
			     .workload = w,
			     .options = {.workload = w,
					 .problem = workload_find_problem(w, first->problem),
					 .session = &g->on->session,
					 .budget = {.ns = g->budget_ns},
					 .seed = 1,
					 .version = ASCTUNE_VERSION,
					 .aside = &aside,
					 .quiet = true}};
	enum asc_status status = loop_bind(&x.options, true, &x.binding, e);

	if (status)
		return status;
	status = impl_searches_open(&x.options, &x.binding, &x.searches, e);
	if (status == ASC_OK)
		status = recorder_begin(&x.recorder, &x.options, r->db, &x.binding, &x.searches,
					"gate", e);
	for (size_t i = 0; status == ASC_OK && i < g->n; i++)
		if (is_of(&x, &g->list[i]))
			status = add_trial(&x, &g->list[i], e);
	if (status == ASC_OK)
		status = recorder_end(&x.recorder, status, false, e);
	r->first[tree] = r->first[tree] ? r->first[tree] : x.recorder.run_id;
	r->last[tree] = x.recorder.run_id;
	impl_searches_close(&x.searches);
	binding_fini(&x.binding);
	return status;
}

/* True where a kernel before this one is of the same run. */
static bool is_recorded(const struct gate *g, size_t at, enum gate_tree tree)
{
	const struct gate_kernel *k = &g->list[at];

	for (size_t i = 0; i < at; i++)
		if (g->list[i].sides[tree].result &&
		    g->list[i].sides[tree].workload == k->sides[tree].workload &&
		    strcmp(g->list[i].problem, k->problem) == 0)
			return true;
	return false;
}

enum asc_status gate_record_write(const struct gate *g, struct gate_record *r, struct asc_err *e)
{
	enum asc_status status = db_begin_batch(r->db, e);

	if (status)
		return status;
	/* The base first: numbers of a side follow each other. */
	for (int t = 0; t < GATE_TREES; t++)
		for (size_t i = 0; status == ASC_OK && i < g->n; i++)
			if (g->list[i].sides[t].result && !is_recorded(g, i, (enum gate_tree)t))
				status = add_run(g, r, (enum gate_tree)t, &g->list[i], e);
	status = db_end_batch(r->db, status, e);
	if (status)
		memset(r->last, 0, sizeof r->last);
	if (status != ASC_INPUT)
		return status;
	log_print(LOG_WARN, "nothing is recorded: %s", e->text);
	return ASC_OK;
}

/* ---- what is said of it ---- */

static char *print_runs(const struct gate_record *r, enum gate_tree tree)
{
	return r->first[tree] == r->last[tree]
		       ? str_print("%" PRId64, r->first[tree])
		       : str_print("%" PRId64 "-%" PRId64, r->first[tree], r->last[tree]);
}

void gate_record_say(const struct gate_record *r)
{
	static const char *const names[GATE_TREES] = {"the base", "the head"};
	struct buf text = {0};

	for (int t = 0; t < GATE_TREES && !r->scratch; t++) {
		char *runs = r->last[t] ? print_runs(r, (enum gate_tree)t) : NULL;

		if (runs)
			buf_print(&text, "%srun%s %s of %s", text.len ? ", " : "",
				  r->first[t] == r->last[t] ? "" : "s", runs, names[t]);
		free(runs);
	}
	if (text.len > 0)
		prose_say(stderr, 2, "recorded in %s: %s", r->path, buf_str(&text));
	buf_fini(&text);
}

/* Names both sides by their commits, and gives each the words that choose its runs. */
static enum asc_status name_sides(const struct gate *g, const struct gate_record *r,
				  struct track_side sides[TRACK_SIDES],
				  char *texts[2 * TRACK_SIDES], struct asc_err *e)
{
	const struct base_checkout *c = g->checkout;
	const bool changed = c->changes.n > 0;

	texts[0] = str_print("%.12s", c->base.id);
	texts[1] = str_print("%.12s%s", c->base.head, changed ? " with changes" : "");
	texts[2] = print_runs(r, GATE_BASE);
	texts[3] = print_runs(r, GATE_HEAD);
	for (int t = 0; t < GATE_TREES; t++) {
		sides[t] = (struct track_side){
			.db = r->db,
			.path = r->path,
			.name = texts[t],
			.word = texts[TRACK_SIDES + t],
			.choice = {.first_run = r->first[t], .last_run = r->last[t]}};
		if (!texts[t] || !texts[TRACK_SIDES + t])
			return asc_err_nomem(e);
	}
	return ASC_OK;
}

/* Prints the command that makes the page again: a gate, since no `report` finds a database that
 * goes with this process. */
static char *print_command(const struct gate *g, const struct gate_paths *paths)
{
	struct buf words = {0};

	shell_add_program(&words);
	shell_add_argument(&words, "gate");
	for (size_t i = 0; i < paths->n; i++)
		shell_add_argument(&words, paths->list[i]);
	shell_add_option(&words, "--base", g->checkout->base.id);
	shell_add_option(&words, "--html", paths->file);
	char *text = words.failed ? NULL : buf_take(&words);

	buf_fini(&words);
	return text;
}

enum asc_status gate_record_page(const struct gate *g, const struct gate_record *r,
				 const struct gate_paths *paths, struct buf *out, struct asc_err *e)
{
	const bool simulated = g->on->target.info.simulated;
	const char *nothing = simulated ? "a stand-in has no times that say anything"
					: "nothing was measured on both sides";
	struct track_rule rule = track_rule_default;
	struct track_side sides[TRACK_SIDES] = {{0}};
	struct track_comparison *c = NULL;
	char *texts[2 * TRACK_SIDES] = {NULL}, *command = NULL;
	enum asc_status status;

	if (simulated || !r->last[GATE_BASE] || !r->last[GATE_HEAD])
		return asc_err_set(e, ASC_ABSENT, "%s", nothing);
	rule.least_pct = 100 * gate_margin(g);
	status = name_sides(g, r, sides, texts, e);
	if (status == ASC_OK && r->scratch && !(command = print_command(g, paths)))
		status = asc_err_nomem(e);
	if (status == ASC_OK && track_compare(sides, &rule, &c, e))
		status = e->status == ASC_INPUT ? asc_err_set(e, ASC_ABSENT, "%s", nothing)
						: e->status;
	for (int t = 0; t < GATE_TREES && r->scratch; t++)
		sides[t].path = NULL;
	if (status == ASC_OK)
		status = page_write(&(struct page_request){.path = r->path,
							   .file = paths->file,
							   .version = ASCTUNE_VERSION,
							   .command = command,
							   .sides = sides,
							   .comparison = c},
				    out, e);
	track_comparison_free(c);
	free(command);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	return status;
}
