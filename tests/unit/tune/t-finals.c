/* Who takes part in the finals and what they decide, with an evaluator whose results are written
 * down here; the database must name the same best. Nothing is run.
 * covers: finalists.c finals.c answer.c */
#include "tuner/tune/finalists.h"
#include "tuner/tune/finals.h"
#include "tuner/workload/binding/workload_open.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/results/best.h"
#include "tests/tap.h"
#include "tests/unit/db/rows.h"
#include "tuner/base/buf.h"
#include "tuner/base/log.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/tune/answer.h"
#include "tuner/tune/evaluate/session.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/loop_options.h"
#include "tuner/tune/loop_summary.h"
#include "tuner/tune/recorder.h"
#include "tuner/workload/limits/limits.h"
#include "tuner/workload/space/space.h"

enum { MOST = 8 };

static struct asc_err e;
/* Options of the compiler, as the workload has them by default. */
#define OPTIONS                                                                                    \
	",multibuffer=false,enable_auto_bind_sub_block=true,unit_flag=false,"                      \
	"set_workspace_multibuffer=2,tile_mix_vector_loop=2,"                                      \
	"limit_auto_multi_buffer_only_for_local_buffer=false"

static const char *const configs[] = {"BLOCK_M=64,BLOCK_N=64,BLOCK_SIZE_SUB=64,HEAD=32" OPTIONS,
				      "BLOCK_M=32,BLOCK_N=32,BLOCK_SIZE_SUB=32,HEAD=32" OPTIONS,
				      "BLOCK_M=64,BLOCK_N=128,BLOCK_SIZE_SUB=64,HEAD=32" OPTIONS,
				      "BLOCK_M=32,BLOCK_N=64,BLOCK_SIZE_SUB=16,HEAD=32" OPTIONS};

/* ---- an evaluator ---- */

struct evaluator {
	int64_t ns[MOST]; /* of the k-th that is submitted; 0: it fails */
	bool breaks;      /* who fails ends the rounds: those behind are to be measured again ... */
	int64_t then[MOST];         /* ... and take that */
	volatile sig_atomic_t stop; /* set by the first that fails */
	size_t rounds;
	struct trial *trials[MOST];
	size_t n, given;
	bool full[MOST];
};

static enum asc_status submit(struct evaluator *v, struct trial *const *list, size_t n,
			      struct asc_err *err)
{
	(void)err;
	v->n = n;
	v->given = 0;
	memcpy(v->trials, list, (n < MOST ? n : MOST) * sizeof *list);
	for (size_t i = 0; i < n && i < MOST; i++)
		v->full[i] = list[i]->full;
	return ASC_OK;
}

static enum asc_status poll_one(struct evaluator *v, int64_t timeout_ns, struct trial **out,
				struct asc_err *err)
{
	const size_t at = v->given++;
	int64_t ns = v->ns[at];
	bool again = v->breaks && ns && v->n > 1 && v->ns[0] == 0;
	struct result *r = &v->trials[at]->result;

	(void)timeout_ns;
	*out = v->trials[at];
	if (v->breaks && v->given == v->n) {
		v->breaks = false;
		memcpy(v->ns, v->then, sizeof v->ns);
	}
	if (again)
		ns = 0;
	result_fini(r);
	r->status = ns || again ? RESULT_OK : RESULT_CRASHED;
	v->stop |= r->status == RESULT_CRASHED;
	r->samples = ns ? calloc(v->rounds, sizeof *r->samples) : NULL;
	r->n_samples = r->samples ? v->rounds : 0;
	for (size_t i = 0; i < r->n_samples; i++)
		r->samples[i] = ns;
	return result_summarize(r, err);
}

static void end(struct evaluator *v)
{
	(void)v;
}

static const struct evaluator_ops ops = {.submit = submit, .poll = poll_one, .end = end};

/* ---- one run ---- */

struct run {
	struct loop_options o;
	struct session session;
	struct binding binding;
	struct impl_search search;
	struct impl_searches searches;
	struct recorder recorder;
	struct candidates candidates;
	struct loop_summary out;
	struct evaluator evaluator;
	bool resumed; /* the search takes results from the database */
	int told;     /* results that the finals have told */
	enum result_status last;
	bool last_resumed;
};

