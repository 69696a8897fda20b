/* The same seed and the same results told: the same questions, over the whole loop with its finals.
 * The evaluator gives results that are written down here; nothing is run. */
#include "tuner/loop/loop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/binding/workload_open.h"
#include "tuner/device/device.h"
#include "tuner/results/result.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/policy.h"
#include "tuner/run/session.h"
#include "tuner/run/trial.h"
#include "tuner/search/strategy.h"
#include "tuner/space/config.h"

enum { CONFIGS = 60, SAMPLES = 8 };

static struct asc_err e;

/* ---- an evaluator ---- */

struct evaluator {
	struct trial *list[EVALUATOR_MAX_FINALISTS];
	size_t n;
};

static struct buf *asked;    /* a line for each trial that is submitted */
static unsigned told_factor; /* of the written times: another one, other results */

static enum asc_status open_evaluator(const struct evaluator_target *t, struct evaluator **out,
				      struct asc_err *err)
{
	(void)t;
	*out = calloc(1, sizeof **out);
	return *out ? ASC_OK : asc_err_nomem(err);
}

static enum asc_status begin(struct evaluator *v, const struct evaluator_problem *p,
			     struct asc_err *err)
{
	(void)p, (void)err;
	v->n = 0;
	return ASC_OK;
}

static void end(struct evaluator *v)
{
	v->n = 0;
}

static void close_evaluator(struct evaluator *v)
{
	free(v);
}

static size_t capacity(const struct evaluator *v)
{
	(void)v;
	return 4;
}

static enum asc_status submit(struct evaluator *v, struct trial *const *list, size_t n,
			      struct asc_err *err)
{
	(void)err;
	for (size_t i = 0; i < n; i++) {
		struct trial *t = list[i];

		buf_print(asked, "%s seed %d: ", t->purpose == TRIAL_ROUNDS ? "rounds" : "search",
			  (int)t->seed);
		config_print(&t->config, t->names, asked);
		buf_add_char(asked, '\n');
		trial_fini(t);
		v->list[v->n++] = t;
	}
	return ASC_OK;
}

/* The written result of a configuration: every seventh is wrong, times repeat. */
static enum asc_status write_result(const struct config *c, struct result *r, struct asc_err *err)
{
	const int64_t i = 10 * c->values[0].i + c->values[1].i;

	result_init(r);
	r->phase = PHASE_MEASURE;
	if (i % 7 == 3) {
		result_set(r, RESULT_WRONG, PHASE_VERIFY, "written so");
		return ASC_OK;
	}
	r->samples = calloc(SAMPLES, sizeof *r->samples);
	if (!r->samples)
		return asc_err_nomem(err);
	r->n_samples = SAMPLES;
	for (int64_t k = 0; k < SAMPLES; k++)
		r->samples[k] = 100000 + i * told_factor % 17 * 1000 + k;
	return result_summarize(r, err);
}

static enum asc_status poll_one(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				struct asc_err *err)
{
	(void)timeout_ns;
	*out = v->n > 0 ? v->list[0] : NULL;
	if (!*out)
		return ASC_OK;
	memmove(v->list, v->list + 1, --v->n * sizeof(struct trial *));
	return write_result(&(*out)->config, &(*out)->result, err);
}

static bool cancel(struct evaluator *v, struct trial *t)
{
	(void)v, (void)t;
	return false;
}

static enum asc_status set_best(struct evaluator *v, const struct result *r, struct asc_err *err)
{
	(void)v, (void)r, (void)err;
	return ASC_OK;
}

static const struct evaluator_ops written = {.name = "written",
					     .summary = "results that a test has written",
					     .open = open_evaluator,
					     .begin = begin,
					     .end = end,
					     .close = close_evaluator,
					     .capacity = capacity,
					     .submit = submit,
					     .cancel = cancel,
					     .poll = poll_one,
					     .incumbent = set_best};

/* ---- runs ---- */

static struct workload *workload;

