#include "tuner/device/cpu/cpu_buffer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tuner/base/hash.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_fault.h"

enum { ALIGN = 64, HUGE_BYTES = 4 << 20 };
enum { GUARD_BYTES = 16 << 20 }; /* address space only */
enum { LABEL_BYTES = 160 };

struct cpu_buffer {
	struct device_buffer common;
	/* A guard without access, room to move to, the pages of the buffer at its first place,
	 * another guard. */
	unsigned char *map;
	size_t map_bytes;
	/* Pages that can be accessed, with the data in them: at its first place as late as
	 * alignment lets it. */
	unsigned char *pages;
	size_t page_bytes;
	char label[LABEL_BYTES];
	struct cpu_buffer *_Atomic next; /* on the list of all */
};

static const struct cpu_buffer *of(const struct device_buffer *b)
{
	return (const struct cpu_buffer *)b;
}

static unsigned char *data_of(const struct device_buffer *b)
{
	return of(b)->pages + b->front_bytes;
}

/* ---- all buffers ---- */

/* A handler of signals reads the list while another thread may change it: what it meets at worst is
 * one more fault, which ends the process as the first one does. */
static struct cpu_buffer *_Atomic all;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

bool cpu_buffer_find(uintptr_t at, struct cpu_buffer_place *out)
{
	const struct cpu_buffer *b = atomic_load(&all);

	while (b && (at < (uintptr_t)b->map || at - (uintptr_t)b->map >= b->map_bytes))
		b = atomic_load(&b->next);
	if (b)
		*out = (struct cpu_buffer_place){b->label, (uintptr_t)data_of(&b->common),
						 b->common.bytes, b->common.read_only};
	return b != NULL;
}

void cpu_buffer_label(struct device_buffer *b, const char *label)
{
	struct cpu_buffer *c = (struct cpu_buffer *)b;

	(void)snprintf(c->label, sizeof c->label, "%s", label);
}

void *cpu_buffer_data(const struct device_buffer *b)
{
	return b ? data_of(b) : NULL;
}

/* ---- memory ---- */

static size_t round_up(size_t n, size_t step)
{
	return (n + step - 1) / step * step;
}

/* Maps the pages between two guards; false when there is no memory. */
static bool map_pages(struct cpu_buffer *c, size_t page_bytes)
{
	const size_t before = GUARD_BYTES + (size_t)CPU_BUFFER_MOVE_END;

	c->map_bytes = before + page_bytes + GUARD_BYTES;
	c->map = mmap(NULL, c->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->map == MAP_FAILED)
		return false;
	c->pages = c->map + before;
	c->page_bytes = page_bytes;
	if (mprotect(c->pages, page_bytes, PROT_READ | PROT_WRITE) != 0) {
		munmap(c->map, c->map_bytes);
		return false;
	}
	/* Misses of the TLB are no part of a kernel's time on a large tensor. May be refused. */
	if (c->common.bytes >= HUGE_BYTES)
		(void)madvise(c->pages, page_bytes, MADV_HUGEPAGE);
	return true;
}

static enum asc_status reserve(struct device *d, struct device_buffer *b, struct asc_err *e)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t page_bytes = b->bytes ? round_up(b->bytes, page) : page;
	struct cpu_buffer *c = (struct cpu_buffer *)b;
	char text[UNITS_TEXT_SIZE];

	(void)d;
	if (b->bytes > PTRDIFF_MAX - 4 * (size_t)GUARD_BYTES || !map_pages(c, page_bytes))
		return asc_err_set(e, ASC_NOMEM, "no memory for a buffer of %s",
				   units_print_bytes((double)b->bytes, text));
	b->front_bytes = page_bytes - round_up(b->bytes, ALIGN);
	b->tail_bytes = page_bytes - b->front_bytes - b->bytes;
	cpu_buffer_label(b, "a buffer");
	/* Only a buffer that is complete may be found. */
	(void)pthread_mutex_lock(&changing);
	atomic_store(&c->next, atomic_load(&all));
	atomic_store(&all, c);
	(void)pthread_mutex_unlock(&changing);
	return ASC_OK;
}

static void release(struct device *d, struct device_buffer *b)
{
	struct cpu_buffer *_Atomic *at = &all;

	(void)d;
	/* Off the list before its pages go: a handler may read the list at any moment. */
	(void)pthread_mutex_lock(&changing);
	while (atomic_load(at) != (struct cpu_buffer *)b)
		at = &atomic_load(at)->next;
	atomic_store(at, atomic_load(&of(b)->next));
	(void)pthread_mutex_unlock(&changing);
	munmap(of(b)->map, of(b)->map_bytes);
}

static enum asc_status set_access(struct device *d, struct device_buffer *b, bool read_only,
				  struct asc_err *e)
{
	int access = read_only ? PROT_READ : PROT_READ | PROT_WRITE;

	(void)d;
	if (mprotect(of(b)->pages, of(b)->page_bytes, access) != 0)
		return asc_err_set(e, ASC_IO, "cannot change the protection of a buffer: %s",
				   strerror(errno));
	return ASC_OK;
}

