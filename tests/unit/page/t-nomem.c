/* Out of memory: one allocation of a few whole jobs fails in each try, as nomem.h selects; each
 * failure must come back as an error, without a crash or (under the sanitizers) a leak, and the job
 * must succeed once nothing fails.
 * slow: 16 s
 * covers: merge.c model.c space_new.c t1.c track_compare.c dispatch.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "db/merge.h"
#include "reports/exchange/exporter_list.h"
#include "reports/exchange/import.h"
#include "reports/page/page.h"
#include "reports/tables/dispatch.h"
#include "reports/track/track_compare.h"
#include "reports/track/track_history.h"
#include "tests/nomem.h"
#include "tests/profiles.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/workload/binding/binding.h"
#include "tuner/workload/binding/binding_limits.h"
#include "tuner/workload/binding/binding_rewrite.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/expr/expr.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/t1.h"

static enum asc_status job_expr(struct asc_err *e)
{
	struct expr *x = NULL;
	enum asc_status status =
		expr_compile("min(3, 4 * (2 + 5)) if 7 // 2 in [1, 2, 3] else 2 ** 10",
			     &(struct expr_scope){0}, &x, e);

	expr_free(x);
	return status;
}

static enum asc_status job_t1(struct asc_err *e)
{
	struct json_doc *doc = NULL;
	struct space *s = NULL;
	enum asc_status status = json_open_file(TEST_DATA "/data/spaces/bat_expdist.json", &doc, e);

	if (status == ASC_OK)
		status = t1_space(doc, &s, e);
	space_free(s);
	json_close(doc);
	return status;
}

/* What a space is asked for once it is made. */
static enum asc_status job_walk(struct asc_err *e)
{
	static const struct value values[] = {{.kind = VALUE_INT, .i = 1},
					      {.kind = VALUE_INT, .i = 2}};
	static const struct space_param params[] = {{"a", 2, values, {.kind = VALUE_INT, .i = 1}},
						    {"b", 2, values, {.kind = VALUE_INT, .i = 2}}};
	static const uint16_t rows[] = {0, 0, 1, 1};
	struct space_cursor *cursor = NULL;
	struct space *s = NULL;
	struct buf text = {0};
	uint64_t *near = NULL;
	size_t n;
	enum asc_status status = space_new_list(params, 2, rows, 2, &s, e);

	if (status == ASC_OK)
		status = space_cursor_new(s, &cursor, e);
	if (status == ASC_OK)
		status = space_neighbours(s, 0, SPACE_ADAPTIVE, &near, &n, e);
	if (status == ASC_OK)
		status = space_print_unevaluable(s, &text, e);
	space_cursor_free(cursor);
	space_free(s);
	free(near);
	buf_fini(&text);
	return status;
}

/* Asks a strategy to the end; *asked: how often. */
static enum asc_status drain(const struct strategy_ops *ops, const struct space *space,
			     size_t *asked, struct asc_err *e)
{
	struct strategy *s = NULL;
	uint64_t list[10];
	size_t n = 0;
	enum asc_status status =
		strategy_new(ops, &(struct strategy_options){.space = space}, &s, e);

	if (status == ASC_OK)
		status = strategy_skip(s, 3, e);
	if (status == ASC_OK)
		status = strategy_tell(s, 3, &(struct result){0}, 1, e);
	do {
		n = sizeof list / sizeof *list;
		if (status == ASC_OK)
			status = strategy_ask(s, list, &n, e);
		*asked += status == ASC_OK ? n : 0;
		for (size_t i = 0; status == ASC_OK && i < n; i++)
			status = strategy_tell(s, list[i], &(struct result){0}, (double)list[i], e);
	} while (status == ASC_OK && n > 0);
	strategy_free(s);
	return status;
}

/* Values of each parameter. The model, which takes longest, makes the same calls in the smaller
 * space: forty questions of the process, sixty of the forest. */
enum { LARGE_SIDE = 16, MODEL_SIDE = 10 };

static const struct strategy_ops *strategy; /* of job_search(), and the values */
static size_t side;

/* Out of memory is no end of a search. */
static enum asc_status job_search(struct asc_err *e)
{
	struct value values[LARGE_SIDE];
	const struct space_param params[2] = {{"a", side, values, value_int(0)},
					      {"b", side, values, value_int(0)}};
	struct space *space = NULL;

