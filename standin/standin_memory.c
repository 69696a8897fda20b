#include "standin/standin_memory.h"

#include <string.h>
#include <sys/mman.h>

/* Offset of an address in its page: aligned to 64 bytes, and to no more. */
enum { PAGE = 4096, OFFSET = 64, ROUND = 32, EXTRA = 32 };

struct memory {
	struct standin_object object;
	char *address, *data; /* the first as kernels see it; both OFFSET behind their pages */
	size_t bytes, mapped, taken; /* asked for; of each mapping; of the device's memory */
	uint64_t written, base;      /* newest write, and newest but of a region */
	int users;                   /* kernels that are at work on it */
	bool is_filled; /* with `fill`, all of it: the bytes are written when they are wanted */
	int fill;
};

static size_t all_taken;
static uint64_t writes;
static int64_t allocations;

static size_t taken_by(size_t bytes)
{
	const size_t rounded = (bytes + ROUND - 1) / ROUND * ROUND;

	return rounded + (standin_get_control()->rates.malloc_extra ? EXTRA : 0);
}

/* Maps pages without access, one more at each end, and opens those between to the host. */
static bool map(struct memory *m, size_t bytes)
{
	const size_t inner = (bytes + OFFSET + PAGE - 1) / PAGE * PAGE;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

	m->mapped = PAGE + inner + PAGE;
	char *seen = mmap(NULL, m->mapped, PROT_NONE, flags, -1, 0);
	char *behind =
		seen == MAP_FAILED ? MAP_FAILED : mmap(NULL, m->mapped, PROT_NONE, flags, -1, 0);

	if (behind != MAP_FAILED && mprotect(behind + PAGE, inner, PROT_READ | PROT_WRITE) == 0) {
		m->address = seen + PAGE + OFFSET;
		m->data = behind + PAGE + OFFSET;
		return true;
	}
	if (behind != MAP_FAILED)
		munmap(behind, m->mapped);
	if (seen != MAP_FAILED)
		munmap(seen, m->mapped);
	return false;
}

static bool is_full(size_t bytes)
{
	const struct standin_fault_set *f = standin_find_fault(STANDIN_OOM);
	const size_t all = (size_t)standin_get_control()->memory_bytes;

	allocations++;
	return bytes > all || taken_by(bytes) > all - all_taken || (f && allocations >= f->number);
}

int standin_memory_alloc(size_t bytes, void **out)
{
	if (bytes == 0 || !out)
		return standin_fail(RT_PARAM_INVALID, "an allocation of %zu bytes", bytes);
	if (is_full(bytes))
		return standin_fail(RT_MEMORY_ALLOCATION, "no device memory for %zu bytes", bytes);
	struct memory *m = standin_new(STANDIN_MEMORY, sizeof *m);
	if (!m || !map(m, bytes)) {
		if (m)
			standin_free(m);
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory behind %zu bytes", bytes);
	}
	m->bytes = bytes;
	m->written = m->base =
		++writes; /* an address that was used before has other contents now */
	m->taken = taken_by(bytes);
	all_taken += m->taken;
	*out = m->address;
	return STANDIN_OK;
}

static struct memory *find(const void *address)
{
	struct memory *m = standin_first(STANDIN_MEMORY);

	while (m && !((const char *)address >= m->address &&
		      (const char *)address < m->address + m->bytes))
		m = (struct memory *)m->object.next;
	return m;
}

void standin_memory_use(const void *address, int users)
{
	struct memory *m = find(address);

	if (m)
		m->users += users;
}

int standin_memory_free(void *at)
{
	struct memory *m = find(at);

	if (!m || m->address != at)
		return standin_fail(RT_PARAM_INVALID, "%p is no address of device memory", at);
	if (m->users) {
		standin_log("error: memory was freed while a kernel is at work on it");
		standin_lose(RT_AICORE_EXCEPTION, "memory was freed while a kernel runs");
		return standin_lost();
	}
	munmap(m->address - OFFSET - PAGE, m->mapped);
	munmap(m->data - OFFSET - PAGE, m->mapped);
	all_taken -= m->taken;
	standin_free(m);
	return STANDIN_OK;
}

bool standin_memory_has(const void *address)
{
	return find(address) != NULL;
}

const void *standin_memory_begin(const void *address)
{
	const struct memory *m = find(address);

	return m ? m->address : NULL;
}

size_t standin_memory_room(const void *address)
{
	const struct memory *m = find(address);

	return m ? (size_t)(m->address + m->bytes - (const char *)address) : 0;
}

void *standin_memory_at(const void *address, size_t n)
{
	struct memory *m = find(address);

	if (!m || standin_memory_room(address) < n)
		return NULL;
	if (m->is_filled)
		memset(m->data, m->fill, m->bytes);
	m->is_filled = false;
	return m->data + ((const char *)address - m->address);
}

uint64_t standin_memory_written(const void *address)
{
	const struct memory *m = find(address);

	return m ? m->written : 0;
}

void standin_memory_touch(const void *address)
{
	struct memory *m = find(address);

	if (m)
		m->written = m->base = ++writes;
}

uint64_t standin_memory_base(const void *address)
{
	const struct memory *m = find(address);

	return m ? m->base : 0;
}

void standin_memory_touch_region(const void *address)
{
	struct memory *m = find(address);

	if (m)
		m->written = ++writes;
}

void standin_memory_fill(void *at, int byte, size_t n)
{
	struct memory *m = find(at);

	if (at == m->address && n == m->bytes) {
		m->is_filled = true;
		m->fill = byte;
	} else {
		memset(standin_memory_at(at, n), byte, n);
	}
	standin_memory_touch(at);
}
