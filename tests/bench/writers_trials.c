/* Processes that record trials into one database at the same time.
 *
 *     writers_trials DATABASE PROCESSES TRIALS [BATCH [SEED [PROBLEMS]]]
 *
 * records TRIALS trials of 200 runs, 10 of each of 20 PROBLEMS, dealt out to the processes: six
 * samples, a build span, four parameters, a transaction each, or BATCH in one. A run ends with
 * finals of six. Prints trials a second, failures, seconds of the longest wait of one trial (or
 * batch), and the bytes that the log beside the file had at most; exit status 1 with failures. SEED
 * numbers the configurations, for files that have none in common. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"
#include "reports/results/best.h"
#include "tuner/base/stats/rng.h"
#include "tuner/base/units.h"

enum { RUNS = 200, SAMPLES = 6, FINALISTS = 6, FAILURE_OF = 16, KEY_BYTES = 64 };

static const struct db_device device = {.kind = "cuda",
					.model = "NVIDIA H200",
					.arch = "sm_90",
					.driver = "570.1",
					.fingerprint = "writers",
					.clock = "cupti"};
static const struct db_implementation implementation = {
	.name = "tiled", .index = 1, .key = "0123456789abcdef"};

struct writer { /* what a process says at its end */
	int64_t failures, longest_ns, log_bytes;
};

struct options {
	const char *path;
	uint64_t processes, trials, batch, seed, problems;
};

/* The configuration `i` of a run, as key and as JSON. */
static void print_config(uint64_t i, char *key, char *json)
{
	const unsigned m = 16u << (i % 5), n = 16u << (i / 5 % 5), stages = 1 + i / 25 % 8;
	const unsigned long k = 8 * (1 + i / 200);

	(void)snprintf(key, KEY_BYTES, "K=%lu,M=%u,N=%u,S=%u", k, m, n, stages);
	(void)snprintf(json, KEY_BYTES + 32, "{\"M\":%u,\"N\":%u,\"K\":%lu,\"S\":%u}", m, n, k,
		       stages);
}

static enum asc_status make_result(struct rng *r, uint64_t i, int64_t *samples, struct result *out,
				   struct asc_err *e)
{
	const int64_t ns = 20000 + (int64_t)(i % 977) * 40;

	result_init(out);
	out->status = i % FAILURE_OF == FAILURE_OF - 1 ? RESULT_BUILD_FAILED : RESULT_OK;
	out->phase = out->status == RESULT_OK ? PHASE_MEASURE : PHASE_BUILD;
	out->spent_ns[PHASE_BUILD] = 90000000 + (int64_t)rng_below(r, 1000000);
	out->builds.n = 1;
	out->builds.list[0].begin_ns = (int64_t)i * 1000000;
	out->builds.list[0].end_ns = out->builds.list[0].begin_ns + 90000000;
	if (out->status != RESULT_OK)
		return ASC_OK;
	for (size_t k = 0; k < SAMPLES; k++)
		samples[k] = ns + (int64_t)rng_below(r, 400);
	out->samples = samples;
	out->n_samples = SAMPLES;
	out->launches_per_sample = 1;
	out->spent_ns[PHASE_MEASURE] = 6 * ns;
	out->order = (int64_t)i * SAMPLES;
	return result_summarize(out, e);
}

static void fail(const char *what, const struct asc_err *e)
{
	fprintf(stderr, "%s: %s\n", what, e->text);
}

/* Records the fastest configurations as finalists, as a run does at its end. */
static enum asc_status end_run(struct db *d, int64_t run, uint64_t first, struct asc_err *e)
{
	for (uint64_t i = 0; i < FINALISTS; i++) {
		char key[KEY_BYTES], json[KEY_BYTES + 32];
		const double ratio = 1 + 0.02 * (double)i;
		struct db_final f = {.implementation = implementation,
				     .config_key = key,
				     .winner = i == 0,
				     .standing = i == 0 ? STANDING_TIED : STANDING_SLOWER,
				     .ratio = ratio,
				     .interval = {true, ratio - 0.005, ratio + 0.005},
				     .time = {.n = 9,
					      .min = 19990 * ratio,
					      .q1 = 19995 * ratio,
					      .median = 20000 * ratio,
					      .q3 = 20005 * ratio,
					      .max = 20010 * ratio}};

		print_config(first + i, key, json);
		if (db_add_final(d, run, &f, e))
			return e->status;
	}
	const struct sureness sure = {.sure = SURE_CLEAR, .noise_pct = 1};

	return db_set_sure(d, run, &sure, DB_WEIGHS_SURE, e) ? e->status
							     : db_end_run(d, run, "done", e);
}

/* Records trials `from` to before `to` of a run, in one transaction if they are more than one. */
static enum asc_status add_trials(struct db *d, int64_t run, const struct options *o, struct rng *r,
				  uint64_t from, uint64_t to, struct asc_err *e)
{
	const uint64_t first = o->seed * (o->trials / RUNS);
	enum asc_status status = to > from + 1 ? db_begin_batch(d, e) : ASC_OK;

	if (status != ASC_OK)
		return status;
	for (uint64_t i = from; i < to && status == ASC_OK; i++) {
		int64_t samples[SAMPLES];
		char key[KEY_BYTES], json[KEY_BYTES + 32];
		struct result result;

		status = make_result(r, i, samples, &result, e);
		print_config(first + i, key, json);
		const struct db_trial t = {.implementation = implementation,
					   .config_json = json,
					   .config_key = key,
					   .is_default = i == 0,
					   .result = &result};

		if (status == ASC_OK)
			status = db_add_trial(d, run, &t, e);
	}
	return to > from + 1 ? db_end_batch(d, status, e) : status;
}

