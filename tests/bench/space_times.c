/* How long search spaces take: `space_times FILE...`, files in the T1 format, or `synthetic`, a
 * space of some 10^12 configurations. Prints a JSON object a line for each: milliseconds of CPU
 * time: of the first build in the process with all values listed (cold), then the least of some
 * repeats; the peak of the process's memory, listing included. What is iterated is also compared
 * with loops written by hand where there are any, and what is built with the same space with its
 * parameters shuffled. tests/bench/space runs it beside other tuners. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/space_loops.h"
#include "tuner/base/json/json.h"
#include "tuner/base/stats/rng.h"
#include "tuner/workload/space/space.h"
#include "tuner/workload/space/space_core.h"
#include "tuner/workload/space/t1.h"

enum { REPEATS = 7, SHUFFLES = 10, SAMPLES = 1000 };

struct times { /* ms; NAN: not measured */
	double cold_build, cold_list, build, sample, iterate, list, loops, shuffled;
};

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const struct asc_err *e)
{
	fprintf(stderr, "space_times: %s\n", e->text);
	exit(EXIT_FAILURE);
}

/* Kept, so that no compiler leaves the work out. */
static volatile uint64_t seen;

/* ---- what is timed ---- */

static void sample(const struct space *s)
{
	struct config c;
	struct rng r;
	uint64_t sum = 0;

	rng_init(&r, 1);
	for (int i = 0; i < SAMPLES; i++) {
		space_get(s, space_sample(s, &r), &c);
		sum += (uint64_t)c.values[c.n - 1].i;
	}
	seen = sum;
}

static void iterate(const struct space *s)
{
	struct space_cursor *c;
	struct asc_err e;
	size_t changed, last = space_params(s) - 1;
	uint64_t sum = 0;

	if (space_cursor_new(s, &c, &e))
		die(&e);
	for (const uint16_t *picks; (picks = space_cursor_next(c, &changed));)
		sum += picks[last] + 1U;
	space_cursor_free(c);
	seen = sum;
}

/* Every configuration in memory as its values, 4 bytes each. */
static void list_values(const struct space *s)
{
	const size_t n = space_params(s);
	int32_t *all = malloc((space_count(s) + 1) * n * sizeof *all), *to = all;
	int32_t row[CONFIG_MAX_PARAMETERS];
	struct space_cursor *c = NULL;
	struct asc_err e;
	size_t i;

	if (!all ? asc_err_nomem(&e) : space_cursor_new(s, &c, &e))
		die(&e);
	for (const uint16_t *picks; (picks = space_cursor_next(c, &i)); to += n) {
		for (; i < n; i++)
			row[i] = (int32_t)space_param(s, i)->values[picks[i]].i;
		memcpy(to, row, n * sizeof *row);
	}
	space_cursor_free(c);
	seen = to > all ? (uint64_t)to[-1] : 0;
	free(all);
}

/* Every configuration in memory: 8 bytes, its number among all combinations, first parameter
 * slowest.
 */
static void list(const struct space *s)
{
	const size_t n = space_params(s);
	uint64_t *all = malloc((space_count(s) + 1) * sizeof *all), *to = all;
	uint64_t sizes[CONFIG_MAX_PARAMETERS],
		ranks[CONFIG_MAX_PARAMETERS + 1] = {0}; /* of the parameters before each */
	struct space_cursor *c = NULL;
	struct asc_err e;
	size_t i;

	if (!all ? asc_err_nomem(&e) : space_cursor_new(s, &c, &e))
		die(&e);
	for (i = 0; i < n; i++)
		sizes[i] = space_param(s, i)->n;
	for (const uint16_t *picks; (picks = space_cursor_next(c, &i));) {
		for (; i < n; i++)
			ranks[i + 1] = ranks[i] * sizes[i] + picks[i];
		*to++ = ranks[n];
	}
	space_cursor_free(c);
	seen = to > all ? to[-1] : 0;
	free(all);
}

static double least(double a, double b)
{
	return fmin(a, b); /* a number, if one of them is */
}

static uint64_t time_loops(const char *file, double *ms)
{
	const size_t len = strlen(file);
	uint64_t n = 0, sum = 0;

	for (const struct space_loops *l = space_loops; l->file; l++) {
		const size_t end = strlen(l->file);
		if (len < end || strcmp(file + len - end, l->file) != 0)
			continue;
		const double start = now_ms();
		n = l->run(&sum);
		*ms = least(*ms, now_ms() - start);
		seen = sum;
	}
	return n;
}

/* ---- the same space, described anew ---- */

struct description {
	struct space_param params[CONFIG_MAX_PARAMETERS];
	struct space_condition *conditions;
	struct space_spec spec;
};

static void description_init(struct description *d, const struct space *s)
{
	d->conditions = calloc(s->n_rules + 1, sizeof *d->conditions);
	if (!d->conditions)
		exit(EXIT_FAILURE);
	for (size_t i = 0; i < s->n_rules; i++)
		d->conditions[i] =
			(struct space_condition){expr_text(s->rules[i].expr), s->rules[i].origin};
	memcpy(d->params, s->params, s->n * sizeof *d->params);
	d->spec = (struct space_spec){d->params, s->n, d->conditions, s->n_rules, {0}};
}

