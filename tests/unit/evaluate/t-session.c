/* Problems that come and go in one session, each in a process of its own: what a kernel did to the
 * one harms no other problem. This program is its own worker.
 * covers: session.c worker_verbs.c worker_problem.c protocol.c */
#include "tuner/tune/evaluate/session.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/evaluate/faults.h"
#include "tuner/base/buf.h"
#include "tuner/base/json/json.h"
#include "tuner/device/device.h"
#include "tuner/process/channel.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/trial.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_verbs.h"
#include "tuner/workload/binding/workload_open.h"

#define DRIVER "ASCTUNE_TEST_DRIVER"
enum { MAX_CHILDREN = 8 };

static struct workload *workload;
static struct device_info info;
static char folder[256];
static struct asc_err e;

static struct session open_session(void)
{
	const struct evaluator_target target = {.device = device_find("cpu"),
						.place = "",
						.info = &info,
						.cache = folder,
						.program = "/proc/self/exe",
						.build_jobs = 2};
	struct policy policy = policy_default;
	struct session s;

	policy.cache = CACHE_HOT;
	policy.race.first_cut = 0; /* kernels of nanoseconds on a machine with other work */
	policy.tests.checks[0] = 0;
	policy.limit_ns = 300000000;
	policy.sampling.min_samples = policy.sampling.max_samples = 5;
	session_init(&s, evaluator_find("worker"), &target, &policy);
	return s;
}

static enum asc_status begin(struct session *s, const struct binding *b)
{
	const struct evaluator_problem p = {
		.binding = b, .seeds = {1}, .n_sets = 1, .policy = s->policy};

	return session_begin(s, &p, &e);
}

static struct trial make_trial(int fault)
{
	static const char *const names[] = {"FAULT", "PASS", NULL};

	return (struct trial){.id = 1,
			      .implementation = workload_find_implementation(workload, "scale"),
			      .names = names,
			      .config = {.n = 2, .values = {value_int(fault), value_int(0)}}};
}

/* Tries one configuration in a problem of its own. The result is the caller's; its status is
 * `planned` after an error, which is in `e`. */
static struct result tune(struct session *s, const struct binding *b, int fault)
{
	struct trial t = make_trial(fault), *list = &t, *done = NULL;
	struct result r;
	enum asc_status status = begin(s, b);

	if (!status)
		status = s->ops->submit(s->evaluator, &list, 1, &e);
	if (!status)
		status = s->ops->poll(s->evaluator, 60000000000, &done, &e);
	r = t.result;
	result_init(&t.result);
	session_end(s);
	trial_fini(&t);
	if (!done)
		r.status = RESULT_PLANNED;
	return r;
}

static void expect(struct session *s, const struct binding *b, int fault, enum result_status status,
		   const char *name)
{
	struct result r = tune(s, b, fault);

	tap_str(result_status_name(r.status), result_status_name(status), "%s", name);
	result_fini(&r);
}

/* Processes of this program's own, in order, without its guard, which has a session to itself;
 * returns how many. */
static size_t find_children(long children[MAX_CHILDREN])
{
	char path[64], text[1024] = "", *at = text;
	size_t n = 0;

	(void)snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
	FILE *f = fopen(path, "re");
	if (!f)
		return 0;
	if (fgets(text, sizeof text, f))
		for (long pid; n < MAX_CHILDREN && (pid = strtol(at, &at, 10)) > 0;)
			if (getsid((pid_t)pid) == getsid(0))
				children[n++] = pid;
	(void)fclose(f);
	return n;
}

/* ---- the tests ---- */

static void test_processes(const struct binding *small, const struct binding *other)
{
	struct session s = open_session();
	long children[2 * MAX_CHILDREN];

	expect(&s, small, NOTHING, RESULT_OK, "a first problem is tuned");
	size_t n = find_children(children);
	tap_int(n, 1, "one process: no spare one where starting takes milliseconds");
	expect(&s, other, NOTHING, RESULT_OK, "a second problem is tuned");
	tap_int(find_children(children + n), 1, "one process measures it, too");
	tap_ok(children[0] != children[n], "another one: no kernel has run in it before");
	session_fini(&s);
	tap_int(find_children(children), 0, "no process is left after the session");
}

