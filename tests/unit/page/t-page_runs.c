/* The page's views of tuning runs: each with its facts, and with a line where they were not
 * recorded. Pictures are left to t-plot: here nothing is drawn but the marks of the roofline. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "db/db.h"
#include "reports/page/page.h"
#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/results/roofline.h"

static struct asc_err e;

/* The page of a database, its pictures drawn by a program, NULL: gnuplot; the caller's. */
static struct buf draw_page(struct db *d, const char *plotter)
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

static struct buf write_page(struct db *d)
{
	return draw_page(d, "/no/such/program");
}

static void has(const struct buf *page, const char *part)
{
	tap_ok(strstr(buf_str(page), part), "has: %s", part);
}

static void has_not(const struct buf *page, const char *part)
{
	tap_ok(!strstr(buf_str(page), part), "has not: %s", part);
}

static int64_t begin(struct db *d, const char *model, const char *fingerprint, bool simulated)
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
static void add_grid(struct db *d, int64_t run, double factor)
{
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 2; b++) {
			char config[64];

			snprintf(config, sizeof config, "{\"A\":%d,\"B\":%d}", a, b);
			rows_add_trial(d, run, config, RESULT_OK, factor * ((1000 << a) + b));
		}
}

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
		   "energy (--probe counts it where the device tells); ");
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

static void add_final(struct db *d, int64_t run, const char *key, double median, bool winner)
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
	has(&page, "4.096 GFLOP/s</td><td class=\"n\">41.0</td>");
	has(&page, "tied with the best");
	has(&page, "1.010 [0.990, 1.020]");
	has(&page, "winner");
	has(&page, "3 samples from 999 ns to 1.00 µs");
	buf_fini(&page);
	db_close(d);
}

