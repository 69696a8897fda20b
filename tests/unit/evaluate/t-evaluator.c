/* The worker evaluator on kernels that misbehave (unit/evaluate/faults.json): each becomes the
 * right result and the next configuration is measured correctly.
 * covers: session.c evaluator_worker.c workers.c workers_ask.c
 * worker_verbs.c */
#include "tuner/tune/evaluate/evaluator.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/unit/evaluate/eval.h"
#include "tuner/base/file.h"

/* ---- every fault ---- */

static const struct expected {
	enum fault fault;
	enum result_status status;
	enum phase phase;
	const char *reason; /* part of it */
} expected[] = {
	{NOTHING, RESULT_OK, PHASE_MEASURE, NULL},
	{SEGFAULT, RESULT_CRASHED, PHASE_VERIFY, "was killed by SIGSEGV"},
	{ABORT, RESULT_CRASHED, PHASE_VERIFY, "was killed by SIGABRT"},
	{EXIT, RESULT_CRASHED, PHASE_VERIFY, "exited with status 0"},
	{LOOP, RESULT_TIMEOUT, PHASE_VERIFY, "ran past its limit of 300 ms"},
	{WRONG, RESULT_WRONG, PHASE_VERIFY, "y: 2 of 1000 elements differ, the first y[3,5]: "},
	{NOT_A_NUMBER, RESULT_WRONG, PHASE_VERIFY, "the first y[0,17]: NaN instead of "},
	{BEYOND, RESULT_WRONG, PHASE_VERIFY, "wrote outside of tensor y, just past its end"},
	{INPUT, RESULT_CRASHED, PHASE_VERIFY, "was killed by SIGSEGV"},
	{COMPILE, RESULT_BUILD_FAILED, PHASE_BUILD, "refused on purpose"},
	{FLOOD, RESULT_OK, PHASE_MEASURE, NULL},
	{CLOSE, RESULT_OK, PHASE_MEASURE, NULL},
	{CUT, RESULT_CRASHED, PHASE_VERIFY, ""},
	{LATE, RESULT_CRASHED, PHASE_MEASURE, "was killed by SIGILL"},
	{SLOW, RESULT_OK, PHASE_MEASURE, NULL}, /* no launch takes too long, all together do */
	{DRIFT, RESULT_WRONG, PHASE_MEASURE, "in a later launch: y: 1 of 1000 elements differ"},
	{IDLE, RESULT_WRONG, PHASE_MEASURE,
	 "in a later launch: y: 1000 of 1000 elements never written"},
	{COPY, RESULT_WRONG, PHASE_VERIFY, "1000 of 1000 elements differ, the first y[0,0]: -1"},
	{THREAD, RESULT_OK, PHASE_MEASURE, NULL},
	{TIMER, RESULT_OK, PHASE_MEASURE, NULL},
	{FORK, RESULT_OK, PHASE_MEASURE, NULL},
	{SPOIL, RESULT_OK, PHASE_MEASURE, NULL},
	{VICTIM, RESULT_OK, PHASE_MEASURE, NULL}, /* of what stands before it: asked once more */
};

static const size_t cases = sizeof expected / sizeof *expected;

static void check_bad(const struct expected *x, const struct result *r)
{
	if (x->status == RESULT_OK && r->status == RESULT_TIMEOUT &&
	    tap_skip_emulated("it is too slow for the limit"))
		return;
	tap_str(result_status_name(r->status), result_status_name(x->status), "fault %d: %s",
		x->fault, r->reason ? r->reason : "");
	tap_str(phase_name(r->phase), phase_name(x->phase), "in its phase");
	if (x->reason)
		tap_has(r->reason, x->reason, "with its reason");
	if (x->status == RESULT_BUILD_FAILED)
		tap_has(r->log, "error", "and the compiler's words");
	if (x->fault == WRONG)
		tap_real(r->errors.max_abs, 0.25, 1e-6, "and its error");
}

/* A good kernel after each bad one, all submitted ahead. */
static void test_faults(struct evaluator *v)
{
	uint64_t first = eval.last_id + 1;
	size_t submitted = 0, taken = 0;
	struct eval_done done;

	tap_ok(eval.ops->capacity(v, false) >= 8, "wants at least 8 at once");
	while (taken < 2 * cases) {
		for (; submitted < 2 * cases && submitted - taken < eval.ops->capacity(v, false);
		     submitted++)
			eval_submit(v, "scale",
				    submitted % 2 ? NOTHING : (int)expected[submitted / 2].fault,
				    (int)(submitted / 2 + submitted % 2)); /* no launch is equal */
		if (!eval_take(v, &done)) {
			tap_ok(false, "result %zu of %zu", taken + 1, 2 * cases);
			return;
		}
		size_t i = (size_t)(done.id - first);
		if (i % 2)
			eval_check_good(&done.result);
		else
			check_bad(&expected[i / 2], &done.result);
		result_fini(&done.result);
		taken++;
	}
}

