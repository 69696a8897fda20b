#include "tuner/device/device_buffer.h"

#include <assert.h>
#include <stdlib.h>

#include "tuner/base/units.h"

enum {
	ZONE_BYTES = 64 << 10, /* a kernel whose last block is not whole strays less far */
	PARTS = 3,             /* ranges of a buffer: two zones, and data that is read-only */
	AT_ONCE = 64           /* ranges; as many as one launch of CUDA's sums takes */
};

/* ---- making and releasing ---- */

static enum asc_status lay_out(struct device_buffer *b, size_t page, struct asc_err *e)
{
	/* Sums of sizes below would overflow. */
	if (b->bytes > PTRDIFF_MAX - 2 * (size_t)ZONE_BYTES - page)
		return asc_err_set(e, ASC_NOMEM, "more than any device has");
	const size_t least = ZONE_BYTES + b->bytes + ZONE_BYTES;

	b->front_bytes = ZONE_BYTES;
	b->tail_bytes = (least + page - 1) / page * page - ZONE_BYTES - b->bytes;
	return ASC_OK;
}

static enum asc_status fill_zones(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const struct device_memory *m = b->memory;

	return m->set(d, b, 0, DEVICE_PATTERN, b->front_bytes, e)
		       ? e->status
		       : m->set(d, b, b->front_bytes + b->bytes, DEVICE_PATTERN, b->tail_bytes, e);
}

enum asc_status device_buffer_new(const struct device_memory *m, struct device *d, size_t bytes,
				  bool on_host, struct device_buffer **out, struct asc_err *e)
{
	const size_t page = on_host ? m->host_page_bytes : m->page_bytes;
	struct device_buffer *b = calloc(1, m->buffer_bytes);
	char text[UNITS_TEXT_SIZE];

	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	*b = (struct device_buffer){.memory = m, .bytes = bytes, .on_host = on_host};
	if ((page && lay_out(b, page, e)) || m->reserve(d, b, e)) {
		free(b);
		return page ? asc_err_wrap(e, "no %s for a buffer of %s",
					   on_host ? m->host_name : m->name,
					   units_print_bytes((double)bytes, text))
			    : e->status;
	}
	/* The data holds anything: whoever reads before it writes has a fault of its own. */
	if (fill_zones(d, b, e)) {
		device_buffer_release(d, b);
		return e->status;
	}
	*out = b;
	return ASC_OK;
}

enum asc_status device_buffer_move(struct device *d, struct device_buffer *b, size_t at, bool keep,
				   struct asc_err *e)
{
	const bool read_only = b->read_only, guarded = read_only && b->memory->protect;

	assert(at % DEVICE_MOVE_STEP == 0);
	static_assert((int)DEVICE_BUFFER_MOVE_END <= (int)ZONE_BYTES / 2, "as the header says");
	if (at == b->moved)
		return ASC_OK;
	if (guarded && b->memory->protect(d, b, false, e))
		return e->status;
	b->read_only = false;
	enum asc_status s = b->memory->move(d, b, at, keep, e);

	if (!s) {
		b->moved = at;
		s = fill_zones(d, b, e);
	}
	/* The digest is of the contents, wherever they lie. */
	b->read_only = read_only;
	return !s && guarded ? b->memory->protect(d, b, true, e) : s;
}

void device_buffer_release(struct device *d, struct device_buffer *b)
{
	if (!b)
		return;
	b->memory->release(d, b);
	free(b);
}

void *device_buffer_place(void *memory, const struct bound_argument *a)
{
	return memory ? (char *)memory + a->offset_bytes : NULL;
}

/* ---- contents ---- */

/* Renews the digest: a write by the device itself is no change. */
static enum asc_status note_contents(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const struct device_range data = {b, b->front_bytes, b->bytes, false};

	return b->read_only ? b->memory->sum(d, &data, 1, "a write", &b->digest, e) : ASC_OK;
}

