/* libascendcl.so of the stand-in: memory of device and host, copies, and fills in a stream. */
#include <stdlib.h>
#include <string.h>

#include "standin/standin_abi.h"
#include "standin/standin_context.h"
#include "standin/standin_listener.h"
#include "standin/standin_memory.h"
#include "standin/standin_operator.h"
#include "standin/standin_stream.h"
#include "tuner/base/units.h"

enum { LAST_POLICY = 2, HOST_ALIGN = 64 };

/* Choices of the model, stated by no source. */
enum { BEGIN_NS = 1000, COPY_BYTES_PER_NS = 20, FILL_BYTES_PER_NS = 500 };

/* ---- allocations ---- */

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

	if (code == STANDIN_OK)
		standin_operator_settle(at);
	code = code ? code : standin_memory_free(at);
	return standin_leave(__func__, code, "%p", at);
}

struct host_memory {
	struct standin_object object;
	void *at;
};

static int alloc_host(size_t bytes, void **out)
{
	if (!bytes)
		return standin_fail(RT_PARAM_INVALID, "an allocation of 0 bytes");
	struct host_memory *m = standin_new(STANDIN_HOST_MEMORY, sizeof *m);
	if (!m || posix_memalign(&m->at, HOST_ALIGN, bytes)) {
		if (m)
			standin_free(m);
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for %zu bytes", bytes);
	}
	*out = m->at;
	return STANDIN_OK;
}

int aclrtMallocHost(void **out, size_t bytes)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : alloc_host(bytes, out);
	return standin_leave(__func__, code, "%p %zu", code ? NULL : *out, bytes);
}

static int free_host(void *at)
{
	struct host_memory *m = standin_first(STANDIN_HOST_MEMORY);

	while (m && m->at != at)
		m = (struct host_memory *)m->object.next;
	if (!m)
		return standin_fail(RT_PARAM_INVALID, "%p is no address of host memory", at);
	free(m->at);
	standin_free(m);
	return STANDIN_OK;
}

int aclrtFreeHost(void *at)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT | STANDIN_WHEN_LOST);

	code = code ? code : free_host(at);
	return standin_leave(__func__, code, "%p", at);
}

/* ---- copies ---- */

/* aclrtMemcpyKind. */
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, KIND_DEFAULT };

static const struct {
	bool from_device, to_device;
} sides[] = {[HOST_TO_HOST] = {false, false},
	     [HOST_TO_DEVICE] = {false, true},
	     [DEVICE_TO_HOST] = {true, false},
	     [DEVICE_TO_DEVICE] = {true, true}};

/* True where an end of a copy is on the side that the copy's kind names, whole. */
static bool end_fits(const void *at, size_t n, bool on_device)
{
	if (!on_device)
		return at != NULL && !standin_memory_has(at);
	return standin_memory_has(at) && standin_memory_room(at) >= n;
}

static int check_copy(const void *to, size_t room, const void *from, size_t n, unsigned kind)
{
	if (n > room)
		return standin_fail(RT_PARAM_INVALID, "a copy of %zu bytes into room for %zu", n,
				    room);
	if (kind > KIND_DEFAULT)
		return standin_fail(RT_PARAM_INVALID, "a copy of kind %u", kind);
	const bool by_address = kind == KIND_DEFAULT;
	const bool from_device = by_address ? standin_memory_has(from) : sides[kind].from_device;
	const bool to_device = by_address ? standin_memory_has(to) : sides[kind].to_device;

	if (!end_fits(to, room, to_device) || !end_fits(from, n, from_device))
		return standin_fail(RT_PARAM_INVALID, "a copy of kind %u from %p to %p, %zu bytes",
				    kind, from, to, n);
	return STANDIN_OK;
}

static void *behind(const void *at, size_t n)
{
	void *data = standin_memory_at(at, n);

	if (data)
		return data;
	memcpy(&data, &at, sizeof data);
	return data;
}

static void copy(void *to, const void *from, size_t n)
{
	const int64_t now = clock_now_ns();
	const struct standin_transfer t = {.from_device = standin_memory_has(from),
					   .to_device = standin_memory_has(to),
					   .bytes = n,
					   .device = standin_context_current()->device,
					   .stream = STANDIN_NO_STREAM,
					   .correlation = standin_correlate(),
					   .begin_ns = now,
					   .end_ns =
						   now + BEGIN_NS + (int64_t)n / COPY_BYTES_PER_NS};

	memmove(behind(to, n), behind(from, n), n);
	standin_memory_touch(to);
	STANDIN_NOTIFY(transfer, &t);
}

int aclrtMemcpy(void *to, size_t room, const void *from, size_t n, unsigned kind)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	if (code == STANDIN_OK) {
		standin_operator_settle(to);
		standin_operator_settle(from);
	}
	code = code ? code : check_copy(to, room, from, n, kind);
	if (code == STANDIN_OK)
		copy(to, from, n);
	return standin_leave(__func__, code, "%p %p %zu", to, from, n);
}

/* ---- fills ---- */

struct fill_task {
	struct standin_task task;
	void *at;
	struct standin_transfer facts;
};

static void run(struct standin_task *task, struct standin_stream *s)
{
	struct fill_task *t = (struct fill_task *)task;
	struct standin_transfer *f = &t->facts;

	standin_operator_settle(t->at);
	f->begin_ns = s->end_ns > task->queued_ns ? s->end_ns : task->queued_ns;
	if (standin_memory_room(t->at) < f->bytes) {
		standin_log("error: memory was freed while a fill is queued");
		standin_lose(RT_AICORE_EXCEPTION, "memory was freed while work is queued");
		return;
	}
	standin_memory_fill(t->at, f->byte, f->bytes);
	f->end_ns = s->end_ns = f->begin_ns + BEGIN_NS + (int64_t)f->bytes / FILL_BYTES_PER_NS;
	STANDIN_NOTIFY(transfer, f);
}

static void release(struct standin_task *task)
{
	free(task);
}

static int fill(void *at, size_t room, int byte, size_t n, struct standin_stream *s)
{
	if (n > room || !end_fits(at, room, true))
		return standin_fail(RT_PARAM_INVALID, "a fill of %zu bytes at %p, room for %zu", n,
				    at, room);
	const int code = standin_stream_check(s);
	if (code)
		return code;
	struct fill_task *t = calloc(1, sizeof *t);
	if (!t)
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for a task");
	t->task.run = run;
	t->task.free = release;
	t->at = at;
	t->facts = (struct standin_transfer){.is_fill = true,
					     .to_device = true,
					     .byte = byte,
					     .bytes = n,
					     .device = s->context->device,
					     .stream = s->id,
					     .correlation = standin_correlate()};
	standin_stream_add(s, &t->task);
	return STANDIN_OK;
}

int aclrtMemsetAsync(void *at, size_t room, int32_t byte, size_t n, void *stream)
{
	int code = standin_enter(__func__, STANDIN_NEEDS_CONTEXT);

	code = code ? code : fill(at, room, byte, n, stream);
	return standin_leave(__func__, code, "%p %zu", at, n);
}
