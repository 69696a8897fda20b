/* Functions of the stand-in's libascendcl.so that asctune does not call, but other programs do. */
#include <string.h>

#include "standin_case.h"
#include "tests/tap.h"

enum { N = 2500, BLOCKS = 3, BYTES = N * 4 };
enum { H2D = NPU_HOST_TO_DEVICE, D2H = NPU_DEVICE_TO_HOST, D2D = 3 };

struct aclrtLaunchKernelCfg {
	const void *attributes;
	size_t n;
};

struct aclrtPtrAttributes {
	uint32_t id;
	int32_t type;
	uint32_t rest[5];
};

/* ---- process ---- */

static void references(void)
{
	uint64_t left = 9;

	GIVES(acl.release(&left), 100001);
	GIVES(acl.init(NULL), 0);
	GIVES(acl.init(NULL), 100002);
	GIVES(acl.release(&left), 0);
	HOLDS(left == 1);
	GIVES(acl.device_set(0), 0);
	GIVES(acl.release(&left), 0);
	HOLDS(left == 0);
	GIVES(acl.device_set(0), 100001);
	GIVES(acl.release(&left), 100037);
	GIVES(acl.release(NULL), 100000);
}

static void last_errors(void)
{
	uint32_t n = 0;

	HOLDS(acl.last_error(0) == 0);
	HOLDS(acl.device_count(&n) == 100001);
	GIVES(acl.init(NULL), 0);
	HOLDS(acl.last_error_peek(0) == 100001);
	HOLDS(acl.last_error(0) == 100001);
	HOLDS(acl.last_error(0) == 0);
	HOLDS(acl.last_error(1) == 107000);
}

static void types(void)
{
	HOLDS(acl.type_bytes(0) == 4 && acl.type_bytes(1) == 2 && acl.type_bytes(27) == 2);
	HOLDS(acl.type_bytes(9) == 8 && acl.type_bytes(12) == 1 && acl.type_bytes(-1) == 0);
	HOLDS(acl.to_half(1) == 0x3c00 && acl.to_half(-2) == 0xc000 &&
	      acl.to_half(65504) == 0x7bff);
	HOLDS(acl.from_half(0x3555) == 0.333251953125F && acl.from_half(0x7bff) == 65504);
}

/* ---- streams and memory ---- */

static void streams(void)
{
	void *stream = standin_case_begin(), *other = NULL, *event = NULL, *to = NULL;
	void *f = standin_case_load("nothing");
	struct standin_block b;

	GIVES(acl.stream_create_with(&other, 0, 1 | 2), 0);
	GIVES(acl.stream_synchronize(other), 0);
	GIVES(acl.stream_destroy_now(other), 0);
	GIVES(acl.stream_destroy_now(other), 107000);
	GIVES(acl.stream_create_with(&other, 0, 0x40), 107000);
	GIVES(acl.device_synchronize_within(1000), 0);
	GIVES(acl.event_create(&event), 0);
	GIVES(acl.alloc(&to, 4, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.launch(f, 1, stream, NULL, &b, STANDIN_BLOCK_BYTES, NULL, 0), 0); /* hangs */
	GIVES(acl.event_record(event, stream), 0);
	GIVES(acl.event_synchronize_within(event, 20), 507047);
	GIVES(acl.device_synchronize_within(20), 507046);
	GIVES(acl.stream_destroy_now(stream), 0);
	GIVES(acl.event_synchronize_within(event, 1000), 0);
}

static void rows(void)
{
	static const char from[] = "abc.def.ghi.";
	char back[13] = "------------";
	void *at = NULL;

	(void)standin_case_begin();
	GIVES(acl.alloc_32(&at, 64, 0), 0);
	HOLDS((uintptr_t)at % 32 == 0);
	GIVES(acl.alloc_32(&at, 64, 3), 107000);
	GIVES(acl.set_now(at, 64, '_', 64), 0);
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 3, H2D), 0);
	GIVES(acl.copy_rows(back, 3, at, 8, 3, 3, D2H), 0);
	HOLDS(memcmp(back, "abcdefghi---", 12) == 0);
	GIVES(acl.copy_now(back, sizeof back, at, 8, D2H), 0);
	HOLDS(memcmp(back, "abc_____", 8) == 0);
	GIVES(acl.copy_rows(at, 8, from, 2, 3, 3, H2D), 107000);
	GIVES(acl.copy_rows(at, 2, from, 4, 3, 3, H2D), 107000);
	GIVES(acl.copy_rows(at, 32, from, 4, 3, 3, H2D), 107000); /* the last row lies outside */
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 3, D2H), 107000);
	GIVES(acl.copy_rows(at, 8, from, 4, 3, 0, H2D), 107000);
}

