/* What is known of runs that another handle records, looked at as the database grows, is replaced
 * or broken.
 * covers: watch_board.c query_watch.c */
#include <string.h>
#include <sys/stat.h>

#include "db/watch.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/cmd/answers/watch_board.h"
#include "tuner/cmd/terminal/canvas.h"

static struct asc_err e;
static struct buf text;

static void add(struct db *d, int64_t run, const char *key, enum result_status status,
		double median)
{
	struct result r = rows_result(median - 10, median, median + 10);
	struct db_trial t = rows_trial(key, &r);

	r.status = status;
	tap_int(db_add_trial(d, run, &t, &e), ASC_OK, "a trial is recorded");
}

/* The listed run in that place, as a line; "" when there is none. */
static const char *line(const struct watch_board *b, size_t place)
{
	buf_clear(&text);
	if (place < b->n_list)
		watch_run_print(&b->runs[b->list[place]], b->runs[b->list[place]].started_ms,
				&text);
	return buf_str(&text);
}

static void check_silent(const struct watch_run *r)
{
	buf_clear(&text);
	watch_run_print(r, r->started_ms + 3601000, &text);
	tap_str(buf_str(&text), "sdpa/tiny on cpu: Model 1: running or killed, 0 trials",
		"nor a sign of life for an hour");
}

static const char *json(const struct watch_board *b)
{
	buf_clear(&text);
	watch_run_write_json(&b->runs[b->list[0]], &text);
	return buf_str(&text);
}

static int look(struct watch_board *b, const char *name, const char *workload)
{
	return watch_board_read(b, rows_path(name), workload, &e);
}

static void test_growing(void)
{
	struct watch_board b = {0};
	int64_t run;
	struct db *d = rows_open(rows_path("grow.db"), &run);

	tap_int(look(&b, "grow.db", NULL), ASC_OK, "a run that has begun");
	tap_str(line(&b, 0), "sdpa/tiny on cpu: Model 1: running, 0 trials", "has no trials");
	check_silent(&b.runs[b.list[0]]);
	add(d, run, "B=1", RESULT_OK, 2000);
	add(d, run, "B=2", RESULT_OK, 1000);
	add(d, run, "B=3", RESULT_SLOW, 500);
	add(d, run, "B=4", RESULT_WRONG, 100);
	add(d, run, "B=5", RESULT_CRASHED, 100);
	add(d, run, "B=6", RESULT_WRONG, 100);
	look(&b, "grow.db", NULL);
	const char *grown =
		"sdpa/tiny on cpu: Model 1: running, 6 trials, best 1 us (blocked B=2), "
		"3 failed: 1 crashed, 2 wrong";

	tap_str(line(&b, 0), grown, "what was recorded since is counted");
	look(&b, "grow.db", NULL);
	tap_str(line(&b, 0), grown, "once");
	tap_has(json(&b), "\"state\":\"running\"", "in JSON, the state");
	tap_has(json(&b),
		"\"trials\":6,\"statuses\":{\"ok\":2,\"crashed\":1,\"wrong\":2,\"slow\":1},"
		"\"best\":{\"implementation\":\"blocked\",\"config_key\":\"B=2\","
		"\"median_ns\":1000.0}}",
		"and the counts");
	db_end_run(d, run, "done", &e);
	look(&b, "grow.db", NULL);
	tap_has(line(&b, 0), "Model 1: done, 6 trials", "its end");
	watch_board_fini(&b);
	db_close(d);
}

static void test_finals(void)
{
	struct watch_board b = {0};
	int64_t run, sample = 1100;
	struct db *d = rows_open(rows_path("finals.db"), &run);
	struct db_final f = {.implementation = rows_implementation,
			     .config_key = "B=1",
			     .winner = true,
			     .time = {.n = 1, .median = 1100},
			     .samples = &sample,
			     .n_samples = 1};

	add(d, run, "B=1", RESULT_OK, 2000);
	add(d, run, "B=2", RESULT_OK, 1000);
	tap_int(db_add_final(d, run, &f, &e), ASC_OK, "a winner");
	look(&b, "finals.db", NULL);
	tap_has(line(&b, 0), "best 1.1 us (blocked B=1)",
		"is the best, with its time in the finals");
	rows_ask(rows_path("finals.db"), "UPDATE trial SET recorded_ms = recorded_ms - 1000");
	add(d, run, "B=1", RESULT_CRASHED, 1);
	look(&b, "finals.db", NULL);
	tap_has(line(&b, 0), "best 1 us (blocked B=2)", "not when it crashed later");
	add(d, run, "B=2", RESULT_WRONG, 1);
	look(&b, "finals.db", NULL);
	tap_ok(!strstr(line(&b, 0), "best"), "and nothing is when all failed");
	watch_board_fini(&b);
	db_close(d);
}

