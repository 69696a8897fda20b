/* Rows of the database as they count today: without results that were withdrawn since, and without
 * those of an implementation whose content was edited since.
 *
 * The database gives all rows that were recorded (db/run_view.h, db/watch.h, db/db.h); these
 * functions have the same visitors and leave out, or mark, what the rule of stands.h withdraws.
 * Results that were imported are of another machine, and always count. Rows are borrowed during a
 * visit. Visits are not to be nested. */
#ifndef ASCTUNE_RESULTS_TODAY_H
#define ASCTUNE_RESULTS_TODAY_H

#include <stdint.h>

#include "db/db.h"
#include "db/run_view.h"
#include "db/watch.h"
#include "tuner/base/err.h"

/* Visits what db_each_newest_run() visits. Counts are of configurations: one that passed and was
 * withdrawn is not ok, and where both happened in the run it is counted once. */
enum asc_status today_each_newest_run(struct db *d, db_run_view_fn *visit, void *user,
				      struct asc_err *e);

/* Visits the trials of a run in the order of recording, without those that passed and were
 * withdrawn in the run or since. */
enum asc_status today_each_run_trial(struct db *d, const struct db_run_range *r,
				     db_run_trial_fn *visit, void *user, struct asc_err *e);

/* Visits the finalists of a run: the winner, then by ratio to it, without withdrawn ones. */
enum asc_status today_each_run_final(struct db *d, int64_t run_id, db_run_final_fn *visit,
				     void *user, struct asc_err *e);

/* Finds the trial of what a run chose: the winner of its finals, which may have been tried in an
 * earlier run, else another finalist by ratio, else the fastest trial; none that was withdrawn
 * since. *trial_id 0: nothing passed. ASC_NOTFOUND: there is no such run. */
enum asc_status today_find_chosen(struct db *d, int64_t run_id, int64_t *trial_id,
				  struct asc_err *e);

/* Visits what db_each_going() visits, with what each run has chosen so far: the winner of its
 * finals, else its fastest trial; NULL: nothing that counts. */
enum asc_status today_each_going(struct db *d, const char *workload, int64_t most,
				 db_going_fn *visit, void *user, struct asc_err *e);

/* Visits the cells of covers, of each configuration and problem the newest that counts. */
enum asc_status today_each_cover_cell(struct db *d, db_cover_cell_fn *visit, void *user,
				      struct asc_err *e);

/* Visits what db_each_record() visits. With `which->newest` only what `best` considers: trials of
 * current contents, and a withdrawn one has status and reason of the trial that withdrew it. */
enum asc_status today_each_record(struct db *d, const struct db_records *which, db_record_fn *visit,
				  void *user, struct asc_err *e);

#endif
