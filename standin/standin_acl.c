/* libascendcl.so of the stand-in: process, device and context. */
#include "standin/standin_acl.h"

#include <stdio.h>
#include <string.h>

#include "standin/standin_context.h"
#include "standin/standin_memory.h"
#include "standin/standin_stream.h"

enum { ACL_MAJOR = 1, ACL_MINOR = 15, UUID_BYTES = 16, ON_HOST = 1 };
enum { MEMORY_HBM = 1 }; /* aclrtMemAttr */
enum { DEVICE_NORMAL = 0, DEVICE_ABNORMAL = 1 };
enum { THREAD_LEVEL = 0 }; /* aclrtLastErrLevel */

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

int aclFinalizeReference(uint64_t *references)
{
	int code = standin_enter(__func__, STANDIN_WHEN_LOST);

	if (code == STANDIN_OK && !references)
		code = standin_fail(ACL_INVALID_PARAM, "a null pointer");
	code = code ? code : standin_release(references);
	return standin_leave(__func__, code, "%s", "");
}

int aclrtGetLastError(unsigned level)
{
	return level == THREAD_LEVEL ? standin_last_code(true) : RT_PARAM_INVALID;
}

int aclrtPeekAtLastError(unsigned level)
{
	return level == THREAD_LEVEL ? standin_last_code(false) : RT_PARAM_INVALID;
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

int aclrtResetDevice(int32_t device)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	code = code ? code : standin_device_reset(device);
	return standin_leave(__func__, code, "%d", device);
}

int aclrtGetDevice(int32_t *device)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK)
		*device = standin_context_current()->device;
	return standin_leave(__func__, code, "%s", "");
}

int aclrtGetRunMode(unsigned *mode)
{
	const int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	if (code == STANDIN_OK)
		*mode = ON_HOST;
	return standin_leave(__func__, code, "%s", "");
}

static int synchronize(const char *name, int32_t timeout_ms)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);
	const struct standin_context *c = code ? NULL : standin_context_current();
	struct standin_stream *s = code ? NULL : standin_first(STANDIN_STREAM);

	for (; s && code == STANDIN_OK; s = (struct standin_stream *)s->object.next)
		if (s->context == c)
			code = standin_stream_wait(s, timeout_ms);
	return standin_leave(name, code, "%d", timeout_ms);
}

int aclrtSynchronizeDevice(void)
{
	return synchronize(__func__, STANDIN_FOREVER_MS);
}

int aclrtSynchronizeDeviceWithTimeout(int32_t timeout_ms)
{
	return synchronize(__func__, timeout_ms);
}

/* The model has no L2 cache whose content matters. */
int aclrtDeviceL2CacheFlush(void *reserved)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && reserved)
		code = standin_fail(RT_PARAM_INVALID, "%p is reserved", reserved);
	return standin_leave(__func__, code, "%s", "");
}

int aclrtGetMemInfo(unsigned attribute, size_t *unused, size_t *all)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && attribute != MEMORY_HBM)
		code = standin_fail(RT_PARAM_INVALID, "memory attribute %u", attribute);
	if (code == STANDIN_OK)
		standin_memory_info(unused, all);
	return standin_leave(__func__, code, "%u", attribute);
}

/* ---- facts ---- */

struct fact_number {
	unsigned number;
	enum fact fact;
};

static int find_numbered(const struct fact_number *list, size_t n, unsigned number, int64_t *value)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].number == number)
			return standin_device_fact(list[i].fact, value);
	return standin_fail(RT_PARAM_INVALID, "attribute %u", number);
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

/* Numbers of aclplatformDevInfo with values of 64 bits; 6 and 7 are clocks. */
static int platform_value(unsigned which, int64_t *value)
{
	static const struct fact_number list[] = {
		{0, FACT_PROCESSORS},   {1, FACT_UB_BYTES},   {2, FACT_CUBE_CORES},
		{3, FACT_VECTOR_CORES}, {4, FACT_L2_BYTES},   {9, FACT_L0A_BYTES},
		{10, FACT_L0B_BYTES},   {11, FACT_L0C_BYTES}, {12, FACT_L1_BYTES},
		{15, FACT_NPU_ARCH},
	};
	enum { MEMORY = 5, CUBE_CLOCK, VECTOR_CLOCK };

	if (which == MEMORY)
		*value = standin_get_control()->memory_bytes;
	else if (which == CUBE_CLOCK || which == VECTOR_CLOCK)
		*value = standin_get_control()->rates.mhz;
	else
		return FIND_NUMBERED(list, which, value);
	return STANDIN_OK;
}

int aclplatformGetDeviceInfo(unsigned which, char *value, uint32_t size)
{
	enum { SOC_VERSION = 13 };
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	char text[64] = "";
	int64_t number = 0;

	if (code == STANDIN_OK && which == SOC_VERSION)
		(void)snprintf(text, sizeof text, "%s", standin_get_control()->limits.name);
	else if (code == STANDIN_OK && (code = platform_value(which, &number)) == STANDIN_OK)
		(void)snprintf(text, sizeof text, "%lld", (long long)number);
	if (code == STANDIN_OK && (!value || strlen(text) >= size))
		code = standin_fail(RT_PARAM_INVALID, "room of %u bytes", size);
	if (code == STANDIN_OK)
		memcpy(value, text, strlen(text) + 1);
	return standin_leave(__func__, code, "%u", which);
}

int aclrtDeviceGetUuid(int32_t device, struct aclrtUuid *out)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);

	code = code ? code : standin_device_check(device);
	if (code == STANDIN_OK) {
		char uuid[UUID_BYTES] = "standin";

		uuid[UUID_BYTES - 1] = (char)device;
		memcpy(out, uuid, sizeof uuid);
	}
	return standin_leave(__func__, code, "%d", device);
}

int aclrtQueryDeviceStatus(int32_t device, unsigned *status)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	code = code ? code : standin_device_check(device);
	if (code == STANDIN_OK)
		*status = standin_lost() ? DEVICE_ABNORMAL : DEVICE_NORMAL;
	return standin_leave(__func__, code, "%d", device);
}

/* ---- context ---- */

int aclrtCreateContext(void **context, int32_t device)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT);
	struct standin_context *c = NULL;

	code = code ? code : standin_context_make(device, &c);
	if (code == STANDIN_OK)
		*context = c;
	return standin_leave(__func__, code, "%p", (void *)c);
}

int aclrtDestroyContext(void *context)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_INIT | STANDIN_WHEN_LOST);

	code = code ? code : standin_context_destroy(context);
	return standin_leave(__func__, code, "%p", context);
}

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
