/* The stand-in's runtime: order of calls, memory, streams, events, binaries and launches.
 * covers: standin_acl.c standin_acl_event.c standin_acl_kernel.c standin_acl_memory.c
 * standin_arguments.c standin_binary.c standin_context.c standin_core.c standin_launch.c
 * standin_memory.c standin_stream.c */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "standin_case.h"
#include "tests/tap.h"

enum { N = 2500, BLOCKS = 3, BYTES = N * 4 };
enum { H2D = NPU_HOST_TO_DEVICE, D2H = NPU_DEVICE_TO_HOST, D2D = 3 };

/* ---- process and device ---- */

static void order(void)
{
	uint32_t n = 0;
	void *stream = NULL;

	GIVES(acl.device_count(&n), 100001);
	GIVES(acl.init(NULL), 0);
	GIVES(acl.init(NULL), 100002);
	GIVES(acl.device_count(&n), 0);
	HOLDS(n == 1);
	GIVES(acl.stream_create(&stream), 107002);
	GIVES(acl.device_set(1), 107001);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.stream_create(&stream), 0);
	GIVES(acl.stream_destroy(stream), 0);
	GIVES(acl.stream_destroy(stream), 107000);
	GIVES(acl.finalize(), 0);
	GIVES(acl.finalize(), 100037);
	GIVES(acl.device_count(&n), 100001);
}

static void message(void)
{
	uint32_t n = 0;

	HOLDS(acl.recent_error() == NULL);
	(void)acl.device_count(&n);
	HOLDS(strstr(acl.recent_error(), "before aclInit") != NULL);
	HOLDS(acl.recent_error() == NULL);
}

static void bad_control(void)
{
	HOLDS(acl.init(NULL) == 100000);
	HOLDS(strstr(acl.recent_error(), "there is no key \"speed\"") != NULL);
}

static void facts(void)
{
	int64_t value = 0;

	(void)standin_case_begin();
	HOLDS(strcmp(acl.soc_name(), "Ascend910B3") == 0);
	GIVES(acl.device_capability(0, 0, &value), 0);
	HOLDS(value == 20);
	GIVES(acl.device_capability(0, 1, &value), 0);
	HOLDS(value == 40);
	GIVES(acl.device_capability(0, 2, &value), 0);
	HOLDS(value == 201326592);
	GIVES(acl.device_info(0, 101, &value), 0);
	GIVES(acl.device_info(0, 204, &value), 0);
	HOLDS(value == 196608);
	GIVES(acl.device_info(0, 301, &value), 0);
	HOLDS(value == INT64_C(68719476736));
	GIVES(acl.device_info(0, 205, &value), 107000);
	GIVES(acl.device_info(1, 101, &value), 107001);
}

static void *without_context(void *user)
{
	void *stream = NULL, *context = user;

	GIVES(acl.stream_create(&stream), 107002);
	GIVES(acl.context_set(context), 0);
	GIVES(acl.stream_create(&stream), 0);
	GIVES(acl.stream_destroy(stream), 0);
	return NULL;
}

static void threads(void)
{
	void *stream = standin_case_begin(), *context = NULL, *other = NULL;
	pthread_t thread;

	GIVES(acl.context_get(&context), 0);
	HOLDS(pthread_create(&thread, NULL, without_context, context) == 0);
	pthread_join(thread, NULL);
	GIVES(acl.device_set(1), 0);
	GIVES(acl.context_get(&other), 0);
	GIVES(acl.stream_synchronize(stream), 107003);
	GIVES(acl.device_reset(1), 0);
	GIVES(acl.context_set(other), 107002);
	GIVES(acl.context_set(context), 0);
	GIVES(acl.stream_synchronize(stream), 0);
}

/* ---- memory ---- */

