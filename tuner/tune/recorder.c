#include "tuner/tune/recorder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/python_worker.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/tune/search_history.h"
#include "tuner/tune/source_commit.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

static void write_dims(const struct problem *p, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	json_write_begin(&w, "dims", '{');
	for (size_t i = 0; i < p->n_dims; i++)
		json_write_value(&w, p->dims[i].name, p->dims[i].value);
	json_write_end(&w, '}');
	json_write_begin(&w, "dtypes", '{');
	for (size_t i = 0; i < p->n_dtypes; i++)
		json_write_string(&w, p->dtypes[i].name, dtype_name(p->dtypes[i].dtype));
	json_write_end(&w, '}');
	json_write_end(&w, '}');
}

void recorder_print_budget(const struct loop_budget *b, struct buf *out)
{
	char text[UNITS_TEXT_SIZE];

	if (b->trials)
		buf_print(out, "%llu trial%s", (unsigned long long)b->trials,
			  b->trials == 1 ? "" : "s");
	if (b->ns)
		buf_print(out, "%s%s", b->trials ? ", " : "",
			  units_print_duration((double)b->ns, text));
	if (!b->trials && !b->ns)
		buf_add_str(out, "all");
}

static struct db_device describe_device(const struct loop_options *o)
{
	const struct device_info *info = o->session->target.info;

	return (struct db_device){o->session->target.device->name,
				  info->model,
				  info->arch,
				  info->driver,
				  info->fingerprint,
				  info->clock,
				  info->machine};
}

/* Texts of the rows of a run, its device and its problem. */
struct run_texts {
	struct buf dims, kinds, exports, policy, budget, history, baselines;
};

static void run_texts_fini(struct run_texts *t)
{
	buf_fini(&t->dims);
	buf_fini(&t->kinds);
	buf_fini(&t->exports);
	buf_fini(&t->policy);
	buf_fini(&t->budget);
	buf_fini(&t->history);
	buf_fini(&t->baselines);
}

/* Writes implementations that cannot be called, for those who ask what a library has. */
static void write_unsupported(const struct workload *w, struct json_writer *to)
{
	json_write_begin(to, WORKLOAD_UNSUPPORTED_KEY, '[');
	for (size_t k = 0; k < w->n_unsupported; k++) {
		const struct implementation *i = &w->unsupported[k];

		json_write_begin(to, NULL, '{');
		json_write_string(to, "name", i->name);
		json_write_int(to, "index", i->index);
		if (i->devices.names)
			json_write_node(to, "devices", json_find(i->node, "devices"));
		json_write_string(to, "reason", i->unsupported);
		json_write_end(to, '}');
	}
	json_write_end(to, ']');
}

/* Writes the names of Python functions that have an index of the library. */
static void write_python(const struct workload *w, struct json_writer *to)
{
	bool any = false;

	for (size_t k = 0; k < w->n_implementations; k++) {
		const struct implementation *i = &w->implementations[k];

		if (i->index < 0 || !python_worker_runs(i))
			continue;
		if (!any)
			json_write_begin(to, WORKLOAD_PYTHON_KEY, '[');
		any = true;
		json_write_string(to, NULL, i->name);
	}
	if (any)
		json_write_end(to, ']');
}

/* Writes names in libraries, the threshold of tracking, where the kernel was cut out, what
 * cannot be called, and what is called in Python. */
static void write_exports(const struct workload *w, struct buf *out)
{
	struct json_writer to = {out, false};
	const struct json_node *m = w->exports ? json_first(w->exports) : NULL;
	const struct json_node *origin = json_find(json_root(w->doc), WORKLOAD_ORIGIN);

	json_write_begin(&to, NULL, '{');
	for (; m; m = json_next(m))
		json_write_node(&to, json_key(m), m);
	if (w->threshold_pct > 0) {
		json_write_begin(&to, WORKLOAD_TRACK_KEY, '{');
		json_write_real(&to, "threshold", w->threshold_pct);
		json_write_end(&to, '}');
	}
	if (origin && json_type(origin) == JSON_OBJECT)
		json_write_node(&to, WORKLOAD_ORIGIN_KEY, origin);
	if (w->n_unsupported)
		write_unsupported(w, &to);
	write_python(w, &to);
	json_write_end(&to, '}');
}

