/* Nights of a history, and verdicts that are new in the newest one.
 * covers: track_night.c */
#include "reports/track/track_night.h"

#include <string.h>

#include "db/history.h"
#include "reports/track/track_history.h"
#include "tests/tap.h"
#include "tests/unit/db/points.h"

static struct asc_err e;

enum { NIGHTS = 30, MAX_SERIES = 8, HOUR = 3600000 };

static const int64_t day_ms = 86400000;

/* A night from 22:00 to 06:00 is one, and so is each before it. */
static void test_nights(void)
{
	const int64_t newest = 100 * day_ms + 6 * (int64_t)HOUR;
	const struct track_history h = {.newest_ms = newest};

	tap_int(track_night_of(&h, newest), 0, "the newest run");
	tap_int(track_night_of(&h, newest - 8 * (int64_t)HOUR), 0, "the evening before it");
	tap_int(track_night_of(&h, newest - day_ms), -1, "a day before");
	tap_int(track_night_of(&h, newest - day_ms - 8 * (int64_t)HOUR), -1, "its evening");
	tap_int(track_night_of(&h, newest - 18 * (int64_t)HOUR), -1, "18 hours are the bound");
	tap_int(track_night_of(&h, newest - 18 * (int64_t)HOUR + 1), 0, "less is the same night");
	tap_int(track_night_of(&h, newest - 10 * day_ms), -10, "ten days before");
	tap_int(track_night_of(&h, newest + 6 * (int64_t)HOUR + 1), 1, "a later night");
	tap_int(track_night_ms(&h, -2), newest - 2 * day_ms, "the moment of a night");
}

/* Adds nights of a problem as always, and `n` as `then`; all start on days in a row. */
static void add(struct db *d, const char *path, const char *problem, const struct point *then,
		size_t n)
{
	static const struct point usual;
	struct rng rng;
	char sql[200];

	rng_init(&rng, 11);
	for (size_t i = 0; i < NIGHTS; i++) {
		const int64_t run = night_add(d, problem, i + n < NIGHTS ? &usual : then, &rng);

		snprintf(sql, sizeof sql,
			 "UPDATE run SET started_ms = %zu * 86400000 WHERE id = %d", i + 1,
			 (int)run);
		rows_ask(path, sql);
	}
}

static void check(const struct track_history *h, const bool *fresh, const char *problem,
		  enum track_verdict verdict, bool is_fresh)
{
	const struct track_series *s = nights_find(h, problem);

	tap_str(s ? track_verdict_name(s->verdict) : "absent", track_verdict_name(verdict),
		"%s: verdict", problem);
	tap_ok(s && fresh[s - h->list] == is_fresh, "%s: %s", problem,
	       is_fresh ? "new" : "not new");
}

static void add_all(struct db *d, const char *path)
{
	static const struct point slower = {.ns_1 = 130000, .ns_2 = 195000};
	static const struct point wrong = {.ns_1 = -1, .ns_2 = -1};

	add(d, path, "quiet", &slower, 0);
	add(d, path, "far off tonight", &slower, 1);
	add(d, path, "slower tonight", &slower, 2);
	add(d, path, "slower", &slower, 4);
	add(d, path, "broken tonight", &wrong, 1);
	add(d, path, "broken", &wrong, 2);
}

/* Reads the histories, and which of them are new. */
static struct track_history *read_night(struct db *d, const char *path,
					const struct track_rule *rule, bool fresh[MAX_SERIES])
{
	struct track_history *h = NULL;

	if (track_history_open(d, path, rule, &h, &e) ||
	    track_night_find_fresh(h, d, rule, fresh, &e))
		tap_ok(false, "%s", e.text);
	return h;
}

static void test_fresh(void)
{
	const char *path = rows_path("fresh.db");
	struct db *d = nights_open(path);
	bool fresh[MAX_SERIES] = {false};

	add_all(d, path);
	struct track_history *h = read_night(d, path, &track_rule_default, fresh);

	check(h, fresh, "quiet", TRACK_UNCHANGED, false);
	check(h, fresh, "far off tonight", TRACK_UNDECIDED, true);
	check(h, fresh, "slower tonight", TRACK_REGRESSION, true);
	check(h, fresh, "slower", TRACK_REGRESSION, false);
	check(h, fresh, "broken tonight", TRACK_BROKEN, true);
	check(h, fresh, "broken", TRACK_BROKEN, false);
	track_history_free(h);
	db_close(d);
}

/* A change that may be chance among so many series is undecided each night, and new in none. */
static void test_chance(void)
{
	const char *path = rows_path("fresh.db");
	struct track_rule strict = track_rule_default;
	struct db *d = nights_open(path);
	bool fresh[MAX_SERIES] = {false};

	strict.false_share = 0;
	struct track_history *h = read_night(d, path, &strict, fresh);

	check(h, fresh, "slower", TRACK_UNDECIDED, false);
	track_history_free(h);
	db_close(d);
}

/* A change that measuring again left open yesterday and today is not new either. */
static void test_measured_again(void)
{
	const char *path = rows_path("fresh.db");
	struct db *d = nights_open(path);
	struct track_history *h = NULL;
	bool fresh[MAX_SERIES] = {false};

	if (track_history_open(d, path, &track_rule_default, &h, &e))
		tap_ok(false, "%s", e.text);
	const struct track_series *s = nights_find(h, "slower");

	tap_int(db_put_verdict(d,
			       &(struct db_verdict){.run_id = s->points[s->index].run_id,
						    .implementation = s->implementation,
						    .figure = s->metric,
						    .kind = "undecided",
						    .note = "open",
						    .made_ms = s->newest_ms + 1},
			       &e),
		ASC_OK, "a verdict");
	track_history_free(h);
	h = read_night(d, path, &track_rule_default, fresh);
	check(h, fresh, "slower", TRACK_UNDECIDED, false);
	track_history_free(h);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_nights();
	test_fresh();
	test_chance();
	test_measured_again();
	rows_leave();
	return tap_done();
}
