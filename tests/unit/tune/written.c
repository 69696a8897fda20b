#include "tests/unit/tune/written.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"
#include "tuner/result/result.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/loop.h"
#include "tuner/tune/search/strategy.h"
#include "tuner/worker/policy.h"
#include "tuner/workload/binding/workload_open.h"
#include "tuner/workload/space/config.h"

enum { SAMPLES = 8 };

/* ---- an evaluator ---- */

struct evaluator {
	struct trial *list[FINALISTS_MAX];
	size_t n;
	uint64_t told;             /* results so far */
	uint64_t best, best_index; /* the trial with the fastest of them */
	double best_ns;
	unsigned n_late; /* failures that were told */
	struct trial late;
};

static struct buf *asked;    /* a line for each trial that is submitted */
static unsigned told_factor; /* of the written times: another one, other results */
static uint64_t told_late;
static bool whole; /* the evaluator was told that everything will be asked for */

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
	trial_fini(&v->late);
}

static void close_evaluator(struct evaluator *v)
{
	free(v);
}

static size_t capacity(const struct evaluator *v, bool all)
{
	(void)v;
	whole = all;
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

static enum asc_status tell_late(struct evaluator *v, struct trial **out)
{
	trial_fini(&v->late);
	v->late = (struct trial){.id = v->best, .index = v->best_index, .late = true};
	result_init(&v->late.result);
	result_set(&v->late.result, RESULT_CRASHED, PHASE_VERIFY, "written so");
	v->n_late++;
	*out = &v->late;
	return ASC_OK;
}

static enum asc_status poll_one(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				struct asc_err *err)
{
	(void)timeout_ns;
	if (told_late && v->told >= told_late && v->n_late < 2)
		return tell_late(v, out);
	*out = v->n > 0 ? v->list[0] : NULL;
	if (!*out)
		return ASC_OK;
	memmove(v->list, v->list + 1, --v->n * sizeof(struct trial *));
	const struct result *r = &(*out)->result;
	const enum asc_status s = write_result(&(*out)->config, &(*out)->result, err);

	v->told++;
	if (s == ASC_OK && r->status == RESULT_OK && (!v->best || r->time.median < v->best_ns)) {
		v->best = (*out)->id;
		v->best_index = (*out)->index;
		v->best_ns = r->time.median;
	}
	return s;
}

static bool cancel(struct evaluator *v, struct trial *t)
{
	(void)v, (void)t;
	return false;
}

static enum asc_status set_best(struct evaluator *v, const struct result *r, struct asc_err *err)
{
	(void)v, (void)err;
	buf_print(asked, "incumbent %g\n", r->time.median);
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

enum asc_status written_open(struct asc_err *e)
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

	if (file_write(rows_path("asked.json"), text, strlen(text), e) ||
	    file_write(rows_path("asked.c"), source, strlen(source), e))
		return e->status;
	return workload_open(rows_path("asked.json"), &workload, e);
}

void written_close(void)
{
	workload_close(workload);
	workload = NULL;
}

enum asc_status written_run(const struct written_search *a, const char *db_path, struct buf *out,
			    uint64_t *trials, struct asc_err *e)
{
	static const struct device_info info = {.model = "none", .arch = "none"};
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

	asked = out;
	told_factor = a->factor;
	told_late = a->late;
	session_init(&session, &written, &target, &policy_default);
	loop_summary_init(&summary);
	enum asc_status s = db_open(db_path, DB_WRITE, &db, e);

	if (s == ASC_OK)
		s = loop_open(&o, &summary, &l, e);
	if (s == ASC_OK)
		s = loop_go(l, db, e);
	if (s == ASC_OK)
		s = buf_check(out, e);
	*trials = (uint64_t)summary.trials;
	loop_close(l);
	loop_summary_fini(&summary);
	session_fini(&session);
	db_close(db);
	return s;
}

bool written_was_whole(void)
{
	return whole;
}
