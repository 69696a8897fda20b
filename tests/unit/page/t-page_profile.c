/* What the page shows of profiles: the label with its bars, stalls and code beside the default, the
 * figures as a table, the column of the best, levels in the roofline; and nothing where there is
 * none.
 * covers: page_run_profile.c page_best.c page_best_table.c page_roofline.c */
#include <math.h>

#include "tests/profiles.h"
#include "tests/unit/page/page_fixture.h"
#include "tuner/result/roofline.h"

static const char hostile[] = "</p><script>alert(1)</script>\"'&\x01\xff";

/* Finals of three configurations, A=0 the answer and A=2 the default. */
static struct db *open_finals(const char *name)
{
	static const struct sureness clear = {.sure = SURE_CLEAR, .ties = 1};
	const struct peaks peaks = {
		.rows = {{PEAK_ARITHMETIC, "f32", 1e12, 1e12, 5}, {PEAK_MEMORY, "", 1e11, 1e11, 5}},
		.n = 2};
	int64_t run = 0;
	struct db *d = rows_open(rows_path(name), &run);

	add_timed(d, run, "A=0", RESULT_OK, 1000, 0, false);
	add_timed(d, run, "A=1", RESULT_OK, 1500, 0, false);
	add_timed(d, run, "A=2", RESULT_OK, 2000, 0, true);
	add_final(d, run, "A=0", 1000, true);
	add_final(d, run, "A=1", 1500, false);
	add_final(d, run, "A=2", 2000, false);
	tap_int(db_set_sure(d, run, &clear, false, &e), ASC_OK, "sure");
	tap_int(db_put_peaks(d, rows_device.fingerprint, &peaks, &e), ASC_OK, "peaks");
	tap_int(db_end_run(d, run, "done", &e), ASC_OK, "ended");
	return d;
}

static void put(struct db *d, const char *key, const struct profile *p)
{
	tap_int(db_put_profile(d, 1, &rows_implementation, key, p, &e), ASC_OK, "%s", key);
}

/* The number of times that a page has a part. */
static int count(const struct buf *page, const char *part)
{
	int n = 0;

	for (const char *at = buf_str(page); (at = strstr(at, part)); at++)
		n++;
	return n;
}

static void none(void)
{
	struct db *d = open_finals("none.db");
	struct buf page = write_page(d);

	has_not(&page, ">limited by");
	has_not(&page, "Limited by");
	has_not(&page, "class=\"stack\"");
	buf_fini(&page);
	db_close(d);
}

static void all(void)
{
	/* Twice the bytes for twice the time; a stall that the answer does not have. */
	static const struct profile_figure other[] = {
		{"dram_bytes", "B", 537000000}, {"code_registers", "1", 41},
		{"stall_wait_pct", "%", 30},    {"stall_sleeping_pct", "%", 20},
		{"loop_f32", "1", 100},         {NULL, NULL, 0}};
	struct db *d = open_finals("all.db");
	struct profile p, q = {.label = LABEL_LATENCY, .basis = LABEL_BASIS_COUNTERS};

	profile_make_softmax(&p);
	profile_add(&p, "cupti", "dram_pct", "%", NAN, 0, "not permitted");
	put(d, "A=0", &p);
	profile_fill(&q, "cupti", other);
	put(d, "A=2", &q);
	struct buf page = write_page(d);

	has(&page, ">limited by</th>");
	has(&page,
	    "<span class=\"limit\" title=\"94 % of the 4.06 TB/s that this GPU moves\">memory "
	    "94 %</span>");
	has(&page,
	    "<strong>Limited by: memory.</strong> 94 % of the 4.06 TB/s that this GPU moves; "
	    "1.06× is left at most.");
	has(&page,
	    "<tr class=\"on\"><th scope=\"row\">DRAM</th><td><svg role=\"img\"><title>DRAM: 94 % "
	    "(3.82 TB/s)</title>");
	tap_int(count(&page, "fill=\"var(--s2)\"/>"), 1, "one bar has the colour of the limit");
	has(&page, "<td class=\"n\">75 %</td>"); /* warps: 48 of 64 */
	has(&page, "default: long_scoreboard 0 %, wait 30 %, barrier 0 %, lg_throttle 0 %, "
		   "no_instruction 0 %, not_selected 0 %, others 70 %");
	has(&page, "chosen: f32 48, integer 24, special 16, global 8, others 0");
	has(&page, "Not read: not permitted (dram_pct).");
	has(&page, "<strong>537 MB</strong>");
	has_not(&page, "<strong>41");
	has(&page, " code FILE <span>-D</span> cpu <span>-p</span> tiny <span>--against</span> "
		   "default <span>--db</span> test.db");
	buf_fini(&page);
	profile_fini(&p);
	profile_fini(&q);
	db_close(d);
}

/* A label that rests on times: what was tried, and the command that counts. */
static void by_times(void)
{
	static const struct profile_figure figures[] = {{"time_ns", "ns", 1000},
							{"hot_ns", "ns", 500},
							{"half_ns", "ns", 1900},
							{"threads", "1", 2},
							{NULL, NULL, 0}};
	struct db *d = open_finals("times.db");
	struct profile p = {.label = LABEL_MEMORY, .basis = LABEL_BASIS_TIME};

	profile_fill(&p, "time", figures);
	put(d, "A=0", &p);
	struct buf page = write_page(d);

	has(&page,
	    "<strong>Limited by: memory.</strong> the device's memory gives no more. Found "
	    "without counters; hot caches: 0.50× the time; half the threads at a time: 1.90× "
	    "the time.");
	has(&page, "Count it: ");
	has(&page, " profile FILE <span>-D</span> cpu <span>-p</span> tiny <span>--cache</span> "
		   "hot <span>--db</span> test.db");
	has_not(&page, "class=\"stack\"");
	buf_fini(&page);
	profile_fini(&p);
	db_close(d);
}

/* Texts of a kernel or a driver stay texts. */
static void hostile_texts(void)
{
	struct db *d = open_finals("hostile.db");
	struct profile p;

	profile_make_softmax(&p);
	free(p.sentence);
	p.sentence = str_dup(hostile);
	p.failure = str_dup(hostile);
	profile_add(&p, "cupti", "stall_</p>\"_pct", "%", 90, 0, NULL);
	profile_add(&p, "cupti", "</td>", "</td>", 90, 0, NULL);
	profile_add(&p, "cupti", "</p>", "%", NAN, 0, hostile);
	profile_add(&p, "cupti", "loop_</p>", "1", INFINITY, 0, NULL);
	profile_add(&p, "cupti", "l2_bytes", "B", 1, 2, NULL);
	put(d, "A=0", &p);
	put(d, "A=1", &p);
	struct buf page = write_page(d);

	has_not(&page, "<script>alert");
	has(&page, "Figures are sums over 2 kernels.");
	has(&page, "Counting ended early: &lt;/p&gt;");
	buf_fini(&page);
	profile_fini(&p);
	db_close(d);
}

int main(void)
{
	rows_enter();
	none();
	all();
	by_times();
	hostile_texts();
	rows_leave();
	return tap_done();
}
