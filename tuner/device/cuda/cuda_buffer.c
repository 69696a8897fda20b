#include "tuner/device/cuda/cuda_buffer.h"

#include <string.h>

#include "tuner/device/cuda/cuda_checks.h"

enum { HOST_PAGE_BYTES = 64 << 10 }; /* the largest of the systems that asctune runs on */

struct cuda_buffer {
	struct device_buffer common;
	cuda_address base; /* of the front zone */
	char *host;        /* base, where it is memory of the host; else NULL */
};

static const struct cuda_buffer *of(const struct device_buffer *b)
{
	return (const struct cuda_buffer *)b;
}

/* Pinned memory of the host has the same address on the device. */
static enum asc_status reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const size_t bytes = b->front_bytes + b->bytes + b->tail_bytes;
	struct cuda_buffer *c = (struct cuda_buffer *)b;
	void *host;

	if (!b->on_host)
		return cuda_alloc(d, bytes, &c->base, e);
	if (cuda_check(d, d->cu->host_alloc(&host, bytes, CUDA_HOST_MAPPED), "cuMemHostAlloc", e))
		return e->status;
	c->host = host;
	c->base = (cuda_address)(uintptr_t)host;
	return ASC_OK;
}

static void release(struct device *d, struct device_buffer *b)
{
	if (b->on_host)
		(void)d->cu->host_free(of(b)->host);
	else
		(void)d->cu->free(of(b)->base);
}

static enum asc_status set(struct device *d, struct device_buffer *b, size_t at, int byte, size_t n,
			   struct asc_err *e)
{
	if (n == 0)
		return ASC_OK;
	if (!b->on_host)
		return cuda_check(d,
				  d->cu->set(of(b)->base + at, (unsigned char)byte, n, d->stream),
				  "cuMemsetD8Async", e);
	/* The host writes at once, the device in its turn: kernels before this come first. */
	if (cuda_wait(d, "memory of the host", e))
		return e->status;
	memset(of(b)->host + at, byte, n);
	return ASC_OK;
}

cuda_address cuda_buffer_address(const struct device_buffer *b)
{
	return b ? of(b)->base + b->front_bytes : 0;
}

cuda_address cuda_range_address(const struct device_range *r)
{
	return of(r->buffer)->base + r->at;
}

void *cuda_buffer_pointer(const struct device_buffer *b)
{
	const cuda_address at = cuda_buffer_address(b);
	void *pointer;

	memcpy(&pointer, &at, sizeof pointer); /* an integer is no pointer to an optimiser */
	return pointer;
}

/* ---- copies ---- */

/* Stages take turns: the host fills one while the device copies the other. */

static size_t piece(size_t bytes, size_t at)
{
	return bytes - at < CUDA_STAGE_BYTES ? bytes - at : CUDA_STAGE_BYTES;
}

static enum asc_status copy_in(struct device *d, cuda_address to, const void *from, size_t bytes,
			       struct asc_err *e)
{
	size_t turn = 0;

	for (size_t at = 0; at < bytes; at += CUDA_STAGE_BYTES, turn++) {
		void *stage = d->stages[turn % CUDA_STAGES];
		size_t n = piece(bytes, at);

		/* All stages are used up: the first may not be filled while it is read. */
		if (turn > 0 && turn % CUDA_STAGES == 0 && cuda_wait(d, "a copy to the device", e))
			return e->status;
		memcpy(stage, (const char *)from + at, n);
		if (cuda_check(d, d->cu->put(to + at, stage, n, d->stream), "cuMemcpyHtoDAsync", e))
			return e->status;
	}
	return cuda_wait(d, "a copy to the device", e);
}

enum asc_status cuda_copy_out(struct device *d, cuda_address from, void *to, size_t bytes,
			      struct asc_err *e)
{
	for (size_t at = 0; at < bytes; at += CUDA_STAGES * (size_t)CUDA_STAGE_BYTES) {
		size_t end = at + CUDA_STAGES * (size_t)CUDA_STAGE_BYTES;

		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++)
			if (cuda_check(
				    d,
				    d->cu->get(d->stages[i], from + k, piece(bytes, k), d->stream),
				    "cuMemcpyDtoHAsync", e))
				return e->status;
		/* One wait for as many pieces as there are stages. */
		if (cuda_wait(d, "a copy from the device", e))
			return e->status;
		for (size_t k = at, i = 0; k < bytes && k < end; k += CUDA_STAGE_BYTES, i++) {
			memcpy((char *)to + k, d->stages[i], piece(bytes, k));
			/* Kernels reach pinned memory, and right outputs are not for them. */
			memset(d->stages[i], 0, piece(bytes, k));
		}
	}
	return ASC_OK;
}

