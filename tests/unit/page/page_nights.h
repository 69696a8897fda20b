/* Databases of nights and checks of their pages. Times are in nanoseconds. */
#ifndef ASCTUNE_TESTS_PAGE_NIGHTS_H
#define ASCTUNE_TESTS_PAGE_NIGHTS_H

#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/page.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

static const char nowhere[] = "/nonexistent/gnuplot";

static inline struct buf write_page(const char *path, const char *plotter)
{
	struct buf page = {0};
	struct page_request r = {
		.path = "a.db", .file = "a.html", .version = "0.1.0", .plotter = plotter};

	if (db_open(path, DB_READ, &r.db, &e) || page_write(&r, &page, &e))
		tap_ok(false, "%s", e.text);
	db_close(r.db);
	return page;
}

/* The page of the file is sound, and holds each of the texts (ended by NULL). */
static inline void check_page(const char *path, const char *plotter, const char *name,
			      const char *const *texts)
{
	struct buf page = write_page(path, plotter);
	char *wrong = markup_check(buf_str(&page), page.len, MARKUP_PAGE);

	tap_ok(!wrong, "%s: %s", name, wrong ? wrong : "well-formed, whole in itself");
	tap_ok(page.len < 3000000, "%s: %zu bytes", name, page.len);
	for (; *texts; texts++)
		tap_ok(strstr(buf_str(&page), *texts) != NULL, "%s: \"%s\"", name, *texts);
	free(wrong);
	buf_fini(&page);
}

/* The page of the file has none of the texts. */
static inline void check_lacks(const char *path, const char *name, const char *const *texts)
{
	struct buf page = write_page(path, nowhere);

	for (; *texts; texts++)
		tap_ok(!strstr(buf_str(&page), *texts), "%s: no \"%s\"", name, *texts);
	buf_fini(&page);
}

struct names {
	const char *workload, *problem, *implementation, *device, *driver, *config, *reason;
};

static const struct names plain = {"sdpa", "tiny", "blocked", "Model 1", "6.1", "B=1", "refused"};

static inline void add_night(struct db *d, const struct names *n, double ns)
{
	struct db_device device = rows_device;
	struct db_problem problem = rows_problem;
	struct db_implementation implementation = rows_implementation;
	struct db_run run = rows_run;
	struct result result = rows_result(ns, ns, ns);
	struct db_trial trial = rows_trial(n->config, &result);
	int64_t id = 0;

	device.model = n->device;
	device.driver = device.fingerprint = n->driver;
	problem.workload = n->workload;
	problem.problem = n->problem;
	implementation.name = n->implementation;
	run.implementations = &implementation;
	trial.implementation = implementation;
	if (ns < 0) {
		result.status = RESULT_BUILD_FAILED;
		result.phase = PHASE_BUILD;
		result.reason = str_dup(n->reason);
		result.n_samples = 0;
		result.time = (struct stats_summary){0};
	}
	if (db_begin_run(d, &device, &problem, &run, &id, &e) || db_add_trial(d, id, &trial, &e) ||
	    db_end_run(d, id, "done", &e))
		tap_ok(false, "%s", e.text);
	free(result.reason);
}

/* Levels of 100 µs and, from `step` on, `factor` times that, with a little noise. */
static inline void add_nights(const char *path, const struct names *names, size_t n, size_t step,
			      double factor)
{
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e) || db_begin_batch(d, &e))
		tap_ok(false, "%s", e.text);
	for (size_t i = 0; i < n; i++)
		add_night(d, names,
			  (1 + 0.002 * (double)(i * 7 % 5)) * 1e5 * (i < step ? 1 : factor));
	db_end_batch(d, ASC_OK, &e);
	db_close(d);
	rows_ask(path, "UPDATE run SET started_ms = 1767225600000 + id * 86400000");
}

static inline const char *const *texts(const char *first, const char *second)
{
	static const char *list[3];

	list[0] = first;
	list[1] = second;
	return list;
}

#endif
