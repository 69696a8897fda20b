/* The page's views of tuning runs: each with its facts, and with a line where they were not
 * recorded. Pictures are left to t-plot: here nothing is drawn but the marks of the roofline.
 * covers: page_runs.c page_run.c page_run_detail.c page_run_first.c page_run_space.c
 * page_view.c page_forest.c page_slices.c page_roofline.c page_best.c page_run_distribution.c
 * page_run_effects.c */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/page/page_fixture.h"
#include "tuner/result/roofline.h"

static void test_nothing_recorded(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("bare.db"), &run);
	struct buf page = write_page(d);

	has(&page, "No run has results.");
	has_not(&page, "id=\"best-all\"");
	buf_fini(&page);
	rows_add_trial(d, run, "{\"A\":1}", RESULT_CRASHED, 0);
	page = write_page(d);
	has(&page, "1 crashed (");
	has(&page, "No configuration passed, so there is no best so far.");
	has(&page, "Not here: distributions (one implementation, and no parameter that its times "
		   "go with); importance (too few configurations or values to say which parameter "
		   "matters); pairs (fewer than two parameters had more than one value); "
		   "constraints (their configurations were not counted); "
		   "energy (--probe energy, --objective energy); ");
	has(&page, "the run before (there is none).");
	has_not(&page, "Devices beside each other");
	buf_fini(&page);
	rows_add_trial(d, run, "{\"A\":1}", RESULT_OK, 1000);
	page = write_page(d);
	has_not(&page, "id=\"roofline\"");
	has(&page, "counters</dt><dd>not recorded");
	has(&page, "noise</dt><dd>not recorded");
	has(&page, "clock</dt><dd>not recorded");
	has(&page, "no messages");
	has(&page, "By the median of the search: no finals were held");
	buf_fini(&page);
	db_close(d);
}

static void test_views(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("views.db"), &run);
	const struct peaks peaks = {
		.rows = {{PEAK_ARITHMETIC, "f32", 1e10, 1e10, 5}, {PEAK_MEMORY, "", 1e10, 1e10, 5}},
		.n = 2};
	const struct db_space_count counts[] = {{"all", NULL, NULL, 12},
						{"condition", "constraints[0]", "A <= B", 3},
						{"condition", "constraints[1]", "A", 0},
						{"condition", "memory.ub of <X>", NULL, NAN},
						{"valid", NULL, NULL, 6}};

	rows_add_trial(d, run, "{\"A\":3,\"B\":1}", RESULT_WRONG, 0);
	add_grid(d, run, 1);
	db_put_peaks(d, "f1", &peaks, &e);
	db_add_space(d, run, &rows_implementation, counts, 5, &e);
	add_final(d, run, "{\"A\":0,\"B\":1}", 1000, true);
	add_final(d, run, "{\"A\":0,\"B\":0}", 1001, false);
	db_end_run(d, run, "done", &e);
	struct buf page = write_page(d);

	has(&page,
	    "number 2 of 7 configurations in the order in which they were tried. At the foot: "
	    "1 that failed.");
	has(&page, "Times for each value of A");
	has(&page, "Over the 6 configurations of <bdi>blocked</bdi> that passed. Descriptive:");
	has(&page, "<bdi>A</bdi></th><td class=\"n\">4</td><td class=\"n\">100.0</td>");
	has(&page, "left over: combinations, other parameters, noise");
	has(&page, "<td class=\"none\" title=\"none of 1 passed\">");
	has(&page, "<td class=\"none\" title=\"not tried\">");
	has(&page, "memory.ub of &lt;X&gt;");
	has(&page, "not counted");
	has(&page, "1 condition removed nothing and is left out.");
	has(&page, "data-v=\"25\">25.0</td><td class=\"n\" data-v=\"9\">9</td>"); /* 3 of 12 */
	/* 4096 FLOPs in 1000 ns at 8 FLOP per byte: 4.096 of 10 GFLOP/s. */
	has(&page, "4.096 GFLOP/s</td><td class=\"n\">41 %</td>");
	has(&page, "tied with the best");
	has(&page, "1.010 [0.990, 1.020]");
	has(&page, "winner");
	has(&page, "3 samples from 999 ns to 1.00 µs");
	buf_fini(&page);
	db_close(d);
}

