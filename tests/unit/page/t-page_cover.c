/* The section of covers: configurations that were compared on several problems.
 * covers: page_cover.c */
#include "tests/unit/page/page_fixture.h"

/* Begins a run of a problem, with a trial for each key, the first of which is the default. */
static int64_t begin_problem(struct db *d, const char *problem, const char *strategy,
			     const char *const *keys, const double *ratios, size_t n)
{
	struct db_problem p = rows_problem;
	struct db_run r = rows_run;
	int64_t run = 0;

	p.problem = p.problem_key = problem;
	r.strategy = strategy;
	tap_int(db_begin_run(d, &rows_device, &p, &r, &run, &e), ASC_OK, "run of %s", problem);
	for (size_t i = 0; i < n; i++) {
		const int64_t samples[] = {1000, 1001};
		const struct db_final f = {.implementation = rows_implementation,
					   .config_key = keys[i],
					   .standing = STANDING_SLOWER,
					   .winner = ratios[i] == 1,
					   .ratio = ratios[i],
					   .time = {.n = 2, .median = 1000 * ratios[i]},
					   .samples = samples,
					   .n_samples = 2};

		add_timed(d, run, keys[i], RESULT_OK, 1000 * ratios[i], 0, i == 0);
		tap_int(db_add_final(d, run, &f, &e), ASC_OK, "finalist %s", keys[i]);
	}
	return run;
}

static void test_alone(void)
{
	static const char *const keys[] = {"B=1", "B=2"}, *const others[] = {"B=1", "B=3"};
	struct db *d;
	int64_t run;

	d = rows_open(rows_path("alone.db"), &run);
	begin_problem(d, "M8", "model", keys, (const double[]){1.5, 1}, 2);
	begin_problem(d, "M64", "model", others, (const double[]){1.2, 1}, 2);
	struct buf page = write_page(d);

	has_not(&page, "id=\"cover\""); /* the default alone was compared on both */
	buf_fini(&page);
	db_close(d);
}

static void test_matrix(void)
{
	static const char *const keys[] = {"B=1", "B=2", "B=4"};
	int64_t run;
	struct db *d = rows_open(rows_path("cover.db"), &run);

	begin_problem(d, "M8", "model", keys, (const double[]){1.5, 1, 1.9}, 2);
	begin_problem(d, "M64", "model", keys, (const double[]){2.5, 1.25, 1}, 3);
	/* The cover compares what the search of M8 did not, and B=2 again. */
	begin_problem(d, "M8", "cover", keys, (const double[]){1.5, 1, 1.04}, 3);
	struct buf page = write_page(d);

	has(&page, "<section id=\"cover\"");
	has(&page, "<bdi>M8</bdi></th><th scope=\"col\"><bdi>M64</bdi></th><th scope=\"col\">mean");
	/* 4.0 % and the fastest: 2.0 % in the mean of both. */
	has(&page, "<bdi>B=4</bdi></th><td class=\"h1\">4.0</td><td class=\"h0 on\">0.0</td>"
		   "<td>2.0</td><td>4.0</td></tr>");
	has(&page, "<bdi>B=2</bdi></th><td class=\"h0 on\">0.0</td><td class=\"h4\">25</td>"
		   "<td>12</td><td>25</td></tr>");
	has(&page, "<bdi>B=1</bdi> <small>the default</small></th>");
	const char *best = strstr(buf_str(&page), "<bdi>B=4</bdi></th><td class=\"h1\">");
	const char *preset = strstr(buf_str(&page), "<small>the default</small></th>");

	tap_ok(best && preset && best < preset, "the default comes last");
	buf_fini(&page);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_alone();
	test_matrix();
	rows_leave();
	return tap_done();
}
