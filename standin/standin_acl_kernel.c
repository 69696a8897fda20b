/* libascendcl.so of the stand-in: binaries and launches. */
#include "standin/standin_abi.h"
#include "standin/standin_binary.h"
#include "standin/standin_launch.h"

/* aclrtLaunchKernelCfg. */
struct aclrtLaunchKernelCfg {
	const void *attributes;
	size_t n;
};

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

static int check_config(const struct aclrtLaunchKernelCfg *config)
{
	return config && config->n ? standin_fail(RT_FEATURE_NOT_SUPPORT, "attributes of a launch")
				   : STANDIN_OK;
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclrtLaunchKernelWithHostArgs(void *function, uint32_t blocks, void *stream,
				  struct aclrtLaunchKernelCfg *config, void *arguments,
				  size_t bytes, ACL_PLACE_HOLDER *holders, size_t n_holders)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check_config(config);
	if (code == STANDIN_OK && (holders || n_holders))
		code = standin_fail(RT_FEATURE_NOT_SUPPORT, "place holders");
	code = code ? code : standin_function_check(function);
	code = code ? code : standin_stream_check(stream);
	code = code ? code : standin_launch(function, blocks, arguments, bytes, stream);
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
