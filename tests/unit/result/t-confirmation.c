/* Words for intervals of ratios of times, and verdicts on them, worked out by hand.
 * covers: confirmation.c */
#include "tuner/result/confirmation.h"

#include <math.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"

/* Logarithms -0.01, 0 and 0.01 have the mean 0 and the deviation 0.01: the interval of three is
 * 0 +- 9.925 x 0.01 / sqrt(3) = 0.0573. */
static void test_scatter(void)
{
	struct confirmation c = {.n = 3, .rounds = {1.001, 0.999, 1.002}};

	c.sessions[0].ratio = exp(-0.01);
	c.sessions[1].ratio = 1;
	c.sessions[2].ratio = exp(0.01);
	struct confirmation_ratio r = confirmation_find_all(&c);

	tap_real(log(r.low), -0.057302, 1e-6, "processes that scatter");
	tap_real(log(r.high), 0.057302, 1e-6, "widen the interval");
	tap_real(r.ratio, 1.001, 0, "and no more than that");
	c.sessions[0].ratio = c.sessions[2].ratio = 1;
	r = confirmation_find_all(&c);
	tap_ok(r.low == 0.999 && r.high == 1.002, "those that agree do not");
	/* 0.02 and -0.02 beside two of 0: their deviation is 0.016330, of which half is 0.008165.
	 */
	c.sessions[0].ratio = exp(-0.02);
	c.sessions[2].ratio = 1;
	c.sessions[3].ratio = exp(0.02);
	c.n = 4;
	r = confirmation_find_all(&c);
	tap_real(log(r.high), 7.453 * 0.0081650, 1e-6, "a wider one for four");
	c.n = 1;
	r = confirmation_find_all(&c);
	tap_ok(r.low == 0 && isinf(r.high), "one says nothing of others");
}

static void test_verdicts(void)
{
	static const struct {
		double low, high; /* of the interval that decides */
		double ratios[3]; /* of the processes; 0: there is none */
		double same;
		bool failed;
		const char *verdict;
	} cases[] = {
		{1.02, 1.04, {1.02, 1.03, 1.04}, 1.05, false, "slower"},
		{1.006, 1.04, {1.006, 1.03, 1.04}, 1.05, false, "slower"},
		/* at the margin, and with a process that does not agree */
		{1.004, 1.06, {1.02, 1.03, 1.04}, 1.05, false, "undecided"},
		{1.02, 1.04, {1.004, 1.03, 1.04}, 1.05, false, "undecided"},
		{0.96, 0.98, {0.96, 0.97, 0.98}, 1.05, false, "faster"},
		{0.96, 0.98, {0.96, 0.97, 0.996}, 1.05, false, "undecided"},
		{0.94, 0.996, {0.96, 0.97, 0.98}, 1.05, false, "undecided"},
		{0.999, 1.003, {1, 1.001, 1.002}, 1.05, false, "same"},
		{0.999, 1.06, {1, 1.001, 1.002}, 1.05, false, "undecided"},
		{0.999, 1.06, {1, 1.001, 1.002}, INFINITY, false, "same"},
		{0.8, 1.3, {1, 1.001, 1.002}, INFINITY, false, "undecided"},
		{0, 0, {0}, 1.05, false, "undecided"},
		{0, 0, {0}, 1.05, true, "broken"},
		{1.02, 1.04, {1.02, 1.03, 1.04}, 1.05, true, "broken"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct confirmation_ratio r = {1, cases[i].low, cases[i].high};
		struct confirmation c = {.failed = cases[i].failed};

		while (c.n < 3 && cases[i].ratios[c.n] > 0) {
			c.sessions[c.n].ratio = cases[i].ratios[c.n];
			c.n++;
		}
		tap_str(confirmation_verdict_name(confirmation_judge(&c, &r, 0.005, cases[i].same)),
			cases[i].verdict, "%g .. %g, %zu processes", r.low, r.high, c.n);
	}
	/* A ratio beyond the margin, with an interval that reaches it. */
	const struct confirmation c = {.n = 1, .sessions = {{.ratio = 1}}};
	const struct confirmation_ratio slower = {1.007, 0.999, 1.02},
					faster = {0.993, 0.98, 1.001};

	tap_int(confirmation_judge(&c, &slower, 0.005, 1.05), CONFIRMATION_UNDECIDED,
		"slower, perhaps");
	tap_int(confirmation_judge(&c, &faster, 0.005, 1.05), CONFIRMATION_SAME, "faster, perhaps");
	tap_int(confirmation_judge(&c, &slower, 0.005, INFINITY), CONFIRMATION_SAME, "or a tie");
}

/* With the mean m and the deviation s of the logarithms of three, the interval of nine is m
 * +- 3.833 x 2/3 s / 3, and m has an error of s / sqrt(3). */
static void test_more(void)
{
	struct confirmation c = {.n = 1, .rounds = {1.01, 0.99, 1.03}};
	const double same = CONFIRMATION_SAME_BELOW;

	c.sessions[0].ratio = 1.01;
	tap_ok(confirmation_may_decide(&c, 0.005, same), "after one, more may decide");
	/* 0.01, 0.02, 0.03: nine would have 0.02 +- 0.0085. */
	c.n = 3;
	for (int k = 0; k < 3; k++)
		c.sessions[k].ratio = exp(0.01 * (k + 1));
	c.rounds.ratio = exp(0.02);
	tap_ok(confirmation_may_decide(&c, 0.005, same), "more may say slower");
	c.sessions[0].ratio = 1.004;
	c.rounds.ratio = exp(0.018);
	tap_ok(!confirmation_may_decide(&c, 0.005, same), "but not against one that is not");
	/* 0, 0.01, 0.02: the ratio has an error of 0.0058. */
	for (int k = 0; k < 3; k++)
		c.sessions[k].ratio = exp(0.01 * k);
	c.rounds.ratio = exp(0.01);
	tap_ok(confirmation_may_decide(&c, 0.005, same), "more may say same");
	/* -0.06, 0, 0.06: nine would have 0 +- 0.0511. */
	for (int k = 0; k < 3; k++)
		c.sessions[k].ratio = exp(0.06 * (k - 1));
	c.rounds.ratio = 1;
	tap_ok(!confirmation_may_decide(&c, 0.005, same), "nothing where they scatter too far");
	tap_ok(confirmation_may_decide(&c, 0.005, 1.06), "unless more counts as the same");
}

int main(void)
{
	static const struct {
		double low, high;
		const char *words;
	} cases[] = {
		{1 / 7.75, 1 / 0.89, "1.1x slower and 7.8x faster"},
		{0.97, 1.04, "4.0 % slower and 3.1 % faster"},
		{0.95, 2, "2.0x slower and 5.3 % faster"},
		{1.02, 1.5, "1.5x slower and 2.0 % slower"},
		{0.5, 0.999, "0.1 % faster and 2.0x faster"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct confirmation_ratio r = {1, cases[i].low, cases[i].high};
		struct buf out = {0};

		confirmation_print_range(&r, &out);
		tap_str(buf_str(&out), cases[i].words, "%g .. %g", r.low, r.high);
		buf_fini(&out);
	}
	test_scatter();
	test_verdicts();
	test_more();
	return tap_done();
}
