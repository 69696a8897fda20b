/* The part of track_history.h that makes series of rows.
 *
 * In four steps: the searches that ended, in the order of their series; what each of them found of
 * each implementation, decided from its trials and finals (results/run_outcome), in one pass over
 * all trials; these outcomes in the order of series; and from each the next point of a series. Rows
 * live as long as the reading. Series own copies of their texts; most are those of the night
 * before, and copied once. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "db/history.h"
#include "db/load.h"
#include "db/statement.h"
#include "reports/results/kept_answers.h"
#include "reports/results/run_outcome.h"
#include "reports/track/track_history.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"

/* Problem, cache policy and device of searches, whatever the implementation; equal places have one
 * address. */
struct place {
	size_t order; /* of its series among all */
	const char *device, *kind, *model, *machine, *workload, *problem, *cache;
};

struct implementation {
	int64_t id;
	const char *name, *code, *toolchain;
};

struct search { /* one run */
	const struct place *of;
	struct track_point facts; /* what its points have in common; no more than that is set */
	const char *problem_key, *baseline;
	double threshold_pct;
	struct outcome *outcomes;
};

struct outcome { /* of one implementation in a run */
	struct outcome *next;
	const struct search *run;
	const struct implementation *by;
	struct run_outcome found;
};

struct numbered { /* place of a run in the list of searches */
	int64_t id;
	size_t at;
};

struct reading {
	struct db *db;
	struct outcome_storage storage; /* of all texts and rows below */
	struct search *searches;        /* in the order of series, then of time */
	struct numbered *by_id;
	size_t n, room;
	struct implementation *implementations; /* by their numbers */
	size_t n_implementations;
	struct outcome **outcomes;
	size_t n_outcomes;
	struct search *last; /* search of the row before: trials of a run mostly lie together */
	int64_t last_id;
};

/* ---- searches and implementations ---- */

char *track_history_device(const char *kind, const char *model, const char *machine)
{
	return str_print("%s: %s%s%s", kind, model ? model : "", machine && *machine ? " " : "",
			 machine ? machine : "");
}

/* Takes the next text; `known` where that is equal, as it mostly is to that of the row before.
 * NULL reads as "". */
static enum asc_status take_text(struct reading *r, struct statement *s, const char *known,
				 const char **out, struct asc_err *e)
{
	const char *text = statement_take_text(s);

	text = text ? text : "";
	*out = known && strcmp(known, text) == 0 ? known : arena_copy(&r->storage.arena, text);
	return *out ? ASC_OK : asc_err_nomem(e);
}

/* Takes the texts of a place: those of the row before where that is of the same place. */
static enum asc_status take_place(struct reading *r, struct statement *s, size_t order,
				  const struct place *last, const struct place **out,
				  struct asc_err *e)
{
	struct place p = *last;

	if (take_text(r, s, last->kind, &p.kind, e) || take_text(r, s, last->model, &p.model, e) ||
	    take_text(r, s, last->machine, &p.machine, e) ||
	    take_text(r, s, last->workload, &p.workload, e) ||
	    take_text(r, s, last->problem, &p.problem, e) ||
	    take_text(r, s, last->cache, &p.cache, e))
		return e->status;
	*out = last;
	if (order == last->order)
		return ASC_OK;
	char *device = track_history_device(p.kind, p.model, p.machine);
	struct place *own = arena_alloc(&r->storage.arena, sizeof *own);

	p.device = device ? arena_copy(&r->storage.arena, device) : NULL;
	p.order = order;
	free(device);
	if (!own || !p.device)
		return asc_err_nomem(e);
	*own = p;
	*out = own;
	return ASC_OK;
}

static enum asc_status take_search(struct reading *r, struct statement *s, struct asc_err *e)
{
	static const struct place nowhere; /* places have numbers from 1 */

	if (!array_room(&r->searches, r->n, &r->room, sizeof *r->searches))
		return asc_err_nomem(e);
	struct search *own = &r->searches[r->n];
	const struct search *last = r->n ? own - 1 : &(struct search){.of = &nowhere};
	struct track_point *p = &own->facts;
	const size_t order = (size_t)statement_take_int(s);

