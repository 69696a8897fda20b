#include "standin/standin_memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Offset of an address in its page: aligned to 64 bytes, and to no more. */
enum { PAGE = 4096, OFFSET = 64, ROUND = 32, EXTRA = 32 };

struct memory {
	struct standin_object object;
	char *address, *data; /* the first as kernels see it; both OFFSET behind their pages */
	size_t bytes, mapped, taken; /* asked for; of each mapping; of the device's memory */
	uint64_t written;
	int users;      /* kernels that are at work on it */
	bool is_filled; /* with `fill`, all of it: the bytes are written when they are wanted */
	int fill;
};

struct host_memory {
	struct standin_object object;
	void *at;
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

int standin_host_alloc(size_t bytes, void **out)
{
	struct host_memory *m = bytes ? standin_new(STANDIN_HOST_MEMORY, sizeof *m) : NULL;

	if (!bytes)
		return standin_fail(RT_PARAM_INVALID, "an allocation of 0 bytes");
	m = m ? m : NULL;
	if (!m || posix_memalign(&m->at, OFFSET, bytes)) {
		if (m)
			standin_free(m);
		return standin_fail(RT_MEMORY_ALLOCATION, "no host memory for %zu bytes", bytes);
	}
	*out = m->at;
	return STANDIN_OK;
}

static struct host_memory *find_host(const void *at)
{
	struct host_memory *m = standin_first(STANDIN_HOST_MEMORY);

	while (m && m->at != at)
		m = (struct host_memory *)m->object.next;
	return m;
}

bool standin_host_has(const void *address)
{
	return find_host(address) != NULL;
}

int standin_host_free(void *at)
{
	struct host_memory *m = find_host(at);

	if (!m)
		return standin_fail(RT_PARAM_INVALID, "%p is no address of host memory", at);
	free(m->at);
	standin_free(m);
	return STANDIN_OK;
}

bool standin_memory_has(const void *address)
{
	return find(address) != NULL;
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
		m->written = ++writes;
}

/* ---- copies ---- */

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

int standin_copy_check(const void *to, size_t room, const void *from, size_t n, unsigned kind)
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

void standin_copy(void *to, const void *from, size_t n)
{
	memmove(behind(to, n), behind(from, n), n);
	standin_memory_touch(to);
}

int standin_set_check(const void *at, size_t room, size_t n)
{
	if (n > room || !end_fits(at, room, true))
		return standin_fail(RT_PARAM_INVALID, "a fill of %zu bytes at %p, room for %zu", n,
				    at, room);
	return STANDIN_OK;
}

void standin_set(void *at, int byte, size_t n)
{
	struct memory *m = find(at);

	if (at == m->address && n == m->bytes) {
		m->is_filled = true;
		m->fill = byte;
	} else {
		memset(behind(at, n), byte, n);
	}
	standin_memory_touch(at);
}
