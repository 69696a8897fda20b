/* Workers of an evaluator that measure the device's peaks, and end with their coordinator, which
 * this program is when it is called so.
 * covers: evaluator_worker.c workers.c worker_link.c */
#include "tuner/tune/evaluate/worker_link.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tests/unit/evaluate/eval.h"
#include "tuner/process/proc.h"
#include "tuner/result/roofline.h"

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
	struct eval_done done;
	struct asc_err e;
	bool taken;

	if (binding_init(&b, eval.workload, workload_find_problem(eval.workload, "small"), "cpu",
			 &eval.info.facts, &e)) /* without a line of its own */
		return 1;
	struct eval_setting o = eval_options(&b);
	o.problem.policy.limit_ns = 60000000000;
	if (eval_open(&o, &v, &e))
		return 1;
	eval_submit(v, "scale", NOTHING, 0);
	if (eval_poll(v, 30000000000, &done, &taken, &e) || !taken)
		return 1;
	eval_submit(v, "scale", LOOP, 0);
	if (eval_poll(v, 200000000, &done, &taken, &e) || taken)
		return 1;
	puts("looping");
	(void)fflush(stdout);
	pause();
	return 1;
}

static void test_orphans(void)
{
	static const char *const argv[] = {"/proc/self/exe", "coordinate", eval.folder, NULL};
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

static void test_peaks(const struct binding *b)
{
	const struct eval_setting o = eval_options(b);
	struct evaluator *v = NULL;
	struct asc_err e;
	struct peaks p = {0};

	if (tap_ok(!eval_open(&o, &v, &e), "an evaluator with nothing to do")) {
		tap_int(eval.ops->peaks(v, DTYPE_F32, &p, 0, &e), ASC_OK,
			"measures the device's peaks");
		const struct peak *a = peaks_find(&p, PEAK_ARITHMETIC, "f32");
		const struct peak *m = peaks_find(&p, PEAK_MEMORY, "");
		tap_ok(a->rate >= a->low && a->low > 0 && a->moments >= 0,
		       "%g to %g FLOP/s in %d quiet moments", a->low, a->rate, (int)a->moments);
		tap_ok(m->rate >= m->low, "%g to %g B/s", m->low, m->rate);
		eval_close(v);
	}
}

/* Peaks whose time is up: the worker that measures them all the same does not come next. */
static void test_peaks_late(const struct binding *b)
{
	const struct eval_setting o = eval_options(b);
	struct evaluator *v;
	struct eval_done done;
	struct asc_err e;
	struct peaks p;
	bool taken;

	enum asc_status s = eval_open(&o, &v, &e);
	if (!tap_int(s, ASC_OK, "opens: %s", s ? e.text : ""))
		return;
	tap_int(eval.ops->peaks(v, DTYPE_F32, &p, 1, &e), ASC_TIMEOUT, "no time for peaks");
	for (int i = 0; i < 2; i++) {
		eval_submit(v, "scale", i == 0 ? ABORT : NOTHING, 0);
		s = eval_poll(v, 30000000000, &done, &taken, &e);
		if (tap_ok(!s && taken, "trial %d: %s", i, s ? e.text : "")) {
			tap_int(done.result.status, i == 0 ? RESULT_CRASHED : RESULT_OK, "%s",
				result_reason(&done.result));
			result_fini(&done.result);
		}
	}
	eval_close(v);
}

static void test_peaks_unknown(void)
{
	const struct evaluator_target absent = {.device = device_find("cpu"),
						.place = "7",
						.program = "/proc/self/exe",
						.cache = eval.folder};
	struct worker_link l = {0};
	struct asc_err e;
	struct peaks p;

	tap_int(link_find_peaks(&l, DTYPE_F32, &p, 0, &e), ASC_IO, "nobody can be asked");
	tap_int(link_start(&l, &absent, NULL, NULL, false, &e), ASC_OK,
		"a worker with a device that is not there");
	tap_int(link_find_peaks(&l, DTYPE_F32, &p, 0, &e), ASC_CHILD, "does not know");
	tap_has(e.text, "cpu:7: there are 1, numbered from 0", "and says so in its own words");
	link_kill(&l);
	link_clear_stderr(&l);
}

static void test(struct binding *small)
{
	test_orphans();
	test_peaks(small);
	test_peaks_late(small);
	test_peaks_unknown();
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "coordinate") == 0) {
		(void)snprintf(eval.folder, sizeof eval.folder, "%s", argv[2]);
		return eval_begin() ? coordinate() : 1;
	}
	return eval_main(argc, argv, test);
}