/* Records one run. */
static enum asc_status record_run(struct db *d, const struct options *o, uint64_t number,
				  struct writer *w, struct asc_err *e)
{
	const uint64_t n = o->trials / RUNS, step = o->batch > 0 ? o->batch : 1;
	char name[32], workload_key[32];
	const struct db_problem problem = {.workload = "writers",
					   .operator_name = "matmul",
					   .workload_hash = "h",
					   .problem = name,
					   .problem_key = workload_key,
					   .dims_json = "{\"dims\":{\"m\":1024},\"dtypes\":{}}",
					   .element = "f16",
					   .flops = 1e9,
					   .bytes = 1e7};
	const struct db_run run = {.version = "0",
				   .strategy = "random",
				   .policy_json = "{\"finals_ratio\":1.5}",
				   .budget = "all",
				   .cache_policy = "cold",
				   .seed = number,
				   .implementations = &implementation,
				   .n_implementations = 1};
	int64_t id = 0;
	struct rng r;

	rng_init(&r, number + 1);
	(void)snprintf(name, sizeof name, "p%02u", (unsigned)(number % o->problems));
	(void)snprintf(workload_key, sizeof workload_key, "k%02u",
		       (unsigned)(number % o->problems));
	enum asc_status status = db_begin_run(d, &device, &problem, &run, &id, e);

	for (uint64_t i = 0; i < n && status == ASC_OK; i += step) {
		const int64_t begun = clock_now_ns();

		status = add_trials(d, id, o, &r, i, i + step < n ? i + step : n, e);
		const int64_t waited = clock_now_ns() - begun;

		w->longest_ns = waited > w->longest_ns ? waited : w->longest_ns;
	}
	return status ? status : end_run(d, id, o->seed * n, e);
}

/* A process: the runs whose numbers leave `place` over. */
static struct writer write_runs(const struct options *o, uint64_t place)
{
	struct writer w = {0};
	struct asc_err e;
	struct db *d;

	if (db_open(o->path, DB_WRITE, &d, &e)) {
		fail("open", &e);
		return (struct writer){.failures = 1};
	}
	for (uint64_t k = place; k < RUNS; k += o->processes)
		if (record_run(d, o, k, &w, &e)) {
			fail("run", &e);
			w.failures++;
		}
	/* A log that begins anew keeps its room until the last process closes the file. */
	char log[PATH_MAX];
	struct stat info;

	(void)snprintf(log, sizeof log, "%s-wal", o->path);
	w.log_bytes = stat(log, &info) == 0 ? info.st_size : 0;
	db_close(d);
	return w;
}

static bool parse(int argc, char **argv, struct options *o)
{
	*o = (struct options){.path = argc > 1 ? argv[1] : NULL, .problems = 20};
	return argc >= 4 && argc <= 7 && units_parse_count(argv[2], &o->processes) &&
	       units_parse_count(argv[3], &o->trials) && o->trials >= RUNS &&
	       (argc < 5 || strcmp(argv[4], "0") == 0 || units_parse_count(argv[4], &o->batch)) &&
	       (argc < 6 || strcmp(argv[5], "0") == 0 || units_parse_count(argv[5], &o->seed)) &&
	       (argc < 7 || units_parse_count(argv[6], &o->problems));
}

int main(int argc, char **argv)
{
	struct writer all = {0}, one;
	struct options o;
	struct asc_err e;
	int ends[2];

	if (!parse(argc, argv, &o) || pipe(ends)) {
		fprintf(stderr, "usage: writers_trials DATABASE PROCESSES TRIALS [BATCH [SEED "
				"[PROBLEMS]]]\n");
		return 2;
	}
	const int64_t begun = clock_now_ns();

	for (uint64_t p = 0; p < o.processes; p++)
		if (fork() == 0) {
			one = write_runs(&o, p);
			_exit(write(ends[1], &one, sizeof one) != sizeof one);
		}
	for (uint64_t p = 0; p < o.processes; p++) {
		if (read(ends[0], &one, sizeof one) != sizeof one)
			one = (struct writer){.failures = 1};
		all.failures += one.failures;
		all.longest_ns = one.longest_ns > all.longest_ns ? one.longest_ns : all.longest_ns;
		all.log_bytes = one.log_bytes > all.log_bytes ? one.log_bytes : all.log_bytes;
	}
	while (wait(NULL) > 0)
		;
	const double s = (double)(clock_now_ns() - begun) * 1e-9;
	const uint64_t recorded = o.trials / RUNS * RUNS;
	struct db *d;

	printf("%.0f %lld %.3f %lld\n", (double)recorded / s, (long long)all.failures,
	       (double)all.longest_ns * 1e-9, (long long)all.log_bytes);
	/* The answers, as the last of the runs would leave them. */
	if (db_open(o.path, DB_WRITE, &d, &e) || best_keep(d, ASC_OK, &e))
		fail("answers", &e);
	else
		db_close(d);
	return all.failures > 0;
}
