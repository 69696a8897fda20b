/* Which kernels there are, on both sides:
 *
 * 1. Workload files: those of the paths, and those of the same paths in the base, by their path;
 * what is left by the workload's name, since files are renamed.
 * 2. Problems and implementations by name. One side alone: new, or gone.
 * 3. The configuration: the best on record, in a tree that does not have it the nearest; the
 * default of each tree where nothing is on record.
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
#include "tuner/cmd/workload_files.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/impl_identity.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/workload.h"

static const char *const names[] = {
#define X(id, name) name,
	GATE_VERDICT_LIST(X)
#undef X
		"changed"};

const char *gate_verdict_name(enum gate_verdict v)
{
	return names[v];
}

/* ---- files ---- */

struct file_pair {
	char *paths[GATE_TREES]; /* NULL: that tree has none */
	struct workload *workloads[GATE_TREES];
};

struct file_pairs {
	struct file_pair *list;
	size_t n, room;
};

static void pairs_fini(struct file_pairs *p)
{
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < GATE_TREES; k++)
			free(p->list[i].paths[k]);
	free(p->list);
}

static enum asc_status add_file(struct file_pairs *p, enum gate_tree tree, const char *path,
				const char *beside, struct asc_err *e)
{
	for (size_t i = 0; beside && i < p->n; i++)
		if (str_is_same(p->list[i].paths[!tree], beside)) {
			p->list[i].paths[tree] = str_dup(path);
			return p->list[i].paths[tree] ? ASC_OK : asc_err_nomem(e);
		}
	if (!array_room(&p->list, p->n, &p->room, sizeof *p->list))
		return asc_err_nomem(e);
	p->list[p->n] = (struct file_pair){{NULL}, {NULL}};
	p->list[p->n].paths[tree] = str_dup(path);
	return p->list[p->n++].paths[tree] ? ASC_OK : asc_err_nomem(e);
}

/* Adds the files of one path, of both trees. A tree that has none of them is no failure: they are
 * new, or gone. */
static enum asc_status add_files(const struct gate *g, const char *path, struct file_pairs *out,
				 struct asc_err *e)
{
	char *there = base_checkout_path(g->checkout, path);
	struct workload_files files[GATE_TREES] = {{0}};
	enum asc_status status = there ? ASC_OK : asc_err_nomem(e);
	struct asc_err none;

	if (status == ASC_OK && workload_files_find(there, &files[GATE_BASE], &none) == ASC_NOMEM)
		status = asc_err_nomem(e);
	if (status == ASC_OK && workload_files_find(path, &files[GATE_HEAD], e) &&
	    (e->status != ASC_NOTFOUND || files[GATE_BASE].n == 0))
		status = e->status;
	for (size_t i = 0; status == ASC_OK && i < files[GATE_HEAD].n; i++)
		status = add_file(out, GATE_HEAD, files[GATE_HEAD].paths[i], NULL, e);
	for (size_t i = 0; status == ASC_OK && i < files[GATE_BASE].n; i++) {
		/* A folder's files have the same names on both sides, a file its own. */
		char *beside = strcmp(files[GATE_BASE].paths[i], there) == 0
				       ? str_dup(path)
				       : path_join(path, path_name(files[GATE_BASE].paths[i]));

		status = beside ? add_file(out, GATE_BASE, files[GATE_BASE].paths[i], beside, e)
				: asc_err_nomem(e);
		free(beside);
	}
	for (size_t k = 0; k < GATE_TREES; k++)
		workload_files_fini(&files[k]);
	free(there);
	return status;
}

/* Opens a file of one tree. With --untrusted the head's is a stranger's, and the base's is not: it
 * was looked at when it was merged. */
static enum asc_status open_file(struct gate *g, enum gate_tree tree, const char *path,
				 struct workload **out, struct asc_err *e)
{
	struct workload *w = NULL;
	const bool untrusted = tree == GATE_HEAD && g->options->untrusted;
	enum asc_status status =
		workload_file_open(path, untrusted, g->on->target.info.simulated, &w, e);

	if (status == ASC_OK && g->options->trust)
		status = trusted_check(w, e);
	if (status == ASC_OK)
		status = target_use_verdicts(&g->on->target, w, e);
	if (status == ASC_OK)
		status = target_add_problems(w, &g->options->problems, e);
	if (status)
		workload_close(w);
	else
		*out = g->workloads[g->n_workloads++] = w;
	return status;
}

