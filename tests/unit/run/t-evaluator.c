/* The worker evaluator on kernels that misbehave (unit/evaluator/faults.json): each becomes the
 * right result and the next configuration is measured correctly. This program is its own worker. */
#include "tuner/binding/workload_open.h"
#include "tuner/run/evaluator.h"
#include "tuner/run/trial.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/evaluator/faults.h"
#include "tuner/base/buf.h"
#include "tuner/base/channel.h"
#include "tuner/base/file.h"
#include "tuner/base/proc.h"
#include "tuner/base/sandbox.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/results/roofline.h"
#include "tuner/run/worker_link.h"
#include "tuner/run/worker_verbs.h"

static struct workload *workload;
static struct device_info info;
static char folder[256];
static const struct evaluator_ops *ops;
static const char *const names[] = {"FAULT", "PASS", NULL};
static uint64_t next_id;
static int damaged_files;
static int64_t rounds, most_rounds; /* of finals, as they were said last */

/* ---- helpers ---- */

static bool bind(struct binding *b, const char *problem)
{
	struct asc_err e;
	const struct problem *p = workload_find_problem(workload, problem);

	return tap_ok(p && binding_init(b, workload, p, "cpu", &info.facts, &e) == ASC_OK,
		      "problem %s", problem);
}

static void hear_round(void *user, int64_t done, int64_t most)
{
	(void)user;
	rounds = done;
	most_rounds = most;
}

struct setting {
	struct evaluator_target target;
	struct evaluator_problem problem;
};

static struct setting options(const struct binding *b)
{
	struct setting o = {
		.target = {.device = device_find("cpu"),
			   .place = "",
			   .info = &info,
			   .cache = folder,
			   .program = "/proc/self/exe",
			   .build_jobs = 2},
		.problem = {
			.binding = b, .seed = 1, .policy = policy_default, .round = hear_round}};

	o.problem.policy.cache = CACHE_HOT;
	o.problem.policy.first_cut = 0; /* kernels of nanoseconds on a machine with other work */
	o.problem.policy.checks[0] = 0;
	o.problem.policy.limit_ns = 300000000;
	o.problem.policy.max_ns = 1000000;
	return o;
}

static enum asc_status open_on(const struct setting *o, struct evaluator **v, struct asc_err *e)
{
	enum asc_status s = ops->open(&o->target, v, e);

	if (!s)
		s = ops->begin(*v, &o->problem, e);
	if (s && *v) {
		ops->end(*v);
		ops->close(*v);
		*v = NULL;
	}
	return s;
}

static void close_on(struct evaluator *v)
{
	ops->end(v);
	ops->close(v);
}

static struct trial places[512]; /* of trials, by number */

static struct trial *make_trial(uint64_t id, const char *implementation, int fault, int pass)
{
	struct trial *t = &places[id % (sizeof places / sizeof *places)];

	trial_fini(t);
	*t = (struct trial){.id = id,
			    .implementation =
				    workload_find_implementation(workload, implementation),
			    .names = names};
	t->config.n = t->implementation->n_parameters;
	t->config.values[0] = value_int(fault);
	t->config.values[1] = value_int(pass);
	return t;
}

static uint64_t submit(struct evaluator *v, const char *implementation, int fault, int pass)
{
	struct trial *t = make_trial(++next_id, implementation, fault, pass);
	struct asc_err e;
	enum asc_status s = ops->submit(v, &t, 1, &e);

	if (s)
		tap_ok(false, "submit: %s", e.text);
	return t->id;
}

struct done { /* what has become of a trial */
	uint64_t id;
	bool again, late;
	struct result result;
};

static enum asc_status poll_for(struct evaluator *v, int64_t ns, struct done *done, bool *taken,
				struct asc_err *e)
{
	struct trial *t = NULL;
	enum asc_status s = ops->poll(v, ns, &t, e);

	*taken = t != NULL;
	if (t) {
		*done = (struct done){t->id, trial_is_undecided(t), t->late, t->result};
		result_init(&t->result);
	}
	return s;
}