/* Where the winner of the finals is withdrawn, the run's best is the database's answer all the
 * same, and it is said where another run decides. */
static void test_withdrawn_winner(void)
{
	int64_t run;
	const char *path = rows_path("withdrawn.db");
	struct db *d = rows_open(path, &run);
	struct db_run cold = rows_run;

	add_timed(d, run, "B=1", RESULT_OK, 1000, 0, false);
	add_timed(d, run, "B=2", RESULT_OK, 3000, 0, false);
	add_timed(d, run, "B=3", RESULT_OK, 3000, 0, false);
	add_final(d, run, "B=1", 1000, true);
	add_final(d, run, "B=2", 1200, false);
	add_final(d, run, "B=3", 1100, false);
	db_set_sure(d, run, &(struct sureness){SURE_TIE, 3, 1}, false, &e);
	rows_ask(path, "UPDATE final SET standing = 'unsure' WHERE config_key = 'B=3'");
	rows_ask(path, "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	cold.cache_policy = "cold";
	db_begin_run(d, &rows_device, &rows_problem, &cold, &run, &e);
	add_timed(d, run, "B=1", RESULT_WRONG, 1, 0, false);
	struct buf page = write_page(d);

	has(&page, "best of this run</dt><dd>1.10 µs, <bdi>blocked</bdi> <bdi>B=3</bdi> (as in ");
	has(&page, "Left out: 1 of 3 trials passed and were withdrawn by a later failure.");
	buf_fini(&page);
	db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e);
	add_timed(d, run, "B=2", RESULT_OK, 900, 0, false);
	page = write_page(d);
	has(&page, "best of this run</dt><dd>900 ns, <bdi>blocked</bdi> <bdi>B=2</bdi> (other "
		   "finals or another run decide: ");
	buf_fini(&page);
	db_close(d);
}

/* The roofline drawn by gnuplot has a mark of this title. */
static void check_mark(struct db *d, const char *title)
{
	struct buf page = draw_page(d, NULL);

	if (strstr(buf_str(&page), "pictures</dt><dd>none"))
		tap_skip("gnuplot is not installed");
	else
		has(&page, title);
	buf_fini(&page);
}