static enum asc_status run_texts_init(struct run_texts *t, const struct loop_options *o,
				      const struct binding *b, const struct impl_searches *searches,
				      struct asc_err *e)
{
	enum asc_status status = binding_write_kinds(b, &(struct json_writer){&t->kinds, false}, e);
	const struct name_list *l =
		workload_find_baselines(o->workload, o->session->target.device->name);

	write_dims(o->problem, &t->dims);
	write_exports(o->workload, &t->exports);
	policy_write_json(&o->session->policy, NULL, &(struct json_writer){&t->policy, false});
	recorder_print_budget(&o->budget, &t->budget);
	search_history_write_json(searches, &t->history);
	for (size_t i = 0; l && i < l->n; i++)
		buf_print(&t->baselines, "%s%s", i ? "," : "", l->names[i]);
	if (status == ASC_OK &&
	    (t->dims.failed || t->kinds.failed || t->exports.failed || t->policy.failed ||
	     t->budget.failed || t->history.failed || t->baselines.failed))
		status = asc_err_nomem(e);
	return status;
}

static struct db_problem describe_problem(const struct loop_options *o, const struct binding *b,
					  const struct run_texts *t)
{
	enum dtype element;

	return (struct db_problem){.workload = o->aside ? o->aside->name : o->workload->name,
				   .operator_name = o->workload->operator_name,
				   .workload_hash = o->workload->hash,
				   .problem = o->problem->name,
				   .problem_key = o->aside ? o->aside->problem_key : b->key,
				   .dims_json = buf_str(&t->dims),
				   .flops = b->flops,
				   .bytes = b->bytes,
				   .element = binding_element(b, &element) ? dtype_name(element)
									   : NULL,
				   .workload_file = o->aside ? o->aside->file : o->workload->path,
				   .export_json = buf_str(&t->exports),
				   .kinds_json = buf_str(&t->kinds)};
}

/* ---- sizes of spaces ---- */

struct space_counts {
	struct db_space_count *list;
	char **texts; /* two of each */
	size_t n, room;
};

static enum asc_status add_count(struct space_counts *c, const char *kind, const char *origin,
				 const char *text, double configurations, struct asc_err *e)
{
	size_t room = c->room; /* the same for both lists */

	if (!array_room(&c->list, c->n, &room, sizeof *c->list) ||
	    !array_room(&c->texts, c->n, &c->room, 2 * sizeof *c->texts))
		return asc_err_nomem(e);
	char **copies = &c->texts[2 * c->n];

	copies[0] = origin ? str_dup(origin) : NULL;
	copies[1] = text ? str_dup(text) : NULL;
	c->list[c->n++] = (struct db_space_count){kind, copies[0], copies[1], configurations};
	return (origin && !copies[0]) || (text && !copies[1]) ? asc_err_nomem(e) : ASC_OK;
}

static enum asc_status add_removal(void *user, const char *origin, const char *text, double removed,
				   struct asc_err *e)
{
	return add_count(user, "condition", origin, text, removed, e);
}

/* Records the size of each search's space, and what each condition takes away. */
static enum asc_status add_spaces(struct recorder *j, const struct impl_searches *searches,
				  struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < searches->n; i++) {
		const struct db_implementation own = impl_search_identity(&searches->list[i]);
		const struct space *space = searches->list[i].space;
		struct space_counts c = {0};

		/* In the order in which it is shown: all, less each condition, what is left. */
		if (add_count(&c, "all", NULL, NULL, space_cartesian(space), e) ||
		    space_each_removal(space, add_removal, &c, e) ||
		    add_count(&c, "valid", NULL, NULL, (double)space_count(space), e))
			status = e->status;
		else
			status = db_add_space(j->db, j->run_id, &own, c.list, c.n, e);
		for (size_t k = 0; c.texts && k < 2 * c.n; k++)
			free(c.texts[k]);
		free(c.texts);
		free(c.list);
	}
	return status;
}

/* ---- results of another database ---- */

/* Finds the runs there whose results this one may take. */
static enum asc_status find_alike(struct recorder *j, struct db *with,
				  const struct db_device *device, const struct db_problem *problem,
				  const struct db_run *run, const struct impl_searches *searches,
				  struct asc_err *e)
{
	j->with = with;
	j->with_runs = calloc(searches->n, sizeof *j->with_runs);
	if (!j->with_runs)
		return asc_err_nomem(e);
	for (size_t i = 0; i < searches->n; i++) {
		const struct db_alike to = {.fingerprint = device->fingerprint,
					    .workload = problem->workload,
					    .problem = problem->problem,
					    .problem_key = problem->problem_key,
					    .cache_policy = run->cache_policy,
					    .policy_json = run->policy_json,
					    .implementation =
						    searches->list[i].implementation->name,
					    .implementation_key = searches->list[i].key};
		bool found;

		if (db_find_alike(with, &to, &j->with_runs[i], &found, e))
			return e->status;
	}
	return ASC_OK;
}

