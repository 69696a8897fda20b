/* Searches on recorded results: trials, budget and time of a loop without a device.
 * covers: replay.c search_trials.c evaluator_replay.c */
#include "tuner/tune/replay/replay.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reports/exchange/formats/recorded.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/tune/impl_search.h"
#include "tuner/tune/search/strategy_core.h"
#include "tuner/tune/search_trials.h"

static struct asc_err e;

/* ---- a record of configurations A=0 .. n-1: each takes 10 ms to evaluate ---- */

/* Time of a kernel in ms: every 7th configuration fails, the last is the fastest. */
static double time_ms(int i, int n)
{
	return i % 7 == 3 ? 0 : 1 + (double)(n - 1 - i) / n;
}

/* `chosen`: the default configuration; -1: none is stated. `factor`: kernels take that many times
 * as long, and few are near the fastest; 0: neither. */
static struct recorded *make_slow_record(int n, int chosen, double factor)
{
	struct buf text = {0}, statuses = {0};
	struct recorded *r = NULL;

	buf_add_str(&text, "{\"results\":[");
	for (int i = 0; i < n; i++) {
		const double plain = time_ms(i, n);
		const double ms = factor > 0 && plain > 0 ? factor * (1 + sqrt(plain - 1)) : plain;

		buf_print(&text, "%s{\"configuration\":{\"A\":%d},\"times\":{\"benchmark\":10},",
			  i ? "," : "", i);
		if (ms > 0)
			buf_print(&text,
				  "\"invalidity\":\"correct\",\"measurements\":[{\"name\":\"time\","
				  "\"value\":%.9f}]}",
				  ms);
		else
			buf_add_str(&text, "\"invalidity\":\"runtime\"}");
		if (i == chosen)
			buf_print(&statuses,
				  "%s{\"status\":\"ok\",\"phase\":\"measure\",\"default\":true}",
				  i ? "," : "");
		else
			buf_print(&statuses, "%snull", i ? "," : "");
	}
	buf_print(&text, "],\"X-Asctune\":{\"statuses\":[%s]}}", buf_str(&statuses));
	if (file_write("record_T4.json", buf_str(&text), text.len, &e) ||
	    recorded_open("record_T4.json", &r, &e))
		tap_ok(false, "a record: %s", e.text);
	buf_fini(&text);
	buf_fini(&statuses);
	return r;
}

static struct recorded *make_record(int n, int chosen)
{
	return make_slow_record(n, chosen, 0);
}

/* ---- trials ---- */

struct bench {
	struct recorded *recorded;
	const struct recorded *arm; /* the same */
	struct impl_search search;
	struct impl_searches searches;
	struct search_trials trials;
};

static bool bench_init(struct bench *b, size_t ahead, uint64_t most, int64_t until_ns)
{
	*b = (struct bench){.recorded = make_record(6, -1)};
	b->arm = b->recorded;
	const struct evaluator_target target = {.recorded = &b->arm, .ahead = ahead};
	const struct evaluator_problem problem = {.target = &target};
	const struct strategy_options so = {.space = b->recorded->space};

	b->search = (struct impl_search){
		.space = b->recorded->space, .ops = &strategy_exhaustive, .default_asked = true};
	b->searches = (struct impl_searches){.list = &b->search, .n = 1};
	b->trials = (struct search_trials){.searches = &b->searches,
					   .ops = evaluator_find("replay"),
					   .most = most,
					   .until_ns = until_ns};
	return tap_ok(!strategy_new(b->search.ops, &so, &b->search.strategy, &e) &&
			      !b->trials.ops->open(&target, &b->trials.evaluator, &e) &&
			      !b->trials.ops->begin(b->trials.evaluator, &problem, &e) &&
			      !search_trials_init(&b->trials, &e),
		      "trials on recorded results");
}

static void bench_fini(struct bench *b)
{
	search_trials_fini(&b->trials);
	b->trials.ops->end(b->trials.evaluator);
	b->trials.ops->close(b->trials.evaluator);
	strategy_free(b->search.strategy);
	recorded_close(b->recorded);
}

