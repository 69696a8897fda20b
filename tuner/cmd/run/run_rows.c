#include "tuner/cmd/run/run_rows.h"

#include <stdio.h>
#include <stdlib.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/array.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/answers/answer_row.h"
#include "tuner/cmd/terminal/table.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/loop.h"
#include "tuner/workload/workload.h"

struct run_row {
	char *workload, *problem, *fingerprint; /* heap */
	const char *cache;                      /* name of the cache policy */
	bool simulated;                         /* on a stand-in */
	struct answer_row row;
};

static void row_fini(struct run_row *r)
{
	free(r->workload);
	free(r->problem);
	free(r->fingerprint);
}

void run_rows_add(struct run_rows *r, const struct loop_options *o)
{
	const struct session *s = o->session;
	struct run_row row = {.workload = str_dup(o->workload->name),
			      .problem = str_dup(o->problem->name),
			      .fingerprint = str_dup(s->target.info->fingerprint),
			      .cache = cache_policy_name(s->policy.cache),
			      .simulated = s->target.info->simulated,
			      .row = {.sure = {.sure = SURE_UNUSABLE}}};

	if (row.workload && row.problem && row.fingerprint &&
	    array_room(&r->list, r->n, &r->room, sizeof *r->list)) {
		r->list[r->n++] = row;
		return;
	}
	row_fini(&row);
	r->failed = true;
}

/* A best_fn. */
static enum asc_status take_row(void *user, const struct best_row *b, struct asc_err *e)
{
	const struct run_rows *r = user;

	(void)e;
	for (size_t i = 0; i < r->n; i++)
		if (str_is_same(r->list[i].workload, b->workload) &&
		    str_is_same(r->list[i].problem, b->problem) &&
		    str_is_same(r->list[i].fingerprint, b->device_fingerprint) &&
		    str_is_same(r->list[i].cache, b->cache_policy))
			r->list[i].row = answer_row_of(b);
	return ASC_OK;
}

enum asc_status run_rows_print(const struct run_rows *r, struct db *db, struct asc_err *e)
{
	struct run_rows found = *r; /* its list is filled in */
	struct table t;

	if (r->failed)
		return asc_err_nomem(e);
	enum asc_status (*const each)(struct db *, const char *, best_fn *, void *,
				      struct asc_err *) =
		r->n && r->list[0].simulated ? best_each_simulated : best_each_or_last;

	if (each(db, NULL, take_row, &found, e))
		return e->status;
	answer_row_begin(&t);
	for (size_t i = 0; i < r->n; i++) {
		char *title = str_print("%s/%s", r->list[i].workload, r->list[i].problem);

		answer_row_add(&t, title ? title : "", &r->list[i].row);
		t.failed |= !title;
		free(title);
	}
	const enum asc_status status = table_print(&t, stdout, e);

	table_fini(&t);
	return status;
}

void run_rows_fini(struct run_rows *r)
{
	for (size_t i = 0; i < r->n; i++)
		row_fini(&r->list[i]);
	free(r->list);
	*r = (struct run_rows){0};
}