/* The next result; false when none comes within two minutes or the evaluator fails. */
static bool take(struct evaluator *v, struct done *done)
{
	struct asc_err e;
	bool taken = false;
	enum asc_status s = poll_for(v, 120000000000, done, &taken, &e);

	if (s || !taken)
		tap_str(s ? e.text : "nothing within two minutes", "a result", "poll of a trial");
	return s == ASC_OK && taken;
}

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
	{WRONG, RESULT_WRONG, PHASE_VERIFY,
	 "y: largest error 0.25; 2 of 1000 elements differ, first at [3,5]: "},
	{NOT_A_NUMBER, RESULT_WRONG, PHASE_VERIFY, "first at [0,17]: NaN instead of "},
	{BEYOND, RESULT_WRONG, PHASE_VERIFY, "wrote outside of tensor y"},
	{INPUT, RESULT_CRASHED, PHASE_VERIFY, "was killed by SIGSEGV"},
	{COMPILE, RESULT_BUILD_FAILED, PHASE_BUILD, "refused on purpose"},
	{FLOOD, RESULT_OK, PHASE_MEASURE, NULL},
	{CLOSE, RESULT_OK, PHASE_MEASURE, NULL},
	{CUT, RESULT_CRASHED, PHASE_VERIFY, ""},
	{LATE, RESULT_CRASHED, PHASE_MEASURE, "was killed by SIGILL"},
	{SLOW, RESULT_OK, PHASE_MEASURE, NULL}, /* no launch takes too long, all together do */
	{DRIFT, RESULT_WRONG, PHASE_MEASURE,
	 "in a later launch: y: largest error 1; 1 of 1000 elements differ"},
	{IDLE, RESULT_WRONG, PHASE_MEASURE, "1000 of 1000 elements differ"},
	{COPY, RESULT_WRONG, PHASE_VERIFY, "1000 of 1000 elements differ, first at [0,0]: -1"},
	{THREAD, RESULT_OK, PHASE_MEASURE, NULL},
	{TIMER, RESULT_OK, PHASE_MEASURE, NULL},
	{FORK, RESULT_OK, PHASE_MEASURE, NULL},
	{SPOIL, RESULT_OK, PHASE_MEASURE, NULL},
	{VICTIM, RESULT_OK, PHASE_MEASURE, NULL}, /* of what stands before it: asked once more */
};

static const size_t cases = sizeof expected / sizeof *expected;

static void check_good(const struct result *r)
{
	tap_int(r->status, RESULT_OK, "a good kernel: %s", r->reason ? r->reason : "");
	tap_ok(r->n_samples >= 3, "is sampled");
	tap_ok(r->time.median > 0, "its time is known");
	tap_ok(r->errors.known && r->errors.max_abs == 0, "its error is known");
	tap_int(strlen(r->artifact), 32, "its artifact too");
	tap_ok(r->spent_ns[PHASE_MEASURE] > 0, "and where the time went");
}

static void check_bad(const struct expected *x, const struct result *r)
{
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
	uint64_t first = next_id + 1;
	size_t submitted = 0, taken = 0;
	struct done done;

	tap_ok(ops->capacity(v) >= 8, "wants at least 8 at once");
	while (taken < 2 * cases) {
		for (; submitted < 2 * cases && submitted - taken < ops->capacity(v); submitted++)
			submit(v, "scale",
			       submitted % 2 ? NOTHING : (int)expected[submitted / 2].fault,
			       (int)(submitted / 2 + submitted % 2)); /* no launch is equal */
		if (!take(v, &done)) {
			tap_ok(false, "result %zu of %zu", taken + 1, 2 * cases);
			return;
		}
		size_t i = (size_t)(done.id - first);
		if (i % 2)
			check_good(&done.result);
		else
			check_bad(&expected[i / 2], &done.result);
		result_fini(&done.result);
		taken++;
	}
}

static const size_t at_once = 4;
enum { MANY = 8 };