/* A kernel changes what code of a workload in its process makes. The reference of the next problem,
 * which the cache keeps, is right all the same. */
static void test_kept(const struct binding *b, const struct binding *next)
{
	struct session s = open_session();

	expect(&s, b, SPOIL, RESULT_OK, "a kernel that spoils references in its process");
	expect(&s, next, NOTHING, RESULT_OK, "a right kernel is right in the next problem");
	session_fini(&s);
	s = open_session();
	expect(&s, next, NOTHING, RESULT_OK, "so it is by the kept reference");
	session_fini(&s);
}

static void test_policy(const struct binding *b)
{
	struct session s = open_session();
	struct result r = tune(&s, b, NOTHING);

	tap_int(r.n_samples, 5, "the samples that the first policy asks for");
	result_fini(&r);
	s.policy.sampling.min_samples = s.policy.sampling.max_samples = 9;
	r = tune(&s, b, NOTHING);
	tap_int(r.n_samples, 9, "the samples that the policy of the next problem asks for");
	result_fini(&r);
	session_fini(&s);
}

/* Each problem after the first one is tuned in a process that a kernel of the problem before has
 * harmed, or has killed. */
static void test_harm(const struct binding *b, const struct binding *other)
{
	struct session s = open_session();

	expect(&s, b, SEGFAULT, RESULT_CRASHED, "a kernel that crashes");
	expect(&s, other, NOTHING, RESULT_OK, "the problem after a crash is tuned");
	expect(&s, b, LOOP, RESULT_TIMEOUT, "a kernel that does not end");
	expect(&s, other, NOTHING, RESULT_OK, "the problem after a time-out is tuned");
	expect(&s, b, THREAD, RESULT_OK, "a kernel that leaves a thread behind");
	expect(&s, other, NOTHING, RESULT_OK, "the problem after that is tuned");
	expect(&s, b, SPOIL, RESULT_OK, "a kernel that leaves what kills another");
	expect(&s, other, VICTIM, RESULT_OK, "which is not blamed in the next problem");
	session_fini(&s);
}

/* A problem is left while its kernel runs, and while its reference is not there yet. */
static void test_left(const struct binding *b, const struct binding *other)
{
	struct session s = open_session();
	struct trial t = make_trial(LOOP), *list = &t, *done;

	s.policy.limit_ns = 60000000000;
	expect(&s, b, NOTHING, RESULT_OK, "a problem is tuned");
	tap_ok(begin(&s, b) == ASC_OK && !s.ops->submit(s.evaluator, &list, 1, &e) &&
		       !s.ops->poll(s.evaluator, 300000000, &done, &e) && !done,
	       "a kernel runs");
	session_end(&s);
	tap_int(t.state, TRIAL_IDLE, "its trial is its owner's again when the problem ends");
	trial_fini(&t);
	expect(&s, other, NOTHING, RESULT_OK, "the next problem does not wait for that kernel");
	tap_int(begin(&s, b), ASC_OK, "a problem that nothing is asked of");
	session_end(&s);
	expect(&s, other, NOTHING, RESULT_OK, "the problem after that is tuned");
	session_fini(&s);
}

/* The worker has measured another problem before: the failure is one of the reference all the same.
 */
static void test_reference(const struct binding *b, const struct binding *crashing,
			   const struct binding *killed)
{
	struct session s = open_session();

	expect(&s, b, NOTHING, RESULT_OK, "a problem is tuned");
	struct result r = tune(&s, crashing, NOTHING);
	tap_int(r.status, RESULT_PLANNED, "a problem whose reference crashes has no results");
	tap_has(e.text, "the reference crashed: the worker was killed by SIGABRT",
		"the error names the reference");
	result_fini(&r);
	r = tune(&s, killed, NOTHING);
	tap_int(r.status, RESULT_PLANNED, "a problem whose reference is killed has none either");
	tap_has(e.text, "3 workers in a row did not get ready; the last was killed by SIGKILL",
		"it was tried again");
	result_fini(&r);
	expect(&s, b, NOTHING, RESULT_OK, "the problem after that is tuned");
	session_fini(&s);
}

/* The incumbent of one problem is none of the next: a kernel that sleeps is slow beside it alone.
 */
