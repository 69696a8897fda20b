/* Out of memory where kernels are built, loaded and measured: in the worker, here in this process,
 * and in the coordinator, with a worker of its own; and where a stranger's workload is checked.
 * covers: prerequisites.c kernel_build.c worker_link.c worker.c trial.c */
#include "tuner/tune/evaluate/evaluator.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/nomem.h"
#include "tests/tap.h"
#include "tests/unit/evaluate/eval.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"
#include "tuner/base/json/json.h"
#include "tuner/build/pool.h"
#include "tuner/device/vendor/vendor.h"
#include "tuner/process/channel.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/tune/evaluate/untrusted.h"
#include "tuner/tune/evaluate/worker_link.h"
#include "tuner/worker/protocol.h"
#include "tuner/worker/worker_verbs.h"

enum { MAX_REPLIES = 1 << 16 };

static struct eval_setting setting;
static struct buf requests; /* lines that a coordinator has sent for one trial */

/* ---- the coordinator ---- */

static enum asc_status job_evaluator(struct asc_err *e)
{
	struct trial *t = eval_trial(1, "scale", NOTHING, 0);
	struct evaluator *v = NULL;
	struct eval_done done = {.result.status = RESULT_PLANNED};
	bool taken = false;
	enum asc_status s = eval_open(&setting, &v, e);

	if (s == ASC_OK)
		s = eval.ops->submit(v, &t, 1, e);
	if (s == ASC_OK)
		s = eval_poll(v, INT64_C(60000000000), &done, &taken, e);
	if (v)
		eval_close(v);
	/* A build that failed without an artifact's key is asked again by --resume. */
	if (taken && done.result.status == RESULT_BUILD_FAILED && !*done.result.artifact)
		s = asc_err_nomem(e);
	if (s == ASC_OK && (!taken || done.result.status != RESULT_OK))
		s = asc_err_set(e, ASC_INTERNAL, "a verdict: %s: %s",
				result_status_name(done.result.status),
				result_reason(&done.result));
	if (taken)
		result_fini(&done.result);
	trial_fini(t);
	return s;
}

/* Builds the prerequisites and the trial, or finds them in the cache. */
static enum asc_status build(struct prerequisites *p, struct trial *t, struct asc_err *e)
{
	struct pool *pool = NULL;
	struct pool_done done;

	trial_build_again(t, &setting.problem);
	if (pool_open(eval.folder, 2, INT64_C(60000000000), &pool, e))
		return e->status;
	enum asc_status s = prerequisites_begin(p, &setting.problem, pool, e);

	if (s == ASC_OK)
		s = trial_build(t, pool, e);
	while (s == ASC_OK && pool_pending(pool) > 0 && pool_take(pool, -1, &done)) {
		struct kernel_build *of = kernel_build_of(done.id);

		s = of->trial ? trial_take_build(of, &done, pool, e)
			      : prerequisites_take(p, of, &done, pool, e);
		pool_done_fini(&done);
	}
	if (s)
		prerequisites_cancel(p, pool);
	pool_close(pool);
	return s;
}

static void forget(struct prerequisites *p)
{
	for (size_t i = 0; i < PREREQUISITES_PARTS; i++)
		kernel_build_fini(&p->parts[i], NULL);
}

static enum asc_status job_build(struct asc_err *e)
{
	struct trial *t = eval_trial(1, "scale", NOTHING, 0);
	struct prerequisites p = {0};
	const enum asc_status s = build(&p, t, e);

	forget(&p);
	trial_fini(t);
	return s;
}

/* ---- the worker ---- */

static enum asc_status add_requests(int fd)
{
	char bytes[4096];
	ssize_t n;

