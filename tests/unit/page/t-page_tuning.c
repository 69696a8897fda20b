/* The report of databases without histories: what was tuned, what failed, runs that did not end.
 * covers: page_kernels.c page_head.c */
#include "tests/unit/page/page_nights.h"

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
		   texts("Use it: <code class=\"copy\">B=1</code> or as macros of its source "
			 "(leave out parameters of its launch): <code "
			 "class=\"copy\"><span>-DB=1</span></code>",
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
	struct names busier = plain;

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
	busier.problem = "wide";
	add_nights(path, &busier, 1, 1, 1);
	rows_ask(path, "UPDATE run SET steady_json = '{\"samples\":40,\"load\":30,\"clock\":4}'"
		       " WHERE id = 2");
	check_page(path, nowhere, "of two kernels the more disturbed one",
		   texts("quiet: <code class=\"copy\">asctune run FILE <span>-D</span> cpu "
			 "<span>-p</span> wide",
			 NULL));
	rows_ask(path, "UPDATE run SET steady_json = iif(id = 1,"
		       " '{\"samples\":400,\"load\":100,\"clock\":0}',"
		       " '{\"samples\":40,\"load\":30,\"clock\":0}')");
	check_page(path, nowhere, "the more disturbed one by the share of its samples",
		   texts("quiet: <code class=\"copy\">asctune run FILE <span>-D</span> cpu "
			 "<span>-p</span> wide",
			 NULL));
	path = rows_path("busy_nights.db");
	add_nights(path, &plain, 12, 1, 1);
	rows_ask(path, "UPDATE run SET steady_json = '{\"samples\":40,\"load\":20,\"clock\":4}'");
	check_page(path, nowhere, "a busy night",
		   texts("The machine was busy", "Measure the next night when it is quiet.</p>"));
	check_lacks(path, "no run is to become a point between nights",
		    texts("Tune again when it is quiet", NULL));
}

int main(void)
{
	rows_enter();
	test_empty();
	test_failed();
	test_broken_off();
	test_withdrawn();
	test_few();
	test_simulated();
	test_use();
	test_go_on();
	test_first_broken();
	test_banners();
	rows_leave();
	return tap_done();
}
