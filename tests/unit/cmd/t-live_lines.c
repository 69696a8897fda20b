/* The lines of a run's progress at several widths, and what is left of it.
 * covers: live_lines.c canvas.c */
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/terminal/canvas.h"
#include "tuner/cmd/terminal/live_lines.h"

#define SECOND INT64_C(1000000000)

static struct canvas canvas = {.columns = 100, .rows = 10};

static const struct live_facts usual = {
	.title = "axpy/small",
	.phase = "measuring",
	.trials = 50,
	.planned = 200,
	.fresh = 50,
	.by_status = {[RESULT_OK] = 40,
		      [RESULT_SLOW] = 7,
		      [RESULT_BUILD_FAILED] = 2,
		      [RESULT_WRONG] = 1},
	.elapsed_ns = 10 * SECOND,
	.budget_ns = 60 * SECOND,
	.age_ns = -1,
	.best_ns = 2178,
	.default_ns = 4356,
	.implementation = "loop",
	.config = "BLOCK=256,UNROLL=2",
};

static const char *lines(const struct live_facts *f, size_t columns)
{
	canvas_clear(&canvas);
	canvas.columns = columns;
	live_lines_add(f, &canvas);
	return buf_str(&canvas.text);
}

static void test_left(void)
{
	struct live_facts f = usual;

	tap_real(live_rate(&f), 5, 1e-9, "50 trials in 10 s");
	tap_int(live_left_ns(&f), 30 * SECOND, "150 trials at 5/s end before 50 s");
	f.budget_ns = 25 * SECOND;
	tap_int(live_left_ns(&f), 15 * SECOND, "a shorter time ends before the trials");
	f.elapsed_ns = 30 * SECOND;
	tap_int(live_left_ns(&f), 0, "a time that is over");
	f = usual;
	f.fresh = 25;
	tap_int(live_left_ns(&f), 50 * SECOND, "resumed trials take no time: the time ends first");
	f.budget_ns = 0;
	tap_int(live_left_ns(&f), 60 * SECOND, "without one, trials alone");
	f.fresh = f.trials = 0;
	tap_int(live_left_ns(&f), -1, "before the first trial nobody knows");
	f.budget_ns = 60 * SECOND;
	tap_int(live_left_ns(&f), 50 * SECOND, "but for the time");
	f.planned = UINT64_MAX;
	f.budget_ns = 0;
	f.fresh = f.trials = 1;
	tap_int(live_left_ns(&f), -1, "longer than can be counted is not known");
}

static void test_part(void)
{
	struct live_facts f = usual;

	tap_real(live_part_done(&f), 0.25, 1e-9, "trials are further");
	f.elapsed_ns = 45 * SECOND;
	tap_real(live_part_done(&f), 0.75, 1e-9, "time is further");
	f.elapsed_ns = 90 * SECOND;
	tap_real(live_part_done(&f), 1, 1e-9, "no more than all");
	f.planned = 0;
	f.budget_ns = 0;
	tap_real(live_part_done(&f), -1, 1e-9, "without a budget");
}

static void test_lines(void)
{
	struct live_facts f = usual;

	tap_str(lines(&f, 100),
		"axpy/small  measuring  [#####...............]  50/200  5/s  30 s left\n"
		"  best 2.178 us  2.00x the default  loop BLOCK=256,UNROLL=2\n"
		"  3 failed: 2 build_failed, 1 wrong",
		"three lines");
	f.best_ns = 0;
	memset(f.by_status, 0, sizeof f.by_status);
	tap_str(lines(&f, 100),
		"axpy/small  measuring  [#####...............]  50/200  5/s  30 s left\n"
		"  best none yet",
		"nothing measured, nothing failed");
	f = usual;
	f.over = true;
	f.phase = "finals";
	tap_has(lines(&f, 100), "50/200\n", "no time is left when the search is over");
	f.ending = true;
	f.ending_part = -1;
	f.elapsed_ns = 72 * SECOND;
	f.trials = f.planned;
	f.phase = "finals: warming up 2/6 finalists";
	tap_has(lines(&f, 100), "axpy/small  finals: warming up 2/6 finalists  1 min 12 s so far\n",
		"what is done then is said, and how long all has taken, without a bar that is "
		"full");
	f.phase = "finals: round 3 of at most 32";
	f.ending_part = 0.0625;
	f.ending_left_ns = 9 * SECOND;
	tap_has(lines(&f, 100),
		"finals: round 3 of at most 32  [#...................]  about 9 s left\n",
		"or what is left of the finals, whose rounds have the bar");
	f.retakes = 12;
	tap_has(lines(&f, 110), "of at most 32  12 disturbed  [#...................]  about",
		"and what makes a round long");
	tap_has(lines(&f, 80), "of at most 32  12 disturbed  about 9 s", "rather than a bar");
	tap_has(lines(&f, 60), "axpy/small  finals: round 3 of at most 32  about 9 s left\n",
		"where there is room");
	f.retakes = 0;
	f.title = "a_long_name_of_a_workload/a_problem";
	tap_has(lines(&f, 60), "...  finals: round 3 of at most 32  about 9 s left\n",
		"the title is cut for it");
	tap_ok(!strstr(lines(&f, 39), "finals"), "where there is no room for its beginning, %s",
	       "what is done goes");
	f.title = usual.title;
	f.trials = usual.trials;
	f.ending_left_ns = 0;
	f.ending = false;
	f.phase = "finals";
	f.planned = 0;
	f.budget_ns = 0;
	f.age_ns = 3 * SECOND;
	tap_has(lines(&f, 100), "axpy/small  finals  50 trials  last result 3 s ago\n",
		"as another process knows it");
}