/* The default beside the best is that of its implementation, as it was in the finals. */
static void test_default(void)
{
	const char *path = rows_path("default.db");
	int64_t run;
	struct db *d = rows_open(path, &run);
	struct db_run with_baseline = rows_run;
	const struct peaks peaks = {
		.rows = {{PEAK_ARITHMETIC, "f32", 1e10, 1e10, 5}, {PEAK_MEMORY, "", 1e10, 1e10, 5}},
		.n = 2};

	with_baseline.baseline = "library";
	db_begin_run(d, &rows_device, &rows_problem, &with_baseline, &run, &e);
	add_timed(d, run, "L=1", RESULT_OK, 8000, 1, true);
	add_timed(d, run, "B=1", RESULT_OK, 2000, 0, true);
	add_timed(d, run, "B=2", RESULT_OK, 1000, 0, false);
	db_put_peaks(d, "f1", &peaks, &e);
	add_final(d, run, "B=2", 1000, true);
	struct buf page = write_page(d);

	has(&page, "8.00× <bdi>library</bdi>");
	has(&page, "512 MFLOP/s</td>");
	buf_fini(&page);
	check_mark(d, "sdpa/tiny, baseline: 0.512 GFLOP/s at 8 FLOP per byte");
	add_final(d, run, "B=1", 2500, false);
	rows_ask(path, "UPDATE final SET ratio = iif(winner, 1, 2.4)");
	db_end_run(d, run, "done", &e);
	db_set_sure(d, run, &(struct sureness){SURE_CLEAR, 1, 1}, false, &e);
	page = write_page(d);
	has(&page, "2.40× <bdi>the default</bdi>"); /* by the rounds: the medians are 2.5 apart */
	has(&page, "default in 2.50 µs</title>");
	has(&page, "</svg> 2.40×</td>");
	has(&page, "1.638 GFLOP/s</td>"); /* 4096 FLOPs in 2.5 µs */
	has(&page, "1 no faster than its default</span>.");
	buf_fini(&page);
	rows_ask(path, "UPDATE final SET standing = 'slower' WHERE config_key = 'B=1'");
	page = write_page(d);
	has(&page, "1 faster than its default</span>.");
	has(&page, ", slower, left after 2 rounds<");
	has(&page, "<td>slower, left after 2 rounds</td>");
	has(&page, "41 % of attainable"); /* 4.096 of 10 GFLOP/s */
	buf_fini(&page);
	rows_ask(path, "UPDATE final SET low_ns = 990, high_ns = 1030 WHERE config_key = 'B=2'");
	page = write_page(d);
	has(&page, "<span class=\"big\">1.00 µs</span> <span class=\"mut\">[990 ns, 1.03 µs]<");
	buf_fini(&page);
	check_mark(d, "sdpa/tiny, default: 1.64 GFLOP/s at 8 FLOP per byte");
	check_mark(d, "sdpa/tiny, best: 4.10 GFLOP/s at 8 FLOP per byte");
	rows_ask(path, "UPDATE peak SET rate = 1e8 WHERE unit = 'B/s'");
	page = write_page(d);
	has(&page, "512 % <small title=\"more than memory gives: the data stayed in caches\">"
		   "(caches)</small> of attainable"); /* 4.096 of 8 times 0.1 GB/s */
	buf_fini(&page);
	rows_ask(path, "UPDATE peak SET rate = 1e9, moments = 0");
	page = write_page(d);
	has(&page, "410 % <small title=\"the peak was not measured at a quiet moment; a later run "
		   "measures it again\">(busy)</small>");
	buf_fini(&page);
	db_close(d);
}