static int64_t alike_of(const struct recorder *j, const struct impl_search *search)
{
	return j->with_runs ? j->with_runs[search - j->searches->list] : 0;
}

/* ---- a run ---- */

enum asc_status recorder_begin(struct recorder *j, const struct loop_options *o, struct db *db,
			       const struct binding *b, const struct impl_searches *searches,
			       const char *strategy, struct asc_err *e)
{
	struct run_texts t = {0};
	struct source_commit commit;
	struct db_implementation *taking_part = calloc(searches->n, sizeof *taking_part);
	int64_t start = clock_now_ns();
	enum asc_status status =
		taking_part ? run_texts_init(&t, o, b, searches, e) : asc_err_nomem(e);

	/* A run of profiles alone tunes nothing: what is current does not depend on it. */
	const size_t n = o->n_profiled || o->aside ? 0 : searches->n;

	for (size_t i = 0; taking_part && i < n; i++)
		taking_part[i] = impl_search_identity(&searches->list[i]);
	if (o->aside && o->aside->commit) {
		commit.clean = true;
		snprintf(commit.id, sizeof commit.id, "%s", o->aside->commit);
	} else {
		source_commit_find(o->workload->path, searches, &commit);
	}
	const struct db_device device = describe_device(o);
	const struct db_problem problem = describe_problem(o, b, &t);
	struct db_run run = {.version = o->version,
			     .strategy = strategy,
			     .policy_json = buf_str(&t.policy),
			     .budget = buf_str(&t.budget),
			     .cache_policy = cache_policy_name(o->session->policy.cache),
			     .baseline = t.baselines.len ? buf_str(&t.baselines) : NULL,
			     .source_commit = *commit.id ? commit.id : NULL,
			     .source_clean = commit.clean,
			     .history_json = t.history.len ? buf_str(&t.history) : NULL,
			     .simulated = o->session->target.info->simulated,
			     .aside = o->aside != NULL,
			     .seed = o->seed,
			     .share_id = o->share_id,
			     .implementations = taking_part,
			     .n_implementations = n};

	/* Behind git and the texts, which are no part of the run's own time. */
	j->began_ns = clock_now_ns();
	if (status == ASC_OK)
		status = db_begin_run(db, &device, &problem, &run, &j->run_id, e);
	if (status == ASC_OK)
		j->db = db;
	if (status == ASC_OK && o->with && o->resume)
		status = find_alike(j, o->with, &device, &problem, &run, searches, e);
	j->binding = b;
	j->searches = searches;
	if (status == ASC_OK && n > 0)
		status = add_spaces(j, searches, e);
	j->spent_ns += clock_now_ns() - start;
	free(taking_part);
	run_texts_fini(&t);
	return status;
}

/* Fails when a source was edited: results measured since may be of the edited one, and would be
 * recorded as of the one before. */
static enum asc_status check_sources(struct asc_err *e)
{
	const char *changed = sources_find_changed();

	return changed ? asc_err_set(e, ASC_INPUT, "%s was changed while it was being tuned",
				     changed)
		       : ASC_OK;
}

static void write_config(const struct config *c, const char *const *names, struct buf *out)
{
	struct json_writer w = {out, false};

	json_write_begin(&w, NULL, '{');
	for (size_t i = 0; i < c->n; i++)
		json_write_value(&w, names[i], c->values[i]);
	json_write_end(&w, '}');
}

