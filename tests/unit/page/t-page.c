/* The report of every kind of database: it is well-formed, says what there is, loads nothing. */
#include "reports/page/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/markup_check.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

static struct asc_err e;

static const char nowhere[] = "/nonexistent/gnuplot";

/* Hostile in HTML, SVG, gnuplot and a terminal, in turn. */
static const char hostile[] = "</script><script>alert(1)</script>\"'`$(id)`]]>&amp;<!--\n|\\\x1b[2J"
			      "\xFF\xE2\x80\xAE";

static struct buf write_page(const char *path, const char *plotter)
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
static void check_page(const char *path, const char *plotter, const char *name,
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

/* ---- nights ---- */

struct names {
	const char *workload, *problem, *implementation, *device, *driver, *config, *reason;
};

static const struct names plain = {"sdpa", "tiny", "blocked", "Model 1", "6.1", "B=1", "refused"};
static const struct names bad = {hostile, hostile, hostile, hostile, hostile, hostile, hostile};

static void add_night(struct db *d, const struct names *n, double ns)
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
static void add_nights(const char *path, const struct names *names, size_t n, size_t step,
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

static const char *const *texts(const char *first, const char *second)
{
	static const char *list[3];

	list[0] = first;
	list[1] = second;
	return list;
}

/* ---- databases ---- */

static void test_empty(void)
{
	const char *path = rows_path("empty.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	db_close(d);
	check_page(path, nowhere, "an empty database",
		   texts("Nothing was measured yet", "No run has results."));
}

static void test_failed(void)
{
	const char *path = rows_path("failed.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	add_night(d, &plain, -1);
	db_close(d);
	check_page(path, nowhere, "all failed",
		   texts("No run measured anything: of 1 trial in 1 run none passed.",
			 "1 build_failed (<code><bdi>refused</bdi></code>)"));
}

/* A run that was broken off is no point of a history; what it measured was measured. */
static void test_broken_off(void)
{
	const char *path = rows_path("broken.db");

	add_nights(path, &plain, 1, 1, 1);
	rows_ask(path, "UPDATE run SET outcome = 'interrupted'");
	check_page(path, nowhere, "broken off",
		   texts("1 kernel tuned: <span class=\"warn\">1 of a run that did not "
			 "end</span>.</p>",
			 "its run did not end</span>"));
}

/* A trial that passed is no result where another one has failed since. */
static void test_withdrawn(void)
{
	const char *path = rows_path("withdrawn.db");

	add_nights(path, &plain, 2, 2, 1);
	rows_ask(path, "UPDATE trial SET status = 'wrong' WHERE id = 2");
	rows_ask(path, "UPDATE run SET outcome = 'interrupted'");
	check_page(path, nowhere, "a withdrawn result",
		   texts("<span class=\"bad\">1 with no usable result</span>",
			 "No configuration passes "
			 "any more. The times above are of run 1."));
}

static void test_few(void)
{
	add_nights(rows_path("one.db"), &plain, 1, 1, 1);
	check_page(rows_path("one.db"), nowhere, "one point",
		   texts("1 not compared with a default", "100 \xC2\xB5s"));
	add_nights(rows_path("constant.db"), &plain, 30, 30, 1);
	rows_ask(rows_path("constant.db"), "UPDATE trial SET median_ns = 100000");
	check_page(rows_path("constant.db"), nowhere, "a constant history",
		   texts("30 runs from 2026-01-02 to 2026-01-31, 0 changes of level", "unchanged"));
}

static void test_long(void)
{
	const char *path = rows_path("long.db");

	add_nights(path, &plain, 70, 70, 1);
	check_page(path, nowhere, "a long history",
		   texts("newest 60 runs, in percent of the level before", "70 runs from"));
}

static void test_changes(void)
{
	const char *path = rows_path("slower.db");

	add_nights(path, &plain, 40, 36, 1.2);
	check_page(path, nowhere, "a regression",
		   texts("<span class=\"bad\">1 kernel slower</span>.",
			 "nothing was recorded to have changed: same source, compiler, driver"));
	check_page(path, nowhere, "what to do",
		   texts("<span>-p</span> tiny <span>--cache</span> hot <span>--confirm</span> "
			 "<span>--db</span> a.db</code>",
			 "asctune track ack 'cpu: Model 1 sdpa/tiny blocked hot' "
			 "<span>--reason</span> TEXT <span>--db</span> a.db</code>"));
	rows_ask(path, "UPDATE run SET source_commit = iif(id < 37, 'aaaaaaaaaaaaaaaa',"
		       " 'bbbbbbbbbbbbbbbb'), source_clean = id < 37");
	check_page(path, nowhere, "both commits",
		   texts("<strong>Commit</strong> <bdi>bbbbbbbbbbbb with changes</bdi>, was "
			 "<bdi>aaaaaaaaaaaa</bdi>.",
			 NULL));
	rows_ask(path, "UPDATE trial SET clock_mhz = iif(run_id < 37, 3000, 2500)");
	check_page(path, nowhere, "a clock that was lowered",
		   texts("<strong>Clock</strong> 2500 MHz, was 3000.", NULL));
	check_page(path, nowhere, "without gnuplot",
		   texts("The large pictures are missing:", "sudo apt-get install gnuplot-nox"));
	check_page(path, nowhere, "the command and the runs",
		   texts("asctune report <span>--db</span> a.db <span>-o</span> a.html",
			 "40 from 2026-01-02 00:00 UTC"));
	rows_ask(path, "UPDATE run SET started_ms = started_ms - 3600000 * (86400000 / 3600000 - 1)"
		       " WHERE id = 40");
	check_page(path, nowhere, "two runs of one night", texts(" · 39 nights since ", NULL));
	add_nights(rows_path("faster.db"), &plain, 40, 36, 0.7);
	check_page(rows_path("faster.db"), nowhere, "an improvement",
		   texts("<span class=\"good\">1 kernel faster</span>.",
			 "<h3 id=\"faster\">Faster</h3>"));
}

/* A change of p = 0.005 is one among a few histories, and may be chance among 40. */
static void test_chance(void)
{
	const char *path = rows_path("chance.db");
	struct names other = plain;

	add_nights(path, &plain, 12, 10, 1.015);
	check_page(path, nowhere, "one history",
		   texts("<span class=\"bad\">1 kernel slower</span>.", NULL));
	for (int i = 1; i < 40; i++) {
		char problem[8];

		snprintf(problem, sizeof problem, "p%d", i);
		other.problem = problem;
		add_nights(path, &other, 12, 12, 1);
	}
	check_page(
		path, nowhere, "40 histories",
		texts("1 kernel undecided</span>, ",
		      "driver and clock. Among so many series such a change may be chance.</p>"));
}

static void test_winner(void)
{
	const char *path = rows_path("winner.db");
	struct names other = plain;

	other.config = "A=2,B=2";
	add_nights(path, &plain, 40, 40, 1);
	add_nights(path, &other, 4, 0, 0.7);
	check_page(path, nowhere, "another winner",
		   texts("Another configuration won: the old best <strong>was not tried again"
			 "</strong>.",
			 "<bdi>B</bdi> <small><bdi>1</bdi> \xE2\x86\x92</small> "
			 "<strong><bdi>2</bdi></strong>"));
	rows_ask(path,
		 "INSERT INTO trial(run_id, implementation_id, config_hash, config_key,"
		 " config_json, is_default, recorded_ms, status, phase, reason, cached, build_ns,"
		 " load_ns, verify_ns, measure_ns, launches, n_samples)"
		 " SELECT run_id, implementation_id, (SELECT config_hash FROM trial WHERE id = 1),"
		 " 'B=1', '{}', 0, recorded_ms, 'build_failed', 'build', 'no <room>', 0, 0, 0, 0,"
		 " 0, 0, 0 FROM trial WHERE run_id > 40");
	check_page(path, nowhere, "a winner that no longer builds",
		   texts("the old best <strong>no longer builds</strong> "
			 "(<code><bdi>no &lt;room&gt;</bdi></code>).",
			 NULL));
	check_page(path, nowhere, "a new parameter",
		   texts("<bdi>A</bdi> <small>new</small> <strong><bdi>2</bdi></strong>", NULL));
}

/* The page of the file has none of the texts. */
static void check_lacks(const char *path, const char *name, const char *const *texts)
{
	struct buf page = write_page(path, nowhere);

	for (; *texts; texts++)
		tap_ok(!strstr(buf_str(&page), *texts), "%s: no \"%s\"", name, *texts);
	buf_fini(&page);
}

/* A change of two points is told first in the newest night, one of four is not. */
static void test_fresh(void)
{
	add_nights(rows_path("fresh.db"), &plain, 40, 38, 1.2);
	check_page(rows_path("fresh.db"), nowhere, "new tonight",
		   texts("<h4><span title=\"new tonight\">●</span> <span class=\"bad\">▲",
			 " · what is new tonight is marked ●"));
	check_page(rows_path("fresh.db"), nowhere, "what was measured",
		   texts("1 of 1 problem measured to the end · 1 history", NULL));
	check_lacks(rows_path("slower.db"), "known before tonight", texts("●", NULL));
	rows_ask(rows_path("fresh.db"), "UPDATE run SET outcome = 'killed' WHERE id = 40");
	check_page(rows_path("fresh.db"), nowhere, "what was not measured",
		   texts("0 of 1 problem measured to the end", NULL));
}

/* Changes of one driver before and after midnight are one finding of one night. */
static void test_midnight(void)
{
	const char *path = rows_path("midnight.db");
	struct names late = plain, then = plain;

	late.problem = "late";
	add_nights(path, &plain, 40, 40, 1);
	add_nights(path, &late, 40, 40, 1);
	for (int i = 0; i < 2; i++) {
		then = i ? late : plain;
		then.driver = "7.0";
		add_nights(path, &then, 4, 0, 1.2);
	}
	rows_ask(path, "UPDATE run SET started_ms = 86400000 *"
		       " iif(id <= 80, (id - 1) % 40, 40 + (id - 81) % 4)");
	rows_ask(path, "UPDATE run SET started_ms = started_ms - 7200000"
		       " WHERE id BETWEEN 41 AND 80 OR id > 84");
	check_page(path, nowhere, "over midnight",
		   texts("2 kernels slower</span> for 1 reason", "2 kernels, one finding: "));
}

/* The trend of a card draws each night in percent of the level before, its baseline's beside it:
 * 40 nights over 1000 units, 80 pixels from -1 to +20 percent. */
static void test_trend(void)
{
	const char *path = rows_path("trend.db");
	struct names library = plain;

	library.implementation = "library";
	add_nights(path, &plain, 40, 40, 1);
	add_nights(path, &library, 40, 40, 1);
	rows_ask(path, "UPDATE trial SET run_id = run_id - 40 WHERE run_id > 40");
	rows_ask(path, "UPDATE run_implementation SET run_id = run_id - 40 WHERE run_id > 40");
	rows_ask(path, "DELETE FROM run WHERE id > 40");
	rows_ask(path, "UPDATE run SET baseline = 'library'");
	rows_ask(path, "UPDATE trial SET median_ns = CASE WHEN id = 80 THEN 55000 WHEN id > 40 THEN"
		       " 50000 WHEN run_id < 37 THEN 100000 ELSE 120000 END");
	check_page(path, nowhere, "the step of a kernel",
		   texts("d=\"M0 84.2h0L26 84.2L51 84.2", "L897 84.2L923 8.0L949 8.0"));
	check_page(path, nowhere, "its baseline, +10 % in the last night",
		   texts("L949 84.2L974 84.2L1000 46.1\"><title>library</title>", NULL));
	check_page(path, nowhere, "the scale",
		   texts("y=\"88.2\" text-anchor=\"end\">0 %</text>",
			 "y=\"50.1\" text-anchor=\"end\">+10 %</text>"));
	check_page(path, nowhere, "the baseline's own history",
		   texts("<bdi>library</bdi>, baseline, <bdi>hot</bdi>", NULL));
}

/* The page counts as `asctune track` does: without baselines, metrics apart. */
static void test_counts(void)
{
	static const struct point usual;
	const char *path = rows_path("counts.db");
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 5);
	for (int i = 0; i < 20; i++) {
		const double factor = i < 16 ? 1 : 1.2;

		night_add_beside(d, "machine", &usual, factor, factor, &rng);
		night_add_beside(d, "own", &usual, factor, 1, &rng);
	}
	db_close(d);
	rows_ask(path, "UPDATE run SET started_ms = 86400000 * ((id + 1) / 2)");
	check_page(
		path, nowhere, "counts",
		texts("<span class=\"bad\">2 kernels slower</span> (1 probably the machine).</p>",
		      " · 4 histories · 2 baselines not counted · 20 nights since "));
	check_page(path, nowhere, "a baseline's own history: folded, last, no alarm",
		   texts("<span class=\"badge mut\">▲ slower, not counted</span></summary>",
			 "<span class=\"badge mut\">· unchanged, not counted</span></summary>"));
	struct buf page = write_page(path, nowhere);
	const char *best = strstr(buf_str(&page), "id=\"best-all\"");
	const char *own = best ? strstr(best, "<bdi>own</bdi>") : NULL;

	tap_ok(own && own < strstr(best, "<bdi>machine</bdi>"),
	       "in the table what is probably the machine's comes after what is the kernel's own");
	buf_fini(&page);
	check_page(path, nowhere, "metrics", texts(" · 2 metrics worse, named by ", NULL));
	check_page(path, nowhere, "the baseline of a card",
		   texts(" Probably the machine: the baseline library changed by +2",
			 ", so it is not the machine alone; against it this kernel changed by +"));
}

/* The heat table has a row of cells for each history, in percent of its median. */
static void test_heat(void)
{
	const char *path = rows_path("heat.db");
	struct names late = plain;

	late.problem = "late";
	add_nights(path, &plain, 8, 8, 1);
	add_nights(path, &late, 8, 8, 1);
	rows_ask(path, "UPDATE run SET started_ms = 86400000 * ((id - 1) % 8)");
	rows_ask(path, "UPDATE trial SET median_ns = CASE id WHEN 16 THEN 150000 WHEN 3 THEN 75000"
		       " ELSE 100000 END");
	check_page(
		path, nowhere, "cells",
		texts("<svg role=\"img\" aria-label=\"sdpa/late\">",
		      "fill=\"var(--bad)\" opacity=\"1.00\"><title>1970-01-08: +50.0 %</title>"));
	check_page(path, nowhere, "a faster night",
		   texts("fill=\"var(--good)\"", "<title>1970-01-03: -25.0 %</title>"));
	check_page(path, nowhere, "rows", texts("The newest 8 nights of 2 of 2 histories", NULL));
	rows_ask(path, "UPDATE trial SET status = 'wrong', median_ns = NULL WHERE id = 16");
	check_page(path, nowhere, "a broken night",
		   texts("<title>1970-01-08: broken</title>", NULL));
}

/* The first night has nothing to compare with; what is broken is said first all the same. */
static void test_first_broken(void)
{
	const char *path = rows_path("first.db");
	struct names other = plain;

	other.implementation = "other";
	add_nights(path, &plain, 1, 1, 1);
	add_nights(path, &other, 1, 0, -1);
	check_page(path, nowhere, "one of two is broken",
		   texts("1 kernel tuned: <span class=\"bad\">1 implementation of which nothing "
			 "passed</span>, ",
			 "<span>--impl</span> other <span>--cache</span> hot <span>-b</span> 1 "));
	check_page(path, nowhere, "the best is not the broken one",
		   texts("<span class=\"bad\">another implementation is broken</span>", NULL));
	struct buf page = write_page(path, nowhere);
	const char *best = strstr(buf_str(&page), "id=\"best-all\"");

	tap_ok(best && strstr(best, "class=\"card bad\""), "the best come before what is broken");
	buf_fini(&page);
	other.implementation = "third";
	other.config = "B=2";
	add_nights(path, &other, 1, 0, -1);
	rows_ask(path, "UPDATE run SET started_ms = 1767225600000 + id * 1000");
	check_page(path, nowhere, "two of three are broken, one card",
		   texts("</span></a> <small>2 implementations</small></h4>",
			 "<li><strong><bdi>third</bdi></strong> 1 build_failed "
			 "(<code><bdi>refused</bdi></code>)."));
	page = write_page(path, nowhere);
	best = strstr(buf_str(&page), "class=\"card bad\"");
	tap_ok(best && !strstr(best + 1, "class=\"card bad\""), "and no second one");
	buf_fini(&page);
}

static void test_banners(void)
{
	const char *path = rows_path("busy.db");

	add_nights(path, &plain, 1, 1, 1);
	rows_ask(path, "UPDATE run SET steady_json = '{\"samples\":40,\"load\":6,\"clock\":4}'");
	check_page(path, "/bin/true", "a busy machine",
		   texts("<strong>The machine was busy:</strong> 25 % of the samples",
			 "/bin/true does not answer as gnuplot does. Their data stand in tables."
			 "</p>"));
	rows_ask(path, "UPDATE run SET outcome = NULL");
	check_page(path, nowhere, "a busy machine, a run that did not end",
		   texts("Tune again when it is quiet: <code class=\"copy\">asctune run FILE "
			 "<span>-D</span> cpu <span>-p</span> tiny <span>--cache</span> hot "
			 "<span>--db</span> a.db</code>",
			 NULL));
	rows_ask(path, "UPDATE run SET steady_json = '{\"samples\":40,\"load\":4,\"clock\":4}'");
	check_lacks(path, "a fifth is not busy", texts("The machine was busy", NULL));
}

/* Simulated results are no tuned kernels: the sentence counts them neither as tuned nor as failed.
 */
static void test_simulated(void)
{
	const char *path = rows_path("simulated.db");
	struct names other = plain;

	other.problem = "other";
	add_nights(path, &plain, 1, 1, 1);
	add_nights(path, &other, 1, 1, 1);
	rows_ask(path, "UPDATE run SET simulated = 1 WHERE id = 2");
	check_page(
		path, nowhere, "simulated results",
		texts("<p class=\"verdict\">1 kernel tuned: <span class=\"\">1 not compared with a "
		      "default</span>.</p>",
		      "simulated results"));
}

/* Parameters are macros where a compiler of C made the artifact. */
static void test_use(void)
{
	const char *path = rows_path("use.db");

	add_nights(path, &plain, 1, 1, 1);
	check_lacks(path, "nothing was compiled", texts("-DB=1", NULL));
	rows_ask(path, "UPDATE implementation SET sources = '{\"sdpa/kernel.c\":\"1\"}'");
	check_page(path, nowhere, "flags of the compiler",
		   texts("Use it: <code class=\"copy\"><span>-DB=1</span></code> or <code "
			 "class=\"copy\">B=1<",
			 NULL));
	rows_ask(path, "UPDATE implementation SET sources = '{\"sdpa/kernel.py\":\"1\"}'");
	check_lacks(path, "a source of Python", texts("-DB=1", NULL));
}

/* The best of a run that was killed, beside a newer one that ended: the command goes on with the
 * former; what folds is the latter's. */
static void test_go_on(void)
{
	const char *path = rows_path("killed.db");
	struct names other = plain;

	other.config = "B=2";
	add_nights(path, &plain, 1, 1, 1);
	add_nights(path, &other, 1, 0, -1);
	rows_ask(path, "UPDATE run SET outcome = NULL, budget = '200 trials' WHERE id = 1");
	rows_ask(path, "UPDATE run SET budget = '10 trials' WHERE id = 2");
	check_page(
		path, nowhere, "the command that goes on",
		texts("The times above are of run 1. Go on with it: <code class=\"copy\">asctune "
		      "run FILE <span>-D</span> cpu <span>-p</span> tiny <span>--cache</span> hot "
		      "<span>-b</span> 200 <span>--resume</span> <span>--db</span> a.db</code>",
		      "<summary>run 2: nothing passed; its constraints, time</summary>"));
}

/* Commands name file, device, cache policy and database, and so measure the same history. */
static void test_commands(void)
{
	const char *path = rows_path("slower.db");

	rows_ask(path, "UPDATE run SET workload_file = '/home/a b/sdpa.json'");
	check_page(path, nowhere, "commands",
		   texts("Measure old and new side by side: <code class=\"copy\">asctune run "
			 "'/home/a b/sdpa.json' <span>-D</span> cpu <span>-p</span> tiny "
			 "<span>--cache</span> hot <span>--confirm</span> <span>--db</span> a.db<",
			 NULL));
}

static void test_acknowledged(void)
{
	const char *path = rows_path("slower.db");

	rows_ask(path,
		 "INSERT INTO acknowledgement(series, since_ms, reason, who, made_ms, until_ms)"
		 " SELECT 'cpu: Model 1 sdpa/tiny blocked hot', started_ms, '<known>', 'a&b', 0,"
		 " 4102444800000 FROM run WHERE id = 37");
	check_page(path, nowhere, "an acknowledged regression",
		   texts("by <bdi>a&amp;b</bdi> until 2100-01-01", "<bdi>&lt;known&gt;</bdi>"));
}

static void test_hostile(void)
{
	const char *path = rows_path("hostile.db");
	static char longest[10001];
	struct names names = bad;

	add_nights(path, &bad, 40, 36, 1.3);
	check_page(path, nowhere, "hostile names",
		   texts("&lt;/script&gt;", "1 kernel slower</span>"));
	memset(longest, '<', sizeof longest - 1);
	names = (struct names){longest, longest, longest, longest, longest, longest, longest};
	add_nights(path, &names, 40, 36, 0.8);
	check_page(path, nowhere, "names of 10 kB", texts("1 faster</span>", NULL));
}

/* Histories that did not change stand in natural order of names. */
static void test_order(void)
{
	const char *path = rows_path("order.db");
	struct names ten = plain, two = plain;

	ten.problem = "p10";
	two.problem = "p2";
	add_nights(path, &ten, 8, 8, 1);
	add_nights(path, &two, 8, 8, 1);
	struct buf page = write_page(path, nowhere);
	const char *table = strstr(buf_str(&page), "id=\"all\"");
	const char *first = table ? strstr(table, "<bdi>p2</bdi>") : NULL;

	tap_ok(first && strstr(first, "<bdi>p10</bdi>"), "p2 stands before p10");
	buf_fini(&page);
}

/* The table of the best begins with what is broken, then what is slower. */
static void test_worst_first(void)
{
	const char *path = rows_path("worst.db");
	struct names slower = plain, broken = plain;

	slower.problem = "a";
	broken.problem = "b";
	add_nights(path, &slower, 40, 36, 1.2);
	add_nights(path, &broken, 40, 40, 1);
	add_nights(path, &broken, 1, 0, -1);
	struct buf page = write_page(path, nowhere);
	const char *table = strstr(buf_str(&page), "id=\"best-all\"");
	const char *a = table ? strstr(table, "<bdi>a</bdi>") : NULL;
	const char *b = table ? strstr(table, "<bdi>b</bdi>") : NULL;

	tap_ok(a && b && b < a && strstr(b, "<span class=\"bad\">broken</span>") < a,
	       "the broken kernel stands before the slower one");
	const char *card = strstr(buf_str(&page), "<section id=\"runs\"");

	card = card ? strstr(card, "<div class=\"card bad\"") : NULL;
	const char *state = card ? strstr(card, "<span class=\"bad\">broken</span></h3>") : NULL;

	tap_ok(state && state < strstr(card, "</h3>"), "and its card says so");
	const char *why =
		state ? strstr(state, "No configuration passes now: <a href=\"#changes\">why")
		      : NULL;

	tap_ok(why && why < strstr(state, "Use it: "), "and does not say how to use it");
	buf_fini(&page);
}

static void test_same_bytes(void)
{
	struct buf a = write_page(rows_path("hostile.db"), nowhere);
	struct buf b = write_page(rows_path("hostile.db"), nowhere);

	tap_ok(a.len == b.len && memcmp(a.data, b.data, a.len) == 0,
	       "the same database gives the same bytes");
	buf_fini(&a);
	buf_fini(&b);
}

static void test_pictures(void)
{
	struct buf page = write_page(rows_path("hostile.db"), NULL);
	bool drawn = !strstr(buf_str(&page), "No picture here: ");
	bool absent = strstr(buf_str(&page), "pictures</dt><dd>none") != NULL;

	buf_fini(&page);
	if (absent) {
		tap_skip("gnuplot is not installed");
		return;
	}
	tap_ok(drawn, "every picture is there, whatever the names");
	check_page(rows_path("hostile.db"), NULL, "pictures of hostile names",
		   texts("role=\"img\"", "var(--s1)"));
	check_page(rows_path("winner.db"), NULL, "a picture", texts("<svg", "var(--band)"));
}

int main(void)
{
	rows_enter();
	test_empty();
	test_failed();
	test_broken_off();
	test_withdrawn();
	test_few();
	test_long();
	test_simulated();
	test_use();
	test_go_on();
	test_changes();
	test_fresh();
	test_midnight();
	test_counts();
	test_commands();
	test_trend();
	test_heat();
	test_first_broken();
	test_banners();
	test_chance();
	test_winner();
	test_acknowledged();
	test_hostile();
	test_order();
	test_worst_first();
	test_same_bytes();
	test_pictures();
	rows_leave();
	return tap_done();
}
