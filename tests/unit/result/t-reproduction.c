/* Verdicts on recorded times that were measured again.
 * covers: reproduction.c confirmation.c */
#include "tuner/result/reproduction.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/result/confirmation.h"

/* A claim of 100 us, known to half a percent, is reproduced: each case with what is measured now.
 */
struct row {
	const char *name;
	double now_us;                     /* of the new build */
	double half_width;                 /* of the intervals of both moments, part of the time */
	double built, built_half_width;    /* new build / recorded artifact, in the same rounds */
	bool gone, same, unsteady, failed; /* gone: the recorded artifact */
	enum reproduction_verdict verdict;
	enum reproduction_cause cause;
};

#define HOLDS     REPRODUCTION_HOLDS, REPRODUCTION_BY_NONE
#define UNDECIDED REPRODUCTION_UNDECIDED, REPRODUCTION_BY_NONE
#define FAILS(by) REPRODUCTION_FAILS, REPRODUCTION_BY_##by

static const struct row rows[] = {
	{"as fast", 100, 0.005, 1, 0.004, false, false, false, false, HOLDS},
	{"the same bytes", 100, 0.005, 1, 0, false, true, false, false, HOLDS},
	{"a little slower", 103, 0.005, 1, 0.004, false, false, false, false, HOLDS},
	{"a little faster", 97, 0.005, 1, 0.004, false, false, false, false, HOLDS},
	{"rebuilt", 100, 0.005, 1, 0, true, false, false, false, HOLDS},
	{"as fast on a busy machine", 100, 0.005, 1, 0.004, false, false, true, false, HOLDS},
	{"times that scatter", 100, 0.1, 1, 0.004, false, false, false, false, UNDECIDED},
	{"between", 108, 0.01, 1, 0.004, false, false, false, false, UNDECIDED},
	{"slower by the machine, which is busy", 150, 0.005, 1, 0.004, false, false, true, false,
	 UNDECIDED},
	{"the same bytes, slower on a busy machine", 150, 0.005, 1, 0, false, true, true, false,
	 UNDECIDED},
	{"slower by the code on a busy machine", 150, 0.005, 1.5, 0.004, false, false, true, false,
	 FAILS(CODE)},
	{"slower by the code", 150, 0.005, 1.5, 0.004, false, false, false, false, FAILS(CODE)},
	{"faster by the code", 60, 0.005, 0.6, 0.004, false, false, false, false, FAILS(CODE)},
	{"slower by the machine", 150, 0.005, 1, 0.004, false, false, false, false, FAILS(MACHINE)},
	{"the same bytes, slower", 150, 0.005, 1, 0, false, true, false, false, FAILS(MACHINE)},
	{"slower, rebuilt", 150, 0.005, 1, 0, true, false, false, false, FAILS(OPEN)},
	{"slower, rounds that scatter", 150, 0.005, 1.1, 0.3, false, false, false, false,
	 FAILS(OPEN)},
	{"failed", 0, 0, 0, 0, false, false, false, true, FAILS(NONE)},
};

static struct stats_summary make_time(double us, double half_width)
{
	const double ns = 1000 * us;

	return (struct stats_summary){
		.n = 32,
		.median = ns,
		.interval = {true, ns * (1 - half_width), ns * (1 + half_width)}};
}

/* The middle session is the row's, the others are nearby. */
static struct confirmation measured(const struct row *r)
{
	struct confirmation c = {.n = r->failed ? 0 : CONFIRMATION_SESSIONS,
				 .stored = {!r->gone, false},
				 .failed = r->failed,
				 .unsteady = r->unsteady};

	snprintf(c.digest[CONFIRMATION_BEFORE], sizeof c.digest[0], "%s", r->gone ? "b" : "a");
	snprintf(c.digest[CONFIRMATION_AFTER], sizeof c.digest[0], "%s", r->same ? "a" : "b");
	for (size_t k = 0; k < c.n; k++) {
		const double off = 1 + 0.0001 * ((double)k - 1);

		c.sessions[k] = (struct confirmation_session){
			.time = {make_time(r->now_us / r->built, r->half_width),
				 make_time(r->now_us * off, r->half_width)},
			.ratio = r->built,
			.interval = {true, r->built - r->built_half_width,
				     r->built + r->built_half_width}};
	}
	return c;
}

static void test_judge(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *row = &rows[i];
		const struct confirmation c = measured(row);
		const struct reproduction_claim claim = {make_time(100, 0.005), "a", 1.1, 0.005};
		const struct reproduction r = reproduction_judge(&claim, &c);

		tap_str(reproduction_name(r.verdict), reproduction_name(row->verdict), "%s",
			row->name);
		tap_str(reproduction_cause_name(r.cause), reproduction_cause_name(row->cause),
			"%s: cause", row->name);
		tap_ok(r.same_bytes == row->same, "%s: same bytes", row->name);
		tap_ok(fabs(r.ratio - row->now_us / 100) < 1e-9, "%s: ratio", row->name);
	}
}

/* An artifact of unknown digest counts as the recorded one where its key is that of the record. */
static void test_beside(void)
{
	struct confirmation c = measured(&rows[0]);
	struct reproduction_claim claim = {make_time(100, 0.005), "", 1.1, 0.005};

	tap_ok(reproduction_judge(&claim, &c).beside, "no digest was recorded");
	claim.digest = "a";
	tap_ok(reproduction_judge(&claim, &c).beside, "the digest is the stored one's");
	claim.digest = "other";
	tap_ok(!reproduction_judge(&claim, &c).beside, "something else is stored under that key");
	c.stored[CONFIRMATION_BEFORE] = false;
	claim.digest = "";
	tap_ok(!reproduction_judge(&claim, &c).beside, "the recorded artifact is gone");
}

/* Few samples have no interval: their range is widened (result/tie). */
static void test_few_samples(void)
{
	const struct confirmation c = measured(&rows[0]);
	const struct reproduction_claim claim = {
		{.n = 1, .median = 100000, .min = 100000, .max = 100000}, "", 1.1, 0.005};

	tap_int(reproduction_judge(&claim, &c).verdict, REPRODUCTION_UNDECIDED,
		"one sample tells too little");
}

int main(void)
{
	test_judge();
	test_beside();
	test_few_samples();
	return tap_done();
}
