/* Buffers in memory of pages: all of a page belongs to the buffer, and is looked at.
 * covers: device_buffer.c */
#include "tuner/device/device_buffer.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { PAGE = 2 << 20, HOST_PAGE = 4096, ZONE = 64 << 10 };

struct pages { /* a buffer in memory of this process */
	struct device_buffer common;
	unsigned char *base;
	size_t bytes; /* as asked for */
};

static enum asc_status reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	struct pages *p = (struct pages *)b;

	(void)d;
	p->bytes = b->front_bytes + b->bytes + b->tail_bytes;
	p->base = calloc(1, p->bytes);
	return p->base ? ASC_OK : asc_err_nomem(e);
}

static void release(struct device *d, struct device_buffer *b)
{
	(void)d;
	free(((struct pages *)b)->base);
}

static enum asc_status set(struct device *d, struct device_buffer *b, size_t at, int byte, size_t n,
			   struct asc_err *e)
{
	(void)d, (void)e;
	memset(((struct pages *)b)->base + at, byte, n);
	return ASC_OK;
}

static enum asc_status sum(struct device *d, const struct device_range *ranges, size_t n,
			   const char *what, uint64_t *sums, struct asc_err *e)
{
	(void)d, (void)what, (void)e;
	for (size_t i = 0; i < n; i++) {
		const struct pages *p = (const struct pages *)ranges[i].buffer;

		sums[i] = 0;
		for (size_t k = 0; k < ranges[i].bytes; k++)
			sums[i] += p->base[ranges[i].at + k] != DEVICE_PATTERN;
	}
	return ASC_OK;
}

static const struct device_memory memory = {.buffer_bytes = sizeof(struct pages),
					    .page_bytes = PAGE,
					    .host_page_bytes = HOST_PAGE,
					    .name = "paged memory",
					    .host_name = "other memory",
					    .reserve = reserve,
					    .release = release,
					    .set = set,
					    .sum = sum};

/* True where a write to that byte of the memory is noticed; the byte is put back. */
static bool is_seen(struct device_buffer *b, size_t at)
{
	unsigned char *byte = ((struct pages *)b)->base + at;
	const unsigned char before = *byte;
	enum device_harm harm = DEVICE_UNHARMED;
	struct asc_err e;

	*byte = 1;
	const enum asc_status s = device_buffer_look(NULL, &b, 1, &harm, &e);

	*byte = before;
	return s == ASC_OK && harm == DEVICE_STRAY;
}

static void check_pages(size_t bytes, bool on_host, size_t page, size_t pages)
{
	struct device_buffer *b;
	struct asc_err e;

	if (!tap_int(device_buffer_new(&memory, NULL, bytes, on_host, &b, &e), ASC_OK,
		     "a buffer of %zu", bytes))
		return;
	const size_t all = ((struct pages *)b)->bytes;

	tap_int(all, pages * page, "%zu bytes have %zu pages", bytes, pages);
	tap_ok(b->front_bytes >= ZONE && b->tail_bytes >= ZONE, "with a zone at either end");
	tap_ok(is_seen(b, 0), "a write to the first byte of its pages is seen");
	tap_ok(is_seen(b, b->front_bytes - 1), "one just before the data, too");
	tap_ok(!is_seen(b, b->front_bytes), "one to the data is none of that");
	tap_ok(!is_seen(b, b->front_bytes + bytes - 1), "to its last byte either");
	tap_ok(is_seen(b, b->front_bytes + bytes), "one just behind it is");
	tap_ok(is_seen(b, all - 1), "and one to the last byte of its pages");
	device_buffer_release(NULL, b);
}

int main(void)
{
	struct device_buffer *b;
	struct asc_err e;

	check_pages(1, false, PAGE, 1);
	check_pages(PAGE - 2 * ZONE, false, PAGE, 1);
	check_pages(PAGE - 2 * ZONE + 1, false, PAGE, 2);
	check_pages(3 * PAGE, false, PAGE, 4);
	check_pages(1000, true, HOST_PAGE, 33);
	tap_int(device_buffer_new(&memory, NULL, PTRDIFF_MAX - PAGE, false, &b, &e), ASC_NOMEM,
		"a size that no sum holds: %s", e.text);
	return tap_done();
}
