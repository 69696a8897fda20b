#include "reports/results/today.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "db/load.h"
#include "reports/results/stands.h"
#include "tuner/base/arena.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/base/hash.h"
#include "tuner/base/intern.h"

/* Most configurations never failed, and of nearly all that did the newest trial says so. So
 * failures are read, and of the configurations that have one the trials that may outweigh it; the
 * rows of a visit are then looked up among what is left. A visit of one run asks for its own
 * configurations only. Which contents are current is a question of all runs, and asked for where
 * rows of several runs are visited. */

struct withdrawn { /* a configuration that failed and has not passed since */
	int64_t device_id, problem_id, implementation_id;
	const char *config_key;
	int64_t trial_id; /* the newest trial that failed */
};

struct lost { /* trials of a run that passed and were withdrawn */
	int64_t run_id, passed;
	int64_t repeated; /* of these, those whose configuration failed later in the same run */
};

struct content { /* implementation whose content is the newest on a device and problem */
	int64_t device_id, problem_id, implementation_id;
};

struct today { /* what no longer counts */
	struct arena arena;
	struct withdrawn **list;
	size_t n, room;
	struct intern known; /* of the list */
	struct lost *lost;   /* by run */
	size_t n_lost, lost_room;
	struct content *contents; /* in their order */
	size_t n_contents, contents_room;
};

static void today_fini(struct today *t)
{
	arena_fini(&t->arena);
	free(t->list);
	intern_fini(&t->known);
	free(t->lost);
	free(t->contents);
	*t = (struct today){0};
}

/* ---- withdrawn configurations ---- */

static uint64_t hash_of(const struct withdrawn *w)
{
	return hash_bytes(w->config_key, strlen(w->config_key)) ^ (uint64_t)w->problem_id << 40 ^
	       (uint64_t)w->implementation_id << 20 ^ (uint64_t)w->device_id;
}

static bool is_same(const struct withdrawn *x, const struct withdrawn *y)
{
	return x->problem_id == y->problem_id && x->implementation_id == y->implementation_id &&
	       x->device_id == y->device_id && strcmp(x->config_key, y->config_key) == 0;
}

struct asked {
	const struct today *today;
	const struct withdrawn *row;
};

static bool is_asked(const void *user, uint32_t id)
{
	const struct asked *a = user;

	return is_same(a->today->list[id], a->row);
}

/* Finds a configuration among the withdrawn ones; NULL: it still counts. */
static const struct withdrawn *find_withdrawn(const struct today *t, int64_t device_id,
					      int64_t problem_id, int64_t implementation_id,
					      const char *config_key)
{
	const struct withdrawn row = {device_id, problem_id, implementation_id,
				      config_key ? config_key : "", 0};
	const struct asked a = {t, &row};
	const uint32_t found =
		t->n ? intern_find(&t->known, hash_of(&row), is_asked, &a) : INTERN_NONE;

	return found == INTERN_NONE ? NULL : t->list[found];
}

/* The same where only those of one run were read, which all have its device and problem. */
static bool is_withdrawn(const struct today *t, int64_t implementation_id, const char *config_key)
{
	return t->n > 0 && find_withdrawn(t, t->list[0]->device_id, t->list[0]->problem_id,
					  implementation_id, config_key);
}

/* Adds a configuration, whose text is in the arena. */
static enum asc_status add_withdrawn(struct today *t, const struct withdrawn *of, int64_t trial_id,
				     struct asc_err *e)
{
	struct withdrawn *w = arena_alloc(&t->arena, sizeof *w);

	if (!w || !array_room(&t->list, t->n, &t->room, sizeof(struct withdrawn *)) ||
	    !intern_add(&t->known, hash_of(of), (uint32_t)t->n))
		return asc_err_nomem(e);
	*w = *of;
	w->trial_id = trial_id;
	t->list[t->n++] = w;
	return ASC_OK;
}

struct suspect { /* a trial of a configuration that failed once */
	int64_t run_id, id, recorded_ms;
	enum result_status status;
	bool simulated;
};

struct suspects { /* all trials of one configuration */
	struct withdrawn of;
	struct suspect *list;
	size_t n, room;
};

