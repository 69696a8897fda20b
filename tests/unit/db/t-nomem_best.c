/* Out of memory in the question for the best: one allocation fails in each try, and an answer after
 * one that was not reported is the same as ever.
 * covers: query_best.c best_sql.c */
#include "tests/nomem.h"
#include "tests/unit/db/bests.h"
#include "tuner/base/buf.h"

static enum asc_status write_answer(void *user, const struct db_best *b, struct asc_err *e)
{
	struct buf *out = user;

	(void)e;
	buf_print(out, "%s %s %lld %s\n", b->config_key, b->sure, (long long)b->n_ties,
		  b->ties_json);
	return ASC_OK;
}

static enum asc_status job_best(struct asc_err *e)
{
	struct buf text = {0};
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path("best.db"), DB_READ, &d, e);

	if (status == ASC_OK)
		status = db_each_best(d, NULL, write_answer, &text, e);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	nomem_give(buf_str(&text));
	buf_fini(&text);
	db_close(d);
	return status;
}

/* Two that tie. */
static void make_finals(void)
{
	struct asc_err e;
	int64_t run;
	struct db *d = rows_open(rows_path("best.db"), &run);
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
	db_close(d);
}

int main(void)
{
	rows_enter();
	make_finals();
	nomem_exhaust("the best", job_best);
	rows_leave();
	return tap_done();
}