	while ((n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
		buf_add(&requests, bytes, (size_t)n);
	return requests.failed ? ASC_NOMEM : ASC_OK;
}

/* Has a coordinator's end ask for a problem and a trial, and keeps the words. */
static bool record_requests(void)
{
	struct trial *t = eval_trial(1, "scale", NOTHING, 0);
	struct prerequisites p = {0};
	struct worker_link l = {0};
	struct asc_err e;
	int fds[2] = {-1, -1};

	buf_print(&requests,
		  "{\"do\":\"hello\",\"version\":%d}\n"
		  "{\"do\":\"open\",\"device\":\"cpu\",\"place\":\"\",\"probes\":[],"
		  "\"awaits\":false}\n",
		  PROTOCOL_VERSION);
	enum asc_status s = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds)
				    ? asc_err_set(&e, ASC_IO, "socketpair")
				    : build(&p, t, &e);

	channel_init(&l.channel, fds[0]);
	if (s == ASC_OK)
		s = link_ask_problem(&l, &setting.problem, &p, &e);
	if (s == ASC_OK)
		s = link_ask_trials(&l, &t, 1, &e);
	if (s == ASC_OK)
		s = add_requests(fds[1]);
	channel_fini(&l.channel);
	close(fds[0]);
	close(fds[1]);
	forget(&p);
	trial_fini(t);
	return tap_int(s, ASC_OK, "requests of a coordinator: %s", s ? e.text : "");
}

/* Fails where a reply tells of another failure than of memory. */
static enum asc_status check_replies(const char *replies, struct asc_err *e)
{
	for (const char *at = replies; *at; at += strcspn(at, "\n") + 1) {
		const int n = (int)strcspn(at, "\n");
		const bool result = memmem(at, (size_t)n, "\"event\":\"result\"", 16);
		const bool failed = memmem(at, (size_t)n, "\"event\":\"failed\"", 16);

		if (failed && (memmem(at, (size_t)n, "out of memory", 13) ||
			       memmem(at, (size_t)n, strerror(ENOMEM), strlen(strerror(ENOMEM)))))
			return asc_err_nomem(e);
		if (failed || (result && !memmem(at, (size_t)n, "\"status\":\"ok\"", 13)))
			return asc_err_set(e, ASC_INTERNAL, "a verdict: %.*s", n, at);
	}
	return ASC_OK;
}

static enum asc_status serve(struct worker *w, int other, struct asc_err *e)
{
	static char replies[MAX_REPLIES];
	static const char answer[] = "{\"do\":\"go on\"}\n"; /* to the result */
	size_t n = 0;
	enum asc_status s = send(other, answer, strlen(answer), 0) < 0
				    ? asc_err_set(e, ASC_IO, "no stream")
				    : ASC_OK;

	for (const char *at = buf_str(&requests); s == ASC_OK && *at;) {
		const size_t length = strcspn(at, "\n");
		struct json_doc *doc = NULL;

		s = json_open_text("request", at, length, &doc, e);
		if (s == ASC_OK)
			s = worker_answer(w, json_root(doc), e);
		json_close(doc);
		const ssize_t more = recv(other, replies + n, sizeof replies - 1 - n, MSG_DONTWAIT);
		n += more > 0 ? (size_t)more : 0;
		replies[n] = '\0';
		if (s == ASC_OK)
			s = check_replies(replies, e);
		at += length + (at[length] == '\n');
	}
	if (s == ASC_OK && !strstr(replies, "\"event\":\"result\""))
		s = asc_err_set(e, ASC_INTERNAL, "no result");
	return s;
}

/* Works the reference out anew, opens a device, loads, verifies and measures. */
static enum asc_status job_worker(struct asc_err *e)
{
	static char reference[300];
	struct worker w = {0};
	int fds[2];

	(void)snprintf(reference, sizeof reference, "%s/reference", eval.folder);
	dir_remove(reference);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return asc_err_set(e, ASC_IO, "socketpair");
	channel_init(&w.channel, fds[0]);
	const enum asc_status s = serve(&w, fds[1], e);

	worker_fini(&w);
	close(fds[0]);
	close(fds[1]);
	return s;
}

/* ---- a stranger's workload ---- */

static void keep_fault(void *user, const struct asc_err *fault)
{
	struct asc_err *e = user;

	if (!e->status || fault->status != ASC_NOMEM)
		*e = *fault;
}

static enum asc_status job_untrusted(struct asc_err *e)
{
	*e = (struct asc_err){0};
	if (untrusted_check(eval.workload, keep_fault, e) == 0)
		*e = (struct asc_err){0};
	eval.workload->untrusted = false;
	return e->status;
}

/* ---- a vendor library ---- */

static enum asc_status job_vendor(struct asc_err *e)
{
	struct buf text = {0};
	enum asc_status s = vendor_check("openblas:gemm", "gemm", "cpu", e);

	/* Where there is none, that is told all the same once nothing fails. */
	if (s == ASC_ABSENT && !nomem_has_failed())
		return ASC_OK;
	if (s == ASC_OK)
		s = vendor_identity("openblas:gemm", &text, e);
	buf_fini(&text);
	return s;
}

static void test(struct binding *small)
{
	setting = eval_options(small);
	setting.problem.target = &setting.target;
	setting.problem.policy.limit_ns = INT64_C(60000000000);
	nomem_exhaust("a vendor library", job_vendor);
	nomem_exhaust("a stranger's workload", job_untrusted);
	if (record_requests()) {
		nomem_exhaust("builds that the cache has", job_build);
		nomem_exhaust("a worker", job_worker);
		nomem_exhaust("an evaluator", job_evaluator);
	}
	buf_fini(&requests);
}

int main(int argc, char **argv)
{
	return eval_main(argc, argv, test);
}
