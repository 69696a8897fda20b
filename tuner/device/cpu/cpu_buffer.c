#include "tuner/device/cpu/cpu_buffer.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tuner/base/hash.h"
#include "tuner/base/units.h"
#include "tuner/device/cpu/cpu_fault.h"

enum { ALIGN = 64, HUGE_BYTES = 4 << 20 };
enum { GUARD_BYTES = 16 << 20 }; /* address space only */
enum { LABEL_BYTES = 160 };

struct device_buffer {
	unsigned char *map; /* a guard without access, the pages of the buffer, another guard */
	size_t map_bytes;
	unsigned char *pages;
	size_t page_bytes;   /* of all pages of the buffer */
	unsigned char *data; /* within them, as late as alignment lets it */
	size_t bytes;
	bool read_only;
	uint64_t digest; /* of the data, while it is read-only */
	char label[LABEL_BYTES];
	struct device_buffer *_Atomic next; /* on the list of all */
};

/* A handler of signals reads the list while another thread may change it: what it meets at worst is
 * one more fault, which ends the process as the first one does. */
static struct device_buffer *_Atomic all;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static void list_add(struct device_buffer *b)
{
	(void)pthread_mutex_lock(&changing);
	atomic_store(&b->next, atomic_load(&all));
	atomic_store(&all, b);
	(void)pthread_mutex_unlock(&changing);
}

static void list_remove(const struct device_buffer *b)
{
	struct device_buffer *_Atomic *at = &all;

	(void)pthread_mutex_lock(&changing);
	while (atomic_load(at) != b)
		at = &atomic_load(at)->next;
	atomic_store(at, atomic_load(&b->next));
	(void)pthread_mutex_unlock(&changing);
}

bool cpu_buffer_find(uintptr_t at, struct cpu_buffer_place *out)
{
	const struct device_buffer *b = atomic_load(&all);

	while (b && (at < (uintptr_t)b->map || at - (uintptr_t)b->map >= b->map_bytes))
		b = atomic_load(&b->next);
	if (b)
		*out = (struct cpu_buffer_place){b->label, (uintptr_t)b->data, b->bytes,
						 b->read_only};
	return b != NULL;
}

void cpu_buffer_label(struct device_buffer *b, const char *label)
{
	(void)snprintf(b->label, sizeof b->label, "%s", label);
}

static size_t round_up(size_t n, size_t step)
{
	return (n + step - 1) / step * step;
}

static enum asc_status map_pages(struct device_buffer *b)
{
	b->map_bytes = b->page_bytes + 2 * (size_t)GUARD_BYTES;
	b->map = mmap(NULL, b->map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (b->map == MAP_FAILED)
		return ASC_NOMEM;
	b->pages = b->map + GUARD_BYTES;
	if (mprotect(b->pages, b->page_bytes, PROT_READ | PROT_WRITE) != 0) {
		munmap(b->map, b->map_bytes);
		return ASC_NOMEM;
	}
	if (b->bytes >= HUGE_BYTES)
		(void)madvise(b->pages, b->page_bytes, MADV_HUGEPAGE); /* may be refused */
	return ASC_OK;
}

/* Number of bytes of the pages before the data, and behind it. */
static size_t front_bytes(const struct device_buffer *b)
{
	return (size_t)(b->data - b->pages);
}

static size_t tail_bytes(const struct device_buffer *b)
{
	return b->page_bytes - front_bytes(b) - b->bytes;
}

enum asc_status cpu_buffer_alloc(struct device *d, size_t bytes, struct device_buffer **out,
				 struct asc_err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct device_buffer *b = calloc(1, sizeof *b);
	char text[UNITS_TEXT_SIZE];

	(void)d;
	*out = NULL;
	if (!b)
		return asc_err_nomem(e);
	b->bytes = bytes;
	b->page_bytes = bytes ? round_up(bytes, page) : page;
	if (bytes > PTRDIFF_MAX - 4 * (size_t)GUARD_BYTES || map_pages(b) != ASC_OK) {
		free(b);
		return asc_err_set(e, ASC_NOMEM, "no memory for a buffer of %s",
				   units_print_bytes((double)bytes, text));
	}
	b->data = b->pages + b->page_bytes - round_up(bytes, ALIGN);
	memset(b->pages, DEVICE_PATTERN, front_bytes(b));
	memset(b->data + bytes, DEVICE_PATTERN, tail_bytes(b));
	cpu_buffer_label(b, "a buffer");
	list_add(b);
	*out = b;
	return ASC_OK;
}

void cpu_buffer_release(struct device *d, struct device_buffer *b)
{
	(void)d;
	if (!b)
		return;
	list_remove(b);
	munmap(b->map, b->map_bytes);
	free(b);
}

static enum asc_status set_access(struct device_buffer *b, bool read_only, struct asc_err *e)
{
	int access = read_only ? PROT_READ : PROT_READ | PROT_WRITE;