	for (size_t i = 0; i < side; i++)
		values[i] = value_int((int64_t)i);
	enum asc_status status =
		space_new(&(struct space_spec){params, 2, NULL, 0, {0}}, &space, e);
	size_t asked = 0;

	if (status == ASC_OK)
		status = drain(strategy, space, &asked, e);
	if (status == ASC_OK && asked != side * side - 1)
		status = asc_err_set(e, ASC_INTERNAL, "it asked %zu", asked);
	space_free(space);
	return status;
}

static enum asc_status job_empty(struct asc_err *e)
{
	static const struct value values[] = {{.kind = VALUE_INT, .i = 1},
					      {.kind = VALUE_INT, .i = 2}};
	static const struct space_param params[] = {{"a", 2, values, {.kind = VALUE_INT, .i = 1}},
						    {"b", 2, values, {.kind = VALUE_INT, .i = 2}}};
	static const struct space_condition conditions[] = {{"a < b", "one"}, {"a > b", "two"}};
	struct space *s = NULL;
	struct buf text = {0};
	enum asc_status status =
		space_new(&(struct space_spec){params, 2, conditions, 2, {0}}, &s, e);

	if (status == ASC_OK)
		status = space_print_empty(s, &text, e);
	space_free(s);
	buf_fini(&text);
	return status;
}

static const char workload_path[] = PROJECT_ROOT "/workloads/sdpa.json";

static enum asc_status job_workload(struct asc_err *e)
{
	struct workload *w = NULL;
	const enum asc_status status = workload_open(workload_path, &w, e);

	if (status == ASC_OK)
		nomem_give(w->name);
	workload_close(w);
	return status;
}

static struct workload *workload; /* of job_space() */

static enum asc_status job_space(struct asc_err *e)
{
	const struct facts none = {0};
	struct binding b = {0};
	struct space *s = NULL;
	enum asc_status status =
		binding_init(&b, workload, &workload->problems[0], "cpu", &none, e);

	if (status == ASC_OK)
		status = binding_space(&b, &workload->implementations[0], &s, e);
	space_free(s);
	binding_fini(&b);
	return status;
}

/* A device's limits: conditions, counts, placed tiles. */
static enum asc_status limited_space(const struct binding *b, struct asc_err *e)
{
	const struct implementation *i = workload_find_implementation(b->workload, "chain");
	const struct config c = {.n = 1, .values = {value_int(128)}};
	struct limit_effect *effects = NULL;
	struct space *s = NULL;
	struct buf text = {0};
	size_t n = 0;
	bool fits = true;
	enum asc_status status = binding_space(b, i, &s, e);

	space_free(s);
	if (status == ASC_OK)
		status = binding_limit_effects(b, i, &effects, &n, e);
	if (status == ASC_OK)
		status = binding_explain_limits(b, i, &c, &fits, &text, e);
	limit_effects_free(effects, n);
	buf_fini(&text);
	return status;
}

static enum asc_status job_limits(struct asc_err *e)
{
	struct workload *w = NULL;
	struct binding b = {0};
	struct limits l;
	enum asc_status status = workload_open(TEST_DATA "/limits/tiles.json", &w, e);

	limits_find("Ascend910B3", &l);
	if (status == ASC_OK)
		status = binding_init(&b, w, &w->problems[0], "npu", &l.facts, e);
	b.limits = &l;
	if (status == ASC_OK)
		status = limited_space(&b, e);
	binding_fini(&b);
	workload_close(w);
	return status;
}

/* What rewrites add to a space and did to a configuration. */
static enum asc_status rewritten_space(const struct binding *b, struct asc_err *e)
{
	const struct implementation *i = workload_find_implementation(b->workload, "tiled");
	const struct config c = {4,
				 {value_int(2048), value_int(512), value_int(16), value_int(32)}};
	struct space *s = NULL;
	struct buf text = {0};
	uint64_t added;
	enum asc_status status = binding_space(b, i, &s, e);

	if (status == ASC_OK)
		status = binding_count_added(b, i, s, rewrite_find("sub-block"), &added, e);
	if (status == ASC_OK)
		status = binding_explain_rewrites(b, i, &c, &text, e);
	space_free(s);
	buf_fini(&text);
	return status;
}

static enum asc_status job_rewrites(struct asc_err *e)
{
	struct workload *w = NULL;
	struct binding b = {0};
	enum asc_status status = workload_open(TEST_DATA "/data/workload/full.json", &w, e);