/* Opens all files; one of the base that cannot be opened is said, and is none. */
static enum asc_status open_files(struct gate *g, struct file_pairs *p, struct asc_err *e)
{
	g->workloads = calloc(2 * p->n + 1, sizeof(struct workload *));
	if (!g->workloads)
		return asc_err_nomem(e);
	for (size_t i = 0; i < p->n; i++) {
		struct file_pair *f = &p->list[i];

		if (f->paths[GATE_HEAD] &&
		    open_file(g, GATE_HEAD, f->paths[GATE_HEAD], &f->workloads[GATE_HEAD], e))
			return e->status;
		if (!f->paths[GATE_BASE] || open_file(g, GATE_BASE, f->paths[GATE_BASE],
						      &f->workloads[GATE_BASE], e) == ASC_OK)
			continue;
		if (e->status == ASC_NOMEM)
			return e->status;
		log_print(LOG_NOTE, "in the base, %s", e->text);
	}
	return ASC_OK;
}

/* Joins a file that is new with one that is gone where both are of one workload. */
static void join_renamed(struct file_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct workload **to = p->list[i].workloads;

		for (size_t k = 0; k < p->n && to[GATE_HEAD] && !to[GATE_BASE]; k++) {
			struct workload **from = p->list[k].workloads;

			if (from[GATE_HEAD] || !from[GATE_BASE] ||
			    strcmp(from[GATE_BASE]->name, to[GATE_HEAD]->name) != 0)
				continue;
			to[GATE_BASE] = from[GATE_BASE];
			from[GATE_BASE] = NULL;
		}
	}
}

/* ---- what is on record ---- */

struct recorded {
	char *problem, *implementation, *config;
};

struct records {
	const struct target *target;
	struct recorded *list;
	size_t n, room;
};

static enum asc_status take_best(void *user, const struct best_row *row, struct asc_err *e)
{
	struct records *r = user;
	struct recorded *x;

	if (strcmp(row->device_fingerprint, r->target->info.fingerprint) != 0)
		return ASC_OK;
	/* Cold caches come before hot ones; the first counts. */
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->list[i].problem, row->problem) == 0 &&
		    strcmp(r->list[i].implementation, row->implementation) == 0)
			return ASC_OK;
	if (!array_room(&r->list, r->n, &r->room, sizeof *r->list))
		return asc_err_nomem(e);
	x = &r->list[r->n++];
	*x = (struct recorded){str_dup(row->problem), str_dup(row->implementation),
			       str_dup(row->config_key)};
	return x->problem && x->implementation && x->config ? ASC_OK : asc_err_nomem(e);
}

static const char *find_recorded(const struct records *r, const char *problem,
				 const char *implementation)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->list[i].problem, problem) == 0 &&
		    strcmp(r->list[i].implementation, implementation) == 0)
			return r->list[i].config;
	return NULL;
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
};

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

/* Looks at one side: whether the implementation can run here, its space and its identity. A side
 * that cannot has a reason. */
static enum asc_status look_at(const struct gate *g, struct gate_side *s,
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
	    (covers && impl_identity_find_toolchain(search, &g->on->session.target, reason,
						    sizeof reason, e)))
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
	return ASC_OK;
}

static enum asc_status make_key(struct gate_side *s, const struct impl_search *search,
				struct asc_err *e)
{
	struct hash h;

	hash_init(&h);
	hash_add_str(&h, s->inputs);
	hash_add_str(&h, search->key);
	hash_add_str(&h, s->config);
	return hash_end(&h, s->key, e);
}