/* True where the configuration failed in the run after it had passed for the last time anywhere. */
static bool fails_in(const struct suspects *s, const struct stands *found, int64_t run_id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].run_id == run_id && stands_fails(s->list[i].status) &&
		    stands_is_later(s->list[i].recorded_ms, s->list[i].id,
				    found->passed.recorded_ms, found->passed.id))
			return true;
	return false;
}

/* Judges a configuration by all its trials, and adds it where it was withdrawn. */
static enum asc_status judge(struct today *t, const struct suspects *s, struct asc_err *e)
{
	struct stands found = {0};

	for (size_t i = 0; i < s->n; i++)
		stands_add(&found, s->list[i].status, s->list[i].recorded_ms, s->list[i].id);
	/* What never passed, too: it may be a finalist all the same, recorded by an early version
	 * or with an undecided trial. */
	if (!stands_is_withdrawn(&found))
		return ASC_OK;
	if (add_withdrawn(t, &s->of, found.failed.id, e))
		return e->status;
	for (size_t i = 0; i < s->n; i++) {
		const struct suspect *x = &s->list[i];

		if (x->status != RESULT_OK || x->simulated)
			continue;
		if (!array_room(&t->lost, t->n_lost, &t->lost_room, sizeof *t->lost))
			return asc_err_nomem(e);
		t->lost[t->n_lost++] = (struct lost){x->run_id, 1, fails_in(s, &found, x->run_id)};
	}
	return ASC_OK;
}

static int compare_lost(const void *x, const void *y)
{
	const struct lost *a = x, *b = y;

	return (a->run_id > b->run_id) - (a->run_id < b->run_id);
}

/* Takes a row into the suspects of its configuration. One of another configuration begins these
 * anew, after those before it were judged. */
static enum asc_status take_suspect(struct today *t, struct suspects *s, struct statement *rows,
				    struct asc_err *e)
{
	struct withdrawn of = {.device_id = statement_take_int(rows)};

	of.problem_id = statement_take_int(rows);
	of.implementation_id = statement_take_int(rows);
	const char *key = statement_take_text(rows);

	of.config_key = key ? key : "";
	if (s->n > 0 && !is_same(&s->of, &of)) {
		if (judge(t, s, e))
			return e->status;
		s->n = 0;
	}
	if (s->n == 0) {
		s->of = of;
		s->of.config_key = arena_copy(&t->arena, of.config_key);
		if (!s->of.config_key)
			return asc_err_nomem(e);
	}
	if (!array_room(&s->list, s->n, &s->room, sizeof *s->list))
		return asc_err_nomem(e);
	struct suspect *x = &s->list[s->n++];

	*x = (struct suspect){.run_id = statement_take_int(rows), .status = RESULT_STATUS_COUNT};
	x->simulated = statement_take_int(rows);
	x->id = statement_take_int(rows);
	(void)result_status_parse(statement_take_text(rows), &x->status);
	x->recorded_ms = statement_take_int(rows);
	return ASC_OK;
}

/* Reads all withdrawn configurations. On failure there is nothing to end. */
static enum asc_status today_read(struct today *t, struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct suspects suspects = {.n = 0};
	struct statement s;

	*t = (struct today){0};
	load_suspects(&s, d);
	while (statement_next(&s, &status, e))
		status = take_suspect(t, &suspects, &s, e);
	if (status == ASC_OK && suspects.n > 0)
		status = judge(t, &suspects, e);
	free(suspects.list);
	if (t->n_lost > 1)
		qsort(t->lost, t->n_lost, sizeof *t->lost, compare_lost);
	if (status != ASC_OK)
		today_fini(t);
	return status;
}

/* Takes a failure of a configuration of the run, and adds the configuration if it did not
 * pass later. One that was added for another failure is not asked for again. */
static enum asc_status take_failure(struct today *t, struct db *d, struct statement *rows,
				    struct asc_err *e)
{
	struct withdrawn of = {.device_id = statement_take_int(rows)};
	struct stands found = {0};
	enum result_status failure = RESULT_STATUS_COUNT;
	struct statement pass;
	bool passed = false;

	of.problem_id = statement_take_int(rows);
	of.implementation_id = statement_take_int(rows);
	const char *key = statement_take_text(rows);