static void test_incumbent(const struct binding *b, const struct binding *other)
{
	struct session s = open_session();
	struct trial t = make_trial(NOTHING), *list = &t, *done = NULL;

	s.policy.race.first_cut = 10;
	s.policy.race.first_extra_ns = 0;
	tap_ok(begin(&s, b) == ASC_OK && !s.ops->submit(s.evaluator, &list, 1, &e) &&
		       !s.ops->poll(s.evaluator, 60000000000, &done, &e) && done &&
		       !s.ops->incumbent(s.evaluator, &t.result, &e),
	       "an incumbent");
	trial_fini(&t);
	t = make_trial(SLOW);
	tap_ok(!s.ops->submit(s.evaluator, &list, 1, &e) &&
		       !s.ops->poll(s.evaluator, 60000000000, &done, &e) && done,
	       "another trial of the problem");
	tap_str(result_status_name(t.result.status), "slow", "it is slow beside the incumbent");
	session_end(&s);
	trial_fini(&t);
	expect(&s, other, SLOW, RESULT_OK, "no incumbent in the next problem");
	session_fini(&s);
}

/* Tries a configuration in the problem that the session is at. */
static void expect_here(struct session *s, int fault, enum result_status status, const char *name)
{
	struct trial t = make_trial(fault), *list = &t, *done = NULL;

	tap_ok(!s->ops->submit(s->evaluator, &list, 1, &e) &&
		       !s->ops->poll(s->evaluator, 60000000000, &done, &e) && done,
	       "%s", name);
	tap_str(result_status_name(t.result.status), result_status_name(status), "its status");
	trial_fini(&t);
}

/* Problems beside one that waits share a process. Once a kernel has run there it computes no
 * reference. */
static void test_beside(const struct binding *b, const struct binding *other)
{
	struct session s = open_session();
	struct evaluator_problem p = {
		.binding = other, .seeds = {1}, .n_sets = 1, .policy = s.policy};
	long children[3 * MAX_CHILDREN] = {0};
	struct trial *done = NULL;

	tap_int(begin(&s, b), ASC_OK, "a problem");
	expect_here(&s, NOTHING, RESULT_OK, "it is tuned");
	tap_int(find_children(children), 1, "by one process");
	tap_int(s.ops->beside(s.evaluator, &p, &e), ASC_OK, "another one beside it");
	expect_here(&s, SPOIL, RESULT_OK, "a kernel that spoils references runs there");
	tap_int(find_children(children + 1), 2, "in a second process");
	p.binding = b;
	tap_int(s.ops->beside(s.evaluator, &p, &e), ASC_OK, "a further one");
	expect_here(&s, NOTHING, RESULT_OK, "is tuned by its kept reference");
	tap_int(find_children(children + 3), 2, "in the same two processes");
	tap_ok(children[1] + children[2] == children[3] + children[4], "none of them a new one");
	p.seeds[0] = 77;
	tap_int(s.ops->beside(s.evaluator, &p, &e), ASC_OK, "one with other inputs");
	tap_ok(s.ops->poll(s.evaluator, 60000000000, &done, &e), "has no reference: %s", e.text);
	tap_has(e.text, "kernels have run in this process", "for that reason");
	p.seeds[0] = 1;
	tap_int(s.ops->beside(s.evaluator, &p, &e), ASC_OK, "the one before, after that failure");
	expect_here(&s, NOTHING, RESULT_OK, "is tuned again");
	tap_int(s.ops->go_back(s.evaluator, &e), ASC_OK, "back to the first problem");
	expect_here(&s, NOTHING, RESULT_OK, "which is tuned on");
	tap_ok(find_children(children + 1) == 1 && children[1] == children[0],
	       "by the process that has waited");
	session_fini(&s);
}

/* A driver that wants what the sandbox refuses: its kernels run outside, unless the sandbox is
 * required. */
static void test_driver(const struct binding *b)
{
	if (getenv("TEST_WITHOUT_SANDBOX")) {
		tap_skip("nothing is refused without a sandbox");
		return;
	}
	const bool shares_host = info.shares_host;
	struct session s = open_session();

	(void)setenv(DRIVER, "1", 1);
	info.shares_host = false;
	expect(&s, b, NOTHING, RESULT_OK,
	       "a driver that does not start: kernels run outside of the sandbox");
	session_fini(&s);
	sandbox_require();
	s = open_session();
	struct result r = tune(&s, b, NOTHING);
	tap_int(r.status, RESULT_PLANNED, "where it is required there is no result");
	tap_has(e.text, "refused here", "the error is the driver's");
	result_fini(&r);
	session_fini(&s);
	info.shares_host = shares_host;
	(void)unsetenv(DRIVER);
}