static void add_timed(struct db *d, int64_t run, const char *key, enum result_status status,
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

/* Caption, table and picture of the search are of the same trials. */
static void test_search(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("search.db"), &run);

	add_timed(d, run, "B=1", RESULT_OK, 9000, 0, true);
	add_timed(d, run, "B=2", RESULT_SLOW, 1111, 0, false); /* was never compared to the end */
	add_timed(d, run, "B=3", RESULT_UNDECIDED, 5000, 0, false);
	add_timed(d, run, "B=4", RESULT_OK, 7000, 0, false);
	rows_add_trial(d, run, "{\"B\":5}", RESULT_CRASHED, 0);
	struct buf page = write_page(d);

	has(&page, "Lowest time of the search 5.00 µs (undecided), number 3 of 5 configurations in "
		   "the order in which they were tried. At the foot: 1 that failed. Not shown: 1 "
		   "dropped early.");
	has(&page, "<bdi>B=3</bdi><small>undecided</small>");
	has(&page, "best of this run</dt><dd>7.00 µs, <bdi>blocked</bdi> <bdi>B=4</bdi> (as in ");
	has_not(&page, "1.11 µs");
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
	has_not(&page, "% of attainable"); /* the data stayed in caches */
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

/* The heat map of two parameters has a frame around the chosen cell alone. */
static void test_chosen_cell(void)
{
	const char *path = rows_path("heat.db");
	int64_t run;
	struct db *d = rows_open(path, &run);
	char key[16];

	for (int a = 1; a <= 3; a++)
		for (int b = 1; b <= 2; b++) {
			snprintf(key, sizeof key, "A=%d,B=%d", a, b);
			add_timed(d, run, key, RESULT_OK, (a == 2 ? 1000 : 1000 * (1 + a)) + b, 0,
				  false);
		}
	rows_ask(path, "UPDATE trial SET config_json = '{\"' ||"
		       " replace(replace(config_key, '=', '\":'), ',', ',\"') || '}'");
	struct buf page = write_page(d);
	const char *cell = strstr(buf_str(&page), ", chosen\">1.00</td>");

	tap_ok(cell && !strstr(cell + 1, ", chosen\">"), "one cell is the chosen one");
	has(&page, " on\" title=\"best of 1 tried, chosen\">");
	/* The bars of A: 2001, 1001, the chosen one, and 4001 ns; another value costs 2001 / 1001.
	 */
	has(&page, "<bdi>A</bdi></strong> <span class=\"mut\">+99.9 %</span>");
	has(&page, "stroke=\"var(--good)\"><title>A=2: 1.00 µs at best, 1.00×, of 2 tried");
	has(&page, "stroke=\"var(--s1)\"><title>A=3: 4.00 µs at best, 4.00×, of 2 tried");
	has(&page, "class=\"m\">4.00×</text></svg>");
	has(&page, "<bdi>A=2,<wbr/>B=1</bdi></td></tr>\n</tbody>"); /* the last best so far */
	buf_fini(&page);
	add_final(d, run, "A=1,B=1", 990, true); /* 2001 ns in the search */
	add_final(d, run, "A=2,B=1", 1500, false);
	page = write_page(d);
	has(&page, "class=\"h0\" title=\"best of 1 tried\">990</td><td class=\"h3 on\" "
		   "title=\"best of 1 tried, chosen\">1500</td>");
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
	db_set_sure(d, run, &(struct sureness){SURE_NOISY, 12, 16}, false, &e);
	db_end_run(d, run, "done", &e);
	page = write_page(d);
	has(&page,
	    "too noisy to rank (ratios ±16 %): 12 of 13 finalists may be the fastest, and another "
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

/* The row of a table begins with a heading and these cells of numbers. */
static void has_row(const struct buf *page, const char *heading, const char *cells)
{
	const char *row = strstr(buf_str(page), heading);

	row = row ? strstr(row, "</th>") : NULL;
	tap_ok(row && strncmp(row + 5, cells, strlen(cells)) == 0, "%s: %s", heading, cells);
}

/* The parts of a run of 200 ms: two trials were built in 5 ms each, all three were loaded in 1 ms,
 * verified in 2 and measured in 3; finals and what follows took the last 100 ms. */
static void test_spent(void)
{
	const char *path = rows_path("spent.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	for (int i = 0; i < 3; i++)
		add_timed(d, run,
			  i == 0   ? "B=1"
			  : i == 1 ? "B=2"
				   : "B=3",
			  RESULT_OK, 1000 + i, 0, false);
	rows_ask(path, "UPDATE trial SET load_ns = 1000000, verify_ns = 2000000, measure_ns ="
		       " 3000000, cached = id = 1, build_ns = iif(id = 1, 0, 5000000),"
		       " recorded_ms = 1000 + id");
	rows_ask(path, "UPDATE run SET started_ms = 903, ended_ms = 1103, outcome = 'done'");
	struct buf page = write_page(d);

	has(&page, "The run took 200 ms. Compilers worked 10 ms in all, several at the same time: "
		   "built 2, from the cache 1.");
	has_row(&page, "<th scope=\"row\">load", "<td class=\"n\">3.00 ms</td><td class=\"n\">1.5");
	has_row(&page, "<th scope=\"row\">verify",
		"<td class=\"n\">6.00 ms</td><td class=\"n\">3.0");
	has_row(&page, "<th scope=\"row\">measure",
		"<td class=\"n\">9.00 ms</td><td class=\"n\">4.5");
	has_row(&page, "<th scope=\"row\">finals and after",
		"<td class=\"n\">100 ms</td><td class=\"n\">50.0");
	has_row(&page, "<th scope=\"row\">building and waiting",
		"<td class=\"n\">82.0 ms</td><td class=\"n\">41.0");
	buf_fini(&page);
	db_close(d);
}

/* The front of time and energy: 1 µs with 3 mJ, 2 µs with 2 mJ; 3 µs with 5 mJ is worse in both. */
static void test_energy(void)
{
	const char *path = rows_path("energy.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	add_timed(d, run, "B=3", RESULT_OK, 3000, 0, false);
	add_timed(d, run, "B=2", RESULT_OK, 2000, 0, false);
	add_timed(d, run, "B=1", RESULT_OK, 1000, 0, false);
	rows_ask(path, "INSERT INTO metric_name VALUES(1, 'meter', 'energy', 'mJ')");
	rows_ask(path, "INSERT INTO metric VALUES(1, 1, 5), (2, 1, 2), (3, 1, 3)");
	struct buf page = write_page(d);

	has(&page, "Time and energy of 3 configurations that passed.");
	has(&page, "<tbody>\n<tr><th scope=\"row\" class=\"n\">1.00 µs</th>"
		   "<td class=\"n\">3.000</td></tr>\n"
		   "<tr><th scope=\"row\" class=\"n\">2.00 µs</th><td class=\"n\">2.000</td></tr>\n"
		   "</tbody>");
	buf_fini(&page);
	db_close(d);
}

/* Times that go with A alone: A and B together have all of the variance, and no more than A. */
static void test_pairs(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("pairs.db"), &run);

	for (int i = 0; i < 8; i++) {
		char config[32];

		snprintf(config, sizeof config, "{\"A\":%d,\"B\":%d,\"C\":%d}", i & 1, i >> 1 & 1,
			 i >> 2);
		rows_add_trial(d, run, config, RESULT_OK, i & 1 ? 2000 : 1000);
	}
	struct buf page = write_page(d);

	has_row(&page, "<th scope=\"row\"><bdi>A</bdi> and <bdi>B</bdi>",
		"<td class=\"n\">100.0</td><td class=\"n\">0.0</td>");
	buf_fini(&page);
	db_close(d);
}

static void test_comparisons(void)
{
	int64_t run;
	struct db *d = rows_open(rows_path("compare.db"), &run);

	add_grid(d, run, 1);
	const int64_t second = begin(d, "Model 1", "f1", false);
	const int64_t other = begin(d, "Model 2", "f2", false);

	add_grid(d, second, 1.1);
	rows_add_trial(d, second, "{\"A\":9,\"B\":9,\"NEW\":1}", RESULT_OK, 500);
	add_grid(d, other, 3);
	add_grid(d, begin(d, "Model 2", "f3", false), 3.3); /* another machine of that model */
	struct buf page = write_page(d);

	has(&page, "Another configuration won, and is faster: 1.00 µs → 500 ns.");
	has(&page, "The old best takes 1.10 µs now.");
	has(&page, "Parameters that differ");
	has(&page, "<bdi>NEW</bdi>");
	has(&page, "6 configurations passed in both. Median ratio of their times, second to "
		   "first: 1.100 [1.100, 1.100]. Rank correlation 1.00.");
	has(&page, "fastest configuration of the search was not tried on <bdi>Model 2</bdi>.");
	has(&page, "loses 120 % on ");
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
	static const struct sureness sure[] = {
		{SURE_CLEAR, 1, 1}, {SURE_TIE, 3, 1}, {SURE_UNUSABLE, 1, 1}, {SURE_NOISY, 2, 16}};
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
					    "too noisy to rank (ratios ±16 %)",
					    "Model 0",
					    "clear winner",
					    "Model 1",
					    "2 tie"};

	*end = '\0';
	for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
		const char *found = strstr(at, order[i]);

		tap_ok(found, "the table goes on with: %s", order[i]);
		at = found ? found : at;
	}
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
	test_search();
	test_withdrawn_winner();
	test_default();
	test_ties();
	test_failures();
	test_chosen_cell();
	test_spent();
	test_energy();
	test_pairs();
	test_comparisons();
	test_hostile();
	test_damaged();
	test_many();
	test_best();
	test_best_of_many();
	rows_leave();
	return tap_done();
}