	of.config_key = key ? key : "";
	struct load_later_than than = {.device_id = of.device_id,
				       .problem_id = of.problem_id,
				       .implementation_id = of.implementation_id,
				       .config_hash = statement_take_int(rows),
				       .config_key = of.config_key,
				       .id = statement_take_int(rows)};

	(void)result_status_parse(statement_take_text(rows), &failure);
	than.recorded_ms = statement_take_int(rows);
	if (find_withdrawn(t, of.device_id, of.problem_id, of.implementation_id, of.config_key))
		return ASC_OK;
	stands_add(&found, failure, than.recorded_ms, than.id);
	load_later_pass(&pass, d, &than);
	enum asc_status status = statement_step(&pass, &passed, e);
	if (status == ASC_OK && passed) {
		const int64_t id = statement_take_int(&pass);

		stands_add(&found, RESULT_OK, statement_take_int(&pass), id);
	}
	statement_end(&pass);
	if (status != ASC_OK || !stands_is_withdrawn(&found))
		return status;
	of.config_key = arena_copy(&t->arena, of.config_key);
	return of.config_key ? add_withdrawn(t, &of, than.id, e) : asc_err_nomem(e);
}

/* Reads the withdrawn configurations among those that a run tried or compared: the same, but at a
 * cost of what failed and not of all trials. On failure there is nothing to end. */
static enum asc_status today_read_of(struct today *t, struct db *d, int64_t run_id,
				     struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	struct statement s;

	*t = (struct today){0};
	load_suspects_of(&s, d, run_id);
	while (statement_next(&s, &status, e))
		status = take_failure(t, d, &s, e);
	if (status != ASC_OK)
		today_fini(t);
	return status;
}

/* ---- current contents ---- */

static int compare_contents(const void *x, const void *y)
{
	const struct content *a = x, *b = y;

	if (a->device_id != b->device_id)
		return a->device_id < b->device_id ? -1 : 1;
	if (a->problem_id != b->problem_id)
		return a->problem_id < b->problem_id ? -1 : 1;
	return (a->implementation_id > b->implementation_id) -
	       (a->implementation_id < b->implementation_id);
}

static bool is_current(const struct today *t, const struct content *c)
{
	return t->n_contents > 0 && bsearch(c, t->contents, t->n_contents, sizeof *t->contents,
					    compare_contents) != NULL;
}

/* Reads which content of each implementation is current: that of the newest run. */
static enum asc_status read_contents(struct today *t, struct db *d, struct asc_err *e)
{
	enum asc_status status = ASC_OK;
	int64_t before = 0; /* names are numbered from 1 */
	struct statement s;

	load_contents(&s, d);
	while (statement_next(&s, &status, e)) {
		const int64_t name = statement_take_int(&s);

		if (name == before) /* an older run */
			continue;
		before = name;
		if (!array_room(&t->contents, t->n_contents, &t->contents_room,
				sizeof *t->contents)) {
			status = asc_err_nomem(e);
			continue;
		}
		struct content *c = &t->contents[t->n_contents++];

		c->device_id = statement_take_int(&s);
		c->problem_id = statement_take_int(&s);
		c->implementation_id = statement_take_int(&s);
	}
	if (t->n_contents > 1)
		qsort(t->contents, t->n_contents, sizeof *t->contents, compare_contents);
	return status;
}

/* ---- runs ---- */

struct visit { /* a visit of rows that count */
	struct today today;
	struct db *db;
	void *user;
	union {
		db_run_view_fn *run;
		db_run_trial_fn *trial;
		db_run_final_fn *final;
		db_going_fn *going;
		db_cover_cell_fn *cell;
		db_record_fn *record;
	} to;
	struct buf last; /* names of the last cell that was visited */
};

/* Counts configurations: the trials of those that passed and were withdrawn are taken off. */
static enum asc_status visit_run(void *user, const struct db_run_view *r, struct asc_err *e)
{
	const struct visit *v = user;
	const struct today *t = &v->today;
	struct db_run_view counted = *r;
	size_t low = 0, high = t->n_lost;

	while (low < high) { /* the first one that is lost of this run */
		const size_t middle = low + (high - low) / 2;

		if (t->lost[middle].run_id < r->range.run_id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < t->n_lost && t->lost[low].run_id == r->range.run_id; low++) {
		counted.trials -= t->lost[low].repeated;
		counted.ok_trials--;
	}
	return v->to.run(v->user, &counted, e);
}

enum asc_status today_each_newest_run(struct db *d, db_run_view_fn *visit, void *user,
				      struct asc_err *e)
{
	struct visit v = {.user = user, .to.run = visit};

