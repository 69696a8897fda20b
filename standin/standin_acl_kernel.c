/* libascendcl.so of the stand-in: binaries, argument lists and launches. */
#include <stdio.h>
#include <string.h>

#include "standin/standin_acl.h"
#include "standin/standin_argument_list.h"
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

int aclrtGetFunctionName(void *function, uint32_t size, char *name)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_function_check(function);
	const char *text = code ? "" : ((const struct standin_function *)function)->kernel->name;
	if (code == STANDIN_OK && (!name || strlen(text) >= size))
		code = standin_fail(RT_PARAM_INVALID, "room of %u bytes", size);
	if (code == STANDIN_OK)
		memcpy(name, text, strlen(text) + 1);
	return standin_leave(__func__, code, "%p", function);
}

/* ---- argument lists ---- */

int aclrtKernelArgsInit(void *function, void **list)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_argument_list *l = NULL;

	code = code ? code : standin_function_check(function);
	code = code ? code : standin_argument_list_make(function, &l);
	if (code == STANDIN_OK)
		*list = l;
	return standin_leave(__func__, code, "%p %p", function, (void *)l);
}

int aclrtKernelArgsAppend(void *list, void *value, size_t bytes, void **parameter)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_parameter *p = NULL;

	code = code ? code : standin_argument_list_check(list);
	code = code ? code : standin_argument_list_append(list, value, bytes, &p);
	if (code == STANDIN_OK)
		*parameter = p;
	return standin_leave(__func__, code, "%p %zu", list, bytes);
}

int aclrtKernelArgsParaUpdate(void *list, void *parameter, void *value, size_t bytes)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_argument_list_check(list);
	code = code ? code : standin_argument_list_update(list, parameter, value, bytes);
	return standin_leave(__func__, code, "%p %p %zu", list, parameter, bytes);
}

int aclrtKernelArgsFinalize(void *list)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_argument_list_check(list);
	if (code == STANDIN_OK)
		((struct standin_argument_list *)list)->is_final = true;
	return standin_leave(__func__, code, "%p", list);
}

/* ---- launches ---- */

static int check_config(const struct aclrtLaunchKernelCfg *config)
{
	return config && config->n ? standin_fail(RT_FEATURE_NOT_SUPPORT, "attributes of a launch")
				   : STANDIN_OK;
}

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

	code = code ? code : check_config(config);
	if (code == STANDIN_OK && (holders || n_holders))
		code = standin_fail(RT_FEATURE_NOT_SUPPORT, "place holders");
	code = code ? code : launch(function, blocks, arguments, bytes, false, stream);
	return standin_leave(__func__, code, "%p %u %p %zu", function, blocks, stream, bytes);
}

static int launch_on_device(const char *name, void *function, uint32_t blocks,
			    const void *arguments, size_t bytes,
			    const struct aclrtLaunchKernelCfg *config, void *stream)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);

	code = code ? code : check_config(config);
	code = code ? code : launch(function, blocks, arguments, bytes, true, stream);
	return standin_leave(name, code, "%p %u %p %zu", function, blocks, stream, bytes);
}

int aclrtLaunchKernel(void *function, uint32_t blocks, const void *arguments, size_t bytes,
		      void *stream)
{
	return launch_on_device(__func__, function, blocks, arguments, bytes, NULL, stream);
}

int aclrtLaunchKernelV2(void *function, uint32_t blocks, const void *arguments, size_t bytes,
			struct aclrtLaunchKernelCfg *config, void *stream)
{
	return launch_on_device(__func__, function, blocks, arguments, bytes, config, stream);
}

static int check_list(const struct standin_argument_list *l, const void *function)
{
	const int code = standin_argument_list_check(l);

	if (code)
		return code;
	return l->is_final && l->function == function
		       ? STANDIN_OK
		       : standin_fail(RT_PARAM_INVALID,
				      "an argument list that is not finished, or of another "
				      "function");
}

int aclrtLaunchKernelWithConfig(void *function, uint32_t blocks, void *stream,
				struct aclrtLaunchKernelCfg *config, void *list, void *reserved)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	const struct standin_argument_list *l = list;

	if (code == STANDIN_OK && reserved)
		code = standin_fail(RT_PARAM_INVALID, "%p is reserved", reserved);
	code = code ? code : check_config(config);
	code = code ? code : check_list(l, function);
	code = code ? code : launch(function, blocks, l->block, l->bytes, false, stream);
	return standin_leave(__func__, code, "%p %u %p %p", function, blocks, stream, list);
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