static void test_others(void)
{
	struct watch_board b = {0};
	struct db_run simulated = rows_run;
	struct db_problem problem = rows_problem;
	int64_t run, other;
	struct db *d = rows_open(rows_path("others.db"), &run);

	simulated.simulated = true;
	db_begin_run(d, &rows_device, &rows_problem, &simulated, &other, &e);
	add(d, other, "B=1", RESULT_OK, 1);
	problem.workload = "a\033[2J\xe2\x80\xae\nb";
	db_begin_run(d, &rows_device, &problem, &rows_run, &other, &e);
	look(&b, "others.db", NULL);
	tap_int(b.n_list, 2, "simulated runs are left out");
	tap_has(line(&b, 0), "a?[2J??b/tiny", "a hostile name is text");
	watch_board_fini(&b);
	look(&b, "others.db", "sdpa");
	tap_int(b.n_list, 1, "one workload only");
	tap_has(line(&b, 0), "sdpa/", "the one asked for");
	watch_board_fini(&b);
	db_close(d);
}

static void test_drawing(void)
{
	struct canvas c = {.columns = 100, .rows = 10};
	struct watch_board b = {0};
	int64_t run;
	struct db *d = rows_open(rows_path("draw.db"), &run);

	add(d, run, "B=1", RESULT_OK, 2000);
	look(&b, "draw.db", NULL);
	watch_board_draw(&b, b.runs[0].last_ms + 65000, &c);
	tap_has(buf_str(&c.text), "sdpa/tiny on cpu: Model 1  running  1 trial  budget 200 trials",
		"a run that goes on");
	tap_has(buf_str(&c.text), "last result 1 min 5 s ago\n  best 2 us  blocked B=1",
		"and since when it is silent");
	db_end_run(d, run, "interrupted", &e);
	look(&b, "draw.db", NULL);
	canvas_clear(&c);
	watch_board_draw(&b, b.runs[0].ended_ms + 3000, &c);
	tap_has(buf_str(&c.text), "Model 1  interrupted 3 s ago  1 trial", "one that has ended");
	watch_board_fini(&b);
	canvas_fini(&c);
	db_close(d);
}

static void test_replaced(void)
{
	struct watch_board b = {0};
	int64_t run;
	struct db *d = rows_open(rows_path("old.db"), &run);
	uint64_t absent = db_find_mark(rows_path("absent.db")), mark;

	tap_int(absent, 0, "no file has no mark");
	tap_int(look(&b, "absent.db", NULL), ASC_NOTFOUND, "a database that is not there yet");
	for (int i = 0; i < 3; i++)
		add(d, run, "B=1", RESULT_OK, 2000);
	look(&b, "old.db", NULL);
	db_close(d);
	mark = db_find_mark(rows_path("old.db"));
	usleep(5000);
	d = rows_open(rows_path("new.db"), &run);
	add(d, run, "B=1", RESULT_OK, 3000);
	db_close(d);
	rename(rows_path("new.db"), rows_path("old.db"));
	tap_ok(db_find_mark(rows_path("old.db")) != mark, "another file has another mark");
	tap_int(look(&b, "old.db", NULL), ASC_OK, "it is read");
	tap_has(line(&b, 0), "running, 1 trial, best 3 us", "from its beginning");
	tap_int(truncate(rows_path("old.db"), 3000), 0, "a file is cut");
	tap_ok(look(&b, "old.db", NULL) != ASC_OK, "which is an error: %s", e.text);
	tap_int(truncate(rows_path("old.db"), 0), 0, "to nothing");
	tap_int(look(&b, "old.db", NULL), ASC_NOTFOUND, "which is empty");
	watch_board_fini(&b);
}

static void test_locked(void)
{
	struct watch_board b = {0};
	sqlite3 *other = NULL;
	int64_t run;

	db_close(rows_open(rows_path("locked.db"), &run));
	sqlite3_open(rows_path("locked.db"), &other);
	sqlite3_exec(other, "PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE", NULL, NULL, NULL);
	tap_int(look(&b, "locked.db", NULL), ASC_BUSY, "a locked database is busy");
	sqlite3_close(other);
	tap_int(look(&b, "locked.db", NULL), ASC_OK, "until it is not");
	tap_int(b.n_list, 1, "then its run is there");
	watch_board_fini(&b);
}

int main(void)
{
	rows_enter();
	test_growing();
	test_finals();
	test_others();
	test_drawing();
	test_replaced();
	test_locked();
	buf_fini(&text);
	rows_leave();
	return tap_done();
}
