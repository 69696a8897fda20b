/* The parts of a view of a run: search, heat maps, where its time went, energy, pairs, and the
 * comparison with the run before and with other devices.
 * covers: page_run_search.c page_run_heat.c page_run_spent.c page_run_energy.c
 * page_run_compare.c page_run_devices.c */
#include "tests/unit/page/page_fixture.h"
#include "tuner/result/profile.h"

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
	/* The bars of A: 2001, 1001, the chosen one, and 4001 ns. Two of six configurations have
	 * the chosen value: they lead by chance one time in 15. */
	has(&page, "<bdi>A</bdi></strong> <span class=\"mut\">too few to tell</span>");
	/* One of the three with B=1 leads: one time in two. */
	has(&page, "<bdi>B</bdi></strong> <span class=\"mut\">too few to tell</span>");
	has(&page, "stroke=\"var(--good)\"><title>A=2: 1.00 µs at best, 1.00×, of 2 tried");
	has(&page, "stroke=\"var(--s1)\"><title>A=3: 4.00 µs at best, 4.00×, of 2 tried");
	has(&page, "class=\"m\">4.00×</text><text x=\"83.3%\" y=\"94\" text-anchor=\"middle\" "
		   "class=\"m\">2</text></svg>");
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

static void add_samples(struct db *d, int64_t run, const char *key, const int64_t *samples,
			size_t n, bool winner)
{
	const struct db_final f = {.implementation = rows_implementation,
				   .config_key = key,
				   .standing = STANDING_SLOWER,
				   .winner = winner,
				   .ratio = winner ? 1 : 1.2,
				   .interval = {true, winner ? 1 : 1.19, winner ? 1 : 1.21},
				   .time = {.n = n, .median = (double)samples[0]},
				   .samples = samples,
				   .n_samples = n};

	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "final of %s", key);
}

/* The winner's samples stand beside the runner-up's, with what is beyond the picture. */
static void test_samples(void)
{
	const int64_t winner[] = {1000, 1010, 1000, 1010, 1000, 1010, 1000, 9000};
	const int64_t other[] = {1200, 1210, 1200, 1210, 1200, 1210, 1200, 1210};
	const char *path = rows_path("samples.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	add_timed(d, run, "B=1", RESULT_OK, 1000, 0, false);
	add_timed(d, run, "B=2", RESULT_OK, 1200, 0, false);
	add_samples(d, run, "B=1", winner, 8, true);
	add_samples(d, run, "B=2", other, 8, false);
	struct buf page = write_page(d);

	has(&page, "<span class=\"good\">▲ chosen</span> (8), <span class=\"s1\">▼ "
		   "<bdi>2</bdi></span> (8)");
	has(&page, "<svg role=\"img\" class=\"samples\"");
	has(&page, "<span>1.00 µs</span><span>1 beyond, up to 9.00 µs</span><span>1.21 µs</span>");
	buf_fini(&page);
	rows_ask(path, "UPDATE final SET samples = x'ff' WHERE config_key = 'B=2'");
	page = write_page(d);
	has_not(&page, "class=\"samples\"");
	has(&page, "<p class=\"note\">Damaged: ");
	has(&page, "Use it: ");
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

static void add_energy(struct db *d, int64_t run, const char *key, double joules)
{
	struct metric readings[] = {
		{.probe = "energy", .name = "energy_j", .unit = "J", .value = joules},
		{.probe = "energy", .name = "energy_low_j", .unit = "J", .value = 0.99 * joules},
		{.probe = "energy", .name = "energy_high_j", .unit = "J", .value = 1.01 * joules}};
	const struct profile p = {.label = LABEL_UNKNOWN, .readings = readings, .n_readings = 3};

	tap_int(db_put_profile(d, run, &rows_implementation, key, &p, &e), ASC_OK, "%s: %g J", key,
		joules);
}

/* The front of time and energy: 1 µs with 3 mJ, 2 µs with 2 mJ; 3 µs with 5 mJ is worse in both.
 * Their products are 3, 4 and 15 nJ s. */
static void test_energy(void)
{
	const char *path = rows_path("energy.db");
	int64_t run;
	struct db *d = rows_open(path, &run);

	add_timed(d, run, "B=3", RESULT_OK, 3000, 0, false);
	add_timed(d, run, "B=2", RESULT_OK, 2000, 0, false);
	add_timed(d, run, "B=1", RESULT_OK, 1000, 0, false);
	add_energy(d, run, "B=3", 5e-3);
	add_energy(d, run, "B=2", 2e-3);
	add_energy(d, run, "B=1", 3e-3);
	struct buf page = write_page(d);

	has(&page, "Time and energy of a launch of 3 configurations, with their intervals.");
	has(&page, "<tbody>\n<tr><th scope=\"row\" class=\"n\">1.00 µs</th><td class=\"n\">–</td>"
		   "<td class=\"n\">3.000</td><td class=\"n\">1.0</td><td>edp</td>"
		   "<td class=\"w\"><bdi>blocked B=1</bdi></td></tr>\n"
		   "<tr><th scope=\"row\" class=\"n\">2.00 µs</th><td class=\"n\">–</td>"
		   "<td class=\"n\">2.000</td><td class=\"n\">1.0</td><td>energy</td>"
		   "<td class=\"w\"><bdi>blocked B=2</bdi></td></tr>\n</tbody>");
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

int main(void)
{
	rows_enter();
	test_search();
	test_chosen_cell();
	test_samples();
	test_spent();
	test_energy();
	test_pairs();
	test_comparisons();
	rows_leave();
	return tap_done();
}