	if (today_read(&v.today, d, e))
		return e->status;
	const enum asc_status status = db_each_newest_run(d, visit_run, &v, e);

	today_fini(&v.today);
	return status;
}

static enum asc_status visit_trial(void *user, const struct db_run_trial *t, struct asc_err *e)
{
	const struct visit *v = user;

	return t->status == RESULT_OK &&
			       is_withdrawn(&v->today, t->implementation_id, t->config_key)
		       ? ASC_OK
		       : v->to.trial(v->user, t, e);
}

enum asc_status today_each_run_trial(struct db *d, const struct db_run_range *r,
				     db_run_trial_fn *visit, void *user, struct asc_err *e)
{
	struct visit v = {.user = user, .to.trial = visit};

	if (today_read_of(&v.today, d, r->run_id, e))
		return e->status;
	const enum asc_status status = db_each_run_trial(d, r, visit_trial, &v, e);

	today_fini(&v.today);
	return status;
}

static enum asc_status visit_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	const struct visit *v = user;

	return is_withdrawn(&v->today, f->implementation_id, f->config_key)
		       ? ASC_OK
		       : v->to.final(v->user, f, e);
}

enum asc_status today_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit,
				     void *user, struct asc_err *e)
{
	struct visit v = {.user = user, .to.final = visit};

	if (today_read_of(&v.today, d, run_id, e))
		return e->status;
	const enum asc_status status = db_each_run_final(d, run_id, visit_final, &v, e);

	today_fini(&v.today);
	return status;
}

/* ---- what a run chose ---- */

struct choice {
	struct today today;
	bool finalists;        /* another finalist may stand in for a winner that was withdrawn */
	int rank;              /* of the best so far; RANKS: nothing passed */
	struct db_passed best; /* without texts, which are those: */
	struct buf implementation, key;
};

enum { WINNER, FINALIST, TRIAL, RANKS };

/* Takes a trial where it comes before the best so far: the winner first, then finalists by ratio,
 * then trials by time; of equal ones the newest. */
static enum asc_status choose(void *user, const struct db_passed *t, struct asc_err *e)
{
	struct choice *c = user;
	const struct db_passed *b = &c->best;
	const int rank = t->winner > 0 ? WINNER : c->finalists && t->winner == 0 ? FINALIST : TRIAL;
	const double by = rank == TRIAL ? t->median_ns : t->ratio,
		     best_by = rank == TRIAL ? b->median_ns : b->ratio;

	if (rank > c->rank || isnan(by) ||
	    is_withdrawn(&c->today, t->implementation_id, t->config_key))
		return ASC_OK;
	if (rank == c->rank && (by > best_by || (by == best_by && t->trial_id < b->trial_id)))
		return ASC_OK;
	c->rank = rank;
	c->best = *t;
	buf_clear(&c->implementation);
	buf_add_str(&c->implementation, t->implementation ? t->implementation : "");
	buf_clear(&c->key);
	buf_add_str(&c->key, t->config_key ? t->config_key : "");
	return buf_check(&c->implementation, e) ? e->status : buf_check(&c->key, e);
}

/* Reads what a run chose; choice_fini() in any case. */
static enum asc_status choice_read(struct choice *c, struct db *d, int64_t run_id, bool finalists,
				   struct asc_err *e)
{
	*c = (struct choice){.finalists = finalists, .rank = RANKS};
	return today_read_of(&c->today, d, run_id, e) ? e->status
						      : db_each_passed(d, run_id, choose, c, e);
}

static void choice_fini(struct choice *c)
{
	today_fini(&c->today);
	buf_fini(&c->implementation);
	buf_fini(&c->key);
}

enum asc_status today_find_chosen(struct db *d, int64_t run_id, int64_t *trial_id,
				  struct asc_err *e)
{
	struct choice c;
	const enum asc_status status = choice_read(&c, d, run_id, true, e);

	*trial_id = c.rank < RANKS ? c.best.trial_id : 0;
	choice_fini(&c);
	return status;
}

