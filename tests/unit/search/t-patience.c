/* When a search ends before its budget: what is expected of the rest, and results without a gain.
 * covers: patience.c */
#include "tuner/tune/search/patience.h"

#include <math.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/stats/rng.h"

static struct asc_err e;

static void test_parse(void)
{
	static const char *const bad[] = {"",    "%",    "0",    "0%",  "-1%", "100%",
					  "1 %", "nan%", "1e9%", "1.5", "5s",  "%1"};
	static const char *const good[] = {"1%", "0.5%", "50"};
	struct patience_wanted w;

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		tap_ok(!patience_parse(bad[i], &w), "\"%s\" is none", bad[i]);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct buf text = {0};

		tap_ok(patience_parse(good[i], &w), "\"%s\"", good[i]);
		patience_print(&w, &text);
		tap_str(buf_str(&text), good[i], "is printed as it was read");
		buf_fini(&text);
	}
	tap_ok(patience_parse("1%", &w) && w.part == 0.01 && w.trials == 0, "a part");
	tap_ok(patience_parse("50", &w) && w.part == 0 && w.trials == 50, "a number of trials");
}

static void add(struct patience *p, double score)
{
	if (patience_add(p, score, &e))
		tap_ok(false, "a result: %s", e.text);
}

static void test_trials(void)
{
	struct patience p = {.wanted = {.trials = 3}};

	for (int i = 0; i < 2; i++)
		add(&p, i % 2 ? INFINITY : 0);
	tap_ok(!patience_check(&p, 2, 0), "two failures");
	add(&p, 100);
	add(&p, 101);
	add(&p, 99.6);
	tap_ok(!patience_check(&p, 2, 0), "two without a gain");
	add(&p, 99);
	tap_ok(!patience_check(&p, 2, 0), "a gain of 1 %%");
	add(&p, INFINITY);
	add(&p, 98.6);
	tap_ok(!patience_check(&p, 2, 0), "two more without one, though one is lower by 0.4 %%");
	add(&p, 98.55);
	tap_ok(patience_check(&p, 2, 0), "three");
	add(&p, 1);
	tap_ok(patience_check(&p, 2, 0), "it stays over");
	patience_fini(&p);
}

/* Failures in a row decide where nothing passes, or hardly anything. */
static void test_failures(void)
{
	struct patience few = {.wanted = {.trials = 3}}, p = {.wanted = {.part = 0.01}};
	struct patience tenth = {.wanted = {.part = 0.1}};

	for (int i = 0; i < 3; i++)
		add(&few, INFINITY);
	tap_ok(patience_check(&few, 2, 0), "three failures gained nothing");
	patience_fini(&few);
	for (int i = 0; i < 99; i++)
		add(&p, i == 20 ? 100 : INFINITY);
	tap_ok(!patience_check(&p, 100, 0), "78 failures after a pass: more than 1 %% may pass");
	for (int i = 0; i < 22; i++)
		add(&p, INFINITY);
	tap_ok(patience_check(&p, 100, 0), "100 failures after a pass");
	tap_ok(isinf(p.expected), "what is expected is not known");
	patience_fini(&p);
	for (int i = 0; i < 49; i++)
		add(&tenth, INFINITY);
	tap_ok(!patience_check(&tenth, 100, 0), "49 failures are too few");
	add(&tenth, INFINITY);
	tap_ok(patience_check(&tenth, 100, 0), "50 say that less than 10 %% pass");
	patience_fini(&tenth);
}

/* Times of a random search whose logarithms are exponentially distributed: the best of N has a
 * logarithm of 1 / N above 0 in the mean, so that the rest of 10 times as many gains 0.9 / n. */
static void test_random(void)
{
	struct patience p = {.wanted = {.part = 0.01}};
	struct rng rng;
	int n = 0;

	rng_init(&rng, 1);
	for (; n < 5000 && !patience_check(&p, 2000.0 / (n + 1), 0); n++)
		add(&p, exp(-log(1 - rng_uniform(&rng))));
	tap_ok(n > 50 && n < 2000, "a random search ends after %d of 2000", n);
	tap_ok(p.best[p.n - 1] < 0.02, "it misses %.4f of a doubling", (double)p.best[p.n - 1]);
	tap_ok(p.expected > 0 && p.expected < 0.01, "%.4f is expected", p.expected);
	patience_fini(&p);
}

static void test_expect(void)
{
	struct patience p = {.wanted = {.part = 0.01}};

	tap_ok(isinf(patience_expect(&p, 4)), "nothing is known");
	for (int i = 0; i < 49; i++)
		add(&p, 100);
	tap_ok(isinf(patience_expect(&p, 4)), "49 results are too few");
	add(&p, 100);
	tap_real(patience_expect(&p, 4), 0, 1e-9, "one value everywhere: no gain");
	tap_ok(!patience_check(&p, 4, 0.1), "but where a strategy expects 7 %%");
	tap_ok(patience_check(&p, 4, 0.01), "it ends where a strategy expects 0.7 %%");
	tap_real(p.expected, 1 - exp2(-0.01), 1e-12, "which is the larger of the two");
	patience_fini(&p);
	/* Each of the last two doublings halved the time, from 400 to 100. */
	for (int i = 0; i < 64; i++)
		add(&p, i < 17 ? 400 : i < 33 ? 200 : 100);
	tap_real(patience_expect(&p, 2), 0.5, 1e-6, "twice as many gain as much again");
	tap_real(patience_expect(&p, 4), 0.75, 1e-6, "four times as many twice that");
	tap_real(patience_expect(&p, 1), 0, 1e-9, "without a rest nothing");
	tap_ok(!patience_check(&p, 2, 0), "it goes on");
	patience_fini(&p);
	for (int i = 0; i < 60; i++)
		add(&p, i < 20 ? INFINITY : 100);
	tap_ok(isinf(patience_expect(&p, 2)), "a quarter of the way nothing had passed");
	patience_fini(&p);
	for (int i = 0; i < 10000; i++)
		add(&p, 10000 - i);
	tap_ok(p.lowest[0] == 0 && p.n_lowest == 4096, "only the lowest are kept, here 1 to 4096");
	tap_real(exp2(p.lowest[4095]), 4096, 0.01, "the last of them");
	patience_fini(&p);
}

int main(void)
{
	test_parse();
	test_trials();
	test_failures();
	test_random();
	test_expect();
	return tap_done();
}