	if (status == ASC_OK)
		status = binding_init(&b, w, &w->problems[1], "npu", NULL, e);
	if (status == ASC_OK)
		status = rewritten_space(&b, e);
	binding_fini(&b);
	workload_close(w);
	return status;
}

/* Both configurations of a night were profiled. */
static void put_profiles(struct db *d, int64_t run)
{
	struct profile p;
	struct asc_err e;

	profile_make_softmax(&p);
	profile_add(&p, "cupti", "dram_pct", "%", NAN, 0, "not permitted");
	p.failure = str_dup("crashed in pass 3 of 7");
	if (db_put_profile(d, run, &rows_implementation, "B=1", &p, &e) ||
	    db_put_profile(d, run, &rows_implementation, "B=3", &p, &e))
		tap_ok(false, "%s", e.text);
	profile_fini(&p);
}

/* A few nights of two configurations, the last slower. */
static void make_nights(const char *path)
{
	struct asc_err e;

	for (int i = 0; i < 9; i++) {
		struct result r = rows_result(100, 100 + i % 3 + (i > 6 ? 30 : 0), 140);
		struct db_trial a = rows_trial("B=1", &r),
				b = rows_trial(i > 6 ? "B=3" : "B=2", &r);
		int64_t run;
		struct db *d = rows_open(path, &run);

		if (db_add_trial(d, run, &a, &e) || db_add_trial(d, run, &b, &e) ||
		    db_end_run(d, run, "done", &e))
			tap_ok(false, "%s", e.text);
		if (i == 8)
			put_profiles(d, run);
		db_close(d);
	}
	rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
	/* Each was built from 1 to 2 us after the run began. */
	rows_ask(path, "UPDATE trial SET begin_ns = 9000, load_ns = 5, builds = X'd00fd00f'");
	rows_ask(path, "UPDATE run SET finals_begin_ns = 10000, finals_ns = 10");
}

static enum asc_status job_page(struct asc_err *e)
{
	struct page_request r = {.path = rows_path("nights.db"),
				 .file = "a.html",
				 .version = "0",
				 .plotter = "/nonexistent/gnuplot"};
	struct buf page = {0};
	enum asc_status status = db_open(r.path, DB_READ, &r.db, e);

	if (status == ASC_OK)
		status = page_write(&r, &page, e);
	buf_fini(&page);
	db_close(r.db);
	return status;
}

/* A comparison of two nights. */
static enum asc_status job_compare(struct asc_err *e)
{
	struct track_side sides[TRACK_SIDES] = {
		{.path = "a.db", .name = "one", .choice = {.first_run = 1, .last_run = 1}},
		{.path = "a.db", .name = "nine", .choice = {.first_run = 9, .last_run = 9}}};
	struct page_request r = {.path = "a.db",
				 .file = "a.html",
				 .version = "0",
				 .plotter = "/nonexistent/gnuplot",
				 .sides = sides};
	struct track_comparison *c = NULL;
	struct buf page = {0};
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path("nights.db"), DB_READ, &d, e);

	sides[TRACK_BASE].db = sides[TRACK_AGAINST].db = d;
	if (status == ASC_OK)
		status = track_compare(sides, &track_rule_default, &c, e);
	r.comparison = c;
	if (status == ASC_OK)
		status = page_write(&r, &page, e);
	buf_fini(&page);
	track_comparison_free(c);
	db_close(d);
	return status;
}

static const struct exporter_ops *exporter; /* of job_export() */

/* Results as text. */
static enum asc_status job_export(struct asc_err *e)
{
	static const char names[] = "{\"infiniops\":{\"operator\":\"Add\"}}";
	struct db *d = NULL;
	struct dispatch table = {0};
	struct buf text = {0};
	struct sink to = {.text = &text};
	enum asc_status status = db_open(rows_path("nights.db"), DB_READ, &d, e);

	if (status == ASC_OK && exporter->needs != EXPORT_TRIALS)
		status = dispatch_read(&table, d, DISPATCH_IMPLEMENTATIONS, e);
	for (size_t k = 0; k < table.n_rows; k++) {
		table.rows[k].result.export_json = names;
		table.rows[k].result.implementation_index = 1;
	}
	const struct export_request r = {.db = d, .table = &table};

