/* Time of a strategy's next question in a large space: `search_questions STRATEGY` prints a JSON
 * object a line: at 1,000 and at 10,000 results, processor time in ms of telling a result and
 * asking for the next configuration, mean and 99.9th percentile of the thousand questions around.
 * tests/bench/search runs it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tuner/tune/search/strategy.h"
#include "tuner/workload/space/space.h"

enum { PARAMS = 6, VALUES = 10, AROUND = 500 }; /* 10^6 configurations */

static struct asc_err e;

static void die(void)
{
	fprintf(stderr, "search_questions: %s\n", e.text);
	exit(EXIT_FAILURE);
}

static struct space *make_space(void)
{
	static const char *const names[PARAMS] = {"A", "B", "C", "D", "E", "F"};
	static struct value values[VALUES];
	struct space_param params[PARAMS];
	struct space *s = NULL;

	for (int i = 0; i < VALUES; i++)
		values[i] = value_int(INT64_C(1) << i);
	for (int i = 0; i < PARAMS; i++)
		params[i] = (struct space_param){names[i], VALUES, values, values[0]};
	if (space_new(&(struct space_spec){.params = params, .n_params = PARAMS}, &s, &e))
		die();
	return s;
}

/* A time that depends on products of parameters, with a failure now and then. */
static double score_of(const struct space *s, uint64_t index)
{
	struct config c;
	double sum = 0;

	space_get(s, index, &c);
	for (int i = 0; i < PARAMS; i++) {
		const double a = log2((double)c.values[i].i);
		const double b = log2((double)c.values[(i + 1) % PARAMS].i);

		sum += (a + b - 9) * (a + b - 9) + 0.3 * (a - i) * (a - i);
	}
	return (c.values[0].i * c.values[1].i * c.values[2].i) % 7 == 5 ? INFINITY
									: 1e6 + 1e4 * sum;
}

static double cpu_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t ask(struct strategy *strategy)
{
	uint64_t index = 0;
	size_t n = 1;

	if (strategy_ask(strategy, &index, &n, &e))
		die();
	return index;
}

static void tell(struct strategy *strategy, uint64_t index, double score)
{
	struct result r;

	result_init(&r);
	r.status = isinf(score) ? RESULT_LAUNCH_FAILED : RESULT_OK;
	r.time.median = isinf(score) ? 0 : score;
	r.spent_ns[PHASE_MEASURE] = INT64_C(1000000000);
	if (strategy_tell(strategy, index, &r, score, &e))
		die();
	result_fini(&r);
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Shows the questions from `at` - AROUND on. */
static void show(double *ms, size_t at)
{
	const size_t n = 2 * AROUND;
	double *from = ms + at - AROUND, sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += from[i];
	qsort(from, n, sizeof *from, compare);
	printf("{\"results\": %zu, \"mean_ms\": %.4f, \"p999_ms\": %.4f}\n", at, sum / (double)n,
	       from[(size_t)ceil(0.999 * (double)n) - 1]);
}

int main(int argc, char **argv)
{
	enum { QUESTIONS = 10000 + AROUND };
	static double ms[QUESTIONS];
	const struct strategy_ops *ops = argc == 2 ? strategy_find(argv[1]) : NULL;
	struct strategy *strategy = NULL;

	if (!ops) {
		fprintf(stderr, "usage: search_questions STRATEGY\n");
		return EXIT_FAILURE;
	}
	struct space *s = make_space();
	const struct strategy_options o = {
		.space = s, .seed = 1, .ns = QUESTIONS * INT64_C(1000000000)};

	if (strategy_new(ops, &o, &strategy, &e))
		die();
	uint64_t index = ask(strategy);

	for (size_t i = 0; i < QUESTIONS; i++) {
		const double score = score_of(s, index), start_ms = cpu_now_ms();

		tell(strategy, index, score);
		index = ask(strategy);
		ms[i] = cpu_now_ms() - start_ms;
	}
	show(ms, 1000);
	show(ms, 10000);
	strategy_free(strategy);
	space_free(s);
	return 0;
}
