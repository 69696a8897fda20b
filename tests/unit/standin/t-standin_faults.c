/* Faults that the stand-in is asked for: each does what its name says, and nothing without it.
 * covers: standin_control.c */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin_case.h"
#include "tests/tap.h"

enum { N = 2500, BLOCKS = 3, BYTES = N * 4 };
enum { H2D = NPU_HOST_TO_DEVICE, D2H = NPU_DEVICE_TO_HOST };

static float numbers[N];

/* Launches a kernel once and waits; its code. */
static int launch_once(void *stream, void *f, void *from, void *to, int32_t blocks)
{
	struct standin_block b;

	standin_block_init(&b, from, to, N, blocks);
	GIVES(acl.launch(f, (uint32_t)blocks, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	return acl.stream_synchronize(stream);
}

/* Indices of wrong elements after add_one over so many blocks: their number, and the last one. */
static int wrong_elements(int32_t blocks, int *last)
{
	void *stream = standin_case_begin(), *from = NULL, *to = NULL;
	void *f = standin_case_load("add_one");
	int wrong = 0;

	*last = -1;
	for (int i = 0; i < N; i++)
		numbers[i] = (float)(i % 7);
	GIVES(acl.alloc(&from, BYTES, 0), 0);
	GIVES(acl.alloc(&to, BYTES, 0), 0);
	GIVES(acl.copy(from, BYTES, numbers, BYTES, H2D), 0);
	GIVES(launch_once(stream, f, from, to, blocks), 0);
	GIVES(acl.copy(numbers, BYTES, to, BYTES, D2H), 0);
	for (int i = 0; i < N; i++)
		if (!(fabsf(numbers[i] - (float)(i % 7) - 1) < 1)) {
			*last = i;
			wrong++;
		}
	return wrong;
}

static void right(void)
{
	int last;

	HOLDS(wrong_elements(BLOCKS, &last) == 0);
}

static void wrong_first(void)
{
	int last;

	HOLDS(wrong_elements(BLOCKS, &last) == 1 && last == 0);
}

static void wrong_last(void)
{
	int last;

	HOLDS(wrong_elements(BLOCKS, &last) == 1 && last == N - 1);
}

static void wrong_beyond_cores(void)
{
	int last;

	HOLDS(wrong_elements(40, &last) == 0);
	GIVES(acl.finalize(), 0);
	HOLDS(wrong_elements(41, &last) == 1);
}

static void not_a_number(void)
{
	int last;

	HOLDS(wrong_elements(BLOCKS, &last) == 1 && isnan(numbers[0]));
}

/* The fault is of the second kernel that the process finds. */
static void second_kernel(void)
{
	void *stream = standin_case_begin(), *other = NULL, *to = NULL;
	void *first = standin_case_load("nothing"), *second = standin_case_load("count");

	GIVES(acl.alloc(&to, 4, 0), 0);
	GIVES(launch_once(stream, first, NULL, to, 1), 0);
	HOLDS(launch_once(stream, second, NULL, to, 1) == 507015);
	GIVES(acl.stream_create(&other), 507015);
}

static void spent(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");

	GIVES(acl.alloc(&to, 4, 0), 0);
	GIVES(launch_once(stream, f, NULL, to, 1), 0);
}

static void endless(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");
	struct standin_block b;

	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.stream_synchronize_within(stream, 20), 507046);
	GIVES(acl.device_reset(0), 0);
}

/* A kernel that runs loses its binary. */
static void unloaded(void)
{
	void *stream = standin_case_begin(), *to = NULL, *binary = NULL, *f = NULL;
	struct standin_block b;

	GIVES(acl.alloc(&to, 4, 0), 0);
	GIVES(acl.binary_load(TWIN_ADD, NULL, &binary), 0);
	GIVES(acl.binary_function(binary, "nothing", &f), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.binary_unload(binary), 507015);
	HOLDS(acl.stream_synchronize(stream) == 507015);
	const char *why = acl.recent_error();
	HOLDS(why && strstr(why, "a binary was unloaded while a kernel runs"));
}

static void failing_call(void)
{
	void *at = NULL;

	GIVES(acl.init(NULL), 0);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.alloc(&at, 4, 0), 207001);
	GIVES(acl.alloc(&at, 4, 0), 0);
}

static void losing_call(void)
{
	void *at = NULL;

	GIVES(acl.init(NULL), 0);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.alloc(&at, 4, 0), 507010);
	GIVES(acl.alloc(&at, 4, 0), 507010);
}

