/* The report of every kind of database: it is well-formed, says what there is, loads nothing.
 * covers: page.c page_changes.c page_findings.c page_head.c page_history.c
 * page_core.c page_best_table.c page_history_figure.c page_series.c
 * page_figure.c page_config.c page_method.c */
#include "tests/unit/db/points.h"
#include "tests/unit/page/page_nights.h"
#include "tuner/base/file.h"

/* Hostile in HTML, SVG, gnuplot and a terminal, in turn. */
static const char hostile[] = "</script><script>alert(1)</script>\"'`$(id)`]]>&amp;<!--\n|\\\x1b[2J"
			      "\xFF\xE2\x80\xAE";

static const struct names bad = {hostile, hostile, hostile, hostile, hostile, hostile, hostile};

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
	check_page(path, nowhere, "the method, of this page",
		   texts("<dt>pictures</dt><dd>none, ", " id=\"environments\""));
	check_page(path, nowhere, "verdicts for programs, of what has changed",
		   texts("id=\"verdicts\">[\n{", "\"verdict\":\"regression\""));
	rows_ask(path, "UPDATE run SET started_ms = started_ms - 3600000 * (86400000 / 3600000 - 1)"
		       " WHERE id = 40");
	check_page(path, nowhere, "two runs of one night", texts(" · 39 nights since ", NULL));
	add_nights(rows_path("faster.db"), &plain, 40, 36, 0.7);
	check_page(rows_path("faster.db"), nowhere, "an improvement",
		   texts("<span class=\"good\">1 kernel faster</span>.",
			 "<h3 id=\"faster\">Faster</h3>"));
}

/* A change of p = 0.002 is one among a few histories, and may be chance among 40. */
static void test_chance(void)
{
	const char *path = rows_path("chance.db");
	struct names other = plain;

	add_nights(path, &plain, 12, 10, 1.017);
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
			 "<span class=\"badge mut\">· unchanged, not counted</span>"));
	struct buf page = write_page(path, nowhere);
	const char *best = strstr(buf_str(&page), "id=\"best-all\"");
	const char *own = best ? strstr(best, "<bdi>own</bdi>") : NULL;

	tap_ok(own && own < strstr(best, "<bdi>machine</bdi>"),
	       "in the table what is probably the machine's comes after what is the kernel's own");
	buf_fini(&page);
	check_page(path, nowhere, "metrics", texts(" · 2 metrics worse, named by ", NULL));
	check_page(path, nowhere, "the baseline of a card",
		   texts(" Probably the machine: the baseline library changed by +2",
			 ", so it is not the machine alone; relative to it, this kernel changed by "
			 "+"));
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
	rows_ask(path, "UPDATE trial SET median_ns = 100000 + 6000 * (id % 2)");
	check_lacks(path, "nights of noise are no change",
		    texts("var(--bad)\" opacity", "var(--good)\" opacity"));
	rows_ask(path, "UPDATE trial SET status = 'wrong', median_ns = NULL WHERE id = 16");
	check_page(path, nowhere, "a broken night",
		   texts("<title>1970-01-08: broken</title>", NULL));
	path = rows_path("level.db");
	add_nights(path, &plain, 40, 36, 1.035);
	add_nights(path, &late, 40, 40, 1);
	rows_ask(path, "UPDATE trial SET median_ns = median_ns * (1 + 0.02 * (id % 2))");
	check_page(path, nowhere, "a night of another level is no noise, however near",
		   texts("var(--bad)\" opacity", "</title></rect></svg></td>"));
	path = rows_path("first.db");
	add_nights(path, &plain, 40, 36, 1.05);
	add_nights(path, &late, 40, 40, 1);
	rows_ask(path, "UPDATE trial SET median_ns = median_ns * (1 + 0.02 * (id % 2 = 0))"
		       " * iif(id = 60, 1.07, 1)");
	check_page(path, nowhere, "the first night of a level is of that level",
		   texts("<title>2026-02-07: +3.2", "<title>2026-02-08: +"));
	check_page(path, nowhere, "a single night beyond 3.5 standard deviations is no noise",
		   texts("<title>2026-03-02: +8", "(3.5 standard deviations)"));
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
	test_long();
	test_changes();
	test_fresh();
	test_midnight();
	test_counts();
	test_commands();
	test_trend();
	test_heat();
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
