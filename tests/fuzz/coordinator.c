/* Any lines as what a worker, in whose process kernels run, sends the coordinator: workers, their
 * link and the trials hold whatever comes, and what they take for a result can be recorded. A NUL
 * ends a worker; the first byte says how, and whether trials are measured in rounds. No process is
 * started.
 * covers: worker_link.c workers.c trials.c */
#include "tuner/tune/evaluate/workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/fuzz/target.h"
#include "tuner/base/json/json.h"
#include "tuner/base/units.h"
#include "tuner/device/device.h"
#include "tuner/process/sandbox.h"
#include "tuner/tune/evaluate/evaluator.h"
#include "tuner/tune/evaluate/prerequisites.h"
#include "tuner/workload/binding/binding.h"

enum { TRIALS = 4, MAX_LINE = 64 << 10 /* of what a socket takes at once */ };

struct bench { /* a coordinator, and the far ends of its workers' channels */
	struct workers c;
	struct trials queue;
	struct trial trials[TRIALS];
	int far, spare_far;
	int end; /* status of the processes, as waitpid gives it */
	int64_t begin_ns;
	size_t taken;
};

static char path[] = "w.json";
static struct workload workload = {.path = path};
static struct problem nameless = {.name = ""};
static struct binding binding = {
	.workload = &workload, .problem = &nameless, .device = "cpu", .key = "key"};
static const struct device_info info = {.shares_host = true};
static struct evaluator_target target = {.info = &info, .cache = "/nonexistent"};
static struct evaluator_problem problem = {.target = &target, .binding = &binding};
static struct prerequisites prerequisites = {.problem = &problem, .key = {.binding = &binding}};
static const struct implementation implementation = {.name = "own", .n_calls = 2};
static uint64_t judged; /* lines */

static void say_judged(void)
{
	(void)printf("# %llu lines judged\n", (unsigned long long)judged);
}

/* ---- workers without a process ---- */

static int start(struct worker_link *l, int end)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0)
		abort();
	*l = (struct worker_link){
		.alive = true, .open = true, .asked = true, .grants = sandbox_grants()};
	l->proc.input = l->proc.output = -1;
	l->proc.channel = fds[1];
	l->proc.status = end;
	l->heard_ns = clock_now_ns();
	channel_init(&l->channel, fds[1]);
	l->channel.patient = true;
	return fds[0];
}

/* Closes both ends of the worker that is gone, and has another spare. */
static void go_on(struct bench *b, int gone)
{
	close(gone);
	close(b->far);
	b->far = b->spare_far;
	b->spare_far = start(&b->c.spare, b->end);
}

static void drain(int fd)
{
	char bytes[4096];

	while (recv(fd, bytes, sizeof bytes, MSG_DONTWAIT) > 0)
		;
}

/* ---- what has to hold ---- */

static void require(bool holds)
{
	if (!holds)
		abort();
}

/* A result is one that can have happened since `begin_ns`, and reads back as it is written. */
static void judge_result(const struct result *r, int64_t begin_ns)
{
	const double passed_ns = (double)(clock_now_ns() - begin_ns);
	struct buf text = {0};
	struct json_writer w = {.out = &text};
	struct json_doc *doc = NULL;
	struct result again;
	struct asc_err e;
	double sum_ns = 0;

	for (size_t i = 0; i < r->n_samples; i++) {
		require(r->samples[i] >= 0);
		sum_ns += (double)r->samples[i] * (double)r->launches_per_sample;
	}
	require(r->n_samples == 0 || r->launches_per_sample >= 1);
	require(sum_ns <= passed_ns * 1.01 + 2e6);
	for (size_t i = 0; i < PHASE_COUNT; i++)
		require(r->spent_ns[i] >= 0 && (double)r->spent_ns[i] <= passed_ns + 2e6);
	require(r->flush_ns >= 0 && (double)r->flush_ns <= passed_ns + 2e6);
	require(r->retaken >= 0 && r->begin_ns >= 0);
	json_write_begin(&w, NULL, '{');
	result_write_json(r, &w);
	json_write_end(&w, '}');
	require(!text.failed && !json_open_text("result", text.data, text.len, &doc, &e));
	require(!result_read_json(json_root(doc), &again, &e));
	require(again.status == r->status && again.n_samples == r->n_samples &&
		again.n_metrics == r->n_metrics);
	result_fini(&again);
	json_close(doc);
	buf_fini(&text);
}

