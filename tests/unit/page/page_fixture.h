/* Databases of runs and their pages, for tests of the views of runs. Times are in nanoseconds. */
#ifndef ASCTUNE_TESTS_PAGE_FIXTURE_H
#define ASCTUNE_TESTS_PAGE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/page.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

/* The page of a database, its pictures drawn by a program, NULL: gnuplot; the caller's. */
static inline struct buf draw_page(struct db *d, const char *plotter)
{
	const struct page_request r = {.db = d,
				       .path = "test.db",
				       .file = "report.html",
				       .version = "0",
				       .plotter = plotter};
	struct buf page = {0};
	const enum asc_status status = page_write(&r, &page, &e);

	tap_int(status, ASC_OK, "the page: %s", status ? e.text : "written");
	char *wrong = markup_check(buf_str(&page), page.len, MARKUP_PAGE);

	tap_str(wrong, NULL, "nothing is wrong with it");
	free(wrong);
	return page;
}

static inline struct buf write_page(struct db *d)
{
	return draw_page(d, "/no/such/program");
}

static inline void has(const struct buf *page, const char *part)
{
	tap_ok(strstr(buf_str(page), part), "has: %s", part);
}

static inline void has_not(const struct buf *page, const char *part)
{
	tap_ok(!strstr(buf_str(page), part), "has not: %s", part);
}

static inline int64_t begin(struct db *d, const char *model, const char *fingerprint,
			    bool simulated)
{
	struct db_device v = rows_device;
	struct db_run r = rows_run;
	int64_t id = 0;

	v.model = model;
	v.machine = fingerprint;
	v.fingerprint = fingerprint;
	r.simulated = r.imported = simulated;
	tap_int(db_begin_run(d, &v, &rows_problem, &r, &id, &e), ASC_OK, "a run on %s", model);
	return id;
}

/* 3 x 2 configurations; time goes with A alone: 1000, 2000, 4000. */
static inline void add_grid(struct db *d, int64_t run, double factor)
{
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 2; b++) {
			char config[64];

			snprintf(config, sizeof config, "{\"A\":%d,\"B\":%d}", a, b);
			rows_add_trial(d, run, config, RESULT_OK, factor * ((1000 << a) + b));
		}
}

static inline void add_final(struct db *d, int64_t run, const char *key, double median, bool winner)
{
	const int64_t samples[] = {1000, 1001};
	const struct db_final f = {.implementation = rows_implementation,
				   .config_key = key,
				   .standing = STANDING_TIED,
				   .winner = winner,
				   .ratio = 1.01,
				   .interval = {true, 0.99, 1.02},
				   .time = {.n = 2, .median = median},
				   .samples = samples,
				   .n_samples = 2};

	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "final of %s", key);
}

static inline void add_timed(struct db *d, int64_t run, const char *key, enum result_status status,
			     double median, int implementation, bool is_default)
{
	struct result r = rows_result(median, median, median);
	struct db_trial t = rows_trial(key, &r);

	r.status = status;
	if (implementation) {
		t.implementation.name = "library";
		t.implementation.key = "library";
		t.implementation.index = 1;
	}
	t.is_default = is_default;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "%s, %g ns", key, median);
}

#endif