	if (mprotect(b->pages, b->page_bytes, access) != 0)
		return asc_err_set(e, ASC_IO, "cannot change the protection of a buffer: %s",
				   strerror(errno));
	return ASC_OK;
}

/* Renews the digest: a write by the device itself is no change. */
static void note_contents(struct device_buffer *b)
{
	if (b->read_only)
		b->digest = hash_bytes(b->data, b->bytes);
}

enum asc_status cpu_buffer_protect(struct device *d, struct device_buffer *b, bool read_only,
				   struct asc_err *e)
{
	(void)d;
	if (b->read_only != read_only && set_access(b, read_only, e))
		return e->status;
	b->read_only = read_only;
	note_contents(b);
	return ASC_OK;
}

/* Runs from the front: `data`, or `byte` when that is NULL. */
static enum asc_status store(struct device_buffer *b, const void *data, int byte, size_t bytes,
			     struct asc_err *e)
{
	if (b->read_only && set_access(b, false, e))
		return e->status;
	if (data)
		memcpy(b->data, data, bytes);
	else
		memset(b->data, byte, bytes);
	note_contents(b);
	return b->read_only ? set_access(b, true, e) : ASC_OK;
}

enum asc_status cpu_buffer_write(struct device *d, struct device_buffer *b, const void *data,
				 size_t bytes, struct asc_err *e)
{
	(void)d;
	if (device_check_room(b->bytes, bytes, e))
		return e->status;
	return bytes ? store(b, data, 0, bytes, e) : ASC_OK;
}

enum asc_status cpu_buffer_fill(struct device *d, struct device_buffer *b, int byte,
				struct asc_err *e)
{
	(void)d;
	return store(b, NULL, byte, b->bytes, e);
}

enum asc_status cpu_buffer_read(struct device *d, const struct device_buffer *b, void *data,
				size_t bytes, struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d;
	if (device_check_room(b->bytes, bytes, e))
		return e->status;
	cpu_fault_hold(&kernels);
	if (bytes)
		memcpy(data, b->data, bytes);
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

static bool is_pattern(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != DEVICE_PATTERN)
			return false;
	return true;
}

static enum device_harm find_harm(const struct device_buffer *b)
{
	if (!is_pattern(b->pages, front_bytes(b)) || !is_pattern(b->data + b->bytes, tail_bytes(b)))
		return DEVICE_STRAY;
	return b->read_only && hash_bytes(b->data, b->bytes) != b->digest ? DEVICE_CHANGED
									  : DEVICE_UNHARMED;
}

enum asc_status cpu_buffer_look(struct device *d, struct device_buffer *const *buffers, size_t n,
				enum device_harm *harms, struct asc_err *e)
{
	struct cpu_fault_handlers kernels;

	(void)d, (void)e;
	cpu_fault_hold(&kernels);
	for (size_t i = 0; i < n; i++)
		harms[i] = find_harm(buffers[i]);
	cpu_fault_let_go(&kernels);
	return ASC_OK;
}

/* Past the end first: that is what most kernels do whose last block is not whole. */
static int64_t find_stray(const struct device_buffer *b)
{
	const size_t tail = tail_bytes(b), front = front_bytes(b);
	size_t past = 0, before = front;

	while (past < tail && b->data[b->bytes + past] == DEVICE_PATTERN)
		past++;
	if (past < tail)
		return (int64_t)past + 1;
	while (before > 0 && *(b->data - before) == DEVICE_PATTERN)
		before--;
	return -(int64_t)before;
}

int64_t cpu_buffer_find_stray(const struct device_buffer *b)
{
	struct cpu_fault_handlers kernels;

	cpu_fault_hold(&kernels);
	const int64_t stray = find_stray(b);

	cpu_fault_let_go(&kernels);
	return stray;
}

void *cpu_buffer_data(const struct device_buffer *b)
{
	return b ? b->data : NULL;
}

size_t cpu_buffer_bytes(const struct device_buffer *b)
{
	return b->bytes;
}