static bool run_begin(struct run *r, const struct workload *w, struct db *d)
{
	static const struct device_info info = {.model = "Ascend910B3"};
	static struct limits l;

	memset(r, 0, sizeof *r);
	r->o = (struct loop_options){.workload = w,
				     .problem = workload_find_problem(w, "swin-b-windows"),
				     .session = &r->session,
				     .version = "0.1.0"};
	r->session = (struct session){.target = {.device = device_find("npu"), .info = &info},
				      .policy = policy_default,
				      .ops = &ops,
				      .evaluator = &r->evaluator};
	r->search = (struct impl_search){
		.implementation = workload_find_implementation(w, "triton"), .key = "k"};
	r->search.default_index = 0;
	r->searches = (struct impl_searches){.list = &r->search, .n = 1};
	loop_summary_init(&r->out);
	limits_find("Ascend910B3", &l);
	if (!tap_int(binding_init(&r->binding, w, r->o.problem, "npu", &l.facts, &e), ASC_OK,
		     "a problem"))
		return false;
	r->binding.limits = &l;
	return tap_int(binding_space(&r->binding, r->search.implementation, &r->search.space, &e),
		       ASC_OK, "a space") &&
	       tap_int(recorder_begin(&r->recorder, &r->o, d, &r->binding, &r->searches, "random",
				      &e),
		       ASC_OK, "a run");
}

static void run_end(struct run *r)
{
	loop_summary_fini(&r->out);
	space_free(r->search.space);
	binding_fini(&r->binding);
}

static void count(struct run *r, const struct trial *t)
{
	const double score = policy_score(&r->o.session->policy, &t->result);

	loop_summary_add(&r->out, &r->search, t->index, &t->config, &t->result, score);
	candidates_add(&r->candidates, &r->searches, t, score, r->resumed);
}

/* The search measures configuration k, or takes it from the database. */
static void measure_as(struct run *r, size_t k, int64_t ns, enum result_status status)
{
	struct trial t = {.index = k + 1, .result = rows_result(ns, ns, ns)};

	t.result.status = status;
	tap_ok(config_parse(configs[k], space_names(r->search.space), space_params(r->search.space),
			    &t.config, &e) == ASC_OK &&
		       (r->resumed || recorder_add(&r->recorder, &r->search, t.index, &t.config,
						   &t.result, &e) == ASC_OK),
	       "%s takes %lld", configs[k], (long long)ns);
	count(r, &t);
}

static void measure(struct run *r, size_t k, int64_t ns)
{
	measure_as(r, k, ns, RESULT_OK);
}

static void hold_until(struct run *r, int64_t until_ns)
{
	const struct finals_context x = {&r->o, &r->searches, &r->binding, &r->recorder,
					 .until_ns = until_ns};

	tap_int(finals_hold(&x, &r->candidates, &r->out, &e), ASC_OK, "finals");
	tap_int(answer_take(&r->recorder, &r->o, OBJECTIVE_TIME, &r->searches, &r->out, &e), ASC_OK,
		"the answer");
}

static void hold(struct run *r)
{
	hold_until(r, 0);
}

static enum asc_status check_best(void *user, const struct best_row *row, struct asc_err *err)
{
	(void)err;
	tap_str(row->config_key, user, "the database names the same");
	return ASC_OK;
}

/* What the run names is what the database names. */
static void expect_best(struct run *r, const char *config)
{
	struct buf key = {0};
	struct config c;

	tap_str(buf_str(&r->out.best.config), config, "the best of the run");
	(void)config_parse(config, space_names(r->search.space), space_params(r->search.space), &c,
			   &e);
	config_key(&c, space_names(r->search.space), &key);
	(void)best_each(r->recorder.db, NULL, check_best, key.data, &e);
	buf_fini(&key);
}

/* ---- the tests ---- */

/* The second had the lowest median of the search. */
static void test_lowest_median(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure(&r, 1, 90000);
		measure(&r, 2, 110000);
		r.evaluator = (struct evaluator){.ns = {450000, 100000, 110000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 3, "all take part");
		tap_ok(!r.evaluator.full[0], "but leaves when it is slower");
		expect_best(&r, configs[0]);
	}
	run_end(&r);
}

static void note_crash(void *user, const struct loop_summary *so_far, const struct loop_event *last)
{
	struct run *r = user;

	tap_int((int64_t)so_far->by_status[RESULT_CRASHED], 1, "it is counted");
	tap_ok(last->trial->result.status == RESULT_CRASHED &&
		       last->trial->implementation == r->search.implementation,
	       "one that fails is told");
	r->told++;
}

