#include "reports/results/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "db/load.h"
#include "tuner/base/array.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"

struct reading { /* what is needed until all rows are there */
	struct snapshot *s;
	struct db *db;
	struct run_row **by_id; /* runs in the order of their numbers */
	struct run_row *last;   /* run of the last row: rows of one follow each other */
	struct implementation_row *last_implementation; /* the same of implementations */
	struct intern configs;                          /* of s->configs */
	size_t configs_room;
};

/* ---- texts and rows in the arena ---- */

/* Copies the next text; NULL stays NULL. */
static enum asc_status copy_text(struct reading *r, struct statement *s, const char **out,
				 struct asc_err *e)
{
	const char *text = statement_take_text(s);

	*out = text ? arena_copy(&r->s->arena, text) : NULL;
	return text && !*out ? asc_err_nomem(e) : ASC_OK;
}

/* Copies the next texts of a list of members, which NULL ends. */
static enum asc_status copy_texts(struct reading *r, struct statement *s,
				  const char **const *members, struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	for (; *members && status == ASC_OK; members++)
		status = copy_text(r, s, *members, e);
	return status;
}

static void *add_row(struct reading *r, size_t size, struct asc_err *e)
{
	void *row = arena_alloc(&r->s->arena, size);

	if (!row)
		asc_err_nomem(e);
	return row;
}

static int compare_ids(const void *a, const void *b)
{
	const int64_t x = (*(struct run_row *const *)a)->id, y = (*(struct run_row *const *)b)->id;

	return (x > y) - (x < y);
}

/* Run of that number, NULL where it is not one of the subject's. */
static struct run_row *find_run(struct reading *r, int64_t id)
{
	const struct run_row key = {.id = id}, *const wanted = &key;

	if (!r->last || r->last->id != id) { /* rows of a run follow each other, mostly */
		struct run_row **found = r->by_id ? bsearch(&wanted, r->by_id, r->s->n_runs,
							    sizeof(struct run_row *), compare_ids)
						  : NULL;

		r->last = found ? *found : NULL;
	}
	return r->last;
}

static struct implementation_row *find_implementation(struct reading *r, int64_t id)
{
	struct implementation_row *i = r->last_implementation;

	if (i && i->id == id)
		return i;
	i = r->s->implementations; /* few: a list is enough */
	while (i && i->id != id)
		i = i->next;
	r->last_implementation = i;
	return i;
}

static struct implementation_row *add_implementation(struct reading *r, int64_t id,
						     const char *name, struct asc_err *e)
{
	struct implementation_row *i = add_row(r, sizeof *i, e);

	if (!i)
		return NULL;
	i->id = id;
	i->name = arena_copy(&r->s->arena, name ? name : "");
	if (!i->name) {
		asc_err_nomem(e);
		return NULL;
	}
	i->next = r->s->implementations;
	r->s->implementations = i;
	return i;
}

/* Implementation of a result; of one that took part in no run, as only other programs record it,
 * the name is asked for. */
static struct implementation_row *get_implementation(struct reading *r, int64_t id,
						     struct asc_err *e)
{
	struct implementation_row *i = find_implementation(r, id);
	struct statement s;
	bool found;

	if (i)
		return i;
	load_implementation(&s, r->db, id);
	if (statement_step(&s, &found, e) == ASC_OK)
		i = add_implementation(r, id, found ? statement_take_text(&s) : NULL, e);
	statement_end(&s);
	return i;
}

struct wanted_config {
	const struct snapshot *s;
	struct config_row row;
};

static bool is_config(const void *user, uint32_t id)
{
	const struct wanted_config *w = user;
	const struct config_row *c = w->s->configs[id];

	return c->of == w->row.of && strcmp(c->key, w->row.key) == 0;
}