static bool open_workload(void)
{
	static const char text[] =
		"{\"asctune\": 1, \"name\": \"asked\", \"operator\": \"none\", \"problems\": ["
		"{\"name\": \"p\", \"dims\": {\"N\": 4}, \"dtypes\": {\"T\": \"f32\"}}],"
		"\"tensors\": {\"out\": {\"shape\": [\"N\"], \"dtype\": \"T\", \"role\": \"out\","
		"  \"verify\": {\"kind\": \"exact\"}}},"
		"\"reference\": {\"source\": \"asked.c\", \"entry\": \"f\", \"arguments\": "
		"[{\"tensor\": \"out\"}]},"
		"\"implementations\": [{\"name\": \"own\", \"devices\": [\"cpu\"], \"builder\": "
		"\"cc\","
		"  \"source\": \"asked.c\", \"entry\": \"f\", \"arguments\": [{\"tensor\": "
		"\"out\"}],"
		"  \"parameters\": {\"TENS\": [0, 1, 2, 3, 4, 5], \"ONES\": [0, 1, 2, 3, 4, 5, 6, "
		"7, 8, 9]}}]}";
	static const char source[] = "void f(float *out) { out[0] = 0; }\n";

	return tap_ok(file_write(rows_path("asked.json"), text, strlen(text), &e) == ASC_OK &&
			      file_write(rows_path("asked.c"), source, strlen(source), &e) ==
				      ASC_OK &&
			      workload_open(rows_path("asked.json"), &workload, &e) == ASC_OK,
		      "a workload");
}

struct asking {
	const char *strategy;
	uint64_t seed, trials;
	unsigned factor; /* of the results that are told */
};

/* Appends the questions of one run, with a database of its own, to `out`. */
static void ask(const struct asking *a, struct buf *out)
{
	static const struct device_info info = {.model = "none", .arch = "none"};
	static int runs;
	const struct evaluator_target target = {.device = device_find("cpu"),
						.info = &info,
						.cache = rows_folder,
						.program = "/proc/self/exe"};
	struct session session;
	const struct loop_options o = {.workload = workload,
				       .problem = workload_find_problem(workload, "p"),
				       .session = &session,
				       .strategy = strategy_find(a->strategy),
				       .budget = {.trials = a->trials},
				       .seed = a->seed,
				       .version = "0"};
	struct loop_summary summary;
	struct loop *l = NULL;
	struct db *db = NULL;
	char name[32];

	asked = out;
	told_factor = a->factor;
	snprintf(name, sizeof name, "asked-%d.db", ++runs);
	session_init(&session, &written, &target, &policy_default);
	loop_summary_init(&summary);
	if (!tap_ok(!db_open(rows_path(name), DB_WRITE, &db, &e) &&
			    !loop_open(&o, &summary, &l, &e) && !loop_go(l, db, &e),
		    "%s, seed %d: a run", a->strategy, (int)a->seed))
		tap_note("%s", e.text);
	tap_int(summary.trials, a->trials, "all trials of the budget are made");
	tap_ok(strstr(buf_str(out), "rounds seed"), "its finals are held");
	loop_close(l);
	loop_summary_fini(&summary);
	session_fini(&session);
	db_close(db);
}

static bool asks_same(const struct asking *a, const struct asking *b)
{
	struct buf first = {0}, second = {0};

	ask(a, &first);
	ask(b, &second);
	const bool same = strcmp(buf_str(&first), buf_str(&second)) == 0;

	buf_fini(&first);
	buf_fini(&second);
	return same;
}

int main(void)
{
	static const struct asking random = {"random", 1, 40, 7}, reseeded = {"random", 2, 40, 7},
				   retold = {"random", 1, 40, 5},
				   exhaustive = {"exhaustive", 1, CONFIGS, 7},
				   ordered = {"exhaustive", 2, CONFIGS, 7};

	rows_enter();
	atexit(rows_leave);
	if (open_workload()) {
		tap_ok(asks_same(&random, &random), "random: the same seed and results, the same "
						    "questions");
		tap_ok(!asks_same(&random, &reseeded), "random: another seed, other questions");
		tap_ok(!asks_same(&random, &retold), "random: other results, other finals");
		tap_ok(asks_same(&exhaustive, &exhaustive),
		       "exhaustive: the same seed and results, the same questions");
		tap_ok(!asks_same(&exhaustive, &ordered),
		       "exhaustive: another seed, another order of the finals' rounds");
	}
	workload_close(workload);
	return tap_done();
}