static void test_failures(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		r.o.progress = note_crash;
		r.o.user = &r;
		measure(&r, 3, 80000);
		measure(&r, 0, 81000);
		measure(&r, 2, 82000);
		r.evaluator = (struct evaluator){.ns = {80000, 0, 70000}, .rounds = 3};
		hold(&r);
		tap_int(r.told, 1, "once");
		tap_int(r.out.n_finalists, 2, "one that fails is left out");
		tap_int(r.out.finalists[1].time.n, 3, "three rounds decide, if there are no more");
		expect_best(&r, configs[2]);
	}
	run_end(&r);
	if (run_begin(&r, w, d)) {
		measure(&r, 3, 60000);
		measure(&r, 0, 61000);
		r.evaluator = (struct evaluator){.rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 3, "the best on record takes part");
		tap_int(r.out.by_status[RESULT_CRASHED], 3, "who fails there has failed");
		tap_int((int64_t)r.out.trials, 3, "the one of an earlier run is a trial, too");
		expect_best(&r, configs[1]); /* what is left of the finals before */
	}
	run_end(&r);
}

static void keep_text(void *user, enum log_level level, const char *text)
{
	(void)level;
	(void)snprintf(user, 200, "%s", text);
}

/* Candidates that time leaves out make the answer undecided where the search found them as fast. */
static void test_left_out(const struct workload *w, struct db *d)
{
	static const struct {
		int64_t third_ns;
		enum sure sure;
		const char *said;
	} cases[] = {{1002000000, SURE_UNDECIDED,
		      "sdpa/swin-b-windows, finals: time ran out before 1 more that may be as fast "
		      "were compared"},
		     {1900000000, SURE_CLEAR, ""}};

	for (size_t i = 0; i < 2; i++) {
		struct run r;
		char said[200] = "";

		log_set_sink(keep_text, said);
		if (run_begin(&r, w, d)) {
			measure(&r, 0, 1000000000);
			measure(&r, 1, 1001000000);
			measure(&r, 2, cases[i].third_ns);
			r.evaluator =
				(struct evaluator){.ns = {1000000000, 1200000000}, .rounds = 8};
			hold_until(&r, clock_now_ns() + INT64_C(29000000000));
			tap_int(r.evaluator.n, 2, "two of three fit into the time");
			tap_str(sure_name(r.out.sure.sure), sure_name(cases[i].sure),
				"how sure, where the third took %lld ns",
				(long long)cases[i].third_ns);
			tap_str(said, cases[i].said, "what is said of it");
		}
		log_set_sink(NULL, NULL);
		run_end(&r);
	}
}

/* Finalists of which no two fit into the time left are not ranked, for that reason, whatever the
 * search found. A stop is another reason. */
static void test_no_time(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 1000000000);
		measure(&r, 1, 1200000000);
		tap_real(
			finalists_least_ns(&r.session.policy, &r.candidates), 13.5 * 2.2e9 + 4e9, 1,
			"time for six rounds of both and their retakes, those before the inputs "
			"change, two verifications, inputs that they have not seen, and one trial");
		r.evaluator.stop = 1;
		r.o.stop = &r.evaluator.stop;
		hold_until(&r, clock_now_ns() + INT64_C(9000000000));
		tap_str(sure_name(r.out.sure.sure), "undecided", "a stop");
		r.o.stop = NULL;
		hold_until(&r, clock_now_ns() + INT64_C(9000000000));
		tap_int(r.evaluator.n, 0, "no rounds of one alone");
		tap_str(sure_name(r.out.sure.sure), "not compared: time ran out before the finals",
			"how sure");
		expect_best(&r, configs[0]);
	}
	run_end(&r);
}

/* Who has failed before a stop has failed all the same. */
static void test_stopped(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure(&r, 1, 110000);
		measure(&r, 2, 120000);
		r.evaluator = (struct evaluator){.ns = {0, 1, 1}, .rounds = 8};
		r.o.stop = &r.evaluator.stop;
		hold(&r);
		tap_int(r.evaluator.given, 1, "a stop after the first");
		tap_ok(r.out.by_status[RESULT_CRASHED] == 1 && r.out.by_status[RESULT_OK] == 2,
		       "which has crashed");
		expect_best(&r, configs[1]);
	}
	run_end(&r);
}

