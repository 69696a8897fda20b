/* The program of tests/bench/devices: one problem on several devices, recorded results for the
 * devices, by a clock of their own.
 *
 *     devices_share RECORD DEVICES STRATEGY RUNS SEED [DATABASE]
 *
 * prints a line for each run: seconds of recorded time until a configuration within 2 % of the
 * optimum was found, seconds of the search, trials, processor seconds and kilobytes of memory.
 * STRATEGY auto has the budget of `asctune replay` to plan with and ends where that is found; with
 * others all configurations are tried. With DATABASE each result is recorded in a transaction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "db/db.h"
#include "reports/exchange/formats/recorded.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/replay/score.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/tune/search_trials.h"
#include "tuner/workload/space/space.h"

static const double WITHIN = 1.02, NS_PER_S = 1e9;

struct host {
	const struct recorded *record;
	struct score_space space;
	size_t n; /* devices */
	double now_ns;
	struct device_info info;
	struct session *sessions, **list;
	struct session_peers peers;
	char (*names)[32];
	struct db *db; /* NULL: nothing is recorded */
	int64_t run;
};

static const struct db_implementation implementation = {
	.name = "recorded", .index = 1, .key = "0123456789abcdef"};

static bool open_host(struct host *h)
{
	h->sessions = calloc(h->n, sizeof *h->sessions);
	h->list = calloc(h->n, sizeof(struct session *));
	h->names = calloc(h->n, sizeof *h->names);
	for (size_t i = 0; h->sessions && h->list && h->names && i < h->n; i++) {
		const struct evaluator_target t = {.info = &h->info,
						   .recorded = &h->record,
						   .ahead = 1,
						   .recorded_ns = &h->now_ns,
						   .own = &evaluator_replay};

		session_init(&h->sessions[i], i ? &evaluator_replay : &evaluator_several, &t,
			     &policy_default);
		(void)snprintf(h->names[i], sizeof h->names[i], "recorded:%zu", i);
		h->sessions[i].name = h->names[i];
		h->sessions[i].peers = &h->peers;
		h->sessions[i].idle = i > 0;
		h->list[i] = &h->sessions[i];
	}
	h->peers = (struct session_peers){h->list, h->n};
	return h->sessions && h->list && h->names;
}

static void close_host(struct host *h)
{
	for (size_t i = 0; i < h->n; i++)
		session_fini(&h->sessions[i]);
	free(h->sessions);
	free(h->list);
	free(h->names);
}

static double processor_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / NS_PER_S;
}

static enum asc_status record(const struct host *h, const struct trial *t, struct asc_err *e)
{
	struct buf key = {0}, json = {0};
	enum asc_status s;

	config_key(&t->config, t->names, &key);
	buf_print(&json, "{\"key\":\"%s\"}", buf_str(&key));
	const struct db_trial row = {.implementation = implementation,
				     .config_json = buf_str(&json),
				     .config_key = buf_str(&key),
				     .is_default = t->id == 1,
				     .result = &t->result};

	s = db_add_trial(h->db, h->run, &row, e);
	buf_fini(&key);
	buf_fini(&json);
	return s;
}

static enum asc_status begin_record(struct host *h, uint64_t seed, struct asc_err *e)
{
	const struct db_device device = {.kind = "recorded",
					 .model = "recorded",
					 .arch = "none",
					 .driver = "none",
					 .fingerprint = "devices",
					 .clock = "recorded"};
	const struct db_problem problem = {.workload = "devices",
					   .operator_name = "recorded",
					   .workload_hash = "h",
					   .problem = "recorded",
					   .problem_key = "recorded",
					   .dims_json = "{\"dims\":{},\"dtypes\":{}}",
					   .element = "f32"};
	const struct db_run run = {.version = "0",
				   .strategy = "random",
				   .policy_json = "{\"finals_ratio\":1.5}",
				   .budget = "all",
				   .cache_policy = "cold",
				   .seed = seed,
				   .implementations = &implementation,
				   .n_implementations = 1};

	return h->db ? db_begin_run(h->db, &device, &problem, &run, &h->run, e) : ASC_OK;
}

