/* A configuration that passed, stayed loaded as the fastest, and fails when it is launched beside
 * others: its failure is recorded behind its time, and the next best takes its place.
 * covers: loop.c finals.c */
#include "tuner/tune/loop.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tests/unit/tune/written.h"
#include "tuner/base/buf.h"

#define FAILED "(SELECT config_key FROM trial WHERE status = 'crashed')"

static struct asc_err e;

static void check_rows(const char *path, uint64_t trials)
{
	tap_int(rows_ask(path, "SELECT count(*) FROM trial"), (int64_t)trials + 1,
		"its failure is a row more");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE status = 'crashed' AND"
			       " reason = 'launched again beside others: written so'"),
		1, "which is told twice and recorded once");
	tap_int(rows_ask(path, "SELECT count(*) FROM trial WHERE status = 'ok' AND config_key ="
			       " " FAILED),
		1, "behind its time");
	tap_int(rows_ask(path, "SELECT count(*) FROM best WHERE config_key = " FAILED), 0,
		"it is no best");
	tap_int(rows_ask(path, "SELECT count(*) FROM final WHERE config_key = " FAILED), 0,
		"nor a finalist");
}

/* `incumbent`: the fastest of the other results so far, by the arithmetic of write_result(). */
static void test(const struct written_search *a, const char *name, const char *incumbent)
{
	struct buf asked = {0};
	uint64_t trials = 0;
	const char *path = rows_path(name);

	tap_int(written_run(a, path, &asked, &trials, &e), ASC_OK, "a search");
	tap_int((int64_t)trials, (int64_t)a->trials, "the failure is no trial of the budget");
	check_rows(path, a->trials);
	tap_has(buf_str(&asked), incumbent, "the next best is the incumbent");
	buf_fini(&asked);
}

int main(void)
{
	rows_enter();
	atexit(rows_leave);
	if (tap_int(written_open(&e), ASC_OK, "a workload")) {
		/* The default, 0 * 10 + 0, has 100 us and comes first: no other has passed. */
		test(&(struct written_search){"exhaustive", 1, 20, 7, .late = 1}, "first.db",
		     "incumbent 0\n");
		/* 0 * 10 + 5, whose median is 101003.5 ns. */
		test(&(struct written_search){"exhaustive", 1, 20, 7, .late = 15}, "later.db",
		     "incumbent 101004\n");
	}
	written_close();
	return tap_done();
}