/* Time was up after two rounds. */
static void test_cut_short(const struct workload *w, struct db *d)
{
	struct run r;

	test_lowest_median(w, d);
	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure(&r, 1, 90000);
		r.evaluator = (struct evaluator){.ns = {450000, 100000}, .rounds = 2};
		hold(&r);
		tap_int(r.evaluator.n, 2, "the best on record and another begin");
		expect_best(&r, configs[0]);
		tap_ok(r.out.answer_run_id != r.recorder.run_id,
		       "but what eight rounds said stands");
	}
	run_end(&r);
}

/* Keeps the last status that was told. */
static void note_status(void *user, const struct loop_summary *so_far,
			const struct loop_event *last)
{
	struct run *r = user;

	(void)so_far;
	r->told++;
	r->last = last->trial->result.status;
	r->last_resumed = last->resumed;
}

/* The first ends the worker: the others are measured again without it. What was not decided in the
 * search has passed here, and wins. */
static void test_again(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure(&r, 1, 110000);
		measure_as(&r, 2, 120000, RESULT_UNDECIDED);
		tap_str(buf_str(&r.out.best.config), configs[0], "what is not decided is not best");
		r.o.progress = note_status;
		r.o.user = &r;
		r.evaluator = (struct evaluator){
			.ns = {0, 1, 1}, .breaks = true, .then = {100000, 90000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 2, "the others again");
		expect_best(&r, configs[2]);
		tap_str(sure_name(r.out.sure.sure), "clear winner", "how sure");
		tap_ok(r.out.by_status[RESULT_UNDECIDED] == 0 && r.out.by_status[RESULT_OK] == 2 &&
			       r.out.by_status[RESULT_CRASHED] == 1 && r.out.trials == 3,
		       "three trials: two ok, one crashed");
		tap_ok(r.told == 2 && r.last == RESULT_OK,
		       "the crash is told, and the pass of what was not decided");
	}
	run_end(&r);
}

static void measure_default(struct run *r, int64_t ns, enum result_status status)
{
	struct trial t = {.index = r->search.default_index, .result = rows_result(ns, ns, ns)};

	t.result.status = status;
	space_get(r->search.space, t.index, &t.config);
	tap_int(recorder_add(&r->recorder, &r->search, t.index, &t.config, &t.result, &e), ASC_OK,
		"the default takes %lld", (long long)ns);
	count(r, &t);
}

/* The default was dropped for being slow, and is compared with all the same. */
static void test_default(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure_default(&r, 300000, RESULT_SLOW);
		measure(&r, 0, 100000);
		r.evaluator = (struct evaluator){.ns = {320000, 100000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 2, "takes part");
		expect_best(&r, configs[0]);
		tap_ok(r.out.default_trial.found && r.out.default_trial.time.median == 320000,
		       "and is what the best is compared with, in the same rounds");
	}
	run_end(&r);
	if (run_begin(&r, w, d)) {
		measure(&r, 1, 100000);
		r.evaluator = (struct evaluator){.ns = {100000, 100100}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 2, "the best on record beside what is new");
		expect_best(&r, configs[0]);
	}
	run_end(&r);
}

/* What was dropped against a configuration that fails in the finals takes part when it is faster
 * than all that are left; whoever fails there does not come back. */
static void test_dropped(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 3, 20000);
		measure_as(&r, 1, 60000, RESULT_SLOW);
		measure_as(&r, 2, 120000, RESULT_SLOW);
		measure(&r, 0, 100000);
		r.evaluator = (struct evaluator){
			.ns = {0, 100000}, .breaks = true, .then = {100000, 60000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 2, "the faster one that was dropped takes part, no other");
		tap_int(r.out.by_status[RESULT_SLOW], 1, "and has passed");
		expect_best(&r, configs[1]);
	}
	run_end(&r);
	if (run_begin(&r, w, d)) {
		measure_as(&r, 2, 50000, RESULT_SLOW);
		r.evaluator = (struct evaluator){.ns = {60000, 0}, .rounds = 8};
		hold(&r);
		tap_int(r.out.by_status[RESULT_CRASHED], 1, "one that fails there stays away");
		expect_best(&r, configs[1]);
	}
	run_end(&r);
}