	*own = (struct search){0};
	p->run_id = statement_take_int(s);
	p->started_ms = statement_take_int(s);
	if (take_place(r, s, order, last->of, &own->of, e) ||
	    take_text(r, s, last->facts.fingerprint, &p->fingerprint, e) ||
	    take_text(r, s, last->facts.driver, &p->driver, e) ||
	    take_text(r, s, last->facts.arch, &p->arch, e) ||
	    take_text(r, s, last->facts.clock, &p->clock, e) ||
	    take_text(r, s, last->facts.version, &p->version, e) ||
	    take_text(r, s, last->facts.commit, &p->commit, e))
		return e->status;
	p->unsteady = statement_take_int(s) != 0;
	if (take_text(r, s, last->problem_key, &own->problem_key, e) ||
	    take_text(r, s, last->baseline, &own->baseline, e))
		return e->status;
	own->threshold_pct = statement_take_real(s);
	p->of_gate = statement_take_int(s) != 0;
	r->n++;
	return ASC_OK;
}

/* Order of places, then of time. */
static int compare_searches(const void *a, const void *b)
{
	const struct search *x = a, *y = b;

	if (x->of != y->of)
		return x->of->order < y->of->order ? -1 : 1;
	if (x->facts.started_ms != y->facts.started_ms)
		return x->facts.started_ms < y->facts.started_ms ? -1 : 1;
	return (x->facts.run_id > y->facts.run_id) - (x->facts.run_id < y->facts.run_id);
}

