/* Finals of the worker evaluator, on kernels of which some misbehave (unit/evaluate/faults.json);
 * and what is begun, or would be, when time is up.
 * covers: evaluator_worker.c worker_finals.c unseen_inputs.c */
#include "tuner/tune/evaluate/evaluator.h"

#include <string.h>

#include "tests/tap.h"
#include "tests/unit/evaluate/eval.h"

static const size_t at_once = 4;
enum { MANY = 8 };

static void submit_several(struct evaluator *v, const int *faults, size_t n, int64_t until_ns)
{
	struct trial *list[MANY];
	struct asc_err e;

	for (size_t i = 0; i < n; i++) {
		list[i] = eval_trial(i, "scale", faults[i], (int)i);
		list[i]->purpose = TRIAL_ROUNDS;
		list[i]->seed = 7;
		list[i]->until_ns = until_ns;
	}
	tap_int(eval.ops->submit(v, list, n, &e), ASC_OK, "finals");
}

static void submit_finals(struct evaluator *v, const int *faults, int64_t until_ns)
{
	submit_several(v, faults, at_once, until_ns);
}

/* Two good ones, one that is wrong, one that does not build: the good ones take turns. */
static void test_finals(struct evaluator *v)
{
	static const int faults[] = {NOTHING, WRONG, COMPILE, NOTHING};
	struct eval_done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++) {
		if (!tap_ok(eval_take(v, &done) && done.id < at_once, "result %zu", i))
			return;
		bool good = faults[done.id] == NOTHING;
		tap_ok((done.result.status == RESULT_OK) == good, "fault %d is %s", faults[done.id],
		       result_status_name(done.result.status));
		tap_ok((done.result.n_samples >= 8) == good, "%zu samples: one for each round",
		       done.result.n_samples);
		tap_ok(!good || (eval.steps[FINALS_ROUND] >= (int64_t)done.result.n_samples &&
				 eval.most[FINALS_ROUND] >= eval.steps[FINALS_ROUND]),
		       "%lld rounds of %lld were said", (long long)eval.steps[FINALS_ROUND],
		       (long long)eval.most[FINALS_ROUND]);
		result_fini(&done.result);
	}
	for (int i = 0; i < 4; i++)
		if (i != FINALS_RETAKE)
			tap_ok(eval.steps[i] >= 2 && eval.steps[i] <= eval.most[i],
			       "%s: %lld of %lld", finals_step_name((enum finals_step)i),
			       (long long)eval.steps[i], (long long)eval.most[i]);
	eval_submit(v, "scale", NOTHING, 9);
	if (tap_ok(eval_take(v, &done), "and afterwards one alone")) {
		eval_check_good(&done.result);
		result_fini(&done.result);
	}
}

/* One that dies in the rounds is the only one that fails: the others are measured again. */
static void test_finals_crash(struct evaluator *v)
{
	static const int faults[] = {NOTHING, NOTHING, LATE, NOTHING};
	struct eval_done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(eval_take(v, &done), "result %zu", i)) {
			bool crashed = done.result.status == RESULT_CRASHED;
			tap_ok(crashed == (faults[done.id] == LATE), "fault %d: %s: %s",
			       faults[done.id], result_status_name(done.result.status),
			       result_reason(&done.result));
			tap_ok((done.result.n_samples >= 6) != crashed, "%zu samples",
			       done.result.n_samples);
			result_fini(&done.result);
		}
}

/* Each that does harm costs its worker: what is sent again and again for that is not to blame. */
static void test_finals_harm(struct evaluator *v)
{
	static const int faults[MANY] = {NOTHING, BEYOND, BEYOND, BEYOND,
					 BEYOND,  BEYOND, BEYOND, BEYOND};
	struct eval_done done;

	submit_several(v, faults, MANY, 0);
	for (size_t i = 0; i < MANY; i++)
		if (tap_ok(eval_take(v, &done), "result %zu", i)) {
			bool good = faults[done.id] == NOTHING;
			tap_ok(done.result.status == (good ? RESULT_OK : RESULT_WRONG),
			       "fault %d: %s: %s", faults[done.id],
			       result_status_name(done.result.status), result_reason(&done.result));
			result_fini(&done.result);
		}
}

/* Who fails in the rounds for what another has left, and passes alone, has no failure; nor does it
 * take part. */
static void test_finals_blame(struct evaluator *v)
{
	static const int faults[] = {NOTHING, SPOIL, VICTIM, MISLED};
	struct eval_done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(eval_take(v, &done), "result %zu", i)) {
			bool took_part = done.id < 2;
			tap_ok(done.result.status == RESULT_OK && !done.again, "fault %d: %s: %s",
			       faults[done.id], result_status_name(done.result.status),
			       result_reason(&done.result));
			tap_ok((done.result.n_samples >= 6) == took_part, "%zu samples",
			       done.result.n_samples);
			if (!took_part)
				tap_has(result_reason(&done.result), "beside others, and not alone",
					"with the reason");
			result_fini(&done.result);
		}
}

