#include "reports/results/today.h"

#include <math.h>
#include <string.h>

#include "db/load.h"
#include "reports/results/outdated.h"
#include "tuner/base/buf.h"

/* ---- runs ---- */

struct visit { /* a visit of rows that count */
	struct outdated outdated;
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
	const struct outdated *t = &v->outdated;
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

	if (outdated_read(&v.outdated, d, e))
		return e->status;
	const enum asc_status status = db_each_newest_run(d, visit_run, &v, e);

	outdated_fini(&v.outdated);
	return status;
}

static enum asc_status visit_trial(void *user, const struct db_run_trial *t, struct asc_err *e)
{
	const struct visit *v = user;

	return t->status == RESULT_OK &&
			       outdated_has(&v->outdated, t->implementation_id, t->config_key)
		       ? ASC_OK
		       : v->to.trial(v->user, t, e);
}

enum asc_status today_each_run_trial(struct db *d, const struct db_run_range *r,
				     db_run_trial_fn *visit, void *user, struct asc_err *e)
{
	struct visit v = {.user = user, .to.trial = visit};

	if (outdated_read_of(&v.outdated, d, r->run_id, e))
		return e->status;
	const enum asc_status status = db_each_run_trial(d, r, visit_trial, &v, e);

	outdated_fini(&v.outdated);
	return status;
}

static enum asc_status visit_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	const struct visit *v = user;

	return outdated_has(&v->outdated, f->implementation_id, f->config_key)
		       ? ASC_OK
		       : v->to.final(v->user, f, e);
}

enum asc_status today_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit,
				     void *user, struct asc_err *e)
{
	struct visit v = {.user = user, .to.final = visit};

	if (outdated_read_of(&v.outdated, d, run_id, e))
		return e->status;
	const enum asc_status status = db_each_run_final(d, run_id, visit_final, &v, e);

	outdated_fini(&v.outdated);
	return status;
}

/* ---- what a run chose ---- */

struct choice {
	struct outdated outdated;
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
	    outdated_has(&c->outdated, t->implementation_id, t->config_key))
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
	return outdated_read_of(&c->outdated, d, run_id, e)
		       ? e->status
		       : db_each_passed(d, run_id, choose, c, e);
}

static void choice_fini(struct choice *c)
{
	outdated_fini(&c->outdated);
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

	if (!outdated_is_current(&v->outdated, &content) ||
	    outdated_find(&v->outdated, c->device_id, c->problem_id, c->implementation_id,
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

	if (outdated_read(&v.outdated, d, e))
		return e->status;
	enum asc_status status = outdated_read_contents(&v.outdated, d, e);

	if (status == ASC_OK)
		status = db_each_cover_cell(d, visit_cell, &v, e);
	buf_fini(&v.last);
	outdated_fini(&v.outdated);
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

	if (!r->imported && !outdated_is_current(&v->outdated, &content))
		return ASC_OK;
	if (!r->imported && str_is_same(r->status, result_status_name(RESULT_OK)))
		w = outdated_find(&v->outdated, r->device_id, r->problem_id, r->implementation_id,
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
	if (outdated_read(&v.outdated, d, e))
		return e->status;
	enum asc_status status = outdated_read_contents(&v.outdated, d, e);

	if (status == ASC_OK)
		status = db_each_record(d, which, visit_record, &v, e);
	outdated_fini(&v.outdated);
	return status;
}
