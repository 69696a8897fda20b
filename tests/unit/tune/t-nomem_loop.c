/* Out of memory in the loop: search, records, finals and answer, with results that are written
 * down.
 * slow: 7 s
 * covers: loop.c */
#include "tuner/tune/loop.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tests/unit/tune/written.h"
#include "tuner/base/buf.h"

static enum asc_status search(const char *strategy, uint64_t late, struct asc_err *e)
{
	const struct written_search how = {strategy, 1, 12, 7, late};
	const char *db = rows_path("loop.db");
	struct buf asked = {0};
	uint64_t trials = 0;

	(void)unlink(db);
	enum asc_status s = written_run(&how, db, &asked, &trials, e);

	if (s == ASC_OK && trials != how.trials)
		s = asc_err_set(e, ASC_INTERNAL, "%d trials of %d", (int)trials, (int)how.trials);
	buf_fini(&asked);
	return s;
}

static enum asc_status job_random(struct asc_err *e)
{
	return search("random", 0, e);
}

static enum asc_status job_late(struct asc_err *e)
{
	return search("exhaustive", 8, e);
}

static enum asc_status job_model(struct asc_err *e)
{
	return search("model", 0, e);
}

int main(void)
{
	struct asc_err e;

	rows_enter();
	atexit(rows_leave);
	if (tap_int(written_open(&e), ASC_OK, "a workload")) {
		nomem_sample("a random search", job_random, 3);
		nomem_sample("a search by the model", job_model, 5);
		nomem_sample("a failure of what had passed", job_late, 3);
	}
	written_close();
	return tap_done();
}