static enum asc_status check_room(const struct device_buffer *b, size_t bytes, struct asc_err *e)
{
	if (bytes > b->bytes)
		return asc_err_set(e, ASC_LIMIT, "%zu bytes do not fit a buffer of %zu", bytes,
				   b->bytes);
	return ASC_OK;
}

enum asc_status device_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				    size_t bytes, struct asc_err *e)
{
	if (check_room(b, bytes, e) || b->memory->write(d, b, data, bytes, e))
		return e->status;
	return note_contents(d, b, e);
}

enum asc_status device_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				   size_t bytes, struct asc_err *e)
{
	return check_room(b, bytes, e) ? e->status : b->memory->read(d, b, data, bytes, e);
}

enum asc_status device_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				   struct asc_err *e)
{
	if (b->memory->set(d, b, b->front_bytes, byte, b->bytes, e))
		return e->status;
	return note_contents(d, b, e);
}

enum asc_status device_buffer_copy(struct device *d, struct device_buffer *b,
				   const struct device_buffer *from, struct asc_err *e)
{
	assert(b->bytes == from->bytes);
	if (b->memory->copy(d, b, from, e))
		return e->status;
	if (!from->read_only)
		return note_contents(d, b, e);
	b->digest = from->digest;
	return ASC_OK;
}

enum asc_status device_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				      struct asc_err *e)
{
	if (b->read_only && read_only)
		return ASC_OK; /* the last write has noted what it holds */
	if (b->read_only != read_only && b->memory->protect &&
	    b->memory->protect(d, b, read_only, e))
		return e->status;
	b->read_only = read_only;
	return note_contents(d, b, e);
}

/* ---- looking at it ---- */

/* Ranges of a buffer; returns their number. */
static size_t add_ranges(const struct device_buffer *b, struct device_range to[PARTS])
{
	const size_t end = b->front_bytes + b->bytes;

	to[0] = (struct device_range){b, 0, b->front_bytes, true};
	to[1] = (struct device_range){b, end, b->tail_bytes, true};
	to[2] = (struct device_range){b, b->front_bytes, b->bytes, false};
	return b->read_only ? PARTS : PARTS - 1;
}

/* Sums up the ranges of many buffers in one call, so that the device waits once, and needs no
 * memory for that: a look that fails would be taken for a failure of the kernel. */
enum asc_status device_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				   enum device_harm *harms, struct asc_err *e)
{
	struct device_range ranges[AT_ONCE];
	uint64_t sums[AT_ONCE];

	for (size_t first = 0, end; first < n; first = end) {
		size_t all = 0, at = 0;

		for (end = first; end < n && all + PARTS <= AT_ONCE; end++)
			all += add_ranges(buffers[end], ranges + all);
		if (buffers[first]->memory->sum(d, ranges, all, "what is looked at", sums, e))
			return e->status;
		for (size_t i = first; i < end; i++) {
			const struct device_buffer *b = buffers[i];
			const bool changed = b->read_only && sums[at + 2] != b->digest;

			/* A stray write first: it says more of the kernel than what it changed. */
			harms[i] = sums[at] != 0 || sums[at + 1] != 0 ? DEVICE_STRAY
				   : changed                          ? DEVICE_CHANGED
								      : DEVICE_UNHARMED;
			at += b->read_only ? PARTS : PARTS - 1;
		}
	}
	return ASC_OK;
}

enum asc_status device_buffer_digest(struct device *d, struct device_buffer *const *buffers,
				     size_t n, uint64_t *digests, struct asc_err *e)
{
	struct device_range ranges[AT_ONCE];

	for (size_t first = 0, end; first < n; first = end) {
		for (end = first; end < n && end - first < AT_ONCE; end++)
			ranges[end - first] =
				(struct device_range){buffers[end], buffers[end]->front_bytes,
						      buffers[end]->bytes, false};
		if (buffers[first]->memory->sum(d, ranges, end - first, "a digest", digests + first,
						e))
			return e->status;
	}
	return ASC_OK;
}
