/* Two choices of runs compared: nights that were made here, so what is expected is arithmetic.
 * covers: track_compare.c */
#include "reports/track/track_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/points.h"

static struct asc_err e;

enum { NIGHTS = 20, LAST = NIGHTS - 1 };

static const int64_t day_ms = 86400000;

/* Gives each time an interval of 0.2 %: what is wider comes from the scatter of nights. */
static const char narrow[] =
	"UPDATE trial SET low_ns = 0.999 * median_ns, high_ns = 1.001 * median_ns";

/* Runs of `problem` on NIGHTS nights, the newest as `then`. */
static void add_nights(struct db *d, const char *problem, const struct point *then)
{
	static const struct point usual;
	struct rng rng;

	rng_init(&rng, 7);
	for (int i = 0; i < NIGHTS; i++)
		night_add(d, problem, i == LAST ? then : &usual, &rng);
}

/* A database whose runs of each problem stand NIGHTS in a row, one a day. */
static struct db *begin(const char *path)
{
	struct db *d = nights_open(path);

	add_nights(d, "slower", &(struct point){.ns_1 = 140000, .ns_2 = 210000});
	add_nights(d, "faster", &(struct point){.ns_1 = 60000});
	add_nights(d, "same", &(struct point){0});
	add_nights(d, "broken", &(struct point){.ns_1 = -1, .ns_2 = -1});
	rows_ask(path, "UPDATE run SET started_ms = ((id - 1) % 20) * 86400000");
	rows_ask(path, narrow);
	return d;
}

static struct track_side side_of(struct db *d, const char *name, int64_t day)
{
	return (struct track_side){
		.db = d,
		.path = "a.db",
		.name = name,
		.choice = {.from_ms = day * day_ms, .until_ms = (day + 1) * day_ms}};
}

static struct track_comparison *compare(const struct track_side sides[TRACK_SIDES])
{
	struct track_comparison *c = NULL;

	if (track_compare(sides, &track_rule_default, &c, &e))
		tap_ok(false, "%s", e.text);
	return c;
}

static const struct track_pair *find(const struct track_comparison *c, const char *problem)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (strcmp(c->pairs[i].change.problem, problem) == 0)
			return &c->pairs[i];
	tap_ok(false, "%s is compared", problem);
	return NULL;
}

static void check_change(const struct track_comparison *c, const char *problem,
			 enum track_verdict verdict, double pct)
{
	const struct track_pair *p = find(c, problem);

	if (!p)
		return;
	tap_str(track_verdict_name(p->change.verdict), track_verdict_name(verdict), "%s", problem);
	tap_ok(fabs(p->change.change_pct - pct) < 5, "%s: %.1f %%, planted %.1f", problem,
	       p->change.change_pct, pct);
	tap_ok(p->change.low_pct < pct && pct < p->change.high_pct,
	       "%s: [%.1f, %.1f] holds what was planted", problem, p->change.low_pct,
	       p->change.high_pct);
	tap_ok(p->change.high_pct - p->change.low_pct > 2 * 1.96 * sqrt(2) * 0.7,
	       "%s: the interval is as wide as nights of 1 %% noise scatter", problem);
}

static void test_nights(void)
{
	const char *path = rows_path("compare.db");
	struct db *d = begin(path);
	const struct track_side sides[TRACK_SIDES] = {side_of(d, "first", 2),
						      {.db = d, .path = path, .name = "newest"}};
	struct track_comparison *c = compare(sides);

	if (!c)
		return;
	tap_int((long long)c->n, 4, "four kernels on both sides");
	tap_int((long long)c->n_others, 0, "none on one side alone");
	check_change(c, "slower", TRACK_REGRESSION, 40);
	check_change(c, "faster", TRACK_IMPROVEMENT, -40);
	check_change(c, "same", TRACK_UNCHANGED, 0);
	const struct track_pair *broken = find(c, "broken");

	tap_ok(broken == c->pairs && broken->change.verdict == TRACK_BROKEN,
	       "what broke is the first");
	tap_str(c->pairs[1].change.problem, "slower", "then what became slower");
	tap_ok(!c->several_devices, "one device");
	track_comparison_free(c);
	db_close(d);
}

/* Sides of a gate: compared by their numbers, by the intervals of their times alone; no point of
 * the history that they stand beside. */