/* Copies between the buffer and the caller's memory, one of which is `to` and the other `from`. */
static enum asc_status copy_here(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e)
{
	if (cuda_wait(d, "memory of the host", e))
		return e->status;
	if (bytes)
		memcpy(to, from, bytes);
	return ASC_OK;
}

static enum asc_status write_data(struct device *d, struct device_buffer *b, const void *from,
				  size_t n, struct asc_err *e)
{
	return b->on_host ? copy_here(d, of(b)->host + b->front_bytes, from, n, e)
			  : copy_in(d, cuda_buffer_address(b), from, n, e);
}

static enum asc_status copy_data(struct device *d, struct device_buffer *b,
				 const struct device_buffer *from, struct asc_err *e)
{
	return b->bytes == 0
		       ? ASC_OK
		       : cuda_check(d,
				    d->cu->copy(cuda_buffer_address(b), cuda_buffer_address(from),
						b->bytes, d->stream),
				    "cuMemcpyDtoDAsync", e);
}

/* Moves data within its memory by way of that which flushes the cache, piece by piece from the end
 * that it moves to, since source and target overlap: what is written has been copied. The memory
 * between is written anew at last: kernels reach it. */
static enum asc_status shift(struct device *d, cuda_address to, cuda_address from, size_t bytes,
			     struct asc_err *e)
{
	if (cuda_flush_queue(d, e))
		return e->status;
	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < d->cold_bytes ? bytes - done : d->cold_bytes;
		const size_t at = to < from ? done : bytes - done - n;

		if (cuda_check(d, d->cu->copy(d->cold, from + at, n, d->stream),
			       "cuMemcpyDtoDAsync", e) ||
		    cuda_check(d, d->cu->copy(to + at, d->cold, n, d->stream), "cuMemcpyDtoDAsync",
			       e))
			return e->status;
	}
	return cuda_flush_queue(d, e);
}

static enum asc_status move_data(struct device *d, struct device_buffer *b, size_t at, bool keep,
				 struct asc_err *e)
{
	const size_t from = b->front_bytes, to = from + b->moved - at;

	if (keep && b->on_host) {
		if (cuda_wait(d, "memory of the host", e))
			return e->status;
		memmove(of(b)->host + to, of(b)->host + from, b->bytes);
	} else if (keep && b->bytes &&
		   shift(d, of(b)->base + to, of(b)->base + from, b->bytes, e)) {
		return e->status;
	}
	b->tail_bytes = b->tail_bytes + from - to;
	b->front_bytes = to;
	return ASC_OK;
}

static enum asc_status read_data(struct device *d, const struct device_buffer *b, void *to,
				 size_t n, struct asc_err *e)
{
	return b->on_host ? copy_here(d, to, of(b)->host + b->front_bytes, n, e)
			  : cuda_copy_out(d, cuda_buffer_address(b), to, n, e);
}

enum asc_status cuda_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				  struct asc_err *e)
{
	return cuda_copy_out(d, (cuda_address)(uintptr_t)from, to, bytes, e);
}

enum asc_status cuda_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				  struct asc_err *e)
{
	return copy_in(d, (cuda_address)(uintptr_t)to, from, bytes, e);
}

enum asc_status cuda_buffer_take(struct device *d, void *to, void *from, size_t bytes, int byte,
				 struct asc_err *e)
{
	const cuda_address source = (cuda_address)(uintptr_t)from;

	if (cuda_check(d, d->cu->copy((cuda_address)(uintptr_t)to, source, bytes, d->stream),
		       "cuMemcpyDtoDAsync", e) ||
	    cuda_check(d, d->cu->set(source, (unsigned char)byte, bytes, d->stream),
		       "cuMemsetD8Async", e))
		return e->status;
	return cuda_wait(d, "a copy on the device", e);
}

static const struct device_memory memory = {
	.buffer_bytes = sizeof(struct cuda_buffer),
	.page_bytes = CUDA_PAGE_BYTES,
	.host_page_bytes = HOST_PAGE_BYTES,
	.name = "device memory",
	.host_name = "pinned memory",
	.reserve = reserve,
	.release = release,
	.set = set,
	.write = write_data,
	.read = read_data,
	.copy = copy_data,
	.move = move_data,
	.sum = cuda_checks_sum,
};

enum asc_status cuda_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				  struct asc_err *e)
{
	return device_buffer_new(&memory, d, bytes, false, out, e);
}

enum asc_status cuda_buffer_alloc_host(struct device *d, size_t bytes, struct device_buffer **out,
				       struct asc_err *e)
{
	return device_buffer_new(&memory, d, bytes, true, out, e);
}
