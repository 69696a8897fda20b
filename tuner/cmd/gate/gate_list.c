/* The kernels that there are, on both sides:
 *
 * 1. Workload files, paired (gate_files.h).
 * 2. Problems and implementations by name. The base alone: gone.
 * 3. The configuration: the best on record, in a tree that does not have it the nearest; the
 *    default of each tree where nothing is on record.
 * 4. The key of each side: equal ones are unchanged. */
#include "tuner/cmd/gate/gate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/array.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/command.h"
#include "tuner/cmd/gate/base_checkout.h"
#include "tuner/cmd/gate/gate_files.h"
#include "tuner/device/device.h"
#include "tuner/tune/impl_identity.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/sources/sources.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"
#include "tuner/workload/workload_read.h"

static const char *const names[] = {
#define X(id, name) name,
	GATE_VERDICT_LIST(X)
#undef X
		"changed"};

const char *gate_verdict_name(enum gate_verdict v)
{
	return names[v];
}

/* ---- what is on record ---- */

struct recorded {
	char *problem, *implementation, *config;
	double ns;
};

struct records {
	const struct target *target;
	struct recorded *list;
	size_t n, room;
};

static const struct recorded *find_recorded(const struct records *r, const char *problem,
					    const char *implementation)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->list[i].problem, problem) == 0 &&
		    strcmp(r->list[i].implementation, implementation) == 0)
			return &r->list[i];
	return NULL;
}

static enum asc_status take_best(void *user, const struct best_row *row, struct asc_err *e)
{
	struct records *r = user;
	struct recorded *x;

	if (strcmp(row->device_fingerprint, r->target->info.fingerprint) != 0)
		return ASC_OK;
	/* Cold caches come before hot ones; the first counts. */
	if (find_recorded(r, row->problem, row->implementation))
		return ASC_OK;
	if (!array_room(&r->list, r->n, &r->room, sizeof *r->list))
		return asc_err_nomem(e);
	x = &r->list[r->n++];
	*x = (struct recorded){str_dup(row->problem), str_dup(row->implementation),
			       str_dup(row->config_key), row->median_ns};
	return x->problem && x->implementation && x->config ? ASC_OK : asc_err_nomem(e);
}

static void records_fini(struct records *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->list[i].problem);
		free(r->list[i].implementation);
		free(r->list[i].config);
	}
	free(r->list);
}

/* ---- one kernel ---- */

struct bound_side {
	const struct problem *problem;
	struct binding binding;
	bool bound;
	struct asc_err fault; /* why it is not bound */
};

/* Fails a side, with a reason. */
static void fail_side(const struct gate *g, struct gate_side *s, const struct asc_err *why)
{
	s->failed = true;
	snprintf(s->reason, sizeof s->reason, "%s", why->text);
	base_checkout_cut(g->checkout, s->reason);
}

static void bound_fini(struct bound_side sides[GATE_TREES])
{
	for (size_t k = 0; k < GATE_TREES; k++)
		if (sides[k].bound)
			binding_fini(&sides[k].binding);
}

static enum asc_status add_kernel(struct gate *g, struct gate_kernel **out, struct asc_err *e)
{
	if (!array_room(&g->list, g->n, &g->room, sizeof *g->list))
		return asc_err_nomem(e);
	*out = &g->list[g->n++];
	**out = (struct gate_kernel){.verdict = GATE_CHANGED};
	return ASC_OK;
}

/* Finds the configuration of one side: that of the text, or the nearest to it; *has is false for
 * the latter. Without a text the default. */
static enum asc_status find_config(const struct space *space, const char *text, bool *has,
				   char **out, struct asc_err *e)
{
	struct config config;
	struct asc_err why;
	struct buf key = {0};
	uint64_t index = 0;

	*has = text &&
	       config_parse(text, space_names(space), space_params(space), &config, &why) ==
		       ASC_OK &&
	       space_find(space, &config, &index);
	if (text && !*has && space_find_nearest(space, text, &index, e))
		return e->status;
	if (text ? !*has : space_default(space, &index))
		space_get(space, index, &config);
	config_key(&config, space_names(space), &key);
	const enum asc_status status = buf_check(&key, e);

	*out = status ? NULL : buf_take(&key);
	buf_fini(&key);
	return status ? status : *out ? ASC_OK : asc_err_nomem(e);
}

/* Makes the key of all by which a problem's outputs, and times too short for it, are refused. */
static enum asc_status make_rules(const struct binding *b, char key[HASH_TEXT_SIZE],
				  struct asc_err *e)
{
	const struct workload *w = b->workload;
	const double least[] = {b->least_bytes, b->least_flops};
	struct hash h;