static void test_gates(void)
{
	const char *path = rows_path("gates.db");
	struct db *d = begin(path);

	rows_ask(path, "UPDATE run SET strategy = 'gate' WHERE id IN (19, 20);"
		       "DELETE FROM outcome WHERE run_id IN (19, 20)");
	const struct track_side gates[TRACK_SIDES] = {
		{.db = d, .path = path, .name = "a", .choice = {.first_run = 19, .last_run = 19}},
		{.db = d, .path = path, .name = "b", .choice = {.first_run = 20, .last_run = 21}}};
	const struct track_side all[TRACK_SIDES] = {side_of(d, "third", 3),
						    {.db = d, .path = path, .name = "newest"}};
	struct track_comparison *c = compare(gates);
	const struct track_pair *p = find(c, "slower");

	tap_int(c ? (long long)c->n : 0, 1, "one kernel");
	tap_int(c ? (long long)c->n_others : 0, 1, "and one that the base has not");
	tap_ok(p && p->change.verdict == TRACK_REGRESSION && p->change.change_pct > 30, "slower");
	tap_ok(p && p->change.high_pct - p->change.low_pct < 1,
	       "nights that scatter widen no interval of rounds");
	track_comparison_free(c);
	c = compare(all);
	p = find(c, "slower");
	tap_int(p ? p->points[TRACK_AGAINST].run_id : 0, 18, "the newest of the history");
	track_comparison_free(c);
	db_close(d);
}

static void check_refusal(const struct track_side sides[TRACK_SIDES], const char *text)
{
	struct track_comparison *c = NULL;

	tap_int(track_compare(sides, &track_rule_default, &c, &e), ASC_INPUT, "refused: %s", text);
	tap_ok(strstr(e.text, text) != NULL, "%s", e.text);
	tap_ok(!c, "nothing is given");
}

static void test_refusals(void)
{
	struct db *d = begin(rows_path("refuse.db"));
	const struct track_side none = side_of(d, "2001-01-01", 11000);
	const struct track_side second = side_of(d, "second", 2), third = side_of(d, "third", 3);
	struct track_side of_slower = third, of_same = second;

	of_slower.choice = (struct track_choice){.first_run = 1, .last_run = 1};
	of_same.choice =
		(struct track_choice){.first_run = 2 * NIGHTS + 1, .last_run = 2 * NIGHTS + 1};
	check_refusal((const struct track_side[]){none, second},
		      "no search that began on 2001-01-01 ended with a measurement");
	check_refusal((const struct track_side[]){second, second}, "are the same runs of a.db");
	check_refusal((const struct track_side[]){of_slower, of_same},
		      "no kernel in common that can be compared: ");
	db_close(d);
}

/* The same nights, all on another device, with one problem that the first does not have and one
 * whose content is another. */
static struct db *begin_other(const char *path)
{
	struct db *d = begin(path);

	add_nights(d, "more", &(struct point){0});
	rows_ask(path, "UPDATE device SET model = 'Model 2'");
	rows_ask(path, "UPDATE problem SET key = 'other' WHERE name = 'same'");
	return d;
}

static const struct track_unpaired *find_other(const struct track_comparison *c,
					       const char *problem)
{
	for (size_t i = 0; c && i < c->n_others; i++)
		if (strcmp(c->others[i].series->problem, problem) == 0)
			return &c->others[i];
	return NULL;
}

static void test_devices(void)
{
	struct db *a = begin(rows_path("device1.db")), *b = begin_other(rows_path("device2.db"));
	const struct track_side sides[TRACK_SIDES] = {side_of(a, "one", 2), side_of(b, "two", 3)};
	struct track_side all = {.db = b, .path = "b.db", .name = "b.db"};
	struct track_comparison *c = compare(sides);
	const struct track_pair *p = find(c, "slower");

	tap_ok(p && p->other_device && strstr(p->base_device, "Model 1") &&
		       strstr(p->change.device, "Model 2"),
	       "either device is named");
	tap_ok(c && c->several_devices, "they differ");
	tap_int(c ? (long long)c->n : 0, 3, "what has another content is not compared");
	for (size_t i = 0; c && i < c->n_others; i++)
		tap_str(c->others[i].why, "another problem under the same name", "%s",
			c->others[i].series->problem);
	track_comparison_free(c);
	c = compare((const struct track_side[]){sides[TRACK_BASE], all});
	const struct track_unpaired *more = find_other(c, "more");

	tap_ok(more && more->side == TRACK_AGAINST, "what one side alone has is named");
	tap_str(more ? more->why : "", "not measured on the other side", "with the reason");
	track_comparison_free(c);
	db_close(a);
	db_close(b);
}

static const struct track_pair *find_of(const struct track_comparison *c, const char *problem,
					bool baseline)
{
	for (size_t i = 0; c && i < c->n; i++)
		if (strcmp(c->pairs[i].change.problem, problem) == 0 &&
		    c->pairs[i].change.is_baseline == baseline)
			return &c->pairs[i];
	return NULL;
}