static void full_memory(void)
{
	void *at = NULL;

	(void)standin_case_begin();
	GIVES(acl.alloc(&at, 4, 0), 0);
	GIVES(acl.alloc(&at, 4, 0), 207001);
	GIVES(acl.alloc(&at, 4, 0), 207001);
}

/* ---- control ---- */

static const char *refused_words;

static void refused(void)
{
	HOLDS(acl.init(NULL) == 100000);
	const char *why = acl.recent_error();
	HOLDS(why && strstr(why, refused_words));
}

/* The control is read with the first call. */
static void refused_log(void)
{
	setenv("STANDIN_LOG", "/no/such/folder/log", 1);
	refused();
}

static void check_control(void)
{
	static const char *const texts[][2] = {
		{"soc=910B3", "there is no SoC \"910B3\""},
		{"soc=Ascend910B9", "did you mean Ascend910B"},
		{"soc", "expected key=value"},
		{"seed=x", "seed=x: expected a whole number"},
		{"seed=-1", "seed=-1"},
		{"devices=17", "devices=17"},
		{"memory=0", "memory=0"},
		{"log=all", "log=all: expected calls or balance"},
		{"once=here", "once=here: expected an absolute path"},
		{"version=new", "version=new"},
		{"fault=slow", "there is no fault \"slow\""},
		{"fault=aicore", "aicore="},
		{"fault=aicore=0", "aicore=0"},
		{"fault=aicore=grid:0", "aicore=grid:0"},
		{"fault=err=507015", "err=507015: expected CODE@N"},
		{"fault=spike=2", "spike=2"},
		{"fault=ramp=1", "ramp=1"},
		{"fault=wrong=1;fault=wrong=tail", "the fault \"wrong\" is there twice"},
		{"fault=wrong=head", "wrong=head: expected K, tail or grid"},
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		refused_words = texts[i][1];
		standin_case("head", texts[i][0], refused, texts[i][0]);
	}
}

/* Files that cannot be written are refused: the fault would never happen, the log have no calls. */
static void check_files(void)
{
	refused_words = "STANDIN: once=/no/such/folder/once: No such file or directory";
	standin_case("head", "fault=aicore=1;once=/no/such/folder/once", refused,
		     "a file of `once`");
	refused_words = "STANDIN_LOG: /no/such/folder/log: No such file or directory";
	standin_case("head", "", refused_log, "a log");
}

static void check_once(void)
{
	char control[200], path[] = "/tmp/standin-once-XXXXXX";

	close(mkstemp(path));
	unlink(path);
	for (int i = 0; i < 3; i++) {
		static const char *const faults[] = {"wrong=1", "wrong=tail", "nan=1"};
		static void (*const checks[])(void) = {wrong_first, wrong_last, not_a_number};

		snprintf(control, sizeof control, "fault=%s;once=%s", faults[i], path);
		standin_case("head", control, checks[i], "a wrong output that is to happen once");
		standin_case("head", control, right, "is right in another process");
		unlink(path);
	}
	snprintf(control, sizeof control, "fault=aicore=2;once=%s", path);
	standin_case("head", control, second_kernel, "a fault that is to happen once");
	snprintf(control, sizeof control, "fault=aicore=1;once=%s", path);
	standin_case("head", control, spent, "does not happen in another process");
	unlink(path);
}

int main(void)
{
	standin_case("head", "", right, "without a fault");
	standin_case("head", "fault=wrong=1", wrong_first, "wrong=1");
	standin_case("head", "fault=wrong=2", right, "of another kernel");
	standin_case("head", "fault=wrong=grid:3", wrong_first, "wrong=grid:3");
	standin_case("head", "fault=wrong=grid:4", right, "of other launches");
	standin_case("head", "fault=wrong=tail", wrong_last, "wrong=tail");
	standin_case("head", "fault=wrong=grid", wrong_beyond_cores, "wrong=grid");
	standin_case("head", "fault=nan=1", not_a_number, "nan=1");
	standin_case("head", "fault=aicore=2", second_kernel, "aicore=2");
	standin_case("head", "fault=hang=1", endless, "hang=1");
	standin_case("head", "fault=hang=1", unloaded, "a binary whose kernel runs");
	standin_case("head", "fault=err=207001@3", failing_call, "err=207001@3");
	standin_case("head", "fault=err=507010@3", losing_call, "err=507010@3");
	standin_case("head", "fault=oom=2", full_memory, "oom=2");
	check_control();
	check_once();
	check_files();
	return tap_done();
}