	hash_init(&h);
	hash_add(&h, &w->deterministic, sizeof w->deterministic);
	hash_add(&h, least, sizeof least);
	for (size_t i = 0; i < w->n_tensors; i++) {
		const struct verify *v = &w->tensors[i].verify;
		const double limits[] = {b->tensors[i].atol, b->tensors[i].rtol, v->p};

		hash_add_str(&h, w->tensors[i].name);
		hash_add(&h, &v->kind, sizeof v->kind);
		hash_add(&h, limits, sizeof limits);
	}
	return hash_end(&h, key, e);
}

/* Finds whether the implementation can run here, its space and its identity. A side that cannot has
 * a reason. */
static enum asc_status find_search(const struct gate *g, struct gate_side *s,
				   const struct bound_side *b, const char *name,
				   struct impl_search *search, struct asc_err *e)
{
	const struct loop_options o = {
		.workload = s->workload, .problem = b->problem, .session = &g->on->session};
	char reason[1024] = "";
	uint64_t index;
	bool covers = false;

	search->implementation = workload_find_implementation(s->workload, name);
	if (binding_covers(&b->binding, search->implementation, &covers, reason, sizeof reason,
			   e) ||
	    (covers && impl_identity_find_toolchain(search, s->workload, &g->on->session.target,
						    reason, sizeof reason, e)))
		return e->status;
	if (covers && !*reason &&
	    binding_space(&b->binding, search->implementation, &search->space, e))
		return e->status;
	if (search->space && !space_default(search->space, &index))
		snprintf(reason, sizeof reason, "no configuration is valid");
	if (search->space && !*reason && impl_identity_make(&o, &b->binding, search, e))
		return e->status;
	snprintf(s->reason, sizeof s->reason, "%s", reason);
	memcpy(s->inputs, b->binding.key, sizeof b->binding.key);
	return make_rules(&b->binding, s->rules, e);
}

/* Looks at one side, which has failed where something is wrong with it. */
static enum asc_status look_at(const struct gate *g, struct gate_side *s,
			       const struct bound_side *b, const char *name,
			       struct impl_search *search, struct asc_err *e)
{
	const enum asc_status status = b->bound ? find_search(g, s, b, name, search, e) : ASC_OK;

	if (status && !gate_is_own(status))
		return status;
	if (status || !b->bound)
		fail_side(g, s, status ? e : &b->fault);
	return ASC_OK;
}

/* Adds the bytes of the sources. A stranger's module, which runs while it is looked at, says what
 * it likes of itself. */
static void add_sources(const struct gate_side *s, const struct implementation *of, struct hash *h)
{
	for (size_t i = 0; i < of->n_calls; i++) {
		const struct callable *c = &of->calls[i];
		char *path = c->source && source_is_file(c->builder, c->source)
				     ? source_path(s->workload, c->builder, c->source)
				     : NULL;

		if (path && file_exists(path))
			sources_hash(path, (const char *const *)c->flags.names, h);
		free(path);
	}
}

enum asc_status gate_key_make(const struct gate *g, const struct gate_side *s,
			      const struct impl_search *search, char key[HASH_TEXT_SIZE],
			      struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add_str(&h, s->inputs);
	hash_add_str(&h, s->rules);
	hash_add_str(&h, search->key);
	hash_add_str(&h, s->config);
	if (g->options->untrusted)
		add_sources(s, search->implementation, &h);
	return hash_end(&h, key, e);
}

static void search_fini(struct impl_search *s)
{
	space_free(s->space);
	free(s->toolchain);
	free(s->options);
	free(s->sources);
}

/* Gives both sides one key of inputs where nothing but names of files differs: a folder that was
 * renamed. */
static enum asc_status join_inputs(struct gate_kernel *k, const struct bound_side bound[GATE_TREES],
				   struct asc_err *e)
{
	static const char *const trees[] = {"the base", "the head"};
	struct gate_side *base = &k->sides[GATE_BASE];
	const struct gate_side *head = &k->sides[GATE_HEAD];
	struct buf difference = {0};
	const char *text;

	if (strcmp(head->inputs, base->inputs) == 0)
		return ASC_OK;
	enum asc_status status = binding_print_difference(
		&bound[GATE_BASE].binding, &bound[GATE_HEAD].binding, trees, &difference, &text, e);

	if (status == ASC_OK)
		status = buf_check(&difference, e);
	if (status == ASC_OK && difference.len == 0 && !text)
		memcpy(base->inputs, head->inputs, sizeof base->inputs);
	buf_fini(&difference);
	return status;
}

/* Says which trees do not have the best on record. */
static void note_nearest(struct gate_kernel *k, const bool there[GATE_TREES],
			 const bool has[GATE_TREES])
{
	const bool base = there[GATE_BASE] && !has[GATE_BASE],
		   head = there[GATE_HEAD] && !has[GATE_HEAD];

	if (base || head)
		snprintf(k->note, sizeof k->note,
			 "%s not have the best on record: the nearest, %.80s",
			 base && head ? "both trees do"
			 : head       ? "the head does"
				      : "the base does",
			 k->sides[head ? GATE_HEAD : GATE_BASE].config);
}