/* Something changes every second, whatever is known. */
static void test_time(void)
{
	struct live_facts f = {.title = "axpy/small", .phase = "reference", .age_ns = -1};

	f.planned = 200;
	f.elapsed_ns = 7 * SECOND;
	tap_has(lines(&f, 100), "  7 s so far\n", "time goes on where nothing was tried yet");
}

static void test_widths(void)
{
	struct live_facts f = usual;

	tap_has(lines(&f, 60), "axpy/small  measuring  50/200  30 s left\n",
		"no room for rate and bar");
	tap_has(lines(&f, 39), "axpy/small  50/200  30 s left\n", "on 40 columns no phase");
	tap_has(lines(&f, 39), "\n  best 2.178 us  2.00x the default  ...\n", "the rest is cut");
	f.title = "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87/"
		  "\033[2J\xe2\x80\xae";
	canvas.utf8 = true;
	tap_has(lines(&f, 28),
		"\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe2\x80\xa6  50/200  30 s left\n",
		"a title is cut between characters");
	tap_has(lines(&f, 99), "/?[2J?  measuring", "and shown as text");
	tap_has(lines(&f, 99), "  [█████░░░░░░░░░░░░░░░]  ", "a bar of blocks");
	int wide = 0;
	for (size_t columns = 1; columns < 120; columns++) {
		lines(&f, columns);
		for (size_t i = 0; i < canvas.n; i++)
			wide += canvas.width[i] > columns;
	}
	tap_int(wide, 0, "no line is wider than the canvas");
	canvas.utf8 = false;
}

static void test_canvas(void)
{
	struct live_facts f = usual;

	canvas.rows = 2;
	lines(&f, 100);
	tap_int(canvas.n, 2, "no more lines than there is room for");
	tap_ok(!canvas_begin_line(&canvas), "nor afterwards");
	canvas.rows = 10;
	canvas.color = true;
	tap_has(lines(&f, 100), "\033[1maxpy/small\033[0m  measuring", "colors");
	tap_int(canvas.width[0], 69, "have no width");
	canvas.color = false;
}

/* Several devices: a line for each, as far as there is room. */
static void test_devices(void)
{
	struct live_facts f = usual, g = usual;

	f.title = "axpy/small on cuda:0";
	g.title = "axpy/large on cuda:1";
	f.by_status[RESULT_WRONG] = 3;
	canvas_clear(&canvas);
	canvas.columns = 100;
	canvas.rows = 2;
	live_lines_add_progress(&f, &canvas);
	live_lines_add_progress(&g, &canvas);
	live_lines_add_progress(&f, &canvas);
	tap_int(canvas.n, 2, "one line each, and no more than there is room for");
	tap_has(buf_str(&canvas.text), "axpy/small on cuda:0  measuring", "the first device");
	tap_has(buf_str(&canvas.text), "axpy/large on cuda:1  measuring", "the second");
	tap_ok(!strstr(buf_str(&canvas.text), "wrong"), "failures have no line of their own");
	canvas.rows = 10;
}

int main(void)
{
	test_left();
	test_devices();
	test_part();
	test_lines();
	test_time();
	test_widths();
	test_canvas();
	canvas_fini(&canvas);
	return tap_done();
}