static void caches(void)
{
	void *stream = standin_case_begin(), *at = NULL, *host = NULL;
	struct aclrtPtrAttributes a = {.type = 9};

	GIVES(acl.alloc(&at, 64, 0), 0);
	GIVES(acl.host_alloc(&host, 64), 0);
	GIVES(acl.cache_operation(at, 64, 0, stream), 0);
	GIVES(acl.cache_operation(at, 65, 0, stream), 107000);
	GIVES(acl.cache_operation(host, 64, 0, stream), 107000);
	GIVES(acl.cache_operation(at, 64, 4, stream), 107000);
	GIVES(acl.cache_operation(at, 64, 0, NULL), 107000);
	GIVES(acl.l2_flush(NULL), 0);
	GIVES(acl.l2_flush(at), 107000);
	GIVES(acl.pointer_attributes((char *)at + 8, &a), 0);
	HOLDS(a.type == 1);
	GIVES(acl.pointer_attributes(host, &a), 0);
	HOLDS(a.type == 0);
	GIVES(acl.pointer_attributes(&a, &a), 0);
	HOLDS(a.type == 2);
	GIVES(acl.pointer_attributes(NULL, &a), 107000);
}

/* ---- argument lists ---- */

/* Appends the parts of an argument block for add_one, as a launcher would. */
static void *list_of(void *f, void *from, void *to, int32_t n, void **last)
{
	void *list = NULL, *p = NULL, *null = NULL, *sync = NULL;
	const int32_t grid[3] = {BLOCKS, 1, 1};

	GIVES(acl.sync_address(&sync), 0);
	GIVES(acl.list_make(f, &list), 0);
	GIVES(acl.list_append(list, &sync, sizeof sync, &p), 0);
	for (int i = 0; i < 2; i++)
		GIVES(acl.list_append(list, &null, sizeof null, &p), 0);
	GIVES(acl.list_append(list, &from, sizeof from, &p), 0);
	GIVES(acl.list_append(list, &to, sizeof to, &p), 0);
	GIVES(acl.list_append(list, &n, sizeof n, last), 0);
	for (int i = 0; i < 3; i++) {
		int32_t size = grid[i];

		GIVES(acl.list_append(list, &size, sizeof size, &p), 0);
	}
	return list;
}

static int count_added(const void *to)
{
	float numbers[N];
	int right = 0;

	GIVES(acl.copy_now(numbers, BYTES, to, BYTES, D2H), 0);
	for (int i = 0; i < N; i++)
		right += numbers[i] == 1;
	return right;
}