static void search_fini(struct impl_search *s)
{
	space_free(s->space);
	free(s->toolchain);
	free(s->options);
	free(s->sources);
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

/* Sets configurations and keys of a kernel that both trees have, or one. */
static enum asc_status settle(const struct gate *g, struct gate_kernel *k,
			      const struct bound_side bound[GATE_TREES],
			      const struct records *records, struct asc_err *e)
{
	struct impl_search base = {0}, head = {0}, *const searches[GATE_TREES] = {&base, &head};
	const char *text = find_recorded(records, k->problem, k->implementation);
	bool has[GATE_TREES] = {false}, there[GATE_TREES] = {false};
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < GATE_TREES; i++)
		if (k->sides[i].workload) {
			status = look_at(g, &k->sides[i], &bound[i], k->implementation, searches[i],
					 e);
			there[i] = status == ASC_OK && !*k->sides[i].reason;
		}
	for (size_t i = 0; status == ASC_OK && i < GATE_TREES; i++)
		if (there[i] &&
		    (find_config(searches[i]->space, text, &has[i], &k->sides[i].config, e) ||
		     make_key(&k->sides[i], searches[i], e)))
			status = e->status;
	k->recorded = text != NULL;
	if (status == ASC_OK && text)
		note_nearest(k, there, has);
	k->equal = there[GATE_HEAD] && there[GATE_BASE] &&
		   strcmp(k->sides[GATE_HEAD].key, k->sides[GATE_BASE].key) == 0;
	if (there[GATE_HEAD] && there[GATE_BASE])
		k->verdict = k->equal && !g->all ? GATE_UNCHANGED : GATE_CHANGED;
	else
		k->verdict = there[GATE_HEAD] ? GATE_NEW : GATE_GONE;
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

	if (wanted && strcmp(wanted, i->name) != 0)
		return ASC_OK;
	if (tree == GATE_BASE && bound[GATE_HEAD].bound &&
	    workload_find_implementation(f->workloads[GATE_HEAD], i->name))
		return ASC_OK;
	if (add_kernel(g, &k, e))
		return e->status;
	k->workload = f->workloads[tree]->name;
	k->problem = bound[tree].problem->name;
	k->implementation = i->name;
	for (size_t t = 0; t < GATE_TREES; t++)
		if (bound[t].bound && workload_find_implementation(f->workloads[t], i->name))
			k->sides[t].workload = f->workloads[t];
	if (settle(g, k, bound, records, e))
		return asc_err_wrap(e, "%s/%s, %s", k->workload, k->problem, k->implementation);
	/* One that runs on neither side is none of this device's. */
	if (!k->sides[GATE_HEAD].config && !k->sides[GATE_BASE].config)
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
	if (loop_bind(&o, true, &out->binding, e))
		return e->status;
	out->bound = true;
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

		for (size_t i = 0; bound[t].bound && status == ASC_OK && i < w->n_implementations;
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
	if (db)
		status = best_each_of_implementations(db, head ? head->name : base->name, take_best,
						      &records, e);
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

/* Opens the database, if there is one. With --untrusted one that nobody names may be part of the
 * change: it is none. */
static enum asc_status open_db(const struct gate *g, struct db **out, struct asc_err *e)
{
	const struct run_options *o = g->options;
	const char *path = command_db_path(o->db), *named = getenv("ASCTUNE_DB");

	if (!file_exists(path))
		return ASC_OK;
	if (!o->untrusted || o->db || (named && *named))
		return command_open_results(path, out, e);
	log_print(LOG_NOTE, "--untrusted does not read %s: name a database with --db", path);
	return ASC_OK;
}

enum asc_status gate_list_make(struct gate *g, const char *const *paths, size_t n,
			       struct asc_err *e)
{
	struct file_pairs pairs = {0};
	struct db *db = NULL;
	enum asc_status status = ASC_OK;

	for (size_t i = 0; status == ASC_OK && i < n; i++)
		status = add_files(g, paths[i], &pairs, e);
	if (status == ASC_OK)
		status = open_files(g, &pairs, e);
	join_renamed(&pairs);
	if (status == ASC_OK)
		status = open_db(g, &db, e);
	for (size_t i = 0; status == ASC_OK && !*g->stop && i < pairs.n; i++)
		status = add_pair(g, db, &pairs.list[i], e);
	db_close(db);
	pairs_fini(&pairs);
	return status;
}

void gate_fini(struct gate *g)
{
	for (size_t i = 0; i < g->n; i++) {
		for (size_t t = 0; t < GATE_TREES; t++)
			free(g->list[i].sides[t].config);
		free(g->list[i].found);
	}
	for (size_t i = 0; i < g->n_workloads; i++)
		workload_close(g->workloads[i]);
	free(g->workloads);
	free(g->list);
	buf_fini(&g->noted);
}
