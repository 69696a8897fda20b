/* What the tests of the best share: the rows that a question for it visits, runs of several
 * problems, and trials. */
#ifndef ASCTUNE_TESTS_UNIT_DB_BESTS_H
#define ASCTUNE_TESTS_UNIT_DB_BESTS_H

#include "db/db.h"
#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"

enum { BESTS_MAX = 8 };

struct bests {
	struct best_row rows[BESTS_MAX]; /* their texts are gone, but for these: */
	char keys[BESTS_MAX][32], problems[BESTS_MAX][32];
	size_t n;
	enum asc_status answer; /* what bests_visit() returns, with the words "enough" */
};

/* A best_fn; `user` is a struct bests. */
static inline enum asc_status bests_visit(void *user, const struct best_row *row,
					  struct asc_err *err)
{
	struct bests *s = user;

	snprintf(s->keys[s->n], sizeof s->keys[0], "%s", row->config_key);
	snprintf(s->problems[s->n], sizeof s->problems[0], "%s", row->problem);
	s->rows[s->n++] = *row;
	return s->answer ? asc_err_set(err, s->answer, "enough") : ASC_OK;
}

static inline struct bests bests_ask(struct db *d, const char *workload)
{
	struct bests s = {.answer = ASC_OK};
	struct asc_err e;

	tap_int(best_each(d, workload, bests_visit, &s, &e), ASC_OK, "asked for the best");
	return s;
}

static inline int64_t bests_begin(struct db *d, const char *problem, const char *key,
				  bool simulated)
{
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	struct asc_err e;
	int64_t id = 0;

	p.problem = problem;
	p.problem_key = key;
	r.simulated = r.imported = simulated;
	tap_int(db_begin_run(d, &rows_device, &p, &r, &id, &e), ASC_OK, "run of %s", problem);
	return id;
}

/* A trial of the default where the key says so, with samples 10 ns around the median. */
static inline void bests_add(struct db *d, int64_t run, const char *key, enum result_status status,
			     double median)
{
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial(key, &r);
	struct asc_err e;

	r.status = status;
	t.is_default = strcmp(key, "B=default") == 0;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "%s: %s, %g ns", key,
		result_status_name(status), median);
}

#endif