/* Judges by the keys alone, as far as they decide. */
static enum gate_verdict compare_sides(const struct gate *g, const struct gate_kernel *k,
				       const bool there[GATE_TREES])
{
	const struct gate_side *base = &k->sides[GATE_BASE], *head = &k->sides[GATE_HEAD];

	if (head->failed && !there[GATE_BASE])
		return base->failed ? GATE_FAILING : GATE_BROKEN;
	if (!head->failed && !there[GATE_HEAD])
		return GATE_GONE;
	return k->equal && !g->all ? GATE_UNCHANGED : GATE_CHANGED;
}

/* Sets configurations and keys of a kernel that both trees have, or one. */
static enum asc_status settle(const struct gate *g, struct gate_kernel *k,
			      const struct bound_side bound[GATE_TREES],
			      const struct records *records, struct asc_err *e)
{
	struct impl_search base = {0}, head = {0}, *const searches[GATE_TREES] = {&base, &head};
	const struct recorded *best = find_recorded(records, k->problem, k->implementation);
	const char *text = best ? best->config : NULL;
	bool has[GATE_TREES] = {false}, there[GATE_TREES] = {false};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < GATE_TREES; i++)
		if (k->sides[i].workload) {
			status = look_at(g, &k->sides[i], &bound[i], k->implementation, searches[i],
					 e);
			there[i] = status == ASC_OK && !*k->sides[i].reason;
		}
	if (status == ASC_OK && there[GATE_BASE] && there[GATE_HEAD])
		status = join_inputs(k, bound, e);
	for (size_t i = 0; status == ASC_OK && i < GATE_TREES; i++)
		if (there[i] &&
		    (find_config(searches[i]->space, text, &has[i], &k->sides[i].config, e) ||
		     gate_key_make(g, &k->sides[i], searches[i], k->sides[i].key, e)))
			status = e->status;
	k->recorded = text != NULL;
	k->recorded_ns = best ? best->ns : 0;
	if (k->sides[GATE_HEAD].workload && k->sides[GATE_BASE].workload &&
	    strcmp(k->workload, k->sides[GATE_BASE].workload->name) != 0)
		snprintf(k->note, sizeof k->note, "the base calls it %.120s",
			 k->sides[GATE_BASE].workload->name);
	if (status == ASC_OK && text)
		note_nearest(k, there, has);
	k->equal = there[GATE_HEAD] && there[GATE_BASE] &&
		   strcmp(k->sides[GATE_HEAD].key, k->sides[GATE_BASE].key) == 0;
	k->verdict = compare_sides(g, k, there);
	for (size_t i = 0; i < GATE_TREES; i++)
		search_fini(searches[i]);
	return status;
}

/* ---- all of them ---- */

/* Adds a kernel that a tree has and that was not added from the other one. */
static enum asc_status add_of(struct gate *g, const struct file_pair *f, enum gate_tree tree,
			      const struct bound_side bound[GATE_TREES],
			      const struct implementation *i, const struct records *records,
			      struct asc_err *e)
{
	const char *wanted = g->options->implementation;
	struct gate_kernel *k = NULL;

	if ((wanted && strcmp(wanted, i->name) != 0) ||
	    !name_list_has(&i->devices, g->on->target.ops->name))
		return ASC_OK;
	if (tree == GATE_BASE && bound[GATE_HEAD].problem &&
	    workload_find_implementation(f->workloads[GATE_HEAD], i->name))
		return ASC_OK;
	if (add_kernel(g, &k, e))
		return e->status;
	k->workload = f->workloads[tree]->name;
	k->problem = bound[tree].problem->name;
	k->implementation = i->name;
	for (size_t t = 0; t < GATE_TREES; t++)
		if (bound[t].problem && workload_find_implementation(f->workloads[t], i->name))
			k->sides[t].workload = f->workloads[t];
	if (f->fault.status)
		fail_side(g, &k->sides[GATE_HEAD], &f->fault);
	if (settle(g, k, bound, records, e))
		return asc_err_wrap(e, "%s/%s, %s", k->workload, k->problem, k->implementation);
	/* One that runs on neither side is none of this device's. */
	if (!k->sides[GATE_HEAD].config && !k->sides[GATE_BASE].config &&
	    !k->sides[GATE_HEAD].failed && !k->sides[GATE_BASE].failed)
		g->n--;
	return ASC_OK;
}

static enum asc_status bind_side(const struct gate *g, struct workload *w, const char *name,
				 struct bound_side *out, struct asc_err *e)
{
	struct loop_options o = {.workload = w, .session = &g->on->session};

