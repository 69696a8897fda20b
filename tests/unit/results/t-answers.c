/* What is best, decided from rows that are written here: no database is needed. Expected answers
 * are those that the comments of answers.c promise.
 * covers: answers.c answer_order.c answer_sure.c stands.c */
#include "reports/results/answers.h"

#include <math.h>
#include <string.h>

#include "reports/results/snapshot.h"
#include "tests/tap.h"

enum { RUNS = 3, CONFIGS = 3, MOST = 16 };

/* Three runs, the newest first, of one implementation with the default "B=0" and two others. */
struct scene {
	struct snapshot s;
	struct implementation_row kernel;
	struct participant_row part;
	struct run_row runs[RUNS];
	struct config_row configs[CONFIGS], *list[CONFIGS];
	struct trial_row trials[MOST];
	struct final_row finals[MOST];
	struct energy_row energies[MOST];
	size_t n_trials, n_finals, n_energies;
};

static struct asc_err e;

static void begin(struct scene *x)
{
	static const char *const keys[CONFIGS] = {"B=0", "B=1", "B=2"};

	memset(x, 0, sizeof *x);
	x->kernel = (struct implementation_row){.id = 7, .name = "kernel", .current = true};
	x->part.implementation = &x->kernel;
	for (size_t i = 0; i < RUNS; i++)
		x->runs[i] = (struct run_row){.id = (int64_t)(RUNS - i),
					      .started_ms = 1000 - 100 * (int64_t)i,
					      .noise_pct = NAN,
					      .participants = &x->part};
	for (size_t c = 0; c < CONFIGS; c++) {
		x->configs[c] = (struct config_row){
			.of = &x->kernel, .hash = (int64_t)c + 40, .key = keys[c]};
		x->list[c] = &x->configs[c];
	}
	x->s = (struct snapshot){.runs = x->runs,
				 .n_runs = RUNS,
				 .implementations = &x->kernel,
				 .configs = x->list,
				 .n_configs = CONFIGS};
}

/* Trials are numbered, and dated, in the order in which they are added. */
static void add_trial(struct scene *x, size_t run, size_t config, enum result_status status,
		      double ns)
{
	struct trial_row *t = &x->trials[x->n_trials++];

	*t = (struct trial_row){.next = x->runs[run].trials,
				.next_of_config = x->configs[config].trials,
				.id = (int64_t)x->n_trials,
				.run = &x->runs[run],
				.config = &x->configs[config],
				.status = status,
				.is_default = config == 0,
				.recorded_ms = 10 * (int64_t)x->n_trials,
				.n_samples = 9,
				.median_ns = ns,
				.min_ns = ns,
				.max_ns = ns,
				.low_ns = ns,
				.high_ns = ns};
	x->runs[run].trials = x->configs[config].trials = t;
}

static void add_final(struct scene *x, size_t run, size_t config, const char *standing,
		      double ratio, bool winner)
{
	struct final_row *f = &x->finals[x->n_finals++];

	*f = (struct final_row){.next = x->runs[run].finals,
				.config = &x->configs[config],
				.winner = winner,
				.standing = standing,
				.ratio = ratio,
				.median_ns = 100 * ratio};
	x->runs[run].finals = f;
}

/* The answer of all implementations, printed. */
static void check(struct scene *x, const char *expected, const char *name)
{
	struct buf text = {0};
	struct answers a;

	if (answers_find(&x->s, ANSWERS_OF_BOTH, OBJECTIVE_TIME, &a, &e)) {
		tap_ok(false, "%s: %s", name, e.text);
		return;
	}
	for (size_t i = 0; i < a.n; i++) {
		const struct answer *b = &a.list[i];

		if (b->own)
			continue;
		buf_print(&text, "%s%s of run %lld, finals %lld: %s, %s, default %.4g, %lld/%lld",
			  b->failed ? "failed " : "", b->trial->config->key,
			  (long long)b->trial->run->id,
			  (long long)(b->final_run ? b->final_run->id : 0), sure_name(b->sure.sure),
			  buf_str(&b->ties), b->vs_default, (long long)b->ok_trials,
			  (long long)b->trials);
	}
	tap_str(buf_str(&text), expected, "%s", name);
	tap_ok(a.n % 2 == 0, "%s: its implementation has the same number of answers", name);
	buf_fini(&text);
	answers_fini(&a);
}