/* Place of a configuration among those that were read; INTERN_NONE: it was not. */
static uint32_t find_config(const struct reading *r, const struct wanted_config *w, uint64_t *mixed)
{
	/* The hash of a key is the same whatever implementation it is of. */
	*mixed = hash_bytes(w->row.key, strlen(w->row.key)) ^ (uint64_t)w->row.of->id << 20;
	return intern_find(&r->configs, *mixed, is_config, w);
}

/* Takes implementation, hash and key of a row's configuration; the same row for the same ones. */
static struct config_row *take_config(struct reading *r, struct statement *s, struct asc_err *e)
{
	const int64_t implementation = statement_take_int(s), hash = statement_take_int(s);
	const char *key = statement_take_text(s);
	struct snapshot *to = r->s;
	const struct implementation_row *of = get_implementation(r, implementation, e);
	const struct wanted_config wanted = {to, {.of = of, .hash = hash, .key = key ? key : ""}};

	if (!of)
		return NULL;
	uint64_t mixed;
	const uint32_t known = find_config(r, &wanted, &mixed);

	if (known != INTERN_NONE)
		return to->configs[known];
	struct config_row *c = add_row(r, sizeof *c, e);

	if (!c)
		return NULL;
	*c = wanted.row;
	c->key = arena_copy(&to->arena, wanted.row.key);
	if (!c->key ||
	    !array_room(&to->configs, to->n_configs, &r->configs_room,
			sizeof(struct config_row *)) ||
	    !intern_add(&r->configs, mixed, (uint32_t)to->n_configs)) {
		asc_err_nomem(e);
		return NULL;
	}
	to->configs[to->n_configs++] = c;
	return c;
}

/* ---- tables ---- */

static enum asc_status read_subject(struct reading *r, int64_t device_id, int64_t problem_id,
				    bool *found, struct asc_err *e)
{
	struct subject *to = add_row(r, sizeof *to, e);
	struct statement s;

	if (!to)
		return e->status;
	*to = (struct subject){.device_id = device_id, .problem_id = problem_id};
	r->s->subject = to;
	load_names(&s, r->db, device_id, problem_id);
	enum asc_status status = statement_step(&s, found, e);
	if (status == ASC_OK && *found)
		status = copy_texts(r, &s,
				    (const char **const[]){&to->workload, &to->problem,
							   &to->problem_key, &to->device_kind,
							   &to->device_model, &to->fingerprint,
							   &to->machine, NULL},
				    e);
	statement_end(&s);
	return status;
}

/* The address of a policy that an earlier run has, so that equal ones are equal pointers. */
static const char *share_policy(const struct snapshot *s, const char *policy)
{
	for (size_t i = 0; policy && i < s->n_runs; i++)
		if (s->runs[i].cache_policy && strcmp(s->runs[i].cache_policy, policy) == 0)
			return s->runs[i].cache_policy;
	return policy;
}

static enum asc_status take_run(struct reading *r, struct statement *s, struct run_row *to,
				struct asc_err *e)
{
	*to = (struct run_row){.id = statement_take_int(s)};
	if (copy_text(r, s, &to->cache_policy, e))
		return e->status;
	to->cache_policy = share_policy(r->s, to->cache_policy);
	to->simulated = statement_take_int(s);
	to->started_ms = statement_take_int(s);
	to->decided = statement_take_int(s);
	if (copy_text(r, s, &to->sure, e))
		return e->status;
	to->noise_pct = statement_take_real(s);
	const char *names = statement_take_text(s);
	char *own = names ? arena_copy(&r->s->arena, names) : NULL;

	if (names && !own)
		return asc_err_nomem(e);
	to->baselines = baselines_split(own);
	const int64_t finals = statement_take_int(s);

	to->finals_policy = finals < 0   ? FINALS_UNREADABLE
			    : finals > 0 ? FINALS_ASKED
					 : FINALS_UNASKED;
	return ASC_OK;
}

static enum asc_status read_runs(struct reading *r, struct asc_err *e)
{
	struct snapshot *to = r->s;
	enum asc_status status = ASC_OK;
	struct statement s;
	size_t room = 0;

