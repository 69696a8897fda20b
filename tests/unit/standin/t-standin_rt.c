/* The stand-in's libruntime.so: registered binaries and functions, launches by host addresses.
 * covers: standin_rt.c */
#include <dlfcn.h>
#include <string.h>

#include "standin_case.h"
#include "tests/tap.h"
#include "tuner/base/buf.h"
#include "tuner/base/file.h"

enum { N = 100, BYTES = N * 4 };

static struct {
#define X(member, symbol, result, parameters) result(*member) parameters;
	RT_LIST(X)
#undef X
} rt;

static char stub, other; /* addresses that stand for kernels */

static void *begin(const char *folder)
{
	void *library = standin_case_open(folder, "libruntime.so");

	if (HOLDS(library != NULL)) {
#define X(member, symbol, result, parameters) *(void **)&rt.member = dlsym(library, #symbol);
		RT_LIST(X)
#undef X
	}
	return standin_case_begin();
}

static void *register_binary(uint32_t magic, int want)
{
	struct buf data = {0};
	struct asc_err e;
	void *handle = NULL;

	HOLDS(file_read(TWIN_ADD, 1 << 24, &data, &e) == ASC_OK);
	const struct rt_binary binary = {.magic = magic, .data = data.data, .length = data.len};
	GIVES(rt.binary_register(&binary, &handle), want);
	buf_fini(&data);
	return handle;
}

static void block_init(struct standin_block *b, void *at, int32_t blocks)
{
	uint64_t address = 0;
	uint32_t bytes = 0;

	*b = (struct standin_block){.from = at, .to = at, .n = N, .grid = {blocks, 1, 1}};
	GIVES(rt.sync_address(&address, &bytes), 0);
	memcpy(&b->sync, &address, sizeof b->sync);
}

static void launches(const char *folder)
{
	void *stream = begin(folder), *handle = register_binary(NPU_MAGIC_VECTOR, 0), *at = NULL;
	struct standin_block b;
	float numbers[N] = {0};

	GIVES(rt.function_register(handle, &stub, "stub", "add_one", 0), 0);
	GIVES(rt.function_register(handle, &stub, "stub", "nothing", 0), 507028);
	GIVES(rt.function_register(handle, &other, "other", "none", 0), 507027);
	GIVES(acl.alloc(&at, BYTES, 0), 0);
	GIVES(acl.copy(at, BYTES, numbers, BYTES, NPU_HOST_TO_DEVICE), 0);
	block_init(&b, at, 1);
	GIVES(rt.launch(&stub, 1, &b, STANDIN_BLOCK_BYTES, NULL, stream), 0);
	memset(&b, 0, sizeof b);
	GIVES(acl.stream_synchronize(stream), 0);
	GIVES(acl.copy(numbers, BYTES, at, BYTES, NPU_DEVICE_TO_HOST), 0);
	HOLDS(numbers[0] == 1 && numbers[N - 1] == 1);
	GIVES(rt.launch(&other, 1, &b, STANDIN_BLOCK_BYTES, NULL, stream), 507027);
	GIVES(rt.launch(&stub, 0, &b, STANDIN_BLOCK_BYTES, NULL, stream), 107000);
	GIVES(rt.launch(&stub, 65536, &b, STANDIN_BLOCK_BYTES, NULL, stream), 107000);
	GIVES(rt.binary_unregister(handle), 0);
	GIVES(rt.launch(&stub, 1, &b, STANDIN_BLOCK_BYTES, NULL, stream), 507027);
}

static void of_head(void)
{
	launches("head");
}

static void of_2022(void)
{
	launches("2022");
}

static void magics(void)
{
	char name[50] = "", small[5];

	(void)begin("head");
	(void)register_binary(0, 107000);
	void *handle = register_binary(NPU_MAGIC_AICORE, 0);
	GIVES(rt.function_register(handle, &stub, "stub", "add_one", 0), 107000);
	GIVES(rt.function_register(handle, &stub, "stub", "hungry", 0), 0);
	GIVES(rt.soc_name(name, sizeof name), 0);
	HOLDS(strcmp(name, "Ascend910B3") == 0);
	GIVES(rt.soc_name(small, sizeof small), 107000);
}

static void two_binaries(void)
{
	(void)begin("head");
	void *first = register_binary(NPU_MAGIC_VECTOR, 0),
	     *second = register_binary(NPU_MAGIC_VECTOR, 0);
	GIVES(rt.function_register(first, &stub, "stub", "add_one", 0), 0);
	GIVES(rt.function_register(second, &other, "other", "add_one", 0), 0);
	GIVES(rt.binary_unregister(first), 0);
	GIVES(rt.function_register(second, &stub, "stub", "count", 0), 0);
}

int main(void)
{
	standin_case("head", "", of_head, "a launch by a host address");
	standin_case("2022", "", of_2022, "with the functions of 2022");
	standin_case("head", "", magics, "magics and the SoC's name");
	standin_case("head", "", two_binaries, "one kernel of two binaries");
	return tap_done();
}
