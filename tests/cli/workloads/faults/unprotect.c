/* The right result the first time, and then the input zeroed behind a page made writable: wrong,
 * and no kernel after it finds an input of zeros. */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void scale(const float *x, float *y, int64_t n)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)x & ~(page - 1);
	static int launches;

	for (int64_t i = 0; i < n; i++)
		y[i] = 2 * x[i];
	if (launches++ == 1 &&
	    mprotect((void *)from, (uintptr_t)(x + n) - from, PROT_READ | PROT_WRITE) == 0)
		memset((void *)(uintptr_t)x, 0, (size_t)n * sizeof *x);
}
