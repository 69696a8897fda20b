/* libascendcl.so of the stand-in: memory, binaries and launches. */
#include "tuner/standin/standin_acl.h"
#include "tuner/standin/standin_binary.h"
#include "tuner/standin/standin_context.h"
#include "tuner/standin/standin_launch.h"
#include "tuner/standin/standin_memory.h"
#include "tuner/standin/standin_transfer.h"

enum { LAST_POLICY = 2 };

/* ---- memory ---- */

int aclrtMalloc(void **out, size_t bytes, unsigned policy)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && policy > LAST_POLICY)
		code = standin_fail(RT_PARAM_INVALID, "allocation policy %u", policy);
	code = code ? code : standin_memory_alloc(bytes, out);
	return standin_leave(__func__, code, "%p %zu", code ? NULL : *out, bytes);
}

int aclrtFree(void *at)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_memory_free(at);
	return standin_leave(__func__, code, "%p", at);
}

int aclrtMallocHost(void **out, size_t bytes)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_host_alloc(bytes, out);
	return standin_leave(__func__, code, "%p %zu", code ? NULL : *out, bytes);
}

int aclrtFreeHost(void *at)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_host_free(at);
	return standin_leave(__func__, code, "%p", at);
}

int aclrtMemset(void *at, size_t room, int32_t byte, size_t n)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_set_check(at, room, n);
	if (code == STANDIN_OK)
		standin_set(at, byte, n);
	return standin_leave(__func__, code, "%p %zu", at, n);
}

int aclrtMemsetAsync(void *at, size_t room, int32_t byte, size_t n, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_set_check(at, room, n);
	code = code ? code : standin_stream_check(stream);
	code = code ? code : standin_transfer_set(at, byte, n, stream);
	return standin_leave(__func__, code, "%p %zu", at, n);
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t n, unsigned kind)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_copy_check(to, room, from, n, kind);
	if (code == STANDIN_OK)
		standin_copy(to, from, n);
	return standin_leave(__func__, code, "%p %p %zu", to, from, n);
}

int aclrtMemcpyAsync(void *to, size_t room, const void *from, size_t n, unsigned kind, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_copy_check(to, room, from, n, kind);
	code = code ? code : standin_stream_check(stream);
	code = code ? code : standin_transfer_copy(to, from, n, stream);
	return standin_leave(__func__, code, "%p %p %zu", to, from, n);
}

/* ---- binaries ---- */

int aclrtBinaryLoadFromFile(const char *path, struct aclrtBinaryLoadOptions *options, void **binary)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_binary *b = NULL;

	(void)options;
	code = code ? code : standin_binary_load(path, &b);
	if (code == STANDIN_OK)
		*binary = b;
	return standin_leave(__func__, code, "%p %s", (void *)b, path ? path : "");
}

int aclrtBinaryLoadFromData(const void *data, size_t n,
			    const struct aclrtBinaryLoadOptions *options, void **binary)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_binary *b = NULL;

	(void)options;
	code = code ? code : standin_binary_load_bytes(data, n, &b);
	if (code == STANDIN_OK)
		*binary = b;
	return standin_leave(__func__, code, "%p %zu", (void *)b, n);
}

int aclrtBinaryUnLoad(void *binary)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_binary_check(binary);
	code = code ? code : standin_binary_unload(binary);
	return standin_leave(__func__, code, "%p", binary);
}

int aclrtBinaryGetFunction(void *const binary, const char *name, void **function)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_function *f = NULL;

	code = code ? code : standin_binary_check(binary);
	code = code ? code : standin_binary_find(binary, name, &f);
	if (code == STANDIN_OK)
		*function = f;
	return standin_leave(__func__, code, "%p %s", (void *)f, name ? name : "");
}

/* ---- launches ---- */

static int launch(struct standin_function *f, uint32_t blocks, const void *arguments, size_t bytes,
		  bool on_device, struct standin_stream *s)
{
	int code = standin_function_check(f);

	code = code ? code : standin_stream_check(s);
	return code ? code : standin_launch(f, blocks, arguments, bytes, on_device, s);
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream,
				  struct aclrtLaunchKernelCfg *config, void *arguments,
				  size_t bytes, ACL_PLACE_HOLDER *holders, size_t n_holders)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	(void)config;
	if (code == STANDIN_OK && (holders || n_holders))
		code = standin_fail(RT_FEATURE_NOT_SUPPORT, "place holders");
	code = code ? code : launch(function, blocks, arguments, bytes, false, stream);
	return standin_leave(__func__, code, "%p %u %p %zu", function, blocks, stream, bytes);
}

int aclrtLaunchKernel(void *function, uint32_t blocks, const void *arguments, size_t bytes,
		      void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : launch(function, blocks, arguments, bytes, true, stream);
	return standin_leave(__func__, code, "%p %u %p %zu", function, blocks, stream, bytes);
}

int aclrtGetHardwareSyncAddr(void **out)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && !standin_get_control()->rates.has_ffts)
		code = standin_fail(RT_FEATURE_NOT_SUPPORT, "%s has no such address",
				    standin_get_control()->limits.name);
	if (code == STANDIN_OK)
		*out = standin_sync_address();
	return standin_leave(__func__, code, "%s", "");
}
