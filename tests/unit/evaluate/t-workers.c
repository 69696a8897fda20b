/* What the coordinator takes from a worker that was overwritten by a kernel, and how long it waits:
 * workers without a process, whose lines the test writes.
 * covers: workers.c workers_ask.c */
#include "tuner/tune/evaluate/workers.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/workload/binding/binding.h"

enum { TRIALS = 4 };

static char path[] = "w.json";
static struct workload workload = {.path = path};
static struct problem nameless = {.name = ""};
static struct binding binding = {
	.workload = &workload, .problem = &nameless, .device = "cpu", .key = "key"};
static const struct device_info info = {.shares_host = true};
static struct evaluator_target target = {.info = &info, .cache = "/dev/null/none"};
static struct evaluator_problem problem = {.target = &target, .binding = &binding};
static struct prerequisites prerequisites = {.problem = &problem, .key = {.binding = &binding}};
static const struct implementation implementation = {
	.name = "own", .calls = {{.builder = "cc"}}, .n_calls = 1};

struct bench { /* a coordinator, and the far ends of its workers' channels */
	struct workers c;
	struct trials queue;
	struct trial trials[TRIALS];
	int far, spare_far;
};

static int start(struct worker_link *l)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		abort();
	*l = (struct worker_link){
		.alive = true, .open = true, .asked = true, .grants = sandbox_grants()};
	l->proc.input = l->proc.output = -1;
	l->proc.channel = fds[1];
	l->heard_ns = l->sure_ns = clock_now_ns();
	channel_init(&l->channel, fds[1]);
	l->channel.patient = true;
	return fds[0];
}

/* Sends a line; true where the worker goes on, false where the spare one takes its place. */
static bool hear(struct bench *b, const char *line)
{
	const int channel = b->c.worker.proc.channel;
	struct asc_err e;

	if (send(b->far, line, strlen(line), 0) < 0)
		abort();
	if (workers_attend(&b->c, &e) || (b->c.worker.ready && workers_feed(&b->c, &e))) {
		tap_ok(false, "%s", e.text);
		return false;
	}
	return b->c.worker.proc.channel == channel;
}

static bool hear_phase(struct bench *b, int id, const char *phase)
{
	char line[200];

	(void)snprintf(
		line, sizeof line,
		"{\"event\":\"phase\",\"id\":%d,\"phase\":\"%s\",\"step\":0,\"at\":\"%lld\"}\n", id,
		phase, (long long)clock_now_ns());
	return hear(b, line);
}

/* A result of four samples of `ns`, by a clock that reads `at_ns`, after all that goes before. */
static bool hear_result_at(struct bench *b, int id, int ns, int64_t at_ns)
{
	char line[300];

	(void)snprintf(
		line, sizeof line,
		"{\"event\":\"result\",\"id\":%d,\"at\":\"%lld\",\"status\":\"ok\",\"phase\":"
		"\"measure\",\"launches_per_sample\":1,\"samples_ns\":[%d,%d,%d,%d]}\n",
		id, (long long)at_ns, ns, ns, ns, ns);
	return hear(b, line);
}

static bool hear_clock(struct bench *b, int64_t at_ns)
{
	char line[100];

	(void)snprintf(line, sizeof line, "{\"event\":\"clock\",\"at\":\"%lld\"}\n",
		       (long long)at_ns);
	return hear(b, line);
}

/* Answers for its clock as often as that is asked; true: it is right. */
static bool settle(struct bench *b)
{
	bool on = true;

	while (on && b->c.worker.held)
		on = hear_clock(b, clock_now_ns());
	return on;
}

static bool hear_result(struct bench *b, int id, int ns)
{
	return hear_phase(b, id, "verify") && hear_phase(b, id, "measure") &&
	       hear_result_at(b, id, ns, clock_now_ns()) && settle(b) &&
	       b->trials[id - 1].state == TRIAL_DONE;
}

/* True when that was sent to the worker since this was called last. */
static bool is_sent(struct bench *b, const char *line)
{
	char text[65536];
	const ssize_t n = recv(b->far, text, sizeof text - 1, MSG_DONTWAIT);

	text[n > 0 ? n : 0] = '\0';
	return strstr(text, line) != NULL;
}