static void memory(void)
{
	void *stream = standin_case_begin(), *at = NULL, *host = NULL;
	int64_t all = 0;
	char text[100] = "";

	GIVES(acl.alloc(&at, 100, 0), 0);
	HOLDS((uintptr_t)at % 128 == 64);
	GIVES(acl.copy(at, 100, "abc", 4, H2D), 0);
	GIVES(acl.copy(text, sizeof text, at, 4, D2H), 0);
	HOLDS(strcmp(text, "abc") == 0);
	GIVES(acl.copy(at, 3, "abc", 4, H2D), 107000);
	GIVES(acl.copy(at, 101, "abc", 4, H2D), 107000);
	GIVES(acl.copy(at, 100, "abc", 4, D2H), 107000);
	GIVES(acl.copy(at, 100, "abc", 4, D2D), 107000);
	GIVES(acl.copy(text, sizeof text, at, 101, D2H), 107000);
	GIVES(acl.copy((char *)at + 50, 50, at, 50, D2D), 0);
	GIVES(acl.set(at, 100, 1, 101, stream), 107000);
	GIVES(acl.set(at, 101, 1, 1, stream), 107000);
	GIVES(acl.set(at, 100, 'x', 100, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.free((char *)at + 64), 107000);
	GIVES(acl.free(text), 107000);
	GIVES(acl.free(at), 0);
	GIVES(acl.free(at), 107000);
	GIVES(acl.device_info(0, 301, &all), 0);
	GIVES(acl.alloc(&at, (size_t)all + 1, 0), 207001);
	GIVES(acl.alloc(&at, 0, 0), 107000);
	GIVES(acl.host_alloc(&host, 64), 0);
	memset(host, 1, 64);
	GIVES(acl.host_free(host), 0);
	GIVES(acl.host_free(host), 107000);
}

/* Fills a device whose memory is as large as two allocations of 100 bytes, or a byte smaller: each
 * takes 128 + 32, and gives as much back. */
static void room(void)
{
	const int64_t taken = 128 + 32;
	void *first = NULL, *second = NULL, *more = NULL;
	int64_t all = 0;

	(void)standin_case_begin();
	GIVES(acl.device_info(0, 301, &all), 0);
	GIVES(acl.alloc(&first, 100, 0), 0);
	GIVES(acl.alloc(&second, 100, 0), all < 2 * taken ? 207001 : 0);
	GIVES(acl.alloc(&more, 100, 0), 207001);
	GIVES(acl.free(first), 0);
	if (second)
		GIVES(acl.free(second), 0);
	GIVES(acl.alloc(&more, (size_t)all / 32 * 32 - 32, 0), 0);
}

/* True where touching the byte ends a process by a signal. */
static bool faults(char *at, bool write)
{
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		if (write)
			*(volatile char *)at = 1;
		else
			(void)*(volatile char *)at;
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status);
}

static void addresses(void)
{
	(void)standin_case_begin();
	void *at = NULL;

	GIVES(acl.alloc(&at, 8192, 0), 0);
	for (int write = 0; write < 2; write++) {
		HOLDS(faults(at, write));
		HOLDS(faults((char *)at + 8191, write));
	}
}

/* ---- streams and events ---- */

/* Fills `from` with 0, 1, 2, ... and poison beyond. */
static void put_numbers(void *from)
{
	float numbers[N];

	for (int i = 0; i < N; i++)
		numbers[i] = (float)i;
	GIVES(acl.copy(from, BYTES, numbers, BYTES, H2D), 0);
}

static int wrong_numbers(const void *to)
{
	float numbers[N];
	int wrong = 0;

	GIVES(acl.copy(numbers, BYTES, to, BYTES, D2H), 0);
	for (int i = 0; i < N; i++)
		wrong += numbers[i] != (float)i + 1;
	return wrong;
}

static int launch(void *f, uint32_t blocks, struct standin_block *b, void *stream)
{
	return acl.launch(f, blocks, stream, NULL, b, STANDIN_BLOCK_BYTES, NULL, 0);
}