static void submit_several(struct evaluator *v, const int *faults, size_t n, int64_t until_ns)
{
	struct trial *list[MANY];
	struct asc_err e;

	for (size_t i = 0; i < n; i++) {
		list[i] = make_trial(i, "scale", faults[i], (int)i);
		list[i]->purpose = TRIAL_ROUNDS;
		list[i]->seed = 7;
		list[i]->until_ns = until_ns;
	}
	tap_int(ops->submit(v, list, n, &e), ASC_OK, "finals");
}

static void submit_finals(struct evaluator *v, const int *faults, int64_t until_ns)
{
	submit_several(v, faults, at_once, until_ns);
}

/* Two good ones, one that is wrong, one that does not build: the good ones take turns. */
static void test_finals(struct evaluator *v)
{
	static const int faults[] = {NOTHING, WRONG, COMPILE, NOTHING};
	struct done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++) {
		if (!tap_ok(take(v, &done) && done.id < at_once, "result %zu", i))
			return;
		bool good = faults[done.id] == NOTHING;
		tap_ok((done.result.status == RESULT_OK) == good, "fault %d is %s", faults[done.id],
		       result_status_name(done.result.status));
		tap_ok((done.result.n_samples >= 8) == good, "%zu samples: one for each round",
		       done.result.n_samples);
		tap_ok(!good || (rounds >= (int64_t)done.result.n_samples && most_rounds >= rounds),
		       "%lld rounds of %lld were said", (long long)rounds, (long long)most_rounds);
		result_fini(&done.result);
	}
	submit(v, "scale", NOTHING, 9);
	if (tap_ok(take(v, &done), "and afterwards one alone")) {
		check_good(&done.result);
		result_fini(&done.result);
	}
}