static bool is_beside(const struct track_pair *p, const struct track_pair *baseline)
{
	return baseline && p->change.baseline == &baseline->change;
}

static void test_baseline(void)
{
	static const struct point usual;
	const char *path = rows_path("control.db");
	struct db *d = nights_open(path);
	struct rng rng;

	rng_init(&rng, 3);
	night_add_beside(d, "machine", &usual, 1, 1, &rng);
	night_add_beside(d, "kernel", &usual, 1, 1, &rng);
	night_add_beside(d, "both", &usual, 1, 1, &rng);
	night_add_beside(d, "driver", &usual, 1, 1, &rng);
	night_add_beside(d, "source", &usual, 1, 1, &rng);
	night_add_beside(d, "winner", &usual, 1, 1, &rng);
	night_add_beside(d, "clock", &usual, 1, 1, &rng);
	night_add_beside(d, "wide", &usual, 1, 1, &rng);
	night_add_beside(d, "lost", &usual, 1, 1, &rng);
	night_add_beside(d, "machine", &usual, 1.6, 1.6, &rng);
	night_add_beside(d, "kernel", &usual, 1.6, 1, &rng);
	night_add_beside(d, "both", &usual, 2, 1.5, &rng);
	night_add_beside(d, "driver", &(struct point){.driver = "7.0", .fingerprint = "f2"}, 1.6,
			 1.6, &rng);
	night_add_beside(d, "source", &(struct point){.code = "k3"}, 1.6, 1.6, &rng);
	night_add_beside(d, "winner", &usual, 1.6, 1.6, &rng);
	night_add_beside(d, "clock", &(struct point){.mhz = 990}, 1.6, 1.6, &rng);
	night_add_beside(d, "wide", &usual, 1.6, 1.5, &rng);
	night_add_beside(d, "lost", &usual, 1.6, -1, &rng);
	rows_ask(path, "UPDATE run SET started_ms = (id > 9) * 86400000");
	rows_ask(path, "UPDATE trial SET config_key = 'B=2', config_hash = 2 WHERE run_id = 15"
		       " AND config_key = 'B=1'");
	rows_ask(path, narrow);
	rows_ask(path, "UPDATE trial SET low_ns = 0.9 * median_ns, high_ns = 1.1 * median_ns"
		       " WHERE run_id = 17 AND config_key = 'T=0'");
	const struct track_side sides[TRACK_SIDES] = {side_of(d, "before", 0),
						      side_of(d, "after", 1)};
	struct track_comparison *c = compare(sides);
	const struct track_pair *machine = find_of(c, "machine", false),
				*kernel = find_of(c, "kernel", false),
				*both = find_of(c, "both", false),
				*driver = find_of(c, "driver", false),
				*source = find_of(c, "source", false);

	tap_int(c ? (long long)c->n : 0, 18, "nine kernels and their baselines");
	tap_ok(machine && is_beside(machine, find_of(c, "machine", true)) &&
		       machine->change.by_machine,
	       "a baseline that slowed as much says that it was the machine");
	tap_ok(kernel && is_beside(kernel, find_of(c, "kernel", true)) &&
		       !kernel->change.by_machine,
	       "one that did not says that it was the kernel");
	tap_ok(both && is_beside(both, find_of(c, "both", true)) && !both->change.by_machine,
	       "nor does one that slowed by much less: the ratio changed");
	tap_ok(driver && driver->change.baseline && !driver->change.by_machine,
	       "a new driver is an explanation, whatever the baseline did");
	tap_ok(source && source->change.baseline && !source->change.by_machine,
	       "so is another source");
	const struct track_pair *winner = find_of(c, "winner", false),
				*clock = find_of(c, "clock", false),
				*wide = find_of(c, "wide", false),
				*lost = find_of(c, "lost", false);

	tap_ok(winner && winner->change.cause == TRACK_CAUSE_CONFIGURATION &&
		       !winner->change.by_machine,
	       "so is another winner, where the old one was not tried again");
	tap_ok(wide && wide->change.by_machine,
	       "one of which little is known may have changed as much");
	tap_ok(lost && !lost->change.baseline, "one that broke is no control");
	tap_ok(clock && clock->change.cause == TRACK_CAUSE_DEVICE && !clock->change.by_machine,
	       "so is a lower clock");
	track_comparison_free(c);
	db_close(d);
}

int main(void)
{
	rows_enter();
	test_nights();
	test_gates();
	test_refusals();
	test_devices();
	test_baseline();
	rows_leave();
	return tap_done();
}