static void test_trials(void)
{
	struct scene x;

	begin(&x);
	check(&x, "", "nothing was tried");
	add_trial(&x, 1, 0, RESULT_OK, 200);
	check(&x, "B=0 of run 2, finals 0: , [], default 1, 1/1", "one alone is not compared");
	add_trial(&x, 1, 1, RESULT_OK, 100);
	check(&x, "B=1 of run 2, finals 0: clear winner, [], default 2, 2/2", "the fastest");
	add_trial(&x, 0, 2, RESULT_OK, 100);
	check(&x, "B=2 of run 3, finals 0: , [], default 0, 3/3", "of equal ones the newest");
	add_trial(&x, 0, 2, RESULT_BUILD_FAILED, NAN);
	check(&x, "B=2 of run 3, finals 0: , [], default 0, 3/3", "a build withdraws nothing");
	add_trial(&x, 0, 2, RESULT_WRONG, NAN);
	check(&x, "B=1 of run 2, finals 0: clear winner, [], default 2, 2/3",
	      "a wrong result does");
	add_trial(&x, 0, 2, RESULT_OK, 90);
	check(&x, "B=2 of run 3, finals 0: , [], default 0, 3/3", "which a later pass undoes");
	add_trial(&x, 0, 2, RESULT_IMPOSSIBLE, 1);
	check(&x, "B=1 of run 2, finals 0: clear winner, [], default 2, 2/3",
	      "an impossible time does as well, and is no time");
	x.runs[1].finals_policy = FINALS_ASKED;
	check(&x, "B=1 of run 2, finals 0: undecided, [], default 2, 2/3", "finals were due");
	x.runs[1].sure = "not ranked: time ran out before the finals";
	check(&x,
	      "B=1 of run 2, finals 0: not compared: time ran out before the finals, [], default 2,"
	      " 2/3",
	      "there was no time for them");
	x.runs[1].finals_policy = FINALS_UNREADABLE;
	struct answers a;

	tap_int(answers_find(&x.s, ANSWERS_OF_BOTH, OBJECTIVE_TIME, &a, &e), ASC_INPUT,
		"the policy cannot be read: %s", e.text);
	x.kernel.current = false;
	check(&x, "", "of another content nothing counts");
}

static void test_finals(void)
{
	struct scene x;

	begin(&x);
	for (size_t c = 0; c < CONFIGS; c++)
		add_trial(&x, 2, c, RESULT_OK, 300 - 100 * (double)c);
	add_final(&x, 2, 0, "slower", 1.5, false);
	add_final(&x, 2, 1, "tied", 1, true);
	add_final(&x, 2, 2, "unsure", 1.02, false);
	check(&x, "B=2 of run 1, finals 0: clear winner, [], default 3, 3/3",
	      "finals of no weight decide nothing");
	x.runs[2].decided = 2;
	x.runs[2].sure = "tie";
	check(&x, "B=1 of run 1, finals 1: tie, [[7,41],[7,42]], default 1.5, 3/3",
	      "their winner, and who ties with it");
	add_trial(&x, 0, 2, RESULT_OK, 1);
	check(&x, "B=1 of run 1, finals 1: tie, [[7,41],[7,42]], default 1.5, 3/3",
	      "whatever a trial of another moment shows");
	add_final(&x, 0, 2, "tied", 1, true);
	x.runs[0].decided = 1;
	x.runs[0].sure = "too noisy to rank";
	check(&x, "B=1 of run 1, finals 1: tie, [[7,41],[7,42]], default 1.5, 3/3",
	      "newer finals that are not sure do not replace them");
	x.runs[0].decided = 2;
	check(&x, "B=2 of run 3, finals 3: undecided, [[7,42]], default 0, 3/3", "sure ones do");
	add_trial(&x, 0, 2, RESULT_CRASHED, NAN);
	check(&x, "B=1 of run 1, finals 1: clear winner, [[7,41]], default 1.5, 2/3",
	      "a withdrawn winner takes its finals along, and is in no tie");
	add_trial(&x, 0, 1, RESULT_TIMEOUT, NAN);
	check(&x, "B=0 of run 1, finals 1: , [[7,40]], default 1, 1/3",
	      "the last finalist was slower than who is gone");
	add_trial(&x, 0, 0, RESULT_WRONG, NAN);
	check(&x, "failed B=1 of run 1, finals 1: no usable result, [], default 0, 0/3",
	      "where nothing stands, the winner of the last run in which one passed to its end");
}