static void kernel(void)
{
	void *stream = standin_case_begin(), *from = NULL, *to = NULL;
	void *f = standin_case_load("add_one");
	struct standin_block b;

	GIVES(acl.alloc(&from, BYTES, 0), 0);
	GIVES(acl.alloc(&to, BYTES, 0), 0);
	put_numbers(from);
	standin_block_init(&b, from, to, N, BLOCKS);
	GIVES(launch(f, BLOCKS, &b, stream), 0);
	memset(&b, 0, sizeof b); /* copied at the call */
	GIVES(acl.stream_synchronize(stream), 0);
	HOLDS(wrong_numbers(to) == 0);
	standin_block_init(&b, from, to, N, 2);
	GIVES(acl.set(to, BYTES, 0xff, BYTES, stream), 0);
	GIVES(launch(f, 2, &b, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	HOLDS(wrong_numbers(to) == 0);
}

/* The same launch runs again once an input, or its output, was written. */
static void rewritten(void)
{
	void *stream = standin_case_begin(), *from = NULL, *to = NULL;
	void *f = standin_case_load("add_one");
	struct standin_block b;
	float number = 41;

	GIVES(acl.alloc(&from, 4, 0), 0);
	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, from, to, 1, 1);
	for (int i = 0; i < 2; i++, number++) {
		GIVES(acl.copy(from, 4, &number, 4, H2D), 0);
		GIVES(launch(f, 1, &b, stream), 0);
		GIVES(acl.stream_synchronize(stream), 0);
		float sum = 0;
		GIVES(acl.copy(&sum, 4, to, 4, D2H), 0);
		HOLDS(sum == number + 1);
	}
	GIVES(acl.set(to, 4, 0, 4, stream), 0);
	GIVES(launch(f, 1, &b, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(&number, 4, to, 4, D2H), 0);
	HOLDS(number == 43);
}

/* A kernel that is not pure runs each time; a pure one again after its output was written. */
static void repeated(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("count");
	struct standin_block b;
	float value = -1;

	GIVES(acl.alloc(&to, 4, 0), 0);
	GIVES(acl.set(to, 4, 0, 4, stream), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	for (int i = 0; i < 5; i++)
		GIVES(launch(f, 1, &b, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(&value, 4, to, 4, D2H), 0);
	HOLDS(value == 5);
}

/* A pure kernel whose output is its input runs each time. */
static void in_place(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("add_one");
	struct standin_block b;
	float value = -1;

	GIVES(acl.alloc(&to, 4, 0), 0);
	GIVES(acl.set(to, 4, 0, 4, stream), 0);
	standin_block_init(&b, to, to, 1, 1);
	for (int i = 0; i < 3; i++)
		GIVES(launch(f, 1, &b, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(&value, 4, to, 4, D2H), 0);
	HOLDS(value == 3);
}

struct aclrtLaunchKernelCfg {
	const void *attributes;
	size_t n;
};

static void launches(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");
	struct aclrtLaunchKernelCfg none = {0}, some = {&none, 1};
	struct standin_block b;

	GIVES(acl.alloc(&to, 256, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(launch(f, 0, &b, stream), 107000);
	GIVES(launch(f, 1, &b, NULL), 107000);
	GIVES(launch(stream, 1, &b, stream), 107017);
	GIVES(acl.launch(f, 1, stream, NULL, to, STANDIN_BLOCK_BYTES, NULL, 0), 107000);
	GIVES(acl.launch(f, 1, stream, &some, &b, STANDIN_BLOCK_BYTES, NULL, 0), 207000);
	GIVES(acl.launch(f, 1, stream, &none, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	standin_block_init(&b, NULL, to, 1, 65535);
	GIVES(launch(f, 65535, &b, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
}

static void binaries(void)
{
	void *binary = NULL, *f = NULL, *again = NULL;

	(void)standin_case_begin();
	GIVES(acl.binary_load("twin.so", NULL, &binary), 107000);
	GIVES(acl.binary_load("/nowhere/twin.so", NULL, &binary), 100003);
	GIVES(acl.binary_load(STANDIN_FOLDER "/libstandin.so", NULL, &binary), 100003);
	GIVES(acl.binary_load(TWIN_ADD, NULL, &binary), 0);
	GIVES(acl.binary_function(binary, "add", &f), 507027);
	GIVES(acl.binary_function(binary, "add_one", &f), 0);
	GIVES(acl.binary_function(binary, "add_one", &again), 0);
	HOLDS(f == again);
	GIVES(acl.binary_unload(binary), 0);
	GIVES(acl.binary_unload(binary), 107017);
}

/* What the device finds out: it comes from synchronize, and from all that follows. */
static void bad_launch(const char *kernel_name, uint32_t blocks, struct standin_block *b,
		       size_t bytes, const char *why)
{
	void *stream = standin_case_begin(), *other = NULL, *f = standin_case_load(kernel_name);
	_Alignas(8) unsigned char block[sizeof *b + 8] = {0};

	standin_block_init(b, b->from, b->to, b->n, (int32_t)blocks);
	memcpy(block, b, sizeof *b);
	GIVES(acl.launch(f, blocks, stream, NULL, block, bytes, NULL, 0), 0);
	HOLDS(acl.stream_synchronize(stream) == 507015);
	const char *text = acl.recent_error();
	HOLDS(text && strstr(text, why));
	GIVES(acl.stream_create(&other), 507015);
	GIVES(acl.stream_synchronize(stream), 507015);
	GIVES(acl.device_reset(0), 0);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.stream_create(&other), 0);
}

static void too_many_blocks(void)
{
	bad_launch("nothing", 65536, &(struct standin_block){0}, STANDIN_BLOCK_BYTES, "coreDim");
}

static void too_much_ub(void)
{
	bad_launch("hungry", 1, &(struct standin_block){0}, STANDIN_BLOCK_BYTES, "UB");
}

static void too_much_l0c(void)
{
	bad_launch("spilling", 1, &(struct standin_block){0}, STANDIN_BLOCK_BYTES, "L0C");
}

static void short_block(void)
{
	bad_launch("nothing", 1, &(struct standin_block){0}, STANDIN_BLOCK_BYTES - 4,
		   "argument block");
}

static void long_block(void)
{
	bad_launch("nothing", 1, &(struct standin_block){0}, STANDIN_BLOCK_BYTES + 8,
		   "expected 56");
}

static void host_address(void)
{
	char host[8];

	bad_launch("nothing", 1, &(struct standin_block){.to = host}, STANDIN_BLOCK_BYTES,
		   "no address of device memory");
}

static void events(void)
{
	void *stream = standin_case_begin(), *begin = NULL, *end = NULL, *plain = NULL, *ex = NULL;
	void *f = standin_case_load("nothing"), *to = NULL;
	struct standin_block b;
	float ms = -1;

	GIVES(acl.event_create_with_flag(&begin, 8), 0);
	GIVES(acl.event_create(&end), 0);
	GIVES(acl.event_create_with_flag(&plain, 1), 0);
	GIVES(acl.event_create_ex_with_flag(&ex, 8), 0);
	GIVES(acl.event_elapsed(&ms, begin, end), 507000);
	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.event_record(begin, stream), 0);
	for (int i = 0; i < 10; i++)
		GIVES(launch(f, 1, &b, stream), 0);
	GIVES(acl.event_record(plain, stream), 0);
	GIVES(acl.event_record(end, stream), 0);
	GIVES(acl.event_record(ex, stream), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.event_elapsed(&ms, begin, end), 0);
	/* Ten kernels of 2 us and gaps of 1 us; the first begins 3 us after it was queued. */
	HOLDS(ms > 0.028F && ms < 1000); /* the host may be slow to queue them */
	HOLDS(fabs(ms * 50000 - round(ms * 50000)) < 1e-2);
	GIVES(acl.event_elapsed(&ms, end, begin), 0);
	HOLDS(ms < 0);
	GIVES(acl.event_elapsed(&ms, begin, ex), 0);
	HOLDS(ms > 0.028F);
	GIVES(acl.event_elapsed(&ms, begin, plain), 107006);
	GIVES(acl.event_create_with_flag(&plain, 0x100), 107000);
}

/* A wait for a stream leaves its events recorded, however short the rest was. */
static void waited(void)
{
	void *stream = standin_case_begin(), *f = standin_case_load("nothing"), *to = NULL;
	void *begin = NULL, *end = NULL;
	struct standin_block b;
	float ms;

	GIVES(acl.event_create(&begin), 0);
	GIVES(acl.event_create(&end), 0);
	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	for (int i = 0; i < 300; i++) {
		GIVES(acl.event_record(begin, stream), 0);
		for (int k = 0; k <= i % 10; k++)
			GIVES(launch(f, 1, &b, stream), 0);
		GIVES(acl.event_record(end, stream), 0);
		GIVES(acl.stream_synchronize_within(stream, 1000), 0);
		GIVES(acl.event_elapsed(&ms, begin, end), 0);
	}
}

static void balanced(void)
{
	void *stream = standin_case_begin(), *event = NULL, *at = NULL;

	GIVES(acl.event_create(&event), 0);
	GIVES(acl.alloc(&at, 4, 0), 0);
	GIVES(acl.free(at), 0);
	GIVES(acl.event_destroy(event), 0);
	GIVES(acl.stream_destroy(stream), 0);
	GIVES(acl.device_reset(0), 0);
	GIVES(acl.finalize(), 0);
}

static void check_log(void)
{
	standin_case("head", "", balanced, "a balanced program");
	tap_has(standin_case_log(), "balance streams: 1 made, 1 freed", "the log has the balance");
	tap_has(standin_case_log(), "balance device memory: 1 made, 1 freed", "of memory, too");
	tap_int(standin_case_count(" aclrtFree 0 "), 1, "a line for each call, with its result");
	standin_case("head", "log=balance", balanced, "the balance alone");
	tap_int(standin_case_count("aclrtFree"), 0, "no line for a call");
	standin_case("head", "", kernel, "a program that frees nothing");
	tap_has(standin_case_log(), "without aclFinalize", "its end is in the log");
}

static void all_symbols(void)
{
#define X(member, symbol, result, parameters, release) HOLDS(acl.member != NULL);
	ACL_LIST(X)
#undef X
}

static void old_symbols(void)
{
	HOLDS(acl.stream_synchronize != NULL && acl.soc_name == NULL && acl.binary_load == NULL);
	HOLDS(acl.event_create_with_flag == NULL);
}

static void symbols_2023(void)
{
	HOLDS(acl.soc_name != NULL && acl.event_create_with_flag != NULL);
	HOLDS(acl.event_create_ex_with_flag == NULL);
}

static void symbols_2025(void)
{
	HOLDS(acl.event_create_ex_with_flag != NULL && acl.binary_load == NULL);
}

static void other_soc(void)
{
	void *address = NULL;

	(void)standin_case_begin();
	HOLDS(strcmp(acl.soc_name(), "Ascend950PR_9579") == 0);
	GIVES(acl.sync_address(&address), 207000);
}

int main(void)
{
	standin_case("head", "", order, "the order of calls");
	standin_case("head", "", message, "the last failure's text is given once");
	standin_case("head", "soc=Ascend910B3;speed=2", bad_control, "an unknown key");
	standin_case("head", "", facts, "facts of the SoC");
	standin_case("head", "devices=2", threads, "contexts belong to threads and devices");
	standin_case("head", "", memory, "device and host memory");
	standin_case("head", "memory=320", room, "memory that two allocations fill");
	standin_case("head", "memory=319", room, "memory that is a byte smaller");
	standin_case("head", "", addresses, "device addresses fault on the host");
	standin_case("head", "", kernel, "a kernel");
	standin_case("head", "", rewritten, "a launch after its tensors were written");
	standin_case("head", "", repeated, "a kernel that is not pure");
	standin_case("head", "", in_place, "a kernel whose output is its input");
	standin_case("head", "", launches, "what a launch refuses");
	standin_case("head", "", binaries, "binaries and functions");
	standin_case("head", "", too_many_blocks, "65536 blocks");
	standin_case("head", "", too_much_ub, "more UB than there is");
	standin_case("head", "", too_much_l0c, "more L0C than there is");
	standin_case("head", "", short_block, "an argument block that is too short");
	standin_case("head", "", long_block, "an argument block that is too long");
	standin_case("head", "", host_address, "a host address for a tensor");
	standin_case("head", "", events, "events");
	standin_case("head", "log=balance", waited, "events of a stream that was waited for");
	standin_case("head", "soc=Ascend950PR_9579", other_soc, "another SoC");
	standin_case("head", "", all_symbols, "all functions");
	standin_case("2022", "", old_symbols, "the functions of 2022");
	standin_case("2023", "", symbols_2023, "the functions of 2023");
	standin_case("2025", "", symbols_2025, "the functions of 2025");
	standin_case("split", "", kernel, "libacl_rt.so alone");
	check_log();
	return tap_done();
}