	load_runs(&s, r->db, to->subject->device_id, to->subject->problem_id);
	while (statement_next(&s, &status, e))
		if (!array_room(&to->runs, to->n_runs, &room, sizeof *to->runs))
			status = asc_err_nomem(e);
		else if (!(status = take_run(r, &s, &to->runs[to->n_runs], e)))
			to->n_runs++;
	/* From here on runs stay where they are, and may be referred to. */
	if (status == ASC_OK && to->n_runs > 0) {
		r->by_id = malloc(to->n_runs * sizeof(struct run_row *));
		if (!r->by_id)
			return asc_err_nomem(e);
		for (size_t i = 0; i < to->n_runs; i++)
			r->by_id[i] = &to->runs[i];
		qsort(r->by_id, to->n_runs, sizeof(struct run_row *), compare_ids);
	}
	return status;
}

/* True where a run with this name was read before, which is a newer one. */
static bool is_known_name(const struct reading *r, const char *name)
{
	for (const struct implementation_row *i = r->s->implementations; i; i = i->next)
		if (strcmp(i->name, name) == 0)
			return true;
	return false;
}

/* Reads which implementations took part, newest run first: of each name the first one is current,
 * where that run was of this problem, and results of all others are history. */
static enum asc_status read_participants(struct reading *r, struct asc_err *e)
{
	const struct subject *of = r->s->subject;
	enum asc_status status = ASC_OK;
	struct statement s;

	load_participants(&s, r->db, of->device_id, of->problem_id);
	while (statement_next(&s, &status, e)) {
		struct run_row *run = find_run(r, statement_take_int(&s));
		/* An edited problem has another row; its runs say what is current here, too. */
		const bool own = statement_take_int(&s) == of->problem_id;
		const int64_t id = statement_take_int(&s);
		const char *name = statement_take_text(&s);
		struct implementation_row *i = find_implementation(r, id);

		if (!i) {
			const bool current = own && !is_known_name(r, name ? name : "");

			i = add_implementation(r, id, name, e);
			if (!i) {
				status = e->status;
				continue;
			}
			i->current = current;
		}
		if (!own || !run)
			continue;
		struct participant_row *p = add_row(r, sizeof *p, e);

		if (!p) {
			status = e->status;
			continue;
		}
		*p = (struct participant_row){run->participants, i};
		run->participants = p;
	}
	return status;
}

static enum asc_status read_trials(struct reading *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	load_trials(&s, r->db, r->s->subject->device_id, r->s->subject->problem_id);
	while (statement_next(&s, &status, e)) {
		struct run_row *run = find_run(r, statement_take_int(&s));
		const int64_t id = statement_take_int(&s);
		struct config_row *c = take_config(r, &s, e);
		struct trial_row *t = c ? add_row(r, sizeof *t, e) : NULL;

		if (!t) {
			status = e->status;
			continue;
		}
		if (!run) /* begun meanwhile by another process */
			continue;
		*t = (struct trial_row){.next = run->trials,
					.next_of_config = c->trials,
					.id = id,
					.run = run,
					.config = c,
					.status = RESULT_STATUS_COUNT};
		/* A status of a newer version decides nothing. */
		(void)result_status_parse(statement_take_text(&s), &t->status);
		t->is_default = statement_take_int(&s);
		t->recorded_ms = statement_take_int(&s);
		t->n_samples = statement_take_int(&s);
		t->median_ns = statement_take_real(&s);
		t->min_ns = statement_take_real(&s);
		t->max_ns = statement_take_real(&s);
		t->low_ns = statement_take_real(&s);
		t->high_ns = statement_take_real(&s);
		t->clock_mhz = statement_take_real(&s);
		run->trials = c->trials = t;
	}
	return status;
}