static void lists(void)
{
	void *stream = standin_case_begin(), *from = NULL, *to = NULL, *last = NULL, *p = NULL;
	void *f = standin_case_load("add_one"), *other = standin_case_load("nothing");
	int32_t fewer = 1000;

	GIVES(acl.alloc(&from, BYTES, 0), 0);
	GIVES(acl.alloc(&to, BYTES, 0), 0);
	GIVES(acl.set_now(from, BYTES, 0, BYTES), 0);
	GIVES(acl.set_now(to, BYTES, 0, BYTES), 0);
	void *list = list_of(f, from, to, N, &last);
	GIVES(acl.launch_list(f, BLOCKS, stream, NULL, list, NULL), 107000); /* not finished */
	GIVES(acl.list_finish(list), 0);
	GIVES(acl.list_append(list, &fewer, sizeof fewer, &p), 107000);
	GIVES(acl.list_update(list, last, &fewer, sizeof fewer), 0);
	GIVES(acl.launch_list(f, BLOCKS, stream, NULL, list, NULL), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	HOLDS(count_added(to) == fewer);
	fewer = N;
	GIVES(acl.list_update(list, last, &fewer, sizeof fewer), 0);
	GIVES(acl.launch_list(f, BLOCKS, stream, NULL, list, NULL), 0);
	GIVES(acl.stream_synchronize(stream), 0);
	HOLDS(count_added(to) == N);
	GIVES(acl.list_update(list, last, &fewer, 8), 107000);
	GIVES(acl.list_update(list, &fewer, &fewer, sizeof fewer), 107017);
	GIVES(acl.launch_list(other, BLOCKS, stream, NULL, list, NULL), 107000);
	GIVES(acl.launch_list(f, BLOCKS, stream, NULL, list, &fewer), 107000);
	GIVES(acl.launch_list(f, 0, stream, NULL, list, NULL), 107000);
	GIVES(acl.launch_list(f, BLOCKS, stream, NULL, f, NULL), 107017);
	GIVES(acl.list_make(stream, &p), 107017);
}

static void long_list(void)
{
	char large[1024] = "";
	void *list = NULL, *p = NULL;

	(void)standin_case_begin();
	GIVES(acl.list_make(standin_case_load("nothing"), &list), 0);
	GIVES(acl.list_append(list, large, sizeof large, &p), 0);
	GIVES(acl.list_append(list, large, 1, &p), 107000);
	GIVES(acl.list_make(standin_case_load("nothing"), &list), 0);
	for (int i = 0; i < 64; i++)
		GIVES(acl.list_append(list, large, 4, &p), 0);
	GIVES(acl.list_append(list, large, 4, &p), 107000);
	GIVES(acl.list_append(list, NULL, 4, &p), 107000);
}

static void launches(void)
{
	void *stream = standin_case_begin(), *to = NULL, *f = standin_case_load("nothing");
	struct aclrtLaunchKernelCfg none = {0}, some = {&none, 1};
	struct standin_block b;
	char name[8] = "";

	GIVES(acl.alloc(&to, 256, 0), 0);
	standin_block_init(&b, NULL, to, 1, 1);
	GIVES(acl.copy_now(to, 256, &b, STANDIN_BLOCK_BYTES, H2D), 0);
	GIVES(acl.launch_v2(f, 1, to, STANDIN_BLOCK_BYTES, &none, stream), 0);
	GIVES(acl.launch_v2(f, 1, &b, STANDIN_BLOCK_BYTES, &none, stream), 107000);
	GIVES(acl.launch_v2(f, 1, to, STANDIN_BLOCK_BYTES, &some, stream), 207000);
	GIVES(acl.launch(f, 1, stream, &some, &b, STANDIN_BLOCK_BYTES, NULL, 0), 207000);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.function_name(f, sizeof name, name), 0);
	HOLDS(strcmp(name, "nothing") == 0);
	GIVES(acl.function_name(f, 7, name), 107000);
}

static void unloaded(void)
{
	void *binary = NULL, *f = NULL, *list = NULL;

	(void)standin_case_begin();
	GIVES(acl.binary_load(TWIN_ADD, NULL, &binary), 0);
	GIVES(acl.binary_function(binary, "nothing", &f), 0);
	GIVES(acl.list_make(f, &list), 0);
	GIVES(acl.binary_unload(binary), 0);
	GIVES(acl.list_finish(list), 107017);
}

int main(void)
{
	standin_case("head", "", references, "references");
	standin_case("head", "", last_errors, "the last error's code is given once");
	standin_case("head", "", types, "element types");
	standin_case("head", "fault=hang=1", streams, "limits of waiting");
	standin_case("head", "", rows, "copies of rows");
	standin_case("head", "", caches, "caches and pointers");
	standin_case("head", "", lists, "argument lists");
	standin_case("head", "", long_list, "argument lists that are too long");
	standin_case("head", "", launches, "launches with attributes");
	standin_case("head", "", unloaded, "argument lists of a binary that is unloaded");
	tap_has(standin_case_log(), "balance argument lists: 1 made, 1 freed", "go with it");
	return tap_done();
}