static int compare_numbers(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static enum asc_status read_searches(struct reading *r, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	history_load_runs(&s, r->db);
	while (statement_next(&s, &status, e))
		status = take_search(r, &s, e);
	if (status != ASC_OK)
		return status;
	r->by_id = calloc(r->n + 1, sizeof *r->by_id);
	if (!r->by_id)
		return asc_err_nomem(e);
	if (r->n > 0)
		qsort(r->searches, r->n, sizeof *r->searches, compare_searches);
	for (size_t i = 0; i < r->n; i++)
		r->by_id[i] = (struct numbered){r->searches[i].facts.run_id, i};
	qsort(r->by_id, r->n, sizeof *r->by_id, compare_numbers);
	return ASC_OK;
}

static enum asc_status read_implementations(struct reading *r, struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;
	size_t room = 0;

	history_load_implementations(&s, r->db);
	while (statement_next(&s, &status, e)) {
		if (!array_room(&r->implementations, r->n_implementations, &room,
				sizeof *r->implementations)) {
			status = asc_err_nomem(e);
			continue;
		}
		struct implementation *i = &r->implementations[r->n_implementations];

		*i = (struct implementation){.id = statement_take_int(&s)};
		if (!take_text(r, &s, NULL, &i->name, e) && !take_text(r, &s, NULL, &i->code, e))
			(void)take_text(r, &s, NULL, &i->toolchain, e);
		status = i->toolchain ? ASC_OK : e->status;
		r->n_implementations++;
	}
	return status;
}

/* ---- what each search found ---- */

static int compare_implementations(const void *a, const void *b)
{
	const struct implementation *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Takes run and implementation of a row; *out NULL: the run is none of the searches. */
static enum asc_status take_outcome(struct reading *r, struct statement *s, struct outcome **out,
				    struct asc_err *e)
{
	const struct numbered wanted = {.id = statement_take_int(s)};
	const struct implementation by = {.id = statement_take_int(s)};

	*out = NULL;
	if (wanted.id != r->last_id) {
		const struct numbered *found =
			bsearch(&wanted, r->by_id, r->n, sizeof *r->by_id, compare_numbers);

		r->last = found ? &r->searches[found->at] : NULL;
		r->last_id = wanted.id;
	}
	if (!r->last)
		return ASC_OK;
	/* A run has a handful of implementations. */
	struct outcome *o = r->last->outcomes;

	while (o && o->by->id != by.id)
		o = o->next;
	if (!o) {
		const struct implementation *own =
			r->n_implementations > 0
				? bsearch(&by, r->implementations, r->n_implementations, sizeof by,
					  compare_implementations)
				: NULL;

		if (!own) /* the row that it refers to is missing: the database is damaged */
			return ASC_OK;
		o = arena_alloc(&r->storage.arena, sizeof *o);
		if (!o)
			return asc_err_nomem(e);
		*o = (struct outcome){.next = r->last->outcomes, .run = r->last, .by = own};
		run_outcome_init(&o->found);
		r->last->outcomes = o;
		r->n_outcomes++;
	}
	*out = o;
	return ASC_OK;
}

/* NULL, which only a damaged database has here, reads as "". */
static const char *take_key(struct statement *s)
{
	const char *text = statement_take_text(s);

	return text ? text : "";
}

/* Takes the outcomes that the database keeps, but for stale subjects; *any: there are some. */
static enum asc_status read_kept(struct reading *r, const struct subject_keys *stale, bool *any,
				 struct asc_err *e)
{
	struct statement s;
	enum asc_status status = ASC_OK;

	*any = false;
	history_load_outcomes(&s, r->db);
	while (statement_next(&s, &status, e)) {
		struct outcome *o;
		struct subject_key of = {.device_id = statement_take_int(&s)};

		of.problem_id = statement_take_int(&s);
		*any = true;
		if (subject_keys_has(stale, &of))
			continue;
		status = take_outcome(r, &s, &o, e);
		if (!o)
			continue;
		const char *key = statement_take_text(&s);

		o->found.tried = true;
		o->found.config_key = key ? arena_copy(&r->storage.arena, key) : NULL;
		o->found.trial_id = statement_take_int(&s);
		o->found.ns = statement_take_real(&s);
		o->found.clock_mhz = statement_take_real(&s);
		o->found.passed = statement_take_int(&s);
		o->found.failed = statement_take_int(&s);
		if (key && !o->found.config_key)
			status = asc_err_nomem(e);
	}
	return status;
}

static enum asc_status add_final(struct reading *r, struct run_outcome *found, struct statement *s,
				 struct asc_err *e)
{
	struct outcome_final f = {.config_hash = statement_take_int(s)};

	f.config_key = take_key(s);
	f.winner = statement_take_int(s) != 0;
	f.median_ns = statement_take_real(s);
	f.clock_mhz = statement_take_real(s);
	return run_outcome_add_final(found, &f, &r->storage, e);
}

static enum asc_status add_count(struct reading *r, struct run_outcome *found, struct statement *s,
				 struct asc_err *e)
{
	enum result_status status = RESULT_STATUS_COUNT;

	(void)r, (void)e;
	(void)result_status_parse(take_key(s), &status);
	run_outcome_add_count(found, status, statement_take_int(s));
	return ASC_OK;
}

static enum asc_status add_trial(struct reading *r, struct run_outcome *found, struct statement *s,
				 struct asc_err *e)
{
	struct outcome_trial t = {.id = statement_take_int(s)};

	t.config_hash = statement_take_int(s);
	t.config_key = take_key(s);
	if (!result_status_parse(take_key(s), &t.status))
		t.status = RESULT_STATUS_COUNT;
	t.median_ns = statement_take_real(s);
	t.clock_mhz = statement_take_real(s);
	return run_outcome_add_trial(found, &t, &r->storage, e);
}

/* Adds each row of a statement to the outcome that it belongs to. */
static enum asc_status read_rows(struct reading *r, struct statement *s,
				 enum asc_status (*add)(struct reading *r,
							struct run_outcome *found,
							struct statement *s, struct asc_err *e),
				 struct asc_err *e)
{
	enum asc_status status = ASC_OK;

	while (statement_next(s, &status, e)) {
		struct outcome *o;

		status = take_outcome(r, s, &o, e);
		if (o)
			status = add(r, &o->found, s, e);
	}
	return status;
}

/* Reads what runs found: as it is kept, and from the trials of the subjects whose results have
 * changed since. Stale subjects are listed first: whatever another process changes or works out
 * meanwhile, each subject is read in one of the two ways. */
static enum asc_status read_outcomes(struct reading *r, struct asc_err *e)
{
	struct subject_keys stale = {0};
	struct statement s;
	bool kept = false;
	enum asc_status status = subject_keys_read_stale(&stale, r->db, NULL, e);

	if (status == ASC_OK)
		status = read_kept(r, &stale, &kept, e);
	/* If none is kept, all are read in the order of their tables, which is faster. */
	if (status == ASC_OK && !kept) {
		history_load_finals(&s, r->db);
		status = read_rows(r, &s, add_final, e);
	}
	if (status == ASC_OK && !kept) {
		history_load_counts(&s, r->db);
		status = read_rows(r, &s, add_count, e);
	}
	if (status == ASC_OK && !kept) {
		history_load_trials(&s, r->db);
		status = read_rows(r, &s, add_trial, e);
	}
	if (status == ASC_OK && kept) {
		history_load_trials_of_gates(&s, r->db);
		status = read_rows(r, &s, add_trial, e);
	}
	for (size_t i = 0; i < stale.n && kept && status == ASC_OK; i++) {
		const struct subject_key *of = &stale.list[i];

		history_load_finals_of(&s, r->db, of->device_id, of->problem_id);
		status = read_rows(r, &s, add_final, e);
		if (status != ASC_OK)
			continue;
		load_tried(&s, r->db, of->device_id, of->problem_id);
		status = read_rows(r, &s, add_count, e);
		if (status != ASC_OK)
			continue;
		history_load_trials_of(&s, r->db, of->device_id, of->problem_id);
		status = read_rows(r, &s, add_trial, e);
	}
	free(stale.list);
	return status;
}

/* Order of series, then of time: that of searches, but for implementations, each of which has its
 * own series. */
static int compare_outcomes(const void *a, const void *b)
{
	const struct outcome *x = *(struct outcome *const *)a, *y = *(struct outcome *const *)b;

	if (x->run->of != y->run->of)
		return x->run->of->order < y->run->of->order ? -1 : 1;
	const int order = x->by == y->by ? 0 : strcmp(x->by->name, y->by->name);

	if (order)
		return order;
	if (x->run != y->run)
		return x->run < y->run ? -1 : 1;
	return (x->by->id > y->by->id) - (x->by->id < y->by->id);
}

static enum asc_status sort_outcomes(struct reading *r, struct asc_err *e)
{
	size_t n = 0;

	r->outcomes = calloc(r->n_outcomes + 1, sizeof(struct outcome *));
	if (!r->outcomes)
		return asc_err_nomem(e);
	for (size_t i = 0; i < r->n; i++)
		for (struct outcome *o = r->searches[i].outcomes; o; o = o->next) {
			if (!o->found.tried) /* all of it was resumed from an earlier run */
				continue;
			run_outcome_decide(&o->found);
			r->outcomes[n++] = o;
		}
	r->n_outcomes = n;
	qsort(r->outcomes, n, sizeof(struct outcome *), compare_outcomes);
	return ASC_OK;
}

/* ---- series ---- */

struct writer { /* of one history */
	struct track_history *h;
	const struct place *of; /* of its newest series, and its implementation */
	const char *implementation;
	size_t points_room, series_room;
};

/* Copy of a text that the history owns, or `known` when that is equal; NULL when out of memory. */
static const char *keep(struct writer *w, const char *known, const char *text)
{
	return known && strcmp(known, text) == 0 ? known : arena_copy(&w->h->texts, text);
}

static enum asc_status begin_series(struct writer *w, const struct outcome *o, struct asc_err *e)
{
	struct track_history *h = w->h;
	const struct place *at = o->run->of;
	size_t room = w->series_room;

	if (!array_room(&h->list, h->n, &room, sizeof *h->list) ||
	    !array_room(&h->first, h->n, &w->series_room, sizeof *h->first))
		return asc_err_nomem(e);
	struct track_series *s = &h->list[h->n];
	const struct track_series *last = h->n ? s - 1 : &(struct track_series){0};
	char *name = str_print("%s %s/%s %s %s", at->device, at->workload, at->problem, o->by->name,
			       at->cache);

	if (!name)
		return asc_err_nomem(e);
	*s = (struct track_series){.device = keep(w, last->device, at->device),
				   .machine = keep(w, last->machine, at->machine),
				   .workload = keep(w, last->workload, at->workload),
				   .problem = keep(w, last->problem, at->problem),
				   .cache = keep(w, last->cache, at->cache),
				   .implementation = keep(w, last->implementation, o->by->name),
				   .metric = TRACK_TIME,
				   .problem_key = keep(w, last->problem_key, o->run->problem_key),
				   .baseline_names = last->baseline_names,
				   .name = keep(w, NULL, name)};
	free(name);
	if (!s->device || !s->machine || !s->workload || !s->problem || !s->cache ||
	    !s->implementation || !s->name || !s->problem_key)
		return asc_err_nomem(e);
	w->of = at;
	w->implementation = o->by->name;
	h->first[h->n++] = h->n_points;
	return ASC_OK;
}

static enum asc_status add_point(struct writer *w, struct track_series *s, const struct outcome *o,
				 struct asc_err *e)
{
	static const size_t texts[] = {
		offsetof(struct track_point, config),    offsetof(struct track_point, fingerprint),
		offsetof(struct track_point, driver),    offsetof(struct track_point, arch),
		offsetof(struct track_point, clock),     offsetof(struct track_point, code),
		offsetof(struct track_point, toolchain), offsetof(struct track_point, version),
		offsetof(struct track_point, commit)};
	struct track_history *h = w->h;

	if (!array_room(&h->points, h->n_points, &w->points_room, sizeof *h->points))
		return asc_err_nomem(e);
	struct track_point *p = &h->points[h->n_points];
	const struct track_point *last = s->n ? p - 1 : &(struct track_point){0};

	*p = o->run->facts;
	p->config = o->found.config_key;
	p->code = o->by->code;
	p->toolchain = o->by->toolchain;
	p->trial_id = o->found.trial_id;
	p->ns = p->value = o->found.ns;
	p->clock_mhz = o->found.clock_mhz;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const char **text = (const char **)(void *)((char *)p + texts[i]);

		*text = keep(w, *(const char *const *)(const void *)((const char *)last + texts[i]),
			     *text);
		if (!*text)
			return asc_err_nomem(e);
	}
	h->n_points++;
	s->n++;
	s->newest_ns = p->ns;
	return ASC_OK;
}

/* Adds what a run found to its series: a point where something passed, and else the news that
 * nothing does. */
static enum asc_status add_outcome(struct writer *w, const struct outcome *o, struct asc_err *e)
{
	struct track_history *h = w->h;
	const struct search *run = o->run;
	const bool measured = isfinite(o->found.ns);
	const bool broken = o->found.failed > 0 && o->found.passed == 0;

	if (!run->of) /* of a damaged database */
		return ASC_OK;
	if (w->of != run->of || !w->implementation || strcmp(w->implementation, o->by->name) != 0) {
		/* A series begins with a run that says something. */
		if (!measured && !broken)
			return ASC_OK;
		if (begin_series(w, o, e))
			return e->status;
	}
	struct track_series *s = &h->list[h->n - 1];

	/* Another problem under the old name begins a new history: times of both are not of one
	 * level. */
	if (strcmp(s->problem_key, run->problem_key) != 0) {
		s->problem_key = keep(w, NULL, run->problem_key);
		h->n_points -= s->n;
		s->n = 0;
		s->newest_ns = 0;
		if (!s->problem_key)
			return asc_err_nomem(e);
	}
	if (measured && add_point(w, s, o, e))
		return e->status;
	s->baseline_names = keep(w, s->baseline_names, run->baseline);
	if (!s->baseline_names)
		return asc_err_nomem(e);
	s->broken = broken && !measured;
	s->wanted_pct = run->threshold_pct;
	s->newest_run = run->facts.run_id;
	s->newest_ms = run->facts.started_ms;
	if (s->newest_ms > h->newest_ms)
		h->newest_ms = s->newest_ms;
	return ASC_OK;
}

static bool is_chosen(const struct track_choice *c, const struct search *r)
{
	const struct track_point *f = &r->facts;

	if (!c->last_run && f->of_gate)
		return false;
	return (!c->last_run || (c->first_run <= f->run_id && f->run_id <= c->last_run)) &&
	       (!c->until_ms || (c->from_ms <= f->started_ms && f->started_ms < c->until_ms)) &&
	       (!c->device || strcmp(c->device, r->of->model) == 0);
}

static enum asc_status write_history(const struct reading *r, const struct track_choice *which,
				     struct track_history **out, struct asc_err *e)
{
	struct writer w = {.h = calloc(1, sizeof *w.h)};
	enum asc_status status = w.h ? ASC_OK : asc_err_nomem(e);

	*out = w.h;
	for (size_t i = 0; i < r->n_outcomes && status == ASC_OK; i++)
		if (is_chosen(which, r->outcomes[i]->run))
			status = add_outcome(&w, r->outcomes[i], e);
	if (w.h)
		w.h->n_all = w.h->n;
	return status;
}

enum asc_status track_history_read(struct db *d, const struct track_choice *which, size_t n,
				   struct track_history **out, struct asc_err *e)
{
	struct reading r = {.db = d};
	enum asc_status status = read_searches(&r, e);

	if (status == ASC_OK)
		status = read_implementations(&r, e);
	if (status == ASC_OK)
		status = read_outcomes(&r, e);
	if (status == ASC_OK)
		status = sort_outcomes(&r, e);
	for (size_t i = 0; i < n; i++)
		out[i] = NULL;
	for (size_t i = 0; i < n && status == ASC_OK; i++)
		status = write_history(&r, &which[i], &out[i], e);
	for (size_t i = 0; i < n && status != ASC_OK; i++) {
		track_history_free(out[i]);
		out[i] = NULL;
	}
	outcome_storage_fini(&r.storage);
	free(r.searches);
	free(r.by_id);
	free(r.implementations);
	free(r.outcomes);
	return status;
}

void track_history_free(struct track_history *h)
{
	if (!h)
		return;
	for (size_t k = 0; k < h->n_all; k++)
		track_series_fini(&h->list[k]);
	arena_fini(&h->texts);
	free(h->list);
	free(h->first);
	free(h->points);
	free(h->values);
	free(h);
}

const struct track_point *track_history_points(const struct track_history *h, size_t series)
{
	return h->points + h->first[series];
}