enum asc_status recorder_add(struct recorder *j, const struct impl_search *search, uint64_t index,
			     const struct config *c, const struct result *r, struct asc_err *e)
{
	struct buf json = {0}, key = {0}, rewrites = {0}, same_key = {0};
	const bool same = r->same.as && r->same.search < j->searches->n;
	struct json_writer w = {&rewrites, false};
	int64_t start = clock_now_ns();
	size_t n_rewrites;

	if (check_sources(e))
		return e->status;
	enum asc_status status = binding_write_rewrites(j->binding, search->implementation, c, NULL,
							&w, &n_rewrites, e);

	write_config(c, space_names(search->space), &json);
	config_key(c, space_names(search->space), &key);
	if (same) {
		const struct space *space = j->searches->list[r->same.search].space;
		struct config measured;

		space_get(space, r->same.index, &measured);
		config_key(&measured, space_names(space), &same_key);
	}
	struct db_trial trial = {.implementation = impl_search_identity(search),
				 .config_json = buf_str(&json),
				 .config_key = buf_str(&key),
				 .rewrites_json = n_rewrites ? buf_str(&rewrites) : NULL,
				 .is_default = index == search->default_index,
				 .origin_ns = j->began_ns,
				 .same_key = same ? buf_str(&same_key) : NULL,
				 .result = r};

	if (same)
		trial.same_implementation =
			impl_search_identity(&j->searches->list[r->same.search]);

	if (status == ASC_OK)
		status = buf_check(&json, e) || buf_check(&key, e) || buf_check(&rewrites, e) ||
					 buf_check(&same_key, e)
				 ? e->status
				 : db_add_trial(j->db, j->run_id, &trial, e);
	j->spent_ns += clock_now_ns() - start;
	buf_fini(&json);
	buf_fini(&key);
	buf_fini(&rewrites);
	buf_fini(&same_key);
	return status;
}

enum asc_status recorder_add_final(struct recorder *j, const struct db_final *row,
				   struct asc_err *e)
{
	int64_t start = clock_now_ns();

