/* libruntime.so of the stand-in: what older programs launch kernels by, over the same core. */
#include "standin/standin_rt.h"

#include <stdio.h>
#include <string.h>

#include "standin/standin_binary.h"
#include "standin/standin_context.h"
#include "standin/standin_launch.h"
#include "standin/standin_memory.h"
#include "standin/standin_stream.h"
#include "standin/standin_transfer.h"

extern const char asctune_standin[];
__attribute__((visibility("default"))) const char asctune_standin[] = "1";

enum { MAX_BLOCKS = 65535 };
enum { MEMORY_DEFAULT = 0, MEMORY_HBM = 2 };
enum { LAST_COPY = 3, COPY_DEFAULT = 8, ACL_COPY_DEFAULT = 4 };

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
	if (blocks > MAX_BLOCKS)
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

/* Arguments that are all in the block, and a configuration without requests. */
static int check_plain(const struct rt_arguments *a, uint32_t flags,
		       const struct rt_task_config *config)
{
	static const struct rt_task_config nothing;

	if (!a)
		return standin_fail(RT_PARAM_INVALID, "no arguments");
	if (a->n_inputs || a->has_tiling || a->is_on_device || flags ||
	    (config && memcmp(config, &nothing, sizeof nothing) != 0))
		return standin_fail(RT_FEATURE_NOT_SUPPORT, "inputs, tiling, flags or attributes "
							    "of a launch");
	return STANDIN_OK;
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int rtKernelLaunchWithFlagV2(const void *stub, uint32_t blocks, struct rt_arguments *arguments,
			     void *memory_description, void *stream, uint32_t flags,
			     const struct rt_task_config *config)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	(void)memory_description;
	code = code ? code : check_plain(arguments, flags, config);
	code = code ? code : launch(stub, blocks, arguments->block, arguments->bytes, stream);
	return standin_leave(__func__, code, "%p %u %p", stub, blocks, stream);
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

/* ---- device ---- */

int rtSetDevice(int32_t device)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_set(device);
	return standin_leave(__func__, code, "%d", device);
}

int rtGetAiCoreCount(uint32_t *n)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	int64_t value = 0;

	if (code == STANDIN_OK && !n)
		code = standin_fail(RT_PARAM_INVALID, "a null pointer");
	code = code ? code : standin_device_fact(FACT_PROCESSORS, &value);
	if (code == STANDIN_OK)
		*n = (uint32_t)value;
	return standin_leave(__func__, code, "%s", "");
}

/* Keys of the platform files, by their sections. */
static int find_spec(const char *label, const char *key, int64_t *value)
{
	static const struct {
		const char *label, *key;
		enum fact fact;
	} list[] = {
		{"SoCInfo", "ai_core_cnt", FACT_PROCESSORS},
		{"SoCInfo", "cube_core_cnt", FACT_CUBE_CORES},
		{"SoCInfo", "vector_core_cnt", FACT_VECTOR_CORES},
		{"SoCInfo", "l2_size", FACT_L2_BYTES},
		{"AICoreSpec", "ub_size", FACT_UB_BYTES},
		{"AICoreSpec", "l0_a_size", FACT_L0A_BYTES},
		{"AICoreSpec", "l0_b_size", FACT_L0B_BYTES},
		{"AICoreSpec", "l0_c_size", FACT_L0C_BYTES},
		{"AICoreSpec", "l1_size", FACT_L1_BYTES},
	};

	for (size_t i = 0; label && key && i < sizeof list / sizeof *list; i++)
		if (strcmp(list[i].label, label) == 0 && strcmp(list[i].key, key) == 0)
			return standin_device_fact(list[i].fact, value);
	return standin_fail(RT_PARAM_INVALID, "no %s in %s", key ? key : "(null)",
			    label ? label : "(null)");
}

int rtGetSocSpec(const char *label, const char *key, char *value, const uint32_t size)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_NOTHING);
	char text[32] = "";
	int64_t number = 0;

	code = code ? code : find_spec(label, key, &number);
	(void)snprintf(text, sizeof text, "%lld", (long long)number);
	if (code == STANDIN_OK && (!value || strlen(text) >= size))
		code = standin_fail(RT_PARAM_INVALID, "room of %u bytes", size);
	if (code == STANDIN_OK)
		memcpy(value, text, strlen(text) + 1);
	return standin_leave(__func__, code, "%s %s", label ? label : "", key ? key : "");
}

/* ---- streams and memory: handles are those of libascendcl ---- */

int rtStreamCreate(void **stream, int32_t priority)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_stream *s = NULL;

	code = code ? code : standin_stream_make(&s);
	if (code == STANDIN_OK)
		*stream = s;
	return standin_leave(__func__, code, "%p %d", (void *)s, priority);
}

int rtStreamDestroy(void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_stream_check(stream);
	if (code == STANDIN_OK)
		standin_stream_destroy(stream);
	return standin_leave(__func__, code, "%p", stream);
}

int rtStreamSynchronize(void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_stream_check(stream);
	code = code ? code : standin_stream_wait(stream, STANDIN_FOREVER_MS);
	return standin_leave(__func__, code, "%p", stream);
}

int rtMalloc(void **out, uint64_t bytes, uint32_t type, const uint16_t module)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && type != MEMORY_DEFAULT && type != MEMORY_HBM)
		code = standin_fail(RT_PARAM_INVALID, "memory of type %u", type);
	code = code ? code : standin_memory_alloc(bytes, out);
	return standin_leave(__func__, code, "%p %llu %u", code ? NULL : *out,
			     (unsigned long long)bytes, module);
}

int rtFree(void *at)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_memory_free(at);
	return standin_leave(__func__, code, "%p", at);
}

int rtMemcpy(void *to, uint64_t room, const void *from, uint64_t n, int kind)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	const unsigned same = kind == COPY_DEFAULT ? ACL_COPY_DEFAULT : (unsigned)kind;

	if (code == STANDIN_OK && kind != COPY_DEFAULT && (kind < 0 || kind > LAST_COPY))
		code = standin_fail(RT_PARAM_INVALID, "a copy of kind %d", kind);
	code = code ? code : standin_copy_check(to, room, from, n, same);
	if (code == STANDIN_OK)
		standin_transfer_copy_now(to, from, n);
	return standin_leave(__func__, code, "%p %p %llu", to, from, (unsigned long long)n);
}
