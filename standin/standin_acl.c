/* libascendcl.so of the stand-in: process, device, context and streams. */
#include "standin/standin_abi.h"

#include <stdio.h>
#include <string.h>

#include "standin/standin_context.h"
#include "standin/standin_stream.h"

enum { ACL_MAJOR = 1, ACL_MINOR = 15 };

/* Marks results as simulated: no library of the vendor's has this symbol. */
extern const char asctune_standin[];
__attribute__((visibility("default"))) const char asctune_standin[] = "1";

/* ---- process ---- */

int aclInit(const char *config)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_NOTHING);

	code = code ? code : standin_init();
	return standin_leave(__func__, code, "%s", config ? config : "");
}

int aclFinalize(void)
{
	int code = standin_enter(__func__, STANDIN_WHEN_LOST);

	code = code ? code : standin_finalize();
	return standin_leave(__func__, code, "%s", "");
}

const char *aclGetRecentErrMsg(void)
{
	const int code = standin_enter(__func__, STANDIN_WHEN_LOST);
	const char *text = code ? NULL : standin_take_message();

	(void)standin_leave(__func__, code, "%s", text ? text : "");
	return text;
}

const char *aclrtGetSocName(void)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	standin_leave(__func__, code, "%s", "");
	return code ? NULL : standin_get_control()->limits.name;
}

int aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_NOTHING);

	if (code == STANDIN_OK) {
		*major = ACL_MAJOR;
		*minor = ACL_MINOR;
		*patch = 0;
	}
	return standin_leave(__func__, code, "%s", "");
}

int aclsysGetVersionStr(char *package, char *version)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_NOTHING);

	if (code == STANDIN_OK && (!package || !version))
		code = standin_fail(ACL_INVALID_PARAM, "a null pointer");
	if (code == STANDIN_OK)
		(void)snprintf(version, NPU_VERSION_BYTES, "%s", standin_get_control()->version);
	return standin_leave(__func__, code, "%s", package ? package : "");
}

/* ---- device ---- */

int aclrtGetDeviceCount(uint32_t *n)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	if (code == STANDIN_OK)
		*n = (uint32_t)standin_get_control()->devices;
	return standin_leave(__func__, code, "%s", "");
}

int aclrtSetDevice(int32_t device)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_set(device);
	return standin_leave(__func__, code, "%d", device);
}

int aclrtSynchronizeDevice(void)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_streams_wait(standin_context_current());
	return standin_leave(__func__, code, "%s", "");
}

int aclrtResetDevice(int32_t device)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	code = code ? code : standin_device_reset(device);
	return standin_leave(__func__, code, "%d", device);
}

/* ---- facts ---- */

struct fact_number {
	unsigned number;
	enum fact fact;
};

/* Finds the value of a fact; a code where there is no such number, or the platform file states
 * none. */
static int find_numbered(const struct fact_number *list, size_t n, unsigned number, int64_t *value)
{
	const struct facts *f = &standin_get_control()->limits.facts;
	size_t i = 0;

	while (i < n && list[i].number != number)
		i++;
	if (i == n)
		return standin_fail(RT_PARAM_INVALID, "attribute %u", number);
	const enum fact fact = list[i].fact;
	if (!f->known[fact])
		return standin_fail(RT_FEATURE_NOT_SUPPORT, "%s is not known", facts_name(fact));
	*value = f->value[fact];
	return STANDIN_OK;
}

#define FIND_NUMBERED(list, number, value)                                                         \
	find_numbered(list, sizeof(list) / sizeof *(list), number, value)

int aclGetDeviceCapability(uint32_t device, int which, int64_t *value)
{
	static const struct fact_number list[] = {
		{NPU_DEVICE_INFO_AI_CORES, FACT_PROCESSORS},
		{NPU_DEVICE_INFO_VECTOR_CORES, FACT_VECTOR_CORES},
		{NPU_DEVICE_INFO_L2_BYTES, FACT_L2_BYTES},
	};
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_check(device);
	code = code ? code : FIND_NUMBERED(list, (unsigned)which, value);
	return standin_leave(__func__, code, "%u %d", device, which);
}

int aclrtGetDeviceInfo(uint32_t device, unsigned attribute, int64_t *value)
{
	static const struct fact_number list[] = {
		{NPU_ATTRIBUTE_AI_CORES, FACT_PROCESSORS},
		{NPU_ATTRIBUTE_CUBE_CORES, FACT_CUBE_CORES},
		{NPU_ATTRIBUTE_VECTOR_CORES, FACT_VECTOR_CORES},
		{NPU_ATTRIBUTE_UB_BYTES, FACT_UB_BYTES},
		{NPU_ATTRIBUTE_MEMORY_BYTES, FACT_MEMORY_BYTES},
		{NPU_ATTRIBUTE_L2_BYTES, FACT_L2_BYTES},
	};
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_check(device);
	if (code == STANDIN_OK && attribute == NPU_ATTRIBUTE_MEMORY_BYTES)
		*value = standin_get_control()->memory_bytes;
	else if (code == STANDIN_OK)
		code = FIND_NUMBERED(list, attribute, value);
	return standin_leave(__func__, code, "%u %u", device, attribute);
}

int aclrtDeviceGetUuid(int32_t device, struct aclrtUuid *out)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_check(device);
	if (code == STANDIN_OK) {
		char uuid[NPU_UUID_BYTES] = "standin";

		uuid[NPU_UUID_BYTES - 1] = (char)device;
		memcpy(out, uuid, sizeof uuid);
	}
	return standin_leave(__func__, code, "%d", device);
}

/* ---- context ---- */

int aclrtSetCurrentContext(void *context)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_context_use(context);
	return standin_leave(__func__, code, "%p", context);
}

int aclrtGetCurrentContext(void **context)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK)
		*context = standin_context_current();
	return standin_leave(__func__, code, "%s", "");
}

/* ---- streams ---- */

int aclrtCreateStream(void **stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	struct standin_stream *s = NULL;

	code = code ? code : standin_stream_make(&s);
	if (code == STANDIN_OK)
		*stream = s;
	return standin_leave(__func__, code, "%p", (void *)s);
}

int aclrtDestroyStream(void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : standin_stream_check(stream);
	if (code == STANDIN_OK)
		standin_stream_destroy(stream);
	return standin_leave(__func__, code, "%p", stream);
}

static int wait(const char *name, struct standin_stream *s, int32_t timeout_ms)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_stream_check(s);
	code = code ? code : standin_stream_wait(s, timeout_ms);
	return standin_leave(name, code, "%p %d", (void *)s, timeout_ms);
}

int aclrtSynchronizeStream(void *stream)
{
	return wait(__func__, stream, STANDIN_FOREVER_MS);
}

int aclrtSynchronizeStreamWithTimeout(void *stream, int32_t timeout_ms)
{
	return wait(__func__, stream, timeout_ms);
}
