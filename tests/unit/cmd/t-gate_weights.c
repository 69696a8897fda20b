/* Importance of kernels: files of times in each form, and the order that follows.
 * covers: gate_weights.c */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/tap.h"
#include "tuner/base/file.h"
#include "tuner/base/log.h"
#include "tuner/cmd/gate/gate.h"

static struct gate_kernel kernels[] = {
	{.workload = "a", .problem = "p", .implementation = "x"},
	{.workload = "a", .problem = "p", .implementation = "y", .recorded_ns = 5},
	{.workload = "b", .problem = "q", .implementation = "x", .recorded_ns = 9}};
enum { KERNELS = sizeof kernels / sizeof *kernels };
static struct gate gate = {.list = kernels, .n = KERNELS};
static struct asc_err e;
static struct buf warned;
static char path[64];

static void keep_warning(void *user, enum log_level level, const char *text)
{
	(void)user;
	(void)level;
	buf_add_str(&warned, text);
}

static enum asc_status weigh(const char *text)
{
	struct asc_err fault;

	buf_clear(&warned);
	if (file_write(path, text, strlen(text), &fault))
		tap_ok(false, "%s", fault.text);
	return gate_weigh(&gate, path, NULL, &e);
}

/* Checks the weights of all kernels: "3 0 7". */
static void check(const char *text, const char *expected, const char *what)
{
	struct buf got = {0};

	tap_int(weigh(text), ASC_OK, "%s: is read", what);
	for (size_t i = 0; i < KERNELS; i++)
		buf_print(&got, "%s%g", i ? " " : "", kernels[i].weight);
	tap_str(buf_str(&got), expected, "%s", what);
	buf_fini(&got);
}

static void check_fails(const char *text, const char *expected)
{
	tap_int(weigh(text), ASC_INPUT, "\"%s\": is refused", text);
	tap_ok(strstr(e.text, expected) != NULL, "with %s", e.text);
}

int main(void)
{
	struct gate_kernel *sorted[KERNELS] = {&kernels[0], &kernels[1], &kernels[2]};

	log_set_sink(keep_warning, NULL);
	snprintf(path, sizeof path, "/tmp/t-gate_weights.%ld", (long)getpid());
	check("{\"a/p y\": 3, \"b/q\": 0.5, \"c/d\": 7}", "0 3 0.5", "JSON");
	check("{\n  \"a/p\": 3,\n  \"a/p x\": 4\n}\n", "4 3 0",
	      "its names go before its problems'");
	check("{\"workload\":\"a\",\"problem\":\"p\",\"implementation\":\"x\",\"time_ns\":2}\n"
	      "{\"workload\":\"b\",\"problem\":\"q\",\"implementation\":\"x\",\"median_ns\":6}\n",
	      "2 0 6", "records, one a line");
	check("{\"format\":\"asctune-best\",\"configurations\":[\n"
	      "{\"workload\":\"a\",\"problem\":\"p\",\"implementation\":\"y\",\"median_ns\":8},\n"
	      "{\"workload\":\"a\",\"problem\":\"p\",\"implementation\":\"y\",\"median_ns\":7}]}",
	      "0 7 0", "best.json: the least of a kernel");
	check("a/p x,1.5\n\"b/q x\",2\r\n", "1.5 0 2", "CSV");
	check("a/p\t3\na/p y\t4", "3 4 0", "by tabs, without an end");
	check("workload,problem,kind,implementation,median_ns\nb,q,\"k,1\",x,4\nb,q,k,x,\n"
	      "b,q,k,x,3\n",
	      "0 0 3", "a table");
	check("{}", "0 0 0", "nothing");
	tap_ok(strstr(buf_str(&warned), "names none of the kernels, as \"a/p x\"") != NULL, "%s",
	       buf_str(&warned));
	check("", "0 0 0", "an empty file");
	check_fails("{\"a/p\": -1}", "expected a time above 0");
	check_fails("{\"a/p\": \"1\"}", "number");
	check_fails("{\"workload\":\"a\",\"problem\":\"p\",\"time_ns\":2}", "implementation");
	check_fails("{\"workload\":\"a\",\"problem\":\"p\",\"implementation\":\"x\"}\n[]\n", ":2");
	check_fails("a/p x,1\na/p y,fast\n", ":2: expected NAME,TIME");
	check_fails("a/p x,nan", "expected NAME,TIME");
	check_fails("a/p x,1,2", "expected NAME,TIME");
	check_fails("workload,problem,implementation\n", "no column time_ns or median_ns");
	check_fails("workload,problem,implementation,time_ns\na,p\n", ":2: too few columns");
	kernels[0].weight = kernels[1].weight = kernels[2].weight = 0;
	gate_sort_by_importance(sorted, KERNELS);
	tap_ok(sorted[0] == &kernels[2] && sorted[1] == &kernels[1] && sorted[2] == &kernels[0],
	       "the longest on record first, none on record last");
	kernels[0].weight = 1;
	gate_sort_by_importance(sorted, KERNELS);
	tap_ok(sorted[0] == &kernels[0] && sorted[1] == &kernels[2],
	       "one that is named goes before");
	unlink(path);
	buf_fini(&warned);
	return tap_done();
}