/* A card says how configurations failed beside the best, each status with one to be repeated. */
static void test_failures(void)
{
	const char *path = rows_path("failures.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	add_timed(d, run, "B=1", RESULT_OK, 1000, 0, true);
	add_timed(d, run, "B=3", RESULT_TIMEOUT, NAN, 0, false);
	add_timed(d, run, "B=4", RESULT_TIMEOUT, NAN, 0, false);
	add_timed(d, run, "B=2", RESULT_CRASHED, NAN, 0, false);
	add_timed(d, run, "B=5", RESULT_CRASHED, NAN, 1, false); /* the library's */
	rows_ask(path, "UPDATE trial SET reason = 'too long' WHERE config_key = 'B=4'");
	struct buf page = write_page(d);

	has(&page, "<strong>Failed:</strong> 3 of 4 configurations of run 1.</p>");
	has(&page, "<li> 2 timeout (<code><bdi>too long</bdi></code>). Repeat it: ");
	has(&page, "<span>--config</span> B=4 ");
	has(&page, "<li> 1 crashed. Repeat it: ");
	has(&page, "<span>--impl</span> blocked <span>--config</span> B=2 ");
	buf_fini(&page);
	rows_ask(path, "DELETE FROM trial WHERE config_key > 'B=1'");
	page = write_page(d);
	has_not(&page, "Failed:");
	buf_fini(&page);
	db_close(d);
}

/* Common values of ties are those of all of them, not of those that have a row. */
static void test_ties(void)
{
	const char *path = rows_path("ties.db");
	int64_t run;
	struct db *d = rows_open(path, &run);
	char key[32];

	for (int i = 1; i <= 12; i++) {
		snprintf(key, sizeof key, "A=3,B=%d,C=%d", i, i == 12 ? 2 : 1);
		add_timed(d, run, key, RESULT_OK, 1000 + i, 0, i == 2);
		add_final(d, run, key, 1000 + i, i == 1);
	}
	add_timed(d, run, "A=4,B=1,C=1", RESULT_OK, 2000, 0, false);
	add_final(d, run, "A=4,B=1,C=1", 2000, false);
	rows_ask(path, "UPDATE final SET standing = 'slower' WHERE config_key LIKE 'A=4%'");
	db_set_sure(d, run, &(struct sureness){SURE_TIE, 12, 1}, false, &e);
	rows_ask(path, "UPDATE trial SET config_json = '{\"A\":3,\"B\":1,\"C\":1}'");
	struct buf page = write_page(d);

	has(&page, "12 of 13 finalists may be the fastest. All of them have <strong><bdi>A</bdi>="
		   "<bdi>3</bdi></strong>; they differ in <bdi>B</bdi>, <bdi>C</bdi>: no matter "
		   "which.");
	has(&page, "4 more finalists are in the run below.");
	has(&page, "1 of a run that did not end</span>");
	has(&page, "its run did not end</span></td>");
	buf_fini(&page);
	db_set_sure(d, run, &(struct sureness){SURE_UNDECIDED, 12, 16}, false, &e);
	db_end_run(d, run, "done", &e);
	page = write_page(d);
	has(&page, "undecided (ratios ±16 %): 12 of 13 finalists may be the fastest, and another "
		   "one than the chosen by more than 5 %. All of them have ");
	has_not(&page, "no matter which");
	has_not(&page, "did not end");
	buf_fini(&page);
	db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e);
	add_timed(d, run, "A=5,B=1,C=1", RESULT_OK, 3000, 0, false);
	page = write_page(d);
	has(&page, "12 of 13 finalists may be the fastest"); /* those of the run before */
	buf_fini(&page);
	db_close(d);
}

#define HOSTILE "a\"'`$(touch /tmp/x)</script><b>]]>&\\n"

static void test_hostile(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("hostile.db"), &run);
	struct result r = rows_result(10, 11, 12);
	struct db_trial t = rows_trial(HOSTILE, &r);
	char log[] = "</pre></script><script>alert(1)</script>\x01\xff", name[4097];

	for (int k = 0; k < 3; k++) {
		struct buf config = {0};

		buf_print(&config,
			  "{\"a\\\"</script><b>]]>\\n\":%d,\"`x`\":\"</td>%d\",\"\\u202ertl\":1}",
			  k, k % 2);
		t.config_json = buf_str(&config);
		t.config_key = k ? HOSTILE "2" : HOSTILE;
		r.log = log;
		tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a hostile trial");
		buf_fini(&config);
	}
	memset(name, 'n', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	const int64_t other = begin(d, "<i>\"`model`</script>", "f3", true);
	const struct db_space_count count = {"condition", "<s>", "a < \"b\"", 1};

	rows_add_trial(d, other, "{\"</title>\":\"x\"}", RESULT_OK, 10);
	db_add_space(d, run, &rows_implementation, &count, 1, &e);
	struct buf page = write_page(d);

	has_not(&page, "<script>alert");
	has_not(&page, "<b>");
	has_not(&page, "</td>0");
	has_not(&page, "<i>");
	has_not(&page, "<s>");
	has_not(&page, "\x01");
	has_not(&page, "\xff");
	has(&page, "&lt;script&gt;alert(1)");
	has(&page, "<span class=\"mut\">imported results</span>");
	has(&page, "</html>");
	buf_fini(&page);
	db_close(d);
}