	if (status == ASC_OK)
		status = exporter->write(exporter, &r, &to, e);
	if (status == ASC_OK)
		status = buf_check(&text, e);
	dispatch_fini(&table);
	buf_fini(&text);
	db_close(d);
	return status;
}

/* A database into one that has some of its runs. */
static enum asc_status job_merge(struct asc_err *e)
{
	struct db_merged merged;
	struct db *d = NULL;
	enum asc_status status = db_open(rows_path("merged.db"), DB_WRITE, &d, e);

	if (status == ASC_OK)
		status = db_merge(d, rows_path("nights.db"), &merged, e);
	db_close(d);
	return status;
}

static enum asc_status job_import(struct asc_err *e)
{
	const struct import_names names = {.version = "0"};
	struct import_summary summary;
	struct import *i = NULL;
	struct db *d = NULL;
	enum asc_status status = import_open(rows_path("x_T4.json"), NULL, &i, e);

	if (status == ASC_OK)
		status = db_open(rows_path("merged.db"), DB_WRITE, &d, e);
	if (status == ASC_OK)
		status = import_record(i, d, &names, &summary, e);
	import_close(i);
	db_close(d);
	return status;
}

/* The results of a few nights in the T4 format. */
static void make_t4(void)
{
	struct asc_err e;
	struct buf text = {0};
	struct db *d = NULL;
	struct sink to = {.text = &text};
	const struct exporter_ops *t4 = exporter_find("t4");

	if (db_open(rows_path("nights.db"), DB_READ, &d, &e) ||
	    t4->write(t4, &(struct export_request){.db = d}, &to, &e) ||
	    file_write(rows_path("x_T4.json"), text.data, text.len, &e))
		tap_ok(false, "%s", e.text);
	buf_fini(&text);
	db_close(d);
}

/* Rules of a sandbox: none may be left out in silence, or the child could not tell what it lacks.
 */
static enum asc_status job_sandbox(struct asc_err *e)
{
	static const char *const named[] = {"/proc/self/exe", NULL};
	struct sandbox_entry *entry = NULL;
	const struct sandbox box = {.named = named, .driver = true};
	const enum asc_status status = sandbox_prepare(&box, "/proc/self/exe", &entry, e);

	sandbox_forget(entry);
	if (status == ASC_OK && nomem_has_failed())
		return asc_err_set(e, ASC_INTERNAL, "an allocation failed and nothing was said");
	return status;
}

/* Each strategy and each exporter is a job of its own: none is repeated for the failures of those
 * behind it. */
static void test_strategies(void)
{
	char name[64];

	for (size_t i = 0; strategy_list[i]; i++) {
		strategy = strategy_list[i];
		side = strategy == &strategy_model ? MODEL_SIDE : LARGE_SIDE;
		snprintf(name, sizeof name, "search by %s", strategy->name);
		nomem_exhaust(name, job_search);
	}
}

static void test_exporters(void)
{
	char name[64];

	for (size_t i = 0; exporter_list[i]; i++) {
		exporter = exporter_list[i];
		snprintf(name, sizeof name, "export as %s", exporter->name);
		/* Tables of readers need problems that a library asks for: t-reader_set. */
		if (exporter->needs != EXPORT_SPACES && !exporter->explain)
			nomem_exhaust(name, job_export);
	}
}

int main(void)
{
	struct asc_err e;

	test_strategies();
	nomem_exhaust("expression", job_expr);
	nomem_exhaust("T1 file", job_t1);
	nomem_exhaust("list of configurations", job_walk);
	nomem_exhaust("empty space", job_empty);
	nomem_exhaust("workload", job_workload);
	if (workload_open(workload_path, &workload, &e))
		tap_ok(false, "%s", e.text);
	else
		nomem_exhaust("space of a workload", job_space);
	workload_close(workload);
	nomem_exhaust("limits", job_limits);
	nomem_exhaust("rewrites", job_rewrites);
	char reason[256];
	if (*sandbox_reason(SANDBOX_FILES, reason, sizeof reason))
		tap_skip("%s", reason);
	else
		nomem_exhaust("rules of a sandbox", job_sandbox);
	rows_enter();
	make_nights(rows_path("nights.db"));
	make_t4();
	nomem_exhaust("page", job_page);
	nomem_exhaust("comparison", job_compare);
	test_exporters();
	nomem_exhaust("merge", job_merge);
	nomem_exhaust("import", job_import);
	rows_leave();
	return tap_done();
}