/* Asks and submits; returns how many there were. */
static size_t submit(struct bench *b)
{
	struct trial *list[TRIALS_MAX_ALL];
	size_t n = 0;

	if (search_trials_ask(&b->trials, list, &n, &e) ||
	    b->trials.ops->submit(b->trials.evaluator, list, n, &e))
		return SIZE_MAX;
	return n;
}

/* Evaluates the oldest; returns its value of A, -1: none is pending. */
static int take(struct bench *b, struct result *out)
{
	struct trial *t = NULL;

	if (b->trials.ops->poll(b->trials.evaluator, INT64_MAX, &t, &e) || !t)
		return -1;
	const int a = (int)t->config.values[0].i;

	*out = t->result;
	tap_int(search_trials_tell(&b->trials, t, 1, &e), ASC_OK, "A=%d is told", a);
	search_trials_release(&b->trials, t);
	return a;
}

static void test_trials(void)
{
	struct result r;
	struct bench b;

	if (!bench_init(&b, 3, 4, 0))
		return;
	tap_int(submit(&b), 3, "as many are asked as the evaluator wants");
	tap_int(submit(&b), 0, "while these are pending no more");
	tap_int(b.trials.ops->now_ns(b.trials.evaluator), 0, "no time has passed");
	tap_int(take(&b, &r), 0, "the oldest comes first");
	tap_int(r.status, RESULT_OK, "with its recorded status");
	tap_real(r.time.median, 1833333.333, 0.5, "its time, 1 + 5/6 ms");
	tap_int(b.trials.ops->now_ns(b.trials.evaluator), 10000000, "its evaluation took 10 ms");
	tap_int(submit(&b), 1, "its place is free, and that is the budget");
	for (int i = 1; i < 4; i++)
		tap_int(take(&b, &r), i, "then the others");
	tap_int(r.status, RESULT_LAUNCH_FAILED, "a failure is recorded, too");
	tap_int(r.n_samples, 0, "without a time");
	tap_int(submit(&b), 0, "the budget is spent");
	tap_int(take(&b, &r), -1, "nothing is pending");
	tap_int(b.trials.ops->now_ns(b.trials.evaluator), 40000000, "each took its time");
	bench_fini(&b);
}

static void test_time(void)
{
	struct result r;
	struct bench b;

	if (!bench_init(&b, 1, 0, 15000000))
		return;
	tap_int(submit(&b), 1, "before its end there is time");
	(void)take(&b, &r);
	tap_int(submit(&b), 1, "after 10 of 15 ms there is");
	(void)take(&b, &r);
	tap_ok(search_trials_past(&b.trials, b.trials.until_ns), "after 20 ms time is up");
	tap_int(submit(&b), 0, "nothing more is asked");
	b.trials.asked = 0;
	tap_int(submit(&b), 1, "but one is tried whatever the time");
	bench_fini(&b);
}

/* ---- runs ---- */

static struct replay_options options(const char *strategy)
{
	return (struct replay_options){
		.strategy = strategy_find(strategy), .runs = 8, .seed = 3, .ahead = 1};
}

static enum asc_status replay_one(const struct recorded *r, const struct replay_options *o,
				  struct replay_summary *out)
{
	const struct replay_subject subject = {&r, 1, r};

	return replay(&subject, o, out, &e);
}

static bool replay_on(const struct recorded *r, const struct replay_options *o,
		      struct replay_summary *out)
{
	return r && tap_int(replay_one(r, o, out), ASC_OK, "%s is replayed: %s", o->strategy->name,
			    e.text);
}

static void test_runs(void)
{
	static struct replay_summary first, again;
	struct recorded *r = make_record(200, -1);

	for (size_t i = 0; strategy_list[i]; i++) {
		struct replay_options o = options(strategy_list[i]->name);

		if (!replay_on(r, &o, &first) || !replay_on(r, &o, &again))
			continue;
		tap_ok(memcmp(&first.score, &again.score, sizeof first.score) == 0 &&
			       first.evals == again.evals,
		       "%s: same seeds, same trials", o.strategy->name);
		tap_real(first.evals, ceil(first.space.budget_s / 0.01), 1e-9,
			 "%s: a run ends with the evaluation in which time is up",
			 o.strategy->name);
		o.seed = 1000;
		if (strcmp(o.strategy->name, "exhaustive") != 0 && replay_on(r, &o, &again))
			tap_ok(memcmp(&first.score, &again.score, sizeof first.score) != 0,
			       "%s: other seeds, other trials", o.strategy->name);
	}
	recorded_close(r);
}