	if (check_sources(e))
		return e->status;
	enum asc_status status = db_add_final(j->db, j->run_id, row, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

enum asc_status recorder_pass(struct recorder *j, const struct db_implementation *i,
			      const char *config_key, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status status = db_pass_trial(j->db, j->run_id, i, config_key, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

enum asc_status recorder_set_sure(struct recorder *j, const struct sureness *s,
				  enum db_weight weight, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status status = db_set_sure(j->db, j->run_id, s, weight, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

enum asc_status recorder_set_beside(struct recorder *j, int64_t answer_id, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status status = db_set_beside(j->db, j->run_id, answer_id, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

enum asc_status recorder_set_finals_time(struct recorder *j, int64_t begin_ns, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status status =
		db_set_finals_time(j->db, j->run_id, begin_ns - j->began_ns, start - begin_ns, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

/* Records the text of a run that `set` is for, and frees it. */
static enum asc_status set_json(struct recorder *j,
				enum asc_status (*set)(struct db *d, int64_t run_id,
						       const char *json, struct asc_err *e),
				struct buf *json, struct asc_err *e)
{
	enum asc_status status = buf_check(json, e);

	if (status == ASC_OK)
		status = set(j->db, j->run_id, buf_str(json), e);
	buf_fini(json);
	return status;
}

enum asc_status recorder_add_steadiness(struct recorder *j, const struct loop_steadiness *s,
					struct asc_err *e)
{
	struct buf json = {0};

	loop_steadiness_write_json(s, NULL, &(struct json_writer){&json, false});
	return set_json(j, db_set_steady, &json, e);
}

enum asc_status recorder_set_input_seeds(struct recorder *j, const uint64_t *seeds, size_t n,
					 struct asc_err *e)
{
	struct buf json = {0};
	struct json_writer w = {&json, false};

	json_write_begin(&w, NULL, '[');
	for (size_t i = 0; i < n; i++)
		json_write_int(&w, NULL, (int64_t)seeds[i]);
	json_write_end(&w, ']');
	return set_json(j, db_set_input_seeds, &json, e);
}

enum asc_status recorder_set_patience(struct recorder *j, const struct loop_patience *p,
				      struct asc_err *e)
{
	struct buf json = {0};

	loop_patience_write_json(p, NULL, &(struct json_writer){&json, false});
	return set_json(j, db_set_patience, &json, e);
}

/* True for a result that may be another one now. A build that failed without a key did so for a
 * reason of the machine. What a planner refused depends on its version, and where a twin runs on a
 * kernel that is no part of the search's key; it is asked again, and its cache answers. */
static bool may_have_changed(const struct result *r)
{
	return (r->status == RESULT_BUILD_FAILED && !*r->artifact) || r->status == RESULT_PRUNED ||
	       (r->status == RESULT_UNSUPPORTED && r->phase == PHASE_BUILD);
}

/* Finds a result in this database, else in the other one (*borrowed). */
static enum asc_status find(struct recorder *j, const struct impl_search *search,
			    const struct config *c, struct result *out, bool *found, bool *borrowed,
			    struct asc_err *e)
{
	struct buf key = {0};
	int64_t start = clock_now_ns();
	struct db_wanted wanted = {j->run_id, search->implementation->name, search->key, NULL};
	enum asc_status status;

	result_init(out);
	*found = *borrowed = false;
	config_key(c, space_names(search->space), &key);
	wanted.config_key = buf_str(&key);
	status = buf_check(&key, e);
	if (status == ASC_OK)
		status = db_find_trial(j->db, &wanted, out, found, e);
	wanted.run_id = alike_of(j, search);
	if (status == ASC_OK && !*found && wanted.run_id) {
		status = db_find_trial(j->with, &wanted, out, found, e);
		*borrowed = *found;
	}
	if (status == ASC_OK && *found && may_have_changed(out)) {
		*found = false;
		result_fini(out);
		result_init(out);
	}
	j->spent_ns += clock_now_ns() - start;
	buf_fini(&key);
	return status;
}

enum asc_status recorder_find(struct recorder *j, const struct impl_search *search,
			      const struct config *c, struct result *out, bool *found,
			      struct asc_err *e)
{
	bool borrowed;

	return find(j, search, c, out, found, &borrowed, e);
}

enum asc_status recorder_borrow(struct recorder *j, const struct impl_search *search,
				uint64_t index, const struct config *c, struct asc_err *e)
{
	struct result r;
	bool found, borrowed;

	if (!alike_of(j, search))
		return ASC_OK;
	enum asc_status status = find(j, search, c, &r, &found, &borrowed, e);

	if (status == ASC_OK && found && borrowed) {
		for (size_t i = 0; i < PHASE_COUNT; i++)
			r.spent_ns[i] = 0; /* not spent in this run */
		status = recorder_add(j, search, index, c, &r, e);
	}
	result_fini(&r);
	return status;
}

enum asc_status recorder_each(struct recorder *j, const struct impl_search *search,
			      db_recorded_fn *visit, void *user, struct asc_err *e)
{
	struct db_wanted wanted = {alike_of(j, search), search->implementation->name, search->key,
				   NULL};
	const int64_t start = clock_now_ns();
	enum asc_status status =
		wanted.run_id ? db_each_recorded(j->with, &wanted, visit, user, e) : ASC_OK;

	wanted.run_id = j->run_id;
	if (status == ASC_OK)
		status = db_each_recorded(j->db, &wanted, visit, user, e);

	j->spent_ns += clock_now_ns() - start;
	return status;
}

enum asc_status recorder_find_fastest(struct recorder *j, const char *implementation,
				      struct loop_trial *out, struct asc_err *e)
{
	int64_t start = clock_now_ns();
	enum asc_status status = best_find_fastest(j->db, j->run_id, implementation, &out->config,
						   &out->time.median, &out->found, e);

	j->spent_ns += clock_now_ns() - start;
	out->implementation = implementation;
	out->recorded = out->found;
	return status;
}

enum asc_status recorder_put_profile(struct recorder *j, const struct impl_search *search,
				     const struct config *c, const struct profile *p,
				     struct asc_err *e)
{
	const struct db_implementation own = impl_search_identity(search);
	const int64_t start = clock_now_ns();
	struct buf key = {0};

	config_key(c, space_names(search->space), &key);
	const enum asc_status status =
		buf_check(&key, e) ? e->status
				   : db_put_profile(j->db, j->run_id, &own, buf_str(&key), p, e);

	j->spent_ns += clock_now_ns() - start;
	buf_fini(&key);
	return status;
}

enum asc_status recorder_end(struct recorder *j, enum asc_status status, bool interrupted,
			     struct asc_err *e)
{
	const char *outcome = status        ? asc_status_name(status)
			      : interrupted ? "interrupted"
					    : "done";
	struct asc_err second;

	free(j->with_runs);
	j->with_runs = NULL;
	if (!j->db) /* the run never began */
		return status;
	const enum asc_status ended = db_end_run(j->db, j->run_id, outcome, status ? &second : e);

	/* All of the run is recorded by now. */
	return ended == ASC_OK ? best_keep(j->db, status, e) : status ? status : ended;
}