/* The default is the best on record, was dropped for being slow in this run, and is not. */
static void test_default_again(const struct workload *w, struct db *d)
{
	struct run r;

	for (int i = 0; i < 2; i++) {
		if (run_begin(&r, w, d)) {
			measure_default(&r, i ? 300000 : 100000, i ? RESULT_SLOW : RESULT_OK);
			measure(&r, 0, 200000);
			r.evaluator = (struct evaluator){.ns = {100000, 200000}, .rounds = 8};
			hold(&r);
			tap_ok(r.out.default_trial.found &&
				       r.out.default_trial.time.median == 100000 &&
				       r.out.best.time.median == 100000,
			       "the default wins");
			tap_int((int64_t)r.out.by_status[RESULT_OK], 2, "and has passed");
		}
		run_end(&r);
	}
}

/* What an earlier run dropped for being slow passes in the finals of one that took its result: told
 * as a trial of the database, which no run measured anew. */
static void test_resumed(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d))
		measure_as(&r, 1, 60000, RESULT_SLOW);
	run_end(&r);
	if (run_begin(&r, w, d)) {
		measure(&r, 3, 20000);
		r.resumed = true;
		measure_as(&r, 1, 60000, RESULT_SLOW);
		r.resumed = false;
		measure(&r, 0, 100000);
		r.o.progress = note_status;
		r.o.user = &r;
		r.evaluator = (struct evaluator){
			.ns = {0, 100000}, .breaks = true, .then = {100000, 60000}, .rounds = 8};
		hold(&r);
		expect_best(&r, configs[1]);
		tap_ok(r.last == RESULT_OK && r.last_resumed, "its pass is told as resumed");
	}
	run_end(&r);
}

/* Configurations that were given are measured to the end beside the default, however slow they are.
 */
static void test_given(const struct workload *w, struct db *d)
{
	static const struct loop_given given[] = {{"triton", "A=1"}};
	struct run r;

	if (run_begin(&r, w, d)) {
		r.o.given = given;
		r.o.n_given = 1;
		r.search.chosen = true;
		measure(&r, 0, 50000);
		measure(&r, 1, 60000);
		measure(&r, 2, 70000);
		r.evaluator = (struct evaluator){.ns = {50000, 60000, 70000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 3, "all that were given, and the default, take part");
		tap_ok(r.evaluator.full[0] && r.evaluator.full[1] && r.evaluator.full[2],
		       "none leaves because it is slower");
	}
	run_end(&r);
}

/* The answer's finals knew of a tie: those of given configurations without the other one do not
 * replace them, those with it do. */
static void test_given_few(const struct workload *w, struct db *d)
{
	static const struct loop_given given[] = {{"triton", "A=1"}};
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 50000);
		measure(&r, 1, 50000);
		measure(&r, 2, 90000);
		r.evaluator = (struct evaluator){.ns = {50000, 50000, 90000}, .rounds = 8};
		hold(&r);
		tap_int(r.out.sure.sure, SURE_TIE, "a search finds a tie");
	}
	run_end(&r);
	for (int with = 0; with < 2; with++) {
		if (run_begin(&r, w, d)) {
			r.o.given = given;
			r.o.n_given = 1;
			r.search.chosen = true;
			measure(&r, 1, 40000);
			if (with)
				measure(&r, 0, 45000);
			measure(&r, 2, 80000);
			/* The answer of the tie, configuration 1, is the first that is submitted.
			 */
			r.evaluator = (struct evaluator){.ns = {40000, with ? 45000 : 80000, 80000},
							 .rounds = 8};
			hold(&r);
			tap_int(r.out.sure.sure, with ? SURE_CLEAR : SURE_TIE,
				with ? "finals with both decide" : "finals without one leave it");
			expect_best(&r, configs[1]);
		}
		run_end(&r);
	}
}

static void test_none(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		policy_fix_repeats(&r.session.policy, -1, 5);
		measure(&r, 3, 50000);
		measure(&r, 0, 51000);
		hold(&r);
		tap_int(r.evaluator.n, 0, "fixed repeats: no finals");
	}
	run_end(&r);
}

/* Measures the k-th configuration of the space, of whose interval the low end is told. */
static void measure_from(struct run *r, uint64_t k, int64_t low_ns, int64_t ns)
{
	struct trial t = {.index = k, .result = rows_result(low_ns, ns, 2 * ns - low_ns)};

	space_get(r->search.space, k, &t.config);
	tap_int(recorder_add(&r->recorder, &r->search, k, &t.config, &t.result, &e), ASC_OK,
		"%lld of at least %lld", (long long)ns, (long long)low_ns);
	count(r, &t);
}