	*out = (struct bound_side){.problem = w ? workload_find_problem(w, name) : NULL};
	o.problem = out->problem;
	if (!out->problem)
		return ASC_OK;
	out->bound = loop_bind(&o, true, &out->binding, &out->fault) == ASC_OK;
	if (!out->bound && !gate_is_own(out->fault.status)) {
		*e = out->fault;
		return e->status;
	}
	return ASC_OK;
}

static enum asc_status add_problem(struct gate *g, const struct file_pair *f, const char *name,
				   const struct records *records, struct asc_err *e)
{
	struct bound_side bound[GATE_TREES] = {{0}};
	enum asc_status status = ASC_OK;

	for (size_t t = 0; status == ASC_OK && t < GATE_TREES; t++)
		status = bind_side(g, f->workloads[t], name, &bound[t], e);
	/* The head first, so that its order is the list's. */
	for (size_t t = GATE_TREES; status == ASC_OK && t-- > 0;) {
		const struct workload *w = f->workloads[t];

		for (size_t i = 0; bound[t].problem && status == ASC_OK && i < w->n_implementations;
		     i++)
			status = add_of(g, f, (enum gate_tree)t, bound, &w->implementations[i],
					records, e);
	}
	bound_fini(bound);
	return status;
}

static bool is_wanted(const struct gate *g, const struct problem *p)
{
	return target_wants(&g->on->target, p, &g->options->problems);
}

static enum asc_status add_pair(struct gate *g, struct db *db, const struct file_pair *f,
				struct asc_err *e)
{
	const struct workload *head = f->workloads[GATE_HEAD], *base = f->workloads[GATE_BASE];
	struct records records = {.target = &g->on->target};
	enum asc_status status = ASC_OK;

	if (!head && !base)
		return ASC_OK;
	/* A workload that was renamed has its records under both names. */
	if (db && head)
		status = best_each_of_implementations(db, head->name, take_best, &records, e);
	if (db && status == ASC_OK && base && (!head || strcmp(head->name, base->name) != 0))
		status = best_each_of_implementations(db, base->name, take_best, &records, e);
	for (size_t i = 0; head && status == ASC_OK && !*g->stop && i < head->n_problems; i++)
		if (is_wanted(g, &head->problems[i]))
			status = add_problem(g, f, head->problems[i].name, &records, e);
	for (size_t i = 0; base && status == ASC_OK && !*g->stop && i < base->n_problems; i++)
		if (is_wanted(g, &base->problems[i]) &&
		    (!head || !workload_find_problem(head, base->problems[i].name)))
			status = add_problem(g, f, base->problems[i].name, &records, e);
	records_fini(&records);
	return status;
}

bool gate_may_read(const struct gate *g)
{
	const struct run_options *o = g->options;
	const char *named = o->db ? o->db : getenv("ASCTUNE_DB");

	return !o->untrusted || (named && *named);
}

/* Opens the database, if there is one that may be read. */
static enum asc_status open_db(const struct gate *g, struct db **out, struct asc_err *e)
{
	const char *path = command_db_path(NULL);

	if (!file_exists(path))
		return ASC_OK;
	if (gate_may_read(g))
		return command_open_results(path, out, e);
	log_print(LOG_NOTE, "--untrusted does not read %s: name a database with --db", path);
	return ASC_OK;
}

enum asc_status gate_list_make(struct gate *g, const char *const *paths, size_t n,
			       struct asc_err *e)
{
	struct file_pairs pairs = {0};
	struct db *own = NULL;
	enum asc_status status = file_pairs_open(g, paths, n, &pairs, e);

	/* One that --db names is open, for what is measured, too. */
	if (status == ASC_OK && !g->options->db)
		status = open_db(g, &own, e);
	for (size_t i = 0; status == ASC_OK && !*g->stop && i < pairs.n; i++)
		status = add_pair(g, g->options->db ? g->db : own, &pairs.list[i], e);
	db_close(own);
	file_pairs_fini(&pairs);
	return status;
}

void gate_side_forget(struct gate_side *s)
{
	if (s->result)
		result_fini(s->result);
	free(s->result);
	s->result = NULL;
}

void gate_fini(struct gate *g)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t t = 0; t < GATE_TREES; t++) {
			struct gate_side *s = &g->list[i].sides[t];

			free(s->config);
			gate_side_forget(s);
			code_side_fini(&s->code);
		}
		gate_code_fini(&g->list[i].code);
		free(g->list[i].found);
		if (g->list[i].retuned) {
			free(g->list[i].retuned->config);
			free(g->list[i].retuned->changed);
		}
		free(g->list[i].retuned);
	}
	for (size_t i = 0; i < g->n_workloads; i++)
		workload_close(g->workloads[i]);
	acceptances_fini(&g->acceptances);
	free(g->workloads);
	free(g->list);
	buf_fini(&g->noted);
}