/* Implementations are those that took part in some run. */
static enum asc_status read_tried(struct reading *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	load_tried(&s, r->db, r->s->subject->device_id, r->s->subject->problem_id);
	while (statement_next(&s, &status, e)) {
		struct run_row *run = find_run(r, statement_take_int(&s));
		const struct implementation_row *of =
			find_implementation(r, statement_take_int(&s));
		struct tried_row *x = run && of ? add_row(r, sizeof *x, e) : NULL;

		if (!run || !of)
			continue;
		if (!x) {
			status = e->status;
			continue;
		}
		*x = (struct tried_row){
			.next = run->tried, .of = of, .status = RESULT_STATUS_COUNT};
		(void)result_status_parse(statement_take_text(&s), &x->status);
		x->n = statement_take_int(&s);
		run->tried = x;
	}
	return status;
}

static enum asc_status read_finals(struct reading *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	load_finals(&s, r->db, r->s->subject->device_id, r->s->subject->problem_id);
	while (statement_next(&s, &status, e)) {
		struct run_row *run = find_run(r, statement_take_int(&s));
		struct config_row *c = take_config(r, &s, e);
		struct final_row *f = c ? add_row(r, sizeof *f, e) : NULL;

		if (!f) {
			status = e->status;
			continue;
		}
		if (!run) /* as for trials */
			continue;
		f->config = c;
		f->winner = statement_take_int(&s);
		status = copy_text(r, &s, &f->standing, e);
		f->ratio = statement_take_real(&s);
		f->median_ns = statement_take_real(&s);
		f->clock_mhz = statement_take_real(&s);
		f->next = run->finals;
		run->finals = f;
	}
	return status;
}

static enum asc_status read_energies(struct reading *r, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	load_energies(&s, r->db, r->s->subject->device_id, r->s->subject->problem_id);
	while (statement_next(&s, &status, e)) {
		struct run_row *run = find_run(r, statement_take_int(&s));
		const struct implementation_row *of =
			find_implementation(r, statement_take_int(&s));
		const char *key = statement_take_text(&s);
		const struct wanted_config wanted = {r->s, {.of = of, .key = key ? key : ""}};
		uint64_t mixed;
		const uint32_t known = of ? find_config(r, &wanted, &mixed) : INTERN_NONE;

		/* A configuration without a trial does not stand, whatever it takes. */
		if (!run || known == INTERN_NONE)
			continue;
		struct energy_row *x = add_row(r, sizeof *x, e);

		if (!x) {
			status = e->status;
			continue;
		}
		*x = (struct energy_row){.next = run->energies, .config = r->s->configs[known]};
		x->joules = statement_take_real(&s);
		x->low = statement_take_real(&s);
		x->high = statement_take_real(&s);
		run->energies = x;
	}
	return status;
}

/* ---- all of them ---- */

enum asc_status snapshot_read(struct db *d, int64_t device_id, int64_t problem_id,
			      struct snapshot *out, struct asc_err *e)
{
	struct reading r = {.s = out, .db = d};
	bool found = false;

	*out = (struct snapshot){0};
	enum asc_status status = read_subject(&r, device_id, problem_id, &found, e);
	/* Rows come after what they refer to. */
	if (status == ASC_OK && found)
		status = read_runs(&r, e);
	if (status == ASC_OK && found)
		status = read_participants(&r, e);
	if (status == ASC_OK && found)
		status = read_trials(&r, e);
	if (status == ASC_OK && found)
		status = read_tried(&r, e);
	if (status == ASC_OK)
		status = read_finals(&r, e);
	if (status == ASC_OK && found)
		status = read_energies(&r, e);
	intern_fini(&r.configs);
	free(r.by_id);
	if (status != ASC_OK)
		snapshot_fini(out);
	return status;
}

void snapshot_fini(struct snapshot *s)
{
	free(s->runs);
	free(s->configs);
	arena_fini(&s->arena);
	*s = (struct snapshot){0};
}
