/* The history of a kernel is that of its configuration on record: nights with finals that are
 * written down here.
 * covers: track_history.c */
#include <math.h>
#include <string.h>

#include "reports/track/track_history.h"
#include "reports/track/track_write.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"

static struct asc_err e;

struct stand { /* a finalist */
	const char *config;
	double ns;
	enum standing standing; /* beside the winner, which is the first of a night */
};

static void add_stand(struct db *d, int64_t run, const struct stand *s, const struct stand *winner)
{
	struct result r = rows_result(s->ns, s->ns, s->ns);
	struct db_trial t = rows_trial(s->config, &r);
	const double ratio = s->ns / winner->ns;
	const struct db_final f = {.implementation = rows_implementation,
				   .config_key = s->config,
				   .winner = s == winner,
				   .standing = s->standing,
				   .ratio = ratio,
				   .interval = {true, ratio - 0.002, ratio + 0.002},
				   .time = r.time,
				   .samples = r.samples,
				   .n_samples = r.n_samples};

	if (db_add_trial(d, run, &t, &e) || db_add_final(d, run, &f, &e))
		tap_ok(false, "%s", e.text);
}

static int64_t add_night(struct db *d, const struct stand *list, size_t n)
{
	int64_t run;

	if (db_begin_run(d, &rows_device, &rows_problem, &rows_run, &run, &e))
		tap_ok(false, "%s", e.text);
	for (size_t i = 0; i < n; i++)
		add_stand(d, run, &list[i], list);
	if (db_end_run(d, run, "done", &e))
		tap_ok(false, "%s", e.text);
	return run;
}

static struct track_history *track(const char *path, struct db *d)
{
	struct track_history *h = NULL;

	rows_ask(path, "UPDATE run SET started_ms = id * 86400000");
	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	return h;
}

static void check_values(const struct track_history *h, const double *values, size_t n,
			 const char *what)
{
	tap_int((int64_t)h->list[0].n, (int64_t)n, "%s: points", what);
	for (size_t i = 0; i < n; i++)
		tap_ok(fabs(h->list[0].values[i] - values[i]) < 1, "%s: point %zu: %g", what, i,
		       h->list[0].values[i]);
}

/* Ties change who wins from night to night, and not whose history it is. */
static void test_ties(void)
{
	static const struct stand nights[][2] = {
		{{"B=1", 1e5, STANDING_TIED}, {"B=2", 1.001e5, STANDING_TIED}},
		{{"B=2", 0.99e5, STANDING_TIED}, {"B=1", 1.02e5, STANDING_UNDECIDED}},
		{{"B=1", 1.01e5, STANDING_TIED}, {"B=2", 1.03e5, STANDING_SLOWER}}};
	const char *path = rows_path("ties.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (size_t i = 0; i < 3; i++)
		add_night(d, nights[i], 2);
	struct track_history *h = track(path, d);

	check_values(h, (const double[]){1e5, 1.02e5, 1.01e5}, 3, "ties");
	tap_str(track_history_points(h, 0)[1].config, "B=1", "the one on record stays");
	tap_ok(!h->list[0].faster.config, "a tie is nothing that the search found");
	track_history_free(h);
	db_close(d);
}

/* What a search finds is said in its night, and is no step: from the next night on it is on record,
 * and earlier nights are told in its terms. */
static void test_gain(void)
{
	static const struct stand before[] = {{"B=1", 1e5, STANDING_TIED}},
				  finds[] = {{"B=2", 0.9e5, STANDING_TIED},
					     {"B=1", 1e5, STANDING_SLOWER}},
				  after[] = {{"B=2", 0.9e5, STANDING_TIED}};
	const char *path = rows_path("gain.db");
	struct buf line = {0};
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	for (int i = 0; i < 9; i++)
		add_night(d, before, 1);
	const int64_t found = add_night(d, finds, 2);
	struct track_history *h = track(path, d);
	const double was = 1e5 / (1e5 / 9e4 - 0.002); /* by the lower end of the interval */
	const double all[] = {was, was, was, was, was, was, was, was, was,
			      was, 9e4, 9e4, 9e4, 9e4, 9e4, 9e4, 9e4};

	check_values(h, all, 10, "found");
	tap_str(h->list[0].faster.config, "B=2", "what the search found");
	tap_ok(fabs(h->list[0].faster.pct - 10) < 1e-9, "by how much");
	tap_str(track_history_points(h, 0)[9].config, "B=1", "the one on record was measured");
	tap_str(track_history_points(h, 0)[9].won, "B=2", "beside it");
	track_write_line(&h->list[0], &line);
	tap_has(buf_str(&line), "search found 10.0 % faster: B=2", "a line of its own");
	buf_fini(&line);
	track_history_free(h);

	for (int i = 0; i < 7; i++)
		add_night(d, after, 1);
	h = track(path, d);
	check_values(h, all, 17, "no step");
	tap_int(h->list[0].verdict, TRACK_UNCHANGED, "what a search gains is no change");
	tap_ok(!h->list[0].faster.config, "it is said in its night");
	tap_str(track_history_points(h, 0)[16].config, "B=2", "on record since");
	track_history_free(h);

	rows_ask(path, "UPDATE final SET ratio = 1.11 WHERE config_key = 'B=1'"); /* as recorded */
	add_night(d, before, 1);
	h = track(path, d);
	tap_str(track_history_points(h, 0)[17].config, "B=1",
		"where the one on record was not measured what won is");
	track_history_free(h);

	/* A finalist that failed later in its run has no time there. */
	struct result r = rows_result(1e5, 1e5, 1e5);
	struct db_trial t = rows_trial("B=1", &r);

	r.status = RESULT_WRONG;
	if (db_add_trial(d, found, &t, &e))
		tap_ok(false, "%s", e.text);
	h = track(path, d);
	tap_str(track_history_points(h, 0)[9].config, "B=2", "where it failed what won is");
	track_history_free(h);
	db_close(d);
}

/* What failed later was none: the values stay those of the one on record. */
static void test_gain_that_fails(void)
{
	static const struct stand before[] = {{"B=1", 1e5, STANDING_TIED}},
				  finds[] = {{"B=2", 0.9e5, STANDING_TIED},
					     {"B=1", 1e5, STANDING_SLOWER}};
	const char *path = rows_path("fails.db");
	struct db *d = NULL;

	if (db_open(path, DB_WRITE, &d, &e))
		tap_ok(false, "%s", e.text);
	add_night(d, before, 1);
	add_night(d, finds, 2);
	rows_add_trial(d, add_night(d, before, 1), "B=2", RESULT_WRONG, 0);
	struct track_history *h = track(path, d);

	check_values(h, (const double[]){1e5, 1e5, 1e5}, 3, "a gain that fails");
	tap_ok(!track_history_points(h, 0)[1].won, "nothing was found");
	track_history_free(h);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_gain_that_fails();
	test_ties();
	test_gain();
	rows_leave();
	return tap_done();
}