/* Searches; *found_ns is the time within 2 % of the optimum, 0: not found. */
static enum asc_status search(struct host *h, struct search_trials *s, bool until_found,
			      double *found_ns, uint64_t *n, struct asc_err *e)
{
	static struct trial *list[TRIALS_MAX_ALL];

	for (;;) {
		struct trial *t;
		size_t asked = 1;

		while (asked > 0)
			if (search_trials_ask(s, list, &asked, e) ||
			    s->ops->submit(s->evaluator, list, asked, e))
				return e->status;
		if (s->n == 0 || (until_found && *found_ns > 0))
			return ASC_OK;
		if (s->ops->poll(s->evaluator, INT64_MAX, &t, e))
			return e->status;
		if (!t) /* a device has joined */
			continue;
		++*n;
		if (*found_ns == 0 && t->result.status == RESULT_OK &&
		    t->result.time.median <= WITHIN * h->space.optimum_ns)
			*found_ns = h->now_ns;
		if ((h->db && record(h, t, e)) ||
		    search_trials_tell(s, t, policy_score(&policy_default, &t->result), e))
			return e->status;
		search_trials_release(s, t);
	}
}

static enum asc_status run_one(struct host *h, const char *strategy, uint64_t seed,
			       struct asc_err *e)
{
	const bool until_found = strcmp(strategy, "auto") == 0;
	const struct strategy_options so = {
		.space = h->record->space,
		.seed = seed,
		.ns = until_found ? llround(h->space.budget_s * NS_PER_S) : 0,
		.default_index = h->record->default_index};
	struct impl_search arm = {.space = h->record->space,
				  .ops = until_found ? strategy_auto(&so) : strategy_find(strategy),
				  .default_index = h->record->default_index,
				  .default_asked = !h->record->has_default};
	struct impl_searches searches = {.list = &arm, .n = 1};
	struct search_trials s = {.searches = &searches, .ops = &evaluator_several};
	struct rusage used;
	double found_ns = 0;
	uint64_t n = 0;

	h->now_ns = 0;
	const double begun_s = processor_s();
	enum asc_status status =
		open_host(h) ? strategy_new(arm.ops, &so, &arm.strategy, e) : asc_err_nomem(e);

	if (status == ASC_OK)
		status = begin_record(h, seed, e);
	if (status == ASC_OK)
		status = session_begin(&h->sessions[0],
				       &(struct evaluator_problem){.policy = policy_default}, e);
	s.evaluator = h->sessions[0].evaluator;
	if (status == ASC_OK)
		status = search_trials_init(&s, e);
	if (status == ASC_OK)
		status = search(h, &s, until_found, &found_ns, &n, e);
	if (status == ASC_OK && h->db)
		status = db_end_run(h->db, h->run, "done", e);
	session_end(&h->sessions[0]);
	search_trials_fini(&s);
	strategy_free(arm.strategy);
	close_host(h);
	(void)getrusage(RUSAGE_SELF, &used);
	if (status == ASC_OK)
		printf("%.6f %.6f %llu %.6f %ld\n", found_ns / NS_PER_S, h->now_ns / NS_PER_S,
		       (unsigned long long)n, processor_s() - begun_s, used.ru_maxrss);
	return status;
}

int main(int argc, char **argv)
{
	struct recorded *record = NULL;
	struct host h = {0};
	uint64_t devices, runs, seed;
	struct asc_err e;

	if (argc < 6 || !units_parse_count(argv[2], &devices) ||
	    !units_parse_count(argv[4], &runs) || !units_parse_count(argv[5], &seed) ||
	    (strcmp(argv[3], "auto") != 0 && !strategy_find(argv[3]))) {
		fprintf(stderr,
			"usage: devices_share RECORD DEVICES STRATEGY RUNS SEED [DATABASE]\n");
		return 2;
	}
	enum asc_status s = recorded_open(argv[1], &record, &e);

	h.record = record;
	h.n = devices;
	if (s == ASC_OK)
		s = score_space_init(&h.space, record, &e);
	if (s == ASC_OK && argc > 6)
		s = db_open(argv[6], DB_WRITE, &h.db, &e);
	for (uint64_t i = 0; s == ASC_OK && i < runs; i++)
		s = run_one(&h, argv[3], seed + i, &e);
	if (s)
		fprintf(stderr, "devices_share: %s\n", e.text);
	db_close(h.db);
	recorded_close(record);
	return s != ASC_OK;
}