/* Results until one is late, which is taken; others belong to good kernels. */
static bool take_late(struct evaluator *v, struct eval_done *done)
{
	enum { TRIES = 16 };

	for (int i = 0; i < TRIES; i++) { /* samples of a busy machine decide nothing */
		uint64_t id = eval_submit(v, "scale", RIVAL, i);

		if (!eval_take(v, done) || done->late)
			return done->late;
		tap_ok(done->id == id && !result_status_failed(done->result.status),
		       "a incumbent is %s", result_status_name(done->result.status));
		tap_ok(!strstr(result_reason(&done->result), "could not be launched"),
		       "and not taken before what befell the best");
		result_fini(&done->result);
	}
	return false;
}

/* The fastest stays loaded and is launched beside a slower one: when it fails then, that is a
 * second result of its own, and nobody else's, and comes first: behind the last trial's nobody
 * waits. */
static void test_late(const struct binding *b, enum fault fault, enum result_status status)
{
	struct eval_setting o = eval_options(b);
	struct eval_done done = {0};
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.race.first_cut = 4;
	o.problem.policy.race.doubt_ratio = 1000;
	enum asc_status s = eval_open(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	uint64_t first = eval_submit(v, "scale", fault, 0);
	if (tap_ok(eval_take(v, &done) && done.id == first, "a fast one")) {
		tap_int(done.result.status, RESULT_OK, "passes");
		tap_int(eval.ops->incumbent(v, &done.result, &e), ASC_OK, "and is the best");
		result_fini(&done.result);
	}
	if (tap_ok(take_late(v, &done) && done.id == first, "it has a second result")) {
		tap_int(done.result.status, status, "%s", result_reason(&done.result));
		result_fini(&done.result);
	}
	if (tap_ok(eval_take(v, &done), "the other")) {
		tap_ok(!done.late && done.id == eval.last_id, "has its own");
		tap_ok(!result_status_failed(done.result.status), "and is not blamed: %s",
		       result_status_name(done.result.status));
		result_fini(&done.result);
	}
	eval_close(v);
}

/* Results and the best's samples are each larger than what a stream holds. */
static void test_many_samples(const struct binding *b)
{
	enum { SAMPLES = 60000, JOBS = 3 };
	struct eval_setting o = eval_options(b);
	struct eval_done done;
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.sampling.min_samples = o.problem.policy.sampling.max_samples = SAMPLES;
	o.problem.policy.tests.checks[0] = 2;
	o.problem.policy.tests.p_slow = o.problem.policy.tests.p_near = 0;
	o.problem.policy.limit_ns = o.problem.policy.least_limit_ns =
		60000000000; /* such messages take time */
	enum asc_status s = eval_open(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	for (int i = 0; i < JOBS; i++)
		eval_submit(v, "scale", NOTHING, i);
	for (int i = 0; i < JOBS; i++)
		if (tap_ok(eval_take(v, &done), "result %d", i)) {
			tap_int(done.result.n_samples, SAMPLES, "all samples: %s",
				result_reason(&done.result));
			tap_int(eval.ops->incumbent(v, &done.result, &e), ASC_OK,
				"are raced against");
			result_fini(&done.result);
		}
	eval_close(v);
}

/* True of a forged result that came late: the worker, which was asked for its clock before that was
 * looked at, was not waiting to be asked. */
static bool is_held(const struct result *r)
{
	return strstr(result_reason(r), "it does not wait for an answer") ||
	       strstr(result_reason(r), "unknown request \"clock\"");
}

/* Results that a kernel sends by itself, and times by a clock that it has patched. */
static void test_forged(struct evaluator *v)
{
	static const struct {
		enum fault fault;
		const char *reason;
	} all[] = {
		{FORGE, "times of launches that it did not announce"},
		{BOAST, "times of 3 h together"},
		{TWICE, "a second result of one trial"},
		{PEAKS, "sends \"peaks\" when nothing asks for that"},
		{LACKS, "no memory"},
		{NAMES, "a name is too long"},
		{OPENS, "sends \"ready\" when nothing asks for that"},
		{ACCUSES, "a second result of a trial that it has let go"},
		{POSES, "speaks of configuration 4241, which is not its turn"},
#if defined(__x86_64__)
		{STILL, "its clock stands still"},
		{HALVES, "its clock runs slow"}
#endif
	};
	struct eval_done done;
	struct asc_err e;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct trial *t = eval_trial(FORGED_ID, "scale", (int)all[i].fault, (int)i);

		tap_int(eval.ops->submit(v, &t, 1, &e), ASC_OK, "fault %d", all[i].fault);
		if (!tap_ok(eval_take(v, &done) && done.id == FORGED_ID, "its result"))
			continue;
		if (all[i].fault == TWICE && !is_held(&done.result)) {
			tap_int(done.result.status, RESULT_OK, "a forged result is taken");
			result_fini(&done.result);
			if (!tap_ok(eval_take(v, &done), "and a second one comes"))
				continue;
		}
		tap_int(done.result.status, RESULT_CRASHED, "fault %d", all[i].fault);
		if (!is_held(&done.result))
			tap_has(done.result.reason, all[i].reason, "fault %d: why", all[i].fault);
		result_fini(&done.result);
	}
}

static void test_nameless(struct evaluator *v)
{
	struct eval_done done;
	uint64_t id = eval_submit(v, "nameless", 0, 0);

	if (!tap_ok(eval_take(v, &done) && done.id == id, "an entry that is not in the source"))
		return;
	tap_str(result_status_name(done.result.status), "build_failed", "is not built");
	tap_has(done.result.reason, "no_such_function", "and named");
	result_fini(&done.result);
}

/* Takes `n` results of identifiers from `first` on. */
static bool take_several(struct evaluator *v, uint64_t first, size_t n, struct result *out)
{
	struct eval_done done;
	size_t taken = 0;

	while (taken < n && eval_take(v, &done) && done.id - first < n) {
		out[done.id - first] = done.result;
		taken++;
	}
	return tap_int((long)taken, (long)n, "%zu results come", n);
}

static bool has_times_of(const struct result *r, const struct result *other)
{
	return r->n_samples == other->n_samples &&
	       memcmp(r->samples, other->samples, r->n_samples * sizeof *r->samples) == 0;
}

static const struct result *kept; /* of the trial with that index; what recall() has */
static uint64_t kept_index;

static enum asc_status recall(void *user, size_t search, uint64_t index, struct result *out,
			      bool *found, struct asc_err *e)
{
	(void)user, (void)search;
	result_init(out);
	*found = kept && index == kept_index;
	return *found ? result_copy(kept, out, e) : ASC_OK;
}

/* Equal code in an equal launch is measured once. */
static void test_equal(struct evaluator *v)
{
	enum { ONE = 1000, OTHER }; /* launches that no other test has made */
	struct trial *list[3];
	struct result r[5];
	struct asc_err e;
	uint64_t first = eval_submit(v, "scale", NOTHING, ONE);

	eval_submit(v, "scale", NOTHING, ONE);
	eval_submit(v, "scale", WRONG, ONE);
	eval_submit(v, "scale", WRONG, ONE);
	if (!take_several(v, first, 4, r))
		return;
	eval_check_good(&r[0]);
	tap_ok(has_times_of(&r[1], &r[0]), "an equal launch has the same times");
	tap_has(result_reason(&r[1]), "same code as ", "an equal launch says whose times it has");
	tap_ok(r[1].same.as && !r[0].same.as, "which is %s", r[1].same.as ? r[1].same.as : "");
	tap_int(r[1].spent_ns[PHASE_MEASURE], 0, "an equal launch took no time");
	tap_ok(r[3].status == RESULT_WRONG && r[3].spent_ns[PHASE_VERIFY] == 0,
	       "what is equal to a wrong launch is wrong");
	kept = &r[0];
	kept_index = first;
	first = eval_submit(v, "scale", NOTHING, ONE);
	if (take_several(v, first, 1, &r[4])) {
		tap_int(r[4].spent_ns[PHASE_MEASURE], 0, "a later equal launch took no time");
		tap_ok(has_times_of(&r[4], &r[0]), "and has the times that were recorded");
	}
	for (size_t i = 0; i < 5; i++)
		result_fini(&r[i]);
	kept = NULL;
	first = eval_submit(v, "scale", NOTHING, ONE);
	if (take_several(v, first, 1, r))
		tap_ok(r[0].spent_ns[PHASE_MEASURE] > 0,
		       "one whose times were not recorded is measured");
	result_fini(&r[0]);

	for (size_t i = 0; i < 3; i++) {
		list[i] = eval_trial(i, "scale", NOTHING, i < 2 ? ONE : OTHER);
		list[i]->purpose = TRIAL_ROUNDS;
		list[i]->seed = 7;
		list[i]->full = i == 1;
	}
	tap_int(eval.ops->submit(v, list, 3, &e), ASC_OK, "rounds with an equal launch");
	if (!take_several(v, 0, 3, r))
		return;
	tap_ok(r[0].spent_ns[PHASE_MEASURE] > 0 && has_times_of(&r[1], &r[0]),
	       "equal finalists have the times of the same rounds");
	tap_ok(!has_times_of(&r[2], &r[0]), "another finalist has times of its own");
	for (size_t i = 0; i < 3; i++)
		result_fini(&r[i]);
	first = eval_submit(v, "scale", NOTHING, ONE);
	if (take_several(v, first, 1, r))
		tap_ok(r[0].spent_ns[PHASE_MEASURE] > 0, "times of finals are not taken again");
	result_fini(&r[0]);
}

/* ---- what is not about one configuration ---- */

/* Submits a good kernel and expects an error that says `part`. */
static void expect_failure(const struct eval_setting *o, const char *part, const char *name)
{
	struct evaluator *v;
	struct eval_done done;
	struct asc_err e;
	bool taken = false;
	enum asc_status s = eval_open(o, &v, &e);

	if (!s) {
		eval_submit(v, "scale", NOTHING, 0);
		s = eval_poll(v, 30000000000, &done, &taken, &e);
		if (taken)
			result_fini(&done.result);
		eval_close(v);
	}
	if (tap_ok(s != ASC_OK && !taken, "%s is an error", name))
		tap_has(e.text, part, "that says why");
}

static void test_failures(void)
{
	struct binding b;
	struct eval_setting o;
	static const char *const probes[] = {"telepathy", NULL};

	if (eval_bind(&b, "crashing-reference")) {
		o = eval_options(&b);
		expect_failure(&o, "the reference crashed: the worker was killed by SIGABRT",
			       "a reference that crashes");
		binding_fini(&b);
	}
	if (!eval_bind(&b, "small"))
		return;
	o = eval_options(&b);
	o.target.program = "/nonexistent/asctune";
	expect_failure(&o, "/nonexistent/asctune", "a program that is not there");
	o.target.program = "/bin/false";
	expect_failure(&o, "3 workers in a row did not get ready; the last exited with status 1",
		       "a worker that dies at once");
	o = eval_options(&b);
	o.target.probes = probes;
	expect_failure(&o, "no probe \"telepathy\"", "an unknown probe");
	binding_fini(&b);
}

/* On a device that does not share its cores with compilers, what is in the cache overtakes what is
 * built: it is sent first, and answered first. */
static void test_overtaking(void)
{
	struct device_info apart = eval.info;
	struct binding b;
	struct evaluator *v = NULL;
	struct eval_done done;
	struct asc_err e;
	enum { OTHERS = 8 };
	int right = 0;

	apart.shares_host = false;
	if (!eval_bind(&b, "small"))
		return;
	struct eval_setting o = eval_options(&b);
	o.target.info = &apart;
	char *cache = path_join(eval.folder, "overtaking");
	o.target.cache = cache;
	o.problem.policy.sampling.max_ns =
		200000000; /* long enough for a compiler to end meanwhile */
	o.problem.policy.limit_ns = 30000000000;
	if (tap_ok(!eval_open(&o, &v, &e), "a device apart from the compilers")) {
		eval_submit(v, "scale", SLOW, 0);
		eval_submit(v, "scale", NOTHING, 0);
		for (int i = 0; i < 2 && eval_take(v, &done); i++)
			result_fini(&done.result);
		eval_submit(v, "scale", SLOW, 1);
		eval_submit(v, "scale", FLOOD, 1); /* the one that is to be compiled */
		for (int i = 2; i < OTHERS; i++)
			eval_submit(v, "scale", SLOW, i);
		for (int i = 0; i < OTHERS && eval_take(v, &done); i++) {
			right += done.result.status == RESULT_OK;
			result_fini(&done.result);
		}
		tap_int(right, OTHERS, "what overtakes others is taken for what it is");
		eval_close(v);
	}
	free(cache);
	binding_fini(&b);
}

static void test(struct binding *small)
{
	struct eval_setting o = eval_options(small);
	struct evaluator *v;
	struct asc_err e;

	o.problem.recall = recall;
	tap_ok(evaluator_find("telepathy") == NULL, "no such evaluator");
	enum asc_status s = eval_open(&o, &v, &e);
	if (tap_int(s, ASC_OK, "opens: %s", s ? e.text : "")) {
		test_faults(v);
		test_equal(v);
		test_forged(v);
		test_nameless(v);
		eval_close(v);
		test_late(small, BETRAY, RESULT_CRASHED);
		test_late(small, STRAY, RESULT_WRONG);
		test_many_samples(small);
	}
	test_failures();
	test_overtaking();
}

int main(int argc, char **argv)
{
	return eval_main(argc, argv, test);
}