static enum asc_status visit_going(void *user, const struct db_going *g, struct asc_err *e)
{
	const struct visit *v = user;
	struct db_going chosen = *g;
	struct choice c;
	enum asc_status status = choice_read(&c, v->db, g->run_id, false, e);

	if (status == ASC_OK && c.rank < RANKS) {
		chosen.implementation = buf_str(&c.implementation);
		chosen.config_key = buf_str(&c.key);
		chosen.median_ns = c.rank == WINNER && !isnan(c.best.final_ns) ? c.best.final_ns
									       : c.best.median_ns;
	}
	if (status == ASC_OK)
		status = v->to.going(v->user, &chosen, e);
	choice_fini(&c);
	return status;
}

enum asc_status today_each_going(struct db *d, const char *workload, int64_t most,
				 db_going_fn *visit, void *user, struct asc_err *e)
{
	struct visit v = {.db = d, .user = user, .to.going = visit};

	return db_each_going(d, workload, most, visit_going, &v, e);
}

/* ---- covers ---- */

static enum asc_status visit_cell(void *user, const struct db_cover_cell *c, struct asc_err *e)
{
	const char *const names[] = {c->device,         c->cache_policy, c->workload,
				     c->implementation, c->config_key,   c->problem};
	const struct content content = {c->device_id, c->problem_id, c->implementation_id};
	struct visit *v = user;
	struct buf own = {0};
	enum asc_status status;

	if (!is_current(&v->today, &content) ||
	    find_withdrawn(&v->today, c->device_id, c->problem_id, c->implementation_id,
			   c->config_key))
		return ASC_OK;
	/* Cells with the same names follow each other, the newest first. */
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		buf_add(&own, names[i] ? names[i] : "\1", names[i] ? strlen(names[i]) + 1 : 2);
	status = buf_check(&own, e);
	if (status == ASC_OK &&
	    (own.len != v->last.len || memcmp(own.data, v->last.data, own.len) != 0)) {
		const struct buf before = v->last;

		v->last = own;
		own = before;
		status = v->to.cell(v->user, c, e);
	}
	buf_fini(&own);
	return status;
}

enum asc_status today_each_cover_cell(struct db *d, db_cover_cell_fn *visit, void *user,
				      struct asc_err *e)
{
	struct visit v = {.user = user, .to.cell = visit};

	if (today_read(&v.today, d, e))
		return e->status;
	enum asc_status status = read_contents(&v.today, d, e);

	if (status == ASC_OK)
		status = db_each_cover_cell(d, visit_cell, &v, e);
	buf_fini(&v.last);
	today_fini(&v.today);
	return status;
}

/* ---- records ---- */

static enum asc_status visit_record(void *user, const struct db_record *r, struct asc_err *e)
{
	const struct visit *v = user;
	const struct content content = {r->device_id, r->problem_id, r->implementation_id};
	struct db_record now = *r;
	const struct withdrawn *w = NULL;
	struct statement s;
	bool found = false;

	if (!r->imported && !is_current(&v->today, &content))
		return ASC_OK;
	if (!r->imported && str_is_same(r->status, result_status_name(RESULT_OK)))
		w = find_withdrawn(&v->today, r->device_id, r->problem_id, r->implementation_id,
				   r->config_key);
	if (!w)
		return v->to.record(v->user, r, e);
	load_failure(&s, v->db, w->trial_id);
	enum asc_status status = statement_step(&s, &found, e);
	if (status == ASC_OK && found) {
		const char *failed = statement_take_text(&s), *reason = statement_take_text(&s);

		now.status = failed ? failed : r->status;
		now.reason = reason ? reason : r->reason;
	}
	if (status == ASC_OK)
		status = v->to.record(v->user, &now, e);
	statement_end(&s);
	return status;
}

enum asc_status today_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
				  void *user, struct asc_err *e)
{
	struct visit v = {.db = d, .user = user, .to.record = visit};

	if (!which->newest)
		return db_each_record(d, which, visit, user, e);
	if (today_read(&v.today, d, e))
		return e->status;
	enum asc_status status = read_contents(&v.today, d, e);

	if (status == ASC_OK)
		status = db_each_record(d, which, visit_record, &v, e);
	today_fini(&v.today);
	return status;
}
