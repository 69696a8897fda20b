#include "standin/standin_mspti_record.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Offsets in records of markers. */
enum {
	AT_FLAG = 4,
	AT_SOURCE = 8,
	AT_MARK_TIME = 12,
	AT_MARK_ID = 20,
	AT_OBJECT = 28, /* process and thread, or device and stream */
	AT_SECOND_OBJECT = 32,
	AT_MARK_NAME = 36,
	AT_MARK_DOMAIN = 44
};

/* Offsets in records of calls, and of copies and fills. */
enum { AT_PROCESS = 20, AT_THREAD = 24, AT_CALL_CORRELATION = 28, AT_CALL_NAME = 36 };
enum {
	AT_KIND_OF_COPY = 4, /* the value of a fill */
	AT_BYTES = 8,
	AT_BEGIN = 16,
	AT_END = 24,
	AT_DEVICE = 32,
	AT_STREAM = 36,
	AT_CORRELATION = 40,
	AT_LATER = 48
};

enum { ON_HOST = 0, ON_DEVICE = 1 }; /* msptiActivitySourceKind */
enum { HOST_TO_HOST = 1, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

size_t mspti_record_size(uint32_t kind)
{
	static const size_t sizes[MSPTI_N_KINDS] = {
		[MSPTI_KIND_MARKER] = 56,
		[MSPTI_KIND_KERNEL] = MSPTI_KERNEL_BYTES,
		[MSPTI_KIND_API] = 48,
		[MSPTI_KIND_HCCL] = 56,
		[MSPTI_KIND_MEMORY] = 64,
		[MSPTI_KIND_MEMSET] = 56,
		[MSPTI_KIND_MEMCPY] = 56,
		[MSPTI_KIND_EXTERNAL_CORRELATION] = MSPTI_EXTERNAL_BYTES,
		[MSPTI_KIND_COMMUNICATION] = 72,
		[MSPTI_KIND_ACL_API] = 48,
		[MSPTI_KIND_NODE_API] = 48,
		[MSPTI_KIND_RUNTIME_API] = 48};

	return kind < MSPTI_N_KINDS ? sizes[kind] : 0;
}

static void put_u32(struct mspti_record *r, size_t at, uint32_t value)
{
	memcpy(r->bytes + at, &value, sizeof value);
}

static void put_u64(struct mspti_record *r, size_t at, uint64_t value)
{
	memcpy(r->bytes + at, &value, sizeof value);
}

static void put_text(struct mspti_record *r, size_t at, const char *text)
{
	r->offsets[r->n_texts] = at;
	strncpy(r->texts[r->n_texts], text, sizeof r->texts[0] - 1);
	r->n_texts++;
}

static struct mspti_record begin(uint32_t kind)
{
	struct mspti_record r = {.size = mspti_record_size(kind)};

	put_u32(&r, MSPTI_AT_KIND, kind);
	return r;
}

static uint32_t thread_id(void)
{
	return (uint32_t)syscall(SYS_gettid);
}

struct mspti_record mspti_record_kernel(const struct standin_record *k)
{
	struct mspti_record r = begin(MSPTI_KIND_KERNEL);

	put_u64(&r, MSPTI_AT_START, (uint64_t)k->begin_ns);
	put_u64(&r, MSPTI_AT_END, (uint64_t)k->end_ns);
	put_u32(&r, MSPTI_AT_DEVICE, (uint32_t)k->device);
	put_u32(&r, MSPTI_AT_STREAM, (uint32_t)k->stream);
	put_u64(&r, MSPTI_AT_CORRELATION, k->correlation);
	put_text(&r, MSPTI_AT_TYPE, k->type);
	put_text(&r, MSPTI_AT_NAME, k->name);
	return r;
}

struct mspti_record mspti_record_transfer(const struct standin_transfer *t)
{
	struct mspti_record r = begin(t->is_fill ? MSPTI_KIND_MEMSET : MSPTI_KIND_MEMCPY);
	const int copy = t->from_device ? (t->to_device ? DEVICE_TO_DEVICE : DEVICE_TO_HOST)
					: (t->to_device ? HOST_TO_DEVICE : HOST_TO_HOST);

	put_u32(&r, AT_KIND_OF_COPY, (uint32_t)(t->is_fill ? t->byte : copy));
	put_u64(&r, AT_BYTES, t->bytes);
	put_u64(&r, AT_BEGIN, (uint64_t)t->begin_ns);
	put_u64(&r, AT_END, (uint64_t)t->end_ns);
	put_u32(&r, AT_DEVICE, (uint32_t)t->device);
	put_u32(&r, AT_STREAM, (uint32_t)t->stream);
	put_u64(&r, AT_CORRELATION, t->correlation);
	r.bytes[AT_LATER] = t->stream != STANDIN_NO_STREAM;
	return r;
}

struct mspti_record mspti_record_call(uint32_t kind, const struct standin_call *c)
{
	struct mspti_record r = begin(kind);

	put_u64(&r, MSPTI_AT_START, (uint64_t)c->begin_ns);
	put_u64(&r, MSPTI_AT_END, (uint64_t)c->end_ns);
	put_u32(&r, AT_PROCESS, (uint32_t)getpid());
	put_u32(&r, AT_THREAD, thread_id());
	put_u64(&r, AT_CALL_CORRELATION, c->correlation);
	put_text(&r, AT_CALL_NAME, c->name);
	return r;
}

struct mspti_record mspti_record_mark(const struct standin_mark *m)
{
	struct mspti_record r = begin(MSPTI_KIND_MARKER);

	put_u32(&r, AT_FLAG, m->flag);
	put_u32(&r, AT_SOURCE, m->on_device ? ON_DEVICE : ON_HOST);
	put_u64(&r, AT_MARK_TIME, (uint64_t)m->at_ns);
	put_u64(&r, AT_MARK_ID, m->id);
	put_u32(&r, AT_OBJECT, m->on_device ? (uint32_t)m->device : (uint32_t)getpid());
	put_u32(&r, AT_SECOND_OBJECT, m->on_device ? (uint32_t)m->stream : thread_id());
	put_text(&r, AT_MARK_NAME, m->message);
	put_text(&r, AT_MARK_DOMAIN, "default");
	return r;
}

struct mspti_record mspti_record_external(uint32_t kind, uint64_t id, uint64_t correlation)
{
	struct mspti_record r = begin(MSPTI_KIND_EXTERNAL_CORRELATION);

	put_u32(&r, MSPTI_AT_EXTERNAL_KIND, kind);
	put_u64(&r, MSPTI_AT_EXTERNAL_ID, id);
	put_u64(&r, MSPTI_AT_EXTERNAL_CORRELATION, correlation);
	return r;
}