/* Trials come back once each, and a second time as failures only. */
static void judge_trials(struct bench *b)
{
	struct trial *t;

	while ((t = trials_take(&b->queue)) != NULL) {
		judge_result(&t->result, t->late ? 0 : b->begin_ns);
		require(!t->late || !result_status_timed(t->result.status));
		b->taken += !t->late;
		require(t->late || t == &b->trials[t->id - 1]);
	}
	require(b->taken + trials_count(&b->queue, TRIAL_SENT) +
			trials_count(&b->queue, TRIAL_BUILT) ==
		TRIALS);
}

/* ---- one input ---- */

static void begin(struct bench *b, uint8_t how)
{
	static const int ends[] = {0, 256, 9, 11}; /* exits with 0 and 1, SIGKILL, SIGSEGV */
	static bool begun;
	struct asc_err e;

	if (!begun)
		(void)atexit(say_judged);
	begun = true;
	*b = (struct bench){.end = ends[how & 3], .begin_ns = clock_now_ns()};
	target.device = device_find("cpu");
	problem.policy = policy_default;
	b->c.target = &target;
	b->c.queue = &b->queue;
	b->far = start(&b->c.worker, b->end);
	b->spare_far = start(&b->c.spare, b->end);
	b->c.problem = &problem;
	b->c.prerequisites = &prerequisites;
	for (size_t i = 0; i < TRIALS; i++) {
		struct trial *t = &b->trials[i];

		t->id = i + 1;
		t->purpose = how & 4 ? TRIAL_ROUNDS : TRIAL_SEARCH;
		t->implementation = &implementation;
		t->state = TRIAL_BUILT;
		t->order = ++b->queue.orders;
		(void)snprintf(t->launch, sizeof t->launch, "%032zx", i / 2); /* two alike */
		b->queue.list[b->queue.n++] = t;
	}
	b->queue.purpose = b->trials[0].purpose;
	require(!workers_feed(&b->c, &e));
}

/* Sends a line, or ends the worker where there is none; false: the run has ended. */
static bool step(struct bench *b, const char *line, size_t n)
{
	const int fd = b->c.worker.proc.channel;
	struct asc_err e;

	if (n > 0 && send(b->far, line, n, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)n)
		return false; /* more than the socket takes */
	if (n == 0)
		(void)shutdown(b->far, SHUT_RDWR);
	const enum asc_status s = workers_attend(&b->c, &e);

	judged += n > 0;
	require(s == ASC_OK || (s == e.status && *e.text));
	if (!s && b->c.worker.proc.channel != fd)
		go_on(b, fd);
	judge_trials(b);
	if (s || workers_feed(&b->c, &e))
		return false;
	drain(b->far);
	return true;
}

static void finish(struct bench *b)
{
	const int fds[] = {b->far, b->spare_far, b->c.worker.proc.channel, b->c.spare.proc.channel};

	workers_close(&b->c);
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		(void)close(fds[i]);
	trials_clear(&b->queue, NULL);
	for (size_t i = 0; i < TRIALS; i++)
		trial_fini(&b->trials[i]);
}

static void tune(uint8_t how, const char *lines, size_t size)
{
	static struct bench b;
	bool goes_on = true;

	begin(&b, how);
	while (size > 0 && goes_on) {
		const char *newline = memchr(lines, '\n', size), *nul = memchr(lines, '\0', size);
		size_t n = newline ? (size_t)(newline - lines) + 1 : size;

		if (n > MAX_LINE)
			break;
		if (nul && (size_t)(nul - lines) < n)
			n = (size_t)(nul - lines);
		goes_on = step(&b, lines, n);
		n += n == 0 || (n < size && lines[n] == '\0');
		lines += n;
		size -= n;
	}
	if (goes_on)
		(void)step(&b, NULL, 0);
	finish(&b);
}

/* The same as answers to a question for peaks. */
static void ask_peaks(const char *lines, size_t size)
{
	struct worker_link l;
	struct peaks peaks = {0};
	struct asc_err e;
	const int far = start(&l, 0), near = l.proc.channel;

	size = size < MAX_LINE ? size : MAX_LINE;
	require(send(far, lines, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size || size == 0);
	(void)shutdown(far, SHUT_WR);
	const enum asc_status s = link_find_peaks(&l, DTYPE_F32, &peaks, 0, &e);

	require(s == ASC_OK || (s == e.status && *e.text));
	require(peaks.n <= PEAKS_MAX);
	for (size_t i = 0; i < peaks.n; i++)
		require(peaks.rows[i].rate >= 0 && isfinite(peaks.rows[i].rate) &&
			peaks.rows[i].low >= 0 && isfinite(peaks.rows[i].low) &&
			peaks.rows[i].moments >= 0);
	link_kill(&l);
	close(far);
	close(near);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	if (data[0] & 8)
		ask_peaks((const char *)data + 1, size - 1);
	else
		tune(data[0], (const char *)data + 1, size - 1);
	return 0;
}
