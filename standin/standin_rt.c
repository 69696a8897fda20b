/* libruntime.so of the stand-in: what older programs launch kernels by, over the same core. */
#include "standin/standin_abi.h"

#include <string.h>

#include "standin/standin_binary.h"
#include "standin/standin_launch.h"

extern const char asctune_standin[];
__attribute__((visibility("default"))) const char asctune_standin[] = "1";

int rtDevBinaryRegister(const struct rt_binary *binary, void **handle)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_binary *b = NULL;

	if (code == STANDIN_OK &&
	    (!binary || !handle || binary->version != 0 ||
	     (binary->magic != NPU_MAGIC_AICORE && binary->magic != NPU_MAGIC_VECTOR)))
		code = standin_fail(RT_PARAM_INVALID, "a binary without a magic of version 0");
	code = code ? code : standin_binary_load_bytes(binary->data, binary->length, &b);
	if (code == STANDIN_OK) {
		b->magic = binary->magic;
		*handle = b;
	}
	return standin_leave(__func__, code, "%p", (void *)b);
}

int rtDevBinaryUnRegister(void *handle)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_binary_check(handle);
	code = code ? code : standin_binary_unload(handle);
	return standin_leave(__func__, code, "%p", handle);
}

static struct standin_function *find_stub(const void *stub)
{
	struct standin_function *f = standin_first(STANDIN_FUNCTION);

	while (f && f->stub != stub)
		f = (struct standin_function *)f->object.next;
	return f;
}

/* A binary for vector cores holds kernels for them alone. */
static int check_magic(const struct standin_binary *b, const struct standin_function *f)
{
	const bool vector = strcmp(f->kernel->mix_mode, "aiv") == 0;

	if (vector == (b->magic == NPU_MAGIC_VECTOR))
		return STANDIN_OK;
	return standin_fail(RT_PARAM_INVALID, "kernel %s of mix mode %s in a binary of magic %#x",
			    f->kernel->name, f->kernel->mix_mode, b->magic);
}

static int add_stub(struct standin_binary *b, const void *stub, const char *name)
{
	struct standin_function *f = NULL;

	if (!stub || !name)
		return standin_fail(RT_PARAM_INVALID, "a function without a host address or name");
	if (find_stub(stub))
		return standin_fail(RT_KERNEL_DUPLICATE, "%p stands for a kernel already", stub);
	int code = standin_binary_find(b, name, &f);
	code = code ? code : check_magic(b, f);
	if (code == STANDIN_OK)
		f->stub = stub;
	return code;
}

int rtFunctionRegister(void *binary, const void *stub, const char *stub_name,
		       const void *kernel_name, uint32_t mode)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_binary_check(binary);
	code = code ? code : add_stub(binary, stub, kernel_name);
	return standin_leave(__func__, code, "%p %p %s %u", binary, stub,
			     stub_name ? stub_name : "", mode);
}

static int launch(const void *stub, uint32_t blocks, const void *arguments, uint32_t bytes,
		  struct standin_stream *stream)
{
	struct standin_function *f = stub ? find_stub(stub) : NULL;

	if (!f)
		return standin_fail(RT_KERNEL_LOOKUP, "%p stands for no kernel", stub);
	if (blocks > NPU_MAX_BLOCKS)
		return standin_fail(RT_PARAM_INVALID, "coreDim=%u can't be greater than UINT16_MAX",
				    blocks);
	const int code = standin_stream_check(stream);
	return code ? code : standin_launch(f, blocks, arguments, bytes, stream);
}

int rtKernelLaunch(const void *stub, uint32_t blocks, void *arguments, uint32_t bytes,
		   void *memory_description, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	(void)memory_description;
	code = code ? code : launch(stub, blocks, arguments, bytes, stream);
	return standin_leave(__func__, code, "%p %u %p %u", stub, blocks, stream, bytes);
}

int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *bytes)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && !standin_get_control()->rates.has_ffts)
		code = standin_fail(RT_FEATURE_NOT_SUPPORT, "%s has no such address",
				    standin_get_control()->limits.name);
	if (code == STANDIN_OK) {
		*address = (uint64_t)(uintptr_t)standin_sync_address();
		*bytes = sizeof *address;
	}
	return standin_leave(__func__, code, "%s", "");
}

int rtGetSocVersion(char *out, const uint32_t size)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	const char *name = standin_get_control()->limits.name;

	if (code == STANDIN_OK && (!out || strlen(name) >= size))
		code = standin_fail(RT_PARAM_INVALID, "room of %u bytes", size);
	if (code == STANDIN_OK)
		memcpy(out, name, strlen(name) + 1);
	return standin_leave(__func__, code, "%s", "");
}