static void test_default(void)
{
	static struct replay_summary s;
	const struct replay_options o = options("exhaustive");
	struct recorded *with = make_record(199, 198), *without = make_record(199, -1);

	if (replay_on(with, &o, &s))
		tap_real(s.score.mean, 1, 1e-12, "the default, here the optimum, is tried first");
	if (replay_on(without, &o, &s))
		tap_ok(s.score.mean < 0, "in order, from the worst on: worse than random");
	recorded_close(with);
	recorded_close(without);
}

/* A budget that is more than the space takes: every run finds the optimum and ends. */
static void test_small(void)
{
	static struct replay_summary s;
	struct recorded *r = make_record(3, -1);
	struct replay_options o = options("random");

	o.ahead = TRIALS_MAX;
	if (replay_on(r, &o, &s)) {
		tap_real(s.evals, 3, 0, "all are tried");
		tap_int(s.worst_rank, 0, "the optimum is found");
	}
	recorded_close(r);
}

/* ---- several implementations ---- */

static bool replay_arms(const struct recorded *const *arms, size_t n, size_t ahead,
			struct replay_summary *out)
{
	struct recorded *joined = NULL;
	struct replay_options o = options("random");

	o.within = 0.02;
	o.ahead = ahead;
	if (!tap_int(recorded_join(arms, n, &joined, &e), ASC_OK, "%zu arms", n))
		return false;
	const struct replay_subject subject = {arms, n, joined};
	enum asc_status status = replay(&subject, &o, out, &e);

	tap_int((int64_t)out->space.optimum_ns, (int64_t)joined->sorted_ns[0],
		"the optimum is that of all");
	recorded_close(joined);
	return tap_int(status, ASC_OK, "are replayed: %s", e.text);
}

/* Implementations that are 3 and 50 times as slow as the one between them. */
static void test_arms(void)
{
	static struct replay_summary alone, first, again;
	struct recorded *list[] = {make_slow_record(400, -1, 3), make_slow_record(400, -1, 1),
				   make_slow_record(400, -1, 50)};
	const struct recorded *arms[] = {list[0], list[1], list[2]};

	if (replay_arms(arms + 1, 1, 1, &alone) && replay_arms(arms, 3, 1, &first) &&
	    replay_arms(arms, 3, 1, &again)) {
		const double *of = first.evals_of;

		tap_ok(memcmp(&first.score, &again.score, sizeof first.score) == 0 &&
			       memcmp(of, again.evals_of, sizeof first.evals_of) == 0,
		       "the same seed, the same shares");
		tap_real(of[0] + of[1] + of[2], first.evals, 1e-9, "every trial is of one arm");
		tap_ok(of[1] > 0.6 * first.evals, "the best has most of the budget: %g of %g",
		       of[1], first.evals);
		tap_ok(of[2] < 0.1 * first.evals && of[2] < of[0], "the worst has the least: %g",
		       of[2]);
		tap_ok(of[2] >= 0.05 / 3 * first.evals, "but does not starve");
		tap_ok(first.evals_within < 1.7 * alone.evals_within,
		       "the best is found nearly as soon as alone: %g, %g", first.evals_within,
		       alone.evals_within);
	}
	if (replay_arms(arms, 3, 32, &first))
		tap_ok(first.evals_of[1] > first.evals_of[0] && first.evals_of[0] > 10 &&
			       first.evals_of[2] > 10,
		       "32 pending are asked of all by turns: %g of %g", first.evals_of[1],
		       first.evals);
	for (size_t i = 0; i < 3; i++)
		recorded_close(list[i]);
}

/* ---- history ---- */

static struct strategy_known known[3]; /* as a strategy was given it */
static size_t n_known;

static enum asc_status begin(struct strategy *s, struct asc_err *err)
{
	(void)err;
	n_known = s->options.n_history;
	for (size_t i = 0; i < n_known && i < 3; i++)
		known[i] = s->options.history[i];
	return ASC_OK;
}

static enum asc_status next(struct strategy *s, uint64_t *index, bool *found, struct asc_err *err)
{
	return strategy_draw(s, index, found, err);
}