/* Stores `n` bytes at byte `at`, of `data`, or all `byte` when that is NULL. */
static enum asc_status store(struct device_buffer *b, size_t at, const void *data, int byte,
			     size_t n, struct asc_err *e)
{
	unsigned char *const to = of(b)->pages + at;

	if (b->read_only && set_access(NULL, b, false, e))
		return e->status;
	if (data)
		memcpy(to, data, n);
	else
		memset(to, byte, n);
	return b->read_only ? set_access(NULL, b, true, e) : ASC_OK;
}

static enum asc_status set(struct device *d, struct device_buffer *b, size_t at, int byte, size_t n,
			   struct asc_err *e)
{
	(void)d;
	return store(b, at, NULL, byte, n, e);
}

static enum asc_status write_data(struct device *d, struct device_buffer *b, const void *from,
				  size_t n, struct asc_err *e)
{
	(void)d;
	return n > 0 ? store(b, b->front_bytes, from, 0, n, e) : ASC_OK;
}

static enum asc_status copy_data(struct device *d, struct device_buffer *b,
				 const struct device_buffer *from, struct asc_err *e)
{
	return write_data(d, b, data_of(from), b->bytes, e);
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static enum asc_status set_pages(unsigned char *from, const unsigned char *to, int access,
				 struct asc_err *e)
{
	if (from < to && mprotect(from, (size_t)(to - from), access) != 0)
		return asc_err_set(e, ASC_IO, "cannot move a buffer: %s", strerror(errno));
	return ASC_OK;
}

/* Opens the pages of the new place before, and closes those that are left behind it, so that guards
 * lie as near as before. */
static enum asc_status move_data(struct device *d, struct device_buffer *b, size_t at, bool keep,
				 struct asc_err *e)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct cpu_buffer *c = (struct cpu_buffer *)b;
	unsigned char *const old = c->pages, *const old_end = old + c->page_bytes;
	unsigned char *const from = data_of(b), *const to = from + b->moved - at;
	unsigned char *const pages = to - (size_t)((uintptr_t)to % page);
	const size_t used = (size_t)(to - pages) + b->bytes;
	unsigned char *const end = pages + (b->bytes ? round_up(used, page) : page);

	(void)d;
	if (set_pages(pages, end, PROT_READ | PROT_WRITE, e))
		return e->status;
	if (keep && b->bytes)
		memmove(to, from, b->bytes);
	c->pages = pages;
	c->page_bytes = (size_t)(end - pages);
	b->front_bytes = (size_t)(to - pages);
	b->tail_bytes = (size_t)(end - to) - b->bytes;
	if (set_pages(
		    old,
		    old + smaller((size_t)(old_end - old), pages > old ? (size_t)(pages - old) : 0),
		    PROT_NONE, e))
		return e->status;
	return set_pages(end > old ? end : old, old_end, PROT_NONE, e);
}

static enum asc_status read_data(struct device *d, const struct device_buffer *b, void *to,
				 size_t n, struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d, (void)e;
	cpu_fault_hold(&kernels);
	if (n > 0)
		memcpy(to, data_of(b), n);
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

enum asc_status cpu_buffer_fetch(struct device *d, const void *from, void *to, size_t bytes,
				 struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d, (void)e;
	cpu_fault_hold(&kernels);
	memcpy(to, from, bytes);
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

enum asc_status cpu_buffer_store(struct device *d, void *to, const void *from, size_t bytes,
				 struct asc_err *e)
{
	return cpu_buffer_fetch(d, from, to, bytes, e);
}

enum asc_status cpu_buffer_take(struct device *d, void *to, void *from, size_t bytes, int byte,
				struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d, (void)e;
	cpu_fault_hold(&kernels);
	memcpy(to, from, bytes);
	memset(from, byte, bytes);
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

/* ---- what kernels have written ---- */

static bool is_pattern(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != DEVICE_PATTERN)
			return false;
	return true;
}

static enum asc_status sum(struct device *d, const struct device_range *ranges, size_t n,
			   const char *what, uint64_t *sums, struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d, (void)what, (void)e;
	cpu_fault_hold(&kernels);
	for (size_t i = 0; i < n; i++) {
		const struct device_range *r = &ranges[i];
		const unsigned char *at = of(r->buffer)->pages + r->at;

		sums[i] = r->zone ? !is_pattern(at, r->bytes) : hash_bytes(at, r->bytes);
	}
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

int64_t cpu_buffer_find_stray(const struct device_buffer *b)
{
	const unsigned char *const data = data_of(b);
	struct cpu_fault_handlers kernels;
	size_t past = 0, before = b->front_bytes;

	cpu_fault_hold(&kernels);
	/* Past the end first: most kernels whose last block is not whole write there. */
	while (past < b->tail_bytes && data[b->bytes + past] == DEVICE_PATTERN)
		past++;
	while (before > 0 && *(data - before) == DEVICE_PATTERN)
		before--;
	cpu_fault_let_go(&kernels);
	return past < b->tail_bytes ? (int64_t)past + 1 : -(int64_t)before;
}

static const struct device_memory memory = {
	.buffer_bytes = sizeof(struct cpu_buffer),
	.reserve = reserve,
	.release = release,
	.set = set,
	.write = write_data,
	.read = read_data,
	.copy = copy_data,
	.move = move_data,
	.sum = sum,
	.protect = set_access,
};

enum asc_status cpu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e)
{
	return device_buffer_new(&memory, d, bytes, false, out, e);
}