/* ---- main ---- */

/* Fails as a driver does that cannot start in the sandbox. */
static void fail_in_sandbox(void)
{
	struct channel c;

	if (!getenv(DRIVER) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return;
	channel_init(&c, CHANNEL_FD);
	asc_err_set(&e, ASC_CHILD, "refused here");
	(void)reply_failed(&c, "open", &e);
	(void)pause();
}

static int serve(void)
{
	fail_in_sandbox();
	if (worker_serve(CHANNEL_FD, &e) == ASC_OK)
		return 0;
	(void)fprintf(stderr, "worker: %s\n", e.text);
	return 2;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static bool bind(struct binding *b, const char *problem)
{
	const struct problem *p = workload_find_problem(workload, problem);

	return tap_ok(p && binding_init(b, workload, p, "cpu", &info.facts, &e) == ASC_OK,
		      "problem %s is bound", problem);
}

static void test_all(void)
{
	struct binding small, other, kept, crashing, killed;

	if (bind(&small, "small") && bind(&other, "other") && bind(&kept, "kept") &&
	    bind(&crashing, "crashing-reference") && bind(&killed, "killed-reference")) {
		test_processes(&small, &other);
		test_kept(&small, &kept);
		test_policy(&small);
		test_harm(&small, &other);
		test_left(&small, &other);
		test_reference(&small, &crashing, &killed);
		test_incumbent(&small, &other);
		test_beside(&small, &other);
		test_driver(&small);
		binding_fini(&small);
		binding_fini(&other);
		binding_fini(&kept);
		binding_fini(&crashing);
		binding_fini(&killed);
	}
}

/* Who else was busy while a device had its last problem. */
static void test_others(void)
{
	struct session a = {.name = "cuda:0", .begun_ns = 100, .ended_ns = 200};
	struct session b = {.name = "cuda:1", .begun_ns = 10, .ended_ns = 90},
		       c = {.name = "cuda:2", .begun_ns = 10, .ended_ns = 110},
		       d = {.name = "cuda:3", .begun_ns = 150, .busy = true};
	struct session *const all[] = {&a, &b, &c, &d};
	const struct session_peers peers = {all, 4};
	struct buf text = {0};
	struct json_writer w = {&text, false};

	a.peers = &peers;
	json_write_begin(&w, NULL, '{');
	session_write_beside(&a, &w);
	json_write_end(&w, '}');
	tap_str(buf_str(&text), "{\"device\":\"cuda:0\",\"beside\":[\"cuda:2\",\"cuda:3\"]}",
		"one that ended before is not named");
	buf_clear(&text);
	w = (struct json_writer){&text, false};
	a.name = NULL;
	json_write_begin(&w, NULL, '{');
	session_write_beside(&a, &w);
	json_write_end(&w, '}');
	tap_str(buf_str(&text), "{}", "of the only device nothing is said");
	buf_fini(&text);
}

int main(int argc, char **argv)
{
	const char *tmp = getenv("TMPDIR");

	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return serve();
	/* A sanitizer must leave signals to the kernels that die of them. */
	(void)setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:handle_sigill=0:detect_leaks=0",
		     1);
	(void)snprintf(folder, sizeof folder, "%s/asctune-XXXXXX", tmp ? tmp : "/tmp");
	if (tap_ok(mkdtemp(folder) != NULL, "a folder for the cache") &&
	    tap_int(workload_open(TEST_DATA "/unit/evaluate/faults.json", &workload, &e), ASC_OK,
		    "a workload of kernels that misbehave") &&
	    tap_int(sandbox_grant(TEST_DATA "/unit/evaluate", false, &e), ASC_OK,
		    "read by kernels") &&
	    tap_int(device_find("cpu")->inspect("", &info, &e), ASC_OK, "a processor"))
		test_all();
	workload_close(workload);
	(void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	test_others();
	return tap_done();
}