static const struct strategy_ops observer = {.name = "observer",
					     .summary = "",
					     .size = sizeof(struct strategy),
					     .begin = begin,
					     .next = next};

#define ENTRY(config, ms)                                                                          \
	"{\"configuration\":{" config "},\"times\":{\"benchmark\":10},\"invalidity\":\"correct\"," \
	"\"measurements\":[{\"name\":\"time\",\"value\":" ms "}]}"
#define FAILED(config)                                                                             \
	"{\"configuration\":{" config "},\"times\":{\"benchmark\":10},\"invalidity\":\"compile\"}"

static struct recorded *read_text(const char *entries)
{
	char *text = str_print("{\"results\":[%s]}", entries);
	struct recorded *r = NULL;

	tap_ok(!file_write("other_T4.json", text, strlen(text), &e) &&
		       !recorded_open("other_T4.json", &r, &e),
	       "a record: %s", e.text);
	free(text);
	return r;
}

static void test_history(void)
{
	static struct replay_summary s;
	struct recorded *r =
		read_text(ENTRY("\"A\":1,\"B\":2", "1") "," ENTRY("\"A\":1,\"B\":3", "2") "," ENTRY(
			"\"A\":2,\"B\":2", "3") "," ENTRY("\"A\":2,\"B\":3", "4"));
	struct recorded *history =
		read_text(ENTRY("\"B\":3,\"A\":2", "5") "," ENTRY("\"B\":2,\"A\":2", "0") "," ENTRY(
			"\"B\":9,\"A\":7", "1") "," FAILED("\"B\":2,\"A\":1"));
	struct recorded *outside = read_text(ENTRY("\"B\":8,\"A\":7", "5"));
	struct recorded *one = read_text(ENTRY("\"A\":1", "5"));
	struct recorded *three = read_text(ENTRY("\"A\":1,\"B\":2,\"C\":3", "5"));
	struct replay_options o = {.strategy = &observer, .runs = 1, .ahead = 1};

	o.history = history;
	if (replay_on(r, &o, &s)) {
		tap_int(n_known, 1, "a time of 0, other values and a failure are left out");
		tap_ok(known[0].config.n == 2 && known[0].config.values[0].i == 2 &&
			       known[0].config.values[1].i == 3,
		       "parameters in the order of the space");
		tap_real(known[0].score, 5e6, 0, "their time is the score");
	}
	o.history = outside;
	for (size_t i = 0; strategy_list[i]; i++) {
		o.strategy = strategy_list[i];
		if (replay_on(r, &o, &s))
			tap_ok(s.evals > 0, "%s goes on beside it", o.strategy->name);
	}
	o.history = one;
	tap_int(replay_one(r, &o, &s), ASC_INPUT, "a parameter too few");
	tap_str(e.text, "the history other has no parameter B", "is named");
	o.history = three;
	tap_int(replay_one(r, &o, &s), ASC_INPUT, "a parameter too many");
	tap_str(e.text, "the history other has a parameter C, which the space does not have",
		"is named");
	recorded_close(r);
	recorded_close(history);
	recorded_close(outside);
	recorded_close(one);
	recorded_close(three);
}

static enum asc_status refuse(struct strategy *s, uint64_t *index, bool *found, struct asc_err *err)
{
	(void)s, (void)index, (void)found;
	return asc_err_set(err, ASC_LIMIT, "no more questions");
}

static void test_failure(void)
{
	static const struct strategy_ops broken = {
		.name = "broken", .summary = "", .size = 4096, .next = refuse};
	static struct replay_summary s;
	struct recorded *r = make_record(50, -1);
	struct replay_options o = options("random");

	o.strategy = &broken;
	tap_int(replay_one(r, &o, &s), ASC_LIMIT, "a strategy that fails ends the replay");
	tap_str(e.text, "no more questions", "with its reason");
	recorded_close(r);
}

int main(void)
{
	char *folder = NULL;

	if (dir_make_scratch("t-replay", &folder, &e) || chdir(folder)) {
		fprintf(stderr, "%s\n", e.text);
		return 1;
	}
	test_trials();
	test_time();
	test_runs();
	test_default();
	test_small();
	test_arms();
	test_history();
	test_failure();
	dir_remove(folder);
	free(folder);
	return tap_done();
}