/* Three sets of inputs: who keeps answers by address is wrong on another, or takes too long where
 * its tensors lie elsewhere, whichever is found first; who keeps them by value takes too long on
 * inputs that nobody has seen; who works as long always passes, and is the answer
 * without them. */
static void test_finals_inputs(const struct binding *b)
{
	static const int faults[] = {WORKS, ADDRESS, KEEPS, WORKS};
	struct eval_setting o = eval_options(b);
	struct eval_done done;
	struct evaluator *v;
	struct asc_err e;

	o.problem.seeds[1] = 4711;
	o.problem.seeds[2] = 815;
	o.problem.n_sets = 3;
	enum asc_status s = eval_open(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++) {
		if (!tap_ok(eval_take(v, &done) && done.id < at_once, "result %zu", i))
			break;
		const bool good = faults[done.id] == WORKS;

		tap_ok(done.result.status == (good ? RESULT_OK : RESULT_WRONG), "fault %d: %s: %s",
		       faults[done.id], result_status_name(done.result.status),
		       result_reason(&done.result));
		if (faults[done.id] == KEEPS)
			tap_has(result_reason(&done.result),
				" x as long on inputs that it has not seen",
				"by value: found by its time");
		result_fini(&done.result);
	}
	eval_close(v);
}

/* When time is up the fewest rounds are held, and no more. */
static void test_finals_late(const struct binding *b)
{
	static const int faults[] = {NOTHING, NOTHING, NOTHING, NOTHING};
	struct eval_setting o = eval_options(b);
	struct eval_done done;
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.finals.wall_ns = 1;
	enum asc_status s = eval_open(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(eval_take(v, &done), "result %zu", i)) {
			tap_int((int)done.result.n_samples, (int)o.problem.policy.finals.fewest,
				"samples where time was up before");
			result_fini(&done.result);
		}
	eval_close(v);
}

/* When nothing may be begun there is no verdict. */
static void test_finals_too_late(struct evaluator *v)
{
	static const int faults[] = {NOTHING, NOTHING, NOTHING, NOTHING};
	struct eval_done done;

	submit_finals(v, faults, 1);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(eval_take(v, &done), "result %zu", i)) {
			tap_ok(done.again && done.result.n_samples == 0, "has no samples");
			result_fini(&done.result);
		}
}

/* What is begun too late has no samples either; a build is given up, and the compiler with it. */
static void test_too_late(struct evaluator *v)
{
	struct trial *t = eval_trial(++eval.last_id, "scale", NOTHING, 1);
	struct eval_done done;
	struct asc_err e;
	bool taken;

	t->until_ns = 1;
	tap_int(eval.ops->submit(v, &t, 1, &e), ASC_OK, "time is up before");
	if (tap_ok(eval_take(v, &done), "a result")) {
		tap_ok(done.again && done.result.n_samples == 0, "without samples");
		result_fini(&done.result);
	}
	t = eval_trial(++eval.last_id, "scale", FRESH, 1);
	tap_int(eval.ops->submit(v, &t, 1, &e), ASC_OK, "one that has to be compiled");
	tap_int(eval_poll(v, 0, &done, &taken, &e), ASC_OK, "is given to the compiler");
	tap_ok(!taken && eval.ops->cancel(v, t), "and can be given up");
	tap_int(eval_poll(v, 300000000, &done, &taken, &e), ASC_OK, "nothing comes");
	tap_ok(!taken, "of it");
	uint64_t id = eval_submit(v, "scale", FRESH, 2);
	if (tap_ok(eval_take(v, &done) && done.id == id, "the next one is built and measured")) {
		tap_ok(!done.result.cached, "by a compiler of its own");
		eval_check_good(&done.result);
		result_fini(&done.result);
	}
}

static void test(struct binding *small)
{
	const struct eval_setting o = eval_options(small);
	struct evaluator *v;
	struct asc_err e;
	enum asc_status s = eval_open(&o, &v, &e);

	if (tap_int(s, ASC_OK, "opens: %s", s ? e.text : "")) {
		test_finals(v);
		test_finals_crash(v);
		test_finals_harm(v);
		test_finals_blame(v);
		test_finals_too_late(v);
		test_too_late(v);
		eval_close(v);
		test_finals_inputs(small);
		test_finals_late(small);
	}
}

int main(int argc, char **argv)
{
	return eval_main(argc, argv, test);
}