/* One that dies in the rounds is the only one that fails: the others are measured again. */
static void test_finals_crash(struct evaluator *v)
{
	static const int faults[] = {NOTHING, NOTHING, LATE, NOTHING};
	struct done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(take(v, &done), "result %zu", i)) {
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
	struct done done;

	submit_several(v, faults, MANY, 0);
	for (size_t i = 0; i < MANY; i++)
		if (tap_ok(take(v, &done), "result %zu", i)) {
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
	struct done done;

	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(take(v, &done), "result %zu", i)) {
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

/* When time is up the fewest rounds are held, and no more. */
static void test_finals_late(const struct binding *b)
{
	static const int faults[] = {NOTHING, NOTHING, NOTHING, NOTHING};
	struct setting o = options(b);
	struct done done;
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.finals_wall_ns = 1;
	enum asc_status s = open_on(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	submit_finals(v, faults, 0);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(take(v, &done), "result %zu", i)) {
			tap_int((int)done.result.n_samples, (int)o.problem.policy.finals_fewest,
				"samples where time was up before");
			result_fini(&done.result);
		}
	close_on(v);
}

/* When nothing may be begun there is no verdict. */
static void test_finals_too_late(struct evaluator *v)
{
	static const int faults[] = {NOTHING, NOTHING, NOTHING, NOTHING};
	struct done done;

	submit_finals(v, faults, 1);
	for (size_t i = 0; i < at_once; i++)
		if (tap_ok(take(v, &done), "result %zu", i)) {
			tap_ok(done.again && done.result.n_samples == 0, "has no samples");
			result_fini(&done.result);
		}
}

/* What is begun too late has no samples either; a build is given up, and the compiler with it. */
static void test_too_late(struct evaluator *v)
{
	struct trial *t = make_trial(++next_id, "scale", NOTHING, 1);
	struct done done;
	struct asc_err e;
	bool taken;

	t->until_ns = 1;
	tap_int(ops->submit(v, &t, 1, &e), ASC_OK, "time is up before");
	if (tap_ok(take(v, &done), "a result")) {
		tap_ok(done.again && done.result.n_samples == 0, "without samples");
		result_fini(&done.result);
	}
	t = make_trial(++next_id, "scale", FRESH, 1);
	tap_int(ops->submit(v, &t, 1, &e), ASC_OK, "one that has to be compiled");
	tap_int(poll_for(v, 0, &done, &taken, &e), ASC_OK, "is given to the compiler");
	tap_ok(!taken && ops->cancel(v, t), "and can be given up");
	tap_int(poll_for(v, 300000000, &done, &taken, &e), ASC_OK, "nothing comes");
	tap_ok(!taken, "of it");
	uint64_t id = submit(v, "scale", FRESH, 2);
	if (tap_ok(take(v, &done) && done.id == id, "the next one is built and measured")) {
		tap_ok(!done.result.cached, "by a compiler of its own");
		check_good(&done.result);
		result_fini(&done.result);
	}
}

/* Results until one is late, which is taken; others belong to good kernels. */
static bool take_late(struct evaluator *v, struct done *done)
{
	enum { TRIES = 16 };

	for (int i = 0; i < TRIES; i++) { /* samples of a busy machine decide nothing */
		uint64_t id = submit(v, "scale", RIVAL, i);

		if (!take(v, done) || done->late)
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
	struct setting o = options(b);
	struct done done = {0};
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.first_cut = 4;
	o.problem.policy.doubt_ratio = 1000;
	enum asc_status s = open_on(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	uint64_t first = submit(v, "scale", fault, 0);
	if (tap_ok(take(v, &done) && done.id == first, "a fast one")) {
		tap_int(done.result.status, RESULT_OK, "passes");
		tap_int(ops->incumbent(v, &done.result, &e), ASC_OK, "and is the best");
		result_fini(&done.result);
	}
	if (tap_ok(take_late(v, &done) && done.id == first, "it has a second result")) {
		tap_int(done.result.status, status, "%s", result_reason(&done.result));
		result_fini(&done.result);
	}
	if (tap_ok(take(v, &done), "the other")) {
		tap_ok(!done.late && done.id == next_id, "has its own");
		tap_ok(!result_status_failed(done.result.status), "and is not blamed: %s",
		       result_status_name(done.result.status));
		result_fini(&done.result);
	}
	close_on(v);
}

/* Results and the best's samples are each larger than what a stream holds. */
static void test_many_samples(const struct binding *b)
{
	enum { SAMPLES = 60000, JOBS = 3 };
	struct setting o = options(b);
	struct done done;
	struct evaluator *v;
	struct asc_err e;

	o.problem.policy.min_samples = o.problem.policy.max_samples = SAMPLES;
	o.problem.policy.checks[0] = 2;
	o.problem.policy.p_slow = o.problem.policy.p_near = 0;
	o.problem.policy.limit_ns = o.problem.policy.least_limit_ns =
		60000000000; /* such messages take time */
	enum asc_status s = open_on(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	for (int i = 0; i < JOBS; i++)
		submit(v, "scale", NOTHING, i);
	for (int i = 0; i < JOBS; i++)
		if (tap_ok(take(v, &done), "result %d", i)) {
			tap_int(done.result.n_samples, SAMPLES, "all samples: %s",
				result_reason(&done.result));
			tap_int(ops->incumbent(v, &done.result, &e), ASC_OK, "are raced against");
			result_fini(&done.result);
		}
	close_on(v);
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
#if defined(__x86_64__)
		{STILL, "its clock stands still"}
#endif
	};
	struct done done;
	struct asc_err e;

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct trial *t = make_trial(FORGED_ID, "scale", (int)all[i].fault, (int)i);

		tap_int(ops->submit(v, &t, 1, &e), ASC_OK, "fault %d", all[i].fault);
		if (all[i].fault == TWICE && take(v, &done)) {
			tap_int(done.result.status, RESULT_OK, "a forged result is taken");
			result_fini(&done.result);
		}
		if (!tap_ok(take(v, &done) && done.id == FORGED_ID, "its result"))
			continue;
		tap_int(done.result.status, RESULT_CRASHED, "fault %d", all[i].fault);
		tap_has(done.result.reason, all[i].reason, "fault %d: why", all[i].fault);
		result_fini(&done.result);
	}
}

static void test_nameless(struct evaluator *v)
{
	struct done done;
	uint64_t id = submit(v, "nameless", 0, 0);

	if (!tap_ok(take(v, &done) && done.id == id, "an entry that is not in the source"))
		return;
	tap_str(result_status_name(done.result.status), "build_failed", "is not built");
	tap_has(done.result.reason, "no_such_function", "and named");
	result_fini(&done.result);
}

/* The second run finds everything in the cache. */
static void test_cached(const struct binding *b)
{
	const struct setting o = options(b);
	struct evaluator *v;
	struct done done;
	struct asc_err e;

	if (!tap_int(open_on(&o, &v, &e), ASC_OK, "a second evaluator"))
		return;
	submit(v, "scale", NOTHING, 0);
	if (tap_ok(take(v, &done), "measures")) {
		check_good(&done.result);
		tap_ok(done.result.cached, "what the cache has");
		result_fini(&done.result);
	}
	close_on(v);
}

static int damage_file(const char *path, const struct stat *st, int type, struct FTW *at)
{
	const char *dot = strrchr(path, '.');
	FILE *f = type == FTW_F && dot && strcmp(dot, ".f64") == 0 ? fopen(path, "r+") : NULL;

	(void)at;
	if (!f)
		return 0;
	fseek(f, (long)st->st_size / 2, SEEK_SET);
	for (int i = 0; i < 64; i++)
		fputc(0, f);
	fclose(f);
	damaged_files++;
	return 0;
}

/* A reference that a disk has damaged is worked out again, not believed. */
static void test_damaged_reference(const struct binding *b)
{
	(void)nftw(folder, damage_file, 16, FTW_PHYS);
	tap_ok(damaged_files > 0, "the reference is damaged");
	test_cached(b);
}

static void remove_from(const char *cache, const char *what)
{
	char *path = path_join(cache, what);

	dir_remove(path);
	tap_ok(!file_exists(path), "%s are removed", what);
	free(path);
}

/* Empties the cache and has the worker crash: the next one needs the reference. */
static bool empty_cache(struct evaluator *v, const char *cache, int round)
{
	struct done done;

	remove_from(cache, "artifacts");
	remove_from(cache, "reference");
	submit(v, "scale", ABORT, round);
	submit(v, "scale", NOTHING, round);
	for (int i = 0; i < 2; i++) {
		if (!tap_ok(take(v, &done), "round %d: the run goes on", round))
			return false;
		tap_str(result_status_name(done.result.status), i ? "ok" : "crashed",
			"round %d: its result", round);
		result_fini(&done.result);
	}
	return true;
}

/* A cache that is emptied during a run is filled again when the next worker needs the reference, at
 * whatever moment its build ends: several rounds meet several. */
static void test_emptied_cache(const struct binding *b)
{
	enum { ROUNDS = 5 };
	struct setting o = options(b);
	char *cache = path_join(folder, "emptied");
	struct evaluator *v;
	struct done done;
	struct asc_err e;

	o.target.cache = cache;
	if (tap_int(open_on(&o, &v, &e), ASC_OK, "a cache of its own")) {
		submit(v, "scale", NOTHING, 0);
		if (take(v, &done))
			result_fini(&done.result);
		for (int i = 1; i <= ROUNDS && empty_cache(v, cache, i); i++)
			;
		close_on(v);
	}
	free(cache);
}

/* Takes `n` results of identifiers from `first` on. */
static bool take_several(struct evaluator *v, uint64_t first, size_t n, struct result *out)
{
	struct done done;
	size_t taken = 0;

	while (taken < n && take(v, &done) && done.id - first < n) {
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

/* Equal code in an equal launch is measured once. */
static void test_equal(struct evaluator *v)
{
	struct trial *list[3];
	struct result r[4];
	struct asc_err e;
	uint64_t first = submit(v, "scale", NOTHING, 3);

	submit(v, "scale", NOTHING, 3);
	submit(v, "scale", WRONG, 3);
	submit(v, "scale", WRONG, 3);
	if (!take_several(v, first, 4, r))
		return;
	check_good(&r[0]);
	tap_ok(has_times_of(&r[1], &r[0]), "an equal launch has the same times");
	tap_has(result_reason(&r[1]), "equal artifact", "an equal launch says whose times it has");
	tap_int(r[1].spent_ns[PHASE_MEASURE], 0, "an equal launch took no time");
	tap_ok(r[3].status == RESULT_WRONG && r[3].spent_ns[PHASE_VERIFY] == 0,
	       "what is equal to a wrong launch is wrong");
	for (size_t i = 0; i < 4; i++)
		result_fini(&r[i]);
	first = submit(v, "scale", NOTHING, 3);
	if (take_several(v, first, 1, r))
		tap_int(r[0].spent_ns[PHASE_MEASURE], 0, "a later equal launch took no time");
	result_fini(&r[0]);

	for (size_t i = 0; i < 3; i++) {
		list[i] = make_trial(i, "scale", NOTHING, i < 2 ? 3 : 4);
		list[i]->purpose = TRIAL_ROUNDS;
		list[i]->seed = 7;
		list[i]->full = i == 1;
	}
	tap_int(ops->submit(v, list, 3, &e), ASC_OK, "rounds with an equal launch");
	if (!take_several(v, 0, 3, r))
		return;
	tap_ok(r[0].spent_ns[PHASE_MEASURE] > 0 && has_times_of(&r[1], &r[0]),
	       "equal finalists have the times of the same rounds");
	tap_ok(!has_times_of(&r[2], &r[0]), "another finalist has times of its own");
	for (size_t i = 0; i < 3; i++)
		result_fini(&r[i]);
	first = submit(v, "scale", NOTHING, 3);
	if (take_several(v, first, 1, r))
		tap_ok(r[0].spent_ns[PHASE_MEASURE] > 0, "times of finals are not taken again");
	result_fini(&r[0]);
}

static void test_small(void)
{
	struct binding b;
	struct evaluator *v;
	struct asc_err e;

	if (!bind(&b, "small"))
		return;
	const struct setting o = options(&b);
	enum asc_status s = open_on(&o, &v, &e);
	if (tap_int(s, ASC_OK, "opens: %s", s ? e.text : "")) {
		test_faults(v);
		test_finals(v);
		test_finals_crash(v);
		test_finals_harm(v);
		test_finals_blame(v);
		test_finals_too_late(v);
		test_too_late(v);
		test_equal(v);
		test_forged(v);
		test_nameless(v);
		close_on(v);
		test_finals_late(&b);
		test_late(&b, BETRAY, RESULT_CRASHED);
		test_late(&b, STRAY, RESULT_WRONG);
		test_many_samples(&b);
		test_cached(&b);
		test_damaged_reference(&b);
		test_emptied_cache(&b);
	}
	binding_fini(&b);
}

/* ---- what is not about one configuration ---- */

/* Submits a good kernel and expects an error that says `part`. */
static void expect_failure(const struct setting *o, const char *part, const char *name)
{
	struct evaluator *v;
	struct done done;
	struct asc_err e;
	bool taken = false;
	enum asc_status s = open_on(o, &v, &e);

	if (!s) {
		submit(v, "scale", NOTHING, 0);
		s = poll_for(v, 30000000000, &done, &taken, &e);
		if (taken)
			result_fini(&done.result);
		close_on(v);
	}
	if (tap_ok(s != ASC_OK && !taken, "%s is an error", name))
		tap_has(e.text, part, "that says why");
}

static void test_failures(void)
{
	struct binding b;
	struct setting o;
	static const char *const probes[] = {"telepathy", NULL};

	if (bind(&b, "crashing-reference")) {
		o = options(&b);
		expect_failure(&o, "the reference crashed: the worker was killed by SIGABRT",
			       "a reference that crashes");
		binding_fini(&b);
	}
	if (!bind(&b, "small"))
		return;
	o = options(&b);
	o.target.program = "/nonexistent/asctune";
	expect_failure(&o, "/nonexistent/asctune", "a program that is not there");
	o.target.program = "/bin/false";
	expect_failure(&o, "3 workers in a row did not get ready; the last exited with status 1",
		       "a worker that dies at once");
	o = options(&b);
	o.target.probes = probes;
	expect_failure(&o, "no probe \"telepathy\"", "an unknown probe");
	binding_fini(&b);
}

/* ---- the coordinator's end ---- */

static bool is_running(pid_t pid)
{
	char path[64], text[512] = "";

	(void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(text, sizeof text, f))
		text[0] = '\0';
	(void)fclose(f);
	const char *end = strrchr(text, ')'); /* of the name; then comes the state */
	return end && strlen(end) > 2 && end[2] != 'Z' && end[2] != 'X';
}

/* The children of a process; returns how many, at most n. */
static size_t find_children(pid_t parent, pid_t *children, size_t n)
{
	char path[64], text[1024] = "", *at = text;
	size_t found = 0;

	(void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)parent, (int)parent);
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(text, sizeof text, f))
		for (long pid; found < n && (pid = strtol(at, &at, 10)) > 0;)
			children[found++] = (pid_t)pid;
	(void)fclose(f);
	return found;
}

/* Measures endless loops until it is killed; says so on stdout once the first runs. */
static int coordinate(void)
{
	struct binding b;
	struct evaluator *v;
	struct done done;
	struct asc_err e;
	bool taken;

	if (binding_init(&b, workload, workload_find_problem(workload, "small"), "cpu", &info.facts,
			 &e))
		return 1;
	struct setting o = options(&b);
	o.problem.policy.limit_ns = 60000000000;
	if (open_on(&o, &v, &e))
		return 1;
	submit(v, "scale", NOTHING, 0);
	if (poll_for(v, 30000000000, &done, &taken, &e) || !taken)
		return 1;
	submit(v, "scale", LOOP, 0);
	if (poll_for(v, 200000000, &done, &taken, &e) || taken)
		return 1;
	puts("looping");
	(void)fflush(stdout);
	pause();
	return 1;
}

static void test_orphans(void)
{
	static const char *const argv[] = {"/proc/self/exe", "coordinate", folder, NULL};
	const struct proc_options o = {.argv = argv, .capture = true};
	struct proc p;
	struct asc_err e;
	pid_t workers[16];
	char word[16] = "";
	size_t n, left = 1;

	if (!tap_int(proc_start(&p, &o, &e), ASC_OK, "a coordinator of its own"))
		return;
	for (int i = 0; i < 3000 && !word[0]; i++) {
		if (read(p.output, word, sizeof word - 1) < 0)
			usleep(10000);
	}
	tap_has(word, "looping", "has a worker that loops");
	n = find_children(p.pid, workers, 16);
	tap_ok(n >= 1, "%zu workers", n);
	kill(p.pid, SIGKILL);
	for (int i = 0; i < 500 && left > 0; i++) {
		left = 0;
		for (size_t k = 0; k < n; k++)
			left += is_running(workers[k]);
		usleep(left ? 10000 : 0);
	}
	tap_int(left, 0, "end with their coordinator");
	proc_kill(&p);
}

/* ---- main ---- */

static int serve(void)
{
	struct asc_err e;

	if (worker_serve(CHANNEL_FD, &e) == ASC_OK)
		return 0;
	(void)fprintf(stderr, "worker: %s\n", e.text);
	return 2;
}

static void test_peaks(void)
{
	struct evaluator *v = NULL;
	struct binding b;
	struct asc_err e;
	struct peaks p = {0};

	if (!bind(&b, "small"))
		return;
	const struct setting o = options(&b);
	if (tap_ok(!open_on(&o, &v, &e), "an evaluator with nothing to do")) {
		tap_int(ops->peaks(v, DTYPE_F32, &p, 0, &e), ASC_OK, "measures the device's peaks");
		const struct peak *a = peaks_find(&p, PEAK_ARITHMETIC, "f32");
		const struct peak *m = peaks_find(&p, PEAK_MEMORY, "");
		tap_ok(a->rate >= a->low && a->low > 0 && a->moments > 1,
		       "%g to %g FLOP/s in %d moments", a->low, a->rate, (int)a->moments);
		tap_ok(m->rate >= m->low, "%g to %g B/s", m->low, m->rate);
		close_on(v);
	}
	binding_fini(&b);
}

static void test_peaks_unknown(void)
{
	const struct evaluator_target absent = {.device = device_find("cpu"),
						.place = "7",
						.program = "/proc/self/exe",
						.cache = folder};
	struct worker_link l = {0};
	struct asc_err e;
	struct peaks p;

	tap_int(link_find_peaks(&l, DTYPE_F32, &p, 0, &e), ASC_IO, "nobody can be asked");
	tap_int(link_start(&l, &absent, NULL, &e), ASC_OK,
		"a worker with a device that is not there");
	tap_int(link_find_peaks(&l, DTYPE_F32, &p, 0, &e), ASC_CHILD, "does not know");
	tap_has(e.text, "cpu:7: there are 1, numbered from 0", "and says so in its own words");
	link_kill(&l);
	link_clear_stderr(&l);
}

static bool set_up(void)
{
	struct asc_err e;
	const char *tmp = getenv("TMPDIR");

	/* A sanitizer must leave signals to the kernels that die of them. */
	(void)setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:handle_sigill=0:detect_leaks=0",
		     1);
	ops = evaluator_find("worker");
	if (!folder[0]) {
		(void)snprintf(folder, sizeof folder, "%s/asctune-XXXXXX", tmp ? tmp : "/tmp");
		if (!mkdtemp(folder))
			return tap_ok(false, "no folder %s", folder);
	}
	enum asc_status s = workload_open(TEST_DATA "/unit/evaluator/faults.json", &workload, &e);
	if (!s)
		s = sandbox_grant(TEST_DATA "/unit/evaluator", false, &e);
	if (!s)
		s = device_find("cpu")->inspect("", &info, &e);
	return s ? tap_ok(false, "%s", e.text) : true;
}

/* On a device that does not share its cores with compilers, what is in the cache overtakes what is
 * built: it is sent first, and answered first. */
static void test_overtaking(void)
{
	struct device_info apart = info;
	struct binding b;
	struct evaluator *v = NULL;
	struct done done;
	struct asc_err e;
	enum { OTHERS = 8 };
	int right = 0;

	apart.shares_host = false;
	if (!bind(&b, "small"))
		return;
	struct setting o = options(&b);
	o.target.info = &apart;
	char *cache = path_join(folder, "overtaking");
	o.target.cache = cache;
	o.problem.policy.max_ns = 200000000; /* long enough for a compiler to end meanwhile */
	o.problem.policy.limit_ns = 30000000000;
	if (tap_ok(!open_on(&o, &v, &e), "a device apart from the compilers")) {
		submit(v, "scale", SLOW, 0);
		submit(v, "scale", NOTHING, 0);
		for (int i = 0; i < 2 && take(v, &done); i++)
			result_fini(&done.result);
		submit(v, "scale", SLOW, 1);
		submit(v, "scale", FLOOD, 1); /* the one that is to be compiled */
		for (int i = 2; i < OTHERS; i++)
			submit(v, "scale", SLOW, i);
		for (int i = 0; i < OTHERS && take(v, &done); i++) {
			right += done.result.status == RESULT_OK;
			result_fini(&done.result);
		}
		tap_int(right, OTHERS, "what overtakes others is taken for what it is");
		close_on(v);
	}
	free(cache);
	binding_fini(&b);
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return serve();
	if (argc == 3 && strcmp(argv[1], "coordinate") == 0) {
		(void)snprintf(folder, sizeof folder, "%s", argv[2]);
		return set_up() ? coordinate() : 1;
	}
	tap_ok(evaluator_find("telepathy") == NULL, "no such evaluator");
	if (set_up()) {
		test_small();
		test_failures();
		test_overtaking();
		test_orphans();
		test_peaks();
		test_peaks_unknown();
	}
	workload_close(workload);
	dir_remove(folder);
	return tap_done();
}
