#include "tests/unit/evaluate/eval.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/device/device.h"
#include "tuner/process/channel.h"
#include "tuner/process/sandbox.h"
#include "tuner/worker/worker_verbs.h"
#include "tuner/workload/binding/workload_open.h"

static const char *const names[] = {"FAULT", "PASS", NULL};

struct eval eval;

bool eval_bind(struct binding *b, const char *problem)
{
	struct asc_err e;
	const struct problem *p = workload_find_problem(eval.workload, problem);

	return tap_ok(p && binding_init(b, eval.workload, p, "cpu", &eval.info.facts, &e) == ASC_OK,
		      "problem %s", problem);
}

static void hear_finals(void *user, const struct finals_progress *p)
{
	(void)user;
	eval.steps[p->step] = p->done;
	eval.most[p->step] = p->most;
}

struct eval_setting eval_options(const struct binding *b)
{
	struct eval_setting o = {.target = {.device = device_find("cpu"),
					    .place = "",
					    .info = &eval.info,
					    .cache = eval.folder,
					    .program = "/proc/self/exe",
					    .build_jobs = 2},
				 .problem = {.binding = b,
					     .seeds = {1},
					     .n_sets = 1,
					     .policy = policy_default,
					     .finals = hear_finals}};

	o.problem.policy.cache = CACHE_HOT;
	o.problem.policy.race.first_cut =
		0; /* kernels of nanoseconds on a machine with other work */
	o.problem.policy.tests.checks[0] = 0;
	o.problem.policy.limit_ns = 300000000;
	o.problem.policy.sampling.max_ns = 1000000;
	return o;
}

enum asc_status eval_open(const struct eval_setting *o, struct evaluator **v, struct asc_err *e)
{
	enum asc_status s = eval.ops->open(&o->target, v, e);

	if (!s)
		s = eval.ops->begin(*v, &o->problem, e);
	if (s && *v) {
		eval.ops->end(*v);
		eval.ops->close(*v);
		*v = NULL;
	}
	return s;
}

void eval_close(struct evaluator *v)
{
	eval.ops->end(v);
	eval.ops->close(v);
}

static struct trial places[512]; /* of trials, by number */

struct trial *eval_trial(uint64_t id, const char *implementation, int fault, int pass)
{
	struct trial *t = &places[id % (sizeof places / sizeof *places)];

	trial_fini(t);
	*t = (struct trial){.id = id,
			    .index = id,
			    .implementation =
				    workload_find_implementation(eval.workload, implementation),
			    .names = names};
	t->config.n = t->implementation->n_parameters;
	t->config.values[0] = value_int(fault);
	t->config.values[1] = value_int(pass);
	return t;
}

uint64_t eval_submit(struct evaluator *v, const char *implementation, int fault, int pass)
{
	struct trial *t = eval_trial(++eval.last_id, implementation, fault, pass);
	struct asc_err e;
	enum asc_status s = eval.ops->submit(v, &t, 1, &e);

	if (s)
		tap_ok(false, "submit: %s", e.text);
	return t->id;
}

enum asc_status eval_poll(struct evaluator *v, int64_t ns, struct eval_done *done, bool *taken,
			  struct asc_err *e)
{
	struct trial *t = NULL;
	enum asc_status s = eval.ops->poll(v, ns, &t, e);

	*taken = t != NULL;
	if (t) {
		*done = (struct eval_done){t->id, trial_is_undecided(t), t->late, t->result};
		result_init(&t->result);
	}
	return s;
}

bool eval_take(struct evaluator *v, struct eval_done *done)
{
	struct asc_err e;
	bool taken = false;
	enum asc_status s = eval_poll(v, 120000000000, done, &taken, &e);

	if (s || !taken)
		tap_str(s ? e.text : "nothing within two minutes", "a result", "poll of a trial");
	return s == ASC_OK && taken;
}

void eval_check_good(const struct result *r)
{
	tap_int(r->status, RESULT_OK, "a good kernel: %s", r->reason ? r->reason : "");
	tap_ok(r->n_samples >= 3, "is sampled");
	tap_ok(r->time.median > 0, "its time is known");
	tap_ok(r->errors.known && r->errors.max_abs == 0, "its error is known");
	tap_int(strlen(r->artifact), 32, "its artifact too");
	tap_ok(r->spent_ns[PHASE_MEASURE] > 0, "and where the time went");
}

/* ---- the program ---- */

static int serve(void)
{
	struct asc_err e;

	if (worker_serve(CHANNEL_FD, &e) == ASC_OK)
		return 0;
	(void)fprintf(stderr, "worker: %s\n", e.text);
	return 2;
}

bool eval_begin(void)
{
	struct asc_err e;
	const char *tmp = getenv("TMPDIR");

	/* A sanitizer must leave signals to the kernels that die of them. */
	(void)setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:handle_sigill=0:detect_leaks=0",
		     1);
	eval.ops = evaluator_find("worker");
	if (!eval.folder[0]) {
		(void)snprintf(eval.folder, sizeof eval.folder, "%s/asctune-XXXXXX",
			       tmp ? tmp : "/tmp");
		if (!mkdtemp(eval.folder))
			return tap_ok(false, "no folder %s", eval.folder);
	}
	enum asc_status s =
		workload_open(TEST_DATA "/unit/evaluate/faults.json", &eval.workload, &e);
	if (!s)
		s = sandbox_grant(TEST_DATA "/unit/evaluate", false, &e);
	if (!s)
		s = device_find("cpu")->inspect("", &eval.info, &e);
	return s ? tap_ok(false, "%s", e.text) : true;
}

void eval_end(void)
{
	workload_close(eval.workload);
	dir_remove(eval.folder);
}

int eval_main(int argc, char **argv, void (*test)(struct binding *small))
{
	struct binding small;

	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return serve();
	if (eval_begin() && eval_bind(&small, "small")) {
		test(&small);
		binding_fini(&small);
	}
	eval_end();
	return tap_done();
}