static void test_fastest(void)
{
	struct scene x;

	begin(&x);
	tap_ok(!answers_find_fastest(&x.s, NULL, "kernel"), "nothing was tried");
	add_trial(&x, 2, 1, RESULT_OK, 20);
	add_trial(&x, 1, 2, RESULT_OK, 10);
	tap_str(answers_find_fastest(&x.s, NULL, "kernel")->config->key, "B=2", "the fastest");
	tap_ok(!answers_find_fastest(&x.s, "hot", "kernel"), "none with another cache policy");
	tap_ok(!answers_find_fastest(&x.s, NULL, "other"), "none of another implementation");
	add_trial(&x, 0, 2, RESULT_WRONG, NAN);
	tap_str(answers_find_fastest(&x.s, NULL, "kernel")->config->key, "B=1", "that stands");
}

/* ---- by energy ---- */

static void add_energy(struct scene *x, size_t run, size_t config, double joules)
{
	struct energy_row *r = &x->energies[x->n_energies++];

	*r = (struct energy_row){.next = x->runs[run].energies,
				 .config = &x->configs[config],
				 .joules = joules,
				 .low = 0.99 * joules,
				 .high = 1.01 * joules};
	x->runs[run].energies = r;
}

static void check_by(struct scene *x, enum objective by, const char *expected, const char *name)
{
	struct buf text = {0};
	struct answers a;

	if (answers_find(&x->s, ANSWERS_OF_ALL, by, &a, &e)) {
		tap_ok(false, "%s: %s", name, e.text);
		return;
	}
	for (size_t i = 0; i < a.n; i++) {
		const struct answer *b = &a.list[i];

		buf_print(&text, "%s, finals %lld: %g J of %zu, %s %zu, default %.4g",
			  b->trial->config->key, (long long)(b->final_run ? b->final_run->id : 0),
			  b->energy.joules.value, b->energy.measured, sure_name(b->sure.sure),
			  b->sure.ties, b->vs_default);
	}
	tap_str(buf_str(&text), expected, "%s", name);
	buf_fini(&text);
	answers_fini(&a);
}

static void test_energy(void)
{
	struct scene x;

	begin(&x);
	for (size_t c = 0; c < CONFIGS; c++)
		add_trial(&x, 1, c, RESULT_OK, 300 - 100 * (double)c);
	check_by(&x, OBJECTIVE_ENERGY, "", "no energy was measured: there is no answer");
	add_energy(&x, 1, 0, 5);
	add_energy(&x, 1, 1, 4);
	check_by(&x, OBJECTIVE_ENERGY, "B=1, finals 0: 4 J of 2, clear winner 1, default 1.5",
		 "the least, although another one that was not measured is faster");
	check_by(&x, OBJECTIVE_TIME, "B=2, finals 0: 0 J of 0, clear winner 1, default 3",
		 "the answer by time stays");
	add_energy(&x, 1, 2, 4.05);
	check_by(&x, OBJECTIVE_ENERGY, "B=2, finals 0: 4.05 J of 3, tie 2, default 3",
		 "of two that may be the least the faster one");
	add_energy(&x, 0, 0, 1);
	check_by(&x, OBJECTIVE_ENERGY, "B=2, finals 0: 4.05 J of 3, tie 2, default 3",
		 "a newer run that compares none decides nothing");
	add_energy(&x, 0, 1, 2);
	check_by(&x, OBJECTIVE_ENERGY, "B=0, finals 0: 1 J of 2, clear winner 1, default 1",
		 "one that compares several does");
	/* 300 ns with 1 J, 200 ns with 2 J. */
	check_by(&x, OBJECTIVE_EDP, "B=0, finals 0: 1 J of 2, clear winner 1, default 1",
		 "the product with time");
	add_final(&x, 0, 0, "slower", 4.1, false);
	add_final(&x, 0, 1, "tied", 1, true);
	check_by(&x, OBJECTIVE_EDP, "B=1, finals 3: 2 J of 2, clear winner 1, default 4.1",
		 "which is that of the finals, 410 and 100 ns");
	add_trial(&x, 0, 1, RESULT_WRONG, NAN);
	check_by(&x, OBJECTIVE_EDP, "B=2, finals 0: 4.05 J of 2, clear winner 1, default 3",
		 "what fails since is no answer, and compares nothing");
	x.kernel.current = false;
	check_by(&x, OBJECTIVE_ENERGY, "", "nor is what is of another content");
}

int main(void)
{
	test_energy();
	test_trials();
	test_finals();
	test_fastest();
	return tap_done();
}