static void begin(struct bench *b)
{
	*b = (struct bench){.far = -1};
	target.device = device_find("cpu");
	problem.policy = policy_default;
	b->c.target = &target;
	b->c.queue = &b->queue;
	b->c.problem = &problem;
	b->c.prerequisites = &prerequisites;
	b->far = start(&b->c.worker);
	b->spare_far = start(&b->c.spare);
	for (size_t i = 0; i < TRIALS; i++) {
		struct trial *t = &b->trials[i];

		*t = (struct trial){.id = i + 1,
				    .purpose = TRIAL_SEARCH,
				    .implementation = &implementation,
				    .state = TRIAL_BUILT,
				    .order = ++b->queue.orders};
		(void)snprintf(t->launch, sizeof t->launch, "%032zx", i);
		b->queue.list[b->queue.n++] = t;
	}
	b->queue.purpose = TRIAL_SEARCH;
	tap_ok(hear(b, "{\"event\":\"ready\",\"of\":\"problem\"}\n"), "a worker is ready");
}

static void end(struct bench *b)
{
	workers_close(&b->c);
	close(b->far);
	close(b->spare_far);
	trials_clear(&b->queue, NULL);
	for (size_t i = 0; i < TRIALS; i++)
		trial_fini(&b->trials[i]);
}

/* Between measured launches the worker may be at the trial that stayed loaded, at no other time and
 * at no other trial: that one would be blamed for the end of this one's kernel. */
static void test_turns(void)
{
	struct bench b;

	begin(&b);
	tap_ok(hear_result(&b, 1, 1000), "the first trial has a result, and stays loaded");
	tap_ok(hear_phase(&b, 2, "verify"), "the second one is verified");
	tap_ok(!hear_phase(&b, 1, "measure"),
	       "it cannot be at the first one before its own launches are measured");
	end(&b);

	begin(&b);
	tap_ok(hear_result(&b, 1, 1000) && hear_result(&b, 2, 2000), "two trials have results");
	tap_ok(hear_phase(&b, 3, "verify") && hear_phase(&b, 3, "measure"),
	       "the third one is measured");
	tap_ok(hear_phase(&b, 1, "measure"), "it may be at the fastest one in between");
	tap_ok(!hear_phase(&b, 2, "measure"), "and not at the other one, which was let go");
	end(&b);
}

/* What drivers load at first is loaded before the first launch: from then on a launch has its
 * limit, and no more. */
static void test_first_load(void)
{
	struct bench b;

	begin(&b);
	tap_ok(hear_phase(&b, 1, "load"), "the first trial is loaded");
	const int64_t loading_ns = workers_deadline_ns(&b.c) - b.c.worker.heard_ns;

	tap_ok(hear_phase(&b, 1, "verify"), "and launched");
	const int64_t launched_ns = workers_deadline_ns(&b.c) - b.c.worker.heard_ns;

	tap_int(loading_ns - launched_ns, INT64_C(15000000000),
		"loading may take 15 s more than the launch");
	end(&b);
}

/* A function that is called until it is warm, or made again where tensors have moved, may take as
 * long as a compiler, all together; its turn is longer by that. */
static void test_warming(void)
{
	const int64_t COMPILER_NS = INT64_C(300000000000);
	const struct timespec pause = {.tv_nsec = 20000000};
	char late[WORKERS_LATE_SIZE];
	struct bench b;

	begin(&b);
	tap_ok(hear_phase(&b, 1, "load"), "a trial is loaded");
	const int64_t loading_ns = workers_deadline_ns(&b.c) - b.c.worker.heard_ns;

	tap_ok(hear_phase(&b, 1, "build"), "and its function is to get warm");
	tap_int(workers_deadline_ns(&b.c) - b.c.worker.heard_ns, COMPILER_NS,
		"which may take five minutes");
	workers_print_late(&b.c, late, sizeof late);
	tap_has(late, "was not warm in 5 min", "and no more");
	nanosleep(&pause, NULL);
	tap_ok(hear_phase(&b, 1, "load"), "it is warm");
	int64_t turn_ns = b.c.turn_ns;

	tap_ok(turn_ns > b.trials[0].sent_ns + pause.tv_nsec, "which its turn does not count");
	tap_int(workers_deadline_ns(&b.c) - b.c.worker.heard_ns, loading_ns,
		"with the limit that it had");
	tap_ok(hear_phase(&b, 1, "verify") && hear_phase(&b, 1, "build"), "it is made again");
	tap_int(workers_deadline_ns(&b.c) - b.c.worker.heard_ns, COMPILER_NS,
		"which may take as long");
	nanosleep(&pause, NULL);
	tap_ok(hear_phase(&b, 1, "verify") && b.c.turn_ns >= turn_ns + pause.tv_nsec,
	       "and does not count, either");
	turn_ns = b.c.turn_ns;
	b.trials[0].warmed_ns = COMPILER_NS;
	tap_ok(hear_phase(&b, 1, "build"), "once all that time is spent");
	tap_ok(workers_deadline_ns(&b.c) - b.c.worker.heard_ns <= loading_ns,
	       "there is no more for that");
	tap_ok(hear_phase(&b, 1, "verify"), "nor");
	tap_int(b.c.turn_ns - turn_ns, 0, "a longer turn");
	end(&b);
}

