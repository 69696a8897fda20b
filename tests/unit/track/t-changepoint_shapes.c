/* Change points in generated series of shapes that no annotated series has: where nothing moves for
 * good none may be found but rarely, and a step must be found whatever noise it is in.
 * covers: changepoint.c changepoint_noise.c */
#include "reports/track/changepoint/changepoint.h"

#include <math.h>
#include <stdbool.h>

#include "tests/tap.h"
#include "tuner/base/stats/rng.h"

enum { POINTS = 200, STEP_AT = 120, SERIES = 30, LEVEL = 1000 };

static struct asc_err e;
static const double pi = 3.14159265358979323846;

/* ---- noise around a level of 1000, about 1 % of it ---- */

static double normal(size_t i, struct rng *r)
{
	(void)i;
	return 10 * rng_normal(r);
}

/* Student's t of three degrees of freedom. */
static double heavy(size_t i, struct rng *r)
{
	double chi = 0;

	(void)i;
	for (int k = 0; k < 3; k++)
		chi += pow(rng_normal(r), 2);
	return 10 * rng_normal(r) / sqrt(chi / 3);
}

static double log_normal(size_t i, struct rng *r)
{
	(void)i;
	return 30 * (exp(0.5 * rng_normal(r)) - 1);
}

static double uniform(size_t i, struct rng *r)
{
	(void)i;
	return 30 * (rng_uniform(r) - 0.5);
}

/* Twice as wide in the second half. */
static double wider(size_t i, struct rng *r)
{
	return (i < POINTS / 2 ? 5 : 20) * rng_normal(r);
}

static double drift(size_t i, struct rng *r)
{
	return 0.3 * (double)i + 10 * rng_normal(r);
}

/* Week-ends are calmer: shorter times on two of seven nights. */
static double weeks(size_t i, struct rng *r)
{
	return (i % 7 < 2 ? -20 : 0) + 10 * rng_normal(r);
}

/* A clock of coarse steps: nearly all nights give one of two values. */
static double quantised(size_t i, struct rng *r)
{
	(void)i;
	return 32 * floor(rng_normal(r) / 3 + 0.5);
}

/* Two moods of a machine, drawn every night. */
static double two_modes(size_t i, struct rng *r)
{
	(void)i;
	return (rng_uniform(r) < 0.3 ? 50 : 0) + 5 * rng_normal(r);
}

static double spikes(size_t i, struct rng *r)
{
	(void)i;
	return (rng_uniform(r) < 0.03 ? 500 * rng_uniform(r) : 0) + 10 * rng_normal(r);
}

static double constant(size_t i, struct rng *r)
{
	(void)i;
	(void)r;
	return 0;
}

/* The same value but for one night in fifty. */
static double nearly_constant(size_t i, struct rng *r)
{
	(void)i;
	return rng_uniform(r) < 0.02 ? 1 : 0;
}

/* Warm summers, one period in the year. */
static double year(size_t i, struct rng *r)
{
	return 15 * sin(2 * pi * (double)i / POINTS) + 10 * rng_normal(r);
}

struct shape {
	const char *name;
	double (*noise)(size_t i, struct rng *r);
	int most_alarms; /* series of SERIES in which a change may be found although none is there;
			    SERIES: it does move */
	double step;     /* is to be found within five points */
};

static const struct shape shapes[] = {
	{"normal", normal, 1, 50},         {"heavy tails", heavy, 1, 50},
	{"log-normal", log_normal, 1, 60}, {"uniform", uniform, 2, 50},
	{"wider", wider, 1, 80},           {"drift", drift, 2, 60},
	{"weeks", weeks, 1, 60},           {"quantised", quantised, 2, 64},
	{"two modes", two_modes, 1, 150},  {"spikes", spikes, 1, 50},
	{"constant", constant, 0, 10},     {"nearly constant", nearly_constant, 1, 10},
	{"year", year, SERIES, 100},
};

static void generate(const struct shape *s, double step, struct rng *r, double *values)
{
	for (size_t i = 0; i < POINTS; i++)
		values[i] = LEVEL + s->noise(i, r) + (i >= STEP_AT ? step : 0);
}

/* Is the step among the changes? */
static bool has_step(const struct changepoints *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].index + 5 >= STEP_AT && c->list[i].index <= STEP_AT + 5)
			return true;
	return false;
}

static struct changepoints find(const struct shape *s, double step, struct rng *r)
{
	double values[POINTS];
	struct changepoints c = {0};

	generate(s, step, r, values);
	if (changepoints_find(values, POINTS, &c, &e))
		tap_ok(false, "%s", e.text);
	return c;
}

static void test_shape(const struct shape *s)
{
	int alarms = 0, found = 0;
	struct rng rng;

	rng_init(&rng, 31);
	for (int k = 0; k < SERIES; k++) {
		struct changepoints calm = find(s, 0, &rng), moved = find(s, s->step, &rng);

		alarms += calm.n > 0;
		found += has_step(&moved);
		changepoints_fini(&calm);
		changepoints_fini(&moved);
	}
	if (s->most_alarms < SERIES)
		tap_ok(alarms <= s->most_alarms, "%s: nothing moved, and %d of %d say so", s->name,
		       SERIES - alarms, SERIES);
	tap_int(found, SERIES, "%s: a step of %g is found", s->name, s->step);
}

/* Small steps up and down, of 3 to 5 %, every forty nights. */
static void test_steps(void)
{
	static const double levels[] = {1, 1.04, 1.01, 1.06, 1.02};
	double values[POINTS];
	size_t found = 0, wanted = 0, all = 0;
	struct rng rng;

	rng_init(&rng, 32);
	for (int k = 0; k < SERIES; k++) {
		struct changepoints c = {0};

		for (size_t i = 0; i < POINTS; i++)
			values[i] = LEVEL * levels[i / 40] * (1 + 0.01 * rng_normal(&rng));
		if (changepoints_find(values, POINTS, &c, &e))
			tap_ok(false, "%s", e.text);
		all += c.n;
		for (size_t at = 40; at < POINTS; at += 40) {
			bool there = false;

			for (size_t i = 0; i < c.n; i++)
				there |= c.list[i].index + 5 >= at && c.list[i].index <= at + 5;
			found += there;
			wanted++;
		}
		changepoints_fini(&c);
	}
	tap_ok(10 * found >= 9 * wanted, "many small steps: %zu of %zu", found, wanted);
	tap_ok(50 * (all - found) <= wanted, "many small steps: %zu that are none", all - found);
}

int main(void)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		test_shape(&shapes[i]);
	test_steps();
	return tap_done();
}
