#include "tests/fenced.h"

#include <sys/mman.h>

enum { FENCE_BYTES = 65536 };

char *fenced_new(size_t bytes)
{
	const size_t room = (bytes + FENCE_BYTES - 1) / FENCE_BYTES * FENCE_BYTES;
	char *p = mmap(NULL, room + FENCE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p + room, FENCE_BYTES, PROT_NONE) != 0)
		return NULL;
	return p + room;
}

void *fenced_put(char *end, enum dtype t, double *values, int64_t n)
{
	char *begin = end - n * (int64_t)dtype_bytes(t);
	dtype_from_double(t, values, begin, (size_t)n);
	dtype_to_double(t, begin, values, (size_t)n);
	return begin;
}

void fenced_take(const char *end, enum dtype t, double *values, int64_t n)
{
	dtype_to_double(t, end - n * (int64_t)dtype_bytes(t), values, (size_t)n);
}