/* A function that is not warm when time is up has no verdict: nothing is known against it. */
static void test_no_time(void)
{
	const struct timespec pause = {.tv_nsec = 20000000};
	char late[WORKERS_LATE_SIZE];
	struct bench b;
	struct asc_err e;

	begin(&b);
	problem.policy.limit_ns = pause.tv_nsec / 2;
	b.trials[0].until_ns = clock_now_ns();
	(void)hear_phase(&b, 1, "build");
	workers_print_late(&b.c, late, sizeof late);
	tap_has(late, "was not warm in 10 ms, when time was up", "what is said");
	nanosleep(&pause, NULL);
	tap_int(workers_attend(&b.c, &e), ASC_OK, "its limit is over");
	tap_ok(b.trials[0].state == TRIAL_DONE && trial_is_undecided(&b.trials[0]),
	       "it has no verdict");
	end(&b);
}

static const char asks[] = "{\"do\":\"clock\"}\n", lets[] = "{\"do\":\"go on\"}\n";

/* Leaves the first trial at a result whose message comes 20 ms after its time: it has waited, or
 * the clock runs slow. */
static void begin_late(struct bench *b)
{
	const struct timespec pause = {.tv_nsec = 20000000};

	begin(b);
	tap_ok(hear_phase(b, 1, "verify") && hear_phase(b, 1, "measure"), "a trial is measured");
	const int64_t at_ns = clock_now_ns();

	nanosleep(&pause, NULL);
	tap_ok(hear_result_at(b, 1, 1000, at_ns), "its result comes late");
	tap_ok(b->trials[0].state == TRIAL_SENT && b->c.worker.held, "and is held");
	tap_ok(is_sent(b, asks), "the worker is asked for its clock");
	tap_ok(workers_deadline_ns(&b->c) < INT64_MAX, "and has a limit for that");
}

/* A late message costs a question. An answer with a time from before that is of a slow clock. */
static void test_clock(void)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	struct bench b;

	begin_late(&b);
	const int64_t at_ns = clock_now_ns();

	nanosleep(&pause, NULL);
	tap_ok(hear_clock(&b, at_ns), "an answer that comes late, too");
	tap_ok(b.c.worker.held && is_sent(&b, asks), "has the worker asked once more");
	tap_ok(settle(&b) && b.trials[0].state == TRIAL_DONE, "until it is sure");
	tap_int((long)b.trials[0].result.n_samples, 4, "the result has its times");
	tap_ok(is_sent(&b, lets), "and the worker may go on");
	tap_ok(!hear_clock(&b, clock_now_ns()), "an answer that nobody asked for is refused");
	end(&b);

	begin_late(&b);
	tap_ok(!hear_phase(&b, 2, "load"), "a worker that goes on before that is refused");
	end(&b);

	begin_late(&b);
	tap_ok(!hear_clock(&b, b.c.worker.asked_ns - 1), "a time from before it was asked for");
	tap_int(b.trials[0].result.status, RESULT_CRASHED, "is the end of the trial");
	tap_has(b.trials[0].result.reason, "its clock runs slow", "and says why");
	tap_int(b.trials[1].state, TRIAL_BUILT, "and of no other");
	end(&b);

	begin(&b);
	tap_ok(hear_result(&b, 1, 1000), "a trial has a result");
	tap_ok(is_sent(&b, lets), "in time, and the worker may go on");
	end(&b);
}

/* Ends the worker by a signal while a trial is verified, the first of its process. */
static void end_worker(struct bench *b, int signal)
{
	struct asc_err e;

	tap_ok(hear_phase(b, 1, "verify"), "the first trial of a process is verified");
	b->c.worker.proc.pid = fork();
	if (b->c.worker.proc.pid == 0) {
		(void)raise(signal);
		_exit(0);
	}
	close(b->far);
	b->far = -1;
	/* The process has a copy of the channel's far end until it is gone. */
	(void)waitid(P_PID, (id_t)b->c.worker.proc.pid, &(siginfo_t){0}, WEXITED | WNOWAIT);
	tap_int(workers_attend(&b->c, &e), ASC_OK, "its worker ends by signal %d", signal);
}

