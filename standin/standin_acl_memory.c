/* libascendcl.so of the stand-in: memory of device and host, copies, element types. */
#include "standin/standin_acl.h"
#include "standin/standin_memory.h"
#include "standin/standin_tensor.h"
#include "standin/standin_transfer.h"
#include "tuner/base/dtype.h"

enum { LAST_POLICY = 2, LAST_CMO = 3 };
enum { AT_HOST = 0, ON_DEVICE = 1, UNREGISTERED = 2 }; /* aclrtMemLocationType */

/* aclrtPtrAttributes. */
struct aclrtPtrAttributes {
	uint32_t id;
	int32_t type;
	uint32_t page_bytes, reserved[4];
};

struct rows {
	void *to;
	const void *from;
	size_t to_pitch, from_pitch, width, height;
};

/* ---- allocations ---- */

static int allocate(const char *name, void **out, size_t bytes, unsigned policy)
{
	int code = standin_enter(name, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && policy > LAST_POLICY)
		code = standin_fail(RT_PARAM_INVALID, "allocation policy %u", policy);
	code = code ? code : standin_memory_alloc(bytes, out);
	return standin_leave(name, code, "%p %zu", code ? NULL : *out, bytes);
}

int aclrtMalloc(void **out, size_t bytes, unsigned policy)
{
	return allocate(__func__, out, bytes, policy);
}

int aclrtMallocAlign32(void **out, size_t bytes, unsigned policy)
{
	return allocate(__func__, out, bytes, policy);
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

/* ---- copies and fills ---- */

int aclrtMemset(void *at, size_t room, int32_t byte, size_t n)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : standin_set_check(at, room, n);
	if (code == STANDIN_OK)
		standin_transfer_set_now(at, byte, n);
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
		standin_transfer_copy_now(to, from, n);
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

/* Checks or does a copy row by row. */
static int copy_rows(const struct rows *r, unsigned kind, bool check)
{
	int code = STANDIN_OK;

	for (size_t i = 0; i < r->height && code == STANDIN_OK; i++) {
		char *to = (char *)r->to + i * r->to_pitch;
		const char *from = (const char *)r->from + i * r->from_pitch;

		if (check)
			code = standin_copy_check(to, r->width, from, r->width, kind);
		else
			standin_transfer_copy_now(to, from, r->width);
	}
	return code;
}

// NOLINTNEXTLINE(readability-function-size): the vendor's argument list
int aclrtMemcpy2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
		  size_t height, unsigned kind)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);
	const struct rows r = {to, from, to_pitch, from_pitch, width, height};

	if (code == STANDIN_OK && (!width || !height || width > to_pitch || width > from_pitch))
		code = standin_fail(RT_PARAM_INVALID, "%zu rows of %zu bytes, %zu and %zu apart",
				    height, width, to_pitch, from_pitch);
	code = code ? code : copy_rows(&r, kind, true);
	code = code ? code : copy_rows(&r, kind, false);
	return standin_leave(__func__, code, "%p %p %zu %zu", to, from, width, height);
}

/* The model has no caches: nothing is prefetched, written back or dropped. */
int aclrtCmoAsync(void *from, size_t n, unsigned type, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && (type > LAST_CMO || !n || standin_memory_room(from) < n))
		code = standin_fail(RT_PARAM_INVALID, "operation %u on %zu bytes at %p", type, n,
				    from);
	code = code ? code : standin_stream_check(stream);
	return standin_leave(__func__, code, "%p %zu %u", from, n, type);
}

int aclrtPointerGetAttributes(const void *at, struct aclrtPtrAttributes *out)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK && (!at || !out))
		code = standin_fail(RT_PARAM_INVALID, "a null pointer");
	if (code == STANDIN_OK)
		*out = (struct aclrtPtrAttributes){.type = standin_memory_has(at) ? ON_DEVICE
							   : standin_host_has(at) ? AT_HOST
										  : UNREGISTERED};
	return standin_leave(__func__, code, "%p", at);
}

/* ---- element types ---- */

size_t aclDataTypeSize(int type)
{
	enum dtype t;

	return standin_dtype_find(type, &t) ? dtype_bytes(t) : 0;
}

uint16_t aclFloatToFloat16(float value)
{
	const double wide = value;
	uint16_t half;

	dtype_from_double(DTYPE_F16, &wide, &half, 1);
	return half;
}

float aclFloat16ToFloat(uint16_t value)
{
	double wide;

	dtype_to_double(DTYPE_F16, &value, &wide, 1);
	return (float)wide;
}