/* The six lowest medians always take part; of the others those whose interval reaches twice the
 * lowest. */
static void test_selected(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		for (uint64_t k = 1; k <= 6; k++)
			measure_from(&r, k, (int64_t)k * 100000, (int64_t)k * 100000);
		measure_from(&r, 7, 700000, 700000);
		measure_from(&r, 8, 150000, 800000);
		r.evaluator = (struct evaluator){
			.ns = {100000, 200000, 300000, 400000, 500000, 600000, 800000},
			.rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 7, "the seventh does not take part, the eighth does");
		tap_int(r.out.finalists[6].time.median, 800000, "which is the slowest");
	}
	run_end(&r);
}

/* What the search could not decide is decided in finals, alone if need be. */
static void test_undecided_alone(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure_as(&r, 2, 120000, RESULT_UNDECIDED);
		r.evaluator = (struct evaluator){.ns = {90000}, .rounds = 8};
		hold(&r);
		tap_int(r.evaluator.n, 1, "one alone that is not decided takes part");
		expect_best(&r, configs[2]);
		tap_str(sure_name(r.out.sure.sure), "", "one finalist alone is not compared");
	}
	run_end(&r);
}

/* An undecided configuration is the only one left where the other failed in the finals. */
static void test_others_failed(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure_as(&r, 2, 120000, RESULT_UNDECIDED);
		r.evaluator = (struct evaluator){.ns = {0, 90000}, .rounds = 8};
		hold(&r);
		tap_str(sure_name(r.out.sure.sure), "",
			"the only finalist that passed is no clear winner");
		expect_best(&r, configs[2]);
	}
	run_end(&r);
}

/* The best on record wins a tie; what the others of a baseline are compared with is its fastest. */
static void test_baseline(const struct workload *w, struct db *d)
{
	struct run r;

	if (run_begin(&r, w, d)) {
		measure(&r, 0, 100000);
		measure(&r, 2, 200000);
		r.evaluator = (struct evaluator){.ns = {100000, 200000}, .rounds = 8};
		hold(&r);
	}
	run_end(&r);
	if (run_begin(&r, w, d)) {
		r.search.baseline = 1;
		measure(&r, 1, 99900);
		r.evaluator = (struct evaluator){.ns = {100000, 99900}, .rounds = 8};
		hold(&r);
		expect_best(&r, configs[0]);
		tap_ok(r.out.baselines[0].raced && r.out.baselines[0].trial.time.median == 99900,
		       "the fastest finalist of the baseline");
	}
	run_end(&r);
}

static void with_database(const struct workload *w, const char *name,
			  void (*test)(const struct workload *w, struct db *d))
{
	struct db *d = NULL;

	if (tap_int(db_open(rows_path(name), DB_WRITE, &d, &e), ASC_OK, "database %s", name))
		test(w, d);
	db_close(d);
}

static void test_history(const struct workload *w, struct db *d)
{
	test_lowest_median(w, d);
	test_failures(w, d);
	test_none(w, d);
}

int main(void)
{
	struct workload *w = NULL;

	rows_enter();
	if (tap_int(workload_open(PROJECT_ROOT "/workloads/sdpa.json", &w, &e), ASC_OK, "sdpa")) {
		with_database(w, "history.db", test_history);
		with_database(w, "short.db", test_cut_short);
		with_database(w, "stopped.db", test_stopped);
		with_database(w, "left-out.db", test_left_out);
		with_database(w, "no-time.db", test_no_time);
		with_database(w, "again.db", test_again);
		with_database(w, "dropped.db", test_dropped);
		with_database(w, "resumed.db", test_resumed);
		with_database(w, "default.db", test_default);
		with_database(w, "default-again.db", test_default_again);
		with_database(w, "given.db", test_given);
		with_database(w, "given_few.db", test_given_few);
		with_database(w, "selected.db", test_selected);
		with_database(w, "undecided.db", test_undecided_alone);
		with_database(w, "others_failed.db", test_others_failed);
		with_database(w, "baseline.db", test_baseline);
	}
	workload_close(w);
	rows_leave();
	return tap_done();
}
