/* Out of memory in the questions for the best and for what counts today: one allocation fails in
 * each try, and an answer after one that was not reported is the same as ever.
 * covers: best.c today.c outdated.c */
#include "reports/results/today.h"
#include "tests/nomem.h"
#include "tests/unit/db/bests.h"
#include "tuner/base/buf.h"

static enum asc_status write_answer(void *user, const struct best_row *b, struct asc_err *e)
{
	struct buf *out = user;

	(void)e;
	buf_print(out, "%s %s %lld %s\n", b->config_key, b->sure, (long long)b->n_ties,
		  b->ties_json);
	return ASC_OK;
}

static enum asc_status ask(struct db *d, struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status status = best_each(d, NULL, write_answer, &text, e);

	if (status == ASC_OK)
		status = best_each_of_implementations(d, NULL, write_answer, &text, e);
	if (status == ASC_OK)
		status = best_find(d, 1, write_answer, &text, e);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	nomem_give(buf_str(&text));
	buf_fini(&text);
	return status;
}

static enum asc_status read_answers(const char *name, struct asc_err *e)
{
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path(name), DB_READ, &d, e);

	if (status == ASC_OK)
		status = ask(d, e);
	db_close(d);
	return status;
}

/* Works the answers out. */
static enum asc_status job_best(struct asc_err *e)
{
	return read_answers("best.db", e);
}

/* Reads those that the database keeps. */
static enum asc_status job_kept(struct asc_err *e)
{
	return read_answers("kept.db", e);
}

/* Works them out and has the database keep them: what fails is still stale. */
static enum asc_status job_refresh(struct asc_err *e)
{
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path("refreshed.db"), DB_WRITE, &d, e);

	if (status == ASC_OK)
		status = db_set_sure(d, 1, &(struct sureness){SURE_TIE, 2, 1.5}, false, e);
	if (status == ASC_OK)
		status = best_refresh(d, e);
	if (status == ASC_OK)
		status = ask(d, e);
	db_close(d);
	return status;
}

static enum asc_status write_record(void *user, const struct db_record *r, struct asc_err *e)
{
	(void)e;
	buf_print(user, "%s %s\n", r->config_key, r->status);
	return ASC_OK;
}

static enum asc_status write_run(void *user, const struct db_run_view *r, struct asc_err *e)
{
	(void)e;
	buf_print(user, "%d of %d\n", (int)r->ok_trials, (int)r->trials);
	return ASC_OK;
}

static enum asc_status write_final(void *user, const struct db_run_final *f, struct asc_err *e)
{
	(void)e;
	buf_print(user, "%s\n", f->config_key);
	return ASC_OK;
}

static enum asc_status write_going(void *user, const struct db_going *g, struct asc_err *e)
{
	(void)e;
	buf_print(user, "%s\n", g->config_key ? g->config_key : "-");
	return ASC_OK;
}

/* Reads what counts of a run of which one finalist was withdrawn. */
static enum asc_status job_today(struct asc_err *e)
{
	struct db *d = NULL;
	struct buf text = {0};
	int64_t trial = 0;
	enum asc_status status = db_open(rows_path("today.db"), DB_READ, &d, e);

	if (status == ASC_OK)
		status = today_each_record(d, &(struct db_records){.newest = true}, write_record,
					   &text, e);
	if (status == ASC_OK)
		status = today_each_newest_run(d, write_run, &text, e);
	if (status == ASC_OK)
		status = today_each_run_final(d, 1, write_final, &text, e);
	if (status == ASC_OK)
		status = today_find_chosen(d, 1, &trial, e);
	if (status == ASC_OK)
		status = today_each_going(d, NULL, 5, write_going, &text, e);
	buf_print(&text, "%d\n", (int)trial);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	nomem_give(buf_str(&text));
	buf_fini(&text);
	db_close(d);
	return status;
}

/* Two that tie. */
static void make_finals(const char *name, bool keep)
{
	struct asc_err e;
	int64_t run;
	struct db *d = rows_open(rows_path(name), &run);
	const char *const keys[] = {"B=1", "B=2"};
	const int64_t samples[] = {90, 100, 110};

	for (size_t i = 0; i < 2; i++) {
		const struct db_final f = {
			.implementation = rows_implementation,
			.config_key = keys[i],
			.ratio = 1,
			.interval = {true, 0.99, 1.01},
			.threads = 1,
			.time = {.n = 3, .min = 90, .q1 = 95, .median = 100, .q3 = 105, .max = 110},
			.samples = samples,
			.n_samples = 3,
			.standing = STANDING_TIED,
			.winner = i == 0};

		bests_add(d, run, keys[i], RESULT_OK, 100);
		tap_int(db_add_final(d, run, &f, &e), ASC_OK, "a finalist");
	}
	tap_int(db_set_sure(d, run, &(struct sureness){SURE_TIE, 2, 1.5}, false, &e), ASC_OK,
		"how sure");
	if (keep)
		tap_int(best_refresh(d, &e), ASC_OK, "answers are kept");
	db_close(d);
}

int main(void)
{
	rows_enter();
	make_finals("best.db", false);
	nomem_exhaust("the best", job_best);
	make_finals("kept.db", true);
	nomem_exhaust("the best that is kept", job_kept);
	make_finals("refreshed.db", false);
	nomem_exhaust("keeping the best", job_refresh);
	make_finals("today.db", false);
	struct db *d = NULL;
	struct asc_err e;

	tap_int(db_open(rows_path("today.db"), DB_WRITE, &d, &e), ASC_OK, "opened");
	bests_add(d, 1, "B=1", RESULT_WRONG, 0);
	db_close(d);
	nomem_exhaust("what counts today", job_today);
	rows_leave();
	return tap_done();
}