static void test_damaged(void)
{
	int64_t run;
	const char *path = rows_path("damaged.db");
	struct db *d = rows_open(path, &run);

	rows_add_trial(d, run, "{\"A\":1}", RESULT_OK, 1000);
	rows_ask(path, "UPDATE trial SET samples = x'ff'");
	struct buf page = write_page(d);

	has(&page, "Damaged: ");
	has(&page, "trial 1: the samples are damaged at byte 0 of 1.");
	has(&page, "the run before (there is none)");
	buf_fini(&page);
	rows_ask(path, "UPDATE trial SET config_json = '{'");
	page = write_page(d);
	has(&page, "Damaged: trial 1: ");
	has(&page, "id=\"runs-all\"");
	buf_fini(&page);
	db_close(d);
}

/* More runs than have views of their own. */
static void test_many(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("many.db"), &run);

	for (int k = 0; k < 9; k++) {
		char model[16];

		snprintf(model, sizeof model, "Model %d", k);
		add_grid(d, begin(d, model, model, false), 1);
	}
	struct buf page = write_page(d);

	has(&page, "id=\"runs-all\"");
	has(&page, "32 more pairs are left out.");
	tap_ok(page.len < 1000000, "%zu bytes", page.len);
	buf_fini(&page);
	db_close(d);
}

/* One on each device, doubtful ones first. */
static void test_best(void)
{
	static const struct sureness sure[] = {{SURE_CLEAR, 1, 1},
					       {SURE_TIE, 3, 1},
					       {SURE_UNUSABLE, 1, 1},
					       {SURE_UNDECIDED, 2, 16}};
	static const char *const models[] = {"Model 0", "Model 1", "Model 2", "Model 3"};
	int64_t run;
	struct db *d = rows_open(rows_path("best.db"), &run);

	for (int k = 0; k < 4; k++) {
		run = begin(d, models[k], models[k], false);
		add_grid(d, run, 1);
		add_final(d, run, "{\"A\":0,\"B\":1}", 1234.5 + k, true);
		add_final(d, run, "{\"A\":0,\"B\":0}", 1300, false);
		tap_int(db_set_sure(d, run, &sure[k], false, &e), ASC_OK, "how sure");
	}
	struct buf page = write_page(d);
	char *table = strstr(buf_str(&page), "id=\"best-all\""), *end = strstr(table, "</table>");
	const char *at = table;
	static const char *const order[] = {"Model 2",
					    "1236.5\"",
					    "no usable result",
					    "Model 3",
					    "undecided (ratios ±16 %)",
					    "Model 0",
					    "clear winner",
					    "Model 1",
					    "tie of 2"};

	*end = '\0';
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		const char *found = strstr(at, order[i]);

		tap_ok(found, "the table goes on with: %s", order[i]);
		at = found ? found : at;
	}
	tap_has(table,
		"<bdi>hot</bdi> cache, <bdi>Model 2</bdi>: <bdi>{\"A\":0,<wbr/>\"B\":1}</bdi>",
		"each row has its configuration");
	tap_ok(strstr(buf_str(&page), "id=\"runs-all\"") == NULL, "before the runs");
	buf_fini(&page);
	db_close(d);
}

static void test_best_of_many(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("best_many.db"), &run);

	for (int k = 0; k < 510; k++) {
		struct db_problem problem = rows_problem;
		char name[16];

		snprintf(name, sizeof name, "p%03d", k);
		problem.problem = problem.problem_key = name;
		if (db_begin_run(d, &rows_device, &problem, &rows_run, &run, &e))
			tap_ok(false, "%s", e.text);
		rows_add_trial(d, run, "{\"A\":1}", RESULT_OK, 1000 + k);
	}
	struct buf page = write_page(d);

	has(&page, "<label for=\"best-all-m\">all 500 rows instead of the first 50</label>");
	has(&page,
	    "10 rows more are left out here: <code class=\"copy\">asctune best <span>--db</span> "
	    "test.db</code> has all.");
	buf_fini(&page);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_nothing_recorded();
	test_views();
	test_withdrawn_winner();
	test_default();
	test_ties();
	test_failures();
	test_hostile();
	test_damaged();
	test_many();
	test_best();
	test_best_of_many();
	rows_leave();
	return tap_done();
}