/* Who kills a worker from outside does not say so: the trial has one more try, in a process that
 * is as fresh. A crash of the first kernel of a process is its own. */
static void test_killed(void)
{
	struct bench b;

	begin(&b);
	end_worker(&b, SIGKILL);
	tap_ok(b.trials[0].state == TRIAL_BUILT && b.trials[0].again, "SIGKILL: it is tried again");
	b.far = b.spare_far;
	b.spare_far = -1;
	tap_ok(hear(&b, "{\"event\":\"ready\",\"of\":\"problem\"}\n"), "by the spare worker");
	b.spare_far = start(&b.c.spare);
	end_worker(&b, SIGKILL);
	tap_int(b.trials[0].result.status, RESULT_CRASHED, "killed twice: it has crashed");
	tap_has(b.trials[0].result.reason, "was killed by SIGKILL", "and the result says how");
	end(&b);

	begin(&b);
	end_worker(&b, SIGABRT);
	tap_int(b.trials[0].result.status, RESULT_CRASHED, "SIGABRT: it has crashed at once");
	end(&b);
}

/* Takes what the spare worker has said; true: samples wait for it. */
static bool waits_for_spare(struct bench *b, const char *line)
{
	struct asc_err e;

	if (send(b->spare_far, line, strlen(line), 0) < 0)
		abort();
	return tap_int(workers_attend(&b->c, &e), ASC_OK, "the spare says: %.*s",
		       (int)strcspn(line, "\n"), line) &&
	       workers_spare_opens(&b->c);
}

/* A device that is opened takes time from what runs on it. */
static void test_spare(void)
{
	struct bench b;
	struct asc_err e;

	begin(&b);
	tap_ok(!workers_spare_opens(&b.c), "nothing waits for a spare worker that is open");
	b.c.spare.open = b.c.spare.asked = false;
	tap_ok(waits_for_spare(&b, "{\"event\":\"ready\",\"of\":\"hello\"}\n"),
	       "one that opens its device is waited for");
	trials_first(&b.queue, TRIAL_BUILT)->again = true;
	tap_ok(!workers_spare_opens(&b.c), "but not by a trial that has ended a process");
	trials_first(&b.queue, TRIAL_BUILT)->again = false;
	b.c.beside = true;
	tap_ok(!workers_spare_opens(&b.c), "nor beside another problem, where nothing is timed");
	b.c.beside = false;
	b.c.spare.heard_ns -= INT64_C(4000000000);
	tap_ok(!workers_spare_opens(&b.c), "nor for more than three seconds");
	b.c.places = str_dup("module");
	b.c.spare.places = str_dup("module");
	tap_ok(workers_spare_opens(&b.c), "but a Python may import for a minute");
	b.c.spare.heard_ns -= INT64_C(57000000000);
	tap_ok(!workers_spare_opens(&b.c), "and no longer");
	b.c.spare.heard_ns = clock_now_ns();
	b.c.places[0] = 'x';
	tap_ok(!workers_spare_opens(&b.c), "nor is one waited for that cannot take over");
	b.c.places[0] = 'm';
	tap_ok(!waits_for_spare(&b, "{\"event\":\"ready\",\"of\":\"device\"}\n"),
	       "nor once it is open");
	tap_ok(b.c.spare.alive && b.c.spare.open, "it stands by");
	end(&b);

	begin(&b);
	b.c.spare.open = b.c.spare.asked = false;
	tap_ok(!waits_for_spare(&b, "{\"event\":\"failed\",\"of\":\"open\",\"text\":"
				    "\"no driver\",\"input\":false}\n"),
	       "nor for one that cannot open it");
	tap_ok(!b.c.spare.alive, "which is ended");
	end(&b);

	begin(&b);
	b.c.spare.open = b.c.spare.asked = false;
	close(b.spare_far);
	b.spare_far = -1;
	tap_int(workers_attend(&b.c, &e), ASC_OK, "a spare that ends itself");
	tap_ok(!b.c.spare.alive && !workers_spare_opens(&b.c), "is not waited for");
	end(&b);
}

int main(void)
{
	test_killed();
	test_spare();
	test_turns();
	test_first_load();
	test_warming();
	test_no_time();
	test_clock();
	return tap_done();
}