static double time_build(const struct space_spec *spec)
{
	double best = NAN;

	for (int i = 0; i < REPEATS; i++) {
		struct space *s = NULL;
		struct asc_err e;
		const double start = now_ms();
		if (space_new(spec, &s, &e))
			die(&e);
		best = least(best, now_ms() - start);
		space_free(s);
	}
	return best;
}

/* The slowest of some orders, as a multiple of the file's. */
static double time_shuffled(const struct space *s)
{
	struct description d;
	struct rng r;
	double worst = 0;

	description_init(&d, s);
	rng_init(&r, 1);
	const double in_order = time_build(&d.spec);
	for (int k = 0; k < SHUFFLES; k++) {
		for (size_t i = s->n; i > 1; i--) {
			const size_t other = (size_t)rng_below(&r, i);
			const struct space_param last = d.params[i - 1];
			d.params[i - 1] = d.params[other];
			d.params[other] = last;
		}
		worst = fmax(worst, time_build(&d.spec) / in_order);
	}
	free(d.conditions);
	return worst;
}

/* ---- a space of a file, and one that no file could list ---- */

/* What a process does first, as peers do in theirs. */
static void time_cold(const struct json_doc *doc, struct times *t)
{
	struct space *s = NULL;
	struct asc_err e;
	double start = now_ms();

	if (t1_space(doc, &s, &e))
		die(&e);
	seen = space_count(s);
	t->cold_build = now_ms() - start;
	start = now_ms();
	list_values(s);
	t->cold_list = now_ms() - start;
	space_free(s);
}

static struct space *time_once(const struct space_spec *spec, const struct json_doc *doc,
			       struct times *t)
{
	struct space *s = NULL;
	struct asc_err e;
	double start = now_ms();

	if (doc ? t1_space(doc, &s, &e) : space_new(spec, &s, &e))
		die(&e);
	seen = space_count(s);
	t->build = least(t->build, now_ms() - start);
	start = now_ms();
	sample(s);
	t->sample = least(t->sample, now_ms() - start);
	if (!doc)
		return s;
	start = now_ms();
	iterate(s);
	t->iterate = least(t->iterate, now_ms() - start);
	start = now_ms();
	list(s);
	t->list = least(t->list, now_ms() - start);
	return s;
}

/* Four groups of parameters, each under a condition of its own, and one condition across them. */
static void describe_synthetic(struct description *d)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f",
					    "g", "h", "i", "j", "k", "l"};
	static const struct space_condition conditions[] = {{"a * b * c <= 400", "1"},
							    {"(d + e) % f < 7", "2"},
							    {"g * h <= 60 or i > 3", "3"},
							    {"j + k + l >= 6", "4"},
							    {"a + d + g + j <= 40", "5"}};
	static struct value values[12];

	for (int i = 0; i < 12; i++)
		values[i] = value_int(i + 1);
	for (int i = 0; i < 12; i++)
		d->params[i] = (struct space_param){names[i], 12, values, values[0]};
	d->spec = (struct space_spec){d->params, 12, conditions, 5, {0}};
}

static void print_number(const char *key, double value)
{
	if (isnan(value))
		printf(",\"%s\":null", key);
	else
		printf(",\"%s\":%.4f", key, value);
}

static void print_times(const char *file, const struct space *s, const struct times *t)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("{\"file\":\"%s\",\"count\":%llu", file, (unsigned long long)space_count(s));
	print_number("cold_build_ms", t->cold_build);
	print_number("cold_list_ms", t->cold_list);
	print_number("build_ms", t->build);
	print_number("sample_ms", t->sample);
	print_number("iterate_ms", t->iterate);
	print_number("list_ms", t->list);
	printf(",\"nodes\":%zu,\"edges\":%zu,\"peak_kib\":%ld", s->diagram.n_nodes,
	       s->diagram.n_edges, usage.ru_maxrss);
	print_number("loops_ms", t->loops);
	print_number("iterate_to_loops", t->iterate / t->loops);
	print_number("shuffled_to_file", t->shuffled);
	puts("}");
}

static void time_file(const char *file)
{
	const bool synthetic = strcmp(file, "synthetic") == 0;
	struct times t = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	struct description d;
	struct json_doc *doc = NULL;
	struct space *s = NULL;
	struct asc_err e;

	describe_synthetic(&d);
	if (!synthetic && json_open_file(file, &doc, &e))
		die(&e);
	if (doc)
		time_cold(doc, &t);
	for (int i = 0; i < REPEATS; i++) {
		space_free(s);
		s = time_once(&d.spec, doc, &t);
		const uint64_t n = time_loops(file, &t.loops);
		if (n && n != space_count(s)) {
			fprintf(stderr, "space_times: %s: the loops find %llu\n", file,
				(unsigned long long)n);
			exit(EXIT_FAILURE);
		}
	}
	t.shuffled = time_shuffled(s);
	print_times(file, s, &t);
	space_free(s);
	json_close(doc);
}

/* Each file in a process of its own, for the sake of its peak of memory. */
int main(int argc, char **argv)
{
	int failed = argc < 2;

	for (int i = 1; i < argc; i++) {
		int status = 0;
		fflush(stdout);
		const pid_t child = fork();
		if (child == 0) {
			time_file(argv[i]);
			return EXIT_SUCCESS;
		}
		failed |= child < 0 || waitpid(child, &status, 0) < 0 || status != 0;
	}
	if (argc < 2)
		fputs("usage: space_times FILE|synthetic...\n", stderr);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
